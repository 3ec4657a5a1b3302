"""The robots that come along, from an index beside: what was read off their files, as long as the files are the same.

``python -m strobe.cli.robot_index`` writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

from strobe.cli.show import present
from strobe.models.library import built_in_names, built_in_text

INDEX = Path(__file__).with_name("robots.json")


def show_robots(as_json: bool = False) -> None:
    from strobe.show.tables import table

    robots = built_in_robots()
    rows = [[r["name"], r["degrees_of_freedom"], r["joints"], r["title"]] for r in robots]
    present({"robots": robots}, [table(["robot", "n", "joints", "title"], rows)], as_json)


def built_in_robots() -> list[dict[str, Any]]:
    """What each robot is, read off its model where the index knows another file or none."""
    known: Mapping[str, Any] = json.loads(INDEX.read_text("utf-8"))
    found = []
    for name in built_in_names():
        checksum, facts = known.get(name, (None, None))
        found.append({"name": name, **(facts if checksum == _checksum(name) else described(name))})
    return found


def described(name: str) -> dict[str, Any]:
    """What a robot is, by its model."""
    from strobe.models.load import load_model
    from strobe.robot import Robot

    robot = Robot(load_model(name))
    return {
        "degrees_of_freedom": robot.nv,
        "joints": robot.coordinates.pattern,
        "title": robot.model.title,
        "kinematic_only": bool(robot.model.kinematic_only),
    }


def index() -> str:
    """The index of the robots that come along now."""
    rows = ((name, [_checksum(name), described(name)]) for name in built_in_names())
    return (
        "{\n"
        + ",\n".join(f'"{name}": {json.dumps(row, ensure_ascii=False)}' for name, row in rows)
        + "\n}\n"
    )


def _checksum(name: str) -> int:
    return crc32(built_in_text(name).encode())


if __name__ == "__main__":
    INDEX.write_text(index(), encoding="utf-8")
