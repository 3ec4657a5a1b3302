"""The modified Newton-Euler equations: one matrix for both kinds of acceleration. [Turney1980, section 5]

Â_i = ω_i ω_iᵀ − (ω_i·ω_i) 1 + [α_i ×] takes a vector fixed to link i to its acceleration; vee(B) collects
B_zy − B_yz, B_xz − B_zx, B_yx − B_xy; K_i are the second moments about the centre of mass.
"""

from __future__ import annotations

from strobe.algebra import Mat3, Vec3
from strobe.papers.proof_arm import E, MovingArm, inner, vee
from strobe.papers.proof_lines import Pairs, Section

MODIFIED = Section("Modified Newton-Euler: Â_i = ω_i ω_iᵀ − (ω_i·ω_i) 1 + [α_i ×]")


@MODIFIED.each(
    "5.A", "Â_i b = ω_i × (ω_i × b) + α_i × b", note="entry (3,2) has α_z for α_x in print", by=("1.20",)
)
def one_matrix(arm: MovingArm, i: int) -> Pairs:
    w, al, b = arm.w(i), arm.al(i), arm.r(i)
    yield _A(arm, i) @ b, w.cross(w.cross(b)) + al.cross(b)
    yield _A(arm, i), Mat3.acceleration(w, al)


@one_matrix.printed("ω_z ω_y + α_z as entry (3,2)")
def _(arm: MovingArm, i: int) -> Pairs:
    w, al = arm.w(i), arm.al(i)
    A = _A(arm, i)
    printed = Mat3(A.a, A.b, Vec3(A.c.x, w.z * w.y + al.z, A.c.z))
    yield printed, Mat3.acceleration(w, al)


@MODIFIED.each("5.1", "m_i ā_i = Â_i (m_i s_i) + m_i u_i, u_i = a_i − Â_i p*_i", by=("ā", "5.A"))
def force(arm: MovingArm, i: int) -> Pairs:
    A, m = _A(arm, i), arm.m(i)
    yield arm.abar(i) * m, A @ (arm.s(i) * m) + (arm.a(i) - A @ arm.ps(i)) * m


@MODIFIED.each(
    "5.2",
    "vee(Â_i K_i) = I_i α_i + ω_i × I_i ω_i ; tr(B Q(i,i−1)ᵀ) = z·vee(B), B = Â_i K_i",
    note="the prose has the opposite sign, and K_i about another point",
    by=("5.A", "1.20"),
)
def moment(arm: MovingArm, i: int) -> Pairs:
    B = _A(arm, i) @ arm.links[i].K
    yield vee(B), arm.spin(i)
    yield inner(B, arm.Q(i, i - 1)), arm.z(i, i - 1).dot(vee(B))


@moment.printed("n_x = B_yz − B_zy and so on")
def _(arm: MovingArm, i: int) -> Pairs:
    yield -vee(_A(arm, i) @ arm.links[i].K), arm.spin(i)


@MODIFIED.each(
    "5.2o",
    "vee(Â_i K'_i) + m_i s_i × u_i = I_i α_i + ω_i × I_i ω_i + s_i × m_i ā_i, K'_i = K_i + m_i s_i s_iᵀ",
    note="not in the source: its K_i about the origin i − 1, made consistent",
    by=("5.1", "5.2"),
)
def moment_about_the_joint(arm: MovingArm, i: int) -> Pairs:
    A, s, m = _A(arm, i), arm.s(i), arm.m(i)
    K = arm.links[i].K + Mat3.outer(s, s) * m
    u = arm.a(i) - A @ arm.ps(i)
    yield vee(A @ K) + s.cross(u) * m, arm.spin(i) + s.cross(arm.abar(i)) * m


def _A(arm: MovingArm, i: int) -> Mat3:
    w = arm.w(i)
    return Mat3.outer(w, w) - E * w.dot(w) + Mat3.cross(arm.al(i))
