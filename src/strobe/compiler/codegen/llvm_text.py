"""Lines of IR under way, and names for what they compute."""

from __future__ import annotations

import re
from collections.abc import Mapping

BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}  # operations as instructions
CALLED = re.compile(r"call (<[^>]*>|\w+) (@llvm\.[\w.]+)\((.*)\)$", re.M)


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


def put(text: Text, row: str, args: tuple[str, ...], words: Mapping[str, object]) -> str:
    """The lines of a row of a table; the last one is the result, those before it have names for lines behind."""
    *before, last = row.split("\n")
    found: dict[str, str] = {}
    for line in before:
        name, _, operation = line.partition(" = ")
        found[name] = text.new(operation.format(*args, **words, **found))
    return text.new(last.format(*args, **words, **found))


def intrinsics(text: str) -> set[str]:
    """A declaration of every intrinsic that is called."""
    return {
        f"declare {T} {name}({', '.join([T] * len(args.split(', ') if args else ()))})"
        for T, name, args in CALLED.findall(text)
    }
