"""The two ends of the proof: what Lagrange and Newton-Euler each say of a moving arm. [Turney1980, sections 2, 3]"""

from __future__ import annotations

from typing import Any

from strobe.algebra import Mat3, Vec3
from strobe.formulations import newton_euler
from strobe.formulations.links import Z0
from strobe.papers.jets import Jets
from strobe.papers.proof_arm import MovingArm, inner4, total
from strobe.papers.proof_lines import Pairs, Section
from strobe.scalars import Num

ENDS = Section("The two end points: Lagrange and Newton-Euler")


@ENDS.line(
    "2.6",
    "Σ_q (m_q |v_cq|² + ω_q·I_q ω_q) = Σ_jk M_jk qd_j qd_k, M_jk = Σ_{q≥max(j,k)} tr(U_qj Ĵ_q U_qkᵀ)",
    note="the print lacks Σ_k and the rates",
    rule="the chain rule for ẋ, then 1.28; velocities differentiated exactly",
)
def kinetic_energy(arm: MovingArm) -> Pairs:
    jets, (W, p) = arm.in_time
    twice: Num = 0.0
    for q in arm.all_links:
        Wd = W[q].map(lambda x: jets.coefficient(x, 1))
        pd = p[q].map(lambda x: jets.coefficient(x, 1))
        v, w = pd + Wd @ arm.r(q), arm.w(q)
        twice = twice + v.dot(v) * arm.m(q) + w.dot(arm.links[q].I @ w)
    M = _mass_matrix(arm)
    yield twice, total(M[j, k] * arm.qd[j] * arm.qd[k] for j in arm.all_links for k in arm.all_links)


@ENDS.line(
    "2.7-2.10",
    "d/dt ∂K/∂qd_i − ∂K/∂q_i + ∂P/∂q_i = τ_i of Newton-Euler, K = ½ Σ w |ẋ|², P = −Σ w g·x over the mass points",
    note="the print has the sign of the potential energy wrong twice",
    rule="Lagrange's equations formed from the energies of the points, differentiated exactly",
)
def lagrange_from_nothing(arm: MovingArm) -> Pairs:
    tau = newton_euler.inverse_dynamics(arm.model, *arm.state)
    for i in arm.all_links:
        kinetic, potential = by_position(arm, i)
        yield momentum_rate(arm, i) - kinetic + potential, tau[i - 1]


@ENDS.line("2.11M", "M_ij = M_ji", by=("1.23",))
def mass_matrix_is_symmetric(arm: MovingArm) -> Pairs:
    M = _mass_matrix(arm)
    for i in arm.all_links:
        for j in range(1, i):
            yield M[i, j], M[j, i]


@ENDS.line(
    "3.1-3.4",
    "Ẇ_i W_iᵀ = [W_i ω_i ×] ; Ẅ_i W_iᵀ = [W_i α_i ×] + [W_i ω_i ×]², ω and α by the recursion",
    rule="W_i differentiated exactly in time, beside the recursion",
)
def rates_of_orientation(arm: MovingArm) -> Pairs:
    jets, (W, _) = arm.in_time
    for i in arm.all_links:
        Wd, Wdd = (W[i].map(lambda x, mask=mask: jets.coefficient(x, mask)) for mask in (1, 3))
        spin, turn = Mat3.cross(arm.W[i] @ arm.w(i)), Mat3.cross(arm.W[i] @ arm.al(i))
        yield Wd @ arm.W[i].T, spin
        yield Wdd @ arm.W[i].T, turn + spin @ spin


@rates_of_orientation.printed("3.16 with ω_i for ω_{i−1} in the bracket of α_i")
def _(arm: MovingArm) -> Pairs:
    al = Vec3.zero()
    for i in arm.all_links:
        into = arm.links[i].R.T
        rate = Z0 * arm.qd[i]
        al = into @ (al + arm.w(i).cross(rate) + Z0 * arm.qdd[i]) if arm.turns(i) else into @ al
        spin = Mat3.cross(arm.W[i] @ arm.w(i))
        yield arm.Wdd[i] @ arm.W[i].T, Mat3.cross(arm.W[i] @ al) + spin @ spin


@ENDS.each(
    "3.7, 3.8",
    "W_i a_i = p̈_i − g ; W_i ā_i = p̈_i + Ẅ_i r_i − g",
    by=("4.7", "4.9", "rotation"),
    rule="walked through below",
)
def accelerations(arm: MovingArm, i: int) -> Pairs:
    yield arm.W[i] @ arm.a(i), arm.pdd[i] - arm.g
    yield arm.W[i] @ arm.abar(i), arm.pdd[i] + arm.Wdd[i] @ arm.r(i) - arm.g


@ENDS.line(
    "3.10",
    "W_i (I_i α_i + ω_i × I_i ω_i) = d/dt (W_i I_i W_iᵀ · W_i ω_i)",
    rule="the angular momentum differentiated exactly in time",
)
def euler(arm: MovingArm) -> Pairs:
    jets, (W, _) = arm.in_time
    once = jets.lower()
    for i in arm.all_links:
        now, rate = (W[i].map(lambda x, k=k: jets.split(x)[k]) for k in (0, 1))
        skew = rate @ now.T
        w = Vec3(skew.c.y, skew.a.z, skew.b.x)
        momentum = now @ (arm.I(i).map(once.constant) @ (now.T @ w))
        yield arm.N(i), momentum.map(lambda x: once.coefficient(x, 1))


def _mass_matrix(arm: MovingArm) -> dict[tuple[int, int], Num]:
    M: dict[tuple[int, int], Num] = {}
    for j in arm.all_links:
        for k in arm.all_links:
            reach = range(max(j, k), arm.n + 1)
            M[j, k] = total(inner4(arm.U(q, j) @ arm.links[q].J_hat, arm.U(q, k)) for q in reach)
    return M


def momentum_rate(arm: MovingArm, i: int) -> Num:
    """d/dt ∂K/∂qd_i: time moves with ε1, qd_i with ε2, and ε3 reads the velocity off the position."""
    jets = Jets(arm.model.system, 3)
    q = [jets.make([arm.q[m], arm.qd[m], 0.0, 0.0, arm.qd[m], arm.qdd[m], float(m == i), 0.0])
         for m in arm.all_links]  # fmt: skip
    return jets.lower().coefficient(_energies(arm, jets, q)[0], 3)


def by_position(arm: MovingArm, i: int) -> tuple[Num, Num]:
    """∂K/∂q_i and ∂P/∂q_i: q_i moves with ε1, and ε2 reads the velocity off the position."""
    jets = Jets(arm.model.system, 2)
    q = [jets.make([arm.q[m], float(m == i), arm.qd[m], 0.0]) for m in arm.all_links]
    once = jets.lower()
    kinetic, potential = (once.coefficient(x, 1) for x in _energies(arm, jets, q))
    return kinetic, potential


def _energies(arm: MovingArm, jets: Jets, q: list[Num]) -> tuple[Num, Num]:
    """K and P of the mass points, jets with the last symbol spent on the velocity."""
    W, p = arm.frames(jets, q)
    fewer = jets.lower()
    g = arm.g.map(fewer.constant)
    kinetic, potential = [], []
    for i in arm.all_links:
        (W_i, Wd_i), (p_i, pd_i) = _split(jets, W[i]), _split(jets, p[i])
        for w, d in arm.masses[i].points:
            w, d = fewer.constant(w), d.map(fewer.constant)
            v = pd_i + Wd_i @ d
            kinetic.append(v.dot(v) * w)
            potential.append(g.dot(p_i + W_i @ d) * w)
    return total(kinetic) * 0.5, -total(potential)


def _split(jets: Jets, x: Any) -> tuple[Any, Any]:
    return x.map(lambda entry: jets.split(entry)[0]), x.map(lambda entry: jets.split(entry)[1])
