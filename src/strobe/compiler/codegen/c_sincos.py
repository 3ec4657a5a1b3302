"""The sine and cosine kernel of `sincos` as C99, with an exact path for large angles.

Beyond 2²⁰ the fraction of x · 2/π is computed in integers [Payne and Hanek's reduction]: x = m 2ᵉ with m of 53
bits, times seven words of the binary digits of 2/π, chosen so that what lies before them adds multiples of four
quadrants. The window leaves at least 138 correct bits after the point; no double comes closer to a multiple of π/2
than 2⁻⁶², so at least 64 of them count. Nothing here depends on how a compiler rounds or fuses.

Fused, the operations up to 2²⁰ are those of `llvm_sincos` on a processor that fuses, one by one.

In single precision no double and no call is met on the way: π/2 in four parts up to 4,096 and the polynomials of
`elementary`; beyond, m of 24 bits times four words of 2/π leave at least 71 correct bits after the point. No float
comes closer to a multiple of π/2 than 2⁻³⁰, so at least 33 of the 64 that are taken count. All finite floats were
tried, with and without fusing: sine and cosine are off by at most 0.91 units in the last place up to π, else by 0.94.
"""

from __future__ import annotations

from strobe.compiler.codegen import elementary, sincos
from strobe.compiler.codegen.constants import c_number, double_of

WORDS = 37  # the largest exponent, 971, needs words 30 to 36
HALF_PI = 0xC90FDAA22168C234  # π/2 · 2⁶³, cut off
TINY = 2.0**-27  # below this an angle is its own sine
SINGLE_WORDS = 7  # the largest exponent of single precision, 104, needs words 3 to 6


def sincos_source(single: bool = False, fused: bool = False) -> str:
    """The functions behind `sine_cosine(x, &s, &c)`, in the precision that they are for."""
    return _single_source() if single else _double_source(fused)


def _double_source(fused: bool) -> str:
    polynomials, reduction = (FUSED_POLYNOMIALS, FUSED_REDUCTION) if fused else (POLYNOMIALS, REDUCTION)
    horner = fused_horner if fused else _horner
    inner = {"sine": horner(sincos.SINE), "cosine": horner(sincos.COSINE)}
    constants = {name: repr(double_of(getattr(sincos, name.upper()))) for name in CONSTANTS}
    return TEMPLATE.format(
        polynomials=polynomials.format(**inner).rstrip(),
        reduction=reduction.format(**constants).rstrip(),
        words=WORDS,
        table=_table(WORDS),
        half_pi=f"0x{HALF_PI:016X}",
        tiny=repr(TINY),
        limit=repr(sincos.LIMIT),
    )


def _single_source() -> str:
    p = elementary.SINGLE
    sine, cosine = (tuple(c_number(x, single=True) for x in row) for row in (p.sine, p.cosine))
    constants = dict(zip(("pi_a", "pi_b", "pi_c", "pi_d"), p.parts, strict=True))
    constants |= {"two_over_pi": p.two_over_pi, "tiny": p.tiny, "limit": p.limit, "rest": 2.0**-24}
    return SINGLE_TEMPLATE.format(
        sine=_nested(sine),
        cosine=_nested(cosine),
        words=SINGLE_WORDS,
        table=_table(SINGLE_WORDS),
        half_pi=f"0x{HALF_PI >> 32:08X}",
        **{name: c_number(value, single=True) for name, value in constants.items()},
    )


def _nested(coefficients: tuple[str, ...]) -> str:
    """Horner's rule in z."""
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = f"({coefficient} + z * {total})"
    return total


def _horner(coefficients: tuple[float, ...]) -> str:
    return _nested(tuple(map(repr, coefficients)))


def fused_horner(coefficients: tuple[float, ...], z: str = "z") -> str:
    """The same with multiply-adds of one rounding."""
    total = repr(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = f"fma({total}, {z}, {coefficient!r})"
    return total


def _table(count: int) -> str:
    """The binary digits of 2/π after the point, in words of 32."""
    words = sincos.two_over_pi(32, count)
    rows = [words[k : k + 6] for k in range(0, count, 6)]
    return ",\n".join("    " + ", ".join(f"0x{word:08X}" for word in row) for row in rows)


CONSTANTS = (
    "two_over_pi", "round", "pi_a", "pi_b", "pi_c", "pi_d", "pi_high", "pi_low", "pi_rest",
)  # fmt: skip

POLYNOMIALS = """\
    const double sine = r + (z * r * {sine} + t);
    const double half = 0.5 * z;
    const double rough = 1.0 - half;
    const double cosine = rough + (((1.0 - rough) - half) + (z * z * {cosine} - r * t));
"""

FUSED_POLYNOMIALS = """\
    const double sine = r + fma(z * r, {sine}, t);
    const double small = fma(z * z, {cosine}, -(r * t));
    const double cosine = 1.0 - fma(r, 0.5 * r, -small);
"""

REDUCTION = """\
        const int32_t k = (int32_t)(x * {two_over_pi} + copysign(0.5, x));
        const double n = (double)k;
        const double a = x - n * {pi_a}; /* exact: the constant has 33 bits, as the next two have */
        const double w = n * {pi_b};
        const double b = a - w;
        const double v = n * {pi_c};
        const double d = b - v;
        const double tail = (((a - b) - w) + ((b - d) - v)) - n * {pi_d};
        const double r = d + tail;
        in_quadrant(r, (d - r) + tail, (unsigned)k & 3u, s, c);
"""

FUSED_REDUCTION = """\
        const double n = fma(x, {two_over_pi}, {round}) - {round}; /* a whole number */
        const double d = fma(-n, {pi_high}, x); /* exact */
        const double r = d - n * {pi_low};
        const double t = fma(-n, {pi_rest}, fma(-n, {pi_low}, d - r));
        in_quadrant(r, t, (unsigned)(int32_t)n & 3u, s, c);
"""

TEMPLATE = """\
/* sine and cosine of r + t + k quarter turns, |r| at most pi/4, t the rounding error of r */
static inline void in_quadrant(double r, double t, unsigned k, double *s, double *c)
{{
    const double z = r * r;
{polynomials}
    const double both[2] = {{sine, cosine}}; /* chosen by index and sign: no branch to predict */
    *s = both[k & 1u] * (1.0 - (double)(k & 2u));
    *c = both[~k & 1u] * (1.0 - (double)((k + 1u) & 2u));
}}

/* 32 bits of a long number from bit b on */
static uint32_t bits_from(const uint32_t p[10], unsigned b)
{{
    return (uint32_t)(((((uint64_t)p[b / 32u + 1u]) << 32) | p[b / 32u]) >> (b % 32u));
}}

/* the upper 64 bits of a product */
static uint64_t upper_product(uint64_t a, uint64_t b)
{{
    const uint64_t a1 = a >> 32, a0 = a & 0xFFFFFFFFu, b1 = b >> 32, b0 = b & 0xFFFFFFFFu;
    const uint64_t u = a1 * b0 + ((a0 * b0) >> 32);
    const uint64_t v = a0 * b1 + (u & 0xFFFFFFFFu);
    return a1 * b1 + (u >> 32) + (v >> 32);
}}

/* angles beyond 2^20, exactly: x times 2/pi modulo 4 in integers; NaN for infinity and NaN */
static void large_angle(double x, double *s, double *c)
{{
    static const uint32_t two_over_pi[{words}] = {{
{table}
    }};
    uint32_t p[10] = {{0}};
    uint64_t bits, m, carry, f, g, product;
    double unit, r, t;
    int e, first;
    unsigned i, point, k, shift, negative;

    memcpy(&bits, &x, sizeof bits);
    e = (int)((bits >> 52) & 0x7FFu) - 1075;
    if (e == 0x7FF - 1075) {{
        *s = *c = x - x;
        return;
    }}
    m = (bits & 0xFFFFFFFFFFFFFu) | 0x10000000000000u; /* |x| is m 2^e */
    first = e > 2 ? (e - 2) / 32 : 0;
    carry = 0;
    for (i = 0; i < 7u; i++) {{
        carry += (uint64_t)two_over_pi[(unsigned)first + 6u - i] * (m & 0xFFFFFFFFu) + p[i];
        p[i] = (uint32_t)(carry & 0xFFFFFFFFu);
        carry >>= 32;
    }}
    p[7] = (uint32_t)carry;
    carry = 0;
    for (i = 0; i < 7u; i++) {{
        carry += (uint64_t)two_over_pi[(unsigned)first + 6u - i] * (m >> 32) + p[i + 1u];
        p[i + 1u] = (uint32_t)(carry & 0xFFFFFFFFu);
        carry >>= 32;
    }}
    p[8] = (uint32_t)carry;
    point = (unsigned)(32 * (first + 7) - e); /* bits behind the point */
    k = (unsigned)bits_from(p, point);
    f = ((uint64_t)bits_from(p, point - 32u) << 32) | bits_from(p, point - 64u);
    g = ((uint64_t)bits_from(p, point - 96u) << 32) | bits_from(p, point - 128u);
    negative = (unsigned)(f >> 63);
    if (negative) {{ /* more than half a quadrant: count from the next one */
        k += 1u;
        g = ~g + 1u;
        f = ~f + (g == 0u ? 1u : 0u);
    }}
    for (shift = 0; shift < 64u && !(f >> 63); shift++) {{
        f = (f << 1) | (g >> 63);
        g <<= 1;
    }}
    product = upper_product(f, {half_pi}u);
    bits = (uint64_t)(1023u - 52u - shift) << 52;
    memcpy(&unit, &bits, sizeof unit);
    r = (double)(product >> 11) * unit;
    t = (double)(product & 0x7FFu) * unit * 0.00048828125;
    in_quadrant(negative ? -r : r, negative ? -t : t, k & 3u, s, c);
    if (x < 0.0)
        *s = -*s;
}}

static inline void sine_cosine(double x, double *s, double *c)
{{
    if (x > -{tiny} && x < {tiny}) {{
        *s = x;
        *c = 1.0;
    }} else if (x >= -{limit} && x <= {limit}) {{
{reduction}
    }} else {{
        large_angle(x, s, c);
    }}
}}
"""

SINGLE_TEMPLATE = """\
/* sine and cosine of r + t + k quarter turns, |r| at most pi/4, t the rounding error of r */
static inline void in_quadrant(float r, float t, unsigned k, float *s, float *c)
{{
    const float z = r * r;
    const float sine = r + (z * r * {sine} + t);
    const float half = 0.5f * z;
    const float rough = 1.0f - half;
    const float cosine = rough + (((1.0f - rough) - half) + (z * z * {cosine} - r * t));
    const float both[2] = {{sine, cosine}}; /* chosen by index and sign: no branch to predict */
    *s = both[k & 1u] * (1.0f - (float)(k & 2u));
    *c = both[~k & 1u] * (1.0f - (float)((k + 1u) & 2u));
}}

/* 32 bits of a long number from bit b on */
static uint32_t bits_from(const uint32_t p[6], unsigned b)
{{
    return (uint32_t)(((((uint64_t)p[b / 32u + 1u]) << 32) | p[b / 32u]) >> (b % 32u));
}}

/* angles beyond {limit}, exactly: x times 2/pi modulo 4 in integers; NaN for infinity and NaN */
static void large_angle(float x, float *s, float *c)
{{
    static const uint32_t two_over_pi[{words}] = {{
{table}
    }};
    uint32_t p[6] = {{0}};
    uint32_t bits, m;
    uint64_t carry, f, product;
    float unit, high, low, r, t;
    int e;
    unsigned first, i, point, k, shift, negative;

    memcpy(&bits, &x, sizeof bits);
    e = (int)((bits >> 23) & 0xFFu) - 150;
    if (e == 0xFF - 150) {{
        *s = *c = x - x;
        return;
    }}
    m = (bits & 0x7FFFFFu) | 0x800000u; /* |x| is m 2^e */
    first = e > 2 ? (unsigned)(e - 2) / 32u : 0u;
    carry = 0;
    for (i = 0; i < 4u; i++) {{
        carry += (uint64_t)two_over_pi[first + 3u - i] * m;
        p[i] = (uint32_t)(carry & 0xFFFFFFFFu);
        carry >>= 32;
    }}
    p[4] = (uint32_t)carry;
    point = (unsigned)(32 * ((int)first + 4) - e); /* bits behind the point */
    k = (unsigned)bits_from(p, point);
    f = ((uint64_t)bits_from(p, point - 32u) << 32) | bits_from(p, point - 64u);
    negative = (unsigned)(f >> 63);
    if (negative) {{ /* more than half a quadrant: count from the next one */
        k += 1u;
        f = ~f + 1u;
    }}
    for (shift = 0; shift < 64u && !(f >> 63); shift++)
        f <<= 1;
    product = (f >> 32) * {half_pi}u;
    bits = (uint32_t)(127u - 23u - shift) << 23;
    memcpy(&unit, &bits, sizeof unit);
    high = (float)(uint32_t)(product >> 40) * unit;
    low = (float)(uint32_t)((product >> 16) & 0xFFFFFFu) * unit * {rest};
    r = high + low;
    t = (high - r) + low;
    in_quadrant(negative ? -r : r, negative ? -t : t, k & 3u, s, c);
    if (x < 0.0f)
        *s = -*s;
}}

static inline void sine_cosine(float x, float *s, float *c)
{{
    if (x > -{tiny} && x < {tiny}) {{
        *s = x;
        *c = 1.0f;
    }} else if (x >= -{limit} && x <= {limit}) {{
        const int32_t k = (int32_t)(x * {two_over_pi} + (x < 0.0f ? -0.5f : 0.5f));
        const float n = (float)k;
        const float a = x - n * {pi_a}; /* exact: the constant has few bits, as the next two have */
        const float w = n * {pi_b};
        const float b = a - w;
        const float v = n * {pi_c};
        const float d = b - v;
        const float tail = (((a - b) - w) + ((b - d) - v)) - n * {pi_d};
        const float r = d + tail;
        in_quadrant(r, (d - r) + tail, (unsigned)k & 3u, s, c);
    }} else {{
        large_angle(x, s, c);
    }}
}}
"""
