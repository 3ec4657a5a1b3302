"""The names of a room: a table says where each lives, and each is imported when it is first used.

    exported(__name__, {"strobe.sweep.plan": "Plan", "strobe.sweep.sweeping": "sweep"}, called="sweep")

Beside the table stand the same names for type checkers, which read no tables: ``if TYPE_CHECKING: from … import
Plan as Plan``. The rooms of the mathematics import theirs at once: they are small, and checked strictly.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from strobe.renamed import under_old_name


class Room(ModuleType):
    """A package that imports its public names when they are first used."""

    __all__: Sequence[str]
    _places: Mapping[str, str]  # the module of each name
    _moved: Mapping[str, str]  # the room that a name has gone to
    _main: str  # the function as which it is called

    def __getattr__(self, name: str) -> Any:
        if place := self._places.get(name):
            return getattr(import_module(place), name)
        if place := self._moved.get(name):
            new = f"{place}.{name}"
            warnings.warn(f"{self.__name__}.{name} is now {new}.", DeprecationWarning, stacklevel=2)
            return getattr(import_module(place), name)
        if not name.startswith("_") and (module := _module(f"{self.__name__}.{name}")):
            return module
        return under_old_name(self.__name__, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Let no module take the place of a public name when it is imported."""
        if not (name in self._places and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [*self.__all__, *(name for name in vars(self) if name.startswith("__"))]

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)


class CallableRoom(Room):
    """A room that is called as its main function."""

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return getattr(self, self._main)(*args, **keywords)

    @property
    def __signature__(self) -> Any:
        """What tools show of the call."""
        from inspect import signature

        return signature(getattr(self, self._main))


def exported(
    room: str,
    names: Mapping[str, str],
    *,
    called: str = "",
    rooms: Sequence[str] = (),
    moved: Mapping[str, str] | None = None,
) -> None:
    """Make a package a room with public names: for each module the names in it, blanks between them.

    ``called`` is the function as which the room is called, ``rooms`` are packages inside that are public themselves,
    ``moved`` are names that live in another room now, and answer here for one version.
    """
    module = sys.modules[room]
    places = {name: place for place, listed in names.items() for name in listed.split()}
    of = {name: place for place, listed in (moved or {}).items() for name in listed.split()}
    vars(module).update(_places=places, _moved=of, _main=called, __all__=sorted([*places, *rooms]))
    module.__class__ = CallableRoom if called else Room


def _module(name: str) -> ModuleType | None:
    """A module by its name, or None where there is none."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None
