"""Gains from the dynamics: no mode swings wherever the arm is, and the period allows them."""

import re

import numpy as np
import pytest

import strobe
from strobe.control.controller import Controller
from strobe.control.gains import suggest
from strobe.control.inertias import inertias
from strobe.control.methods import CONTROLLERS, Offer, make
from strobe.control.stability import stability
from strobe.errors import ArgumentError, UnknownNameError

T, W = 1e-3, 20.0


@pytest.fixture(scope="module")
def planar():
    return strobe.load("planar2")


@pytest.mark.parametrize("name", list(CONTROLLERS))
def test_every_controller_is_given_gains_with_which_no_deviation_grows(planar, name):
    found = suggest(name, planar, W, T)
    assert found.stability.stable is True
    assert make(name, planar, T, **found.gains).name == name
    assert found.sentences[-1].startswith(
        "Checked at 9 poses, the one with the lightest mode among them: no deviation grows"
    )


def test_with_the_dynamics_cancelled_gains_are_the_bandwidth_alone(planar):
    found = suggest("computed-torque", planar, W, T)
    assert found.gains == {"kp": W**2, "kd": 2 * W}
    assert found.sentences[0] == "Hold and delay leave the fastest mode 75° of phase margin."


@pytest.mark.slow
@pytest.mark.parametrize("name", ["planar2", "stanford", "panda"])
def test_springs_and_dampers_at_joints_let_no_mode_swing_at_any_pose(name):
    """Each mode s² + 2 ω δ s + ω² δ = 0 has δ ≥ 1: two real poles, the slower one from −ω to −ω/2."""
    robot = strobe.load(name)
    D, w = inertias(robot).bound, 2.0
    assert suggest("pd-gravity", robot, w, T).gains["kp"] == pytest.approx(w**2 * D)
    M = robot.mass_matrix(robot.random_state(5, 2000)[0])
    delta = 1 / np.linalg.eigvals(M / D[:, None]).real
    assert delta.min() > 1 - 1e-6
    slower = w * delta * (1 - np.sqrt(np.maximum(1 - 1 / delta, 0)))
    assert slower.min() > w / 2
    assert slower.max() < w * (1 + 1e-3)


def test_the_largest_inertia_of_each_joint_alone_would_let_joints_swing_together(planar):
    N = inertias(planar).highest
    slowest = 1 / np.linalg.eigvals(planar.mass_matrix([0.0, 0.0]) / N[:, None]).real.max()
    assert slowest == pytest.approx(1 / inertias(planar).coupling)  # δ < 1: a damping of √δ
    assert slowest < 0.7


@pytest.mark.slow
def test_a_bandwidth_that_the_period_does_not_allow_is_refused_with_the_largest_that_it_does():
    robot = strobe.load("stanford").with_gravity((0, 0, 0))
    with pytest.raises(ArgumentError) as refused:
        suggest("joint-pd", robot, 200.0, T)
    assert str(refused.value).startswith(
        "a bandwidth of 200 rad/s for joint-pd is unstable with a period of 0.001 s and a delay of 0 s: "
        "the lightest mode stays stable below "
    )
    assert str(refused.value).endswith("Ask for less, or shorten the period.")
    most = float(re.search(r"below ([\d.]+) rad/s", str(refused.value)).group(1))
    D, where = inertias(robot).bound, inertias(robot).where
    assert most == pytest.approx(1 / (T * inertias(robot).lightest), rel=5e-3)  # ω T δ < 1
    for part, stable in ((0.98, True), (1.02, False)):
        w = part * most
        loop = stability(robot, make("joint-pd", robot, T, kp=w**2 * D, kd=2 * w * D), where)
        assert loop.stable is stable


def test_a_delay_lowers_the_bandwidth_that_is_allowed(planar):
    with pytest.raises(
        ArgumentError, match=r"a delay of 0\.001 s: the lightest mode stays stable below 426 rad/s"
    ):
        suggest("computed-torque", planar, 900.0, T, delay=T)
    near = suggest("computed-torque", planar, 250.0, T, delay=T)
    assert re.fullmatch(
        r"Hold and delay leave the fastest mode \d+° of phase margin; below 17\d rad/s it would have 45°\.",
        near.sentences[0],
    )


def test_a_delay_of_part_of_a_period_is_checked_too(planar):
    assert suggest("computed-torque", planar, W, T, delay=T / 4).stability.stable is True


def test_what_the_arm_says_about_its_gains_is_told(planar):
    found = suggest("joint-pd", planar, W, T)
    kp, text = found.gains["kp"], "\n".join(found.sentences)
    assert 'Joint "joint1" moves 0.216 (others free) to 0.561 kg m² (others held)' in text
    assert "Joints that pull together move up to 1.59 times what each moves alone." in text
    sag = 9.81 * 1.5 * 0.15 / kp[1]
    assert f'Joint "joint2" sags by up to {sag:.2g} rad under gravity.' in text
    assert f'Joint "joint1" is at its effort limit from an error of {30 / kp[0]:.2g} rad on.' in text
    assert str(found).startswith("joint-pd\n  kp = [")


def test_a_controller_that_carries_the_weight_does_not_sag(planar):
    assert not any("sags" in each for each in suggest("pd-gravity", planar, W, T).sentences)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((-1.0, T), "bandwidth is -1.0; expected a number of rad/s above zero."),
        ((float("nan"), T), "bandwidth is nan; expected a number of rad/s above zero."),
        ((W, 0.0), "period is 0.0; expected a number of seconds above zero."),
        ((W, T, -T), "delay is -0.001; expected a number of seconds, zero or more."),
    ],
)
def test_what_is_no_bandwidth_period_or_delay_is_refused(planar, arguments, sentence):
    with pytest.raises(ArgumentError) as refused:
        suggest("joint-pd", planar, *arguments)
    assert str(refused.value) == sentence


def test_a_controller_that_does_not_exist_is_refused_with_those_that_do(planar):
    with pytest.raises(UnknownNameError, match="computed-torque"):
        suggest("computed-torqe", planar, W, T)


class Stiff(Controller):
    """One that nobody has worked out gains for."""

    name, title = "stiff", "a controller of somebody else"

    def __init__(self, robot, period, stiffness=1.0):
        super().__init__(robot, period)

    def step(self, measured, wanted, kept, gains):
        return [0.0 for _ in measured.q], {}


def test_a_controller_without_a_rule_for_its_gains_is_refused_with_those_that_have_one(planar, monkeypatch):
    monkeypatch.setitem(CONTROLLERS, Stiff.name, Offer(Stiff, ""))
    with pytest.raises(ArgumentError) as refused:
        suggest("stiff", planar, W, T)
    known = ", ".join(name for name in CONTROLLERS if name != "stiff")
    assert str(refused.value) == (
        f"no gains are known that give stiff a bandwidth; they are for {known}. Give it gains by name (stiffness)."
    )
