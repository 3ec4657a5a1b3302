"""Quotes the newest rows of `reliability/results/` in `docs/reliability.md`, between its markers.

    python -m reliability.page

A row is shown as it is: what it counts in words made of its keys, the failures apart, and where and when it ran.
"""

from __future__ import annotations

import re
from pathlib import Path

from reliability.record import Row, newest

PAGE = Path(__file__).parent.parent / "docs" / "reliability.md"
MARKED = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end -->)", re.DOTALL)
TRIALS = {
    "readers": "mutated inputs, every reader",
    "guided": "inputs guided by coverage",
    "commands": "random commands",
    "arguments": "random arguments of public calls",
    "one_call": "builtins against the methods that they lie over",
    "compiler": "compiled against interpreted",
    "sanitized": "generated C under sanitizers",
    "soak": "random calls from threads, the cache being damaged",
    "frames": "random trees of frames, none named",
    "killing": "sweeps whose processes are killed",
    "caches": "caches of robots with a field changed",
}
UNITS = {"mib": "MiB", "percent": "%"}  # by the last word of a key
APART = ("when", "cpu", "cores", "python", "strobe", "failures", "seed")


def table() -> str:
    """The rows of the last day of every trial that has some."""
    rows = [(what, row) for trial, what in TRIALS.items() for row in newest(trial)]
    lines = ["| trial | what was tried | failures | when, where |", "| --- | --- | --- | --- |"]
    lines += [f"| {what} | {tried(row)} | **{row['failures']}** | {_where(row)} |" for what, row in rows]
    return "\n".join(lines if rows else ["No trial has been recorded yet."]) + "\n"


def tried(row: Row) -> str:
    """What a row counts and measures: plain numbers with the words of their keys."""
    found = {
        key: value for key, value in row.items() if key not in APART and isinstance(value, int | float)
    }
    return ", ".join(_told(key, value) for key, value in found.items())


def _told(key: str, value: float) -> str:
    *words, last = key.split("_")
    if last in UNITS:
        return f"{' '.join(words)} {_figure(value)} {UNITS[last]}"
    return f"{_figure(value)} {' '.join((*words, last))}"


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def _where(row: Row) -> str:
    return f"{row['when'][:10]}, {row['cores']} cores, Python {row['python']}"


def main() -> None:
    PAGE.write_text(MARKED.sub(lambda _: table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
