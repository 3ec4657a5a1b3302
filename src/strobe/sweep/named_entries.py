"""What a sweep file names: robots, trajectories, controllers, approximations, each with a label of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import isfinite
from os import PathLike, fspath
from os.path import exists
from pathlib import Path
from typing import Any

from strobe.approximate.methods import METHODS as APPROXIMATIONS
from strobe.control.methods import CONTROLLERS
from strobe.errors import ArgumentError, StrobeError, nearest
from strobe.identify.drawn_robots import DrawnRobots, drawn
from strobe.models import library
from strobe.models.names import unused_name
from strobe.models.toml_table import Table, as_written
from strobe.robot import Robot, load
from strobe.sweep.documents import motion_data
from strobe.sweep.varied_numbers import whole
from strobe.trajectory import files, planners
from strobe.trajectory.motion import Trajectory

UNWANTED = re.compile(r"[^A-Za-z0-9_.-]+")  # in a label, which names folders
LONGEST = 60  # letters of a label
RESERVED = ("zarr.json",)  # a file beside the folders that labels name


def entries(root: Table, key: str, expected: str) -> list[Any]:
    """What a list under a key holds; anything else is a list of one."""
    if key not in root:
        return []
    value = root.data[key]
    found = value if isinstance(value, list) else [value]
    if not found:
        root.error(key, f"found an empty list, expected {expected}.")
    return found


def require(root: Table, key: str, expected: str) -> None:
    """Report a key that is missing."""
    if key not in root:
        root.error("", f'the key "{key}" is missing; expected {expected}.')


def labelled(name: str, taken: Iterable[str]) -> str:
    """A name as a label that no other has, not even one with larger letters: disks may not tell them apart."""
    label = UNWANTED.sub("-", name)[:LONGEST].strip(".-") or "unnamed"
    known = [each.lower() for each in (*taken, *RESERVED)]
    return label + unused_name(label.lower(), known)[len(label) :]


# -- robots -----------------------------------------------------------------------------------------


def robots(root: Table, folder: Path, seed: int) -> tuple[dict[str, Robot], dict[str, Robot]]:
    """The robots by their labels, and what controllers take them for where they are drawn; files lie in a folder."""
    expected = "names of robots, or robot files"
    require(root, "robots", expected)
    found: dict[str, Robot] = {}
    believed: dict[str, Robot] = {}
    for k, entry in enumerate(entries(root, "robots", expected), 1):
        place = Table({}, f"robots[{k}]", root.context)
        try:
            label, robot, count = _robot(entry, place, folder)
            robot.require("inverse_dynamics")
            _require_open(robot)
            name = label or robot.name
            if not count:
                found[labelled(name, found)] = robot
                continue
            for number, each in enumerate(_drawn(robot, count, seed, place), 1):
                own = labelled(f"{name}-{number}", found)
                found[own], believed[own] = each, robot
        except StrobeError as error:
            root.error(place.path, str(error))
    return found, believed


def _drawn(robot: Robot, count: int, seed: int, place: Table) -> DrawnRobots:
    """As many robots as might be this one."""
    found = drawn(robot, count, seed)
    for note in found.notes:
        place.context.faults.warning(place.path, note)
    return found


def _robot(entry: Any, place: Table, folder: Path) -> tuple[str, Robot, int]:
    """A label, empty if none is given, the robot, and how many are drawn about it."""
    if isinstance(entry, Robot):
        return "", entry, 0
    if isinstance(entry, str | PathLike):
        return "", load(_source(fspath(entry), folder)), 0
    if not isinstance(entry, dict):
        raise ArgumentError(
            f"found {as_written(entry)}, expected the name of a robot, a robot file, or a table."
        )
    table = Table(entry, place.path, place.context)
    model, label = table.text("model"), table.text("label", "")
    lock, base = table.table("lock"), table.text("base") if "base" in table else None
    gravity = table.numbers("gravity", 3) if "gravity" in table else None
    held = {name: lock.number(name) for name in lock.data}
    count = whole(table, "drawn", 0, 1) or 0
    table.finish()
    return label, load(_source(model, folder), lock=held or None, base=base, gravity=gravity), count


def _source(name: str, folder: Path) -> str:
    """A built-in name as it is, a file by where it lies."""
    if name in library.built_in_names() or name.startswith("random("):
        return name
    return str(folder / name) if Path(name).suffix or exists(folder / name) else name


def _require_open(robot: Robot) -> None:
    if robot.model.is_closed:
        raise ArgumentError(
            f"{robot.name} has closed chains, whose states cannot be drawn joint by joint; a sweep takes robots "
            "without."
        )


# -- what they do -----------------------------------------------------------------------------------


def trajectories(root: Table, folder: Path, robots: Mapping[str, Robot]) -> list[dict[str, Any]]:
    """Motions for every robot, by label."""
    found: list[dict[str, Any]] = []
    for k, entry in enumerate(entries(root, "trajectories", "requests or motions"), 1):
        name = Path(entry).stem if isinstance(entry, str | PathLike) else "motion"
        motions = dict[str, Any]()
        for label, robot in robots.items():
            try:
                motion = files.in_order(_motion(robot, entry, folder), robot.joint_names, robot.name)
                if not motion.duration > 0:
                    raise ArgumentError("the motion has no duration.")
            except StrobeError as error:
                root.error(f"trajectories[{k}]", f"for {label}: {error}")
            else:
                motions[label] = motion_data(motion)
        found.append({"label": labelled(name, [each["label"] for each in found]), "motions": motions})
    return found


def _motion(robot: Robot, entry: Any, folder: Path) -> Trajectory:
    """A motion that is given, in a file, or planned from a request."""
    if isinstance(entry, Trajectory):
        return entry
    if isinstance(entry, dict):
        return planners.plan(robot, entry)
    if not isinstance(entry, str | PathLike):
        raise ArgumentError(
            f"found {as_written(entry)}, expected a file with a request or a motion, or a table."
        )
    path = folder / entry
    return files.read(path).motion if files.holds_motion(path) else planners.plan(robot, path)


def controllers(root: Table) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for k, entry in enumerate(entries(root, "controllers", "names of controllers"), 1):
        data = entry if isinstance(entry, dict) else {"name": entry}
        table = Table(data, f"controllers[{k}]", root.context)
        name = table.choice("name", list(CONTROLLERS))
        label, gains = table.text("label", "") or name, table.table("gains")
        for word, value in gains.data.items():
            if not _is_gain(value):
                gains.error(word, f"found {as_written(value)}, expected numbers, or a name.")
        table.finish()
        label = labelled(label, [each["label"] for each in found])
        found.append({"label": label, "name": name, "gains": dict(gains.data)})
    return found


def _is_gain(value: Any) -> bool:
    """Whether a value can be a gain: the controller says what it expects of it."""
    if isinstance(value, list):
        return all(map(_is_gain, value))
    return isinstance(value, str) or (isinstance(value, int | float) and isfinite(value))


def approximations(root: Table) -> list[str]:
    found: list[str] = []
    for k, name in enumerate(entries(root, "approximations", "names of approximations"), 1):
        place = f"approximations[{k}]"
        if not isinstance(name, str) or name not in APPROXIMATIONS:
            hint = nearest(name, APPROXIMATIONS) if isinstance(name, str) else ""
            hint = hint or " strobe approximate --help lists them."
            root.error(place, f"found {as_written(name)}, which is no approximation.{hint}")
        elif name in found:
            root.error(place, f"{name} stands there already.")
        else:
            found.append(name)
    return found
