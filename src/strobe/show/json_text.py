"""Results as JSON: arrays and NumPy numbers as what JSON knows, with every digit."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from strobe.errors import COMMANDS


def json_text(data: Any) -> str:
    """Data as JSON to read; what is not finite becomes null."""
    text = json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False)
    return COMMANDS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)  # JSON's own way to write them


def plain(data: Any) -> Any:
    """Arrays, tuples and NumPy numbers as what JSON knows."""
    if hasattr(data, "tolist"):
        data = data.tolist()
    if isinstance(data, Mapping):
        return {str(key): plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    if isinstance(data, float):
        return float(data) if math.isfinite(data) else None
    return data
