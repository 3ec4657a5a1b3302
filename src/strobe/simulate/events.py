"""What changes during a run: loads taken up and let go, joints locked and released; a step ends at each.

A load that was at rest is caught by a robot in motion, and a brake stops a joint, both at once: the velocities change
so that no other impulse acts,

    M⁺ v⁺ = M v                       a load is attached: the momentum of the joints stays
    v_f⁺ = v_f + M_ff⁻¹ M_fl v_l       joints l stop, the others (f) feel no impulse

A load that is let go takes its own momentum along and leaves the velocities as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from strobe.errors import ArgumentError
from strobe.robot import Robot
from strobe.simulate.energy_audit import loaded_quantity
from strobe.simulate.equations_of_motion import PAYLOAD
from strobe.simulate.torques import one_payload

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Attach:
    """A load is fixed to a frame (the tip if none is named) at a time, in place of what it carries there."""

    time: float
    mass: float
    com: Sequence[float] = (0.0, 0.0, 0.0)
    inertia: Any = None
    size: float | None = None
    frame: str | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """What a frame carries is let go at a time."""

    time: float
    frame: str | None = None


@dataclass(frozen=True, slots=True)
class Lock:
    """Joints are held where they are from a time on (names may use * and ?)."""

    time: float
    joints: str | Sequence[str]


@dataclass(frozen=True, slots=True)
class Release:
    """Locked joints are free again from a time on."""

    time: float
    joints: str | Sequence[str]


Event = Attach | Drop | Lock | Release


@dataclass(frozen=True, eq=False)
class Span:
    """A part of a run between events: from when, which joints are held, and what is carried, (N or 1, 10) each."""

    start: float
    locked: tuple[str, ...] = ()
    payloads: Mapping[str, Array] = field(default_factory=dict)


def load_frames(robot: Robot, events: Sequence[Event]) -> list[str]:
    """The frames that carry a load at some time; what is no event is refused."""
    if isinstance(events, Event):
        raise ArgumentError(
            f"events is one {type(events).__name__}; expected a list of events: [{events!r}]."
        )
    if not isinstance(events, Sequence):
        raise ArgumentError(f"events is a {type(events).__name__}; expected a list of events.")
    for event in events:
        if not isinstance(event, Event):
            raise ArgumentError(f"{event!r} is no event; expected Attach, Drop, Lock or Release.")
        if not isinstance(event.time, int | float | np.integer | np.floating):
            raise ArgumentError(f"{event!r} has no time; expected a number of seconds.")
        if isinstance(event, Lock | Release) and not _are_names(event.joints):
            raise ArgumentError(f"{event!r} names no joint; expected a name, or a list of names.")
    return [robot.moving_frame(event.frame) for event in events if isinstance(event, Attach | Drop)]


def _are_names(joints: Any) -> bool:
    names = [joints] if isinstance(joints, str) else joints
    return isinstance(names, Sequence) and bool(names) and all(isinstance(name, str) for name in names)


def spans(robot: Robot, events: Sequence[Event], first: Span, end: float) -> tuple[list[Span], list[str]]:
    """The parts of a run, by events in the order of their times, and a word on events that change nothing."""
    parts, idle = [first], []
    for event in sorted(events, key=lambda e: e.time):
        if not first.start <= event.time < end:
            raise ArgumentError(
                f"an event happens at {event.time:g} s, but the run lasts from {first.start:g} to {end:g} s."
            )
        last = parts[-1]
        changed = Span(float(event.time), *_after(robot, last, event))
        if _equal(last, changed):
            idle.append(f"{event!r} changes nothing.")
        parts = [*parts[:-1], changed] if event.time == last.start else [*parts, changed]
    return parts, idle


def _equal(a: Span, b: Span) -> bool:
    """Whether joints are held and loads carried alike."""
    return a.locked == b.locked and all(
        np.all(load == b.payloads[frame]) for frame, load in a.payloads.items()
    )


def _after(robot: Robot, before: Span, event: Event) -> tuple[tuple[str, ...], dict[str, Array]]:
    locked, payloads = before.locked, dict(before.payloads)
    if isinstance(event, Attach):
        numbers = one_payload(event.mass, event.com, event.inertia, event.size)
        payloads[robot.moving_frame(event.frame)] = numbers[None]
    elif isinstance(event, Drop):
        payloads[robot.moving_frame(event.frame)] = np.zeros((1, PAYLOAD))
    else:
        names = robot.matching_joints(event.joints)  # pyright: ignore[reportArgumentType]
        if isinstance(event, Lock):
            locked = tuple(n for n in robot.joint_names if n in names or n in locked)
        else:
            locked = tuple(n for n in locked if n not in names)
    return locked, payloads


def locked_dofs(robot: Robot, span: Span) -> list[int]:
    """The degrees of freedom that are held during a span."""
    return [j.v + k for j in robot.coordinates.joints if j.name in span.locked for k in range(j.nv)]


def velocities_after(robot: Robot, before: Span | None, after: Span, q: Array, qd: Array) -> Array:
    """The velocities (N, nv) right after the events that begin a span; before the first one nothing was carried."""
    v = qd
    bare = after.payloads if before is None else _bare(before, after)
    if any(np.any(load != bare[frame]) for frame, load in after.payloads.items()):
        M0, M1 = (loaded_quantity(robot, "mass_matrix", loads, q=q) for loads in (bare, after.payloads))
        v = np.linalg.solve(M1, M0 @ v[..., None])[..., 0]
    held = locked_dofs(robot, after)
    free = [k for k in range(robot.nv) if k not in held]
    if held and np.any(v[..., held]):
        M = loaded_quantity(robot, "mass_matrix", after.payloads, q=q)
        pull = M[..., free, :][..., held] @ v[..., held, None]
        moved = np.linalg.solve(M[..., free, :][..., free], pull)[..., 0] if free else 0.0
        v = v.copy()
        v[..., free] += moved
        v[..., held] = 0.0
    return v if v is qd or not robot.model.is_closed else _allowed(robot, after, q, v, held)


def _allowed(robot: Robot, after: Span, q: Array, v: Array, held: Sequence[int]) -> Array:
    """The velocities nearest to v, in the metric of M, with which closed chains stay closed and joints held."""
    M = loaded_quantity(robot, "mass_matrix", after.payloads, q=q)
    K = robot.loop_jacobian(q)
    K = np.concatenate(
        [K, np.broadcast_to(np.eye(robot.nv)[held], (*K.shape[:-2], len(held), robot.nv))], -2
    )
    L = np.linalg.cholesky(M)
    # v = L⁻ᵀ w: the nearest w is that without its part along Y
    Y = np.linalg.solve(L, np.swapaxes(K, -1, -2))
    w = np.swapaxes(L, -1, -2) @ v[..., None]
    w = w - Y @ (np.linalg.pinv(Y, rcond=1e-9) @ w)
    return np.linalg.solve(np.swapaxes(L, -1, -2), w)[..., 0]


def _bare(before: Span, after: Span) -> dict[str, Array]:
    """What is still carried when loads were let go and none was taken up yet."""
    return {
        frame: load if load is before.payloads[frame] else np.zeros((1, PAYLOAD))
        for frame, load in after.payloads.items()
    }
