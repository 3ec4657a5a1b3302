"""Laws of mechanics, each a list of numbers that must vanish, checked exactly in a prime field.

    M = Mᵀ                                         the mass matrix is symmetric
    h(qd)_i = Σ_jk C^i_jk qd_j qd_k                the velocity torques are a quadratic form, C^i_jk = C^i_kj
    C^i_jk = ½ (∂_j M_ik + ∂_k M_ij − ∂_i M_jk)     whose coefficients are the Christoffel symbols of M
    Ṁ − 2C = −(Ṁ − 2C)ᵀ                            is skew
    tau · qd = d/dt (K + U)                        power is the rate of the energy
    g = ∂U/∂q                                      gravity is a gradient
    tau(π₁ + π₂) = tau(π₁) + tau(π₂)               linear in the inertial parameters
    ∂_l M_jk = 0 for l ≤ min(j, k),  C^i_jk = −C^k_ji for j ≤ min(i, k)      on chains [Turney1980]

Derivatives are exact: duals over the field. Energies come from the bodies' motion alone, not from a
formulation. The laws speak of one formulation, the reference; `equivalence` carries them to the others.
That M is positive has no meaning in a field and is tested in float64, without rotors: every pivot of
M = LᵀDL has to be more than the rounding of its diagonal entry. A robot with a joint that moves no inertia, or
with a link that no body can be, breaks it by its data and not by a mistake of the formulation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from strobe.algebra import Force, Inertia, Motion, Pose, Sym3, Vec3
from strobe.analysis.accuracy import lanes, sample
from strobe.analysis.equivalence import degree, redrawn, require_dynamics, vanishes
from strobe.formulations import FORMULATIONS, REFERENCE, strobing
from strobe.formulations.links import second_moments
from strobe.models.checks import SLACK
from strobe.models.inertial import Inertial
from strobe.models.model import ROOT, Model
from strobe.quantities.pivots import LEAST_INERTIA, LEAST_PIVOT
from strobe.robot import Robot
from strobe.scalars import FLOAT, LANES, DegreeSystem, DualSystem, FieldSystem, Num, Numbers

ID = FORMULATIONS[REFERENCE].inverse_dynamics
STATES = 64

Matrix = list[list[Num]]
Base = FieldSystem | DegreeSystem


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a law holds (None: not defined here), what the verdict rests on, and why it is as it is.

    A law that does not hold for a reason says something about the robot's data; without one it is broken.
    """

    law: str
    holds: bool | None
    primes: tuple[int, ...] = ()
    degree: int | None = None
    least: float | None = None  # smallest λmin/λmax of M, tested in float64
    why: str = ""

    @property
    def broken(self) -> bool:
        return self.holds is False and not self.why


class Scene:
    """A random robot of one structure at a random state, with derivatives along any direction."""

    def __init__(self, model: Model, base: Base) -> None:
        self.dual = DualSystem(base)
        self.model = model.lift(self.dual)
        self.n = model.nv
        q, qd, qdd = self.model.variables()
        self.q, self.qd, self.qdd = q, self.values(qd), self.values(qdd)

    @cached_property
    def M(self) -> Matrix:
        """Both triangles, column by column."""
        return self._transposed([self.values(column) for column in self._columns(self.q)])

    @cached_property
    def dM(self) -> list[Matrix]:
        """∂_k M for every degree of freedom k."""
        return [self.mass_rate(self.unit(k)) for k in range(self.n)]

    @cached_property
    def C(self) -> list[Matrix]:
        """C[j][k][i] = C^i_jk by polarisation."""
        return [[self.values(c) for c in row] for row in strobing.christoffel(ID, self.model, self.q)]

    def mass_rate(self, rates: Numbers) -> Matrix:
        """The derivative of M along a velocity."""
        columns = self._columns(self.moving(rates))
        return self._transposed([self.rates(column) for column in columns])

    def moving(self, rates: Numbers) -> list[Num]:
        """q as duals that move at a velocity."""
        position = self.values(self.q)
        return [
            self.dual.seed(x, rate)
            for joint in self.model.joints
            for x, rate in zip(joint.position(position), joint.position_rates(position, rates), strict=True)
        ]

    def unit(self, *joints: int) -> list[float]:
        return [float(k in joints) for k in range(self.n)]

    def fresh(self) -> Num:
        return self.dual.variable("parameter")

    def value(self, x: Num) -> Num:
        return self.dual.lower(x).value

    def values(self, numbers: Sequence[Num]) -> list[Num]:
        return [self.value(x) for x in numbers]

    def rates(self, numbers: Sequence[Num]) -> list[Num]:
        return [self.dual.lower(x).tangent for x in numbers]

    def torques(self, model: Model, qd: Numbers, qdd: Numbers) -> list[Num]:
        rest = [[self.dual.seed(x, 0.0) for x in part] for part in (qd, qdd)]
        return self.values(ID(model, self.q, *rest))

    def _columns(self, q: Numbers) -> Iterator[list[Num]]:
        still = self.model.weightless()
        for j in range(self.n):
            yield ID(still, q, [0.0] * self.n, self.unit(j))

    @staticmethod
    def _transposed(columns: Matrix) -> Matrix:
        return [list(row) for row in zip(*columns, strict=True)]


def energy(model: Model, q: Numbers, qd: Numbers) -> tuple[Num, Num]:
    """Kinetic and potential energy from the bodies' motion."""
    v, poses = {ROOT: Motion.zero()}, {ROOT: Pose()}
    kinetic: Num = 0.0
    potential: Num = 0.0
    for body in model.bodies:
        pose = body.pose(q)
        v[body.index] = pose.inverse() @ v[body.parent] + body.S @ body.rates(qd)
        here = poses[body.index] = poses[body.parent] @ pose
        momentum: Force = body.inertia @ v[body.index]
        kinetic = kinetic + v[body.index].dot(momentum) * 0.5
        moment = here.direction(body.inertia.h) + here.translation * body.inertia.m
        potential = potential - model.gravity.linear.dot(moment)
    return kinetic, potential


# -- the laws: what must vanish -----------------------------------------------------------------------


def symmetric(s: Scene) -> Iterator[Num]:
    """M = Mᵀ"""
    return (s.M[i][j] - s.M[j][i] for i in range(s.n) for j in range(i))


def quadratic(s: Scene) -> Iterator[Num]:
    """h(qd)_i = Σ_jk C^i_jk qd_j qd_k, C^i_jk = C^i_kj"""
    for i, torque in enumerate(s.torques(s.model.weightless(), s.qd, [0.0] * s.n)):
        for j in range(s.n):
            for k in range(s.n):
                torque = torque - s.C[j][k][i] * s.qd[j] * s.qd[k]
        yield torque


def christoffel(s: Scene) -> Iterator[Num]:
    """C^i_jk = ½ (∂_j M_ik + ∂_k M_ij − ∂_i M_jk)"""
    dM = s.dM
    for i in range(s.n):
        for j in range(s.n):
            for k in range(j + 1):
                yield s.C[j][k][i] - (dM[j][i][k] + dM[k][i][j] - dM[i][j][k]) * 0.5


def skew(s: Scene) -> Iterator[Num]:
    """Ṁ − 2C is skew"""
    rates = [s.dual.seed(x, 0.0) for x in s.qd]
    C = [s.values(row) for row in strobing.coriolis_matrix(ID, s.model, s.q, rates)]
    N = [
        [m - c * 2.0 for m, c in zip(*rows, strict=True)] for rows in zip(s.mass_rate(s.qd), C, strict=True)
    ]
    return (N[i][j] + N[j][i] for i in range(s.n) for j in range(i + 1))


def power(s: Scene) -> Iterator[Num]:
    """tau · qd = d/dt (K + U)"""
    rates = [s.dual.seed(v, a) for v, a in zip(s.qd, s.qdd, strict=True)]
    kinetic, potential = energy(s.model, s.moving(s.qd), rates)
    balance = s.dual.lower(kinetic + potential).tangent
    for torque, rate in zip(s.torques(s.model, s.qd, s.qdd), s.qd, strict=True):
        balance = balance - torque * rate
    yield balance


def gradient(s: Scene) -> Iterator[Num]:
    """g = ∂U/∂q"""
    holding = s.torques(s.model, [0.0] * s.n, [0.0] * s.n)
    for k, torque in enumerate(holding):
        _, potential = energy(s.model, s.moving(s.unit(k)), [0.0] * s.n)
        yield torque - s.dual.lower(potential).tangent


def linear(s: Scene) -> Iterator[Num]:
    """tau is linear in the inertial parameters"""
    first = [body.inertia for body in s.model.bodies]
    second = [_any_inertia(s.fresh) for _ in first]
    total = [a + b for a, b in zip(first, second, strict=True)]
    tau = (s.torques(_with_inertias(s.model, p), s.qd, s.qdd) for p in (total, first, second))
    return (x - y - z for x, y, z in zip(*tau, strict=True))


def chain(s: Scene) -> Iterator[Num]:
    """∂_l M_jk = 0 for l ≤ min(j, k); C^i_jk = −C^k_ji for j ≤ min(i, k)"""
    for j in range(s.n):
        for k in range(s.n):
            yield from (s.dM[l][j][k] for l in range(min(j, k) + 1))
            yield from (s.C[j][k][i] + s.C[j][i][k] for i in range(j, s.n) if j <= k)


def _any_inertia(fresh: Callable[[], Num]) -> Inertia:
    m, x, y, z, *moments = (fresh() for _ in range(10))
    return Inertia(m, Vec3(x, y, z), Sym3(*moments))


def _with_inertias(model: Model, inertias: Sequence[Inertia]) -> Model:
    bodies = (
        replace(body, inertial=Inertial(inertia.m, None, None, inertia, "parameters"))
        for body, inertia in zip(model.bodies, inertias, strict=True)
    )
    return replace(model, bodies=tuple(bodies))


Law = Callable[[Scene], Iterator[Num]]

EXACT: tuple[Law, ...] = (symmetric, quadratic, christoffel, skew, power, gradient, linear, chain)


def refusal(law: Law, model: Model) -> str:
    """Why a law says nothing about a model, or nothing."""
    if law is chain and not model.is_serial:
        return f"{model.name} {model.not_serial}."
    if law is christoffel and not all(joint.additive for joint in model.joints):
        return f"{model.name} has velocities that are not rates of coordinates; Ṁ − 2C covers them."
    return ""


# -- verdicts -----------------------------------------------------------------------------------------


def measure(robot: Robot, trials: int = 1, seed: int = 0) -> list[Verdict]:
    """Every law on a robot."""
    require_dynamics(robot.model)
    return [*exact(robot.model, trials, seed), positive(robot, seed)]


def exact(model: Model, trials: int = 1, seed: int = 0) -> Iterator[Verdict]:
    """The laws that rational arithmetic decides, in the order of `EXACT`."""
    applying = [law for law in EXACT if not refusal(law, model)]

    def run(system: FieldSystem) -> list[bool]:
        scene = Scene(model, system)
        return [vanishes(system, [*law(scene)]) for law in applying]

    outcomes = [redrawn(run, seed, k) for k in range(trials)]
    system = DegreeSystem()
    scene = Scene(model, system)
    primes = tuple(prime for _, prime in outcomes)
    for law in EXACT:
        if law not in applying:
            yield Verdict(_title(law), None, why=refusal(law, model))
            continue
        holds = all(found[applying.index(law)] for found, _ in outcomes)
        yield Verdict(_title(law), holds, primes, degree(system, [*law(scene)]))


def positive(robot: Robot, seed: int = 0, states: int = STATES) -> Verdict:
    """Every pivot of the bodies' M is positive by more than rounding, over random states."""
    M = rigid_mass_matrices(robot, seed, states)
    values = np.linalg.eigvalsh(M)
    largest = np.maximum(np.abs(values).max(axis=1), np.finfo(float).tiny)
    least = float(np.min(values[:, 0] / largest))
    failing = failing_pivot(M)
    why = "" if failing is None else _reason(robot.model, *failing)
    return Verdict("M is positive", failing is None, least=least, why=why)


def rigid_mass_matrices(robot: Robot, seed: int, states: int) -> np.ndarray:
    """M (states, n, n) of the reference at random states, without rotors."""
    rows = strobing.mass_matrix(ID, robot.model, lanes(sample(robot, states, seed)[0]))
    entries = [[np.broadcast_to(LANES.lower(x), (states,)) for x in row] for row in rows]
    return np.moveaxis(np.array(entries, dtype=float), -1, 0)


def failing_pivot(M: np.ndarray) -> tuple[int, float] | None:
    """The degree of freedom nearest to the tips whose pivot is not more than rounding, and the worst such pivot."""
    A, n = M.copy(), M.shape[1]
    diagonal = np.einsum("sii->si", M)
    least = np.maximum(LEAST_PIVOT * diagonal, LEAST_INERTIA * diagonal.max(axis=1, keepdims=True))
    for k in reversed(range(n)):
        pivot = A[:, k, k].copy()
        if not (pivot > least[:, k]).all():
            return k, float(np.min(pivot + least[:, k]))
        A[:, :k, :k] -= A[:, :k, k, None] * A[:, k, None, :k] / pivot[:, None, None]
    return None


def _reason(model: Model, index: int, pivot: float) -> str:
    """What in the data makes a pivot vanish or negative; nothing if the links are sound and it is negative."""
    impossible = [body.name for body in model.bodies if not _is_possible(body.inertia)]
    if impossible:
        return f'not positive: no body has the inertia of link "{impossible[0]}".'
    if pivot < 0:
        return ""
    joint = next(joint.name for joint in model.joints if joint.v <= index < joint.v + joint.nv)
    return f'not positive: joint "{joint}" moves no inertia (rotors are left out).'


def _is_possible(inertia: Inertia) -> bool:
    """Whether mass, first and second moments are those of a distribution of mass."""
    rows = [[*row, moment] for row, moment in zip(second_moments(inertia.I), inertia.h, strict=True)]
    rows.append([*inertia.h, inertia.m])
    values = np.linalg.eigvalsh([[FLOAT.lower(x) for x in row] for row in rows])
    return bool(values[0] >= -SLACK * np.abs(values).max())


def _title(law: Law) -> str:
    return (law.__doc__ or law.__name__).strip()
