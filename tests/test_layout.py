"""The order of the folders is the order of the data: a folder imports only from folders above it."""

import ast
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

import strobe

ROOT = Path(strobe.__file__).parent
MATHEMATICS = [
    "errors",
    "child_processes",
    "files",
    "scalars",
    "algebra",
    "models",
    "formulations",
    "quantities",
]
MACHINE = [
    "compiler.graph", "compiler.codegen", "compiler.runtime", "compiler.fixed_point", "show", "robot", "__init__",
    "compiler.export",
]  # fmt: skip
APPLICATIONS = [
    "equations", "kinematics", "trajectory", "simulate", "approximate", "mechanisms", "identify", "control", "sweep",
    "tensors", "torch", "jax",
]  # fmt: skip
FRONT = ["analysis", "papers", "study", "cli"]
ORDER = ["renamed", "rooms", *MATHEMATICS, *MACHINE, *APPLICATIONS, *FRONT, "__main__"]
FACADE = ("robot/closed_chains.py", "robot/robot.py")  # their functions import the application that answers


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def room(path: Path) -> str:
    return named(path.relative_to(ROOT).with_suffix("").parts)


def named(parts: Sequence[str]) -> str:
    """The room of a module: those of the compiler are rooms of their own."""
    return ".".join(parts[:2]) if parts[0] == "compiler" and parts[1:2] != ("__init__",) else parts[0]


def imports(path: Path):
    """The rooms that a file imports from when it runs (imports for type checking alone do not count)."""
    methods_may_import = path.relative_to(ROOT).as_posix() in FACADE
    pending: list[ast.AST] = [parsed(path)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.FunctionDef) and methods_may_import:
            continue
        pending += [each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.expr)]
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


ROOMS = sorted(
    path.parent for path in ROOT.rglob("__init__.py") if path.parent not in (ROOT, ROOT / "models/library")
)


@pytest.mark.parametrize("folder", ROOMS, ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_the_map_of_a_room_names_every_module_once_and_nothing_else(folder: Path):
    docstring = (
        ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")), clean=False)
        or ""
    )
    inside = {path.parent.name for path in folder.glob("*/__init__.py")}
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert sorted(re.findall(r"^    (\w+)  +\S", docstring, re.M)) == sorted(modules | inside)


def test_the_layout_page_shows_the_floors_and_names_every_room():
    page = (ROOT.parents[1] / "docs" / "layout.md").read_text(encoding="utf-8")
    floors = {"front": FRONT, "applications": APPLICATIONS, "machine": MACHINE, "mathematics": MATHEMATICS}
    drawn = {name: rooms.split() for name, rooms in re.findall(r"^ (\w+)  +(.*)$", page, re.M)}
    assert drawn == {
        name: [room.replace(".", "/") for room in rooms if room not in ("__init__", "child_processes")]
        for name, rooms in floors.items()
    }
    rows = re.findall(r"^\| `(\w+)` \|", page, re.M)
    assert rows == list(
        dict.fromkeys(room.split("/")[0] for floor in reversed(drawn.values()) for room in floor)
    )
    alone = {path.stem for path in ROOT.glob("*.py")} - {"__init__", "__main__"}
    assert not [name for name in alone if f"`{name}`" not in page]


# -- what is private ------------------------------------------------------------------------------------


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def is_own(node: ast.expr) -> bool:
    """Whether what stands before a dot is the object or the class itself."""
    of_base = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
    return of_base or (isinstance(node, ast.Name) and node.id in ("self", "cls"))


def private_names(path: Path) -> set[str]:
    """The private names that the classes of a file define."""
    classes = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.ClassDef)]
    inside = [node for each in classes for node in ast.walk(each)]
    named = [node.name for node in inside if isinstance(node, ast.FunctionDef)]
    named += [node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    named += [
        node.attr
        for node in inside
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node.value)
    ]
    return set(filter(is_private, named))


def private_uses(tree: ast.Module):
    """Private names of other objects that are used, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and not is_own(node.value):
            yield node.attr, f"{node.lineno}: {ast.unparse(node)}"


def strangers(defined: Mapping[str, set[str]]) -> list[str]:
    """Uses of private names that belong to classes of other rooms alone, or to a robot."""
    found: list[str] = []
    for path in sorted(ROOT.rglob("*.py")):
        here = room(path)
        for name, where in private_uses(parsed(path)):
            of_robot = here != "robot" and name in defined["robot"] and "robot." in where
            if of_robot or name in foreign(here, defined):
                found.append(f"{path.relative_to(ROOT)}:{where}")
    return found


def foreign(here: str, defined: Mapping[str, set[str]]) -> set[str]:
    """Private names of classes of other rooms alone."""
    return set().union(*(names for room, names in defined.items() if room != here)) - defined[here]


def private_names_by_room() -> dict[str, set[str]]:
    defined: dict[str, set[str]] = {}
    for path in ROOT.rglob("*.py"):
        defined.setdefault(room(path), set()).update(private_names(path))
    return defined


def test_no_room_uses_private_names_of_classes_of_another():
    defined = private_names_by_room()
    assert "_kernels" in defined["robot"]
    assert not strangers(defined), "docs/framework.md says what may be used of a robot"


def test_no_room_imports_private_names_of_another():
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("strobe."):
                other = named(str(node.module).split(".")[1:])
                private = [each.name for each in node.names if is_private(each.name)]
                assert other == room(path) or not private, f"{path} imports {private} of {other}"


def test_what_is_an_object_s_own_is_no_private_use():
    text = "self._a + super()._b + cls._c + robot._kernels + robot.__dict__"
    assert [name for name, _ in private_uses(ast.parse(text))] == ["_kernels"]


def test_a_robot_is_at_most_three_classes_deep():
    def depth(cls: type) -> int:
        return 0 if cls is object else 1 + max(map(depth, cls.__bases__))

    assert depth(strobe.Robot) == 3
