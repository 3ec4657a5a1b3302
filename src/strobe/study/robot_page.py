"""A robot to turn and to move, wherever it is asked for: below a cell of a notebook, in a browser, or as a file.

The page is the study's section of that name and nothing else: one file without addresses.
"""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strobe.errors import ArgumentError, shown
from strobe.files.reading import path_text
from strobe.files.writing import writing
from strobe.models.urdf_shapes import read_shapes
from strobe.robot import Robot
from strobe.show.html import tag
from strobe.study.case import Array
from strobe.study.figures import one_state, require_joints
from strobe.study.pages import whole_page
from strobe.study.report import study

HEIGHT = 640  # pixels below a cell
# of a study, only the robot, and over the whole page
ALONE = "nav,#top,footer,.command,h2{display:none}body{display:block}main{padding-block:1rem 0}"


@dataclass(frozen=True, slots=True)
class Shown:
    """A page of a robot: where it was written; a notebook shows it below the cell."""

    path: Path
    robot: str
    page: str

    def __fspath__(self) -> str:
        return str(self.path)

    def __str__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"<{self.robot}, to turn and to move: {self.path}>"

    def _repr_html_(self) -> str:
        """A frame that holds the whole page: its styles and scripts stay inside."""
        look = f"width:100%;height:{HEIGHT}px;border:1px solid #ccd3da;border-radius:8px"
        told = f"{self.robot}, to turn and to move"
        return str(tag("iframe", srcdoc=self.page, title=told, sandbox="allow-scripts", style=look))


def show(
    robot: Robot,
    path: str | os.PathLike[str] | None = None,
    *,
    q: Any = None,
    shapes: str | os.PathLike[str] | None = None,
    open: bool | None = None,
    force: bool = False,
) -> Shown:
    """Write the page, and have a browser open it if one is to."""
    if open is not None and not isinstance(open, bool):
        raise ArgumentError(f"open is {shown(open)}; expected True, False or None.")
    require_joints(robot)
    if path is not None and not isinstance(path, str | os.PathLike):
        raise ArgumentError(
            f"{shown(path)} is no path; expected the name of a file. A pose is given by name, q=…"
        )
    file = "" if shapes is None else _file_of_shapes(robot, shapes)
    arm = Robot(robot.model, compiled=False)
    whole = whole_page(study(arm, sections=["view"], file=file, pose=None if q is None else _pose(arm, q)))
    page = whole.replace("</head>", f"<style>{ALONE}</style></head>", 1)
    written = _written(robot, page, path, force)
    if open or (open is None and path is None and _may_open()):
        webbrowser.open(written.resolve().as_uri())
    return Shown(written, robot.name, page)


def _pose(arm: Robot, q: Any) -> Array:
    """The position asked for, with the loops of a closed chain closed."""
    position = one_state("q", q, arm.nq, arm.shape_reason)
    return arm.assemble(position) if arm.model.is_closed else position


def _file_of_shapes(robot: Robot, path: str | os.PathLike[str]) -> str:
    """The file, if it has shapes of links of the robot."""
    file = path_text(path)
    links = {frame.name for frame in robot.model.frames}
    if not any(shape.link in links for shape in read_shapes(file)):
        raise ArgumentError(
            f"{file} gives no link of {robot.name} a shape; expected its URDF or xacro file."
        )
    return file


def _written(robot: Robot, page: str, path: str | os.PathLike[str] | None, force: bool) -> Path:
    if path is None:
        path = Path(tempfile.mkdtemp(prefix="strobe-")) / "robot.html"
    with writing(path, force=force) as stream:
        stream.write(page)
    return Path(path)


def _may_open() -> bool:
    """Whether somebody sits in front of a screen: no notebook, no test, no machine without a display."""
    if "PYTEST_CURRENT_TEST" in os.environ or _in_notebook() or not sys.stdout.isatty():
        return False
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    return "SSH_CONNECTION" not in os.environ


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules
