"""Statements of Asada's chapter on dynamics that fail, and what holds, on the planar arm of its Example 7.1."""

import math

import numpy as np
import pytest

import strobe
from strobe.formulations import FORMULATIONS, kinematics

m1, m2, l1, lc1, lc2, I1, I2 = 2.0, 1.5, 0.4, 0.18, 0.15, 0.03, 0.012  # the arm planar2
Q, QD, QDD = [0.7, -1.1], [1.3, -0.6], [-0.8, 2.1]
h = m2 * l1 * lc2 * math.sin(Q[1])


def torques(q, qd, qdd, gravity=False):
    model = strobe.load("planar2").model
    model = model if gravity else model.weightless()
    return np.array(FORMULATIONS["spatial-newton-euler"].inverse_dynamics(model, q, qd, qdd), float)


def H(q):
    rest = [0.0, 0.0]
    return np.array([torques(q, rest, e) for e in ([1.0, 0.0], [0.0, 1.0])])


def dH(k, q=Q, step=1e-5):
    up, down = (list(q) for _ in range(2))
    up[k] += step
    down[k] -= step
    return (H(up) - H(down)) / (2 * step)


def coriolis(symbol):
    """C_ij = Σ_k c_ijk q̇_k, and the vector C q̇."""
    C = np.array([[sum(symbol(i, j, k) * QD[k] for k in range(2)) for j in range(2)] for i in range(2)])
    return C, C @ QD


def test_the_printed_coefficient_is_not_christoffels(figure):
    D = [dH(k) for k in range(2)]
    printed, hp = coriolis(lambda i, j, k: D[k][i, j] - D[i][j, k] / 2)
    christoffel, hc = coriolis(lambda i, j, k: (D[k][i, j] + D[j][i, k] - D[i][j, k]) / 2)
    rate = D[0] * QD[0] + D[1] * QD[1]
    skew = [np.max(np.abs(rate - 2 * C + (rate - 2 * C).T)) for C in (printed, christoffel)]
    assert f"skew residual {skew[0]:.3f}" == figure("A1")
    assert skew[1] < 1e-9
    truth = torques(Q, QD, [0.0, 0.0])
    assert np.allclose(hp, truth, atol=1e-9)
    assert np.allclose(hc, truth, atol=1e-9)


def test_the_centrifugal_moment_has_a_sine(figure):
    L = np.array([l1 * math.cos(Q[0]), l1 * math.sin(Q[0])])
    arm = lc2 * np.array([math.cos(sum(Q)), math.sin(sum(Q))])
    force = m2 * (L + arm) * QD[0] ** 2  # along the line from joint 1 to the centroid of link 2
    moment = arm[0] * force[1] - arm[1] * force[0]
    printed = -m2 * l1 * lc2 * QD[0] ** 2
    assert math.isclose(moment, -h * QD[0] ** 2)
    assert f"{printed:.4f} for {moment:+.4f} N m".replace("-", "−") == figure("A2")
    assert torques(Q, [QD[0], 0.0], [0.0, 0.0])[1] == pytest.approx(-moment)


def test_at_the_instant_of_the_text_there_is_no_centrifugal_force():
    rest = [0.0, 0.0]
    assert np.allclose(torques([0.7, 0.0], rest, rest), 0)
    assert abs(torques([0.7, 0.0], [1.3, 0.0], rest)[1]) < 1e-15  # the arm stretched out: h = 0
    assert torques(Q, [1.3, 0.0], rest)[1] == pytest.approx(h * 1.3**2)


def test_the_interaction_torque_stands_alone_only_from_rest_with_joint_one_not_accelerated():
    interaction = (I2 + m2 * (lc2**2 + l1 * lc2 * math.cos(Q[1]))) * QDD[1]
    assert torques(Q, [0.0, 0.0], [0.0, QDD[1]])[0] == pytest.approx(interaction)
    assert abs(torques(Q, [0.0, QD[1]], [0.0, QDD[1]])[0] - interaction) > 1e-2  # rates: −h θ̇2²
    assert abs(torques(Q, [0.0, 0.0], QDD)[0] - interaction) > 1e-1


def test_the_actuator_opposes_the_inertial_moments():
    coriolis_moment = 2 * m2 * l1 * lc2 * QD[0] * QD[1] * math.sin(Q[1])  # exerted by the inertial force
    rest = [0.0, 0.0]
    both, one, other = (torques(Q, qd, rest)[0] for qd in (QD, [QD[0], 0.0], [0.0, QD[1]]))
    assert both - one - other == pytest.approx(-coriolis_moment)


def test_inertia_multiplies_accelerations():
    inertial = torques(Q, [0.0, 0.0], QDD)
    assert np.allclose(H(Q) @ QDD, inertial)
    assert not np.allclose(H(Q) @ QD, inertial, rtol=0.1)


@pytest.mark.parametrize(("name", "joints"), [("planar2", 2), ("planar3", 3)])
def test_the_linear_jacobian_has_a_column_per_joint(name, joints):
    model = strobe.load(name).model
    linear = kinematics.jacobian(model, [0.3] * joints, model.frame("tool"))[:3]
    assert np.shape(linear) == (3, joints)


def test_a_point_mass_on_the_last_axis_leaves_the_inertia_singular():
    def inertia(lc, I):
        c = math.cos(Q[1])
        H12 = m2 * (lc * lc + l1 * lc * c) + I
        H11 = m1 * lc1**2 + I1 + m2 * (l1 * l1 + lc * lc + 2 * l1 * lc * c) + I
        return np.array([[H11, H12], [H12, m2 * lc * lc + I]])

    assert np.allclose(inertia(lc2, I2), H(Q))
    assert np.linalg.eigvalsh(inertia(lc2, I2))[0] > 0.02
    assert np.linalg.eigvalsh(inertia(0.0, 0.0))[0] == 0.0
