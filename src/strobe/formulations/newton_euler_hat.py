"""Newton-Euler in link coordinates through the matrix Â, as Turney, Mudge and Lee count it. [Turney1980]

The equations of `newton_euler` with both accelerations taken by one matrix:

    Â_i = [α_i ×] + [ω_i ×]²
    a_i = R_iᵀ a_{i−1} + Â_i p*_i          ā_i = a_i + Â_i r_i
"""

from __future__ import annotations

from strobe.algebra import Force, Mat3, Vec3
from strobe.formulations.links import Arm
from strobe.formulations.newton_euler import inward, outward
from strobe.models.model import Model
from strobe.scalars import Num, Numbers


def inverse_dynamics(
    model: Model, q: Numbers, qd: Numbers, qdd: Numbers, tool: Force | None = None
) -> list[Num]:
    """Joint forces of a serial arm; ``tool`` is exerted by the hand, in the last frame."""
    arm = Arm(model, q)
    w = al = arm.rest
    a = -arm.gravity
    F: list[Vec3] = []
    N: list[Vec3] = []

    for link, rate, accel in zip(arm.links, qd, qdd, strict=True):
        w, al, u = outward(link, w, al, a, rate, accel)
        A = Mat3.acceleration(w, al)
        a = u + A @ link.p
        abar = a + A @ link.r
        F.append(abar * link.m)
        N.append(link.I @ al + w.cross(link.I @ w))

    return inward(arm, F, N, tool)
