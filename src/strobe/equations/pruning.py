"""Operations left out of a program of torques, those that matter least first.

Three edits leave something out:

    x + y → x      a summand
    x → 0          a value, wherever it is used
    x(q) → c       a value of the positions alone, for the middle of its range

To first order an edit changes the torques by (new − old value) · ∂tau/∂value. All stay of the form

    tau = g(q) + Σ_j a_j(q) qdd_j + Σ_{j≤k} b_jk(q) qd_j qd_k

whose parts are told apart at any position by strobing: motions of one or two joints at a time. The error of an edit
is the sum of the magnitudes of its parts, the worst over sampled positions: there, no motion in the ranges is worse.

The search climbs a ladder of tolerances. On each rung it takes, while it can, the edits that save most operations for
their part of what is left of the tolerance. Where it stands on a rung does not depend on how far it will climb, and
every step saves operations: a larger tolerance never costs more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import CIRCLE, SUMS, Program
from strobe.compiler.graph.rules import FUNCTIONS, Signed
from strobe.compiler.graph.simplify import Builder
from strobe.equations.torque_bounds import Ranges
from strobe.scalars import Graph, Lanes, Node, Num

Array = np.ndarray

COUNTED = (*SUMS, "mul")  # operations, as they are counted; sines and cosines are counted apart
LADDER = (1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0)  # rungs of every decade,
DECADES = (1e-4, 1e-3, 1e-2, 1e-1)  # from the first one on
POSITIONS = 64  # sampled ones
SINGLES = 6  # edits tried one by one where all that fit together do not do
NOTHING = 1e-12  # of what is left: below, an error is none


def operations(program: Program) -> int:
    """Multiplications and additions."""
    return program.multiplications + program.additions


def replay(program: Program, inputs: Mapping[str, Num]) -> list[Num]:
    """The outputs of a program over other numbers; inputs by their names in the program."""
    values = _run(program, inputs)
    return [values[node] for node in program.outputs]


def _run(program: Program, inputs: Mapping[str, Num]) -> dict[Node, Num]:
    values: dict[Node, Any] = {}
    for node in program.nodes:
        args = [values[a] for a in node.args]
        if node.op == "input":
            values[node] = inputs[str(node.value)]
        elif node.op == "constant":
            values[node] = node.value
        else:
            values[node] = -args[0] if node.op == "neg" else FUNCTIONS[node.op][1](*args)
    return values


# -- strobing -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Strobes:
    """Sampled positions, each with the motions that tell the parts of a torque apart."""

    inputs: Mapping[str, Lanes]  # position by position, motion by motion
    parts: Array  # (parts, motions): what to make of the torques of all motions

    def worst(self, values: Array) -> Array:
        """Of values (..., states) the sum of the magnitudes of their parts, the largest of all positions."""
        by_position = values.reshape(*values.shape[:-1], -1, len(self.parts))
        return np.abs(by_position @ self.parts.T).sum(axis=-1).max(axis=-1)

    def values(self, program: Program) -> dict[Node, Array]:
        """The value (states,) of every node."""
        zeros = np.zeros_like(next(iter(self.inputs.values())).values)
        found = _run(program, self.inputs)
        return {node: x.values if isinstance(x, Lanes) else zeros + x for node, x in found.items()}


def strobes(ranges: Ranges, positions: int = POSITIONS, seed: int = 0) -> Strobes:
    """Positions drawn from the ranges; motions with one or two joints at the largest rate or acceleration."""
    n = len(ranges.q)
    still, rates, accelerations = np.zeros((1, n)), *(np.diag(_sizes(x)) for x in (ranges.qd, ranges.qdd))
    pairs = list(combinations(range(n), 2))
    both = np.array([rates[j] + rates[k] for j, k in pairs]).reshape(-1, n)
    qdd = np.concatenate([still, accelerations, 0.0 * rates, 0.0 * both])
    qd = np.concatenate([still, 0.0 * accelerations, rates, both])
    parts = np.eye(len(qd))
    parts[1 : 2 * n + 1, 0] = -1.0  # less the motionless part
    for row, (j, k) in enumerate(pairs, start=2 * n + 1):
        parts[row, [0, n + 1 + j, n + 1 + k]] = 1.0, -1.0, -1.0  # less what either causes alone
    q = np.repeat(ranges.positions(positions, np.random.default_rng(seed)), len(qd), axis=0)
    columns = {"q": q, "qd": np.tile(qd, (positions, 1)), "qdd": np.tile(qdd, (positions, 1))}
    return Strobes(
        {f"{x}[{k}]": Lanes(a[:, k].copy()) for x, a in columns.items() for k in range(n)}, parts
    )


def _sizes(ends: Array) -> Array:
    return np.abs(ends).max(axis=1)


# -- edits --------------------------------------------------------------------------------------------


class Edit(NamedTuple):
    """One value replaced: by one of its arguments, or by a constant."""

    node: Node
    argument: int | None
    constant: float
    error: Array  # (n,), parts of the largest torques
    gain: int  # operations saved


def edited(program: Program, edits: Iterable[Edit]) -> Program:
    """The program with values replaced, after every pass."""
    builder, known = Builder(Graph()), dict[Node, Signed]()
    chosen = {edit.node: edit for edit in edits}
    for node in program.nodes:
        args = [known[a] for a in node.args]
        known[node] = (
            _replaced(builder, chosen[node], args) if node in chosen else builder.rebuild(node, args)
        )
    return optimised(program.with_outputs([builder.plain(known[node]) for node in program.outputs]))


def _replaced(builder: Builder, edit: Edit, args: Sequence[Signed]) -> Signed:
    if edit.argument is None:
        return builder.constant(edit.constant)
    sign, node = args[edit.argument]
    return (-sign, node) if edit.node.op == "sub" and edit.argument == 1 else (sign, node)


def possible_edits(program: Program, strobes: Strobes, largest: Array) -> Iterator[Edit]:
    """Every edit that saves operations, with its error to first order."""
    values, still = strobes.values(program), _of_positions(program)
    users = Counter(a for node in program.nodes if node.op in COUNTED for a in set(node.args))
    angles = _angles(program)
    for node, slope in _slopes(program, values, 1.0 / largest):
        if node.op not in (*COUNTED, *CIRCLE) or node in angles:
            continue
        if node.op in SUMS:
            for kept, left in enumerate(reversed(node.args)):
                error = strobes.worst(slope * values[left])
                yield Edit(node, kept, 0.0, error, 1 + _freed(program, left, 1))
        freed = _freed(program, node, program.uses[node])
        yield Edit(node, None, 0.0, strobes.worst(slope * values[node]), freed + users[node])
        if node in still and freed:
            middle = float(values[node].max() + values[node].min()) / 2
            yield Edit(node, None, middle, strobes.worst(slope * (values[node] - middle)), freed)


def _slopes(program: Program, values: Mapping[Node, Array], scale: Array) -> Iterator[tuple[Node, Array]]:
    """∂tau/∂value (n, states) of every value, last to first, scaled; not through sines and cosines."""
    slopes: dict[Node, Array] = {}
    for i, node in enumerate(program.outputs):
        slopes.setdefault(node, np.zeros((len(scale), *values[node].shape)))[i] += scale[i]
    for node in reversed(program.nodes):
        slope = slopes.pop(node, None)
        if slope is None:
            continue
        yield node, slope
        for a, through in zip(node.args, _through(node, values), strict=True):
            slopes[a] = slopes.get(a, 0.0) + slope * through


def _through(node: Node, values: Mapping[Node, Array]) -> tuple[Any, ...]:
    """∂value/∂argument for every argument."""
    if node.op == "mul":
        x, y = node.args
        return values[y], values[x]
    return {"add": (1.0, 1.0), "sub": (1.0, -1.0), "neg": (-1.0,)}.get(node.op, (0.0,) * len(node.args))


def _freed(program: Program, node: Node, uses: int) -> int:
    """The operations that nothing needs once a node has lost some of its uses."""
    left: Counter[Node] = Counter()
    freed, stack = 0, [(node, uses)]
    while stack:
        node, uses = stack.pop()
        left[node] += uses
        if left[node] == program.uses[node]:
            freed += node.op in COUNTED
            stack += [(a, 1) for a in node.args]
    return freed


def _of_positions(program: Program) -> set[Node]:
    """The nodes that depend on positions alone."""
    found: set[Node] = set()
    for node in program.nodes:
        own = str(node.value).startswith("q[") if node.op == "input" else True
        if own and all(a in found for a in node.args):
            found.add(node)
    return found


def _angles(program: Program) -> set[Node]:
    """The nodes that sines and cosines are taken of, and what these are made of."""
    stack = [a for node in program.nodes if node.op in CIRCLE for a in node.args]
    found: set[Node] = set()
    while stack:
        node = stack.pop()
        found.add(node)
        stack += node.args
    return found


# -- the search ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pruning:
    """A program to be shortened; errors are parts of the largest torques (n,)."""

    program: Program
    ranges: Ranges
    largest: Array

    def steps(self, within: float) -> list[Program]:
        """The program itself, then ever shorter ones, each a step of the climb up to a tolerance."""
        found = [_Step(self, self.program)]
        for rung in (decade * step for decade in DECADES for step in LADDER):
            while rung <= within and (shorter := found[-1].shorter(rung)) is not None:
                found.append(shorter)
        return [step.program for step in found]

    def errors(self, program: Program) -> Array:
        """The worst errors of a program at the sampled positions."""
        return self.strobes.worst(self._outputs(program) - self._torques) / self.largest

    @cached_property
    def strobes(self) -> Strobes:
        return strobes(self.ranges)

    @cached_property
    def _torques(self) -> Array:
        return self._outputs(self.program)

    def _outputs(self, program: Program) -> Array:
        values = self.strobes.values(program)
        return np.array([values[node] for node in program.outputs])


@dataclass(frozen=True, eq=False)
class _Step:
    """One program on the way, with its errors and what can be left out of it next."""

    pruning: Pruning
    program: Program

    @cached_property
    def errors(self) -> Array:
        return self.pruning.errors(self.program)

    @cached_property
    def edits(self) -> list[Edit]:
        return list(possible_edits(self.program, self.pruning.strobes, self.pruning.largest))

    def shorter(self, rung: float) -> _Step | None:
        """The next step whose errors stay below a rung; None where the search finds none."""
        for batch in self._batches(rung - self.errors):
            step = _Step(self.pruning, edited(self.program, batch))
            if operations(step.program) < operations(self.program) and (step.errors <= rung).all():
                return step
        return None

    def _batches(self, room: Array) -> Iterator[list[Edit]]:
        """Edits worth trying, those that save most for their error first: all that fit together, then single ones."""
        edits = [edit for edit in self.edits if (edit.error <= room).all()]
        edits.sort(key=lambda edit: -edit.gain / (_part(edit.error, room) + NOTHING))
        if edits:
            yield _together(edits, room)
        yield from ([edit] for edit in edits[:SINGLES])


def _part(error: Array, room: Array) -> float:
    """The largest part of what is left that an error takes."""
    return float(np.divide(error, room, out=np.zeros_like(error), where=room > 0.0).max())


def _together(edits: Sequence[Edit], room: Array) -> list[Edit]:
    """The first edits of different nodes whose errors fit together."""
    chosen: dict[Node, Edit] = {}
    for edit in edits:
        if edit.node not in chosen and (edit.error <= room).all():
            chosen[edit.node] = edit
            room = room - edit.error
    return list(chosen.values())
