"""What do approximations of inverse dynamics still save, beside the exact kernel that is compiled alike?

Every method of the trade-off report on one motion each of the Stanford arm (1.87 s between two points) and of the
Panda; a Horn-Raibert table of a planar arm at one degree beside its exact kernel; and fixed point as C beside the
same program in floating point. All states of a row are in one batch, on one thread.
"""

from __future__ import annotations

import math

import numpy as np

import strobe
from benchmarks.timer import Row, answer
from strobe.approximate import FixedPoint, HornRaibert, trade_off
from strobe.approximate.fixed_point_timing import c_times
from strobe.approximate.method import Exact, Formula
from strobe.compiler.runtime.timing import BATCH, Way, best_times
from strobe.trajectory.motion import Trajectory

SECONDS = 2.0
RANGES = {"qd": 2.0, "qdd": 10.0}  # of fixed point
MOTIONS = {  # two points, and bounds on velocity and acceleration
    "stanford": (
        ((0, 0.6, 0.4, 0, 0.5, 0), (1.2, 1.3, 0.8, 1, -0.6, 1.5)),
        (1, 1, 0.6, 2, 2, 2),
        (1.5, 1.5, 0.8, 4, 4, 4),
    ),
    "panda": (((0, -0.8, 0, -2.4, 0, 1.6, 0.8), (1, 0.2, -0.5, -1.2, 0.6, 2.4, -0.4)), 2.0, 6.0),
    "planar2": (((0, 0.3), (1.6, 1.4)), 3.0, 6.0),
}


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    names = ["planar2"] if small else ["stanford", "panda"]
    methods = ["without-velocity-terms", "horn-raibert"] if small else None
    return [
        *(row for name in names for row in _methods(name, methods, seconds)),
        _table(math.radians(5.0 if small else 1.0), seconds),
        *(_fixed(name, bits, seconds) for name in names for bits in (32, 16)),
    ]


def _methods(name: str, methods: list[str] | None, seconds: float) -> list[Row]:
    """A row per method that can be had and timed."""
    robot = strobe.load(name)
    found = trade_off(robot, _motion(robot), methods, seconds=seconds)
    exact = found.rows["exact"].ns
    assert exact is not None
    return [
        {
            "robot": name,
            "method": row.name,
            "memory": row.memory,
            "operations": row.work,
            "ns": row.ns,
            "times_the_exact": row.ns / exact,
            "error": row.error,
        }
        for row in found.rows.values()
        if row.ns is not None
    ]


def _motion(robot: strobe.Robot) -> Trajectory:
    points, velocity, acceleration = MOTIONS[robot.name]
    return robot.plan(points, velocity=velocity, acceleration=acceleration)


def _table(step: float, seconds: float) -> Row:
    """A table of configuration space over all positions of two joints, beside the exact kernel on the same states."""
    table = HornRaibert(strobe.load("planar2"), step=step)
    robot, rng = table.robot, np.random.default_rng(0)
    states = {name: rng.uniform(-1.0, 1.0, (BATCH, robot.n)) for name in ("q", "qd", "qdd")}
    for axis in table.variables:
        column = robot.joint_names.index(axis.joint)
        states[axis.kind][:, column] = rng.uniform(axis.lower, axis.upper, BATCH)
    methods: dict[str, Formula] = {"table": table, "exact": Exact(robot)}
    out = np.empty((BATCH, robot.n))
    ways = {
        name: Way(lambda *x, kernel=method.kernel: kernel(*x, out=out, threads=1), [tuple(states.values())])
        for name, method in methods.items()
    }
    ns = {name: 1e9 * each / BATCH for name, each in best_times(ways, seconds).items()}
    return {
        "robot": robot.name,
        "method": f"horn-raibert, {math.degrees(step):g}°",
        "memory": table.memory,
        "ns": ns["table"],
        "exact_ns": ns["exact"],
        "times_the_exact": ns["table"] / ns["exact"],
    }


def _fixed(name: str, bits: int, seconds: float) -> Row:
    """Fixed point as C, beside the same program as C in double and single precision."""
    method = FixedPoint(strobe.load(name), RANGES, bits)
    times = c_times(method, seconds)
    if times is None:
        raise SystemExit("Fixed point is timed as C; install a C compiler.")
    return {
        "robot": name,
        "method": f"fixed-point-{bits}, as C",
        "memory": method.memory,
        "fixed_ns": times.fixed,
        "double_ns": times.double,
        "single_ns": times.single,
        "times_the_double": times.fixed / times.double,
        "bound": float((method.bound / method.largest).max()),
    }


if __name__ == "__main__":
    answer("approximation", once, SECONDS, processes=3)
