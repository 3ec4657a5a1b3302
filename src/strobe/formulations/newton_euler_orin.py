# pyright: reportConstantRedefinition=false
"""Newton-Euler in mixed axes: motion in base axes, forces and moments in link axes, O(n). [Orin1979]

Outward in base axes as `newton_euler_base`: ω_i, ω̇_i, a_i and ā_i; a_0 = −g. Turned into the axes of link i,

    ω' = W_iᵀ ω_i,   ω̇' = W_iᵀ ω̇_i,   F_i = m_i W_iᵀ ā_i,   N_i = I_i ω̇' + ω' × (I_i ω')

so that the inertia stays constant; inward in link axes as `newton_euler`. As [Hollerbach1980] reports it, this was
the step between everything in base axes and everything in link axes.
"""

from __future__ import annotations

from strobe.algebra import Force, Mat3, Vec3
from strobe.formulations.links import Z0, Arm
from strobe.formulations.newton_euler import inward
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
    F: list[Vec3] = []
    N: list[Vec3] = []

    for link, rate, accel in zip(arm.links, qd, qdd, strict=True):
        z = W @ Z0
        W = W @ link.R
        p, r = W @ link.p, W @ link.r
        if link.revolute:
            wd = wd + z * accel + w.cross(z) * rate
            w = w + z * rate
        a = a + wd.cross(p) + w.cross(w.cross(p))
        if not link.revolute:
            a = a + w.cross(z) * (2.0 * rate) + z * accel
        abar = a + wd.cross(r) + w.cross(w.cross(r))
        into = W.T
        spin = into @ w
        F.append(into @ abar * link.m)
        N.append(link.I @ (into @ wd) + spin.cross(link.I @ spin))

    return inward(arm, F, N, tool)
