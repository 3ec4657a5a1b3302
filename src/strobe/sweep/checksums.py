"""Data that tells whether it is still what was written: a hash of all of it stands in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

SEAL = "seal"


def sealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Plain data, with its hash."""
    return {**data, SEAL: digest(data)}


def is_sealed(data: Any) -> bool:
    """Whether data that was read is what was sealed."""
    if not isinstance(data, dict):
        return False
    return data.get(SEAL) == digest({key: value for key, value in data.items() if key != SEAL})


def digest(data: Mapping[str, Any]) -> str:
    """A hash of plain data, equal wherever it is read and in whatever order its keys stand."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
