"""Constants given at run time: the same results as of a robot that has them, however they are laid out."""

import pickle

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime import gufunc
from strobe.compiler.runtime.kernels import Kernel
from strobe.errors import ArgumentError, ShapeError
from strobe.models.random_robots import random_model
from strobe.quantities import Request
from strobe.robot import Robot

ARM = random_model(3, 4, kinds="RPR")  # oblique angles and lengths everywhere
F = [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]
CALLS = {
    "inverse_dynamics": lambda r, q, v, x, **k: r.inverse_dynamics(q, v, x, wrench=F, **k),
    "forward_dynamics": lambda r, q, v, x, **k: r.forward_dynamics(q, v, x, gravity=[1.0, 2.0, 3.0], **k),
    "hybrid_dynamics": lambda r, q, v, x, **k: r.hybrid_dynamics(q, v, x, [r.joint_names[0]], **k)[1],
    "inverse_dynamics_derivatives": lambda r, q, v, x, **k: r.inverse_dynamics_derivatives(q, v, x, **k)[0],
    "forward_dynamics_derivatives": lambda r, q, v, x, **k: r.forward_dynamics_derivatives(q, v, x, **k)[1],
    "joint_wrenches": lambda r, q, v, x, **k: r.joint_wrenches(q, v, x, **k),
    "mass_matrix": lambda r, q, v, x, **k: r.mass_matrix(q, **k),
    "coriolis_matrix": lambda r, q, v, x, **k: r.coriolis_matrix(q, v, **k),
    "gravity": lambda r, q, v, x, **k: r.gravity(q, **k),
    "bias": lambda r, q, v, x, **k: r.bias(q, v, **k),
    "energy": lambda r, q, v, x, **k: r.energy(q, v, **k),
    "momentum": lambda r, q, v, x, **k: r.momentum(q, v, **k),
    "center_of_mass": lambda r, q, v, x, **k: r.center_of_mass(q, **k),
    "centroidal_momentum_matrix": lambda r, q, v, x, **k: r.centroidal_momentum_matrix(q, **k),
    "centroidal_momentum_matrix_dot": lambda r, q, v, x, **k: r.centroidal_momentum_matrix_dot(q, v, **k),
    "centroidal_momentum_bias": lambda r, q, v, x, **k: r.centroidal_momentum_bias(q, v, **k),
}
PLACES = {
    "forward_kinematics": lambda r, q, v, x, **k: r.forward_kinematics(q, **k),
    "frame_placements": lambda r, q, v, x, **k: r.frame_placements(q, **k),
    "jacobian": lambda r, q, v, x, **k: r.jacobian(q, **k),
    "point_jacobian": lambda r, q, v, x, **k: r.point_jacobian(q, None, [0.1, 0.2, 0.3], **k),
    "jacobian_dot": lambda r, q, v, x, **k: r.jacobian_dot(q, v, **k),
    "jacobian_derivative": lambda r, q, v, x, **k: r.jacobian_derivative(q, **k),
    "regressor": lambda r, q, v, x, **k: r.regressor(q, v, x, **k),
    "momentum_regressor": lambda r, q, v, x, **k: r.momentum_regressor(q, v, **k),
    "energy_regressor": lambda r, q, v, x, **k: r.energy_regressor(q, v, **k),
}


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


def varied(numbers, *shape, seed=1):
    return numbers * np.random.default_rng(seed).uniform(0.8, 1.2, (*shape, len(numbers)))


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_given_constants_are_those_of_a_robot_that_has_them(call):
    arm = Robot(ARM)
    states = arm.random_state(seed=1, batch=11)
    given = {"parameters": varied(arm.parameters), "geometry": varied(arm.geometry)}
    expected = CALLS[call](Robot(arm.with_parameters(**given).model, compiled=False), *states)
    assert relative(CALLS[call](arm, *states, **given), expected) < 1e-11
    assert relative(CALLS[call](Robot(ARM, compiled=False), *states, **given), expected) < 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("call", PLACES)
@pytest.mark.parametrize("full", [False, True])
def test_a_given_geometry_is_that_of_a_robot_that_has_it(call, full):
    arm = Robot(ARM, compiled=not full)
    states = arm.random_state(seed=1, batch=5)
    geometry = varied(arm.full_geometry) + 0.1 if full else varied(arm.geometry)
    expected = PLACES[call](Robot(arm.with_parameters(geometry=geometry).model, compiled=False), *states)
    assert relative(PLACES[call](arm, *states, geometry=geometry), expected) < 1e-11


@pytest.fixture(scope="module")
def arm():
    return Robot(ARM)


@pytest.fixture(scope="module")
def states(arm):
    return arm.random_state(seed=2, batch=(3, 21))


def torques(arm, states, parameters, **keywords):
    return arm.inverse_dynamics(*states, parameters=parameters, **keywords)


LAYOUTS = {
    "one row for all": (),
    "one row for all, with axes": (1, 1),
    "a row per run": (3, 1),
    "a row per state, the same in all runs": (21,),
    "a row per state": (3, 21),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_broadcast_like_every_other_array(arm, states, layout):
    parameters = varied(arm.parameters, *LAYOUTS[layout])
    every = np.broadcast_to(parameters, (3, 21, parameters.shape[-1]))
    found = torques(arm, states, parameters)
    assert relative(found, torques(Robot(ARM, compiled=False), states, every)) < 1e-12
    assert relative(torques(arm, states, every.copy()), found) < 1e-12
    assert relative(torques(arm, states, parameters, threads=2), found) < 1e-12
    out = np.empty_like(found)
    assert torques(arm, states, parameters, out=out) is out
    assert relative(out, found) < 1e-12


def test_code_for_equal_rows_is_right_for_others_too(arm, states):
    """Which code runs is a question of speed alone."""
    parameters = varied(arm.parameters, 3, 21)
    kernel = arm.kernel(Request("inverse_dynamics", parameters="runtime"))
    arrays = dict(zip(kernel.inputs, [*states, parameters], strict=True))
    assert relative(kernel.code.shared(arrays), torques(arm, states, parameters)) < 1e-12


def test_numbers_that_lie_apart_in_memory_are_taken(arm, states):
    apart = np.asfortranarray(varied(arm.parameters, 21))
    assert relative(torques(arm, states, apart), torques(arm, states, apart.copy(order="C"))) < 1e-12
    ufunc = arm.kernel(Request("inverse_dynamics", parameters="runtime")).code.shared.ufunc()
    column = np.repeat(varied(arm.parameters), 2)[::2]
    assert relative(ufunc(*states, column), torques(arm, states, column)) < 1e-12


def test_one_state_of_many_robots(arm):
    q, qd, qdd = arm.random_state(seed=3)
    many = varied(arm.parameters, 40)
    found = torques(arm, (q, qd, qdd), many)
    assert found.shape == (40, arm.n)
    assert relative(found[7], torques(arm, (q, qd, qdd), many[7])) < 1e-12


def test_float32_in_float32_out(arm, states):
    short = tuple(x.astype(np.float32) for x in states)
    for rows in ((), (3, 21)):
        parameters = varied(arm.parameters, *rows)
        found = torques(arm, short, parameters.astype(np.float32))
        assert found.dtype == np.float32
        assert relative(found, torques(arm, states, parameters)) < 1e-4


def test_empty_batches_stay_empty(arm):
    assert torques(arm, (np.empty((0, 3)),) * 3, arm.parameters).shape == (0, 3)


def test_without_numpys_table_the_same_loop_is_called(monkeypatch, states):
    monkeypatch.setattr(gufunc, "available", lambda: False)
    arm = Robot(ARM)
    parameters = varied(arm.parameters)
    assert relative(torques(arm, states, parameters), torques(Robot(ARM), states, parameters)) < 1e-12


def test_a_kernel_travels_as_model_and_request(arm, states):
    kernel = pickle.loads(pickle.dumps(arm.kernel(Request("inverse_dynamics", parameters="runtime"))))
    assert isinstance(kernel, Kernel)
    arrays = dict(zip(kernel.inputs, [*states, arm.parameters], strict=True))
    assert relative(kernel(arrays), torques(arm, states, arm.parameters)) < 1e-12


def test_code_is_made_before_it_is_needed():
    arm = Robot(ARM).compile(Request("inverse_dynamics", parameters="runtime"))
    kernel = arm.kernel(Request("inverse_dynamics", parameters="runtime"))
    assert kernel.code._ufuncs
    assert kernel.code.shared._ufuncs


@pytest.mark.every("formulation")
def test_every_formulation_takes_parameters(formulation):
    """The first link of this arm has inertia but no mass, and so no centre of mass to divide out."""
    puma = Robot(strobe.load("puma560").model, compiled=False)
    q, qd, qdd = puma.random_state(seed=4, batch=2)
    found = puma.inverse_dynamics(q, qd, qdd, parameters=puma.parameters, formulation=formulation)
    assert relative(found, puma.inverse_dynamics(q, qd, qdd)) < 1e-11


def test_first_moments_without_mass_need_a_method_at_link_origins():
    arm = Robot(strobe.load("planar2").model, compiled=False)
    states = arm.random_state(seed=5, batch=2)
    bare = arm.parameters.copy()
    bare[0] = 0.0
    assert np.isfinite(torques(arm, states, bare)).all()
    assert not np.isfinite(torques(arm, states, bare, formulation="newton-euler")).all()


def test_masses_may_come_at_run_time_only():
    """A robot of massless links has no accelerations of its own; with given masses it has."""
    arm = strobe.load("planar2")
    bare = arm.with_parameters(np.zeros(20))
    q, qd, tau = arm.random_state(seed=6, batch=3)
    found = bare.forward_dynamics(q, qd, tau, parameters=arm.parameters)
    assert relative(found, arm.forward_dynamics(q, qd, tau)) < 1e-10
    assert np.isnan(bare.forward_dynamics(q, qd, tau, parameters=np.zeros(20))).all()


def test_following_joints_and_floating_bases_take_them():
    for robot in (strobe.load("parallelogram"), strobe.load("planar2").with_base("floating")):
        q, qd, qdd = robot.random_state(seed=7, batch=4)
        parameters = varied(robot.parameters)
        expected = robot.with_parameters(parameters).inverse_dynamics(q, qd, qdd)
        assert relative(robot.inverse_dynamics(q, qd, qdd, parameters=parameters), expected) < 1e-11


def test_sizes_that_do_not_fit_are_told(arm):
    q, qd, qdd = arm.random_state(seed=8)
    with pytest.raises(
        ShapeError,
        match=r"parameters has shape \(29,\); it holds ten numbers for every body, as robot.parameter_names, "
        r"expected \(..., 30\)",
    ):
        arm.inverse_dynamics(q, qd, qdd, parameters=np.ones(29))
    with pytest.raises(
        ShapeError,
        match=rf"geometry has shape \(1,\); it holds the numbers of robot.geometry_names or of "
        rf"robot.full_geometry_names, expected \(..., {len(arm.geometry)}\)",
    ):
        arm.jacobian(q, geometry=np.ones(1))
    with pytest.raises(ArgumentError, match="the leading axes do not broadcast"):
        arm.inverse_dynamics(q[None].repeat(4, 0), qd, qdd, parameters=np.ones((3, 30)))
