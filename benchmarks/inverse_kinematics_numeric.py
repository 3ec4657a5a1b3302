"""Numeric inverse kinematics: how many of 10,000 random reachable poses are solved within the limits, and how fast?

Ours is one call on one thread, to a residual of 1e-10. The Robotics Toolbox's `ik_LM` (C++) and the loop that
Pinocchio's documentation shows for inverse kinematics solve one pose per call; the toolbox with its own tolerance (an
error of 1e-3) and the damping that was fastest of those tried, and again with ours; Pinocchio's loop, from one start
and without limits, to 1e-4. Without the toolbox (see `toolbox`) there are no rows of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import strobe
from benchmarks.timer import Row, answer
from benchmarks.toolbox import Toolbox, interpreter
from strobe.analysis.peers import AGREEMENT, Pinocchio
from strobe.kinematics.numeric import TOLERANCE, solve
from strobe.kinematics.solutions import SolutionStatus

SECONDS = 2.0  # for each peer
POSES = 10_000
ROUNDS = 5
THEIRS = {
    "ik_LM, its tolerance": {"k": 0.1},
    "ik_LM, tolerance 1e-10": {"k": 0.1, "tol": 0.5 * TOLERANCE**2},
}
SINGLES = 50  # of our poses, one per call, and again
NEAR = 0.05  # radians from where each joint ends


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    rows: list[Row] = []
    for name in ["ur5"] if small else ["panda", "ur5"]:
        robot = strobe.load(name)
        poses = robot.forward_kinematics(robot.random_state(7, 64 if small else POSES)[0])
        rows += [
            {"robot": name, "n": robot.n, "N": len(poses), **row} for row in _rows(robot, poses, seconds)
        ]
    return rows


def _rows(robot: strobe.Robot, poses: np.ndarray, seconds: float) -> Iterator[Row]:
    found = solve(robot, poses)
    good = (
        (found.status == SolutionStatus.SOLVED) & (found.residual[:, 0] <= TOLERANCE) & found.within[:, 0]
    )
    yield {
        "against": "nobody",
        "solved": float(good.mean()),
        "largest_residual": float(found.residual[good].max()),
        "steps": float(found.iterations.mean()),  # pyright: ignore[reportOptionalMemberAccess]
        "ours_us": min(_ours(robot, poses) for _ in range(ROUNDS)),
        "one_call_us": min(_one_by_one(robot, poses[:SINGLES]) for _ in range(ROUNDS)),
        "one_near_call_us": min(
            _one_by_one(robot, poses[:SINGLES], found.q[:SINGLES, 0] + NEAR) for _ in range(ROUNDS)
        ),
    }
    if interpreter():
        toolbox = arm_in_toolbox(robot)
        for against, options in THEIRS.items():
            yield _beside(
                robot, poses, seconds, against, lambda some, o=options: toolbox.inverse(some, **o)
            )
        toolbox.close()
    clik = Clik(robot)
    yield _beside(robot, poses, seconds, "Pinocchio's documented loop", clik.inverse)


def _beside(robot, poses, seconds, against, theirs) -> Row:
    """Ours and theirs in turn; theirs on as many of the poses as fit into the time."""
    share = np.clip(round(seconds / ROUNDS / theirs(poses[:4])["seconds"]), 4, len(poses))
    ours, times, solved = [], [], []
    for k in range(ROUNDS):
        ours.append(_ours(robot, poses))
        chosen = np.arange(k * share, (k + 1) * share) % len(poses)
        done = theirs(poses[chosen])
        times.append(1e6 * done["seconds"])
        solved.append(done["solved"])
    best = {"ours_us": min(ours), "theirs_us": min(times)}
    return {
        "against": against, "theirs_solved": float(np.mean(solved)), **best,
        "ratio": best["theirs_us"] / best["ours_us"],
    }  # fmt: skip


def _ours(robot: strobe.Robot, poses: np.ndarray) -> float:
    start = time.perf_counter()
    solve(robot, poses)
    return 1e6 * (time.perf_counter() - start) / len(poses)


def _one_by_one(robot: strobe.Robot, poses: np.ndarray, near: np.ndarray | None = None) -> float:
    start = time.perf_counter()
    for k, pose in enumerate(poses):
        solve(robot, pose, q0=None if near is None else near[k])
    return 1e6 * (time.perf_counter() - start) / len(poses)


def arm_in_toolbox(robot: strobe.Robot) -> Toolbox:
    """The same arm in the toolbox; its forward kinematics must be ours."""
    tree = robot.model.proximal()
    tip = tree.frames[-1]
    parts = [*(body.before for body in tree.support(tip.body)), tip.placement]
    toolbox = Toolbox(
        [np.array(part.matrix().rows, float) for part in parts], robot.limits.lower, robot.limits.upper
    )
    q = robot.random_state(1, 5)[0]
    off = np.abs(toolbox.forward(q) - robot.forward_kinematics(q)).max()
    if not off <= AGREEMENT:
        raise SystemExit(f"the toolbox's {robot.name} is another: its frames differ by {off:.1e}.")
    return toolbox


class Clik:
    """The loop and the constants of Pinocchio's documentation, from the middle of the limits."""

    NEAR, MOST, DT, DAMPING = 1e-4, 1000, 0.1, 1e-12

    def __init__(self, robot: strobe.Robot) -> None:
        peer = Pinocchio(robot)
        self.pin, self.model, self.data = peer.pin, peer.model, peer.data
        middle = (robot.limits.lower + robot.limits.upper) / 2
        self.start = peer.position(middle)
        self.joint = self.model.njoints - 1
        q = robot.random_state(1)[0]
        self.pin.forwardKinematics(self.model, self.data, peer.position(q))
        self.hand = self.data.oMi[self.joint].inverse() * self.pin.SE3(robot.forward_kinematics(q))

    def inverse(self, poses: np.ndarray) -> dict[str, float]:
        start = time.perf_counter()
        solved = sum(self._one(self.pin.SE3(pose) * self.hand.inverse()) for pose in poses)
        return {"seconds": (time.perf_counter() - start) / len(poses), "solved": solved / len(poses)}

    def _one(self, asked) -> bool:
        pin, model, data, joint = self.pin, self.model, self.data, self.joint
        q = self.start
        for _ in range(self.MOST):
            pin.forwardKinematics(model, data, q)
            left = data.oMi[joint].actInv(asked)
            e = pin.log(left).vector
            if np.linalg.norm(e) < self.NEAR:
                return True
            J = -pin.Jlog6(left.inverse()) @ pin.computeJointJacobian(model, data, q, joint)
            v = -J.T @ np.linalg.solve(J @ J.T + self.DAMPING * np.eye(6), e)
            q = pin.integrate(model, q, v * self.DT)
        return False


if __name__ == "__main__":
    answer("inverse_kinematics_numeric", once, SECONDS, processes=3)
