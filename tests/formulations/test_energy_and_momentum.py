"""Energy and momentum obey the laws that tie them to M, g and the Jacobian of the centre of mass."""

import numpy as np
import pytest

import strobe
from strobe.errors import UnsupportedModelError
from strobe.formulations import energy_and_momentum
from strobe.models.random_robots import random_model
from strobe.models.regroup import regrouped
from strobe.scalars import FieldSystem

ROBOTS = {
    "puma560": lambda: strobe.load("puma560"),
    "parallelogram": lambda: strobe.load("parallelogram"),
    "tree": lambda: strobe.Robot(random_model(5, 3, kinds="RPS", tree=True), compiled=False),
    "floating": lambda: strobe.Robot(random_model(4, 2, kinds="FRP", tree=True), compiled=False),
}


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    return ROBOTS[request.param]()


def test_kinetic_energy_is_half_the_quadratic_form_of_the_mass_matrix(robot):
    q, qd, _ = robot.random_state(1)
    assert robot.energy(q, qd)[0] == pytest.approx(0.5 * qd @ robot.mass_matrix(q) @ qd, rel=1e-12)


def test_gravity_torques_are_the_slope_of_the_potential_energy(robot):
    q, qd, _ = robot.random_state(2)
    h = 1e-6
    up, down = (robot.energy(robot.integrate(q, qd, s * h), qd)[1] for s in (1, -1))
    assert (up - down) / (2 * h) == pytest.approx(robot.gravity(q) @ qd, rel=1e-6, abs=1e-6)


def test_linear_momentum_is_mass_times_the_velocity_of_the_centre_of_mass(robot):
    q, qd, _ = robot.random_state(3)
    h = 1e-6
    up, down = (robot.center_of_mass(robot.integrate(q, qd, s * h)) for s in (1, -1))
    mass = energy_and_momentum.mass(robot.model)
    assert robot.momentum(q, qd)[:3] == pytest.approx(mass * (up - down) / (2 * h), abs=1e-6 * mass)


def test_the_potential_energy_hangs_on_the_centre_of_mass_and_the_gravity_given(robot):
    q, qd, _ = robot.random_state(4)
    g = np.array([1.0, -2.0, 0.5])
    expected = -energy_and_momentum.mass(robot.model) * g @ robot.center_of_mass(q)
    assert robot.energy(q, qd, gravity=g)[1] == pytest.approx(expected, rel=1e-11)


def test_regrouping_changes_neither_kinetic_energy_nor_momentum():
    for seed in range(5):
        system = FieldSystem(seed)
        model = random_model(4, seed, kinds="RPSF", tree=True).lift(system)
        q, qd, _ = model.variables()
        results = []
        for tree in (model, regrouped(model)):
            h = energy_and_momentum.momentum(tree, q, qd)
            numbers = [energy_and_momentum.kinetic_energy(tree, q, qd), *h.force, *h.moment]
            results.append([system.lower(x) for x in numbers])
        assert results[0] == results[1]


def test_a_robot_without_mass_has_no_centre_of_mass():
    from strobe.models.toml_reader import read_toml

    text = 'format = 1\nname = "air"\n[dh]\nconvention = "standard"\n[[dh.link]]\njoint = "revolute"\na = 1.0\n'
    text += "motor = { inertia = 1e-5, gear = 100 }\n"  # which turns, and moves nothing
    with pytest.raises(UnsupportedModelError, match="no mass that moves"):
        strobe.Robot(read_toml("air.toml", text=text)).center_of_mass([0.0])
