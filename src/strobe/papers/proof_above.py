"""The torque that the links above ask of a joint, and the step to all of them. [Turney1980, 4.28 to 4.34]

4.29 to 4.34 take link i+1 as the last one, as the source does. 4.35 to 4.37 are the step that the source
leaves to the reader: link by link, for both types of joints, each by induction with its beginning and its step.
"""

from __future__ import annotations

from strobe.algebra import Mat3, Vec3
from strobe.formulations import FORMULATIONS
from strobe.formulations.links import Z0
from strobe.papers.proof_arm import MovingArm, Z, inner, total
from strobe.papers.proof_lines import TWO, Pairs, Section
from strobe.scalars import Num

ABOVE = Section("Links above: z·(p*_i × R_{i+1} f_{i+1}) + z·(R_{i+1} n_{i+1}) (4.28), and all of them")


@ABOVE.each(
    "4.29",
    "z·(p*_i × R_{i+1} f_{i+1}) = tr{R_{i+1} f_{i+1} (Q(i,i−1) p*_i)ᵀ} = tr{W_{i+1} f_{i+1} (W_{i−1} Z R_i p*_i)ᵀ}",
    TWO,
    note="the print lacks R_i before p*_i",
    by=("1.6-1.8", "1.9", "1.21"),
)
def force_above(arm: MovingArm, i: int) -> Pairs:
    f = arm.links[i + 1].R @ _force(arm, i + 1)
    yield _first_term(arm, i), f.dot(arm.Q(i, i - 1) @ arm.ps(i))
    yield _first_term(arm, i), arm.F(i + 1).dot(_lever(arm, i, i))


@force_above.printed("tr{W_{i+1} f_{i+1} (W_{i−1} Z p*_i)ᵀ}")
def _(arm: MovingArm, i: int) -> Pairs:
    yield _first_term(arm, i), arm.F(i + 1).dot(arm.W[i - 1] @ Z @ arm.ps(i))


@ABOVE.each(
    "4.30",
    "… = tr{m (p̈_{i+1} + Ẅ_{i+1} r − g)(W_{i−1} Z R_i p*_i)ᵀ}, m, r, J of link i+1",
    TWO,
    note="the print has m with gravity only, and ∂p for ∂²p",
    by=("4.29", "4.9"),
)
def force_above_as_derivative(arm: MovingArm, i: int) -> Pairs:
    yield _first_term(arm, i), _moved(arm, i + 1).dot(_lever(arm, i, i)) * arm.m(i + 1)


@force_above_as_derivative.printed("p̈_{i+1} + Ẅ_{i+1} r − m g")
def _(arm: MovingArm, i: int) -> Pairs:
    k = i + 1
    x = arm.pdd[k] + arm.Wdd[k] @ arm.r(k) - arm.g * arm.m(k)
    yield _first_term(arm, i), x.dot(_lever(arm, i, i))


@ABOVE.each(
    "4.31",
    "z·(R_{i+1} n_{i+1}) = tr{[Ẅ_{i+1} J + m (p̈_{i+1} − g) rᵀ](∂_iW_{i+1})ᵀ "
    "+ m (p̈_{i+1} + Ẅ_{i+1} r − g)(W_{i−1} Z R(i−1,i+1) p*_{i+1})ᵀ}",
    TWO,
    note="the print adds a vector to a matrix and is not well formed",
    by=("4.11", "4.16", "4.17", "4.21", "4.22-4.23"),
)
def moment_above(arm: MovingArm, i: int) -> Pairs:
    k = i + 1
    turned = inner(
        arm.Wdd[k] @ arm.J(k) + Mat3.outer(arm.pdd[k] - arm.g, arm.r(k)) * arm.m(k), arm.dW(i, k)
    )
    yield _second_term(arm, i), turned + _moved(arm, k).dot(_lever(arm, i, k)) * arm.m(k)


@ABOVE.each(
    "4.32",
    "W_{i−1} Z R_i p*_i + W_{i−1} Z R(i−1,i+1) p*_{i+1} = ∂_ip_{i+1}",
    TWO,
    note="rotations missing in both printed terms",
    by=("1.18", "1.9"),
)
def levers_add_up(arm: MovingArm, i: int) -> Pairs:
    yield _lever(arm, i, i) + _lever(arm, i, i + 1), arm.dp(i, i + 1)


@levers_add_up.printed("W_{i−1} Z p*_i + W_{i−1} Z R(i,i+1) p*_{i+1}")
def _(arm: MovingArm, i: int) -> Pairs:
    yield arm.W[i - 1] @ (Z @ (arm.ps(i) + arm.R(i, i + 1) @ arm.ps(i + 1))), arm.dp(i, i + 1)


@ABOVE.each(
    "4.33",
    "4.30 + 4.31 = tr{[Ẅ_{i+1} J + m p̈_{i+1} rᵀ](∂_iW_{i+1})ᵀ + m [p̈_{i+1} + Ẅ_{i+1} r](∂_ip_{i+1})ᵀ} "
    "− m g·(∂_iW_{i+1} r + ∂_ip_{i+1})",
    TWO,
    note="the print lacks r̄ after ∂R in the gravity term",
    by=("4.30", "4.31", "4.32"),
)
def link_above(arm: MovingArm, i: int) -> Pairs:
    k = i + 1
    r, m, dW, dp = arm.r(k), arm.m(k), arm.dW(i, k), arm.dp(i, k)
    turned = inner(arm.Wdd[k] @ arm.J(k) + Mat3.outer(arm.pdd[k], r) * m, dW)
    carried = (arm.pdd[k] + arm.Wdd[k] @ r).dot(dp) * m
    yield _first_term(arm, i) + _second_term(arm, i), turned + carried - arm.g.dot(dW @ r + dp) * m


@ABOVE.each(
    "4.34",
    "τ_i = Σ_{q=i,i+1} {Σ_k tr(U_qi Ĵ_q U_qkᵀ) qdd_k + Σ_kl tr(U_qi Ĵ_q U_qklᵀ) qd_k qd_l − m_q ĝᵀ U_qi r̂_q}",
    TWO,
    by=("4.27", "4.33"),
)
def two_links(arm: MovingArm, i: int) -> Pairs:
    own = arm.z(i, i - 1).dot(_moment(arm, i))
    yield own + _first_term(arm, i) + _second_term(arm, i), arm.traced(i, i) + arm.traced(i, i + 1)


# -- all of them, by induction ------------------------------------------------------------------------


@ABOVE.each(
    "4.35a",
    "i = q, any ζ: ζ·[N_q + (c_q − p_{q−1}) × F_q] = T(ζ, q, q), where T(ζ, q, i) = "
    "tr{(Ẅ_q J_q + m p̈_q rᵀ)([ζ ×] W_q)ᵀ} + m (p̈_q + Ẅ_q r)·(ζ × (p_q − p_{i−1})) − m g·(ζ × (c_q − p_{i−1}))",
    by=("4.11", "4.9", "4.14d", "1.11", "1.12"),
    rule="4.10 to 4.26 with any axis: the beginning",
    note="not in the source, which sums to n without 4.35 and 4.36",
)
def beginning_of_links(arm: MovingArm, q: int) -> Pairs:
    for axis in AXES:
        yield axis.dot(_wrench(arm, q, q)), _moment_in_traces(arm, axis, q, q)


@ABOVE.each(
    "4.35b",
    "from i + 1 to i, any ζ: ζ·[(p_i − p_{i−1}) × F_q] = T(ζ, q, i) − T(ζ, q, i+1)",
    by=("4.9", "1.21", "rotation"),
    rule="the step: the lever of F_q grows by p_i − p_{i−1}",
)
def step_of_links(arm: MovingArm, q: int) -> Pairs:
    for i in range(1, q):
        for axis in AXES:
            grown = axis.dot((arm.p[i] - arm.p[i - 1]).cross(arm.F(q)))
            longer, shorter = (_moment_in_traces(arm, axis, q, k) for k in (i, i + 1))
            yield grown, longer - shorter


@ABOVE.each(
    "4.35c",
    "every i ≤ q, any ζ: ζ·[N_q + (c_q − p_{i−1}) × F_q] = T(ζ, q, i)",
    by=("4.35a", "4.35b"),
    rule="by induction on i, from q down",
)
def links_about_any_axis(arm: MovingArm, q: int) -> Pairs:
    for i in arm.up_to(q):
        for axis in AXES:
            yield axis.dot(_wrench(arm, i, q)), _moment_in_traces(arm, axis, q, i)


@ABOVE.each(
    "4.35d",
    "ζ = W_{i−1} z0: [ζ ×] W_q = ∂_iW_q, ζ × (p_q − p_{i−1}) = ∂_ip_q (revolute) ; "
    "0 = ∂_iW_q, ζ = ∂_ip_q (prismatic)",
    by=("1.11", "1.18"),
)
def axis_of_the_joint(arm: MovingArm, q: int) -> Pairs:
    for i in arm.up_to(q):
        axis = arm.W[i - 1] @ Z0
        turning = arm.turns(i)
        yield Mat3.cross(axis) @ arm.W[q] if turning else Mat3.zero(), arm.dW(i, q)
        yield axis.cross(arm.p[q] - arm.p[i - 1]) if turning else axis, arm.dp(i, q)


@ABOVE.each(
    "4.35",
    "link q on joint i ≤ q: ζ·[N_q + (c_q − p_{i−1}) × F_q] (revolute) or ζ·F_q (prismatic), ζ = W_{i−1} z0, "
    "= Σ_k tr(U_qi Ĵ_q U_qkᵀ) qdd_k + Σ_kl tr(U_qi Ĵ_q U_qklᵀ) qd_k qd_l − m_q ĝᵀ U_qi r̂_q",
    by=("4.35c", "4.35d", "4.9", "1.28"),
    rule="Ẅ_q, p̈_q written out by (chain)",
)
def link_by_link(arm: MovingArm, q: int) -> Pairs:
    for i in arm.up_to(q):
        yield arm.projected(i, q), arm.traced(i, q)


@ABOVE.line(
    "4.36a",
    "i = n: W_n f_n = F_n ; W_n n_n = N_n + (c_n − p_{n−1}) × F_n",
    by=("1.3, 1.4",),
    rule="the recursion's first step inwards, turned into base axes: the beginning",
)
def beginning_of_sums(arm: MovingArm) -> Pairs:
    n = arm.n
    force, moment = arm.inward[n]
    yield arm.W[n] @ force, arm.F(n)
    yield arm.W[n] @ moment, _wrench(arm, n, n)


@ABOVE.line(
    "4.36b",
    "W_i f_i = F_i + W_{i+1} f_{i+1} ; W_i n_i = N_i + (c_i − p_{i−1}) × F_i + (p_i − p_{i−1}) × W_{i+1} f_{i+1} "
    "+ W_{i+1} n_{i+1}",
    by=("1.3, 1.4",),
    rule="the recursion's step, turned into base axes",
)
def step_of_recursion(arm: MovingArm) -> Pairs:
    for i in range(1, arm.n):
        force, moment = (arm.W[i] @ x for x in arm.inward[i])
        above, turned = (arm.W[i + 1] @ x for x in arm.inward[i + 1])
        yield force, arm.F(i) + above
        yield moment, _wrench(arm, i, i) + (arm.p[i] - arm.p[i - 1]).cross(above) + turned


@ABOVE.line(
    "4.36c",
    "the sums S_i = Σ_{q≥i} F_q, M_i = Σ_{q≥i} [N_q + (c_q − p_{i−1}) × F_q] take the same step: "
    "M_i = N_i + (c_i − p_{i−1}) × F_i + (p_i − p_{i−1}) × S_{i+1} + M_{i+1}",
    by=(),
    rule="c_q − p_{i−1} = (c_q − p_i) + (p_i − p_{i−1})",
)
def step_of_sums(arm: MovingArm) -> Pairs:
    for i in range(1, arm.n):
        (force, moment), (above, turned) = _sums(arm, i), _sums(arm, i + 1)
        yield force, arm.F(i) + above
        yield moment, _wrench(arm, i, i) + (arm.p[i] - arm.p[i - 1]).cross(above) + turned


@ABOVE.each(
    "4.36",
    "W_i f_i = Σ_{q≥i} F_q ; W_i n_i = Σ_{q≥i} [N_q + (c_q − p_{i−1}) × F_q]",
    by=("4.36a", "4.36b", "4.36c"),
    rule="by induction on i, from n down",
    note="not in the source",
)
def recursion_adds_them(arm: MovingArm, i: int) -> Pairs:
    force, moment = arm.inward[i]
    yield (arm.W[i] @ force, arm.W[i] @ moment), _sums(arm, i)


@ABOVE.each(
    "4.37",
    "z·n_i (revolute) or z·f_i (prismatic) = Σ_{q≥i} Σ_k tr(U_qi Ĵ_q U_qkᵀ) qdd_k + …: Newton-Euler is Lagrange",
    by=("4.35", "4.36"),
)
def the_two_are_one(arm: MovingArm, i: int) -> Pairs:
    force, moment = arm.inward[i]
    yield arm.z(i, i - 1).dot(moment if arm.turns(i) else force), _lagrange(arm, i)


@ABOVE.line(
    "modules",
    "τ_i of every formulation that ships = the two sides of 4.37",
    rule="each module run as it is",
)
def the_modules_are_one(arm: MovingArm) -> Pairs:
    lagrange = [_lagrange(arm, i) for i in arm.all_links]
    for method in FORMULATIONS.values():
        yield method.inverse_dynamics(arm.model, *arm.state), lagrange


AXES = [Vec3.unit(k) for k in range(3)]  # any ζ, both sides being linear in it


def _wrench(arm: MovingArm, i: int, q: int) -> Vec3:
    """N_q + (c_q − p_{i−1}) × F_q: the moment about O_{i−1} of what moves link q."""
    return arm.N(q) + (arm.c(q) - arm.p[i - 1]).cross(arm.F(q))


def _moment_in_traces(arm: MovingArm, axis: Vec3, q: int, i: int) -> Num:
    """T(ζ, q, i) of 4.35a."""
    r, m, moved = arm.r(q), arm.m(q), arm.pdd[q] + arm.Wdd[q] @ arm.r(q)
    turned = inner(arm.Wdd[q] @ arm.J(q) + Mat3.outer(arm.pdd[q], r) * m, Mat3.cross(axis) @ arm.W[q])
    lever = axis.cross(arm.p[q] - arm.p[i - 1])
    return turned + moved.dot(lever) * m - arm.g.dot(axis.cross(arm.c(q) - arm.p[i - 1])) * m


def _sums(arm: MovingArm, i: int) -> tuple[Vec3, Vec3]:
    """S_i and M_i of 4.36c."""
    above = range(i, arm.n + 1)
    return total(arm.F(q) for q in above), total(_wrench(arm, i, q) for q in above)


def _lagrange(arm: MovingArm, i: int) -> Num:
    return total(arm.traced(i, q) for q in range(i, arm.n + 1))


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
