"""From logs to a model: what is read, fitted, brought to what bodies can be, and judged by logs that were held out.

Each joint is weighed by what is left of its own torques. Friction under load depends on the torque of the rigid body,
so rows are read again once that is known. What least squares says is kept with its error bars; the model is the
nearest whose bodies can be (`possible`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from scipy.optimize import nnls

from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.identify.base_parameters import base_parameters
from strobe.identify.drive_gains import PAYLOAD, Gains, LoadedLayout, gains_of
from strobe.identify.even_samples import Stretch, possible_rows
from strobe.identify.friction import chosen
from strobe.identify.identification import Identification, LogFit
from strobe.identify.log_doubts import doubts, scaled, standing
from strobe.identify.logs import Log
from strobe.identify.payload_readings import owners
from strobe.identify.payload_regressor import payload_regressor
from strobe.identify.possible import Bounds, is_possible, nearest_possible, plain_bodies
from strobe.identify.torque_fit import TorqueFit, Triangle, fitted, stacked
from strobe.identify.torque_rows import STILL, TorqueModel, all_rows, effort_of, stretches_of
from strobe.models.arguments import finite_numbers
from strobe.models.model import Model
from strobe.models.parameters import PER_BODY
from strobe.robot import Robot, require_robot

Array = np.ndarray

FRICTION = ("rotor", "viscous", "quadratic", "presliding", "load", "offset")
PLAIN = ("viscous", "coulomb", "offset")
DRIVE = ("rotor", "viscous", "coulomb")  # what model files hold
ROUNDS = 4  # in which friction under load and the load find each other
WEIGHINGS = 5  # in which joints find their weights
LEAST_MOTION = 1e-3  # rad or m, of a log
MOST = 0.99  # of the power of a velocity
WHOLE = 8.0  # times the frequency below which that lies
SHORTEST = 0.1  # m: a link without joints beyond it is as long


def identify(
    robot: Robot, logs: Log | Sequence[Log], *, test: Log | Sequence[Log] = (), friction: Sequence[str] = FRICTION,
    cutoff: float | None = None, gains: Any = None, loaded: Log | Sequence[Log] = (), load: float | None = None,
    frame: str | None = None,
) -> Identification:  # fmt: skip
    """A robot's inertial parameters and friction from logs of motions and the torques they took.

    ``test`` are logs that are not fitted, and tell how far the model can be trusted. ``friction`` names terms of
    `strobe.identify.friction`. ``cutoff`` (Hz) is the band; chosen from the motion if not given. ``gains`` (N m/A,
    one per joint) make torques of motor currents; they are found where ``loaded`` logs were recorded with a ``load``
    (kg) at a frame (the tip).
    """
    require_robot(robot)
    train, held, carrying = _logs(logs), _logs(test), _logs(loaded)
    _require(robot, train, carrying, load)
    model = TorqueModel(base_parameters(robot), chosen(friction))
    cutoff = _band_of(train) if cutoff is None else finite_numbers("cutoff", [cutoff], 1)[0]
    found, remarks = None, []
    if load is not None:
        where = robot.moving_frame(frame)
        found, remarks = _gains(robot, model, train, carrying, load, where, cutoff)
    if gains is not None:
        gains = finite_numbers("gains", gains, robot.nv)
    elif found is not None:
        gains = found.values
    pieces, said = _pieces((*train, *held), gains, cutoff)
    read = [piece for each in pieces[: len(train)] for piece in each]
    remarks += [*said, *standing(owners(robot), read, STILL), *_doubts(model, read, cutoff)]
    triangles, fit = _fitted(model, read, cutoff)
    first, spread = fit.values[: model.base.count], fit.deviations[: model.base.count]
    remarks += scaled(first, model.base.values, spread)
    parameters, own, said = _possible(robot, model, triangles, fit)
    values = np.concatenate([model.base.map @ parameters, own.ravel()])
    told = [
        _told(model, log, each, cutoff, fit.values, values, log not in train)
        for log, each in zip((*train, *held), pieces, strict=True)
    ]
    drives = _drives(model, read, cutoff, own)
    return Identification(
        robot, model.base, tuple(term.name for term in model.terms), cutoff, fit, parameters, own, drives,
        tuple(told), tuple(dict.fromkeys([*remarks, *said])), found, None if gains is None else np.array(gains),
    )  # fmt: skip


def _logs(logs: Log | Sequence[Log]) -> list[Log]:
    return [logs] if isinstance(logs, Log) else list(logs)


def _require(robot: Robot, train: Sequence[Log], loaded: Sequence[Log], load: float | None) -> None:
    """Refuse what cannot be identified."""
    if not isinstance(robot, Robot):
        raise ArgumentError(f"robot is a {type(robot).__name__}; expected a Robot: strobe.load(…).")
    if not train:
        raise ArgumentError("logs is empty; give at least one log.")
    for log in (*train, *loaded):
        if not isinstance(log, Log):
            raise ArgumentError(f"a log is a {type(log).__name__}; expected one of strobe.read_log(…).")
    if not robot.coordinates.is_single:
        raise UnsupportedModelError(
            f"{robot.name} has joints with several degrees of freedom; robots are identified whose joints have one."
        )
    if bool(loaded) != (load is not None):
        raise ArgumentError(
            "loaded and load belong together: logs, and the mass (kg) that was carried in them."
        )
    if load is not None and not (np.isfinite(load) and load > 0):
        raise ArgumentError(f"load is {load}; a mass is positive.")


def _band_of(logs: Sequence[Log]) -> float:
    """A cut-off that leaves the motion whole: some times the frequency below which all but a little of it lies."""
    moving = [
        log for log in logs if np.nanmax(np.nanmax(log.q, axis=0) - np.nanmin(log.q, axis=0)) > LEAST_MOTION
    ]
    if not moving:
        names = ", ".join(log.source for log in logs)
        raise ArgumentError(f"no joint moves in {names}: there is nothing to identify.")
    return WHOLE * max(_content(log) for log in moving)


def _content(log: Log) -> float:
    """The frequency (Hz) below which a part `MOST` of the velocity of each joint lies."""
    if log.times is None:
        raise ArgumentError(
            f'{log.source}: rates are taken by the times of its rows; there is no column "t".'
        )
    kept, _ = possible_rows(log.times, log.q)
    times, q = log.times[kept], log.q[kept]
    step = float(np.median(np.diff(times)))
    first, last = np.percentile(times, (1, 99)).tolist()
    even = np.arange(first, last, step)
    moved: Array = np.diff(np.column_stack([np.interp(even, times, x) for x in q.T]), axis=0)
    power = np.abs(np.fft.rfft(moved * np.hanning(len(moved))[:, None], axis=0)) ** 2
    share = np.cumsum(power, axis=0) / np.maximum(power.sum(axis=0), np.finfo(float).tiny)
    highest = np.argmax(share >= MOST, axis=0).max()
    return float(np.fft.rfftfreq(len(moved), step)[max(highest, 1)])


def _pieces(logs: Sequence[Log], gains: Any, cutoff: float) -> tuple[list[list[Stretch]], list[str]]:
    """The stretches of each log, and what was left out."""
    pairs = [stretches_of(log, effort_of(log, gains), cutoff) for log in logs]
    return [pieces for pieces, _ in pairs], [remark for _, said in pairs for remark in said]


# -- the fit ----------------------------------------------------------------------------------------


def _fitted(
    model: TorqueModel, pieces: Sequence[Stretch], cutoff: float, weighings: int = WEIGHINGS
) -> tuple[list[Triangle], TorqueFit]:
    layout = model.layout
    rotor = model.places("rotor")
    parts = [model.base.count + j * layout.friction + k for j in model.rotors() for k in rotor]
    triangles, fit = layout.empty(), None
    for _ in range(ROUNDS if model.needs_load else 1):
        triangles = layout.empty()
        for rows in all_rows(model, pieces, cutoff, None if fit is None else fit.values):
            for j, triangle in enumerate(triangles):
                triangle.add(*rows.of(j), rows.worth)
        fit = fitted(layout, triangles, parts, weighings)
    assert fit is not None
    return triangles, fit


def _doubts(model: TorqueModel, pieces: Sequence[Stretch], cutoff: float) -> list[str]:
    """What may be wrong with columns, by fits with the plainest friction."""
    plain = TorqueModel(model.base, chosen(PLAIN))

    def error(tried: Sequence[Stretch]) -> Array:
        triangles, fit = _fitted(plain, tried, cutoff, weighings=1)
        left = [t.residual(fit.values[plain.layout.of(j)]) for j, t in enumerate(triangles)]
        return 100 * np.sqrt([x / (t.size or 1.0) for x, t in zip(left, triangles, strict=True)])

    return doubts(owners(model.base.robot), pieces, error)


def _told(
    model: TorqueModel, log: Log, pieces: Sequence[Stretch], cutoff: float, best: Array, possible: Array,
    held_out: bool,
) -> LogFit:  # fmt: skip
    rows = list(all_rows(model, pieces, cutoff, possible))
    effort, tells = np.concatenate([x.effort for x in rows]), np.concatenate([x.tells for x in rows])
    known = np.concatenate([x.base @ model.base.values for x in rows])
    by_best, after = (np.concatenate([x.torques(v) for x in rows]) for v in (best, possible))
    return LogFit(
        log.source, held_out, len(log),
        _relative(effort, known), _relative(effort, by_best), _relative(effort, after),
        _relative(np.where(tells, effort, 0.0), np.where(tells, after, 0.0)),
    )  # fmt: skip


def _relative(measured: Array, predicted: Array) -> Array:
    """100 ‖τ − τ̂‖ / ‖τ‖ of each joint; NaN where nothing was measured."""
    size = np.linalg.norm(measured, axis=0)
    left = np.linalg.norm(measured - predicted, axis=0)
    return 100 * np.divide(left, size, out=np.full(len(size), np.nan), where=size > 0)


def _drives(model: TorqueModel, pieces: Sequence[Stretch], cutoff: float, friction: Array) -> Array:
    """Rotor, viscous and Coulomb friction (joints, 3) nearest to a richer friction, where joints move."""
    plain = TorqueModel(model.base, chosen(DRIVE[1:]))
    rotor = model.places("rotor")
    inner = [k for k in range(len(model.symbols)) if k not in (*rotor, *model.places("offset", "spring"))]
    values = np.concatenate([np.zeros(model.base.count), friction.ravel()])
    both = [(model.rows(piece, cutoff, values), plain.rows(piece, cutoff)) for piece in pieces]
    found = np.zeros((len(friction), len(DRIVE)))
    for j, own in enumerate(friction):
        wanted = np.concatenate(
            [rich.friction[rich.tells[:, j], j][:, inner] @ own[inner] for rich, _ in both]
        )
        columns = np.concatenate([bare.friction[bare.tells[:, j], j] for _, bare in both])
        found[j, 1:] = nnls(columns, wanted)[0] if len(columns) else 0.0
        found[j, 0] = own[rotor].sum()
    return found


# -- what bodies can be -----------------------------------------------------------------------------


def _possible(
    robot: Robot, model: TorqueModel, triangles: Sequence[Triangle], fit: TorqueFit
) -> tuple[Array, Array, list[str]]:
    """Parameters of bodies that can be, and the friction beside them."""
    prior, remarks = _known(robot)
    layout, bodies = model.layout, prior.size
    rows = stacked(layout, triangles, fit.noise)
    whole = np.column_stack([rows[:, : layout.base] @ model.base.map, rows[:, layout.base : -1]])
    positive = [
        bodies + j * layout.friction + k
        for j in range(layout.joints)
        for k, signed in enumerate(model.signed)
        if not signed
    ]
    bounds = Bounds(np.eye(whole.shape[1])[positive], np.zeros(len(positive)))
    start = np.concatenate([prior.ravel(), np.ones(layout.friction * layout.joints)])
    found = nearest_possible(whole, rows[:, -1], prior, bounds, start).values
    return found[:bodies], found[bodies:].reshape(layout.joints, layout.friction), remarks


def _known(robot: Robot) -> tuple[Array, list[str]]:
    """The ten parameters of each body as they were known, and what is taken where nothing was."""
    given = np.array(robot.parameters, dtype=float).reshape(-1, PER_BODY)
    lacking = [k for k, ten in enumerate(given) if not is_possible(ten)]
    if not lacking:
        return given, []
    lengths = [_length(robot.model, k) for k in range(len(given))]
    given[lacking] = plain_bodies(lengths)[lacking]
    names = ", ".join(robot.model.bodies[k].name for k in lacking)
    return given, [
        f"no mass and inertia of a body were given for {names}: plain bodies of their length begin."
    ]


def _length(model: Model, body: int) -> float:
    """How far a body reaches, by the places of the joints that it carries."""
    carried = [each.before.translation for each in model.bodies if each.parent == model.bodies[body].index]
    return max([SHORTEST, *(float(np.linalg.norm([cast(float, x) for x in place])) for place in carried)])


# -- gains ------------------------------------------------------------------------------------------


def _gains(
    robot: Robot, model: TorqueModel, free: Sequence[Log], loaded: Sequence[Log], mass: float, frame: str,
    cutoff: float,
) -> tuple[Gains, list[str]]:  # fmt: skip
    """Drive gains from currents without and with a load, and what was left out of the logs with it."""
    for log in (*free, *loaded):
        if log.current is None:
            raise ArgumentError(f"{log.source}: gains come from motor currents, and there are none in it.")
    known, _ = _known(robot)
    arm = robot.with_parameters(known.ravel())  # a load is linear: any masses do, none do not
    layout = LoadedLayout(model.base.count, len(model.symbols), robot.nv)
    empty, _ = _pieces(free, np.ones(robot.nv), cutoff)
    carrying, remarks = _pieces(loaded, np.ones(robot.nv), cutoff)
    pieces = [(piece, False) for each in empty for piece in each]
    pieces += [(piece, True) for each in carrying for piece in each]
    found: Gains | None = None
    for _ in range(ROUNDS if model.needs_load else 1):
        triangles = layout.empty()
        for piece, carries in pieces:
            _add_current(triangles, model, arm, piece, frame if carries else None, cutoff, found)
        found = gains_of(layout, triangles, mass)
    assert found is not None
    return found, remarks


def _add_current(
    triangles: Sequence[Triangle], model: TorqueModel, arm: Robot, piece: Stretch, frame: str | None, cutoff: float,
    found: Gains | None,
) -> None:  # fmt: skip
    """Rows of currents, with columns for what the hand holds at a frame."""
    held = np.zeros((*piece.q.shape, PAYLOAD))
    if frame is not None:
        held = payload_regressor(arm, piece.q, piece.qd, piece.qdd, frame=frame)
    values, carried = (None, 0.0) if found is None else (found.beside, held @ found.load)
    rows = model.rows(piece, cutoff, values, carried)
    kept = rows.band.kept(held)
    for j, triangle in enumerate(triangles):
        m = rows.tells[:, j]
        columns = np.column_stack([rows.base[m, j], kept[m, j], rows.friction[m, j]])
        triangle.add(columns, rows.effort[m, j], rows.worth)
