"""Units by the kind of the joint, in ASCII: of positions, rates and forces, and of all that is made of them.

    tau    N m where a joint turns, N where it slides
    M      kg m^2, kg m where one of two joints slides, kg where both do

A unit is a product of powers of kilogram, metre, second and radian; radians are told where something is per radian
or a number of them, not in masses and inertias.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strobe.models.couplings import Coordinates
    from strobe.models.joints import Joint


@dataclass(frozen=True, slots=True)
class Unit:
    """A product of powers."""

    kg: int = 0
    m: int = 0
    s: int = 0
    rad: int = 0

    def __mul__(self, other: Unit) -> Unit:
        return Unit(self.kg + other.kg, self.m + other.m, self.s + other.s, self.rad + other.rad)

    def __truediv__(self, other: Unit) -> Unit:
        return Unit(self.kg - other.kg, self.m - other.m, self.s - other.s, self.rad - other.rad)

    def __str__(self) -> str:
        if self.kg == 1 and (self.s <= -2 or (self.s == -1 and self.rad == -1)):
            powers = {"N": 1, "m": self.m - 1, "s": self.s + 2, "rad": self.rad}
        else:
            powers = {"kg": self.kg, "m": self.m, "s": self.s, "rad": 0 if self.kg else self.rad}
        above = " ".join(_power(name, power) for name, power in powers.items() if power > 0) or "1"
        below = [_power(name, -power) for name, power in powers.items() if power < 0]
        if not below:
            return above
        return f"{above}/{below[0]}" if len(below) == 1 else f"{above}/({' '.join(below)})"


def _power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"


ONE, KG, M, S, RAD = Unit(), Unit(kg=1), Unit(m=1), Unit(s=1), Unit(rad=1)
NEWTON = KG * M / S / S
MOMENTUM = (*[KG * M / S] * 3, *[KG * M * M / S] * 3)  # linear, angular
WRENCH = (*[NEWTON] * 3, *[NEWTON * M] * 3)
TWIST = (*[M] * 3, *[RAD] * 3)  # times seconds
PARAMETERS = (KG, *[KG * M] * 3, *[KG * M * M] * 6)  # of a body


def steps(x: Coordinates) -> list[Unit]:
    """Of a small change along every degree of freedom; over seconds these are the units of rates."""
    return [step_of(joint, k) for joint in x.joints for k in range(joint.nv)]


def step_of(joint: Joint, k: int = 0) -> Unit:
    """Of a small change along one degree of freedom of a joint."""
    return RAD if joint.turns_by(k) else M


def efforts(x: Coordinates) -> list[Unit]:
    """Of every torque or force."""
    return [NEWTON * M if step == RAD else NEWTON for step in steps(x)]


def positions(x: Coordinates) -> list[str]:
    """Of every number of a position; those of a quaternion have none."""
    return [unit for joint in x.joints for unit in _position(joint)]


def _position(joint: Joint) -> list[str]:
    return [unit or f"quaternion w x y z of {joint.name}" for unit in joint.position_units]


# -- in words -----------------------------------------------------------------------------------------


def in_runs(units: Sequence[object]) -> str:
    """The units of a vector: [0..1] rad, [2] m."""
    runs = [f"[{_span(run)}] {unit}" for unit, run in _runs(units)]
    return ("; " if any("," in run for run in runs) else ", ").join(runs)


def _runs(units: Sequence[object]) -> Iterator[tuple[object, list[int]]]:
    for unit, run in groupby(enumerate(units), key=lambda each: each[1]):
        yield unit, [k for k, _ in run]


def _span(run: Sequence[int]) -> str:
    return f"{run[0]}..{run[-1]}" if len(run) > 1 else str(run[0])


def of_entries(entry: str, axes: Mapping[str, Sequence[Unit]]) -> list[str]:
    """What the entries of a matrix are, and their units: the products of those along its axes, named by letters."""
    classes = [[(unit, _places(units, unit)) for unit in dict.fromkeys(units)] for units in axes.values()]
    found: dict[tuple[str, ...], Unit] = {}
    for combination in product(*classes):
        unit = ONE
        for factor, _ in combination:
            unit = unit * factor
        found[tuple(places for _, places in combination)] = unit
    if len(set(map(str, found.values()))) == 1:
        return [f"{entry}, {next(iter(found.values()))}"]
    named = (
        (", ".join(f"{letter} = {at}" for letter, at in zip(axes, places, strict=True)), unit)
        for places, unit in found.items()
    )
    return [f"{entry}; with", *(f"    {where}: {unit}" for where, unit in named)]


def _places(units: Sequence[Unit], wanted: Unit) -> str:
    """Where a unit stands: 0..1 or 3..5."""
    return " or ".join(_span(run) for unit, run in _runs(units) if unit == wanted)
