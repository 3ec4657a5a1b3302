"""A motion controller, end to end: `strobe.control(robot, motion, controller)`.

The package is its main function: it can be called, and holds what its arguments are made of.
"""

from __future__ import annotations

import sys
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import Any

from strobe.control.acceleration_servo import AccelerationServo
from strobe.control.computed_torque import ComputedTorque
from strobe.control.controller import Controller, Measured, Wanted
from strobe.control.fixed_controller import FixedController
from strobe.control.gains import Suggestion, suggest
from strobe.control.impedance import Impedance
from strobe.control.joint_pd import JointPD
from strobe.control.joint_pid import JointPID
from strobe.control.methods import CONTROLLERS, make
from strobe.control.momentum_observer import MomentumObserver
from strobe.control.operational_space import OperationalSpace
from strobe.control.resolution import bits_needed
from strobe.control.sensor import Sensor
from strobe.control.sensors import Fault, Sensors
from strobe.control.slotine_li import SlotineLi
from strobe.control.stability import Stability, stability
from strobe.control.status import Status
from strobe.control.straying import straying
from strobe.control.supported_pd import FeedForwardPD, PDGravity
from strobe.control.timeline import Stop
from strobe.control.tracked import Tracked
from strobe.control.tracking import control

__all__ = [
    "CONTROLLERS",
    "AccelerationServo",
    "ComputedTorque",
    "Controller",
    "Fault",
    "FeedForwardPD",
    "FixedController",
    "Impedance",
    "JointPD",
    "JointPID",
    "Measured",
    "MomentumObserver",
    "OperationalSpace",
    "PDGravity",
    "Sensor",
    "Sensors",
    "SlotineLi",
    "Stability",
    "Status",
    "Stop",
    "Suggestion",
    "Tracked",
    "Wanted",
    "bits_needed",
    "control",
    "make",
    "stability",
    "straying",
    "suggest",
]


class _Callable(ModuleType):
    """A module that is called as its function of the same name."""

    def __call__(self, *args: Any, **keywords: Any) -> Tracked:
        return control(*args, **keywords)

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)


__signature__ = signature(control)  # what tools show of the call
sys.modules[__name__].__class__ = _Callable
