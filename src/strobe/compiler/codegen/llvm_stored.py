"""Rows of stored numbers at W places at once.

Loading the row of each lane and transposing was a fifth faster on rows of several numbers, slower on those of two,
and took LLVM eight times as long: numbers are gathered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.compiler.codegen.constants import bits_of

if TYPE_CHECKING:
    from strobe.compiler.codegen.llvm import Emitter


def emit_row(e: Emitter, where: str, size: int, width: int, place: str) -> list[str]:
    """The numbers from each place on; what is not a number as a place stays so."""
    t = e.target
    V, W = t.vector, t.width
    first = _held(e, size - width, place)
    values = _gathered(e, where, first, width)
    unknown = e.new(f"fcmp uno {V} {place}, {place}")
    return [e.new(f"select <{W} x i1> {unknown}, {V} {place}, {V} {value}") for value in values]


def _held(e: Emitter, last: int, place: str) -> str:
    """Places as whole numbers from 0 to the last one; a comparison with NaN fails, so that it becomes 0."""
    t = e.target
    V, W = t.vector, t.width
    end = e.constant(bits_of(float(last), t.single), t.scalar)
    some = e.new(f"fcmp ogt {V} {place}, zeroinitializer")
    low = e.new(f"select <{W} x i1> {some}, {V} {place}, {V} zeroinitializer")
    within = e.new(f"fcmp olt {V} {low}, {end}")
    held = e.new(f"select <{W} x i1> {within}, {V} {low}, {V} {end}")
    number = e.new(f"fptosi {V} {held} to <{W} x i32>")
    return e.new(f"sext <{W} x i32> {number} to <{W} x i64>")


def _gathered(e: Emitter, where: str, first: str, width: int) -> list[str]:
    """The numbers of every lane, one by one."""
    t = e.target
    V, W = t.vector, t.width
    name = f"@llvm.masked.gather.{t.suffix}.v{W}p0"
    e.declared.add(f"declare {V} {name}(<{W} x ptr>, i32, <{W} x i1>, {V})")
    rows = e.new(f"getelementptr {t.scalar}, ptr {where}, <{W} x i64> {first}")
    every = ", ".join(["i1 true"] * W)
    found: list[str] = []
    for k in range(width):
        places = e.new(f"getelementptr {t.scalar}, <{W} x ptr> {rows}, i64 {k}")
        found.append(
            e.new(f"call {V} {name}(<{W} x ptr> {places}, i32 {t.bytes}, <{W} x i1> <{every}>, {V} poison)")
        )
    return found
