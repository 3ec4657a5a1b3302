"""A motion controller, end to end: `strobe.control(robot, motion, controller)`.

The package is its main function: it can be called, and holds what its arguments are made of.
"""

from __future__ import annotations

import sys
from inspect import signature
from types import ModuleType
from typing import Any

from strobe.control.computed_torque import ComputedTorque
from strobe.control.controller import Controller, Measured, Wanted
from strobe.control.sensors import Sensors
from strobe.control.tracked import Tracked
from strobe.control.tracking import control

__all__ = ["ComputedTorque", "Controller", "Measured", "Sensors", "Tracked", "Wanted", "control"]


class _Callable(ModuleType):
    """A module that is called as its function of the same name."""

    def __call__(self, *args: Any, **keywords: Any) -> Tracked:
        return control(*args, **keywords)


__signature__ = signature(control)  # what tools show of the call
sys.modules[__name__].__class__ = _Callable
