r"""Expressions and documents as LaTeX that compiles with amsmath alone; long sums are broken before a sign.

m_{2} (\ell_{1}^{2} + \ell_{c2}^{2} + 2 \ell_{1} \ell_{c2} \cos q_{2}) + I_{2}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from strobe.equations.closed_form import Equations, predicted_terms
from strobe.equations.document import Document, Entry, Section, document
from strobe.equations.expression import Expression
from strobe.equations.glossary import Parameter
from strobe.equations.notation import GREEK, PLAIN, Name, Notation
from strobe.equations.rendering import Writer, lines

SMALL = 400  # terms of a mass matrix that a notebook shows
WIDTH = 74  # visible signs in a line
ROW = 10  # left-hand sides in a line
ROWS = 45  # of a table on one page
MATRIX = re.compile(r"(?<![A-Za-z$\\])([MCF])(?![A-Za-z0-9])")  # a letter by itself in a sentence
DOTS = ("{}", r"\dot{{{}}}", r"\ddot{{{}}}")
LETTERS = {letter: "\\" + word for word, letter in GREEK.items()} | {"l": r"\ell"}
SPECIAL = str.maketrans(
    {c: f"\\{c}" for c in "#$%&_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {
        "−": "$-$",
        "±": r"$\pm$",
        "·": r"$\cdot$",
        "≤": r"$\le$",
        "Ṁ": r"$\dot M$",
        "²": "$^2$",
        "ᵀ": r"$^{\mathsf T}$",
    }
    | {"–": "--", "…": r"\dots{}"}
    | {digit: f"$^{{{k}}}$" for k, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹") if digit != "²"}
)
PREAMBLE = r"""\documentclass[a4paper,10pt]{article}
\usepackage{amsmath}
\setlength{\hoffset}{-1in}\setlength{\voffset}{-1in}
\setlength{\oddsidemargin}{20mm}\setlength{\textwidth}{170mm}
\setlength{\topmargin}{10mm}\setlength{\textheight}{250mm}
\setlength{\parindent}{0pt}
\allowdisplaybreaks
"""


def latex(x: Expression, notation: Notation = PLAIN) -> str:
    """An expression in one line of mathematics."""
    return LatexWriter(notation).write(x)


def latex_source(found: Document, notation: Notation = PLAIN) -> str:
    """A complete document."""
    writer = LatexWriter(found.read_with(notation))
    parts = [
        PREAMBLE,
        rf"\title{{Equations of motion of {escaped(found.robot)}}}",
        rf"\author{{{escaped(found.title)}}}",
        "\\date{}\n\\begin{document}\n\\maketitle",
        *_parameters(found.parameters, writer),
        *(_section(section, writer) for section in found.sections),
        "\\end{document}\n",
    ]
    return "\n".join(parts)


def aligned(entries: Iterable[Entry], notation: Notation = PLAIN) -> str:
    """Equations one below the other, for a notebook."""
    rows = _rows(entries, LatexWriter(notation))
    return "$$\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}$$"


def notebook(equations: Equations) -> str | None:
    """What a notebook shows: the equations of motion with M, C and G; nothing where they would fill pages."""
    terms = predicted_terms(equations)
    if terms is None or terms > SMALL:
        return None
    found = document(equations, only=("M", "C", "G", "tau", "friction"))
    notation = found.read_with(Notation(decimals=equations.numbers))
    return aligned((entry for section in found.sections for entry in section.entries), notation)


def escaped(text: str) -> str:
    """Ordinary text; letters that pdfLaTeX does not know are left out."""
    quoted = re.sub(r'"([^"]*)"', r"``\1''", text)
    return quoted.translate(SPECIAL).encode("ascii", "ignore").decode()


class LatexWriter(Writer):
    """LaTeX mathematics."""

    def number(self, x: Fraction) -> str:
        digits = self.notation.number(x)
        if not isinstance(digits, str):
            return rf"\tfrac{{{digits[0]}}}{{{digits[1]}}}"
        mantissa, e, exponent = digits.partition("e")
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if e else digits

    def name(self, name: Name, written: str) -> str:
        letter = rf"\mathit{{{name.letter}}}" if name.is_word else LETTERS.get(name.letter, name.letter)
        index = f"_{{{_index(name.index)}}}" if name.index else ""
        return DOTS[name.dots].format(letter) + index

    def trig(self, function: str, angle: str, several: bool, exponent: int) -> str:
        head = f"\\{function}" + (f"^{{{exponent}}}" if exponent != 1 else "")
        return f"{head}({angle})" if several else f"{head} {angle}"

    def call(self, function: str, argument: str) -> str:
        return rf"\operatorname{{{function}}}({argument})"

    def power(self, base: str, exponent: int) -> str:
        return f"{base}^{{{exponent}}}"

    def times(self, left: str, right: str, dot: bool) -> str:
        return rf"{left} \cdot {right}" if dot else rf"{left} \, {right}"

    def multiple(self, k: int, angle: str) -> str:
        return angle if k == 1 else f"{k} {angle}"

    def sign(self, sign: str, term: str) -> str:
        return f" {'-' if sign == '−' else '+'} {term}"

    def minus(self, x: str) -> str:
        return f"-{x}"

    def brackets(self, x: str) -> str:
        return f"({x})"

    def words(self, text: str) -> str:
        return MATRIX.sub(r"$\1$", escaped(text))

    def inline(self, written: str) -> str:
        return f"${written}$"


def _index(text: str) -> str:
    """Letters of an index stand for themselves, words in it are words."""
    return re.sub(r"[A-Za-z]{4,}", lambda m: rf"\mathit{{{m[0]}}}", text)


def _section(section: Section, writer: LatexWriter) -> str:
    parts = [rf"\section*{{{escaped(section.title)}}}"]
    if section.entries:
        parts += ["\\begin{align*}", " \\\\\n".join(_rows(section.entries, writer)), "\\end{align*}"]
    parts += [writer.remark(remark) + "\n" for remark in section.remarks]
    for sentence, conditions in section.conditions:
        rows = [f"& {x}" for condition in conditions for x in _broken(writer.expression(condition))]
        parts += [writer.remark(sentence), "\\begin{align*}", " \\\\\n".join(rows), "\\end{align*}"]
    return "\n".join(parts)


def _rows(entries: Iterable[Entry], writer: LatexWriter) -> Iterator[str]:
    for entry in entries:
        head, *names = map(writer.symbol, entry.names)
        first, *others = _broken(writer.expression(entry.value))
        sides = [*names, first]
        rows = [" = ".join(sides[k : k + ROW]) for k in range(0, len(sides), ROW)]
        if names and visible(rows[-1]) > WIDTH:
            rows = [" = ".join(names[k : k + ROW]) for k in range(0, len(names), ROW)] + [first]
        yield f"{head} &= {rows[0]}"
        yield from (f"&= {row}" for row in rows[1:])
        yield from (rf"&\quad {line}" for line in others)


def _broken(written: str) -> list[str]:
    return [line.strip() for line in lines(written, WIDTH, visible)]


def visible(written: str) -> int:
    """About how many letters wide a formula is."""
    plain = re.sub(r"\\(operatorname|mathit|tfrac|d?dot|,|cdot|quad)", "", written)
    spaced = plain.count(" + ") + plain.count(" - ")
    return len(re.sub(r"\\[a-z]+", "xxx", plain)) - sum(plain.count(c) for c in "{}_^ ") + spaced


def _parameters(parameters: tuple[Parameter, ...], writer: LatexWriter) -> Iterator[str]:
    """The names with their values, in tables that fit on a page."""
    if not parameters:
        return
    yield r"\section*{Parameters}"
    for k in range(0, len(parameters), ROWS):
        rows = [
            rf"${writer.symbol(p.name)}$ & {p.value:.6g} & {escaped(p.unit)} & {escaped(p.meaning)} \\"
            for p in parameters[k : k + ROWS]
        ]
        yield "\\noindent\n\\begin{tabular}{lrll}\nsymbol & value & unit & meaning \\\\ \\hline"
        yield from rows
        yield "\\end{tabular}\n"
