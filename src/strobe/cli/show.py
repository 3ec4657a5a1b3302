"""What a command prints: tables, JSON, notes; plain and complete where nobody looks at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from strobe.errors import harmless


def show(parts: Iterable[Any]) -> None:
    """Tables, remarks and lines, one below the other."""
    from strobe.show.terminal import write

    write(parts, sys.stdout)


def present(data: Any, parts: Iterable[Any], as_json: bool) -> None:
    """A result as JSON, or as a person reads it."""
    print_json(data) if as_json else show(parts)


def note(text: str) -> None:
    """A remark on what was done, beside the result."""
    print(f"note: {harmless(text)}", file=sys.stderr)


def warn(text: str) -> None:
    print(f"warning: {harmless(text)}", file=sys.stderr)


def say(text: str) -> None:
    """A line of the result, as it is."""
    print(harmless(text))


def print_json(data: Any) -> None:
    """Data as JSON with every digit; what is not finite becomes null."""
    from strobe.show.json_text import json_text

    print(json_text(data))
