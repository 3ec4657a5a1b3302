# pyright: reportConstantRedefinition=false
"""The articulated-body method: accelerations from torques in O(n), on trees. [Featherstone2008], section 7.3

    v_i = X_i v_p + S_i qd_i,   c_i = v_i × S_i qd_i,   p^A_i = v_i ×* I_i v_i,   I^A_i = I_i       outward
    U = I^A S,   D = Sᵀ U + rotor,   u = tau − Sᵀ p^A                                               inward
    I^a = I^A − U D⁻¹ Uᵀ,   p^a = p^A + I^a c + U D⁻¹ u
    I^A_p += Xᵀ I^a X,   p^A_p += Xᵀ p^a
    a' = X a_p + c,   qdd = D⁻¹ (u − Uᵀ a'),   a = a' + S qdd,   a_root = −g                          outward

Rotor inertia is seen by its own joint alone, so it enters D.
"""

from __future__ import annotations

from dataclasses import dataclass

from strobe.algebra import Force, Inertia, Mat3, Motion, Shift, Transform, ldl_solve
from strobe.algebra.placement import Step
from strobe.models.model import ROOT, Model
from strobe.scalars import Num, Numbers


@dataclass(frozen=True, slots=True, eq=False)
class ArticulatedInertia:
    """A symmetric 6×6 matrix [A B; Bᵀ C] from motions (angular, linear) to forces (moment, force)."""

    A: Mat3
    B: Mat3
    C: Mat3

    @classmethod
    def of(cls, body: Inertia) -> ArticulatedInertia:
        return cls(body.I.matrix(), Mat3.cross(body.h), Mat3.identity() * body.m)

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.A + other.A, self.B + other.B, self.C + other.C)

    def __matmul__(self, v: Motion) -> Force:
        w, u = v.angular, v.linear
        return Force(self.A @ w + self.B @ u, self.B.T @ w + self.C @ u)

    def without(self, f: Force, g: Force) -> ArticulatedInertia:
        """This minus f gᵀ."""
        return ArticulatedInertia(
            self.A - Mat3.outer(f.moment, g.moment),
            self.B - Mat3.outer(f.moment, g.force),
            self.C - Mat3.outer(f.force, g.force),
        )

    def outward(self, steps: tuple[Step, ...]) -> ArticulatedInertia:
        """Xᵀ self X: seen from the outer frame of a placement."""
        A, B, C = self.A, self.B, self.C
        for step in reversed(steps):
            if isinstance(step, Shift):
                P = Mat3.cross(step.p)
                BP = B @ P
                A = A - BP - BP.T - P @ C @ P  # P is skew: P Bᵀ = −(B P)ᵀ
                B = B + P @ C
            else:
                A, B, C = (_turned(step, block) for block in (A, B, C))
        return ArticulatedInertia(A, B, C)


def _turned(step: Step, block: Mat3) -> Mat3:
    """R block Rᵀ."""
    half = Mat3(*(step.outward(row) for row in block))  # block Rᵀ
    return Mat3(*(step.outward(row) for row in half.T)).T


def forward_dynamics(
    model: Model, q: Numbers, qd: Numbers, tau: Numbers, rotor: Numbers | None = None
) -> list[Num]:
    """Accelerations of every degree of freedom; ``rotor`` is added to its own diagonal entry."""
    rotor = [0.0] * model.nv if rotor is None else rotor
    X: dict[int, Transform] = {}
    v = {ROOT: Motion.zero()}
    c: dict[int, Motion] = {}
    IA: dict[int, ArticulatedInertia] = {}
    pA: dict[int, Force] = {}
    for body in model.bodies:
        i = body.index
        X[i] = body.pose(q).inverse()
        vJ = body.S @ body.rates(qd)
        v[i] = X[i] @ v[body.parent] + vJ
        c[i] = v[i].cross(vJ)
        IA[i] = ArticulatedInertia.of(body.inertia)
        pA[i] = v[i].cross(body.inertia @ v[i])

    U: dict[int, list[Force]] = {}
    D: dict[int, list[list[Num]]] = {}
    u: dict[int, list[Num]] = {}
    for body in reversed(model.bodies):
        i = body.index
        U[i] = [IA[i] @ column for column in body.S]
        D[i] = [body.S.T @ column for column in U[i]]
        for k, inertia in enumerate(body.rates(rotor)):
            D[i][k][k] = D[i][k][k] + inertia
        u[i] = [t - s for t, s in zip(body.rates(tau), body.S.T @ pA[i], strict=True)]
        if body.parent != ROOT:
            Ia, pa = _reduced(IA[i], U[i], D[i], pA[i], u[i])
            IA[body.parent] = IA[body.parent] + Ia.outward(X[i].steps)
            pA[body.parent] = pA[body.parent] + X[i].T @ (pa + Ia @ c[i])

    a = {ROOT: -model.gravity}
    qdd: list[Num] = []
    for body in model.bodies:
        i = body.index
        carried = X[i] @ a[body.parent] + c[i]
        right = [x - carried.dot(column) for x, column in zip(u[i], U[i], strict=True)]
        accel = solve(D[i], right)
        a[i] = carried + body.S @ accel
        qdd += accel
    return qdd


def _reduced(
    I: ArticulatedInertia, U: list[Force], D: list[list[Num]], p: Force, u: list[Num]
) -> tuple[ArticulatedInertia, Force]:
    """I − U D⁻¹ Uᵀ and p + U D⁻¹ u."""
    n = len(U)
    for k, column in enumerate(U):
        row = solve(D, [float(k == j) for j in range(n)])  # row k of D⁻¹
        weighted = Force.zero()
        for entry, other in zip(row, U, strict=True):
            weighted = weighted + other * entry
        I = I.without(column, weighted)
    for entry, column in zip(solve(D, u), U, strict=True):
        p = p + column * entry
    return I, p


def solve(D: list[list[Num]], b: list[Num]) -> list[Num]:
    """D⁻¹ b for the small matrix of one joint."""
    return [b[0] / D[0][0]] if len(b) == 1 else ldl_solve(D, b, range(-1, len(b) - 1))
