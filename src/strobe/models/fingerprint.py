"""What a model computes, as plain data and as a digest: equal models have equal digests in every process.

Every field of a model and of what it is made of is taken, exactly: a field that is added later is there too. Left out
are only those that no kernel gets to see (`seen`), the name, which sentences use, and what most parts do not have and
their class says so (the pitch of a joint), so that digests stay what they were.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass, replace
from numbers import Real
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from strobe.models.model import Model
from strobe.scalars import System

UNSEEN: Mapping[str, Any] = {
    "title": "", "source": "", "notes": (), "golden": (), "poses": {}, "uncertainty": None,
}  # fmt: skip

_seen: WeakKeyDictionary[Model, Model] = WeakKeyDictionary()
_described: WeakKeyDictionary[Model, dict[str, Any]] = WeakKeyDictionary()
_known: WeakKeyDictionary[Model, str] = WeakKeyDictionary()


def seen(model: Model) -> Model:
    """The model without what only people read: all that its kernels are made of."""
    if model not in _seen:
        _seen[model] = replace(model, **UNSEEN)
    return _seen[model]


def fingerprint(model: Model) -> str:
    """A digest of all that can be computed with a model."""
    if model not in _known:
        _known[model] = digest(described(model))
    return _known[model]


def digest(*parts: Any) -> str:
    """What tells data from any other: of plain values, records of them, and what has a fingerprint of its own."""
    return hashlib.sha256(json.dumps([plain(part) for part in parts]).encode()).hexdigest()


def described(model: Model) -> dict[str, Any]:
    """All that can be computed with a model as plain data, by words that people know it by; made once."""
    if model not in _described:
        _described[model] = _made(model)
    return _described[model]


def _made(model: Model) -> dict[str, Any]:
    rest = plain(replace(seen(model), bodies=(), frames=()))
    del rest["name"], rest["bodies"], rest["frames"]
    joints = ((body.joint.name, plain(body.joint)) for body in model.bodies)
    links = ((body.name, plain(replace(body, joint=None))) for body in model.bodies)  # pyright: ignore[reportArgumentType]
    frames = ((frame.name, plain(frame)) for frame in model.frames)
    parts = {"joint": joints, "link": links, "frame": frames}
    return {key: part for kind, named in parts.items() for key, part in _named(kind, named)} | rest


def _named(kind: str, entries: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Entries by kind and name, each under a key of its own."""
    taken: set[str] = set()
    for name, part in entries:
        key = f"{kind} {json.dumps(name, ensure_ascii=False)}"
        while key in taken:
            key = f"another {key}"
        taken.add(key)
        yield key, part


def plain(value: Any) -> Any:
    """Data as what JSON has, exactly: every field of records, numbers as floats, all in the order they have."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Real):
        return float(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {
            "is": type(value).__name__,
            **{x.name: plain(getattr(value, x.name)) for x in fields(value) if _is_told(value, x)},
        }
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, Sequence):
        entries = [plain(each) for each in value]
        records = entries and all(isinstance(each, dict) for each in entries)
        return {str(k + 1): each for k, each in enumerate(entries)} if records else entries
    own = str(value) if isinstance(value, System) else getattr(value, "fingerprint", None)
    if isinstance(own, str):
        return {"is": type(value).__name__, "fingerprint": own}
    raise TypeError(
        f"a {type(value).__name__} is no plain data, and has no fingerprint to be told from others by"
    )


def _is_told(value: Any, x: Field[Any]) -> bool:
    """Whether a field is part of what a record says: one that most do not have only where it is set."""
    return "if set" not in x.metadata or bool(getattr(value, x.name))


def _mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    if not all(isinstance(key, str) for key in value):
        raise TypeError("a mapping whose keys are no text cannot be told from others")
    return {key: plain(each) for key, each in value.items()}
