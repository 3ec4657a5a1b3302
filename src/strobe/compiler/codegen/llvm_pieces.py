"""Which function of a long program makes, keeps and stores what.

Code longer than the instruction cache is fetched anew for every group of states. A long program is therefore cut into
pieces, and each runs over several groups before the next one begins. Values that a later piece uses are kept in
slots of memory; a slot is used again once its value has served. Inputs are read anew by every piece that uses them. A
sine and the cosine of the same angle are made together.

What is kept takes room in the data cache. A program stays whole where a few groups would not fit there, unless it
has so many values alive that it leaves that cache by itself.

A piece stores the results that it completes. Where those of one state fill pages of memory, every piece would come
back to all of these pages: they are kept too, and written from first to last by pieces of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from strobe.compiler.graph.order import LEAF, alive, pieces
from strobe.compiler.graph.program import CIRCLE, Program
from strobe.scalars import Node

LONGEST_PIECE = 1_400  # operations: their code fills the smallest instruction cache in use
LONGEST_CROWDED = 1_000  # the same with 16 registers: loads and stores stand beside operations
MOST_GROUPS = 16  # of states that a piece runs over in turn: enough for the fetching of code not to matter
FEWEST_GROUPS = 3  # that make up for what is kept: over two, derivatives of the Panda take longer
LONGEST_ROW = 512  # results of a state that pieces store as they complete them: a page of memory
BLOCKS_AT_ONCE = 128  # of results that a piece of their own writes
CACHE = 2**15  # bytes of the smallest first-level data cache in use
ROOM = 2**17  # bytes of what is kept: read as it was written, it may pass through the second cache


@dataclass(frozen=True)
class Piece:
    """One function: the nodes it makes, the inputs it reads, and where the blocks of results begin that it stores."""

    nodes: tuple[Node, ...]
    inputs: frozenset[Node]
    results: tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """A program in pieces, and the slots of values that cross from one to another."""

    pieces: tuple[Piece, ...]
    slots: Mapping[Node, int]
    groups: int  # of states that a piece runs over before the next one begins

    @property
    def kept(self) -> int:
        """How many slots a group of states needs."""
        return 1 + max(self.slots.values(), default=-1)


def layout(program: Program, blocks: Sequence[range], size: int, crowded: bool = False) -> Layout:
    """The pieces of a program whose results are stored in blocks and whose values take so many bytes.

    ``crowded``: for few registers.
    """
    longest = min(LONGEST_PIECE, LONGEST_CROWDED) if crowded else LONGEST_PIECE
    cut = _layout(program, blocks, pieces(program, longest))
    room = ROOM // max(cut.kept * size, 1)
    if room >= FEWEST_GROUPS:
        return replace(cut, groups=min(room, MOST_GROUPS))
    if max(alive(program.nodes, program.outputs)) * size > 1.25 * CACHE:
        return replace(cut, groups=2)
    return _layout(program, blocks, [program.nodes])


def _layout(program: Program, blocks: Sequence[range], cut: Sequence[Sequence[Node]]) -> Layout:
    made: dict[Node, int] = {}
    angles: dict[Node, int] = {}
    for number, nodes in enumerate(cut):
        for node in nodes:
            made[node] = angles.setdefault(node.args[0], number) if node.op in CIRCLE else number
    last = max(made.values(), default=0)
    stored = [max((made[program.outputs[k]] for k in block), default=last) for block in blocks]
    if len(cut) > 1 and len(program.outputs) > LONGEST_ROW:
        stored = [last + 1 + place // BLOCKS_AT_ONCE for place in range(len(blocks))]
        last = stored[-1]
    used: defaultdict[Node, set[int]] = defaultdict(set)
    for node, number in made.items():
        for a in node.args:
            used[a].add(number)
    for block, number in zip(blocks, stored, strict=True):
        for k in block:
            used[program.outputs[k]].add(number)
    nodes, inputs, starts = ([list[Any]() for _ in range(last + 1)] for _ in range(3))
    for node, number in made.items():
        if node.op not in LEAF:
            nodes[number].append(node)
    for node in used:
        if node.op == "input":
            for number in used[node]:
                inputs[number].append(node)
    for block, number in zip(blocks, stored, strict=True):
        starts[number].append(block.start)
    parts = [
        Piece(tuple(made_here), frozenset(read), tuple(written))
        for made_here, read, written in zip(nodes, inputs, starts, strict=True)
    ]
    crossing = {n: max(users) for n, users in used.items() if n.op not in LEAF and max(users) > made[n]}
    slots = _slots(made, crossing)
    if last > len(cut) - 1:  # what writes finds all results in slots
        constants = dict.fromkeys(node for node in program.outputs if node.op == "constant")
        slots |= {node: k for k, node in enumerate(constants, 1 + max(slots.values(), default=-1))}
    return Layout(tuple(parts), slots, 1)


def _slots(made: Mapping[Node, int], until: Mapping[Node, int]) -> dict[Node, int]:
    """A slot for every value that crosses, free again after the last piece that uses it."""
    free: list[int] = []
    fresh = count()
    ending: defaultdict[int, list[int]] = defaultdict(list)
    slots: dict[Node, int] = {}
    piece = 0
    for node in sorted(until, key=lambda n: (made[n], n.index)):
        while piece < made[node]:
            free += ending[piece]
            piece += 1
        slots[node] = free.pop() if free else next(fresh)
        ending[until[node]].append(slots[node])
    return slots
