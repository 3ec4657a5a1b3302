"""The wrench that a sensor recorded beside a motion: six columns of the log, in base axes or in those of the sensor.

    wrench=8:13                       six columns in a row, counted from 1, ends included
    wrench=fx,fy,fz,mx,my,mz          or six by name or number

Force, then moment, of what the world does to the robot at the origin of a frame. In sensor axes they are turned with
the frame: F = R F', M = R M', R its orientation at each row.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from strobe.errors import ArgumentError, counted, nearest
from strobe.identify.log_tables import Faults, LogTable, Watch, read_parquet_table, read_text_table

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")
AXES = ("base", "sensor")


def read_wrenches(path: Path, columns: str, watch: Watch | None = None) -> tuple[Array, list[str]]:
    """The wrench of every row (N, 6) of a log as a table, and the names of its columns."""
    if path.suffix.lower() in (".json", ".npz", ".mcap"):
        raise ArgumentError(
            f"{path}: wrenches are read from the columns of a table (.csv, .parquet), and this is none. "
            "A wrench that does not change: wrench=fx,fy,fz,mx,my,mz as numbers."
        )
    faults = Faults(path)
    table = (
        read_parquet_table(path)
        if path.suffix.lower() == ".parquet"
        else read_text_table(path, faults, watch)
    )
    places = _places(table, columns)
    found = table.numbers(places, faults)
    faults.raise_if_any()
    return found, [table.names[place] for place in places]


def in_base_axes(robot: Robot, q: Array, wrench: Array, frame: str | None) -> Array:
    """Wrenches (..., 6) that are given in the axes of a frame, turned into base axes at positions q."""
    R = robot.forward_kinematics(q, frame)[..., :3, :3]
    return np.concatenate(
        [np.einsum("...ij,...j->...i", R, wrench[..., k : k + 3]) for k in (0, 3)], axis=-1
    )


def _places(table: LogTable, columns: str) -> list[int]:
    """The six columns that a range or a list of names and numbers stands for."""
    words = [word.strip() for word in columns.split(",") if word.strip()]
    if len(words) == 1 and ":" in words[0]:
        first, last = (_place(table, word) for word in words[0].split(":", 1))
        found = list(range(first, last + 1))
    else:
        found = [_place(table, word) for word in words]
    if len(found) != len(COMPONENTS):
        raise ArgumentError(
            f"wrench columns: {columns} are {counted(len(found), 'column')}; a wrench has six, "
            f"{' '.join(COMPONENTS)} (8:13, or six names)."
        )
    return found


def _place(table: LogTable, word: str) -> int:
    if word.isdecimal() and 1 <= int(word) <= len(table.names):
        return int(word) - 1
    lowered = [name.strip().lower() for name in table.names]
    if lowered.count(word.strip().lower()) == 1:
        return lowered.index(word.strip().lower())
    raise ArgumentError(
        f'wrench columns: no column "{word}".{nearest(word, table.names)} There are {len(table.names)}, counted '
        "from 1."
    )
