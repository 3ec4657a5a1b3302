"""Where two documents of plain data differ, in words: two sweeps, or a model and what it was in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from strobe.files.reading import parsed_json
from strobe.models.fingerprint import described
from strobe.models.model import Model

TOLD = 3  # differences that a sentence names
SHORT = 40  # letters of a value that a sentence shows


def letters(model: Model) -> np.ndarray[Any, Any]:
    """A model `described` for a file of arrays: JSON, a byte for every letter."""
    return np.frombuffer(json.dumps(described(model)).encode(), np.uint8)


def from_letters(array: np.ndarray[Any, Any]) -> dict[str, Any] | None:
    """What `letters` were made of, or nothing where an array is none of these."""
    return json_object(array.tobytes()) if array.dtype == np.uint8 else None


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """The object that JSON from a file says, if it says one."""
    try:
        found = parsed_json(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def changes(there: Any, model: Model) -> str:
    """What is not as it was in a model that was `described` there, in words."""
    return first_differences(there, described(model)) or "what it computes"


def first_differences(there: Any, here: Any) -> str:
    """Where two documents differ, the first places by name."""
    found = list(differences(there, here))
    more = f" (and {len(found) - TOLD} more)" if len(found) > TOLD else ""
    return "; ".join(found[:TOLD]) + more


def differences(there: Any, here: Any, name: str = "") -> Iterator[str]:
    """Where two documents differ, each place in a few words."""
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        for key in dict.fromkeys((*there, *here)):
            yield from differences(there.get(key), here.get(key), _within(name, key))
        if list(there) != list(here) and set(there) == set(here):
            yield f"the order of {name or 'its parts'} is not what it was"
    elif (known := _by_label(there)) and (now := _by_label(here)):
        yield from differences(known, now, name)
    elif json.dumps(there) != json.dumps(here):  # NaN is NaN there, and −0 is not 0
        yield f"{name} {_told(there, here)}"


def _within(name: str, key: str) -> str:
    key = key if key.isprintable() else json.dumps(key)  # it may come from a file
    return key if not name else f"{name}: {key}" if name.endswith('"') else f"{name}.{key}"


def _by_label(entries: Any) -> dict[str, Any]:
    """Entries by their labels, where they have some."""
    if not isinstance(entries, list):
        return {}
    return {each["label"]: each for each in entries if isinstance(each, Mapping) and "label" in each}


def _told(there: Any, here: Any) -> str:
    if there is None or here is None:
        return "is new" if there is None else "is no longer there"
    texts = json.dumps(there), json.dumps(here)
    if max(map(len, texts)) > SHORT:
        return "is not what it was"
    return f"was {texts[0]} and is {texts[1]}"
