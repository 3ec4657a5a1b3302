"""Adaptive control: whatever the hand carries, the error dies."""

import numpy as np
import pytest

import strobe
from strobe.approximate import Exact
from strobe.control import ComputedTorque, Measured, SlotineLi, Wanted, control
from strobe.errors import ArgumentError, ShapeError

LOAD = {"mass": 0.8, "com": (0.02, -0.01, 0.06), "inertia": (0.003, 0.004, 0.002, 0, 0, 0)}
PARAMETERS = np.array([0.8, 0.016, -0.008, 0.048, 0.00596, 0.0072, 0.0024, 0.00016, -0.00096, 0.00048])
POSE = np.array([0.3, 0.9, 0.6, -0.4, 0.7, 1.1])
FORTH = np.array([0.5, -0.4, 0.3, 0.8, -0.9, 0.7])


@pytest.fixture(scope="module")
def stanford():
    return strobe.load("stanford")


@pytest.fixture(scope="module")
def swing(stanford):
    """There and back, three times."""
    points = [POSE + FORTH * (k % 2) for k in range(7)]
    return stanford.plan(points, "quintic", velocity=1.5, acceleration=4.0)


@pytest.mark.slow
@pytest.mark.parametrize("model", [None, Exact])
def test_the_lyapunov_function_falls_by_what_the_damping_takes(stanford, model):
    T, loaded, random = 1e-3, stanford.with_payload(**LOAD), np.random.default_rng(0)
    controller = SlotineLi(stanford, T, model=model and model(stanford))
    rate, K, gamma = (controller.gains[name] for name in ("rate", "damping", "adaptation"))
    gains = {name: x.tolist() for name, x in controller.gains.items()}
    for seed in range(5):
        q, qd, _ = stanford.random_state(seed)
        qr, qdr, qddr = (x + 0.1 * random.normal(size=6) for x in (q, *stanford.random_state(seed + 9)[1:]))
        guess = 0.1 * random.normal(size=10)
        tau, kept = controller.step(
            Measured(q.tolist(), qd.tolist(), [0.0] * 6), Wanted(qr.tolist(), qdr.tolist(), qddr.tolist()),
            {"parameters": guess.tolist()}, gains,
        )  # fmt: skip
        qdd = loaded.forward_dynamics(q, qd, np.array(tau))
        s, sd = qdr - qd + rate * (qr - q), qddr - qdd + rate * (qdr - qd)
        learned = (np.array(kept["parameters"]) - guess) / T
        C = loaded.coriolis_matrix(q, qd)
        kinetic = s @ loaded.mass_matrix(q) @ sd + 0.5 * s @ (C + C.T) @ s
        fall = kinetic + (guess - PARAMETERS) @ (learned / gamma)
        assert fall == pytest.approx(-s @ (K * s), rel=1e-9)


@pytest.mark.slow
def test_the_error_dies_with_a_load_that_nobody_told(stanford, swing):
    loaded = stanford.with_payload(**LOAD)
    learning, fixed = (
        control(stanford, swing, kind(stanford, 1e-3), plant=loaded, check=False)
        for kind in (SlotineLi, ComputedTorque)
    )
    last = learning.times > learning.times[-1] * 5 / 6
    assert learning.hand_error()[last].max() < 0.02 * fixed.hand_error()[last].max()
    assert learning.hand_error()[last].max() < 0.2 * learning.hand_error()[~last].max()


@pytest.mark.slow
def test_what_it_learns_holds_the_load(stanford, swing):
    """Parameters need not be those of the load; the torques that they make up for are."""
    loaded = stanford.with_payload(**LOAD)
    run = control(stanford, swing, SlotineLi(stanford, 1e-3), plant=loaded, check=False)
    assert run.memory["parameters"][0] == pytest.approx(np.zeros(10))
    found = run.memory["parameters"][-1]
    q, rest = run.q[-1], np.zeros(6)
    Y = strobe.identify.payload_regressor(stanford, q, rest, rest)
    assert Y @ found == pytest.approx(Y @ PARAMETERS, abs=0.1 * np.abs(Y @ PARAMETERS).max())


@pytest.mark.slow
def test_all_links_may_be_learned_at_once():
    robot = strobe.load("planar2")
    heavier = robot.with_payload(0.4, frame="link1").with_payload(0.3)
    motion = robot.plan(
        [(0.2, 0.5), (1.0, -0.6), (0.2, 0.5), (1.0, -0.6)], "quintic", velocity=2.0, acceleration=8.0
    )
    errors = {}
    for frames in (("link1", "link2"), ("link2",)):
        controller = SlotineLi(robot, 1e-3, frame=frames)
        run = control(robot, motion, controller, plant=heavier, check=False)
        assert run.memory["parameters"].shape[-1] == 10 * len(frames)
        last = run.times > run.times[-1] * 2 / 3
        errors[frames] = np.abs(run.error[last]).max()
    assert errors["link1", "link2"] < 3e-3


@pytest.mark.slow
def test_without_adaptation_it_keeps_to_what_it_believes(stanford, swing):
    run = control(stanford, swing, SlotineLi(stanford, 1e-3, adaptation=0.0), t=0.2, check=False)
    assert (run.memory["parameters"] == 0).all()
    assert np.abs(run.error).max() < 1e-4


def test_what_makes_no_sense_is_refused(stanford):
    with pytest.raises(ArgumentError, match='no joint of stanford moves frame "base"'):
        SlotineLi(stanford, 1e-3, frame="base")
    with pytest.raises(
        ArgumentError, match=r"frame is \('tool', 'tool'\); expected one frame or several, each once"
    ):
        SlotineLi(stanford, 1e-3, frame=("tool", "tool"))
    with pytest.raises(
        ShapeError, match=r"adaptation has shape \(3,\); 10 parameters at 1 frame are learned"
    ):
        SlotineLi(stanford, 1e-3, adaptation=[1.0, 2.0, 3.0])
