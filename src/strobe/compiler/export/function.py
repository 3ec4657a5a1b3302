"""A quantity of a robot as a function with a name, an explanation and the meaning of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from strobe.compiler.codegen.c import Function, source
from strobe.compiler.codegen.names import identifier
from strobe.compiler.export.argument_meanings import does, meanings, short
from strobe.compiler.export.provenance import origin
from strobe.compiler.graph.program import Program
from strobe.compiler.runtime.kernels import Kernel
from strobe.errors import ArgumentError, UnknownNameError, UnsupportedModelError
from strobe.formulations import FORMULATIONS
from strobe.models.arguments import require_choice
from strobe.quantities import QUANTITIES, Request

if TYPE_CHECKING:
    from strobe.robot import Robot

LARGEST = 200_000  # operations: a source of some ten megabytes, which compilers still take


def function(robot: Robot, request: Request, single: bool, name: str | None = None) -> Function:
    """What is written, checked: ``name`` stands in place of the robot's in names of code."""
    check(robot, request)
    if single and request.record.eliminates:
        raise ArgumentError(
            f"{request.quantity} divides by pivots, and single precision cannot tell a small one from rounding: "
            "take double precision."
        )
    program = Kernel(robot.model, request).program
    _check_loads(robot, request, program)
    if len(program.nodes) > LARGEST:
        raise UnsupportedModelError(
            f"{request.quantity} of {robot.name} takes {len(program.nodes):,} operations; "
            f"at most {LARGEST:,} are written out. Choose another formulation."
        )
    clause, *more = does(robot, request)
    about = [f"{request.quantity} of {short(robot.name)}: {clause}.", *more, *_details(robot, request)]
    return Function(
        f"{stem(robot, name)}_{request.quantity}", program, single, tuple(about), meanings(robot, request)
    )


def stem(robot: Robot, name: str | None = None) -> str:
    """What all names of a robot's code begin with."""
    return f"strobe_{identifier(name if name is not None else robot.name)}"


def with_origin(
    robot: Robot, requests: Sequence[Request], functions: Sequence[Function], name: str | None = None
) -> list[Function]:
    """Functions of one file that tell what made them of which robot."""
    found = origin(robot, stem(robot, name), list(requests), source(*functions))
    return [replace(function, origin=found) for function in functions]


# -- checks -------------------------------------------------------------------------------------------


def check_quantity(quantity: str) -> None:
    """Refuse a quantity that there is not."""
    require_choice("quantity", quantity, QUANTITIES)


def check(robot: Robot, request: Request) -> None:
    """Refuse what this robot or this quantity does not have."""
    quantity, record = request.quantity, request.record
    check_quantity(quantity)
    if not robot.nv:
        raise UnsupportedModelError(f"{robot.name} has no joints that move: there is nothing to compute.")
    if robot.model.without_dynamics and not record.kinematic:
        raise UnsupportedModelError(f"{robot.name} has no dynamics: {robot.model.without_dynamics}")
    if 0 in request.shape(robot.model):
        raise UnsupportedModelError(
            f"{quantity} of {robot.name} has no numbers: there is nothing to compute."
        )
    for option, value, concerns in (
        ("formulation", request.formulation, record.formulations), ("frame", request.frame, record.of_a_frame)
    ):  # fmt: skip
        if value is not None and not concerns:
            raise ArgumentError(f"{quantity} does not depend on a {option}: leave it out.")
    if request.frame is not None:
        robot.moving_frame(request.frame)  # at rest there is nothing to compute
    joints = {joint.name for joint in robot.coordinates.joints}
    for joint in request.accelerated:
        if joint not in joints:
            raise UnknownNameError("joint", joint, robot.name, sorted(joints), "robot.joint_names")
    if request.accelerated and "accelerated" not in record.keywords:
        raise ArgumentError(f"{quantity} takes no accelerated joints; hybrid_dynamics does.")
    method = FORMULATIONS.get(request.formulation or "")
    refusal = method.refusal(robot.model) if method else None
    if refusal is not None:
        raise UnsupportedModelError(refusal)
    robot.require(request)


def _check_loads(robot: Robot, request: Request, program: Program) -> None:
    """Refuse a wrench or gravity that the result does not depend on: it was asked for in error."""
    for given in program.inputs:
        if given.name in program.inputs_read or not (
            given.name == "gravity" or given.name.startswith("wrench ")
        ):
            continue
        what = (
            "gravity" if given.name == "gravity" else f'a wrench on "{given.name.removeprefix("wrench ")}"'
        )
        raise ArgumentError(f"{request.quantity} of {robot.name} does not depend on {what}: leave it out.")


# -- explanation --------------------------------------------------------------------------------------


def _details(robot: Robot, request: Request) -> list[str]:
    """What else a reader must know: the frame, the equations."""
    lines: list[str] = []
    if request.frame is not None or request.record.of_a_frame:
        lines.append(f"Frame: {short(robot.named_frame(request.frame))}")
    if request.formulation is not None:
        lines.append(f"Equations: {request.formulation}")
    if request.accelerated:
        lines.append(f"Accelerations are given for: {', '.join(map(short, request.accelerated))}")
    if not request.friction and "friction" in request.record.keywords:
        lines.append("Friction is left out.")
    return lines
