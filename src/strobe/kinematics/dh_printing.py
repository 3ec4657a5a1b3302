"""Denavit-Hartenberg tables as text: what a person would write, and what stands behind it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from strobe.models.joints import FIXED

if TYPE_CHECKING:
    from strobe.kinematics.denavit_hartenberg import DHTable, Row

PRODUCTS = {
    "standard": "Rz(theta) Tz(d) Tx(a) Rx(alpha)",
    "modified": "Rx(alpha) Tx(a) Rz(theta) Tz(d)",
}
HEADS = {
    "standard": ("theta", "d", "a", "alpha"),
    "modified": ("alpha", "a", "theta", "d"),
}


def text_of(table: DHTable) -> str:
    """The table with its report."""
    lines = [
        f"{table.robot}, {table.convention} Denavit-Hartenberg: each row is {PRODUCTS[table.convention]} (rad, m)",
        "",
        *_aligned(list(_cells(table))),
        "",
        *_report(table),
    ]
    return "\n".join(lines)


def _cells(table: DHTable) -> Iterator[Sequence[str]]:
    heads = HEADS[table.convention]
    yield ("", "kind", *heads)
    if not table.base.idle:
        yield (f"{table.base.name} (base)", "fixed", *_values(table.base, heads, ""))
    for k, row in enumerate(table.rows, 1):
        yield (row.name, row.kind, *_values(row, heads, f"q{k}"))
    if not table.tool.idle:
        yield (f"{table.tool.name} (frame)", FIXED.name, *_values(table.tool, heads, ""))


def _values(row: Row, heads: Sequence[str], variable: str) -> Iterator[str]:
    """The four numbers of a row, the joint's variable in its place."""
    moving = "d" if row.slides else "theta"
    for head in heads:
        value = getattr(row, head)
        text = angle_text(value) if head in ("alpha", "theta") else f"{value:.9g}"
        yield _with(variable, text) if head == moving else text


def _with(variable: str, offset: str) -> str:
    if not variable or offset == "0":
        return variable or offset
    return f"{variable} - {offset[1:]}" if offset.startswith("-") else f"{variable} + {offset}"


def angle_text(angle: float, pi: str = "π", times: str = "") -> str:
    """An angle, as a fraction of π where it is one."""
    part = Fraction(angle / math.pi).limit_denominator(12)
    if not angle or part.numerator * math.pi / part.denominator != angle:
        return f"{angle:.9g}"
    over = f"/{part.denominator}" if part.denominator > 1 else ""
    factor = {1: "", -1: "-"}.get(part.numerator, f"{part.numerator}{times}")
    return f"{factor}{pi}{over}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns side by side: words to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if k < 2 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _report(table: DHTable) -> Iterator[str]:
    exact = table.exactness
    yield (
        f'exactness: on {exact.samples} random positions the table has "{table.frame}" within {exact.position:.2g} m '
        f"and {exact.rotation:.2g} rad of the model."
    )
    yield (
        f"rounding removed: at most {exact.snapped_angle:.2g} rad from an angle and "
        f"{exact.snapped_length:.2g} m from a length."
    )
    yield from (f"by choice: {choice}" for choice in table.choices)
    yield from (f"remark: {remark}" for remark in table.remarks)
