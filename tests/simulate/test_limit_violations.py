"""What left the limits of its joints: told with the joint, the time and by how much, and what would have held it."""

import numpy as np
import pytest

import strobe
from strobe import simulate
from strobe.errors import SimulationWarning
from strobe.models.toml_reader import read_toml

LIFT = """format = 1
name = "lift"
[dh]
convention = "standard"
[[dh.link]]
joint = "prismatic"
mass = 2.0
com = [0, 0, 0]
limits = {{ position = [-0.2, 0.1], velocity = 3.0, effort = {effort} }}
"""


@pytest.fixture
def lift():
    """A mass that slides along the vertical: z = g t² / 2, and nothing else."""
    return strobe.Robot(read_toml("lift.toml", text=LIFT.format(effort=100.0)))


def test_a_joint_that_falls_through_its_limit_is_told_by_the_closed_form(lift):
    with pytest.warns(SimulationWarning) as caught:
        run = simulate(lift, [0.0], [0.0], None, 1.0, step=5e-3)
    place, speed = run.exceeded
    assert (place.kind, place.joint, place.limit) == ("position", "joint1", -0.2)
    assert place.first == pytest.approx(np.sqrt(2 * 0.2 / 9.81), abs=6e-3)
    assert place.by == pytest.approx(9.81 / 2 - 0.2)
    assert place.when == 1.0
    assert (speed.kind, speed.limit) == ("velocity", -3.0)
    assert speed.first == pytest.approx(3.0 / 9.81, abs=6e-3)
    said = [str(each.message) for each in caught]
    assert said == list(run.notes[-2:])
    assert said[0] == (
        'joint "joint1" goes to -4.905 m, 4.705 m below its limit -0.2 m (first at t = 0.205 s, farthest at '
        "t = 1 s); limits act only with stops=."
    )
    assert said[1].endswith("velocity limits act only with limits=.")


def test_a_joint_that_comes_back_was_outside_all_the_same(lift):
    """Thrown up at v it comes down after 2 v / g, and was v² / 2 g high in between."""
    with pytest.warns(
        SimulationWarning, match="joint1.* 0.1039 m above its limit 0.1 m .*farthest at t = 0.2039"
    ):
        run = simulate(lift, [0.0], [2.0], None, 4.0 / 9.81, step=5e-3)
    assert run.q[-1, 0] == pytest.approx(0.0, abs=1e-9)
    assert run.exceeded[0].most == pytest.approx(4.0 / (2 * 9.81), rel=1e-3)


def test_stops_hold_and_nothing_is_said(lift, recwarn):
    run = simulate(lift, [0.0], [0.0], None, 0.5, stops=True)
    assert not [each for each in recwarn if issubclass(each.category, SimulationWarning)]
    assert all(each.by < 0.02 for each in run.exceeded)


def test_torques_beyond_the_effort_are_told_unless_motors_give_no_more(lift):
    weight, short = 2.0 * 9.81, strobe.Robot(read_toml("lift.toml", text=LIFT.format(effort=10.0)))
    with pytest.warns(
        SimulationWarning, match="is driven by up to 19.62 N, beyond its limit 10 N .* with limits="
    ):
        simulate(short, [0.0], [0.0], [weight], 0.1, step=1e-2)
    run = simulate(short, [0.0], [0.0], [weight], 0.1, step=5e-3, limits=True)
    assert not [each for each in run.exceeded if each.kind == "effort"]
    with pytest.warns(SimulationWarning, match="joint1.* no motor drives it there"):
        simulate(short, [0.0], [0.0], None, 0.4, step=5e-3, limits=True)


def test_runs_of_a_batch_are_counted(lift):
    with pytest.warns(SimulationWarning, match="in 1 of 3 runs; limits act"):
        run = simulate(lift, [[0.0], [0.05], [0.0]], [[0.0], [1.5], [0.0]], [[19.62]] * 3, 0.1, step=1e-2)
    assert [each.runs for each in run.exceeded] == [1]


def test_within_the_limits_nothing_is_said(lift, recwarn):
    run = simulate(lift, [0.0], [0.0], [19.62], 0.5, step=1e-2)
    assert run.exceeded == ()
    assert not [each for each in recwarn if issubclass(each.category, SimulationWarning)]


@pytest.mark.parametrize("method", ["rk4", "semi-implicit-euler", "dop853"])
def test_a_joint_that_is_outside_between_two_rows_is_told_too(lift, method, tmp_path):
    """Thrown up at v it comes down after 2 v / g; only the ends are kept, and both are within."""
    adaptive = method == "dop853"
    asked = {"rtol": 1e-10} if adaptive else {"step": 1e-3}
    t = [0.0, 4.0 / 9.81]
    with pytest.warns(
        SimulationWarning, match="0.1 m .between two rows that are kept.; limits act only with"
    ):
        run = simulate(lift, [0.0], [2.0], None, t, method, **asked)
    (found,) = run.exceeded
    assert (found.kind, found.joint, found.limit, found.runs) == ("position", "joint1", 0.1, 1)
    assert (found.first, found.when) == (None, None)
    assert found.most == pytest.approx(4.0 / (2 * 9.81), rel=0.3 if adaptive else 1e-2)
    run.to_npz(tmp_path / "run.npz")
    assert type(run).from_npz(tmp_path / "run.npz", lift).exceeded == run.exceeded


def test_speeds_and_torques_between_rows_are_told_with_how_many_runs_of_a_batch(lift):
    kick = simulate.TimeSeries([0.0, 0.1, 0.2, 0.3, 0.4], np.array([0, 150, -110, 19.62, 19.62])[:, None])
    run = simulate(lift, [[0.0], [-0.1]], [0.0], kick, 0.4, step=1e-3, every=400)
    kinds = {each.kind: each for each in run.exceeded}
    assert kinds["effort"].most == pytest.approx(150.0)
    assert kinds["velocity"].most > 3.0
    assert {each.runs for each in run.exceeded if each.first is None} == {2}
    whole = simulate(lift, [[0.0], [-0.1]], [0.0], kick, 0.4, step=1e-3)
    for some, each in zip(run.exceeded, whole.exceeded, strict=True):
        assert (some.kind, abs(some.limit), some.runs) == (each.kind, abs(each.limit), each.runs)
        assert abs(some.most) == pytest.approx(abs(each.most), rel=1e-12)
    assert np.array_equal(run.q[..., -1, :], whole.q[..., -1, :])  # to look changes no bit


def test_a_run_that_goes_on_looks_between_its_own_rows(lift):
    half = simulate(lift, [0.0], [2.0], None, [0.0, 0.3], step=1e-3)
    rest = simulate(lift, [0.0], [2.0], None, [0.0, 4.0 / 9.81], resume=half.checkpoint)
    assert half.checkpoint.state.shape == rest.checkpoint.state.shape
    assert rest.exceeded[0].most == pytest.approx(2.0 * 0.3 - 9.81 * 0.3**2 / 2, rel=1e-3)


def test_torques_by_a_function_of_python_are_looked_at_between_rows(lift):
    run = simulate(
        lift,
        [0.0],
        [0.0],
        lambda t, q, qd: [150.0 if 0.095 < t < 0.115 else 19.62],
        0.3,
        step=1e-2,
        every=30,
    )
    assert [each.most for each in run.exceeded if each.kind == "effort"] == [150.0]
