"""Torques always at their limits: against a closed form, energies, and another integrator."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import strobe
from strobe.trajectory.bang_bang import bang_bang
from strobe.trajectory.near_minimum_time import near_minimum_time
from strobe.trajectory.path_constraints import bounds_of, room_of

SLIDE = """format = 1
name = "slide"
[base]
gravity = [0.0, 0.0, 0.0]
[dh]
convention = "standard"
[[dh.link]]
joint = "prismatic"
mass = 1.5
limits = { position = [-5.0, 5.0], velocity = 100.0, effort = 6.0 }
"""


def switched(robot, q0, q1, known, **limits):
    bounds = bounds_of(robot, limits.get("effort"), limits.get("velocity", np.inf), None)
    return bang_bang(robot, np.array([q0, q1], float), bounds, room_of(robot, None, None), known)


@pytest.fixture(scope="module")
def link():
    """One joint, gravity along −y, no friction."""
    return strobe.load("planar2").lock({"joint2": 0.3})


def test_a_weightless_slide_switches_half_way(tmp_path):
    path = tmp_path / "slide.toml"
    path.write_text(SLIDE, encoding="utf-8")
    found = switched(strobe.load(path), [0.0], [2.0], 3.0)
    T = 2 * np.sqrt(1.5 * 2.0 / 6.0)  # half the way at 6 N / 1.5 kg, half at −4 m/s²
    assert found.duration == pytest.approx(T, rel=1e-9)
    assert found.switches == ((pytest.approx(T / 2, rel=1e-9),),)
    assert found.told == (
        "with every torque at a limit 1.414 s (joint1 +, switched at 0.7071 s), which satisfies Pontryagin's "
        "conditions"
    )


def test_a_pendulum_switches_where_energies_say(link):
    found = switched(link, [0.0], [1.0], 0.6)
    U = [link.energy([q], [0.0])[1] for q in (0.0, 1.0)]
    F = 30.0
    there = 0.5 + (U[1] - U[0]) / (2 * F)  # F (q_s − q0) − F (q1 − q_s) = ΔU
    m = link.mass_matrix([0.0])[0, 0]

    def slowness(q, force, start, base):
        kinetic = force * (q - start) - (link.energy([q], [0.0])[1] - base)
        return np.sqrt(m / (2 * kinetic))

    up = quad(lambda x: 2 * x * slowness(x * x, F, 0.0, U[0]), 0.0, np.sqrt(there))[0]
    down = quad(lambda x: 2 * x * slowness(1.0 - x * x, -F, 1.0, U[1]), 0.0, np.sqrt(1.0 - there))[0]
    assert found.switches == ((pytest.approx(up, rel=1e-6),),)
    assert found.duration == pytest.approx(up + down, rel=1e-6)
    assert found.signs == (1,)


def test_one_that_leaves_a_bound_on_velocity_is_none(link):
    assert switched(link, [0.0], [1.0], 0.6, velocity=1.0) is None


def test_one_that_is_slower_than_what_is_known_is_none(link):
    assert switched(link, [0.0], [1.0], 0.2) is None


@pytest.mark.slow
def test_two_joints_arrive_by_another_integrator_and_no_later_than_along_a_path():
    arm = strobe.load("planar2")
    q0, q1 = (0.0, 0.2), (-0.8, 1.0)
    found = near_minimum_time(arm, q0, q1, velocity=np.inf)
    switches = found.bang_bang
    assert switches is not None
    assert sum(map(len, switches.switches)) == 3
    assert switches.duration <= found.motion.duration

    def torques(t):
        flips = [sum(t > s for s in times) for times in switches.switches]
        return arm.limits.effort * [s * (-1) ** k for s, k in zip(switches.signs, flips, strict=True)]

    def rates(t, x):
        M, h = arm.mass_matrix(x[:2]), arm.inverse_dynamics(x[:2], x[2:], [0.0, 0.0])
        return [*x[2:], *np.linalg.solve(M, torques(t) - h)]

    cuts = sorted([0.0, switches.duration, *(t for times in switches.switches for t in times)])
    x = np.array([*q0, 0.0, 0.0])
    for a, b in pairwise(cuts):
        x = solve_ivp(rates, (a + 1e-15, b), x, method="LSODA", rtol=1e-9, atol=1e-11).y[:, -1]
    assert np.abs(x[:2] - q1).max() < 5e-3
    assert switches.missed < 3e-3
    assert "switched at" in found.told
    assert "Pontryagin" in found.told


def test_three_joints_have_none():
    arm = strobe.load("planar3")
    assert switched(arm, [0.0] * 3, [0.5] * 3, 1.0, effort=[10.0] * 3) is None
