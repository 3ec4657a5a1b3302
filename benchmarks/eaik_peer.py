"""The package EAIK (C++) as a peer, in a process of its own: it may need another Python than Strobe.

Run where `eaik` can be imported, or by the interpreter that STROBE_EAIK_PYTHON names. The child reads lines and poses
from a file of arrays and answers one line of JSON: the best time of several rounds, and how many solutions it found.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

PYTHON = "STROBE_EAIK_PYTHON"
ROUNDS = 5
SAME = 1e-6  # solutions that reach the pose, and that differ, by more than this are told apart


def interpreter() -> str | None:
    """The Python that has the package, if there is one."""
    return sys.executable if importlib.util.find_spec("eaik") else os.environ.get(PYTHON)


def ask(axes: np.ndarray, points: np.ndarray, home: np.ndarray, poses: np.ndarray) -> dict[str, object]:
    """Microseconds per pose in a batch on one thread, the class it recognised, and solutions per pose."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arm.npz"
        np.savez(file, axes=axes, points=points, home=home, poses=poses)
        command = [interpreter() or sys.executable, __file__, str(file)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def serve(file: str) -> None:
    """The child."""
    from eaik.IK_HP import HPRobot  # pyright: ignore[reportMissingImports]

    given = np.load(file)
    axes, points, home, poses = (given[name] for name in ("axes", "points", "home", "poses"))
    steps = np.vstack([points[0], np.diff(points, axis=0), home[:3, 3] - points[-1]])
    asked = poses.copy()
    asked[:, :3, :3] = poses[:, :3, :3] @ home[:3, :3].T
    robot = HPRobot(axes, steps)
    best = min(_seconds(robot, asked) for _ in range(ROUNDS))
    counts = [_count(robot, pose) for pose in asked]
    print(json.dumps({"us": 1e6 * best, "name": robot.getKinematicFamily(), "counts": counts}))


def _seconds(robot, poses: np.ndarray) -> float:
    """The faster of one call per pose and one for all, per pose."""
    start = time.perf_counter()
    for pose in poses:
        robot.IK(pose)
    middle = time.perf_counter()
    robot.IK_batched(poses, 1)
    return min(middle - start, time.perf_counter() - middle) / len(poses)


def _count(robot, pose: np.ndarray) -> int:
    q = np.array([x for x in robot.IK(pose).Q if np.abs(robot.fwdKin(x) - pose).max() < SAME])
    distinct: list[np.ndarray] = []
    for x in q:
        if all(np.abs(np.exp(1j * x) - np.exp(1j * y)).max() > SAME for y in distinct):
            distinct.append(x)
    return len(distinct)


if __name__ == "__main__":
    serve(sys.argv[1])
