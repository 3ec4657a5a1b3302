"""Does elimination find every solution of arms with six joints in general position, and how long does it take?

One random pose each of 1,000 random arms (link lengths and offsets between −1 and 1 m, twists between −π and π), of
arms with one slide, and of special arms, which need twins. Every solution is substituted back; a dense search,
Newton's method from 500 random starts and from the configuration that made the pose, looks for others. The time is
that of 1,024 poses of one arm in one call, per pose.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import strobe
from benchmarks.timer import Row, answer
from strobe.kinematics.general_6r import solve_in_rounds
from strobe.kinematics.screws import error, newton, placement, placement_and_jacobian, rigid, turn
from strobe.kinematics.serial_chain import Serial, serial

SECONDS = 0.0  # once is enough
STARTS = 500
POSES = 1024
REGULAR = 1e-5  # solutions of a Jacobian with a smaller singular value may be members of a continuum

Array = np.ndarray


@dataclass(frozen=True)
class Question:
    """Arms of one kind: random ones by their joints, or a built-in one with as many random poses."""

    arm: str
    arms: int


QUESTIONS = (
    Question("RRRRRR", 1000),
    Question("PRRRRR", 100),
    Question("RRPRRR", 100),
    Question("RRRRRP", 100),
    Question("puma560", 50),
    Question("rx90", 50),
    Question("ur5", 50),
)


def random_arm(kinds: str, draw: np.random.Generator) -> Serial:
    """Six lines from random Denavit-Hartenberg parameters."""
    T, axes, points = np.eye(4), [], []
    x, z = np.eye(3)[0], np.eye(3)[2]
    for _ in kinds:
        axes.append(T[:3, 2])
        points.append(T[:3, 3])
        length, offset = draw.uniform(-1, 1, 2)
        T = T @ rigid(turn(x, np.array(draw.uniform(-np.pi, np.pi))), length * x + offset * z)
    n = len(kinds)
    return Serial(
        names=tuple(f"joint{k + 1}" for k in range(n)),
        revolute=np.array([kind == "R" for kind in kinds]),
        axes=np.array(axes),
        points=np.array(points),
        home=T,
        lower=np.full(n, -np.pi),
        upper=np.full(n, np.pi),
        columns=np.arange(n),
    )


def missed(
    chain: Serial, pose: Array, start: Array, q: Array, draw: np.random.Generator, starts: int
) -> int:
    """Starts of the dense search that end in a solution which is not among q."""
    begin = np.concatenate([start[None], draw.uniform(-np.pi, np.pi, (starts, 6))])
    found, residual = newton(chain, begin, np.broadcast_to(pose, (len(begin), 4, 4)), steps=60)
    found = found[residual < 1e-10]
    smallest = np.linalg.svd(placement_and_jacobian(chain, found)[1], compute_uv=False)[:, -1]
    apart = found[smallest > REGULAR, None] - q
    turned = np.abs(apart - 2 * np.pi * np.rint(apart / (2 * np.pi)))
    distance = np.where(chain.revolute, turned, np.abs(apart)).max(axis=-1)
    return int(np.sum(distance.min(axis=1, initial=np.inf) > 1e-5))


def chains(question: Question, draw: np.random.Generator, arms: int) -> Iterator[Serial]:
    built_in = None if set(question.arm) <= set("RP") else serial(strobe.load(question.arm))
    for _ in range(arms):
        yield built_in or random_arm(question.arm, draw)


def asked(question: Question, arms: int, starts: int) -> Row:
    """What became of so many arms."""
    draw = np.random.default_rng(20250101)
    solutions, without, again, worst = 0, 0, 0, 0.0
    for chain in chains(question, draw, arms):
        start = draw.uniform(-np.pi, np.pi, 6)
        pose = placement(chain, start)
        q, rounds = solve_in_rounds(chain, pose[None])
        found = q[0][np.isfinite(q[0, :, 0])]
        solutions += len(found)
        again += int(rounds[0] != 1)
        without += bool(missed(chain, pose, start, found, draw, starts))
        residual = np.linalg.norm(error(placement(chain, found), pose), axis=-1)
        worst = max(worst, float(residual.max(initial=0.0)))
    if without or worst > 1e-9:
        raise SystemExit(f"{question.arm}: {without} of {arms} arms lack a solution; residual {worst:.1e}.")
    return {
        "arm": question.arm,
        "arms": arms,
        "starts": starts,
        "solutions": solutions,
        "missed": without,
        "asked_again": again,
        "largest_residual": worst,
        "us_per_pose": 1e6 * _seconds_per_pose(question, draw),
    }


def _seconds_per_pose(question: Question, draw: np.random.Generator) -> float:
    (chain,) = chains(question, draw, 1)
    poses = placement(chain, draw.uniform(-np.pi, np.pi, (POSES, 6)))
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        solve_in_rounds(chain, poses)
        times.append(time.perf_counter() - begin)
    return min(times) / POSES


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    if small:
        return [asked(QUESTIONS[0], 2, 20)]
    return [asked(question, question.arms, STARTS) for question in QUESTIONS]


if __name__ == "__main__":
    answer("inverse_kinematics_general", once, SECONDS, processes=1)
