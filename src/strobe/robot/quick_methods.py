"""Methods over which builtins lie: `compiler.runtime.quick_calls` says what those do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from strobe.compiler.runtime.processor import builtins_work
from strobe.quantities import QUANTITIES

PASSED_BY = (  # what builtins answer without
    "evaluate", "kernel", "loads", "request", "require", "named_frame", "moving_frame", "matching_joints", "tip",
    "model", "device", "_answer", "_asked", "_kinematics",
)  # fmt: skip
OURS = "strobe.robot."
_written: dict[str, Any] = {}  # these as they stand in our classes


class Overlaid:
    """A method of robots over which a builtin lies from the first time that it is looked up."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, robot: Any, owner: type | None = None) -> Callable[..., Any]:
        if robot is None:
            return self.method
        overridden = getattr(type(robot), self.method.__name__) is not self.method
        if overridden or not (may_be_passed_by(robot) and robot.device.in_a_hurry and builtins_work()):
            return self.method.__get__(robot, owner)
        return robot._calls.over(robot, self.method)


def overlay(kind: type) -> None:
    """Make methods of a class of ours that answer quantities such as builtins lie over."""
    _written.update({name: getattr(kind, name) for name in PASSED_BY if hasattr(kind, name)})
    for name in vars(kind).keys() & QUANTITIES.keys():
        setattr(kind, name, Overlaid(vars(kind)[name]))


def may_be_passed_by(robot: Any) -> bool:
    """Whether a robot answers as ours do: what somebody else put on the way to an answer has its say.

    It is told by being another object: decorators give theirs the name and the module of ours.
    """
    kind, own = type(robot), vars(robot)
    ours = all(getattr(kind, name, written) is written for name, written in _written.items())
    return ours and not any(name in own for name, written in _written.items() if callable(written))
