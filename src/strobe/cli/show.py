"""What a command prints: tables, JSON, notes; plain and complete where nobody looks at a terminal."""

from __future__ import annotations

import sys
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
    from strobe.runtime.json_text import json_text

    print(json_text(data))
