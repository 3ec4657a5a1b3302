"""The sine and cosine kernel of `sincos` as vector IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.codegen import sincos
from strobe.scalars import Node

if TYPE_CHECKING:
    from strobe.codegen.llvm import Emitter


def emit_sincos(e: Emitter, angles: list[Node]) -> None:
    """Fast values of all angles, then one branch to the slower path if any lane of any angle needs it."""
    t, W, V = e.target, e.target.width, e.target.vector
    xs = [e._value(angle) for angle in angles]
    good = [_within(e, x) for x in xs]
    pairs = [_fast(e, x, ok) for x, ok in zip(xs, good, strict=True)]
    everything = good[0]
    for ok in good[1:]:
        everything = e._new(f"and <{W} x i1> {everything}, {ok}")
    bits = e._new(f"bitcast <{W} x i1> {everything} to i{W}")
    fine = e._new(f"icmp eq i{W} {bits}, -1")
    here, slow, done = e.label(), e.label(), e.label()
    e.lines += [f"  br label %{here}", f"{here}:", f"  br i1 {fine}, label %{done}, label %{slow}", f"{slow}:"]
    e.declared.add(f"declare void @strobe_sincos(i64, ptr, ptr, ptr)")
    exact = [_slow(e, x, ok, pair) for x, ok, pair in zip(xs, good, pairs, strict=True)]
    e.lines += [f"  br label %{done}", f"{done}:"]
    for angle, fast, right in zip(angles, pairs, exact, strict=True):
        for op, a, b in zip(("sin", "cos"), fast, right, strict=True):
            e._circle[op, angle] = e._new(f"phi {V} [ {a}, %{here} ], [ {b}, %{slow} ]")
    del t


def _within(e: Emitter, x: str) -> str:
    """Lanes that the fast kernel may take; NaN is not among them."""
    size = e.intrinsic("fabs", x)
    return e._new(f"fcmp ole {e.target.vector} {size}, {e._splat(sincos.LIMIT)}")


def _fast(e: Emitter, x: str, ok: str) -> tuple[str, str]:
    W, V = e.target.width, e.target.vector

    def op(name: str, a: str, b: str) -> str:
        return e._new(f"{name} {V} {a}, {b}")

    def bits(pattern: int) -> str:
        return f"splat (double 0x{pattern:016X})"

    x = e._new(f"select <{W} x i1> {ok}, {V} {x}, {V} zeroinitializer")
    shifted = op("fadd", op("fmul", x, bits(sincos.TWO_OVER_PI)), bits(sincos.ROUND))
    k = op("fsub", shifted, bits(sincos.ROUND))
    # r + t = x − k π/2
    a = op("fsub", x, op("fmul", k, bits(sincos.PI_A)))
    w = op("fmul", k, bits(sincos.PI_B))
    b = op("fsub", a, w)
    tail = op("fsub", op("fsub", op("fsub", a, b), w), op("fmul", k, bits(sincos.PI_C)))
    r = op("fadd", b, tail)
    t = op("fadd", op("fsub", b, r), tail)
    z = op("fmul", r, r)
    sine = op("fadd", r, op("fadd", op("fmul", op("fmul", z, r), _horner(e, z, sincos.SINE)), t))
    half = op("fmul", z, e._splat(0.5))
    near = op("fsub", e._splat(1.0), half)
    left = op("fsub", op("fsub", e._splat(1.0), near), half)
    high = op("fmul", op("fmul", z, z), _horner(e, z, sincos.COSINE))
    cosine = op("fadd", near, op("fadd", left, op("fsub", high, op("fmul", r, t))))
    return _quadrant(e, x, shifted, sine, cosine)


def _quadrant(e: Emitter, x: str, shifted: str, sine: str, cosine: str) -> tuple[str, str]:
    """Swapped where k is odd; sine negated where k mod 4 is 2 or 3, cosine where it is 1 or 2; tiny x is its sine."""
    W, V = e.target.width, e.target.vector
    I = f"<{W} x i64>"
    k = e._new(f"bitcast {V} {shifted} to {I}")
    odd = e._new(f"trunc {I} {k} to <{W} x i1>")
    s = e._new(f"select <{W} x i1> {odd}, {V} {cosine}, {V} {sine}")
    c = e._new(f"select <{W} x i1> {odd}, {V} {sine}, {V} {cosine}")
    flip_s = e._new(f"shl {I} {k}, splat (i64 62)")
    flip_s = e._new(f"and {I} {flip_s}, splat (i64 {-(2**63)})")
    up = e._new(f"add {I} {k}, splat (i64 1)")
    flip_c = e._new(f"shl {I} {up}, splat (i64 62)")
    flip_c = e._new(f"and {I} {flip_c}, splat (i64 {-(2**63)})")
    s, c = _flipped(e, s, flip_s), _flipped(e, c, flip_c)
    tiny = e._new(f"fcmp olt {V} {e.intrinsic('fabs', x)}, {e._splat(2.0**-27)}")
    return e._new(f"select <{W} x i1> {tiny}, {V} {x}, {V} {s}"), c


def _flipped(e: Emitter, x: str, sign: str) -> str:
    W, V = e.target.width, e.target.vector
    raw = e._new(f"bitcast {V} {x} to <{W} x i64>")
    turned = e._new(f"xor <{W} x i64> {raw}, {sign}")
    return e._new(f"bitcast <{W} x i64> {turned} to {V}")


def _horner(e: Emitter, z: str, coefficients: tuple[float, ...]) -> str:
    V = e.target.vector
    total = e._splat(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        product = e._new(f"fmul contract {V} {total}, {z}")
        total = e._new(f"fadd contract {V} {product}, {e._splat(coefficient)}")
    return total


def _slow(e: Emitter, x: str, ok: str, fast: tuple[str, str]) -> tuple[str, str]:
    """Every lane by the exact function; the fast values stay where they are good."""
    W, V = e.target.width, e.target.vector
    cells = []
    for _ in range(3):
        cell = e.scratch()
        cells.append(cell)
    e.lines.append(f"  store {V} {x}, ptr {cells[0]}, align 64")
    e.lines.append(f"  call void @strobe_sincos(i64 {W}, ptr {cells[0]}, ptr {cells[1]}, ptr {cells[2]})")
    exact = [e._new(f"load {V}, ptr {cell}, align 64") for cell in cells[1:]]
    sine, cosine = (
        e._new(f"select <{W} x i1> {ok}, {V} {a}, {V} {b}") for a, b in zip(fast, exact, strict=True)
    )
    return sine, cosine
