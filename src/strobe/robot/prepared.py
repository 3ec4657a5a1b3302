"""Questions settled once, for loops that ask them state by state: what `Robot.prepared` means by its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import ArgumentError, UnknownNameError, UnsupportedModelError
from strobe.models.arguments import require_choice, require_texts
from strobe.models.parameters import geometry_names
from strobe.quantities import QUANTITIES, Quantity, Request
from strobe.quantities.several_requests import Together
from strobe.robot.closed_chains import driven

if TYPE_CHECKING:
    from strobe.robot.framework import Framework

OPTIONS = ("frame", "reference", "friction", "formulation", "form", "drives", "accelerated", "actuated")
GIVEN = ("gravity", "parameters", "geometry", "wrench", "wrench FRAME")


def prepared(
    robot: Framework, asked: Sequence[str | Request], given: Sequence[str], options: Mapping[str, Any]
) -> Request:
    """The request that a loop asks again and again; several become one."""
    if not asked:
        raise ArgumentError('prepared() needs a quantity: robot.prepared("jacobian", frame="tool").')
    if not robot.nv:
        raise UnsupportedModelError(f"{robot.name} has no joints that move: nothing can be prepared.")
    given = require_texts("given", given)
    _require_used(asked, given, options)
    requests = tuple(_request(robot, each, given, options) for each in asked)
    names = ", ".join(request.quantity for request in requests)
    return requests[0] if len(requests) == 1 else Together(names, requests=requests)


def _require_used(asked: Sequence[str | Request], given: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse what none of the questions takes: it would be left out without a word."""
    records = [_record(each) for each in asked if not isinstance(each, Request)]
    names = " and ".join(each if isinstance(each, str) else each.quantity for each in asked)
    known = sorted({name for record in records for name in _options(record)})
    for name in options:
        if name not in known:
            raise UnknownNameError("option", name, names, known)
    for name in given:
        word, _, frame = name.partition(" ")
        require_choice("given", name if frame and word != "wrench" else word, GIVEN)
        if not any(word in record.keywords for record in records):
            raise ArgumentError(f'given "{name}" is no input of {names}.')


def _request(
    robot: Framework, asked: str | Request, given: Sequence[str], options: Mapping[str, Any]
) -> Request:
    """One question, checked as a call of it is."""
    if isinstance(asked, Request):
        robot.require(asked)
        return asked.at_frames(robot.model)
    record = _record(asked)
    own = {name: value for name, value in options.items() if name in _options(record)}
    if "accelerated" in own:
        own["accelerated"] = robot.matching_joints(own["accelerated"])
    if record.of_closed_chains:
        own["actuated"] = driven(robot, own.get("actuated"))
    values = dict(_input(robot, name) for name in given if name.split(" ")[0] in record.keywords)
    return robot.request(asked, values, **own).at_frames(robot.model)


def _input(robot: Framework, name: str) -> tuple[str, Any]:
    """The name of an input that is given besides states, and a value of its size where that says which it is."""
    if name == "geometry":
        return name, np.zeros(len(geometry_names(robot.model, False)))
    if name in GIVEN and name != "wrench":
        return name, None
    return f"wrench {robot.moving_frame(name.removeprefix('wrench').strip() or None)}", None


def _record(asked: Any) -> Quantity:
    found = QUANTITIES.get(asked) if isinstance(asked, str) else None
    return found or QUANTITIES[require_choice("quantity", asked, QUANTITIES)]


def _options(record: Quantity) -> tuple[str, ...]:
    """What a question may be asked with that is no array."""
    taken = (*record.keywords, *record.of_closed_chains)
    return tuple(name for name in OPTIONS if name in taken and (name != "frame" or record.of_a_frame))
