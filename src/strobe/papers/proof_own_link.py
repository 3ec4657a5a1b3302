"""The torque that a link asks of its own joint, from cross products to traces. [Turney1980, 4.10 to 4.27]

Joint i is revolute and z = z(i,i−1); G(X) = tr(X) 1 − X; t_i = z·[I_i α_i + ω_i × I_i ω_i + m_i s_i × ā_i].
"""

from __future__ import annotations

from strobe.algebra import Mat3, Vec3
from strobe.papers.proof_arm import MovingArm, Z, gyration, inner, total
from strobe.papers.proof_lines import OWN, Pairs, Section
from strobe.scalars import Num

OWN_LINK = Section(
    "Own link: t_i = z·[I_i α_i + ω_i × I_i ω_i + m_i s_i × ā_i], z = z(i,i−1), becomes traces (4.10)"
)


@OWN_LINK.each(
    "4.11a",
    "t_i with I_i = G(J_i) − m_i G(r_i r_iᵀ), G(X) = tr(X) 1 − X",
    OWN,
    note="the print lacks m_i before r rᵀ",
    by=("1.27",),
)
def inertia_split(arm: MovingArm, i: int) -> Pairs:
    yield _torque(arm, i, arm.I(i)), _torque(arm, i, gyration(arm.J(i)) - _steiner(arm, i) * arm.m(i))


@inertia_split.printed("I_i = G(J_i) − G(r_i r_iᵀ)")
def _(arm: MovingArm, i: int) -> Pairs:
    yield _torque(arm, i, arm.I(i)), _torque(arm, i, gyration(arm.J(i)) - _steiner(arm, i))


@OWN_LINK.each(
    "4.11",
    "t_i = t_J + t_r, t_J = z·[G(J_i) α_i + ω_i × G(J_i) ω_i], "
    "t_r = z·[−m_i r_i × (α_i × r_i) − m_i r_i × (ω_i × (ω_i × r_i)) + m_i s_i × ā_i]",
    OWN,
    note="the print lacks m_i twice",
    by=("4.11a", "1.20"),
)
def torque_split(arm: MovingArm, i: int) -> Pairs:
    yield _torque(arm, i, arm.I(i)), _t_J(arm, i) + _t_r(arm, i)


@OWN_LINK.each(
    "4.12",
    "t_J = Σ w z·[G(d dᵀ) α_i + ω_i × G(d dᵀ) ω_i] = Σ w z·[d × (α_i × d) + ω_i × (d × (ω_i × d))]",
    OWN,
    note="a bracket of the print closes too early",
    by=("J_i", "1.20"),
)
def moments_as_sums(arm: MovingArm, i: int) -> Pairs:
    w, al, z = arm.w(i), arm.al(i), arm.z(i, i - 1)
    dyads = ((m, gyration(Mat3.outer(d, d))) for m, d in arm.masses[i].points)
    yield _t_J(arm, i), total(z.dot(G @ al + w.cross(G @ w)) * m for m, G in dyads)
    crossed = (
        z.dot(d.cross(al.cross(d)) + w.cross(d.cross(w.cross(d)))) * m for m, d in arm.masses[i].points
    )
    yield _t_J(arm, i), total(crossed)


@OWN_LINK.each(
    "4.12c",
    "ω × (d × (ω × d)) = d × (ω × (ω × d)) + (ω × d) × (ω × d) = d × (ω × (ω × d))",
    OWN,
    by=("1.22",),
)
def products_change_places(arm: MovingArm, i: int) -> Pairs:
    w = arm.w(i)
    for _, d in arm.masses[i].points:
        v = w.cross(d)
        yield w.cross(d.cross(v)), d.cross(w.cross(v)) + v.cross(v)
        yield w.cross(d.cross(v)), d.cross(w.cross(v))


@OWN_LINK.each("4.13", "t_J = Σ w z·[d × (α_i × d) + d × (ω_i × (ω_i × d))]", OWN, by=("4.12", "4.12c"))
def one_lever(arm: MovingArm, i: int) -> Pairs:
    z = arm.z(i, i - 1)
    levers = (z.dot(d.cross(_accelerated(arm, i, d))) * m for m, d in arm.masses[i].points)
    yield _t_J(arm, i), total(levers)


@OWN_LINK.each(
    "4.14",
    "t_J = Σ w (z × d)·[α_i × d + ω_i × (ω_i × d)] = Σ w tr{[α_i × d + ω_i × (ω_i × d)] dᵀ Q(i,i−1)ᵀ}",
    OWN,
    by=("4.13", "1.21", "1.6-1.8"),
)
def lever_as_trace(arm: MovingArm, i: int) -> Pairs:
    z, Q = arm.z(i, i - 1), arm.Q(i, i - 1)
    points = [(m, d, _accelerated(arm, i, d)) for m, d in arm.masses[i].points]
    yield _t_J(arm, i), total(z.cross(d).dot(x) * m for m, d, x in points)
    yield _t_J(arm, i), total((Mat3.outer(x, d) @ Q.T).trace() * m for m, d, x in points)


@OWN_LINK.each(
    "4.14d",
    "t_J = Σ w tr{W_iᵀ [Σ_j W_{j−1} Z R(j−1,i) qdd_j + Σ_jk W_{v−1} Z R(v−1,u−1) Z R(u−1,i) qd_j qd_k] "
    "d dᵀ (W_iᵀ W_{i−1} Z R_i)ᵀ}",
    OWN,
    note="the print has k for v and j for u, right for k ≤ j only",
    by=("4.14", "4.1", "4.2", "1.9"),
)
def expanded_lever(arm: MovingArm, i: int) -> Pairs:
    yield _t_J(arm, i), _expanded(arm, i, ordered=True)


@expanded_lever.printed("W_{k−1} Z R(k−1,j−1) Z R(j−1,i) for every j, k")
def _(arm: MovingArm, i: int) -> Pairs:
    yield _t_J(arm, i), _expanded(arm, i, ordered=False)


@OWN_LINK.each("4.15", "t_J = tr{W_iᵀ Ẅ_i J_i (∂_iW_i)ᵀ W_i}", OWN, by=("4.14d", "1.11", "1.12"))
def collected(arm: MovingArm, i: int) -> Pairs:
    W = arm.W[i]
    yield _t_J(arm, i), (W.T @ arm.Wdd[i] @ arm.J(i) @ arm.dW(i, i).T @ W).trace()


@OWN_LINK.each(
    "4.16",
    "t_J = Σ_j tr{∂_jW_i J_i (∂_iW_i)ᵀ} qdd_j + Σ_jk tr{∂_jkW_i J_i (∂_iW_i)ᵀ} qd_j qd_k",
    OWN,
    by=("4.15", "1.23"),
)
def rotations_cancel(arm: MovingArm, i: int) -> Pairs:
    right = arm.dW(i, i) @ arm.J(i)
    linear = total(inner(arm.dW(j, i), right) * arm.qdd[j] for j in arm.up_to(i))
    square = total(inner(arm.ddW(j, k, i), right) * rates for j, k, rates in arm.products(i))
    yield _t_J(arm, i), linear + square


@OWN_LINK.each(
    "4.17",
    "t_r = z·[m_i s_i × W_iᵀ p̈_i + m_i p*_i × W_iᵀ (Ẅ_i r_i)] + z·[s_i × W_iᵀ (−m_i g)]",
    OWN,
    note="the print has m_i twice with gravity and r_i (our p*_i) for r̄_i in the velocity part",
    by=("4.9", "4.1", "4.2", "1.9", "1.11", "1.12"),
    rule="the r × (…) terms of 4.11 cancel",
)
def centre_terms(arm: MovingArm, i: int) -> Pairs:
    yield _t_r(arm, i), _centre_terms(arm, i, arm.Wdd[i] @ arm.r(i), arm.g * arm.m(i))


@centre_terms.printed("m_i twice in the gravity term")
def _(arm: MovingArm, i: int) -> Pairs:
    m = arm.m(i)
    yield _t_r(arm, i), _centre_terms(arm, i, arm.Wdd[i] @ arm.r(i), arm.g * (m * m))


@centre_terms.printed("p*_i for r_i in the velocity part")
def _(arm: MovingArm, i: int) -> Pairs:
    swung = arm.W_by_acceleration[i] @ arm.r(i) + arm.W_by_velocity[i] @ arm.ps(i)
    yield _t_r(arm, i), _centre_terms(arm, i, swung, arm.g * arm.m(i))


@OWN_LINK.each(
    "4.18-4.19",
    "z·(m_i r_i × W_iᵀ p̈_i) = tr{W_iᵀ p̈_i (z × m_i r_i)ᵀ} = tr{W_iᵀ p̈_i m_i r_iᵀ Q(i,i−1)ᵀ}",
    OWN,
    note="the print has R_{i−1}^i z for R_i^{i−1} z",
    by=("1.21", "1.6-1.8"),
)
def first_centre_term(arm: MovingArm, i: int) -> Pairs:
    x, mr = arm.W[i].T @ arm.pdd[i], arm.r(i) * arm.m(i)
    yield _first_centre_term(arm, i), Mat3.outer(x, arm.z(i, i - 1).cross(mr)).trace()
    yield _first_centre_term(arm, i), (Mat3.outer(x, mr) @ arm.Q(i, i - 1).T).trace()


@first_centre_term.printed("the axis as R_{i−1}^i z0")
def _(arm: MovingArm, i: int) -> Pairs:
    x, mr = arm.W[i].T @ arm.pdd[i], arm.r(i) * arm.m(i)
    yield _first_centre_term(arm, i), arm.z(i - 1, i).cross(mr).dot(x)


@OWN_LINK.each("4.20", "Q(i,i−1) = W_iᵀ W_{i−1} Z R_i = W_iᵀ ∂_iW_i", OWN, by=("1.9", "1.11"))
def axis_as_derivative(arm: MovingArm, i: int) -> Pairs:
    yield arm.Q(i, i - 1), arm.W[i].T @ arm.W[i - 1] @ Z @ arm.links[i].R
    yield arm.Q(i, i - 1), arm.W[i].T @ arm.dW(i, i)


@OWN_LINK.each(
    "4.21",
    "z·(m_i r_i × W_iᵀ p̈_i) = tr{p̈_i m_i r_iᵀ (∂_iW_i)ᵀ}",
    OWN,
    note="the print has r_i (our p*_i) for r̄_i",
    by=("4.18-4.19", "4.20", "1.23"),
)
def first_centre_term_as_derivative(arm: MovingArm, i: int) -> Pairs:
    yield _first_centre_term(arm, i), arm.pdd[i].dot(arm.dW(i, i) @ arm.r(i)) * arm.m(i)


@first_centre_term_as_derivative.printed("p*_i for r_i")
def _(arm: MovingArm, i: int) -> Pairs:
    yield _first_centre_term(arm, i), arm.pdd[i].dot(arm.dW(i, i) @ arm.ps(i)) * arm.m(i)


@OWN_LINK.each(
    "4.22-4.23",
    "z·(m_i p*_i × W_iᵀ [p̈_i + Ẅ_i r_i]) = tr{W_iᵀ [p̈_i + Ẅ_i r_i] (z × m_i p*_i)ᵀ}",
    OWN,
    note="the print loses a plus sign and has r_i for r̄_i",
    by=("1.21",),
)
def second_centre_term(arm: MovingArm, i: int) -> Pairs:
    x, mp = arm.W[i].T @ _moved(arm, i), arm.ps(i) * arm.m(i)
    yield _second_centre_term(arm, i), Mat3.outer(x, arm.z(i, i - 1).cross(mp)).trace()


@OWN_LINK.each(
    "4.24",
    "z × p*_i = Q(i,i−1) p*_i = W_iᵀ ∂_ip_i",
    OWN,
    note="the print swaps indices of R and Q",
    by=("1.6-1.8", "1.9", "1.18"),
)
def lever_as_derivative(arm: MovingArm, i: int) -> Pairs:
    lever = arm.z(i, i - 1).cross(arm.ps(i))
    yield lever, arm.Q(i, i - 1) @ arm.ps(i)
    yield lever, arm.W[i].T @ arm.dp(i, i)


@OWN_LINK.each(
    "4.25",
    "z·(m_i p*_i × W_iᵀ [p̈_i + Ẅ_i r_i]) = tr{m_i [p̈_i + Ẅ_i r_i] (∂_ip_i)ᵀ}",
    OWN,
    note="the print leaves R_i^0 in front",
    by=("4.22-4.23", "4.24", "1.23"),
)
def second_centre_term_as_derivative(arm: MovingArm, i: int) -> Pairs:
    yield _second_centre_term(arm, i), _moved(arm, i).dot(arm.dp(i, i)) * arm.m(i)


@second_centre_term_as_derivative.printed("tr{R_i^0 m_i [p̈_i + Ẅ_i r_i] (∂_ip_i)ᵀ}")
def _(arm: MovingArm, i: int) -> Pairs:
    yield _second_centre_term(arm, i), (arm.W[i].T @ _moved(arm, i)).dot(arm.dp(i, i)) * arm.m(i)


@OWN_LINK.each(
    "4.25g",
    "z·[m_i s_i × W_iᵀ (−g)] = −m_i g·(∂_iW_i r_i + ∂_ip_i) = −m_i ĝᵀ U_ii r̂_i",
    OWN,
    note="brackets, and m_i twice, in print",
    by=("4.20", "4.24"),
)
def gravity_term(arm: MovingArm, i: int) -> Pairs:
    held = arm.z(i, i - 1).dot(arm.s(i).cross(arm.W[i].T @ -arm.g)) * arm.m(i)
    yield held, -(arm.g.dot(arm.dW(i, i) @ arm.r(i) + arm.dp(i, i)) * arm.m(i))
    yield held, -arm.weight(i, i)


@OWN_LINK.each(
    "4.26",
    "t_i = Σ_j tr{(∂_jW J + m ∂_jp rᵀ)(∂_iW)ᵀ + m (∂_jW r + ∂_jp)(∂_ip)ᵀ} qdd_j "
    "+ Σ_jk tr{the same with ∂_jk} qd_j qd_k − m_i ĝᵀ U_ii r̂_i",
    OWN,
    by=("4.11", "4.16", "4.17", "4.21", "4.25", "4.25g"),
)
def own_torque_in_blocks(arm: MovingArm, i: int) -> Pairs:
    linear = total(_blocks(arm, i, arm.dW(j, i), arm.dp(j, i)) * arm.qdd[j] for j in arm.up_to(i))
    square = total(
        _blocks(arm, i, arm.ddW(j, k, i), arm.ddp(j, k, i)) * rates for j, k, rates in arm.products(i)
    )
    yield _torque(arm, i, arm.I(i)), linear + square - arm.weight(i, i)


@OWN_LINK.each(
    "4.27",
    "t_i = Σ_j tr(U_ij Ĵ_i U_iiᵀ) qdd_j + Σ_jk tr(U_ijk Ĵ_i U_iiᵀ) qd_j qd_k − m_i ĝᵀ U_ii r̂_i",
    OWN,
    by=("4.26", "1.28"),
)
def own_torque_in_traces(arm: MovingArm, i: int) -> Pairs:
    yield _torque(arm, i, arm.I(i)), arm.traced(i, i)


def _torque(arm: MovingArm, i: int, I: Mat3) -> Num:
    """t_i for an inertia tensor about the centre of mass."""
    w = arm.w(i)
    moment = I @ arm.al(i) + w.cross(I @ w) + arm.s(i).cross(arm.abar(i)) * arm.m(i)
    return arm.z(i, i - 1).dot(moment)


def _t_J(arm: MovingArm, i: int) -> Num:
    G, w = gyration(arm.J(i)), arm.w(i)
    return arm.z(i, i - 1).dot(G @ arm.al(i) + w.cross(G @ w))


def _t_r(arm: MovingArm, i: int) -> Num:
    r, m = arm.r(i), arm.m(i)
    moment = arm.s(i).cross(arm.abar(i)) * m - r.cross(_accelerated(arm, i, r)) * m
    return arm.z(i, i - 1).dot(moment)


def _steiner(arm: MovingArm, i: int) -> Mat3:
    """G(r_i r_iᵀ)."""
    return gyration(Mat3.outer(arm.r(i), arm.r(i)))


def _accelerated(arm: MovingArm, i: int, d: Vec3) -> Vec3:
    """α_i × d + ω_i × (ω_i × d)."""
    w = arm.w(i)
    return arm.al(i).cross(d) + w.cross(w.cross(d))


def _expanded(arm: MovingArm, i: int, ordered: bool) -> Num:
    """4.14d, with the factors in the order of the joints or in that of the indices."""
    X = Mat3.zero()
    for j in arm.turning(i):
        X = X + arm.W[j - 1] @ Z @ arm.R(j - 1, i) * arm.qdd[j]
        for k in arm.turning(i):
            v, u = (min(j, k), max(j, k)) if ordered else (k, j)
            chain = arm.W[v - 1] @ Z @ arm.R(v - 1, u - 1) @ Z @ arm.R(u - 1, i)
            X = X + chain * (arm.qd[j] * arm.qd[k])
    left, right = arm.W[i].T @ X, arm.W[i].T @ arm.W[i - 1] @ Z @ arm.links[i].R
    return total((left @ d).dot(right @ d) * m for m, d in arm.masses[i].points)


def _moved(arm: MovingArm, i: int) -> Vec3:
    """p̈_i + Ẅ_i r_i."""
    return arm.pdd[i] + arm.Wdd[i] @ arm.r(i)


def _centre_terms(arm: MovingArm, i: int, swung: Vec3, weight: Vec3) -> Num:
    into, m = arm.W[i].T, arm.m(i)
    moment = arm.s(i).cross(into @ arm.pdd[i]) * m + arm.ps(i).cross(into @ swung) * m
    return arm.z(i, i - 1).dot(moment - arm.s(i).cross(into @ weight))


def _first_centre_term(arm: MovingArm, i: int) -> Num:
    return arm.z(i, i - 1).dot(arm.r(i).cross(arm.W[i].T @ arm.pdd[i])) * arm.m(i)


def _second_centre_term(arm: MovingArm, i: int) -> Num:
    return arm.z(i, i - 1).dot(arm.ps(i).cross(arm.W[i].T @ _moved(arm, i))) * arm.m(i)


def _blocks(arm: MovingArm, i: int, W: Mat3, p: Vec3) -> Num:
    """tr{(W J + m p rᵀ)(∂_iW)ᵀ + m (W r + p)(∂_ip)ᵀ}."""
    r, m = arm.r(i), arm.m(i)
    turned = inner(W @ arm.J(i) + Mat3.outer(p, r) * m, arm.dW(i, i))
    return turned + (W @ r + p).dot(arm.dp(i, i)) * m
