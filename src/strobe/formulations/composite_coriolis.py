# pyright: reportConstantRedefinition=false
"""The Coriolis matrix from composite bodies: O(n · depth), on trees, every joint. [Echeandia2021]

    C = Σ_bodies Jᵀ (I J̇ + B J),   J̇ e_j = v_j × S_j,   B u = ½ (v ×* I u − I (v × u) + u ×* I v)

B + Bᵀ is the rate of I, so Ṁ − 2C is skew; B(v) u − B(u) v = −I (v × u), so the symbols are symmetric: C is the
Christoffel matrix. Written out, B sees of a body only two integrals over its mass, with ẋ = u + ω × x:

    V = ∫ ẋ xᵀ dm = u hᵀ + [ω×] Σ,   Σ = ∫ x xᵀ dm = ½ tr(I) 1 − I,   p = ∫ ẋ dm = m u − h × ω
    N = tr(V) 1 − V,   B (a, b) = (N a, a × p),   Bᵀ (a, b) = (Nᵀ a + p × b, 0)

Both add up over a subtree, and a shift of the origin by r takes V to V + p rᵀ. With I, V and p of the subtree
beyond joint j, carried to every joint i on the way to the root:

    C_ij = S_iᵀ (I Ṡ_j + B S_j)        C_ji = S_iᵀ Bᵀ S_j + Ṡ_iᵀ I S_j

The form of the decomposition has the central inertia in the place of its half-trace part, N + ½ tr(I_c) [ω×],
which is Σ − ½ tr(I_c) 1 in the place of Σ. [Decomposition2012]
"""

from __future__ import annotations

from dataclasses import dataclass

from strobe.algebra import Force, Inertia, Mat3, Motion, Pose, Shift, Spin, Sym3, Vec3
from strobe.errors import UnsupportedModelError
from strobe.models.model import ROOT, Body, Model
from strobe.scalars import Num, Numbers

Column = tuple[Motion, Motion]  # S_j and its rate


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """The integrals V = ∫ ẋ xᵀ dm and p = ∫ ẋ dm of moving bodies, about an origin."""

    V: Mat3
    p: Vec3

    def __add__(self, other: Flow) -> Flow:
        return Flow(self.V + other.V, self.p + other.p)

    def __matmul__(self, u: Motion) -> Force:
        """B u."""
        a = u.angular
        return Force(a * self.V.trace() - self.V @ a, a.cross(self.p))

    def moment(self, u: Motion) -> Vec3:
        """Bᵀ u, which has no force."""
        a = u.angular
        return a * self.V.trace() - self.V.T @ a + self.p.cross(u.linear)

    def outward(self, pose: Pose) -> Flow:
        """Seen from the outer frame of a placement."""
        V, p = self.V, self.p
        for step in reversed(pose.steps):
            if isinstance(step, Shift):
                V = V + Mat3.outer(p, step.p)
            else:
                half = Mat3(*(step.outward(row) for row in V))  # V Rᵀ
                V = Mat3(*(step.outward(row) for row in half.T)).T
                p = step.outward(p)
        return Flow(V, p)


def coriolis_matrix(
    model: Model, q: Numbers, qd: Numbers, form: str = "christoffel", level: bool = False
) -> list[list[Num]]:
    """C(q, qd) with C qd the velocity torques; zero between joints of which neither supports the other.

    ``level`` carries in base axes, which costs less on long chains.
    """
    poses: dict[int, Pose] = {}
    v = {ROOT: Motion.zero()}
    columns: dict[int, list[Column]] = {}
    inertias: dict[int, Inertia] = {}
    flows: dict[int, Flow] = {}
    for body in model.bodies:
        i = body.index
        poses[i] = body.pose(q)
        v[i] = poses[i].inverse() @ v[body.parent] + body.S @ body.rates(qd)
        columns[i] = [(S, v[i].cross(S)) for S in body.S]
        inertias[i], flows[i] = body.inertia, flow_of(body, v[i], form)

    axes = _base_axes(model, poses) if level else {}
    steps = _shifts(model, poses, axes) if level else poses
    seen = _in_axes(axes, columns) if level else columns
    C: list[list[Num]] = [[0.0] * model.nv for _ in range(model.nv)]
    for body in reversed(model.bodies):
        i, p = body.index, body.parent
        for k, (S, S_dot) in enumerate(columns[i]):
            met = inertias[i] @ S_dot + flows[i] @ S, inertias[i] @ S, flows[i].moment(S)
            if level:
                out = axes[i].inverse().T
                met = out @ met[0], out @ met[1], axes[i].direction(met[2])
            _carry(model, steps, seen, body, k, *met, C)
        if p != ROOT:
            inertias[p] = inertias[p] + poses[i].inertia(inertias[i])
            flows[p] = flows[p] + flows[i].outward(poses[i])
    return C


def _base_axes(model: Model, poses: dict[int, Pose]) -> dict[int, Pose]:
    """How the axes of each body lie in those of the base, as one rotation."""
    rows: dict[int, Mat3] = {ROOT: Mat3.identity()}
    for body in model.bodies:
        inward = poses[body.index].inverse().inward
        rows[body.index] = Mat3(*map(inward, rows[body.parent]))
    return {i: Pose((Spin(R),)) for i, R in rows.items() if i != ROOT}


def _shifts(model: Model, poses: dict[int, Pose], axes: dict[int, Pose]) -> dict[int, Pose]:
    """From body to body in base axes, where nothing turns."""
    still = {ROOT: Pose(), **axes}
    return {
        body.index: Pose((Shift(still[body.parent].direction(poses[body.index].translation)),))
        for body in model.bodies
    }


def _in_axes(axes: dict[int, Pose], columns: dict[int, list[Column]]) -> dict[int, list[Column]]:
    """Columns in other axes about the same origins."""
    outward = {i: pose.inverted().inverse() for i, pose in axes.items()}
    return {i: [(outward[i] @ S, outward[i] @ S_dot) for S, S_dot in columns[i]] for i in axes}


def _carry(
    model: Model, poses: dict[int, Pose], columns: dict[int, list[Column]], body: Body, k: int,
    along: Force, held: Force, moment: Vec3, C: list[list[Num]],
) -> None:  # fmt: skip
    """Row and column of one degree of freedom j, from its own joint to the root.

    ``along`` is I Ṡ_j + B S_j, ``held`` I S_j and ``moment`` Bᵀ S_j, each carried to the joint it meets.
    """
    j, ahead = body.joint.v + k, body
    while True:
        own = ahead is body
        for n, (S, S_dot) in enumerate(columns[ahead.index]):
            i = ahead.joint.v + n
            C[i][j] = S.dot(along)
            if not own:
                C[j][i] = S.angular.dot(moment) + S_dot.dot(held)
        if ahead.parent == ROOT:
            return
        out = poses[ahead.index]
        along, held, moment = out.inverse().T @ along, out.inverse().T @ held, out.direction(moment)
        ahead = model.bodies[ahead.parent]


def flow_of(body: Body, v: Motion, form: str = "christoffel") -> Flow:
    """V and p of one body."""
    m, h, I = body.inertia.m, body.inertia.h, body.inertia.I
    half = (I.xx + I.yy + I.zz) * 0.5
    if form == "decomposition":
        if body.inertial.central is None:
            raise UnsupportedModelError(
                f'link "{body.name}" has a first moment without mass; this form of C needs its centre of mass.'
            )
        central = body.inertial.central
        half = half - (central.xx + central.yy + central.zz) * 0.5
    w, u = v.angular, v.linear
    spread = Sym3(half, half, half, 0.0, 0.0, 0.0) - I  # Σ
    turning = Mat3(*(w.cross(column) for column in spread.matrix())).T
    return Flow(Mat3.outer(u, h) + turning, u * m - h.cross(w))
