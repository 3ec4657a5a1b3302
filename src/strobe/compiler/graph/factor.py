"""Common factors taken out of sums: a b ± a c = a (b ± c), one multiplication fewer.

A sum is taken apart into terms, a sign and factors each, through the sums and products inside it that nothing else
uses. The factor in most terms is taken out of them first, then the next from the terms that are left, and in the
same way inside the brackets. Every factor taken out of k terms saves k − 1 multiplications, and no addition is added.
A sum without common factors stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial, reduce

from strobe.compiler.graph.program import SUMS, Program
from strobe.compiler.graph.rules import Signed
from strobe.compiler.graph.simplify import Builder, rewritten
from strobe.scalars import Node

Term = tuple[int, tuple[Node, ...]]  # a sign and the factors of a product, one factor for anything else

MOST_FACTORS = 16  # of a product that are told apart


def factor(program: Program) -> Program:
    """The same function, in normal form like the program, which is returned as it is if nothing was found."""
    sums = dict(_with_common_factors(program))
    if not sums:
        return program
    return rewritten(program, {node: partial(_sum, terms=terms) for node, terms in sums.items()})


def _with_common_factors(program: Program) -> Iterator[tuple[Node, list[Term]]]:
    """The sums that are part of no other, with their terms, where two terms have a factor in common."""
    once = {node for node, uses in program.uses.items() if uses == 1}
    inner = {a for node in program.nodes if node.op in SUMS for a in node.args if a in once}
    for node in program.nodes:
        if node.op in SUMS and node not in inner:
            terms = _terms(node, once)
            if len(terms) > 1 and _has_common(terms):
                yield node, terms


def _terms(root: Node, once: set[Node]) -> list[Term]:
    terms: list[Term] = []
    stack = [(1, root)]
    while stack:
        sign, node = stack.pop()
        if node is root or (node.op in SUMS and node in once):
            first, second = node.args
            stack += [(sign if node.op == "add" else -sign, second), (sign, first)]
        else:
            terms.append((sign, _factors(node, once)))
    return terms


def _factors(root: Node, once: set[Node]) -> tuple[Node, ...]:
    if root.op != "mul" or root not in once:
        return (root,)
    factors: list[Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.op == "mul" and node in once and len(factors) + len(stack) < MOST_FACTORS - 1:
            stack += reversed(node.args)
        else:
            factors.append(node)
    return tuple(factors)


def _has_common(terms: list[Term]) -> bool:
    """Whether a factor is in several products."""
    products = [set(factors) for _, factors in terms if len(factors) > 1]
    return len(products) > 1 and len(set[Node]().union(*products)) < sum(map(len, products))


def _common(terms: list[Term]) -> list[tuple[Node, list[int]]]:
    """Factors of several products with the places of these among the terms, most of them first."""
    products = [(place, factors) for place, (_, factors) in enumerate(terms) if len(factors) > 1]
    if len(products) < 2:
        return []
    places: dict[Node, list[int]] = {}
    for place, factors in products:
        for node in dict.fromkeys(factors):
            places.setdefault(node, []).append(place)
    shared = [(node, found) for node, found in places.items() if len(found) > 1]
    return sorted(shared, key=lambda item: -len(item[1]))


def _sum(builder: Builder, known: Mapping[Node, Signed], terms: list[Term]) -> Signed:
    """The sum of terms as a value of the new graph, common factors taken out."""
    left = dict(enumerate(terms))
    brackets: list[Signed] = []
    for node, places in _common(terms):
        mine = [place for place in places if place in left]
        if len(mine) > 1:
            inside = [_without(node, left.pop(place)) for place in mine]
            brackets.append(builder.apply("mul", known[node], _sum(builder, known, inside)))
    values = [_product(builder, known, term) for term in left.values()]
    return reduce(lambda x, y: builder.apply("add", x, y), [*values, *brackets])


def _without(node: Node, term: Term) -> Term:
    sign, factors = term
    place = factors.index(node)
    return sign, factors[:place] + factors[place + 1 :]


def _product(builder: Builder, known: Mapping[Node, Signed], term: Term) -> Signed:
    sign, factors = term
    own, node = reduce(lambda x, y: builder.apply("mul", x, y), (known[factor] for factor in factors))
    return sign * own, node
