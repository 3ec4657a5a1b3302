"""A few bytes that ask for gigabytes or hours: motions that last for years, robots of hundreds of joints."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.cli import app
from strobe.control.sample_rates import periods
from strobe.control.tracking_deviation import straying
from strobe.equations.closed_form import carried_pairs, predicted_terms
from strobe.equations.readable import readable
from strobe.errors import ArgumentError, StrobeError, UnsupportedModelError
from strobe.kinematics import workspace
from strobe.models.toml_writer import write_toml
from strobe.simulate.feed_forward import feed_forward
from strobe.study.report import study
from strobe.trajectory.files import read
from strobe.trajectory.planners import METHODS

SECONDS = ["1000000", "1e12", "1e30"]


@pytest.fixture
def arm():
    return strobe.load("planar2")


def _motion(folder, seconds):
    path = folder / "long.csv"
    names = [f"{letter}_joint{k}" for letter in ("q", "qd", "qdd") for k in (1, 2)]
    path.write_text(f"t,{','.join(names)}\n0,0,0,0,0,0,0\n{seconds},1,1,0,0,0,0\n")
    return path


def _told(*arguments):
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 2, done.output
    return done.stderr


@pytest.mark.parametrize("seconds", SECONDS)
@pytest.mark.parametrize(
    ("verb", "sentence"),
    [
        (["simulate", "planar2", "--trajectory"], "need more than 1,000,000 rows of torques"),
        (["control", "planar2"], "rows of 14 numbers, more than 1 GiB. Give a shorter t, or a lower rate."),
        (["approximate", "planar2"], "rows of 12 numbers, more than 1 GiB. Take a part of it."),
    ],
)
def test_a_motion_that_lasts_for_years_is_refused_with_a_sentence(verb, sentence, seconds, tmp_path):
    assert sentence in _told(*verb, str(_motion(tmp_path, seconds)))


@pytest.mark.parametrize("seconds", SECONDS)
def test_only_the_part_of_a_motion_that_a_run_lasts_is_fed_forward(arm, seconds, tmp_path):
    table = feed_forward(arm, read(_motion(tmp_path, seconds)).motion, until=0.1)
    assert table.times[-1] == 0.1
    assert len(table.times) < 1000


def test_a_part_of_a_motion_is_fed_forward_as_the_whole(arm):
    motion = arm.plan([[0, 0], [1, -0.5], [0.2, 0.3]], velocity=2, acceleration=5)
    whole, part = feed_forward(arm, motion), feed_forward(arm, motion, until=0.5 * motion.duration)
    between = [np.interp(part.times, whole.times, column) for column in whole.values.T]
    assert np.allclose(part.values, np.array(between).T, atol=1e-4 * np.abs(whole.values).max())


def test_refining_a_table_of_torques_ends(arm, monkeypatch):
    monkeypatch.setattr("strobe.simulate.feed_forward.MOST_ROWS", 20_000)
    q = 1e4 * np.cumsum(np.random.default_rng(0).uniform(-1, 1, (5, 2)), axis=0)
    free = {"velocity": 1e9, "acceleration": 1e9, "lower": -1e9, "upper": 1e9}
    motion = arm.plan(q, "cubic", times=10.0 * np.arange(5), **free)
    with pytest.raises(ArgumentError, match="rows of torques"):
        feed_forward(arm, motion)


def test_a_motion_is_not_sampled_into_more_than_memory_holds(arm, tmp_path):
    motion = read(_motion(tmp_path, "1e9")).motion
    for asked in ({"step": 1e-3}, {"count": 10**12}):
        with pytest.raises(ArgumentError, match=r"^1e\+12 instants of 2 joints take more than 1 GiB"):
            motion.sampled(**asked)


def test_a_loop_keeps_no_more_periods_than_memory_holds():
    assert periods(1.0, 1e-3, 20) == 1000
    assert periods(1e-9, 1e-3, 20) == 1
    assert periods(1.0000000000001, 1e-3, 20) == 1000
    for end in (1e6, 1e300, np.inf):
        with pytest.raises(ArgumentError, match="Give a shorter t, or a lower rate"):
            periods(end, 1e-3, 20)


def test_straying_says_how_long_is_too_long(arm, tmp_path):
    with pytest.raises(
        ArgumentError, match=r"^1e\+06 s in periods of 0.001 s are 1e\+09 rows of 12 numbers"
    ):
        straying(arm, read(_motion(tmp_path, "1e6")).motion)


@pytest.mark.parametrize(
    "method", [name for name in METHODS if name not in ("near-minimum-time", "jerk-limited")]
)
@pytest.mark.parametrize(
    "wild",
    [
        {"times": [0.0, 1e-300, 2e-300]},
        {"times": [0.0, 1e300, 1.5e300]},
        {"velocity": 1e-300},
        {"velocity": 1e300, "acceleration": 1e300},
        {"acceleration": 1e-300},
        {"q": [[0, 0], [1e300, 1], [0, 0]]},
    ],
    ids=["no time", "for ever", "no speed", "any speed", "no acceleration", "far away"],
)
def test_what_floating_point_does_not_hold_is_refused_by_every_planner(arm, method, wild):
    asked = {"q": [[0, 0], [1, 1], [0, 1]], "velocity": 2, "acceleration": 5} | wild
    with pytest.raises(StrobeError):
        arm.plan(asked.pop("q"), method, **asked)


def test_planning_in_no_time_names_the_point(arm):
    with pytest.raises(
        ArgumentError, match=r"^point 2 has time 1e-300 s, after point 1 at 0 s; expected times 1e-09"
    ):
        arm.plan([[0, 0], [1, 1]], "quintic", times=[0, 1e-300], velocity=2, acceleration=5)


@pytest.fixture(scope="module")
def snake():
    return strobe.random(300, seed=0)


def test_equations_of_sixty_joints_in_a_chain_are_refused_at_once():
    chain = strobe.random(60, seed=0)
    assert carried_pairs(chain.model) == 60 * 61 // 2
    with pytest.raises(UnsupportedModelError, match="M has 1,830 entries that differ"):
        readable(chain)
    assert predicted_terms(chain.equations()) is None


@pytest.mark.slow
def test_terms_of_three_hundred_joints_at_many_states_are_refused_before_they_are_allotted(snake):
    state = [np.zeros((25, 300))] * 3
    with pytest.raises(UnsupportedModelError, match="Explain fewer states at a time"):
        strobe.Robot(snake.model, compiled=False).explain(*state)


def test_a_table_of_all_terms_of_three_hundred_joints_is_refused(tmp_path, snake):
    path = tmp_path / "snake.toml"
    path.write_text(write_toml(snake.model))
    said = _told("explain", str(path))
    assert "300 torques of 13,635,000 terms in all; a table has 1,000,000 at most" in said


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ("terms", "a study waits for 100). Ask robot.explain"),
        ("speed", "a study waits for 80). Run: strobe bench"),
    ],
)
def test_a_study_leaves_out_what_takes_too_long_for_three_hundred_joints(section, sentence, snake):
    found = study(snake, sections=[section]).sections[section]
    assert sentence in found["skipped"]


def test_jacobians_of_many_positions_are_worked_out_in_pieces(monkeypatch):
    arm = strobe.Robot(strobe.load("panda").model, compiled=False)
    q, sizes = arm.random_state(seed=2, batch=(5, 40))[0], []
    whole = workspace.plane_manipulability(arm, q, arm.tip, None)
    monkeypatch.setattr(workspace, "AT_ONCE", 70)
    jacobian = type(arm).jacobian
    monkeypatch.setattr(
        type(arm), "jacobian", lambda *given: sizes.append(given[1].size) or jacobian(*given)
    )
    assert np.array_equal(workspace.plane_manipulability(arm, q, arm.tip, None), whole)
    assert max(sizes) <= 70
    assert workspace.plane_manipulability(arm, q[0, 0], arm.tip, None) == whole[0, 0]
