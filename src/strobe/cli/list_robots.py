"""``strobe list``: the robots that come with Strobe."""

from __future__ import annotations

from strobe.cli.inputs import Json
from strobe.cli.robot_index import show_robots


def list_robots(as_json: Json = False) -> None:
    """The built-in robots: name, joints, title.

    \b
    Example:
      strobe list
    """
    show_robots(as_json)
