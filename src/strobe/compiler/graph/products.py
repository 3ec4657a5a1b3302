"""A Jacobian times one vector without the Jacobian, over the nodes of one graph.

    pulled back      the share of every leaf in Σ w y:  wᵀ ∂y/∂x, from the results back
    pushed forward   the rates of all results:          ∂y/∂x v,  from the leaves on

Leaves are whatever nodes are taken for independent; what lies before them is not looked at. Both give nodes of the
same graph, so that either can be taken of the other, and again.
"""

from __future__ import annotations

from strobe.compiler.graph.derivatives import CONSTANT, is_zero, rate_of
from strobe.scalars import Node, Num, Numbers


def pulled_back(results: Numbers, weights: Numbers, leaves: Numbers) -> list[Num]:
    """The share of every leaf in the sum of the weighted results."""
    between = _between(results, leaves)
    moved: set[Num] = {*leaves, *between}
    shares: dict[Num, Num] = {}
    for result, weight in zip(results, weights, strict=True):
        if result in moved:
            shares[result] = shares.get(result, 0.0) + weight
    for node in reversed(between):
        share = shares.pop(node, 0.0)
        if is_zero(share):
            continue
        for place, a in enumerate(node.args):
            if a in moved:
                alone: list[Num] = [0.0] * len(node.args)
                alone[place] = share
                shares[a] = shares.get(a, 0.0) + rate_of(node, alone)
    return [shares.get(leaf, 0.0) for leaf in leaves]


def pushed_forward(results: Numbers, leaves: Numbers, speeds: Numbers) -> list[Num]:
    """The rate of every result while the leaves move at these speeds."""
    rates: dict[Num, Num] = dict(zip(leaves, speeds, strict=True))
    for node in _between(results, leaves):
        rates[node] = rate_of(node, [rates.get(a, 0.0) for a in node.args])
    return [rates.get(result, 0.0) for result in results]


def _between(results: Numbers, leaves: Numbers) -> list[Node]:
    """The nodes that lead from leaves to results, arguments before uses."""
    ends = set(leaves)
    needed = {result for result in results if isinstance(result, Node)} - ends
    stack = list(needed)
    while stack:
        for a in stack.pop().args:
            if a not in needed and a not in ends:
                needed.add(a)
                stack.append(a)
    moved: set[Node] = set()
    for node in sorted(needed, key=lambda node: node.index):
        if node.op not in CONSTANT and any(a in ends or a in moved for a in node.args):
            moved.add(node)
    return sorted(moved, key=lambda node: node.index)
