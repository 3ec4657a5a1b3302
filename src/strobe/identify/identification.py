"""From logs of a robot to a model that can be trusted: inertias, friction, how well each is known, and what is not.

    F τ = F (Y_b π_b + friction) + noise

Y_b is the base regressor, friction is linear in its coefficients (`friction`), F the band in which rows are kept
(`even_samples`); both sides pass through it. Each joint is weighed by what is left of its own torques. Load friction
depends on the torque of the rigid body, so rows are read again once that is known. The answer of least squares says
what the data say; the nearest parameters that bodies can have (`possible`) make the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from strobe.errors import ArgumentError, counted
from strobe.identify.base_parameters import BaseParameters, base_parameters
from strobe.identify.drive_gains import Gains, LoadedLayout, gains_of
from strobe.identify.even_samples import Band, Stretch, stretches
from strobe.identify.friction import Motion, Term, chosen
from strobe.identify.log_doubts import doubts, saturated, scaled, standing
from strobe.identify.logs import Log
from strobe.identify.payload_readings import owners
from strobe.identify.payload_regressor import payload_regressor
from strobe.identify.possible import Bounds, is_possible, nearest_possible, plain_bodies
from strobe.identify.torque_fit import Layout, TorqueFit, Triangle, fitted, stacked
from strobe.models.joints import Friction, Motor
from strobe.models.model import Model
from strobe.models.parameters import PER_BODY
from strobe.robot import Robot
from strobe.show.sheet import Sheet, Table, displayed

Array = np.ndarray

FRICTION = ("rotor", "viscous", "quadratic", "presliding", "load", "offset")
PLAIN = ("viscous", "coulomb", "offset")
LOAD_ROUNDS = 4  # in which friction under load and the load find each other
LEAST_MOTION = 1e-3  # rad or m, of a log
STILL = 2e-3  # rad/s or m/s: a joint below it all the while stands, and friction holds whatever is left
REST = 0.25  # s, before and after a row
MOST = 0.99  # of the power of a velocity
WHOLE = 8.0  # times the frequency below which that lies


@dataclass(frozen=True, slots=True, eq=False)
class LogFit:
    """How well one log is explained: relative residual error ‖τ − τ̂‖ / ‖τ‖ of each joint, in its moving rows and all."""

    source: str
    held_out: bool
    rows: int
    before: Array  # by the robot as it was given; NaN where it has no mass
    fit: Array  # by what fits best
    after: Array  # by the model that bodies can have
    moving: Array  # the same, in rows in which the joint moves


@displayed
@dataclass(frozen=True, eq=False)
class Identification:
    """What logs tell of a robot."""

    robot: Robot  # as it was given
    base: BaseParameters
    terms: tuple[Term, ...]
    cutoff: float  # Hz
    fit: TorqueFit  # base parameters, then the friction of each joint
    parameters: Array  # (10 · bodies), what bodies can have
    friction: Array  # (joints, coefficients) that goes with them
    logs: tuple[LogFit, ...]
    remarks: tuple[str, ...]
    gains: Gains | None = None  # of the drives, where they were found

    @property
    def layout(self) -> Layout:
        return _layout(self.base, self.terms, self.robot)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The coefficients of one joint's friction."""
        return tuple(symbol for term in self.terms for symbol in term.symbols)

    @cached_property
    def values(self) -> Array:
        """The base parameters that fit best."""
        return self.fit.values[: self.base.count]

    @cached_property
    def deviations(self) -> Array:
        """Their standard deviations."""
        return self.fit.deviations[: self.base.count]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every base parameter as a combination, with rotors that turn as its body does: Izz1 + Ia1."""
        found = list(self.base.names)
        for joint, column in _rotors(self.base, self.terms).items():
            for k in np.flatnonzero(column):
                found[k] += f" + Ia{joint + 1}"
        return tuple(found)

    @cached_property
    def coulomb(self) -> Array:
        """(joints,): the friction that does not grow with speed, of all its elements together."""
        columns = [k for k, symbol in enumerate(self.symbols) if symbol.startswith("c") and symbol != "ca"]
        return self.friction[:, columns].sum(axis=1)

    @cached_property
    def identified(self) -> Robot:
        """The robot with what was found: inertias, rotors, viscous and Coulomb friction."""
        return self.robot.with_model(
            _with_drives(self.robot.with_parameters(self.parameters).model, self._drives())
        )

    def predicted(self, log: Log, effort: Array | None = None) -> tuple[Array, Array, Array]:
        """Times, measured and predicted torques (N, joints) of a log, within the band."""
        rows = [
            (band.kept(piece.times), *_rows(self.base, self.terms, piece, band, self._values())[:3])
            for piece, band in _pieces(log, self.cutoff, effort)[0]
        ]
        t, A, F, y = (np.concatenate(part) for part in zip(*rows, strict=True))
        return t, y, _torques(self.layout, A, F, self._values())

    def _values(self) -> Array:
        return np.concatenate([self.base.map @ self.parameters, self.friction.ravel()])

    def _drives(self) -> list[tuple[float, float, float]]:
        def of(symbol: str) -> Array:
            names = self.symbols
            return self.friction[:, names.index(symbol)] if symbol in names else np.zeros(len(self.friction))

        return list(zip(of("Ia").tolist(), of("v").tolist(), self.coulomb.tolist(), strict=True))

    def _sheet(self) -> Sheet:
        head = (
            f"{self.robot.name}: {self.base.count} base parameters and friction of "
            f"{counted(self.robot.nv, 'joint')}, from {counted(sum(log.rows for log in self.logs if not log.held_out), 'row')}"
        )
        names = owners(self.robot)
        errors = Table(
            ["relative residual error, %", *names],
            [
                [f"{log.source}{' (held out)' if log.held_out else ''}", *(float(round(x, 1)) for x in log.after)]
                for log in self.logs
            ],
        )
        found = [
            [float(value), float(spread), name]
            for value, spread, name in zip(self.values, self.deviations, self.names, strict=True)
        ]
        return Sheet(head, [errors, Table(["value", "±", "base parameter"], found), *self.remarks])


def identify(
    robot: Robot, logs: Log | Sequence[Log], *, test: Log | Sequence[Log] = (), friction: Sequence[str] = FRICTION,
    cutoff: float | None = None, gains: Any = None, loaded: Log | Sequence[Log] = (), load: float | None = None,
    frame: str | None = None,
) -> Identification:  # fmt: skip
    """A robot's inertial parameters and friction from logs of motions and the torques they took.

    ``test`` are logs that are not fitted, and tell how far the model can be trusted. ``cutoff`` (Hz) is the band;
    chosen from the motion if not given. ``gains`` (N m/A, one per joint) make torques of motor currents; they are
    found where ``loaded`` logs were recorded with a ``load`` (kg) at a frame (the tip).
    """
    train, held, carrying = _several(logs), _several(test), _several(loaded)
    if not train:
        raise ArgumentError("logs is empty; give at least one log.")
    if bool(carrying) != (load is not None):
        raise ArgumentError("loaded and load belong together: logs, and the mass (kg) that the hand carried in them.")
    base, terms = base_parameters(robot), chosen(friction)
    layout = _layout(base, terms, robot)
    cutoff = _band_of(train) if cutoff is None else float(cutoff)
    remarks: list[str] = []
    found_gains: Gains | None = None
    if load is not None:
        found_gains, said = _gains(robot, base, terms, train, carrying, load, robot.moving_frame(frame), cutoff)
        remarks += said
        gains = found_gains.values if gains is None else gains
    pieces: dict[int, list[tuple[Stretch, Band]]] = {}
    for log in (*train, *held):
        pieces[id(log)], said = _pieces(log, cutoff, _effort(robot, log, gains))
        remarks += [f"{log.source}: {each}" for each in said]
    names = owners(robot)
    stretched = [piece for log in train for piece, _ in pieces[id(log)]]
    remarks += standing(names, stretched, STILL)
    remarks += doubts(names, stretched, lambda tried: _plain_error(base, tried, cutoff))
    rotor = [k for k, term in enumerate(t for t in terms for _ in t.symbols) if term.name == "rotor"]
    parts = [base.count + j * layout.friction + k for j in _rotors(base, terms) for k in rotor]
    triangles: list[Triangle] = []
    fit: TorqueFit | None = None
    for _ in range(LOAD_ROUNDS if any(term.needs_load for term in terms) else 1):
        triangles = layout.empty()
        for log in train:
            for piece, band in pieces[id(log)]:
                A, F, y, moving = _rows(base, terms, piece, band, None if fit is None else fit.values)
                for j, triangle in enumerate(triangles):
                    m = moving[:, j]
                    triangle.add(np.column_stack([A[m, j], F[m, j]]), y[m, j], 1 / band.colour)
        fit = fitted(layout, triangles, parts)
    assert fit is not None
    remarks += scaled(fit.values[: base.count], base.values, fit.deviations[: base.count])
    parameters, drives, said = _possible(robot, base, terms, layout, triangles, fit)
    remarks += said
    found = Identification(robot, base, terms, cutoff, fit, parameters, drives, (), tuple(remarks), found_gains)
    told = [
        _told(found, log, pieces[id(log)], log in held)  # noqa: the logs of a list
        for log in (*train, *held)
    ]
    return replace(found, logs=tuple(told))


def _gains(
    robot: Robot, base: BaseParameters, terms: Sequence[Term], free: Sequence[Log], loaded: Sequence[Log],
    mass: float, frame: str, cutoff: float,
) -> tuple[Gains, list[str]]:  # fmt: skip
    """Drive gains from currents without and with a load."""
    layout = LoadedLayout(base.count, sum(len(term.symbols) for term in terms), robot.nv)
    known, _ = _known(robot)
    arm = robot.with_parameters(known.ravel())  # masses do not matter; without any there are no torques
    found: Gains | None = None
    remarks: list[str] = []
    for _ in range(LOAD_ROUNDS if any(term.needs_load for term in terms) else 1):
        triangles, remarks = layout.empty(), []
        for log in (*free, *loaded):
            if log.current is None:
                raise ArgumentError(f"{log.source}: gains come from motor currents, and there are none in it.")
            pieces, said = _pieces(log, cutoff, log.current)
            remarks += [f"{log.source}: {each}" for each in said] if log in loaded else []
            for piece, band in pieces:
                Y = base.regressor(piece.q, piece.qd, piece.qdd)
                held = np.zeros((*Y.shape[:2], 10))
                if any(log is each for each in loaded):
                    held = payload_regressor(arm, piece.q, piece.qd, piece.qdd, frame=frame)
                motion = Motion.of(piece)
                if found is not None and any(term.needs_load for term in terms):
                    motion = _under_load(base, terms, motion, Y, found.values_beside, held @ found.load)
                F = np.stack([column for term in terms for column in term.columns(motion)], axis=-1)
                rows = np.concatenate([band.kept(Y), band.kept(held), band.kept(F)], axis=-1)
                current, moving = band.kept(piece.effort), _tells(piece, band)
                for j, triangle in enumerate(triangles):
                    triangle.add(rows[moving[:, j], j], current[moving[:, j], j], 1 / band.colour)
        found = gains_of(layout, triangles, mass)
    assert found is not None
    return found, remarks


def _plain_error(base: BaseParameters, pieces: Sequence[Stretch], cutoff: float) -> Array:
    """The relative residual errors of a fit with the plainest friction, for a comparison."""
    terms = chosen(PLAIN)
    layout = _layout(base, terms, base.robot)
    triangles = layout.empty()
    for piece in pieces:
        A, F, y, tells = _rows(base, terms, piece, Band.below(cutoff, piece.step), None)
        for j, triangle in enumerate(triangles):
            m = tells[:, j]
            triangle.add(np.column_stack([A[m, j], F[m, j]]), y[m, j])
    values = fitted(layout, triangles).values
    left = [triangle.residual(values[layout.of(j)]) for j, triangle in enumerate(triangles)]
    return 100 * np.sqrt([x / (t.size or 1.0) for x, t in zip(left, triangles, strict=True)])


def _several(logs: Log | Sequence[Log]) -> list[Log]:
    return [logs] if isinstance(logs, Log) else list(logs)


def _layout(base: BaseParameters, terms: Sequence[Term], robot: Robot) -> Layout:
    return Layout(base.count, sum(len(term.symbols) for term in terms), robot.nv)


def _band_of(logs: Sequence[Log]) -> float:
    """A cut-off that leaves the motion whole: some times the frequency below which all but a little of it lies."""
    moving = [log for log in logs if np.nanmax(np.nanmax(log.q, axis=0) - np.nanmin(log.q, axis=0)) > LEAST_MOTION]
    if not moving:
        raise ArgumentError(f"no joint moves in {', '.join(log.source for log in logs)}: there is nothing to identify.")
    return WHOLE * max(_content(log) for log in moving)


def _content(log: Log) -> float:
    """The frequency (Hz) below which a part `MOST` of the velocity of each joint lies."""
    if log.times is None:
        raise ArgumentError(f'{log.source}: rates are taken by the times of its rows; there is no column "t".')
    kept = np.isfinite(log.times) & np.isfinite(log.q).all(axis=1)
    times, q = log.times[kept], log.q[kept]
    order = np.argsort(times, kind="stable")
    times, q = times[order], np.clip(q[order], *np.percentile(q, (1, 99), axis=0))
    step = float(np.median(np.diff(times)))
    even = np.arange(*np.percentile(times, (1, 99)), step)
    moved = np.diff(np.column_stack([np.interp(even, times, x) for x in q.T]), axis=0)
    power = np.abs(np.fft.rfft(moved * np.hanning(len(moved))[:, None], axis=0)) ** 2
    share = np.cumsum(power, axis=0) / np.maximum(power.sum(axis=0), 1e-300)
    highest = np.argmax(share >= MOST, axis=0).max()
    return float(np.fft.rfftfreq(len(moved), step)[max(highest, 1)])


def _effort(robot: Robot, log: Log, gains: Any) -> Array:
    if gains is not None and log.current is not None:
        return log.current * np.asarray(gains, dtype=float)
    if log.tau is None:
        raise ArgumentError(f"{log.source}: there are no torques in it; of motor currents, say the gains.")
    return log.tau


def _pieces(log: Log, cutoff: float, effort: Array) -> tuple[list[tuple[Stretch, Band]], list[str]]:
    cut, told = saturated(log.joints, effort)
    found, remarks = stretches(log, np.where(cut, np.nan, effort), cutoff)
    remarks = [*told, *remarks]
    return [(piece, Band.below(cutoff, piece.step)) for piece in found], remarks


def _rows(
    base: BaseParameters, terms: Sequence[Term], piece: Stretch, band: Band, values: Array | None
) -> tuple[Array, Array, Array, Array]:
    """Base regressor (M, n, b), friction (M, n, k), torques (M, n) in the band, and where joints move (M, n)."""
    Y = base.regressor(piece.q, piece.qd, piece.qdd)
    motion = Motion.of(piece)
    if values is not None and any(term.needs_load for term in terms):
        motion = _under_load(base, terms, motion, Y, values)
    F = np.stack([column for term in terms for column in term.columns(motion)], axis=-1)
    return band.kept(Y), band.kept(F), band.kept(piece.effort), _tells(piece, band)


def _rotors(base: BaseParameters, terms: Sequence[Term]) -> dict[int, Array]:
    """The rotors that no torque tells from a base parameter, by their joint, and the parameters that hold them."""
    if all(term.name != "rotor" for term in terms):
        return {}
    with_drives = base_parameters(base.robot, drives=True)
    inertial = len(base.parameter_names)
    rotors = range(inertial, len(with_drives.parameter_names), 4)
    held = [with_drives.kept.index(k) for k in base.kept]
    return {j: with_drives.map[held, k] for j, k in enumerate(rotors) if k not in with_drives.kept}


def _under_load(
    base: BaseParameters, terms: Sequence[Term], motion: Motion, Y: Array, values: Array, carried: Any = 0.0
) -> Motion:
    names = [symbol for term in terms for symbol in term.symbols]
    weights = values[base.count :].reshape(motion.q.shape[1], len(names))
    elements = [k for k, term in enumerate(names) if term[0] == "c" and term[1:].isdigit()]
    if not elements:
        slip = np.clip(motion.qd / 1e-3, -1, 1)
    else:
        w = np.maximum(weights[:, elements], 0.0) + 1e-12
        slip = np.einsum("njk,jk->nj", motion.bent, w / w.sum(axis=1, keepdims=True))
    return replace(motion, rigid=Y @ values[: base.count] + carried, slip=slip)


def _tells(piece: Stretch, band: Band) -> Array:
    """Whether a kept row tells of each joint: it moves about that time, and its effort was recorded all the while."""
    half = len(band.taps) // 2
    about = 2 * int(REST / piece.step) + 1
    moves = maximum_filter1d(np.abs(piece.qd), about, axis=0) > STILL
    felt = minimum_filter1d(piece.felt.astype(np.int8), 2 * half + 1, axis=0, mode="nearest") > 0
    kept = np.round(band.kept(np.arange(len(piece), dtype=float))).astype(int)
    return (moves & felt)[np.clip(kept, 0, len(piece) - 1)]


def _torques(layout: Layout, A: Array, F: Array, values: Array) -> Array:
    own = values[layout.base :].reshape(layout.joints, layout.friction)
    return A @ values[: layout.base] + np.einsum("njk,jk->nj", F, own)


def _possible(
    robot: Robot, base: BaseParameters, terms: Sequence[Term], layout: Layout, triangles: Sequence[Triangle],
    fit: TorqueFit,
) -> tuple[Array, Array, list[str]]:  # fmt: skip
    """Parameters of bodies that can be, and the friction beside them."""
    prior, remarks = _known(robot)
    rows = stacked(layout, triangles, fit.noise)
    whole = np.column_stack([rows[:, : layout.base] @ base.map, rows[:, layout.base : -1]])
    bodies = prior.size
    floor = [(k, term.signed) for k, term in enumerate(t for t in terms for _ in t.symbols)]
    positive = [
        bodies + j * layout.friction + k for j in range(layout.joints) for k, signed in floor if not signed
    ]
    bounds = Bounds(np.eye(whole.shape[1])[positive], np.zeros(len(positive)))
    start = np.concatenate([prior.ravel(), np.ones(layout.friction * layout.joints)])
    found = nearest_possible(whole, rows[:, -1], prior, bounds, start)
    parameters = found.values[:bodies]
    if not is_possible(parameters):  # never: each of Newton's steps stays inside
        raise ArgumentError("no possible parameters were found.")
    return parameters, found.values[bodies:].reshape(layout.joints, layout.friction), remarks


def _known(robot: Robot) -> tuple[Array, list[str]]:
    """The ten parameters of each body as they were known, and what is taken where nothing was."""
    given = np.array(robot.parameters, dtype=float).reshape(-1, PER_BODY)
    lacking = [k for k, ten in enumerate(given) if not is_possible(ten)]
    if not lacking:
        return given, []
    lengths = [_length(robot.model, k) for k in range(len(given))]
    given[lacking] = plain_bodies(lengths)[lacking]
    names = ", ".join(robot.model.bodies[k].name for k in lacking)
    return given, [f"nothing possible was known of {names}: plain bodies of their length are taken as a first guess."]


def _length(model: Model, body: int) -> float:
    """How far a body reaches, by the places of the joints that it carries."""
    reach = [0.1]
    own = model.bodies[body]
    for each in model.bodies:
        if each.parent == own.index:
            reach.append(float(np.linalg.norm([float(x) for x in each.before.translation])))  # pyright: ignore
    return max(reach)


def _with_drives(model: Model, drives: Sequence[tuple[float, float, float]]) -> Model:
    bodies, given = [], iter(drives)
    for body in model.bodies:
        if body.joint.nv == 1:
            inertia, viscous, coulomb = next(given)
            friction = Friction(viscous, (coulomb, -coulomb))
            body = replace(body, joint=replace(body.joint, motor=Motor(inertia=inertia), friction=friction))
        bodies.append(body)
    return replace(model, bodies=tuple(bodies))


def _told(
    found: Identification, log: Log, pieces: Sequence[tuple[Stretch, Band]], held_out: bool
) -> LogFit:
    rows = [_rows(found.base, found.terms, piece, band, found._values()) for piece, band in pieces]
    A, F, y, moving = (np.concatenate(part) for part in zip(*rows, strict=True))
    best = _torques(found.layout, A, F, found.fit.values)
    after = _torques(found.layout, A, F, found._values())
    known = A @ found.base.values + 0.0
    return LogFit(
        log.source, held_out, len(log), _relative(y, known), _relative(y, best), _relative(y, after),
        _relative(np.where(moving, y, 0), np.where(moving, after, 0)),
    )  # fmt: skip


def _relative(measured: Array, predicted: Array) -> Array:
    size = np.linalg.norm(measured, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 100 * np.linalg.norm(measured - predicted, axis=0) / size
