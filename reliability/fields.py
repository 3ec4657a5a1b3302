"""Data with one thing changed: every field of records, of what they hold, and so on down to single numbers.

Fields are found where they are declared, so that one which is added later is changed too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

from strobe.scalars import System

Number = Callable[[float], float]


class Change(NamedTuple):
    """Data with one thing changed: where that is, of which field of which record it is part, and the data."""

    where: str
    field: str
    data: Any


def next_number(x: float) -> float:
    """The number after one; 1 after those that have none."""
    return math.nextafter(x, math.inf) if math.isfinite(x) else 1.0


def changed(data: Any, number: Number = next_number, where: str = "", field: str = "") -> Iterator[Change]:
    """The data in every way in which one thing of it is another."""
    if isinstance(data, System):  # the numbers of a model are floats
        return
    if is_dataclass(data):
        yield from _records(data, number, where)
    elif isinstance(data, Mapping):
        yield from _mappings(data, number, where, field)
    elif isinstance(data, tuple):
        yield from _tuples(data, number, where, field)
    else:
        yield Change(where, field, _other(data, number))


def filled(data: Any) -> dict[str, bool]:
    """Every field of every kind of record in some data, and whether one of them holds something."""
    found: dict[str, bool] = {}
    parts = data.values() if isinstance(data, Mapping) else data if isinstance(data, tuple) else ()
    if is_dataclass(data):
        own = {each.name: getattr(data, each.name) for each in fields(data)}
        found = {
            f"{type(data).__name__}.{name}": value not in (None, (), {}, "") for name, value in own.items()
        }
        parts = own.values()
    for part in parts:
        for name, holds in filled(part).items():
            found[name] = found.get(name, False) or holds
    return found


def _records(data: Any, number: Number, where: str) -> Iterator[Change]:
    for each in fields(data):
        name = f"{where}.{each.name}".strip(".")
        owner = f"{type(data).__name__}.{each.name}"
        for inner in changed(getattr(data, each.name), number, name, owner):
            yield inner._replace(data=replace(data, **{each.name: inner.data}))


def _mappings(data: Mapping[str, Any], number: Number, where: str, field: str) -> Iterator[Change]:
    for key, value in data.items():
        for inner in changed(value, number, f"{where}.{key}", field):
            yield inner._replace(data={**data, key: inner.data})
    yield Change(where, field, {**data, "another": 1.0})
    if len(data) > 1:
        yield Change(f"order of {where}", field, dict(reversed([*data.items()])))


def _tuples(data: tuple[Any, ...], number: Number, where: str, field: str) -> Iterator[Change]:
    for k, value in enumerate(data):
        for inner in changed(value, number, f"{where}.{k}", field):
            yield inner._replace(data=(*data[:k], inner.data, *data[k + 1 :]))
    if not data:
        yield Change(where, field, ("another",))
    if repr(data[::-1]) != repr(data):
        yield Change(f"order of {where}", field, data[::-1])


def _other(data: Any, number: Number) -> Any:
    if data is None:
        return 1.0
    if isinstance(data, bool):
        return not data
    if isinstance(data, str):
        return f"{data}-another"
    return data + 1 if isinstance(data, int) else number(data)
