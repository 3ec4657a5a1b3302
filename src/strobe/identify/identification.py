"""What logs tell of a robot: parameters and friction, how well each is known, a model with bodies that can be."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from strobe.errors import counted
from strobe.files.reading import path_text
from strobe.files.writing import writing
from strobe.identify.base_parameters import BaseParameters
from strobe.identify.channel_delays import Delay
from strobe.identify.drive_gains import Gains
from strobe.identify.essential import Essential, essential
from strobe.identify.friction import chosen
from strobe.identify.logs import Log
from strobe.identify.payload_readings import owners
from strobe.identify.residuals import Residuals
from strobe.identify.torque_fit import TorqueFit
from strobe.identify.torque_rows import Readings, TorqueModel, effort_of, stretches_of
from strobe.models.joints import Friction, Motor
from strobe.models.model import Model
from strobe.models.uncertainty import Uncertainty
from strobe.models.writers import format_of, written
from strobe.robot import Robot
from strobe.show.sheet import Sheet, Table, displayed

Array = np.ndarray

TOLD = 2.0  # standard deviations: what lies nearer to nothing is not told from it


@displayed
@dataclass(frozen=True, slots=True, eq=False)
class LogFit:
    """How well one log is explained: relative residual errors ‖τ − τ̂‖ / ‖τ‖ of each joint, in percent."""

    source: str
    held_out: bool
    rows: int
    before: Array  # by the inertias that the robot was given with, without friction
    fit: Array  # by what fits best
    after: Array  # by the model that bodies can have
    moving: Array  # the same, in rows that tell of a joint
    rate: float  # rows a second
    kept: int  # rows within the band
    steps: Array  # (joints,), in which positions come; 0 where none are seen
    delay: Array | None  # (joints,) s, by which efforts were taken earlier than recorded
    behind: Delay | None  # by how much they seem to come after positions, where that was not said

    def __str__(self) -> str:
        left = ", ".join(f"{x:.3g}" for x in self.after)
        return f"{self.source}{' (held out)' * self.held_out}: {counted(self.rows, 'row')}, {left} % of torques left"


@displayed
@dataclass(frozen=True, eq=False)
class Identification:
    """What logs tell of a robot."""

    robot: Robot  # as it was given
    base: BaseParameters
    friction_terms: tuple[str, ...]
    cutoff: float  # Hz
    fit: TorqueFit  # base parameters, then the friction of each joint: what the data say
    parameters: Array  # (10 · bodies), of bodies that can be
    friction: Array  # (joints, coefficients) beside them
    filed: Array  # (10 · bodies), fitted beside the friction that model files hold
    drives: Array  # (joints, 3): that rotor, viscous and Coulomb friction
    logs: tuple[LogFit, ...]
    remarks: tuple[str, ...]
    gains: Gains | None = None  # of the drives, where they were found
    taken_gains: Array | None = None  # of the drives, as torques of currents were taken
    estimator: str = "weighted"
    residuals: Residuals | None = None  # whether what is left is white
    crossed: Array | None = None  # (joints,) %: error of parts of the rows by fits to the others
    speeds: Array | None = None  # (joints,), within which friction falls (Stribeck)

    @property
    def model(self) -> TorqueModel:
        """What the torques are made of."""
        return TorqueModel(self.base, chosen(self.friction_terms), self.speeds)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The coefficients of one joint's friction."""
        return self.model.symbols

    @property
    def coefficients(self) -> tuple[str, ...]:
        """The same with their units, where joints turn."""
        pairs = zip(self.model.symbols, self.model.units, strict=True)
        return tuple(symbol if unit == "1" else f"{symbol} ({unit})" for symbol, unit in pairs)

    @property
    def values(self) -> Array:
        """The base parameters that fit best."""
        return self.fit.values[: self.base.count]

    @property
    def deviations(self) -> Array:
        """Their standard deviations; infinite where the logs leave one open."""
        return self.fit.deviations[: self.base.count]

    @property
    def friction_deviations(self) -> Array:
        """(joints, coefficients): standard deviations of friction; 0 of a rotor that is part of a base parameter."""
        return self.fit.deviations[self.base.count :].reshape(self.friction.shape)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every base parameter as a combination, with rotors that no torque tells from it: Izz1 + Ia1."""
        found = list(self.base.names)
        for joint, column in self.model.rotors().items():
            for k in np.flatnonzero(column):
                found[k] += f" + Ia{joint + 1}"
        return tuple(found)

    @cached_property
    def identified(self) -> Robot:
        """The robot as model files can hold it: inertias fitted beside rotors, viscous and Coulomb friction."""
        model = driven(self.robot.with_parameters(self.filed).model, self.drives.tolist())
        return self.robot.with_model(replace(model, uncertainty=self.uncertainty, golden=()))

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """How well the robot is known, as it is kept with it."""
        from strobe.identify.drawn_robots import uncertainty_of

        values, fit = self.base.map @ self.filed, self.fit
        return uncertainty_of(self.base, values, self.symbols, self.drives, fit.covariance, fit.deviations)

    def write(
        self, path: str | os.PathLike[str], *, inputs: Sequence[Any] = (), force: bool = False
    ) -> list[str]:
        """`identified` as a .urdf or .toml file, and what there is to say of that; ``force`` replaces a file."""
        place = Path(path_text(path))
        text, remarks = written(self.identified.model, format_of(place))
        with writing(place, inputs=inputs, force=force) as stream:
            stream.write(text)
        return list(remarks)

    @property
    def possible(self) -> Array:
        """Base parameters and friction of the model whose bodies can be."""
        return np.concatenate([self.base.map @ self.parameters, self.friction.ravel()])

    @cached_property
    def essential(self) -> Essential:
        """What could be left out of base parameters and friction without a loss that the logs would notice."""
        deviations = self.fit.deviations
        return essential(self.fit.values, self.fit.covariance, ~np.isfinite(deviations) | (deviations == 0))

    @cached_property
    def all_names(self) -> tuple[str, ...]:
        """Base parameters, then the friction of each joint."""
        return *self.names, *(
            f"{symbol} {joint}" for joint in owners(self.robot) for symbol in self.symbols
        )

    @property
    def correlations(self) -> Array:
        """(unknowns, unknowns) of base parameters and friction; 0 of those that no log decides."""
        size = np.sqrt(np.diag(self.fit.covariance))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(self.fit.covariance / np.outer(size, size), posinf=0.0, neginf=0.0)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Base parameters and friction that these logs do not tell from nothing: open, or lost in their error."""
        pairs = zip(self.all_names, self.fit.values, self.fit.deviations, strict=True)
        return tuple(name for name, x, s in pairs if s > 0 and abs(x) < TOLD * s)

    def information(self, friction: Sequence[str] = ()) -> Array:
        """What the logs tell of base parameters and terms of friction, as `robot.excite(known=…)` takes it."""
        b, n, terms = self.base.count, self.robot.nv, self.model.places
        own = [
            place for name in friction for place in (terms(name) or [-1] * len(chosen([name])[0].symbols))
        ]
        asked = np.array(
            [*range(b), *(b + j * len(self.symbols) + k if k >= 0 else -1 for j in range(n) for k in own)]
        )
        J = self.fit.rows[:, :-1].T @ self.fit.rows[:, :-1]
        held = asked[asked >= 0]
        rest = np.setdiff1d(np.arange(len(J)), held)
        scale = np.where(np.diag(J) > 0, np.sqrt(np.diag(J)), 1.0)
        J = J / np.outer(scale, scale)
        left = (
            J[np.ix_(held, held)]
            - J[np.ix_(held, rest)] @ np.linalg.pinv(J[np.ix_(rest, rest)]) @ J[np.ix_(rest, held)]
        )
        found, told = np.zeros((len(asked), len(asked))), np.flatnonzero(asked >= 0)
        found[np.ix_(told, told)] = left * np.outer(scale[held], scale[held])
        return found

    @property
    def reading_rate(self) -> float:
        """Independent readings of torques in a second, whose noise is `fit.noise`."""
        return 1.5 * self.cutoff

    def predicted(self, log: Log, gains: Any = None) -> tuple[Array, Array, Array]:
        """Times (N,), and measured and predicted torques (N, joints) of a log, within the band."""
        times, measured, _, predicted = self.compared(log, gains)
        return times, measured, predicted

    def compared(self, log: Log, gains: Any = None) -> tuple[Array, Array, Array, Array]:
        """The same, with the torques of the robot as it was given, without friction, before those of the model."""
        gains = self.taken_gains if gains is None else gains
        delay = next((told.delay for told in self.logs if told.source == log.source), None)
        pieces, _ = stretches_of(log, effort_of(log, gains), self.cutoff, delay=delay)
        parts = [
            (rows.times, rows.effort, rows.base @ self.base.values, rows.torques(self.possible))
            for rows in Readings(self.model, pieces, self.cutoff).rows(self.possible)
        ]
        times, measured, before, after = (np.concatenate(part) for part in zip(*parts, strict=True))
        return times, measured, before, after

    def _sheet(self) -> Sheet:
        return Sheet(self.head, [*self.tables, *self.remarks])

    @property
    def head(self) -> str:
        """What it is, in a line."""
        read = sum(log.rows for log in self.logs if not log.held_out)
        return (
            f"{self.robot.name}: {self.base.count} base parameters and friction of "
            f"{counted(self.robot.nv, 'joint')} from {counted(read, 'row')}, below {self.cutoff:.3g} Hz"
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """How well logs are explained, the base parameters, friction."""
        return self._errors(), self._left(), self._parameters(), self._friction()

    def _errors(self) -> Table:
        rows = [
            [log.source + " (held out)" * log.held_out, *(float(f"{x:.3g}") for x in log.after)]
            for log in self.logs
        ]
        return Table(["relative residual error, %", *owners(self.robot)], rows)

    def _left(self) -> Table:
        """What is left of each joint: how large, whether it is noise, and when its part of the rows was held out."""
        rows: list[list[Any]] = [["noise of a row (N m, N)", *(float(f"{x:.3g}") for x in self.fit.noise)]]
        if self.residuals is not None:
            rows.append(["chance of white noise", *(float(f"{x:.2g}") for x in self.residuals.chance)])
        if self.crossed is not None:
            rows.append(["cross-validation, %", *(float(f"{x:.3g}") for x in self.crossed)])
        return Table(["what is left", *owners(self.robot)], rows)

    def _parameters(self) -> Table:
        rows = zip(self.values.tolist(), self.deviations.tolist(), self.names, strict=True)
        return Table(
            ["value", "±", "base parameter (kg, kg m, kg m²)"],
            [[x, float(f"{s:.2g}"), name] for x, s, name in rows],
        )

    def _friction(self) -> Table:
        spread = self.friction_deviations
        rows = [
            [name, *(f"{x:.3g} ± {s:.1g}" for x, s in zip(own, its, strict=True))]
            for name, own, its in zip(owners(self.robot), self.friction, spread, strict=True)
        ]
        return Table(["friction", *self.coefficients], rows)


Result = Identification


def driven(model: Model, drives: Sequence[Sequence[float]]) -> Model:
    """The model with other drives, one after the other for its degrees of freedom."""
    bodies, given = [], iter(drives)
    for body in model.bodies:
        if body.joint.nv == 1:
            rotor, viscous, coulomb = next(given)
            friction = Friction(viscous, (coulomb, -coulomb))
            body = replace(body, joint=replace(body.joint, motor=Motor(inertia=rotor), friction=friction))
        bodies.append(body)
    return replace(model, bodies=tuple(bodies))
