"""Torques shortened to what matters: within a part of the largest torque of each joint, over ranges of motion.

    |tau_short − tau|_i  ≤  within · T_i       for all motions in the ranges, T_i the largest |tau_i| met in them

There are two ways to be short, and both are given. *Computed*: a program with fewer operations, what matters least
left out (`pruning`) of the recursive equations, or of the closed form where that takes fewer operations. *Written*: a
closed form with fewer terms, the smallest left out.

The error of a program is expanded in normal form, less the exact torques, and bounded by `bounds`: a proof for every
angle, and for rates, accelerations and sliding positions in their ranges. Where the closed form is too long for
that, the bound is the largest error at sampled positions, for the worst motion at each. `proven` says which.
Friction is left out, rotor inertia is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import Program, trace as trace_graph
from strobe.compiler.runtime.arrays import collected
from strobe.compiler.runtime.traced import Traced, trace
from strobe.equations.closed_form import WRITABLE, Equations, equations_of
from strobe.equations.pruning import POSITIONS, Pruning, operations, replay
from strobe.equations.torque_bounds import Ranges, bound, contributions, largest_torques, ranges_of
from strobe.equations.trig_polynomials import Evaluation, Wave
from strobe.errors import ArgumentError, EquationSizeError, shown
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars import Graph, Num, Numbers
from strobe.show.sheet import Lines, Sheet, displayed

Array = np.ndarray
Motion: TypeAlias = tuple[Array, Array, Array]  # q, qd and qdd (states, n)

PROVABLE = 20_000  # terms of the exact torques beyond which a proof would take minutes
NOISE = 1e-12  # of the largest torque of all joints: a joint below has none to be within a part of
DURATION, INSTANTS = 10.0, 2_001  # of the test motion, seconds and states
STATE = ("q", "qd", "qdd")
UNITS = {True: ("rad", "rad/s", "rad/s²"), False: ("m", "m/s", "m/s²")}  # by whether the joint turns
NO_STATES = "the motion has no states; give at least one."
OF_WHAT = (
    "Percentages are of the largest torque of the joint that was met within the ranges, friction left out."
)


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """What a motion shows of the difference to the exact torques (n,)."""

    largest: Array
    rms: Array


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Torques in normal form with their smallest terms left out."""

    torques: list[Wave]
    bounds: Array  # (n,), parts of the largest torques: the triangle inequality over what was left out
    terms: int
    of: int  # terms of the exact torques


@dataclass(frozen=True, slots=True)
class Row:
    """One joint: its ranges, its largest torque; bound of the error and errors on a motion, parts of that torque."""

    joint: str
    unit: str
    q: tuple[float, float]
    qd: tuple[float, float]
    qdd: tuple[float, float]
    torque: float
    bound: float
    largest: float
    rms: float


@displayed
@dataclass(frozen=True, eq=False)
class Shortened:
    """The inverse dynamics of a robot in fewer operations, with the bound of their error."""

    robot: Robot
    within: float
    ranges: Ranges
    largest: Array  # (n,), the largest torques met within the ranges
    exact: Program
    program: Program
    bounds: Array  # (n,), parts of the largest torques
    proven: bool
    along: Motion | None = None  # the motion whose errors are told; None: `test_motion`

    # -- computed -----------------------------------------------------------------------------------

    @property
    def multiplications(self) -> int:
        return self.program.multiplications

    @property
    def additions(self) -> int:
        return self.program.additions

    @property
    def operations(self) -> int:
        """Multiplications and additions."""
        return operations(self.program)

    @property
    def circles(self) -> int:
        """Sines and cosines, which are no part of the operations."""
        return self.program.counts["sin"] + self.program.counts["cos"]

    @cached_property
    def kernel(self) -> Traced:
        """The shortened torques, compiled when first called."""

        def short_torques(q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
            vectors = {"q": q, "qd": qd, "qdd": qdd}
            return replay(
                self.program, {f"{x}[{k}]": v for x, vs in vectors.items() for k, v in enumerate(vs)}
            )

        return trace(short_torques, **dict.fromkeys(("q", "qd", "qdd"), self.robot.n))

    def inverse_dynamics(
        self, q: Any, qd: Any, qdd: Any, *, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """The shortened torques (..., n), friction left out."""
        return self.kernel(q, qd, qdd, out=out, threads=threads)

    # -- written ------------------------------------------------------------------------------------

    def written(self, numbers: bool = True) -> Written:
        """The closed form with its smallest terms left out, with the robot's numbers or in named parameters."""
        equations = equations_of(self.robot, numbers, most=WRITABLE)
        sizes = {**self.ranges.sizes, **equations.parameters}
        exact = equations.torques
        pairs = zip(exact, self.within * self.largest, strict=True)
        torques, left_out = zip(
            *(_without_smallest(wave, sizes, room) for wave, room in pairs), strict=True
        )
        parts = np.array(left_out) / self.largest
        return Written(list(torques), parts, sum(map(len, torques)), sum(map(len, exact)))

    # -- errors -------------------------------------------------------------------------------------

    def errors_on(self, q: Any, qd: Any, qdd: Any) -> Errors:
        """Largest and root-mean-square errors over the states (..., n) of a motion, in the units of the torques."""
        exact = self.robot.inverse_dynamics(q, qd, qdd, friction=False)
        errors = np.abs(self.inverse_dynamics(q, qd, qdd) - exact).reshape(-1, self.robot.n)
        if not len(errors):
            raise ArgumentError(NO_STATES)
        return Errors(errors.max(axis=0), np.sqrt((errors**2).mean(axis=0)))

    @cached_property
    def test_motion(self) -> Motion:
        """Every joint swinging about the middle of its range, as far and as fast as all three ranges allow."""
        speed, push = (np.abs(ends).min(axis=1) for ends in (self.ranges.qd, self.ranges.qdd))
        swing = np.minimum(np.ptp(self.ranges.q, axis=1) / 2, _quotient(speed**2, push))
        pace = np.minimum(_quotient(speed, swing), np.sqrt(_quotient(push, swing)))
        pace = pace * (1.0 - np.arange(self.robot.n) / (5.0 * self.robot.n))  # no two joints in step
        phase = np.linspace(0.0, DURATION, INSTANTS)[:, None] * pace + np.arange(self.robot.n)
        q = self.ranges.q.mean(axis=1) + swing * np.sin(phase)
        return q, swing * pace * np.cos(phase), -swing * pace**2 * np.sin(phase)

    def rows(self) -> list[Row]:
        """What there is to say about every joint."""
        found = self.errors_on(*(self.along or self.test_motion))
        joints = self.robot.coordinates.joints
        ranges = (map(tuple, ends.tolist()) for ends in (self.ranges.q, self.ranges.qd, self.ranges.qdd))
        sizes = (self.largest, self.bounds, found.largest / self.largest, found.rms / self.largest)
        columns = (*ranges, *(x.tolist() for x in sizes))
        return [
            Row(joint.name, "N m" if joint.angular else "N", *values)
            for joint, *values in zip(joints, *columns, strict=True)
        ]

    # -- showing ------------------------------------------------------------------------------------

    @property
    def basis(self) -> str:
        """What the bound rests on, in a sentence."""
        if self.proven:
            return "The bound is proven, for every angle and all motions within the ranges."
        return (
            f"The bound is sampled: the worst motion at {POSITIONS} positions within the ranges; the closed form is "
            "too long for a proof."
        )

    @property
    def cost(self) -> str:
        """What it takes, in a phrase."""
        return (
            f"{self.operations} operations ({self.multiplications} multiplications, {self.additions} additions) "
            f"instead of {operations(self.exact)}, and {self.circles} sines and cosines"
        )

    @property
    def extent(self) -> str:
        """Where the ranges come from, in a sentence."""
        told = f"Ranges: {'; '.join(f'{x}: {origin}' for x, origin in self.ranges.origins.items())}."
        return (
            told if self._is_inside() else f"{told} The motion leaves them: there the bound says nothing."
        )

    def _is_inside(self) -> bool:
        """Whether the motion given, if any, stays in the ranges."""
        ends = (self.ranges.q, self.ranges.qd, self.ranges.qdd)
        pairs = zip(self.along or (), ends, strict=False)
        return all(((x >= end[:, 0]) & (x <= end[:, 1])).all() for x, end in pairs)

    @property
    def motion_name(self) -> str:
        return "test motion" if self.along is None else "the motion"

    def describe(self) -> str:
        """The result for people: what it costs, what the percentages are of, ranges and errors of every joint."""
        rows = self.rows()
        return "\n".join(
            (self.headline, OF_WHAT, self.basis, *self._errors(rows), self.extent, *_ranges(rows))
        )

    def sentences(self) -> list[str]:
        """The same as `describe`, every joint in a sentence."""
        return [self.headline + ".", OF_WHAT, self.basis, self.extent, *map(self._sentence, self.rows())]

    @property
    def headline(self) -> str:
        return f"{self.robot.name} within {self.within:.3g} of the largest torques: {self.cost}"

    def _errors(self, rows: Sequence[Row]) -> Iterator[str]:
        """A table."""
        yield f"{'joint':<16}{'largest torque':>18}{'bound':>10}{f'{self.motion_name}: largest':>22}{'rms':>10}"
        for row in rows:
            torque = f"{row.torque:.4g} {row.unit}"
            yield f"{row.joint:<16}{torque:>18}{row.bound:>10.3%}{row.largest:>22.3%}{row.rms:>10.3%}"

    def _sentence(self, row: Row) -> str:
        turns = row.unit == "N m"
        ranges = "; ".join(
            f"{x} from {a:.4g} to {b:.4g} {unit}"
            for x, (a, b), unit in zip(STATE, (row.q, row.qd, row.qdd), UNITS[turns], strict=True)
        )
        return (
            f"{row.joint}: {ranges}; largest torque {row.torque:.4g} {row.unit}, bound {row.bound:.3%}; "
            f"{self.motion_name}: largest error {row.largest:.3%}, rms {row.rms:.3%}."
        )

    def _sheet(self) -> Sheet:
        kind = "proven" if self.proven else "sampled"
        head = f"Shortened {self.robot.name}: {self.operations} operations within {self.within:.3g}, {kind}"
        return Sheet(head, [Lines(self.describe())])


def shortened(
    robot: Robot, within: float = 0.01, q: Any = None, qd: Any = None, qdd: Any = None, along: Any = None
) -> Shortened:
    """The torques of a robot to within a part of the largest torque of each joint, over ranges of motion.

    Ranges are as in `ranges_of`: those given, else those of the motion ``along`` (its q, qd and qdd, each (..., n)),
    else the robot's limits, else defaults. With ``within`` 0 nothing is left out.
    """
    if isinstance(within, bool) or not isinstance(within, Real) or not 0.0 <= within < 1.0:
        raise ArgumentError(
            f"within is {shown(within)}; expected a part of the largest torques, from 0 up to but not including 1 "
            "(0.01 for 1 %)."
        )
    equations = equations_of(robot, numbers=True, most=PROVABLE)
    motion = _motion(robot, along) if along is not None else None
    ranges = ranges_of(robot, q, qd, qdd, motion)
    largest = largest_torques(robot, ranges)
    if not largest.max() > 0.0:
        raise ArgumentError(f"{robot.name} needs no torque anywhere within these ranges; give wider ones.")
    largest = np.maximum(largest, NOISE * largest.max())
    proof = _Proof.of(equations, ranges, largest)
    exact = _exact(robot, proof)
    program, bounds, proven = _chosen(Pruning(exact, ranges, largest), proof, float(within))
    return Shortened(robot, float(within), ranges, largest, exact, program, bounds, proven, motion)


def _motion(robot: Robot, along: Any) -> Motion:
    """q, qd and qdd of a motion, one row per state."""
    values: dict[str, Any] = dict(zip(STATE, along, strict=True))
    arrays = collected(values, dict.fromkeys(STATE, robot.n), f"{robot.name} has {robot.n} coordinates")
    q, qd, qdd = (x.reshape(-1, robot.n) for x in np.broadcast_arrays(*arrays.values()))
    if not len(q):
        raise ArgumentError(NO_STATES)
    if not all(np.isfinite(x).all() for x in (q, qd, qdd)):
        raise ArgumentError("the motion holds a number that is not finite; leave such states out.")
    return q, qd, qdd


def _exact(robot: Robot, proof: _Proof | None) -> Program:
    """The recursive equations, or the closed form where it takes fewer operations."""
    recursive = robot.kernel(Request("inverse_dynamics", friction=False)).program
    if proof is None or sum(map(len, proof.equations.torques)) > operations(recursive):
        return recursive
    return min(recursive, _closed(proof.equations), key=operations)


def _closed(equations: Equations) -> Program:
    """The closed form as a program."""

    def torques(**vectors: Numbers) -> list[Num]:
        values = Evaluation({f"{x}{k + 1}": v for x, vs in vectors.items() for k, v in enumerate(vs)})
        return [values(tau) for tau in equations.torques]

    sizes: dict[str, int] = dict.fromkeys(("q", "qd", "qdd"), equations.n)
    return optimised(trace_graph(torques, sizes, (equations.n,), Graph()))


@dataclass(frozen=True, eq=False)
class _Proof:
    """Bounds of the errors of programs against the closed form."""

    equations: Equations
    ranges: Ranges
    largest: Array

    @classmethod
    def of(cls, equations: Equations, ranges: Ranges, largest: Array) -> _Proof | None:
        """None where the closed form is too long."""
        try:
            terms = sum(map(len, equations.torques))
        except EquationSizeError:
            return None
        return cls(equations, ranges, largest) if terms <= PROVABLE else None

    def bounds(self, program: Program, within: float) -> Array:
        """Of every torque, as parts of the largest; no closer than to tell whether they are within."""
        e = self.equations
        inputs = {f"{x}[{k}]": v for x in ("q", "qd", "qdd") for k, v in enumerate(getattr(e, x))}
        errors = (e.ring.lower(tau - t) for tau, t in zip(replay(program, inputs), e.torques, strict=True))
        sizes, largest = self.ranges.sizes, self.largest.tolist()
        return np.array([bound(w, sizes, within * T) / T for w, T in zip(errors, largest, strict=True)])


def _chosen(pruning: Pruning, proof: _Proof | None, within: float) -> tuple[Program, Array, bool]:
    """The shortest program within the tolerance, the bounds of its errors, and whether they are proven."""
    exact, *shorter = pruning.steps(within)
    for program in reversed(shorter):
        if proof is None:
            return program, pruning.errors(program), False
        bounds = proof.bounds(program, within)
        if (bounds <= within).all():
            return program, bounds, True
    return exact, np.zeros(len(pruning.largest)), True


def _without_smallest(wave: Wave, sizes: dict[str, float], room: float) -> tuple[Wave, float]:
    """The wave without its smallest terms, as many as there is room for, and what they add up to at most."""
    terms = {False: dict(wave.cosines), True: dict(wave.sines)}
    left_out = 0.0
    for is_sine, key, size in sorted(contributions(wave, sizes), key=lambda term: (term[2], term[:2])):
        if left_out + size > room:
            break
        left_out += size
        del terms[is_sine][key]
    return wave.system.total(
        [Wave(wave.system, terms[False], terms[True], wave.denominator, wave.reach)]
    ), left_out


def _ranges(rows: Sequence[Row]) -> Iterator[str]:
    """A table."""
    yield f"{'joint':<16}" + "".join(f"{x:>24}" for x in STATE)
    for row in rows:
        units = UNITS[row.unit == "N m"]
        ends = (
            f"{a:.4g} … {b:.4g} {unit}"
            for (a, b), unit in zip((row.q, row.qd, row.qdd), units, strict=True)
        )
        yield f"{row.joint:<16}" + "".join(f"{x:>24}" for x in ends)


def _quotient(a: Array, b: Array) -> Array:
    """a / b, zero where b is."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0.0)
