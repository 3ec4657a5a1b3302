"""Public names of the room: a module of the same name would take a function's place once it is imported."""

from importlib import import_module
from types import ModuleType

from strobe import approximate


def test_a_public_name_stays_what_it_is_once_every_module_is_imported():
    for room in approximate.ROOMS.values():
        import_module(f"strobe.approximate.{room}")
    assert not [name for name in approximate.__all__ if isinstance(getattr(approximate, name), ModuleType)]
