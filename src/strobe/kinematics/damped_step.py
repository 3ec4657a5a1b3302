"""One step of numeric inverse kinematics over numbers: forward kinematics, Jacobian, error and solve in one program.

    e  = W (p_d − p,  2 sin(θ/2) u)          from where the frame is to where it should be, base axes
    λ  = factor · |e|² + floor               damped by the error itself: quadratic convergence, no step is rejected
    Δq = F Jᵀ W (W J F Jᵀ W + λ)⁻¹ e         F is 0 for a joint at a bound that Jᵀ W e drives outwards, else 1

The rotation that is missing turns about u by θ: with columns r_k and d_k of the two rotations Σ r_k × d_k = 2 sin θ u
and Σ r_k · d_k = 1 + 2 cos θ, so that no arc function is needed. With fewer joints than rows it is the other side,
(F Jᵀ W² J F + λ)⁻¹. A joint that the step would take over a bound stops there; a pose that is reached stays.

A pull z is a wish of the joints, and L their mobility; what of z moves the frame is left out:

    Δq = z + L J'ᵀ (J' J'ᵀ + λ)⁻¹ (e − W J z),   J' = W J L,   first with every joint, then without those driven out
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strobe.algebra import Vec3, ldl_solve
from strobe.algebra.rows import dot
from strobe.models.couplings import coordinates
from strobe.models.joints import Joint
from strobe.models.model import Model
from strobe.quantities import Request
from strobe.scalars import Num, Numbers, absolute, atan2, less, maximum, minimum, sqrt, where
from strobe.scalars.scalar import is_number

ROWS = {"pose": slice(0, 6), "position": slice(0, 3), "orientation": slice(3, 6)}  # of a Jacobian
HALF_TURN = 1e-6  # of 1 + Σ r·d = 4 cos²(θ/2): nearer to a half turn the axis is nothing but rounding

Rows = list[list[Num]]


@dataclass(frozen=True, slots=True)
class StepRequest(Request):
    """A step for one frame: ``form`` is what of the pose is asked, ``pulled`` whether the joints have a wish."""

    pulled: bool = False

    def inputs(self, model: Model) -> dict[str, int]:
        """``damping`` holds the squared error that counts as none, the factor of λ, and its floor."""
        x, rows = coordinates(model), ROWS[self.form]
        sizes = {"q": x.nq, "target": 12, "rows": rows.stop - rows.start}
        sizes |= {"lower": x.nv, "upper": x.nv, "damping": 3}
        return sizes | {"pull": x.nv, "mobility": x.nv} if self.pulled else sizes

    def shape(self, model: Model) -> tuple[int, ...]:
        """The next position and the squared error of this one."""
        return (coordinates(model).nq + 1,)

    def evaluate(self, model: Model, **numbers: Numbers) -> list[Num]:
        """The next position, and the squared error of this one, over numbers of the model's system."""
        tree = model.proximal()
        placement = Request("forward_kinematics", frame=self.frame).evaluate(tree, q=numbers["q"])
        J = Request("jacobian", frame=self.frame).evaluate(tree, q=numbers["q"])
        e, far = _error(placement, numbers["target"])
        chosen, W = ROWS[self.form], numbers["rows"]
        e = _times(e[chosen], W)
        J = [[x * w for x in row] for row, w in zip(J[chosen], W, strict=True)]
        square = dot(e, e)
        if self.form != "position":  # a rotation counts as a whole only if none of its rows is left out
            square = square + far * (W[-3] * W[-2] * W[-1])
        arrived, factor, floor = numbers["damping"]
        lam = square * factor + floor
        bounds = Bounds(coordinates(model).joints, numbers["q"], numbers["lower"], numbers["upper"])
        if self.pulled:
            step = _pulled(J, e, lam, numbers["pull"], numbers["mobility"], bounds)
        else:
            free = bounds.free([dot(column, e) for column in zip(*J, strict=True)])
            step = _solved(J, e, lam, free)
            step = [x * where(less(square, arrived), 0.0, 1.0) for x in step]
        return [*bounds.after(step), square]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The joints, where they are, and between which bounds they may be."""

    joints: Sequence[Joint]
    q: Numbers
    lower: Numbers
    upper: Numbers

    def free(self, drive: Numbers) -> list[Num]:
        """For each degree of freedom 1, or 0 where it stands at a bound and is driven out."""
        free: list[Num] = [1.0] * len(drive)
        for joint in self.joints:
            k = joint.v
            if joint.nq == 1 and not _is_zero(drive[k]):
                low = where(less(self.lower[k], self.q[joint.q]), 1.0, where(less(drive[k], 0.0), 0.0, 1.0))
                free[k] = where(
                    less(self.q[joint.q], self.upper[k]), low, where(less(0.0, drive[k]), 0.0, low)
                )
        return free

    def after(self, step: Numbers) -> list[Num]:
        """The position after a step, of which a joint keeps what its bounds allow."""
        q: list[Num] = []
        for joint in self.joints:
            k = joint.v
            if all(_is_zero(x) for x in step[k : k + joint.nv]):
                q += self.q[joint.q : joint.q + joint.nq]
            elif joint.nq == 1:
                q.append(minimum(maximum(self.q[joint.q] + step[k], self.lower[k]), self.upper[k]))
            else:
                q += joint.integrate(self.q, step)
        return q


@dataclass(frozen=True, slots=True)
class ResidualRequest(Request):
    """How far a frame is from where it should be, metres and radians together; ``form`` as in `StepRequest`."""

    def inputs(self, model: Model) -> dict[str, int]:
        return {"q": coordinates(model).nq, "target": 12}

    def shape(self, model: Model) -> tuple[int, ...]:
        return (1,)

    def evaluate(self, model: Model, **numbers: Numbers) -> list[Num]:
        """NaN where q is not a number."""
        exists = less(absolute(sum(numbers["q"], 0.0)), math.inf)  # sine and cosine of NaN take a slow path
        q = [where(exists, x, 0.0) for x in numbers["q"]]
        placement = Request("forward_kinematics", frame=self.frame).evaluate(model.proximal(), q=q)
        step, twice_sine, trace = _apart(placement, numbers["target"])
        square: Num = 0.0
        if self.form != "orientation":
            square = step.dot(step)
        if self.form != "position":
            angle = atan2(sqrt(twice_sine.dot(twice_sine)), trace - 1.0)
            square = square + angle * angle
        return [where(exists, sqrt(square), math.nan)]


def _error(placement: Sequence[Numbers], target: Numbers) -> tuple[list[Num], Num]:
    """The missing translation and rotation, and what to add to its square so that a half turn is no rest."""
    step, twice_sine, trace = _apart(placement, target)
    scale = 1.0 / sqrt(maximum(trace + 1.0, HALF_TURN))
    return [*step, *(twice_sine * scale)], maximum(-trace, 0.0)


def _apart(placement: Sequence[Numbers], target: Numbers) -> tuple[Vec3, Vec3, Num]:
    """The missing translation, and of the missing rotation 2 sin θ u and 1 + 2 cos θ."""
    step = Vec3(*(target[4 * i + 3] - placement[i][3] for i in range(3)))
    twice_sine, trace = Vec3(0.0, 0.0, 0.0), 0.0
    for k in range(3):
        r = Vec3(*(placement[i][k] for i in range(3)))
        d = Vec3(*(target[4 * i + k] for i in range(3)))
        twice_sine, trace = twice_sine + r.cross(d), trace + r.dot(d)
    return step, twice_sine, trace


def _solved(J: Sequence[Numbers], e: Numbers, lam: Num, scale: Numbers) -> list[Num]:
    """Δq of the columns of J, each multiplied by a scale (0 for a joint that rests)."""
    J = [[x * s for x, s in zip(row, scale, strict=True)] for row in J]
    columns = [list(column) for column in zip(*J, strict=True)]
    moving = [k for k, column in enumerate(columns) if not all(map(_is_zero, column))]
    step: list[Num] = [0.0] * len(columns)
    if len(moving) < len(e):
        inner = ldl_solve(
            _gram([columns[k] for k in moving], lam),
            [dot(columns[k], e) for k in moving],
            range(-1, len(moving) - 1),
        )
        for k, x in zip(moving, inner, strict=True):
            step[k] = x * scale[k]
        return step
    y = ldl_solve(_gram(J, lam), e, range(-1, len(e) - 1))
    for k in moving:
        step[k] = dot(columns[k], y) * scale[k]
    return step


def _pulled(
    J: Sequence[Numbers], e: Numbers, lam: Num, pull: Numbers, mobility: Numbers, bounds: Bounds
) -> list[Num]:
    """The step that also follows a wish of the joints as far as the frame allows it."""
    step = _towards(J, e, lam, pull, mobility)
    free = bounds.free(step)
    pull, mobility = _times(pull, free), _times(mobility, free)
    return _towards(J, e, lam, pull, mobility)


def _towards(J: Sequence[Numbers], e: Numbers, lam: Num, pull: Numbers, mobility: Numbers) -> list[Num]:
    left = [x - dot(row, pull) for x, row in zip(e, J, strict=True)]
    return [x + z for x, z in zip(_solved(J, left, lam, mobility), pull, strict=True)]


def _gram(rows: Sequence[Numbers], lam: Num) -> Rows:
    """The products of every two rows, the damping on the diagonal; below it is all that is read."""
    products: Rows = [[dot(a, b) for b in rows[: i + 1]] for i, a in enumerate(rows)]
    for i, row in enumerate(products):
        row[i] = row[i] + lam
    return products


def _times(a: Numbers, b: Numbers) -> list[Num]:
    return [x * y for x, y in zip(a, b, strict=True)]


def _is_zero(x: Any) -> bool:
    return is_number(x) and x == 0
