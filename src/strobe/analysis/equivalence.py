"""Whether formulations are one function: exact arithmetic on random robots of one structure.

A lift to a prime field keeps the robot's zeros and right angles and draws everything else at random.
Two different rational functions of degree d agree at a random point with probability at most d/p, p being
the prime (Schwartz and Zippel), so formulations that agree are

    the same rational function for every robot of that structure, wrong with probability at most d/p per trial.

"Different" is never wrong. Nothing is said about rounding (`accuracy` does), about robots of another
structure, or about friction, which is added around a formulation. Accelerations are compared without a
quotient, by the round trip ID(q, qd, FD(q, qd, tau)) = tau; its d grows with the pivots divided by, about
twofold per joint. A zero pivot is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import TypeVar

from strobe.algebra.rows import minus
from strobe.errors import UnsupportedModelError, ZeroPivotError
from strobe.formulations import FORMULATIONS, REFERENCE, Method, articulated_body, formulation, strobing
from strobe.models.model import Model
from strobe.scalars import DegreeSystem, FieldSystem, Num, Numbers, System

TRIALS = 3
REDRAWS = 3  # a zero pivot has probability about 1/p: several in a row mean that it is zero everywhere

BORROWED = {
    "composite-body": "takes its velocity and gravity torques from spatial-newton-euler; M alone is its own",
    "configuration-space": "reads its coefficients off spatial-newton-euler; their use alone is its own",
}
"""Methods whose agreement with spatial-newton-euler is no independent evidence, and how far."""

Result = TypeVar("Result")
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Selection:
    """The methods that a robot allows, the reference among them, and why the others do not apply."""

    methods: Mapping[str, Method]
    refused: Mapping[str, str]
    reference: str = REFERENCE


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The verdict on every pair: whether equal in all trials, and a bound on the degree of the difference."""

    names: tuple[str, ...]
    primes: tuple[int, ...]
    equal: Mapping[Pair, bool]
    degree: Mapping[Pair, int]

    @property
    def passed(self) -> bool:
        return all(self.equal.values())

    def agree(self, a: str, b: str) -> bool:
        """Whether two methods agree; the order does not matter."""
        return a == b or self.equal[(a, b) if (a, b) in self.equal else (b, a)]

    @property
    def probability(self) -> float:
        """The largest d/p of one trial, over the pairs found equal."""
        degrees = [d for pair, d in self.degree.items() if self.equal[pair]]
        return max(degrees, default=0) / min(self.primes)

    def classes(self) -> list[list[str]]:
        """The methods in groups that agree with each other, in the order of the table."""
        groups: list[list[str]] = []
        for name in self.names:
            group = next((g for g in groups if self.agree(g[0], name)), None)
            groups.append([name]) if group is None else group.append(name)
        return groups


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """Whether inverse dynamics undoes a forward dynamics method; None where a joint carries no inertia."""

    holds: bool | None
    degree: int | None = None
    primes: tuple[int, ...] = ()
    why: str = ""


def select(model: Model, names: Sequence[str] = ()) -> Selection:
    """The methods asked for (all if none are) that a model allows; the reference always takes part.

    A method that was asked for by name and does not apply is an error with its reason.
    """
    require_dynamics(model)
    asked = {name: formulation(name) for name in names} or FORMULATIONS
    refused = {name: why for name, method in asked.items() if (why := refusal(method, model))}
    if names and refused:
        raise UnsupportedModelError(next(iter(refused.values())))
    methods = {name: method for name, method in asked.items() if name not in refused}
    return Selection({REFERENCE: FORMULATIONS[REFERENCE]} | methods if names else methods, refused)


def require_dynamics(model: Model) -> None:
    """Raise, with the reason, where there is nothing to compute."""
    if model.without_dynamics:
        raise UnsupportedModelError(f"{model.name} has no dynamics: {model.without_dynamics}")
    if not model.bodies:
        raise UnsupportedModelError(f"{model.name} has no joints: it has no dynamics to check.")


def refusal(method: Method, model: Model) -> str | None:
    """Why a method cannot run on a model, found by asking it and, if it does not know, by running it."""
    known = method.refusal(model)
    if known is not None:
        return known
    zeros = [0.0] * model.nv
    try:
        method.inverse_dynamics(model, [x for j in model.joints for x in j.neutral()], zeros, zeros)
    except UnsupportedModelError as error:
        return str(error)
    return None


# -- inverse dynamics: every method against every other -----------------------------------------------


def compare(
    methods: Mapping[str, Method], model: Model, trials: int = TRIALS, seed: int = 0
) -> Equivalence:
    """Every pair of methods at random robots of the model's structure, a fresh prime each time."""
    outcomes = [redrawn(lambda system: _residues(methods, model, system), seed, k) for k in range(trials)]
    pairs = list(combinations(methods, 2))
    return Equivalence(
        names=tuple(methods),
        primes=tuple(prime for _, prime in outcomes),
        equal={(a, b): all(tau[a] == tau[b] for tau, _ in outcomes) for a, b in pairs},
        degree=degrees(methods, model),
    )


def _residues(methods: Mapping[str, Method], model: Model, system: FieldSystem) -> dict[str, list[int]]:
    return {name: [system.lower(t) for t in tau] for name, tau in torques(methods, model, system).items()}


def degrees(methods: Mapping[str, Method], model: Model) -> dict[Pair, int]:
    """A bound on the degree of the difference of every pair."""
    system = DegreeSystem()
    tau = torques(methods, model, system)
    return {(a, b): degree(system, minus(tau[a], tau[b])) for a, b in combinations(methods, 2)}


def torques(methods: Mapping[str, Method], model: Model, system: System) -> dict[str, list[Num]]:
    """Every method on the same robot at the same state."""
    lifted = model.lift(system)
    state = lifted.variables()
    return {name: method.inverse_dynamics(lifted, *state) for name, method in methods.items()}


# -- forward dynamics: what inverse dynamics undoes ---------------------------------------------------

ForwardDynamics = Callable[[Model, Numbers, Numbers, Numbers], list[Num]]


def strobed(model: Model, q: Numbers, qd: Numbers, tau: Numbers) -> list[Num]:
    """Accelerations by strobing the reference and eliminating without pivots."""
    return strobing.forward_dynamics(FORMULATIONS[REFERENCE].inverse_dynamics, model, q, qd, tau, [])


FORWARD: dict[str, ForwardDynamics] = {
    "strobing + LᵀDL": strobed,
    "articulated-body": articulated_body.forward_dynamics,
}


def round_trips(model: Model, trials: int = TRIALS, seed: int = 0) -> dict[str, RoundTrip]:
    """Every forward dynamics method against the reference."""
    return {name: _round_trip(method, model, trials, seed) for name, method in FORWARD.items()}


def _round_trip(method: ForwardDynamics, model: Model, trials: int, seed: int) -> RoundTrip:
    def vanishing(system: FieldSystem) -> bool:
        return vanishes(system, _left_over(method, model, system))

    try:
        outcomes = [redrawn(vanishing, seed, k) for k in range(trials)]
    except ZeroDivisionError:  # drawn zero again and again, or zero by structure
        return RoundTrip(None, why=f"{model.name} has a joint that moves no inertia: its pivot is zero.")
    system = DegreeSystem()
    bound = degree(system, _left_over(method, model, system))
    return RoundTrip(all(zero for zero, _ in outcomes), bound, tuple(prime for _, prime in outcomes))


def _left_over(method: ForwardDynamics, model: Model, system: System) -> list[Num]:
    """ID(q, qd, FD(q, qd, tau)) − tau."""
    lifted = model.lift(system)
    q, qd, tau = lifted.variables()
    again = FORMULATIONS[REFERENCE].inverse_dynamics(lifted, q, qd, method(lifted, q, qd, tau))
    return minus(again, tau)


# -- the field ----------------------------------------------------------------------------------------


def redrawn(run: Callable[[FieldSystem], Result], seed: int, trial: int = 0) -> tuple[Result, int]:
    """A function of a random field, and the prime; a zero pivot is drawn again a few times."""
    for system in _fields(seed, trial):
        try:
            return run(system), system.prime
        except ZeroPivotError:
            continue
    raise ZeroPivotError


def _fields(seed: int, trial: int) -> Iterator[FieldSystem]:
    for redraw in range(REDRAWS):
        yield FieldSystem(stream(seed, trial, redraw))


def stream(*place: int) -> int:
    """A seed for one place in the sequence of draws, such that no two places share a robot or a prime."""
    return Random(" ".join(map(str, place))).getrandbits(128)


def vanishes(system: FieldSystem, values: Sequence[Num]) -> bool:
    """Whether every value is zero in the field."""
    return not any(system.lower(x) for x in values)


def degree(system: DegreeSystem, values: Sequence[Num]) -> int:
    """The largest degree among values."""
    return max((system.lower(x) for x in values), default=0)
