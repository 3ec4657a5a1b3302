"""A batch per call without what lies between Python and a kernel: checks and allocation in machine code.

`@batch(self, args, n)` takes two-dimensional arrays of the same number of states, vectors for inputs that all states
have in common, and after them, if the caller has one, an array for the results that shares no memory with the others.
It calls the kernel's loop, whose address is in the table, with the interpreter lock released. More states than the
table allows are left to Python, which has threads for them.
"""

from __future__ import annotations

from collections.abc import Sequence

from strobe.compiler.codegen.llvm_builtin import (
    ARRAY_DATA,
    inspect,
    new_array,
    numbers_in,
    pointers,
    refusal,
    require_turns,
)
from strobe.compiler.codegen.llvm_text import Text


def batch_module(
    sizes: Sequence[int], core: Sequence[int], common: Sequence[int] = (), turns: Sequence[int] = ()
) -> str:
    """The IR text of the builtin for inputs of these sizes and results of this shape; those in common by place.

    ``turns`` are where rows of the first input have quaternions.
    """
    e = Text()
    _builtin(e, sizes, core, common, turns)
    return "\n".join(e.lines) + "\n"


def _builtin(
    e: Text, sizes: Sequence[int], core: Sequence[int], common: Sequence[int], turns: Sequence[int]
) -> None:
    out, inputs = e.lines.append, len(sizes)
    out("define ptr @batch(ptr %self, ptr %args, i64 %n) nounwind {")
    out("entry:")
    pointers(e)
    out(f"  %without = icmp eq i64 %n, {inputs}")
    out(f"  %with = icmp eq i64 %n, {inputs + 1}")
    out("  %counted = or i1 %without, %with")
    out("  br i1 %counted, label %look0, label %refuse")
    for k, size in enumerate(sizes):
        following = f"look{k + 1}" if k + 1 < inputs else "count"
        states = [] if k in common else ["%states" if k else ""]
        inspect(e, k, [*states, size], following)
    out("count:")
    out("  %limit = ptrtoint ptr %most to i64")
    out("  %few = icmp ule i64 %states, %limit")
    out(f"  br i1 %few, label %{'turns' if turns else 'where'}, label %refuse")
    if turns:
        require_turns(e, "%data0", sizes[0], turns, "%states", "where")
    out("where:")
    out(f"  br i1 %with, label %look{inputs}, label %make")
    inspect(e, inputs, ["%states", *core], "apart", written=True)
    _apart(e, sizes, core, common)
    out("give:")
    out(f"  call void %incref(ptr %argument{inputs})")
    out("  br label %run")
    out("make:")
    new_array(e, ["%states", *core])
    out("  br i1 %failed, label %leave, label %run")
    out("run:")
    out(f"  %array = phi ptr [ %argument{inputs}, %give ], [ %made, %make ]")
    out(f"  %result_at = getelementptr i8, ptr %array, i64 {ARRAY_DATA}")
    out("  %result = load ptr, ptr %result_at, align 8")
    _call(e, sizes, core, common)
    out("  ret ptr %array")
    refusal(e)
    out("}")


def _apart(e: Text, sizes: Sequence[int], core: Sequence[int], common: Sequence[int]) -> None:
    """On if the results lie before or behind every input in memory, else refused."""
    inputs = len(sizes)
    e.lines.append("apart:")
    first, beyond = _range(e, f"%data{inputs}", "%states", numbers_in(core))
    apart = "true"
    for k, size in enumerate(sizes):
        start, end = _range(e, f"%data{k}", "1" if k in common else "%states", numbers_in([size]))
        before = e.new(f"icmp ule i64 {beyond}, {start}")
        behind = e.new(f"icmp ule i64 {end}, {first}")
        apart = e.new(f"and i1 {apart}, {e.new(f'or i1 {before}, {behind}')}")
    e.lines.append(f"  br i1 {apart}, label %give, label %refuse")


def _range(e: Text, data: str, rows: str, bytes_: int) -> tuple[str, str]:
    start = e.new(f"ptrtoint ptr {data} to i64")
    return start, e.new(f"add i64 {start}, {e.new(f'mul i64 {rows}, {bytes_}')}")


def _call(e: Text, sizes: Sequence[int], core: Sequence[int], common: Sequence[int]) -> None:
    """The loop with NumPy's arguments: data, number of states, steps between states and between numbers."""
    data = [*(f"%data{k}" for k in range(len(sizes))), "%result"]
    strides = [numbers_in(core[d + 1 :]) for d in range(len(core))]
    rows = [0 if k in common else numbers_in([size]) for k, size in enumerate(sizes)]
    steps = [*rows, numbers_in(core), *[8] * len(sizes), *strides]
    args, dims, jumps = (
        _table(e, kind, values)
        for kind, values in (("ptr", data), ("i64", ["%states"]), ("i64", [str(step) for step in steps]))
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
