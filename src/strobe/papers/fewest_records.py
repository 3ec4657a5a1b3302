"""The records: arms by their pattern of zeros, the variant that computes each with few operations, its certificate.

Certificates are stored as text and counted and checked whenever they are asked for; ``python -m
strobe.papers.fewest_records`` writes them anew (NAME …: only those), in minutes.
"""

from __future__ import annotations

import random
import sys
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
from strobe.papers.fewest_operations import Choices
from strobe.papers.fewest_program import certificate
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
    """An arm, what is few, and how it is reached: without a division, or, generic, with units of their own."""

    arm: str
    few: str
    pattern: Pattern
    choices: Choices
    links: Links = full
    rounds: int | None = None  # of the search for units; None for no units and no division
    seed: int = 0
    robots: tuple[str, ...] = ()  # built-in ones that it runs on

    @property
    def model(self) -> Model:
        return arm(self.pattern, self.links)

    @property
    def generic(self) -> bool:
        """Whether constants divide by numbers of the arm, which then must not vanish."""
        return self.rounds is not None

    @property
    def title(self) -> str:
        return f"{self.arm}, {self.few}" + (", generic" if self.generic else "")


MULTIPLICATIONS, OPERATIONS = "fewest multiplications", "fewest operations"
EVERYTHING = "mhI"
ROUNDS = 1000
_WRIST = frozenset({4, 5, 6})
_PRINCIPAL = frozenset({2, 5, 6})
_ELBOW = frozenset({3})  # joint 3 of a PUMA is parallel to joint 2

DIVISION_FREE: Mapping[str, Variant] = {
    "general-6r-multiplications": Variant(
        "general 6R arm", MULTIPLICATIONS, general(6),
        Choices("sum", "sum", stays=frozenset({2}), paired=True, held=True, scheme=frozenset({2, 3, 4, 5})),
        robots=("puma560", "ur5"),
    ),
    "general-6r-operations": Variant(
        "general 6R arm", OPERATIONS, general(6), Choices("four", stays=frozenset({2}), held=True),
        robots=("puma560", "ur5"),
    ),
    "puma560-multiplications": Variant(
        "PUMA 560, non-zero parameters", MULTIPLICATIONS, PATTERNS["PUMA 560"],
        Choices("sum", stays=frozenset({3, 4}), kept={5: "I", 6: "I"}, paired=True, euler=frozenset({5, 6}),
                absolute=_ELBOW, held=True, scheme=frozenset({3})),
        published, robots=("puma560",),
    ),
    "puma560-operations": Variant(
        "PUMA 560, non-zero parameters", OPERATIONS, PATTERNS["PUMA 560"],
        Choices("four", kept={4: EVERYTHING}, paired=True, euler=_WRIST, absolute=_ELBOW, held=True),
        published, robots=("puma560",),
    ),
    "puma560-full-multiplications": Variant(
        "geometry of the PUMA 560, all inertias", MULTIPLICATIONS, PATTERNS["PUMA 560"],
        Choices("sum", euler=frozenset({2, 6}), absolute=_ELBOW, held=True, scheme=frozenset({3, 4, 5})),
        robots=("puma560",),
    ),
    "puma560-full-operations": Variant(
        "geometry of the PUMA 560, all inertias", OPERATIONS, PATTERNS["PUMA 560"],
        Choices("four", kept={4: "hI"}, euler=frozenset({2, 4}), absolute=_ELBOW, held=True),
        robots=("puma560",),
    ),
    "panda-multiplications": Variant(
        "Panda, all inertias", MULTIPLICATIONS, PATTERNS["Panda"],
        Choices("sum", kept={3: "I"}, paired=True, held=True, scheme=frozenset({4, 5, 6})),
        robots=("panda",),
    ),
    "panda-operations": Variant(
        "Panda, all inertias", OPERATIONS, PATTERNS["Panda"],
        Choices("four", kept={3: "I", 5: "hI"}, euler=frozenset({3, 5}), held=True),
        robots=("panda",),
    ),
    "stanford-multiplications": Variant(
        "Stanford arm, non-zero parameters", MULTIPLICATIONS, PATTERNS["Stanford arm"],
        Choices("sum", kept={5: "I", 6: "I"}, euler=_PRINCIPAL, held=True),
        scheinman, robots=("stanford",),
    ),
    "stanford-operations": Variant(
        "Stanford arm, non-zero parameters", OPERATIONS, PATTERNS["Stanford arm"],
        Choices("four", kept={5: "I"}, euler=_PRINCIPAL, held=True),
        scheinman, robots=("stanford",),
    ),
    "stanford-principal-multiplications": Variant(
        "geometry of the Stanford arm, principal axes", MULTIPLICATIONS, PATTERNS["Stanford arm"],
        Choices("sum", kept={5: "I", 6: "I"}, euler=_PRINCIPAL, held=True), principal,
    ),
    "stanford-principal-operations": Variant(
        "geometry of the Stanford arm, principal axes", OPERATIONS, PATTERNS["Stanford arm"],
        Choices("four", kept={5: "I"}, euler=_PRINCIPAL, held=True), principal,
    ),
}  # fmt: skip
"""By the name of the certificate; these run on every arm of their pattern."""

GENERIC: Mapping[str, Variant] = {
    "general-6r-operations-generic": Variant(
        "general 6R arm", OPERATIONS, general(6),
        Choices("four", stays=frozenset({2}), kept=dict.fromkeys(range(3, 7), EVERYTHING),
                euler=frozenset({2, 3, 4, 5}), held=True),
        rounds=ROUNDS,
    ),
    "puma560-operations-generic": Variant(
        "PUMA 560, non-zero parameters", OPERATIONS, PATTERNS["PUMA 560"],
        Choices("four", stays=frozenset({4}), kept={4: "m", 5: "I"}, paired=True, euler=_WRIST,
                absolute=_ELBOW, held=True),
        published, ROUNDS, robots=("puma560",),
    ),
    "panda-operations-generic": Variant(
        "Panda, all inertias", OPERATIONS, PATTERNS["Panda"],
        Choices("four", kept={3: "I", 5: "hI"}, euler=frozenset({3, 5}), held=True),
        rounds=ROUNDS, robots=("panda",),
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


def write(name: str) -> None:
    """Make a certificate anew; it replaces the stored one if it holds."""
    variant = VARIANTS[name]
    text = certificate(variant.title, variant.model, variant.choices, variant.rounds, variant.seed)
    found = read(text)
    verdict = check(found, variant.model)
    if verdict.holds:
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")
    print(f"{name}: {found.multiplications} ; {found.additions}, {verdict}")


if __name__ == "__main__":
    for asked in sys.argv[1:] or VARIANTS:
        write(asked)
