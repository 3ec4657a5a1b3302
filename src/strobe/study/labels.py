"""Names for the single numbers of q, of qd and of tau: a joint's own name where it has one number."""

from __future__ import annotations

from strobe.robot import Robot

LETTERS = {"revolute": "R", "continuous": "R", "prismatic": "P", "spherical": "S", "floating": "F"}


def position_labels(robot: Robot) -> list[str]:
    """One name per number of q."""
    return [name for joint in robot.coordinates.joints for name in joint.position_names]


def rate_labels(robot: Robot) -> list[str]:
    """One name per degree of freedom."""
    return [name for joint in robot.coordinates.joints for name in joint.rate_names]


def pattern(robot: Robot) -> str:
    """The kinds of the independent joints in short: 2RP3R."""
    runs: list[tuple[str, int]] = []
    for joint in robot.coordinates.joints:
        letter = LETTERS[joint.kind]
        if runs and runs[-1][0] == letter:
            runs[-1] = letter, runs[-1][1] + 1
        else:
            runs.append((letter, 1))
    return "".join(f"{count}{letter}" if count > 1 else letter for letter, count in runs)
