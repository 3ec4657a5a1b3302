"""Names and remarks in generated code: what a model file says never reaches it as it stands.

An identifier is made of ASCII letters, digits and underscores, is no keyword and differs from every other one.
Text inside a comment keeps letters, digits and harmless signs; what could end the comment, the line or a string
(stars, backslashes, quotes, question marks of trigraphs, line breaks, anything beyond ASCII) becomes _. A slash
stays, for units: without a star before it there is nothing that it ends.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

LONGEST_IDENTIFIER = 32  # of a robot: with "strobe_" and the quantity less than MATLAB's 63 characters
LONGEST_REMARK = 110
WIDTH = 100  # of lines that go on below

# of C99 and C++17, and what the generated sources use themselves
KEYWORDS = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr
    const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false float
    for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public register reinterpret_cast restrict return short signed sizeof static static_assert static_cast
    struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual
    void volatile wchar_t while xor xor_eq
    atan2 cos double_t fabs float_t floor fma main memcpy printf sin sqrt tanh
    angle_of check column count d difference dimensions evaluate expected found further given good i
    in_quadrant k large_angle larger out place_of result results row scale sine_cosine smaller states worst
    wrong
    """.split()  # noqa: SIM905
)


def identifier(text: str, taken: Iterable[str] = ()) -> str:
    """A name that C, C++, MATLAB and Python accept, like the text and unlike those taken."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")[:LONGEST_IDENTIFIER].rstrip("_") or "x"
    if plain[0].isdigit():
        plain = f"n{plain}"
    used = {*taken, *KEYWORDS}
    name, count = plain, 1
    while name in used:
        count += 1
        name = f"{plain}_{count}"
    return name


class Names:
    """Identifiers of one scope, each given out once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def new(self, text: str) -> str:
        name = identifier(text, self._taken)
        self._taken.add(name)
        return name


def remark(text: str) -> str:
    """Text that is harmless in any comment: one line of plain signs, cut where it is very long."""
    plain = _harmless(text)
    return plain if len(plain) <= LONGEST_REMARK else f"{plain[: LONGEST_REMARK - 3]}..."


def remarks(lines: Iterable[str]) -> list[str]:
    """Lines that are harmless in any comment; long ones go on below, further in, and nothing is cut."""
    return [row for line in lines for row in _rows(_harmless(line))]


def _rows(line: str) -> Iterator[str]:
    inwards = " " * (len(line) - len(line.lstrip()) + 2)
    rows = textwrap.wrap(line, WIDTH, subsequent_indent=inwards, break_on_hyphens=False)
    yield from rows or [""]


def _harmless(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9 _.,:;()\[\]+=<>@!|'/^-]", "_", text)
