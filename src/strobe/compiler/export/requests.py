"""Requests for one quantity or several, from options that are given once.

With one quantity every option is its own. With several an option goes to those that it concerns: a frame to a
Jacobian, a wrench to torques; what concerns none of them is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from strobe.compiler.export.function import check_quantity
from strobe.compiler.runtime.kernels import Kernel
from strobe.errors import ArgumentError, shown
from strobe.quantities import QUANTITIES, Request

if TYPE_CHECKING:
    from strobe.robot import Robot


def requests(robot: Robot, quantities: str | Sequence[str], options: Request) -> list[Request]:
    """A request for every quantity, with those of the options that concern it."""
    names = named(quantities)
    if len(names) == 1:
        return [replace(options, quantity=names[0])]
    made = {name: Request(name, friction=options.friction) for name in names}
    for words, given, field, concerns in _options(robot, options):
        if not given:
            continue
        concerned = [name for name in names if concerns(name)]
        if not concerned:
            raise ArgumentError(
                f"none of {', '.join(names)} of {robot.name} depends on {words}: leave it out."
            )
        for name in concerned:
            made[name] = replace(made[name], **{field: given})
    return list(made.values())


def named(quantities: str | Sequence[str]) -> list[str]:
    """The quantities asked for, each once and known."""
    if not isinstance(quantities, str) and not isinstance(quantities, Sequence):
        raise ArgumentError(f"quantity is {shown(quantities)}; expected a name, or a list of names.")
    names = [quantities] if isinstance(quantities, str) else list(quantities)
    if not names:
        raise ArgumentError("no quantity is named; expected one or several, such as inverse_dynamics.")
    for name in names:
        check_quantity(name)
        if names.count(name) > 1:
            raise ArgumentError(f"{name} is named {names.count(name)} times: name it once.")
    return names


def _options(robot: Robot, options: Request) -> list[tuple[str, object, str, Callable[[str], bool]]]:
    """Each option in words, its value, the field of a request that has it, and whom it concerns."""
    loaded, gravity = Request("", loaded=options.loaded), Request("", gravity=True)
    return [
        ("a formulation", options.formulation, "formulation", lambda name: QUANTITIES[name].formulations),
        ("a frame", options.frame, "frame", lambda name: QUANTITIES[name].of_a_frame),
        ("accelerated joints", options.accelerated, "accelerated", _takes_accelerations),
        ("wrenches", options.loaded, "loaded", lambda name: _uses(robot, replace(loaded, quantity=name))),
        ("gravity", options.gravity, "gravity", lambda name: _uses(robot, replace(gravity, quantity=name))),
    ]


def _takes_accelerations(name: str) -> bool:
    return "accelerated" in QUANTITIES[name].keywords


def _uses(robot: Robot, request: Request) -> bool:
    """Whether its result depends on the loads that it is given."""
    read = Kernel(robot.model, request).program.inputs_read
    return any(name == "gravity" or name.startswith("wrench ") for name in read)
