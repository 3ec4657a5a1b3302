"""The limits of a robot's joints, each with the number that it bounds, and how far that number went in a run.

Few of the steps of a run are kept; the extremes of what has a limit are carried along through all of them, as a part
of the state: e⁺ = x where x is beyond e, else e. What is not a number is beyond nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from strobe.models.couplings import coordinates
from strobe.models.model import Model
from strobe.scalars import Num, Numbers, absolute, less, where

Array = np.ndarray
FAR = 1e300  # where an extreme starts, on the other side


class Bound(NamedTuple):
    """A limit: a side of the position of any joint, its speed, or the effort of a joint that follows no other."""

    kind: str  # position, velocity or effort
    joint: str
    place: int  # among the positions or rates of all joints, or among the torques
    lower: float  # one of both is infinite where it is a side
    upper: float
    unit: str

    def beyond(self, values: Array) -> Array:
        """By how much numbers are outside, negative inside."""
        return np.maximum(self.lower - values, values - self.upper)

    @property
    def below(self) -> bool:
        return self.upper == inf


def bounds(model: Model) -> tuple[Bound, ...]:
    """Every limit that is stated, the joints that follow others among them."""
    return tuple(bound for bound in _bounds(model) if isfinite(bound.lower) or isfinite(bound.upper))


def _bounds(model: Model) -> Iterator[Bound]:
    for joint in model.joints:
        name, most = joint.name, joint.limits.velocity
        if joint.nq == 1:
            (unit,) = joint.position_units
            yield Bound("position", name, joint.q, joint.limits.lower, inf, unit)
            yield Bound("position", name, joint.q, -inf, joint.limits.upper, unit)
        for k in range(joint.nv):
            unit = "rad/s" if joint.turns_by(k) else "m/s"
            yield Bound("velocity", name, joint.v + k, -most, most, unit)
    for joint in coordinates(model).joints:
        for k in range(joint.nv):
            most, unit = joint.limits.effort, "N m" if joint.turns_by(k) else "N"
            yield Bound("effort", joint.name, joint.v + k, -most, most, unit)


class Ranges(NamedTuple):
    """From where to where the numbers of every row may be, a pair of rows each; of independent joints."""

    q: tuple[Array, Array]
    qd: tuple[Array, Array]
    tau: tuple[Array, Array]
    extremes: tuple[Array, Array]


def ranges_of(model: Model) -> Ranges:
    """All bounds side by side."""
    x, all_bounds = coordinates(model), bounds(model)
    sizes = {"position": x.nq, "velocity": x.nv, "effort": x.nv}
    found = {kind: (np.full(size, -inf), np.full(size, inf)) for kind, size in sizes.items()}
    for bound in all_bounds:
        low, high = found[bound.kind]
        low[bound.place] = max(low[bound.place], bound.lower)
        high[bound.place] = min(high[bound.place], bound.upper)
    sides = np.array([bound.lower for bound in all_bounds]), np.array([bound.upper for bound in all_bounds])
    return Ranges(found["position"], found["velocity"], found["effort"], sides)


def bounded(model: Model, q: Numbers, qd: Numbers, tau: Numbers) -> list[Any]:
    """The number behind every bound, from a state and its torques."""
    x = coordinates(model)
    kinds = {"position": x.expand(q), "velocity": x.expand_rates(qd), "effort": tau}
    return [kinds[bound.kind][bound.place] for bound in bounds(model)]


def start(model: Model, runs: int) -> Array:
    """Extremes (runs, bounds) of nothing yet."""
    return np.tile([FAR if bound.below else -FAR for bound in bounds(model)], (runs, 1))


def extended(model: Model, extremes: Numbers, values: Sequence[Any]) -> list[Num]:
    """Extremes that take in the numbers of one more state; of speeds and efforts the sizes."""
    return [_farther(*each) for each in zip(bounds(model), extremes, values, strict=True)]


def _farther(bound: Bound, extreme: Num, value: Num) -> Num:
    if bound.below:
        return where(less(value, extreme), value, extreme)
    size = value if bound.kind == "position" else absolute(value)
    return where(less(extreme, size), size, extreme)
