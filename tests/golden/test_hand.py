"""The hand of the Stanford arm: placement, Waters' angles, velocities and the velocity inverse.

The arm, its coordinates and formulas are those of R. C. Waters' report of 1979 (with its errata corrected); the
values were worked out for them once, in double precision, with other libraries beside.
"""

import numpy as np
import pytest

import strobe
from strobe.kinematics.end_effector import angular_velocity, hand_from

Q = np.array([0.3, 0.9, 0.6, -0.4, 0.7, 1.1])
QD = np.array([0.2, -0.3, 0.15, 0.5, -0.4, 0.6])
P_HAND = [0.560961702979, 0.171375055002, 0.96168801398]
R_HAND = [
    [0.385550074088, 0.702045118871, 0.598735159682],
    [-0.578495478059, 0.689448621094, -0.435894001723],
    [-0.718814386498, -0.178306617772, 0.671946893603],
]
P_WRIST = [0.403494355983, 0.286015177455, 0.784965980962]
ALPHA = [-0.253076929966, 0.727845699239, -0.982929658647]
ALPHA_RATES = [1.18934232395, 0.263140052693, 1.82433017282]
TWIST = [0.0239427707864, 0.173244082791, 0.225669644391, 0.557247544974, -0.35126159972, 1.2025698651]
D1, D2, D6 = 0.412, 0.154, 0.263


@pytest.fixture(scope="module")
def stanford():
    return strobe.load("stanford")


def test_the_hand_is_where_the_report_puts_it(stanford):
    hand = stanford.hand(Q)
    assert hand.position == pytest.approx(P_HAND, rel=1e-10)
    assert hand.orientation == pytest.approx(np.array(R_HAND), rel=1e-10)
    assert hand.position - D6 * hand.orientation[:, 2] == pytest.approx(P_WRIST, rel=1e-10)
    assert hand.angles == pytest.approx(ALPHA, rel=1e-10)


def test_the_hand_moves_as_worked_out(stanford):
    hand = stanford.hand(Q, QD)
    assert hand.twist == pytest.approx(TWIST, rel=1e-10)
    assert hand.angle_rates == pytest.approx(ALPHA_RATES, rel=1e-10)
    assert stanford.analytic_jacobian(Q, angles="waters") @ QD == pytest.approx(
        [*TWIST[:3], *ALPHA_RATES], rel=1e-10
    )


def test_the_hand_comes_back_from_waters_angles(stanford):
    hand = hand_from(P_HAND, ALPHA, "waters", TWIST[:3], ALPHA_RATES)
    assert hand.pose[:3, :3] == pytest.approx(np.array(R_HAND), rel=1e-9)
    assert hand.twist == pytest.approx(TWIST, rel=1e-9)
    assert stanford.inverse_velocity(Q, hand.twist).joints == pytest.approx(QD, rel=1e-8)


def test_the_determinant_of_the_jacobian_is_the_closed_form(stanford):
    assert np.linalg.det(stanford.jacobian(Q)) == pytest.approx(0.181667898026, rel=1e-10)
    assert stanford.manipulability(Q) == pytest.approx(0.181667898026, rel=1e-10)
    q, _, _ = stanford.random_state(seed=1, batch=2000)
    closed = q[:, 2] ** 2 * np.sin(q[:, 1]) * np.sin(q[:, 4])
    assert np.linalg.det(stanford.jacobian(q)) == pytest.approx(closed, abs=1e-14)


def test_points_of_the_hand_tell_its_angular_velocity_and_the_printed_formula_does_not(stanford):
    hand = stanford.hand(Q, QD)
    points = np.array([[0.03, 0, 0], [0, 0.05, 0.01], [0.02, -0.01, 0.1]])
    relative = points @ hand.orientation.T
    velocities = np.cross(hand.angular_velocity, relative)
    assert angular_velocity(relative, velocities) == pytest.approx(TWIST[3:], rel=1e-10)
    printed = np.cross(velocities[0] + hand.velocity, -relative[0])
    assert np.abs(printed - TWIST[3:]).max() > 0.5


def closed_form(pose):
    """All positions (..., 8, 6) of the Stanford arm for a pose, as the report solves it."""
    R, p = pose[..., :3, :3], pose[..., :3, 3]
    x, y, z = np.moveaxis(p - D6 * R[..., :, 2], -1, 0)
    rho, zeta = np.sqrt(x * x + y * y - D2 * D2), z - D1
    found = []
    for shoulder in (1, -1):
        for slide in (1, -1):
            q1 = np.arctan2(y, x) - np.arctan2(D2, shoulder * rho)
            q3 = slide * np.sqrt(rho * rho + zeta * zeta)
            q2 = np.arctan2(slide * shoulder * rho, slide * zeta)
            c1, s1, c2, s2 = np.cos(q1), np.sin(q1), np.cos(q2), np.sin(q2)
            o = np.zeros_like(c1)
            forearm = np.array([[s1, c1 * c2, c1 * s2], [-c1, s1 * c2, s1 * s2], [o, -s2, c2]])
            M = np.swapaxes(np.moveaxis(forearm, (0, 1), (-2, -1)), -1, -2) @ R
            for wrist in (1, -1):
                q5 = np.arctan2(wrist * np.hypot(M[..., 0, 2], M[..., 1, 2]), M[..., 2, 2])
                q4 = np.arctan2(wrist * M[..., 1, 2], wrist * M[..., 0, 2])
                q6 = np.arctan2(wrist * M[..., 2, 1], -wrist * M[..., 2, 0])
                found.append(np.stack([q1, q2, q3, q4, q5, q6], axis=-1))
    return np.stack(found, axis=-2)


@pytest.mark.parametrize(
    ("scheme", "dt", "error"),
    [
        ("forward", 1e-1, 2.7e-2),
        ("forward", 1e-2, 2.6e-3),
        ("forward", 1e-3, 2.6e-4),
        ("central", 1e-1, 1.4e-3),
        ("central", 1e-2, 1.4e-5),
        ("central", 1e-3, 1.4e-7),
    ],
)
def test_differences_through_the_position_inverse_err_as_worked_out(stanford, scheme, dt, error):
    found = stanford.inverse_velocity(
        Q, TWIST, method="difference", scheme=scheme, dt=dt, inverse=closed_form
    )
    assert np.abs(found.error).max() == pytest.approx(error, rel=0.05)
    assert found.joints - QD == pytest.approx(found.error, abs=1e-9)


def test_the_best_step_of_central_differences_is_near_1e_minus_5(stanford):
    errors = [
        np.abs(
            stanford.inverse_velocity(Q, TWIST, method="difference", dt=dt, inverse=closed_form).error
        ).max()
        for dt in (1e-3, 1e-5, 1e-8)
    ]
    assert errors[1] < 2e-10 < errors[0] < 2e-7
    assert errors[1] < errors[2]


def test_near_the_wrist_singularity_damping_bounds_the_rates_and_tells_what_it_costs(stanford):
    q = Q.copy()
    q[4] = 1e-3
    turning = [0, 0, 0, 0.1, 0.1, 0.1]  # 0.17 rad/s
    exact = stanford.inverse_velocity(q, turning)
    damped = stanford.inverse_velocity(q, turning, damping=0.01)
    assert np.linalg.norm(exact.joints) == pytest.approx(123, abs=0.5)
    assert np.linalg.norm(exact.residual) < 1e-12
    assert np.linalg.norm(damped.joints) == pytest.approx(0.19, abs=0.005)
    assert damped.residual == pytest.approx(turning - stanford.jacobian(q) @ damped.joints, abs=1e-15)
    assert 0.01 < np.linalg.norm(damped.residual) < 0.17
