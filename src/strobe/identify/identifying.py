"""From logs to a model: what is read, fitted, brought to what bodies can be, and judged by logs that were held out.

Each joint is weighed by what is left of its own torques (`estimators` has other ways). Friction under load depends on
the torque of the rigid body, so rows are read again once that is known; so are the delay of efforts behind positions
and the speeds within which friction falls. What least squares says is kept with its error bars, which hold for
residuals that are not white; the model is the nearest whose bodies can be (`possible`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, cast

import numpy as np

from strobe.errors import ArgumentError, UnsupportedModelError, counted
from strobe.identify.base_parameters import base_parameters
from strobe.identify.body_bounds import body_bounds
from strobe.identify.channel_delays import Delay, delay_of
from strobe.identify.cross_validation import crossed
from strobe.identify.estimators import ESTIMATORS, HALVED, Estimate, estimated, unbiased
from strobe.identify.even_samples import WIDEST, Band, Stretch, possible_rows
from strobe.identify.falling_friction import with_speeds
from strobe.identify.friction import chosen
from strobe.identify.identification import Identification, LogFit
from strobe.identify.loaded_logs import found_gains
from strobe.identify.log_doubts import begun, constant, doubts, scaled, slow, standing
from strobe.identify.log_sources import Source
from strobe.identify.log_streams import LogStream
from strobe.identify.logs import Log
from strobe.identify.payload_readings import owners
from strobe.identify.possible import Bounds, is_possible, nearest_possible, plain_bodies
from strobe.identify.residuals import judged
from strobe.identify.torque_fit import TorqueFit
from strobe.identify.torque_rows import STILL, Readings, Together, TorqueModel
from strobe.models.arguments import finite_numbers, require_choice
from strobe.models.model import Model
from strobe.models.parameters import PER_BODY
from strobe.robot import Robot, require_robot

Array = np.ndarray
AnyLog = Log | LogStream

FRICTION = ("rotor", "viscous", "saturating", "presliding", "load", "offset")
PLAIN = ("viscous", "coulomb", "offset")
DRIVE = ("rotor", "viscous", "coulomb")  # what model files hold
MEANT = {
    "viscous": ("quadratic", "saturating"),
    "coulomb": ("presliding", "load", "saturating", "stribeck"),
}
LEAST_MOTION = 1e-3  # rad or m, of a log
MOST = 0.99  # of the power of a velocity
WHOLE = 8.0  # times the frequency below which that lies
FEWEST, LEAST_TIME = 50, 0.5  # rows, and seconds, of a log
FASTEST = 0.2  # of the rate of rows, of a motion
SHORTEST = 0.1  # m: a link without joints beyond it is as long
TRIED = 4  # stretches of a log, by which doubts and delays are judged
KEPT = 400  # rows within the band, of a stretch, that are enough for both
AGAIN = 2  # times a delay is looked for


def identify(
    robot: Robot, logs: AnyLog | Sequence[AnyLog], *, test: AnyLog | Sequence[AnyLog] = (),
    friction: Sequence[str] = FRICTION, estimator: str = "weighted", cutoff: float | None = None, gains: Any = None,
    torque_constants: Any = None, gear: Any = None, loaded: AnyLog | Sequence[AnyLog] = (), load: float | None = None,
    frame: str | None = None, delay: Any = None, within: Any = None, masses: Any = None,
) -> Identification:  # fmt: skip
    """A robot's inertial parameters and friction from logs of motions and the torques they took.

    ``test`` are logs that are not fitted, and tell how far the model can be trusted. ``friction`` names terms of
    `strobe.identify.friction`, ``estimator`` one of `strobe.identify.estimators`. ``cutoff`` (Hz) is the band; chosen
    from the motion if not given. ``gains`` (N m/A, one per joint) make torques of motor currents, or
    ``torque_constants`` (N m/A of the motor) with ``gear`` ratios; they are found where ``loaded`` logs were recorded
    with a ``load`` (kg) at a frame (the tip). ``delay`` (s; one, or one per joint) is by how much efforts were
    recorded later than positions; found in the logs that are fitted if not given. ``within`` are boxes, and
    ``masses`` bounds (kg), by the name of a link: ((x, y, z), (x, y, z)) about its frame, (least, most). Logs are
    those of `read_log`, or of `stream_log` where they are too long for memory.
    """
    require_robot(robot)
    train, held, carrying = _logs(logs), _logs(test), _logs(loaded)
    _require(robot, train, carrying, load)
    require_choice("estimator", estimator, ESTIMATORS)
    model = TorqueModel(base_parameters(robot), chosen(friction))
    prior, remarks = _known(robot)
    own_bounds, start, outside = body_bounds(robot, prior, within, masses)
    cutoff = _band_of(train) if cutoff is None else finite_numbers("cutoff", [cutoff], 1)[0]
    taken = _gains_given(robot, gains, torque_constants, gear)
    late = None if delay is None else _each("delay", delay, robot.nv)
    found = None
    if load is not None:
        even = np.ones(robot.nv)
        free, carried = ([Source(log, even, cutoff) for log in some] for some in (train, carrying))
        arm = robot.with_parameters(prior.ravel())  # a load is linear: any masses do, none do not
        found = found_gains(model, arm, free, carried, load, robot.moving_frame(frame))
        remarks = [*(remark for source in carried for remark in source.remarks), *remarks]
        taken = found.values if taken is None else taken
    sources = [Source(log, taken, cutoff, late) for log in (*train, *held)]
    looks = [_looked_at(source) for source in sources[: len(train)]]
    tried = [piece for look in looks for piece in look]
    told_of = owners(robot), tried, STILL
    remarks = [*standing(*told_of), *constant(*told_of), *_doubts(model, tried, cutoff), *remarks, *outside]
    found_delays = list[Delay | None]([None] * len(sources))
    if late is None:
        pairs = zip(sources, looks, strict=False)
        found_delays[: len(train)] = [_without_delay(model, source, look) for source, look in pairs]
        _as_late(sources[len(train) :], sources[: len(train)])
    parts = _parts(model)
    read = [Readings(model, source.pieces, cutoff) for source in sources]
    readings = Together(read[: len(train)])
    readings, rows = with_speeds(readings, estimated(readings, parts, estimator), parts, estimator)
    model, fit = readings.model, rows.fit
    if estimator in HALVED:
        fit = _of_halves(model, sources[: len(train)], parts, estimator, rows)
    residuals, fit = judged(readings, fit)
    remarks = [*(remark for source in sources for remark in source.remarks), *remarks]
    first, spread = fit.values[: model.base.count], fit.deviations[: model.base.count]
    remarks += [*scaled(first, model.base.values, spread), *_slow(model, tried, fit)]
    parameters, own = _possible(model, fit, prior, start, own_bounds)
    values = np.concatenate([model.base.map @ parameters, own.ravel()])
    filed = _in_files(readings, (parameters, own), estimator, prior, start, own_bounds)
    told = [
        _told(each, source, behind, fit.values, values, k >= len(train))
        for k, (each, source, behind) in enumerate(
            zip((each.of(model) for each in read), sources, found_delays, strict=True)
        )
    ]
    return Identification(
        robot, model.base, tuple(term.name for term in model.terms), cutoff, fit, parameters, own,
        *filed, tuple(told), tuple(dict.fromkeys(remarks)), found,
        None if taken is None else np.array(taken), estimator, residuals,
        crossed(model.layout, rows.folds, parts, rows.fit.noise), model.speeds,
    )  # fmt: skip


def _logs(logs: AnyLog | Sequence[AnyLog]) -> list[AnyLog]:
    if isinstance(logs, Log | LogStream):
        return [logs]
    if not isinstance(logs, Iterable):
        raise ArgumentError(f"a log is a {type(logs).__name__}; expected one of strobe.read_log(…).")
    return list(logs)


def _require(robot: Robot, train: Sequence[AnyLog], loaded: Sequence[AnyLog], load: float | None) -> None:
    """Refuse what cannot be identified."""
    if not train:
        raise ArgumentError("logs is empty; give at least one log.")
    for log in (*train, *loaded):
        if not isinstance(log, Log | LogStream):
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


def _gains_given(robot: Robot, gains: Any, constants: Any, gear: Any) -> Any:
    """N m per ampere of each joint, as they are said or as constants of motors with gears before them."""
    if gear is not None and constants is None:
        raise ArgumentError(
            "gear is said without torque_constants; torques of a motor are what it multiplies."
        )
    if constants is not None:
        if gains is not None:
            raise ArgumentError("gains and torque_constants say the same; give one of them.")
        ratios = finite_numbers("gear", np.ones(robot.nv) if gear is None else gear, robot.nv)
        return np.multiply(finite_numbers("torque_constants", constants, robot.nv), ratios)
    return None if gains is None else np.array(finite_numbers("gains", gains, robot.nv))


def _each(name: str, given: Any, count: int) -> Array:
    """A number for each joint, or one for all."""
    return np.array(finite_numbers(name, [given] * count if np.ndim(given) == 0 else given, count))


def _band_of(logs: Sequence[AnyLog]) -> float:
    """A cut-off that leaves the motion whole: some times the frequency below which all but a little of it lies."""
    first = [next(iter(log)) if isinstance(log, LogStream) else log for log in logs]
    moving = [
        log
        for log in first
        if np.nanmax(np.nanmax(log.q, axis=0) - np.nanmin(log.q, axis=0)) > LEAST_MOTION
    ]
    if not moving:
        names = ", ".join(log.source for log in logs)
        raise ArgumentError(f"no joint moves in {names}: there is nothing to identify.")
    return max(_content(log) for log in moving)


def _content(log: Log) -> float:
    """Some times the frequency (Hz) below which a part `MOST` of the rate of each joint lies, or what rows hold."""
    if log.times is None:
        raise ArgumentError(
            f'{log.source}: rates are taken by the times of its rows; there is no column "t".'
        )
    kept, said = possible_rows(log.times, log.q)
    times, q = log.times[kept], log.q[kept]
    if len(times) < FEWEST or not times[-1] - times[0] > LEAST_TIME:
        lasts = float(times[-1] - times[0]) if len(times) else 0.0
        raise ArgumentError(
            f"{log.source}: {' '.join([*said, ''])}{counted(len(times), 'row')} over {lasts:.3g} s tell nothing of a "
            "motion. See the column of the time and its unit."
        )
    step = float(np.median(np.diff(times)))
    first, last = np.percentile(times, (1, 99)).tolist()
    even = np.arange(first, last, step)
    moved: Array = np.diff(np.column_stack([np.interp(even, times, x) for x in q.T]), axis=0)
    power = np.abs(np.fft.rfft(moved * np.hanning(len(moved))[:, None], axis=0)) ** 2
    share = np.cumsum(power, axis=0) / np.maximum(power.sum(axis=0), np.finfo(float).tiny)
    highest = np.argmax(share >= MOST, axis=0).max()
    found = float(np.fft.rfftfreq(len(moved), step)[max(highest, 1)])
    if found * step > FASTEST:
        raise ArgumentError(
            f"{log.source}: its positions change as fast as {found:.3g} Hz in {1 / step:.3g} rows a second, which is "
            "no motion of a robot. See that these columns are positions, and that the unit of the time is right."
        )
    return min(WHOLE * found, WIDEST / step)


# -- what is read -----------------------------------------------------------------------------------


def _looked_at(source: Source) -> list[Stretch]:
    """The middle of some stretches of a log, of a stream from its beginning."""
    return [begun(piece, _enough(piece, source.cutoff)) for piece in islice(source, TRIED)]


def _parts(model: TorqueModel) -> list[int]:
    """Rotors that base parameters hold already."""
    return [
        model.base.count + j * model.layout.friction + k
        for j in model.rotors()
        for k in model.places("rotor")
    ]


def _quickly(model: TorqueModel, pieces: Sequence[Stretch], cutoff: float, weighings: int) -> Estimate:
    return estimated(Readings(model, list(pieces), cutoff), _parts(model), "weighted", weighings)


def _doubts(model: TorqueModel, tried: Sequence[Stretch], cutoff: float) -> list[str]:
    """What may be wrong with columns, by fits with the plainest friction."""
    plain = TorqueModel(model.base, chosen(PLAIN))
    layout = plain.layout

    def error(some: Sequence[Stretch]) -> Array:
        found = _quickly(plain, some, cutoff, 1)
        left, size = np.zeros(layout.joints), np.zeros(layout.joints)
        for fold in found.folds:
            left += [t.residual(found.fit.values[layout.of(j)]) for j, t in enumerate(fold)]
            size += [t.size for t in fold]
        return 100 * np.sqrt(left / np.where(size > 0, size, 1.0))

    return doubts(owners(model.base.robot), tried, error)


def _slow(model: TorqueModel, tried: Sequence[Stretch], fit: TorqueFit) -> list[str]:
    """Whether what moving takes is lost in noise, by the torques that would hold the robot in its places."""
    squares, rows = np.zeros(model.layout.joints), 0
    for piece in tried:
        held = replace(piece, qd=np.zeros_like(piece.qd), qdd=np.zeros_like(piece.qdd))
        squares += ((model.rigid(piece, fit.values) - model.rigid(held, fit.values)) ** 2).sum(axis=0)
        rows += len(piece)
    return slow(owners(model.base.robot), np.sqrt(squares / max(rows, 1)), fit.noise)


def _enough(piece: Stretch, cutoff: float) -> int:
    """How many rows of a stretch tell enough."""
    band = Band.below(cutoff, piece.step)
    return len(band.taps) + KEPT * band.every


def _without_delay(model: TorqueModel, source: Source, looked_at: Sequence[Stretch]) -> Delay:
    """The delay of a log; where it matters, its efforts are read anew without it."""
    plain = TorqueModel(model.base, tuple(term for term in model.terms if not term.needs_load))
    parts, taken, found = _parts(plain), 0.0, Delay(0.0, np.inf)
    for _ in range(AGAIN):
        pieces = _looked_at(source) if taken else looked_at
        readings = Readings(plain, pieces, source.cutoff)
        found = delay_of(readings, estimated(readings, parts, "weighted").fit.values, parts)
        found = replace(found, value=found.value + taken)
        if not found.matters(1 / source.rate):
            break
        taken = found.value
        source.late(np.full(model.layout.joints, taken))
    if taken:
        source.say(
            f"efforts come {1e3 * found.value:.3g} ± {1e3 * found.deviation:.1g} ms after positions, and were taken "
            "that much earlier."
        )
    return found


def _as_late(held: Sequence[Source], train: Sequence[Source]) -> None:
    """Read logs that are held out as late as those that are fitted: what they tell themselves is not asked."""
    taken = [source.delay for source in train if source.delay is not None]
    for source in held if taken else ():
        source.late(np.mean(taken, axis=0))


def _of_halves(
    model: TorqueModel, sources: Sequence[Source], parts: Sequence[int], estimator: str, begun: Estimate
) -> TorqueFit:
    """What two halves of the rows say without the bias that errors of positions make."""
    pairs = list[Any]()
    for source in sources:
        halves = [replace(source, half=k, remarks={}) for k in (0, 1)]
        for one, other in zip(*halves, strict=True):
            pairs.append(tuple(model.rows(each, source.cutoff, begun.fit.values) for each in (one, other)))
    return unbiased(model.layout, pairs, parts, estimator, begun.fit)


# -- how well it is explained -----------------------------------------------------------------------


def _told(
    readings: Readings, source: Source, behind: Delay | None, best: Array, possible: Array, held_out: bool
) -> LogFit:
    """How well a log is explained, in the rows whose efforts were recorded."""
    known, kept = readings.model.base.values, 0
    sums = np.zeros((6, readings.model.layout.joints))
    for rows in readings.rows(possible):
        after = rows.torques(possible)
        for k, (mask, predicted) in enumerate((
            (rows.felt, 0.0), (rows.felt, rows.base @ known), (rows.felt, rows.torques(best)),
            (rows.felt, after), (rows.tells, 0.0), (rows.tells, after),
        )):  # fmt: skip
            sums[k] += (np.where(mask, rows.effort - predicted, 0.0) ** 2).sum(axis=0)
        kept += len(rows.times)
    size, before, fit, after, moved, moving = np.sqrt(sums)
    return LogFit(
        source.log.source, held_out, source.rows, _percent(before, size), _percent(fit, size), _percent(after, size),
        _percent(moving, moved), source.rate, kept, source.steps,
        source.delay, behind,
    )  # fmt: skip


def _percent(left: Array, size: Array) -> Array:
    """100 ‖τ − τ̂‖ / ‖τ‖ of each joint; NaN where nothing was measured."""
    return 100 * np.divide(left, size, out=np.full(len(size), np.nan), where=size > 0)


def _in_files(
    readings: Readings, found: tuple[Array, Array], estimator: str, prior: Array, start: Array, own: Bounds
) -> tuple[Array, Array]:
    """Parameters, and rotor, viscous and Coulomb friction (joints, 3): the model fitted anew with what files hold."""
    terms = {term.name for term in readings.model.terms}
    kept = [name for name in (*DRIVE, "offset", "spring") if terms & {name, *MEANT.get(name, ())}]
    model = TorqueModel(readings.model.base, chosen(kept))
    if {*kept} != terms:
        plain = readings.of(model)
        found = _possible(model, estimated(plain, _parts(model), estimator).fit, prior, start, own)
    columns = [found[1][:, model.places(name)].sum(axis=1) for name in DRIVE]
    return found[0], np.column_stack(columns)


# -- what bodies can be -----------------------------------------------------------------------------


def _possible(
    model: TorqueModel, fit: TorqueFit, prior: Array, start: Array, own: Bounds
) -> tuple[Array, Array]:
    """Parameters of bodies that can be, and the friction beside them."""
    layout, bodies = model.layout, prior.size
    usual = _usual(model)
    rows = np.vstack([fit.rows, usual])
    whole = np.column_stack([rows[:, : layout.base] @ model.base.map, rows[:, layout.base : -1]])
    positive = [
        bodies + j * layout.friction + k
        for j in range(layout.joints)
        for k, signed in enumerate(model.signed)
        if not signed
    ]
    G = np.zeros((len(positive) + len(own.h), whole.shape[1]))
    G[: len(positive)], G[len(positive) :, :bodies] = np.eye(whole.shape[1])[positive], own.G
    bounds = Bounds(G, np.concatenate([np.zeros(len(positive)), own.h]))
    begin = np.concatenate([start.ravel(), np.ones(layout.friction * layout.joints)])
    found = nearest_possible(whole, rows[:, -1], prior, bounds, begin).values
    return found[:bodies], found[bodies:].reshape(layout.joints, layout.friction)


def _usual(model: TorqueModel) -> Array:
    """One reading of each coefficient whose size is usual: nothing, give or take that."""
    layout = model.layout
    sizes = [(k, size) for k, size in enumerate(model.usual) if size]
    rows = np.zeros((len(sizes) * layout.joints, layout.unknowns + 1))
    places = [
        (layout.base + j * layout.friction + k, size) for j in range(layout.joints) for k, size in sizes
    ]
    for row, (place, size) in zip(rows, places, strict=True):
        row[place] = 1 / size
    return rows


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
