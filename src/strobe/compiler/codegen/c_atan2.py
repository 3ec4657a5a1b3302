"""The angle of a point as C99: the operations of `llvm_atan2` on a processor that fuses, one by one."""

from __future__ import annotations

from strobe.compiler.codegen.c_sincos import fused_horner
from strobe.compiler.codegen.llvm_atan2 import ATAN, HUGE, PI, TAN_EIGHTH


def atan2_source() -> str:
    """The function `angle_of(y, x)`."""
    parts = {f"{name}_{k}": repr(pi * part) for k, pi in enumerate(PI) for name, part in PARTS.items()}
    return TEMPLATE.format(tangent=repr(TAN_EIGHTH), huge=repr(HUGE), atan=fused_horner(ATAN), **parts)


PARTS = {"quarter": 0.25, "half": 0.5, "whole": 1.0}

TEMPLATE = """\
static inline double angle_of(double y, double x)
{{
    const double ay = fabs(y), ax = fabs(x);
    const int steep = ax < ay, backwards = signbit(x) != 0;
    double hi = steep ? ay : ax, lo = steep ? ax : ay, high = 0.0, low = 0.0, t, z, r;
    int beyond;
    if (x != x || y != y)
        return (double)NAN;
    if (hi > DBL_MAX) {{
        lo = lo > DBL_MAX ? 1.0 : 0.0;
        hi = 1.0;
    }} else if (hi > {huge}) {{
        hi *= 0.25;
        lo *= 0.25;
    }}
    beyond = hi * {tangent} < lo;
    if (beyond) {{
        t = (lo - hi) / (lo + hi);
        high = {quarter_0};
        low = {quarter_1};
    }} else {{
        t = lo / (hi > 0.0 ? hi : 1.0);
    }}
    z = t * t;
    r = fma(t * z, {atan}, t);
    if (steep) {{
        high = {half_0} - high;
        low = {half_1} - low;
    }}
    if (backwards) {{
        high = {whole_0} - high;
        low = {whole_1} - low;
    }}
    return copysign(high + ((steep != backwards ? -r : r) + low), y);
}}
"""
