"""Runs of one robot side by side, moved on a control period at a time under torques that are held meanwhile.

What a controller or a learner needs, many times in a row: the compiled steps of `simulate`, without its books.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked
from strobe.errors import ArgumentError, ShapeError
from strobe.models.arguments import is_whole, require_above
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, displayed, number
from strobe.simulate import step_size
from strobe.simulate.fixed_steps import marching
from strobe.simulate.integrators import fixed_method
from strobe.simulate.problem import problem
from strobe.simulate.time_grid import grid

Array = np.ndarray
MOST_STEPS = 1_000_000  # of a period


@displayed
class SideBySide:
    """So many states of a robot, and the compiled steps of one control period."""

    def __init__(
        self, robot: Robot, count: int, period: float, method: str = "rk4", step: float | None = None, *,
        stops: Any = None, limits: bool = False, friction: bool = True, payload: Any = None,
        frame: str | None = None, threads: int | None = None,
    ) -> None:  # fmt: skip
        require_robot(robot)
        if not is_whole(count, 1):
            raise ArgumentError(f"there are {count} robots; expected a whole number, one or more.")
        require_above("period", period, "a time above zero")
        if step is not None:
            require_above("step", step, "a time above zero")
        self.robot, self.period, self.threads = robot, float(period), threads
        somewhere = robot.random_state(0)[0]  # within the limits; a step that is chosen suits this place
        asked = problem(
            robot, somewhere, np.zeros(robot.nv), np.zeros((count, robot.nv)), period, frame=frame, payload=payload,
            stops=stops, limits=limits, friction=friction,
        )  # fmt: skip
        self.parts, self.state = asked.parts, asked.state.copy()
        chosen = fixed_method(method)
        if step is None:
            step = step_size.chosen(asked, chosen, step_size.modes(asked), *step_size.at_start(asked)).step
        self.steps = grid(0.0, self.period, float(step), np.empty(0)).total
        if self.steps > MOST_STEPS:
            raise ArgumentError(
                f"step is {step:g} s: a period of {period:g} s would take {self.steps:,} steps, more than "
                f"{MOST_STEPS:,}. Give a longer step, or a shorter period."
            )
        self._march = marching(asked.robot, chosen, asked.rate_in(asked.spans[0]), asked.signals)
        self._constants = asked.constants_in(asked.spans[0])
        self._signals = {"h": np.full((1, self.steps, 1), self.period / self.steps)}
        self._unrecorded = np.full(self.steps, -1), np.empty((count, 0, asked.parts.size + robot.nv))

    def _sheet(self) -> Sheet:
        period = f"{number(1e3 * self.period)} ms"
        return Sheet(
            f"{len(self.state):,} {self.robot.name} side by side, {self.steps} steps every {period}"
        )

    @property
    def q(self) -> Array:
        """Positions (count, nq) now."""
        return self.state[:, self.parts.q]

    @property
    def qd(self) -> Array:
        """Velocities (count, nv) now."""
        return self.state[:, self.parts.qd]

    @property
    def lost(self) -> Array:
        """Which of them (count,) went beyond all bounds, and stay where they were last."""
        return self.state[:, self.parts.alive] == 0.0

    def place(self, which: Any, q: Any, qd: Any) -> None:
        """Put some of them into a state."""
        self.state[which] = 0.0
        self.state[which, self.parts.q] = q
        self.state[which, self.parts.qd] = qd
        self.state[which, self.parts.alive] = 1.0

    def advance(self, tau: Any) -> None:
        """Move all on by a period, under torques (count, nv), or (nv,) for all."""
        given = checked("tau", tau, (self.robot.nv,), self.robot.shape_reason)
        count = len(self.state)
        if given.shape[:-1] not in ((), (count,)):
            raise ShapeError("tau", given.shape, f"({count}, {self.robot.nv})", f"there are {count} robots")
        torques = np.ascontiguousarray(given[None] if given.ndim == 1 else given, dtype=float)
        held = {**self._constants, "tau": torques}
        self._march(self.state, held, self._signals, *self._unrecorded, self.threads)
