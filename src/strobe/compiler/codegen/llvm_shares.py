"""Parts of a batch, taken by several threads until none is left, as IR.

`@take(order, helps, most)` runs a kernel's loop on one part after another, on at most so many, and tells whether
there may be more. The thread that was asked for the batch takes parts from its beginning on, those that help it from
its end on: in the next call on the same arrays most rows are in the cache of the core that has them again.
`@over(order, turns)` tells whether all states are computed, and looks so many times before it says no.

An order is a row of words: what never changes, then, each in a line of a cache of its own, how many parts were given
out, from where on, and how many states are done; then addresses of the arrays, steps between their states, and steps
within them. Nothing but the loop's address differs from kernel to kernel, so that one code serves all.
"""

from __future__ import annotations

FIXED = ("loop", "arrays", "states", "part", "parts")  # words of an order, in this order
LINE = 8  # words in a line of a cache
GIVEN, FIRST, LAST, DONE, DATA = (LINE * k for k in range(1, 6))
"""Where the other words are: parts given out, those from the beginning, those from the end, states done, arrays."""

MOST_ARRAYS = 32


def shares_module() -> str:
    """The IR text of both functions."""
    fixed = [
        line
        for k, name in enumerate(FIXED)
        for line in (
            f"  %{name}_at = getelementptr i64, ptr %order, i64 {k}",
            f"  %{name} = load {'ptr' if name == 'loop' else 'i64'}, ptr %{name}_at, align 8",
        )
    ]
    words = {"given": GIVEN, "first": FIRST, "last": LAST, "done": DONE, "data": DATA}
    return _MODULE.format(fixed="\n".join(fixed), most_arrays=MOST_ARRAYS, **words)


_MODULE = """\
define i64 @take(ptr %order, i64 %helps, i64 %most) nounwind {{
entry:
  %here = alloca [{most_arrays} x ptr], align 8
  %length_at = alloca i64, align 8
{fixed}
  %given = getelementptr i64, ptr %order, i64 {given}
  %first = getelementptr i64, ptr %order, i64 {first}
  %last = getelementptr i64, ptr %order, i64 {last}
  %done = getelementptr i64, ptr %order, i64 {done}
  %data = getelementptr i64, ptr %order, i64 {data}
  %steps = getelementptr i64, ptr %data, i64 %arrays
  %helping = icmp ne i64 %helps, 0
  %end = select i1 %helping, ptr %last, ptr %first
  br label %ask
ask:
  %turn = phi i64 [ 0, %entry ], [ %turns, %run ]
  %enough = icmp uge i64 %turn, %most
  br i1 %enough, label %more, label %asked
asked:
  %number = atomicrmw add ptr %given, i64 1 seq_cst
  %left = icmp slt i64 %number, %parts
  br i1 %left, label %which, label %none
which:
  %from_end = atomicrmw add ptr %end, i64 1 seq_cst
  %from_start = sub i64 %parts, %from_end
  %before = sub i64 %from_start, 1
  %place = select i1 %helping, i64 %before, i64 %from_end
  %start = mul i64 %place, %part
  %rest = sub i64 %states, %start
  %is_short = icmp slt i64 %rest, %part
  %length = select i1 %is_short, i64 %rest, i64 %part
  store i64 %length, ptr %length_at, align 8
  br label %array
array:
  %k = phi i64 [ 0, %which ], [ %k_next, %array ]
  %begin_at = getelementptr ptr, ptr %data, i64 %k
  %begin = load ptr, ptr %begin_at, align 8
  %step_at = getelementptr i64, ptr %steps, i64 %k
  %step = load i64, ptr %step_at, align 8
  %offset = mul i64 %start, %step
  %row = getelementptr i8, ptr %begin, i64 %offset
  %row_at = getelementptr ptr, ptr %here, i64 %k
  store ptr %row, ptr %row_at, align 8
  %k_next = add i64 %k, 1
  %another = icmp ult i64 %k_next, %arrays
  br i1 %another, label %array, label %run
run:
  call void %loop(ptr %here, ptr %length_at, ptr %steps, ptr null)
  %before_it = atomicrmw add ptr %done, i64 %length seq_cst
  %turns = add i64 %turn, 1
  br label %ask
more:
  ret i64 1
none:
  ret i64 0
}}

define i64 @over(ptr %order, i64 %turns) nounwind {{
entry:
  %states_at = getelementptr i64, ptr %order, i64 2
  %states = load i64, ptr %states_at, align 8
  %done_at = getelementptr i64, ptr %order, i64 {done}
  br label %look
look:
  %turn = phi i64 [ 0, %entry ], [ %next, %again ]
  %done = load atomic i64, ptr %done_at acquire, align 8
  %all = icmp sge i64 %done, %states
  br i1 %all, label %yes, label %wait
wait:
  %enough = icmp uge i64 %turn, %turns
  br i1 %enough, label %no, label %again
again:
  %next = add i64 %turn, 1
  br label %look
yes:
  ret i64 1
no:
  ret i64 0
}}
"""
