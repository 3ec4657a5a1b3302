"""Methods over which builtins lie: `compiler.runtime.quick_calls` says what those do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from strobe.compiler.runtime.processor import builtins_work
from strobe.quantities import QUANTITIES


class Overlaid:
    """A method of robots over which a builtin lies from the first time that it is looked up."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, robot: Any, owner: type | None = None) -> Callable[..., Any]:
        if robot is None:
            return self.method
        overridden = getattr(type(robot), self.method.__name__) is not self.method
        if overridden or not (robot.device.in_a_hurry and builtins_work()):
            return self.method.__get__(robot, owner)
        return robot._calls.over(robot, self.method)


def overlay(kind: type) -> None:
    """Make methods of a class that answer quantities such as builtins lie over."""
    for name in vars(kind).keys() & QUANTITIES.keys():
        setattr(kind, name, Overlaid(vars(kind)[name]))
