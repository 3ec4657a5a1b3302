"""Lines of IR under way, and names for what they compute."""

from __future__ import annotations

from itertools import count


class Text:
    """Lines, and a name for the result of each."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names = count()

    def new(self, operation: str) -> str:
        name = f"%t{next(self._names)}"
        self.lines.append(f"  {name} = {operation}")
        return name
