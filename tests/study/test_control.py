"""The section on closed loops: controllers side by side, with a load and without."""

from __future__ import annotations

import numpy as np
import pytest

import strobe
from strobe.errors import UnsupportedModelError
from strobe.show.axes import NARROW, WIDTH, Decades
from strobe.show.plots import Panel, small_multiples
from strobe.study import control, page_parts as page, trajectory
from strobe.study.case import Case
from strobe.study.control_loops import alone


@pytest.fixture(scope="module")
def case():
    return Case.of(strobe.load("planar2"), quick=True)


@pytest.fixture(scope="module")
def data(case):
    return control.measure(case)


@pytest.fixture(scope="module")
def loops(data):
    return {(loop["controller"], loop["model"]): loop for loop in data["loops"]}


def run_of(case, load):
    """Computed torque on the motion of the section, by the call that a user makes."""
    robot, motion = strobe.load("planar2"), trajectory.motion_of(case)
    return strobe.control(robot, motion, payload=[load, 0, 0, 0], check=False)


@pytest.mark.slow
def test_the_figures_are_those_of_the_call(case, data, loops):
    exact = loops["computed-torque", None]
    for hand, load in (("empty", 0.0), ("loaded", data["load"]["mass"])):
        run = run_of(case, load)
        assert exact[hand]["hand"]["largest"] == pytest.approx(run.hand_error().max(), rel=1e-9)
        assert exact[hand]["status"] == "done"
        work = np.abs((run.tau * run.qd).sum(axis=-1)).sum() / data["rate"]
        assert exact[hand]["work"] == pytest.approx(work, rel=1e-9)
    assert data["duration"] == trajectory.measure(case)["duration"]


def test_a_model_helps_and_a_load_that_it_does_not_know_of_harms(loops):
    off = {key: loop["empty"]["hand"]["largest"] for key, loop in loops.items()}
    exact = loops["computed-torque", None]
    assert off["computed-torque", None] < 0.1 * off["computed-torque", "without-velocity-terms"]
    assert off["computed-torque", "without-velocity-terms"] < off["joint-pd", None]
    assert exact["loaded"]["hand"]["largest"] > 5 * exact["empty"]["hand"]["largest"]


def test_the_load_is_to_an_arm_what_300_grams_are_to_the_stanford_arm():
    assert control.load(strobe.load("stanford")) == 0.3
    stanford, planar = strobe.load("stanford"), strobe.load("planar2")
    total = [sum(body.inertial.m for body in robot.model.bodies) for robot in (stanford, planar)]
    assert control.load(planar) == pytest.approx(0.3 * total[1] / total[0], rel=0.05)


def test_effort_is_the_largest_share_of_a_limit(case, data, loops):
    run = run_of(case, data["load"]["mass"])
    share = (np.abs(run.tau).max(axis=0) / run.plant.limits.effort).max()
    assert loops["computed-torque", None]["effort"] == pytest.approx(share, rel=0.02)
    assert "% of effort" in str(page.printed([control.loops_table(data)]))
    unlimited = {**data, "loops": [{**loop, "effort": None} for loop in data["loops"]]}
    assert "% of effort" not in str(page.printed([control.loops_table(unlimited)]))


@pytest.mark.slow
def test_a_quick_study_looks_at_few_loops_and_a_whole_one_at_every_controller(data):
    from strobe.control import CONTROLLERS

    assert [(loop["controller"], loop["model"]) for loop in data["loops"]] == list(control.QUICK)
    whole = control.measure(Case.of(strobe.load("random(1)")))
    named = [loop["controller"] for loop in whole["loops"] if loop["model"] is None]
    assert set(named) | set(whole["refused"]) == set(CONTROLLERS)
    models = [loop["model"] for loop in whole["loops"] if loop["model"] is not None]
    assert models == list(control.APPROXIMATIONS)


def test_the_page_draws_both_hands_at_both_widths_and_prints_the_table(case, data):
    shown = str(control.html(data, case))
    assert shown.count("<svg") == 2
    assert shown.count(">the hand empty<") == shown.count(">with the load<") == 2
    assert "Under computed torque the hand is off by" in shown
    assert "… without-velocity-terms" in shown
    for width in (WIDTH, NARROW):
        assert f'width="{width}"' in control.hands_figure(data, "planar2", width)


def test_a_loop_that_is_lost_is_told(data):
    lost = {
        **data["loops"][0],
        "loaded": {**data["loops"][0]["loaded"], "status": "diverged", "reached": 0.25},
    }
    told = [
        str(part)
        for part in control.render({**data, "loops": [lost], "refused": {"slotine-li": "why not."}})
    ]
    assert "joint-pd, with the load: lost after 0.25 s; errors are those until then." in told
    assert "without slotine-li: why not." in told


def test_what_does_not_apply_says_why():
    with pytest.raises(UnsupportedModelError, match="has no dynamics"):
        control.measure(Case.of(strobe.load("rx90")))
    with pytest.raises(UnsupportedModelError, match=r"a study waits for 12"):
        control.measure(Case.of(strobe.random(13, seed=1, kinds="R")))
    with pytest.raises(UnsupportedModelError, match=r"a study waits for 7\)"):
        control.measure(Case.of(strobe.load("biped10"), quick=True))
    with pytest.raises(UnsupportedModelError, match="quaternions"):
        control.measure(Case.of(strobe.load("planar2").with_base("floating")))


def test_one_loop_of_a_batch_is_that_loop(case):
    robot, motion = strobe.load("planar2"), trajectory.motion_of(case)
    both = strobe.control(robot, motion, payload=[[0] * 4, [0.1, 0, 0, 0]], check=False)
    one = run_of(case, 0.1)
    np.testing.assert_allclose(alone(both, 1).q, one.q, atol=1e-12)
    assert alone(both, 1).status == one.status
    assert alone(both, 0).hand_error().shape == one.hand_error().shape


# -- logarithmic panels --------------------------------------------------------------------------------


def test_a_logarithmic_scale_gives_every_power_of_ten_as_much_room():
    scale = Decades.over([0.002, 30.0], 0.0, 100.0)
    assert (scale.low, scale.high) == (-3, 2)
    np.testing.assert_allclose(scale(np.array([1e-3, 1e-2, 1.0, 100.0])), [0, 20, 60, 100])
    np.testing.assert_array_equal(scale(np.array([0.0, 1e9])), [0, 100])  # beyond stands at the ends
    assert np.isnan(scale(np.array([np.nan])))
    assert [scale.label(tick) for tick in scale.ticks] == ["0.001", "0.01", "0.1", "1", "10", "100"]
    assert scale.label(1e-7) == "1e−7"


def test_curves_of_nothing_are_drawn_on_a_logarithmic_scale_too():
    panel = Panel("still", "mm", "time (s)", np.arange(3.0), np.zeros((1, 3)), decades=4)
    assert "NaN" not in small_multiples("still", "Nothing moves.", [[panel]], curves=["a"])
