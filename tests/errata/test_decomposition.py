"""Statements of the 2012 decomposition paper that need a condition."""

import numpy as np

import strobe
from strobe.formulations import FORMULATIONS, decomposition
from strobe.formulations.world import world


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rotational(arm, q, qd, kernel):
    """Σ J_ωᵀ I J̇_ω + J_ωᵀ X J_ω with X = kernel(ω, I), plus the translational part of the package."""
    bodies = world(arm.model, list(q))
    n = arm.n
    w = {-1: np.zeros(3)}
    parts = decomposition.link_matrices(arm.model, list(q), list(qd), "decomposition")
    C = sum(np.array(part.Cv, float) for part in parts)
    axes = [np.array(list(map(float, b.a))) for b in bodies]
    for b in bodies:
        w[b.index] = w[b.parent] + axes[b.index] * qd[b.index]
    for b in bodies:
        I = np.array([list(map(float, row)) for row in b.I])
        J, J_d = np.zeros((3, n)), np.zeros((3, n))
        for j in b.supports:
            J[:, j], J_d[:, j] = axes[j], np.cross(w[bodies[j].parent], axes[j])
        C = C + J.T @ (I @ J_d + kernel(w[b.index], I) @ J)
    return C


def test_not_every_c_makes_the_difference_skew(arms, figure):
    kernels = {
        "S(ω) I": lambda w, I: cross(w) @ I,
        "−S(I ω)": lambda w, I: -cross(I @ w),
        "Christoffel": lambda w, I: cross(w) @ (I - np.trace(I) / 2 * np.eye(3)),
    }
    worst = dict.fromkeys(kernels, 0.0)
    for arm in arms[:5]:
        still, h = np.zeros(arm.n), 1e-6
        velocity = arm.torques(arm.qd, still, gravity=False)
        before, after = (
            np.array(decomposition.mass_matrix(arm.model, list(arm.q + s * h * arm.qd)), float)
            for s in (-1, 1)
        )
        D_d = (after - before) / (2 * h)
        for name, kernel in kernels.items():
            C = rotational(arm, arm.q, arm.qd, kernel)
            N = D_d - 2 * C
            assert np.allclose(C @ arm.qd, velocity, rtol=1e-9, atol=1e-9)  # the torques are the same
            assert abs(arm.qd @ N @ arm.qd) < 1e-6  # and so is the power, which is none
            worst[name] = max(worst[name], np.max(np.abs(N + N.T)))
    assert worst["S(ω) I"] < 1e-6
    assert worst["Christoffel"] < 1e-6
    assert f"skew residual up to {worst['−S(I ω)']:.2g}" == figure("S2")


def test_ten_degrees_of_freedom_are_five_per_leg():
    robot = strobe.load("biped10")
    per_leg = {"hip": 2, "knee": 1, "ankle": 2}
    assert sum(per_leg.values()) * 2 == robot.nv == 10
    assert FORMULATIONS["decomposition"].refusal(robot.model) is None
