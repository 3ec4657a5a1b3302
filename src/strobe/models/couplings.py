"""Independent coordinates: joints that follow others act outside the formulations.

    q = G q_r + q0        tau_r = Gᵀ tau        M_r = Gᵀ M G

Formulations see every joint; what a user holds counts only the independent ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from strobe.errors import UnsupportedModelError
from strobe.models.joints import Joint
from strobe.models.model import Model
from strobe.scalars import Num, Numbers

Terms = dict[int, float]  # reduced index -> factor


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The map from independent coordinates to all joints' coordinates."""

    joints: tuple[Joint, ...]  # independent joints, with their slices of the reduced vectors
    positions: tuple[tuple[Terms, float], ...]  # each entry of q: factors and offset
    velocities: tuple[Terms, ...]  # each row of G
    trivial: bool

    @cached_property
    def nq(self) -> int:
        return sum(joint.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        return sum(joint.nv for joint in self.joints)

    def expand(self, q: Numbers) -> Numbers:
        """q of every joint."""
        if self.trivial:
            return q
        return [_combine(terms, q) + offset for terms, offset in self.positions]

    def expand_rates(self, v: Numbers) -> Numbers:
        """Velocities or accelerations of every joint."""
        return v if self.trivial else [_combine(terms, v) for terms in self.velocities]

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
        if self.trivial:
            return [list(row) for row in M]
        columns = [self.reduce(column) for column in zip(*M, strict=True)]  # Gᵀ M, by columns
        return [self.reduce(row) for row in zip(*columns, strict=True)]

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
    independent: list[Joint] = []
    q = v = 0
    for joint in model.joints:
        if joint.name not in following:
            independent.append(joint.at(q, v))
            q, v = q + joint.nq, v + joint.nv
    place = {joint.name: joint for joint in independent}

    def resolve(name: str, seen: tuple[str, ...] = ()) -> tuple[Terms, float]:
        if name in place:
            return {place[name].v: 1.0}, 0.0
        if name in seen:
            raise UnsupportedModelError(
                f"{model.name}: the joints {' -> '.join((*seen, name))} follow each other in a circle."
            )
        coupling = following[name]
        terms: Terms = {}
        offset = coupling.offset
        for other, factor in coupling.terms.items():
            model.joint(other)
            inner, shift = resolve(other, (*seen, name))
            offset += factor * shift
            for j, f in inner.items():
                terms[j] = terms.get(j, 0.0) + factor * f
        return terms, offset

    positions: list[tuple[Terms, float]] = []
    velocities: list[Terms] = []
    for joint in model.joints:
        if joint.name in place:
            own = place[joint.name]
            positions += [({own.q + k: 1.0}, 0.0) for k in range(own.nq)]
            velocities += [{own.v + k: 1.0} for k in range(own.nv)]
        else:
            terms, offset = resolve(joint.name)
            by_v = {own.v: own.q for own in independent}
            positions.append(({by_v[j]: factor for j, factor in terms.items()}, offset))
            velocities.append(terms)
    return Coordinates(tuple(independent), tuple(positions), tuple(velocities), not following)
