"""One state per call without NumPy's machinery: a C function that Python calls directly.

`@quick(self, args, n)` takes one-dimensional arrays, and Python floats where a number is asked for, and returns a new
array, or fills the one that comes behind them; a result of several parts is a tuple of new arrays. See `llvm_builtin`
for what it accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from strobe.compiler.codegen.llvm import Emitter, Target
from strobe.compiler.codegen.llvm_builtin import (
    COPY,
    Parts,
    Turns,
    answer,
    begin,
    inspect,
    inspect_float,
    require_turns,
)
from strobe.compiler.graph.program import Program


def quick_module(
    program: Program, target: Target, turns: Turns = (), floats: Sequence[int] = (), parts: Parts = ()
) -> str:
    """The IR text of a program as a builtin for single states.

    ``turns`` are its inputs with quaternions, ``floats`` those that are Python floats.
    """
    e = Emitter(program, replace(target, width=1, single=False))
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
    begin(e, count, parts)
    for k, size in enumerate(sizes):
        following = f"look{k + 1}" if k + 1 < count else "turns" if turns else "where"
        if k in floats:
            inspect_float(e, k, following)
        else:
            inspect(e, k, [size], following)
    if turns:
        require_turns(e, turns, sizes, rows, "where")

    def run(result: str) -> None:
        inputs = ", ".join(f"ptr %data{k}, i64 0" for k in range(count))
        out(f"  call void @body({inputs}, ptr {result}, i64 0, i64 0, i64 0, ptr @numbers)")

    answer(e, sizes, program.shape, rows, parts, run)
    out("}")
