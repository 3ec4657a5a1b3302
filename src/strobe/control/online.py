"""A controller held ready for a loop in Python: one compiled program from what is measured and wanted to torques.

    held = robot.controller("computed-torque", rate=1000)
    tau = held.step((q, qd), (q_wanted, qd_wanted, qdd_wanted))

One step is the program that `control` runs every period, with its bits: it was traced when this was made. What a
controller keeps from period to period is kept here, and begins with the first step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked, require_turns
from strobe.compiler.runtime.interpret import evaluate
from strobe.compiler.runtime.processor import declined, where_loops_run
from strobe.compiler.runtime.traced import Traced
from strobe.control.controller import Controller, Layout, Measured, Wanted
from strobe.control.motion_controller import motion_controller
from strobe.errors import ArgumentError, ShapeError, shown
from strobe.robot import Robot
from strobe.scalars import Num, Numbers
from strobe.show.sheet import Sheet, displayed, number

Array = np.ndarray
MEMORY, GAINS = "memory", "gains"


@displayed
class OnlineController:
    """Torques (nv,) step by step, and what is remembered in between; of one arm, for one thread at a time."""

    def __init__(self, controller: Controller) -> None:
        several = next((name for name, x in controller.gains.items() if x.ndim > 1), None)
        if several is not None:
            raise ArgumentError(
                f"{several} of {controller.name} has shape {controller.gains[several].shape}, gains for several "
                "runs; a step is of one arm. Give one number, or one for each joint."
            )
        self._controller = controller
        self._sizes = Layout(controller.memory)
        self._law = law = _Law(controller)
        self._told = 2 + controller.uses_acceleration
        self._gains = tuple(law.gains)
        self._kept = self._nothing = (None, *self._gains) if self._sizes.end else self._gains
        robot = controller.robot
        plain = robot.compiled and robot.device.in_a_hurry and not robot.coordinates.has_quaternions
        self._quick: Callable[..., Any] = (
            law.code.quick if plain else declined
        )  # which looks at no orientation

    def __getstate__(self) -> dict[str, Any]:
        return {"controller": self._controller, MEMORY: self._kept[0] if self._sizes.end else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["controller"])
        if state[MEMORY] is not None:
            self._kept = (state[MEMORY], *self._gains)

    @property
    def controller(self) -> Controller:
        """What is stepped: its program and its gains are those that it had when this was made."""
        return self._controller

    @property
    def robot(self) -> Robot:
        """What the controller believes the arm to be."""
        return self._controller.robot

    @property
    def period(self) -> float:
        """Seconds between two steps, as the controller was made for."""
        return self._controller.period

    @property
    def memory(self) -> dict[str, Array]:
        """What it keeps from step to step, by name; nothing before the first one."""
        if not self._sizes.end or self._kept[0] is None:
            return {}
        return {name: self._kept[0][place].copy() for name, place in self._sizes.places.items()}

    def reset(self) -> None:
        """Forget all steps: the next one is the first."""
        self._kept = self._nothing

    def step(self, measured: Sequence[Any], wanted: Sequence[Any]) -> Array:
        """Torques (nv,) from (q, qd), with qdd where accelerations are measured, and what is wanted, (q, qd, qdd).

        Every vector is one array of float64 for a loop in a hurry; anything else that holds its numbers will do.
        A number that is none (NaN) is handed on: to the torques, and to what is remembered until `reset`.
        """
        try:
            found = self._quick(*measured[: self._told], *wanted, *self._kept)
        except (TypeError, LookupError):  # what cannot be cut or unpacked; some mappings look for a slice
            found = NotImplemented
        if found is NotImplemented:
            found = self._slowly(measured, wanted)
        if type(found) is tuple:
            found, memory = found
            self._kept = (memory, *self._gains)
        return found

    def _slowly(self, measured: Any, wanted: Any) -> Any:
        """A step from whatever holds numbers, and the first one of a controller that remembers."""
        law, robot = self._law, self.robot
        vectors = [
            *_vectors("measured", measured, Measured, self._told),
            *_vectors("wanted", wanted, Wanted, 3),
        ]
        sizes = list(law.inputs.values())
        arrays = [_vector(*each, size, robot) for each, size in zip(vectors, sizes, strict=False)]
        kept: tuple[Any, ...] = self._kept
        if self._sizes.end and kept[0] is None:
            kept = (self._begun(*arrays[:2]), *self._gains)
        found = self._quick(*arrays, *kept)
        if found is not NotImplemented:
            return found
        given = dict(zip(law.inputs, (*arrays, *kept), strict=True))
        whole = law.computed(given, robot.compiled)
        return (whole[: robot.nv], whole[robot.nv :]) if self._sizes.end else whole

    def _begun(self, q: Array, qd: Array) -> Array:
        """What is remembered before the first step of an arm in this state."""
        found = np.zeros(self._sizes.end)
        for name, x in self._controller.first(q[None], qd[None]).items():
            found[self._sizes.places[name]] = x[0]
        return found

    def _sheet(self) -> Sheet:
        head = f"{self._controller.title} of {self.robot.name}, step by step every {number(1e3 * self.period)} ms"
        return Sheet(head)


class _Law(Traced):
    """One step of a controller as a program: its vectors one by one, then its memory and its gains."""

    def __init__(self, controller: Controller) -> None:
        robot, gains, memory = controller.robot, controller.gains, Layout(controller.memory)
        layout = Layout({name: x.shape[-1] for name, x in gains.items()})
        self.gains = [np.concatenate([*gains.values()]).astype(float)] if layout.end else []
        nq, nv = robot.nq, robot.nv
        sizes = {"q": nq, "qd": nv} | ({"qdd": nv} if controller.uses_acceleration else {})
        sizes |= {"q_wanted": nq, "qd_wanted": nv, "qdd_wanted": nv}
        sizes |= {name: end for name, end in ((MEMORY, memory.end), (GAINS, layout.end)) if end}
        self.apart = ((nv,), (memory.end,)) if memory.end else ()

        def step(**x: Numbers) -> list[Num]:
            measured = Measured(x["q"], x["qd"], x.get("qdd", [0.0] * nv))
            wanted = Wanted(x["q_wanted"], x["qd_wanted"], x["qdd_wanted"])
            kept = memory.split(x.get(MEMORY, ()))
            tau, left = controller.step(measured, wanted, kept, layout.split(x.get(GAINS, ())))
            return [*tau, *memory.joined(left)]

        super().__init__(step, sizes)
        self.device = where_loops_run(robot.device)

    @property
    def quantity(self) -> str:
        return "step of a controller"

    @cached_property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """Torques, and what is remembered."""
        return self.apart

    def computed(self, arrays: Mapping[str, Array], compiled: bool) -> Array:
        """What a step gives where no builtin does, torques and memory in a row."""
        if compiled:
            return self.code(arrays, None, None)
        return evaluate(self.function(), arrays, self.shape)


def online(
    robot: Robot, controller: str | Controller = "computed-torque", *, rate: float | None = None,
    gains: Mapping[str, Any] | None = None,
) -> OnlineController:  # fmt: skip
    """A controller, by its name with ``gains`` or made already, held ready for a loop of ``rate`` Hz."""
    system = motion_controller(
        robot, controller, robot, gains=gains, rate=rate, planner=None, bounds=None, motors=False,
        plant_rate=None, trajectory_rate=None, steps=None, continuous=False,
    )  # fmt: skip
    return OnlineController(system.controller)


def _vectors(what: str, given: Any, kind: type[Measured | Wanted], count: int) -> list[tuple[str, Any]]:
    """The vectors of what is measured or wanted, with names for sentences."""
    names = kind._fields[:count]
    try:
        found = list(given)
    except TypeError:
        found = []
    if not count <= len(found) <= len(kind._fields):
        raise ArgumentError(f"{what} is {shown(given)}; expected vectors ({', '.join(names)}).")
    return [(f"{what} {name}", x) for name, x in zip(names, found, strict=False)]


def _vector(name: str, value: Any, size: int, robot: Robot) -> Array:
    """One vector of numbers in double precision."""
    array = checked(name, value, (size,), robot.shape_reason).astype(float)
    if array.ndim > 1:
        raise ShapeError(name, array.shape, f"({size},)", "a step is of one arm")
    if name.endswith(" q"):
        require_turns(name, array, robot.coordinates.joints)
    return array
