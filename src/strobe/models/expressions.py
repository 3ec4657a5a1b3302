"""Expressions in model files: numbers, parameter names, pi, + − * / and parentheses, nothing else.

The text is parsed to a syntax tree and walked, never evaluated as code. The value is a float that
remembers its tree, so that a symbolic lift finds ``lc1 - l1`` where the numeric one finds −0.22.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import Any

from strobe.errors import StrobeError, nearest
from strobe.files.tables import finite_decimal

LONGEST = 500  # characters; deeper nesting than Python's parser allows cannot be written in fewer


class ExpressionError(StrobeError, ValueError):
    """An expression that is not one of the few allowed."""


class Expression(float):
    """The value of an expression, with the expression."""

    __slots__ = ("names", "text", "tree")

    text: str
    tree: ast.expr
    names: frozenset[str]

    def evaluate(self, name: Callable[[str], Any], number: Callable[[float], Any]) -> Any:
        """The expression over other numbers: ``name`` gives a parameter, ``number`` a literal."""
        return _walk(self.tree, name, number)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (float(self), self.text)


def _restore(value: float, text: str) -> Expression:
    return _expression(value, text, _parse(text))


def _expression(value: float, text: str, tree: ast.expr) -> Expression:
    expression = Expression(value)
    expression.text = text
    expression.tree = tree
    expression.names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return expression


def negated(x: float) -> float:
    """The number with the other sign; an expression keeps its names, and twice negated is itself again."""
    if not isinstance(x, Expression):
        return -x if x else 0.0
    outer = x.tree
    if isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.USub):
        return _restore(-float(x), ast.get_source_segment(x.text.strip(), outer.operand) or "")
    return _restore(-float(x), f"-({x.text})")


def parse_expression(text: str, parameters: Mapping[str, float]) -> float:
    """The value of a text over known parameters: a plain float if it names none."""
    tree = _parse(text)

    def name(identifier: str) -> float:
        if identifier == "pi":
            return math.pi
        if identifier not in parameters:
            raise ExpressionError(
                f'unknown parameter "{identifier}" in "{text}".{nearest(identifier, parameters)} '
                "Declare it under [parameters] before it is used."
            )
        return float(parameters[identifier])

    try:
        value = float(_walk(tree, name, float))
    except ZeroDivisionError:
        raise ExpressionError(f'"{text}" divides by zero.') from None
    except OverflowError:
        raise ExpressionError(f'"{text}" is too large for a number.') from None
    except RecursionError:
        raise ExpressionError(f'"{text}" is nested too deep; write it with fewer signs in a row.') from None
    if not math.isfinite(value):
        raise ExpressionError(f'"{text}" is not a finite number.')
    expression = _expression(value, text, tree)
    return expression if expression.names - {"pi"} else value


def _parse(text: str) -> ast.expr:
    if len(text) > LONGEST:
        raise ExpressionError(f"an expression of {len(text)} characters; at most {LONGEST} are accepted.")
    written = text.strip()
    try:
        if not written.isascii():  # Python would take letters and digits of other scripts for ours
            raise ValueError(text)
        tree = ast.parse(written, mode="eval").body
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and type(node.value) in (int, float):
                finite_decimal(ast.get_source_segment(written, node) or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(
            f'"{text}" is not an expression; use numbers, parameter names, pi, + - * / and parentheses.'
        ) from None
    return tree


OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}


def _walk(node: ast.expr, name: Callable[[str], Any], number: Callable[[float], Any]) -> Any:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value):
            return number(value)
        case ast.Name(id=identifier):
            return name(identifier)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_walk(operand, name, number)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _walk(operand, name, number)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_walk(left, name, number), _walk(right, name, number))
        case _:
            pass
    raise ExpressionError(
        f'"{ast.unparse(node)}" is not allowed; use numbers, parameter names, pi, + - * / and parentheses '
        "(no powers, functions or attributes)."
    )
