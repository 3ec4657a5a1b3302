"""Quantities of a robot as functions of another library's arrays, whatever answers questions on these.

Names, signs and options are those of the robot's methods. Arrays are (..., n), float64 or float32, all of one kind,
and broadcast over leading axes. What stands beside them as numbers (lists, NumPy arrays) has no gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from strobe.robot import Robot
from strobe.tensors.questions import Given, Question, given, question, settled

Answer = Callable[[Question, Sequence[Any]], Any]  # on arrays of the library, checked there


class Function:
    """A question settled once, for arrays in the order of its inputs; see `Functions.function`."""

    def __init__(self, asked: Question, answer: Answer) -> None:
        self.asked, self._answer = asked, answer

    def __repr__(self) -> str:
        return repr(self.asked)

    def __call__(self, *arrays: Any) -> Any:
        return self._answer(self.asked, arrays)


class Functions:
    """The quantities, for one library."""

    def __init__(self, answer: Answer, find: Callable[..., Question] = question) -> None:
        self._answer, self._find = answer, find

    def _asked(
        self, robot: Robot, quantity: str, loads: Given, arrays: Sequence[Any], *options: tuple[str, Any]
    ) -> Any:
        return self._answer(self._find(robot, quantity, loads, *options), arrays)

    def function(self, robot: Robot, quantity: str, given: Sequence[str] = (), **options: Any) -> Function:
        """Any quantity of `Robot.prepared` as a function of arrays; ``given`` and ``options`` as there.

        Several arrays that a method gives, such as derivatives, are one with a first axis for them.
        """
        return Function(settled(robot, quantity, given, options), self._answer)

    def inverse_dynamics(
        self, robot: Robot, q: Any, qd: Any, qdd: Any, *, wrench: Any = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, formulation: str | None = None, parameters: Any = None,
        geometry: Any = None,
    ) -> Any:  # fmt: skip
        """Torques (..., n) behind a motion."""
        loads, more = given(wrench, frame, gravity, parameters, geometry)
        how = ("friction", friction), ("formulation", formulation)
        return self._asked(robot, "inverse_dynamics", loads, (q, qd, qdd, *more), *how)

    def forward_dynamics(
        self, robot: Robot, q: Any, qd: Any, tau: Any, *, wrench: Any = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, formulation: str | None = None, parameters: Any = None,
        geometry: Any = None,
    ) -> Any:  # fmt: skip
        """Accelerations (..., n) that follow from torques; the way back solves one mass matrix once."""
        loads, more = given(wrench, frame, gravity, parameters, geometry)
        how = ("friction", friction), ("formulation", formulation)
        return self._asked(robot, "forward_dynamics", loads, (q, qd, tau, *more), *how)

    def mass_matrix(
        self,
        robot: Robot,
        q: Any,
        *,
        formulation: str | None = None,
        parameters: Any = None,
        geometry: Any = None,
    ) -> Any:
        """M (..., n, n)."""
        loads, more = given(None, None, None, parameters, geometry)
        return self._asked(robot, "mass_matrix", loads, (q, *more), ("formulation", formulation))

    def gravity(
        self, robot: Robot, q: Any, *, gravity: Any = None, formulation: str | None = None, parameters: Any = None,
        geometry: Any = None,
    ) -> Any:  # fmt: skip
        """Torques (..., n) that hold the robot still."""
        loads, more = given(None, None, gravity, parameters, geometry)
        return self._asked(robot, "gravity", loads, (q, *more), ("formulation", formulation))

    def bias(
        self, robot: Robot, q: Any, qd: Any, *, gravity: Any = None, formulation: str | None = None,
        parameters: Any = None, geometry: Any = None,
    ) -> Any:  # fmt: skip
        """C qd + g (..., n)."""
        loads, more = given(None, None, gravity, parameters, geometry)
        return self._asked(robot, "bias", loads, (q, qd, *more), ("formulation", formulation))

    def energy(
        self,
        robot: Robot,
        q: Any,
        qd: Any,
        *,
        gravity: Any = None,
        parameters: Any = None,
        geometry: Any = None,
    ) -> Any:
        """Kinetic and potential energy (..., 2)."""
        loads, more = given(None, None, gravity, parameters, geometry)
        return self._asked(robot, "energy", loads, (q, qd, *more))

    def forward_kinematics(
        self, robot: Robot, q: Any, frame: str | None = None, *, geometry: Any = None
    ) -> Any:
        """The placement of a frame in base axes (..., 4, 4), of the tip if none is named."""
        loads, more = given(None, None, None, None, geometry)
        return self._asked(robot, "forward_kinematics", loads, (q, *more), ("frame", frame))

    def jacobian(
        self,
        robot: Robot,
        q: Any,
        frame: str | None = None,
        *,
        reference: str = "aligned",
        geometry: Any = None,
    ) -> Any:
        """The Jacobian of a frame (..., 6, n), linear rows first, of the tip if none is named."""
        loads, more = given(None, None, None, None, geometry)
        return self._asked(robot, "jacobian", loads, (q, *more), ("frame", frame), ("reference", reference))
