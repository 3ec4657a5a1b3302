"""Public names are a promise: names, signatures, verbs and options are those of `tests/public.txt`.

The file is what people's programs rely on; whoever changes it on purpose says so in the changelog.
"""

from __future__ import annotations

import difflib
import enum
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import strobe
from strobe.robot.quick_methods import Overlaid

ROOT = Path(__file__).parent.parent
HELD = ROOT / "tests" / "public.txt"
DOCUMENTED = re.compile(r"^\.\. auto(function|class|module):: (\S+)\n((?:   :.*\n)*)", re.M)
REWRITES = "python tests/test_public.py"


def public() -> str:
    """Every public name, one a line, with what it takes."""
    pages = sorted((ROOT / "docs" / "api").glob("*.md"))
    api = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    parts = [_packages(), *(_documented(*found) for found in DOCUMENTED.findall(api)), _verbs()]
    return "".join(f"{line}\n" for line in sorted({line for part in parts for line in part}))


def _packages() -> Iterator[str]:
    """The package, and packages inside that are called as their functions."""
    for name in strobe.__all__:
        value = getattr(strobe, name)
        yield f"strobe.{name}{_signature(value)}"
        if inspect.ismodule(value):
            yield from (f"strobe.{name}.{inner}" for inner in value.__all__)


def _documented(kind: str, path: str, options: str) -> Iterator[str]:
    """What an entry of the API page shows."""
    if kind == "module":
        shown = re.search(r":members: (.+)", options)
        module = importlib.import_module(path)
        names = shown[1].split(", ") if shown else [name for name, _ in _own_classes(module)]
        for name in names:
            yield from _class(f"{path}.{name}", getattr(module, name))
    else:
        module, _, name = path.rpartition(".")
        value = getattr(importlib.import_module(module), name)
        yield from _class(path, value) if kind == "class" else [path + _signature(value)]


def _own_classes(module: Any) -> list[tuple[str, Any]]:
    return inspect.getmembers(
        module, lambda value: inspect.isclass(value) and value.__module__ == module.__name__
    )


def _class(path: str, cls: type) -> Iterator[str]:
    if issubclass(cls, enum.Enum):
        yield from (f"{path}.{member.name}" for member in cls)
        return
    yield f"{path}{_signature(cls)}"
    for name, member in _members(cls).items():
        called = isinstance(member, staticmethod | classmethod | Overlaid) or inspect.isfunction(member)
        yield f"{path}.{name}{_signature(getattr(cls, name)) if called else ''}"


def _members(cls: type) -> dict[str, Any]:
    """Public attributes of a class and of its bases of ours, by name."""
    ours = [base for base in reversed(cls.__mro__) if base.__module__.startswith("strobe")]
    named = {name: None for base in ours for name in getattr(base, "__annotations__", {})}
    named |= {name: value for base in ours for name, value in vars(base).items()}
    return {name: value for name, value in named.items() if not name.startswith("_")}


def _signature(value: Any) -> str:
    """Arguments and defaults; types are left to the type checker."""
    if inspect.isclass(value) and not inspect.isfunction(value.__init__) and issubclass(value, Exception):
        return ""  # Pythons differ in what they say of their own exceptions
    found = inspect.signature(value)
    bare = [each.replace(annotation=each.empty) for each in found.parameters.values()]
    text = str(found.replace(parameters=bare, return_annotation=found.empty))
    return re.sub(r"<function .*? at 0x\w+>", "...", text)


def _verbs() -> Iterator[str]:
    """The command's verbs, each with its arguments and options."""
    from typer.main import get_command

    from strobe.cli.app import app

    command: Any = get_command(app)
    context: Any = None  # neither names nor verbs depend on one
    yield f"strobe {_options(command)}"
    for name in command.list_commands(context):
        yield f"strobe {name} {_options(command.get_command(context, name))}"


def _options(verb: Any) -> str:
    return " ".join(_option(each) for each in verb.params)


def _option(each: Any) -> str:
    """An argument by its name, an option by the words it is called by, with = if a value follows."""
    many = "..." if each.nargs == -1 or getattr(each, "multiple", False) else ""
    if each.param_type_name == "argument":
        return f"<{each.name}>{many}"
    return f"[{'|'.join([*each.opts, *each.secondary_opts])}{'' if each.is_flag else '='}]{many}"


def test_public_names_and_signatures_are_those_that_are_held():
    for extra in ("gymnasium", "torch"):  # environments and functions of tensors are among them
        pytest.importorskip(extra, reason=f"{extra} is not installed")
    held, found = HELD.read_text(encoding="utf-8").splitlines(), public().splitlines()
    changes = "\n".join(difflib.unified_diff(held, found, "held", "found", n=0, lineterm=""))
    assert not changes, (
        f"Public names changed; if that is meant, say so in CHANGELOG.md and run {REWRITES}\n{changes}"
    )


def test_what_is_held_is_the_same_in_every_process_and_python():
    for extra in ("gymnasium", "torch"):
        pytest.importorskip(extra, reason=f"{extra} is not installed")
    text = public()
    assert not re.search(r" at 0x|<object|<function", text)
    assert text.count("\nstrobe.Robot.") > 60
    assert "\nstrobe.load(" in text
    assert "\nstrobe info <" in text


if __name__ == "__main__":
    HELD.write_text(public(), encoding="utf-8")
    print(f"{HELD} holds {len(public().splitlines()):,} names.")
