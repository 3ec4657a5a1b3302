"""Expressions as presentation MathML, which browsers render by themselves."""

from __future__ import annotations

from fractions import Fraction
from html import escape

from strobe.equations.document import Entry
from strobe.equations.expression import Expression
from strobe.equations.notation import PLAIN, Name, Notation
from strobe.equations.rendering import Writer

DOTS = ("", "˙", "¨")
APPLY, TIMES = "<mo>&#x2061;</mo>", "<mo>&#x2062;</mo>"  # function application, invisible times
THIN = '<mspace width="0.17em"/>'  # which browsers do not put beside a function by themselves
WAVES = tuple(f"{head}<mi>{name}</mi>" for head in ("", "<msup>") for name in ("cos", "sin"))


def mathml(x: Expression, notation: Notation = PLAIN) -> str:
    """An expression within a line of text."""
    return f"<math>{MathWriter(notation).write(x)}</math>"


def equation(entry: Entry, notation: Notation = PLAIN) -> str:
    """Left-hand sides and their value, set off from the text."""
    writer = MathWriter(notation)
    sides = [*map(writer.symbol, entry.names), writer.write(entry.value)]
    return f'<math display="block"><mrow>{"<mo>=</mo>".join(sides)}</mrow></math>'


class MathWriter(Writer):
    """MathML elements; every part is one or more elements in a row."""

    def number(self, x: Fraction) -> str:
        digits = self.notation.number(x)
        if isinstance(digits, str):
            return f"<mn>{digits}</mn>"
        return f"<mfrac><mn>{digits[0]}</mn><mn>{digits[1]}</mn></mfrac>"

    def name(self, name: Name, written: str) -> str:
        letter = f"<mi>{escape('ℓ' if name.letter == 'l' else name.letter)}</mi>"
        if name.dots:
            letter = f'<mover accent="true">{letter}<mo>{DOTS[name.dots]}</mo></mover>'
        return f"<msub>{letter}<mi>{escape(name.index)}</mi></msub>" if name.index else letter

    def trig(self, function: str, angle: str, several: bool, exponent: int) -> str:
        head = f"<mi>{function}</mi>"
        if exponent != 1:
            head = f"<msup>{head}<mn>{exponent}</mn></msup>"
        return f"{head}{APPLY}{self.brackets(angle) if several else f'{THIN}<mrow>{angle}</mrow>'}"

    def call(self, function: str, argument: str) -> str:
        return f"<mi>{function}</mi>{APPLY}{self.brackets(argument)}"

    def power(self, base: str, exponent: int) -> str:
        return f"<msup><mrow>{base}</mrow><mn>{exponent}</mn></msup>"

    def times(self, left: str, right: str, dot: bool) -> str:
        if dot:
            return f"{left}<mo>·</mo>{right}"
        return f"{left}{TIMES}{THIN if right.startswith(WAVES) else ''}{right}"

    def multiple(self, k: int, angle: str) -> str:
        return angle if k == 1 else f"<mn>{k}</mn>{TIMES}{angle}"

    def sign(self, sign: str, term: str) -> str:
        return f"<mo>{sign}</mo>{term}"

    def minus(self, x: str) -> str:
        return f'<mo form="prefix">−</mo>{x}'

    def brackets(self, x: str) -> str:
        return f"<mrow><mo>(</mo>{x}<mo>)</mo></mrow>"

    def words(self, text: str) -> str:
        return escape(text)

    def inline(self, written: str) -> str:
        return f"<math>{written}</math>"
