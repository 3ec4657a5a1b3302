# pyright: reportConstantRedefinition=false
"""Derivatives of inverse dynamics from composite bodies: O(n · depth), on trees, every joint.

A small displacement along a column S_j takes along all that is beyond joint j. Seen from there nothing has changed
but the motion of the parent p, which looks displaced the other way. A small rate along S_j adds to every motion
beyond. So for every body k there, with B of `composite_coriolis`,

    displaced   δv = Ψ̇_j,  δa = Ψ̈_j + Ψ̇_j × v_k              Ψ̇_j = v_p × S_j,  Ψ̈_j = a_p × S_j + v_p × Ψ̇_j
    faster      δv = S_j,   δa = Ψ̇_j + Ṡ_j + S_j × v_k        Ṡ_j = v_j × S_j
    δf = I δa + δv ×* I v + v ×* I δv = I (Ψ̈_j or Ψ̇_j + Ṡ_j) + 2 B δv

I, B and the force f of bodies add up over a subtree. With those of everything beyond joint i, and for every joint j
on the way from i to the root, i itself included where only the first row is concerned:

    ∂τ_i/∂q_j = S_iᵀ (2 B Ψ̇_j + I Ψ̈_j + L S_j)               ∂τ_i/∂q̇_j = S_iᵀ (2 B S_j + I (Ψ̇_j + Ṡ_j))
    ∂τ_j/∂q_i = S_jᵀ (2 B Ψ̇_i + I Ψ̈_i + L S_i + S_i ×* f)    ∂τ_j/∂q̇_i = S_jᵀ (2 B S_i + I (Ψ̇_i + Ṡ_i))
    M_ij = S_iᵀ I S_j

A load (F, m) at a point p of a body does not turn with it: of what S ×* f takes along, L gives back its rotation,
L u = (p × (a × F) + a × m, a × F) for u with angular part a. That is a B with V = F pᵀ + [m×], and F for its p.
Derivatives by q are along the columns of the joints, which for quaternions are the axes of the moved frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strobe.algebra import Force, Inertia, Mat3, Motion, Pose, Vec3
from strobe.formulations.composite_coriolis import Flow, flow_of
from strobe.formulations.kinematics import Load, forces_on_bodies
from strobe.models.model import ROOT, Body, Model
from strobe.scalars import Num, Numbers

Matrix = list[list[Num]]


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What one degree of freedom changes in the motion of all that is beyond it."""

    S: Motion
    displaced: Motion  # Ψ̇
    pushed: Motion  # Ψ̈
    hastened: Motion  # Ψ̇ + Ṡ


@dataclass(frozen=True, slots=True, eq=False)
class Beyond:
    """What is beyond a joint, as one: inertia, the flow B, the force f, and what loads do not take along."""

    I: Inertia
    B: Flow
    f: Force
    L: Flow

    def __add__(self, other: Beyond) -> Beyond:
        return Beyond(self.I + other.I, self.B + other.B, self.f + other.f, self.L + other.L)

    def outward(self, pose: Pose) -> Beyond:
        """Seen from the outer frame of a placement."""
        force = pose.inverse().T @ self.f
        return Beyond(pose.inertia(self.I), self.B.outward(pose), force, self.L.outward(pose))


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """Of one degree of freedom i, what meets the columns of the joints on the way to the root."""

    by_q: Force  # 2 B Ψ̇ + I Ψ̈ + L S + S ×* f
    by_qd: Force  # 2 B S + I (Ψ̇ + Ṡ)
    held: Force  # I S
    flow: Vec3  # 2 Bᵀ S, a moment
    load: Vec3  # Lᵀ S, a moment

    def outward(self, pose: Pose) -> Carried:
        out = pose.inverse().T
        flow, load = pose.direction(self.flow), pose.direction(self.load)
        return Carried(out @ self.by_q, out @ self.by_qd, out @ self.held, flow, load)


def inverse_dynamics_derivatives(
    model: Model, q: Numbers, qd: Numbers, qdd: Numbers, loads: Sequence[Load] = ()
) -> tuple[Matrix, Matrix, Matrix]:
    """∂τ/∂q, ∂τ/∂q̇ and M of τ = M q̈ + C q̇ + g − Σ Jᵀ F."""
    poses: dict[int, Pose] = {}
    v, a = {ROOT: Motion.zero()}, {ROOT: -model.gravity}
    changes: dict[int, list[Change]] = {}
    beyond = _loads(model, q, loads)
    by_q, by_qd, M = _zeros(model.nv), _zeros(model.nv), _zeros(model.nv)
    for body, complete in limb_by_limb(model):
        i, p = body.index, body.parent
        poses[i] = body.pose(q)
        X, own = poses[i].inverse(), body.S @ body.rates(qd)
        v_p, a_p = X @ v[p], X @ a[p]
        v[i] = v_p + own
        a[i] = a_p + body.S @ body.rates(qdd) + v_p.cross(own)
        changes[i] = [_change(S, v_p, a_p, v[i] if body.joint.nv > 1 else None) for S in body.S]
        beyond[i] += _moving(body, v[i], a[i])
        for done in complete:
            k, ahead = done.index, done.parent
            for number, change in enumerate(changes[k]):
                met = _meeting(beyond[k], change)
                _carry(model, poses, changes, done, number, met, (by_q, by_qd, M))
            if ahead != ROOT:
                beyond[ahead] += beyond[k].outward(poses[k])
    return by_q, by_qd, M


def _zeros(n: int) -> Matrix:
    return [[0.0] * n for _ in range(n)]


def limb_by_limb(model: Model) -> Iterator[tuple[Body, list[Body]]]:
    """The bodies from the root on, each with those beyond which nothing is left to come after it, tips first."""
    left = {body.index: 0 for body in model.bodies} | {ROOT: 0}
    for body in model.bodies:
        left[body.parent] += 1
    for body in model.bodies:
        complete: list[Body] = []
        i = body.index
        while i != ROOT and not left[i]:
            complete.append(model.bodies[i])
            i = model.bodies[i].parent
            left[i] -= 1
        yield body, complete


def _change(S: Motion, v_p: Motion, a_p: Motion, v: Motion | None) -> Change:
    """``v`` is the velocity of the body; None where its joint has one column, along which v_p × S = v × S."""
    displaced = v_p.cross(S)
    hastened = displaced * 2.0 if v is None else displaced + v.cross(S)
    return Change(S, displaced, a_p.cross(S) + v_p.cross(displaced), hastened)


STILL = Flow(Mat3.zero(), Vec3.zero())


def _moving(body: Body, v: Motion, a: Motion) -> Beyond:
    I = body.inertia
    return Beyond(I, flow_of(body, v), I @ a + v.cross(I @ v), STILL)


def _loads(model: Model, q: Numbers, loads: Sequence[Load]) -> dict[int, Beyond]:
    """What loads on a body are beyond its joint; nothing on most.

    The moment of a load about the body's origin is n = p × F + m, so that F pᵀ + [m×] = [n×] + p Fᵀ.
    """
    found = {body.index: Beyond(Inertia.zero(), STILL, Force.zero(), STILL) for body in model.bodies}
    for load in loads:
        p = load[0].placement.translation
        for i, F in forces_on_bodies(model, q, [load]).items():
            turning = Flow(Mat3.cross(F.moment) + Mat3.outer(p, F.force), F.force)
            found[i] += Beyond(Inertia.zero(), STILL, -F, turning)
    return found


def _meeting(beyond: Beyond, change: Change) -> Carried:
    I, B, L, S = beyond.I, beyond.B, beyond.L, change.S
    return Carried(
        (B @ change.displaced) * 2.0 + I @ change.pushed + L @ S + S.cross(beyond.f),
        (B @ S) * 2.0 + I @ change.hastened,
        I @ S,
        B.moment(S) * 2.0,
        L.moment(S),
    )


def _carry(
    model: Model, poses: dict[int, Pose], changes: dict[int, list[Change]], body: Body, k: int,
    met: Carried, matrices: tuple[Matrix, Matrix, Matrix],
) -> None:  # fmt: skip
    """Rows and columns of one degree of freedom i, from its own joint to the root."""
    by_q, by_qd, M = matrices
    i, ahead = body.joint.v + k, body
    while True:
        for n, there in enumerate(changes[ahead.index]):
            j, turn = ahead.joint.v + n, there.S.angular
            by_q[i][j] = (
                there.displaced.angular.dot(met.flow) + there.pushed.dot(met.held) + turn.dot(met.load)
            )
            by_qd[i][j] = turn.dot(met.flow) + there.hastened.dot(met.held)
            M[i][j] = M[j][i] = there.S.dot(met.held)
            if ahead is not body:
                by_q[j][i] = there.S.dot(met.by_q)
                by_qd[j][i] = there.S.dot(met.by_qd)
        if ahead.parent == ROOT:
            return
        met = met.outward(poses[ahead.index])
        ahead = model.bodies[ahead.parent]
