"""The sine and cosine kernel of `sincos` as vector IR; single precision is computed in double."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.codegen import sincos
from strobe.codegen.constants import bits_of
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
        f"  br i1 {fine}, label %{done}, label %{slow}, !prof !0",
        f"{slow}:",
    ]
    e.declared |= SLOW_SINCOS | {RARELY}
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
    size = e.new(f"and {I} {raw}, {e.constant(2**63 - 1, 'i64')}")
    return e.new(f"icmp {how} {I} {size}, {e.constant(bits_of(bound), 'i64')}")


def _fast(e: Emitter, V: str, x: str, ok: str) -> Pair:
    """The polynomials at the reduced angle, in every lane."""
    x = e.new(f"select <{e.target.width} x i1> {ok}, {V} {x}, {V} zeroinitializer")
    m = Doubles(e, V)
    shifted = m.fma(x, m.bits(sincos.TWO_OVER_PI), m.bits(sincos.ROUND))
    k = m.sub(shifted, m.bits(sincos.ROUND))
    r, t = _reduced(m, x, k)
    z = m.mul(r, r)
    sine = m.add(r, m.fma(m.mul(z, r), m.horner(z, sincos.SINE), t))
    near = m.fma(z, m.number(-0.5), m.number(1.0))
    left = m.fma(z, m.number(-0.5), m.sub(m.number(1.0), near))
    cosine = m.add(near, m.fma(m.mul(z, z), m.horner(z, sincos.COSINE), m.fnma(r, t, left)))
    return _quadrant(e, V, shifted, m.signed_like(sine, r), cosine)


def _reduced(m: Doubles, x: str, k: str) -> Pair:
    """r + t = x − k π/2."""
    if m.e.target.fused:
        exact = m.fnma(k, m.bits(sincos.PI_HIGH), x)
        r = m.sub(exact, m.mul(k, m.bits(sincos.PI_LOW)))
        tail = m.fnma(k, m.bits(sincos.PI_LOW), m.sub(exact, r))  # what rounding took from product and sum
        return r, m.fnma(k, m.bits(sincos.PI_REST), tail)
    a = m.sub(x, m.mul(k, m.bits(sincos.PI_A)))
    w = m.mul(k, m.bits(sincos.PI_B))
    b = m.sub(a, w)
    v = m.mul(k, m.bits(sincos.PI_C))
    c = m.sub(b, v)
    lost = m.add(m.sub(m.sub(a, b), w), m.sub(m.sub(b, c), v))
    tail = m.sub(lost, m.mul(k, m.bits(sincos.PI_D)))
    r = m.or_zero(x, m.add(c, tail))
    return r, m.add(m.sub(c, r), tail)


class Doubles:
    """Plain arithmetic without flags; multiply-adds are fused where the processor can, else two operations."""

    def __init__(self, e: Emitter, V: str) -> None:
        self.e, self.V = e, V

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

    def horner(self, z: str, coefficients: tuple[float, ...]) -> str:
        total = self.number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            total = self.fma(total, z, self.number(coefficient))
        return total

    def bits(self, pattern: int) -> str:
        return self.e.constant(pattern)

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


def _quadrant(e: Emitter, V: str, shifted: str, sine: str, cosine: str) -> Pair:
    """Swapped where k is odd; sine negated for k mod 4 = 2, 3, cosine for 1, 2."""
    W = e.target.width
    I = f"<{W} x i64>"
    k = e.new(f"bitcast {V} {shifted} to {I}")
    lowest = e.new(f"and {I} {k}, {e.constant(1, 'i64')}")
    odd = e.new(f"icmp ne {I} {lowest}, zeroinitializer")
    s = e.new(f"select <{W} x i1> {odd}, {V} {cosine}, {V} {sine}")
    c = e.new(f"select <{W} x i1> {odd}, {V} {sine}, {V} {cosine}")
    up = e.new(f"add {I} {k}, {e.constant(1, 'i64')}")
    return _flipped(e, V, s, k), _flipped(e, V, c, up)


def _flipped(e: Emitter, V: str, x: str, quadrant: str) -> str:
    """Negated where bit 1 of the quadrant is set."""
    I = f"<{e.target.width} x i64>"
    high = e.new(f"shl {I} {quadrant}, splat (i64 62)")
    sign = e.new(f"and {I} {high}, {e.constant(2**63, 'i64')}")
    turned = e.new(f"xor {I} {e.new(f'bitcast {V} {x} to {I}')}, {sign}")
    return e.new(f"bitcast {I} {turned} to {V}")


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


RARELY = '!0 = !{!"branch_weights", i32 1000000, i32 1}'
"""How often the first way is taken: LLVM then puts what the other one needs out of the way."""

SLOW_SINCOS = {
    "declare double @sin(double)",
    "declare double @cos(double)",
    """\
define internal void @strobe_sincos(i64 %n, ptr %angles, ptr %sines, ptr %cosines) {
entry:
  br label %again
again:
  %k = phi i64 [ 0, %entry ], [ %next, %done ]
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
  %more = icmp ult i64 %next, %n
  br i1 %more, label %again, label %end
end:
  ret void
}""",
}
"""Lane by lane through the C library, for angles that are very large; infinity and NaN give NaN, and no flag."""
