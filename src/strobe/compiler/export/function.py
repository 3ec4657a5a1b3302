"""A quantity of a robot as a function with a name, an explanation and the meaning of its arguments."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from strobe.codegen.c import Function
from strobe.codegen.names import identifier
from strobe.errors import ArgumentError, UnknownNameError, UnsupportedModelError
from strobe.export.expected import reads
from strobe.formulations import FORMULATIONS
from strobe.graph.program import Program
from strobe.quantities import ELIMINATING, OF_A_FRAME, QUANTITIES, Request
from strobe.runtime.kernels import Kernel

if TYPE_CHECKING:
    from strobe.robot import Robot

KINEMATIC = (
    "forward_kinematics",
    "frame_placements",
    "jacobian",
    "point_jacobian",
    "jacobian_dot",
    "integrate",
    "difference",
)
LARGEST = 200_000  # operations: a source of some ten megabytes, which compilers still take

MEANINGS = {
    "q": "position, in the order of the joints",
    "qd": "velocity, in the order of the joints",
    "qdd": "acceleration",
    "tau": "torques and forces",
    "q0": "position to start from",
    "q1": "position to end at",
    "v": "velocity",
    "dt": "a time",
    "x": "the acceleration of joints driven so, the torque of the others",
    "gravity": "acceleration of gravity, base axes",
    "point": "a position in the axes of the frame",
}


def function(robot: Robot, request: Request, single: bool, name: str | None = None) -> Function:
    """What is written, checked: ``name`` stands in place of the robot's in names of code."""
    check(robot, request)
    if single and request.quantity in ELIMINATING:
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
    does = (QUANTITIES[request.quantity].function.__doc__ or "").strip().splitlines()[0]
    about = [f"{request.quantity} of {_short(robot.name)}: {_ascii(does)}", *_details(robot, request)]
    return Function(
        f"strobe_{identifier(name if name is not None else robot.name)}_{request.quantity}",
        program,
        single,
        tuple(about),
        _meanings(request),
    )


# -- checks -------------------------------------------------------------------------------------------


def check_quantity(quantity: str) -> None:
    """Refuse a quantity that there is not."""
    if quantity not in QUANTITIES:
        raise UnknownNameError("quantity", quantity, "strobe", list(QUANTITIES))


def check(robot: Robot, request: Request) -> None:
    """Refuse what this robot or this quantity does not have."""
    quantity = request.quantity
    check_quantity(quantity)
    if not robot.nv:
        raise UnsupportedModelError(f"{robot.name} has no joints that move: there is nothing to compute.")
    if robot.model.kinematic_only and quantity not in KINEMATIC:
        raise UnsupportedModelError(f"{robot.name} has no dynamics: {robot.model.kinematic_only}")
    if 0 in request.shape(robot.model):
        raise UnsupportedModelError(
            f"{quantity} of {robot.name} has no numbers: there is nothing to compute."
        )
    for option, value in (("formulation", request.formulation), ("frame", request.frame)):
        if value is not None and not reads(robot, quantity, option):
            raise ArgumentError(f"{quantity} does not depend on a {option}: leave it out.")
    if request.frame is not None:
        robot._moving_frame(request.frame)  # at rest there is nothing to compute
    joints = {joint.name for joint in robot.coordinates.joints}
    for joint in request.accelerated:
        if joint not in joints:
            raise UnknownNameError("joint", joint, robot.name, sorted(joints), "robot.joint_names")
    if request.accelerated and quantity != "hybrid_dynamics":
        raise ArgumentError(f"{quantity} takes no accelerated joints; hybrid_dynamics does.")
    method = FORMULATIONS.get(request.formulation or "")
    refusal = method.refusal(robot.model) if method else None
    if refusal is not None:
        raise UnsupportedModelError(refusal)
    robot._require_inertia(request)


def _check_loads(robot: Robot, request: Request, program: Program) -> None:
    """Refuse a wrench or gravity that the result does not depend on: it was asked for in error."""
    used = {str(node.value).rpartition("[")[0] for node in program.nodes if node.op == "input"}
    for given in program.inputs:
        if given.name in used or not (given.name == "gravity" or given.name.startswith("wrench ")):
            continue
        what = (
            "gravity" if given.name == "gravity" else f'a wrench on "{given.name.removeprefix("wrench ")}"'
        )
        raise ArgumentError(f"{request.quantity} of {robot.name} does not depend on {what}: leave it out.")


# -- explanation --------------------------------------------------------------------------------------


def _details(robot: Robot, request: Request) -> list[str]:
    """What else a reader must know: the joints in order, the frame, the equations."""
    joints = ", ".join(_short(joint.name) for joint in robot.coordinates.joints)
    lines = textwrap.wrap(f"Joints: {joints}", 100, subsequent_indent="  ")
    if request.frame is not None or request.quantity in OF_A_FRAME:
        lines.append(f"Frame: {_short(robot._frame(request.frame))}")
    if request.formulation is not None:
        lines.append(f"Equations: {request.formulation}")
    if request.accelerated:
        driven = ", ".join(map(_short, request.accelerated))
        lines += textwrap.wrap(f"Accelerations are given for: {driven}", 100, subsequent_indent="  ")
    if not request.friction:
        lines.append("Friction is left out.")
    return lines


def _meanings(request: Request) -> dict[str, str]:
    loads = {
        f"wrench {frame}": f"force and moment on the robot at {_short(frame)}, base axes"
        for frame in request.loaded
    }
    return MEANINGS | {"out": request.quantity} | loads


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:37]}..."


def _ascii(text: str) -> str:
    """The signs of our own sentences in ASCII."""
    return text.translate({ord("×"): "x", ord("ᵀ"): "^T", ord("·"): "*", ord("−"): "-"})
