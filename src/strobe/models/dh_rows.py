"""Robots from the rows of a Denavit-Hartenberg table, as Python has them: what a TOML file says, without the file.

    [("R", θ, d, a, α), …]    or    [{"joint": "R", "a": 0.35, "mass": 6.0}, …]

Rows become the `[[dh.link]]` of a robot file and go through its reader: the same keys, units, checks and sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from strobe.errors import ArgumentError, nearest, shown
from strobe.files.faults import Faults
from strobe.models.joints import FIXED, KINDS, SINGLE
from strobe.models.load import require_snap
from strobe.models.model import Model
from strobe.models.toml_reader import FORMAT, read_data

COLUMNS = ("joint", "theta", "d", "a", "alpha")
WORDS = {KINDS[kind].random_letter: kind for kind in SINGLE} | {
    kind: kind for kind in (*SINGLE, FIXED.name)
}
ROWS = "<rows>"  # in the place of a file


def read_dh(
    rows: Any, convention: str = "standard", columns: Sequence[str] = COLUMNS, *, degrees: bool = False,
    name: str = "robot", gravity: Any = None, snap: float | None = None, strict: bool = False,
) -> Model:  # fmt: skip
    """The model of a table, or a `ModelFileError` with every fault of it."""
    require_snap(snap)
    _require_columns(columns)
    if isinstance(rows, str | bytes | Mapping) or not hasattr(rows, "__iter__"):
        raise ArgumentError(f"rows is {shown(rows)}; expected a list of rows, one for each joint.")
    links = [_link(row, k, columns) for k, row in enumerate(rows, 1)]
    data = {
        "format": FORMAT,
        "name": name,
        "dh": {"convention": convention, "degrees": degrees, "link": links},
        "base": {} if gravity is None else {"gravity": _plain(gravity)},
    }
    return read_data(data, Faults(ROWS, strict), snap)


def _require_columns(columns: Sequence[str]) -> None:
    if not isinstance(columns, list | tuple) or sorted(map(str, columns)) != sorted(COLUMNS):
        raise ArgumentError(f"columns is {shown(columns)}; expected {', '.join(COLUMNS)} in any order.")


def _link(row: Any, k: int, columns: Sequence[str]) -> dict[str, Any]:
    """A row as a table of a robot file."""
    if isinstance(row, Mapping):
        link = {str(key): _plain(value) for key, value in row.items()}
    else:
        values = _plain(row)
        if not isinstance(values, list) or len(values) != len(columns):
            expected = f"({', '.join(columns)}), or a mapping of these and more"
            raise ArgumentError(f"row {k} is {shown(row)}; expected {expected}.")
        link = dict(zip(columns, values, strict=True))
    return link | {"joint": _kind(link.get("joint"), k)}


def _kind(joint: Any, k: int) -> str:
    if isinstance(joint, str) and joint in WORDS:
        return WORDS[joint]
    hint = nearest(joint, WORDS) if isinstance(joint, str) else ""
    raise ArgumentError(f'row {k} has the joint {shown(joint)}; expected "R" or "P".{hint}')


def _plain(value: Any) -> Any:
    """A value as a TOML file would give it: lists for tuples and arrays, Python's numbers for NumPy's."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return _plain(value.tolist()) if hasattr(value, "tolist") else value
