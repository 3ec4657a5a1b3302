"""Inverse kinematics in closed form: are all branches of 10,000 random poses right, and how fast are they?

One call on one thread: poses checked, all branches, in order within the limits and by distance, each put back into
the forward kinematics (``ours_us``); the closed form with its order alone (``closed_form_us``); a call with one pose
(``one_call_us``). The package EAIK, which gives the branches alone, is asked in turn where it can be imported (see
`eaik_peer`); it takes no slides.
"""

from __future__ import annotations

import numpy as np

import strobe
from benchmarks import eaik_peer
from benchmarks.timer import Row, answer
from strobe.compiler.runtime.timing import Way, best_times
from strobe.kinematics.analytic import closed_form, recognise
from strobe.kinematics.serial_chain import serial
from strobe.kinematics.solutions import Solutions, SolutionStatus

SECONDS = 2.0
POSES = 10_000
COMPARED = 1_000  # poses whose solutions are counted by both
LARGEST_RESIDUAL = 1e-10


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    names = ["stanford"] if small else ["stanford", "puma560", "ur5"]
    return [_row(strobe.load(name), 64 if small else POSES, seconds) for name in names]


def _row(robot: strobe.Robot, count: int, seconds: float) -> Row:
    arm = serial(robot)
    method = recognise(arm)
    assert method is not None
    q = robot.random_state(seed=1, batch=count)[0]
    poses = robot.forward_kinematics(q)
    found = robot.inverse_kinematics(poses)
    right = _checked(robot, found, q)
    kernel = closed_form(arm, method)
    rows, near = np.ascontiguousarray(poses[:, :3]).reshape(-1, 12), np.zeros((count, robot.n))
    times = best_times(
        {
            "ours_us": Way(lambda: robot.inverse_kinematics(poses, threads=1), [()]),
            "closed_form_us": Way(lambda: kernel(rows, near, threads=1), [()]),
            "one_call_us": Way(lambda: robot.inverse_kinematics(poses[0], q0=q[0]), [()]),
        },
        seconds,
    )
    measured = {name: 1e6 * time / (1 if name == "one_call_us" else count) for name, time in times.items()}
    row = {"robot": robot.name, "recognised": found.recognised, "N": count, **right, **measured}
    if eaik_peer.interpreter() and arm.revolute.all():
        theirs = eaik_peer.ask(arm.axes, arm.points, arm.home, poses[:COMPARED])
        same = np.mean(np.array(theirs["counts"]) == found.count[:COMPARED])
        row |= {"eaik_us": theirs["us"], "same_counts": float(same), "ratio": theirs["us"] / row["ours_us"]}  # pyright: ignore
    return row


def _checked(robot: strobe.Robot, found: Solutions, q: np.ndarray) -> Row:
    """How good the answer is; a wrong one ends the benchmark."""
    turns = [joint.turns for joint in robot.coordinates.joints]
    apart = found.q - q[:, None]
    apart = np.abs(np.where(turns, np.angle(np.exp(1j * apart)), apart)).max(-1)
    missed = float(np.nanmin(apart, axis=-1).max())
    residual = float(np.nanmax(found.residual))
    if residual > LARGEST_RESIDUAL or missed > 1e-6 or (found.status != SolutionStatus.SOLVED).any():
        raise SystemExit(
            f"{robot.name}: residual {residual:.1e}, {missed:.1e} from where the poses came from."
        )
    return {"solutions": float(found.count.mean()), "largest_residual": residual, "found_again": missed}


if __name__ == "__main__":
    answer("inverse_kinematics_analytic", once, SECONDS, processes=3)
