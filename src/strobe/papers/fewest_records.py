"""The records: arms by their pattern of zeros, and the certificate of a program that needs few operations on each.

Certificates are stored as text and counted and checked whenever they are asked for. In a clone, ``python -m
records`` writes them anew (NAME …: only those), in minutes.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from strobe.algebra import Inertia, Sym3, Vec3
from strobe.models.inertial import Inertial
from strobe.models.model import Model
from strobe.papers.arm_patterns import PATTERNS, Links, Pattern, arm, full, general, principal
from strobe.papers.certificates import Certificate, Check, check, read
from strobe.papers.conditions import Margin, margins
from strobe.papers.fitted_arms import fitted
from strobe.robot import load

FOLDER = Path(__file__).parent / "fewest_certificates"


def published(k: int) -> Inertial:
    """The PUMA 560's links as far as they are not zero: inertias along the axes, centres of mass on few of them."""
    if k == 1:
        return Inertial.of(Inertia(0.0, Vec3.zero(), Sym3(0.0, 0.0, 0.35, 0.0, 0.0, 0.0)))
    centre = {2: Vec3(0.07, 0.006, 0.23), 3: Vec3(0.0, 0.07, 0.16), 5: Vec3.zero()}.get(
        k, Vec3(0.0, 0.0, 0.03)
    )
    return Inertial.at_com(1.7 + k, centre, Sym3(0.52 + 0.01 * k, 0.63, 0.79, 0.0, 0.0, 0.0))


def scheinman(k: int) -> Inertial:
    """The Stanford arm's links as far as they are not zero in the built-in ``stanford``."""
    if k == 1:
        return published(1)
    y = 0.005 if k in (4, 5) else 0.0
    return Inertial.at_com(1.3 + k, Vec3(0.0, y, 0.11), Sym3(0.41 + 0.01 * k, 0.53, 0.69, 0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Variant:
    """An arm, and what is few; generic where constants divide by numbers of the arm, which then must not vanish."""

    arm: str
    few: str
    pattern: Pattern
    links: Links = full
    robots: tuple[str, ...] = ()  # built-in ones that it runs on
    generic: bool = False

    @property
    def model(self) -> Model:
        return arm(self.pattern, self.links)

    @property
    def title(self) -> str:
        return f"{self.arm}, {self.few}" + (", generic" if self.generic else "")


MULTIPLICATIONS, OPERATIONS = "fewest multiplications", "fewest operations"

DIVISION_FREE: Mapping[str, Variant] = {
    "general-6r-multiplications": Variant("general 6R arm", MULTIPLICATIONS, general(6), robots=("puma560", "ur5")),
    "general-6r-operations": Variant("general 6R arm", OPERATIONS, general(6), robots=("puma560", "ur5")),
    "puma560-multiplications": Variant(
        "PUMA 560, non-zero parameters", MULTIPLICATIONS, PATTERNS["PUMA 560"], published, ("puma560",),
    ),
    "puma560-operations": Variant(
        "PUMA 560, non-zero parameters", OPERATIONS, PATTERNS["PUMA 560"], published, ("puma560",),
    ),
    "puma560-full-multiplications": Variant(
        "geometry of the PUMA 560, all inertias", MULTIPLICATIONS, PATTERNS["PUMA 560"], robots=("puma560",),
    ),
    "puma560-full-operations": Variant(
        "geometry of the PUMA 560, all inertias", OPERATIONS, PATTERNS["PUMA 560"], robots=("puma560",),
    ),
    "panda-multiplications": Variant("Panda, all inertias", MULTIPLICATIONS, PATTERNS["Panda"], robots=("panda",)),
    "panda-operations": Variant("Panda, all inertias", OPERATIONS, PATTERNS["Panda"], robots=("panda",)),
    "stanford-multiplications": Variant(
        "Stanford arm, non-zero parameters", MULTIPLICATIONS, PATTERNS["Stanford arm"], scheinman, ("stanford",),
    ),
    "stanford-operations": Variant(
        "Stanford arm, non-zero parameters", OPERATIONS, PATTERNS["Stanford arm"], scheinman, ("stanford",),
    ),
    "stanford-principal-multiplications": Variant(
        "geometry of the Stanford arm, principal axes", MULTIPLICATIONS, PATTERNS["Stanford arm"], principal,
    ),
    "stanford-principal-operations": Variant(
        "geometry of the Stanford arm, principal axes", OPERATIONS, PATTERNS["Stanford arm"], principal,
    ),
}  # fmt: skip
"""By the name of the certificate; these run on every arm of their pattern."""

GENERIC: Mapping[str, Variant] = {
    "general-6r-operations-generic": Variant("general 6R arm", OPERATIONS, general(6), generic=True),
    "puma560-operations-generic": Variant(
        "PUMA 560, non-zero parameters", OPERATIONS, PATTERNS["PUMA 560"], published, ("puma560",), generic=True,
    ),
    "panda-operations-generic": Variant(
        "Panda, all inertias", OPERATIONS, PATTERNS["Panda"], robots=("panda",), generic=True,
    ),
}  # fmt: skip
"""These divide by numbers of the arm: they run where none of the divisors vanishes, and lose digits beside."""

VARIANTS: Mapping[str, Variant] = {**DIVISION_FREE, **GENERIC}


def stored(name: str) -> Certificate:
    """A certificate as it is stored."""
    return read((FOLDER / f"{name}.txt").read_text(encoding="utf-8"))


@cache
def checked(name: str) -> Check:
    """The verdict on a stored certificate, reached now."""
    return check(stored(name), VARIANTS[name].model)


@cache
def beside_conditions(name: str) -> tuple[Margin, ...]:
    """What a stored certificate asks of an arm, tried now; nothing where it divides by nothing."""
    return margins(stored(name), VARIANTS[name].model)


STATES = 5


@cache
def on_real_arms(name: str) -> Mapping[str, float]:
    """The largest error in doubles on the robots that a certificate is for, as a part of the largest torque."""
    variant, rng = VARIANTS[name], random.Random(1)
    found: dict[str, float] = {}
    for robot in variant.robots:
        real = fitted(load(robot), variant.model)
        states = [
            [[rng.uniform(-3.0, 3.0) for _ in range(real.robot.nv)] for _ in range(3)]
            for _ in range(STATES)
        ]
        found[robot] = max(real.error(stored(name), state) for state in states)
    return found
