"""What an expression of xacro computes with: numbers, texts, lists, tuples and dictionaries, all of bounded size.

Whatever an operator or a function gives passes one gate (`Meter.made`), which refuses everything else and what is too
large. What could be large before the gate sees it (powers, repetitions, replacements, formats) is bounded where it is
made. Work is counted in steps, not in seconds: a file is refused on every machine or on none.
"""

from __future__ import annotations

import math
import operator
import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from strobe.models.expressions import ExpressionError

MOST_STEPS = 500_000  # of one file; the largest of 62 known ones takes 4,900
LONGEST_TEXT = 65_536  # characters
MOST_ITEMS = 10_000  # of a list, over all its levels
DEEPEST_VALUE = 20  # lists inside lists
MOST_BITS = 1_024  # of an integer: floating-point numbers end there too
LARGEST_KEY = 2**60  # of a dictionary: below it, no two integers fall together
WIDEST = 99  # characters or decimals that a format asks for


class Dotted(dict[Any, Any]):
    """A dictionary whose items are its members too: of YAML, or made by xacro.dotify."""


class Function:
    """A function of the table: all that can be called. One that ``applies`` others takes a function first."""

    __slots__ = ("applies", "call", "name")

    def __init__(self, name: str, call: Callable[..., Any], applies: bool = False) -> None:
        self.name, self.call, self.applies = name, call, applies


class Namespace:
    """Names after a dot: math.pi."""

    __slots__ = ("name", "names")

    def __init__(self, name: str, names: Mapping[str, Any]) -> None:
        self.name, self.names = name, names


class Meter:
    """Steps that are left, and the gate that every value passes."""

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self.left = self.most = steps

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise ExpressionError(
                f"takes more than {self.most:,} steps to expand; look for a macro that calls itself."
            )

    def made(self, value: Any) -> Any:
        """A value that is one of the few kinds, and not too large; its size counts as work."""
        self.spend(1 + self._size(value, 0) // 8)
        return value

    def _size(self, value: Any, depth: int) -> int:
        kind = type(value)
        if kind is float or kind is bool or value is None:
            return 1
        if kind is int:
            if value.bit_length() > MOST_BITS:
                raise ExpressionError(f"an integer of more than {MOST_BITS} bits; expected a smaller one.")
            return 1
        if kind is str:
            if len(value) > LONGEST_TEXT:
                raise ExpressionError(f"a text of more than {LONGEST_TEXT:,} characters.")
            return len(value)
        if kind in (list, tuple):
            return self._size_of_all(value, depth)
        if kind in (dict, Dotted):
            for key in value:
                _require_key(key)
            return self._size_of_all([*value, *value.values()], depth)
        if isinstance(value, Function):
            raise ExpressionError(f"{value.name} is a function, not a value; call it: {value.name}(…).")
        raise ExpressionError(f"{named(value)} is no value; expected a number, a text or a list.")

    def _size_of_all(self, values: Sequence[Any], depth: int) -> int:
        if depth >= DEEPEST_VALUE:
            raise ExpressionError(f"lists nested more than {DEEPEST_VALUE} deep.")
        total = 0
        for value in values:
            total += 1 + self._size(value, depth + 1)
            if total > MOST_ITEMS + LONGEST_TEXT or len(values) > MOST_ITEMS:
                raise ExpressionError(f"a list of more than {MOST_ITEMS:,} items.")
        return total


def named(value: Any) -> str:
    """What something is, for a sentence."""
    if isinstance(value, Namespace):
        return f'the namespace "{value.name}"'
    if isinstance(value, Function):
        return f"the function {value.name}"
    kinds = {
        bool: "a truth value", int: "an integer", float: "a number", str: "a text", list: "a list",
        tuple: "a tuple", dict: "a dictionary", Dotted: "a dictionary", type(None): "None",
    }  # fmt: skip
    return kinds.get(type(value), "a block of elements")


def _require_key(key: Any) -> None:
    fits = isinstance(key, str | float | None) or (type(key) in (int, bool) and abs(key) < LARGEST_KEY)
    if not fits:
        raise ExpressionError(f"{named(key)} is no key of a dictionary; expected a text or a number.")


# -- operators ----------------------------------------------------------------------------------------------


def _integers(a: Any, b: Any) -> bool:
    return isinstance(a, int) and isinstance(b, int)


def _times(a: Any, b: Any) -> Any:
    for many, times in ((a, b), (b, a)):
        if isinstance(many, str | list | tuple) and isinstance(times, int):
            most = LONGEST_TEXT if isinstance(many, str) else MOST_ITEMS
            if len(many) * times > most:
                raise ExpressionError(f"{named(many)} repeated {times} times is too long.")
    return a * b


def _power(a: Any, b: Any) -> Any:
    if _integers(a, b) and b > 0 and a.bit_length() * b > 2 * MOST_BITS:
        raise ExpressionError("a power that is too large for a number.")
    power = a**b
    if isinstance(power, complex):
        raise ExpressionError("the power of a negative number with a fraction is no real number.")
    return power


def _shifted(a: Any, b: Any) -> Any:
    if _integers(a, b) and b > MOST_BITS:
        raise ExpressionError("a shift that is too large for a number.")
    return a << b


def _remainder(a: Any, b: Any) -> Any:
    return _filled(a, b) if isinstance(a, str) else a % b


def _contained(a: Any, b: Any) -> bool:
    if not isinstance(b, str | list | tuple | dict):
        raise ExpressionError(f"{named(b)} contains nothing; expected a list, a dictionary or a text.")
    return a in b


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": _times, "/": operator.truediv, "//": operator.floordiv,
    "%": _remainder, "**": _power, "<<": _shifted, ">>": operator.rshift, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne, "is": operator.is_, "is not": operator.is_not,
    "in": _contained, "not in": lambda a, b: not _contained(a, b),
}  # fmt: skip
SIGNS: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_
}  # fmt: skip

# -- texts ----------------------------------------------------------------------------------------------------

DIRECTIVE = re.compile(r"%(?:%|[#0\- +]*(?:\d{0,2})(?:\.\d{1,2})?[diouxXeEfFgGcrs])")
SPECIFICATION = re.compile(r"(?:.?[<>^=])?[-+ ]?#?0?\d{0,2}[,_]?(?:\.\d{1,2})?[bcdeEfFgGosxX%]?", re.DOTALL)


def _filled(text: str, values: Any) -> str:
    """``text % values``, with widths and decimals of at most two digits, and no names."""
    if text.count("%") != sum(each.count("%") for each in DIRECTIVE.findall(text)):
        raise ExpressionError(
            f'the format "{text}" is not read; expected %d, %s, %.3f and their like, at most {WIDEST} wide.'
        )
    return text % (values if isinstance(values, tuple) else (values,))


def _formatted(text: str, *values: Any, **by_name: Any) -> str:
    """``text.format(…)`` with whole values alone: {}, {0}, {name}, {:.3f}."""
    pieces: list[str] = []
    total, counted, numbered = 0, 0, False
    for before, field, specification, conversion in string.Formatter().parse(text):
        pieces.append(before)
        if field is not None:
            known: Any = by_name
            key: Any = field
            if not field or field.isdecimal():
                known, key = values, int(field) if field else counted
                counted, numbered = counted + (not field), numbered or bool(field)
                if counted and numbered:
                    raise ExpressionError(f'the format "{text}" has {{}} and {{0}}; expected one kind.')
            elif not field.isidentifier():
                raise ExpressionError(f'"{{{field}}}" is not read; expected {{}}, {{0}} or {{name}}.')
            if not SPECIFICATION.fullmatch(specification or ""):
                raise ExpressionError(
                    f'the format "{specification}" is not read; expected one such as .3f.'
                )
            if conversion not in (None, "s", "r"):
                raise ExpressionError(f'the conversion "!{conversion}" is not read; expected !s or !r.')
            value = known[key]
            plain = type(value) in (int, float, str, bool) and conversion is None
            pieces.append(
                format(value if plain else text_of(value, conversion == "r"), specification or "")
            )
        total += sum(map(len, pieces[-2:]))
        if total > LONGEST_TEXT:
            raise ExpressionError(f"a text of more than {LONGEST_TEXT:,} characters.")
    return "".join(pieces)


def text_of(value: Any, quoted: bool = False) -> str:
    """A value as xacro writes it into a document."""
    return repr(value) if quoted else str(value)


def _replaced(text: str, old: str, new: str, count: int = -1) -> str:
    times = text.count(old) if count < 0 else min(count, text.count(old))
    if len(text) + times * len(new) > LONGEST_TEXT:
        raise ExpressionError(f"a text of more than {LONGEST_TEXT:,} characters.")
    return text.replace(old, new, count)


def _joined(text: str, pieces: Iterable[str]) -> str:
    known = _items(pieces)
    if sum(len(piece) for piece in known) + len(text) * len(known) > LONGEST_TEXT:
        raise ExpressionError(f"a text of more than {LONGEST_TEXT:,} characters.")
    return text.join(known)


def _zero_filled(text: str, width: int) -> str:
    if width > WIDEST:
        raise ExpressionError(f"a text filled to {width} characters; at most {WIDEST} are.")
    return text.zfill(width)


def _plainly(kind: type, *names: str) -> dict[str, Callable[..., Any]]:
    """Methods of a builtin that make nothing larger than what they are given; looked up here, by us."""
    return {name: kind.__dict__[name] for name in names}


METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {
        **_plainly(
            str, "split", "rsplit", "strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize",
            "startswith", "endswith", "find", "rfind", "index", "rindex", "count", "isdigit", "isalpha", "isalnum",
            "isnumeric", "isdecimal", "isspace", "islower", "isupper", "splitlines", "partition", "rpartition",
        ),
        "replace": _replaced, "join": _joined, "format": _formatted, "zfill": _zero_filled,
    },
    list: _plainly(list, "index", "count"),
    tuple: _plainly(tuple, "index", "count"),
    dict: {
        "get": dict.get, "keys": lambda table: list(table), "values": lambda table: list(table.values()),
        "items": lambda table: list(table.items()),
    },
}  # fmt: skip


def method(value: Any, name: str) -> Callable[..., Any] | None:
    """What a value of this kind can do, by name."""
    kind = dict if type(value) is Dotted else type(value)
    return METHODS.get(kind, {}).get(name)


# -- functions ------------------------------------------------------------------------------------------------


def _items(values: Any) -> list[Any]:
    if not isinstance(values, str | list | tuple | dict):
        raise ExpressionError(f"{named(values)} has no items; expected a list.")
    return list(values)


def _range(*bounds: int) -> list[int]:
    counted = range(*bounds)
    if len(counted) > MOST_ITEMS:
        raise ExpressionError(f"a range of {len(counted):,} numbers; at most {MOST_ITEMS:,} are made.")
    return list(counted)


def _rounded(x: Any, digits: int | None = None) -> Any:
    if digits is not None and abs(digits) > WIDEST:
        raise ExpressionError(f"rounding to {digits} digits; expected at most {WIDEST}.")
    return round(x, digits)


def _summed(values: Any, start: Any = 0) -> Any:
    items = _items(values)
    if not all(isinstance(item, int | float) for item in [*items, start]):
        raise ExpressionError("sum adds numbers; expected a list of them.")
    return sum(items, start)


def _product(values: Any) -> Any:
    product: Any = 1
    for value in _items(values):
        product = _times(product, value)
        if isinstance(product, int) and product.bit_length() > MOST_BITS:
            raise ExpressionError("a product that is too large for a number.")
    return product


def _mapped(function: Any, *lists: Any) -> list[Any]:
    if not isinstance(function, Function):
        raise ExpressionError(f"map needs a function first; {named(function)} is none.")
    return [function.call(*items) for items in zip(*map(_items, lists), strict=False)]


def _integer(value: Any = 0, base: Any = None) -> int:
    if isinstance(value, str) and len(value) > LONGEST_TEXT // 64:
        raise ExpressionError("a text that is too long for a number.")
    return int(value) if base is None else int(value, base)


def _number(value: Any = 0.0) -> float:
    return float(value)


def _dictionary(pairs: Any = (), **named_items: Any) -> dict[Any, Any]:
    made = dict(pairs)
    for key in made:
        _require_key(key)
    return made | named_items


def _ordered(values: Any, reverse: Any = False) -> list[Any]:
    return sorted(_items(values), reverse=bool(reverse))


def _small(function: Callable[..., int]) -> Callable[..., int]:
    """A function whose value grows fast, of small numbers alone."""

    def bounded(*numbers: int) -> int:
        if any(abs(number) > 200 for number in numbers):
            raise ExpressionError("a factorial of more than 200 is too large for a number.")
        return function(*numbers)

    return bounded


def dotted(value: Any) -> Any:
    """Dictionaries at all levels, with their items as members."""
    if isinstance(value, dict):
        return Dotted({key: dotted(item) for key, item in value.items()})
    return [dotted(item) for item in value] if isinstance(value, list) else value


MATHEMATICS: dict[str, Any] = {
    **{
        name: Function(name, getattr(math, name))
        for name in (
            "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "copysign", "cos", "cosh", "degrees",
            "dist", "erf", "erfc", "exp", "expm1", "fabs", "floor", "fmod", "frexp", "fsum", "gamma", "gcd", "hypot",
            "isclose", "isfinite", "isinf", "isnan", "isqrt", "lcm", "ldexp", "lgamma", "log", "log10", "log1p",
            "log2", "modf", "nextafter", "pow", "radians", "remainder", "sin", "sinh", "sqrt", "tan", "tanh",
            "trunc", "ulp",
        )
    },
    "factorial": Function("factorial", _small(math.factorial)),
    "comb": Function("comb", _small(math.comb)), "perm": Function("perm", _small(math.perm)),
    "prod": Function("prod", _product),
    "pi": math.pi, "tau": math.tau, "e": math.e, "inf": math.inf, "nan": math.nan,
}  # fmt: skip
BUILTINS: dict[str, Any] = {
    name: Function(name, call, applies=name == "map")
    for name, call in {
        "list": lambda values=(): _items(values), "dict": _dictionary, "map": _mapped, "len": len, "str": str,
        "float": _number, "int": _integer, "bool": bool, "min": min, "max": max, "round": _rounded,
        "sorted": _ordered, "range": _range,
    }.items()
}  # fmt: skip
OTHERS: dict[str, Any] = {  # in xacro's own namespace "python" alone
    name: Function(name, call)
    for name, call in {
        "abs": abs, "all": lambda values: all(_items(values)), "any": lambda values: any(_items(values)),
        "divmod": divmod, "ord": ord, "repr": repr, "sum": _summed, "tuple": lambda values=(): tuple(_items(values)),
        "reversed": lambda values: _items(values)[::-1],
        "enumerate": lambda values, start=0: list(enumerate(_items(values), start)),
        "zip": lambda *lists: list(zip(*map(_items, lists), strict=False)),
    }.items()
}  # fmt: skip
