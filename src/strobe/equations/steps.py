"""A program as steps that a person can follow: named results, each an expression over names before it.

A step is named where the walk that made the program said what it computes (a `Label`), and where something is used
twice: nothing is computed twice. What follows from parameters alone comes first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from strobe.compiler.codegen.names import Names
from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import CIRCLE, Program
from strobe.equations.expression import (
    MINUS_ONE,
    Angle,
    Expression,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    Trig,
    coefficient,
    negative,
    opposite,
    power,
    product,
    symbols,
    total,
)
from strobe.equations.trig_polynomials import exact
from strobe.scalars import Node

CONSTANTS = "Constants"
MENTIONED = 3  # users that the meaning of a shared part names
LEAF = ("input", "constant")
FREE = (*LEAF, "neg")
ARITHMETIC: Mapping[str, Callable[..., float]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "sin": math.sin,
    "cos": math.cos,
}


@dataclass(frozen=True, slots=True)
class Label:
    """What a node is called and means: ``about`` tells of the whole vector or matrix, ``part`` which entry it is."""

    name: str
    node: Node
    about: str
    part: str = ""
    section: str = ""
    minor: bool = False  # named only where it is used more than once


@dataclass(frozen=True, slots=True)
class Step:
    """A name, what it stands for, and how it follows from earlier names."""

    name: str
    expression: Expression
    about: str
    part: str
    section: str
    minor: bool = False  # a stage on the way to others, or a part of them: then ``about`` names these

    @property
    def meaning(self) -> str:
        """In one line."""
        return f"{self.about}, {self.part}" if self.part else self.about


@dataclass(frozen=True, slots=True)
class Written:
    """A program written out: its steps in order, and its results over their names."""

    steps: tuple[Step, ...]
    results: tuple[Expression, ...]

    def operations(self, constant: bool = False) -> Operations:
        """Of the steps and results as they stand here: at every state, or on parameters alone."""
        kept = [step.expression for step in self.steps if (step.section == CONSTANTS) == constant]
        return operations(*kept, *(() if constant else self.results))


def written(
    program: Program,
    labels: Sequence[Label],
    results: Sequence[str],
    taken: Iterable[str] = (),
    parameters: Iterable[str] = (),
    constants: Iterable[Step] = (),
) -> Written:
    """A program after all passes as steps.

    ``results`` names the outputs in meanings, ``taken`` are names that steps must not have, ``parameters`` those
    inputs that do not change with the state, and ``constants`` the steps of those with a value.
    """
    count = len(program.outputs)
    outputs = optimised(program.with_outputs([*program.outputs, *(x.node for x in labels)])).outputs
    moved = [replace(label, node=node) for label, node in zip(labels, outputs[count:], strict=True)]
    left = program.with_outputs(outputs[:count])
    known = {step.name: step for step in constants}
    fixed = frozenset((*parameters, *known))
    return _Writer(left, moved, (*taken, *known), fixed, known).written(results)


class _Writer:
    def __init__(
        self,
        program: Program,
        labels: Sequence[Label],
        taken: Iterable[str],
        parameters: frozenset[str],
        constants: Mapping[str, Step],
    ) -> None:
        self.program = program
        self.at_once = _at_once(program, parameters)
        self.numbers = {} if parameters - constants.keys() else _numbers(program, constants)
        self.sections = [CONSTANTS, *dict.fromkeys(label.section for label in labels), ""]
        self.labels = self._needed(labels)
        self.named: dict[Node, tuple[int, str]] = {}  # a sign, −1 where the name is of the opposite
        self.steps = {str(node.value): constants[str(node.value)] for node in self._read(constants)}
        self._names, self._unnamed = Names(), Counter[str]()
        for name in taken:
            self._names.new(name)

    def written(self, names: Sequence[str]) -> Written:
        """Constants first, then by section; what has no label of its own where it is needed."""
        sections = {node: self._section(node) for node in self.labels}
        for node in sorted(self.labels, key=lambda node: self.sections.index(sections[node])):
            self._write(node, sections[node])
        results = tuple(map(self._expression, self.program.outputs))
        return Written(tuple(_explained(self.steps, dict(zip(names, results, strict=True)))), results)

    def _read(self, constants: Mapping[str, Step]) -> list[Node]:
        """The constants that are needed beside those that follow from them, in the order given."""
        left = (node for node in self.program.nodes if node not in self.numbers)
        used = {_unsigned(a)[1] for node in left for a in node.args}
        used |= {_unsigned(a)[1] for a in self.program.outputs}
        place = {name: k for k, name in enumerate(constants)}
        found = (node for node in used if node.op == "input" and node.value in place)
        return sorted(found, key=lambda node: place[str(node.value)])

    # -- what gets a name ---------------------------------------------------------------------------

    def _needed(self, labels: Iterable[Label]) -> dict[Node, list[Label]]:
        """The nodes that get a name with the labels they have, those that are not minor first."""
        found: dict[Node, list[Label]] = {}
        inside = self.numbers.keys() - self._borders
        for label in labels:
            _, node = _unsigned(label.node)
            least = 2 if label.minor else 1
            if self.program.uses[node] >= least and node.op not in LEAF and node not in inside:
                found.setdefault(node, []).append(label)
        for node in self._shared():
            found.setdefault(node, [])
        return {node: sorted(mine, key=lambda label: label.minor) for node, mine in found.items()}

    def _shared(self) -> list[Node]:
        """What is used twice, and what is constant where it meets something that is not."""
        nodes, uses = self.program.nodes, self.program.uses
        angles = {node.args[0] for node in nodes if node.op in CIRCLE}
        plain = {node for node in angles if _is_plain_angle(node)}
        twice = {node for node in nodes if uses[node] > 1 and node not in plain}
        wanted = (twice - self.numbers.keys()) | self._borders | (angles - plain)
        return [node for node in nodes if node in wanted and node.op not in FREE]

    @cached_property
    def _borders(self) -> frozenset[Node]:
        """What is constant and part of something that is not."""
        changing = (node for node in self.program.nodes if node not in self.at_once)
        return self.at_once & {_unsigned(a)[1] for node in changing for a in node.args}

    def _section(self, node: Node) -> str:
        if node in self.at_once:
            return CONSTANTS
        mine = self.labels[node]
        return mine[0].section if mine else ""

    # -- steps --------------------------------------------------------------------------------------

    def _write(self, node: Node, section: str) -> None:
        """The step of a node in a section, after those that it needs."""
        if node in self.named:
            return
        for inner in self._below(node):
            self._write(inner, CONSTANTS if inner in self.at_once else section)
        label, expression = self._label(node, section), self._opened(node)
        name, (sign, _) = self._names.new(label.name), _unsigned(label.node)
        if not label.about and negative(expression):
            sign = -1
        signed = expression if sign > 0 else opposite(expression)
        self.steps[name] = Step(name, signed, label.about, label.part, section, label.minor)
        self.named[node] = sign, name

    def _label(self, node: Node, section: str) -> Label:
        """The first label of the section, else the first of all, else one that has no meaning."""
        mine = self.labels[node]
        for label in (*(label for label in mine if label.section == section), *mine):
            return label
        letter = "k" if node in self.at_once else "t"
        self._unnamed[letter] += 1
        return Label(f"{letter}{self._unnamed[letter]}", node, "")

    def _below(self, node: Node) -> Iterator[Node]:
        """The nearest nodes with names that a node is made of."""
        stack = [node]
        while stack:
            inner = stack.pop()
            if inner is not node and inner in self.labels:
                yield inner
            elif inner not in self.numbers:
                stack += reversed(inner.args)

    # -- expressions --------------------------------------------------------------------------------

    def _expression(self, node: Node) -> Expression:
        """A node over names."""
        if node not in self.named:
            return self._opened(node)
        sign, name = self.named[node]
        return Symbol(name) if sign > 0 else product((MINUS_ONE, Symbol(name)))

    def _opened(self, node: Node) -> Expression:
        """A node over the names of its arguments."""
        if node in self.numbers:
            return Number(exact(self.numbers[node]))
        match node.op:
            case "input":
                return Symbol(str(node.value))
            case "constant":
                return Number(exact(node.value))  # pyright: ignore[reportArgumentType]
            case "sin" | "cos":
                return Trig(node.op, _angle(self._expression(node.args[0])))
            case "div":
                top, bottom = map(self._expression, node.args)
                assert isinstance(bottom, Number), "models have no quotients of parameters"
                return product((Number(1 / bottom.value), top))
            case "mul":
                return _gathered(product(map(self._expression, node.args)))
            case "add" | "sub" | "neg":
                return _merged(total(self._terms(node)))
        raise AssertionError(f"{node.op} is no step of an equation of motion")

    def _terms(self, root: Node) -> Iterator[Expression]:
        """The terms of a sum, through the sums inside it that have no name."""
        stack = [(1, root)]
        while stack:
            sign, node = stack.pop()
            if node is root or (node.op in ("add", "sub", "neg") and node not in self.named):
                signs = {"add": (sign, sign), "sub": (sign, -sign), "neg": (-sign,)}[node.op]
                stack += reversed(list(zip(signs, node.args, strict=True)))
            else:
                x = self._expression(node)
                yield x if sign > 0 else opposite(x)


def with_waves(x: Expression, wave: Callable[[Trig], Expression]) -> Expression:
    """An expression with something else in the place of its sines and cosines."""
    match x:
        case Trig():
            return wave(x)
        case Power(base, exponent):
            return Power(with_waves(base, wave), exponent)
        case Product(factors):
            return Product(tuple(with_waves(factor, wave) for factor in factors))
        case Sum(terms):
            return Sum(tuple(with_waves(term, wave) for term in terms))
        case _:
            return x


@dataclass(frozen=True, slots=True)
class Operations:
    """Signs and sines are not counted."""

    multiplications: int
    additions: int


def operations(*expressions: Expression) -> Operations:
    """What it takes to work out expressions as they are written."""
    found: Counter[str] = Counter()
    stack = list(expressions)
    while stack:
        match stack.pop():
            case Product(factors):
                found["mul"] += len(factors) - 1 - (factors[0] == MINUS_ONE)
                stack += factors
            case Power(base, exponent):
                found["mul"] += exponent - 1
                stack.append(base)
            case Sum(terms):
                found["add"] += len(terms) - 1
                stack += terms
            case _:
                pass
    return Operations(found["mul"], found["add"])


def _at_once(program: Program, parameters: frozenset[str]) -> frozenset[Node]:
    """The operations whose inputs are all parameters."""
    changes: dict[Node, bool] = {}
    for node in program.nodes:
        own = node.op == "input" and str(node.value) not in parameters
        changes[node] = own or any(changes[a] for a in node.args)
    return frozenset(node for node in program.nodes if not changes[node] and node.op not in LEAF)


def _numbers(program: Program, constants: Mapping[str, Step]) -> dict[Node, float]:
    """The values of operations on constants alone."""
    values: dict[Node, float] = {}
    for node in program.nodes:
        if node.op == "constant":
            values[node] = float(node.value)  # pyright: ignore[reportArgumentType]
        elif node.op == "input" and str(node.value) in constants:
            values[node] = float(constants[str(node.value)].expression.value)  # pyright: ignore
        elif node.args and all(a in values for a in node.args):
            values[node] = ARITHMETIC[node.op](*(values[a] for a in node.args))
    return {node: x for node, x in values.items() if node.op not in LEAF}


def _unsigned(node: Node) -> tuple[int, Node]:
    """A node without the negation that it may be."""
    return (-1, node.args[0]) if node.op == "neg" else (1, node)


def _merged(x: Expression) -> Expression:
    """A sum with one number at most, and no two terms that cancel: l1 + (lc1 − l1) is lc1."""
    if not isinstance(x, Sum):
        return x
    kept: list[Expression] = []
    for term in x.terms:
        if (other := opposite(term)) in kept:
            kept.remove(other)
        else:
            kept.append(term)
    numbers = [term for term in kept if isinstance(term, Number)]
    if len(numbers) < 2:
        return total(kept)
    number = sum((term.value for term in numbers), Fraction(0))
    return total((*(term for term in kept if not isinstance(term, Number)), Number(number)))


def _gathered(x: Expression) -> Expression:
    """A product with equal factors as powers, and sums of negative terms turned round."""
    if not isinstance(x, Product):
        return x
    turned = [factor for factor in x.factors if isinstance(factor, Sum) and negative(factor.terms[0])]
    counts = Counter(opposite(factor) if factor in turned else factor for factor in x.factors)
    signs = [MINUS_ONE] * len(turned)
    return product((*signs, *(power(factor, count) for factor, count in counts.items())))


def _is_plain_angle(node: Node) -> bool:
    """Whether a node is a sum of integer multiples of inputs."""
    match node.op:
        case "input":
            return True
        case "mul":
            return _is_integer(node.args[0]) and _is_plain_angle(node.args[1])
        case "add" | "sub" | "neg":
            return all(map(_is_plain_angle, node.args))
    return False


def _is_integer(node: Node) -> bool:
    return node.op == "constant" and float(node.value).is_integer()  # pyright: ignore[reportArgumentType]


def _angle(x: Expression) -> Angle:
    """A sum of multiples of names as what a sine is taken of."""
    terms = x.terms if isinstance(x, Sum) else (x,)
    factors: Counter[str] = Counter()
    for term in terms:
        (name,) = symbols(term)
        factors[name] += int(coefficient(term))
    return tuple(factors.items())


def _explained(steps: Mapping[str, Step], results: Mapping[str, Expression]) -> Iterator[Step]:
    """The steps, those without a meaning with the names of what they are part of."""
    users: dict[str, list[str]] = {name: [] for name in steps}
    for user, expression in (
        {name: step.expression for name, step in steps.items()} | dict(results)
    ).items():
        for name in symbols(expression) & users.keys():
            users[name].append(user)
    for step in steps.values():
        yield step if step.about else replace(step, about=_part_of(users[step.name]), minor=True)


def _part_of(users: Sequence[str]) -> str:
    more = len(users) - MENTIONED
    return f"part of {', '.join(users[:MENTIONED])}" + (f" and {more} more" if more > 0 else "")
