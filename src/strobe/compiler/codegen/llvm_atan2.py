"""The angle of a point, atan2(y, x), as vector IR without branches; single precision is computed in double.

    t = lo / hi,  or (lo − hi) / (lo + hi) where lo > tan(π/8) hi      lo, hi: the smaller and larger of |x|, |y|
    atan t ≈ t + t³ A(t²)                                              |t| ≤ tan(π/8), error below 1e-17 of it

The octant then adds a multiple of π/4, in two parts, and signs. The error is below 2 ulp; zeros, infinities and NaN
give what the C library gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.compiler.codegen.llvm_sincos import Doubles

if TYPE_CHECKING:
    from strobe.compiler.codegen.llvm import Emitter

# interpolates (atan(√z)/√z − 1)/z at the Chebyshev points of [0, tan²(π/8)]
ATAN = (
    -0.3333333333333333,
    0.19999999999995516,
    -0.14285714284665682,
    0.11111111015187018,
    -0.0909090457530649,
    0.07692183125376892,
    -0.06664510525508936,
    0.05858140904866328,
    -0.050854078345894844,
    0.03923044778479309,
    -0.019175404711104935,
)
TAN_EIGHTH = 0.41421356237309503
PI = (3.141592653589793, 1.2246467991473532e-16)  # π in two parts
HUGE = 2.0**1022  # beyond it a sum may overflow


def emit_atan2(e: Emitter, y: str, x: str) -> str:
    """The angle in every lane."""
    m = _Lanes(e)
    y, x = e.widened(y), e.widened(x)
    known = m.test("ord", x, y)
    ay, ax = m.absolute(y), m.absolute(x)
    steep = m.test("olt", ax, ay)
    hi, lo = m.select(steep, ay, ax), m.select(steep, ax, ay)
    hi, lo = _finite(m, hi, lo)
    beyond = m.test("olt", m.mul(hi, m.number(TAN_EIGHTH)), lo)
    above = m.select(beyond, m.sub(lo, hi), lo)
    below = m.select(beyond, m.add(lo, hi), hi)
    t = m.divide(above, m.select(m.test("oeq", below, m.number(0.0)), m.number(1.0), below))
    z = m.mul(t, t)
    r = m.fma(m.mul(t, z), m.horner(z, ATAN), t)
    backwards = m.signed(x)
    high, low = (_octant(m, part, beyond, steep, backwards) for part in PI)
    turned = m.flag("xor", steep, backwards)
    r = m.select(turned, m.sub(m.number(0.0), r), r)
    angle = m.signed_like(m.add(high, m.add(r, low)), y)
    return e.narrowed(m.select(known, angle, m.number(float("nan"))))


def _finite(m: _Lanes, hi: str, lo: str) -> tuple[str, str]:
    """The same ratio where neither is infinite and their sum does not overflow."""
    infinite = m.number(float("inf"))
    both, one = m.test("oeq", lo, infinite), m.test("oeq", hi, infinite)
    lo = m.select(both, m.number(1.0), m.select(one, m.number(0.0), lo))
    hi = m.select(one, m.number(1.0), hi)
    scale = m.select(m.test("olt", m.number(HUGE), hi), m.number(0.25), m.number(1.0))
    return m.mul(hi, scale), m.mul(lo, scale)


def _octant(m: _Lanes, pi: float, beyond: str, steep: str, backwards: str) -> str:
    """The multiple of π/4 that is added, in one of its two parts."""
    zero, quarter, half, whole = (m.number(pi * part) for part in (0.0, 0.25, 0.5, 1.0))
    angle = m.select(beyond, quarter, zero)
    angle = m.select(steep, m.sub(half, angle), angle)
    return m.select(backwards, m.sub(whole, angle), angle)


class _Lanes(Doubles):
    """Arithmetic with what an angle needs besides."""

    def __init__(self, e: Emitter) -> None:
        super().__init__(e, f"<{e.target.width} x double>")
        self.flags = f"<{e.target.width} x i1>"

    def divide(self, a: str, b: str) -> str:
        return self.e.new(f"fdiv {self.V} {a}, {b}")

    def test(self, how: str, a: str, b: str) -> str:
        return self.e.new(f"fcmp {how} {self.V} {a}, {b}")

    def flag(self, how: str, a: str, b: str) -> str:
        return self.e.new(f"{how} {self.flags} {a}, {b}")

    def select(self, flag: str, a: str, b: str) -> str:
        return self.e.new(f"select {self.flags} {flag}, {self.V} {a}, {self.V} {b}")

    def absolute(self, x: str) -> str:
        name = f"@llvm.fabs.v{self.e.target.width}f64"
        self.e.declared.add(f"declare {self.V} {name}({self.V})")
        return self.e.new(f"call {self.V} {name}({self.V} {x})")

    def signed(self, x: str) -> str:
        """Where the sign bit is set, of zeros too."""
        I = f"<{self.e.target.width} x i64>"
        return self.e.new(f"icmp slt {I} {self.e.new(f'bitcast {self.V} {x} to {I}')}, zeroinitializer")
