"""Sine, cosine and arc tangent of `elementary` as vector IR without branches; single precision is computed in double.

Whether angles are within bounds is read off the numbers that round them to quadrants. The low bits of such a number
are the quadrant, counted from −2²⁰ on; the bits above are always the same, unless the angle is too large, infinite or
not a number. So one test serves all lanes of all angles, before anything could overflow. If it fails, a function
out of the way computes every lane: the same kernel where it may be used, the exact functions elsewhere.

What is computed is written over numbers; here are numbers that are lines of IR, and what is done with their bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

from strobe.compiler.codegen import elementary, sincos
from strobe.compiler.codegen.constants import bits_of, double_of
from strobe.compiler.codegen.llvm_text import BINARY, Text, intrinsics, put
from strobe.compiler.graph.program import CIRCLE
from strobe.scalars import Node, Num, Scalar, System

if TYPE_CHECKING:
    from strobe.compiler.codegen.llvm import Emitter, Target

Pair = tuple[str, str]

QUADRANTS = 20  # bits of a quadrant that the fast kernel may take, beside its sign
ROUND = sincos.ROUND + 2**QUADRANTS  # what rounds here: quadrants are counted from −2²⁰ on
STRANDS = 2  # angles computed side by side


def emit_sincos(e: Emitter, angles: list[Node]) -> None:
    """Values of all angles: the fast kernel, or the slower path if any lane of any angle needs it."""
    m = Vectors(e)
    V = m.V
    xs = [e.widened(e.value(angle)) for angle in angles]
    shifted = [_shifted(m, x) for x in xs]
    fine = _all_within(m, shifted)
    quick, slow, done = e.label(), e.label(), e.label()
    e.lines += [f"  br i1 {fine}, label %{quick}, label %{slow}, !prof !0", f"{quick}:"]
    fast = _braided(e, [partial(_fast, m, x, s) for x, s in zip(xs, shifted, strict=True)])
    e.lines += [f"  br label %{done}", f"{slow}:"]
    e.declared |= {*LIBRARY, RARELY, _slow_function(e)}
    exact = [_slow(e, V, x) for x in xs]
    e.lines += [f"  br label %{done}", f"{done}:"]
    for angle, *ways in zip(angles, fast, exact, strict=True):
        e.circle["sin", angle], e.circle["cos", angle] = (
            e.new(f"phi {V} [ {a}, %{quick} ], [ {b}, %{slow} ]") for a, b in zip(*ways, strict=True)
        )
    for angle in angles:
        for op in CIRCLE:
            e.circle[op, angle] = e.narrowed(e.circle[op, angle])


def emit_atan2(e: Emitter, y: str, x: str) -> str:
    """The angle of a point in every lane."""
    m = Vectors(e)
    (angle,) = elementary.arc_tangent(m.p, *(Vector(m, e.widened(each)) for each in (y, x)))
    return e.narrowed(_of(angle).text)


def _braided(e: Emitter, kernels: Sequence[Callable[[], Pair]]) -> list[Pair]:
    """What kernels compute, the lines of a few in turn: while one waits for a value, another has work."""
    pairs: list[Pair] = []
    for first in range(0, len(kernels), STRANDS):
        start, strands = len(e.lines), list[list[str]]()
        for kernel in kernels[first : first + STRANDS]:
            e.forget()  # what one of them reads may come behind its use by another
            pairs.append(kernel())
            strands.append(e.lines[start:])
            del e.lines[start:]
        e.lines += [line for row in zip_longest(*strands) for line in row if line]
    e.forget()
    return pairs


def _shifted(m: Vectors, x: str) -> str:
    """The quadrant of an angle in the low bits of a number."""
    return _of(m.p.fma(Vector(m, x), m.p.two_over_pi, double_of(ROUND))).text


def _all_within(m: Vectors, shifted: Sequence[str]) -> str:
    """Whether all lanes of all angles may take the fast kernel."""
    W, I = m.e.target.width, m.integers
    first, *others = [_beyond(m, s) for s in shifted]
    for other in others:
        first = m.e.new(f"or {I} {first}, {other}")
    none = m.e.new(f"icmp eq {I} {_high(m, first)}, zeroinitializer")
    bits = m.e.new(f"bitcast <{W} x i1> {none} to i{W}")
    return m.e.new(f"icmp eq i{W} {bits}, -1")


def _beyond(m: Vectors, shifted: str) -> str:
    """Bits in which a quadrant differs from the least one; those above it are 0 in lanes of the fast kernel."""
    raw = m.e.new(f"bitcast {m.V} {shifted} to {m.integers}")
    return m.e.new(f"xor {m.integers} {raw}, {m.integer(sincos.ROUND)}")


def _high(m: Vectors, beyond: str) -> str:
    return m.e.new(f"and {m.integers} {beyond}, {m.integer(2**64 - 2 ** (QUADRANTS + 1))}")


def _fast(m: Vectors, x: str, shifted: str) -> Pair:
    """The polynomials at the reduced angle, in every lane."""
    angle, k = Vector(m, x), Vector(m, shifted) - double_of(ROUND)
    r, t = elementary.reduced(m.p, angle, k)
    sine, cosine = elementary.in_multiply_adds(m.p, r, t, r * r)
    return _quadrant(m, shifted, _of(sine).text, _of(cosine).text)


def _quadrant(m: Vectors, shifted: str, sine: str, cosine: str) -> Pair:
    """Swapped where k is odd; sine negated for k mod 4 = 2, 3, cosine for 1, 2."""
    new, W, I, V = m.e.new, m.e.target.width, m.integers, m.V
    k = new(f"bitcast {V} {shifted} to {I}")
    odd = new(f"icmp ne {I} {new(f'and {I} {k}, {m.integer(1)}')}, zeroinitializer")
    s = new(f"select <{W} x i1> {odd}, {V} {cosine}, {V} {sine}")
    c = new(f"select <{W} x i1> {odd}, {V} {sine}, {V} {cosine}")
    top = new(f"shl {I} {k}, splat (i64 62)")
    return _flipped(m, s, top), _flipped(m, c, new(f"add {I} {top}, {m.integer(2**62)}"))


def _flipped(m: Vectors, x: str, by: str) -> str:
    """Negated where the highest bit is set."""
    new, I = m.e.new, m.integers
    sign = new(f"and {I} {by}, {m.integer(2**63)}")
    turned = new(f"xor {I} {new(f'bitcast {m.V} {x} to {I}')}, {sign}")
    return new(f"bitcast {I} {turned} to {m.V}")


# -- numbers that are vectors ----------------------------------------------------------------------


class Vectors(System):
    """Vectors of doubles whose operations are lines: plain arithmetic without flags."""

    name = "vector of IR"

    def __init__(self, e: Emitter | _Page) -> None:
        W = e.target.width
        self.e, self.V, self.integers = e, f"<{W} x double>", f"<{W} x i64>"
        self.words = {"V": self.V, "I": self.integers, "F": f"<{W} x i1>", "S": f"v{W}f64"}
        self.p = IN_LANES[e.target.fused]

    def line(self, op: str, *args: str) -> str:
        """What an operation gives, by its name."""
        found = put(self.e, OPERATIONS[op], args, self.words)
        self.e.declared |= intrinsics(self.e.lines[-1])
        return found

    def integer(self, pattern: int) -> str:
        return self.e.constant(pattern, "i64")


class Vector(Scalar):
    """A vector of doubles or of flags, by its name."""

    __slots__ = ("text",)

    system: Vectors

    def __init__(self, system: Vectors, text: str) -> None:
        self.system, self.text = system, text

    def apply(self, op: str, *args: Num) -> Vector:
        return Vector(self.system, self.system.line(op, *[self.admit(a).text for a in args]))

    def literal(self, x: float) -> Vector:
        return Vector(self.system, self.system.e.constant(bits_of(x)))


class InLanes(elementary.Precision):
    """What vectors do better: signs, and what is not a number, are looked at as bits."""

    def or_zero(self, x: Num, y: Num) -> Num:
        return _of(x).apply("or_zero", x, y)

    def negative(self, x: Num) -> Num:
        return _of(x).apply("negative", x)

    def signed_like(self, x: Num, y: Num) -> Num:
        return _of(x).apply("signed_like", x, y)

    def unless_nan(self, value: Num, *given: Num) -> Num:
        return _of(value).apply("unless_nan", value, *given, float("nan"))


def _of(x: Num) -> Vector:
    assert isinstance(x, Vector)
    return x


IN_LANES = {
    p.fused: InLanes(**{field.name: getattr(p, field.name) for field in fields(p)})
    for p in (elementary.DOUBLE, elementary.FUSED)
}

OPERATIONS: Mapping[str, str] = {
    **{op: f"{instruction} {{V}} {{0}}, {{1}}" for op, instruction in BINARY.items()},
    "neg": "fneg {V} {0}",
    "abs": "call {V} @llvm.fabs.{S}({V} {0})",
    "fma": "call {V} @llvm.fma.{S}({V} {0}, {V} {1}, {V} {2})",
    "fnma": "less = fneg {V} {0}\ncall {V} @llvm.fma.{S}({V} {less}, {V} {1}, {V} {2})",
    "less": "fcmp olt {V} {0}, {1}",
    "where": "select {F} {0}, {V} {1}, {V} {2}",
    "or_zero": "zero = fcmp oeq {V} {0}, zeroinitializer\nselect {F} {zero}, {V} {0}, {V} {1}",
    "negative": "bits = bitcast {V} {0} to {I}\nicmp slt {I} {bits}, zeroinitializer",
    "signed_like": "call {V} @llvm.copysign.{S}({V} {0}, {V} {1})",
    "unless_nan": "known = fcmp ord {V} {1}, {2}\nselect {F} {known}, {V} {0}, {V} {3}",
}


# -- the slower path ----------------------------------------------------------------------------------


def _slow(e: Emitter, V: str, x: str) -> Pair:
    """Sine and cosine of every lane by the function outside the way."""
    angles, sines, cosines = (e.scratch(V) for _ in range(3))
    e.lines.append(f"  store {V} {x}, ptr {angles}, align 64")
    e.lines.append(f"  call void @{_name(e.target)}(ptr {angles}, ptr {sines}, ptr {cosines})")
    return e.new(f"load {V}, ptr {sines}, align 64"), e.new(f"load {V}, ptr {cosines}, align 64")


def _name(target: Target) -> str:
    return f"strobe_sincos{target.width}"


class _Page(Text):
    """The lines of a function that has its constants in itself, so that its text is the same in every module."""

    def __init__(self, target: Target, declared: set[str]) -> None:
        super().__init__()
        self.target, self.declared = target, declared

    def constant(self, bits: int, kind: str = "double") -> str:
        return f"splat (double 0x{bits:016X})" if kind == "double" else f"splat ({kind} {bits})"


def _slow_function(e: Emitter) -> str:
    """A function of one vector of angles: the fast kernel, and in lanes beyond its bounds the exact functions."""
    page = _Page(e.target, e.declared)
    m = Vectors(page)
    W, V = e.target.width, m.V
    x = page.new(f"load {V}, ptr %angles, align 64")
    high = _high(m, _beyond(m, _shifted(m, x)))
    page.lines.append(f"  store {m.integers} {high}, ptr %far, align 64")
    within = page.new(f"icmp eq {m.integers} {high}, zeroinitializer")
    x = page.new(f"select <{W} x i1> {within}, {V} {x}, {V} zeroinitializer")
    for value, place in zip(_fast(m, x, _shifted(m, x)), ("sines", "cosines"), strict=True):
        page.lines.append(f"  store {V} {value}, ptr %{place}, align 64")
    start = [
        f"define internal void @{_name(e.target)}(ptr %angles, ptr %sines, ptr %cosines) {{",
        "entry:",
        f"  %far = alloca {m.integers}, align 64",
    ]
    return "\n".join([*start, *page.lines, LANES.format(W=W)])


RARELY = '!0 = !{!"branch_weights", i32 1000000, i32 1}'
"""How often the first way is taken: LLVM then puts what the other one needs out of the way."""

LIBRARY = ("declare double @sin(double)", "declare double @cos(double)")

LANES = """\
  br label %again
again:
  %k = phi i64 [ 0, %entry ], [ %next, %done ]
  %far_at = getelementptr i64, ptr %far, i64 %k
  %high = load i64, ptr %far_at, align 8
  %near = icmp eq i64 %high, 0
  br i1 %near, label %done, label %beyond
beyond:
  %x_at = getelementptr double, ptr %angles, i64 %k
  %s_at = getelementptr double, ptr %sines, i64 %k
  %c_at = getelementptr double, ptr %cosines, i64 %k
  %x = load double, ptr %x_at, align 8
  %bits = bitcast double %x to i64
  %exponent = and i64 %bits, 9218868437227405312
  %infinite = icmp eq i64 %exponent, 9218868437227405312
  br i1 %infinite, label %unknown, label %known
known:
  %s = call double @sin(double %x)
  %c = call double @cos(double %x)
  store double %s, ptr %s_at, align 8
  store double %c, ptr %c_at, align 8
  br label %done
unknown:
  store double 0x7FF8000000000000, ptr %s_at, align 8
  store double 0x7FF8000000000000, ptr %c_at, align 8
  br label %done
done:
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, {W}
  br i1 %more, label %again, label %end
end:
  ret void
}}"""
"""Lane by lane through the C library, for angles that are very large; infinity and NaN give NaN, and no flag."""
