"""Products in fixed point, and two forms of them that friction has and that would lose much as they stand.

    x y          |x| e_y + |y| e_x + e_x e_y + r, with e the errors of the factors and r that of rounding

A product that is clipped, max(min(k x, 1), −1), is clipped in twice the bits, before it is brought to a word. And
where a choice by the sign of x is multiplied by what is at most k |x|, the wrong choice costs next to nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from strobe.compiler.fixed_point.bounds import each, half, outward, square
from strobe.compiler.fixed_point.words import Ends, Errors, Value, Word
from strobe.compiler.graph.program import Program
from strobe.scalars import Node

if TYPE_CHECKING:
    from strobe.compiler.fixed_point.plan import Planner

OTHER = {"min": "max", "max": "min"}


def arguments(make: Planner, node: Node) -> list[Value]:
    return [make.argument(a) for a in node.args]


def product(make: Planner, node: Node) -> Value:
    scaled = _scaled(make, node)
    if scaled is not None:
        return scaled
    (x, y), most = arguments(make, node), _together(make, node)

    def errors(fraction: int) -> tuple[Errors, float]:
        own = half(fraction) if fraction < most else 0.0
        return each(lambda k: product_error(node, x, y, k) + own), own

    def step(fraction: int) -> int:
        return make.emit("mul", (x.word, y.word), (most - fraction,))

    return make.made(node, product_ends(node, x, y), most, errors, step)


def product_ends(node: Node, x: Value, y: Value) -> Ends:
    if node.args[0] is node.args[1]:
        return square(*x.ends)
    return outward([a * b for a in x.ends for b in y.ends])


def _scaled(make: Planner, node: Node) -> Value | None:
    """A product by a power of two: the same word, read with another fraction."""
    factor, other = with_constant(node)
    mantissa, power = math.frexp(factor)
    if other is None or mantissa != 0.5 or make.common is not None:
        return None
    x, factor = make.argument(other), 2.0 ** (power - 1)
    errors = each(lambda k: factor * x.errors[k])
    return replace(
        x,
        low=factor * x.low,
        high=factor * x.high,
        fraction=x.fraction - power + 1,
        errors=errors,
        own=0.0,
        doubt=None,
    )


def _together(make: Planner, node: Node) -> int:
    """The fraction of a product before it is shifted."""
    return sum(value.fraction for value in arguments(make, node))


def product_error(node: Node, x: Value, y: Value, k: int) -> float:
    """What the errors of the factors make; a doubt about one hardly counts where the other vanishes with it."""
    plain = _spread(x.size, x.errors[k], y.size, y.errors[k])
    for doubtful, other, factor in ((x, y, node.args[1]), (y, x, node.args[0])):
        doubt = doubtful.doubt
        slope = None if doubt is None else _slope(factor, doubt.value)
        if doubt is not None and slope is not None:
            decided = _spread(doubtful.size, doubt.errors[k], other.size, other.errors[k])
            return min(plain, decided + slope * doubt.margins[k] * doubt.spread)
    return plain


def _spread(x: float, x_error: float, y: float, y_error: float) -> float:
    return x * y_error + y * x_error + x_error * y_error


def _slope(node: Node, value: Node) -> float | None:
    """A factor k with |node| ≤ k |value|, where one is seen at once."""
    if node is value:
        return 1.0
    if node.op == "neg":
        return _slope(node.args[0], value)
    constant, rest = with_constant(node)
    if rest is None:
        return None
    slope = _slope(rest, value)
    if node.op == "mul" and slope is not None:
        return abs(constant) * slope
    kept = constant >= 0.0 if node.op == "min" else node.op == "max" and constant <= 0.0
    return slope if kept else None


def with_constant(node: Node) -> tuple[float, Node | None]:
    """Of an operation on a constant and something else: the constant and the other."""
    if len(node.args) == 2:
        for a, b in (node.args, node.args[::-1]):
            if a.op == "constant" and b.op != "constant":
                return float(a.value), b  # pyright: ignore[reportArgumentType]
    return 0.0, None


# -- clipped products ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clip:
    """A product between two constants, with the nodes that need not be computed by themselves."""

    product: Node
    low: float
    high: float
    inside: tuple[Node, Node]


def clipped_products(program: Program) -> dict[Node, Clip]:
    """Every max(min(x y, high), low), in either order, whose parts nothing else uses."""
    found: dict[Node, Clip] = {}
    for node in program.nodes:
        outer, inner = with_constant(node)
        if node.op not in OTHER or inner is None or inner.op != OTHER[node.op] or program.uses[inner] > 1:
            continue
        limit, factors = with_constant(inner)
        if factors is None or factors.op != "mul" or program.uses[factors] > 1:
            continue
        low, high = (outer, limit) if node.op == "max" else (limit, outer)
        if math.isfinite(low) and math.isfinite(high) and low <= high:
            found[node] = Clip(factors, low, high, (inner, factors))
    return found


def made_clip(make: Planner, node: Node, clip: Clip) -> Value:
    x, y = arguments(make, clip.product)
    most = _together(make, clip.product)
    low, high = product_ends(clip.product, x, y)
    ends = min(max(low, clip.low), clip.high), min(max(high, clip.low), clip.high)

    def errors(fraction: int) -> tuple[Errors, float]:
        own = half(fraction)
        return each(lambda k: product_error(clip.product, x, y, k) + own), own

    def step(fraction: int) -> int:
        between = tuple(Word(round(math.ldexp(end, fraction))) for end in (clip.low, clip.high))
        return make.emit("clip", (x.word, y.word, *between), (most - fraction,))

    size = max(abs(clip.low), abs(clip.high))  # its ends are words too
    value = make.made(node, (-size, size), most, errors, step)
    return replace(value, low=ends[0], high=ends[1])
