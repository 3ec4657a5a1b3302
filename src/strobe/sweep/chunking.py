"""How many runs make a good chunk."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strobe.sweep.plan import Plan

BYTES, LARGEST = 8 * 2**20, 64 * 2**20  # of a chunk: as a rule, and where there would be too many of them
ROOM, PER_JOINT = 256 * 2**20, 160  # bytes of a chunk that is being computed, of which little may be kept
LONGEST, SHORTEST = 2.0, 0.05  # seconds of a chunk, by a rough guess
PIECES = 64  # that there should be at least, for many workers
MOST_CHUNKS = 100_000  # as a rule: each has a receipt of its own
JOINT = 2e-8  # seconds, roughly: of forward dynamics, for each joint


def chosen_chunk(plan: Plan) -> int:
    """Runs of a chunk, by what is known without a clock: the same wherever the sweep is read."""
    seconds, size = _guess(plan), max(bytes_per_run(plan, robot) for robot in plan.robots)
    room = ROOM // (PER_JOINT * _joints(plan))
    most = min(BYTES / size, LONGEST / seconds, room)
    spread = max(plan.runs / PIECES, SHORTEST / seconds)  # for many workers, but worth sending
    fewest = min(-(-plan.runs // MOST_CHUNKS), LARGEST // size, room)
    return max(_power(min(most, spread)), fewest)


def _guess(plan: Plan) -> float:
    """Seconds of a run, from its steps and joints."""
    options = plan.document["options"]
    lasts = options.get("t") or max(
        (
            motion["times"][-1]
            for each in plan.document["trajectories"]
            for motion in each["motions"].values()
        ),
        default=0.0,
    )
    step = options.get("step") or (1.0 / options["rate"] if "rate" in options else None)
    return JOINT * _joints(plan) * (1 if step is None else 4 * max(1.0, lasts / step))


def _joints(plan: Plan) -> int:
    """Of the robot that has most; one at least."""
    return max(1, *(plan.robot(label).nv for label in plan.robots))


def _power(runs: float) -> int:
    """The power of two below, one at least."""
    return 1 << (max(1, int(runs)).bit_length() - 1)


def bytes_per_run(plan: Plan, robot: str) -> int:
    """What a run of a robot yields."""
    return sum(prod(shape) * kind.itemsize for shape, kind in plan.fields(robot).values())
