"""Random recurrences: programs called in turn, round after round, in one compiled loop and one by one.

Both ways compute the same bits, whatever the number of states, rounds, records and threads, and whether constants and
signals are those of every state or shared by all.
"""

from __future__ import annotations

import numpy as np

import strobe
from reliability.comparison import Mismatch, Tally
from reliability.graphs import random_recipe
from strobe.compiler.graph.recurrence import STATE, Call, Recurrence, Signal, samples
from strobe.compiler.runtime.marching import Marching
from strobe.compiler.runtime.traced import Traced
from strobe.models.load import load_model

Array = np.ndarray
Generator = np.random.Generator


def attempt_march(rng: Generator, tally: Tally) -> None:
    """One random recurrence on random states."""
    recurrence, programs = random_recurrence(rng)
    model = load_model("planar2")  # whose motion it is matters to the name of the code only
    marches = [Marching(model, programs, recurrence) for _ in range(2)]
    marches[1].__dict__["code"] = None  # as where nothing can be compiled in one piece
    states, rounds = int(rng.integers(1, 40)), int(rng.integers(1, 8))
    start = rng.normal(size=(states, recurrence.size))
    constants = {name: _rows(rng, states, n) for name, n in recurrence.constants.items()}
    signals = {
        name: _rows(rng, states, rounds, x.size * x.samples) for name, x in recurrence.signals.items()
    }
    records = np.where(rng.random(rounds) < 0.5, rng.permutation(rounds), -1)
    threads = [None, 1, 2][int(rng.integers(3))]
    ends = [_marched(march, start, constants, signals, records, threads) for march in marches]
    tally.kernels += 1
    tally.rounds += states * rounds
    for what, first, second in zip(("state", "records"), *ends, strict=True):
        if not np.array_equal(first, second, equal_nan=True):
            raise Mismatch(
                "march", f"the {what} of one loop is not that of rounds one by one: {recurrence}"
            )


def random_recurrence(rng: Generator) -> tuple[Recurrence, dict[str, Traced]]:
    """One to four calls of random functions on the state, constants, samples of signals and cells written before."""
    size = int(rng.integers(1, 6))
    constants = {f"constant{k}": int(rng.integers(1, 4)) for k in range(rng.integers(0, 3))}
    signals = {
        f"signal{k}": Signal(int(rng.integers(1, 4)), int(rng.integers(1, 3)))
        for k in range(rng.integers(0, 3))
    }
    cells = {STATE: size, **constants}
    cells |= {cell: signal.size for name, signal in signals.items() for cell in samples(name, signal)}
    calls: list[Call] = []
    programs: dict[str, Traced] = {}
    count = int(rng.integers(1, 5))
    for k in range(count):
        read = [
            str(name)
            for name in rng.choice(list(cells), rng.integers(1, min(4, len(cells)) + 1), replace=False)
        ]
        inputs = {f"x{i}": int(rng.integers(1, cells[name] + 1)) for i, name in enumerate(read)}
        results = size + (int(rng.integers(0, 3)) if k < count - 1 else 0)
        recipe = random_recipe(rng, int(rng.integers(2, 40)), inputs, results)
        programs[f"program{k}"] = strobe.trace(recipe.function, **inputs)
        calls.append(Call(f"program{k}", tuple(read), f"cell{k}"))
        cells[f"cell{k}"] = results
    last = calls[-1].output
    recorded = (calls[0].output, 0, int(rng.integers(1, size + 1)))
    return Recurrence(size, constants, signals, tuple(calls), last, recorded), programs


def _rows(rng: Generator, states: int, *shape: int) -> Array:
    """Numbers for every state, or one row for all of them."""
    return rng.normal(size=(states if rng.random() < 0.5 else 1, *shape))


def _marched(
    march: Marching, start: Array, constants: dict[str, Array], signals: dict[str, Array], records: Array,
    threads: int | None,
) -> tuple[Array, Array]:  # fmt: skip
    """The states after all rounds, and the records."""
    state = start.copy()
    out = np.full((len(start), len(records), start.shape[1] + march.recurrence.recorded[2]), np.nan)
    march(state, constants, signals, records.astype(np.int64), out, threads)
    return state, out
