"""Sine and cosine together, for |x| ≤ 2²⁰: the constants of `elementary` in double precision.

    k = round(x · 2/π),   r − t = x − k π/2, π/2 in three parts of 53 bits where the processor fuses multiply and add
                          (the first remainder is then exact), else in four of 33, 33, 33 and 53 bits [fdlibm's]
    sin(r − t) ≈ r − (t − r³ S(r²)),   cos(r − t) ≈ 1 − (r²/2 − (r⁴ C(r²) + r t))
    the quadrant k mod 4 swaps and signs them

In four parts, k A, k B and k C are exact because k has at most 20 bits, so it does not matter whether a compiler
fuses them. A sine has the sign of r, also where r is −0. The error is below 1 ulp either way. Angles beyond the bound
are left to an exact slower path.
"""

from __future__ import annotations

LIMIT = 1048576.0  # 2²⁰: beyond it k A is not exact any more

TWO_OVER_PI = 0x3FE45F306DC9C883
ROUND = 0x4338000000000000  # 1.5 · 2⁵²: adding it rounds to an integer, which its low bits then hold
PI_HIGH = 0x3FF921FB54442D18  # π/2 = HIGH + LOW + REST, each with 53 bits
PI_LOW = 0x3C91A62633145C07
PI_REST = 0xB91F1976B7ED8FBC
PI_A = 0x3FF921FB54400000  # π/2 = A + B + C + D, the first three with 33 bits
PI_B = 0x3DD0B4611A600000
PI_C = 0x3BA3198A2E000000
PI_D = 0x397B839A252049C1

# minimax polynomials on [−π/4, π/4] as published with fdlibm (Sun Microsystems, 1993)
SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def two_over_pi(bits: int, count: int) -> list[int]:
    """So many digits of 2/π after the point, of so many bits each."""
    import mpmath

    with mpmath.workprec(bits * count + 64):
        digits = int(mpmath.floor(mpmath.ldexp(2 / mpmath.pi, bits * count)))
    return [(digits >> bits * (count - 1 - k)) & (2**bits - 1) for k in range(count)]
