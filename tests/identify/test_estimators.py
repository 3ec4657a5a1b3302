"""Estimators: the same answer where nothing is wrong, and each right where another is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import strobe
from strobe.errors import StrobeError
from strobe.identify import identify
from strobe.identify.estimators import ESTIMATORS, HUBER, TUKEY, _clipped, _huber, _tukey
from strobe.identify.identification import driven
from strobe.robot import Robot

PLAIN = ["viscous", "coulomb", "offset"]
VISCOUS, COULOMB = 0.4, 1.0


@pytest.fixture(scope="module")
def arm() -> Robot:
    return strobe.load("planar3")


def _true(found: Any) -> np.ndarray:
    return np.concatenate([found.base.values, np.tile([VISCOUS, COULOMB, 0.0], found.robot.nv)])


def _rubbing(robot: Robot) -> Robot:
    return robot.with_model(driven(robot.model, [(0.0, VISCOUS, COULOMB)] * robot.nv))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_estimator_finds_what_was_put_in(lab: Any, arm: Robot, estimator: str):
    found = identify(
        arm, lab.recorded(_rubbing(arm), 3, noise=0.05, step=2e-5), friction=PLAIN, estimator=estimator
    )
    z = (found.fit.values - _true(found)) / found.fit.deviations
    assert np.abs(z).max() < 4.5
    assert found.estimator == estimator


def test_weights_that_are_all_alike_are_ordinary_least_squares(lab: Any, arm: Robot):
    log = lab.recorded(_rubbing(arm), 3, noise=0.05)
    one, other = (
        identify(arm, log, friction=PLAIN, estimator=name, delay=0) for name in ("ordinary", "weighted")
    )
    assert np.allclose(one.values, other.values, atol=5 * other.deviations.max())
    assert np.all(one.deviations > 0.9 * other.deviations)


def test_a_robot_that_is_touched_now_and_then_is_told_by_robust_weights(lab: Any, arm: Robot):
    t, q, qd, qdd = lab.motion(arm, 3)
    tau = _rubbing(arm).inverse_dynamics(q, qd, qdd) + np.random.default_rng(0).normal(size=q.shape) * 0.05
    for begin in (3.0, 11.0, 19.0, 26.0):
        tau[(t > begin) & (t < begin + 0.7)] += [6.0, 4.0, -3.0]
    log = lab.log_of(arm, t, q, tau)
    plain, robust = (
        identify(arm, log, friction=PLAIN, estimator=name, delay=0) for name in ("weighted", "robust")
    )
    wrong = [np.linalg.norm(found.fit.values - _true(found)) for found in (plain, robust)]
    assert wrong[1] < 0.2 * wrong[0]
    assert np.all(robust.fit.noise < 0.5 * plain.fit.noise)


@pytest.mark.parametrize("estimator", ["instrumental", "total"])
def test_noise_of_positions_draws_least_squares_and_not_what_reads_them_twice(
    lab: Any, arm: Robot, estimator: str
):
    t, q, qd, qdd = lab.motion(arm, 3, size=0.15)
    clean = arm.inverse_dynamics(q, qd, qdd) + VISCOUS * qd
    z = {name: list[np.ndarray]() for name in ("weighted", estimator)}
    for seed in range(8):
        rng = np.random.default_rng(seed)
        log = lab.log_of(
            arm, t, q + rng.normal(size=q.shape) * 1e-3, clean + rng.normal(size=q.shape) * 1e-3
        )
        for name, found in z.items():
            fit = identify(arm, log, friction=["viscous"], estimator=name, cutoff=12.0, delay=0).fit
            true = np.concatenate([arm.base_parameters().values, np.full(arm.nv, VISCOUS)])
            found.append(fit.values - true)
    drawn = {name: np.abs(np.mean(found, axis=0)) for name, found in z.items()}
    assert np.linalg.norm(drawn[estimator]) < 0.4 * np.linalg.norm(drawn["weighted"])


def test_weights_are_what_their_books_say():
    u = np.linspace(-8, 8, 4001)
    for psi, k in ((_huber, HUBER), (_tukey, TUKEY)):
        weight, slope = psi(u)
        assert np.allclose(
            np.gradient(weight * u, u)[np.abs(np.abs(u) - k) > 0.01],
            slope[np.abs(np.abs(u) - k) > 0.01],
            atol=5e-3,
        )
    z = np.random.default_rng(0).normal(size=400_000)
    assert np.minimum(z**2, HUBER**2).mean() == pytest.approx(_clipped(HUBER), abs=3e-3)


def test_an_estimator_that_is_none_is_refused(lab: Any, arm: Robot):
    with pytest.raises(StrobeError, match='no estimator "best" in strobe'):
        identify(arm, lab.recorded(arm, 3), estimator="best")
