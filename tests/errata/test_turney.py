"""Turney, Mudge and Lee's report as printed fails; corrected it holds. [Turney1980]"""

import math

import numpy as np

from strobe.analysis.counts import dense, general_arm
from strobe.analysis.polynomials import Polynomial
from strobe.formulations import FORMULATIONS, strobing

Z0 = np.array([0.0, 0, 1])
TIGHT = 1e-12


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def hat(w, al):
    return cross(al) + cross(w) @ cross(w)


def hat_as_printed(w, al):
    A = hat(w, al)
    A[2, 1] = w[2] * w[1] + al[2]
    return A


def moment(link, A):
    """Tr{Â K σᵀ}."""
    B = A @ link.K
    return np.array([B[2, 1] - B[1, 2], B[0, 2] - B[2, 0], B[1, 0] - B[0, 1]])


def modified(arm, *, matrix=hat, trace=moment, own_velocity=False, slides=True):
    """Modified Newton-Euler with each correction that can be left out."""
    w = al = np.zeros(3)
    a, F, N, links = -arm.g, [], [], arm.links
    for link, v, acc in zip(links, arm.qd, arm.qdd, strict=True):
        into, slide = link.R.T, np.zeros(3)
        if link.revolute:
            w, before = into @ (w + Z0 * v), w
            al = into @ (al + np.cross(w if own_velocity else before, Z0) * v + Z0 * acc)
        else:
            w, al = into @ w, into @ al
            slide = 2 * v * np.cross(w, link.z) + acc * link.z
        u = into @ a + (slide if slides else 0.0)
        A = matrix(w, al)
        a = u + A @ link.p
        F.append(link.m * (u + A @ link.s))
        N.append(trace(link, A))
    f = n = np.zeros(3)
    R, tau = np.eye(3), []
    for link, F_i, N_i in zip(links[::-1], F[::-1], N[::-1], strict=True):
        n = N_i + np.cross(link.s, F_i) + np.cross(link.p, R @ f) + R @ n
        f = F_i + R @ f
        tau.append(link.z @ (n if link.revolute or not slides else f))
        R = link.R
    return np.array(tau[::-1])


def errors(arms, relative, **left):
    for arm in arms:
        assert relative(modified(arm), arm.torques()) < TIGHT
    return [relative(modified(arm, **left), arm.torques()) for arm in arms]


def test_the_angular_acceleration_takes_the_velocity_of_the_link_before(arms, relative, spread, figure):
    assert spread(errors(arms, relative, own_velocity=True)) == figure("T1")


def test_entry_three_two_of_the_hat_matrix_has_the_x_acceleration(arms, relative, spread, figure):
    w, al = np.array([0.3, -0.5, 0.7]), np.array([1.1, 0.2, -0.4])
    assert hat(w, al)[2, 1] == w[2] * w[1] + al[0]
    assert spread(errors(arms, relative, matrix=hat_as_printed)) == figure("T2")


def test_the_trace_gives_the_moment_and_the_prose_its_negative(arms, relative, spread, figure):
    assert spread(errors(arms, relative, trace=lambda link, A: -moment(link, A))) == figure("T3")


def test_second_moments_are_about_the_centre_of_mass(arms, relative, spread, figure):
    def about_the_near_origin(link, A):
        B = A @ (link.K + link.m * np.outer(link.s, link.s))
        return np.array([B[2, 1] - B[1, 2], B[0, 2] - B[2, 0], B[1, 0] - B[0, 1]])

    assert spread(errors(arms, relative, trace=about_the_near_origin)) == figure("T4")


def test_products_of_inertia_count_where_axes_are_not_principal(arms, relative, spread, figure):
    def diagonal(link, A):
        B = A @ np.diag(np.diag(link.K))
        return np.array([B[2, 1] - B[1, 2], B[0, 2] - B[2, 0], B[1, 0] - B[0, 1]])

    assert spread(errors(arms, relative, trace=diagonal)) == figure("T5")


def test_the_trace_is_added_on_the_diagonal_only(arms):
    for link in arms[0].links:
        J = link.J - link.m * np.outer(link.r, link.r)
        assert np.allclose(np.trace(J) * np.eye(3) - J, link.I, atol=1e-14)
        assert not np.allclose(np.trace(J) - J, link.I, atol=1e-3)


def test_the_potential_energy_rises_with_height(arms, relative):
    """U = +m g z·c; the printed minus turns every gravity torque round."""
    arm, h = arms[0], 1e-6

    def energy(q, sign):
        T, total = np.eye(4), 0.0
        for link in arm.links_at(q):
            T = T @ link.T
            total += sign * link.m * 9.81 * (T @ [*link.r, 1.0])[2]
        return total

    def gradient(sign):
        steps = h * np.eye(arm.n)
        return np.array([(energy(arm.q + e, sign) - energy(arm.q - e, sign)) / (2 * h) for e in steps])

    still = np.zeros(arm.n)
    truth = arm.torques(still, still)
    assert relative(gradient(+1), truth) < 1e-8
    assert relative(gradient(-1), truth) > 1.9


def test_two_unit_rates_show_three_coefficients_at_once(arms, relative, spread, figure):
    found = []
    for arm in arms:
        ID = FORMULATIONS["spatial-newton-euler"].inverse_dynamics
        C = np.array(strobing.christoffel(ID, arm.model, list(arm.q)), float)
        both, still = np.eye(6)[0] + np.eye(6)[1], np.zeros(6)
        shown = arm.torques(both, still, gravity=False)
        assert np.allclose(shown, C[0, 0] + C[1, 1] + 2 * C[0, 1], atol=1e-12)
        polarised = (shown - arm.torques(both * [1, -1, 1, 1, 1, 1], still, gravity=False)) / 4
        assert np.allclose(polarised, C[0, 1], atol=1e-12)
        found.append(relative(shown, C[0, 1]))
    assert spread(found) == figure("T8")


def test_the_appendix_sums_are_not_those_of_the_tables():
    n, q = Polynomial(0, 1), Polynomial(0, 1)
    pairs = (q * (q + 1)).summed()
    assert pairs == n * (n + 1) * (n + 2) / 3
    assert pairs != n * (n * n - 1) / 3
    products = n * (n * n - 1) / 6  # second derivatives of which neither index is the first
    assert products * 48 == 8 * n * (n * n - 1)  # 48 additions in a product of 4×4 matrices; 16 is printed


def test_newton_euler_through_the_hat_matrix_costs_four_multiplications_more_per_link():
    printed = Polynomial.parse("108n−12"), Polynomial.parse("100n−9")
    for n in (2, 4, 6):
        found = dense(FORMULATIONS["newton-euler-hat"], general_arm(n))
        counted = (found.multiplications, found.additions)
        assert counted == (112 * n - 24, 98 * n - 24)
        assert counted != tuple(p(n) for p in printed)


def simulated(steps, stages):
    """ÿ = −sin y + sin 3t by RK4 over one second; the torque seen at stage times, or held through a step."""
    y, h = np.array([0.4, 0.0]), 1.0 / steps

    def rate(t, y):
        return np.array([y[1], -math.sin(y[0]) + math.sin(3 * t)])

    for k in range(steps):
        t = k * h
        at = [t, t + h / 2, t + h / 2, t + h] if stages else [t] * 4
        k1 = h * rate(at[0], y)
        k2 = h * rate(at[1], y + k1 / 2)
        k3 = h * rate(at[2], y + k2 / 2)
        k4 = h * rate(at[3], y + k3)
        y = y + (k1 + 2 * k2 + 2 * k3 + k4) / 6
    return y[0]


def test_simulation_is_of_order_four_only_with_torques_at_stage_times():
    truth = simulated(4096, True)
    for stages, order in ((True, 4), (False, 1)):
        coarse, fine = (abs(simulated(steps, stages) - truth) for steps in (32, 64))
        assert abs(math.log2(coarse / fine) - order) < 0.2


def test_sliding_joints_need_their_own_terms(mixed_arms, relative, spread, figure):
    assert spread(errors(mixed_arms, relative, slides=False)) == figure("T13")
