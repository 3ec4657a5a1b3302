"""Hollerbach's own road from the Lagrangian to his recursions, line by line. [Hollerbach1980, appendices A and B]

Where Turney, Mudge and Lee begin with Newton-Euler, he begins with the kinetic energy of a particle of a link. His
letters: h = p_i + W_i d is a particle, n_i = m_i r_i, ⁱW_j = R(i,j), ⁱp_j = W_iᵀ (p_j − p_i); the 4×4 matrices of
(6) to (14) are T_0^j. Every derivative that stands on the left of a line was taken exactly.
"""

from __future__ import annotations

from collections.abc import Iterator

from strobe.algebra import Mat3, Mat4, Vec3
from strobe.formulations.links import Z0
from strobe.papers.jets import Jets
from strobe.papers.proof_arm import MovingArm, bordered, inner, inner4, total
from strobe.papers.proof_ends import by_position, momentum_rate
from strobe.papers.proof_lines import Pairs, Section
from strobe.scalars import Num

HOLLERBACH = Section("Hollerbach: from the Lagrangian to his recursions (appendices A and B, (6) to (18))")


# -- appendix A: from the energies to (15) ------------------------------------------------------------


@HOLLERBACH.line(
    "A1, A2",
    "h = p_i + W_i d ; ḣ = ṗ_i + Ẇ_i d",
    rule="differentiated exactly in time; Ẇ_i, ṗ_i by the chain rule",
)
def particle(arm: MovingArm) -> Pairs:
    jets, (W, p) = arm.in_time
    for i in arm.all_links:
        for _, d in arm.masses[i].points:
            moving = (p[i] + W[i] @ d.map(jets.constant)).map(lambda x: jets.coefficient(x, 1))
            yield moving, arm.pd[i] + arm.Wd[i] @ d


@HOLLERBACH.each(
    "A3-A5",
    "K_i = ½ Σ w tr(ḣ ḣᵀ) = ½ tr(m_i ṗ_i ṗ_iᵀ + 2 Ẇ_i n_i ṗ_iᵀ + Ẇ_i J_i Ẇ_iᵀ), n_i = m_i r_i",
    by=("J_i", "1.23"),
    note="the last factor is printed without its transpose; the text before (15) has n_i = r_i/m_i",
)
def kinetic_energy(arm: MovingArm, i: int) -> Pairs:
    yield _twice_kinetic(arm, i), _by_moments(arm, i, arm.r(i) * arm.m(i))


@kinetic_energy.printed("n_i = r_i/m_i")
def _(arm: MovingArm, i: int) -> Pairs:
    yield _twice_kinetic(arm, i) * arm.m(i), _by_moments(arm, i, arm.r(i) * (1.0 / arm.m(i))) * arm.m(i)


@HOLLERBACH.each(
    "A6",
    "P_i = −Σ w g·h = −m_i g·(p_i + W_i r_i)",
    by=(),
    rule="Σ w d = m_i r_i",
    note="the print leaves p_i out",
)
def potential_energy(arm: MovingArm, i: int) -> Pairs:
    yield _weights(arm, i), arm.g.dot(arm.c(i)) * arm.m(i)


@potential_energy.printed("−m_i g·W_i r_i")
def _(arm: MovingArm, i: int) -> Pairs:
    yield _weights(arm, i), arm.g.dot(arm.W[i] @ arm.r(i)) * arm.m(i)


@HOLLERBACH.line(
    "A12",
    "∂Ẇ_j/∂q_i = d/dt ∂W_j/∂q_i = Σ_k ∂_ikW_j qd_k, and ∂Ẇ_j/∂qd_i = ∂W_j/∂q_i ; the same for p_j",
    rule="differentiated exactly, by the joint and in time",
)
def derivatives_commute(arm: MovingArm) -> Pairs:
    jets = Jets(arm.model.system, 2)
    for i in arm.all_links:
        q = [jets.make([arm.q[m], float(m == i), arm.qd[m], 0.0]) for m in arm.all_links]
        W, p = arm.frames(jets, q)
        for j in range(i, arm.n + 1):
            yield W[j].map(lambda x: jets.coefficient(x, 3)), arm.dWd(i, j)
            yield p[j].map(lambda x: jets.coefficient(x, 3)), arm.dpd(i, j)


@HOLLERBACH.each(
    "A9",
    "d/dt ∂K/∂qd_i = Σ_{j≥i} tr[m ∂_ip p̈ᵀ + m (∂_ip)˙ ṗᵀ + (∂_iW)˙ n ṗᵀ + ∂_iW n p̈ᵀ + Ẅ n ∂_ipᵀ + Ẇ n (∂_ip)˙ᵀ "
    "+ ∂_iW J Ẅᵀ + (∂_iW)˙ J Ẇᵀ], all of link j",
    rule="the energy of the points differentiated exactly; A5, A12 on the right",
    note="the first term is printed with ṗ for p̈",
)
def momentum(arm: MovingArm, i: int) -> Pairs:
    yield momentum_rate(arm, i), total(_momentum_rate(arm, i, j) for j in range(i, arm.n + 1))


@HOLLERBACH.each(
    "A10",
    "∂K/∂q_i = Σ_{j≥i} tr[m (∂_ip)˙ ṗᵀ + (∂_iW)˙ n ṗᵀ + Ẇ n (∂_ip)˙ᵀ + (∂_iW)˙ J Ẇᵀ]",
    rule="the energy of the points differentiated exactly; A5, A12 on the right",
)
def energy_by_position(arm: MovingArm, i: int) -> Pairs:
    yield by_position(arm, i)[0], total(_by_position(arm, i, j) for j in range(i, arm.n + 1))


@HOLLERBACH.each(
    "A11",
    "∂P/∂q_i = −Σ_{j≥i} m_j g·(∂_ip_j + ∂_iW_j r_j)",
    rule="the potential energy of the points differentiated exactly",
    note="the print leaves ∂_ip_j out, as A6 does",
)
def weight_by_position(arm: MovingArm, i: int) -> Pairs:
    yield by_position(arm, i)[1], -total(arm.weight(i, j) for j in range(i, arm.n + 1))


@weight_by_position.printed("−Σ_j m_j g·∂_iW_j r_j")
def _(arm: MovingArm, i: int) -> Pairs:
    short = (arm.g.dot(arm.dW(i, j) @ arm.r(j)) * arm.m(j) for j in range(i, arm.n + 1))
    yield by_position(arm, i)[1], -total(short)


@HOLLERBACH.each(
    "A13, 15",
    "A9 − A10 = Σ_{j≥i} tr(m ∂_ip p̈ᵀ + ∂_ip nᵀ Ẅᵀ + ∂_iW n p̈ᵀ + ∂_iW J Ẅᵀ)",
    by=("1.23",),
    rule="the terms with (∂_ip)˙ and (∂_iW)˙ cancel; tr(ABᵀ) = tr(BAᵀ)",
    note="A13 prints ṗ for p̈ in its first term, and n for nᵀ in its second",
)
def generalised_force(arm: MovingArm, i: int) -> Pairs:
    for j in range(i, arm.n + 1):
        yield _momentum_rate(arm, i, j) - _by_position(arm, i, j), _inertial(arm, i, j)


@HOLLERBACH.each(
    "15 = 4",
    "(15) − Σ_{j≥i} m_j g·(∂_ip_j + ∂_iW_j r_j) = Σ_k tr(U_ji Ĵ_j U_jkᵀ) qdd_k + …, "
    "link by link: his 3×3 is Uicker's 4×4",
    by=("1.28",),
    rule="the blocks of Ĵ_j; Ẅ_j, p̈_j written out by (chain)",
)
def three_by_three_is_four_by_four(arm: MovingArm, i: int) -> Pairs:
    for j in range(i, arm.n + 1):
        yield _inertial(arm, i, j) - arm.weight(i, j), arm.traced(i, j)


# -- (6) to (14): the 4×4 recursions ------------------------------------------------------------------


@HOLLERBACH.line(
    "8-10",
    "W_j = W_{j−1} A_j ; Ẇ_j = Ẇ_{j−1} A_j + W_{j−1} ∂A_j qd_j ; "
    "Ẅ_j = Ẅ_{j−1} A_j + 2 Ẇ_{j−1} ∂A_j qd_j + W_{j−1} ∂²A_j qd_j² + W_{j−1} ∂A_j qdd_j, 4×4, "
    "= Σ_k U_jk qdd_k + … of (7)",
    rule="(8) differentiated twice; beside the exact derivatives",
)
def backward_recursion(arm: MovingArm) -> Pairs:
    for j, (W, Wd, Wdd) in enumerate(_recursion(arm), 1):
        yield W, Mat4.homogeneous(arm.W[j], arm.p[j])
        yield Wd, bordered(arm.Wd[j], arm.pd[j])
        yield Wdd, bordered(arm.Wdd[j], arm.pdd[j])


@HOLLERBACH.each(
    "6",
    "τ_i = Σ_{j≥i} [tr(U_ji Ĵ_j Ẅ_jᵀ) − m_j ĝᵀ U_ji r̂_j]",
    by=(),
    rule="(7) into (4): the sums over k and l are Ẅ_j",
)
def unexpanded(arm: MovingArm, i: int) -> Pairs:
    terms = (_accelerated(arm, i, j) - arm.weight(i, j) for j in range(i, arm.n + 1))
    yield total(arm.traced(i, j) for j in range(i, arm.n + 1)), total(terms)


@HOLLERBACH.line(
    "11-14",
    "∂W_j/∂q_i = ∂W_i/∂q_i ⁱW_j, so τ_i = tr(U_ii D_i) − ĝᵀ U_ii c_i, D_i = Ĵ_i Ẅ_iᵀ + A_{i+1} D_{i+1}, "
    "c_i = m_i r̂_i + A_{i+1} c_{i+1}",
    by=("product rule", "origins"),
    rule="W_j = W_i ⁱW_j and q_i is not in ⁱW_j; by induction on i, from n down",
)
def forward_recursion(arm: MovingArm) -> Pairs:
    D, c = bordered(Mat3.zero(), Vec3.zero()), [0.0] * 4
    for i in reversed(arm.all_links):
        A = arm.links[i + 1].T if i < arm.n else Mat4.homogeneous(Mat3.identity(), Vec3.zero())
        D = arm.links[i].J_hat @ bordered(arm.Wdd[i], arm.pdd[i]).T + A @ D
        c = [x * arm.m(i) + y for x, y in zip([*arm.r(i), 1.0], A.apply(c), strict=True)]
        x, y, z, _ = arm.U(i, i).apply(c)
        whole = (arm.U(i, i) @ D).trace() - arm.g.dot(Vec3(x, y, z))
        yield whole, total(_accelerated(arm, i, j) - arm.weight(i, j) for j in range(i, arm.n + 1))


# -- appendix B: the 3×3 recursions -------------------------------------------------------------------


@HOLLERBACH.each(
    "16",
    "p̈_j = p̈_{j−1} + Ẅ_j p*_j (+ 2 qd_j Ẇ_{j−1} z0 + qdd_j W_{j−1} z0 where joint j is prismatic)",
    by=("origins",),
    rule="p_j = p_{j−1} + W_j p*_j differentiated twice",
    note="printed with a minus sign",
)
def origins_accelerate(arm: MovingArm, j: int) -> Pairs:
    yield arm.pdd[j] - arm.pdd[j - 1], arm.Wdd[j] @ arm.ps(j) + _slide(arm, j)


@origins_accelerate.printed("p̈_j = p̈_{j−1} − Ẅ_j p*_j")
def _(arm: MovingArm, j: int) -> Pairs:
    yield arm.pdd[j] - arm.pdd[j - 1], _slide(arm, j) - arm.Wdd[j] @ arm.ps(j)


@HOLLERBACH.each(
    "B1",
    "∂_iW_j = ∂_iW_i ⁱW_j ; ∂_ip_j = ∂_ip_i + ∂_iW_i ⁱp_j",
    by=("1.11", "1.18", "rotation"),
    note="the print leaves ∂_ip_i out: origin i is at the far end of link i and moves with q_i",
)
def derivatives_beyond(arm: MovingArm, i: int) -> Pairs:
    for j in range(i, arm.n + 1):
        yield arm.dW(i, j), arm.dW(i, i) @ arm.R(i, j)
        yield arm.dp(i, j), arm.dp(i, i) + arm.dW(i, i) @ _seen(arm, i, j)


@derivatives_beyond.printed("∂_ip_j = ∂_iW_i ⁱp_j")
def _(arm: MovingArm, i: int) -> Pairs:
    for j in range(i, arm.n + 1):
        yield arm.dp(i, j), arm.dW(i, i) @ _seen(arm, i, j)


@HOLLERBACH.line(
    "B3, B4",
    "e_i = Σ_{j≥i} (m_j p̈_j + Ẅ_j n_j) = e_{i+1} + m_i p̈_i + Ẅ_i n_i ; D_i = Σ_{j≥i} [ⁱp_j (m_j p̈_j + Ẅ_j n_j)ᵀ "
    "+ ⁱW_j (n_j p̈_jᵀ + J_j Ẅ_jᵀ)] = A_{i+1} D_{i+1} + ⁱp_{i+1} e_{i+1}ᵀ + n_i p̈_iᵀ + J_i Ẅ_iᵀ",
    by=("rotation",),
    rule="ⁱW_j = A_{i+1} ⁱ⁺¹W_j, ⁱp_j = A_{i+1} ⁱ⁺¹p_j + ⁱp_{i+1}; by induction on i, from n down",
)
def sums_beyond(arm: MovingArm) -> Pairs:
    e, D = Vec3.zero(), Mat3.zero()
    for i in reversed(arm.all_links):
        A, p = (arm.R(i, i + 1), _seen(arm, i, i + 1)) if i < arm.n else (Mat3.identity(), Vec3.zero())
        D = A @ D + Mat3.outer(p, e) + _own(arm, i)
        e = e + _force(arm, i)
        yield (e, D), _beyond(arm, i)


@HOLLERBACH.each(
    "B2, B5, 17",
    "Σ_{j≥i} (15) = tr(∂_iW_i D_i) + ∂_ip_i·e_i ; with gravity − g·(∂_iW_i c_i + M_i ∂_ip_i), "
    "c_i = Σ m_j ⁱp_j + ⁱW_j n_j",
    by=("B1", "1.23"),
    note="the print leaves out both terms with ∂_ip_i, and the m_j ⁱp_j of c_i",
)
def recursion_in_three_dimensions(arm: MovingArm, i: int) -> Pairs:
    e, D = _beyond(arm, i)
    above = range(i, arm.n + 1)
    c = total(_seen(arm, i, j) * arm.m(j) + arm.R(i, j) @ arm.r(j) * arm.m(j) for j in above)
    dW, dp = arm.dW(i, i), arm.dp(i, i)
    held = arm.g.dot(dW @ c + dp * total(arm.m(j) for j in above))
    yield total(_inertial(arm, i, j) for j in above), (dW @ D).trace() + dp.dot(e)
    yield total(arm.weight(i, j) for j in above), held


@recursion_in_three_dimensions.printed("tr(∂_iW_i D_i)")
def _(arm: MovingArm, i: int) -> Pairs:
    _, D = _beyond(arm, i)
    whole = total(_inertial(arm, i, j) for j in range(i, arm.n + 1))
    yield whole, (arm.dW(i, i) @ D).trace()


def _twice_kinetic(arm: MovingArm, i: int) -> Num:
    velocities = ((w, arm.pd[i] + arm.Wd[i] @ d) for w, d in arm.masses[i].points)
    return total(v.dot(v) * w for w, v in velocities)


def _by_moments(arm: MovingArm, i: int, n: Vec3) -> Num:
    Wd, pd = arm.Wd[i], arm.pd[i]
    return pd.dot(pd) * arm.m(i) + (Wd @ n).dot(pd) * 2.0 + inner(Wd @ arm.J(i), Wd)


def _weights(arm: MovingArm, i: int) -> Num:
    return total(arm.g.dot(arm.p[i] + arm.W[i] @ d) * w for w, d in arm.masses[i].points)


def _momentum_rate(arm: MovingArm, i: int, j: int) -> Num:
    """The terms of A9 for link j."""
    n = arm.r(j) * arm.m(j)
    moved = arm.dp(i, j).dot(arm.Wdd[j] @ n)
    return (
        arm.dp(i, j).dot(arm.pdd[j]) * arm.m(j)
        + (arm.dW(i, j) @ n).dot(arm.pdd[j])
        + moved
        + inner(arm.dW(i, j) @ arm.J(j), arm.Wdd[j])
        + _by_position(arm, i, j)
    )


def _by_position(arm: MovingArm, i: int, j: int) -> Num:
    """The terms of A10 for link j, which stand in A9 as well."""
    n, W, p = arm.r(j) * arm.m(j), arm.dWd(i, j), arm.dpd(i, j)
    straight = p.dot(arm.pd[j]) * arm.m(j) + (W @ n).dot(arm.pd[j])
    return straight + (arm.Wd[j] @ n).dot(p) + inner(W @ arm.J(j), arm.Wd[j])


def _inertial(arm: MovingArm, i: int, j: int) -> Num:
    """(15) for link j, without gravity."""
    n, W, p = arm.r(j) * arm.m(j), arm.dW(i, j), arm.dp(i, j)
    straight = p.dot(arm.pdd[j]) * arm.m(j) + Mat3.outer(p, arm.Wdd[j] @ n).trace()
    return straight + Mat3.outer(W @ n, arm.pdd[j]).trace() + (W @ arm.J(j) @ arm.Wdd[j].T).trace()


def _accelerated(arm: MovingArm, i: int, j: int) -> Num:
    """tr(U_ji Ĵ_j Ẅ_jᵀ)."""
    return inner4(arm.U(j, i) @ arm.links[j].J_hat, bordered(arm.Wdd[j], arm.pdd[j]))


def _recursion(arm: MovingArm) -> Iterator[tuple[Mat4, Mat4, Mat4]]:
    """(8) to (10)."""
    W = Mat4.homogeneous(Mat3.identity(), Vec3.zero())
    Wd = Wdd = W - W
    for j in arm.all_links:
        link, rate = arm.links[j], arm.qd[j]
        A, D, DD = link.T, link.Q(link.T), link.QQ(link.T)
        Wdd = Wdd @ A + (Wd @ D) * (2.0 * rate) + (W @ DD) * (rate * rate) + (W @ D) * arm.qdd[j]
        Wd = Wd @ A + (W @ D) * rate
        W = W @ A
        yield W, Wd, Wdd


def _slide(arm: MovingArm, j: int) -> Vec3:
    if arm.turns(j):
        return Vec3.zero()
    return arm.Wd[j - 1] @ Z0 * (2.0 * arm.qd[j]) + arm.W[j - 1] @ Z0 * arm.qdd[j]


def _seen(arm: MovingArm, i: int, j: int) -> Vec3:
    """ⁱp_j."""
    return arm.W[i].T @ (arm.p[j] - arm.p[i])


def _force(arm: MovingArm, j: int) -> Vec3:
    """m_j p̈_j + Ẅ_j n_j."""
    return (arm.pdd[j] + arm.Wdd[j] @ arm.r(j)) * arm.m(j)


def _own(arm: MovingArm, j: int) -> Mat3:
    """n_j p̈_jᵀ + J_j Ẅ_jᵀ."""
    return Mat3.outer(arm.r(j) * arm.m(j), arm.pdd[j]) + arm.J(j) @ arm.Wdd[j].T


def _beyond(arm: MovingArm, i: int) -> tuple[Vec3, Mat3]:
    """e_i and D_i as sums."""
    above = range(i, arm.n + 1)
    D = total(Mat3.outer(_seen(arm, i, j), _force(arm, j)) + arm.R(i, j) @ _own(arm, j) for j in above)
    return total(_force(arm, j) for j in above), D
