"""The order of evaluation: few values alive at a time, and a program cut into pieces that fit a cache.

A value is alive from its operation to its last use. What does not fit the registers goes to memory and comes back,
so of several orders the one is taken that keeps least beyond them:

    as traced           what the formulation does, step by step
    by need             depth first from the results: a value is made when something asks for it, and of two
                        arguments the deeper one first; from the first result on, and from the last one on,
                        which on a tree of bodies finishes one limb before it begins the next
    by room             of all that can be computed, what leaves the fewest values alive, and of several that do,
                        what most still waits for: neighbours then seldom wait for each other; of a tree it would
                        begin all limbs at once, so that programs long enough to be cut are not ordered so

Code longer than the instruction cache is fetched anew for every group of states. A long program is therefore cut into
pieces, each where few values cross, and every piece runs over several groups before the next one begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from strobe.compiler.graph.program import Program
from strobe.scalars import Graph, Node

REGISTERS = 28  # vectors that a processor of today holds, with some room for what is on its way
MOST_BY_ROOM = 1_400  # nodes of a program that is not cut
LEAF = ("constant", "input", "stored")  # what is read from memory where it is used


def ordered(program: Program) -> Program:
    """The same program on a graph of its own, whose nodes stand in the order with least beyond the registers."""
    depth = _depths(program.nodes)
    ways = (program.outputs, program.outputs[::-1])
    orders = [program.nodes, *(by_need(outputs, depth) for outputs in ways)]
    if len(program.nodes) <= MOST_BY_ROOM:
        orders.append(by_room(program.nodes, program.outputs))
    best = min(orders, key=lambda order: spilled(order, program.outputs))
    return program if best is program.nodes else _rebuilt(program, best)


def ways(program: Program) -> list[tuple[Node, ...]]:
    """The orders that there are; by room is too slow for long programs."""
    depth, outputs = _depths(program.nodes), program.outputs
    found = [program.nodes, by_need(outputs, depth), by_need(outputs[::-1], depth)]
    return [*found, by_room(program.nodes, outputs)] if len(program.nodes) <= MOST_BY_ROOM else found


def stored_at_once(program: Program, registers: int, way: int = -1) -> Program:
    """The same program for code that stores a result when it is there: in one of the `ways`, else in that with least
    beyond so many registers."""
    orders = ways(program)
    if 0 <= way < len(orders):
        return _rebuilt(program, orders[way])
    return _rebuilt(program, min(orders, key=lambda order: spilled(order, (), registers)))


def by_need(outputs: Iterable[Node], depth: dict[Node, int] | None = None) -> tuple[Node, ...]:
    """Depth first: every node right before its first use, the deeper argument first.

    ``depth`` holds how deep nodes are, as far as that is known.
    """
    depth = {} if depth is None else depth
    done: dict[Node, None] = {}
    for output in outputs:
        if output in done:
            continue
        _measure(output, depth)
        stack = [output]
        while stack:
            deepest, most = None, -1
            for a in stack[-1].args:
                if a not in done and depth[a] > most:
                    deepest, most = a, depth[a]
            if deepest is None:
                done[stack.pop()] = None
            else:
                stack.append(deepest)
    return tuple(done)


def _measure(root: Node, depth: dict[Node, int]) -> None:
    """The number of operations on the longest way to every node below the root."""
    stack = [root]
    while stack:
        node = stack[-1]
        missing = [a for a in node.args if a not in depth]
        if missing:
            stack += missing
        else:
            depth[stack.pop()] = 1 + max((depth[a] for a in node.args), default=-1)


def _depths(nodes: Iterable[Node]) -> dict[Node, int]:
    """The same of all nodes, arguments before uses."""
    depth: dict[Node, int] = {}
    for node in nodes:
        most = -1
        for a in node.args:
            if depth[a] > most:
                most = depth[a]
        depth[node] = most + 1
    return depth


def by_room(nodes: Sequence[Node], outputs: Iterable[Node]) -> tuple[Node, ...]:
    """What leaves fewest values alive first; of several, that with most operations on its longest way to a result."""
    arguments = {node: [a for a in dict.fromkeys(node.args) if a.op not in LEAF] for node in nodes}
    users: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        for a in arguments[node]:
            users[a].append(node)
    ahead: dict[Node, int] = {}  # operations from a value to a result
    for node in reversed(nodes):
        ahead[node] = 1 + max((ahead[user] for user in users[node]), default=0)
    uses = {node: len(users[node]) for node in nodes}  # that are still to come
    for output in outputs:
        uses[output] += 1
    more = {
        n: bool(uses[n]) - sum(uses[a] == 1 for a in arguments[n]) for n in nodes
    }  # values alive after it
    missing = {node: len(arguments[node]) for node in nodes}
    done: dict[Node, None] = {}

    def place(node: Node) -> tuple[int, int, int, Node]:
        return more[node], -ahead[node], node.index, node

    ready = [place(node) for node in nodes if not missing[node] and node.op not in LEAF]
    heapify(ready)
    while ready:
        *_, node = heappop(ready)
        if node in done:  # it was here a second time, further behind
            continue
        done |= dict.fromkeys((*node.args, node))  # what is read from memory stands before its first use
        for a in arguments[node]:
            uses[a] -= 1
            for user in users[a] if uses[a] == 1 else ():
                more[user] -= 1  # it would be the last one to use that value
                if not missing[user] and user not in done:
                    heappush(ready, place(user))
        for user in users[node]:
            missing[user] -= 1
            if not missing[user]:
                heappush(ready, place(user))
    return (*(node for node in nodes if node not in done), *done)  # a result may be what was read


def spilled(order: Sequence[Node], outputs: Iterable[Node], registers: int = REGISTERS) -> int:
    """How many values are alive beyond the registers, summed over all operations."""
    counts = zip(order, alive(order, outputs), strict=True)
    return sum(count - registers for node, count in counts if count > registers and node.op not in LEAF)


def alive(order: Sequence[Node], outputs: Iterable[Node]) -> list[int]:
    """After each step, the number of values that a later step uses; results are stored at the end."""
    last = {a: step for step, node in enumerate(order) for a in node.args}
    last |= dict.fromkeys(outputs, len(order))
    ends = [0] * (len(order) + 1)
    counts, count = [], 0
    for step, node in enumerate(order):
        if node in last and node.op not in LEAF:
            count += 1
            ends[last[node]] += 1
        count -= ends[step]
        counts.append(count)
    return counts


def pieces(program: Program, most: int) -> list[tuple[Node, ...]]:
    """The nodes in order, in pieces of at most ``most`` nodes, cut where few values cross."""
    nodes = program.nodes
    counts = alive(nodes, program.outputs)
    number = -(-len(nodes) // most)
    size = -(-len(nodes) // max(number, 1))
    cuts = [0]
    while len(nodes) - cuts[-1] > most:
        start = cuts[-1]
        window = range(start + 3 * size // 4, start + most)
        cuts.append(1 + min(window, key=lambda step: (counts[step], abs(step - start - size))))
    return [nodes[a:b] for a, b in zip(cuts, [*cuts[1:], len(nodes)], strict=True)]


def _rebuilt(program: Program, order: Iterable[Node]) -> Program:
    graph, new = Graph(), dict[Node, Node]()
    for node in order:
        new[node] = graph.make(node.op, tuple(new[a] for a in node.args), node.value)
    return program.with_outputs([new[node] for node in program.outputs])
