# pyright: reportConstantRedefinition=false
"""The articulated-body method: accelerations from torques in O(n), on trees. [Featherstone2008], section 7.3

    v_i = X_i v_p + S_i qd_i,   b_i = X_i b_p + v_i × S_i qd_i,   b_root = −g                     outward
    p^A_i = I_i b_i + v_i ×* I_i v_i − F,   I^A_i = I_i
    U = I^A S,   D = Sᵀ U + rotor,   u = tau − Sᵀ p^A                                              inward
    I^a = I^A − U D⁻¹ Uᵀ,   p^a = p^A + U D⁻¹ u
    I^A_p += Xᵀ I^a X,   p^A_p += Xᵀ p^a
    a' = X a_p,   qdd = D⁻¹ (u − Uᵀ a'),   a = a' + S qdd,   a_root = 0                            outward

b is the acceleration that a body would have with qdd = 0, and a what qdd adds to it. The book carries their sum, and
with it the terms v × S qd to the end: what stays in memory between the two ways outward is a third less like this.
F acts on a body from outside. Rotor inertia is seen by its own joint alone, so it enters D. Where a joint has none,
I^a S = 0: what the joint lets go free cannot be felt beyond it. Frames sit at the joints, so that S are unit vectors
and those entries are known; of a screw, which turns and slides at once, they are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from strobe.algebra import Columns, Force, Inertia, Mat3, Motion, Shift, Sym3, Transform, Vec3, ldl_solve
from strobe.algebra.placement import Step
from strobe.models.model import ROOT, Model
from strobe.scalars import Num, Numbers
from strobe.scalars.scalar import is_number

Guard = Callable[[Num], Num]  # what to divide by for a pivot of D


@dataclass(frozen=True, slots=True, eq=False)
class ArticulatedInertia:
    """A symmetric 6×6 matrix [A B; Bᵀ C] from motions (angular, linear) to forces (moment, force)."""

    A: Sym3
    B: Mat3
    C: Sym3

    @classmethod
    def of(cls, body: Inertia) -> ArticulatedInertia:
        return cls(body.I, Mat3.cross(body.h), Sym3(body.m, body.m, body.m, 0.0, 0.0, 0.0))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.A + other.A, self.B + other.B, self.C + other.C)

    def __matmul__(self, v: Motion) -> Force:
        w, u = v.angular, v.linear
        return Force(self.A @ w + self.B @ u, self.B.T @ w + self.C @ u)

    def without(self, f: Force, g: Force) -> ArticulatedInertia:
        """This minus f gᵀ, which is known to be symmetric together with its like."""
        return ArticulatedInertia(
            self.A - _outer(f.moment, g.moment),
            self.B - Mat3.outer(f.moment, g.force),
            self.C - _outer(f.force, g.force),
        )

    def free(self, S: Columns) -> ArticulatedInertia:
        """This with zeros along unit columns, where it is known to vanish."""
        unit = [column for column in S if not (_moves(column.angular) and _moves(column.linear))]
        turns, slides = (_axes(getattr(column, part) for column in unit) for part in ("angular", "linear"))
        rows = (Vec3.zero() if k in turns else _cleared(row, slides) for k, row in enumerate(self.B))
        return ArticulatedInertia(_cleared_both(self.A, turns), Mat3(*rows), _cleared_both(self.C, slides))

    def outward(self, steps: tuple[Step, ...]) -> ArticulatedInertia:
        """Xᵀ self X: seen from the outer frame of a placement."""
        A, B, C = self.A, self.B, self.C
        for step in reversed(steps):
            if isinstance(step, Shift):
                P, inner = Mat3.cross(step.p), B
                B = B + P @ C.matrix()
                A = A + Sym3.of(P @ B.T - inner @ P)
            else:
                A, C = (Sym3.of(_turned(step, block.matrix())) for block in (A, C))
                B = _turned(step, B)
        return ArticulatedInertia(A, B, C)


def _outer(v: Vec3, w: Vec3) -> Sym3:
    """The upper triangle of v wᵀ."""
    return Sym3(v.x * w.x, v.y * w.y, v.z * w.z, v.x * w.y, v.x * w.z, v.y * w.z)


def _turned(step: Step, block: Mat3) -> Mat3:
    """R block Rᵀ."""
    half = Mat3(*(step.outward(row) for row in block))  # block Rᵀ
    return Mat3(*(step.outward(row) for row in half.T)).T


def _axes(columns: Iterable[Vec3]) -> set[int]:
    """The coordinate axes along which unit vectors point."""
    return {
        k for column in columns for k, entry in enumerate(column) if not (is_number(entry) and entry == 0)
    }


def _moves(part: Vec3) -> bool:
    return bool(_axes([part]))


def _cleared(row: Vec3, axes: set[int]) -> Vec3:
    return Vec3(*(0.0 if k in axes else entry for k, entry in enumerate(row)))


def _cleared_both(block: Sym3, axes: set[int]) -> Sym3:
    rows = (Vec3.zero() if k in axes else _cleared(row, axes) for k, row in enumerate(block.matrix()))
    return Sym3.of(Mat3(*rows))


def forward_dynamics(
    model: Model, q: Numbers, qd: Numbers, tau: Numbers, rotor: Numbers | None = None,
    guards: Sequence[Guard] | None = None, outside: Mapping[int, Force] | None = None,
) -> list[Num]:  # fmt: skip
    """Accelerations of every degree of freedom.

    ``rotor`` is added to its own diagonal entry of D; ``guards`` give what to divide by for each pivot;
    ``outside`` are the forces F on bodies, by index, in the axes of their joint frame at its origin.
    """
    model = model.proximal()
    rotor = [0.0] * model.nv if rotor is None else rotor
    guards = [_as_it_is] * model.nv if guards is None else guards
    X: dict[int, Transform] = {}
    v = {ROOT: Motion.zero()}
    b = {ROOT: -model.gravity}
    IA: dict[int, ArticulatedInertia] = {}
    pA: dict[int, Force] = {}
    for body in model.bodies:
        i = body.index
        X[i] = body.pose(q).inverse()
        vJ = body.S @ body.rates(qd)
        v[i] = X[i] @ v[body.parent] + vJ
        b[i] = X[i] @ b[body.parent] + v[i].cross(vJ)
        IA[i] = ArticulatedInertia.of(body.inertia)
        pA[i] = body.inertia @ b[i] + v[i].cross(body.inertia @ v[i])
    for i, F in (outside or {}).items():
        pA[i] -= F

    U: dict[int, list[Force]] = {}
    D: dict[int, Pivots] = {}
    u: dict[int, list[Num]] = {}
    for body in reversed(model.bodies):
        i = body.index
        U[i] = [IA[i] @ column for column in body.S]
        entries = [body.S.T @ column for column in U[i]]
        own = body.rates(rotor)
        for k, inertia in enumerate(own):
            entries[k][k] = entries[k][k] + inertia
        D[i] = Pivots(entries, guards[body.joint.v : body.joint.v + body.joint.nv])
        u[i] = [t - s for t, s in zip(body.rates(tau), body.S.T @ pA[i], strict=True)]
        if body.parent != ROOT:
            Ia, pa = _reduced(IA[i], U[i], D[i], pA[i], u[i])
            if all(is_number(inertia) and inertia == 0 for inertia in own):
                Ia = Ia.free(body.S)
            IA[body.parent] = IA[body.parent] + Ia.outward(X[i].steps)
            pA[body.parent] = pA[body.parent] + X[i].T @ pa

    a = {ROOT: Motion.zero()}
    qdd: list[Num] = []
    for body in model.bodies:
        i = body.index
        carried = X[i] @ a[body.parent]
        right = [x - carried.dot(column) for x, column in zip(u[i], U[i], strict=True)]
        accel = D[i].solve(right)
        a[i] = carried + body.S @ accel
        qdd += accel
    return qdd


def _as_it_is(pivot: Num) -> Num:
    return pivot


def inertia_bounds(model: Model, q: Numbers) -> list[Num]:
    """For each degree of freedom what its diagonal entry of M cannot exceed: the scale of its pivot.

    ∫ x·x dm = ½ tr(I) about the joint's origin for a rotation, m for a translation, over all that it moves; a screw
    does both
    """
    tree = model.proximal()
    m = {body.index: body.inertia.m for body in tree.bodies}
    h = {body.index: body.inertia.h for body in tree.bodies}
    polar = {b.index: (b.inertia.I.xx + b.inertia.I.yy + b.inertia.I.zz) * 0.5 for b in tree.bodies}
    bounds: list[Num] = []
    for body in reversed(tree.bodies):
        i, p, pose = body.index, body.parent, body.pose(q)
        bounds = [_bound(column, polar[i], m[i]) for column in body.S] + bounds
        if p != ROOT:
            shift, turned = pose.translation, pose.direction(h[i])
            polar[p] = polar[p] + (polar[i] + shift.dot(turned * 2.0 + shift * m[i]))
            h[p] = h[p] + (turned + shift * m[i])
            m[p] = m[p] + m[i]
    return bounds


def _bound(column: Motion, polar: Num, m: Num) -> Num:
    if not _moves(column.angular):
        return m
    return polar + column.linear.dot(column.linear) * m if _moves(column.linear) else polar


@dataclass(frozen=True, slots=True, eq=False)
class Pivots:
    """The matrix D of one joint, to be divided by."""

    entries: list[list[Num]]
    guards: Sequence[Guard]

    def solve(self, b: list[Num]) -> list[Num]:
        """D⁻¹ b."""
        n = len(b)
        if n == 1:
            return [b[0] * (1.0 / self.guards[0](self.entries[0][0]))]
        ahead = list(self.guards)  # elimination begins with the last
        return ldl_solve(self.entries, b, range(-1, n - 1), lambda pivot, diagonal: ahead.pop()(pivot))


def _reduced(
    I: ArticulatedInertia, U: list[Force], D: Pivots, p: Force, u: list[Num]
) -> tuple[ArticulatedInertia, Force]:
    """I − U D⁻¹ Uᵀ and p + U D⁻¹ u."""
    n = len(U)
    for k, column in enumerate(U):
        row = D.solve([float(k == j) for j in range(n)])  # row k of D⁻¹
        weighted = Force.zero()
        for entry, other in zip(row, U, strict=True):
            weighted = weighted + other * entry
        I = I.without(column, weighted)
    for entry, column in zip(D.solve(u), U, strict=True):
        p = p + column * entry
    return I, p
