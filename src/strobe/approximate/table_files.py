"""Tables in .npz files: what is stored, how it is laid out, and with which robot it was made.

A file holds plain arrays and one line of JSON that describes them. It is written whole or not at all, and read only
for a robot that computes what the one it was made with did.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe import approximate
from strobe.approximate.grid_interpolation import INTERPOLATIONS, Multiple, Part, Plan
from strobe.approximate.grids import Axis
from strobe.approximate.provenance import SHAPES, Place, require_npz, require_same, write
from strobe.errors import ArgumentError
from strobe.files.arrays import misfit, read_arrays
from strobe.files.reading import parsed_json
from strobe.robot import Robot, require_robot

if TYPE_CHECKING:
    from strobe.approximate.tables import TableMethod

Array = np.ndarray
WHAT = "a table"
KINDS = {
    "complete-table": "CompleteTable",
    "raibert": "Raibert",
    "horn-raibert": "HornRaibert",
    "cmac": "CMAC",
}


def save(table: TableMethod, path: Place, *, force: bool = False) -> None:
    """A table as a file; an existing one is replaced only with ``force``."""
    described, arrays = table.kept()
    text = json.dumps({"table": table.name, **described})
    write(path, WHAT, table.robot, {"description": np.array(text), **arrays}, force=force)


def load_table(path: Place, robot: Robot) -> TableMethod:
    """The table in a file, for the robot it was made with; any other is refused, saying what has changed."""
    require_robot(robot)
    require_npz(path, WHAT)
    arrays = read_arrays(path)
    if wrong := misfit(arrays, SHAPES | {"description": "text"}):
        raise ArgumentError(f"{fspath(path)}: no table that was saved here ({wrong}).")
    try:
        described = parsed_json(str(arrays["description"]))
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"{fspath(path)}: no table that was saved here ({error}).") from None
    try:
        kind = getattr(approximate, KINDS[described["table"]])
        require_same(arrays, robot, f"the table in {fspath(path)}")
        return kind.restored(robot, described, arrays)
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ArgumentError(f"{fspath(path)}: no table that was saved here ({error}).") from None


def described_axis(axis: Axis) -> dict[str, Any]:
    """An axis as plain data."""
    return {name: getattr(axis, name) for name in Axis.__dataclass_fields__}


def described_plan(plan: Plan) -> dict[str, Any]:
    """A plan as plain data."""
    return {
        "axes": [described_axis(axis) for axis in plan.axes],
        "parts": [[part.variables, part.numbers] for part in plan.parts],
        "multiples": [[each.number, each.of, each.factor, each.offset] for each in plan.multiples],
        "constants": plan.constants,
        "interpolation": plan.interpolation,
        "derivatives": plan.derivatives,
    }


def restored_plan(described: Mapping[str, Any], robot: Robot, numbers: int) -> Plan:
    """A plan from plain data, of so many numbers over the joints of a robot."""
    plan = Plan(
        restored_axes(described["axes"], robot),
        tuple(Part(tuple(variables), tuple(numbers)) for variables, numbers in described["parts"]),
        tuple(Multiple(*each) for each in described["multiples"]),
        tuple(map(float, described["constants"])),
        described["interpolation"],
        bool(described["derivatives"]),
    )
    kept = {number for part in plan.parts for number in part.numbers}
    variables = {k for part in plan.parts for k in part.variables}
    whole = kept | {each.number for each in plan.multiples} <= set(range(numbers))
    known = {each.of for each in plan.multiples} <= kept and variables <= set(range(len(plan.axes)))
    if plan.interpolation not in INTERPOLATIONS or len(plan.constants) != numbers or not (whole and known):
        raise KeyError("what it describes is not what such a table holds")
    return plan


def restored_axes(described: Sequence[Mapping[str, Any]], robot: Robot) -> tuple[Axis, ...]:
    """Axes from plain data, over all joints of a robot."""
    axes = tuple(Axis(**axis) for axis in described)
    names = robot.joint_names
    if tuple(axis.joint for axis in axes) != names * (len(axes) // len(names)):
        raise KeyError("its axes are not those of the joints")
    if not all(axis.points > 1 and axis.lower < axis.upper for axis in axes):
        raise KeyError("one of its axes is none")
    return axes


def require_shape(name: str, array: Array, shape: tuple[int, ...]) -> Array:
    """An array of a file as it must be, or a refusal of the file."""
    if array.shape != shape or array.dtype != np.float64:
        raise KeyError(f"{name} is {array.dtype} of shape {array.shape}; expected float64 of shape {shape}")
    return array
