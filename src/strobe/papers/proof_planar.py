"""The planar arm with two links, derived twice as a textbook does it, step by step. [Asada2005, chapter 7]

Plane x-y, gravity along −y, centroids on the centre lines. O_0 is the base joint, O_1 the elbow, C_1 and C_2
the centroids:

    r01 = ℓ1 (c1, s1)   r0c1 = ℓc1 (c1, s1)   r1c1 = r0c1 − r01   r1c2 = ℓc2 (c12, s12)   r0c2 = r01 + r1c2
    H11 = m1 ℓc1² + I1 + m2 (ℓ1² + ℓc2² + 2 ℓ1 ℓc2 c2) + I2      h  = m2 ℓ1 ℓc2 s2
    H12 = m2 (ℓc2² + ℓ1 ℓc2 c2) + I2                             G1 = m1 g ℓc1 c1 + m2 g (ℓ1 c1 + ℓc2 c12)
    H22 = m2 ℓc2² + I2                                           G2 = m2 g ℓc2 c12

u × v is the number u_x v_y − u_y v_x, ẑ × v = (−v_y, v_x). The coupling forces f01, f12 and moments N01, N12
are those of the Newton-Euler recursion; velocities and accelerations are exact derivatives of the positions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from strobe.algebra import Motion, Pose, Shift, Sym3, Vec3
from strobe.formulations import newton_euler, uicker_kahn
from strobe.formulations.links import Z0, Arm
from strobe.models.inertial import Inertial
from strobe.models.model import Body, Model
from strobe.papers.jets import Jets
from strobe.papers.proof_arm import Drawing, MovingArm
from strobe.papers.proof_lines import Pairs, Section
from strobe.scalars import Num, Numbers, cos, sin

NEWTON = Section("The planar arm by Newton-Euler: eliminate the coupling forces")
LAGRANGE = Section("The planar arm by Lagrange: differentiate the energies")
MEANING = Section("What the terms of the planar arm mean")

SMALL = 1e-9  # of the link's own size: rounding of a model file


def is_planar_pair(model: Model) -> bool:
    """Two revolute joints with parallel axes, and centroids on the centre lines."""
    if not model.is_serial or [joint.turns for joint in model.joints] != [True, True]:
        return False
    first, second = Arm(model, [0.0, 0.0]).links
    parallel = _vanishes(first.z - Z0, 1.0)
    return parallel and all(
        _vanishes(link.z.dot(link.p.cross(link.s)), _size(link.p) * _size(link.s))
        for link in (first, second)
    )


def _vanishes(x: Any, scale: float) -> bool:
    return (_size(x) if isinstance(x, Vec3) else abs(x)) <= SMALL * scale


def _size(v: Vec3) -> float:
    return max(abs(float(x)) for x in v)  # pyright: ignore[reportArgumentType]  a model of floats


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The points of the arm at one position."""

    r01: Vec3
    r0c1: Vec3
    r1c2: Vec3

    @property
    def r0c2(self) -> Vec3:
        return self.r01 + self.r1c2

    @property
    def r1c1(self) -> Vec3:
        return self.r0c1 - self.r01


class PlanarPair:
    """The arm of the textbook in one motion."""

    def __init__(self, model: Model, system: Drawing) -> None:
        names = ("l1", "l2", "lc1", "lc2", "m1", "m2", "I1", "I2", "g")
        self.drawn = {name: system.variable(name) for name in names}
        self.l1, _, self.lc1, self.lc2, self.m1, self.m2, self.I1, self.I2, self.g = self.drawn.values()
        distal = model.distal()
        bodies = tuple(self._link(body, str(k), system) for k, body in enumerate(distal.bodies, start=1))
        self.down = Vec3(0.0, -self.g, 0.0)
        made = replace(
            distal, bodies=bodies, gravity=Motion(Vec3.zero(), self.down), frames=(), system=system
        )
        self.arm = MovingArm(made, made.variables())
        self.system = system
        self.q, (self.w1, rate), (self.a1, accel) = self.arm.state
        self.rate, self.accel = rate, accel
        self.w2, self.a2 = self.w1 + rate, self.a1 + accel
        c1, s1, self.c2, self.s2 = (f(x) for x in self.q for f in (cos, sin))
        self.c1, self.c12 = c1, c1 * self.c2 - s1 * self.s2
        self.s1, self.s12 = s1, s1 * self.c2 + c1 * self.s2
        self.H11, self.H12, self.H22 = self.inertias(Jets(system, 0), self.q[1])

    def _link(self, body: Body, k: str, system: Drawing) -> Body:
        length, centre, m, I = (self.drawn[name + k] for name in ("l", "lc", "m", "I"))
        Ixx, Iyy = (system.variable("I") for _ in range(2))  # about the other axes: it must not matter
        inertial = Inertial.at_com(m, Vec3(centre - length, 0.0, 0.0), Sym3(Ixx, Iyy, I, 0.0, 0.0, 0.0))
        return replace(body, after=Pose((Shift(Vec3(length, 0.0, 0.0)),)), inertial=inertial, system=system)

    # -- positions and their exact derivatives ---------------------------------------------------------

    def places(self, jets: Jets, q: Numbers) -> Places:
        """The points at a position of jets."""
        l1, lc1, lc2 = map(jets.constant, (self.l1, self.lc1, self.lc2))
        (c1, s1), (c2, s2) = ((cos(x), sin(x)) for x in q)
        along = Vec3(c1, s1, 0.0)
        return Places(along * l1, along * lc1, Vec3(c1 * c2 - s1 * s2, s1 * c2 + c1 * s2, 0.0) * lc2)

    @cached_property
    def now(self) -> Places:
        return self.places(Jets(self.system, 0), self.q)

    @cached_property
    def _moving(self) -> tuple[Jets, Places]:
        jets = Jets(self.system, 2)
        rows = zip(*self.arm.state, strict=True)
        return jets, self.places(jets, [jets.make([q, qd, qd, qdd]) for q, qd, qdd in rows])

    def rates(self, name: str, order: int) -> Vec3:
        """The first or second derivative in time of a point."""
        jets, places = self._moving
        return getattr(places, name).map(lambda x: jets.coefficient(x, (1, 3)[order - 1]))

    @cached_property
    def v1(self) -> Vec3:
        """Acceleration of C_1."""
        return self.rates("r0c1", 2)

    @cached_property
    def v2(self) -> Vec3:
        """Acceleration of C_2."""
        return self.rates("r0c2", 2)

    # -- the recursion's coupling forces ---------------------------------------------------------------

    @cached_property
    def tau(self) -> list[Num]:
        return newton_euler.inverse_dynamics(self.arm.model, *self.arm.state)

    def f(self, i: int) -> Vec3:
        """Force that link i − 1 exerts on link i."""
        return self.arm.W[i] @ self.arm.inward[i][0]

    def N(self, i: int) -> Num:
        """Moment that link i − 1 exerts on link i, at the joint between them."""
        return (self.arm.W[i] @ self.arm.inward[i][1]).z

    # -- the closed form -------------------------------------------------------------------------------

    def inertias(self, jets: Jets, elbow: Num) -> tuple[Num, Num, Num]:
        """H11, H12, H22 at an angle θ2 of jets (7.1.12)."""
        l1, lc1, lc2, m1, m2, I1, I2 = map(
            jets.constant, (self.l1, self.lc1, self.lc2, self.m1, self.m2, self.I1, self.I2)
        )
        own, both = lc2 * lc2, l1 * lc2 * cos(elbow)
        shoulder = m1 * lc1 * lc1 + I1 + m2 * (l1 * l1 + own + both * 2.0) + I2
        return shoulder, m2 * (own + both) + I2, m2 * own + I2

    @property
    def h(self) -> Num:
        return self.m2 * self.l1 * self.lc2 * self.s2

    @property
    def G1(self) -> Num:
        own = self.m1 * self.g * self.lc1 * self.c1
        return own + self.m2 * self.g * (self.l1 * self.c1 + self.lc2 * self.c12)

    @property
    def G2(self) -> Num:
        return self.m2 * self.g * self.lc2 * self.c12

    @property
    def closed(self) -> tuple[Num, Num]:
        """τ1 and τ2 in the closed form (7.1.11)."""
        w, r, h = self.w1, self.rate, self.h
        first = self.H11 * self.a1 + self.H12 * self.accel - h * r * r - h * w * r * 2.0 + self.G1
        return first, self.H12 * self.a1 + self.H22 * self.accel + h * w * w + self.G2

    # -- energies and their derivatives ----------------------------------------------------------------

    def energies(self, jets: Jets, q: Numbers) -> tuple[Num, Num]:
        """T and U at a position whose last symbol carries the velocity."""
        fewer, places = jets.lower(), self.places(jets, q)
        m1, m2, I1, I2 = map(fewer.constant, (self.m1, self.m2, self.I1, self.I2))
        down = self.down.map(fewer.constant)
        (c1, v1), (c2, v2) = (_split(jets, c) for c in (places.r0c1, places.r0c2))
        w1, turn = (jets.split(x)[1] for x in q)
        w2 = w1 + turn
        kinetic = (v1.dot(v1) * m1 + v2.dot(v2) * m2 + w1 * w1 * I1 + w2 * w2 * I2) * 0.5
        return kinetic, -(down.dot(c1) * m1 + down.dot(c2) * m2)

    def by_position(self, i: int) -> tuple[Num, Num]:
        """∂T/∂θ_i and ∂U/∂θ_i."""
        return self._differentiated(lambda k: [self.q[k], float(k == i), self._rates[k], 0.0])

    def by_rate(self, i: int) -> Num:
        """∂T/∂θ̇_i."""
        return self._differentiated(lambda k: [self.q[k], 0.0, self._rates[k], float(k == i)])[0]

    def momentum_rate(self, i: int) -> Num:
        """d/dt ∂T/∂θ̇_i."""
        jets = Jets(self.system, 3)
        rates, accels = self._rates, self.arm.state[2]
        q = [
            jets.make([self.q[k], rates[k], 0.0, 0.0, rates[k], accels[k], float(k == i), 0.0])
            for k in (0, 1)
        ]
        return jets.lower().coefficient(self.energies(jets, q)[0], 3)

    def by_elbow(self) -> list[Num]:
        """∂/∂θ2 of H11, H12 and H22."""
        jets = Jets(self.system, 1)
        return [jets.coefficient(H, 1) for H in self.inertias(jets, jets.make([self.q[1], 1.0]))]

    @property
    def _rates(self) -> Numbers:
        return self.arm.state[1]

    def _differentiated(self, seeds: Any) -> tuple[Num, Num]:
        jets = Jets(self.system, 2)
        energies = self.energies(jets, [jets.make(seeds(k)) for k in (0, 1)])
        first, second = (jets.lower().coefficient(energy, 1) for energy in energies)
        return first, second


def _split(jets: Jets, v: Vec3) -> tuple[Vec3, Vec3]:
    return v.map(lambda x: jets.split(x)[0]), v.map(lambda x: jets.split(x)[1])


def _x(u: Vec3, v: Vec3) -> Num:
    """u × v in the plane."""
    return u.x * v.y - u.y * v.x


def _turned(v: Vec3) -> Vec3:
    """ẑ × v."""
    return Z0.cross(v)


# -- Newton-Euler -------------------------------------------------------------------------------------


@NEWTON.line(
    "N1",
    "f01 − f12 + m1 g − m1 v̇c1 = 0 ; N01 − N12 + r1c1 × f12 − r0c1 × f01 − I1 ω̇1 = 0",
    rule="balances of link 1, moments about C_1 (7.1.4)",
)
def balance_of_link_1(p: PlanarPair) -> Pairs:
    yield p.f(1) - p.f(2) + p.down * p.m1 - p.v1 * p.m1, Vec3.zero()
    levers = _x(p.now.r1c1, p.f(2)) - _x(p.now.r0c1, p.f(1))
    yield p.N(1) - p.N(2) + levers - p.I1 * p.a1, 0.0


@NEWTON.line(
    "N2", "f12 + m2 g − m2 v̇c2 = 0 ; N12 − r1c2 × f12 − I2 ω̇2 = 0", rule="balances of link 2 (7.1.5)"
)
def balance_of_link_2(p: PlanarPair) -> Pairs:
    yield p.f(2) + p.down * p.m2 - p.v2 * p.m2, Vec3.zero()
    yield p.N(2) - _x(p.now.r1c2, p.f(2)) - p.I2 * p.a2, 0.0


@NEWTON.line(
    "N3", "N01 = τ1, N12 = τ2", rule="the coupling moment of a planar joint is the actuator's (7.1.6)"
)
def moments_are_torques(p: PlanarPair) -> Pairs:
    yield p.N(1), p.tau[0]
    yield p.N(2), p.tau[1]


@NEWTON.line("N4", "τ2 − r1c2 × m2 v̇c2 + r1c2 × m2 g − I2 ω̇2 = 0", rule="f12 of N2 eliminated (7.1.7)")
def elbow_without_forces(p: PlanarPair) -> Pairs:
    r = p.now.r1c2
    yield p.tau[1] - _x(r, p.v2) * p.m2 + _x(r, p.down) * p.m2 - p.I2 * p.a2, 0.0


@NEWTON.line(
    "N5",
    "τ1 − τ2 − r0c1 × m1 v̇c1 − r01 × m2 v̇c2 + r0c1 × m1 g + r01 × m2 g − I1 ω̇1 = 0",
    rule="f01 of N1, then f12 eliminated; r1c1 − r0c1 = −r01 (7.1.8)",
)
def shoulder_without_forces(p: PlanarPair) -> Pairs:
    r0c1, r01 = p.now.r0c1, p.now.r01
    inertial = _x(r0c1, p.v1) * p.m1 + _x(r01, p.v2) * p.m2 + p.I1 * p.a1
    weight = _x(r0c1, p.down) * p.m1 + _x(r01, p.down) * p.m2
    yield p.tau[0] - p.tau[1] - inertial + weight, 0.0


@NEWTON.line("N6", "ω1 = θ̇1, ω2 = θ̇1 + θ̇2", rule="relative angles (7.1.9)")
def angular_velocities(p: PlanarPair) -> Pairs:
    yield p.arm.w(1), Z0 * p.w1
    yield p.arm.w(2), Z0 * p.w2


@NEWTON.line(
    "N7", "vc1 = ω1 ẑ × r0c1 ; vc2 = ω1 ẑ × r01 + ω2 ẑ × r1c2", rule="r0c1, r0c2 differentiated (7.1.10)"
)
def velocities(p: PlanarPair) -> Pairs:
    yield p.rates("r0c1", 1), _turned(p.now.r0c1) * p.w1
    yield p.rates("r0c2", 1), _turned(p.now.r01) * p.w1 + _turned(p.now.r1c2) * p.w2


@NEWTON.line(
    "N8",
    "v̇c1 = ω̇1 ẑ × r0c1 − ω1² r0c1 ; v̇c2 = ω̇1 ẑ × r01 − ω1² r01 + ω̇2 ẑ × r1c2 − ω2² r1c2",
    rule="N7 differentiated (not printed)",
)
def accelerations(p: PlanarPair) -> Pairs:
    def swung(r: Vec3, w: Num, a: Num) -> Vec3:
        return _turned(r) * a - r * (w * w)

    yield p.v1, swung(p.now.r0c1, p.w1, p.a1)
    yield p.v2, swung(p.now.r01, p.w1, p.a1) + swung(p.now.r1c2, p.w2, p.a2)


@NEWTON.line(
    "N9",
    "r0c1 × v̇c1 = ℓc1² ω̇1 ; r1c2 × v̇c2 = ℓc2² ω̇2 + ℓ1 ℓc2 (c2 ω̇1 + s2 ω1²) ; "
    "r01 × v̇c2 = ℓ1² ω̇1 + ℓ1 ℓc2 (c2 ω̇2 − s2 ω2²) ; "
    "r0c1 × g = −g ℓc1 c1 ; r1c2 × g = −g ℓc2 c12 ; r01 × g = −g ℓ1 c1",
    rule="N8 inserted; u × (ẑ × v) = u·v (not printed)",
)
def levers(p: PlanarPair) -> Pairs:
    now, both = p.now, p.l1 * p.lc2
    yield _x(now.r0c1, p.v1), p.lc1 * p.lc1 * p.a1
    yield _x(now.r1c2, p.v2), p.lc2 * p.lc2 * p.a2 + both * (p.c2 * p.a1 + p.s2 * p.w1 * p.w1)
    yield _x(now.r01, p.v2), p.l1 * p.l1 * p.a1 + both * (p.c2 * p.a2 - p.s2 * p.w2 * p.w2)
    for r, length, c in ((now.r0c1, p.lc1, p.c1), (now.r1c2, p.lc2, p.c12), (now.r01, p.l1, p.c1)):
        yield _x(r, p.down), -(p.g * length * c)


@NEWTON.line(
    "N10",
    "τ2 = m2 [ℓc2² (θ̈1+θ̈2) + ℓ1 ℓc2 (c2 θ̈1 + s2 θ̇1²)] + I2 (θ̈1+θ̈2) + m2 g ℓc2 c12 ; τ1 = τ2 + m1 ℓc1² θ̈1 + I1 θ̈1 "
    "+ m2 [ℓ1² θ̈1 + ℓ1 ℓc2 (c2 (θ̈1+θ̈2) − s2 (θ̇1+θ̇2)²)] + m1 g ℓc1 c1 + m2 g ℓ1 c1",
    rule="N9 into N4, N5; N6",
)
def substituted(p: PlanarPair) -> Pairs:
    both = p.l1 * p.lc2
    elbow = p.m2 * (p.lc2 * p.lc2 * p.a2 + both * (p.c2 * p.a1 + p.s2 * p.w1 * p.w1)) + p.I2 * p.a2
    above = p.m2 * (p.l1 * p.l1 * p.a1 + both * (p.c2 * p.a2 - p.s2 * p.w2 * p.w2))
    weight = p.m1 * p.g * p.lc1 * p.c1 + p.m2 * p.g * p.l1 * p.c1
    yield p.tau[1], elbow + p.G2
    yield p.tau[0], p.tau[1] + p.m1 * p.lc1 * p.lc1 * p.a1 + p.I1 * p.a1 + above + weight


@NEWTON.line(
    "N11",
    "τ1 = H11 θ̈1 + H12 θ̈2 − h θ̇2² − 2 h θ̇1 θ̇2 + G1 ; τ2 = H12 θ̈1 + H22 θ̈2 + h θ̇1² + G2",
    rule="collected; + h θ̇1² of τ2 cancels in τ1 (7.1.11, 7.1.12)",
)
def closed_form(p: PlanarPair) -> Pairs:
    yield from zip(p.tau, p.closed, strict=True)


# -- Lagrange -----------------------------------------------------------------------------------------


@LAGRANGE.line(
    "L1", "T = Σ ½ m_i |vci|² + ½ I_i ω_i² = ½ Σ_jk M_jk θ̇_j θ̇_k of 2.6", rule="definition (7.2.3)"
)
def kinetic_energy(p: PlanarPair) -> Pairs:
    still = replace(p.arm.model, gravity=Motion(Vec3.zero(), Vec3.zero()))
    rates = p.arm.state[1]
    push = uicker_kahn.inverse_dynamics(still, p.q, [0.0, 0.0], rates)  # M θ̇
    yield _energy(p), (push[0] * rates[0] + push[1] * rates[1]) * 0.5


@LAGRANGE.line("L2", "ω1 = θ̇1, ω2 = θ̇1 + θ̇2", rule="as N6 (7.2.4)")
def angular_velocities_again(p: PlanarPair) -> Pairs:
    return angular_velocities.sides(p)


@LAGRANGE.line("L3", "|vc1|² = ℓc1² θ̇1²", rule="N7 (7.2.5)")
def speed_of_link_1(p: PlanarPair) -> Pairs:
    v = p.rates("r0c1", 1)
    yield v.dot(v), p.lc1 * p.lc1 * p.w1 * p.w1


@LAGRANGE.line(
    "L4",
    "vc2 = J θ̇, J = [[−ℓ1 s1 − ℓc2 s12, −ℓc2 s12], [ℓ1 c1 + ℓc2 c12, ℓc2 c12]] ; "
    "JᵀJ = [[ℓ1² + ℓc2² + 2 ℓ1 ℓc2 c2, ℓc2² + ℓ1 ℓc2 c2], [·, ℓc2²]]",
    rule="centroid Jacobian; c1 c12 + s1 s12 = c2 (7.2.6)",
)
def speed_of_link_2(p: PlanarPair) -> Pairs:
    elbow = Vec3(-(p.lc2 * p.s12), p.lc2 * p.c12, 0.0)
    shoulder = Vec3(-(p.l1 * p.s1), p.l1 * p.c1, 0.0) + elbow
    both, square = p.l1 * p.lc2 * p.c2, p.lc2 * p.lc2
    yield p.rates("r0c2", 1), shoulder * p.w1 + elbow * p.rate
    yield shoulder.dot(shoulder), p.l1 * p.l1 + square + both * 2.0
    yield shoulder.dot(elbow), square + both
    yield elbow.dot(elbow), square


@LAGRANGE.line("L5", "T = ½ H11 θ̇1² + H12 θ̇1 θ̇2 + ½ H22 θ̇2²", rule="collected; only θ2 appears (7.2.7)")
def quadratic_form(p: PlanarPair) -> Pairs:
    w, r = p.w1, p.rate
    yield _energy(p), (p.H11 * w * w + p.H22 * r * r) * 0.5 + p.H12 * w * r


@LAGRANGE.line(
    "L6",
    "U = m1 g ℓc1 s1 + m2 g (ℓ1 s1 + ℓc2 s12) = −m1 g·r0c1 − m2 g·r0c2",
    rule="potential energy (7.2.8)",
)
def potential_energy(p: PlanarPair) -> Pairs:
    heights = p.m1 * p.g * p.lc1 * p.s1 + p.m2 * p.g * (p.l1 * p.s1 + p.lc2 * p.s12)
    yield heights, -(p.down.dot(p.now.r0c1) * p.m1 + p.down.dot(p.now.r0c2) * p.m2)


@LAGRANGE.line(
    "L7",
    "∂T/∂θ1 = 0, ∂U/∂θ1 = G1 ; ∂T/∂θ2 = −h θ̇1² − h θ̇1 θ̇2, ∂U/∂θ2 = G2",
    rule="differentiated (7.2.9; joint 2 not printed)",
)
def by_position(p: PlanarPair) -> Pairs:
    yield p.by_position(0), (0.0, p.G1)
    yield p.by_position(1), (-(p.h * p.w1 * p.w1) - p.h * p.w1 * p.rate, p.G2)


@LAGRANGE.line("L8", "∂H11/∂θ2 = −2 h, ∂H12/∂θ2 = −h, ∂H22/∂θ2 = 0", rule="from the closed form (7.1.12)")
def by_elbow(p: PlanarPair) -> Pairs:
    yield p.by_elbow(), (-(p.h * 2.0), -p.h, 0.0)


@LAGRANGE.line("L9", "∂L/∂θ̇1 = H11 θ̇1 + H12 θ̇2 ; ∂L/∂θ̇2 = H12 θ̇1 + H22 θ̇2", rule="momenta (7.2.10)")
def momenta(p: PlanarPair) -> Pairs:
    yield p.by_rate(0), p.H11 * p.w1 + p.H12 * p.rate
    yield p.by_rate(1), p.H12 * p.w1 + p.H22 * p.rate


@LAGRANGE.line(
    "L10",
    "d/dt ∂L/∂θ̇1 = H11 θ̈1 + H12 θ̈2 − 2 h θ̇1 θ̇2 − h θ̇2² ; d/dt ∂L/∂θ̇2 = H12 θ̈1 + H22 θ̈2 − h θ̇1 θ̇2",
    rule="chain rule, L8",
)
def momentum_rates(p: PlanarPair) -> Pairs:
    w, r, h = p.w1, p.rate, p.h
    yield p.momentum_rate(0), p.H11 * p.a1 + p.H12 * p.accel - h * w * r * 2.0 - h * r * r
    yield p.momentum_rate(1), p.H12 * p.a1 + p.H22 * p.accel - h * w * r


@LAGRANGE.line(
    "L11",
    "τ_i = d/dt ∂L/∂θ̇_i − ∂T/∂θ_i + ∂U/∂θ_i: the θ̇1 θ̇2 terms of τ2 cancel, joint 2 feels no Coriolis torque",
    rule="Lagrange's equations (7.2.2)",
)
def lagrange(p: PlanarPair) -> Pairs:
    for i in (0, 1):
        T, U = p.by_position(i)
        yield p.momentum_rate(i) - T + U, p.closed[i]


@lagrange.variant("∂T/∂θ_2 left out")
def _(p: PlanarPair) -> Pairs:
    yield p.momentum_rate(1) + p.by_position(1)[1], p.closed[1]


@LAGRANGE.line("L12", "L11 = N11", rule="the same four H, h and G")
def both_ways(p: PlanarPair) -> Pairs:
    for i in (0, 1):
        T, U = p.by_position(i)
        yield p.momentum_rate(i) - T + U, p.tau[i]


# -- meaning ------------------------------------------------------------------------------------------


@MEANING.line(
    "7.1.14", "ℓ1² + ℓc2² + 2 ℓ1 ℓc2 c2 = |r0c2|²", rule="H11 holds the inertia of link 2 about O_0"
)
def distance_of_link_2(p: PlanarPair) -> Pairs:
    yield p.l1 * p.l1 + p.lc2 * p.lc2 + p.l1 * p.lc2 * p.c2 * 2.0, p.now.r0c2.dot(p.now.r0c2)


@MEANING.line(
    "7.1.15", "−N12 − r01 × f12 = −H12 θ̈2 at θ̇ = 0, θ̈1 = 0, g = 0", rule="what link 2 does to link 1"
)
def reaction(p: PlanarPair) -> Pairs:
    force = _turned(p.now.r1c2) * (p.accel * p.m2)
    moment = _x(p.now.r1c2, force) + p.I2 * p.accel
    yield -moment - _x(p.now.r01, force), -(p.H12 * p.accel)


@MEANING.line(
    "7.1.17",
    "r1c2 × (m2 θ̇1² r0c2) = −h θ̇1²",
    rule="moment of the centrifugal force",
)
def centrifugal(p: PlanarPair) -> Pairs:
    yield _centrifugal_moment(p), -(p.h * p.w1 * p.w1)


@centrifugal.printed("without sin θ2: −m2 ℓ1 ℓc2 θ̇1²")
def _(p: PlanarPair) -> Pairs:
    yield _centrifugal_moment(p), -(p.m2 * p.l1 * p.lc2 * p.w1 * p.w1)


@MEANING.line(
    "7.1.18, 7.1.19",
    "f_Cor = −2 m2 θ̇1 ẑ × (θ̇2 ẑ × r1c2) = 2 m2 ℓc2 θ̇1 θ̇2 (c12, s12) ; r0c2 × f_Cor = 2 h θ̇1 θ̇2 ; r1c2 × f_Cor = 0",
    rule="the Coriolis force points along link 2: its own joint does not feel it",
)
def coriolis(p: PlanarPair) -> Pairs:
    force = -(_turned(_turned(p.now.r1c2) * p.rate) * (p.m2 * p.w1 * 2.0))
    size = p.m2 * p.w1 * p.rate * 2.0
    yield force, Vec3(p.c12, p.s12, 0.0) * (p.lc2 * size)
    yield _x(p.now.r0c2, force), p.h * p.w1 * p.rate * 2.0
    yield _x(p.now.r1c2, force), 0.0


def _energy(p: PlanarPair) -> Num:
    jets = Jets(p.system, 1)
    return p.energies(jets, [jets.make(pair) for pair in zip(p.q, p.arm.state[1], strict=True)])[0]


def _centrifugal_moment(p: PlanarPair) -> Num:
    return _x(p.now.r1c2, p.now.r0c2 * (p.m2 * p.w1 * p.w1))
