"""How the names of equations are read: a letter, dots over it, and an index below it.

lc2 -> l, c2      I3xx -> I, 3xx      qd1 -> q with a dot, 1      alpha4 -> α, 4      height -> a word
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "psi": "ψ", "omega": "ω",
}  # fmt: skip
STATE = re.compile(r"q(d{0,2})(\d+)")
PARAMETER = re.compile(r"([A-Za-z]+)(.*)")
WORD = 4  # letters: from here on a name is a word, not a letter with an index
DENOMINATOR = 64  # the largest one printed as a fraction
DIGITS = 6  # of numbers that are no such fractions


@dataclass(frozen=True, slots=True)
class Name:
    """A name taken apart."""

    letter: str  # one letter, or a word
    dots: int = 0
    index: str = ""

    @property
    def is_word(self) -> bool:
        return len(self.letter) > 1


@dataclass(frozen=True)
class Notation:
    """Choices of a reader."""

    mass: str = "M"  # the letter of the mass matrix
    positions: Mapping[str, str] = field(
        default_factory=dict
    )  # joint number -> letter, q where there is none
    short: bool = False  # c12 in the place of cos(q1 + q2)
    decimals: bool = False  # no fractions

    def read(self, name: str) -> Name:
        if state := STATE.fullmatch(name):
            dots, index = state.groups()
            return Name(self.positions.get(index, "q"), len(dots), index)
        if self.mass != "M" and re.fullmatch(r"M\d[\d,]*", name):
            return Name(self.mass, 0, name[1:])
        found = PARAMETER.fullmatch(name)
        letters, rest = found.groups() if found else (name, "")
        for word, letter in GREEK.items():
            if letters.startswith(word):
                return Name(letter, 0, _index(letters[len(word) :] + rest))
        if len(letters) >= WORD:
            return Name(letters, 0, _index(rest))
        return Name(letters[0], 0, _index(letters[1:] + rest))

    def shortened(self, angle: tuple[tuple[str, int], ...]) -> str | None:
        """The index of c12 for cos(q1 + q2); None where an angle has another factor than 1, or no number."""
        numbers = [found[2] for name, k in angle if (found := STATE.fullmatch(name)) and k == 1]
        if len(numbers) < len(angle):
            return None
        return ("," if max(map(len, numbers)) > 1 else "").join(numbers)

    def number(self, x: Fraction) -> str | tuple[int, int]:
        """The digits of a positive number, or numerator and denominator."""
        if x.denominator == 1 and (not self.decimals or x < 10**DIGITS):
            return str(x)
        if x.denominator <= DENOMINATOR and not self.decimals:
            return x.numerator, x.denominator
        return f"{float(x):.{DIGITS}g}"


def _index(text: str) -> str:
    return text.strip("_").replace("_", ",")


PLAIN = Notation()
