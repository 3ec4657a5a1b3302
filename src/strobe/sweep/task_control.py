"""How arms follow a motion under a controller, beside its start and with what it does not know of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from strobe.approximate.method import Formula
from strobe.approximate.methods import METHODS
from strobe.control.controller import Controller
from strobe.control.methods import make, offer
from strobe.control.plant_steps import plant_steps
from strobe.control.sample_rates import periods
from strobe.control.status import TrackingStatus
from strobe.control.tracking import control
from strobe.errors import ArgumentError
from strobe.robot import Robot
from strobe.simulate import step_size
from strobe.simulate.integrators import fixed_method
from strobe.simulate.problem import Problem, problem
from strobe.sweep.tasks import REAL, Task, batches, joined, root_mean_square, started

if TYPE_CHECKING:
    from strobe.sweep.plan import Cell, Field, Plan
    from strobe.trajectory.motion import Trajectory

Array = np.ndarray
MODEL = "model"  # what a controller believes the arm to be


class ControlTask(Task):
    """How far every joint strays from the motion, the torques asked for, and for how long motors gave less."""

    Status: ClassVar = TrackingStatus
    lost: ClassVar = TrackingStatus.DIVERGED

    def __init__(self, plan: Plan, cell: Cell) -> None:
        super().__init__(plan, cell)
        assert self.motion is not None
        self.believed = plan.believed(cell.robot)
        self.controller = self._made(self.motion)
        self.end = self.options["t"] or self.motion.duration
        self.typical = self._problem(self.motion)
        self.method, period = fixed_method(self.options["method"]), self.controller.period
        given, delay = self.options["steps"], self.options["delay"]
        self.steps = plant_steps(self.typical, self.method, period, delay, given).number
        kept = 6 * (self.robot.nq + self.robot.nv)  # numbers of a period, while a loop goes on
        self.numbers = kept * (periods(self.end, 1 / self.options["rate"], kept) + 1)

    @property
    def notes(self) -> tuple[str, ...]:
        step, modes = self.controller.period / self.steps, step_size.modes(self.typical)
        said = step_size.too_long(self.typical, self.method, step, modes)
        shorter = "More steps under [control] make it shorter."
        return super().notes if said is None else (*super().notes, f"{said} {shorter}")

    @staticmethod
    def results(robot: Robot) -> dict[str, Field]:
        each = ((robot.nv,), REAL)
        return {
            "error_max": each,
            "error_rms": each,
            "peak_torque": each,
            "cut": each,
            "reached": ((), REAL),
        }

    def __call__(self, given: Mapping[str, Array]) -> dict[str, Array]:
        return joined([self._some(some) for some in batches(given, self.numbers)])

    def _some(self, given: Mapping[str, Array]) -> dict[str, Array]:
        q, qd = started(self.robot, self.motion, given)
        options = {
            name: self.options[name] for name in ("delay", "tolerance", "limits", "friction", "method")
        }
        run = control(
            self.believed, self.motion, self.controller, plant=self.robot, q0=q, qd0=qd, t=self.end,
            steps=self.steps, check=False, threads=1, payload=self.payloads(given), frame=self.payload_frame,
            **options,
        )  # fmt: skip
        # a loop that was lost has nothing behind
        known = np.isfinite(run.error).all(axis=-1, keepdims=True)
        error, tau = np.where(known, run.error, 0.0), np.where(np.isfinite(run.tau), run.tau, 0.0)
        return {
            "error_max": np.abs(error).max(axis=1),
            "error_rms": root_mean_square(error, 1),
            "peak_torque": np.abs(tau).max(axis=1),
            "cut": run.cut,
            "reached": run.stopped,
            "status": run.status,
        }

    def _made(self, motion: Trajectory) -> Controller:
        """The controller of the cell, with the model that it believes in."""
        label = self.cell.chosen["controller"]
        entry = next(each for each in self.plan.document["controllers"] if each["label"] == label)
        gains = dict(entry["gains"])
        if MODEL in gains:
            raise ArgumentError(f"the gains name a {MODEL}; list it under approximations.")
        approximation = self.cell.chosen.get("approximation")
        if approximation is not None and believes(entry["name"]):
            gains[MODEL] = self._model(approximation, motion)
        return make(entry["name"], self.believed, 1.0 / self.options["rate"], **gains)

    def _model(self, name: str, motion: Trajectory) -> Formula:
        if METHODS[name].family == "fixed point":
            raise ArgumentError(f"{name} takes the place of a whole controller, not of its model.")
        made = METHODS[name].make(self.believed, motion, None)
        if not isinstance(made, Formula):
            raise ArgumentError(
                f"{name} knows torques along a motion only; a loop needs what holds beside it too, such as "
                "without-velocity-terms."
            )
        return made

    def _problem(self, motion: Trajectory) -> Problem:
        """The arm at the start of the motion, which tells the steps that all runs take in a period."""
        start, limits, friction = motion(0.0), self.options["limits"], self.options["friction"]
        return problem(self.robot, start.q, start.qd, None, self.end, limits=limits, friction=friction)


def believes(controller: str) -> bool:
    """Whether a controller uses a model of the arm, which an approximation can stand in for."""
    return MODEL in offer(controller).gains
