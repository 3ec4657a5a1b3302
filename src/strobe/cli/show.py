"""What a command prints: tables, JSON, notes; plain and complete where nobody looks at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from strobe.errors import harmless

if TYPE_CHECKING:
    from rich.console import Console

# what a terminal obeys is written out wherever something is printed: names may come from files of strangers
ENDLESS = 10_000  # columns: a terminal too narrow for a line breaks it, and nothing is cut


def console() -> Console:
    """Standard output; NO_COLOR and pipes are respected."""
    from rich.console import Console
    from rich.segment import Segment

    class Harmless(Console):
        """Its own escape sequences pass; those within texts are shown."""

        def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=harmless(segment.text))

        def on_broken_pipe(self) -> None:
            """Who reads has gone: the command ends as with any other output, not as Rich would end it."""
            raise BrokenPipeError

    return Harmless(
        highlight=False, markup=False, emoji=False, width=ENDLESS, soft_wrap=True, file=sys.stdout
    )


def show(parts: Iterable[Any]) -> None:
    """Tables, remarks and lines, one below the other."""
    out = console()
    for part in parts:
        out.print(part)


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
