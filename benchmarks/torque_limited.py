"""The fastest motion along a path under torque limits: how long does planning take, and are the limits kept?

Splines and blended lines in 1,000 steps, through few points and through 1,000, with warm kernels. Torques are taken
from the finished motion on a grid ten times finer; a limit exceeded ends the benchmark. Rough paths repeat points,
nearly repeat them and go back. The package toppra is asked for the same path on the same grid where it can be
imported. The last rows are motions between two positions (path chosen, straight line, constant accelerations) and
the accelerations that are always achievable.
"""

from __future__ import annotations

import importlib.util
import time
from typing import Any

import numpy as np

import strobe
from benchmarks.timer import Row, answer
from strobe.compiler.runtime.timing import Way, best_times
from strobe.trajectory.achievable_accelerations import largest_acceleration
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.near_minimum_time import near_minimum_time
from strobe.trajectory.path import Path, polyline, spline
from strobe.trajectory.torque_limited import FINER, SLOWEST, plan

SECONDS = 2.0
PATHS = 200
MOST_MS = 100.0
SIZES = -15.0, -3.0  # powers of ten of the steps between points that nearly repeat


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    robot = strobe.load("planar2" if small else "panda")
    few = _points(robot, 6, np.random.default_rng(0))
    dense = spline(few)
    many = dense(np.linspace(0.0, dense.length, 1000)).q
    paths = {"6 points": dense, "1,000 points": spline(many), "6 points, blends": polyline(few, 0.1)}
    rows = [_planned(robot, name, path, seconds) for name, path in paths.items()]
    rows.append(_rough(robot, 3 if small else PATHS))
    return rows if small else [*rows, _between(robot, few), _always(robot)]


def _points(robot: strobe.Robot, count: int, rng: np.random.Generator) -> np.ndarray:
    low, high = robot.limits.lower, robot.limits.upper
    return low + (high - low) * rng.uniform(0.25, 0.75, (count, robot.n))


def _planned(robot: strobe.Robot, name: str, path: Path, seconds: float) -> Row:
    motion = plan(robot, path)
    times = best_times({"ours": Way(lambda: plan(robot, path), [()])}, seconds)
    row: Row = {"robot": robot.name, "path": name, **_kept(robot, motion), "ours_ms": 1e3 * times["ours"]}
    if row["ours_ms"] > MOST_MS:
        print(f"{name}: {row['ours_ms']:.0f} ms, expected {MOST_MS:.0f} at most.")
    if importlib.util.find_spec("toppra"):
        duration, spent = _by_toppra(robot, path)
        row |= {"toppra_ms": 1e3 * spent, "longer_than_toppra": abs(motion.duration / duration - 1)}
    return row


def _kept(robot: strobe.Robot, motion: Trajectory) -> Row:
    """By how much a motion was slowed down, and how far its torques stay within their limits."""
    share = np.arange(FINER) / FINER
    t = (motion.times[:-1, None] + np.diff(motion.times)[:, None] * share).ravel()
    largest = float((np.abs(robot.inverse_dynamics(*motion(t))) / robot.limits.effort).max())
    slowed = float(motion.notes[-1].split("slowed down by ")[1].split(" %")[0])
    if largest > 1 or slowed > 100 * (SLOWEST - 1):
        raise SystemExit(f"{robot.name}: {largest:.9f} of a torque limit, slowed down by {slowed} %.")
    return {"duration_s": motion.duration, "slowed_percent": slowed, "largest_share_of_a_limit": largest}


def _by_toppra(robot: strobe.Robot, path: Path) -> tuple[float, float]:
    """The duration of the same path, and the seconds it took."""
    import toppra  # pyright: ignore[reportMissingImports]
    from toppra import algorithm, constraint  # pyright: ignore[reportMissingImports]

    class Curve(toppra.interpolator.AbstractGeometricPath):
        dof, path_interval, waypoints = path.n, np.array([0.0, path.length]), None

        def __call__(self, places: Any, order: int = 0) -> np.ndarray:
            return path(np.clip(places, 0.0, path.length))[order]

    def torques(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return robot.inverse_dynamics(q, qd, qdd, friction=False)

    toppra.setup_logging("ERROR")
    start = time.perf_counter()
    scheme, both = constraint.DiscretizationType.Interpolation, np.array([-1.0, 1.0])
    limits = [
        constraint.JointTorqueConstraint(
            torques, robot.limits.effort[:, None] * both, np.zeros(robot.n), discretization_scheme=scheme
        ),
        constraint.JointVelocityConstraint(robot.limits.velocity[:, None] * both),
    ]
    grid = path.divided(1000).knots
    found = algorithm.TOPPRA(limits, Curve(), gridpoints=grid, parametrizer="ParametrizeConstAccel")
    duration = found.compute_trajectory(0.0, 0.0).duration
    return float(duration), time.perf_counter() - start


def _rough(robot: strobe.Robot, count: int) -> Row:
    """Paths with points that repeat, nearly repeat, and go back; none may fail."""
    rng, worst, spent = np.random.default_rng(1), 0.0, 0.0
    for k in range(count):
        points = _rough_points(robot, rng)
        path = (spline, polyline, lambda q: polyline(q, 0.05))[k % 3](points)
        start = time.perf_counter()
        motion = plan(robot, path, lower=-np.inf, upper=np.inf)
        spent += time.perf_counter() - start
        worst = max(worst, _kept(robot, motion)["slowed_percent"])
    return {
        "robot": robot.name, "path": "rough", "N": count, "failures": 0, "largest_slowed_percent": worst,
        "ours_ms": 1e3 * spent / count,
    }  # fmt: skip


def _rough_points(robot: strobe.Robot, rng: np.random.Generator) -> np.ndarray:
    rows = list(_points(robot, 2, rng))
    for kind in rng.integers(5, size=int(rng.integers(1, 7))):
        new = _points(robot, 1, rng)[0]
        rows.append(
            (
                new,
                rows[-1],
                rows[-1] + 10.0 ** rng.uniform(*SIZES) * rng.normal(size=robot.n),
                rows[-2],
                rows[-1] + rng.uniform() * (rows[-2] - rows[-1]),
            )[kind]
        )
    return np.array(rows)


def _between(robot: strobe.Robot, points: np.ndarray) -> Row:
    start = time.perf_counter()
    found = near_minimum_time(robot, points[0], points[1])
    spent = time.perf_counter() - start
    assert found.straight is not None
    assert found.constant is not None
    return {
        "robot": robot.name, "path": "between two positions", "chosen_s": found.motion.duration,
        "straight_s": found.straight.duration, "constant_acceleration_s": found.constant.duration,
        "left_on_the_table": 1 - found.motion.duration / found.constant.duration, "search_s": spent,
    }  # fmt: skip


def _always(robot: strobe.Robot) -> Row:
    start = time.perf_counter()
    found = largest_acceleration(robot, qd=0.5)
    return {
        "robot": robot.name, "path": "any, speeds up to 0.5 rad/s", "proven": found.proven,
        "least_acceleration": float(found.acceleration.min()),
        "largest_acceleration": float(found.acceleration.max()), "search_s": time.perf_counter() - start,
    }  # fmt: skip


if __name__ == "__main__":
    answer("torque_limited", once, SECONDS, processes=3)
