# pyright: reportConstantRedefinition=false
"""Closed chains: how far they are open, the velocities that they allow, and the accelerations that they demand.

    d = p_b − p_a                                     between the origins of two frames, base axes
    place     c = R_aᵀ d
              ċ = R_aᵀ (ḋ − ω_a × d)
              c̈ = R_aᵀ (d̈ − α_a × d − 2 ω_a × ḋ + ω_a × (ω_a × d))
    turn      R = R_aᵀ R_b,  Ṙ = ρ × R,  ρ = R_aᵀ (ω_b − ω_a),  ρ̇ = R_aᵀ (α_b − α_a − ω_a × ω_b)
              z axes agree:   c = (R_xz, R_yz)
              all axes agree: c = ½ Σ_k e_k × r_k,  r_k the columns of R       (sin θ along the axis of the turn)
    distance  c = (d·d − ℓ²) / 2ℓ,   ċ = d·ḋ / ℓ,   c̈ = (d·d̈ + ḋ·ḋ) / ℓ

Each ċ is J qd, and each c̈ is J qdd plus what is left without acceleration. All are exact off the closed positions
too, where Newton's method needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from strobe.algebra import Mat3, Vec3
from strobe.formulations.kinematics import Moving, Placed, body_placements
from strobe.models.loops import CLOSURES, Closure, solved
from strobe.models.model import ROOT, Curve, Frame, Loop, Model
from strobe.scalars import Num, Numbers

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Closures:
    """Conditions of closed chains, one entry or row each: c, J with ċ = J qd, and c̈ without acceleration."""

    residuals: list[Num] = field(default_factory=list[Num])
    J: list[list[Num]] = field(default_factory=list[list[Num]])
    bias: list[Num] = field(default_factory=list[Num])


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    """A frame in motion: where it is, its velocity and acceleration without qdd, and what each joint adds."""

    at: Placed
    velocity: Moving
    acceleration: Moving
    columns: dict[int, Moving]


def residuals(model: Model, q: Numbers) -> list[Num]:
    """How far every condition is from holding, metres or sines of angles."""
    found: list[Num] = []
    for loop, a, b in _placed(model, q):
        found += _chosen(loop, _residuals(loop, a, b))
    return found + [_curve(model, curve, q)[0] for curve in model.curves]


def facing(model: Model, q: Numbers) -> list[Num]:
    """For each loop the cosine of the angle that it makes zero: −1 where it is closed the wrong way round."""
    return [_cosine(CLOSURES[loop.kind], a.R.T @ b.R) for loop, a, b in _placed(model, q)]


def _cosine(kind: Closure, R: Mat3) -> Num:
    x, y, z = tuple(R)
    if not kind.turn:
        return 1.0
    return z.z if len(kind.turn) == 2 else (x.x + y.y + z.z - 1.0) * 0.5


def _placed(model: Model, q: Numbers) -> Iterator[tuple[Loop, Placed, Placed]]:
    """The loops with their frames where they are."""
    placed = body_placements(model.bodies, q)
    for loop in solved(model):
        a, b = model.frame(loop.frame_a), model.frame(loop.frame_b)
        yield loop, placed[a.body] @ a.placement, placed[b.body] @ b.placement


def closures(model: Model, q: Numbers, qd: Numbers) -> Closures:
    """All conditions with their derivatives, one column per degree of freedom."""
    placed = body_placements(model.bodies, q)
    velocity, acceleration = _motions(model, placed, qd)
    found = Closures()

    def end(name: str) -> _End:
        return _end(model, model.frame(name), placed, velocity, acceleration)

    for loop in solved(model):
        a, b = end(loop.frame_a), end(loop.frame_b)
        found.residuals.extend(_chosen(loop, _residuals(loop, a.at, b.at)))
        found.J.extend(_chosen(loop, _jacobian(model, loop, a, b)))
        found.bias.extend(_chosen(loop, _bias(loop, a, b)))
    for curve in model.curves:
        c, slope, bend = _curve(model, curve, q)
        own, other = model.joint(curve.joint).v, model.joint(curve.other).v
        row: list[Num] = [0.0] * model.nv
        row[own], row[other] = 1.0, -slope
        found.residuals.append(c)
        found.J.append(row)
        found.bias.append(-(qd[other] * qd[other] * bend))
    return found


def _chosen(loop: Loop, rows: Sequence[T]) -> list[T]:
    """The conditions of a loop that count."""
    return [rows[k] for k in loop.rows] if loop.rows else list(rows)


# -- frames in motion ---------------------------------------------------------------------------------


def _motions(
    model: Model, placed: dict[int, Placed], qd: Numbers
) -> tuple[dict[int, Moving], dict[int, Moving]]:
    """ω and ṗ of every body, and their rates without qdd."""
    velocity, acceleration = {ROOT: Moving()}, {ROOT: Moving()}
    for body in model.bodies:
        here, v, a = placed[body.index], velocity[body.parent], acceleration[body.parent]
        arm, own = here.p - placed[body.parent].p, body.S @ body.rates(qd)
        turning, sliding = here.R @ own.angular, here.R @ own.linear  # fixed to the body
        w = v.w + turning
        along = v.w.cross(arm) + sliding
        velocity[body.index] = Moving(w, v.p_d + along)
        acceleration[body.index] = Moving(
            a.w + w.cross(turning), a.p_d + a.w.cross(arm) + v.w.cross(along) + w.cross(sliding)
        )
    return velocity, acceleration


def _end(
    model: Model, frame: Frame, placed: Mapping[int, Placed], velocity: Mapping[int, Moving],
    acceleration: Mapping[int, Moving],
) -> _End:  # fmt: skip
    at = placed[frame.body] @ frame.placement
    v, a, arm = velocity[frame.body], acceleration[frame.body], at.p - placed[frame.body].p
    swing = v.w.cross(arm)
    columns: dict[int, Moving] = {}
    for body in model.support(frame.body):
        here = placed[body.index]
        for k, column in enumerate(body.S):
            w = here.R @ column.angular
            columns[body.joint.v + k] = Moving(w, here.R @ column.linear + w.cross(at.p - here.p))
    return _End(
        at, Moving(v.w, v.p_d + swing), Moving(a.w, a.p_d + a.w.cross(arm) + v.w.cross(swing)), columns
    )


# -- loops --------------------------------------------------------------------------------------------


def _residuals(loop: Loop, a: Placed, b: Placed) -> list[Num]:
    kind, d = CLOSURES[loop.kind], b.p - a.p
    if kind.distance:
        return [(d.dot(d) - loop.length * loop.length) * (0.5 / loop.length)]
    place = tuple(a.R.T @ d) if kind.place else ()
    return [*(place[k] for k in kind.place), *_turned(kind, a.R.T @ b.R, lambda r: r)]


def _jacobian(model: Model, loop: Loop, a: _End, b: _End) -> list[list[Num]]:
    kind, d = CLOSURES[loop.kind], b.at.p - a.at.p
    rows: list[list[Num]] = [[0.0] * model.nv for _ in range(kind.size)]
    R = a.at.R.T @ b.at.R
    for j in sorted({*a.columns, *b.columns}):
        ours, theirs = a.columns.get(j, Moving()), b.columns.get(j, Moving())
        apart = theirs.p_d - ours.p_d
        if kind.distance:
            entries: list[Num] = [d.dot(apart) * (1.0 / loop.length)]
        else:
            place = tuple(a.at.R.T @ (apart - ours.w.cross(d)))
            rho = a.at.R.T @ (theirs.w - ours.w)
            entries = [*(place[k] for k in kind.place), *_turned(kind, R, rho.cross)]
        for row, entry in zip(rows, entries, strict=True):
            row[j] = entry
    return rows


def _bias(loop: Loop, a: _End, b: _End) -> list[Num]:
    kind, d = CLOSURES[loop.kind], b.at.p - a.at.p
    d_d, d_dd = b.velocity.p_d - a.velocity.p_d, b.acceleration.p_d - a.acceleration.p_d
    if kind.distance:
        return [(d.dot(d_dd) + d_d.dot(d_d)) * (1.0 / loop.length)]
    wa, wb, ala, alb = a.velocity.w, b.velocity.w, a.acceleration.w, b.acceleration.w
    seen = d_dd - ala.cross(d) - wa.cross(d_d) * 2.0 + wa.cross(wa.cross(d))
    place = tuple(a.at.R.T @ seen) if kind.place else ()
    rho, rho_d = a.at.R.T @ (wb - wa), a.at.R.T @ (alb - ala - wa.cross(wb))

    def turned(r: Vec3) -> Vec3:
        return rho_d.cross(r) + rho.cross(rho.cross(r))

    return [*(place[k] for k in kind.place), *_turned(kind, a.at.R.T @ b.at.R, turned)]


def _turned(kind: Closure, R: Mat3, change: Callable[[Vec3], Vec3]) -> list[Num]:
    """The conditions on an orientation, or their rates: linear in what happens to the columns of R."""
    if not kind.turn:
        return []
    columns = tuple(R.T)
    if len(kind.turn) == 2:
        z = change(columns[2])
        return [z.x, z.y]
    total = Vec3.zero()
    for k, column in enumerate(columns):
        total = total + Vec3.unit(k).cross(change(column))
    return list(total * 0.5)


def _curve(model: Model, curve: Curve, q: Numbers) -> tuple[Num, Num, Num]:
    """q − p(x) of a curve p over another joint x, and p′ and p″ there."""
    x = q[model.joint(curve.other).q]
    value: Num = 0.0
    slope: Num = 0.0
    half: Num = 0.0
    for coefficient in reversed(curve.coefficients):  # Horner, for the value and two derivatives
        half = half * x + slope
        slope = slope * x + value
        value = value * x + coefficient
    return q[model.joint(curve.joint).q] - value, slope, half * 2.0
