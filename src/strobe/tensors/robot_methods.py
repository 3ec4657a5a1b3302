"""Methods of a robot on arrays of other libraries: who gives tensors gets tensors."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from strobe.errors import ArgumentError
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.tensors.questions import asked


def answer(
    library: str, robot: Robot, request: Request, values: Mapping[str, Any], out: Any, threads: Any
) -> Any:
    """What a request asks for, by the room of the library whose arrays are among the values."""
    for name, given in (("out", out), ("threads", threads)):
        if given is not None:
            raise ArgumentError(
                f"{name}= is for NumPy arrays; leave it out where arrays of {library} are given."
            )
    question = asked(robot, request.at_frames(robot.model))
    missing = question.inputs.keys() ^ values.keys()
    if missing:
        raise ArgumentError(f"{question!r} is asked with other values: {', '.join(sorted(missing))}.")
    room = import_module(f"strobe.{library}.functions")
    return room.answer(question, [values[name] for name in question.names])
