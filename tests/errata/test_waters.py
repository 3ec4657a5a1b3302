"""Waters' 1979 report as printed fails; corrected it holds. [Waters1979]"""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.algebra import Inertia, Sym3, Vec3
from strobe.analysis.polynomials import Polynomial
from strobe.formulations import FORMULATIONS
from strobe.models.inertial import Inertial

Q = np.zeros((4, 4))
Q[0, 1], Q[1, 0] = -1.0, 1.0
TIGHT = 1e-12


def product(links):
    result = np.eye(4)
    for link in links:
        result = result @ link.T
    return result


def recursion(arm, T=None, J_hat=None, cross=None):
    """U_ji (key (j, i)) and Ẅ_j by Waters' recurrences, with other matrices where some are given."""
    T = [link.T for link in arm.links] if T is None else T
    W, V, P, L = np.eye(4), np.zeros((4, 4)), np.zeros((4, 4)), np.zeros((4, 4))
    U, W_dd, V_all = {}, [], []
    for j, (A, v, a) in enumerate(zip(T, arm.qd, arm.qdd, strict=True)):
        own = W @ Q @ A
        U |= {(j, i): U[j - 1, i] @ A for i in range(j)} | {(j, j): own}
        mixed = V @ Q @ A if cross is None else cross(arm, j)
        L = L @ A + 2 * v * mixed + v * v * W @ Q @ Q @ A
        P, V, W = P @ A + a * own, V @ A + v * own, W @ A
        W_dd.append(P + L)
        V_all.append(V)
    return U, W_dd, V_all


def torques(arm, J_hat=None, **changed):
    """τ_i = Σ_{j≥i} tr(U_ji Ĵ_j Ẅ_jᵀ), without gravity."""
    J_hat = [link.J_hat for link in arm.links] if J_hat is None else J_hat
    U, W_dd, _ = recursion(arm, **changed)
    n = arm.n
    return np.array([sum(np.trace(U[j, i] @ J_hat[j] @ W_dd[j].T) for j in range(i, n)) for i in range(n)])


def errors(arms, relative, wrong):
    found = []
    for arm in arms:
        truth = arm.torques(gravity=False)
        assert relative(torques(arm), truth) < TIGHT
        found.append(relative(wrong(arm), truth))
    return found


def test_the_rotation_of_a_link_is_orthogonal_only_as_corrected(arms, relative, spread, figure):
    def printed(link):
        T = link.T.copy()
        assert math.isclose(T[1, 2], -math.cos(link.theta) * math.sin(link.alpha), abs_tol=1e-15)
        T[1, 2] = -math.sin(link.theta) * math.sin(link.alpha)
        return T

    for link in arms[0].links:
        assert np.allclose(link.R @ link.R.T, np.eye(3), atol=1e-15)
        R = printed(link)[:3, :3]
        assert np.max(np.abs(R @ R.T - np.eye(3))) > 1e-2
    wrong = errors(arms, relative, lambda arm: torques(arm, T=[printed(link) for link in arm.links]))
    assert spread(wrong) == figure("W1")


def spin(arm):
    """ω of the hand: the axes of all joints times their rates, in base axes."""
    R, w = np.eye(3), np.zeros(3)
    for link, v in zip(arm.links, arm.qd, strict=True):
        w, R = w + R[:, 2] * v, R @ link.R
    return w, R


def test_one_second_point_of_the_hand_does_not_show_its_turning(arms):
    h, other = np.array([0.0, 0, 0.1, 1]), np.array([0.05, 0.02, 0.12, 1])
    for arm in arms:
        w, R = spin(arm)
        V = recursion(arm)[2][-1]
        S = V[:3, :3] @ R.T
        assert np.allclose([S[2, 1], S[0, 2], S[1, 0]], w, atol=1e-12)
        printed = np.cross((V @ other)[:3], R @ (other - h)[:3])
        assert np.max(np.abs(printed - w)) > 0.1 * np.max(np.abs(w))
        lever = R @ (other - h)[:3]
        same = np.cross(w + 3.0 * lever, lever)  # a spin about the line of both points moves neither
        assert np.allclose(same, np.cross(w, lever), atol=1e-12)


def test_constant_acceleration_is_straight_over_the_squared_velocity():
    v = np.linspace(0.5, 2.0, 7)
    x = v * v / (2 * 0.5)  # from rest with acceleration ½
    slope = lambda y: np.diff(y) / np.diff(x)  # noqa: E731
    assert np.ptp(slope(v * np.abs(v))) < 1e-14
    assert np.ptp(slope(np.sqrt(v))) > 1e-2


def test_a_velocity_bound_adds_a_second_switch():
    A, V, distance = 0.5, 1.5, 8.0
    peak = math.sqrt(A * distance)  # one switch from rest to rest
    assert peak > V
    ramp, cruise = V / A, (distance - V * V / A) / V
    assert cruise > 0  # accelerate, cruise, brake: two switches reach the same place within the bound
    assert math.isclose(V * ramp / 2 + V * cruise + V * ramp / 2, distance)


def test_some_durations_no_pause_can_stretch_to():
    """From (1, 1) to (1.5, 1) with |a| ≤ ½: the least way in time T at these speeds is T − T²/8."""
    least = lambda T: T - 0.5 * T * T / 4  # noqa: E731
    gap = (4 - math.sqrt(12), 4 + math.sqrt(12))
    assert [round(T, 3) for T in gap] == [0.536, 7.464]
    assert all(math.isclose(least(T), 0.5) for T in gap)
    assert least(2.0) > 0.5  # another joint's 2 s cannot be met: the way becomes too long


def test_the_inertial_coefficients_do_not_depend_on_velocity(arms):
    arm = arms[0]

    def columns(qd):
        return [arm.torques(qd, e) - arm.torques(qd, 0 * e) for e in np.eye(arm.n)]

    assert np.allclose(columns(arm.qd), columns(3 * arm.qd), atol=1e-10)


def test_tables_over_positions_suffice(arms):
    arm = arms[0]
    still = np.zeros(arm.n)
    weight = arm.torques(still, still)
    velocity = arm.torques(arm.qd, still) - weight
    assert np.allclose(arm.torques(2 * arm.qd, still) - weight, 4 * velocity, rtol=1e-10)
    printed, enough = 5**12 * 42, 5**6 * (6 * 7 // 2 + 6 * 21 + 6)
    assert (printed, enough) == (10_253_906_250, 2_390_625)


def test_seven_points_do_not_give_eighteen_derivatives():
    rng = np.random.default_rng(0)

    def rank(points):
        pairs = itertools.combinations(rng.standard_normal((points, 18)), 2)
        return np.linalg.matrix_rank(np.array([b - a for a, b in pairs]))

    assert (len(list(itertools.combinations(range(7), 2))), rank(7), rank(19)) == (21, 6, 18)


def test_angles_seen_along_the_axes_do_not_change_at_the_angular_velocity(arms):
    def angles(R):
        return np.array(
            [
                math.atan2(R[2, 1], R[1, 1]),
                math.atan2(R[0, 2], R[2, 2]),
                math.atan2(R[1, 0], R[0, 0]),
            ]
        )

    def rates(R, w):
        x, y, z = w
        return np.array(
            [
                x - R[0, 1] * (y * R[1, 1] + z * R[2, 1]) / (R[1, 1] ** 2 + R[2, 1] ** 2),
                y - R[1, 2] * (z * R[2, 2] + x * R[0, 2]) / (R[2, 2] ** 2 + R[0, 2] ** 2),
                z - R[2, 0] * (x * R[0, 0] + y * R[1, 0]) / (R[0, 0] ** 2 + R[1, 0] ** 2),
            ]
        )

    for arm in arms[:5]:
        h = 1e-6
        w, R = spin(arm)
        after, before = (product(arm.links_at(arm.q + s * h * arm.qd))[:3, :3] for s in (1, -1))
        found = (angles(after) - angles(before)) / (2 * h)
        assert np.allclose(found, rates(R, w), rtol=1e-5, atol=1e-6)
        assert np.max(np.abs(found - w)) > 0.1 * np.max(np.abs(w))


def second(arm, j, k, l):
    """U_jkl, k ≤ l ≤ j."""
    links = arm.links
    left = product(links[:k]) @ Q
    if k == l:
        return left @ Q @ product(links[k : j + 1])
    return left @ product(links[k:l]) @ Q @ product(links[l : j + 1])


def test_velocity_terms_mix_two_different_joints(arms, relative, spread, figure):
    def printed(arm, j):
        return sum((second(arm, j, k, k) * arm.qd[k] for k in range(j)), np.zeros((4, 4)))

    def corrected(arm, j):
        return sum((second(arm, j, k, j) * arm.qd[k] for k in range(j)), np.zeros((4, 4)))

    for arm in arms[:3]:
        assert relative(torques(arm, cross=corrected), arm.torques(gravity=False)) < TIGHT
    assert spread(errors(arms, relative, lambda arm: torques(arm, cross=printed))) == figure("W10")


def test_a_velocity_is_a_sum_of_first_derivatives(arms):
    arm, h = arms[0], 1e-6
    truth = (product(arm.links_at(arm.q + h * arm.qd)) - product(arm.links_at(arm.q - h * arm.qd))) / (
        2 * h
    )
    U, _, V = recursion(arm)
    last = arm.n - 1
    assert np.allclose(V[-1], truth, atol=1e-7)
    assert np.allclose(sum(U[last, k] * arm.qd[k] for k in range(arm.n)), truth, atol=1e-7)
    printed = sum(second(arm, last, k, k) * arm.qd[k] for k in range(arm.n))  # U_jkk
    assert np.max(np.abs(printed - truth)) > 0.1


@pytest.mark.slow
def test_the_force_takes_the_sum_of_its_own_link_only(arms, relative, spread, figure):
    def D(arm):
        U, W_dd, _ = recursion(arm)
        sums, D = {}, np.zeros((4, 4))
        for i in reversed(range(arm.n)):
            beyond = arm.links[i + 1].T @ D if i + 1 < arm.n else D
            D = sums[i] = beyond + arm.links[i].J_hat @ W_dd[i].T
        return U, sums

    def corrected(arm):
        U, sums = D(arm)
        return [np.trace(U[i, i] @ sums[i]) for i in range(arm.n)]

    def printed(arm):  # tr(U_ij D_j), read as the sum over the links beyond
        U, sums = D(arm)
        return [sum(np.trace(U[j, i] @ sums[j]) for j in range(i, arm.n)) for i in range(arm.n)]

    assert max(errors(arms, relative, corrected)) < TIGHT
    assert spread(errors(arms, relative, printed)) == figure("W11")


def test_the_speed_up_counts_matrix_products_alone():
    naive, recursive = (2254, 973), (45, 77)
    weighted = [64 * m + 16 * a for m, a in (naive, recursive)]
    assert weighted == [159_824, 4_112]
    assert round(naive[0] / recursive[0]) == 50
    factor = weighted[0] / weighted[1]
    assert (round(factor, 1), round(8 * factor), round(8_000 / (8 * factor))) == (38.9, 311, 26)


def test_products_of_inertia_enter_with_a_plus(arms, relative, spread, figure):
    def negated(link):
        J = link.J_hat.copy()
        for i, j in ((0, 1), (0, 2), (1, 2)):
            J[i, j] = J[j, i] = -J[i, j]
        return J

    wrong = errors(arms, relative, lambda arm: torques(arm, J_hat=[negated(link) for link in arm.links]))
    assert spread(wrong) == figure("W13")


def test_wrist_torques_leave_one_payload_parameter_unknown():
    model = strobe.load("stanford").model
    ID = FORMULATIONS["spatial-newton-euler"].inverse_dynamics

    def with_payload(k):
        m, x, y, z, *I = np.eye(10)[k].tolist()
        hand = model.bodies[-1]
        loaded = hand.inertia + Inertia(m, Vec3(x, y, z), Sym3(*I))
        return replace(model, bodies=(*model.bodies[:-1], replace(hand, inertial=Inertial.of(loaded))))

    loaded = [with_payload(k) for k in range(10)]
    rng = np.random.default_rng(0)
    states = [[list(x) for x in rng.uniform(-1, 1, (3, 6))] for _ in range(12)]
    regressor = np.array(
        [np.array([ID(m, *s) for m in loaded], float) - np.array(ID(model, *s), float) for s in states]
    )  # state, parameter, joint

    def rank(joints):
        rows = np.concatenate([r[:, joints].T for r in regressor])
        return int(np.sum(np.linalg.svd(rows, compute_uv=False) > 1e-9))

    assert (rank([3, 4, 5]), rank([2, 3, 4, 5]), rank([0, 3, 4, 5])) == (9, 10, 10)


def test_balancing_a_planar_arm_removes_more_than_gravity():
    m1, m2, l1, lc1, lc2 = 2.0, 1.5, 0.4, 0.18, 0.15  # the arm planar2
    w2 = m2 * lc2 / 0.1  # counterweights 0.1 m and 0.12 m behind their joints
    w1 = (m1 * lc1 + (m2 + w2) * l1) / 0.12
    model = strobe.load("planar2").model
    ID = FORMULATIONS["spatial-newton-euler"].inverse_dynamics
    bodies = []
    for body, weight, back, end in zip(model.bodies, (w1, w2), (0.12, 0.1), (l1, 0.35), strict=True):
        c = Vec3(-end - back, 0.0, 0.0)  # from the link's own frame, at its far end
        heavy = Inertia(weight, c * weight, Sym3.steiner(c, c * weight))
        bodies.append(replace(body, inertial=Inertial.of(body.inertia + heavy)))
    balanced = replace(model, bodies=tuple(bodies))
    assert (round(w1, 10), round(w2, 10)) == (15.5, 2.25)

    def parts(arm, q):
        gravity = np.array(ID(arm, q, [0.0, 0.0], [0.0, 0.0]), float)
        velocity = np.array(ID(arm, q, [1.3, -0.6], [0.0, 0.0]), float) - gravity
        inertia = [np.array(ID(arm, q, [0.0, 0.0], e), float) - gravity for e in ([1.0, 0.0], [0.0, 1.0])]
        return gravity, velocity, np.array(inertia)

    here, there = (parts(balanced, q) for q in ([0.7, -1.1], [-0.4, 2.0]))
    assert np.allclose(here[0], 0, atol=1e-12)
    assert np.allclose(here[1], 0, atol=1e-12)
    assert np.allclose(here[2], there[2], atol=1e-12)
    assert np.allclose(here[2], [[0.98625, 0.06825], [0.06825, 0.06825]], atol=1e-12)
    assert np.max(np.abs(parts(model, [0.7, -1.1])[1])) > 0.1


def test_the_naive_scheme_computes_the_last_derivative_eight_times_and_grows_with_the_fifth_power():
    n = 6
    uses = [
        (i, j, k)
        for i in range(1, n + 1)
        for j in range(i, n + 1)
        for k in [*range(1, j + 1), "trace", "gravity"]
        if j == n and (k == n or (k in ("trace", "gravity") and i == n))
    ]
    assert len(uses) == 8
    q = Polynomial(0, 1)
    naive = (q * (q**3 - 1)).summed()
    assert (naive(6), naive.degree, naive.coefficient(5) * 5) == (2254, 5, 1)
