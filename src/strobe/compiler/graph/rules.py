"""What rewriting knows, as tables: where signs go, and identities that leave fewer operations.

A value is a pair (sign, node), so that a negation costs nothing until something needs the value by itself, and
constants are not negative. `FORMS` gives every operation the one form in which equal values are one node:

    s x + t y = s (x ± y)      ordered by number            (s x) (t y) = s t (x y)      constants first
    sin(−x) = −sin x,  cos(−x) = cos x,  min(−x, −y) = −max(x, y),  …

`RULES` then holds one identity per row; the first that holds is applied. A row is exact for every number, infinity
and NaN included, with exceptions made on purpose: constants that meet are merged and rounded once (so that 3 z − 2 z
is z at infinity too), and what vanishes by structure (0 y, 0 / y, x − x) is 0 whatever y and x are. The sign of a
zero is not kept, which atan2 may notice on its cut.

Not here because they would cost digits or range: x / c = (1/c) x, √x √x = x, √(x x) = |x|, x / x = 1. 2 x is not
written x + x: a product by a constant costs no more, and merges with other constants and into sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import frexp, isfinite, isnan
from operator import add, mul, sub, truediv
from typing import Any, NamedTuple, Protocol

from strobe.scalars import Node
from strobe.scalars.functions import (
    absolute,
    atan2,
    cos,
    floor,
    less,
    maximum,
    minimum,
    sin,
    sqrt,
    tanh,
    where,
)

Signed = tuple[int, Node]
Form = tuple[int, str, tuple[Node, ...]]  # a sign, an operation and its arguments

SMALLEST_NORMAL, LARGEST = 2.0**-126, 2.0**128 - 2.0**104  # in single precision, which may be compiled for


class Maker(Protocol):
    """What the tables build with: the graph in normal form."""

    def constant(self, value: float) -> Signed: ...
    def apply(self, op: str, *args: Signed) -> Signed: ...
    def plain(self, signed: Signed) -> Node: ...


# -- signs and order ----------------------------------------------------------------------------------


def _sum(make: Maker, first: Signed, second: Signed) -> Form:
    (s, x), (t, y) = first, second
    if x.index > y.index:
        s, x, t, y = t, y, s, x
    return s, "add" if s == t else "sub", (x, y)


def _difference(make: Maker, first: Signed, second: Signed) -> Form:
    return _sum(make, first, (-second[0], second[1]))


def _product(make: Maker, first: Signed, second: Signed) -> Form:
    (s, x), (t, y) = first, second
    if y.op == "constant" or (x.index > y.index and x.op != "constant"):
        x, y = y, x
    return s * t, "mul", (x, y)


def _quotient(make: Maker, first: Signed, second: Signed) -> Form:
    return first[0] * second[0], "div", (first[1], second[1])


def _odd(op: str) -> Callable[[Maker, Signed], Form]:
    return lambda make, x: (x[0], op, (x[1],))


def _even(op: str) -> Callable[[Maker, Signed], Form]:
    return lambda make, x: (1, op, (x[1],))


def _root(make: Maker, x: Signed) -> Form:
    return 1, "sqrt", (make.plain(x),)


def _floor(make: Maker, x: Signed) -> Form:
    return 1, "floor", (make.plain(x),)


def _angle(make: Maker, y: Signed, x: Signed) -> Form:
    return y[0], "atan2", (y[1], make.plain(x))


def _extreme(op: str, opposite: str) -> Callable[[Maker, Signed, Signed], Form]:
    def form(make: Maker, x: Signed, y: Signed) -> Form:
        if x[0] < 0 and y[0] < 0:
            return -1, opposite, _in_order(x[1], y[1])
        return 1, op, _in_order(make.plain(x), make.plain(y))

    return form


def _comparison(make: Maker, x: Signed, y: Signed) -> Form:
    if x[0] < 0 and y[0] < 0:
        return 1, "less", (y[1], x[1])
    return 1, "less", (make.plain(x), make.plain(y))


def _choice(make: Maker, condition: Signed, x: Signed, y: Signed) -> Form:
    if x[0] < 0 and y[0] < 0:
        return -1, "where", (condition[1], x[1], y[1])
    return 1, "where", (condition[1], make.plain(x), make.plain(y))


def _in_order(x: Node, y: Node) -> tuple[Node, Node]:
    return (y, x) if x.index > y.index else (x, y)


FORMS: Mapping[str, Callable[..., Form]] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "div": _quotient,
    "sin": _odd("sin"),
    "cos": _even("cos"),
    "tanh": _odd("tanh"),
    "abs": _even("abs"),
    "sqrt": _root,
    "floor": _floor,
    "atan2": _angle,
    "min": _extreme("min", "max"),
    "max": _extreme("max", "min"),
    "less": _comparison,
    "where": _choice,
}
"""By operation, the form of one whose arguments are in normal form."""


# -- identities ---------------------------------------------------------------------------------------


ANY = "any"
CONSTANT = "constant"


class Rule(NamedTuple):
    """An identity: how it reads, the operations that its arguments come from, when it holds, and what it gives."""

    text: str
    arguments: tuple[str, ...]
    holds: Callable[..., bool]
    result: Callable[..., Signed]


def value(node: Node) -> float:
    """What a constant is."""
    assert isinstance(node.value, float)
    return node.value


def _signed(make: Maker, x: Node) -> Signed:
    """A value that may have been made plain as a sign and a node again."""
    if x.op == "neg":
        return -1, x.args[0]
    return make.constant(value(x)) if x.op == CONSTANT else (1, x)


def _always(*args: Node) -> bool:
    return True


def _same(x: Node, y: Node) -> bool:
    return x is y


def _first_is(number: float) -> Callable[..., bool]:
    return lambda x, *rest: x.value == number


def _second_is_zero(x: Node, y: Node) -> bool:
    return y.value == 0.0


def _zero_over_something(x: Node, y: Node) -> bool:
    return x.value == 0.0 and y.value != 0.0


def _over_power_of_two(x: Node, y: Node) -> bool:
    """Whether the division is an exact multiplication."""
    return frexp(value(y))[0] == 0.5 and isfinite(1.0 / value(y))


def _in_range(x: Node, y: Node) -> bool:
    """Whether the product of c and d in c (d z) is a normal number in either precision."""
    return y.args[0].op == CONSTANT and SMALLEST_NORMAL <= value(x) * value(y.args[0]) <= LARGEST


def _multiples(x: Node, y: Node) -> bool:
    """Whether both are products of constants with the same value."""
    (c, z), (d, w) = x.args, y.args
    return z is w and c.op == d.op == CONSTANT and value(c) + value(d) <= LARGEST


def _first(make: Maker, x: Node, *rest: Node) -> Signed:
    return _signed(make, x)


def _second(make: Maker, x: Node, y: Node, *rest: Node) -> Signed:
    return _signed(make, y)


def _third(make: Maker, x: Node, y: Node, z: Node) -> Signed:
    return _signed(make, z)


def _minus_second(make: Maker, x: Node, y: Node) -> Signed:
    return -1, y


def _zero(make: Maker, *args: Node) -> Signed:
    return make.constant(0.0)


def _twice(make: Maker, x: Node, y: Node) -> Signed:
    return make.apply("mul", make.constant(2.0), (1, x))


def _merged(make: Maker, x: Node, y: Node) -> Signed:
    d, z = y.args
    return make.apply("mul", make.constant(value(x) * value(d)), (1, z))


def _together(combine: Callable[[float, float], float]) -> Callable[[Maker, Node, Node], Signed]:
    def result(make: Maker, x: Node, y: Node) -> Signed:
        (c, z), (d, _) = x.args, y.args
        return make.apply("mul", make.constant(combine(value(c), value(d))), (1, z))

    return result


def _square(make: Maker, x: Node, y: Node) -> Signed:
    (z,) = x.args
    return make.apply("mul", (1, z), (1, z))


def _scaled(make: Maker, x: Node, y: Node) -> Signed:
    return make.apply("mul", make.constant(1.0 / value(y)), (1, x))


IDENTITIES: Mapping[str, tuple[Rule, ...]] = {
    "add": (
        Rule("0 + y = y", (CONSTANT, ANY), _first_is(0.0), _second),
        Rule("x + 0 = x", (ANY, CONSTANT), _second_is_zero, _first),
        Rule("x + x = 2 x", (ANY, ANY), _same, _twice),
        Rule("c z + d z = (c + d) z", ("mul", "mul"), _multiples, _together(add)),
    ),
    "sub": (
        Rule("0 − y = −y", (CONSTANT, ANY), _first_is(0.0), _minus_second),
        Rule("x − 0 = x", (ANY, CONSTANT), _second_is_zero, _first),
        Rule("x − x = 0", (ANY, ANY), _same, _zero),
        Rule("c z − d z = (c − d) z", ("mul", "mul"), _multiples, _together(sub)),
    ),
    "mul": (
        Rule("0 y = 0", (CONSTANT, ANY), _first_is(0.0), _zero),
        Rule("1 y = y", (CONSTANT, ANY), _first_is(1.0), _second),
        Rule("c (d z) = (c d) z", (CONSTANT, "mul"), _in_range, _merged),
        Rule("|z| |z| = z z", ("abs", "abs"), _same, _square),
    ),
    "div": (
        Rule("0 / y = 0", (CONSTANT, ANY), _zero_over_something, _zero),
        Rule("x / 2ᵏ = 2⁻ᵏ x", (ANY, CONSTANT), _over_power_of_two, _scaled),
    ),
    "abs": (Rule("||z|| = |z|", ("abs",), _always, _first),),
    "min": (Rule("min(x, x) = x", (ANY, ANY), _same, _first),),
    "max": (Rule("max(x, x) = x", (ANY, ANY), _same, _first),),
    "less": (Rule("x < x is 0", (ANY, ANY), _same, _zero),),
    "where": (
        Rule("where(0, x, y) = y", (CONSTANT, ANY, ANY), _first_is(0.0), _third),
        Rule("where(1, x, y) = x", (CONSTANT, ANY, ANY), _first_is(1.0), _second),
        Rule("where(c, x, x) = x", (ANY, ANY, ANY), lambda c, x, y: x is y, _second),
    ),
}

FUNCTIONS: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "add": (2, add), "sub": (2, sub), "mul": (2, mul), "div": (2, truediv), "sin": (1, sin), "cos": (1, cos),
    "tanh": (1, tanh), "abs": (1, absolute), "sqrt": (1, sqrt), "atan2": (2, atan2), "min": (2, minimum),
    "max": (2, maximum), "less": (2, less), "where": (3, where),
    "floor": (1, floor),
}  # fmt: skip
"""How many arguments an operation takes, and its value on floats."""


def _folding(op: str) -> Rule:
    """An operation on constants is a constant."""
    count, function = FUNCTIONS[op]
    return Rule(
        f"{op} of constants",
        (CONSTANT,) * count,
        lambda *args: _folded(function, args) is not None,
        lambda make, *args: make.constant(_folded(function, args)),
    )


def _folded(function: Callable[..., float], args: tuple[Node, ...]) -> float | None:
    """The value on constants; None where Python has none or NaN is involved: that is left to the processor."""
    values = [value(x) for x in args]
    if any(map(isnan, values)):
        return None
    try:
        return float(function(*values))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


RULES: Mapping[str, tuple[Rule, ...]] = {op: (_folding(op), *IDENTITIES.get(op, ())) for op in FORMS}
"""By operation, its rows in the order in which they are tried."""


@cache
def rules(op: str, *arguments: str) -> tuple[Rule, ...]:
    """The rows of an operation that can hold when its arguments come from these operations."""
    return tuple(
        rule
        for rule in RULES[op]
        if all(wanted in (ANY, given) for wanted, given in zip(rule.arguments, arguments, strict=True))
    )
