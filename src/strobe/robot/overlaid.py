"""Methods over which builtins lie: `compiler.runtime.quick_calls` says what those do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from strobe.compiler.runtime.processor import builtins_work
from strobe.quantities import QUANTITIES

PASSED_BY = ("evaluate", "kernel", "loads", "request", "require")  # what builtins answer without
OURS = "strobe.robot."


class Overlaid:
    """A method of robots over which a builtin lies from the first time that it is looked up."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, robot: Any, owner: type | None = None) -> Callable[..., Any]:
        if robot is None:
            return self.method
        overridden = getattr(type(robot), self.method.__name__) is not self.method
        if overridden or not (
            may_be_passed_by(type(robot)) and robot.device.in_a_hurry and builtins_work()
        ):
            return self.method.__get__(robot, owner)
        return robot._calls.over(robot, self.method)


def overlay(kind: type) -> None:
    """Make methods of a class that answer quantities such as builtins lie over."""
    for name in vars(kind).keys() & QUANTITIES.keys():
        setattr(kind, name, Overlaid(vars(kind)[name]))


def may_be_passed_by(kind: type) -> bool:
    """Whether robots of a class answer as ours do: what somebody else wrote on the way to an answer has its say."""
    return all(str(getattr(kind, name).__module__).startswith(OURS) for name in PASSED_BY)
