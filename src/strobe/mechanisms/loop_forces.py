"""The forces that hold closed chains together.

    Kᵀ λ = M qdd + C qd + g + friction − tau

λ is one number per condition; those of a loop are a force and a moment, exerted **on** the link of frame b **by** the
link of frame a, at the origin of b in base axes. The link of frame a gets the opposite, at the same point.

    place     force = R_a λ                           over the conditions of a kind, zero along what is free
    turn      moment = R_a λ,  or R_a (−λ_y, λ_x, 0) where only the z axes agree
    distance  force = λ d / ℓ
    curve     a torque λ at its joint, −λ p′ at the other

Where conditions are redundant the motion does not determine their λ: the least are given, the conditions named. Of
loops that couplings keep closed K is that of the robot without those couplings (`cut_couplings`). At a dead point no
λ may hold what a motion asks: it is NaN there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import collected, in_precision
from strobe.errors import ArgumentError
from strobe.mechanisms.cut_couplings import Uncoupled
from strobe.mechanisms.mobility import LEAST, Condition, by_loop, pseudo_inverse
from strobe.mechanisms.states import require_closed
from strobe.models.default_frame import tip_or_none
from strobe.models.loops import CLOSURES, conditions, extent, solved
from strobe.models.model import Loop, Model
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, Table, displayed, listed, number, spread, states

Array = np.ndarray
BALANCED = 1e-6  # of the torques: what no force of a loop may be left to account for
G = 9.81
DEAD_POINT = (
    "the loops stand at a dead point, where no force of theirs could hold the links: what goes through them and the "
    "joints is not known"
)


@displayed
@dataclass(frozen=True, eq=False)
class LoopForces:
    """What holds closed chains together at states (...)."""

    multipliers: Array  # (..., conditions), in the order of `loop_residuals` of the robot that loops hold
    wrenches: dict[str, Array]  # (..., 6) by loop: force and moment on b's link at b's origin, base axes
    torques: dict[str, Array]  # (...) by curve
    undetermined: tuple[Condition, ...]  # those whose multipliers could be others, with the same motion

    @property
    def remarks(self) -> tuple[str, ...]:
        """What there is to know about them: conditions that the motion does not determine, and dead points."""
        said: list[str] = []
        if self.undetermined:
            said.append(
                f"not determined by the motion, of redundant conditions: {by_loop(self.undetermined)}; "
                "the least are given"
            )
        return (*said, DEAD_POINT) if np.isnan(self.multipliers).any() else tuple(said)

    def _sheet(self) -> Sheet:
        parts = {f"{name}, {what}": (x[..., at], unit) for name, x in self.wrenches.items()
                 for what, at, unit in (("force", slice(3), "N"), ("moment", slice(3, 6), "N m"))}  # fmt: skip
        rows = [[name, *map(listed, spread(x)), unit] for name, (x, unit) in parts.items()]
        rows += [
            [name, *(number(float(v)) for v in spread(x, 0)), "N m or N"]
            for name, x in self.torques.items()
        ]
        if not self.multipliers.ndim > 1:
            rows = [[name, least, unit] for name, least, _, unit in rows]
        columns = ["", "least", "largest", "unit"] if self.multipliers.ndim > 1 else ["", "", "unit"]
        head = f"forces in {len(self.wrenches) + len(self.torques)} closed chains, base axes"
        return Sheet(f"{head}{states(self.multipliers.shape[:-1])}", [Table(columns, rows), *self.remarks])


def loop_forces(robot: Robot, q: Any, qd: Any, qdd: Any, tau: Any = None, **loads: Any) -> LoopForces:
    """The forces in loops of a robot that moves under torques tau (..., n), by its actuated joints if not given.

    ``loads`` (wrench, frame, gravity, friction) are those of `Robot.inverse_dynamics`. Torques that do not belong to
    the motion are refused; forces are NaN where loops stand at a dead point and cannot hold it.
    """
    require_robot(robot)
    if not (robot.model.loops or robot.model.curves):
        raise ArgumentError(f"{robot.name} has no closed chain whose forces could be asked for.")
    moved = robot.inverse_dynamics(q, qd, qdd, **loads) if tau is None else tau
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv, "tau": robot.nv}
    given = collected({"q": q, "qd": qd, "qdd": qdd, "tau": moved}, sizes, robot.shape_reason)
    if robot.model.is_closed:
        require_closed(robot, {name: given[name] for name in ("q", "qd", "qdd")})
    dtype, opened = given["q"].dtype, Uncoupled(robot)
    q, qd, qdd, moved = (array.astype(float) for array in given.values())
    q, qd, qdd, moved = opened.position(q), opened.rates(qd), opened.rates(qdd), opened.torques(moved)
    return in_precision(_balanced(opened.robot, q, qd, qdd, moved, loads, refuse=tau is not None), dtype)


def _balanced(
    robot: Robot, q: Array, qd: Array, qdd: Array, tau: Array, loads: dict[str, Any], *, refuse: bool
) -> LoopForces:
    """The forces that torques leave to loops; what these cannot hold is refused, or NaN."""
    needed = cut_open(robot).inverse_dynamics(q, qd, qdd, **loads)
    across = np.swapaxes(robot.loop_jacobian(q), -1, -2)
    multipliers = (pseudo_inverse(across) @ (needed - tau)[..., None])[..., 0]
    off, most = _left(robot, needed, tau, (across @ multipliers[..., None])[..., 0])
    if refuse and (off > most).any():
        _refuse_torques(robot, off)
    dead = np.asarray((off > most).any(axis=-1))
    multipliers = np.where(dead[..., None], np.nan, multipliers)
    alive = np.broadcast_to(across, (*dead.shape, *across.shape[-2:]))[~dead]
    return _by_loop(robot, q, multipliers, _undetermined(robot, alive))


def cut_open(robot: Robot) -> Robot:
    """The tree of a robot's links, its loops cut."""
    return robot.kept("cut open", lambda: robot.with_model(_without_loops(robot.model)))


def _without_loops(model: Model) -> Model:
    """The tree alone; what was the tip stays it, though loops no longer make several ends one."""
    return replace(model, loops=(), curves=(), golden=(), tip=tip_or_none(model) or "")


def _left(robot: Robot, needed: Array, tau: Array, held: Array) -> tuple[Array, Array]:
    """What is left of the torques (..., n) that neither motors nor loops account for, and what of it is rounding.

    Small torques may be what others leave when they cancel: they are measured by the weight of the robot too.
    """
    size = np.maximum(np.abs(needed), np.abs(tau)) + np.abs(held)
    weight = sum(float(body.inertial.m) for body in robot.model.bodies) * G * extent(robot.model)  # pyright: ignore[reportArgumentType]
    return np.abs(needed - tau - held), BALANCED * (min(1.0, weight) + size.max(axis=-1, keepdims=True))


def _refuse_torques(robot: Robot, off: Array) -> None:
    """Say which torque does not belong to the motion: what loops cannot account for."""
    worst = off.reshape(-1, robot.nv).max(axis=0)
    k = int(np.argmax(worst))
    joint = next(j.name for j in robot.coordinates.joints if j.v <= k < j.v + j.nv)
    raise ArgumentError(
        f'tau does not give this motion: joint "{joint}" has {worst[k]:.3g} too much or too little, which no '
        "loop could hold. robot.forward_dynamics(q, qd, tau) is the motion of tau."
    )


def _undetermined(robot: Robot, across: Array) -> tuple[Condition, ...]:
    flat = across[np.isfinite(across).all(axis=(-2, -1))]
    projection = np.eye(flat.shape[-1]) - pseudo_inverse(flat) @ flat
    free = np.abs(projection).max(axis=(0, 1), initial=0.0) > LEAST**0.5
    return tuple(conditions(robot.model)[k] for k in np.flatnonzero(free))


def _by_loop(robot: Robot, q: Array, multipliers: Array, undetermined: tuple[Condition, ...]) -> LoopForces:
    wrenches: dict[str, Array] = {}
    start = 0
    for loop in solved(robot.model):
        rows = loop.rows or tuple(range(CLOSURES[loop.kind].size))
        own = np.zeros((*multipliers.shape[:-1], CLOSURES[loop.kind].size))
        own[..., rows] = multipliers[..., start : start + len(rows)]
        wrenches[loop.name] = _wrench(robot, loop, q, own)
        start += len(rows)
    torques = {curve.name: multipliers[..., start + k] for k, curve in enumerate(robot.model.curves)}
    return LoopForces(multipliers, wrenches, torques, undetermined)


def _wrench(robot: Robot, loop: Loop, q: Array, own: Array) -> Array:
    kind = CLOSURES[loop.kind]
    a, b = (robot.forward_kinematics(q, frame=name) for name in (loop.frame_a, loop.frame_b))
    if kind.distance:
        force = own * (b[..., :3, 3] - a[..., :3, 3]) / loop.length
        return np.concatenate([force, np.zeros_like(force)], axis=-1)
    wrench = np.zeros((*own.shape[:-1], 2, 3))
    places = len(kind.place)
    wrench[..., 0, list(kind.place)] = own[..., :places]
    if len(kind.turn) == 2:
        wrench[..., 1, 0], wrench[..., 1, 1] = -own[..., places + 1], own[..., places]
    elif kind.turn:
        wrench[..., 1, :] = own[..., places:]
    turned = np.einsum("...ij,...kj->...ki", a[..., :3, :3], wrench)
    return turned.reshape(*own.shape[:-1], 6)
