"""How robots move: forward dynamics over time, under torques that are given, hold the start, or move it along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from strobe.robot import Robot
from strobe.simulate import step_size
from strobe.simulate.energy_audit import loaded_quantity
from strobe.simulate.feed_forward import feed_forward
from strobe.simulate.fixed_steps import march
from strobe.simulate.integrators import fixed_method
from strobe.simulate.problem import Problem, problem
from strobe.simulate.run import RunStatus
from strobe.simulate.time_grid import Course, Grid, grid
from strobe.sweep.task_torque import inverse_dynamics
from strobe.sweep.tasks import REAL, Task, batches, joined, started

if TYPE_CHECKING:
    from strobe.sweep.plan import Cell, Field, Plan

Array = np.ndarray
MOST_ROWS = 1001  # of a run, at which speeds and torques are looked at


class SimulateTask(Task):
    """Where a run ends, and what there was on the way; a run that diverges ends with its last good state."""

    Status: ClassVar = RunStatus
    lost: ClassVar = RunStatus.DIVERGED

    def __init__(self, plan: Plan, cell: Cell) -> None:
        super().__init__(plan, cell)
        self.method = fixed_method(self.options["method"])
        how = {"friction": self.options["friction"]}
        self.fed = (
            None if self.motion is None else feed_forward(self.robot, self.motion, self.options["t"], **how)
        )
        self.end = self.options["t"] or self.motion.duration  # pyright: ignore[reportOptionalMemberAccess]
        start = self.robot.neutral if self.motion is None else self.motion(0.0).q
        self.typical = self._problem(start[None], np.zeros((1, self.robot.nv)), self.fed, None)
        total, size = self._grid(self.typical).total, self.typical.parts.size + self.robot.nv
        self.kept = np.append(np.arange(0, total, -(-total // (MOST_ROWS - 1))), total)
        self.numbers = len(self.kept) * size  # that a run keeps while it goes on

    @property
    def notes(self) -> tuple[str, ...]:
        modes = step_size.modes(self.typical)
        said = step_size.too_long(self.typical, self.method, self.options["step"], modes)
        return super().notes if said is None else (*super().notes, said)

    @staticmethod
    def results(robot: Robot) -> dict[str, Field]:
        return {
            "q_end": ((robot.nq,), REAL), "qd_end": ((robot.nv,), REAL), "reached": ((), REAL),
            "energy_error": ((), REAL), "peak_speed": ((robot.nv,), REAL), "peak_torque": ((robot.nv,), REAL),
        }  # fmt: skip

    def __call__(self, given: Mapping[str, Array]) -> dict[str, Array]:
        return joined([self._some(some) for some in batches(given, self.numbers)])

    def _some(self, given: Mapping[str, Array]) -> dict[str, Array]:
        q, qd = started(self.robot, self.motion, given)
        asked = self._problem(q, qd, self._torque(given, q), self.payloads(given))
        steps = self._grid(asked)
        rows = march(asked, self.method, Course(steps, self.kept), threads=1)
        if rows.interrupted:
            raise KeyboardInterrupt
        p, state = asked.parts, rows.state
        done = state[:, p.steps].astype(np.int64)
        status = np.where(state[:, p.alive] == 0.0, RunStatus.DIVERGED, RunStatus.DONE)
        before = self.kept[None, :, None] <= done[:, None, None]  # a run that was lost has nothing behind
        return {
            "q_end": state[:, p.q],
            "qd_end": state[:, p.qd],
            "reached": steps.steps(done).t,
            "energy_error": self._energy(asked, state) - self._energy(asked, asked.state),
            "peak_speed": np.max(np.abs(rows.out[..., p.qd]), axis=1, initial=0.0, where=before),
            "peak_torque": np.max(np.abs(rows.out[..., p.size :]), axis=1, initial=0.0, where=before),
            "status": status,
        }

    def _problem(self, q: Array, qd: Array, torque: Any, payload: Array | None) -> Problem:
        return problem(
            self.robot, q, qd, torque, self.end, payload=payload, frame=self.payload_frame,
            limits=self.options["limits"], friction=self.options["friction"],
        )  # fmt: skip

    def _grid(self, asked: Problem) -> Grid:
        return grid(asked.start, asked.end, self.options["step"], asked.marks)

    def _torque(self, given: Mapping[str, Array], q: Array) -> Any:
        """The torques of a motion, those that are given, or those that hold the start."""
        if self.fed is not None:
            return self.fed
        if "simulate.torque" in given:
            return given["simulate.torque"]
        still = np.zeros((len(q), self.robot.nv))
        return inverse_dynamics(self.robot, q, still, still, self.loads(given), self.options["friction"])

    def _energy(self, asked: Problem, state: Array) -> Array:
        """Energy less the work done (N,), which no exact motion changes."""
        p = asked.parts
        q, qd = (np.ascontiguousarray(state[:, part]) for part in (p.q, p.qd))
        energy = loaded_quantity(asked.robot, "energy", asked.spans[0].payloads, q=q, qd=qd)
        work = state[:, p.work]
        return energy[:, 0] + energy[:, 1] - (work[:, 0] + work[:, 1] + work[:, 2] + work[:, 3])
