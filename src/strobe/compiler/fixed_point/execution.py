"""Fixed point on arrays: the integer steps of a plan, carried out by NumPy as the C code does, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from strobe.compiler.fixed_point.circle import Circle
from strobe.compiler.fixed_point.plan import Plan
from strobe.compiler.fixed_point.words import Given, Step, Word
from strobe.scalars import Node

Array = np.ndarray
CHUNK = 8192  # states at a time, whose words stay in the processor's cache


def to_words(given: Sequence[Given], values: Array) -> Array:
    """Numbers (..., size) as the nearest words, halves to even; far outside the range as the ends of a word."""
    scales = np.array([2.0**g.format.fraction for g in given])
    largest = 2.0 ** (given[0].format.bits - 1) - 1 if given else 0.0
    return np.clip(np.rint(values * scales), -largest, largest).astype(np.int64)


Watch = Callable[[int, Array], None]  # is told the place of a step and the words that it made


def carried_out(plan: Plan, words: Mapping[str, Array], watch: Watch | None = None) -> tuple[Array, Array]:
    """The words (..., outputs) that words (..., size) of every input give, and (...) which input was clamped first.

    The latter counts the numbers of all inputs from 1; 0 where all that matter are within their ranges.
    """
    names = [entry.name for entry in plan.program.inputs]
    batch = np.broadcast_shapes(*(np.shape(words[name])[:-1] for name in names))
    flat = [
        np.broadcast_to(words[n], (*batch, len(plan.given[n]))).reshape(-1, len(plan.given[n]))
        for n in names
    ]
    table = np.concatenate(flat, axis=1).astype(np.int64, copy=False)
    given = [g for name in names for g in plan.given[name]]
    out = np.empty((len(table), len(plan.outputs)), np.int64)
    clamped = np.zeros(len(table), np.int64)
    for start in range(0, len(table), CHUNK):
        part = slice(start, start + CHUNK)
        _chunk(plan, given, table[part], out[part], clamped[part], watch)
    return out.reshape(*batch, -1), clamped.reshape(batch)


def peaks(plan: Plan, words: Mapping[str, Array]) -> dict[Node, float]:
    """The largest magnitude that each value of the program takes among some states."""
    largest = [0] * len(plan.steps)

    def watch(place: int, made: Array) -> None:
        largest[place] = max(largest[place], int(np.abs(made).max(initial=0)))

    carried_out(plan, words, watch)
    return {
        node: largest[value.word] * 2.0**-value.fraction
        for node, value in plan.values.items()
        if not isinstance(value.word, Word)
    }


def _chunk(
    plan: Plan, given: Sequence[Given], table: Array, out: Array, clamped: Array, watch: Watch | None
) -> None:
    columns = {g.step: k for k, g in enumerate(given) if g.step is not None}
    last = {
        arg: place for place, step in enumerate(plan.steps) for arg in step.args if isinstance(arg, int)
    }
    last |= {value.word: len(plan.steps) for value in plan.outputs if isinstance(value.word, int)}
    done: list[Any] = []
    for place, step in enumerate(plan.steps):
        args: list[Any] = [arg.value if isinstance(arg, Word) else done[arg] for arg in step.args]
        if step.op == "input":
            column = table[:, columns[place]]
            outside = (column < args[0]) | (column > args[1])
            clamped[outside & (clamped == 0)] = columns[place] + 1
            done.append(np.clip(column, args[0], args[1]))
        elif step.op in ("turn", "sine", "cosine"):
            done.append(_circular(plan.circle, step, args[0]))
        else:
            done.append(OPERATIONS[step.op](step.shifts, *args))
        if watch is not None:
            watch(place, done[-1])
        for arg in step.args:
            if isinstance(arg, int) and last[arg] == place:
                done[arg] = None  # its memory is used again at once, while the cache holds it
    for k, value in enumerate(plan.outputs):
        out[:, k] = value.word.value if isinstance(value.word, Word) else done[value.word]


def shifted(word: Array, shift: int) -> Array:
    """A word divided by 2 to the shift, rounded to nearest, halves upwards."""
    if shift == 0:
        return word
    if shift > 62:  # of a word next to others that are far larger
        return np.zeros_like(word)
    raised = word + (1 << (shift - 1))
    raised >>= shift
    return raised


def _circular(circle: Circle, step: Step, word: Array) -> Array:
    if step.op == "turn":
        drop, shift = step.shifts
        return shifted(shifted(word, drop) * circle.per_radian, shift) & (2**circle.bits - 1)
    turn = word + (2 ** (circle.bits - 2) if step.op == "cosine" else 0)
    return shifted(sine(circle, turn), step.shifts[0])


def sine(circle: Circle, turn: Array) -> Array:
    """The sine of parts of a turn, as words with ``circle.fraction`` fractional bits."""
    w = circle.bits
    centred = turn + 2 ** (w - 3)
    quadrant = (centred >> (w - 2)) & 3
    r = (centred & (2 ** (w - 2) - 1)) - 2 ** (w - 3)
    square = shifted(r * r, w - 4)
    odd = shifted(r * _horner(circle.sine, square, w - 2), w - 2)
    even = 2 ** (w - 2) + shifted(square * _horner(circle.cosine, square, w - 2), w - 1)
    value = np.where(quadrant & 1, even, odd)
    return np.where(quadrant & 2, -value, value)


def _horner(coefficients: Sequence[int], x: Array, shift: int) -> Array:
    total = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = coefficient + shifted(x * total, shift)
    return total


def _combined(
    combine: Callable[..., Array], shifts: tuple[int, ...], x: Array, y: Array, z: Array, w: Array
) -> Array:
    return shifted(combine(shifted(x * y, shifts[0]), shifted(z * w, shifts[1])), shifts[2])


def _divided(shifts: tuple[int, ...], x: Array, y: Array) -> Array:
    x, y = np.broadcast_arrays(x, y)
    left = shifts[0]
    top, bottom = np.abs(x) << max(left, 0), np.abs(y) << max(-left, 0)
    return np.sign(x) * np.sign(y) * ((top + bottom // 2) // np.maximum(bottom, 1))


def _root(shifts: tuple[int, ...], x: Array) -> Array:
    """The largest whole number whose square is not above x; 0 where x is negative."""
    square = np.maximum(x, 0) << shifts[0]
    root = np.sqrt(square.astype(np.float64)).astype(np.int64)
    root = np.where(root * root > square, root - 1, root)
    return np.where((root + 1) * (root + 1) <= square, root + 1, root)


OPERATIONS: dict[str, Callable[..., Array]] = {
    "mul": lambda shifts, x, y: shifted(x * y, shifts[0]),
    "clip": lambda shifts, x, y, low, high: np.clip(shifted(x * y, shifts[0]), low, high),
    "add": lambda shifts, x, y: shifted(x, shifts[0]) + shifted(y, shifts[1]),
    "sub": lambda shifts, x, y: shifted(x, shifts[0]) - shifted(y, shifts[1]),
    "add products": lambda shifts, x, y, z, w: _combined(np.add, shifts, x, y, z, w),
    "sub products": lambda shifts, x, y, z, w: _combined(np.subtract, shifts, x, y, z, w),
    "neg": lambda shifts, x: -x,
    "abs": lambda shifts, x: np.abs(x),
    "min": lambda shifts, x, y: np.minimum(shifted(x, shifts[0]), shifted(y, shifts[1])),
    "max": lambda shifts, x, y: np.maximum(shifted(x, shifts[0]), shifted(y, shifts[1])),
    "less": lambda shifts, x, y: (shifted(x, shifts[0]) < shifted(y, shifts[1])).astype(np.int64),
    "where": lambda shifts, c, x, y: np.where(c != 0, shifted(x, shifts[1]), shifted(y, shifts[2])),
    "div": _divided,
    "sqrt": _root,
}
