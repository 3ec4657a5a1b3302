"""The torque that the links above ask of a joint, and the step to all of them. [Turney1980, 4.28 to 4.34]

4.29 to 4.34 take link i+1 as the last one, as the source does. 4.35 to 4.37 are the step that the source
leaves to the reader: link by link, and for both types of joints.
"""

from __future__ import annotations

from strobe.algebra import Mat3, Vec3
from strobe.formulations import newton_euler, uicker_kahn
from strobe.papers.proof_arm import MovingArm, Z, inner, total
from strobe.papers.proof_lines import TWO, Pairs, Section
from strobe.scalars import Num

ABOVE = Section("Links above: z·(p*_i × R_{i+1} f_{i+1}) + z·(R_{i+1} n_{i+1}) (4.28), and all of them")


@ABOVE.line(
    "4.29",
    "z·(p*_i × R_{i+1} f_{i+1}) = tr{R_{i+1} f_{i+1} (Q(i,i−1) p*_i)ᵀ} = tr{W_{i+1} f_{i+1} (W_{i−1} Z R_i p*_i)ᵀ}",
    TWO,
    rule="1.8, 1.9, 1.21",
    note="the print lacks R_i before p*_i",
)
def force_above(arm: MovingArm) -> Pairs:
    for i in _below_another(arm):
        f = arm.links[i + 1].R @ _force(arm, i + 1)
        yield _first_term(arm, i), f.dot(arm.Q(i, i - 1) @ arm.ps(i))
        yield _first_term(arm, i), arm.F(i + 1).dot(_lever(arm, i, i))


@force_above.printed("tr{W_{i+1} f_{i+1} (W_{i−1} Z p*_i)ᵀ}")
def _(arm: MovingArm) -> Pairs:
    for i in _below_another(arm):
        yield _first_term(arm, i), arm.F(i + 1).dot(arm.W[i - 1] @ Z @ arm.ps(i))


@ABOVE.line(
    "4.30",
    "… = tr{m (p̈_{i+1} + Ẅ_{i+1} r − g)(W_{i−1} Z R_i p*_i)ᵀ}, m, r, J of link i+1",
    TWO,
    rule="4.9",
    note="the print has m with gravity only, and ∂p for ∂²p",
)
def force_above_as_derivative(arm: MovingArm) -> Pairs:
    for i in _below_another(arm):
        yield _first_term(arm, i), _moved(arm, i + 1).dot(_lever(arm, i, i)) * arm.m(i + 1)


@force_above_as_derivative.printed("p̈_{i+1} + Ẅ_{i+1} r − m g")
def _(arm: MovingArm) -> Pairs:
    for i in _below_another(arm):
        k = i + 1
        x = arm.pdd[k] + arm.Wdd[k] @ arm.r(k) - arm.g * arm.m(k)
        yield _first_term(arm, i), x.dot(_lever(arm, i, i))


@ABOVE.line(
    "4.31",
    "z·(R_{i+1} n_{i+1}) = tr{[Ẅ_{i+1} J + m (p̈_{i+1} − g) rᵀ](∂_iW_{i+1})ᵀ "
    "+ m (p̈_{i+1} + Ẅ_{i+1} r − g)(W_{i−1} Z R(i−1,i+1) p*_{i+1})ᵀ}",
    TWO,
    rule="as 4.26",
    note="the print adds a vector to a matrix and is not well formed",
)
def moment_above(arm: MovingArm) -> Pairs:
    for i in _below_another(arm):
        k = i + 1
        turned = inner(
            arm.Wdd[k] @ arm.J(k) + Mat3.outer(arm.pdd[k] - arm.g, arm.r(k)) * arm.m(k), arm.dW(i, k)
        )
        yield _second_term(arm, i), turned + _moved(arm, k).dot(_lever(arm, i, k)) * arm.m(k)


@ABOVE.line(
    "4.32",
    "W_{i−1} Z R_i p*_i + W_{i−1} Z R(i−1,i+1) p*_{i+1} = ∂_ip_{i+1}",
    TWO,
    rule="1.18",
    note="rotations missing in both printed terms",
)
def levers_add_up(arm: MovingArm) -> Pairs:
    for i in _below_another(arm):
        yield _lever(arm, i, i) + _lever(arm, i, i + 1), arm.dp(i, i + 1)


@levers_add_up.printed("W_{i−1} Z p*_i + W_{i−1} Z R(i,i+1) p*_{i+1}")
def _(arm: MovingArm) -> Pairs:
    for i in _below_another(arm):
        yield arm.W[i - 1] @ (Z @ (arm.ps(i) + arm.R(i, i + 1) @ arm.ps(i + 1))), arm.dp(i, i + 1)


@ABOVE.line(
    "4.33",
    "4.30 + 4.31 = tr{[Ẅ_{i+1} J + m p̈_{i+1} rᵀ](∂_iW_{i+1})ᵀ + m [p̈_{i+1} + Ẅ_{i+1} r](∂_ip_{i+1})ᵀ} "
    "− m g·(∂_iW_{i+1} r + ∂_ip_{i+1})",
    TWO,
    rule="4.32",
    note="the print lacks r̄ after ∂R in the gravity term",
)
def link_above(arm: MovingArm) -> Pairs:
    for i in _below_another(arm):
        k = i + 1
        r, m, dW, dp = arm.r(k), arm.m(k), arm.dW(i, k), arm.dp(i, k)
        turned = inner(arm.Wdd[k] @ arm.J(k) + Mat3.outer(arm.pdd[k], r) * m, dW)
        carried = (arm.pdd[k] + arm.Wdd[k] @ r).dot(dp) * m
        yield _first_term(arm, i) + _second_term(arm, i), turned + carried - arm.g.dot(dW @ r + dp) * m


@ABOVE.line(
    "4.34",
    "τ_i = Σ_{q=i,i+1} {Σ_k tr(U_qi Ĵ_q U_qkᵀ) qdd_k + Σ_kl tr(U_qi Ĵ_q U_qklᵀ) qd_k qd_l − m_q ĝᵀ U_qi r̂_q}",
    TWO,
    rule="4.27, 4.33",
)
def two_links(arm: MovingArm) -> Pairs:
    for i in _below_another(arm):
        own = arm.z(i, i - 1).dot(_moment(arm, i))
        yield own + _first_term(arm, i) + _second_term(arm, i), arm.traced(i, i) + arm.traced(i, i + 1)


@ABOVE.line(
    "4.35",
    "link q on joint i ≤ q: ζ·[N_q + (c_q − p_{i−1}) × F_q] (revolute) or ζ·F_q (prismatic), ζ = W_{i−1} z0, "
    "= Σ_k tr(U_qi Ĵ_q U_qkᵀ) qdd_k + Σ_kl tr(U_qi Ĵ_q U_qklᵀ) qd_k qd_l − m_q ĝᵀ U_qi r̂_q",
    note="not in the source, which sums to n without this step",
)
def link_by_link(arm: MovingArm) -> Pairs:
    for q in arm.all_links:
        for i in arm.up_to(q):
            yield arm.projected(i, q), arm.traced(i, q)


@ABOVE.line(
    "4.36",
    "W_i f_i = Σ_{q≥i} F_q ; W_i n_i = Σ_{q≥i} [N_q + (c_q − p_{i−1}) × F_q]",
    note="not in the source",
)
def recursion_adds_them(arm: MovingArm) -> Pairs:
    for i in arm.all_links:
        f, n = arm.inward[i]
        above = range(i, arm.n + 1)
        yield arm.W[i] @ f, total(arm.F(q) for q in above)
        yield arm.W[i] @ n, total(arm.N(q) + (arm.c(q) - arm.p[i - 1]).cross(arm.F(q)) for q in above)


@ABOVE.line(
    "4.37",
    "τ_i (Newton-Euler) = τ_i (Lagrange) for every joint",
    rule="4.35, 4.36",
)
def the_two_are_one(arm: MovingArm) -> Pairs:
    newton, lagrange = (
        method.inverse_dynamics(arm.model, *arm.state) for method in (newton_euler, uicker_kahn)
    )
    yield from zip(newton, lagrange, strict=True)
    for i in arm.all_links:
        yield newton[i - 1], total(arm.projected(i, q) for q in range(i, arm.n + 1))


def _below_another(arm: MovingArm) -> list[int]:
    """Revolute joints whose link carries another."""
    return [i for i in arm.turning_links if i < arm.n]


def _force(arm: MovingArm, k: int) -> Vec3:
    """f_k where link k is the last."""
    return arm.abar(k) * arm.m(k)


def _moment(arm: MovingArm, k: int) -> Vec3:
    """n_k where link k is the last."""
    return arm.spin(k) + arm.s(k).cross(_force(arm, k))


def _first_term(arm: MovingArm, i: int) -> Num:
    return arm.z(i, i - 1).dot(arm.ps(i).cross(arm.links[i + 1].R @ _force(arm, i + 1)))


def _second_term(arm: MovingArm, i: int) -> Num:
    return arm.z(i, i - 1).dot(arm.links[i + 1].R @ _moment(arm, i + 1))


def _lever(arm: MovingArm, i: int, k: int) -> Vec3:
    """W_{i−1} Z R(i−1,k) p*_k."""
    return arm.W[i - 1] @ (Z @ (arm.R(i - 1, k) @ arm.ps(k)))


def _moved(arm: MovingArm, k: int) -> Vec3:
    """p̈_k + Ẅ_k r_k − g."""
    return arm.pdd[k] + arm.Wdd[k] @ arm.r(k) - arm.g
