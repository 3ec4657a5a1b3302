"""Independent coordinates: joints that follow others act outside the formulations.

    q = G q_r + q0        tau_r = Gᵀ tau        M_r = Gᵀ M G

Formulations see every joint; what a user holds counts only the independent ones. The limits of a joint that follows
one other are limits of that one too: how far, how fast and how suddenly it may move. What follows several bounds none
of them alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import groupby
from weakref import WeakKeyDictionary

from strobe.errors import UnsupportedModelError
from strobe.models.joints import Joint, Limits
from strobe.models.model import Coupling, Model
from strobe.scalars import Num, Numbers

Terms = dict[int, float]  # reduced index -> factor


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The map from independent coordinates to all joints' coordinates."""

    joints: tuple[Joint, ...]  # independent ones, by their slices of the reduced vectors, limits narrowed
    positions: tuple[tuple[Terms, float], ...]  # each entry of q: factors and offset
    velocities: tuple[Terms, ...]  # each row of G
    trivial: bool

    @cached_property
    def nq(self) -> int:
        return sum(joint.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        return sum(joint.nv for joint in self.joints)

    @cached_property
    def position_names(self) -> tuple[str, ...]:
        """One name per number of q: a joint's own where it has one number."""
        return tuple(name for joint in self.joints for name in joint.position_names)

    @cached_property
    def rate_names(self) -> tuple[str, ...]:
        """One name per degree of freedom: a joint's own where it has one."""
        return tuple(name for joint in self.joints for name in joint.rate_names)

    @cached_property
    def is_single(self) -> bool:
        """Whether every joint has one position."""
        return all(joint.nq == 1 for joint in self.joints)

    @cached_property
    def is_additive(self) -> bool:
        """Whether velocities are the rates of positions, for every joint."""
        return all(joint.additive for joint in self.joints)

    @cached_property
    def has_quaternions(self) -> bool:
        return any(joint.has_quaternion for joint in self.joints)

    @property
    def several(self) -> str:
        """What joints have that have more than one position, for sentences."""
        more = [joint for joint in self.joints if joint.nq > 1]
        return "quaternions" if all(joint.has_quaternion for joint in more) else "several positions"

    @property
    def pattern(self) -> str:
        """The kinds of the joints in short: 2RP3R."""
        runs = [(letter, len(list(run))) for letter, run in groupby(joint.letter for joint in self.joints)]
        return "".join(f"{count}{letter}" if count > 1 else letter for letter, count in runs)

    def expand(self, q: Numbers) -> Numbers:
        """q of every joint."""
        if self.trivial:
            return q
        return [_combine(terms, q) + offset for terms, offset in self.positions]

    def expand_rates(self, v: Numbers) -> Numbers:
        """Velocities or accelerations of every joint."""
        return v if self.trivial else [_combine(terms, v) for terms in self.velocities]

    def position_rates(self, q: Numbers, v: Numbers) -> list[Num]:
        """How fast the independent numbers of a position change."""
        return [rate for joint in self.joints for rate in joint.position_rates(q, v)]

    def reduce(self, tau: Numbers) -> list[Num]:
        """Gᵀ tau."""
        if self.trivial:
            return list(tau)
        reduced: list[Num] = [0.0] * self.nv
        for terms, t in zip(self.velocities, tau, strict=True):
            for j, factor in terms.items():
                reduced[j] = reduced[j] + t * factor
        return reduced

    def reduce_matrix(self, M: Sequence[Numbers]) -> list[list[Num]]:
        """Gᵀ M G."""
        return self.reduce_columns(self.reduce_rows(M))

    def reduce_rows(self, Y: Sequence[Numbers]) -> list[list[Num]]:
        """Gᵀ Y, for a matrix with a row per degree of freedom."""
        if self.trivial:
            return [list(row) for row in Y]
        columns = [self.reduce(column) for column in zip(*Y, strict=True)]
        return [list(row) for row in zip(*columns, strict=True)]

    def reduce_columns(self, J: Sequence[Numbers]) -> list[list[Num]]:
        """J G, for a matrix given by rows."""
        return [self.reduce(row) for row in J]


def _combine(terms: Terms, values: Numbers) -> Num:
    total: Num = 0.0
    for j, factor in terms.items():
        total = total + values[j] * factor
    return total


_known: WeakKeyDictionary[Model, Coordinates] = WeakKeyDictionary()


def coordinates(model: Model) -> Coordinates:
    """The independent coordinates of a model; worked out once."""
    if model not in _known:
        _known[model] = _resolved(model)
    return _known[model]


def _resolved(model: Model) -> Coordinates:
    """Couplings of couplings followed to the independent joints."""
    following = {coupling.joint: coupling for coupling in model.couplings}
    place: dict[str, Joint] = {}
    q = v = 0
    for joint in model.joints:
        if joint.name not in following:
            place[joint.name] = joint.at(q, v)
            q, v = q + joint.nq, v + joint.nv
    by_v = {own.v: own.q for own in place.values()}
    combined = _combinations(model, following, place)
    positions: list[tuple[Terms, float]] = []
    velocities: list[Terms] = []
    for joint in model.joints:
        if joint.name in place:
            own = place[joint.name]
            positions += [({own.q + k: 1.0}, 0.0) for k in range(own.nq)]
            velocities += [{own.v + k: 1.0} for k in range(own.nv)]
        else:
            terms, offset = combined[joint.name]
            positions.append(({by_v[j]: factor for j, factor in terms.items()}, offset))
            velocities.append(terms)
    joints = tuple(_narrowed(place, model, combined).values())
    return Coordinates(joints, tuple(positions), tuple(velocities), not following)


def _narrowed(
    place: Mapping[str, Joint], model: Model, combined: Mapping[str, tuple[Terms, float]]
) -> dict[str, Joint]:
    """The independent joints with the limits of what follows each of them alone; where both together leave no way to
    move (a sign is wrong in some files), with their own."""
    found, by_v = dict(place), {own.v: name for name, own in place.items()}
    for joint in model.joints:
        terms = {j: factor for j, factor in combined[joint.name][0].items() if factor}
        if joint.name not in place and len(terms) == 1:
            ((j, factor),) = terms.items()
            leader = found[by_v[j]]
            limits = _both(leader.limits, joint.limits, factor, combined[joint.name][1])
            found[by_v[j]] = replace(leader, limits=limits)
    return found


def _both(own: Limits, of_follower: Limits, factor: float, offset: float) -> Limits:
    """The limits that a joint has by itself and by one that is at factor · q + offset."""
    ends = sorted((end - offset) / factor for end in (of_follower.lower, of_follower.upper))
    lower, upper = max(own.lower, ends[0]), min(own.upper, ends[1])
    if lower >= upper:
        lower, upper = own.lower, own.upper
    return replace(
        own, lower=lower, upper=upper, velocity=min(own.velocity, of_follower.velocity / abs(factor)),
        acceleration=min(own.acceleration, of_follower.acceleration / abs(factor)),
    )  # fmt: skip


def _combinations(
    model: Model, following: Mapping[str, Coupling], place: Mapping[str, Joint]
) -> dict[str, tuple[Terms, float]]:
    """Every joint as a combination of independent ones, and its offset; those that are followed come first."""
    found: dict[str, tuple[Terms, float]] = {name: ({own.v: 1.0}, 0.0) for name, own in place.items()}
    for name in _leaders_first(model, following):
        if name in found:
            continue
        terms: Terms = {}
        offset = following[name].offset
        for other, factor in following[name].terms.items():
            inner, shift = found[other]
            offset += factor * shift
            for j, f in inner.items():
                terms[j] = terms.get(j, 0.0) + factor * f
        found[name] = terms, offset
    return found


def _leaders_first(model: Model, following: Mapping[str, Coupling]) -> list[str]:
    """The joints that follow and those that they follow, in an order in which these come first."""
    names = set(model.joint_names)
    for coupling in following.values():
        for other in coupling.terms:
            if other not in names:
                model.joint(other)  # says that there is none
    try:
        follows = {name: coupling.terms for name, coupling in following.items()}
        return list(TopologicalSorter(follows).static_order())
    except CycleError as error:
        raise UnsupportedModelError(
            f"{model.name}: the joints {' -> '.join(error.args[1][::-1])} follow each other in a circle."
        ) from None
