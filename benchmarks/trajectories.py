"""Motions of constant maximum acceleration: are 10,000 random requests planned in Ruckig's time, and how fast?

Several joints in step, from random states to random states, one thread. Ruckig, with its jerk unbounded, is asked one
request after another, which is how it is asked: its inputs are set before its clock runs. The last row plans single
joints by the hundred thousand.
"""

from __future__ import annotations

import math
import time

import numpy as np
import ruckig

from benchmarks.timer import Row, answer
from strobe.compiler.runtime.timing import Way, best_times
from strobe.trajectory.synchronised_profiles import Legs, in_step, single

SECONDS = 2.0
REQUESTS = 10_000
SINGLE = 100_000
LARGEST_DIFFERENCE = 1e-7


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    count = 32 if small else REQUESTS
    rows = [_in_step(n, count, seconds) for n in ((2,) if small else (2, 6, 7))]
    return [*rows, _single(320 if small else SINGLE, seconds)]


def _drawn(*shape: int) -> Legs:
    rng = np.random.default_rng(shape[-1])
    V, A = rng.uniform(0.3, 3.0, (2, *shape))
    v0, v1 = rng.uniform(-1.0, 1.0, (2, *shape)) * V
    x0, x1 = rng.normal(size=(2, *shape))
    return Legs(x0, v0, x1, v1, V, A)


def _in_step(n: int, count: int, seconds: float) -> Row:
    legs = _drawn(count, n)
    found = in_step(legs).duration
    theirs, their_us = _by_ruckig(legs)
    difference = float(np.abs(found - theirs).max())
    if difference > LARGEST_DIFFERENCE:
        raise SystemExit(f"{n} joints: a duration differs from Ruckig's by {difference:.1e} s.")
    times = best_times({"ours": Way(lambda: in_step(legs, threads=1), [()])}, seconds)
    ours_us = 1e6 * times["ours"] / count
    return {
        "joints": n, "N": count, "largest_difference_s": difference, "ours_us": ours_us, "ruckig_us": their_us,
        "ratio": their_us / ours_us,
    }  # fmt: skip


def _by_ruckig(legs: Legs) -> tuple[np.ndarray, float]:
    """Durations, and the mean time of a request in microseconds."""
    n = legs.x0.shape[1]
    planner, asked, found = ruckig.Ruckig(n), ruckig.InputParameter(n), ruckig.Trajectory(n)
    asked.max_jerk = [math.inf] * n
    durations, spent = [], 0.0
    for x0, v0, x1, v1, V, A in zip(*(numbers.tolist() for numbers in legs), strict=True):
        asked.current_position, asked.current_velocity = x0, v0
        asked.target_position, asked.target_velocity = x1, v1
        asked.max_velocity, asked.max_acceleration = V, A
        start = time.perf_counter()
        planner.calculate(asked, found)
        spent += time.perf_counter() - start
        durations.append(found.duration)
    return np.array(durations), 1e6 * spent / len(durations)


def _single(count: int, seconds: float) -> Row:
    legs = _drawn(count)
    times = best_times({"ours": Way(lambda: single(legs, threads=1), [()])}, seconds)
    return {"joints": 1, "N": count, "ours_us": 1e6 * times["ours"] / count}


if __name__ == "__main__":
    answer("trajectories", once, SECONDS, processes=3)
