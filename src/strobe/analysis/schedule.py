"""How far a computation can be spread over processors: its data-flow graph, critical path and schedules.

A step is one multiplication, division, addition or subtraction. Negations are free, and inputs, constants,
sines and cosines are there from the beginning. This is the simultaneous-steps table of [Turney1980] at the
grain of single operations, and a legal schedule: a step starts after everything it needs has ended.

    work   W   steps in all                    path   D   steps of the longest chain of dependencies
    length on P processors: at least max(D, ⌈W / P⌉); by list scheduling at most W / P + D, because every
    round either keeps all processors busy or shortens the longest chain that is left
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from strobe.compiler.graph.paths import ends, remaining
from strobe.errors import ArgumentError
from strobe.scalars import Node, Num

GIVEN = frozenset({"input", "constant", "sin", "cos"})  # there from the beginning
MULTIPLICATIONS = frozenset({"mul", "div"})
ADDITIONS = frozenset({"add", "sub"})


@dataclass(frozen=True)
class DataFlow:
    """Steps in an order of evaluation: what each one is, and the earlier ones it waits for."""

    kinds: tuple[str, ...]
    needs: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, results: Iterable[Num]) -> DataFlow:
        """The steps that lead to these results, each once; results that folded to numbers need none."""
        nodes = _reached(results)
        number = {node: k for k, node in enumerate(nodes)}
        sources = (map(_unsigned, node.args) for node in nodes)
        needs = tuple(tuple({number[s]: None for s in args if s.op not in GIVEN}) for args in sources)
        return cls(tuple(node.op for node in nodes), needs)

    @property
    def work(self) -> int:
        """Steps in all: what one processor needs."""
        return len(self.kinds)

    @cached_property
    def path(self) -> int:
        """Steps of the longest chain of dependencies: what no number of processors undercuts."""
        return max(self._ends, default=0)

    @cached_property
    def multiplication_path(self) -> int:
        """The longest chain where only multiplications and divisions take time."""
        return self._longest(MULTIPLICATIONS)

    @cached_property
    def addition_path(self) -> int:
        """The longest chain where only additions and subtractions take time."""
        return self._longest(ADDITIONS)

    @property
    def parallelism(self) -> float:
        """Work over path: the most that processors can gain."""
        return self.work / self.path if self.path else 1.0

    @cached_property
    def width(self) -> int:
        """Steps at the busiest moment when each starts as soon as it can."""
        return max(Counter(self._ends).values(), default=0)

    def length(self, processors: int | None) -> int:
        """Steps until the last result with this many processors (None: as many as wanted), by list scheduling."""
        if processors is None:
            return self.path
        if processors < 1:
            raise ArgumentError(f"a schedule on {processors} processors; expected 1 or more.")
        return self._scheduled(processors)

    def lengths(self) -> dict[int, int]:
        """Length on 1, 2, 4, 8, … processors, up to the first that reach the critical path."""
        found = {1: self.work}
        while found[processors := max(found)] > self.path:
            found[2 * processors] = self.length(2 * processors)
        return found

    def _scheduled(self, processors: int) -> int:
        """List scheduling: of the steps that can start, those with the longest way to the end go first."""
        waiting = [len(needed) for needed in self.needs]
        urgent = [-steps for steps in self._remaining]
        ready = [(urgent[k], k) for k, count in enumerate(waiting) if count == 0]
        heapq.heapify(ready)
        time = 0
        while ready:
            running = [heapq.heappop(ready)[1] for _ in range(min(processors, len(ready)))]
            time += 1
            for step in running:
                for user in self._users[step]:
                    waiting[user] -= 1
                    if waiting[user] == 0:
                        heapq.heappush(ready, (urgent[user], user))
        return time

    def _longest(self, slow: Collection[str]) -> int:
        """The longest chain where only steps of these kinds take time."""
        return max(ends(self.needs, [kind in slow for kind in self.kinds]), default=0)

    @cached_property
    def _ends(self) -> list[int]:
        return ends(self.needs, [1] * self.work)

    @cached_property
    def _remaining(self) -> list[int]:
        return remaining(self.needs, [1] * self.work)

    @cached_property
    def _users(self) -> list[list[int]]:
        users: list[list[int]] = [[] for _ in self.needs]
        for step, needed in enumerate(self.needs):
            for k in needed:
                users[k].append(step)
        return users


def _reached(results: Iterable[Num]) -> list[Node]:
    """The nodes that take a step on the way to the results, in the order of their making."""
    pending = [_unsigned(x) for x in results if isinstance(x, Node)]
    found: dict[Node, None] = {}
    while pending:
        node = pending.pop()
        if node.op not in GIVEN and node not in found:
            found[node] = None
            pending += map(_unsigned, node.args)
    return sorted(found, key=lambda node: node.index)


def _unsigned(node: Node) -> Node:
    """What a node is the negative of; itself if it is not one."""
    while node.op == "neg":
        (node,) = node.args
    return node
