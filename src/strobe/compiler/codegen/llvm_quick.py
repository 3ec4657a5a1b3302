"""One state per call without NumPy's machinery: a C function that Python calls directly.

`@quick(self, args, n)` takes one-dimensional arrays and returns a new array; see `llvm_builtin` for what it accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from strobe.compiler.codegen.llvm import Emitter, Target
from strobe.compiler.codegen.llvm_builtin import (
    ARRAY_DATA,
    inspect,
    new_array,
    pointers,
    refusal,
    require_turns,
)
from strobe.compiler.graph.program import Program


def quick_module(program: Program, target: Target, turns: Sequence[int] = ()) -> str:
    """The IR text of a program as a builtin for single states; ``turns``: where its first input has quaternions."""
    e = Emitter(program, replace(target, width=1, single=False))
    body = e.body_text()
    _builtin(e, program, turns)
    parts = [*sorted(e.declared), "", *body, "", *e.lines, e.table()]
    parts.append(f"attributes #0 = {{ nounwind {target.attributes} }}")
    return "\n".join(parts) + "\n"


def _builtin(e: Emitter, program: Program, turns: Sequence[int]) -> None:
    out, count = e.lines.append, len(program.inputs)
    out("define ptr @quick(ptr %self, ptr %args, i64 %n) #0 {")
    out("entry:")
    pointers(e)
    out(f"  %counted = icmp eq i64 %n, {count}")
    out("  br i1 %counted, label %look0, label %refuse")
    for k, argument in enumerate(program.inputs):
        inspect(e, k, [argument.size], f"look{k + 1}" if k + 1 < count else "turns" if turns else "compute")
    if turns:
        require_turns(e, "%data0", program.inputs[0].size, turns, 1, "compute")
    out("compute:")
    new_array(e, program.shape)
    out("  br i1 %failed, label %leave, label %run")
    out("run:")
    out(f"  %result_at = getelementptr i8, ptr %made, i64 {ARRAY_DATA}")
    out("  %result = load ptr, ptr %result_at, align 8")
    rows = ", ".join(f"ptr %data{k}, i64 0" for k in range(count))
    out(f"  call void @body({rows}, ptr %result, i64 0, i64 0, i64 0, ptr @numbers)")
    out("  ret ptr %made")
    refusal(e)
    out("}")
