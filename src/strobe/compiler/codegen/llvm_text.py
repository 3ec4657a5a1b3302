"""Lines of IR under way, and names for what they compute."""

from __future__ import annotations

BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}  # operations as instructions


class Text:
    """Lines, a name for the result of each, and labels between them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0  # of names given out

    def new(self, operation: str) -> str:
        """What an operation computes, by its name."""
        self._count += 1
        name = f"%t{self._count}"
        self.lines.append(f"  {name} = {operation}")
        return name

    def label(self) -> str:
        self._count += 1
        return f"l{self._count}"
