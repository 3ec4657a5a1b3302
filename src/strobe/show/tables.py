"""Tables of numbers: aligned, complete, never cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from strobe.show.terminal import Column, Table, Text


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """A table whose numbers stand to the right and whose words stand to the left."""
    rows = list(rows)
    kinds = list(zip(*rows, strict=True)) or [()] * len(columns)
    return Table(
        [
            Column(name, list(map(cell, kind)), "right" if kind and all(map(_numeric, kind)) else "left")
            for name, kind in zip(columns, kinds, strict=True)
        ]
    )


MEASURES = {  # of joints that turn, and of joints that slide
    "position": ("rad", "m"),
    "velocity": ("rad/s", "m/s"),
    "acceleration": ("rad/s²", "m/s²"),
    "torque": ("N m", "N"),
}


def in_units(name: str, measure: str, units: Iterable[str]) -> str:
    """The title of a column with its unit; ``units`` are those of the torques of its rows (or of its one joint)."""
    turning, sliding = MEASURES[measure]
    shown = dict.fromkeys(turning if unit == "N m" else sliding for unit in units)
    return f"{name} ({' or '.join(shown)})" if shown else name


def remark(text: str) -> Text:
    """One line of explanation under a title."""
    return Text(text, style="dim")


def cell(value: Any) -> str:
    """A value as a person reads it; nothing where there is none."""
    if value is None:
        return ""
    if isinstance(value, float):
        return short(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def short(x: float) -> str:
    """A number to six significant digits."""
    return f"{x + 0.0:.6g}"


def three(x: float) -> float:
    """A number to three digits, where more would be noise."""
    return float(f"{x:.3g}")


def tidy(values: Any, *beside: Any) -> Any:
    """Numbers to read: entries that are rounding beside the largest of their kind are shown as 0."""
    from strobe.show.rounding_noise import quiet  # which needs NumPy; a table of words does not

    return quiet(values, *beside).tolist()


def _numeric(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
