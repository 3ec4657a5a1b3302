"""``strobe list``: the robots that come with Strobe."""

from __future__ import annotations

from typing import Any

from strobe.cli.inputs import Json


def list_robots(as_json: Json = False) -> None:
    """The built-in robots: name, joints, title.

    \b
    Example:
      strobe list
    """
    from strobe.cli.show import console, print_json
    from strobe.show.tables import table

    robots = [_row(name) for name in _names()]
    if as_json:
        print_json({"robots": robots})
    else:
        rows = [[r["name"], r["degrees_of_freedom"], r["joints"], r["title"]] for r in robots]
        console().print(table(["robot", "n", "joints", "title"], rows))


def _names() -> list[str]:
    from strobe.models.library import built_in_names

    return list(built_in_names())


def _row(name: str) -> dict[str, Any]:
    from strobe.models.load import load_model
    from strobe.robot import Robot

    robot = Robot(load_model(name))
    return {
        "name": name,
        "degrees_of_freedom": robot.nv,
        "joints": robot.coordinates.pattern,
        "title": robot.model.title,
        "kinematic_only": bool(robot.model.kinematic_only),
    }
