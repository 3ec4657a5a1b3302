"""Sums in fixed point: of words, brought to one fraction, or of products, in twice the bits and rounded once.

    x ± y        e_x + e_y, and r for each that is shifted
    c x ± s y    √(e_x² + e_y²) + √(e_c² + e_s²) |(x, y)|, and r: a rotation, which is at most √(x² + y²)

with e the errors of the arguments and r that of rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from strobe.compiler.fixed_point.bounds import each, half, length_of, outward, smaller
from strobe.compiler.fixed_point.products import arguments, product_ends, product_error, with_constant
from strobe.compiler.fixed_point.words import Ends, Errors, Operand, Value, Word
from strobe.compiler.graph.program import CIRCLE, SUMS, Program
from strobe.errors import ArgumentError
from strobe.scalars import Node

if TYPE_CHECKING:
    from strobe.compiler.fixed_point.plan import Planner


def summed_products(program: Program) -> set[Node]:
    """The products that one sum, and nothing else, needs; but for those by a power of two, which cost nothing."""
    summed = {a for node in program.nodes if node.op in SUMS for a in node.args}
    return {
        node
        for node in summed
        if node.op == "mul"
        and program.uses[node] == 1
        and abs(math.frexp(with_constant(node)[0])[0]) != 0.5
    }


def total(make: Planner, node: Node) -> Value:
    """A sum of words; of products that nothing else needs, in twice the bits and rounded once."""
    terms = [_term(make, a) for a in node.args]
    turn = _rotation(make, node)
    ends = _total_ends(node, terms, turn)
    if any(len(term.factors) == 2 for term in terms):
        return _fused(make, node, terms, ends, turn)

    def errors(fraction: int) -> tuple[Errors, float]:
        parts = [aligned(make, a, fraction) for a in node.args]
        own = sum(lost for _, lost in parts)
        found = each(lambda k: sum(value.errors[k] for value, _ in parts) + own)
        if turn is not None:
            found = smaller(found, turn.errors(own))
        return found, own

    return make.made(
        node,
        ends,
        least_fraction(make, node.args),
        errors,
        lambda f: aligned_step(make, node.op, node.args, f),
    )


def _total_ends(node: Node, terms: Sequence[Term], turn: Rotation | None) -> Ends:
    (low, high), second = terms[0].ends, terms[1].ends
    if node.op == "sub":
        second = -second[1], -second[0]
    low, high = outward([low + second[0], high + second[1]])
    if turn is None:
        return low, high
    radius = length_of(turn.x.size, turn.y.size)
    return max(low, -radius), min(high, radius)


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a sum: a value, or two factors whose product nothing else needs."""

    factors: tuple[Value, ...]
    ends: Ends
    errors: Errors

    @property
    def fraction(self) -> int:
        return sum(factor.fraction for factor in self.factors)

    def words(self, lift: int) -> tuple[Operand, Operand]:
        """Two words to multiply: the second of a single value is a power of two."""
        first, second = (*(value.word for value in self.factors), Word(2**lift))[:2]
        return first, second


def _term(make: Planner, node: Node) -> Term:
    if node not in make.within:
        value = make.argument(node)
        return Term((value,), value.ends, value.errors)
    x, y = arguments(make, node)
    return Term((x, y), product_ends(node, x, y), each(lambda k: product_error(node, x, y, k)))


def _fused(make: Planner, node: Node, terms: Sequence[Term], ends: Ends, turn: Rotation | None) -> Value:
    """x y ± z w in twice the bits; what has no second factor is brought up by the largest power of two needed."""
    common = min(term.fraction + (make.bits - 2 if len(term.factors) == 1 else 0) for term in terms)
    lifts = [max(0, common - term.fraction) for term in terms]
    drops = [max(0, term.fraction - common) for term in terms]
    words = [term.words(lift) for term, lift in zip(terms, lifts, strict=True)]
    lost = sum(half(common) for drop in drops if drop)

    def errors(fraction: int) -> tuple[Errors, float]:
        own = lost + (half(fraction) if fraction < common else 0.0)
        found = each(lambda k: sum(term.errors[k] for term in terms) + own)
        return (found if turn is None else smaller(found, turn.errors(own))), own

    def step(fraction: int) -> int:
        shift = common - fraction
        if shift > make.bits + 1:  # half of its last bit has no room beside the sum of two products
            raise ArgumentError(
                f"{make.called(node)} has errors far larger than itself in words of {make.bits} bits. Use longer "
                "words or narrower ranges."
            )
        return make.emit(f"{node.op} products", (*words[0], *words[1]), (*drops, shift))

    return make.made(node, ends, common, errors, step)


@dataclass(frozen=True, slots=True)
class Rotation:
    """c x ± s y, with the cosine and the sine of one angle."""

    c: Value
    s: Value
    x: Value
    y: Value
    own: float  # what the rounding of both products adds

    def errors(self, own: float) -> Errors:
        """The errors of (x, y) turned, those of (c, s) times the length of (x, y), and all rounding."""
        c, s, x, y = self.c, self.s, self.x, self.y

        def error(k: int) -> float:
            length = length_of(x.size + x.errors[k], y.size + y.errors[k])
            return length_of(x.errors[k], y.errors[k]) + length_of(c.errors[k], s.errors[k]) * length

        return each(lambda k: error(k) + own + self.own)


def _rotation(make: Planner, node: Node) -> Rotation | None:
    parts = [_turned(product) for product in node.args]
    if any(part is None for part in parts):
        return None
    (c, x), (s, y) = parts  # pyright: ignore[reportGeneralTypeIssues]
    if c.args != s.args or c.op == s.op:
        return None
    own = sum(make.values[product].own for product in node.args if product in make.values)
    return Rotation(make.values[c], make.values[s], make.argument(x), make.argument(y), own)


def _turned(node: Node) -> tuple[Node, Node] | None:
    """Of a product, the sine or cosine and the other factor."""
    if node.op != "mul":
        return None
    return next(((a, b) for a, b in (node.args, node.args[::-1]) if a.op in CIRCLE), None)


# -- arguments of one fraction -----------------------------------------------------------------------


def least_fraction(make: Planner, args: Sequence[Node]) -> int:
    """The smallest fraction among values that are not constant: more bits would hold nothing."""
    return min((make.values[a].fraction for a in args if a.op != "constant"), default=make.bits - 1)


def aligned(make: Planner, node: Node, fraction: int) -> tuple[Value, float]:
    """An argument for a result of this fraction, and what its shift loses."""
    value = make.argument(node, fraction)
    return value, half(fraction) if value.fraction > fraction else 0.0


def aligned_step(
    make: Planner, op: str, args: Sequence[Node], fraction: int, first: tuple[Operand, ...] = ()
) -> int:
    values = [make.argument(a, fraction) for a in args]
    shifts = (0,) * len(first) + tuple(value.fraction - fraction for value in values)
    if min(shifts) < 0:  # with one fraction for all, a truth is the only value that has another
        raise ArgumentError(
            "a truth is used as a number; write where(less(a, b), 1.0, 0.0) for fixed point."
        )
    return make.emit(op, (*first, *(value.word for value in values)), shifts)
