"""Trees of `xacro_grammar` worked out over values of `xacro_values`, by a table of our own.

Nothing here asks a Python object for an attribute that a file names: members are looked up in dictionaries that we
hold (`METHODS`, namespaces, items of YAML), and called is only what such a dictionary gave.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from strobe.errors import nearest
from strobe.models.expressions import ExpressionError
from strobe.models.xacro_grammar import (
    Boolean,
    Call,
    Chain,
    Choice,
    Comparison,
    Constant,
    Item,
    Listing,
    Member,
    Name,
    Node,
    Part,
    Repetition,
    Unary,
)
from strobe.models.xacro_values import (
    OPERATORS,
    OTHERS,
    SIGNS,
    Dotted,
    Function,
    Meter,
    Namespace,
    method,
    named,
)

Lookup = Callable[[str], Any]  # of a name; LookupError where there is none


class Evaluation:
    """One expression over the names that it may use."""

    def __init__(self, meter: Meter, lookup: Lookup) -> None:
        self.meter, self.lookup = meter, lookup
        self.bound: dict[str, Any] = {}  # by a repetition, while it goes on

    def value(self, node: Node) -> Any:
        """What a tree gives; a function or a namespace too, which its user must take on."""
        self.meter.spend()
        return RULES[type(node)](self, node)

    def plain(self, node: Node) -> Any:
        """What a tree gives, which must be a value."""
        return self.meter.made(self.value(node))

    def _constant(self, node: Constant) -> Any:
        return node.value

    def _name(self, node: Name) -> Any:
        if node.name in self.bound:
            return self.bound[node.name]
        try:
            return self.lookup(node.name)
        except LookupError:
            if node.name in OTHERS:
                return OTHERS[node.name]
        raise ExpressionError(f'there is no property "{node.name}"; define it before it is used.')

    def _unary(self, node: Unary) -> Any:
        return self.meter.made(SIGNS[node.sign](self.plain(node.operand)))

    def _chain(self, node: Chain) -> Any:
        value = self.plain(node.first)
        for sign, operand in node.rest:
            value = self.meter.made(OPERATORS[sign](value, self.plain(operand)))
        return value

    def _comparison(self, node: Comparison) -> Any:
        left, found = self.plain(node.first), True
        for sign, operand in node.rest:
            right = self.plain(operand)
            found = OPERATORS[sign](left, right)
            if not found:
                return False
            left = right
        return found

    def _boolean(self, node: Boolean) -> Any:
        value: Any = None
        for operand in node.operands:
            value = self.plain(operand)
            if bool(value) is (node.word == "or"):
                return value
        return value

    def _choice(self, node: Choice) -> Any:
        return self.value(node.either if self.plain(node.test) else node.other)

    def _member(self, node: Member) -> Any:
        owner = self.value(node.owner)
        if isinstance(owner, Namespace):
            return self._of_namespace(owner, node.name)
        if (call := method(owner, node.name)) is not None:
            return Function(node.name, lambda *given, **by_name: call(owner, *given, **by_name))
        if isinstance(owner, Dotted) and node.name in owner:
            return owner[node.name]
        hint = f"{nearest(node.name, map(str, owner))}" if isinstance(owner, Dotted) else ""
        raise ExpressionError(f'{named(owner)} has no "{node.name}".{hint}')

    def _of_namespace(self, owner: Namespace, name: str) -> Any:
        try:
            return owner.names[name]
        except LookupError:
            raise ExpressionError(f'there is no "{name}" in {named(owner)}.') from None

    def _item(self, node: Item) -> Any:
        owner, index = self.plain(node.owner), self.plain(node.index)
        if not isinstance(owner, str | list | tuple | dict):
            raise ExpressionError(f"{named(owner)} has no items.")
        try:
            return owner[index]
        except LookupError:
            what = (
                f'no "{index}"' if isinstance(owner, dict) else f"{len(owner)} items and no number {index}"
            )
            raise ExpressionError(f"{named(owner)} has {what}.") from None

    def _part(self, node: Part) -> Any:
        owner = self.plain(node.owner)
        if not isinstance(owner, str | list | tuple):
            raise ExpressionError(f"{named(owner)} has no parts.")
        bounds = [None if bound is None else self.plain(bound) for bound in node.bounds]
        return self.meter.made(owner[slice(*bounds)])

    def _call(self, node: Call) -> Any:
        function = self.value(node.function)
        if not isinstance(function, Function):
            raise ExpressionError(f"{named(function)} cannot be called.")
        given = [self._argument(argument, function) for argument in node.arguments]
        by_name = {name: self.plain(argument) for name, argument in node.named}
        return self.meter.made(function.call(*given, **by_name))

    def _argument(self, node: Node, function: Function) -> Any:
        """A value; or a function, for one that applies it to many."""
        value = self.value(node)
        return value if function.applies and isinstance(value, Function) else self.meter.made(value)

    def _listing(self, node: Listing) -> Any:
        return self.meter.made(node.kind(self.plain(item) for item in node.items))

    def _repetition(self, node: Repetition) -> Any:
        source = self.plain(node.source)
        if not isinstance(source, str | list | tuple | dict):
            raise ExpressionError(f"{named(source)} has no items; expected a list.")
        before, made = dict(self.bound), list[Any]()
        for item in source:
            self.bound.update(self._taken_apart(node.names, item))
            if all(self.plain(condition) for condition in node.conditions):
                made.append(self.plain(node.item))
        self.bound = before
        return self.meter.made(made)

    def _taken_apart(self, names: tuple[str, ...], item: Any) -> dict[str, Any]:
        if len(names) == 1:
            return {names[0]: item}
        if not isinstance(item, str | list | tuple) or len(item) != len(names):
            raise ExpressionError(f"{named(item)} cannot be taken apart into {len(names)} names.")
        return dict(zip(names, item, strict=True))


RULES: dict[type, Callable[[Evaluation, Any], Any]] = {
    Constant: Evaluation._constant,
    Name: Evaluation._name,
    Unary: Evaluation._unary,
    Chain: Evaluation._chain,
    Comparison: Evaluation._comparison,
    Boolean: Evaluation._boolean,
    Choice: Evaluation._choice,
    Member: Evaluation._member,
    Item: Evaluation._item,
    Part: Evaluation._part,
    Call: Evaluation._call,
    Listing: Evaluation._listing,
    Repetition: Evaluation._repetition,
}
