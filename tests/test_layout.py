"""The order of the folders is the order of the data: a folder imports only from folders above it."""

import ast
from pathlib import Path

import strobe

ROOT = Path(strobe.__file__).parent
ORDER = [
    "errors", "scalars", "algebra", "models", "formulations", "quantities", "graph", "codegen", "runtime",
    "robot", "__init__", "equations", "analysis", "kinematics", "trajectory", "simulate", "approximate",
    "control", "mechanisms", "identify", "study", "cli", "__main__",
]  # fmt: skip


def room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path):
    """The rooms that a file imports from when it is itself imported."""
    tree = ast.parse(path.read_text())
    allowed_inside = room(path) == "robot"  # thin methods of Robot may import applications in their bodies
    for node in ast.walk(tree):
        inside = any(node in ast.walk(f) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef))
        typing_only = any(
            isinstance(p, ast.If) and "TYPE_CHECKING" in ast.dump(p.test) and node in ast.walk(p)
            for p in ast.walk(tree)
        )
        if typing_only or (inside and allowed_inside):
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "strobe":
            parts = node.module.split(".")
            yield from [parts[1]] if len(parts) > 1 else [a.name for a in node.names]
        elif isinstance(node, ast.Import):
            yield from (a.name.split(".")[1] for a in node.names if a.name.startswith("strobe."))


def test_every_file_has_a_place_in_the_order():
    assert {room(path) for path in ROOT.rglob("*.py")} <= set(ORDER)


def test_no_file_imports_from_a_room_below_its_own():
    for path in ROOT.rglob("*.py"):
        for target in imports(path):
            if target in ORDER:
                assert ORDER.index(target) <= ORDER.index(room(path)), f"{path} imports strobe.{target}"


def test_there_is_no_third_level_of_folders_and_no_drawer():
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).parts
        assert len(parts) <= 3
        assert path.stem not in {"utils", "common", "core", "base", "misc", "helpers"}
