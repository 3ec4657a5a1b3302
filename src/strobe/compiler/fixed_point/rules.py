"""The operations of fixed point: for each the range, the errors and the integer step.

With e the error of an argument and r that of rounding to the result's fraction, beside sums and products:

    sin x                     e_x + the error of `circle`
    x / y                     (e_x + |x/y| e_y) / (least |y| − e_y) + r
    √x                        e_x / (√x + √(x − e_x)), at most √e_x, + r
    x where a < b, else y     the larger of e_x and e_y, and |x − y| where errors may turn the comparison around
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from strobe.compiler.fixed_point.bounds import cosine_ends, each, half, outward, root_error, sine_ends
from strobe.compiler.fixed_point.products import arguments, product, with_constant
from strobe.compiler.fixed_point.sums import aligned, aligned_step, least_fraction, total
from strobe.compiler.fixed_point.words import Doubt, Ends, Errors, Operand, Value
from strobe.errors import ArgumentError
from strobe.scalars import Node

if TYPE_CHECKING:
    from strobe.compiler.fixed_point.plan import Planner


# -- signs and choices --------------------------------------------------------------------------------


def negative(make: Planner, node: Node) -> Value:
    (x,) = arguments(make, node)
    return replace(x, low=-x.high, high=-x.low, word=make.emit("neg", (x.word,)), own=0.0, doubt=None)


def absolute(make: Planner, node: Node) -> Value:
    (x,) = arguments(make, node)
    low = 0.0 if x.low <= 0.0 <= x.high else min(abs(x.low), abs(x.high))
    return replace(x, low=low, high=x.size, word=make.emit("abs", (x.word,)), own=0.0, doubt=None)


def extreme(make: Planner, node: Node) -> Value:
    x, y = arguments(make, node)
    choose = min if node.op == "min" else max
    ends = choose(x.low, y.low), choose(x.high, y.high)
    return _chosen(make, node, ends, node.args, lambda k: 0.0)


def comparison(make: Planner, node: Node) -> Value:
    x, y = arguments(make, node)
    fraction = least_fraction(make, node.args)
    parts = [aligned(make, a, fraction) for a in node.args]
    apart = max(y.low - x.high, x.low - y.high)

    def unsure(k: int) -> float:
        margin = sum(value.errors[k] + lost for value, lost in parts)
        return 1.0 if margin > 0.0 and apart <= margin else 0.0

    return Value(0.0, 1.0, 0, each(unsure), aligned_step(make, "less", node.args, fraction))


def choice(make: Planner, node: Node) -> Value:
    condition, *cases = node.args
    test, x, y = arguments(make, node)
    ends = min(x.low, y.low), max(x.high, y.high)
    spread = max(x.high - y.low, y.high - x.low)
    value = _chosen(make, node, ends, cases, lambda k: spread if test.errors[k] else 0.0, (test.word,))
    zero, compared = with_constant(condition)
    if condition.op != "less" or compared is None or zero != 0.0:
        return value
    right = _worse(make, cases, value.fraction)
    return replace(value, doubt=Doubt(compared, make.argument(compared).errors, spread, right))


def _chosen(
    make: Planner,
    node: Node,
    ends: Ends,
    args: Sequence[Node],
    wrong: Callable[[int], float],
    first: tuple[Operand, ...] = (),
) -> Value:
    """One of two values: the errors of the worse, and more where the wrong one may be taken."""

    def errors(fraction: int) -> tuple[Errors, float]:
        worse = _worse(make, args, fraction)
        return each(lambda k: worse[k] + wrong(k)), 0.0

    return make.made(
        node,
        ends,
        least_fraction(make, args),
        errors,
        lambda f: aligned_step(make, node.op, args, f, first),
    )


def _worse(make: Planner, args: Sequence[Node], fraction: int) -> Errors:
    """The larger errors of some arguments, brought to a fraction."""
    parts = [aligned(make, a, fraction) for a in args]
    return each(lambda k: max(value.errors[k] + lost for value, lost in parts))


# -- sines, quotients, roots --------------------------------------------------------------------------


def circular(make: Planner, node: Node) -> Value:
    (x,), (angle,), circle = arguments(make, node), node.args, make.circle
    if x.fraction < 0:
        raise ArgumentError(
            f"{make.called(angle)} is an angle of up to {x.size:g}: too many turns for a sine. Give a narrower range."
        )
    ends = sine_ends(*x.ends) if node.op == "sin" else cosine_ends(*x.ends)
    drop = max(0, x.fraction - make.bits)  # bits that are beyond those of a turn
    turning = circle.turning_error(x.size + x.errors[0]) + (half(make.bits) if drop else 0.0)

    def errors(fraction: int) -> tuple[Errors, float]:
        own = circle.error + turning + (half(fraction) if fraction < circle.fraction else 0.0)
        return each(lambda k: x.errors[k] + own), own

    def step(fraction: int) -> int:
        if angle not in make.turns:
            make.turns[angle] = make.emit("turn", (x.word,), (drop, x.fraction - drop + 1))
        op = "sine" if node.op == "sin" else "cosine"
        return make.emit(op, (make.turns[angle],), (circle.fraction - fraction,))

    return make.made(node, ends, circle.fraction, errors, step)


def quotient(make: Planner, node: Node) -> Value:
    x, y = arguments(make, node)
    least = min(abs(y.low), abs(y.high)) if y.low * y.high > 0.0 else 0.0
    if least <= y.errors[0]:
        raise ArgumentError(
            f"{make.called(node)} divides by a value between {y.low:g} and {y.high:g} with an error of "
            f"{y.errors[0]:.1g}: it may be zero. Give ranges that keep it away from zero."
        )
    ends = outward([a / b for a in x.ends for b in y.ends])
    size, base = max(abs(ends[0]), abs(ends[1])), x.fraction - y.fraction

    def errors(fraction: int) -> tuple[Errors, float]:
        own = half(fraction)

        def error(k: int) -> float:
            rest = least - y.errors[k]
            return (x.errors[k] + size * y.errors[k]) / rest + own if rest > 0.0 else math.inf

        return each(error), own

    def step(fraction: int) -> int:
        if not -make.bits < fraction - base < make.bits:
            raise ArgumentError(
                f"{make.called(node)} divides values of too different sizes for {make.bits} bits. "
                "Use longer words or narrower ranges."
            )
        return make.emit("div", (x.word, y.word), (fraction - base,))

    return make.made(node, ends, base + make.bits - 1, errors, step)


def root(make: Planner, node: Node) -> Value:
    (x,) = arguments(make, node)
    if x.low < 0.0:
        raise ArgumentError(
            f"{make.called(node)} is the root of a value between {x.low:g} and {x.high:g}, which may be negative. "
            "Give ranges that keep it positive."
        )
    most = (x.fraction + make.bits - 1) // 2

    def errors(fraction: int) -> tuple[Errors, float]:
        own = 2.0**-fraction  # it is rounded down
        return each(lambda k: root_error(x.low, x.errors[k]) + own), own

    def step(fraction: int) -> int:
        if 2 * fraction < x.fraction:
            raise ArgumentError(
                f"{make.called(node)} is a root whose argument has more than twice its fraction. "
                "Give all words one fraction (fraction=)."
            )
        return make.emit("sqrt", (x.word,), (2 * fraction - x.fraction,))

    ends = outward([math.sqrt(x.low), math.sqrt(x.high)])
    return make.made(node, ends, most, errors, step)


RULES: dict[str, Callable[[Planner, Node], Value]] = {
    "add": total,
    "sub": total,
    "mul": product,
    "div": quotient,
    "neg": negative,
    "sin": circular,
    "cos": circular,
    "sqrt": root,
    "abs": absolute,
    "min": extreme,
    "max": extreme,
    "less": comparison,
    "where": choice,
}
