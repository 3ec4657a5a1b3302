"""The centroidal momentum matrix, its rate and its bias obey the laws that tie them to momentum and forces."""

import numpy as np
import pytest

import strobe
from strobe.algebra import Vec3
from strobe.errors import UnsupportedModelError
from strobe.formulations import centroidal, energy_and_momentum
from strobe.models.load import load_model
from strobe.models.random_robots import random_model
from strobe.models.regroup import regrouped
from strobe.models.toml_reader import read_toml
from strobe.quantities import Request
from strobe.scalars import FieldSystem

ROBOTS = {
    "puma560": lambda: strobe.load("puma560"),
    "parallelogram": lambda: strobe.Robot(load_model("parallelogram"), compiled=False),
    "biped10 afloat": lambda: strobe.Robot(strobe.load("biped10", base="floating").model, compiled=False),
    "tree": lambda: strobe.Robot(random_model(5, 3, kinds="RPS", tree=True), compiled=False),
    "floating": lambda: strobe.Robot(random_model(4, 2, kinds="FRP", tree=True), compiled=False),
}


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    return ROBOTS[request.param]()


def along(matrix, rates):
    return np.einsum("...ij,...j->...i", matrix, rates)


def test_the_matrix_times_the_rates_is_the_momentum(robot):
    q, qd, _ = robot.random_state(1, batch=4)
    h = robot.momentum(q, qd)
    assert along(robot.centroidal_momentum_matrix(q), qd) == pytest.approx(h, abs=1e-12 * np.abs(h).max())


def test_the_rate_of_the_matrix_is_its_slope_along_the_motion(robot):
    q, qd, _ = robot.random_state(2)
    h = 1e-6
    up, down = (robot.centroidal_momentum_matrix(robot.integrate(q, qd, s * h)) for s in (1, -1))
    rate = robot.centroidal_momentum_matrix_dot(q, qd)
    assert rate == pytest.approx((up - down) / (2 * h), abs=1e-7 * np.abs(rate).max())


def test_the_bias_is_the_rate_of_the_matrix_times_the_rates(robot):
    q, qd, _ = robot.random_state(3, batch=4)
    bias = robot.centroidal_momentum_bias(q, qd)
    rate = along(robot.centroidal_momentum_matrix_dot(q, qd), qd)
    assert bias == pytest.approx(rate, abs=1e-12 * np.abs(rate).max())


def test_the_momentum_of_a_floating_robot_changes_by_its_weight_and_what_acts_on_its_base():
    robot = strobe.Robot(strobe.load("biped10", base="floating").model, compiled=False)
    q, qd, qdd = robot.random_state(4)
    changes = robot.centroidal_momentum_matrix(q) @ qdd + robot.centroidal_momentum_bias(q, qd)
    tau = robot.inverse_dynamics(q, qd, qdd)[:6]
    T = robot.forward_kinematics(q, "stance_foot")
    force, moment = T[:3, :3] @ tau[:3], T[:3, :3] @ tau[3:]
    arm = T[:3, 3] - robot.center_of_mass(q)
    weight = energy_and_momentum.mass(robot.model) * np.array([0, 0, -9.81])
    assert changes[:3] == pytest.approx(force + weight, abs=1e-10)
    assert changes[3:] == pytest.approx(moment + np.cross(arm, force), abs=1e-10)


def test_the_momentum_matrix_of_one_floating_body_is_its_inertia_in_base_axes():
    text = 'format = 1\n[base]\ntype = "floating"\nmass = 3\ncom = [0.1, -0.2, 0.4]\ninertia = [1, 2, 2.5, 0, 0, 0]\n'
    body = strobe.Robot(read_toml("body.toml", text=text + "[joints]\n"), compiled=False)
    q, qd, _ = body.random_state(5)
    R = body.forward_kinematics(q, "base")[:3, :3]
    linear, angular = qd[:3] + np.cross(qd[3:], [0.1, -0.2, 0.4]), qd[3:]
    expected = [*(3 * R @ linear), *(R @ (np.array([1, 2, 2.5]) * angular))]
    assert body.centroidal_momentum_matrix(q) @ qd == pytest.approx(expected, rel=1e-13)


def test_a_robot_far_from_the_origin_has_the_momentum_it_has_there():
    robot = strobe.Robot(strobe.load("biped10", base="floating").model, compiled=False)
    q, qd, _ = robot.random_state(6)
    far = q.copy()
    far[:3] = 1e6, -2e6, 3e6
    for ask in (robot.centroidal_momentum_matrix, lambda q: robot.centroidal_momentum_bias(q, qd)):
        assert ask(far) == pytest.approx(ask(q), abs=1e-7)


def test_about_one_point_regrouping_changes_neither_matrix_nor_rate_nor_bias():
    for seed in range(4):
        system = FieldSystem(seed)
        model = random_model(4, seed, kinds="RPSF", tree=True).lift(system)
        q, qd, _ = model.variables()
        c, c_d = (Vec3(*(system.variable(f"{name}{x}") for x in "xyz")) for name in ("c", "d"))
        results = []
        for tree in (model, regrouped(model)):
            bias = centroidal.momentum_bias(tree, q, qd, c)
            rows = centroidal.momentum_matrix(tree, q, c)
            rows += centroidal.momentum_matrix_dot(tree, q, qd, c, c_d)
            entries = (x for row in rows for x in row)
            results.append([system.lower(x) for x in (*bias.force, *bias.moment, *entries)])
        assert results[0] == results[1]


def test_the_matrix_times_the_rates_is_the_momentum_exactly():
    for seed in range(4):
        system = FieldSystem(seed)
        model = random_model(4, seed, kinds="RPSF", tree=True).lift(system)
        q, qd, _ = model.variables()
        found = Request("centroidal_momentum_matrix").evaluate(model, q=q)
        h = Request("momentum").evaluate(model, q=q, qd=qd)
        rate = Request("centroidal_momentum_matrix_dot").evaluate(model, q=q, qd=qd)
        bias = Request("centroidal_momentum_bias").evaluate(model, q=q, qd=qd)
        for matrix, expected in ((found, h), (rate, bias)):
            sums = [sum((a * v for a, v in zip(row, qd, strict=True)), 0.0) for row in matrix]
            assert [system.lower(x) for x in sums] == [system.lower(x) for x in expected]


def test_a_robot_without_mass_has_no_centroidal_momentum():
    text = 'format = 1\nname = "air"\n[dh]\nconvention = "standard"\n[[dh.link]]\njoint = "revolute"\na = 1.0\n'
    text += "motor = { inertia = 1e-5, gear = 100 }\n"  # which turns, and moves nothing
    air = strobe.Robot(read_toml("air.toml", text=text))
    calls = (
        lambda: air.centroidal_momentum_matrix([0.0]),
        lambda: air.centroidal_momentum_matrix_dot([0.0], [1.0]),
        lambda: air.centroidal_momentum_bias([0.0], [1.0]),
    )
    for call in calls:
        with pytest.raises(
            UnsupportedModelError, match="air has no mass that moves, and so no centre of mass"
        ):
            call()
