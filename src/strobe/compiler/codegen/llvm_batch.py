"""A batch per call without what lies between Python and a kernel: checks and allocation in machine code.

`@batch(self, args, n)` takes two-dimensional arrays of the same number of states, vectors for inputs that all states
have in common, and after them, if the caller has one, an array for the results that shares no memory with the others.
It calls the kernel's loop, whose address is in the table, with the interpreter lock released. More states than the
table allows are left to Python, which has threads for them.
"""

from __future__ import annotations

from collections.abc import Sequence

from strobe.compiler.codegen.llvm_builtin import (
    Turns,
    given_or_made,
    inspect,
    numbers_in,
    pointers,
    refusal,
    require_apart,
    require_turns,
)
from strobe.compiler.codegen.llvm_text import Text


def batch_module(
    sizes: Sequence[int], core: Sequence[int], common: Sequence[int] = (), turns: Turns = (), single: bool = False
) -> str:  # fmt: skip
    """The IR text of the builtin for inputs of these sizes and results of this shape; those in common by place.

    ``single`` takes one state, vectors alone: for programs so long that code of their own is not worth its making.
    """
    e = Text()
    _builtin(e, sizes, core, range(len(sizes)) if single else common, turns, single)
    return "\n".join(e.lines) + "\n"


def _builtin(
    e: Text, sizes: Sequence[int], core: Sequence[int], common: Sequence[int], turns: Turns, single: bool
) -> None:
    out, inputs = e.lines.append, len(sizes)
    states = "1" if single else "%states"
    rows = {k: 1 if k in common else states for k in range(inputs)}
    shape = [*core] if single else [states, *core]
    out("define ptr @batch(ptr %self, ptr %args, i64 %n) nounwind {")
    out("entry:")
    pointers(e)
    out(f"  %without = icmp eq i64 %n, {inputs}")
    out(f"  %with = icmp eq i64 %n, {inputs + 1}")
    out("  %counted = or i1 %without, %with")
    out("  br i1 %counted, label %look0, label %refuse")
    for k, size in enumerate(sizes):
        following = f"look{k + 1}" if k + 1 < inputs else "count"
        batch = [] if k in common else [states if k else ""]
        inspect(e, k, [*batch, size], following)
    out("count:")
    out("  %limit = ptrtoint ptr %most to i64")
    out(f"  %few = icmp ule i64 {states}, %limit")
    out(f"  br i1 %few, label %{'turns' if turns else 'where'}, label %refuse")
    if turns:
        require_turns(e, turns, sizes, rows, "where")
    out("where:")
    out(f"  br i1 %with, label %look{inputs}, label %make")
    inspect(e, inputs, shape, "apart", written=True)
    require_apart(e, sizes, core, rows, states)
    given_or_made(e, inputs, shape)
    _call(e, sizes, core, common, states)
    out("  ret ptr %array")
    refusal(e)
    out("}")


def _call(e: Text, sizes: Sequence[int], core: Sequence[int], common: Sequence[int], states: str) -> None:
    """The loop with NumPy's arguments: data, number of states, steps between states and between numbers."""
    data = [*(f"%data{k}" for k in range(len(sizes))), "%result"]
    strides = [numbers_in(core[d + 1 :]) for d in range(len(core))]
    rows = [0 if k in common else numbers_in([size]) for k, size in enumerate(sizes)]
    steps = [*rows, numbers_in(core), *[8] * len(sizes), *strides]
    args, dims, jumps = (
        _table(e, kind, values)
        for kind, values in (("ptr", data), ("i64", [states]), ("i64", [str(step) for step in steps]))
    )
    e.lines.append("  %thread = call ptr %save_thread()")
    e.lines.append(f"  call void %loop(ptr {args}, ptr {dims}, ptr {jumps}, ptr null)")
    e.lines.append("  call void %restore_thread(ptr %thread)")


def _table(e: Text, kind: str, values: Sequence[str]) -> str:
    table = e.new(f"alloca [{len(values)} x {kind}], align 8")
    for k, value in enumerate(values):
        place = e.new(f"getelementptr {kind}, ptr {table}, i64 {k}")
        e.lines.append(f"  store {kind} {value}, ptr {place}, align 8")
    return table
