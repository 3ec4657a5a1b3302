"""Whatever takes a robot says what it was given instead: everything public, found by its signature."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import strobe

HELD = Path(__file__).parent / "public.txt"
ROBOT = re.compile(r"\bRobot\b")


def public() -> set[str]:
    """Public names: those that are held, and what every room exports."""
    held = re.findall(r"^strobe\.[\w.]+", HELD.read_text(encoding="utf-8"), re.M)
    rooms = [
        importlib.import_module(each.name)
        for each in pkgutil.walk_packages(strobe.__path__, "strobe.")
        if each.ispkg
    ]
    return {*held, *(f"{room.__name__}.{name}" for room in rooms for name in getattr(room, "__all__", ()))}


def found(path: str) -> Any:
    """What a dotted path means; None where that is a field of a class."""
    value: Any = strobe
    parts = path.split(".")
    for k, name in enumerate(parts[1:], 2):
        if inspect.ismodule(value) and not hasattr(value, name):
            try:
                importlib.import_module(".".join(parts[:k]))
            except ImportError:
                return None
        value = getattr(value, name, None)
    return value


def is_record(value: Any) -> bool:
    """Whether a class only keeps what an application found."""
    made = getattr(value.__init__, "__code__", None) if inspect.isclass(value) else None
    written = made is None or made.co_filename != "<string>" or hasattr(value, "__post_init__")
    return not written or (inspect.isclass(value) and issubclass(value, tuple))


def taking_robots() -> Iterator[tuple[str, Any, list[str]]]:
    """What is called with robots: its path, itself, and the names of those arguments."""
    seen: set[int] = set()
    for path in sorted(public()):
        value = found(path)
        if not callable(value) or id(value) in seen or is_record(value) or inspect.isabstract(value):
            continue
        seen.add(id(value))
        try:
            parameters = inspect.signature(value).parameters.values()
        except (TypeError, ValueError):
            continue
        if robots := [each.name for each in parameters if ROBOT.search(str(each.annotation))]:
            yield path, value, robots


def refusal(value: Any, name: str, robots: list[str]) -> str:
    """What is said of a model in the place of one robot; whatever else must be given is nothing of use."""
    arm = strobe.load("planar2")
    needed = {
        each.name: arm if each.name in robots else object()
        for each in inspect.signature(value).parameters.values()
        if each.default is each.empty and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    }
    try:
        value(**needed | {name: arm.model})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def test_what_is_no_robot_is_refused_before_anything_else():
    taking = [(path, value, name, robots) for path, value, robots in taking_robots() for name in robots]
    assert len(taking) > 60
    said = {f"{path} {name}": (name, refusal(value, name, robots)) for path, value, name, robots in taking}
    expected = "ArgumentError: {} is a Model; expected a robot: strobe.load(name)."
    assert {where: text for where, (name, text) in said.items() if text != expected.format(name)} == {}
