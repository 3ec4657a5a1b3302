"""One state per call without NumPy's machinery: a C function that Python calls directly.

`@quick(self, args, n)` is a METH_FASTCALL builtin. It accepts exactly what a control loop passes, one-dimensional
contiguous float64 arrays of the right sizes, and returns a new array; anything else gets NotImplemented and
is left to the ufunc. What it needs of Python and NumPy comes as a table of pointers inside ``self``, a bytes object,
so the code holds no address.

Offsets are those of CPython's objects and NumPy's array struct on 64-bit machines; the runtime tests a call before
it trusts them.
"""

from __future__ import annotations

from strobe.codegen.llvm import Emitter, Target
from strobe.graph.fuse import fuse
from strobe.graph.program import Program

POINTERS = ("array_type", "float64", "new_array", "not_implemented", "incref")  # in this order in ``self``

BYTES_CONTENT = 32  # of a bytes object
OBJECT_TYPE, ARRAY_DATA, ARRAY_NDIM, ARRAY_DIMS, ARRAY_STRIDES, ARRAY_DTYPE = 8, 16, 24, 32, 40, 56
NPY_DOUBLE = 12


def quick_module(program: Program, target: Target) -> str:
    """The IR text of a program as a builtin for single states."""
    scalar = Target(1, False, target.attributes, target.fused)
    e = Emitter(fuse(program) if scalar.fused else program, scalar)
    body = e.body_text()
    _builtin(e, program)
    parts = [
        *sorted(e.declared),
        "",
        *body,
        "",
        *e.lines,
        f"attributes #0 = {{ nounwind {target.attributes} }}",
    ]
    return "\n".join(parts) + "\n"


def _builtin(e: Emitter, program: Program) -> None:
    out, count = e.lines.append, len(program.inputs)
    out("define ptr @quick(ptr %self, ptr %args, i64 %n) #0 {")
    out("entry:")
    for k, name in enumerate(POINTERS):
        out(f"  %{name}_at = getelementptr i8, ptr %self, i64 {BYTES_CONTENT + 8 * k}")
        out(f"  %{name} = load ptr, ptr %{name}_at, align 8")
    out(f"  %counted = icmp eq i64 %n, {count}")
    out("  br i1 %counted, label %look0, label %refuse")
    for k, argument in enumerate(program.inputs):
        following = f"look{k + 1}" if k + 1 < count else "compute"
        _inspect(e, k, argument.size, following)
    out("compute:")
    shape = program.shape
    out(f"  %shape = alloca [{len(shape)} x i64], align 8")
    for d, size in enumerate(shape):
        place = e.new(f"getelementptr i64, ptr %shape, i64 {d}")
        out(f"  store i64 {size}, ptr {place}, align 8")
    out(
        f"  %result = call ptr %new_array(ptr %array_type, i32 {len(shape)}, ptr %shape, i32 {NPY_DOUBLE}, ptr null, "
        "ptr null, i32 0, i32 0, ptr null)"
    )
    out("  %failed = icmp eq ptr %result, null")
    out("  br i1 %failed, label %leave, label %run")
    out("run:")
    out(f"  %result_data_at = getelementptr i8, ptr %result, i64 {ARRAY_DATA}")
    out("  %result_data = load ptr, ptr %result_data_at, align 8")
    rows = ", ".join(f"ptr %data{k}, i64 0" for k in range(count))
    out(f"  call void @body({rows}, ptr %result_data, i64 0, i64 0, i64 0)")
    out("  ret ptr %result")
    out("refuse:")
    out("  call void %incref(ptr %not_implemented)")
    out("  ret ptr %not_implemented")
    out("leave:")
    out("  ret ptr null")
    out("}")


def _inspect(e: Emitter, k: int, size: int, following: str) -> None:
    """Whether argument k is an exact, one-dimensional, contiguous float64 array of the right size."""
    out = e.lines.append
    out(f"look{k}:")
    out(f"  %argument_at{k} = getelementptr ptr, ptr %args, i64 {k}")
    out(f"  %argument{k} = load ptr, ptr %argument_at{k}, align 8")
    _require(e, k, "type", OBJECT_TYPE, "ptr", "%array_type", f"to_shape{k}")
    out(f"to_shape{k}:")
    _require(e, k, "ndim", ARRAY_NDIM, "i32", "1", f"to_dtype{k}")
    out(f"to_dtype{k}:")
    _require(e, k, "dtype", ARRAY_DTYPE, "ptr", "%float64", f"to_size{k}")
    out(f"to_size{k}:")
    _field(e, k, "dims", ARRAY_DIMS, "ptr")
    out(f"  %length{k} = load i64, ptr %dims{k}, align 8")
    out(f"  %fits{k} = icmp eq i64 %length{k}, {size}")
    out(f"  br i1 %fits{k}, label %to_stride{k}, label %refuse")
    out(f"to_stride{k}:")
    _field(e, k, "strides", ARRAY_STRIDES, "ptr")
    out(f"  %step{k} = load i64, ptr %strides{k}, align 8")
    out(f"  %dense{k} = icmp eq i64 %step{k}, 8")
    _field(e, k, "data", ARRAY_DATA, "ptr")
    out(f"  br i1 %dense{k}, label %{following}, label %refuse")


def _field(e: Emitter, k: int, name: str, offset: int, kind: str) -> None:
    e.lines.append(f"  %{name}_at{k} = getelementptr i8, ptr %argument{k}, i64 {offset}")
    e.lines.append(f"  %{name}{k} = load {kind}, ptr %{name}_at{k}, align {4 if kind == 'i32' else 8}")


def _require(e: Emitter, k: int, name: str, offset: int, kind: str, wanted: str, following: str) -> None:
    _field(e, k, name, offset, kind)
    e.lines.append(f"  %{name}_good{k} = icmp eq {kind} %{name}{k}, {wanted}")
    e.lines.append(f"  br i1 %{name}_good{k}, label %{following}, label %refuse")
