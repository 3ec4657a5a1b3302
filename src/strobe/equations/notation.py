"""How the names of equations are read: a letter, dots over it, and an index below it.

lc2 -> l, c2      I3xx -> I, 3xx      qd1 -> q with a dot, 1      alpha4 -> α, 4      height -> a word

M and Ṁ are the mass matrix and its rate, which textbooks may call H and Ḣ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "psi": "ψ", "omega": "ω",
}  # fmt: skip
STATE = re.compile(r"q(d{0,2})(\d+)")
FORCE = re.compile(r"tau(\d+)")
MASS = re.compile(r"M(\d[\d,]*)?")
RATES = {"M": "Ṁ", "H": "Ḣ"}  # of matrices
PARAMETER = re.compile(r"([A-Za-z]+)(.*)")
# left-hand sides, what they speak of, and functions
RESULT = re.compile(r"[MCHRJ]\d[\d_]*|[MCGHTV]|[xyz]|(G|F|Q|tau)\d+|cos|sin|sat[pn]?|diag")
STATES = re.compile(r"(q|qd|qdd|theta|phi)\d+|[cs]\d[\d_]*")  # coordinates, rates, and their short waves
# what derivations speak of besides
DERIVED = re.compile(r"[DL]|(T|V|Tr|e|p|omega)\d+|[fNr](\d\d|\d+_\d+)|r\d+_c\d+|[rv]c\d+|[CDGJ]v\d+")
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
    positions: Mapping[str, str] = field(default_factory=dict)  # joint number -> letter, else q
    labels: Sequence[str] = ()  # of other coordinates in the place of q1, q2, …; forces are then Q1, Q2, …
    short: bool = False  # c12 in the place of cos(q1 + q2)
    decimals: bool = False  # no fractions
    every_digit: bool = False  # numbers as long as they are

    def read(self, name: str) -> Name:
        if state := STATE.fullmatch(name):
            dots, index = state.groups()
            if self.labels:
                return replace(self._parameter(self.labels[int(index) - 1]), dots=len(dots))
            return Name(self.positions.get(index, "q"), len(dots), index)
        if self.labels and (force := FORCE.fullmatch(name)):
            return Name("Q", 0, force[1])
        if found := MASS.fullmatch(name):
            return Name(self.mass, 0, found[1] or "")
        if name in RATES.values():
            return Name(self.mass if name == RATES["M"] else "H", 1)
        return self._parameter(name)

    def _parameter(self, name: str) -> Name:
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
        if any(k != 1 or not STATE.fullmatch(name) for name, k in angle):
            return None
        names = [self.read(name) for name, _ in angle]
        numbers = [name.index for name in names]
        if not all(map(str.isdigit, numbers)) or (self.labels and len({name.letter for name in names}) > 1):
            return None
        return ("," if max(map(len, numbers)) > 1 else "").join(numbers)

    def number(self, x: Fraction) -> str | tuple[int, int]:
        """The digits of a positive number, or numerator and denominator."""
        if x.denominator == 1 and (not self.decimals or x < 10**DIGITS):
            return str(x)
        if x.denominator <= DENOMINATOR and not self.decimals:
            return x.numerator, x.denominator
        return repr(float(x)) if self.every_digit else f"{float(x):.{DIGITS}g}"


def index(*numbers: int) -> str:
    """12, or 1,12 where a number has two digits."""
    return ("," if max(numbers) > 9 else "").join(map(str, numbers))


def entry_name(letter: str, *places: int) -> str:
    """M12, the name of an entry by its places from 0 on."""
    return letter + index(*(k + 1 for k in places))


def plain(name: str) -> str:
    """A name as short as it can be written: l1 for l_1, which reads the same."""
    found = PLAIN.read(name)
    letter = next((word for word, letter in GREEK.items() if letter == found.letter), found.letter)
    return f"{letter[:1]}{'d' * found.dots}{letter[1:]}{found.index.replace(',', '_')}"


def is_result(name: str) -> bool:
    """Whether a name reads like a quantity or a function that equations print."""
    return bool(RESULT.fullmatch(plain(name)))


def is_reserved(name: str) -> bool:
    """Whether a name reads like a quantity, a coordinate or a wave, in any notation."""
    return is_result(name) or bool(STATES.fullmatch(plain(name)))


def is_derived(name: str) -> bool:
    """Whether a name is reserved, or reads like a force, a point or an energy of a derivation."""
    return is_reserved(name) or bool(DERIVED.fullmatch(plain(name)))


def _index(text: str) -> str:
    return text.strip("_").replace("_", ",")


PLAIN = Notation()
