"""What a builtin that takes NumPy arrays looks at before it trusts them, as IR.

A builtin `f(self, args, n)` (METH_FASTCALL) accepts exactly what a caller in a hurry passes: plain contiguous float64
arrays of the right sizes. Anything else gets NotImplemented and is left to Python. What it needs of Python and NumPy
comes as a table of pointers inside ``self``, a bytes object, so the code holds no address.

Offsets are those of CPython's objects and NumPy's array struct on 64-bit machines; the runtime tests a call before
it trusts them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from strobe.algebra.quaternions import SQUARES
from strobe.compiler.codegen.constants import bits_of
from strobe.compiler.codegen.llvm_text import Text

Turns = Sequence[tuple[int, Sequence[int]]]  # inputs by their place, and where each has quaternions
Parts = Sequence[tuple[int, ...]]  # shapes of what a result is made of, where that is several arrays
COPY = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"  # needed for results in parts

POINTERS = (  # in this order in ``self``
    "array_type", "float64", "new_array", "not_implemented", "incref",
    "save_thread", "restore_thread", "loop", "most", "most_made", "float_type", "decref", "new_tuple", "set_item",
    "vectorcall", "share",
)  # fmt: skip

BYTES_CONTENT = 32  # of a bytes object
FLOAT_VALUE = 16  # of a float object
OBJECT_TYPE, ARRAY_DATA, ARRAY_NDIM, ARRAY_DIMS, ARRAY_DTYPE, ARRAY_FLAGS = 8, 16, 24, 32, 56, 64
CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
NPY_DOUBLE = 12


def pointers(e: Text) -> None:
    """The table as values %array_type and so on."""
    for k, name in enumerate(POINTERS):
        e.lines.append(f"  %{name}_at = getelementptr i8, ptr %self, i64 {BYTES_CONTENT + 8 * k}")
        e.lines.append(f"  %{name} = load ptr, ptr %{name}_at, align 8")


def begin(e: Text, inputs: int, parts: Parts) -> None:
    """What stands before label look0: so many arguments, and perhaps one for the result, if that is one array."""
    out = e.lines.append
    out("entry:")
    pointers(e)
    if parts:
        out(f"  %buffer = alloca [{sum(map(prod, parts))} x double], align 64")
    out(f"  %without = icmp eq i64 %n, {inputs}")
    out(f"  %with = icmp eq i64 %n, {-1 if parts else inputs + 1}")
    out("  %counted = or i1 %without, %with")
    out("  br i1 %counted, label %look0, label %refuse")


def inspect(e: Text, k: int, sizes: Sequence[int | str], following: str, written: bool = False) -> None:
    """From label look{k} to a following one if argument k is a plain array of these sizes, else to %refuse.

    Its numbers are then at %data{k}. A size may be a value; the first one that is "" is taken as found, as %states.
    """
    out = e.lines.append
    flags = CONTIGUOUS | ALIGNED | (WRITEABLE if written else 0)
    out(f"look{k}:")
    out(f"  %argument_at{k} = getelementptr ptr, ptr %args, i64 {k}")
    out(f"  %argument{k} = load ptr, ptr %argument_at{k}, align 8")
    _require(e, k, "type", OBJECT_TYPE, "ptr", "%array_type", f"to_shape{k}")
    _require(e, k, "ndim", ARRAY_NDIM, "i32", str(len(sizes)), f"to_dtype{k}")
    _require(e, k, "dtype", ARRAY_DTYPE, "ptr", "%float64", f"to_flags{k}")
    _field(e, k, "flags", ARRAY_FLAGS, "i32")
    out(f"  %plain{k} = and i32 %flags{k}, {flags}")
    out(f"  %is_plain{k} = icmp eq i32 %plain{k}, {flags}")
    out(f"  br i1 %is_plain{k}, label %to_sizes{k}, label %refuse")
    out(f"to_sizes{k}:")
    _field(e, k, "dims", ARRAY_DIMS, "ptr")
    _field(e, k, "data", ARRAY_DATA, "ptr")
    fits = "true"
    for d, size in enumerate(sizes):
        place = e.new(f"getelementptr i64, ptr %dims{k}, i64 {d}")
        if size == "":
            out(f"  %states = load i64, ptr {place}, align 8")
            continue
        length = e.new(f"load i64, ptr {place}, align 8")
        fits = e.new(f"and i1 {fits}, {e.new(f'icmp eq i64 {length}, {size}')}")
    out(f"  br i1 {fits}, label %{following}, label %refuse")


def inspect_float(e: Text, k: int, following: str) -> None:
    """From label look{k} to a following one if argument k is a Python float, then at %data{k}, else to %refuse."""
    e.lines.append(f"look{k}:")
    e.lines.append(f"  %argument_at{k} = getelementptr ptr, ptr %args, i64 {k}")
    e.lines.append(f"  %argument{k} = load ptr, ptr %argument_at{k}, align 8")
    _require(e, k, "type", OBJECT_TYPE, "ptr", "%float_type", f"to_value{k}")
    e.lines.append(f"  %data{k} = getelementptr i8, ptr %argument{k}, i64 {FLOAT_VALUE}")
    e.lines.append(f"  br label %{following}")


def require_turns(
    e: Text, turns: Turns, sizes: Sequence[int], rows: Mapping[int, int | str], following: str
) -> None:
    """From label turns to a following one if quaternions of several inputs have a length, else to %refuse.

    Of input k, with so many rows of ``sizes[k]`` numbers, each begins at one of the places in its row that ``turns``
    tells. What is not a number passes.
    """
    e.lines.append("turns:")
    e.lines.append(f"  br label %turns{turns[0][0]}")
    after = [*(f"turns{k}" for k, _ in turns[1:]), following]
    for (k, places), then in zip(turns, after, strict=True):
        _turns_of(e, k, places, sizes[k], rows[k], then)


def _turns_of(e: Text, k: int, turns: Sequence[int], size: int, rows: int | str, following: str) -> None:
    out, data = e.lines.append, f"%data{k}"
    out(f"turns{k}:")
    out(f"  %any_row{k} = icmp sgt i64 {rows}, 0")
    out(f"  br i1 %any_row{k}, label %turn{k}, label %{following}")
    out(f"turn{k}:")
    out(f"  %row{k} = phi i64 [ 0, %turns{k} ], [ %next_row{k}, %turned{k} ]")
    start = e.new(f"mul i64 %row{k}, {size}")
    off = "false"
    for turn in turns:
        square = "0.0"
        for entry in range(4):
            place = e.new(
                f"getelementptr double, ptr {data}, i64 {e.new(f'add i64 {start}, {turn + entry}')}"
            )
            x = e.new(f"load double, ptr {place}, align 8")
            square = e.new(f"fadd double {square}, {e.new(f'fmul double {x}, {x}')}")
        short, long = (
            e.new(f"fcmp {order} double {square}, 0x{bits_of(bound):016X}")
            for order, bound in zip(("olt", "ogt"), SQUARES, strict=True)
        )
        off = e.new(f"or i1 {off}, {e.new(f'or i1 {short}, {long}')}")
    out(f"  br i1 {off}, label %refuse, label %turned{k}")
    out(f"turned{k}:")
    out(f"  %next_row{k} = add i64 %row{k}, 1")
    out(f"  %more_rows{k} = icmp slt i64 %next_row{k}, {rows}")
    out(f"  br i1 %more_rows{k}, label %turn{k}, label %{following}")


def _require_apart(
    e: Text, sizes: Sequence[int], core: Sequence[int], rows: Mapping[int, int | str], results: int | str,
    following: str,
) -> None:  # fmt: skip
    """From label apart to a following one if the results, given behind the inputs, share no memory with these, else
    to %refuse.

    Input k has so many rows of ``sizes[k]`` numbers, the results as many of shape ``core``.
    """
    inputs = len(sizes)
    e.lines.append("apart:")
    first, beyond = _range(e, f"%data{inputs}", results, numbers_in(core))
    apart = "true"
    for k, size in enumerate(sizes):
        start, end = _range(e, f"%data{k}", rows[k], numbers_in([size]))
        before = e.new(f"icmp ule i64 {beyond}, {start}")
        behind = e.new(f"icmp ule i64 {end}, {first}")
        apart = e.new(f"and i1 {apart}, {e.new(f'or i1 {before}, {behind}')}")
    e.lines.append(f"  br i1 {apart}, label %{following}, label %refuse")


def _range(e: Text, data: str, rows: int | str, bytes_: int) -> tuple[str, str]:
    start = e.new(f"ptrtoint ptr {data} to i64")
    return start, e.new(f"add i64 {start}, {e.new(f'mul i64 {rows}, {bytes_}')}")


def answer(
    e: Text, sizes: Sequence[int], core: Sequence[int], rows: Mapping[int, int | str], parts: Parts,
    run: Callable[[str], None], few: str = "true",
) -> None:  # fmt: skip
    """From label where to the end: ``run``, on a result where it is wanted, and what is returned.

    Where there are not ``few`` states, the same arguments go to %share instead, which is Python's.
    """
    out, inputs = e.lines.append, len(sizes)
    out("where:")
    if parts:
        run("%buffer")
        _in_parts(e, parts)
    else:
        states = rows[0]
        shape = [*core] if states == 1 else [states, *core]
        out(f"  br i1 %with, label %look{inputs}, label %to_make")
        inspect(e, inputs, shape, "apart", written=True)
        _require_apart(e, sizes, core, rows, states, "to_give")
        for way in ("give", "make"):
            out(f"to_{way}:")
            out(f"  br i1 {few}, label %{way}, label %share_out")
        out("share_out:")
        out("  %shared = call ptr %vectorcall(ptr %share, ptr %args, i64 %n, ptr null)")
        out("  ret ptr %shared")
        _given_or_made(e, inputs, shape)
        run("%result")
        out("  ret ptr %array")
    refusal(e)


def _in_parts(e: Text, parts: Parts) -> None:
    """What is in %buffer as a tuple of arrays."""
    out = e.lines.append
    out(f"  %parts = call ptr %new_tuple(i64 {len(parts)})")
    out("  %none = icmp eq ptr %parts, null")
    out("  br i1 %none, label %leave, label %part0")
    at = 0
    for k, shape in enumerate(parts):
        out(f"part{k}:")
        _new_array(e, shape, k)
        out(f"  br i1 %failed{k}, label %undo, label %fill{k}")
        out(f"fill{k}:")
        place = e.new(f"getelementptr i8, ptr %made{k}, i64 {ARRAY_DATA}")
        numbers = e.new(f"load ptr, ptr {place}, align 8")
        source, size = e.new(f"getelementptr double, ptr %buffer, i64 {at}"), numbers_in(shape)
        out(f"  call void @llvm.memcpy.p0.p0.i64(ptr {numbers}, ptr {source}, i64 {size}, i1 false)")
        out(f"  call i32 %set_item(ptr %parts, i64 {k}, ptr %made{k})")
        out(f"  br label %{f'part{k + 1}' if k + 1 < len(parts) else 'done'}")
        at += prod(shape)
    out("undo:")
    out("  call void %decref(ptr %parts)")
    out("  br label %leave")
    out("done:")
    out("  ret ptr %parts")


def _given_or_made(e: Text, inputs: int, sizes: Sequence[int | str]) -> None:
    """From labels give and make to run: %array is what was given for results or a new one, %result its numbers."""
    out = e.lines.append
    out("give:")
    out(f"  call void %incref(ptr %argument{inputs})")
    out("  br label %run")
    out("make:")
    _new_array(e, sizes)
    out("  br i1 %failed, label %leave, label %run")
    out("run:")
    out(f"  %array = phi ptr [ %argument{inputs}, %give ], [ %made, %make ]")
    out(f"  %result_at = getelementptr i8, ptr %array, i64 {ARRAY_DATA}")
    out("  %result = load ptr, ptr %result_at, align 8")


def _new_array(e: Text, sizes: Sequence[int | str], k: int | str = "") -> None:
    """%made, a new array of these sizes, or null with Python's error set; ``k`` tells several apart."""
    shape = e.new(f"alloca [{len(sizes)} x i64], align 8")
    for d, size in enumerate(sizes):
        place = e.new(f"getelementptr i64, ptr {shape}, i64 {d}")
        e.lines.append(f"  store i64 {size}, ptr {place}, align 8")
    e.lines.append(
        f"  %made{k} = call ptr %new_array(ptr %array_type, i32 {len(sizes)}, ptr {shape}, i32 {NPY_DOUBLE}, "
        "ptr null, ptr null, i32 0, i32 0, ptr null)"
    )
    e.lines.append(f"  %failed{k} = icmp eq ptr %made{k}, null")


def refusal(e: Text) -> None:
    """Where arguments that are not taken lead."""
    e.lines += [
        "refuse:",
        "  call void %incref(ptr %not_implemented)",
        "  ret ptr %not_implemented",
        "leave:",
        "  ret ptr null",
    ]


def numbers_in(sizes: Sequence[int]) -> int:
    """Bytes of one state of an array."""
    return 8 * prod(sizes)


def _field(e: Text, k: int, name: str, offset: int, kind: str) -> None:
    e.lines.append(f"  %{name}_at{k} = getelementptr i8, ptr %argument{k}, i64 {offset}")
    e.lines.append(f"  %{name}{k} = load {kind}, ptr %{name}_at{k}, align {4 if kind == 'i32' else 8}")


def _require(e: Text, k: int, name: str, offset: int, kind: str, wanted: str, following: str) -> None:
    _field(e, k, name, offset, kind)
    e.lines.append(f"  %{name}_good{k} = icmp eq {kind} %{name}{k}, {wanted}")
    e.lines.append(f"  br i1 %{name}_good{k}, label %{following}, label %refuse")
    e.lines.append(f"{following}:")
