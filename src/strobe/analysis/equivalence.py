"""Whether formulations are one function: exact arithmetic on random robots of one structure.

A lift to a prime field keeps the robot's zeros and right angles and draws everything else at random.
Two different rational functions of degree d agree at a random point with probability at most d/p, p being
the prime (Schwartz and Zippel), so formulations that agree are

    the same rational function for every robot of that structure, wrong with probability at most d/p per trial.

"Different" is never wrong. Nothing is said about rounding (`accuracy` does), about robots of another
structure, or about friction, which is added around a formulation. A robot whose zeros hide a term cannot show an
error in it, so `on_general_arms` asks the same of arms that have none. Accelerations are compared without a
quotient, by the round trip ID(q, qd, FD(q, qd, tau)) = tau; its d grows with the pivots divided by, about
twofold per joint. A zero pivot is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations
from random import Random
from typing import TypeVar

from strobe.algebra import Force, Pose, Shift, Turn, Vec3
from strobe.algebra.rows import minus
from strobe.errors import UnsupportedModelError, ZeroPivotError
from strobe.formulations import (
    FORMULATIONS,
    REFERENCE,
    Formulation,
    armstrong_forward,
    articulated_body,
    composite_body,
    composite_coriolis,
    decomposition,
    formulation,
    strobing,
)
from strobe.models.model import Body, Model
from strobe.models.random_robots import random_model
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

    methods: Mapping[str, Formulation]
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


def refusal(method: Formulation, model: Model) -> str | None:
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
    methods: Mapping[str, Formulation],
    model: Model,
    trials: int = TRIALS,
    seed: int = 0,
    *,
    tool: bool = False,
) -> Equivalence:
    """Every pair of methods at random robots of the model's structure, a fresh prime each time.

    ``tool`` asks of methods that have one to run with a wrench in the hand.
    """
    outcomes = [
        redrawn(lambda system: _residues(methods, model, system, tool), seed, k) for k in range(trials)
    ]
    pairs = list(combinations(methods, 2))
    return Equivalence(
        names=tuple(methods),
        primes=tuple(prime for _, prime in outcomes),
        equal={(a, b): all(tau[a] == tau[b] for tau, _ in outcomes) for a, b in pairs},
        degree=degrees(methods, model, tool=tool),
    )


def _residues(
    methods: Mapping[str, Formulation], model: Model, system: FieldSystem, tool: bool
) -> dict[str, list[int]]:
    found = torques(methods, model, system, tool=tool)
    return {name: [system.lower(t) for t in tau] for name, tau in found.items()}


def degrees(methods: Mapping[str, Formulation], model: Model, *, tool: bool = False) -> dict[Pair, int]:
    """A bound on the degree of the difference of every pair."""
    system = DegreeSystem()
    tau = torques(methods, model, system, tool=tool)
    return {(a, b): degree(system, minus(tau[a], tau[b])) for a, b in combinations(methods, 2)}


def torques(
    methods: Mapping[str, Formulation], model: Model, system: System, *, tool: bool = False
) -> dict[str, list[Num]]:
    """Every method on the same robot at the same state, with the same wrench in the hand or none."""
    lifted = model.lift(system)
    state = lifted.variables()
    if tool:
        moment, force = (Vec3(*(system.variable(f"{part}{axis}") for axis in "xyz")) for part in "NF")
        hand = Force(moment, force)
        return {name: method.with_tool(lifted, *state, hand) for name, method in methods.items()}
    return {name: method.inverse_dynamics(lifted, *state) for name, method in methods.items()}


# -- forward dynamics: what inverse dynamics undoes ---------------------------------------------------

ForwardDynamics = Callable[[Model, Numbers, Numbers, Numbers], list[Num]]


def strobed(model: Model, q: Numbers, qd: Numbers, tau: Numbers) -> list[Num]:
    """Accelerations by strobing the reference and eliminating without pivots."""
    return strobing.forward_dynamics(FORMULATIONS[REFERENCE].inverse_dynamics, model, q, qd, tau, [])


FORWARD: dict[str, ForwardDynamics] = {
    "strobing + LᵀDL": strobed,
    "articulated-body": articulated_body.forward_dynamics,
    "armstrong": armstrong_forward.forward_dynamics,
}
REFUSALS: dict[str, Callable[[Model], str | None]] = {"armstrong": armstrong_forward.refusal}
"""Why some of them cannot run on a model."""


def round_trips(model: Model, trials: int = TRIALS, seed: int = 0) -> dict[str, RoundTrip]:
    """Every forward dynamics method that the model allows against the reference."""
    return {
        name: round_trip(method, model, trials, seed)
        for name, method in FORWARD.items()
        if not (name in REFUSALS and REFUSALS[name](model))
    }


def round_trip(method: ForwardDynamics, model: Model, trials: int, seed: int) -> RoundTrip:
    """Whether the reference undoes one method."""

    def vanishing(system: FieldSystem) -> bool:
        return vanishes(system, _left_over(method, model, system))

    try:
        outcomes = [redrawn(vanishing, seed, k) for k in range(trials)]
    except ZeroDivisionError:  # drawn zero again and again, or zero by structure
        return RoundTrip(None, why=f"{model.name} has a joint that moves no inertia: its pivot is zero.")
    primes = tuple(prime for _, prime in outcomes)
    if not all(zero for zero, _ in outcomes):
        return RoundTrip(False, None, primes)  # which is certain
    system = DegreeSystem()
    return RoundTrip(True, degree(system, _left_over(method, model, system)), primes)


def _left_over(method: ForwardDynamics, model: Model, system: System) -> list[Num]:
    """ID(q, qd, FD(q, qd, tau)) − tau."""
    lifted = model.lift(system)
    q, qd, tau = lifted.variables()
    again = FORMULATIONS[REFERENCE].inverse_dynamics(lifted, q, qd, method(lifted, q, qd, tau))
    return minus(again, tau)


# -- arms without zeros -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OnGeneralArm:
    """What holds on one arm of general twists, offsets and inertias, whichever robot was asked for."""

    arm: str
    exact: Equivalence
    holding: Equivalence | None
    terms: Mapping[str, bool]
    forward: Mapping[str, RoundTrip]

    def differing(self, reference: str) -> list[str]:
        """The methods that are another function than the reference here."""
        return [name for name in self.exact.names if not self.exact.agree(reference, name)]

    @property
    def differing_in_the_hand(self) -> list[Pair]:
        """The pairs of methods that differ with a wrench in the hand."""
        return [pair for pair, equal in self.holding.equal.items() if not equal] if self.holding else []


@cache
def general_arms() -> dict[str, Model]:
    """Arms and trees on which every term of every method counts, by what they are."""
    return {
        "a general arm with joints RRRR": random_model(4, 5, kinds="R"),
        "a general arm with joints RPRP": random_model(4, 15, kinds="RP"),
        "an arm of right angles with joints RRRR": _with_right_angles(random_model(4, 5, kinds="R")),
        "a general tree with joints RRPR": random_model(4, 28, kinds="RP", tree=True),
        "a general tree with joints RFPS": random_model(4, 176, kinds="RPSF", tree=True),
        "a general tree with joints SFS": random_model(3, 22, kinds="SF", tree=True),
        "a general tree with joints HEH": random_model(3, 25, kinds="HE", tree=True),
    }


def _with_right_angles(model: Model) -> Model:
    """The same but for its twists: some methods go another way between axes at right angles."""

    def placed(body: Body) -> Body:
        shifts = (step for step in body.before.steps if isinstance(step, Shift))
        return replace(body, before=Pose((Turn.by(0, math.pi / 2), *shifts)), after=Pose())

    return replace(model, bodies=tuple(map(placed, model.bodies)))


def on_general_arms(names: Sequence[str] = (), seed: int = 0) -> list[OnGeneralArm]:
    """The methods asked for (all if none are) on every general arm that they take, the reference among them."""
    asked = {name: formulation(name) for name in (REFERENCE, *names)} if names else FORMULATIONS
    found: list[OnGeneralArm] = []
    for arm, model in general_arms().items():
        methods = {name: method for name, method in asked.items() if not refusal(method, model)}
        with_tool = {name: x for name, x in FORMULATIONS.items() if x.tool and not x.refusal(model)}
        holding = (
            compare(with_tool, model, 1, seed, tool=True) if with_tool.keys() & methods.keys() else None
        )
        exact, same = compare(methods, model, 1, seed), redrawn(partial(terms, model), seed)[0]
        found.append(OnGeneralArm(arm, exact, holding, same, round_trips(model, 1, seed)))
    return found


def terms(model: Model, system: FieldSystem) -> dict[str, bool]:
    """Whether M, C and g by the methods that give them are those that strobing reads off the reference."""
    lifted, ID = model.lift(system), FORMULATIONS[REFERENCE].inverse_dynamics
    q, qd, _ = lifted.variables()
    M, C = strobing.mass_matrix(ID, lifted, q), strobing.coriolis_matrix(ID, lifted, q, qd)
    pairs = {
        "M by composite-body": (composite_body.mass_matrix(lifted, q), M),
        "C by composite Coriolis": (composite_coriolis.coriolis_matrix(lifted, q, qd), C),
    }
    if not FORMULATIONS["decomposition"].refusal(model):
        own = "decomposition"  # form A of its paper, by link Jacobians and by bodies beyond
        forms = [x.coriolis_matrix(lifted, q, qd, own) for x in (decomposition, composite_coriolis)]
        pairs |= {
            "M by decomposition": (decomposition.mass_matrix(lifted, q), M),
            "C by decomposition": (decomposition.coriolis_matrix(lifted, q, qd), C),
            "C of the decomposition's own form": (forms[0], forms[1]),
            "g by decomposition": ([decomposition.gravity(lifted, q)], [strobing.gravity(ID, lifted, q)]),
        }
    return {
        name: all(vanishes(system, minus(row, other)) for row, other in zip(one, two, strict=True))
        for name, (one, two) in pairs.items()
    }


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
