"""The sine and cosine kernel of `sincos` as vector IR; single precision is computed in double.

Whether angles are within bounds is read off the numbers that round them to quadrants. The low bits of such a number
are the quadrant, counted from −2²⁰ on; the bits above are always the same, unless the angle is too large, infinite or
not a number. So one test serves all lanes of all angles, before anything could overflow. If it fails, a function
out of the way computes every lane: the same kernel where it may be used, the exact functions elsewhere.

    sin r ≈ r − (−t − r³ S(r²)),   cos r ≈ 1 − (r · r/2 − (r⁴ C(r²) − r t))

In this form −t is +0 where r is −0, so that a sine of −0 keeps its sign, and r · r/2 is not rounded by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Protocol

from strobe.compiler.codegen import sincos
from strobe.compiler.codegen.constants import bits_of
from strobe.compiler.codegen.llvm_text import Text
from strobe.compiler.graph.program import CIRCLE
from strobe.scalars import Node

if TYPE_CHECKING:
    from strobe.compiler.codegen.llvm import Emitter, Target

Pair = tuple[str, str]

QUADRANTS = 20  # bits of a quadrant that the fast kernel may take, beside its sign
ROUND = sincos.ROUND + 2**QUADRANTS  # what rounds here: quadrants are counted from −2²⁰ on
STRANDS = 2  # angles computed side by side


def emit_sincos(e: Emitter, angles: list[Node]) -> None:
    """Values of all angles: the fast kernel, or the slower path if any lane of any angle needs it."""
    V = f"<{e.target.width} x double>"
    m = Doubles(e, V)
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


def _shifted(m: Doubles, x: str) -> str:
    """The quadrant of an angle in the low bits of a number."""
    return m.fma(x, m.bits(sincos.TWO_OVER_PI), m.bits(ROUND))


def _all_within(m: Doubles, shifted: Sequence[str]) -> str:
    """Whether all lanes of all angles may take the fast kernel."""
    W, I = m.e.target.width, m.integers
    first, *others = [_beyond(m, s) for s in shifted]
    for other in others:
        first = m.e.new(f"or {I} {first}, {other}")
    none = m.e.new(f"icmp eq {I} {_high(m, first)}, zeroinitializer")
    bits = m.e.new(f"bitcast <{W} x i1> {none} to i{W}")
    return m.e.new(f"icmp eq i{W} {bits}, -1")


def _beyond(m: Doubles, shifted: str) -> str:
    """Bits in which a quadrant differs from the least one; those above it are 0 in lanes of the fast kernel."""
    raw = m.e.new(f"bitcast {m.V} {shifted} to {m.integers}")
    return m.e.new(f"xor {m.integers} {raw}, {m.integer(sincos.ROUND)}")


def _high(m: Doubles, beyond: str) -> str:
    return m.e.new(f"and {m.integers} {beyond}, {m.integer(2**64 - 2 ** (QUADRANTS + 1))}")


def _fast(m: Doubles, x: str, shifted: str) -> Pair:
    """The polynomials at the reduced angle, in every lane."""
    k = m.sub(shifted, m.bits(ROUND))
    r, less = _reduced(m, x, k)
    z = m.mul(r, r)
    sine = m.sub(r, m.fnma(m.mul(z, r), m.horner(z, sincos.SINE), less))
    small = m.fma(m.mul(z, z), m.horner(z, sincos.COSINE), m.mul(r, less))
    cosine = m.sub(m.number(1.0), m.fms(r, m.mul(r, m.number(0.5)), small))
    return _quadrant(m, shifted, sine, cosine)


def _reduced(m: Doubles, x: str, k: str) -> Pair:
    """r and −t with r + t = x − k π/2."""
    if m.e.target.fused:
        exact = m.fnma(k, m.bits(sincos.PI_HIGH), x)
        r = m.sub(exact, m.mul(k, m.bits(sincos.PI_LOW)))
        less = m.fma(k, m.bits(sincos.PI_LOW), m.sub(r, exact))  # what rounding of product and sum added
        return r, m.fma(k, m.bits(sincos.PI_REST), less)
    a = m.sub(x, m.mul(k, m.bits(sincos.PI_A)))
    w = m.mul(k, m.bits(sincos.PI_B))
    b = m.sub(a, w)
    v = m.mul(k, m.bits(sincos.PI_C))
    c = m.sub(b, v)
    lost = m.add(m.sub(m.sub(a, b), w), m.sub(m.sub(b, c), v))
    tail = m.sub(lost, m.mul(k, m.bits(sincos.PI_D)))
    r = m.or_zero(x, m.add(c, tail))
    return r, m.sub(m.sub(r, c), tail)


def _quadrant(m: Doubles, shifted: str, sine: str, cosine: str) -> Pair:
    """Swapped where k is odd; sine negated for k mod 4 = 2, 3, cosine for 1, 2."""
    new, W, I, V = m.e.new, m.e.target.width, m.integers, m.V
    k = new(f"bitcast {V} {shifted} to {I}")
    odd = new(f"icmp ne {I} {new(f'and {I} {k}, {m.integer(1)}')}, zeroinitializer")
    s = new(f"select <{W} x i1> {odd}, {V} {cosine}, {V} {sine}")
    c = new(f"select <{W} x i1> {odd}, {V} {sine}, {V} {cosine}")
    top = new(f"shl {I} {k}, splat (i64 62)")
    return _flipped(m, s, top), _flipped(m, c, new(f"add {I} {top}, {m.integer(2**62)}"))


def _flipped(m: Doubles, x: str, by: str) -> str:
    """Negated where the highest bit is set."""
    new, I = m.e.new, m.integers
    sign = new(f"and {I} {by}, {m.integer(2**63)}")
    turned = new(f"xor {I} {new(f'bitcast {m.V} {x} to {I}')}, {sign}")
    return new(f"bitcast {I} {turned} to {m.V}")


class Writer(Protocol):
    """What takes lines: an emitter, or the page of a function of its own."""

    target: Target
    declared: set[str]

    def new(self, operation: str) -> str: ...
    def constant(self, bits: int, kind: str = "double") -> str: ...


class Doubles:
    """Plain arithmetic without flags; multiply-adds are fused where the processor can, else two operations."""

    def __init__(self, e: Writer, V: str) -> None:
        self.e, self.V = e, V
        self.integers = f"<{e.target.width} x i64>"

    def add(self, a: str, b: str) -> str:
        return self.e.new(f"fadd {self.V} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        return self.e.new(f"fsub {self.V} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        return self.e.new(f"fmul {self.V} {a}, {b}")

    def fma(self, a: str, b: str, c: str) -> str:
        """a b + c."""
        if not self.e.target.fused:
            return self.add(self.mul(a, b), c)
        name = f"@llvm.fma.v{self.e.target.width}f64"
        self.e.declared.add(f"declare {self.V} {name}({self.V}, {self.V}, {self.V})")
        return self.e.new(f"call {self.V} {name}({self.V} {a}, {self.V} {b}, {self.V} {c})")

    def fnma(self, a: str, b: str, c: str) -> str:
        """c − a b."""
        if not self.e.target.fused:
            return self.sub(c, self.mul(a, b))
        return self.fma(self.e.new(f"fneg {self.V} {a}"), b, c)

    def fms(self, a: str, b: str, c: str) -> str:
        """a b − c."""
        if not self.e.target.fused:
            return self.sub(self.mul(a, b), c)
        return self.fma(a, b, self.e.new(f"fneg {self.V} {c}"))

    def horner(self, z: str, coefficients: tuple[float, ...]) -> str:
        total = self.number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            total = self.fma(total, z, self.number(coefficient))
        return total

    def bits(self, pattern: int) -> str:
        return self.e.constant(pattern)

    def integer(self, pattern: int) -> str:
        return self.e.constant(pattern, "i64")

    def number(self, value: float) -> str:
        return self.bits(bits_of(value))

    def or_zero(self, x: str, y: str) -> str:
        """x where it is zero, of either sign, else y."""
        zero = self.e.new(f"fcmp oeq {self.V} {x}, zeroinitializer")
        return self.e.new(f"select <{self.e.target.width} x i1> {zero}, {self.V} {x}, {self.V} {y}")

    def signed_like(self, x: str, y: str) -> str:
        name = f"@llvm.copysign.v{self.e.target.width}f64"
        self.e.declared.add(f"declare {self.V} {name}({self.V}, {self.V})")
        return self.e.new(f"call {self.V} {name}({self.V} {x}, {self.V} {y})")


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
    W, V = e.target.width, f"<{e.target.width} x double>"
    m = Doubles(page, V)
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
