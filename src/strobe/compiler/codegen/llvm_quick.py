"""One state per call without NumPy's machinery: a C function that Python calls directly.

`@quick(self, args, n)` takes one-dimensional arrays, and Python floats where a number is asked for, and returns a new
array, or fills the one that comes behind them; a result of several parts is a tuple of new arrays. See `llvm_builtin`
for what it accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from strobe.compiler.codegen.llvm import Emitter, Target
from strobe.compiler.codegen.llvm_builtin import (
    ARRAY_DATA,
    Turns,
    given_or_made,
    inspect,
    inspect_float,
    new_array,
    numbers_in,
    pointers,
    refusal,
    require_apart,
    require_turns,
)
from strobe.compiler.graph.program import Program

COPY = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
Parts = Sequence[tuple[int, ...]]  # shapes of what a result is made of


def quick_module(
    program: Program, target: Target, turns: Turns = (), floats: Sequence[int] = (), parts: Parts = ()
) -> str:
    """The IR text of a program as a builtin for single states.

    ``turns`` are its inputs with quaternions, ``floats`` those that are Python floats.
    """
    e = Emitter(program, Target(1, False, target.attributes, target.fused))
    body = e.body_text()
    _builtin(e, program, turns, floats, parts)
    declared = {*e.declared, COPY} if parts else e.declared
    text = [*sorted(declared), "", *body, "", *e.lines, e.table()]
    text.append(f"attributes #0 = {{ nounwind {target.attributes} }}")
    return "\n".join(text) + "\n"


def _builtin(e: Emitter, program: Program, turns: Turns, floats: Sequence[int], parts: Parts) -> None:
    out, sizes = e.lines.append, [given.size for given in program.inputs]
    count, rows = len(sizes), dict.fromkeys(range(len(sizes)), 1)
    out("define ptr @quick(ptr %self, ptr %args, i64 %n) #0 {")
    out("entry:")
    pointers(e)
    if parts:
        out(f"  %buffer = alloca [{prod(program.shape)} x double], align 64")
    out(f"  %without = icmp eq i64 %n, {count}")
    out(f"  %with = icmp eq i64 %n, {-1 if parts else count + 1}")
    out("  %counted = or i1 %without, %with")
    out("  br i1 %counted, label %look0, label %refuse")
    for k, size in enumerate(sizes):
        following = f"look{k + 1}" if k + 1 < count else "turns" if turns else "where"
        if k in floats:
            inspect_float(e, k, following)
        else:
            inspect(e, k, [size], following)
    if turns:
        require_turns(e, turns, sizes, rows, "where")
    out("where:")
    if parts:
        _apart(e, count, parts)
    else:
        out(f"  br i1 %with, label %look{count}, label %make")
        inspect(e, count, program.shape, "apart", written=True)
        require_apart(e, sizes, program.shape, rows, 1)
        given_or_made(e, count, program.shape)
        _run(e, count, "%result")
        out("  ret ptr %array")
    refusal(e)
    out("}")


def _run(e: Emitter, count: int, result: str) -> None:
    inputs = ", ".join(f"ptr %data{k}, i64 0" for k in range(count))
    e.lines.append(f"  call void @body({inputs}, ptr {result}, i64 0, i64 0, i64 0, ptr @numbers)")


def _apart(e: Emitter, count: int, parts: Parts) -> None:
    """The result, computed on the stack, as a tuple of arrays."""
    out = e.lines.append
    _run(e, count, "%buffer")
    out(f"  %parts = call ptr %new_tuple(i64 {len(parts)})")
    out("  %none = icmp eq ptr %parts, null")
    out("  br i1 %none, label %leave, label %part0")
    at = 0
    for k, shape in enumerate(parts):
        out(f"part{k}:")
        new_array(e, shape, k)
        out(f"  br i1 %failed{k}, label %undo, label %fill{k}")
        out(f"fill{k}:")
        place = e.new(f"getelementptr i8, ptr %made{k}, i64 {ARRAY_DATA}")
        numbers = e.new(f"load ptr, ptr {place}, align 8")
        source = e.new(f"getelementptr double, ptr %buffer, i64 {at}")
        out(
            f"  call void @llvm.memcpy.p0.p0.i64(ptr {numbers}, ptr {source}, i64 {numbers_in(shape)}, i1 false)"
        )
        out(f"  call i32 %set_item(ptr %parts, i64 {k}, ptr %made{k})")
        out(f"  br label %{f'part{k + 1}' if k + 1 < len(parts) else 'done'}")
        at += prod(shape)
    out("undo:")
    out("  call void %decref(ptr %parts)")
    out("  br label %leave")
    out("done:")
    out("  ret ptr %parts")
