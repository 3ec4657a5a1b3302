"""A simulation as it is asked for, its arguments checked and brought into one form: arrays, tables, a request.

Every input of the rates is a constant (N or 1, size) or a table over time; the batch is the common leading shape of
all of them, flattened to N runs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, prod
from operator import le
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.runtime.arrays import (
    FLOAT64,
    all_finite,
    checked,
    every,
    is_clean,
    one_or_each,
    require_turns,
)
from strobe.compiler.runtime.traced import Traced
from strobe.errors import ArgumentError, ShapeError, UnsupportedModelError
from strobe.models.arguments import require_text, require_truth
from strobe.models.joints import Joint
from strobe.robot import Robot, require_robot
from strobe.robot.closed_chains import require_closed, solvable
from strobe.robot.recent import Recent
from strobe.simulate.equations_of_motion import PAYLOAD, STATES, Law, RateRequest, parameter
from strobe.simulate.events import Event, Lock, Span, load_frames, locked_dofs, spans
from strobe.simulate.integrators import Parts, parts
from strobe.simulate.limit_extremes import ranges_of
from strobe.simulate.stops import require_stops, stop_parameters
from strobe.simulate.torques import Function, TimeSeries, named, payload_numbers

if TYPE_CHECKING:
    from strobe.mechanisms.mobility import Solvable

Array = np.ndarray
UNLIMITED = 1e150  # stands for infinity where it is multiplied by zero
COURSES = 16  # of runs that are alike but for their times
SAID = (bool, str, type(None))  # of which equal ones are the same word
OUTSIDE = 1e-9  # by which a position may exceed a limit without mention


@dataclass(frozen=True, eq=False)
class Outline:
    """What a problem is beside its numbers, and what follows from that alone; made once for runs that are alike."""

    robot: Robot  # without conditions of closed chains that say nothing
    rate: RateRequest  # with no joint locked
    rates: Recent = field(default_factory=Recent)  # by joints that are locked, and conditions
    steps: Recent = field(default_factory=Recent)  # compiled, as runs came to need them
    courses: Recent = field(default_factory=lambda: Recent(COURSES))  # of even steps, by their times

    @cached_property
    def parts(self) -> Parts:
        return parts(self.robot.model, self.rate.limited)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The inputs of the rates."""
        return self.rate.inputs(self.robot.model)

    def rate_in(self, locked: tuple[str, ...], rank: int | None) -> RateRequest:
        """The rates while joints are locked."""
        return self.rates((locked, rank), lambda: replace(self.rate, accelerated=locked, rank=rank))

    @cached_property
    def rows_in_limits(self) -> tuple[Array, Array]:
        """From where to where the numbers of a row that is kept do not leave the limits of independent joints."""
        p, ranges = self.parts, ranges_of(self.robot.model)
        low, high = (np.full(p.size + p.nv, far) for far in (-inf, inf))
        for place, span in ((p.q, ranges.q), (p.qd, ranges.qd), (slice(p.size, None), ranges.tau)):
            low[place], high[place] = span
        return low, high

    @cached_property
    def room(self) -> tuple[Array, Array]:
        """From where to where positions and velocities are finite and within their limits, side by side."""
        x, far = self.robot.coordinates, float(np.finfo(float).max)
        low, high = np.full((2, self.parts.moving), [[-far], [far]])
        for joint in x.joints:
            if joint.nq == 1:
                low[joint.q] = max(joint.limits.lower - OUTSIDE, -far)
                high[joint.q] = min(joint.limits.upper + OUTSIDE, far)
            speed = slice(x.nq + joint.v, x.nq + joint.v + joint.nv)
            high[speed] = min(joint.limits.velocity + OUTSIDE, far)
            low[speed] = -high[speed]
        return low, high

    def keeps_limits(self, rows: Array, extremes: Array | None) -> bool:
        """Whether rows (N, rows, …) and extremes (N, bounds) of runs are within all limits, as a look tells."""
        if extremes is not None or not self.robot.coordinates.trivial:
            return False  # then `excesses` tells
        low, high = self.rows_in_limits
        return every(rows >= low) and every(rows <= high)

    def is_unremarkable(self, q: Array, qd: Array) -> bool:
        """Whether positions (..., nq) and velocities (..., nv) are all finite and within their limits."""
        if not self.robot.coordinates.trivial:
            return False
        if q.ndim == qd.ndim == 1:  # of few numbers, Python tells sooner
            one, (low, high) = q.tolist() + qd.tolist(), self._room_as_lists
            return all(map(le, low, one)) and all(map(le, one, high))
        split = self.parts.nq
        (low, low_rate), (high, high_rate) = (np.split(side, [split]) for side in self.room)
        inside = every(q >= low) and every(q <= high)
        return inside and every(qd >= low_rate) and every(qd <= high_rate)

    @cached_property
    def _room_as_lists(self) -> tuple[list[float], list[float]]:
        low, high = self.room
        return low.tolist(), high.tolist()


@dataclass(frozen=True, eq=False)
class Problem:
    """What is simulated."""

    outline: Outline
    batch: tuple[int, ...]
    state: Array  # (N, size) at the start
    start: float
    end: float
    rows: Array | None  # the times asked for, if any were
    constants: Mapping[str, Array]
    tables: Mapping[str, TimeSeries]  # values (N or 1, T, size)
    function: Function | None  # torques by Python
    spans: Sequence[Span]
    asked_of: Robot
    closed: Solvable | None  # what is known of closed chains, if there are any
    notes: tuple[str, ...] = ()

    @property
    def robot(self) -> Robot:
        """The robot to compute with."""
        return self.outline.robot

    @property
    def rate(self) -> RateRequest:
        """The rates with no joint locked."""
        return self.outline.rate

    @property
    def parts(self) -> Parts:
        return self.outline.parts

    @cached_property
    def signals(self) -> dict[str, int]:
        """The inputs that vary in time, with their sizes."""
        sizes = self.outline.sizes
        if not self.tables and not self.function and "t" not in sizes:
            return {}
        timed = [name for name in sizes if name in self.tables or name == "t"]
        return {name: sizes[name] for name in [*timed, *(["tau"] if self.function else [])]}

    @property
    def marks(self) -> Array:
        """The times at which a step must end, those at which it does so anyhow perhaps among them."""
        if self.rows is None and not self.tables and len(self.spans) == 1:
            return np.empty(0)
        asked = [] if self.rows is None else [self.rows]
        knots = [table.times for table in self.tables.values()]
        return np.concatenate([*asked, *knots, [span.start for span in self.spans]])

    def sampled(self, t: Array, inside: Array) -> dict[str, Array]:
        """The tables at times (K, S), as rows (N or 1, K, S · size); ``inside`` (K,) says between which knots."""
        found = {name: table.sampled(t, inside) for name, table in self.tables.items()}
        if "t" in self.signals:
            found["t"] = t[None, :, :, None]
        return {name: np.ascontiguousarray(x.reshape(*x.shape[:2], -1)) for name, x in found.items()}

    def constants_in(self, span: Span) -> Mapping[str, Array]:
        if not span.payloads:
            return self.constants
        carried = {f"payload {frame}": load for frame, load in span.payloads.items()}
        return {**self.constants, **carried}

    def rank_in(self, span: Span) -> int | None:
        """Of the conditions of closed chains, where there are any."""
        return None if self.closed is None else self.closed.rank_with(locked_dofs(self.robot, span))

    def rate_in(self, span: Span) -> RateRequest:
        return self.outline.rate_in(span.locked, self.rank_in(span))

    def joint_of(self, dof: Any) -> str:
        """The name of the joint that a degree of freedom, by its number, belongs to."""
        return joint_at(self.robot, dof).name

    def unit_of(self, dof: Any) -> str:
        """The unit in which a degree of freedom moves."""
        joint = joint_at(self.robot, dof)
        return joint.rate_units[dof - joint.v]

    def whole(self, flat: Array) -> Array:
        """(N, …) with the batch axes as they were given."""
        return flat.reshape(self.batch + flat.shape[1:])


def joint_at(robot: Robot, dof: Any) -> Joint:
    """The joint that a degree of freedom, by its number, belongs to."""
    return next(j for j in robot.coordinates.joints if j.v <= dof < j.v + j.nv)


def problem(
    robot: Robot, q0: Any, qd0: Any, torque: Any, t: Any, *, parameters: Mapping[str, Any] | None = None,
    wrench: Any = None, frame: str | None = None, payload: Any = None, stops: Any = None, limits: bool = False,
    friction: bool = True, formulation: str | None = None, events: Sequence[Event] = (),
) -> Problem:  # fmt: skip
    """The arguments of `simulate`, each checked by its name."""
    require_robot(robot)
    if parameters is wrench is frame is payload is stops is None and type(events) is tuple and not events:
        words = limits, friction, formulation
        return _alike(robot, q0, qd0, torque, t, words) or _kept(robot, q0, qd0, torque, t, words)
    acting = parameters, wrench, frame, payload, stops
    return _checked(robot, q0, qd0, torque, t, *acting, limits, friction, formulation, events)


def _checked(
    robot: Robot, q0: Any, qd0: Any, torque: Any, t: Any, parameters: Mapping[str, Any] | None, wrench: Any,
    frame: str | None, payload: Any, stops: Any, limits: bool, friction: bool, formulation: str | None,
    events: Sequence[Event],
) -> Problem:  # fmt: skip
    """A problem of which nothing is known before."""
    outlines = robot.kept("outlines", lambda: _outlines(robot))
    start, end, rows = _times(t)
    law, function, given = _torque(robot, torque, parameters)
    if frame is not None:
        robot.moving_frame(frame)
    wrenches = {robot.moving_frame(name): value for name, value in named(wrench, frame).items()}
    payloads = {robot.moving_frame(name): payload_numbers(x) for name, x in named(payload, frame).items()}
    loads = tuple(dict.fromkeys([*payloads, *load_frames(robot, events)]))
    require_stops(stops)
    require_truth("limits", limits)
    require_truth("friction", friction)
    if formulation is not None:
        require_text("formulation", formulation, "the name of one")
    acting = (formulation, bool(friction), tuple(wrenches), law, bool(stops), bool(limits), loads)
    locks = any(isinstance(event, Lock) for event in events)
    outline = outlines((*acting, locks), lambda: _outline(robot, *acting, locks))
    given |= {f"wrench {name}": value for name, value in wrenches.items()}
    given |= {f"payload {name}": payloads.get(name, np.zeros(PAYLOAD)) for name in loads}
    q, qd, unremarkable = _start(robot, outline, q0, qd0)
    closed = None
    if robot.model.is_closed:
        require_closed(robot, {"q": q, "qd": qd})
        closed = solvable(robot, q)
        outline = Outline(
            closed.robot, outline.rate
        )  # which conditions say something changes from run to run
    if limits:
        given |= _motors(robot)
    if stops:
        given |= stop_parameters(robot, stops, q)
    sizes = outline.sizes
    inputs = {name: _input(name, value, sizes[name], start, end, robot) for name, value in given.items()}
    batch = _batch({"q0": q, "qd0": qd} | {name: _leading(x) for name, x in inputs.items()})
    flat = {name: _flat(x, batch) for name, x in inputs.items()}
    constants = {name: x for name, x in flat.items() if not isinstance(x, TimeSeries)}
    carried = {name: constants.pop(f"payload {name}") for name in loads}
    state = _state(outline.parts, batch, q, qd)
    pieces, idle = spans(robot, events, Span(start, (), carried), end)
    notes = tuple(idle)
    if not unremarkable:
        notes = *_outside(robot, q, stops=bool(stops)), *_too_fast(robot, qd, limited=limits), *notes
    return Problem(
        outline, batch, state, start, end, rows, constants,
        {name: x for name, x in flat.items() if isinstance(x, TimeSeries)}, function, pieces, robot, closed,
        notes,
    )  # fmt: skip


# -- problems that are alike but for their numbers --------------------------------------------------

Words = tuple[Any, Any, Any]  # limits, friction, formulation, as they are given


def _kept(robot: Robot, q0: Any, qd0: Any, torque: Any, t: Any, words: Words) -> Problem:
    """A problem that is checked, and kept for those that are like it, without its numbers."""
    limits, friction, formulation = words
    made = _checked(
        robot, q0, qd0, torque, t, None, None, None, None, None, limits, friction, formulation, ()
    )
    kind = _kind(q0, qd0, torque, t, words)
    if kind is not None and made.closed is None and robot.coordinates.trivial:
        alike = vars(made) | {"signals": made.signals, "state": None, "notes": ()}
        _ = robot.kept("problems", Recent)(kind, lambda: alike)
    return made


def _alike(robot: Robot, q0: Any, qd0: Any, torque: Any, t: Any, words: Words) -> Problem | None:
    """A problem like one before, of other numbers, where these are plain and within all limits."""
    kind = _kind(q0, qd0, torque, t, words)
    known = None if kind is None else robot.kept("problems", Recent).get(kind)
    if known is None or not known["outline"].is_unremarkable(q0, qd0) or not all_finite(torque):
        return None
    batch = known["batch"]
    found = object.__new__(Problem)  # whose own initialisation takes longer than all of this
    vars(found).update(
        known, state=_state(known["outline"].parts, batch, q0, qd0), end=t,
        constants=known["constants"] | {"tau": _flat(torque.copy(), batch)},
    )  # fmt: skip
    return found


def _kind(q0: Any, qd0: Any, torque: Any, t: Any, words: Words) -> Hashable:
    """What a problem of plain arrays has in common with others; nothing where they are not plain."""
    if not (type(q0) is type(qd0) is type(torque) is np.ndarray and type(t) is float and 0.0 < t < inf):
        return None
    limits, friction, formulation = words
    said = type(limits) in SAID and type(friction) in SAID and type(formulation) in SAID
    plain = q0.dtype is qd0.dtype is torque.dtype is FLOAT64
    return (q0.shape, qd0.shape, torque.shape, words) if said and plain else None


def _outlines(robot: Robot) -> Recent:
    """Room for outlines of a robot that has dynamics."""
    robot.require("inverse_dynamics")
    return Recent()


def _outline(
    robot: Robot, formulation: str | None, friction: bool, wrenches: tuple[str, ...], law: Law | None,
    stops: bool, limits: bool, loads: tuple[str, ...], locks: bool,
) -> Outline:  # fmt: skip
    """The outline of a problem, refused where it cannot be computed."""
    rate = RateRequest(
        "rate", formulation=formulation, friction=friction, loaded=wrenches, law=law, stops=stops,
        limited=limits, loads=loads,
    )  # fmt: skip
    _require_sense(robot, rate, locks)
    return Outline(robot, rate)


def _state(p: Parts, batch: tuple[int, ...], q: Array, qd: Array) -> Array:
    """All runs alive at the start, nothing done yet."""
    state = np.zeros((prod(batch), p.size))
    if not len(state):
        raise ArgumentError(f"the batch has shape {batch}: there is no run in it.")
    for place, values in ((p.q, q), (p.qd, qd)):
        if values.ndim == 1:
            state[:, place] = values
            continue
        whole = (*batch, values.shape[-1])
        all_runs = values if values.shape == whole else np.broadcast_to(values, whole)
        state[:, place] = all_runs.reshape(-1, whole[-1])
    state[:, p.alive] = 1.0
    return state


def _times(t: Any) -> tuple[float, float, Array | None]:
    """Start, end, and the times asked for: a number is a duration, an array all of them."""
    if type(t) is float and 0.0 < t < inf:
        return 0.0, t, None
    times = checked("t", t, (), "it is a time, or times").astype(float)
    if times.ndim > 1 or (times.ndim == 1 and len(times) < 2):
        raise ShapeError(
            "t", times.shape, "() or (T,), T at least 2", "it is a duration, or the times wanted"
        )
    if not np.isfinite(times).all():
        raise ArgumentError("t holds a time that is not finite.")
    if times.ndim == 0:
        if not times > 0:
            raise ArgumentError(f"t is {float(times):g} s; a run needs a duration above zero.")
        return 0.0, float(times), None
    if not np.all(np.diff(times) > 0):
        raise ArgumentError("t must rise: a run of no length, or one that goes back, cannot be made.")
    return float(times[0]), float(times[-1]), times


def _torque(
    robot: Robot, torque: Any, parameters: Mapping[str, Any] | None
) -> tuple[Law | None, Function | None, dict[str, Any]]:
    """The law or the Python function, if it is one, and the inputs that are given."""
    if parameters is not None and not isinstance(parameters, Mapping):
        raise ArgumentError(
            f"parameters is a {type(parameters).__name__}; expected arrays or tables by name: {{…}}."
        )
    given = dict(parameters or {})
    if isinstance(torque, Traced):
        return _law(robot, torque, given), None, {parameter(name): value for name, value in given.items()}
    if given:
        raise ArgumentError(
            f'parameters has "{next(iter(given))}", but the torque is not a traced law that could take it.'
        )
    if callable(torque):
        return None, torque, {}
    return None, None, {"tau": np.zeros(robot.nv) if torque is None else torque}


def _law(robot: Robot, traced: Traced, given: Mapping[str, Any]) -> Law:
    law = Law(traced)
    expected = {"q": robot.nq, "qd": robot.nv, "t": 1}
    for name, size in law.inputs.items():
        if name in expected and size != expected[name]:
            raise ArgumentError(
                f"the law was traced with {name}={size}; {robot.name} needs {name}={expected[name]}."
            )
    if set(law.parameters) != set(given):
        missing, unknown = set(law.parameters) - set(given), set(given) - set(law.parameters)
        what = f'needs "{sorted(missing)[0]}"' if missing else f'does not take "{sorted(unknown)[0]}"'
        raise ArgumentError(
            f"the law {what}; give parameters= exactly what it takes besides {', '.join(STATES)}."
        )
    if traced.shape != (robot.nv,):
        raise ShapeError("the law's result", traced.shape, f"({robot.nv},)", robot.shape_reason)
    return law


def _require_sense(robot: Robot, rate: RateRequest, locks: bool) -> None:
    """Refuse what cannot be computed: motion without inertia, locked joints by a stated formulation."""
    robot.request("forward_dynamics", formulation=rate.formulation, friction=rate.friction)
    if rate.formulation is not None and locks:
        raise UnsupportedModelError(
            "locked joints are solved for by the default method; leave out formulation=."
        )


def _start(robot: Robot, outline: Outline, q0: Any, qd0: Any) -> tuple[Array, Array, bool]:
    """Positions and velocities, and whether they are all within limits, so that there is nothing to say of them."""
    q = _numbers("q0", q0, robot.nq, robot)
    qd = _numbers("qd0", qd0, robot.nv, robot)
    unremarkable = outline.is_unremarkable(q, qd)
    for name, values in (("q0", q), ("qd0", qd)):
        if not (unremarkable or all_finite(values)):
            raise ArgumentError(
                f"{name} holds a number that is not finite; a run starts from a known state."
            )
    if robot.coordinates.has_quaternions:
        require_turns("q0", q, robot.coordinates.joints)
        q = robot.integrate(q, np.zeros((*q.shape[:-1], robot.nv)))  # quaternions of length one
    return q, qd, unremarkable


def _numbers(name: str, value: Any, size: int, robot: Robot) -> Array:
    """(…, size) in double precision."""
    return (
        value if is_clean(value, size) else checked(name, value, (size,), robot.shape_reason).astype(float)
    )


def _outside(robot: Robot, q: Array, stops: bool) -> tuple[str, ...]:
    """What there is to say about joints that start beyond a limit; with stops it is refused."""
    positions = _columns(q, robot.coordinates.expand)
    for joint in robot.model.joints:
        if joint.nq > 1:
            continue
        values = positions[joint.q]
        low, high = joint.limits.lower, joint.limits.upper
        beyond = values[(values < low - OUTSIDE) | (values > high + OUTSIDE)]
        if not beyond.size:
            continue
        said = f'joint "{joint.name}" starts at {beyond.flat[0]:g}, outside its limits {low:g} to {high:g}'
        if stops:
            raise ArgumentError(
                f"{said}: deep in a stop, which would throw it out. Start within the limits."
            )
        return (f"{said}; limits act only with stops=.",)
    return ()


def _too_fast(robot: Robot, qd: Array, limited: bool) -> tuple[str, ...]:
    """What there is to say about the first joint that starts faster than its limit."""
    rates = _columns(qd, robot.coordinates.expand_rates)
    acts = (
        "its motor only brakes until it is slower" if limited else "velocity limits act only with limits="
    )
    for joint in robot.model.joints:
        most = joint.limits.velocity
        for rate in rates[joint.v : joint.v + joint.nv]:
            speed = np.max(np.abs(rate), initial=0.0)
            if speed > most + OUTSIDE:
                return (
                    f'joint "{joint.name}" starts at a speed of {speed:g}, beyond its limit {most:g}; {acts}.',
                )
    return ()


def _columns(values: Array, expand: Callable[[Any], Any]) -> list[Array]:
    """What independent numbers (..., n) mean for all joints, those that follow others among them: arrays (...)."""
    columns = expand(list(np.moveaxis(values, -1, 0)))
    return [np.broadcast_to(column, values.shape[:-1]) for column in columns]


def _motors(robot: Robot) -> dict[str, Array]:
    limits = robot.limits
    return {
        "motor effort": np.minimum(limits.effort, UNLIMITED),
        "motor speed": np.minimum(limits.velocity, UNLIMITED),
    }


def _input(name: str, value: Any, size: int, start: float, end: float, robot: Robot) -> Array | TimeSeries:
    said = "torque" if name == "tau" else name.removeprefix("law ")
    if isinstance(value, TimeSeries):
        value.require(said, size, start, end)
        return value
    why = robot.shape_reason if name == "tau" else f"it has {size} numbers"
    if is_clean(value, size):
        array = value.copy()
    elif name.startswith("wrench"):  # six numbers of two kinds: one for all of them means nothing
        array = checked(said, value, (size,), why).astype(float)
    else:
        array = one_or_each(said, value, size, why)
    array = array if array.ndim else np.full(size, float(array))
    if not all_finite(array):
        raise ArgumentError(f"{said} holds a number that is not finite.")
    return array


def _leading(x: Array | TimeSeries) -> Array:
    """An array with the batch axes of an input, then one more."""
    return x.values[..., 0, :] if isinstance(x, TimeSeries) else x


def _batch(arrays: Mapping[str, Array]) -> tuple[int, ...]:
    shapes = {x.shape[:-1] for x in arrays.values()}
    if len(shapes) == 1:
        return shapes.pop()
    try:
        return np.broadcast_shapes(*(x.shape[:-1] for x in arrays.values()))
    except ValueError:
        got = ", ".join(f"{name} {x.shape[:-1]}" for name, x in arrays.items() if x.ndim > 1)
        raise ArgumentError(
            f"the leading axes do not broadcast: {got}. All need the same batch, or none."
        ) from None


def _flat(x: Array | TimeSeries, batch: tuple[int, ...]) -> Array | TimeSeries:
    """With one leading axis: of all runs, or of length one where they share the values."""
    if isinstance(x, TimeSeries):
        return replace(x, values=_flat_rows(x.values, batch, 2))
    return x[None] if x.ndim == 1 else _flat_rows(x, batch, 1)


def _flat_rows(values: Array, batch: tuple[int, ...], core: int) -> Array:
    shape = values.shape[-core:]
    if values.ndim == core:
        return np.ascontiguousarray(values[None])
    return np.ascontiguousarray(np.broadcast_to(values, (*batch, *shape)).reshape(-1, *shape))
