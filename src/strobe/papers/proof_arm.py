"""A moving arm in the letters of the equivalence proof [Turney1980]: each computed once, indices from 1.

    W_i, p_i         orientation and origin of frame i in base axes; W_0 = 1, p_0 = 0
    R(k,i)           W_kᵀ W_i, frame i -> frame k
    z(k,j), Q(k,j)   axis z_j seen in frame k, and its cross-product matrix; joint j moves along z_{j−1}
    ∂_j, ∂_jk        exact derivatives by square-zero symbols, none of the paper's algebra in them
    p̈_i, Ẅ_i         Σ_j ∂_j(·) qdd_j + Σ_jk ∂_jk(·) qd_j qd_k
    ω, α, a, ā       the Newton-Euler recursion, of link i in frame i; a_0 = −g
    F_q, N_q, c_q    force and moment that move link q, and its centre of mass, in base axes

A link is four point masses w at d, so that the paper's mass integrals are finite sums. Their centre of mass
r is drawn and the offsets from it are w_4 f_1, w_4 f_2, w_4 f_3, −(w_1 f_1 + w_2 f_2 + w_3 f_3): nothing is
divided, and every mass, centre and inertia tensor is reached up to a set of measure zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from strobe.algebra import Mat3, Mat4, Motion, Pose, Shift, Spin, Sym3, Turn, Vec3
from strobe.formulations import newton_euler
from strobe.formulations.links import Z0, Arm
from strobe.models.inertial import Inertial
from strobe.models.model import Body, Model
from strobe.papers.jets import Jets
from strobe.scalars import FieldSystem, Num, Numbers, System
from strobe.scalars.degree import DegreeSystem

Z = Mat3.cross(Z0)
E = Mat3.identity()

Frames = tuple[list[Mat3], list[Vec3]]  # W_0 … W_n and p_0 … p_n
Drawing = FieldSystem | DegreeSystem  # systems that make up a robot as they go


@dataclass(frozen=True, slots=True, eq=False)
class PointBody:
    """A rigid body of four point masses."""

    weights: tuple[Num, ...]
    r: Vec3
    offsets: tuple[Vec3, ...]  # from the centre of mass

    @classmethod
    def drawn(cls, system: System) -> PointBody:
        w = tuple(system.variable("w") for _ in range(4))
        f = [drawn_vector(system) for _ in range(3)]
        last = -(f[0] * w[0] + f[1] * w[1] + f[2] * w[2])
        return cls(w, drawn_vector(system), (*(v * w[3] for v in f), last))

    @property
    def points(self) -> Iterator[tuple[Num, Vec3]]:
        """Every mass and where it is, from the link's origin."""
        return ((w, self.r + e) for w, e in zip(self.weights, self.offsets, strict=True))

    @property
    def inertial(self) -> Inertial:
        w = self.weights
        K = total(Mat3.outer(e, e) * w_k for w_k, e in zip(w, self.offsets, strict=True))
        return Inertial.at_com(w[0] + w[1] + w[2] + w[3], self.r, Sym3.of(gyration(K)))


@dataclass(frozen=True, slots=True, eq=False)
class Denavit:
    """The constants of one link of a general arm: a_i, d_i, and the point of the circle of α_i."""

    a: Num
    d: Num
    c: Num
    s: Num

    @classmethod
    def drawn(cls, system: Drawing) -> Denavit:
        return cls(system.variable("a"), system.variable("d"), *system.point(1.0))

    def pose(self, turn: Pose) -> Pose:
        return turn @ Pose(
            (Shift(Vec3(0.0, 0.0, self.d)), Shift(Vec3(self.a, 0.0, 0.0)), Turn(0, self.c, self.s))
        )


class MovingArm:
    """A serial arm at one state of motion."""

    def __init__(
        self,
        model: Model,
        state: tuple[Numbers, Numbers, Numbers],
        masses: Sequence[PointBody] = (),
        table: Sequence[Denavit] = (),
    ) -> None:
        self.model = model.distal()
        self.state = state
        self.q, self.qd, self.qdd = ([0.0, *numbers] for numbers in state)
        arm = Arm(self.model, state[0])
        self.n = arm.n
        self.g = arm.gravity
        self.links = [arm.links[0], *arm.links]  # the first stands in for the base and is never asked
        self.masses = [*masses[:1], *masses]
        self.table = [*table[:1], *table]
        self._turned: dict[tuple[int, int], Mat3] = {}
        self._crossed: dict[tuple[int, int], Mat3] = {}

    @classmethod
    def like(cls, model: Model, system: Drawing) -> MovingArm:
        """The robot's own geometry, up to the numbers in it; links and gravity of any kind."""
        return cls._drawn(model.lift(system).distal(), system)

    @classmethod
    def general(cls, model: Model, system: Drawing) -> MovingArm:
        """Joints of the same types with every Denavit-Hartenberg constant drawn; links and gravity of any kind."""
        distal = model.distal()
        table = [Denavit.drawn(system) for _ in distal.bodies]
        bodies = [_on(body, row, system) for body, row in zip(distal.bodies, table, strict=True)]
        return cls._drawn(replace(distal, bodies=tuple(bodies), system=system), system, table)

    @classmethod
    def _drawn(cls, model: Model, system: Drawing, table: Sequence[Denavit] = ()) -> MovingArm:
        masses = [PointBody.drawn(system) for _ in model.bodies]
        bodies = [replace(b, inertial=mass.inertial) for b, mass in zip(model.bodies, masses, strict=True)]
        gravity = Motion(Vec3.zero(), drawn_vector(system))
        made = replace(model, bodies=tuple(bodies), gravity=gravity, frames=())
        return cls(made, made.variables(), masses, table)

    # -- which indices there are ----------------------------------------------------------------------

    def turns(self, j: int) -> bool:
        """Whether joint j is revolute."""
        return self.links[j].revolute

    @property
    def all_links(self) -> range:
        return range(1, self.n + 1)

    @property
    def turning_chain(self) -> list[int]:
        """The links below which every joint is revolute."""
        return [i for i in self.all_links if all(self.turns(j) for j in range(1, i + 1))]

    @property
    def turning_links(self) -> list[int]:
        """The links carried by a revolute joint."""
        return self.turning(self.n)

    @property
    def turning_below(self) -> list[int]:
        """Those of them that carry another link."""
        return self.turning(self.n - 1)

    def turning(self, i: int) -> list[int]:
        """The revolute joints up to link i."""
        return [j for j in range(1, i + 1) if self.turns(j)]

    def up_to(self, i: int) -> range:
        """The joints up to link i."""
        return range(1, i + 1)

    @property
    def frame_pairs(self) -> list[tuple[int, int]]:
        """Any two frames, the base among them."""
        return [(k, i) for k in range(self.n + 1) for i in range(self.n + 1)]

    # -- frames ---------------------------------------------------------------------------------------

    @cached_property
    def W(self) -> list[Mat3]:
        W = [E]
        for link in self.links[1:]:
            W.append(W[-1] @ link.R)
        return W

    @cached_property
    def p(self) -> list[Vec3]:
        p = [Vec3.zero()]
        for i in self.all_links:
            p.append(p[-1] + self.W[i] @ self.links[i].p)
        return p

    def R(self, k: int, i: int) -> Mat3:
        if (k, i) not in self._turned:
            self._turned[k, i] = self.W[k].T @ self.W[i]
        return self._turned[k, i]

    def z(self, k: int, j: int) -> Vec3:
        return self.R(k, j) @ Z0

    def Q(self, k: int, j: int) -> Mat3:
        if (k, j) not in self._crossed:
            self._crossed[k, j] = Mat3.cross(self.z(k, j))
        return self._crossed[k, j]

    def ps(self, i: int) -> Vec3:
        """p*_i."""
        return self.links[i].p

    def r(self, i: int) -> Vec3:
        return self.links[i].r

    def s(self, i: int) -> Vec3:
        return self.links[i].s

    def m(self, i: int) -> Num:
        return self.links[i].m

    def I(self, i: int) -> Mat3:
        return self.links[i].I.matrix()

    def J(self, i: int) -> Mat3:
        """Second moments about origin i; from the points where the link has them."""
        if not self.masses:
            return self.links[i].J
        return total(Mat3.outer(d, d) * w for w, d in self.masses[i].points)

    # -- exact derivatives ----------------------------------------------------------------------------

    def frames(self, jets: Jets, q: Numbers) -> Frames:
        """W_i and p_i at a position of jets."""
        W, p = [E], [Vec3.zero()]
        for body in self.model.bodies:
            after = Pose((Shift(body.after.translation.map(jets.constant)),
                          Spin(body.after.rotation.map(jets.constant))))  # fmt: skip
            pose = body.joint.pose(q) @ after
            p.append(p[-1] + W[-1] @ pose.translation)
            W.append(W[-1] @ pose.rotation)
        return W, p

    @cached_property
    def _partials(self) -> dict[tuple[int, int], tuple[Frames, Frames]]:
        """∂_j and ∂_jk of every frame, for j ≤ k."""
        jets = Jets(self.model.system, 2)
        found: dict[tuple[int, int], tuple[Frames, Frames]] = {}
        for k in self.all_links:
            for j in self.up_to(k):
                q = [jets.make([self.q[i], float(i == j), float(i == k), 0.0]) for i in self.all_links]
                frames = self.frames(jets, q)
                found[j, k] = coefficient(jets, frames, 1), coefficient(jets, frames, 3)
        return found

    def dW(self, j: int, i: int) -> Mat3:
        return self._partials[j, j][0][0][i]

    def dp(self, j: int, i: int) -> Vec3:
        return self._partials[j, j][0][1][i]

    def ddW(self, j: int, k: int, i: int) -> Mat3:
        return self._partials[min(j, k), max(j, k)][1][0][i]

    def ddp(self, j: int, k: int, i: int) -> Vec3:
        return self._partials[min(j, k), max(j, k)][1][1][i]

    def U(self, i: int, j: int) -> Mat4:
        """∂_j of the 4×4 matrix of frame i."""
        return bordered(self.dW(j, i), self.dp(j, i))

    def UU(self, i: int, j: int, k: int) -> Mat4:
        """∂_jk of the 4×4 matrix of frame i."""
        return bordered(self.ddW(j, k, i), self.ddp(j, k, i))

    @cached_property
    def W_by_acceleration(self) -> list[Mat3]:
        """Σ_j ∂_jW_i qdd_j."""
        return self._driven(self.dW, self.qdd, Mat3.zero())

    @cached_property
    def W_by_velocity(self) -> list[Mat3]:
        """Σ_jk ∂_jkW_i qd_j qd_k."""
        return self._swept(self.ddW, Mat3.zero())

    @cached_property
    def Wdd(self) -> list[Mat3]:
        return [x + y for x, y in zip(self.W_by_acceleration, self.W_by_velocity, strict=True)]

    @cached_property
    def pdd(self) -> list[Vec3]:
        parts = self._driven(self.dp, self.qdd, Vec3.zero()), self._swept(self.ddp, Vec3.zero())
        return [x + y for x, y in zip(*parts, strict=True)]

    @cached_property
    def Wd(self) -> list[Mat3]:
        """Σ_j ∂_jW_i qd_j."""
        return self._driven(self.dW, self.qd, Mat3.zero())

    @cached_property
    def pd(self) -> list[Vec3]:
        """Σ_j ∂_jp_i qd_j."""
        return self._driven(self.dp, self.qd, Vec3.zero())

    def _driven(self, partial: Callable[[int, int], Any], rates: Numbers, none: Any) -> list[Any]:
        """The partials times the rates of the joints, summed up to each frame."""
        return [total([partial(j, i) * rates[j] for j in self.up_to(i)], none) for i in range(self.n + 1)]

    def _swept(self, partial: Callable[[int, int, int], Any], none: Any) -> list[Any]:
        """The second partials times the products of two velocities, summed up to each frame."""
        return [
            total([partial(j, k, i) * rates for j, k, rates in self.products(i)], none)
            for i in range(self.n + 1)
        ]

    def dWd(self, j: int, i: int) -> Mat3:
        """Σ_k ∂_jkW_i qd_k, the rate of ∂_jW_i."""
        return total([self.ddW(j, k, i) * self.qd[k] for k in self.up_to(i)], Mat3.zero())

    def dpd(self, j: int, i: int) -> Vec3:
        """Σ_k ∂_jkp_i qd_k, the rate of ∂_jp_i."""
        return total([self.ddp(j, k, i) * self.qd[k] for k in self.up_to(i)], Vec3.zero())

    def products(self, i: int) -> Iterator[tuple[int, int, Num]]:
        """Every j, k ≤ i with qd_j qd_k."""
        return ((j, k, self.qd[j] * self.qd[k]) for j in self.up_to(i) for k in self.up_to(i))

    @cached_property
    def in_time(self) -> tuple[Jets, Frames]:
        """The frames as they move: coefficient 1 is the first derivative in time, 3 the second."""
        jets = Jets(self.model.system, 2)
        q = [jets.make([self.q[i], self.qd[i], self.qd[i], self.qdd[i]]) for i in self.all_links]
        return jets, self.frames(jets, q)

    # -- Newton-Euler ---------------------------------------------------------------------------------

    @cached_property
    def _outward(self) -> list[tuple[Vec3, Vec3, Vec3, Vec3]]:
        """ω_i, α_i, a_i, ā_i by the recursion."""
        zero = Vec3.zero()
        found = [(zero, zero, -self.g, -self.g)]
        for i in self.all_links:
            w, al, a, _ = found[-1]
            w, al, u = newton_euler.outward(self.links[i], w, al, a, self.qd[i], self.qdd[i])
            a = u + al.cross(self.ps(i)) + w.cross(w.cross(self.ps(i)))
            found.append((w, al, a, a + al.cross(self.r(i)) + w.cross(w.cross(self.r(i)))))
        return found

    def w(self, i: int) -> Vec3:
        """ω_i."""
        return self._outward[i][0]

    def al(self, i: int) -> Vec3:
        """α_i."""
        return self._outward[i][1]

    def a(self, i: int) -> Vec3:
        return self._outward[i][2]

    def abar(self, i: int) -> Vec3:
        """ā_i."""
        return self._outward[i][3]

    def spin(self, i: int) -> Vec3:
        """I_i α_i + ω_i × I_i ω_i."""
        I, w = self.links[i].I, self.w(i)
        return I @ self.al(i) + w.cross(I @ w)

    def F(self, q: int) -> Vec3:
        return self.W[q] @ (self.abar(q) * self.m(q))

    def N(self, q: int) -> Vec3:
        return self.W[q] @ self.spin(q)

    def c(self, q: int) -> Vec3:
        return self.p[q] + self.W[q] @ self.r(q)

    @cached_property
    def inward(self) -> list[tuple[Vec3, Vec3]]:
        """f_i, n_i by the recursion, i = 1 … n; the entry before them is not used."""
        f, n = Vec3.zero(), Vec3.zero()
        found = [(f, n)] * (self.n + 1)
        for i in reversed(self.all_links):
            R = self.links[i + 1].R if i < self.n else E
            Rf, F = R @ f, self.abar(i) * self.m(i)
            n = self.spin(i) + self.s(i).cross(F) + self.ps(i).cross(Rf) + R @ n
            f = F + Rf
            found[i] = f, n
        return found

    # -- link by link ---------------------------------------------------------------------------------

    def projected(self, i: int, q: int) -> Num:
        """What the wrench that moves link q asks of joint i (Newton-Euler)."""
        axis, force = self.z(0, i - 1), self.F(q)
        if not self.turns(i):
            return axis.dot(force)
        return axis.dot(self.N(q) + (self.c(q) - self.p[i - 1]).cross(force))

    def traced(self, i: int, q: int) -> Num:
        """What link q adds to the Lagrange equation of joint i: inertial, velocity and gravity terms."""
        UJ = self.U(q, i) @ self.links[q].J_hat
        inertial = total(inner4(UJ, self.U(q, k)) * self.qdd[k] for k in self.up_to(q))
        velocity = total(inner4(UJ, self.UU(q, k, l)) * rates for k, l, rates in self.products(q))
        return inertial + velocity - self.weight(i, q)

    def weight(self, i: int, q: int) -> Num:
        """m_q ĝᵀ U_qi r̂_q."""
        x, y, z, _ = self.U(q, i).apply([*self.r(q), 1.0])
        return self.g.dot(Vec3(x, y, z)) * self.m(q)


def coefficient(jets: Jets, frames: Frames, mask: int) -> Frames:
    """One coefficient of every frame."""
    W, p = frames
    return [M.map(lambda x: jets.coefficient(x, mask)) for M in W], [
        v.map(lambda x: jets.coefficient(x, mask)) for v in p
    ]


def gyration(X: Mat3) -> Mat3:
    """G(X) = tr(X) 1 − X: second moments as an inertia tensor."""
    return E * X.trace() - X


def vee(B: Mat3) -> Vec3:
    """(B_zy − B_yz, B_xz − B_zx, B_yx − B_xy)."""
    return Vec3(B.c.y - B.b.z, B.a.z - B.c.x, B.b.x - B.a.y)


def inner(A: Mat3, B: Mat3) -> Num:
    """tr(A Bᵀ)."""
    return A.a.dot(B.a) + A.b.dot(B.b) + A.c.dot(B.c)


def inner4(A: Mat4, B: Mat4) -> Num:
    """tr(A Bᵀ)."""
    return total(x * y for r, s in zip(A.rows, B.rows, strict=True) for x, y in zip(r, s, strict=True))


def total(terms: Iterable[Any], none: Any = 0.0) -> Any:
    """The sum of numbers, vectors or matrices; ``none`` where there are none."""
    first, *others = [*terms] or [none]
    for term in others:
        first = first + term
    return first


def drawn_vector(system: System) -> Vec3:
    return Vec3(system.variable("x"), system.variable("y"), system.variable("z"))


def _on(body: Body, row: Denavit, system: Drawing) -> Body:
    """A body moved to a general link; a prismatic joint has a fixed angle of its own."""
    turn = Pose() if body.joint.turns else Pose((Turn(2, *system.point(1.0)),))
    return replace(body, after=row.pose(turn), system=system)


def bordered(A: Mat3, v: Vec3) -> Mat4:
    """[A v; 0 0 0 0], a derivative of a homogeneous matrix."""
    rows = [(*row, entry) for row, entry in zip(A, v, strict=True)]
    return Mat4((*rows, (0.0, 0.0, 0.0, 0.0)))  # pyright: ignore[reportArgumentType]
