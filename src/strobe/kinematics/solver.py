"""Who solves a frame of a robot without a search, where anybody does.

closed form        where `analytic.recognise` knows the class of the arm: every branch
general 6R         six joints in any position, at most one a slide: up to sixteen solutions
redundant 7R       seven joints: the best of a family by one joint
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from strobe.compiler.runtime.interpret import evaluate
from strobe.compiler.runtime.kernels import Kernel
from strobe.errors import UnsupportedModelError, advised, counted
from strobe.kinematics import general_6r, numeric, redundant
from strobe.kinematics.analytic import Method, closed_form, holds, positions, recognise
from strobe.kinematics.branch_names import branch_names
from strobe.kinematics.damped_step import ROWS, ResidualRequest
from strobe.kinematics.joint_ranges import Ranges, ranges_of
from strobe.kinematics.screws import placement_and_jacobian
from strobe.kinematics.serial_chain import Serial, by_search, serial

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

FEW = 256  # poses for which it does not pay to ask for threads
SIX = 6  # joints that bring a frame to any pose
REDUNDANT = "redundant 7R"


@dataclass(frozen=True, eq=False)
class Solver:
    """How one frame of one robot is solved without a search."""

    robot: Robot
    name: str
    arm: Serial
    what: str
    frame: str
    method: Method | None = None  # None: not in closed form
    parameter: str = ""

    @cached_property
    def middle(self) -> Array:
        return numeric.middle(self.robot)

    @cached_property
    def ranges(self) -> Ranges:
        return ranges_of(self.robot)

    @cached_property
    def branches(self) -> tuple[str, ...]:
        return () if self.method is None else branch_names(self.arm, self.method)

    @cached_property
    def whole(self) -> bool:
        """Whether the arm is all of the robot."""
        return self.arm.n == self.robot.nq and bool((self.arm.columns == np.arange(self.arm.n)).all())

    @cached_property
    def endless(self) -> Array:
        """(n,) joints that a full turn takes to a position as good as any."""
        return self.arm.revolute & ~(np.isfinite(self.arm.lower) & np.isfinite(self.arm.upper))

    @cached_property
    def residual(self) -> Kernel:
        """How far positions of the robot are from poses."""
        return self.robot.kernel(ResidualRequest("residual", frame=self.frame, form=self.what))

    def closed_form(self, limits: bool) -> Kernel:
        """Every branch, in order."""
        assert self.method is not None
        key = "closed form", self.frame, self.what, limits
        return self.robot.kept(key, lambda: closed_form(self.arm, self.method, limits))  # pyright: ignore[reportArgumentType]

    def call(self, kernel: Kernel, threads: int | None, *arrays: Array) -> Array:
        """A kernel on arrays (N, …), compiled or interpreted as the robot is."""
        named = dict(zip(kernel.inputs, arrays, strict=True))
        if not self.robot.compiled:
            return evaluate(kernel.function(), named, kernel.shape)
        if threads is None and len(arrays[0]) <= FEW:
            with np.errstate(all="ignore"):
                return kernel.code.ufunc()(*arrays)
        return Kernel.__call__(kernel, named, None, threads)  # without the checks of a traced function


def solver_of(robot: Robot, frame: str | None, what: str, method: str) -> Solver | None:
    """What solves a frame, or None where only a search does.

    Seven joints, and an error where nothing solves the frame, are for who asks for method="analytic".
    """
    if frame is not None:
        robot.model.frame(frame)
    solver = robot.kept(("solver", frame, what), lambda: _recognised(robot, frame, what))
    if isinstance(solver, Solver):
        return solver if solver.name != REDUNDANT or method == "analytic" else None
    if method == "analytic":
        raise UnsupportedModelError(solver)
    return None


def _recognised(robot: Robot, frame: str | None, what: str) -> Solver | str:
    """What solves a frame, or why nothing does."""
    try:
        arm = serial(robot, frame)
        name, method, parameter = _class(arm, what)
    except UnsupportedModelError as error:
        return advised(error)
    tip = robot.named_frame(frame)
    if name:
        return Solver(robot, name, arm, what, tip, method, parameter)
    kinds = "".join("R" if turns else "P" for turns in arm.revolute)
    freedom = _freedom(arm, what)
    if arm.n > freedom:
        why = (
            f"more than the {freedom} degrees of freedom of its {what}: there are infinitely many solutions"
        )
    else:
        why = "and no axes meet or are parallel in a way that separates them"
    return by_search(
        f'no closed form is known for the {what} of frame "{tip}" of {robot.name}: '
        f"{counted(arm.n, 'joint')} {'carries' if arm.n == 1 else 'carry'} it ({kinds}), {why}."
    )


def _class(arm: Serial, what: str) -> tuple[str, Method | None, str]:
    """What solves an arm by name (none where nothing does), its closed form, and the parameter of seven joints."""
    method = recognise(arm, what)
    if method is not None and holds(arm, method, what):
        return method.name, method, ""
    if what == "pose" and arm.n in (SIX, SIX + 1) and _freedom(arm, what) == SIX:
        if arm.n > SIX:
            return REDUNDANT, None, arm.names[redundant.parameter(arm)[0]]
        if general_6r.covers(arm):
            return general_6r.NAME, None, ""
    return "", None, ""


def _freedom(arm: Serial, what: str) -> int:
    """In how many directions joints move the frame, at positions that are not singular."""
    q = positions(arm, 3)
    J = placement_and_jacobian(arm, q)[1][:, ROWS[what]]
    return int(np.linalg.matrix_rank(J, rtol=1e-9).max())
