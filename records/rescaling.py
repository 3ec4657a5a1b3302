"""Values stored in units of their own, so that factors of a program become 1.

A traced function becomes sums of multiples and products of two:

    S = Σ c_k x_k        c_k constants of the model        p = x y

Every value may be stored as λ times what it is. Then c_k turns into c_k λ_S / λ_x, which costs nothing where it is
±1; λ_p = λ_x λ_y; inputs and outputs keep λ = 1. In logarithms these are linear equations with whole coefficients,
one for each c_k, and as many as possible are to hold. Taken in some order, an equation holds if it does not
contradict those before it; whole coefficients and pivots ±1 make every λ a product of powers of the c_k, so that
nothing but constants is added to the program. Scaling changes no relative error. The order is found by a search.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from strobe.scalars import Graph, Node, Num
from strobe.scalars.scalar import is_number

SAME = 1e-9  # logarithms closer than this are equal


class Parameters(Graph):
    """Nodes in which the constants of a model are inputs, told apart from what varies.

    Each has a random value of its own, so that equal values mean equal constants in every model of the pattern.
    """

    name = "Node over parameters"

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[Node, float | None] = {}
        self._rng = random.Random(1)

    def number(self, x: float) -> Num:
        return self._parameter(self._rng.uniform(0.5, 1.5)) if x else 0

    def point(self, angle: float) -> tuple[Num, Num]:
        drawn = self._rng.uniform(0.2, 1.3)
        return self._parameter(math.cos(drawn)), self._parameter(math.sin(drawn))

    def _parameter(self, x: float) -> Node:
        node = self.make("input", (), f"parameter {len(self.nodes)}")
        self.values[node] = x
        return node

    def copy(self, x: Num) -> Num:
        """A value that may be scaled apart from its original."""
        return x if is_number(x) or self.value(x) is not None else self.make("copy", (x,))  # pyright: ignore

    def value(self, node: Node) -> float | None:
        """What a constant is; None for what varies."""
        if node not in self.values:
            self.values[node] = self._computed(node)
        return self.values[node]

    def _computed(self, node: Node) -> float | None:
        if node.op == "constant":
            return float(node.value)  # pyright: ignore[reportArgumentType]
        known = [self.value(a) for a in node.args]
        return FLOATS[node.op](*known) if known and None not in known else None


FLOATS: Mapping[str, Callable[..., float]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
}


class Coefficient(NamedTuple):
    """A constant of the model: its value in the model at hand, and itself."""

    value: float
    exact: Num

    def __neg__(self) -> Coefficient:  # pyright: ignore[reportIncompatibleMethodOverride]
        return Coefficient(-self.value, -self.exact)

    @property
    def is_unit(self) -> bool:
        return abs(self.value) == 1.0


ONE = Coefficient(1.0, 1)

Term = tuple[Coefficient, int]  # a multiple of a value, which is named by its number


@dataclass(frozen=True, slots=True)
class Value:
    """A sum of multiples, a product of two values, an input by its name, or the number one."""

    terms: tuple[Term, ...] = ()
    factors: tuple[int, int] | None = None
    name: str = ""


class Flow:
    """A traced function as sums and products; values that are used twice are computed once."""

    def __init__(self, graph: Parameters, outputs: Sequence[Num]) -> None:
        self.graph = graph
        self.values: list[Value] = []
        self._known: dict[object, int] = {}
        self._forms: dict[Node, tuple[Term, ...]] = {}
        nodes = [graph.lower(x) for x in outputs]
        self._uses = _uses(graph, nodes)
        for node in sorted(self._uses, key=lambda node: node.index):
            self._forms[node] = tuple(self._form(node))
        self.outputs = [self._new(Value(self._shared(node))) for node in nodes]
        self.needed = self._needed()

    # -- from nodes ---------------------------------------------------------------------------------

    def _form(self, node: Node) -> Iterator[Term]:
        """A node as a sum of multiples of values."""
        match node.op, node.args:
            case (("add" | "sub"), (x, y)):
                yield from _merged([*self._parts(x, 1), *self._parts(y, 1 if node.op == "add" else -1)])
            case "neg", (x,):
                yield from ((-c, ref) for c, ref in self._forms[x])
            case "copy", (x,):
                yield ONE, self._new(Value((self._single(x),)))
            case "mul", (x, y):
                yield self._product(x, y)
            case _:
                yield ONE, self._named(Value(name=str(node.value)))

    def _parts(self, x: Node, sign: int) -> Iterator[Term]:
        value = self.graph.value(x)
        parts = (
            self._shared(x) if value is None else ((Coefficient(value, x), self._named(Value(name="1"))),)
        )
        return ((c if sign > 0 else -c, ref) for c, ref in parts)

    def _product(self, x: Node, y: Node) -> Term:
        for constant, other in ((x, y), (y, x)):
            value = self.graph.value(constant)
            if value is not None:
                c, ref = self._single(other)
                return Coefficient(value * c.value, constant * c.exact), ref
        (c, one), (d, two) = self._single(x), self._single(y)
        pair = (one, two) if one <= two else (two, one)
        return Coefficient(c.value * d.value, c.exact * d.exact), self._named(Value(factors=pair))

    def _shared(self, x: Node) -> tuple[Term, ...]:
        """The form of a node, in one piece where something else uses it too."""
        terms = self._forms[x]
        alone = len(terms) == 1 and terms[0][0].is_unit
        return terms if alone or self._uses[_positive(x)] < 2 else (self._single(x),)

    def _single(self, x: Node) -> Term:
        """A node as a multiple of one value."""
        terms = self._forms[x]
        if len(terms) == 1 and (terms[0][0].is_unit or self._uses[_positive(x)] < 2):
            return terms[0]
        ordered = sorted(terms, key=lambda term: term[1])
        for sign, c in ((1.0, ONE), (-1.0, -ONE)):
            key = tuple((round(sign * c.value, 12), ref) for c, ref in ordered)
            if key in self._known:
                return c, self._known[key]
        self._known[tuple((round(c.value, 12), ref) for c, ref in ordered)] = len(self.values)
        return ONE, self._new(Value(tuple(ordered)))

    def _named(self, value: Value) -> int:
        if value not in self._known:
            self._known[value] = self._new(value)
        return self._known[value]

    def _new(self, value: Value) -> int:
        self.values.append(value)
        return len(self.values) - 1

    def _needed(self) -> list[int]:
        found: set[int] = set()
        stack = list(self.outputs)
        while stack:
            k = stack.pop()
            if k not in found:
                found.add(k)
                stack += [*(ref for _, ref in self.values[k].terms), *(self.values[k].factors or ())]
        return sorted(found)


def _uses(graph: Parameters, outputs: Sequence[Node]) -> Counter[Node]:
    """How often each varying node is used, signs seen through."""
    varying: set[Node] = set()
    stack = [node for node in outputs if graph.value(node) is None]
    while stack:
        node = stack.pop()
        if node not in varying:
            varying.add(node)
            stack += [a for a in node.args if graph.value(a) is None]
    uses = Counter(outputs)
    for node in sorted(varying, key=lambda node: -node.index):
        for a in node.args:
            if a in varying:
                uses[a] += uses[node] if node.op == "neg" else 1
    return uses


def _positive(node: Node) -> Node:
    while node.op == "neg":
        (node,) = node.args
    return node


def _merged(terms: Sequence[Term]) -> Iterator[Term]:
    """Multiples of one value added up; one that vanishes is left out."""
    found: dict[int, Coefficient] = {}
    for c, ref in terms:
        old = found.get(ref)
        found[ref] = c if old is None else Coefficient(old.value + c.value, old.exact + c.exact)
    return ((c, ref) for ref, c in found.items() if c.value)


# -- equations ----------------------------------------------------------------------------------------


class Scales:
    """The equations of a flow, one for each multiple in a sum."""

    def __init__(self, flow: Flow) -> None:
        values = flow.values
        self.flow = flow
        self.free = [k for k in flow.needed if values[k].terms and k not in flow.outputs]
        place = {k: j for j, k in enumerate(self.free)}
        rows: dict[int, np.ndarray] = {}
        for k in flow.needed:
            rows[k] = np.zeros(len(place), dtype=np.int64)
            if k in place:
                rows[k][place[k]] = 1
            elif values[k].factors:
                rows[k] = sum((rows[j] for j in values[k].factors), start=rows[k])  # pyright: ignore
        self.edges = [
            (k, c, ref) for k in flow.needed for c, ref in values[k].terms if values[ref].name != "1"
        ]
        self.rows = np.array([rows[k] - rows[ref] for k, _, ref in self.edges])
        self.logs = np.array([math.log(abs(c.value)) for _, c, _ in self.edges])
        self.sparse = [(np.flatnonzero(row), row[np.flatnonzero(row)]) for row in self.rows]
        self.products = sum(values[k].factors is not None for k in flow.needed)
        self.copies = {e for e, (k, _, _) in enumerate(self.edges) if len(values[k].terms) == 1}

    def left(self, scales: np.ndarray) -> np.ndarray:
        """Logarithms of what the coefficients become."""
        return self.logs + self.rows @ scales

    def cost(self, scales: np.ndarray) -> int:
        """Multiplications; two equal multiples of a value are one."""
        left = self.left(scales)
        return self.products + len(
            {(self.edges[e][2], round(left[e], 8)) for e in np.flatnonzero(abs(left) > SAME)}
        )

    def solved(self, order: Sequence[int], powers: np.ndarray | None = None) -> np.ndarray:
        """Scales by which equations hold, earlier ones first; ``powers``, if given, takes them as exponents."""
        size = len(self.free)
        E, right = np.eye(size, dtype=np.int64), np.zeros(size)
        for e in order:
            places, factors = self.sparse[e]
            row = factors @ E[places]
            if not row.any():
                continue
            rest = self.logs[e] + factors @ right[places]
            if abs(rest) < SAME:
                row //= np.gcd.reduce(row)
            pivots = np.flatnonzero(abs(row) == 1)
            if not len(pivots):
                continue
            pivot = pivots[-1]
            sign = row[pivot]
            others = -sign * row
            others[pivot] = 0
            touched = np.flatnonzero(E[:, pivot])
            amounts = E[touched, pivot].copy()
            E[touched, pivot] = 0
            E[touched] += np.multiply.outer(amounts, others)
            right[touched] -= amounts * (sign * rest)
            if powers is not None and abs(rest) >= SAME:
                own = factors @ powers[places]
                own[e] += 1
                powers[touched] -= np.multiply.outer(amounts, sign * own)
        return right

    def search(self, rounds: int, seed: int = 0) -> list[int]:
        """An order that leaves few multiplications."""
        rng = random.Random(seed)
        units = [e for e in range(len(self.edges)) if abs(self.logs[e]) < SAME and e not in self.copies]
        others = [e for e in range(len(self.edges)) if e not in set(units)]
        starts = [units + sorted(others, key=lambda e: (e not in self.copies, e))]
        starts += [units + rng.sample(others, len(others)) for _ in range(6)]
        best = min(starts, key=lambda order: self.cost(self.solved(order)))
        scales = self.solved(best)
        cost = self.cost(scales)
        for _ in range(rounds):
            if cost == self.products:
                break
            order = self._neighbour(rng, scales)
            tried = self.solved(order)
            now = self.cost(tried)
            if now <= cost:
                best, cost, scales = order, now, tried
        return best

    def _neighbour(self, rng: random.Random, scales: np.ndarray) -> list[int]:
        """An order in which a few equations that did not hold come first, and those that held after them."""
        left = abs(self.left(scales))
        held, broken = np.flatnonzero(left < SAME).tolist(), np.flatnonzero(left >= SAME).tolist()
        start = self.edges[rng.choice(broken)][0]
        near = [e for e in broken if abs(self.edges[e][0] - start) <= rng.choice((3, 8, 20))]
        pool = near if rng.random() < 0.7 else broken
        first = rng.sample(pool, min(len(pool), rng.choice((1, 1, 2, 3, 4))))
        rng.shuffle(held)
        rng.shuffle(broken)
        window = rng.choice((0, 10, 30, 60))  # equations of the same region give way first
        held.sort(key=lambda e: abs(self.edges[e][0] - start) < window)
        held, copies = [e for e in held if e not in self.copies], [e for e in held if e in self.copies]
        last = [*broken, *copies] if rng.random() < 0.5 else [*copies, *broken]
        return [*first, *held, *last]

    def scaled(self, order: Sequence[int]) -> dict[int, list[Term]]:
        """By sum, its terms after scaling, coefficients of 1 exactly so."""
        powers = np.zeros((len(self.free), len(self.edges)), dtype=np.int64)
        self.solved(order, powers)
        scale = {k: self._monomial(row) for k, row in zip(self.free, powers, strict=True)}
        for k in self.flow.needed:
            factors = self.flow.values[k].factors
            if factors:
                scale[k] = _times(*(scale.get(j, ONE) for j in factors))
        sums: dict[int, list[Term]] = {k: [] for k in self.flow.needed if self.flow.values[k].terms}
        for k, terms in sums.items():
            for c, ref in self.flow.values[k].terms:
                whole = _over(_times(c, scale.get(k, ONE)), scale.get(ref, ONE))
                unit = abs(abs(whole.value) - 1.0) < SAME and self.flow.values[ref].name != "1"
                terms.append(((ONE if whole.value > 0 else -ONE) if unit else whole, ref))
        return sums

    def _monomial(self, powers: np.ndarray) -> Coefficient:
        product = ONE
        for e in np.flatnonzero(powers):
            for _ in range(abs(powers[e])):
                product = (_times if powers[e] > 0 else _over)(product, self.edges[e][1])
        return product


def _times(x: Coefficient, y: Coefficient) -> Coefficient:
    return Coefficient(x.value * y.value, x.exact * y.exact)


def _over(x: Coefficient, y: Coefficient) -> Coefficient:
    return Coefficient(x.value / y.value, x.exact / y.exact)
