"""What `recursion` was told for each record, and the certificate that comes of it."""

from __future__ import annotations

from collections.abc import Mapping

from records.program import certificate
from records.recursion import Choices
from strobe.papers.certificates import check, read
from strobe.papers.fewest_records import FOLDER, VARIANTS

ROUNDS = 1000  # of the search for units, where a program may divide
EVERYTHING = "mhI"
_WRIST = frozenset({4, 5, 6})
_PRINCIPAL = frozenset({2, 5, 6})
_ELBOW = frozenset({3})  # joint 3 of a PUMA is parallel to joint 2

CHOICES: Mapping[str, Choices] = {
    "general-6r-multiplications": Choices(
        "sum", "sum", stays=frozenset({2}), paired=True, held=True, scheme=frozenset({2, 3, 4, 5})
    ),
    "general-6r-operations": Choices("four", stays=frozenset({2}), held=True),
    "puma560-multiplications": Choices(
        "sum",
        stays=frozenset({3, 4}),
        kept={5: "I", 6: "I"},
        paired=True,
        euler=frozenset({5, 6}),
        absolute=_ELBOW,
        held=True,
        scheme=frozenset({3}),
    ),
    "puma560-operations": Choices(
        "four", kept={4: EVERYTHING}, paired=True, euler=_WRIST, absolute=_ELBOW, held=True
    ),
    "puma560-full-multiplications": Choices(
        "sum", euler=frozenset({2, 6}), absolute=_ELBOW, held=True, scheme=frozenset({3, 4, 5})
    ),
    "puma560-full-operations": Choices(
        "four", kept={4: "hI"}, euler=frozenset({2, 4}), absolute=_ELBOW, held=True
    ),
    "panda-multiplications": Choices(
        "sum", kept={3: "I"}, paired=True, held=True, scheme=frozenset({4, 5, 6})
    ),
    "panda-operations": Choices("four", kept={3: "I", 5: "hI"}, euler=frozenset({3, 5}), held=True),
    "stanford-multiplications": Choices("sum", kept={5: "I", 6: "I"}, euler=_PRINCIPAL, held=True),
    "stanford-operations": Choices("four", kept={5: "I"}, euler=_PRINCIPAL, held=True),
    "stanford-principal-multiplications": Choices(
        "sum", kept={5: "I", 6: "I"}, euler=_PRINCIPAL, held=True
    ),
    "stanford-principal-operations": Choices("four", kept={5: "I"}, euler=_PRINCIPAL, held=True),
    "general-6r-operations-generic": Choices(
        "four",
        stays=frozenset({2}),
        kept=dict.fromkeys(range(3, 7), EVERYTHING),
        euler=frozenset({2, 3, 4, 5}),
        held=True,
    ),
    "puma560-operations-generic": Choices(
        "four",
        stays=frozenset({4}),
        kept={4: "m", 5: "I"},
        paired=True,
        euler=_WRIST,
        absolute=_ELBOW,
        held=True,
    ),
    "panda-operations-generic": Choices("four", kept={3: "I", 5: "hI"}, euler=frozenset({3, 5}), held=True),
}


def written(name: str, rounds: int = ROUNDS) -> str:
    """The text of a certificate, made anew."""
    variant = VARIANTS[name]
    return certificate(variant.title, variant.model, CHOICES[name], rounds if variant.generic else None)


def write(name: str) -> None:
    """Make a certificate anew; it replaces the stored one if it holds."""
    text = written(name)
    found = read(text)
    verdict = check(found, VARIANTS[name].model)
    if verdict.holds:
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")
    print(f"{name}: {found.multiplications} ; {found.additions}, {verdict}")
