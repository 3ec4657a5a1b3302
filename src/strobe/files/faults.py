"""Everything that is wrong with one file, found before any of it is told."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from strobe.errors import MOST_FAULTS, Fault, ModelFileError, nearest

MOST_ERRORS = 200  # of a file: who mends so many looks again, and hints at names cost time


class Faults:
    """Everything found wrong or noteworthy in one file."""

    def __init__(self, path: str | Path, strict: bool = False) -> None:
        self.path = str(path)
        self.strict = strict
        self.found: list[Fault] = []
        self.errors: list[Fault] = []  # those of them that are

    def error(self, where: str, text: str, topic: str = "") -> None:
        self._add(where, text, "error", topic)
        self.errors.append(self.found[-1])
        if len(self.errors) >= MOST_ERRORS:
            rest = Fault(
                self.path, f"that is {MOST_ERRORS} faults; the rest of the file was not looked at."
            )
            raise ModelFileError([*self.errors, rest])

    def add(self, text: str, line: int | None = None) -> None:
        """An error in a line, or in the file as a whole."""
        self.error("" if line is None else str(line), text)

    def warning(self, where: str, text: str, topic: str = "") -> None:
        """Something that loads by default and is refused when the caller is strict."""
        self.error(where, text, topic) if self.strict else self._add(where, text, "warning", topic)

    def note(self, where: str, text: str, topic: str = "") -> None:
        self._add(where, text, "note", topic)

    def nearest(self, name: str, known: Iterable[str]) -> str:
        """A hint at a name that exists, for faults that will be shown; others are only counted."""
        return nearest(name, known) if len(self.errors) < MOST_FAULTS else ""

    def _add(self, where: str, text: str, severity: str, topic: str) -> None:
        self.found.append(Fault(self._place(where), text, severity, topic))

    def _place(self, where: str) -> str:
        """A line number is appended to the path, anything else set apart from it."""
        if not where:
            return self.path
        return f"{self.path}:{where}" if where.isdigit() else f"{self.path}: {where}"

    @property
    def remarks(self) -> tuple[Fault, ...]:
        return tuple(fault for fault in self.found if fault.severity != "error")

    def raise_if_any(self) -> None:
        if self.errors:
            raise ModelFileError(self.errors)
