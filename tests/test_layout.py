"""The order of the folders is the order of the data: a folder imports only from folders above it."""

import ast
from collections.abc import Sequence
from pathlib import Path

import strobe

ROOT = Path(strobe.__file__).parent
ORDER = [
    "rooms", "renamed", "errors", "child_processes", "files", "scalars", "algebra", "models", "formulations", "quantities",
    "compiler.graph", "compiler.codegen", "compiler.runtime", "compiler.fixed_point", "show", "robot", "__init__",
    "compiler.export",
    "equations", "kinematics", "trajectory", "simulate", "approximate", "mechanisms", "identify", "control", "sweep",
    "analysis", "papers", "study", "cli", "__main__",
]  # fmt: skip
FACADE = ("robot/dispatch.py", "robot/robot.py")  # their methods import the application that answers


def room(path: Path) -> str:
    return named(path.relative_to(ROOT).with_suffix("").parts)


def named(parts: Sequence[str]) -> str:
    """The room of a module: those of the compiler are rooms of their own."""
    return ".".join(parts[:2]) if parts[0] == "compiler" and parts[1:2] != ("__init__",) else parts[0]


def imports(path: Path):
    """The rooms that a file imports from when it runs (imports for type checking alone do not count)."""
    methods_may_import = path.relative_to(ROOT).as_posix() in FACADE
    pending: list[ast.AST] = [ast.parse(path.read_text())]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.FunctionDef) and methods_may_import:
            continue
        pending += ast.iter_child_nodes(node)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "strobe":
            parts = node.module.split(".")
            yield from (named([*parts[1:], a.name]) for a in node.names)
        elif isinstance(node, ast.Import):
            yield from (named(a.name.split(".")[1:]) for a in node.names if a.name.startswith("strobe."))


def test_every_file_has_a_place_in_the_order():
    assert {room(path) for path in ROOT.rglob("*.py")} <= {*ORDER, "compiler"}


def test_no_file_imports_from_a_room_below_its_own():
    for path in ROOT.rglob("*.py"):
        for target in imports(path):
            if target in ORDER and room(path) in ORDER:
                assert ORDER.index(target) <= ORDER.index(room(path)), f"{path} imports strobe.{target}"


def test_there_is_no_third_level_of_folders_and_no_drawer():
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).parts
        assert len(parts) <= (4 if parts[0] == "compiler" else 3)
        assert path.stem not in {"utils", "common", "core", "base", "misc", "helpers"}
