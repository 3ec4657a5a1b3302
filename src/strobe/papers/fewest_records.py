"""The records: arms by their pattern of zeros, the variant that computes each with few operations, its certificate.

Certificates are stored as text and counted and checked whenever they are asked for; ``python -m
strobe.papers.fewest_records`` writes them anew (NAME …: only those), in minutes.
"""

from __future__ import annotations

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
from strobe.papers.fewest_operations import Choices
from strobe.papers.fewest_program import certificate

FOLDER = Path(__file__).parent / "fewest_certificates"


def published(k: int) -> Inertial:
    """The PUMA 560's links as far as they are not zero: inertias along the axes, centres of mass on few of them."""
    if k == 1:
        return Inertial.of(Inertia(0.0, Vec3.zero(), Sym3(0.0, 0.0, 0.35, 0.0, 0.0, 0.0)))
    centre = {2: Vec3(0.07, 0.006, 0.23), 3: Vec3(0.0, 0.07, 0.16), 5: Vec3.zero()}.get(
        k, Vec3(0.0, 0.0, 0.03)
    )
    return Inertial.at_com(1.7 + k, centre, Sym3(0.52 + 0.01 * k, 0.63, 0.79, 0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Variant:
    """An arm, what is few, and how it is reached."""

    arm: str
    few: str
    pattern: Pattern
    choices: Choices
    links: Links = full
    rounds: int = 2000
    seed: int = 0

    @property
    def model(self) -> Model:
        return arm(self.pattern, self.links)

    @property
    def title(self) -> str:
        return f"{self.arm}, {self.few}"


MULTIPLICATIONS, OPERATIONS = "fewest multiplications", "fewest operations"
EVERYTHING = "mhI"
_GENERAL = dict.fromkeys(range(3, 7), EVERYTHING)
_PUMA = {4: "m", 5: "I"}

VARIANTS: Mapping[str, Variant] = {
    "general-6r-multiplications": Variant(
        "general 6R arm", MULTIPLICATIONS, general(6),
        Choices("sum", stays=frozenset({2}), kept=_GENERAL, paired=True),
    ),
    "general-6r-shears": Variant(
        "general 6R arm", f"{MULTIPLICATIONS}, with tan(q/2)", general(6),
        Choices("shear", stays=frozenset({2}), kept=_GENERAL, paired=True), seed=1,
    ),
    "general-6r-operations": Variant(
        "general 6R arm", OPERATIONS, general(6),
        Choices("four", stays=frozenset({2}), kept=_GENERAL, euler=frozenset({2, 3, 4, 5})), seed=1,
    ),
    "puma560-multiplications": Variant(
        "PUMA 560, non-zero parameters", MULTIPLICATIONS, PATTERNS["PUMA 560"],
        Choices("sum", stays=frozenset({4}), kept=_PUMA, paired=True, euler=frozenset({4, 5, 6}),
                level=frozenset({6}), absolute=frozenset({3})),
        published,
    ),
    "puma560-operations": Variant(
        "PUMA 560, non-zero parameters", OPERATIONS, PATTERNS["PUMA 560"],
        Choices("four", stays=frozenset({4}), kept=_PUMA, paired=True, euler=frozenset({4, 5, 6}),
                level=frozenset({6}), absolute=frozenset({3})),
        published,
    ),
    "puma560-full-multiplications": Variant(
        "PUMA 560, all inertias", MULTIPLICATIONS, PATTERNS["PUMA 560"],
        Choices("sum", kept={4: EVERYTHING, 5: "m"}, paired=True, absolute=frozenset({3})),
    ),
    "puma560-full-operations": Variant(
        "PUMA 560, all inertias", OPERATIONS, PATTERNS["PUMA 560"],
        Choices("four", stays=frozenset({4}), kept={4: "m", 5: "I", 6: "I"}, paired=True, euler=frozenset({4}),
                absolute=frozenset({3})),
    ),
    "panda-multiplications": Variant(
        "Panda, all inertias", MULTIPLICATIONS, PATTERNS["Panda"],
        Choices("sum", kept={3: "I", 5: EVERYTHING, 6: "m", 7: EVERYTHING}, paired=True),
    ),
    "panda-operations": Variant(
        "Panda, all inertias", OPERATIONS, PATTERNS["Panda"],
        Choices("four", stays=frozenset({5}), kept={4: "I", 7: "I"}, paired=True),
    ),
    "stanford-multiplications": Variant(
        "Stanford arm, principal axes", MULTIPLICATIONS, PATTERNS["Stanford arm"],
        Choices("sum", kept={5: "hI"}, paired=True, euler=frozenset({2, 5, 6}), level=frozenset({6})),
        principal,
    ),
    "stanford-operations": Variant(
        "Stanford arm, principal axes", OPERATIONS, PATTERNS["Stanford arm"],
        Choices("four", stays=frozenset({2}), kept={5: "I"}, euler=frozenset({2, 5, 6}), level=frozenset({6})),
        principal,
    ),
}  # fmt: skip
"""By the name of the certificate."""


def stored(name: str) -> Certificate:
    """A certificate as it is stored."""
    return read((FOLDER / f"{name}.txt").read_text(encoding="utf-8"))


@cache
def checked(name: str) -> Check:
    """The verdict on a stored certificate, reached now."""
    return check(stored(name), VARIANTS[name].model)


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
