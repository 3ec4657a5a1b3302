"""Rollouts move as `simulate` does; on a card they are tested in `compiler/runtime/test_cuda`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.control import ComputedTorque, JointPID, law_of
from strobe.errors import ArgumentError, ShapeError
from strobe.simulate import Rollout


@pytest.fixture(scope="module")
def robot() -> strobe.Robot:
    return strobe.load("ur5")


def spring(q: Any, qd: Any, t: Any, target: Any) -> list[Any]:
    return [2.0 * (x - y) - 0.02 * v + 0.5 * t[0] for x, y, v in zip(target, q, qd, strict=True)]


@pytest.mark.parametrize("method", ["rk4", "semi-implicit-euler"])
def test_a_rollout_is_a_simulation_without_books(robot: strobe.Robot, method: str) -> None:
    q, qd, target = (x / 4 for x in robot.random_state(seed=1, batch=3))
    law = strobe.trace(spring, q=6, qd=6, t=1, target=6)
    rows = Rollout(robot, law, step=1e-3, method=method)(q, qd, 40, every=10, target=target[0])

    def torque(t: float, q: Any, qd: Any) -> Any:
        return 2.0 * (target[0] - q) - 0.02 * qd + 0.5 * t

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = strobe.simulate(robot, q, qd, torque, np.linspace(0.0, 0.04, 5), method=method, step=1e-3)
    np.testing.assert_allclose(rows[..., :6], run.q[:, 1:], rtol=0, atol=1e-9)
    np.testing.assert_allclose(rows[..., 6:], run.qd[:, 1:], rtol=0, atol=1e-9)


def test_a_floating_base_keeps_its_orientation_whole() -> None:
    free = strobe.load("biped10").with_base("floating")
    q, qd, _ = free.random_state(seed=2, batch=4)
    for method in ("rk4", "semi-implicit-euler"):
        last = Rollout(free, step=1e-3, method=method)(q, qd, 50, torques=np.zeros((50, free.nv)))
        np.testing.assert_allclose(np.linalg.norm(last[:, 3:7], axis=1), 1.0, atol=1e-12)
        before, after = (
            free.energy(x[:, : free.nq], x[:, free.nq :]).sum(-1) for x in (np.hstack([q, qd]), last)
        )
        np.testing.assert_allclose(after, before, rtol=1e-6 if method == "rk4" else 1e-1, atol=1e-6)


def test_rows_of_arrays_and_signals_are_taken_apart(robot: strobe.Robot) -> None:
    law = strobe.trace(lambda q, u: [u[0] - x for x in q], q=6, u=1)
    q = np.zeros((2, 3, 6))
    u = np.random.default_rng(1).normal(size=(8, 1))
    rows = Rollout(robot, law, step=1e-3, signals=["u"])(q, q, 8, every=4, u=u)
    assert rows.shape == (2, 3, 2, 12)
    table = Rollout(robot, step=1e-3, method="semi-implicit-euler")(q, q, 8, torques=np.zeros((8, 6)))
    assert table.shape == (2, 3, 12)
    assert Rollout(robot, law, step=1e-3)(q[0, 0], q[0, 0], 4, u=[1.0]).shape == (12,)


def test_a_controller_is_a_law_of_a_state(robot: strobe.Robot) -> None:
    controller = ComputedTorque(robot, 1e-3, kp=100.0, kd=20.0)
    law = law_of(controller)
    q, qd, wanted = robot.random_state(seed=3)
    gains = np.concatenate([np.ravel(np.broadcast_to(x, 6)) for x in controller.gains.values()])
    reference = np.concatenate([wanted, 0 * wanted, 0 * wanted])
    run = Rollout(robot, law, step=1e-3).compile()
    last = run(q, 0 * q, 500, reference=reference, gains=gains)
    assert np.abs(last[:6] - wanted).max() < 0.1 * np.abs(q - wanted).max()
    with pytest.raises(ArgumentError, match="remembers or measures more than a state"):
        law_of(JointPID(robot, 1e-3, kp=1.0, kd=1.0, ki=1.0))


def test_what_a_rollout_cannot_do_is_a_sentence(robot: strobe.Robot) -> None:
    law = strobe.trace(spring, q=6, qd=6, t=1, target=6)
    run, q = Rollout(robot, law, step=1e-3), np.zeros(6)
    with pytest.raises(ArgumentError, match="the rollout takes q, qd, target; got q, qd"):
        run(q, q, 10)
    with pytest.raises(ArgumentError, match="steps is 0; expected a whole number"):
        run(q, q, 0, target=q)
    with pytest.raises(ArgumentError, match="every is 11; expected a whole number from 1 to the 10 steps"):
        run(q, q, 10, every=11, target=q)
    with pytest.raises(ShapeError, match=r"target has shape \(5,\); ur5 has 6 joints, expected \(..., 6\)"):
        run(q, q, 10, target=q[:5])
    with pytest.raises(ShapeError, match=r"torques has shape \(9, 6\); .*expected \(..., 10, 6\)"):
        Rollout(robot, step=1e-3)(q, q, 10, torques=np.zeros((9, 6)))
    with pytest.raises(ArgumentError, match="signals name nothing_known; the law takes target"):
        Rollout(robot, law, step=1e-3, signals=["nothing_known"])
    with pytest.raises(ArgumentError, match="closed chains: strobe.simulate keeps them closed"):
        Rollout(strobe.load("fourbar"), step=1e-3)
