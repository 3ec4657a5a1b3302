"""Residuals: white ones are taken as such, others are told and make error bars that hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.signal import lfilter

import strobe
from strobe.identify import identify
from strobe.robot import Robot

ARM = strobe.load("planar3")


def _found(lab: Any, seed: int, colour: float, seconds: float = 60.0):
    t, q, qd, qdd = lab.motion(ARM, 3, seconds=seconds)
    white = np.random.default_rng(seed).normal(size=q.shape)
    noise = lfilter([np.sqrt(1 - colour**2)], [1, -colour], white, axis=0) if colour else white
    tau = ARM.inverse_dynamics(q, qd, qdd) + 0.5 * qd + 0.2 * noise
    return identify(ARM, lab.log_of(ARM, t, q, tau), friction=["viscous"], delay=0)


def _off(robot: Robot, found: Any) -> np.ndarray:
    true = np.concatenate([robot.base_parameters().values, np.full(robot.nv, 0.5)])
    return (found.fit.values - true) / found.fit.deviations


@pytest.mark.slow
@pytest.mark.parametrize("colour", [0.0, 0.997])
def test_error_bars_hold_whatever_the_colour_of_the_noise(lab: Any, colour: float):
    found = [_found(lab, seed, colour) for seed in range(40)]
    z = np.abs([_off(ARM, each) for each in found])
    assert 0.60 < (z < 1).mean() < 0.78
    assert 0.90 < (z < 2).mean() < 0.995
    white = np.mean([each.residuals.white for each in found])
    assert white > 0.95 if colour == 0 else white < 0.1


def test_a_disturbance_that_comes_and_goes_slowly_is_told_from_noise(lab: Any):
    white, coloured = (_found(lab, 1, colour, 30.0) for colour in (0.0, 0.997))
    assert white.residuals.white.all()
    assert not coloured.residuals.white.any()
    assert np.all(coloured.residuals.likeness[:, 0] > 0.3)
