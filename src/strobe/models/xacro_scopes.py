"""Names of a xacro file: properties, macros and blocks, in scopes inside each other.

A property is worked out where it stands when it is first used, then kept. What looks like a number or a truth value
is one; what stands between single quotation marks is a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from strobe.models.expressions import ExpressionError
from strobe.models.xacro_values import Namespace

INTEGER = re.compile(r"\s*[+-]?[0-9]{1,300}\s*")
DECIMAL = re.compile(
    r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*|\s*[+-]?(inf|infinity|nan)\s*", re.I
)
TRUTH = {"true": True, "True": True, "false": False, "False": False}

Evaluate = Callable[[str, "Scope"], Any]


def literal(value: Any) -> Any:
    """A text as the number, truth value or quoted text that it may be."""
    if not isinstance(value, str):
        return value
    if len(value) >= 2 and value[0] == "'" == value[-1]:
        return value[1:-1]
    if INTEGER.fullmatch(value):
        return int(value)
    if DECIMAL.fullmatch(value):
        return float(value)
    return TRUTH.get(value, value)


def truth(value: Any, condition: str) -> bool:
    """Whether a condition holds: of texts, only true, false and integers are conditions."""
    if not isinstance(value, str):
        return bool(value)
    if value in TRUTH:
        return TRUTH[value]
    if INTEGER.fullmatch(value):
        return int(value) != 0
    raise ExpressionError(f'the condition "{condition}" is "{value}"; expected true, false, 1 or 0.')


class Scope:
    """Names defined in one place, before those of the place around it."""

    def __init__(self, parent: Scope | None, namespace: bool = False) -> None:
        self.parent, self.namespace = parent, namespace
        self.values: dict[str, Any] = {}
        self.texts: set[str] = set()  # names whose text is not yet worked out
        self.open: list[str] = []  # names that are being worked out

    def define(self, name: str, value: Any, *, later: bool = False) -> None:
        """Give a name its value, or a text that is worked out ``later``."""
        self.values[name] = value = literal(value)
        self.texts.discard(name)
        if later and isinstance(value, str):
            self.texts.add(name)

    def forget(self, name: str) -> None:
        """Remove a name here and in all places around."""
        scope = self
        while scope.parent is not None:
            scope.values.pop(name, None)
            scope.texts.discard(name)
            scope = scope.parent

    def owner(self, name: str) -> Scope | None:
        """The nearest scope that defines a name."""
        scope: Scope | None = self
        while scope is not None and name not in scope.values:
            scope = scope.parent
        return scope

    def __contains__(self, name: str) -> bool:
        return self.owner(name) is not None

    def get(self, name: str, evaluate: Evaluate) -> Any:
        """The value of a name, worked out if it is not yet; KeyError where there is none."""
        scope = self.owner(name)
        if scope is None:
            raise KeyError(name)
        if name in scope.texts:
            scope._work_out(name, evaluate)
        value = scope.values[name]
        return Namespace(name, _Names(value, evaluate)) if isinstance(value, Scope) else value

    def _work_out(self, name: str, evaluate: Evaluate) -> None:
        if name in self.open:
            raise ExpressionError(f"properties that need each other: {' -> '.join([*self.open, name])}.")
        self.open.append(name)
        try:
            self.values[name] = literal(evaluate(self.values[name], self))
        finally:
            self.open.remove(name)
        self.texts.discard(name)

    def top(self) -> Scope:
        """The scope of the whole file, just inside the functions that are always there."""
        scope = self
        while scope.parent is not None and scope.parent.parent is not None:
            scope = scope.parent
        return scope

    def caller(self) -> Scope | None:
        """Where a property with scope="parent" goes: out of a macro, past the namespaces it was called through."""
        scope = self.parent
        while scope is not None and scope.namespace and not self.namespace:
            scope = scope.parent
        return scope if scope is not None and scope.parent is not None else None


class _Names(dict[str, Any]):
    """The names of a scope, for a `Namespace`."""

    def __init__(self, scope: Scope, evaluate: Evaluate) -> None:
        super().__init__()
        self.scope, self.evaluate = scope, evaluate

    def __getitem__(self, name: str) -> Any:
        return self.scope.get(name, self.evaluate)
