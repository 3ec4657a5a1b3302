"""The proof's tools: rotations, exact derivatives of frames, traces and inertias. [Turney1980, section 1]"""

from __future__ import annotations

from collections.abc import Iterator

from strobe.algebra import Mat3, Mat4, Vec3
from strobe.formulations import uicker_kahn
from strobe.formulations.links import Z0, Arm
from strobe.papers.proof_arm import E, MovingArm, Z, gyration, total
from strobe.papers.proof_lines import JOINT, OWN, SLIDING, Pairs, Section
from strobe.scalars import Num

TOOLS = Section("Tools: rotations, derivatives of frames, traces, inertias")


# -- rotations ----------------------------------------------------------------------------------------


@TOOLS.line("1.1, 1.2", "R(j,i)ᵀ = R(i,j) = R(j,i)⁻¹ ; R(j,k) R(k,i) = R(j,i)", by=("rotation",))
def rotations_compose(arm: MovingArm) -> Pairs:
    for j, i in arm.frame_pairs:
        yield arm.R(j, i).T, arm.R(i, j)
        yield arm.R(j, i) @ arm.R(i, j), E
        for k in arm.all_links:
            yield arm.R(j, k) @ arm.R(k, i), arm.R(j, i)


@TOOLS.line("1.3, 1.4", "R (b × c) = R b × R c ; R(k,i) (z0 × c) = z(k,i) × R(k,i) c", by=("rotation",))
def rotations_keep_products(arm: MovingArm) -> Pairs:
    b, c = _two(arm)
    for k, i in arm.frame_pairs:
        R = arm.R(k, i)
        yield R @ b.cross(c), (R @ b).cross(R @ c)
        yield R @ Z0.cross(c), arm.z(k, i).cross(R @ c)


@TOOLS.line(
    "1.6-1.8",
    "Z b = z0 × b ; a × b = (a_x σ_x + a_y σ_y + a_z σ_z) b ; Q(k,j) b = z(k,j) × b",
    by=(),
    rule="written out in coordinates",
)
def cross_product_matrices(arm: MovingArm) -> Pairs:
    a, b = _two(arm)
    sigma = [Mat3.cross(Vec3.unit(k)) for k in range(3)]
    yield Z @ b, Z0.cross(b)
    yield (sigma[0] * a.x + sigma[1] * a.y + sigma[2] * a.z) @ b, a.cross(b)
    for k, j in arm.frame_pairs:
        yield arm.Q(k, j) @ b, arm.z(k, j).cross(b)


@TOOLS.line("1.9", "R(k,i) Z = Q(k,i) R(k,i)", by=("1.3, 1.4",))
def axis_through_rotation(arm: MovingArm) -> Pairs:
    for k, i in arm.frame_pairs:
        yield arm.R(k, i) @ Z, arm.Q(k, i) @ arm.R(k, i)


# -- derivatives of frames ----------------------------------------------------------------------------


@TOOLS.each("1.10d", "∂_i R_i = Z R_i", OWN, by=("turn", "product rule", "rotation"))
def derivative_of_one_rotation(arm: MovingArm, i: int) -> Pairs:
    yield arm.W[i - 1].T @ arm.dW(i, i), Z @ arm.links[i].R


@TOOLS.line(
    "1.11",
    "∂_j W_i = W_{j−1} Z R(j−1,i) = Q(0,j−1) W_i for j ≤ i ; = 0 for j > i",
    JOINT,
    note="the print carries i where j is meant, and j ≤ k for j ≤ i",
    by=("1.10d", "1.9"),
)
def derivative_of_orientation(arm: MovingArm) -> Pairs:
    for j in arm.turning_links:
        for i in arm.all_links:
            if j > i:
                yield arm.dW(j, i), Mat3.zero()
                continue
            yield arm.dW(j, i), arm.W[j - 1] @ Z @ arm.R(j - 1, i)
            yield arm.dW(j, i), arm.Q(0, j - 1) @ arm.W[i]


@TOOLS.line(
    "1.12",
    "∂_jk W_i = W_{v−1} Z R(v−1,u−1) Z R(u−1,i) = Q(0,v−1) Q(0,u−1) W_i, v = min(j,k), u = max(j,k)",
    JOINT,
    by=("1.10d", "1.9"),
)
def second_derivative_of_orientation(arm: MovingArm) -> Pairs:
    for v, u, i in _turning_triples(arm):
        chain = arm.W[v - 1] @ Z @ arm.R(v - 1, u - 1) @ Z @ arm.R(u - 1, i)
        yield arm.ddW(v, u, i), chain
        yield arm.ddW(v, u, i), arm.Q(0, v - 1) @ arm.Q(0, u - 1) @ arm.W[i]


@second_derivative_of_orientation.variant("in the other order: Q(0,u−1) Q(0,v−1) W_i")
def _(arm: MovingArm) -> Pairs:
    for v, u, i in _turning_triples(arm):
        yield arm.ddW(v, u, i), arm.Q(0, u - 1) @ arm.Q(0, v - 1) @ arm.W[i]


@TOOLS.each(
    "1.14",
    "W_iᵀ (p_i − p_{i−1}) = p*_i ; = (a_i, d_i sin α_i, d_i cos α_i) on the general arm",
    by=("rotation",),
    rule="p_i = p_{i−1} + W_i p*_i",
)
def link_vector(arm: MovingArm, i: int) -> Pairs:
    yield arm.W[i].T @ (arm.p[i] - arm.p[i - 1]), arm.ps(i)
    if arm.table:
        row = arm.table[i]
        d = row.d if arm.turns(i) else row.d + arm.q[i]
        yield arm.ps(i), Vec3(row.a, d * row.s, d * row.c)


@TOOLS.line(
    "1.15-1.17",
    "T_0^i = [W_i p_i; 0 1] ; W_jᵀ (p_i − p_j) = Σ_{m=j+1..i} R(j,m) p*_m ; T_0^i (d,1) = (W_i d + p_i, 1)",
    by=(),
    rule="block by block",
)
def homogeneous_matrices(arm: MovingArm) -> Pairs:
    d, _ = _two(arm)
    T = Mat4.homogeneous(E, Vec3.zero())
    for i in arm.all_links:
        T = T @ arm.links[i].T
        yield T, Mat4.homogeneous(arm.W[i], arm.p[i])
        yield T.apply([*d, 1.0]), [*(arm.W[i] @ d + arm.p[i]), 1.0]
        for j in range(i):
            reach = total(arm.R(j, m) @ arm.ps(m) for m in range(j + 1, i + 1))
            yield arm.W[j].T @ (arm.p[i] - arm.p[j]), reach


@TOOLS.line(
    "1.18",
    "∂_j p_i = Σ_{m=j..i} Q(0,j−1) W_m p*_m = (W_{j−1} z0) × (p_i − p_{j−1})",
    JOINT,
    note="the print has p_0^1 for p_0^i on the left",
    by=("origins", "1.11"),
)
def derivative_of_origin(arm: MovingArm) -> Pairs:
    for j in arm.turning_links:
        for i in range(j, arm.n + 1):
            yield arm.dp(j, i), _first_sum(arm, j, i, j)
            yield arm.dp(j, i), arm.z(0, j - 1).cross(arm.p[i] - arm.p[j - 1])


@derivative_of_origin.variant("the sum starting at m = j + 1, as [Hollerbach1980] prints it")
def _(arm: MovingArm) -> Pairs:
    for j in arm.turning_links:
        for i in range(j, arm.n + 1):
            yield arm.dp(j, i), _first_sum(arm, j, i, j + 1)


@TOOLS.line(
    "1.19",
    "∂_jk p_i = Σ_{m=u..i} Q(0,v−1) Q(0,u−1) W_m p*_m",
    JOINT,
    note="the print has R_m^m for R_{k−1}^m",
    by=("origins", "1.12"),
)
def second_derivative_of_origin(arm: MovingArm) -> Pairs:
    for v, u, i in _turning_triples(arm):
        Q = arm.Q(0, v - 1) @ arm.Q(0, u - 1)
        yield arm.ddp(v, u, i), Q @ total(arm.W[m] @ arm.ps(m) for m in range(u, i + 1))


@second_derivative_of_origin.printed("Σ_m W_{v−1} Z R(v−1,u−1) Z R(m,m) p*_m")
def _(arm: MovingArm) -> Pairs:
    for v, u, i in _turning_triples(arm):
        chain = arm.W[v - 1] @ Z @ arm.R(v - 1, u - 1) @ Z
        yield arm.ddp(v, u, i), chain @ total(arm.ps(m) for m in range(u, i + 1))


@TOOLS.line(
    "P1.11-P1.19",
    "j prismatic: ∂_j W_i = 0, ∂_j p_i = W_{j−1} z0 ; j or k prismatic: ∂_jk W_i = 0, ∂_jk p_i = Q(0,v−1) W_{u−1} z0 "
    "if v is revolute, else 0",
    SLIDING,
    note="not in the source, which has revolute joints only",
    by=("turn", "product rule", "origins", "rotation"),
)
def prismatic_derivatives(arm: MovingArm) -> Pairs:
    for u in arm.all_links:
        for i in range(u, arm.n + 1):
            if not arm.turns(u):
                yield arm.dW(u, i), Mat3.zero()
                yield arm.dp(u, i), arm.z(0, u - 1)
            for v in arm.up_to(u):
                if arm.turns(u) and arm.turns(v):
                    continue
                swings = arm.turns(v) and not arm.turns(u)
                yield arm.ddW(v, u, i), Mat3.zero()
                yield arm.ddp(v, u, i), arm.Q(0, v - 1) @ arm.z(0, u - 1) if swings else Vec3.zero()


@TOOLS.line(
    "U",
    "U_ij = ∂_j T_0^i = T_0^{j−1} Q_j T_{j−1}^i ; U_ijk = T_0^{v−1} Q_v T_{v−1}^{u−1} Q_u T_{u−1}^i",
    rule="the product T_1 … T_i differentiated exactly, beside the matrices of `uicker-kahn`",
)
def derivatives_of_homogeneous_matrices(arm: MovingArm) -> Pairs:
    U, UU = uicker_kahn.derivatives(Arm(arm.model, arm.state[0]))
    for i in arm.all_links:
        for k in arm.up_to(i):
            yield U[i - 1, k - 1], arm.U(i, k)
            for j in arm.up_to(k):
                yield UU[i - 1, j - 1, k - 1], arm.UU(i, j, k)


@TOOLS.line(
    "chain",
    "d²/dt² W_i = Σ_j ∂_jW_i qdd_j + Σ_jk ∂_jkW_i qd_j qd_k =: Ẅ_i ; the same for p_i",
    rule="both sides differentiated exactly, in time and by the joints",
)
def chain_rule(arm: MovingArm) -> Pairs:
    jets, (W, p) = arm.in_time
    for i in arm.all_links:
        yield W[i].map(lambda x: jets.coefficient(x, 3)), arm.Wdd[i]
        yield p[i].map(lambda x: jets.coefficient(x, 3)), arm.pdd[i]


# -- vectors and traces -------------------------------------------------------------------------------


@TOOLS.line(
    "1.20",
    "a × (b × c) = (a·c) b − (a·b) c = (tr(c aᵀ) 1 − c aᵀ) b",
    by=(),
    rule="written out in coordinates",
)
def triple_product(arm: MovingArm) -> Pairs:
    a, b, c = _three(arm)
    yield a.cross(b.cross(c)), b * a.dot(c) - c * a.dot(b)
    yield a.cross(b.cross(c)), gyration(Mat3.outer(c, a)) @ b


@TOOLS.line(
    "1.21", "tr(a (b × c)ᵀ) = a·(b × c) = b·(c × a) = c·(a × b)", by=(), rule="written out in coordinates"
)
def scalar_product_as_trace(arm: MovingArm) -> Pairs:
    a, b, c = _three(arm)
    volume = Mat3.outer(a, b.cross(c)).trace()
    yield volume, a.dot(b.cross(c))
    yield volume, b.dot(c.cross(a))
    yield volume, c.dot(a.cross(b))


@TOOLS.line("1.22", "(a × b) × c = a × (b × c) − b × (a × c)", by=(), rule="1.20 three times")
def jacobi(arm: MovingArm) -> Pairs:
    a, b, c = _three(arm)
    yield a.cross(b).cross(c), a.cross(b.cross(c)) - b.cross(a.cross(c))


@TOOLS.line(
    "1.23",
    "tr(ABC) = tr(CᵀBᵀAᵀ) = tr(BCA)",
    note="the cyclic part is used in 4.16 without a number",
    by=(),
    rule="written out in coordinates",
)
def traces_turn_round(arm: MovingArm) -> Pairs:
    A, B, C = _matrices(arm)
    yield (A @ B @ C).trace(), (C.T @ B.T @ A.T).trace()
    yield (A @ B @ C).trace(), (B @ C @ A).trace()


@traces_turn_round.variant("out of the cycle: tr(BAC)")
def _(arm: MovingArm) -> Pairs:
    A, B, C = _matrices(arm)
    yield (A @ B @ C).trace(), (B @ A @ C).trace()


# -- inertias -----------------------------------------------------------------------------------------


@TOOLS.each(
    "1.26",
    "J_i = ½ tr(I_i) 1 − I_i + m_i r_i r_iᵀ",
    note="printed for principal axes along frame i only",
    by=("I_i", "J_i"),
)
def second_moments_from_inertia(arm: MovingArm, i: int) -> Pairs:
    yield arm.J(i), _second_moments(arm, i, arm.I(i))


@second_moments_from_inertia.printed("without the products of inertia")
def _(arm: MovingArm, i: int) -> Pairs:
    I = arm.I(i)
    diagonal = Mat3(Vec3(I.a.x, 0.0, 0.0), Vec3(0.0, I.b.y, 0.0), Vec3(0.0, 0.0, I.c.z))
    yield arm.J(i), _second_moments(arm, i, diagonal)


@TOOLS.each(
    "1.27",
    "I_i = tr(J'_i) 1 − J'_i, J'_i = J_i − m_i r_i r_iᵀ",
    note="the print has = for 1 −",
    by=("I_i", "J_i"),
)
def inertia_from_second_moments(arm: MovingArm, i: int) -> Pairs:
    r = arm.r(i)
    yield arm.I(i), gyration(arm.J(i) - Mat3.outer(r, r) * arm.m(i))


@TOOLS.each("1.28", "Ĵ_i = Σ w (d,1)(d,1)ᵀ = [J_i m_i r_i; m_i r_iᵀ m_i]", by=("Ĵ_i", "J_i"))
def augmented_second_moments(arm: MovingArm, i: int) -> Pairs:
    yield _augmented(arm, i), arm.links[i].J_hat


def _two(arm: MovingArm) -> tuple[Vec3, Vec3]:
    """Two vectors with nothing between them: the centre of mass of link 1, and gravity."""
    return arm.r(1), arm.g


def _three(arm: MovingArm) -> tuple[Vec3, Vec3, Vec3]:
    a, b, c, _ = (d for _, d in arm.masses[1].points)
    return a, b, c


def _matrices(arm: MovingArm) -> tuple[Mat3, Mat3, Mat3]:
    """Three matrices without symmetry, out of the points and weights of link 1."""
    a, b, c = _three(arm)
    w, g = arm.masses[1].weights, arm.g
    return Mat3(a, b, c), Mat3(b * w[0], c * w[1], g), Mat3(c * w[2], g * w[3], a)


def _turning_triples(arm: MovingArm) -> Iterator[tuple[int, int, int]]:
    """v ≤ u ≤ i with revolute v and u."""
    for i in arm.all_links:
        for u in arm.turning(i):
            for v in arm.turning(u):
                yield v, u, i


def _first_sum(arm: MovingArm, j: int, i: int, start: int) -> Vec3:
    return arm.Q(0, j - 1) @ total((arm.W[m] @ arm.ps(m) for m in range(start, i + 1)), Vec3.zero())


def _second_moments(arm: MovingArm, i: int, I: Mat3) -> Mat3:
    r = arm.r(i)
    return E * (I.trace() * 0.5) - I + Mat3.outer(r, r) * arm.m(i)


def _augmented(arm: MovingArm, i: int) -> Mat4:
    def square(d: Vec3, w: Num) -> Mat4:
        x = [*d, 1.0]
        return Mat4(tuple(tuple(u * v * w for v in x) for u in x))  # pyright: ignore[reportArgumentType]

    return total(square(d, w) for w, d in arm.masses[i].points)
