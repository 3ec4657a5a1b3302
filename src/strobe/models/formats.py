"""The formats that models come in, as one table: endings, first element, classes, and what reads and writes each.

Readers and writers are imported when they are called: that a file is known by its ending costs no library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strobe.models.model import Model

Reader = Callable[..., "Model"]  # of a file, a text or an object, with snap= and strict=
Written = tuple[str, list[str]]  # the text, and remarks on what is lost


@dataclass(frozen=True, slots=True)
class Format:
    """What a model is written in: a kind of file, or the objects of another library."""

    title: str
    read: Reader
    endings: tuple[str, ...] = ()  # of files that are nothing else
    root: str = ""  # the first element, where it is XML
    classes: tuple[str, ...] = ()  # by package and class; others derive from these
    write: Callable[[Model], Written] | None = None


def _read_urdf(path: Path | str, **how: Any) -> Model:
    from strobe.models.urdf import read_urdf

    return read_urdf(path, **how)


def _write_urdf(model: Model) -> Written:
    from strobe.models.urdf_writer import write_urdf

    return write_urdf(model)


def _read_mjcf(path: Path | str, **how: Any) -> Model:
    from strobe.models.mjcf import read_mjcf

    return read_mjcf(path, **how)


def _read_toml(path: Path | str, **how: Any) -> Model:
    from strobe.models.toml_reader import read_toml

    return read_toml(path, **how)


def _write_toml(model: Model) -> Written:
    from strobe.models.toml_writer import write_toml

    return write_toml(model), []


def _read_mujoco(model: Any, **how: Any) -> Model:
    from strobe.models.mjcf import read_mujoco

    return read_mujoco(model, **how)


def _read_pinocchio(model: Any, **how: Any) -> Model:
    from strobe.models.pinocchio_model import read_pinocchio

    return read_pinocchio(model, **how)


def _read_toolbox(robot: Any, **how: Any) -> Model:
    from strobe.models.toolbox_robot import read_toolbox

    return read_toolbox(robot, **how)


FORMATS: dict[str, Format] = {
    "urdf": Format("URDF", _read_urdf, (".urdf", ".xacro"), root="robot", write=_write_urdf),
    "mjcf": Format("MJCF", _read_mjcf, root="mujoco"),
    "toml": Format("TOML", _read_toml, (".toml",), write=_write_toml),
    "pinocchio": Format("pinocchio.Model", _read_pinocchio, classes=("pinocchio.Model",)),
    "mujoco": Format("mujoco.MjModel", _read_mujoco, classes=("mujoco.MjModel",)),
    "toolbox": Format(
        "robot of the Robotics Toolbox",
        _read_toolbox,
        classes=("roboticstoolbox.DHRobot", "roboticstoolbox.Robot"),
    ),
}
XML = (".xml", ".mjcf")  # the first element says which it is
ENDINGS = (*(ending for format in FORMATS.values() for ending in format.endings), *XML)
