"""Requests in TOML or JSON files, or as mappings: points by their joints or by the pose of the hand.

    method = "cubic"                                   which planner; constant-acceleration if none is named
    envelope = 0.01                                    how far the path may leave the lines between the points
    frame = "tool"                                     the hand; the tip if none is named

    [bounds]                                           the robot's own where none are given
    velocity = 2                                       one number, one per joint, or a table from names of joints
    acceleration = [5, 5]
    jerk = {joint1 = 80}

    [[points]]
    q = [0, "pi/2"]                                    all joints in order, or a table from their names
    qd = [0, "free"]                                   free: for the planner to choose, as where it is not named
    time = 1.5
    name = "above the box"

    [[points]]
    position = [0.4, 0, 0.3]                           the place of the hand, with or without its orientation:
    rpy = [0, "pi", 0]                                 rpy, waters, quaternion (w x y z), rotation_vector; or
                                                       pose (4×4)
    twist = [0, 0, -0.1, 0, 0, 0]                      its velocity, linear and angular, base axes

Numbers may be expressions in quotes over [parameters]. Every fault of a file is reported in one go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from strobe.errors import ArgumentError, ModelFileError, StrobeError, nearest, on_command_line
from strobe.files.faults import Faults
from strobe.files.reading import read_json_data, read_toml_data
from strobe.kinematics.inverse import inverse_kinematics
from strobe.kinematics.inverse_rates import inverse_velocity
from strobe.kinematics.poses import checked_poses, pose
from strobe.kinematics.solutions import SolutionStatus
from strobe.models.toml_table import Context, Table, as_written
from strobe.trajectory.planners import METHODS
from strobe.trajectory.requests import Request, request

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

BOUNDS = ("lower", "upper", "velocity", "acceleration", "jerk", "effort")
TURNS = ("rpy", "quaternion", "rotation_vector", "waters")
FREE = "free"
MET = 1e-6  # of a twist: what is left of it is nothing


class Start(NamedTuple):
    """Where the joints are, and how they move, when a request arrives: (n,) each."""

    q: Sequence[float]
    qd: Sequence[float]
    label: str


def read_request(
    robot: Robot, path: str | PathLike[str], start: Start | None = None, **instead: Any
) -> Request:
    """The request in a .toml or .json file, or an `ArgumentError` with every fault of it.

    ``instead`` replaces bounds or the envelope that the file gives; ``start`` comes before its points.
    """
    return request_from(robot, _parsed(Path(path)), str(path), start, **instead)


def _parsed(path: Path) -> Mapping[str, Any]:
    kind = path.suffix.lower()
    if kind not in (".toml", ".json"):
        raise ArgumentError(f"{path}: a request is a .toml or a .json file.")
    data = read_toml_data(path) if kind == ".toml" else read_json_data(path)
    if not isinstance(data, dict):
        raise ArgumentError(f'{path}: found {as_written(data)}, expected a table with "points".')
    return data


def request_from(
    robot: Robot, data: Mapping[str, Any], source: str = "", start: Start | None = None, **instead: Any
) -> Request:
    """The request in a mapping as files hold it."""
    faults = Faults(source or "request")
    root = Table(_plain(data), "", Context(faults))
    reader = _Reader(robot, root)
    reader.declare(root.table("parameters"))
    options = reader.bounds() | reader.options()
    points = [reader.point(table, k) for k, table in enumerate(root.tables("points"), 1)]
    method = root.choice("method", list(METHODS)) if "method" in root else None
    root.finish()
    if "points" not in root.data:
        faults.error("", 'the key "points" is missing; expected one table per point.')
    if faults.errors:
        raise ModelFileError(faults.errors)
    try:
        before = [] if start is None else [_started(start, points)]
        return replace(_solved(robot, [*before, *points], options | instead), method=method)
    except StrobeError as error:
        raise ArgumentError(f"{source}: {error}" if source else str(error)) from None


def _plain(data: Any) -> Any:
    """Arrays, tuples and other mappings as what a file would hold."""
    if hasattr(data, "tolist"):
        data = data.tolist()
    if isinstance(data, Mapping):
        return {str(key): _plain(value) for key, value in data.items()}
    return [_plain(value) for value in data] if isinstance(data, list | tuple) else data


# -- what stands in the file --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """One point as given: its joints, or what is asked of the hand."""

    label: str
    q: Sequence[float] | None
    place: Array | None  # (4, 4)
    what: str
    qd: Sequence[float] | None
    twist: Sequence[float] | None
    time: float


def _started(start: Start, points: Sequence[Point]) -> Point:
    """A state as the point before others, at time zero where these have times."""
    timed = any(not np.isnan(point.time) for point in points)
    return Point(start.label, start.q, None, "", start.qd, None, 0.0 if timed else np.nan)


class _Reader:
    """Values of one file, held against one robot."""

    def __init__(self, robot: Robot, root: Table) -> None:
        self.robot, self.root = robot, root
        self.names = robot.joint_names

    def declare(self, table: Table) -> None:
        """Named numbers that later ones may use."""
        for name in table.data:
            table.context.parameters[name] = table.number(name)

    def options(self) -> dict[str, Any]:
        given: dict[str, Any] = {}
        if "envelope" in self.root:
            given["envelope"] = self.root.number("envelope")
        if "frame" in self.root:
            given["frame"] = self.root.text("frame")
        return given

    def bounds(self) -> dict[str, Any]:
        table = self.root.table("bounds")
        given = {name: self._bound(table, name) for name in BOUNDS if name in table}
        table.finish()
        return given

    def _bound(self, table: Table, name: str) -> Any:
        value = table.data[name]
        if isinstance(value, dict):
            return self._named(table, name)
        if isinstance(value, list):
            return table.numbers(name, len(self.names), infinite=True)
        return table.context.number(value, table.where(name), infinite=True)

    def _named(self, table: Table, key: str) -> dict[str, float]:
        """A table from names of joints to numbers."""
        found: dict[str, float] = {}
        for name, value in table.data[key].items():
            where = f"{table.where(key)}.{name}"
            if name not in self.names:
                hint = nearest(name, self.names) or f" Its joints: {', '.join(self.names)}."
                table.context.faults.error(where, f"{self.robot.name} has no such joint.{hint}")
            else:
                found[name] = (
                    self._rate(value, where, table)
                    if key == "qd"
                    else table.context.number(value, where, infinite=table.path == "bounds")
                )
        return found

    def point(self, table: Table, number: int) -> Point:
        label = table.name("name", "") or f"point {number}"
        q = self._positions(table) if "q" in table else None
        place, what = self._hand(table)
        if (q is None) == (place is None):
            expected = "q (the joints), or the hand by position, orientation or pose"
            table.error("", f"expected {expected}{', not both' if q is not None else ''}.")
        qd = self._velocities(table) if "qd" in table else None
        twist = table.numbers("twist", 6) if "twist" in table else None
        if qd is not None and twist is not None:
            table.error("twist", "the velocity is given as qd too; keep one.")
        time = table.number("time") if "time" in table else np.nan
        table.finish()
        return Point(label, q, place, what, qd, twist, time)

    def _positions(self, table: Table) -> Sequence[float]:
        if not isinstance(table.data["q"], dict):
            return table.numbers("q", len(self.names))
        found = self._named(table, "q")
        if missing := [name for name in self.names if name not in found]:
            table.error("q", f"no position for {', '.join(missing)}; expected one for every joint.")
        return [found.get(name, 0.0) for name in self.names]

    def _velocities(self, table: Table) -> Sequence[float]:
        value = table.data["qd"]
        if isinstance(value, dict):
            found = self._named(table, "qd")
            return [found.get(name, np.nan) for name in self.names]
        if not isinstance(value, list) or len(value) != len(self.names):
            table.error(
                "qd",
                f'found {as_written(value)}, expected {len(self.names)} entries, each a number or "{FREE}".',
            )
            return [0.0] * len(self.names)
        return [self._rate(each, f"{table.where('qd')}[{k}]", table) for k, each in enumerate(value, 1)]

    def _rate(self, value: Any, where: str, table: Table) -> float:
        """A velocity; NaN where it is for the planner to choose."""
        if value is None or value == FREE or (isinstance(value, float) and np.isnan(value)):
            return np.nan
        return table.context.number(value, where)

    def _hand(self, table: Table) -> tuple[Array | None, str]:
        """The pose that is asked of the hand, and what of it."""
        place = table.numbers("position", 3) if "position" in table else None
        turns = {
            name: table.numbers(name, 4 if name == "quaternion" else 3) for name in TURNS if name in table
        }
        whole = table.matrix("pose", 4, 4) if "pose" in table else None
        if whole is None and place is None and not turns:
            return None, ""
        try:
            if whole is not None:
                if place is not None or turns:
                    table.error("pose", "the hand is given by position or orientation too; keep one.")
                return checked_poses(np.array(whole)), "pose"
            made = pose((0.0, 0.0, 0.0) if place is None else place, **turns)  # pyright: ignore[reportArgumentType]
        except StrobeError as error:
            table.error("", on_command_line(error))
            return None, ""
        return made, "orientation" if place is None else "pose" if turns else "position"


# -- joints for hands ---------------------------------------------------------------------------------------


def _solved(robot: Robot, points: Sequence[Point], options: dict[str, Any]) -> Request:
    """The request with joint positions for every pose: those nearest to the point before it."""
    named = options.get("frame")
    posed = tuple(point.q is None for point in points)
    uses_hand = any(posed) or any(point.twist is not None for point in points)
    frame = robot.moving_frame(named or None) if named or uses_hand else None
    q = list[Any]()
    for point in points:
        q.append(point.q if point.q is not None else _joints(robot, frame, point, q[-1] if q else None))
    qd = [_rates(robot, frame, point, there) for point, there in zip(points, q, strict=True)]
    made = request(
        robot, np.reshape(q, (-1, robot.n)), qd=np.reshape(qd, (-1, robot.n)),
        times=[point.time for point in points], labels=[point.label for point in points], **options,
    )  # fmt: skip
    return replace(made, frame=frame, meant=frame is not None and not named, posed=posed)


def _joints(robot: Robot, frame: str | None, point: Point, near: Any) -> Array:
    found = inverse_kinematics(robot, point.place, frame, q0=near, what=point.what)
    if found.status != SolutionStatus.SOLVED:
        raise ArgumentError(f"{point.label}: {' '.join(found.reasons)}")
    return found.q[0]


def _rates(robot: Robot, frame: str | None, point: Point, q: Any) -> Sequence[float]:
    if point.qd is not None:
        return point.qd
    if point.twist is None:
        return [np.nan] * robot.n
    found = inverse_velocity(robot, q, point.twist, frame)
    left = float(np.abs(found.residual).max())
    if left > MET * (1 + np.abs(point.twist).max()):
        raise ArgumentError(
            f"{point.label}: {frame} cannot move with this twist there; {left:.3g} of it is left over."
        )
    return found.joints.tolist()
