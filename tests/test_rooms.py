"""The names of every room: where they live, what they stay, what tools and type checkers see of them."""

import ast
import inspect
import pickle
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import strobe
from strobe.errors import MissingExtraError
from strobe.rooms import CallableRoom, Room

ROOT = Path(strobe.__file__).parent
ROOMS = ["strobe", *(f"strobe.{path.parent.name}" for path in sorted(ROOT.glob("*/__init__.py")))]
TABLES = [name for name in ROOMS if isinstance(import_module(name), Room)]
CALLED = [name for name in TABLES if isinstance(import_module(name), CallableRoom)]
EAGER = {
    "strobe.algebra",
    "strobe.scalars",
    "strobe.quantities",
    "strobe.robot",
}  # robot/ defines what it exports


def seen_by_type_checkers(room: ModuleType) -> set[str]:
    """The names that a package imports as themselves, which is how a typed package exports them."""
    tree = ast.parse(Path(str(room.__file__)).read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {each.name for node in found for each in node.names if each.asname == each.name}


def imported_with_its_extra(name: str) -> None:
    """A module, unless it belongs to an extra that is not installed."""
    try:
        import_module(name)
    except MissingExtraError:
        pass
    except ModuleNotFoundError as missing:
        if str(missing.name).startswith("strobe"):
            raise


def test_every_room_that_exports_names_holds_a_table_of_them_or_imports_them_at_once():
    exporting = {name for name in ROOMS if hasattr(import_module(name), "__all__")}
    assert exporting - set(TABLES) == EAGER
    assert {"strobe.control", "strobe.identify", "strobe.simulate", "strobe.sweep"} == set(CALLED)


@pytest.mark.parametrize("name", TABLES)
def test_type_checkers_see_the_names_of_the_table(name: str):
    assert seen_by_type_checkers(import_module(name)) == set(import_module(name).__all__)


@pytest.mark.parametrize("name", TABLES)
def test_a_public_name_stays_what_it_is_once_every_module_is_imported(name: str):
    room = import_module(name)
    assert isinstance(room, Room)
    for path in Path(str(room.__file__)).parent.glob("*.py"):
        if path.stem not in ("__init__", "__main__", "gym", "mjcf_child"):
            imported_with_its_extra(f"{name}.{path.stem}")
    assert not [each for each in room._places if isinstance(getattr(room, each), ModuleType)]


@pytest.mark.parametrize("name", CALLED)
def test_a_room_that_is_called_is_its_function_and_its_names(name: str):
    room = import_module(name)
    main = getattr(room, name.removeprefix("strobe."))
    assert callable(room)
    assert inspect.signature(room) == inspect.signature(main)
    assert pickle.loads(pickle.dumps(room)) is room
    assert getattr(strobe, name.removeprefix("strobe.")) is room
    with pytest.raises(TypeError, match="missing"):
        room()


def test_a_name_that_has_moved_says_where_it_is():
    from strobe import approximate, identify, mechanisms, papers

    for name, place in approximate._moved.items():
        with pytest.warns(
            DeprecationWarning, match=rf"^strobe\.approximate\.{name} is now {place}\.{name}\.$"
        ):
            found = getattr(approximate, name)
        assert found is getattr({r.__name__: r for r in (identify, mechanisms, papers)}[place], name)
        assert name not in approximate.__all__


def test_modules_of_a_room_are_found_beside_its_names_and_others_are_not():
    from strobe import control

    assert control.gains is import_module("strobe.control.gains")
    assert control.stability is import_module("strobe.control.stability").stability
    for room in (strobe, control):
        with pytest.raises(AttributeError, match=f"^module '{room.__name__}' has no attribute 'nothing'$"):
            _ = room.nothing


def test_tools_are_shown_the_public_names_alone():
    assert [name for name in dir(strobe) if not name.startswith("_")] == strobe.__all__
    assert "__version__" in dir(strobe)
