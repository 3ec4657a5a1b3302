"""Given torques, how does the robot move: `strobe.simulate(robot, q0, qd0, torque, t)`.

The package is its main function: it can be called, and holds what its arguments are made of.
"""

from __future__ import annotations

import sys
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import Any

from strobe.simulate.audit import Audit
from strobe.simulate.events import Attach, Drop, Lock, Release
from strobe.simulate.run import Run, Status
from strobe.simulate.simulation import simulate
from strobe.simulate.torques import Stops, Table

__all__ = ["Attach", "Audit", "Drop", "Lock", "Release", "Run", "Status", "Stops", "Table", "simulate"]


class _Callable(ModuleType):
    """A module that is called as its function of the same name."""

    def __call__(self, *args: Any, **keywords: Any) -> Run:
        return simulate(*args, **keywords)

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)


__signature__ = signature(simulate)  # what tools show of the call
sys.modules[__name__].__class__ = _Callable
