"""From measured poses to a robot whose joints are where they really are, within what poses can tell.

Where the base and the target are is found first, with the robot as it was given; then the moves of its joints that
the readings tell apart, with both. What a robot's own axes leave open is known from states all over its range: a
general arm of R turning and P sliding joints has 4R + 2P + 6 placements that whole poses tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strobe.errors import ArgumentError, UnsupportedModelError, counted
from strobe.identify.calibration import WORDS, Calibration, Misses
from strobe.identify.payload_readings import owners
from strobe.identify.placement_moves import moves_of
from strobe.identify.pose_errors import ENDS, Placed, PoseErrors
from strobe.identify.pose_fit import first_guess, fit, rms, told
from strobe.identify.pose_readings import Readings, readings
from strobe.models.arguments import finite_numbers
from strobe.models.placements import is_placement
from strobe.robot import Robot, require_robot

Array = np.ndarray

STATES = 60  # all over a robot's range
SCALE = 30.0  # how much farther targets may seem to go than the hand does
POOR = 0.03  # of the reach: with errors beyond that columns are doubted
BETTER = 3.0  # times smaller errors, which make a doubt
APART = 1e-4  # m or rad: a joint that moves less stands


def calibrate(
    robot: Robot, q: Any, poses: Any, *, frame: str | None = None, parameters: str | None = None, base: Any = None,
    tool: Any = None, noise: Any = None, test: tuple[Any, Any] | None = None,
) -> Calibration:  # fmt: skip
    """Where a robot's joints are, from poses that were measured of a target at its hand.

    ``poses`` are whole ones (N, 4, 4), positions (N, 3) or distances (N,) from a fixed point, one for each row of
    ``q``. The target is fixed to ``frame`` (the tip). ``parameters`` are "dh" or "origins" (of each joint); as the
    robot is given if not said. ``base`` and ``tool`` are placements (4, 4) of the robot in the axes of what measures
    and of the target in those of the frame; they are found where they are not given. ``noise`` is the standard
    deviation of one number (m), of poses with one of rotations (rad); taken from what is left over if not known.
    ``test`` is (q, poses) that are not fitted, and tell how far the result can be trusted.
    """
    require_robot(robot)
    if robot.model.is_closed:
        raise UnsupportedModelError(f"{robot.name} has closed chains; arms and trees are calibrated.")
    where = robot.moving_frame(frame)
    read = readings(robot, q, poses)
    ends = _given("base", base), _given("tool", tool)
    sigma = _noise(noise, read)
    errors = PoseErrors(robot, where, moves_of(robot.model, where, parameters), read.kind)
    hand = robot.forward_kinematics(read.q, frame=where)
    _require_scale(read, hand)
    start = first_guess(errors, read, hand, *ends)
    free = [
        *(k for k, place in enumerate(ENDS) if (base if place.place == "base" else tool) is None),
        *range(len(ENDS), len(errors.moves)),
    ]
    everywhere = _everywhere(robot, where, read, start)
    apart = told(errors, everywhere, start, free)[0]
    _require_enough(read, len(apart), errors)
    before = rms(errors(read, start))
    remarks = [*_standing(robot, read), *_doubts(robot, where, errors, read, ends, before)]
    found = fit(errors, read, start, free, sigma)
    if not found.converged:
        remarks.append("No placements were found that fit best; what is told is as near as it came.")
    misses = [Misses(False, len(read), before, rms(errors(read, found.placed)))]
    if test is not None:
        misses.append(_held_out(robot, errors, test, start, found.placed))
    names = [move.name for move in errors.moves]
    left = tuple(names[k] for k in apart if k not in found.kept)
    return Calibration(robot, where, read.kind, errors.joints, found, tuple(misses), left, tuple(remarks))


def _given(name: str, value: Any) -> Array | None:
    """A placement that is known."""
    if value is None:
        return None
    T = np.asarray(value, dtype=float) if np.shape(value) == (4, 4) else np.full((4, 4), np.nan)
    if not is_placement(T) or (T[3] != [0, 0, 0, 1]).any():
        raise ArgumentError(
            f"{name} is no placement: expected a rotation and a position as an array (4, 4)."
        )
    return T


def _noise(noise: Any, read: Readings) -> Array | None:
    if noise is None:
        return None
    count = 2 if read.kind == "poses" else 1
    found = np.array(
        finite_numbers("noise", np.atleast_1d(np.asarray(noise, dtype=object)).tolist(), count)
    )
    if (found <= 0).any():
        raise ArgumentError(f"noise has {found.min():g}; a standard deviation is positive.")
    return found


def _held_out(
    robot: Robot, errors: PoseErrors, test: tuple[Any, Any], start: Placed, end: Placed
) -> Misses:
    other = readings(robot, *test, "test")
    if other.kind != errors.kind:
        raise ArgumentError(
            f"test holds {other.kind}, and {errors.kind} are fitted; give what was measured alike."
        )
    return Misses(True, len(other), rms(errors(other, start)), rms(errors(other, end)))


# -- what can be told -------------------------------------------------------------------------------


def _everywhere(robot: Robot, frame: str, read: Readings, now: Placed) -> Readings:
    """Readings as they would be all over the robot's range."""
    q = robot.random_state(seed=0, batch=STATES)[0]
    T = now.base @ robot.forward_kinematics(q, frame=frame) @ now.tool
    p = T[:, :3, 3]
    whole = {
        "poses": np.concatenate([T[:, :3, :3].reshape(-1, 9), p], axis=1),
        "positions": p,
        "distances": np.linalg.norm(p, axis=1)[:, None],
    }
    return Readings(q, whole[read.kind], read.kind)


def _require_enough(read: Readings, unknowns: int, errors: PoseErrors) -> None:
    numbers, each = len(read) * read.errors, WORDS[read.kind]
    if numbers <= unknowns:
        raise ArgumentError(
            f"{counted(len(read), each)} tell {counted(numbers, 'number')}, and {errors.robot.name} has {unknowns} "
            f"placements to be found: measure at least {unknowns // read.errors + 1}, better three times as many."
        )


# -- what seems wrong -------------------------------------------------------------------------------


def _require_scale(read: Readings, hand: Array) -> None:
    """Refuse what no target at the hand can have done."""
    p = hand[:, :3, 3]
    reach = float(np.sqrt(((p - p.mean(axis=0)) ** 2).sum(axis=1).mean()))
    m = read.measured if read.kind == "distances" else read.positions
    spread = float(np.sqrt(((m - m.mean(axis=0)) ** 2).sum(axis=1).mean()))
    if reach < APART:
        raise ArgumentError("q: the hand stays where it is in all rows; poses tell of joints that move it.")
    if spread > SCALE * reach:
        unit = " They seem to be in mm: divide them by 1000." if 300 < spread / reach < 3000 else ""
        raise ArgumentError(
            f"{read.kind} are spread over {spread:.4g} m, where the hand goes {reach:.3g} m (root mean squares)."
            f"{unit}"
        )


def _standing(robot: Robot, read: Readings) -> list[str]:
    joints = robot.coordinates.joints
    still = [joint.name for joint in joints if np.ptp(read.q[:, joint.q], axis=0).max(initial=0.0) < APART]
    return [f"{name} does not move: what only such a motion tells is not known." for name in still]


def _doubts(
    robot: Robot, frame: str, errors: PoseErrors, read: Readings, ends: Sequence[Array | None], before: Array
) -> list[str]:  # fmt: skip
    """What other reading would fit far better."""
    p = robot.forward_kinematics(read.q, frame=frame)[:, :3, 3]
    reach = float(np.sqrt(((p - p.mean(axis=0)) ** 2).sum(axis=1).mean()))
    if before.max() < POOR * max(reach, 1.0 if len(before) > 1 else reach):
        return []
    found = []
    for said, other in _other_readings(robot, read):
        there = first_guess(errors, other, robot.forward_kinematics(other.q, frame=frame), *ends)
        after = rms(errors(other, there))
        if (after * BETTER < before).all():
            found.append((float(after[0]), f"{said}: errors of {before[0]:.3g} m become {after[0]:.3g} m."))
    return [text for _, text in sorted(found)[:1]]


def _other_readings(robot: Robot, read: Readings) -> list[tuple[str, Readings]]:
    joints = robot.coordinates.joints
    turning = np.concatenate([np.full(joint.nq, joint.angular) for joint in joints])
    found = [
        (
            "the angles seem to be in degrees",
            Readings(np.where(turning, np.radians(read.q), read.q), read.measured, read.kind),
        )
    ]
    for k, name in enumerate(owners(robot) if robot.coordinates.is_single else ()):
        q = read.q * np.where(np.arange(robot.nq) == k, -1.0, 1.0)
        found.append(
            (f"the position of {name} seems to have the other sign", Readings(q, read.measured, read.kind))
        )
    if read.kind == "poses":
        turned = read.rotations.transpose(0, 2, 1)
        rows = np.concatenate([turned.reshape(-1, 9), read.positions], axis=1)
        found.append(("the rotations seem to be transposed", Readings(read.q, rows, read.kind)))
        back = np.concatenate(
            [turned.reshape(-1, 9), -np.einsum("nij,nj->ni", turned, read.positions)], axis=1
        )
        found.append(("the poses seem to be inverted", Readings(read.q, back, read.kind)))
    return found
