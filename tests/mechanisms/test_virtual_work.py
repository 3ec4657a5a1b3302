"""Closed chains against their textbook closed forms: loops solved by trigonometry, torques by virtual work.

tau_u = Σ_links m (c̈ − g) · ∂ċ/∂u̇ + I φ̈ ∂φ̇/∂u̇            u the driven angles, rotors added
"""

import numpy as np
import pytest

import strobe

STATES = 400
GRAVITY = 9.81
WITHIN = 1e-11


def parameters(name):
    return {key: float(value) for key, value in strobe.load(name).model.parameters.items()}


def e(angle):
    """The direction at an angle from x towards z, as (x, z) in the last axis."""
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def n(angle):
    """e turned by a quarter: its rate per unit of the angle's."""
    return np.stack([-np.sin(angle), np.cos(angle)], axis=-1)


def draws(name, size, scale=1.0):
    return np.random.default_rng(len(name)).uniform(-scale, scale, (STATES, size))


class Plane:
    """Links at absolute angles φ with rates φ̇, φ̈ and T = ∂φ̇/∂u̇; torques of the inputs u by virtual work."""

    def __init__(self, phi, phi_d, phi_dd, T):
        self.phi, self.phi_d, self.phi_dd, self.T = phi, phi_d, phi_dd, T
        self.tau = np.zeros((len(phi), T.shape[-1]))

    def point(self, arms):
        """Acceleration (states, 2) of a point at Σ r e(φ_k), and how it moves with each input (states, 2, inputs)."""
        acceleration, moves = 0.0, 0.0
        for k, r in arms.items():
            phi, rate, rate_d = self.phi[:, k], self.phi_d[:, k], self.phi_dd[:, k]
            acceleration = acceleration + r * (rate_d[:, None] * n(phi) - rate[:, None] ** 2 * e(phi))
            moves = moves + r * n(phi)[:, :, None] * self.T[:, None, k]
        return acceleration, moves

    def link(self, k, m, inertia, arms):
        """Add link k with its centre of mass at Σ r e(φ)."""
        acceleration, moves = self.point(arms)
        self.tau += np.einsum("si,sij->sj", m * (acceleration + np.array([0, GRAVITY])), moves)
        self.tau += inertia * self.phi_dd[:, k, None] * self.T[:, k]


def fourbar():
    p, name = parameters("fourbar"), "fourbar"
    l0, l1, l2, l3 = (p[f"l{k}"] for k in range(4))
    theta, theta_d, theta_dd = draws(name, 3, np.pi).T
    side = np.where(np.arange(STATES) % 2, 1.0, -1.0)  # the two ways to put a four-bar together
    d = np.stack([l0 - l1 * np.cos(theta), -l1 * np.sin(theta)], axis=-1)  # pin of the crank to pivot
    s = np.hypot(*d.T)
    aim = np.arctan2(d[:, 1], d[:, 0])
    psi = aim + side * np.arccos((l2**2 + s**2 - l3**2) / (2 * l2 * s))
    pin = l2 * e(psi) - d
    phi = np.arctan2(pin[:, 1], pin[:, 0])
    # l1 e(θ) + l2 e(ψ) = l0 + l3 e(φ), differentiated and multiplied by e(φ) or e(ψ)
    ratio_psi = -l1 * np.sin(phi - theta) / (l2 * np.sin(phi - psi))
    ratio_phi = l1 * np.sin(psi - theta) / (l3 * np.sin(psi - phi))
    psi_d, phi_d = ratio_psi * theta_d, ratio_phi * theta_d
    psi_dd = (
        l1 * theta_d**2 * np.cos(phi - theta) - l1 * theta_dd * np.sin(phi - theta)
        + l2 * psi_d**2 * np.cos(phi - psi) - l3 * phi_d**2
    ) / (l2 * np.sin(phi - psi))  # fmt: skip
    phi_dd = (
        l1 * theta_dd * np.sin(psi - theta) - l1 * theta_d**2 * np.cos(psi - theta)
        - l2 * psi_d**2 + l3 * phi_d**2 * np.cos(psi - phi)
    ) / (l3 * np.sin(psi - phi))  # fmt: skip
    T = np.stack([np.ones(STATES), ratio_psi, ratio_phi], axis=-1)[..., None]
    angles, rates, accelerations = (
        np.stack(x, axis=-1)
        for x in ((theta, psi, phi), (theta_d, psi_d, phi_d), (theta_dd, psi_dd, phi_dd))
    )
    plane = Plane(angles, rates, accelerations, T)
    plane.link(0, p["m1"], p["I1"], {0: p["lc1"]})
    plane.link(1, p["m2"], p["I2"], {0: l1, 1: p["lc2"]})
    plane.link(2, p["m3"], p["I3"], {2: p["lc3"]})
    relative = np.array([[1, 0, 0], [-1, 1, 0], [0, 0, 1]])  # joints from absolute angles
    return name, *(x @ relative.T for x in (angles, rates, accelerations)), plane.tau


def slider_crank():
    p, name = parameters("slider-crank"), "slider-crank"
    l1, l2 = p["l1"], p["l2"]
    theta, theta_d, theta_dd = draws(name, 3, np.pi).T
    psi = np.arcsin((p["e"] - l1 * np.sin(theta)) / l2)  # the rod points to the piston
    ratio = -l1 * np.cos(theta) / (l2 * np.cos(psi))
    psi_d = ratio * theta_d
    psi_dd = (
        l1 * np.sin(theta) * theta_d**2 - l1 * np.cos(theta) * theta_dd + l2 * np.sin(psi) * psi_d**2
    ) / (l2 * np.cos(psi))
    angles, rates, accelerations = (
        np.stack(x, axis=-1) for x in ((theta, psi), (theta_d, psi_d), (theta_dd, psi_dd))
    )
    plane = Plane(angles, rates, accelerations, np.stack([np.ones(STATES), ratio], axis=-1)[..., None])
    plane.link(0, p["m1"], p["I1"], {0: p["lc1"]})
    plane.link(1, p["m2"], p["I2"], {0: l1, 1: p["lc2"]})
    pin_dd, moves = plane.point({0: l1, 1: l2})
    plane.tau += p["m3"] * pin_dd[:, :1] * moves[:, 0]
    x = l1 * np.cos(theta) + l2 * np.cos(psi)
    x_d = moves[:, 0, 0] * theta_d
    q, qd, qdd = (
        np.stack([a, b - a, c], axis=-1)
        for a, b, c in ((theta, psi, x), (theta_d, psi_d, x_d), (theta_dd, psi_dd, pin_dd[:, 0]))
    )
    return name, q, qd, qdd, plane.tau


def fivebar():
    p, name = parameters("fivebar"), "fivebar"
    l0, l1, l2 = (p[f"l{k}"] for k in range(3))
    hand = np.array([0.0, 0.32]) + draws(name, 2, 0.1)
    inputs_d, inputs_dd = draws(name + "rates", 4, 3.0).reshape(STATES, 2, 2).swapaxes(0, 1)
    upper, lower = [], []
    for pivot, side in ((-l0 / 2, 1.0), (l0 / 2, -1.0)):  # elbows outside
        d = hand - [pivot, 0.0]
        s = np.hypot(*d.T)
        upper.append(np.arctan2(d[:, 1], d[:, 0]) + side * np.arccos((l1**2 + s**2 - l2**2) / (2 * l1 * s)))
        rest = d - l1 * e(upper[-1])
        lower.append(np.arctan2(rest[:, 1], rest[:, 0]))
    (a, b), (psi, phi) = upper, lower
    sine = l2 * np.sin(phi - psi)
    # l1 e(a) + l2 e(ψ) = l0 + l1 e(b) + l2 e(φ), differentiated and multiplied by e(φ) or e(ψ)
    T = np.zeros((STATES, 4, 2))
    T[:, 0, 0] = T[:, 2, 1] = 1.0
    T[:, 1, 0], T[:, 1, 1] = -l1 * np.sin(phi - a) / sine, l1 * np.sin(phi - b) / sine
    T[:, 3, 0], T[:, 3, 1] = -l1 * np.sin(psi - a) / sine, l1 * np.sin(psi - b) / sine
    rates = np.einsum("sij,sj->si", T, inputs_d)
    squares = (
        -l1 * rates[:, 0, None] ** 2 * e(a) - l2 * rates[:, 1, None] ** 2 * e(psi)
        + l1 * rates[:, 2, None] ** 2 * e(b) + l2 * rates[:, 3, None] ** 2 * e(phi)
    )  # fmt: skip
    accelerations = np.einsum("sij,sj->si", T, inputs_dd)
    accelerations[:, 1] -= np.einsum("si,si->s", squares, e(phi)) / sine
    accelerations[:, 3] -= np.einsum("si,si->s", squares, e(psi)) / sine
    angles = np.stack([a, psi, b, phi], axis=-1)
    plane = Plane(angles, rates, accelerations, T)
    for first in (0, 2):
        plane.link(first, p["m1"], p["I1"], {first: p["lc1"]})
        plane.link(first + 1, p["m2"], p["I2"], {first: l1, first + 1: p["lc2"]})
    tau = plane.tau + p["rotor"] * p["gear"] ** 2 * inputs_dd
    relative = np.array([[1, 0, 0, 0], [-1, 1, 0, 0], [0, 0, 1, 0], [0, 0, -1, 1]])
    return name, *(x @ relative.T for x in (angles, rates, accelerations)), tau


def delta():
    """Three equations w · w = rod², w from elbow to wrist: w · ẋ = w · b θ̇, and τ = I θ̈ + τ_g + Jᵀ m (ẍ − g)."""
    p, name = parameters("delta"), "delta"
    x = [0.0, 0.0, -0.65] + draws(name, 3) * [0.25, 0.25, 0.12]
    theta_d, theta_dd = draws(name + "rates", 6, 5.0).reshape(STATES, 2, 3).swapaxes(0, 1)
    azimuth = np.array([0.0, 2.0, -2.0]) * np.pi / 3
    out = np.stack([np.cos(azimuth), np.sin(azimuth), np.zeros(3)], axis=-1)
    down = np.array([0.0, 0.0, -1.0])
    # arm · (out cos θ + down sin θ) + base is the elbow: |wrist − elbow| = rod is c cos θ + s sin θ = k
    rest = x[:, None] + (p["platform_radius"] - p["base_radius"]) * out
    c, s = np.einsum("sij,ij->si", rest, out), rest @ down
    k = ((rest**2).sum(-1) + p["arm"] ** 2 - p["rod"] ** 2) / (2 * p["arm"])
    theta = np.arctan2(s, c) - np.arccos(k / np.hypot(c, s))  # the elbow outside
    radial = np.cos(theta)[..., None] * out + np.sin(theta)[..., None] * down
    along = np.cos(theta)[..., None] * down - np.sin(theta)[..., None] * out
    w = rest - p["arm"] * radial
    b = p["arm"] * np.einsum("sij,sij->si", w, along)
    J = np.linalg.solve(w, b[..., None] * np.eye(3))
    x_d = np.einsum("sij,sj->si", J, theta_d)
    w_d = x_d[:, None] - p["arm"] * along * theta_d[..., None]
    elbow_dd = p["arm"] * (along * theta_dd[..., None] - radial * theta_d[..., None] ** 2)
    x_dd = np.linalg.solve(w, (np.einsum("sij,sij->si", w, elbow_dd) - (w_d**2).sum(-1))[..., None])[..., 0]
    inertia = (
        p["arm_inertia"] + p["arm_mass"] * p["arm_com"] ** 2 + p["rod_mass"] * p["arm"] ** 2
        + p["rotor"] * p["gear"] ** 2
    )  # fmt: skip
    moment = p["arm_mass"] * p["arm_com"] + p["rod_mass"] * p["arm"]
    carried = (p["platform_mass"] + 3 * p["rod_mass"]) * (x_dd - GRAVITY * down)
    tau = inertia * theta_dd - GRAVITY * moment * np.cos(theta) + np.einsum("sij,si->sj", J, carried)
    level, still = np.broadcast_to([1.0, 0, 0, 0], (STATES, 4)), np.zeros((STATES, 3))
    q, qd, qdd = (
        np.concatenate(parts, axis=1)
        for parts in ((theta, x, level), (theta_d, x_d, still), (theta_dd, x_dd, still))
    )
    return name, q, qd, qdd, tau


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [fourbar, slider_crank, fivebar, delta])
def test_torques_of_closed_chains_equal_the_virtual_work_of_their_links(mechanism):
    name, q, qd, qdd, tau = mechanism()
    robot = strobe.load(name)
    assert np.abs(robot.loop_residuals(q)).max() < 1e-14
    driven = [robot.joint_names.index(joint) for joint in robot.model.actuated]
    found = robot.inverse_dynamics(q, qd, qdd)
    assert np.abs(found[:, driven] - tau).max() < WITHIN * np.abs(tau).max()
    assert not np.delete(found, driven, axis=1).any()
    moved = robot.forward_dynamics(q, qd, found)
    assert np.abs(moved - qdd).max() < WITHIN * np.abs(qdd).max()


@pytest.mark.slow
def test_joints_of_a_four_bar_transmit_the_torque_that_drives_it_and_none_where_they_are_passive():
    robot = strobe.load("fourbar")
    _, q, qd, qdd, tau = fourbar()
    about_y = robot.joint_wrenches(q, qd, qdd)[..., 4]
    assert np.abs(about_y[:, 0] + tau[:, 0]).max() < WITHIN  # the joints turn about -y
    assert np.abs(about_y[:, 1:]).max() < WITHIN


@pytest.mark.parametrize("name", ["fourbar", "slider-crank", "fivebar", "delta"])
def test_named_poses_of_closed_chains_are_closed(name):
    robot = strobe.load(name)
    assert robot.model.poses
    for q in robot.model.poses.values():
        assert np.abs(robot.loop_residuals(q)).max() < 1e-15


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fourbar", "slider-crank", "fivebar", "delta"])
def test_random_states_of_closed_chains_are_closed_and_stay_so(name):
    robot = strobe.load(name)
    q, qd, qdd = robot.random_state(1, 200)
    K = robot.loop_jacobian(q)
    assert np.abs(robot.loop_residuals(q)).max() < 1e-11
    assert np.abs(np.einsum("sij,sj->si", K, qd)).max() < 1e-11
    assert np.abs(np.einsum("sij,sj->si", K, qdd) + robot.loop_bias(q, qd)).max() < 1e-9


def test_the_platform_of_a_delta_is_level_in_random_states_and_within_reach():
    q, qd, _ = strobe.load("delta").random_state(2, 200)
    assert np.abs(q[:, 7:]).max() < 1e-9
    assert np.abs(qd[:, 6:]).max() < 1e-9
    assert q[:, 5].max() < 0
    assert np.ptp(q[:, 3:6], axis=0).min() > 0.2
