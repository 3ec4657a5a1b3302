# pyright: reportConstantRedefinition=false
"""Newton-Euler in base coordinates, O(n). [Hollerbach1980]

Every vector in base axes: z = W_{i−1} z0, p = W_i p*_i, r = W_i r_i, 𝕀 = W_i I_i W_iᵀ; a_0 = −g.

    revolute   ω_i = ω_{i−1} + z qd_i,   ω̇_i = ω̇_{i−1} + z qdd_i + ω_{i−1} × z qd_i
    prismatic  both unchanged
    a_i = a_{i−1} + ω̇_i × p + ω_i × (ω_i × p)   [+ 2 qd_i ω_i × z + qdd_i z if prismatic]
    ā_i = a_i + ω̇_i × r + ω_i × (ω_i × r),   F_i = m_i ā_i,   N_i = 𝕀 ω̇_i + ω_i × (𝕀 ω_i)

    n_i = n_{i+1} + N_i + (p + r) × F_i + p × f_{i+1},   f_i = F_i + f_{i+1}
    tau_i = z · n_i or z · f_i
"""

from __future__ import annotations

from strobe.algebra import Force, Mat3, Vec3
from strobe.formulations.links import Z0, Arm
from strobe.models.model import Model
from strobe.scalars import Num, Numbers


def inverse_dynamics(
    model: Model, q: Numbers, qd: Numbers, qdd: Numbers, tool: Force | None = None
) -> list[Num]:
    """Joint forces of a serial arm; ``tool`` is exerted by the hand, in the last frame."""
    arm = Arm(model, q)
    w = wd = arm.rest
    a = -arm.gravity
    W = Mat3.identity()
    carried: list[tuple[Vec3, Vec3, Vec3, Vec3, Vec3]] = []  # z, p, r, F, N of each link

    for link, rate, accel in zip(arm.links, qd, qdd, strict=True):
        z = W @ Z0
        W = W @ link.R
        p, r = W @ link.p, W @ link.r
        I = W @ link.I.matrix() @ W.T
        if link.revolute:
            wd = wd + z * accel + w.cross(z) * rate
            w = w + z * rate
        a = a + wd.cross(p) + w.cross(w.cross(p))
        if not link.revolute:
            a = a + w.cross(z) * (2.0 * rate) + z * accel
        abar = a + wd.cross(r) + w.cross(w.cross(r))
        carried.append((z, p, r, abar * link.m, I @ wd + w.cross(I @ w)))

    f, n = (Vec3.zero(), Vec3.zero()) if tool is None else (W @ tool.force, W @ tool.moment)
    tau: list[Num] = []
    for link, (z, p, r, F, N) in zip(reversed(arm.links), reversed(carried), strict=True):
        n = n + N + (p + r).cross(F) + p.cross(f)
        f = F + f
        tau.append(z.dot(n if link.revolute else f))
    return tau[::-1]
