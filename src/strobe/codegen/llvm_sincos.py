"""The sine and cosine kernel of `sincos` as vector IR; single precision is computed in double."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from strobe.codegen import sincos
from strobe.scalars import Node

if TYPE_CHECKING:
    from strobe.codegen.llvm import Emitter

Pair = tuple[str, str]


def emit_sincos(e: Emitter, angles: list[Node]) -> None:
    """Fast values of all angles, then one branch to the slower path if any lane of any angle needs it."""
    W = e.target.width
    V = f"<{W} x double>"
    xs = [e.widened(e.value(angle)) for angle in angles]
    good = [_within(e, V, x) for x in xs]
    fast = [_fast(e, V, x, ok) for x, ok in zip(xs, good, strict=True)]
    everything = good[0]
    for ok in good[1:]:
        everything = e.new(f"and <{W} x i1> {everything}, {ok}")
    bits = e.new(f"bitcast <{W} x i1> {everything} to i{W}")
    fine = e.new(f"icmp eq i{W} {bits}, -1")
    here, slow, done = e.label(), e.label(), e.label()
    e.lines += [
        f"  br label %{here}",
        f"{here}:",
        f"  br i1 {fine}, label %{done}, label %{slow}",
        f"{slow}:",
    ]
    e.declared.add("declare void @strobe_sincos(i64, ptr, ptr, ptr)")
    exact = [_slow(e, V, x, ok, pair) for x, ok, pair in zip(xs, good, fast, strict=True)]
    e.lines += [f"  br label %{done}", f"{done}:"]
    for angle, quick, right in zip(angles, fast, exact, strict=True):
        values = [
            e.new(f"phi {V} [ {a}, %{here} ], [ {b}, %{slow} ]") for a, b in zip(quick, right, strict=True)
        ]
        e.pending.append((angle, values))
    for angle, values in e.pending:
        sine, cosine = (e.narrowed(x) for x in values)
        e.circle["sin", angle], e.circle["cos", angle] = sine, cosine
    e.pending.clear()


def _within(e: Emitter, V: str, x: str) -> str:
    """Lanes that the fast kernel may take; compared as integers, so that a NaN raises no flag, and is not one."""
    return _smaller(e, V, x, sincos.LIMIT, "ule")


def _smaller(e: Emitter, V: str, x: str, bound: float, how: str) -> str:
    """|x| against a bound, by bits."""
    I = f"<{e.target.width} x i64>"
    raw = e.new(f"bitcast {V} {x} to {I}")
    size = e.new(f"and {I} {raw}, splat (i64 {2**63 - 1})")
    (bits,) = struct.unpack("<q", struct.pack("<d", bound))
    return e.new(f"icmp {how} {I} {size}, splat (i64 {bits})")


def _fast(e: Emitter, V: str, x: str, ok: str) -> Pair:
    W = e.target.width

    def op(name: str, a: str, b: str) -> str:
        return e.new(f"{name} {V} {a}, {b}")

    x = e.new(f"select <{W} x i1> {ok}, {V} {x}, {V} zeroinitializer")
    shifted = op("fadd", op("fmul", x, _bits(sincos.TWO_OVER_PI)), _bits(sincos.ROUND))
    k = op("fsub", shifted, _bits(sincos.ROUND))
    # r + t = x − k π/2
    a = op("fsub", x, op("fmul", k, _bits(sincos.PI_A)))
    w = op("fmul", k, _bits(sincos.PI_B))
    b = op("fsub", a, w)
    tail = op("fsub", op("fsub", op("fsub", a, b), w), op("fmul", k, _bits(sincos.PI_C)))
    r = op("fadd", b, tail)
    t = op("fadd", op("fsub", b, r), tail)
    z = op("fmul", r, r)
    sine = op("fadd", r, op("fadd", op("fmul", op("fmul", z, r), _horner(e, V, z, sincos.SINE)), t))
    half = op("fmul", z, _number(0.5))
    near = op("fsub", _number(1.0), half)
    left = op("fsub", op("fsub", _number(1.0), near), half)
    high = op("fmul", op("fmul", z, z), _horner(e, V, z, sincos.COSINE))
    cosine = op("fadd", near, op("fadd", left, op("fsub", high, op("fmul", r, t))))
    return _quadrant(e, V, x, shifted, sine, cosine)


def _quadrant(e: Emitter, V: str, x: str, shifted: str, sine: str, cosine: str) -> Pair:
    """Swapped where k is odd; sine negated for k mod 4 = 2, 3, cosine for 1, 2; a tiny x is its own sine."""
    W = e.target.width
    I = f"<{W} x i64>"
    k = e.new(f"bitcast {V} {shifted} to {I}")
    odd = e.new(f"trunc {I} {k} to <{W} x i1>")
    s = e.new(f"select <{W} x i1> {odd}, {V} {cosine}, {V} {sine}")
    c = e.new(f"select <{W} x i1> {odd}, {V} {sine}, {V} {cosine}")
    up = e.new(f"add {I} {k}, splat (i64 1)")
    s, c = _flipped(e, V, s, k), _flipped(e, V, c, up)
    tiny = _smaller(e, V, x, 2.0**-27, "ult")
    return e.new(f"select <{W} x i1> {tiny}, {V} {x}, {V} {s}"), c


def _flipped(e: Emitter, V: str, x: str, quadrant: str) -> str:
    """Negated where bit 1 of the quadrant is set."""
    I = f"<{e.target.width} x i64>"
    high = e.new(f"shl {I} {quadrant}, splat (i64 62)")
    sign = e.new(f"and {I} {high}, splat (i64 {-(2**63)})")
    turned = e.new(f"xor {I} {e.new(f'bitcast {V} {x} to {I}')}, {sign}")
    return e.new(f"bitcast {I} {turned} to {V}")


def _horner(e: Emitter, V: str, z: str, coefficients: tuple[float, ...]) -> str:
    total = _number(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        product = e.new(f"fmul contract {V} {total}, {z}")
        total = e.new(f"fadd contract {V} {product}, {_number(coefficient)}")
    return total


def _slow(e: Emitter, V: str, x: str, ok: str, fast: Pair) -> Pair:
    """Every lane by the exact function; the fast values stay where they are good."""
    W = e.target.width
    cells = [e.scratch(V) for _ in range(3)]
    e.lines.append(f"  store {V} {x}, ptr {cells[0]}, align 64")
    e.lines.append(f"  call void @strobe_sincos(i64 {W}, ptr {cells[0]}, ptr {cells[1]}, ptr {cells[2]})")
    exact = [e.new(f"load {V}, ptr {cell}, align 64") for cell in cells[1:]]
    sine, cosine = (
        e.new(f"select <{W} x i1> {ok}, {V} {a}, {V} {b}") for a, b in zip(fast, exact, strict=True)
    )
    return sine, cosine


def _number(value: float) -> str:
    from strobe.codegen.llvm import literal

    return f"splat (double {literal(value)})"


def _bits(pattern: int) -> str:
    return f"splat (double 0x{pattern:016X})"
