"""What a command prints: tables, JSON, notes; plain and complete where nobody looks at a terminal."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

ENDLESS = 10_000  # columns: a terminal too narrow for a line breaks it, and nothing is cut


def console() -> Console:
    """Standard output; NO_COLOR and pipes are respected."""
    from rich.console import Console

    return Console(highlight=False, width=ENDLESS, soft_wrap=True, file=sys.stdout)


def note(text: str) -> None:
    """A remark on what was done, beside the result."""
    print(f"note: {text}", file=sys.stderr)


def warn(text: str) -> None:
    print(f"warning: {text}", file=sys.stderr)


def print_json(data: Any) -> None:
    """Data as JSON with every digit; what is not finite becomes null."""
    print(json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False))


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
