"""The forces that hold closed chains together, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from strobe.robot import Robot
from strobe.show.tables import remark, table, tidy
from strobe.show.terminal import Table

HOW = "force (N) and moment (N m) of the link of the first frame on that of the second, at its origin, base axes"


def measured(robot: Robot, q: Any, qd: Any, qdd: Any, **loads: Any) -> dict[str, Any]:
    """The forces at one state, as data."""
    from strobe.mechanisms.loop_forces import loop_forces
    from strobe.mechanisms.mobility import by_loop  # every verb imports the study: mechanisms wait

    found = loop_forces(robot, q, qd, qdd, **loads)
    frames = {loop.name: [loop.frame_a, loop.frame_b] for loop in robot.model.loops}
    return {
        "multipliers": found.multipliers,
        "loops": [
            {"name": name, "frames": frames[name], "wrench": F} for name, F in found.wrenches.items()
        ],
        "curves": [{"name": name, "torque": float(torque)} for name, torque in found.torques.items()],
        "undetermined": by_loop(found.undetermined),
        "remarks": found.remarks,
    }


def shown(data: Mapping[str, Any]) -> Iterator[Any]:
    """The same as a person reads it."""
    if data["loops"] and not np.isnan(data["multipliers"]).any():
        yield remark(HOW)
        yield _table(data)
    for curve in data["curves"]:
        yield f"{curve['name']}: a torque of {curve['torque']:.6g} keeps it on its curve"
    yield from map(remark, data["remarks"])


def _table(data: Mapping[str, Any]) -> Table:
    values = tidy([row["wrench"] for row in data["loops"]])
    rows = [[row["name"], *row["frames"], *F] for row, F in zip(data["loops"], values, strict=True)]
    return table(
        ["loop", "of", "on", *(f"f{axis} (N)" for axis in "xyz"), *(f"m{axis} (N m)" for axis in "xyz")],
        rows,
    )
