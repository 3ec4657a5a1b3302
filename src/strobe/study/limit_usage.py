"""How much of its limits a motion uses: velocities, accelerations and torques, joint by joint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from strobe.equations.meaning import units_of
from strobe.errors import counted
from strobe.robot import Robot
from strobe.show.tables import in_units, table, tidy
from strobe.show.terminal import Table
from strobe.trajectory.figure import instants
from strobe.trajectory.motion import Trajectory

LOOKS = 4000  # instants at which torques are looked at; velocities and accelerations are exact
BEYOND = 1 + 1e-9  # of a limit: it is exceeded


def shares(robot: Robot, motion: Trajectory, bounds: Any) -> dict[str, Any]:
    """The largest magnitudes (n,) of a motion, each as a number and as a share of its bound (NaN without one)."""
    used = {"velocity": _largest(motion, 1), "acceleration": _largest(motion, 2)}
    if not robot.model.without_dynamics:
        used["torque"] = np.abs(robot.inverse_dynamics(*motion(instants(motion, LOOKS)))).max(axis=0)
    limits = {"velocity": bounds.velocity, "acceleration": bounds.acceleration, "torque": bounds.effort}
    part = {
        name: np.where(np.isfinite(limits[name]), values / limits[name], np.nan)
        for name, values in used.items()
    }
    ends = motion(np.array([0.0, motion.duration])).q
    return {
        "joints": list(motion.joint_names),
        "units": units_of(robot),
        "from": ends[0],
        "to": ends[1],
        "largest": used,
        "shares": part,
    }


def _largest(motion: Trajectory, order: int) -> np.ndarray:
    found = motion.extremes(order)
    return np.maximum(-found.least, found.largest)


def beyond(data: Mapping[str, Any]) -> list[str]:
    """A sentence about torques that exceed their limits, if any do."""
    part = np.nan_to_num(data["shares"].get("torque", np.zeros(len(data["joints"]))))
    count, worst = int((part > BEYOND).sum()), int(np.argmax(part))
    if not count:
        return []
    others = "" if count == 1 else f", and {counted(count - 1, 'other joint')} more than theirs"
    return [f'joint "{data["joints"][worst]}" needs {percent(part[worst])} of its torque limit{others}.']


def percent(share: float | None) -> str:
    """A share to read; nothing where there is none."""
    if share is None or np.isnan(share):
        return ""
    return f"{100 * share:.3g} %" if share < 10 else f"{100 * share:,.0f} %"


def shares_table(data: Mapping[str, Any]) -> Table:
    """Joint by joint: where it goes, and its largest velocity, acceleration and torque with their shares."""
    names = list(data["largest"])
    units = data["units"]
    ends = [in_units(name, "position", units) for name in ("from", "to")]
    head = ["joint", *ends, *(word for name in names for word in (in_units(name, name, units), "of limit"))]
    ends = tidy([data["from"], data["to"]])
    largest = {name: tidy(values) for name, values in data["largest"].items()}
    rows = [
        [
            joint,
            ends[0][j],
            ends[1][j],
            *(x for name in names for x in (largest[name][j], percent(data["shares"][name][j]))),
        ]
        for j, joint in enumerate(data["joints"])
    ]
    return table(head, rows)
