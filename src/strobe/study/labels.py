"""Names for the single numbers of q, of qd and of tau: a joint's own name where it has one number."""

from __future__ import annotations

from strobe.robot import Robot

POSITIONS = {"spherical": ("qw", "qx", "qy", "qz"), "floating": ("x", "y", "z", "qw", "qx", "qy", "qz")}
RATES = {"spherical": ("wx", "wy", "wz"), "floating": ("vx", "vy", "vz", "wx", "wy", "wz")}
LETTERS = {"revolute": "R", "continuous": "R", "prismatic": "P", "spherical": "S", "floating": "F"}


def position_labels(robot: Robot) -> list[str]:
    """One name per number of q."""
    return _labels(robot, POSITIONS)


def rate_labels(robot: Robot) -> list[str]:
    """One name per degree of freedom."""
    return _labels(robot, RATES)


def _labels(robot: Robot, parts: dict[str, tuple[str, ...]]) -> list[str]:
    return [
        f"{joint.name}_{part}" if part else joint.name
        for joint in robot.coordinates.joints
        for part in parts.get(joint.kind, ("",))
    ]


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
