"""Quantities of a robot as differentiable functions of tensors.

    tau = strobe.torch.inverse_dynamics(robot, q, qd, qdd)

Names, signs and options are those of the robot's methods. Tensors are (..., n), float64 or float32, all of one
kind, and broadcast over leading axes. What stands beside tensors as numbers (lists, NumPy arrays) has no gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from strobe.robot import Robot
from strobe.tensors.questions import Given, Question, given, question, settled
from strobe.torch.border import checked
from strobe.torch.operator import ask


def inverse_dynamics(
    robot: Robot, q: Tensor, qd: Tensor, qdd: Tensor, *, wrench: Any = None, frame: str | None = None,
    gravity: Any = None, friction: bool = True, formulation: str | None = None, parameters: Any = None,
    geometry: Any = None,
) -> Tensor:  # fmt: skip
    """Torques (..., n) behind a motion."""
    loads, more = given(wrench, frame, gravity, parameters, geometry)
    how = ("friction", friction), ("formulation", formulation)
    return _asked(robot, "inverse_dynamics", loads, (q, qd, qdd, *more), *how)


def forward_dynamics(
    robot: Robot, q: Tensor, qd: Tensor, tau: Tensor, *, wrench: Any = None, frame: str | None = None,
    gravity: Any = None, friction: bool = True, formulation: str | None = None, parameters: Any = None,
    geometry: Any = None,
) -> Tensor:  # fmt: skip
    """Accelerations (..., n) that follow from torques; the way back solves one mass matrix once."""
    loads, more = given(wrench, frame, gravity, parameters, geometry)
    how = ("friction", friction), ("formulation", formulation)
    return _asked(robot, "forward_dynamics", loads, (q, qd, tau, *more), *how)


def mass_matrix(
    robot: Robot, q: Tensor, *, formulation: str | None = None, parameters: Any = None, geometry: Any = None
) -> Tensor:
    """M (..., n, n)."""
    loads, more = given(None, None, None, parameters, geometry)
    return _asked(robot, "mass_matrix", loads, (q, *more), ("formulation", formulation))


def gravity(
    robot: Robot, q: Tensor, *, gravity: Any = None, formulation: str | None = None, parameters: Any = None,
    geometry: Any = None,
) -> Tensor:  # fmt: skip
    """Torques (..., n) that hold the robot still."""
    loads, more = given(None, None, gravity, parameters, geometry)
    return _asked(robot, "gravity", loads, (q, *more), ("formulation", formulation))


def bias(
    robot: Robot, q: Tensor, qd: Tensor, *, gravity: Any = None, formulation: str | None = None,
    parameters: Any = None, geometry: Any = None,
) -> Tensor:  # fmt: skip
    """C qd + g (..., n)."""
    loads, more = given(None, None, gravity, parameters, geometry)
    return _asked(robot, "bias", loads, (q, qd, *more), ("formulation", formulation))


def energy(
    robot: Robot,
    q: Tensor,
    qd: Tensor,
    *,
    gravity: Any = None,
    parameters: Any = None,
    geometry: Any = None,
) -> Tensor:
    """Kinetic and potential energy (..., 2)."""
    loads, more = given(None, None, gravity, parameters, geometry)
    return _asked(robot, "energy", loads, (q, qd, *more))


def forward_kinematics(
    robot: Robot, q: Tensor, frame: str | None = None, *, geometry: Any = None
) -> Tensor:
    """The placement of a frame in base axes (..., 4, 4), of the tip if none is named."""
    loads, more = given(None, None, None, None, geometry)
    return _asked(robot, "forward_kinematics", loads, (q, *more), ("frame", frame))


def jacobian(
    robot: Robot, q: Tensor, frame: str | None = None, *, reference: str = "aligned", geometry: Any = None
) -> Tensor:
    """The Jacobian of a frame (..., 6, n), linear rows first, of the tip if none is named."""
    loads, more = given(None, None, None, None, geometry)
    return _asked(robot, "jacobian", loads, (q, *more), ("frame", frame), ("reference", reference))


class Function:
    """A question settled once, for tensors in the order of its inputs; see `function`."""

    def __init__(self, asked: Question) -> None:
        self.asked = asked

    def __repr__(self) -> str:
        return repr(self.asked)

    def __call__(self, *tensors: Any) -> Tensor:
        return ask(self.asked, checked(self.asked, tensors))


def function(
    robot: Robot, quantity: str, given: Sequence[str] = (), **options: Any
) -> Callable[..., Tensor]:
    """Any quantity of `Robot.prepared` as a function of tensors; ``given`` and ``options`` as there.

    Several arrays that a method gives, such as derivatives, are one tensor with a first axis for them.
    """
    return Function(settled(robot, quantity, given, options))


def _asked(
    robot: Robot, quantity: str, loads: Given, tensors: Sequence[Any], *options: tuple[str, Any]
) -> Tensor:
    find = _found if torch.compiler.is_compiling() else question
    asked = find(robot, quantity, loads, *options)
    return ask(asked, checked(asked, tensors))


# to `torch.compile` a question is a constant: what finds it is not looked into
_found = torch.compiler.assume_constant_result(question)
