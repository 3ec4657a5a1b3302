"""Strobe: a robot goes in (DH table, URDF, MJCF), its dynamics come out.

import strobe

robot = strobe.load("panda")
q, qd, qdd = robot.random_state(seed=0)
tau = robot.inverse_dynamics(q, qd, qdd)
"""

from strobe.errors import ModelFileError, ModelWarning, StrobeError
from strobe.robot import Robot, load, random

__version__ = "0.1.0"

__all__ = ["ModelFileError", "ModelWarning", "Robot", "StrobeError", "load", "random"]
