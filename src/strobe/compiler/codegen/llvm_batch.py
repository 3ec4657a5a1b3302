"""A batch per call without what lies between Python and a kernel: checks and allocation in machine code.

`@batch(self, args, n)` takes two-dimensional arrays of the same number of states, vectors for inputs that all states
have in common, and after them, if the caller has one, an array for the results that shares no memory with the others.
It calls the kernel's loop, whose address is in the table, with the interpreter lock released. More states than the
table allows go, looked at, to a function of Python, which has threads for them, and memory for results that are not
given.
"""

from __future__ import annotations

from collections.abc import Sequence

from strobe.compiler.codegen.llvm_builtin import (
    COPY,
    Parts,
    Turns,
    answer,
    begin,
    inspect,
    numbers_in,
    require_turns,
)
from strobe.compiler.codegen.llvm_text import Text


def batch_module(
    sizes: Sequence[int], core: Sequence[int], common: Sequence[int] = (), turns: Turns = (), single: bool = False,
    parts: Parts = (),
) -> str:  # fmt: skip
    """The IR text of the builtin for inputs of these sizes and results of this shape; those in common by place.

    ``single`` takes one state, vectors alone, where code of its own is too long or has other bits;
    then the result may come in ``parts``.
    """
    e = Text()
    _builtin(e, sizes, core, range(len(sizes)) if single else common, turns, single, parts)
    return "\n".join([*([COPY] if parts else []), *e.lines, ""])


def _builtin(
    e: Text, sizes: Sequence[int], core: Sequence[int], common: Sequence[int], turns: Turns, single: bool,
    parts: Parts,
) -> None:  # fmt: skip
    out, inputs = e.lines.append, len(sizes)
    states = "1" if single else "%states"
    rows = {k: 1 if k in common else states for k in range(inputs)}
    out("define ptr @batch(ptr %self, ptr %args, i64 %n) nounwind {")
    begin(e, inputs, parts)
    for k, size in enumerate(sizes):
        following = f"look{k + 1}" if k + 1 < inputs else "count"
        batch = [] if k in common else [states if k else ""]
        inspect(e, k, [*batch, size], following)
    out("count:")
    out("  %bound = select i1 %with, ptr %most, ptr %most_made")
    out("  %limit = ptrtoint ptr %bound to i64")
    out(f"  %few = icmp ule i64 {states}, %limit")
    following = "turns" if turns else "where"
    out(f"  br i1 {'%few' if single else 'true'}, label %{following}, label %refuse")
    if turns:
        require_turns(e, turns, sizes, rows, "where")

    def run(result: str) -> None:
        _call(e, sizes, core, common, states, result)

    answer(e, sizes, core, rows, parts, run, "true" if single else "%few")
    out("}")


def _call(
    e: Text, sizes: Sequence[int], core: Sequence[int], common: Sequence[int], states: str, result: str
) -> None:
    """The loop with NumPy's arguments: data, number of states, steps between states and between numbers."""
    data = [*(f"%data{k}" for k in range(len(sizes))), result]
    strides = [numbers_in(core[d + 1 :]) for d in range(len(core))]
    rows = [0 if k in common else numbers_in([size]) for k, size in enumerate(sizes)]
    steps = [*rows, numbers_in(core), *[8] * len(sizes), *strides]
    args, dims, jumps = (
        _table(e, kind, values)
        for kind, values in (("ptr", data), ("i64", [states]), ("i64", [str(step) for step in steps]))
    )
    alone = states == "1"  # one state is computed before another thread could have its turn
    e.lines += [] if alone else ["  %thread = call ptr %save_thread()"]
    e.lines.append(f"  call void %loop(ptr {args}, ptr {dims}, ptr {jumps}, ptr null)")
    e.lines += [] if alone else ["  call void %restore_thread(ptr %thread)"]


def _table(e: Text, kind: str, values: Sequence[str]) -> str:
    table = e.new(f"alloca [{len(values)} x {kind}], align 8")
    for k, value in enumerate(values):
        place = e.new(f"getelementptr {kind}, ptr {table}, i64 {k}")
        e.lines.append(f"  store {kind} {value}, ptr {place}, align 8")
    return table
