"""Rows turned into triangles as LLVM IR: `@turn` adds rows to least squares in place, by Givens' rotations.

A row w of joint i meets the rows R of its triangle in turn. Each takes one number of it away:

    d = √(R_k² + w_k²)    c = R_k / d    s = w_k / d    (R, w) ← (c R + s w, c w − s R)

No sum runs along a row, so every width computes the same bits, and so does C (`c_estimator`). What is left of the
right-hand side is what the row says that was not known. A number whose square is zero takes no time: joints do not
feel what lies before them.
"""

from __future__ import annotations

from strobe.compiler.codegen.llvm import Target
from strobe.compiler.codegen.triangles import Triangles


def turn_module(sizes: Triangles, target: Target) -> str:
    """The IR text of `@turn`, which takes rows (N, joints, stride), N, the memory, and by which factor its triangles
    fade before every step, sums by its square.

    Rows are used up. It returns how many of them told something; one with a number that is none is left out.
    """
    z, t = sizes, target
    words = {
        "V": t.vector, "W": t.width, "mask": -t.width, "suffix": t.suffix, "attributes": t.attributes,
        "joints": z.joints, "own": z.own, "shared_first": (z.joints - 1) * z.own, "stride": z.stride,
        "unknowns": z.unknowns, "sums": z.sums, "told": z.told, "end": z.size,
    }  # fmt: skip
    words |= {f"{name}s": _spread(name, t) for name in ("root", "square", "c", "s")}
    words |= {
        "dd": _added("dd", "%a, double %a", "%ww", "double", "f64", t),
        "left": _added("left", "%e, double %e", "%before", "double", "f64", t),
        "R1": _added("R1", f"%cs, {t.vector} %R0", "%sw", t.vector, t.suffix, t),
        "w1": _added("w1", f"%cs, {t.vector} %w0", "%minus", t.vector, t.suffix, t),
    }
    return TURN.format(**words)


def _spread(name: str, t: Target) -> str:
    """A number in all places of a vector."""
    return (
        f"%{name}_0 = insertelement {t.vector} poison, double %{name}, i32 0\n"
        f"  %{name}s = shufflevector {t.vector} %{name}_0, {t.vector} poison, <{t.width} x i32> zeroinitializer"
    )


def _added(name: str, product: str, rest: str, kind: str, suffix: str, t: Target) -> str:
    """A product and a sum, rounded once where the processor fuses them."""
    if t.fused:
        return f"%{name} = call {kind} @llvm.fma.{suffix}({kind} {product}, {kind} {rest})"
    product = product.replace(f"{kind} ", "")
    return f"%{name}_0 = fmul {kind} {product}\n  %{name} = fadd {kind} %{name}_0, {rest}"


TURN = """\
declare double @llvm.sqrt.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare {V} @llvm.fma.{suffix}({V}, {V}, {V})
declare i1 @llvm.vector.reduce.and.v{W}i1(<{W} x i1>)

define i64 @turn(ptr %rows, i64 %N, ptr %memory, double %root) #0 {{
entry:
  %square = fmul double %root, %root
  {roots}
  {squares}
  %stays = fcmp oeq double %root, 1.0
  %some = icmp sgt i64 %N, 0
  br i1 %some, label %step, label %end
step:
  %t = phi i64 [ 0, %entry ], [ %t1, %stepped ]
  %taken_s = phi i64 [ 0, %entry ], [ %taken3, %stepped ]
  br i1 %stays, label %joints, label %fade

fade:
  %m = phi i64 [ 0, %step ], [ %m1, %fade ]
  %fades = getelementptr double, ptr %memory, i64 %m
  %old = load {V}, ptr %fades, align 8
  %in_sums = icmp sge i64 %m, {sums}
  %factor = select i1 %in_sums, {V} %squares, {V} %roots
  %faded = fmul {V} %old, %factor
  store {V} %faded, ptr %fades, align 8
  %m1 = add i64 %m, {W}
  %more_m = icmp slt i64 %m1, {end}
  br i1 %more_m, label %fade, label %joints

joints:
  br label %joint
joint:
  %i = phi i64 [ 0, %joints ], [ %i1, %next ]
  %taken_i = phi i64 [ %taken_s, %joints ], [ %taken2, %next ]
  %t_rows = mul i64 %t, {joints}
  %row_number = add i64 %t_rows, %i
  %row_place = mul i64 %row_number, {stride}
  %row = getelementptr double, ptr %rows, i64 %row_place
  br label %look

look:
  %l = phi i64 [ 0, %joint ], [ %l1, %look ]
  %odd = phi {V} [ zeroinitializer, %joint ], [ %odd1, %look ]
  %looked = getelementptr double, ptr %row, i64 %l
  %x = load {V}, ptr %looked, align 8
  %zero = fsub {V} %x, %x
  %odd1 = fadd {V} %odd, %zero
  %l1 = add i64 %l, {W}
  %more_l = icmp slt i64 %l1, {stride}
  br i1 %more_l, label %look, label %looked_at
looked_at:
  %even = fcmp oeq {V} %odd1, zeroinitializer
  %good = call i1 @llvm.vector.reduce.and.v{W}i1(<{W} x i1> %even)
  br i1 %good, label %pivot, label %next

pivot:
  %k = phi i64 [ 0, %looked_at ], [ %k1, %turned ]
  %used = phi i64 [ 0, %looked_at ], [ %used1, %turned ]
  %w_at = getelementptr double, ptr %row, i64 %k
  %w = load double, ptr %w_at, align 8
  %ww = fmul double %w, %w
  %nothing = fcmp oeq double %ww, 0.0
  br i1 %nothing, label %turned, label %rotate
rotate:
  %is_own = icmp slt i64 %k, {own}
  %own_first = mul i64 %i, {own}
  %own_row = add i64 %own_first, %k
  %shared_row = add i64 %k, {shared_first}
  %R_row = select i1 %is_own, i64 %own_row, i64 %shared_row
  %R_place = mul i64 %R_row, {stride}
  %R = getelementptr double, ptr %memory, i64 %R_place
  %a_at = getelementptr double, ptr %R, i64 %k
  %a = load double, ptr %a_at, align 8
  {dd}
  %d = call double @llvm.sqrt.f64(double %dd)
  %c = fdiv double %a, %d
  %s = fdiv double %w, %d
  {cs}
  {ss}
  %first = and i64 %k, {mask}
  br label %along
along:
  %j = phi i64 [ %first, %rotate ], [ %j1, %along ]
  %Rj = getelementptr double, ptr %R, i64 %j
  %wj = getelementptr double, ptr %row, i64 %j
  %R0 = load {V}, ptr %Rj, align 8
  %w0 = load {V}, ptr %wj, align 8
  %sw = fmul {V} %ss, %w0
  %sR = fmul {V} %ss, %R0
  %minus = fneg {V} %sR
  {R1}
  {w1}
  store {V} %R1, ptr %Rj, align 8
  store {V} %w1, ptr %wj, align 8
  %j1 = add i64 %j, {W}
  %more_j = icmp slt i64 %j1, {stride}
  br i1 %more_j, label %along, label %turned
turned:
  %used1 = phi i64 [ %used, %pivot ], [ 1, %along ]
  store double 0.0, ptr %w_at, align 8
  %k1 = add i64 %k, 1
  %more_k = icmp slt i64 %k1, {unknowns}
  br i1 %more_k, label %pivot, label %count

count:
  %e_at = getelementptr double, ptr %row, i64 {unknowns}
  %e = load double, ptr %e_at, align 8
  %sum_place = add i64 %i, {sums}
  %sum_at = getelementptr double, ptr %memory, i64 %sum_place
  %before = load double, ptr %sum_at, align 8
  {left}
  store double %left, ptr %sum_at, align 8
  %told_place = add i64 %i, {told}
  %told_at = getelementptr double, ptr %memory, i64 %told_place
  %told = load double, ptr %told_at, align 8
  %one = sitofp i64 %used1 to double
  %told1 = fadd double %told, %one
  store double %told1, ptr %told_at, align 8
  %taken1 = add i64 %taken_i, %used1
  br label %next
next:
  %taken2 = phi i64 [ %taken_i, %looked_at ], [ %taken1, %count ]
  %i1 = add i64 %i, 1
  %more_i = icmp slt i64 %i1, {joints}
  br i1 %more_i, label %joint, label %stepped

stepped:
  %taken3 = phi i64 [ %taken2, %next ]
  %t1 = add i64 %t, 1
  %more_t = icmp slt i64 %t1, %N
  br i1 %more_t, label %step, label %end
end:
  %taken = phi i64 [ 0, %entry ], [ %taken3, %stepped ]
  ret i64 %taken
}}

attributes #0 = {{ nounwind {attributes} }}
"""
