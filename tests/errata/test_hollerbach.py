"""Hollerbach's 1980 equations as printed fail; corrected they hold. [Hollerbach1980]"""

import numpy as np
import pytest

import strobe
from strobe.analysis.polynomials import Polynomial
from strobe.errors import UnsupportedModelError
from strobe.formulations import FORMULATIONS, PRINTED, hollerbach_3x3
from strobe.formulations.links import Arm

Z = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 0]])
Q = np.zeros((4, 4))
Q[:3, :3] = Z
TIGHT = 1e-12


def outward(arm, qd, qdd, sign):
    """U, Ẅ and p̈ of every link."""
    W, W_d, W_dd, p_dd = np.eye(3), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3)
    motion = []
    for link, v, a in zip(arm.links, qd, qdd, strict=True):
        R = link.R
        U = W @ Z @ R
        W_dd = W_dd @ R + 2 * v * W_d @ Z @ R + v * v * W @ Z @ Z @ R + a * U
        W_d, W = W_d @ R + v * U, W @ R
        p_dd = p_dd + sign * W_dd @ link.p
        motion.append((U, W_dd, p_dd))
    return motion


def torques(
    arm, qd, qdd, gravity, *, sign=1, own_origin=True, own_weight=True, moment=lambda link: link.mu
):
    """The 3×3 recursion with each correction that can be left out."""
    e, c, D, R, M = np.zeros(3), np.zeros(3), np.zeros((3, 3)), np.eye(3), 0.0
    tau = []
    for link, (U, W_dd, p_dd) in zip(arm.links[::-1], outward(arm, qd, qdd, sign)[::-1], strict=True):
        e = e + link.m * p_dd + W_dd @ moment(link)
        M += link.m
        D = R @ D + np.outer(moment(link), p_dd) + link.J @ W_dd.T
        c = R @ c + link.mu
        E = D + np.outer(link.p, e)
        weighed = c + M * link.p
        tau.append(np.trace(U @ (E if own_origin else D)) - gravity @ U @ (weighed if own_weight else c))
        # what the next link inward receives: beyond its own end this link's origin does move
        D, c, R = E, weighed, link.R
    return np.array(tau[::-1])


def errors(arms, relative, truth, **left):
    still = np.zeros(3)
    found = []
    for arm in arms:
        state = (np.zeros(arm.n), np.zeros(arm.n)) if truth == "static" else (arm.qd, arm.qdd)
        g = still if truth == "weightless" else arm.g
        true = arm.torques(*state, gravity=truth != "weightless")
        assert relative(torques(arm, *state, g), true) < TIGHT
        found.append(relative(torques(arm, *state, g, **left), true))
    return found


def test_origin_i_moves_with_joint_i(arms, relative, spread, figure):
    assert spread(errors(arms, relative, "weightless", own_origin=False)) == figure("E1")


def test_the_weight_acts_beyond_the_origins_too(arms, relative, spread, figure):
    assert spread(errors(arms, relative, "static", own_weight=False)) == figure("E2")


def test_the_acceleration_of_an_origin_adds_its_lever(arms, relative, spread, figure):
    assert spread(errors(arms, relative, "moving", sign=-1)) == figure("E3")


def test_the_first_moment_is_mass_times_distance(arms, relative, spread, figure):
    divided = errors(arms, relative, "moving", moment=lambda link: link.r / link.m)
    assert spread(divided) == figure("E4")


def test_the_form_as_printed_is_wrong_as_a_whole(arms, relative):
    for arm in arms:
        state = [list(x) for x in (arm.q, arm.qd, arm.qdd)]
        truth = arm.torques()
        assert relative(np.array(PRINTED.inverse_dynamics(arm.model, *state)), truth) > 1e-2
        corrected = FORMULATIONS["hollerbach-3x3"].inverse_dynamics(arm.model, *state)
        assert relative(np.array(corrected), truth) < TIGHT


def test_the_printed_trace_knows_no_sliding_joint(relative):
    """∂W_i/∂q_i vanishes for a prismatic joint, so (17) gives its force as zero."""
    model = strobe.load("stanford").model
    q, qd, qdd = (
        [0.1, -0.5, 0.6, 0.7, -0.3, 0.2],
        [0.5, -0.3, 0.2, 1.0, -0.8, 0.6],
        [1.0, 0.7, -0.5, 0.4, 0.9, -1.1],
    )
    motion = hollerbach_3x3.outward(Arm(model, q), qd, qdd, sign=1)
    assert all(x == 0 for row in motion[2].U for x in row)
    truth, corrected = (
        np.array(FORMULATIONS[name].inverse_dynamics(model, q, qd, qdd), float)
        for name in ("spatial-newton-euler", "hollerbach-3x3")
    )
    assert abs(truth[2]) > 1.0
    assert relative(corrected, truth) < TIGHT
    with pytest.raises(UnsupportedModelError, match="revolute joints only"):
        PRINTED.inverse_dynamics(model, q, qd, qdd)


def lagrangian(arm, J_hat):
    """τ_i = Σ_j tr(U_ji Ĵ_j Ẅ_jᵀ) with any pseudo-inertias, no gravity."""
    links = arm.links
    W, W_d, W_dd = np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))
    U, tau = [], np.zeros(arm.n)
    for j, (link, v, a) in enumerate(zip(links, arm.qd, arm.qdd, strict=True)):
        T = link.T
        own = W @ Q @ T
        W_dd = W_dd @ T + 2 * v * W_d @ Q @ T + v * v * W @ Q @ Q @ T + a * own
        W_d, W = W_d @ T + v * own, W @ T
        U = [u @ T for u in U] + [own]
        for i, u in enumerate(U):
            tau[i] += np.trace(u @ J_hat[j] @ W_dd.T)
    return tau


def test_second_moments_are_about_the_far_origin(arms, relative, spread, figure):
    found = []
    for arm in arms:
        truth = arm.torques(gravity=False)
        assert relative(lagrangian(arm, [link.J_hat for link in arm.links]), truth) < TIGHT
        near = []
        for link in arm.links:
            J = link.J_hat.copy()
            J[:3, :3] = link.K + link.m * np.outer(link.s, link.s)
            near.append(J)
        found.append(relative(lagrangian(arm, near), truth))
    assert spread(found) == figure("E6")


def test_a_derivative_multiplies_only_what_lies_beyond_its_joint(arms):
    arm, j, h = arms[0], 5, 1e-6

    def W(q, first=0):
        product = np.eye(4)
        for link in arm.links_at(q)[first : j + 1]:
            product = product @ link.T
        return product

    for k in range(1, j):
        step = np.eye(arm.n)[k] * h
        truth = (W(arm.q + step) - W(arm.q - step)) / (2 * h)
        before = np.eye(4)
        for link in arm.links[:k]:
            before = before @ link.T
        left = before @ Q @ arm.links[k].T
        assert np.max(np.abs(left @ W(arm.q, k + 1) - truth)) < 1e-8
        assert np.max(np.abs(left @ W(arm.q) - truth)) > 1e-2  # ᵏW_j without its superscript is W_j


def test_the_tables_do_not_follow_from_each_other():
    uicker = Polynomial.parse("32½n⁴+86 5/12n³+171¼n²+53⅓n−128")
    assert (uicker(6), uicker(6) - 66_271) == (67_143, 872)
    assert uicker(1).denominator == 2  # 215½ multiplications
    additions = Polynomial.parse("25n⁴+66⅓n³+129½n²+42⅓n−96")
    assert additions(1).denominator == 6
    printed, corrected = Polynomial.parse("106½n²+620¼n−512"), Polynomial.parse("106½n²+621½n−512")
    assert (printed(6).denominator, corrected(6)) == (2, 7_051)


def test_additions_of_uicker_and_kahn_grow_with_the_fourth_power():
    rest = Polynomial.parse("66⅓n³+129½n²+42⅓n−96")
    assert (rest + Polynomial.parse("25n³"))(6) != 51_548
    assert (rest + Polynomial.parse("25n⁴"))(6) == 51_548


def test_newton_euler_wins_from_nine_joints_on_in_multiplications_only():
    table = Polynomial.parse("2n³+n²"), Polynomial.parse("n³+n²+2n")
    newton = Polynomial.parse("150n−48"), Polynomial.parse("131n−48")

    def crossover(tables, recursion):
        return next(n for n in range(2, 50) if recursion(n) < tables(n))

    assert crossover(table[0], newton[0]) == 9
    assert crossover(table[1], newton[1]) == 11
    assert crossover(table[0] + table[1], newton[0] + newton[1]) == 10
