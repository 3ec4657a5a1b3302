"""A variant of `recursion` as a certificate: traced over parameters, rescaled, written out line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from records.recursion import Angles, Choices, inverse_dynamics
from records.rescaling import Coefficient, Flow, Parameters, Scales, Term
from strobe.models.model import Model
from strobe.papers.certificates import CONSTANTS, PROGRAM, TORQUES, parameters
from strobe.scalars import Node, Num

SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def traced(model: Model, choices: Choices) -> tuple[Flow, dict[Node, str]]:
    """The sums and products of a variant on an arm, and the names of its parameters."""
    graph = Parameters()
    lifted = model.lift(graph)
    names = {x: name for name, x in parameters(lifted).items() if isinstance(x, Node)}
    q, qd, qdd = (
        [graph.variable(f"{name}{k}") for k in range(1, model.nv + 1)] for name in ("q", "qd", "qdd")
    )
    torques = inverse_dynamics(lifted, choices, _angles(graph, model, choices), q, qd, qdd, graph.copy)
    return Flow(graph, torques), names


def _angles(graph: Parameters, model: Model, choices: Choices) -> Angles:
    turning = [k for k, joint in enumerate(model.joints, 1) if joint.turns]
    summed = {k: f"{k - 1}{k}" for k in choices.absolute}
    return Angles(
        {k: _point(graph, str(k)) for k in turning}, {k: _point(graph, name) for k, name in summed.items()}
    )


def _point(graph: Parameters, angle: str) -> tuple[Num, Num]:
    return graph.variable(f"c{angle}"), graph.variable(f"s{angle}")


def certificate(title: str, model: Model, choices: Choices, rounds: int | None, seed: int = 0) -> str:
    """The text of a variant; its scales, quotients of constants, found in so many rounds of search, or none."""
    flow, names = traced(model, choices)
    scales = Scales(flow)
    sums = scales.scaled([] if rounds is None else scales.search(rounds, seed))
    return Writer(flow, names).text(title, sums, sorted(choices.absolute))


class Writer:
    """Writes one operation a line; a value is a name and a sign."""

    def __init__(self, flow: Flow, names: dict[Node, str]) -> None:
        self.flow = flow
        self.names = dict(names)  # of constants, by node
        self.equal: dict[str, str] = {}  # and by value
        self.signed: dict[int, tuple[int, str]] = {}  # of values
        self.multiples: dict[tuple[str, str], tuple[int, str]] = {}  # with the sign of the coefficient
        self.constants: list[str] = []
        self.program: list[str] = []

    def text(self, title: str, sums: dict[int, list[Term]], absolute: Sequence[int]) -> str:
        """The whole certificate."""
        self.program += [f"q{k - 1}{k} = q{k - 1} + q{k}" for k in absolute]
        for k in self.flow.needed:
            value = self.flow.values[k]
            if value.factors:
                (s, x), (t, y) = (self.signed[j] for j in value.factors)
                self.signed[k] = s * t, self._line(f"{x} * {y}")
            elif value.terms:
                self.signed[k] = self._sum(sums[k])
            else:
                self.signed[k] = 1, value.name
        torques = [
            f"tau{k} = {'- ' if sign < 0 else ''}{name}"
            for k, (sign, name) in enumerate((self.signed[j] for j in self.flow.outputs), 1)
        ]
        return "\n".join([title, CONSTANTS, *self.constants, PROGRAM, *self.program, TORQUES, *torques, ""])

    def _sum(self, terms: Sequence[Term]) -> tuple[int, str]:
        """Positive terms first; a sum of negative ones is the negative of a sum."""
        parts = sorted(self._terms(terms), key=lambda part: -part[0])
        whole, name = parts[0]
        for sign, other in parts[1:]:
            name = self._line(f"{name} {'+' if sign == whole else '-'} {other}")
        return whole, name

    def _terms(self, terms: Sequence[Term]) -> Iterator[tuple[int, str]]:
        for c, ref in terms:
            sign, name = self.signed[ref]
            if name == "1":
                yield 1, self._constant(c)
            elif c.is_unit:
                yield sign * int(c.value), name
            else:
                own, multiple = self._multiple(c, name)
                yield sign * own, multiple

    def _multiple(self, c: Coefficient, name: str) -> tuple[int, str]:
        """A multiple of a value, computed once for both signs."""
        key = name, f"{abs(c.value):.9e}"
        if key not in self.multiples:
            positive = _without_sign(c, self.flow.graph)
            line = self._line(f"{self._constant(positive)} * {name}")
            self.multiples[key] = _sign(positive), line
        first, multiple = self.multiples[key]
        return first * _sign(c), multiple

    def _constant(self, c: Coefficient) -> str:
        """The name of a constant; equal values have one name."""
        key = f"{c.value:.12e}"
        if key not in self.equal:
            self.equal[key] = self._named(self.flow.graph.lower(c.exact))
        return self.equal[key]

    def _named(self, node: Node) -> str:
        if node in self.names:
            return self.names[node]
        if node.op == "constant":
            return repr(node.value)
        if node.op == "neg" and node.args[0].op == "neg":
            return self._named(node.args[0].args[0])
        written = [self._named(a) for a in node.args]
        line = f"- {written[0]}" if node.op == "neg" else f" {SYMBOLS[node.op]} ".join(written)
        self.names[node] = f"k{len(self.constants) + 1}"
        self.constants.append(f"{self.names[node]} = {line}")
        return self.names[node]

    def _line(self, operation: str) -> str:
        name = f"x{len(self.program) + 1}"
        self.program.append(f"{name} = {operation}")
        return name


def _sign(c: Coefficient) -> int:
    return 1 if c.value > 0 else -1


def _without_sign(c: Coefficient, graph: Parameters) -> Coefficient:
    """The constant under its minus signs."""
    value, node = c.value, graph.lower(c.exact)
    while node.op == "neg":
        value, node = -value, node.args[0]
    return Coefficient(value, node)
