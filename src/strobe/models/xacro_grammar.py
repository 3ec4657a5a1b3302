"""Expressions of xacro as trees: Python's notation for values, read by a parser of our own.

    choice      either if test else other
    boolean     or, and, not
    comparison  < <= > >= == != in, not in, is, is not, in chains
    arithmetic  | ^ & << >> + - * / // % and, tightest, + - ~ **
    primary     numbers, texts, names, (…), […], x.name, x[i], x[a:b], f(…), [… for … in … if …]

A tree says what is to be computed; `xacro_evaluation` computes it, over values of `xacro_values` alone. Length and
nesting are bounded here, so that no text takes the parser or the evaluation far.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from strobe.models.expressions import ExpressionError

LONGEST = 10_000  # characters of an expression
DEEPEST = 40  # brackets, signs and choices inside each other
MOST_DIGITS = 300  # of a number


@dataclass(frozen=True, slots=True)
class Constant:
    value: Any


@dataclass(frozen=True, slots=True)
class Name:
    name: str


@dataclass(frozen=True, slots=True)
class Unary:
    sign: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Chain:
    """Operators of one precedence from left to right: a + b - c."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Boolean:
    """All of them (and), or any (or)."""

    word: str
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    test: Node
    either: Node
    other: Node


@dataclass(frozen=True, slots=True)
class Member:
    owner: Node
    name: str


@dataclass(frozen=True, slots=True)
class Item:
    owner: Node
    index: Node


@dataclass(frozen=True, slots=True)
class Part:
    """A slice: from, to, step, each or none."""

    owner: Node
    bounds: tuple[Node | None, Node | None, Node | None]


@dataclass(frozen=True, slots=True)
class Call:
    function: Node
    arguments: tuple[Node, ...]
    named: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    items: tuple[Node, ...]
    kind: type[list[Any]] | type[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Repetition:
    """[item for names in source if conditions], one ``for``."""

    item: Node
    names: tuple[str, ...]
    source: Node
    conditions: tuple[Node, ...]


Node = (
    Constant | Name | Unary | Chain | Comparison | Boolean | Choice | Member | Item | Part | Call | Listing
    | Repetition
)  # fmt: skip


def parsed(text: str) -> Node:
    """The tree of an expression, or an `ExpressionError` that says where it stops being one."""
    if len(text) > LONGEST:
        raise ExpressionError(f"an expression of {len(text):,} characters; at most {LONGEST:,} are read.")
    return _Parser(text).whole()


# -- words ------------------------------------------------------------------------------------------------

NUMBER = r"0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?"
WORDS = re.compile(
    rf"""\s*(?:(?P<number>{NUMBER})
    |(?P<text>[rRuU]?(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<sign>\*\*|//|<<|>>|<=|>=|==|!=|[-+*/%@&|^~<>()\[\],:.=])
    |(?P<end>\Z))""",
    re.VERBOSE | re.DOTALL,
)
CONSTANTS = {"True": True, "False": False, "None": None}
KEYWORDS = frozenset({"and", "or", "not", "in", "is", "if", "else", "for", *CONSTANTS})
REFUSED = {
    "lambda": "functions of one's own are not read; write a macro",
    "await": "no program is read",
    "yield": "no program is read",
    "async": "no program is read",
    "import": "no program is read",
}
ESCAPE = re.compile(r"\\(\n|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U000[0-9a-fA-F]{5}|.)", re.DOTALL)
ESCAPED = {
    "\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip


def _unescaped(text: str) -> str:
    """A text between its quotation marks."""
    raw, body = text[0] in "rR", text.lstrip("rRuU")[1:-1]

    def one(found: re.Match[str]) -> str:
        sign = found[1]
        return chr(int(sign[1:], 16)) if len(sign) > 1 else ESCAPED.get(sign, found[0])

    return body if raw else ESCAPE.sub(one, body)


def _number(word: str) -> int | float:
    if len(word) > MOST_DIGITS:
        raise ExpressionError(f'"{word[:20]}…" has {len(word)} digits; at most {MOST_DIGITS} are read.')
    try:
        if word[:2].lower() in ("0x", "0b", "0o"):
            return int(word, 0)
        return float(word) if set(word) & set(".eE") else int(word, 0)  # 010 is no number
    except ValueError:
        raise ExpressionError(f'"{word}" is not a number.') from None


# -- sentences --------------------------------------------------------------------------------------------

LEVELS = ({"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%"})  # loosest first
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "in", "is", "not"})


class _Parser:
    """A text from left to right, one word ahead."""

    def __init__(self, text: str) -> None:
        self.text, self.place, self.depth = text, 0, 0
        self.kind, self.word = "", ""
        self._next()

    def whole(self) -> Node:
        node = self._listed()
        if self.kind != "end":
            raise self._unexpected()
        return node

    def _next(self) -> None:
        found = WORDS.match(self.text, self.place)
        if found is None:
            rest = self.text[self.place :].strip()
            raise ExpressionError(
                f'"{self.text}" cannot be read at "{rest[:20]}"; expected numbers, texts, names and operators.'
            )
        self.kind, self.place = found.lastgroup or "", found.end()
        self.word = found[self.kind]
        if self.word in REFUSED and self.kind == "name":
            raise ExpressionError(f'"{self.word}" in "{self.text}": {REFUSED[self.word]}.')

    def _is(self, *words: str) -> bool:
        return self.kind in ("sign", "name") and self.word in words

    def _took(self, word: str) -> bool:
        if self._is(word):
            self._next()
            return True
        return False

    def _take(self, word: str) -> None:
        if not self._took(word):
            raise self._unexpected(f'"{word}"')

    def _unexpected(self, expected: str = "an operator or the end") -> ExpressionError:
        found = f'"{self.word}"' if self.kind != "end" else "the end"
        return ExpressionError(f'"{self.text}" has {found} where {expected} was expected.')

    def _listed(self) -> Node:
        """One expression, or a tuple of several between commas."""
        first = self._choice()
        if not self._is(","):
            return first
        items = [first]
        while self._took(","):
            if self.kind == "end" or self._is(")"):
                break
            items.append(self._choice())
        return Listing(tuple(items), tuple)

    def _choice(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ExpressionError(f'"{self.text[:60]}…" is nested more than {DEEPEST} deep.')
        node = self._boolean("or")
        if self._took("if"):
            test = self._boolean("or")
            self._take("else")
            node = Choice(test, node, self._choice())
        self.depth -= 1
        return node

    def _boolean(self, word: str) -> Node:
        operands = [self._operand_of(word)]
        while self._took(word):
            operands.append(self._operand_of(word))
        return operands[0] if len(operands) == 1 else Boolean(word, tuple(operands))

    def _operand_of(self, word: str) -> Node:
        return self._boolean("and") if word == "or" else self._negated()

    def _negated(self) -> Node:
        return self._deeper("not", self._negated) if self._is("not") else self._comparison()

    def _deeper(self, sign: str, operand: Any) -> Node:
        """A sign before its operand; signs in a row are as deep as brackets."""
        self._next()
        self.depth += 1
        if self.depth > DEEPEST:
            raise ExpressionError(f'"{self.text[:60]}…" has more than {DEEPEST} signs in a row.')
        node = Unary(sign, operand())
        self.depth -= 1
        return node

    def _comparison(self) -> Node:
        first, rest = self._arithmetic(0), []
        while self.word in COMPARISONS and self.kind in ("sign", "name"):
            sign = self.word
            self._next()
            if sign == "not":
                self._take("in")
                sign = "not in"
            elif sign == "is" and self._took("not"):
                sign = "is not"
            rest.append((sign, self._arithmetic(0)))
        return Comparison(first, tuple(rest)) if rest else first

    def _arithmetic(self, level: int) -> Node:
        if level == len(LEVELS):
            return self._signed()
        first, rest = self._arithmetic(level + 1), []
        while self.kind == "sign" and self.word in LEVELS[level]:
            sign = self.word
            self._next()
            rest.append((sign, self._arithmetic(level + 1)))
        return Chain(first, tuple(rest)) if rest else first

    def _signed(self) -> Node:
        return self._deeper(self.word, self._signed) if self._is("+", "-", "~") else self._power()

    def _power(self) -> Node:
        base = self._trailed()
        if not self._is("**"):
            return base
        exponent = self._deeper("**", self._signed)
        assert isinstance(exponent, Unary)
        return Chain(base, (("**", exponent.operand),))

    def _trailed(self) -> Node:
        """A primary with what follows it: members, items, arguments."""
        node, trail = self._primary(), 0
        while self._is(".", "[", "("):
            sign, trail = self.word, trail + 1
            if trail > DEEPEST:
                raise ExpressionError(f'"{self.text[:60]}…" has more than {DEEPEST} members in a row.')
            self._next()
            if sign == ".":
                node = Member(node, self._identifier())
            elif sign == "[":
                node = self._item(node)
            else:
                node = self._call(node)
        return node

    def _identifier(self) -> str:
        if self.kind != "name" or self.word in KEYWORDS:
            raise self._unexpected("a name")
        name = self.word
        self._next()
        return name

    def _item(self, owner: Node) -> Node:
        bounds: list[Node | None] = [None]
        while not self._is("]"):
            if self._took(":"):
                bounds.append(None)
            elif bounds[-1] is None:
                bounds[-1] = self._listed()
            else:
                raise self._unexpected('"]"')
        self._take("]")
        if len(bounds) == 1 and bounds[0] is not None:
            return Item(owner, bounds[0])
        if not 2 <= len(bounds) <= 3:
            raise ExpressionError(f'"{self.text}" has [] with no index, or too many colons.')
        start, stop, step = [*bounds, None][:3]
        return Part(owner, (start, stop, step))

    def _call(self, function: Node) -> Node:
        arguments: list[Node] = []
        named: list[tuple[str, Node]] = []
        while not self._is(")"):
            given = self._repeated(self._choice())
            if self._is("=") and isinstance(given, Name):
                self._next()
                named.append((given.name, self._choice()))
            elif named:
                raise ExpressionError(
                    f'"{self.text}" has an argument without a name after one with a name.'
                )
            else:
                arguments.append(given)
            if not self._took(","):
                break
        self._take(")")
        return Call(function, tuple(arguments), tuple(named))

    def _repeated(self, item: Node) -> Node:
        """The item, or as many of it as a ``for`` after it says."""
        if not self._took("for"):
            return item
        names = [self._identifier()]
        while self._took(","):
            names.append(self._identifier())
        self._take("in")
        source, conditions = self._boolean("or"), []
        while self._took("if"):
            conditions.append(self._boolean("or"))
        if self._is("for"):
            raise ExpressionError(f'"{self.text}" has a second "for"; one is read.')
        return Repetition(item, tuple(names), source, tuple(conditions))

    def _primary(self) -> Node:
        kind, word = self.kind, self.word
        if kind == "number":
            self._next()
            return Constant(_number(word))
        if kind == "text":
            pieces: list[str] = []
            while self.kind == "text":
                pieces.append(_unescaped(self.word))
                self._next()
            return Constant("".join(pieces))
        if kind == "name" and word in CONSTANTS:
            self._next()
            return Constant(CONSTANTS[word])
        if kind == "name" and word not in KEYWORDS:
            self._next()
            return Name(word)
        if self._took("("):
            return self._bracketed()
        if self._took("["):
            return self._list()
        raise self._unexpected("a number, a text, a name or a bracket")

    def _bracketed(self) -> Node:
        if self._took(")"):
            return Listing((), tuple)
        node = self._repeated(self._listed())
        self._take(")")
        return node

    def _list(self) -> Node:
        items: list[Node] = []
        while not self._is("]"):
            item = self._choice()
            if not items and self._is("for"):
                repeated = self._repeated(item)
                self._take("]")
                return repeated
            items.append(item)
            if not self._took(","):
                break
        self._take("]")
        return Listing(tuple(items), list)
