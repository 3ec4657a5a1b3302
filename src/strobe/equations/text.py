"""Expressions as plain text: superscripts for powers, dots over rates.

m2 (l1² + lc2² + 2 l1 lc2 cos q2) + I2
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from fractions import Fraction
from unicodedata import normalize

from strobe.equations.document import Document, Entry
from strobe.equations.expression import Expression
from strobe.equations.glossary import Parameter
from strobe.equations.notation import GREEK, PLAIN, STATE, Name, Notation
from strobe.equations.rendering import Writer, lines

WIDTH = 100  # letters in a line
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
DOTS = ("", "\u0307", "\u0308")  # behind the letter that they stand over: q, q̇, q̈
FRACTIONS = {(1, 2): "½", (1, 3): "⅓", (2, 3): "⅔", (1, 4): "¼", (3, 4): "¾", (1, 8): "⅛", (3, 8): "⅜"}


def text(x: Expression, notation: Notation = PLAIN) -> str:
    """An expression in one line."""
    return TextWriter(notation).write(x)


def text_lines(document: Document, notation: Notation = PLAIN, width: int = WIDTH) -> Iterator[str]:
    """A document section by section; a line that is a title has no blank in front and a blank line before it."""
    writer = TextWriter(document.read_with(notation))
    if document.parameters:
        yield from ("Parameters", *_parameters(document.parameters, writer), "")
    for section in document.sections:
        yield section.title
        for entry in section.entries:
            yield from _equation(entry, writer, width)
        for remark in map(writer.remark, section.remarks):
            yield from _wrapped(remark, width)
        for sentence, conditions in section.conditions:
            yield f"  {writer.remark(sentence)}"
            for x in conditions:
                yield from _indented("    ", writer.expression(x), width)
        yield ""


def _equation(entry: Entry, writer: TextWriter, width: int) -> Iterator[str]:
    left = " = ".join(map(writer.symbol, entry.names))
    *above, last = _indented(f"  {left} = ", writer.expression(entry.value), width)
    yield from above
    yield f"{last:<40}  ({entry.meaning})" if entry.meaning else last


def _wrapped(sentence: str, width: int) -> list[str]:
    """A sentence in lines that end between words."""
    return textwrap.wrap(
        sentence, width, initial_indent="  ", subsequent_indent="      ",
        break_long_words=False, break_on_hyphens=False,
    ) or [""]  # fmt: skip


def _indented(head: str, written: str, width: int) -> Iterator[str]:
    """An expression after its left-hand side, the lines below it indented."""
    first, *others = lines(written, max(width - len(head), width // 2))
    yield head + first
    yield from (f"      {line.strip()}" for line in others)


def _parameters(parameters: Sequence[Parameter], writer: TextWriter) -> Iterator[str]:
    rows = [(writer.symbol(p.name), f"{p.value:.6g}", p.unit, p.meaning) for p in parameters]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    for name, value, unit, meaning in rows:
        yield f"  {name:<{widths[0]}}  {value:>{widths[1]}} {unit:<{widths[2]}}  {meaning}"


class TextWriter(Writer):
    """Plain text; parameters keep their names as they are."""

    def number(self, x: Fraction) -> str:
        digits = self.notation.number(x)
        return digits if isinstance(digits, str) else FRACTIONS.get(digits, f"({digits[0]}/{digits[1]})")

    def name(self, name: Name, written: str) -> str:
        if STATE.fullmatch(written) or name.letter in GREEK.values() or written[0] != name.letter[0]:
            return normalize("NFC", f"{name.letter[0]}{DOTS[name.dots]}{name.letter[1:]}{name.index}")
        return written

    def trig(self, function: str, angle: str, several: bool, exponent: int) -> str:
        head = function if exponent == 1 else function + str(exponent).translate(SUPERSCRIPTS)
        return f"{head}({angle})" if several else f"{head} {angle}"

    def call(self, function: str, argument: str) -> str:
        return f"{function}({argument})"

    def power(self, base: str, exponent: int) -> str:
        return base + str(exponent).translate(SUPERSCRIPTS)

    def times(self, left: str, right: str, dot: bool) -> str:
        return f"{left} · {right}" if dot else f"{left} {right}"

    def multiple(self, k: int, angle: str) -> str:
        return angle if k == 1 else f"{k}{angle}"

    def sign(self, sign: str, term: str) -> str:
        return f" {sign} {term}"

    def minus(self, x: str) -> str:
        return f"−{x}"

    def brackets(self, x: str) -> str:
        return f"({x})"
