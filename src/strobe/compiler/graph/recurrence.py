"""A recurrence: programs called in turn on named cells, which make the next state of the last one, again and again.

A cell holds a vector of numbers. The state is a cell that lives on from round to round; constants are given once,
signals anew for every round, several samples of each; every call writes a cell. What a call reads may be longer than
its program asks for: the first numbers are taken. One round, over numbers of any system:

    for call in calls:  cells[call.output] = programs[call.program](cells[call.inputs]…)
    state = cells[result]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

STATE = "state"


@dataclass(frozen=True, slots=True)
class Call:
    """A program by name, the cells it reads in the order of its inputs, and the one it writes."""

    program: str
    inputs: tuple[str, ...]
    output: str


@dataclass(frozen=True, slots=True)
class Signal:
    """What comes from outside in every round: so many samples of a vector."""

    size: int
    samples: int = 1


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The calls of one round, and what is known from outside."""

    size: int  # of the state
    constants: Mapping[str, int]  # by cell, with their sizes
    signals: Mapping[str, Signal]
    calls: tuple[Call, ...]
    result: str  # the cell that becomes the state
    recorded: tuple[str, int, int]  # what stands behind the state in a record: a cell, from where, how many
    # the record is made when this cell has been written for the first time
    unkept: int = 0  # numbers at the end of the state that no record holds

    @property
    def kept(self) -> int:
        """Numbers of the state that a record holds."""
        return self.size - self.unkept

    def cells(self, outputs: Mapping[str, int]) -> dict[str, int]:
        """Every cell with its size, by the sizes of the programs' outputs."""
        sizes = {STATE: self.size, **self.constants}
        for name, signal in self.signals.items():
            sizes |= dict.fromkeys(samples(name, signal), signal.size)
        for call in self.calls:
            sizes[call.output] = max(sizes.get(call.output, 0), outputs[call.program])
        return sizes


def samples(name: str, signal: Signal) -> list[str]:
    """The cells of a signal, one per sample."""
    return [sample(name, k) for k in range(signal.samples)]


def sample(name: str, k: int) -> str:
    """The cell of one sample of a signal."""
    return f"{name} @{k}"


def round_of(
    recurrence: Recurrence, run: Callable[[Call, list[Any]], Any], cells: dict[str, Any]
) -> dict[str, Any]:
    """All cells after one round; ``run`` computes what one call gives for what it reads."""
    for call in recurrence.calls:
        cells = cells | {call.output: run(call, [cells[name] for name in call.inputs])}
    return cells | {STATE: cells[recurrence.result]}
