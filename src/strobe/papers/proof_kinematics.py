"""The recursion of velocities and accelerations, expanded into derivatives of frames. [Turney1980, 4.1 to 4.9]"""

from __future__ import annotations

from strobe.algebra import Vec3
from strobe.formulations.links import Z0
from strobe.papers.proof_arm import MovingArm, total
from strobe.papers.proof_lines import CHAIN, Pairs, Section

KINEMATICS = Section("Kinematics: the recursion expanded into derivatives")


@KINEMATICS.each("4.1", "ω_i = Σ_{j≤i} z(i,j−1) qd_j, j revolute", by=("ω", "1.1, 1.2"))
def angular_velocity(arm: MovingArm, i: int) -> Pairs:
    yield arm.w(i), total((arm.z(i, j - 1) * arm.qd[j] for j in arm.turning(i)), Vec3.zero())


@KINEMATICS.each(
    "4.2",
    "α_i = Σ_j z(i,j−1) qdd_j + Σ_j R(i,j−1) (ω_{j−1} × z0) qd_j = Σ_j z(i,j−1) qdd_j + "
    "Σ_{k<j≤i} (z(i,k−1) × z(i,j−1)) qd_j qd_k",
    note="the print has one dot too few on the first factor",
    by=("α", "4.1", "1.3, 1.4"),
)
def angular_acceleration(arm: MovingArm, i: int) -> Pairs:
    joints = arm.turning(i)
    driven = total((arm.z(i, j - 1) * arm.qdd[j] for j in joints), Vec3.zero())
    carried = (arm.R(i, j - 1) @ arm.w(j - 1).cross(Z0) * arm.qd[j] for j in joints)
    pairs = (
        arm.z(i, k - 1).cross(arm.z(i, j - 1)) * (arm.qd[j] * arm.qd[k])
        for j in joints
        for k in arm.turning(j - 1)
    )
    yield arm.al(i), driven + total(carried, Vec3.zero())
    yield arm.al(i), driven + total(pairs, Vec3.zero())


@KINEMATICS.each(
    "4.3",
    "ω_i × (ω_i × p*_i) = Σ_{j,k≤i} Q(i,j−1) Q(i,k−1) p*_i qd_j qd_k",
    CHAIN,
    note="the print sums k to n",
    by=("4.1", "1.6-1.8"),
)
def centripetal(arm: MovingArm, i: int) -> Pairs:
    yield _centripetal(arm, i), total(_ordered(arm, i, j, k) * rates for j, k, rates in arm.products(i))


@centripetal.printed("the sum over k up to n")
def _(arm: MovingArm, i: int) -> Pairs:
    terms = (
        _ordered(arm, i, j, k) * (arm.qd[j] * arm.qd[k]) for j in arm.up_to(i) for k in arm.turning_links
    )
    yield _centripetal(arm, i), total(terms)


@KINEMATICS.each(
    "4.4",
    "α_i × p*_i = Σ_j Q(i,j−1) p*_i qdd_j + Σ_{k<j} [Q(i,k−1) Q(i,j−1) − Q(i,j−1) Q(i,k−1)] p*_i qd_j qd_k",
    CHAIN,
    by=("4.2", "1.22"),
)
def tangential(arm: MovingArm, i: int) -> Pairs:
    commuted = (
        (_ordered(arm, i, k, j) - _ordered(arm, i, j, k)) * (arm.qd[j] * arm.qd[k])
        for j in arm.up_to(i)
        for k in range(1, j)
    )
    yield arm.al(i).cross(arm.ps(i)), _driven(arm, i) + total(commuted, Vec3.zero())


@KINEMATICS.each(
    "4.5a",
    "a_i = Σ_j Q(i,j−1) p*_i qdd_j + Σ_{k<j} Q(i,k−1) Q(i,j−1) p*_i qd qd + Σ_{k≥j} Q(i,j−1) Q(i,k−1) p*_i qd qd + "
    "R_iᵀ a_{i−1}",
    CHAIN,
    note="the print has R_i^{j−1} for R_i^{i−1}",
    by=("a", "4.3", "4.4"),
)
def acceleration_by_cases(arm: MovingArm, i: int) -> Pairs:
    terms = (_ordered(arm, i, *((k, j) if k < j else (j, k))) * rates for j, k, rates in arm.products(i))
    yield arm.a(i), _driven(arm, i) + total(terms) + _handed_on(arm, i)


@KINEMATICS.each(
    "4.5b",
    "a_i = Σ_j Q(i,j−1) p*_i qdd_j + Σ_jk Q(i,v−1) Q(i,u−1) p*_i qd_j qd_k + R_iᵀ a_{i−1}",
    CHAIN,
    note="the print has v − 1 twice",
    by=("4.5a",),
    rule="v, u for the two cases",
)
def acceleration(arm: MovingArm, i: int) -> Pairs:
    yield arm.a(i), _driven(arm, i) + _swept(arm, i, i, arm.ps(i)) + _handed_on(arm, i)


@acceleration.printed("Q(i,v−1) Q(i,v−1)")
def _(arm: MovingArm, i: int) -> Pairs:
    terms = (_ordered(arm, i, min(j, k), min(j, k)) * rates for j, k, rates in arm.products(i))
    yield arm.a(i), _driven(arm, i) + total(terms) + _handed_on(arm, i)


@KINEMATICS.line(
    "4.5c",
    "R_iᵀ a_{i−1} = Σ_{j<i} Q(i,j−1) R(i,i−1) p*_{i−1} qdd_j + Σ_{j,k<i} Q(i,v−1) Q(i,u−1) R(i,i−1) p*_{i−1} qd qd "
    "+ R(i,i−2) a_{i−2}",
    CHAIN,
    note="the right side is printed in frame i − 1",
    by=("4.5b", "1.9"),
)
def acceleration_one_link_down(arm: MovingArm) -> Pairs:
    for i in arm.turning_chain[1:]:
        yield _handed_on(arm, i), _one_down(arm, i, i)


@acceleration_one_link_down.printed("the right side without the rotation to frame i")
def _(arm: MovingArm) -> Pairs:
    for i in arm.turning_chain[1:]:
        yield _handed_on(arm, i), _one_down(arm, i, i - 1)


@KINEMATICS.each(
    "4.6",
    "a_i = Σ_j Σ_{m=j..i} Q(i,j−1) R(i,m) p*_m qdd_j + Σ_jk Σ_{m=u..i} Q(i,v−1) Q(i,u−1) R(i,m) p*_m qd_j qd_k "
    "− R(i,0) g",
    CHAIN,
    by=("4.5b", "4.5c"),
    rule="by induction on i, a_0 = −g",
)
def acceleration_in_full(arm: MovingArm, i: int) -> Pairs:
    reach = _reach(arm, i)
    linear = total(arm.Q(i, j - 1) @ reach[j] * arm.qdd[j] for j in arm.up_to(i))
    square = total(
        arm.Q(i, min(j, k) - 1) @ (arm.Q(i, max(j, k) - 1) @ reach[max(j, k)]) * rates
        for j, k, rates in arm.products(i)
    )
    yield arm.a(i), linear + square - arm.R(i, 0) @ arm.g


@KINEMATICS.each("4.6b", "Q(i,j−1) R(i,m) = W_iᵀ Q(0,j−1) W_m", CHAIN, by=("1.9",))
def pulled_out(arm: MovingArm, i: int) -> Pairs:
    for m in arm.up_to(i):
        for j in arm.up_to(m):
            yield arm.Q(i, j - 1) @ arm.R(i, m), arm.W[i].T @ arm.Q(0, j - 1) @ arm.W[m]


@KINEMATICS.each(
    "4.7",
    "a_i = W_iᵀ (p̈_i − g)",
    note="the print has ∂p for ∂²p, and Σ_k over the first term too",
    by=("4.6", "4.6b", "1.18", "1.19"),
)
def acceleration_as_derivative(arm: MovingArm, i: int) -> Pairs:
    yield arm.a(i), arm.W[i].T @ (arm.pdd[i] - arm.g)


@acceleration_as_derivative.printed("∂_jp_i qd_j qd_k for ∂_jkp_i qd_j qd_k")
def _(arm: MovingArm, i: int) -> Pairs:
    yield arm.a(i), arm.W[i].T @ (_misprinted(arm, i) - arm.g)


@KINEMATICS.each(
    "4.8",
    "ā_i = W_iᵀ [Σ_j Q(0,j−1) W_i r_i qdd_j + Σ_jk Q(0,v−1) Q(0,u−1) W_i r_i qd_j qd_k] + a_i",
    CHAIN,
    by=("ā", "4.1", "4.2", "1.9"),
)
def centre_acceleration(arm: MovingArm, i: int) -> Pairs:
    r = arm.W[i] @ arm.r(i)
    linear = total(arm.Q(0, j - 1) @ r * arm.qdd[j] for j in arm.up_to(i))
    yield arm.abar(i), arm.W[i].T @ (linear + _swept(arm, 0, i, r)) + arm.a(i)


@KINEMATICS.each(
    "4.9",
    "ā_i = W_iᵀ (p̈_i + Ẅ_i r_i − g)",
    note="the print turns gravity by R_0^i for R_i^0",
    by=("4.8", "4.7", "1.11", "1.12"),
)
def centre_acceleration_as_derivative(arm: MovingArm, i: int) -> Pairs:
    yield arm.abar(i), arm.W[i].T @ (arm.pdd[i] + arm.Wdd[i] @ arm.r(i) - arm.g)


@centre_acceleration_as_derivative.printed("gravity as R_0^i g")
def _(arm: MovingArm, i: int) -> Pairs:
    yield arm.abar(i), arm.W[i].T @ (arm.pdd[i] + arm.Wdd[i] @ arm.r(i)) - arm.W[i] @ arm.g


def _centripetal(arm: MovingArm, i: int) -> Vec3:
    w = arm.w(i)
    return w.cross(w.cross(arm.ps(i)))


def _ordered(arm: MovingArm, i: int, j: int, k: int) -> Vec3:
    """Q(i,j−1) Q(i,k−1) p*_i."""
    return arm.Q(i, j - 1) @ (arm.Q(i, k - 1) @ arm.ps(i))


def _driven(arm: MovingArm, i: int) -> Vec3:
    """Σ_j Q(i,j−1) p*_i qdd_j."""
    return total(arm.Q(i, j - 1) @ arm.ps(i) * arm.qdd[j] for j in arm.up_to(i))


def _swept(arm: MovingArm, frame: int, i: int, b: Vec3) -> Vec3:
    """Σ_{j,k≤i} Q(·,v−1) Q(·,u−1) b qd_j qd_k, seen in a frame."""
    return total(
        arm.Q(frame, min(j, k) - 1) @ (arm.Q(frame, max(j, k) - 1) @ b) * rates
        for j, k, rates in arm.products(i)
    )


def _handed_on(arm: MovingArm, i: int) -> Vec3:
    """R_iᵀ a_{i−1}."""
    return arm.links[i].R.T @ arm.a(i - 1)


def _one_down(arm: MovingArm, i: int, frame: int) -> Vec3:
    """The right side of 4.5c, seen in a frame."""
    b = arm.R(frame, i - 1) @ arm.ps(i - 1)
    linear = total(arm.Q(frame, j - 1) @ b * arm.qdd[j] for j in range(1, i))
    return linear + _swept(arm, frame, i - 1, b) + arm.R(frame, i - 2) @ arm.a(i - 2)


def _reach(arm: MovingArm, i: int) -> dict[int, Vec3]:
    """Σ_{m=j..i} R(i,m) p*_m for every j."""
    found = {i: arm.ps(i)}
    for j in range(i - 1, 0, -1):
        found[j] = found[j + 1] + arm.R(i, j) @ arm.ps(j)
    return found


def _misprinted(arm: MovingArm, i: int) -> Vec3:
    """p̈_i with first derivatives where second ones belong."""
    linear = total(arm.dp(j, i) * arm.qdd[j] for j in arm.up_to(i))
    return linear + total(arm.dp(j, i) * rates for j, _, rates in arm.products(i))
