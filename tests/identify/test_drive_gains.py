"""Drive gains from currents without and with a load."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.identify import identify
from strobe.robot import Robot

GAINS = np.array([14.0, 11.5, 9.0, 4.0, 3.5, 3.0])
LOAD, COM = 2.5, (0.02, -0.05, 0.08)
NOISE = 0.02  # A


@pytest.fixture(scope="module")
def arm() -> Robot:
    return strobe.load("ur5")


def _currents(lab: Any, robot: Robot, seed: int):
    t, q, qd, qdd = lab.motion(robot, seed)
    tau = robot.inverse_dynamics(q, qd, qdd)
    current = tau / GAINS + np.random.default_rng(seed).normal(size=tau.shape) * NOISE
    return lab.log_of(robot, t, q, None, current=current)


def test_gains_are_found_from_a_load_of_known_mass(lab, arm: Robot):
    carrying = arm.with_payload(LOAD, COM)
    free, loaded = _currents(lab, arm, 1), _currents(lab, carrying, 2)
    found = identify(arm, free, loaded=loaded, load=LOAD, friction=["viscous", "coulomb"])
    assert found.gains is not None
    assert np.all(np.abs(found.gains.values - GAINS) < 4 * found.gains.deviations)
    assert np.all(found.gains.deviations < 0.02 * GAINS)
    assert found.gains.load[:4] == pytest.approx([LOAD, *(LOAD * np.array(COM))], abs=0.02)
    scale = found.base.values.std()
    assert np.all(np.abs(found.values - found.base.values) < 5 * found.deviations + 0.02 * scale)


def test_a_load_and_its_logs_belong_together(lab, arm: Robot):
    free = _currents(lab, arm, 1)
    with pytest.raises(ArgumentError, match="^loaded and load belong together"):
        identify(arm, free, load=2.0)
    with pytest.raises(ArgumentError, match=r"^load is -1.0; a mass is positive\.$"):
        identify(arm, free, loaded=free, load=-1.0)


def test_currents_alone_are_no_torques(lab, arm: Robot):
    with pytest.raises(ArgumentError, match="currents, of which gains= makes torques"):
        identify(arm, _currents(lab, arm, 1))
