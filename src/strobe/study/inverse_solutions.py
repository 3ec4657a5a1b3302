"""What inverse kinematics found for one pose, as data and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from strobe.errors import counted
from strobe.kinematics.joint_ranges import ranges_of
from strobe.kinematics.solutions import Solutions, SolutionStatus
from strobe.kinematics.workspace import moving_numbers
from strobe.robot import Robot
from strobe.show.sheet import tiny
from strobe.show.tables import short, table, tidy
from strobe.show.terminal import Table

SIDE_BY_SIDE = 8  # numbers of a solution that stand in one row
STATUS = {
    SolutionStatus.SOLVED: "solved",
    SolutionStatus.LIMITS: "outside the limits",
    SolutionStatus.UNREACHABLE: "unreachable",
    SolutionStatus.NOT_CONVERGED: "not found",
    SolutionStatus.INVALID: "not a pose",
}


def answer(robot: Robot, frame: str, found: Solutions) -> dict[str, Any]:
    """The solutions of one pose, the best first, each with its branch and the bounds that it breaks."""
    count = int(found.count)
    labels = robot.coordinates.position_names
    moving = [name for name, moves in zip(labels, moving_numbers(robot, frame), strict=True) if moves]
    return {
        "recognised": found.recognised,
        "parameter": found.parameter,
        "status": STATUS[SolutionStatus(int(found.status))],
        "reason": " ".join(found.reasons),
        "count": count,
        "within_limits": int(found.within.sum()),
        "iterations": None if found.iterations is None else int(found.iterations),
        "joints": labels,
        "moving": moving,
        "units": _units(robot, moving),
        "solutions": [_solution(robot, found, k, labels) for k in range(count)],
    }


def _units(robot: Robot, names: Sequence[str]) -> list[str]:
    """The unit of every position; of parts of quaternions and of a place of a base, by what they are."""
    found: dict[str, str] = {}
    for joint in robot.coordinates.joints:
        found |= dict(zip(joint.position_names, joint.position_units, strict=True))
    return [found[name] for name in names]


def _solution(robot: Robot, found: Solutions, k: int, labels: Sequence[str]) -> dict[str, Any]:
    marked = [
        [] if marks is None else np.flatnonzero(marks[k]).tolist() for marks in (found.free, found.double)
    ]
    free, double = ([labels[i] for i in each] for each in marked)
    return {
        "branch": found.branch_name(k),
        "q": found.q[k],
        "residual": float(found.residual[k]),
        "within": bool(found.within[k]),
        "beyond": [
            {"joint": each.joint, "bound": each.side, "limit": each.limit, "by": each.by}
            for each in ranges_of(robot).beyond(found.q[k])
        ],
        "free": free,
        "double": double,
    }


# -- tables -------------------------------------------------------------------------------------------


def answer_table(data: Mapping[str, Any], most: int | None = None) -> Table:
    """Solutions in rows; where a robot has many joints, in columns."""
    shown = data["solutions"][:most]
    columns = [data["joints"].index(name) for name in data["moving"]]
    values = [[row[i] for i in columns] for row in tidy([x["q"] for x in shown])]
    residuals, limits = [tiny(x["residual"]) for x in shown], [limits_text(x) for x in shown]
    named_in_units = [
        f"{name} ({unit})" if unit else name
        for name, unit in zip(data["moving"], data["units"], strict=True)
    ]
    if len(columns) > SIDE_BY_SIDE:
        rows = [[name, *row] for name, *row in zip(named_in_units, *values, strict=True)]
        rows += [["residual", *residuals], ["limits", *limits]]
        return table(["", *(str(k) for k in range(1, len(shown) + 1))], rows)
    branches = [x["branch"] for x in shown]
    named = ["branch"] if any(branches) else []
    rows = [
        [k, *([branch] if named else []), *numbers, residual, limit]
        for k, (branch, numbers, residual, limit) in enumerate(
            zip(branches, values, residuals, limits, strict=True), 1
        )
    ]
    return table(["", *named, *named_in_units, "residual", "limits"], rows)


def limits_text(solution: Mapping[str, Any]) -> str:
    """Which joint is beyond which bound."""
    words = [
        f"{x['joint']} {'above' if x['bound'] == 'upper' else 'below'} {short(x['limit'])} by {short(x['by'])}"
        for x in solution["beyond"]
    ]
    return "; ".join(words) or "within"


def answer_lines(data: Mapping[str, Any]) -> list[str]:
    """How the pose was solved, and what is to be said about it."""
    free, double = (
        {name: None for x in data["solutions"] for name in x[mark]} for mark in ("free", "double")
    )
    parameter = f" ({data['parameter']} is the parameter)" if data["parameter"] else ""
    lines = [f"{data['recognised']}{parameter}: {_outcome(data)}.", data["reason"]]
    if free:
        lines.append(
            f"the pose is singular: {', '.join(free)} could stand anywhere in some solutions, and stays put."
        )
    if double:
        lines.append(f"the pose is singular: two branches meet at {', '.join(double)}.")
    return [line for line in lines if line]


def _outcome(data: Mapping[str, Any]) -> str:
    count = data["count"]
    if not count:
        return "no solution"
    if data["status"] in (STATUS[SolutionStatus.SOLVED], STATUS[SolutionStatus.LIMITS]):
        return f"{data['within_limits']} of {counted(count, 'solution')} within the limits"
    return f"{data['status']}; the nearest that was found is shown"
