"""Derivations as text, LaTeX and JSON: one walk over formulas, with the marks of each kind of output."""

from __future__ import annotations

import textwrap
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from strobe.equations import expression as ex
from strobe.equations.derivation import Derivation
from strobe.equations.derivation_lines import (
    Formula,
    Letter,
    Line,
    Plus,
    Rate,
    Slope,
    Step,
    Times,
    Transposed,
    Values,
    Written,
)
from strobe.equations.document import Document, together
from strobe.equations.expression import Expression
from strobe.equations.latex import (
    DOTS,
    LETTERS,
    ROW,
    WIDTH as LATEX_WIDTH,
    LatexWriter,
    escaped,
    latex_source,
    visible as latex_width,
)
from strobe.equations.notation import PLAIN, Name, Notation
from strobe.equations.readable_forms import Forms
from strobe.equations.rendering import BREAK, WEAK, Writer, lines
from strobe.equations.text import WIDTH, TextWriter, text_lines
from strobe.equations.trig_polynomials import Wave

UNNAMED = " "  # in the place of a name that a model file gives
COLUMNS = 10  # of a matrix in LaTeX, at most
GAP = 2  # letters between two of them
SHORT = 3  # letters of a left-hand side that the width of a line allows for


class Printer(ABC):
    """Formulas in one kind of output."""

    def __init__(self, writer: Writer, forms: Forms) -> None:
        self.writer = writer
        self.forms = forms

    def line(self, x: Formula) -> str:
        """A formula in one line."""
        return self.formula(x).replace(BREAK, "").replace(WEAK, "")

    def formula(self, x: Formula) -> str:
        """A formula with marks where a line may end."""
        match x:
            case Letter():
                return self.letter(x)
            case Written(value):
                return self.writer.expression(self._expression(value))
            case Times(left, right, sign):
                return self.times(self._factor(left, sign), self._factor(right, sign), sign)
            case Plus(terms):
                return self._sum(terms)
            case Transposed(of):
                return self.transposed(self.line(of))
            case Rate(of):
                return self.rate(self.line(of))
            case Slope(of, by):
                return self.slope(self.line(of), self.line(by))

    def rows(self, x: Values) -> list[list[str]]:
        """The entries of a vector or matrix, each in one line."""
        return [[self.writer.write(self._expression(entry)) for entry in row] for row in x.rows]

    def letter(self, x: Letter) -> str:
        return self.writer.name(Name(x.letter, x.dots, x.index), UNNAMED)

    def _expression(self, x: Wave | Expression) -> Expression:
        if not isinstance(x, Wave):
            return x
        return ex.ZERO if x.is_zero() else self.forms.form(x)

    def _factor(self, x: Formula, sign: str = "") -> str:
        """In brackets where it is a sum, or a product within a cross product."""
        sums = isinstance(x, Plus) or (
            isinstance(x, Written) and isinstance(self._expression(x.value), ex.Sum)
        )
        return (
            self.writer.brackets(self.line(x))
            if sums or (sign == "×" and isinstance(x, Times))
            else self.line(x)
        )

    def _sum(self, terms: Sequence[tuple[int, Formula]]) -> str:
        numbers = [(sign, self._expression(x.value)) for sign, x in terms if isinstance(x, Written)]
        if len(numbers) == len(terms):
            signed = (x if sign > 0 else ex.opposite(x) for sign, x in numbers)
            return self.writer.expression(ex.total(signed, sorting=False))
        (first, head), *others = terms
        result = self.line(head) if first > 0 else self.writer.minus(self._factor(head))
        for sign, term in others:
            shown = self.line(term) if sign > 0 else self._factor(term)
            result += BREAK + self.writer.sign("+" if sign > 0 else "−", shown)
        return result

    @abstractmethod
    def times(self, left: str, right: str, sign: str) -> str: ...

    @abstractmethod
    def transposed(self, of: str) -> str: ...

    @abstractmethod
    def rate(self, of: str) -> str: ...

    @abstractmethod
    def slope(self, of: str, by: str) -> str: ...


def _vanishes(x: Values) -> bool:
    return all(entry.is_zero() for row in x.rows for entry in row)


def _plain(line: Line) -> Line:
    """A vector or matrix without entries that differ from zero as a zero."""
    vanishing = isinstance(line.right, Values) and _vanishes(line.right)
    return Line(line.left, Written(ex.ZERO), line.about) if vanishing else line


def _entries(line: Line) -> Iterator[Line]:
    """A line about a vector or matrix as one for every entry, equal ones together, zeros last."""
    (left,), right = line.left, line.right
    assert isinstance(left, Letter)
    assert isinstance(right, Values)
    named = [
        (left.entry(right.names[i]) if len(row) == 1 else left.entry(str(i + 1), str(j + 1)), entry)
        for i, row in enumerate(right.rows)
        for j, entry in enumerate(row)
    ]
    for entry, names in together(named):
        yield Line(names, Written(entry))


def _headed(step: Step) -> Iterator[tuple[str, Iterator[Line]]]:
    """The lines under their headings."""
    return groupby(map(_plain, step.lines), key=lambda line: line.about)


def _parameters(derivation: Derivation) -> Document:
    """A document that holds nothing but the parameters."""
    return Document(derivation.robot, derivation.title, False, derivation.parameters, ())


# -- text ---------------------------------------------------------------------------------------------


class TextPrinter(Printer):
    """Plain text."""

    def times(self, left: str, right: str, sign: str) -> str:
        return f"{left} {sign} {right}" if sign else f"{left} {right}"

    def transposed(self, of: str) -> str:
        return f"{of}ᵀ"

    def rate(self, of: str) -> str:
        return f"d/dt {of}"

    def slope(self, of: str, by: str) -> str:
        return f"∂{of}/∂{by}"


def derivation_text(
    derivation: Derivation, notation: Notation = PLAIN, width: int = WIDTH
) -> Iterator[str]:
    """A derivation line by line; titles have no blank in front."""
    printer = TextPrinter(TextWriter(notation), derivation.forms)
    yield from text_lines(_parameters(derivation), notation, width)
    for k, step in enumerate(derivation.steps):
        yield f"{k + 1}. {step.title}"
        yield from textwrap.wrap(step.words, width, initial_indent="  ", subsequent_indent="  ")
        for about, group in _headed(step):
            yield from [f"  {about}"] if about else []
            for line in group:
                yield from _text_line(line, printer, width)
        yield ""
    yield from textwrap.wrap(derivation.verdict, width, initial_indent="  ", subsequent_indent="  ")


def _text_line(line: Line, printer: TextPrinter, width: int) -> Iterator[str]:
    head = "    " + " = ".join(map(printer.line, line.left)) + " = "
    if not isinstance(line.right, Values):
        first, *others = lines(printer.formula(line.right), width - seen(head), seen)
        yield head + first
        yield from (f"        {other.strip()}" for other in others)
        return
    block = _block(printer.rows(line.right))
    if seen(head + block[0]) > width:
        for entry in _entries(line):
            yield from _text_line(entry, printer, width)
        return
    for k, row in enumerate(block):
        yield (head if k == (len(block) - 1) // 2 else " " * seen(head)) + row


def seen(text: str) -> int:
    """How many letters wide a text is: dots stand over letters."""
    return sum(not unicodedata.combining(c) for c in text)


def _block(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows between tall brackets, columns aligned."""
    widths = [max(map(seen, column)) for column in zip(*rows, strict=True)]
    padded = ["  ".join(x + " " * (w - seen(x)) for x, w in zip(row, widths, strict=True)) for row in rows]
    if len(rows) == 1:
        return [f"[ {padded[0]} ]"]
    left, right = (top + middle * (len(rows) - 2) + low for top, middle, low in ("⎡⎢⎣", "⎤⎥⎦"))
    return [f"{a} {row} {b}" for a, row, b in zip(left, padded, right, strict=True)]


# -- LaTeX --------------------------------------------------------------------------------------------


LATEX_SIGNS = {"": r" \, ", "×": r" \times ", "·": r" \cdot "}


class LatexPrinter(Printer):
    """LaTeX mathematics; vectors and matrices are bold."""

    def letter(self, x: Letter) -> str:
        letter = LETTERS.get(x.letter, x.letter)
        bold = rf"\boldsymbol{{{letter}}}" if x.bold else letter
        index = x.index.replace("ω", r"\omega ")
        return DOTS[x.dots].format(bold) + (f"_{{{index}}}" if index else "")

    def times(self, left: str, right: str, sign: str) -> str:
        return left + LATEX_SIGNS[sign] + right

    def transposed(self, of: str) -> str:
        return rf"{of}^{{\mathsf T}}"

    def rate(self, of: str) -> str:
        return rf"\frac{{d}}{{dt}} {of}"

    def slope(self, of: str, by: str) -> str:
        return rf"\frac{{\partial {of}}}{{\partial {by}}}"


def derivation_latex(derivation: Derivation, notation: Notation = PLAIN) -> str:
    """A complete document."""
    printer = LatexPrinter(LatexWriter(notation), derivation.forms)
    head, _, end = latex_source(_parameters(derivation), notation).rpartition(r"\end{document}")
    steps = (_latex_step(k + 1, step, printer) for k, step in enumerate(derivation.steps))
    return "\n".join([head, *steps, escaped(derivation.verdict), r"\end{document}" + end])


def _latex_step(number: int, step: Step, printer: LatexPrinter) -> str:
    parts = [rf"\section*{{{number}. {escaped(step.title)}}}", escaped(step.words)]
    for about, group in _headed(step):
        rows = [row for line in group for row in _latex_rows(line, printer)]
        parts += [rf"\paragraph{{{escaped(about)}}}"] if about else []
        parts += [r"\begin{align*}", " \\\\\n".join(rows), r"\end{align*}"]
    return "\n".join(parts)


def _latex_rows(line: Line, printer: LatexPrinter) -> Iterator[str]:
    *before, last = map(printer.line, line.left)
    if isinstance(line.right, Values):
        rows = printer.rows(line.right)
        wide = sum(max(map(latex_width, column)) + GAP for column in zip(*rows, strict=True))
        if wide <= LATEX_WIDTH and len(rows[0]) <= COLUMNS:
            yield f"{last} ={{}}& {_pmatrix(rows)}"
            return
        for entry in _entries(line):
            yield from _latex_rows(entry, printer)
        return
    room = LATEX_WIDTH - max(0, latex_width(last) - SHORT)
    first, *others = (x.strip() for x in lines(printer.formula(line.right), room, latex_width))
    for k in range(0, len(before), ROW):
        yield "& " + " = ".join(before[k : k + ROW]) + " = {}"
    yield f"{last} ={{}}& {first}"
    yield from (rf"& \quad {other}" for other in others)


def _pmatrix(rows: Sequence[Sequence[str]]) -> str:
    return r"\begin{pmatrix} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \end{pmatrix}"


# -- data ---------------------------------------------------------------------------------------------


def derivation_data(derivation: Derivation, notation: Notation = PLAIN) -> dict[str, Any]:
    """A derivation for JSON: every equation as text and as LaTeX, those of vectors and matrices by rows."""
    text = TextPrinter(TextWriter(notation), derivation.forms)
    latex = LatexPrinter(LatexWriter(notation), derivation.forms)
    return {
        "robot": derivation.robot,
        "way": derivation.way,
        "parameters": [asdict(parameter) for parameter in derivation.parameters],
        "steps": [
            {
                "title": step.title,
                "words": step.words,
                "equations": [_equation_data(line, text, latex) for line in step.lines],
            }
            for step in derivation.steps
        ],
        "agrees": derivation.agrees,
        "verdict": derivation.verdict,
    }


def _equation_data(line: Line, text: TextPrinter, latex: LatexPrinter) -> dict[str, Any]:
    right = line.right
    written = _pmatrix(latex.rows(right)) if isinstance(right, Values) else latex.line(right)
    return {
        "about": line.about,
        "names": [text.line(x) for x in line.left],
        "value": text.rows(right) if isinstance(right, Values) else text.line(right),
        "latex": " = ".join([*map(latex.line, line.left), written]),
    }
