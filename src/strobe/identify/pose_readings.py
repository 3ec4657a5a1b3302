"""What was measured of a hand, checked: whole poses, positions, or distances from a fixed point; and files of them.

    poses       (N, 4, 4)       of a target at the hand, in the axes of what measures
    positions   (N, 3)
    distances   (N,)            of a wire or a ball bar, from where it is anchored

A file is a table: q1 … qn or the joints' names, and beside them x, y, z with qw, qx, qy, qz or roll, pitch, yaw
(about fixed axes x, y, z) or neither, or distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from strobe.errors import ArgumentError, ShapeError, counted, shown
from strobe.identify.log_tables import Faults, LogTable, read_parquet_table, read_text_table
from strobe.models.placements import ORTHOGONAL
from strobe.robot import Robot, require_robot

Array = np.ndarray

KINDS = {"poses": 6, "positions": 3, "distances": 1}  # numbers of an error
QUATERNION, ANGLES = ("qw", "qx", "qy", "qz"), ("roll", "pitch", "yaw")


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """Joint positions and what was measured at each, of one kind."""

    q: Array  # (N, nq)
    measured: Array  # (N, 12), (N, 3) or (N, 1): a rotation row by row and a position, or less
    kind: str

    def __len__(self) -> int:
        return len(self.q)

    @property
    def errors(self) -> int:
        """Numbers that one reading tells."""
        return KINDS[self.kind]

    @property
    def rotations(self) -> Array:
        return self.measured[:, :9].reshape(-1, 3, 3)

    @property
    def positions(self) -> Array:
        return self.measured[:, -3:]


def readings(robot: Robot, q: Any, poses: Any, name: str = "poses") -> Readings:
    """What was measured, refused where it cannot be."""
    given, positions = _numbers(name, poses), _numbers("q", q)
    if positions.shape != (len(given), robot.nq):
        raise ShapeError(
            "q",
            positions.shape,
            f"({len(given)}, {robot.nq})",
            f"there is one row for each of {name}, {robot.nq} numbers in it",
        )
    for what, array in (("q", positions), (name, given)):
        bad = np.flatnonzero(~np.isfinite(array.reshape(len(array), -1)).all(axis=1))
        if len(bad):
            raise ArgumentError(
                f"{what} has a number that is none in row {bad[0] + 1}; leave out what was not measured."
            )
    if given.shape[1:] == (4, 4):
        _require_placements(name, given)
        rows = np.concatenate([given[:, :3, :3].reshape(-1, 9), given[:, :3, 3]], axis=1)
        return Readings(positions, rows, "poses")
    if given.shape[1:] == (3,):
        return Readings(positions, given, "positions")
    if given.ndim == 1:
        if (given <= 0).any():
            raise ArgumentError(f"{name}: a distance is {given.min():g}; distances are positive.")
        return Readings(positions, given[:, None], "distances")
    raise ShapeError(
        name,
        given.shape,
        "(N, 4, 4), (N, 3) or (N,)",
        "they are whole poses, positions or distances, a row each",
    )


def _numbers(name: str, given: Any) -> Array:
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name} is {shown(given)}; expected numbers.") from None
    if found.ndim == 0 or not len(found):
        raise ArgumentError(f"{name} is empty; there is nothing to calibrate with.")
    return found


def _require_placements(name: str, T: Array) -> None:
    """Refuse 4×4 arrays that are no placements, and say why."""
    R = T[:, :3, :3]
    off = np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    for k in np.flatnonzero(
        (off > ORTHOGONAL) | (np.linalg.det(R) < 0) | (T[:, 3] != [0, 0, 0, 1]).any(axis=1)
    )[:1]:
        what = f"{name}: row {k + 1}"
        if (T[k, 3] != [0, 0, 0, 1]).any():
            raise ArgumentError(
                f"{what} ends in {T[k, 3].tolist()}; the last row of a placement is 0, 0, 0, 1."
            )
        if off[k] <= ORTHOGONAL:
            raise ArgumentError(
                f"{what} is mirrored (its determinant is −1); one of its axes has the other sign."
            )
        raise ArgumentError(
            f"{what} is no rotation: its axes are off by {off[k]:.2g} from length one and right angles."
        )


# -- files ------------------------------------------------------------------------------------------


def read_poses(path: str | PathLike[str], robot: Robot, *, degrees: bool = False) -> tuple[Array, Array]:
    """Joint positions (N, nq) and what was measured, as `calibrate` takes them, from a table (.csv, .parquet).

    With ``degrees`` all angles of the file are degrees.
    """
    require_robot(robot)
    where = Path(path)
    faults = Faults(where)
    table = (
        read_parquet_table(where)
        if where.suffix.lower() == ".parquet"
        else read_text_table(where, faults, None)
    )
    joints = _joints(where, table, robot)
    said = {name.strip().lower(): k for k, name in enumerate(table.names)}
    measured = _measured(where, said)
    found = table.numbers([*joints, *(said[name] for name in measured)], faults)
    faults.raise_if_any()
    q, values = found[:, : len(joints)], found[:, len(joints) :]
    if degrees:
        turning = [joint.angular for joint in robot.coordinates.joints]
        q = np.where(turning, np.radians(q), q)
    return q, _as_measured(where, values, measured, degrees)


def _joints(where: Path, table: LogTable, robot: Robot) -> list[int]:
    lowered = [name.strip().lower() for name in table.names]
    for wanted in ([f"q{k + 1}" for k in range(robot.nq)], [name.lower() for name in robot.joint_names]):
        if all(name in lowered for name in wanted):
            return [lowered.index(name) for name in wanted]
    raise ArgumentError(
        f"{where}: the positions of {counted(robot.nq, 'joint')} are not there; expected columns q1 to "
        f"q{robot.nq} or {', '.join(robot.joint_names)}."
    )


def _measured(where: Path, said: dict[str, int]) -> tuple[str, ...]:
    position = ("x", "y", "z")
    for wanted in ((*position, *QUATERNION), (*position, *ANGLES), position, ("distance",)):
        if all(name in said for name in wanted):
            return wanted
    raise ArgumentError(
        f"{where}: what was measured is not there; expected columns x, y, z, with qw, qx, qy, qz or roll, pitch, yaw "
        "or neither, or distance."
    )


def _as_measured(where: Path, values: Array, names: tuple[str, ...], degrees: bool) -> Array:
    if len(names) <= 3:
        return values[:, 0] if len(names) == 1 else values
    T = np.tile(np.eye(4), (len(values), 1, 1))
    T[:, :3, 3] = values[:, :3]
    if names[3:] == QUATERNION:
        length = np.linalg.norm(values[:, 3:], axis=1)
        wrong = np.flatnonzero(~(np.abs(length - 1) < 1e-3))
        if len(wrong):
            raise ArgumentError(
                f"{where}: row {wrong[0] + 1} has a quaternion of length {length[wrong[0]]:.4g}; it is 1."
            )
        T[:, :3, :3] = Rotation.from_quat(values[:, [4, 5, 6, 3]]).as_matrix()
    else:
        T[:, :3, :3] = Rotation.from_euler("xyz", values[:, 3:], degrees=degrees).as_matrix()
    return T
