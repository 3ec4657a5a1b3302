"""Laws of mechanics, for every formulation, on random chains and trees, exactly or to rounding."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from strobe.algebra import Force, Inertia, Motion, Pose, Vec3, ldl_solve
from strobe.formulations import FORMULATIONS, articulated_body, decomposition, strobing
from strobe.models.inertial import Inertial
from strobe.models.model import ROOT
from strobe.models.random_robots import random_model
from strobe.scalars import DualSystem, FieldSystem
from strobe.scalars.precise import PreciseSystem

ARMS = {f"{n} joints, seed {seed}": random_model(n, seed) for n, seed in ((1, 3), (2, 0), (4, 1))}
TREE_KINDS = [
    (3, "RP", 4), (7, "RP", 5), (5, "RS", 6), (4, "RPSF", 7), (4, "RHP", 8), (3, "ER", 9), (4, "HESC", 10),
]  # fmt: skip
TREES = {
    f"tree of {n} ({kinds}), seed {seed}": random_model(n, seed, kinds=kinds, tree=True)
    for n, kinds, seed in TREE_KINDS
}
ROBOTS = {**ARMS, **TREES}


def in_time(method, model):
    """The configuration-space method strobes by itself: strobing it again grows with the fourth power."""
    return method.name != "configuration-space" or model.nv <= 6


every_formulation = pytest.mark.every("formulation", robot=ROBOTS, where=in_time)
ELEMENTARY = [name for name, model in ROBOTS.items() if all(joint.is_elementary for joint in model.joints)]

AWKWARD = [0.0, math.pi / 2, -math.pi / 2, math.pi, -math.pi, 1e-9, 0.7, -2.3]


def case(formulation, robot):
    return FORMULATIONS[formulation].inverse_dynamics, ROBOTS[robot]


def field_state(model, seed):
    """The robot's structure at a random point of a random prime field, with a state."""
    system = FieldSystem(seed)
    lifted = model.lift(system)
    return system, lifted, *lifted.variables()


def lower(system, values):
    return [lower(system, v) if isinstance(v, list) else system.lower(v) for v in values]


def state(model, seed):
    """A float state; positions of angles are awkward ones as often as not."""
    rng = np.random.default_rng(seed)
    q = []
    for joint in model.joints:
        if joint.nq == 1:
            q.append(float(rng.choice([rng.uniform(-3, 3), rng.choice(AWKWARD)])))
        else:
            numbers = rng.standard_normal(joint.nq)
            if joint.has_quaternion:
                numbers[-4:] /= np.linalg.norm(numbers[-4:])
            q += numbers.tolist()
    return q, rng.standard_normal(model.nv).tolist(), rng.standard_normal(model.nv).tolist()


@pytest.mark.parametrize("robot", ARMS)
@pytest.mark.parametrize("seed", range(3))
def test_all_formulations_are_one_function_in_the_field(robot, seed):
    system, lifted, *inputs = field_state(ARMS[robot], seed)
    torques = {
        name: lower(system, module.inverse_dynamics(lifted, *inputs))
        for name, module in FORMULATIONS.items()
    }
    assert all(tau == torques["newton-euler"] for tau in torques.values())


@every_formulation
def test_the_mass_matrix_is_symmetric(formulation, robot):
    """Strobed column by column, both triangles, exactly."""
    ID, model = case(formulation, robot)
    system, lifted, q, _, _ = field_state(model, 1)
    n, still = model.nv, lifted.weightless()
    columns = [ID(still, q, [0.0] * n, [float(i == j) for i in range(n)]) for j in range(n)]
    M = lower(system, columns)
    assert [list(row) for row in zip(*M, strict=True)] == M


@every_formulation
def test_the_mass_matrix_is_positive_definite(formulation, robot):
    ID, model = case(formulation, robot)
    for seed in range(3):
        q, _, _ = state(model, seed)
        assert np.linalg.eigvalsh(np.array(strobing.mass_matrix(ID, model, q), float)).min() > 0


@every_formulation
def test_forward_after_inverse_dynamics_is_the_identity_exactly(formulation, robot):
    ID, model = case(formulation, robot)
    system, lifted, q, qd, qdd = field_state(model, 2)
    tau = ID(lifted, q, qd, qdd)
    again = strobing.forward_dynamics(ID, lifted, q, qd, tau, [])
    assert lower(system, again) == lower(system, qdd)


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_articulated_body_method_undoes_inverse_dynamics_exactly(robot):
    system, lifted, q, qd, qdd = field_state(ROBOTS[robot], 3)
    rotor = [system.draw() if k % 2 else 0.0 for k in range(lifted.nv)]
    tau = FORMULATIONS["spatial-newton-euler"].inverse_dynamics(lifted, q, qd, qdd)
    tau = [t + r * a for t, r, a in zip(tau, rotor, qdd, strict=True)]
    again = articulated_body.forward_dynamics(lifted, q, qd, tau, rotor)
    assert lower(system, again) == lower(system, qdd)


@every_formulation
def test_the_coriolis_matrix_gives_the_velocity_torques_exactly(formulation, robot):
    ID, model = case(formulation, robot)
    system, lifted, q, qd, _ = field_state(model, 3)
    zeros = [0.0] * model.nv
    C = strobing.coriolis_matrix(ID, lifted, q, qd)
    product = [sum((c * v for c, v in zip(row, qd, strict=True)), start=0.0) for row in C]
    assert lower(system, product) == lower(system, ID(lifted.weightless(), q, qd, zeros))


@pytest.mark.parametrize("robot", ELEMENTARY)
def test_the_decompositions_christoffel_matrix_is_the_strobed_one_exactly(robot):
    system, lifted, q, qd, _ = field_state(ROBOTS[robot], 4)
    C = lower(system, decomposition.coriolis_matrix(lifted, q, qd, "christoffel"))
    assert (
        lower(
            system,
            strobing.coriolis_matrix(
                FORMULATIONS["newton-euler-armstrong"].inverse_dynamics, lifted, q, qd
            ),
        )
        == C
    )


@pytest.mark.every("formulation", robot=ARMS, where=lambda method, _: method.tool)
def test_a_wrench_in_the_hand_adds_its_moments_about_the_joints_exactly(formulation, robot):
    """Jᵀ w, with J from the poses of the links alone."""
    system, lifted, q, qd, qdd = field_state(ARMS[robot], 8)
    tool = Force(Vec3(*(system.draw() for _ in range(3))), Vec3(*(system.draw() for _ in range(3))))
    free, held = (
        FORMULATIONS[formulation].inverse_dynamics(lifted, q, qd, qdd),
        FORMULATIONS[formulation].with_tool(lifted, q, qd, qdd, tool),
    )
    added = [h - f for h, f in zip(held, free, strict=True)]
    assert lower(system, added) == lower(system, by_virtual_work(lifted, q, tool))


def by_virtual_work(model, q, tool):
    """What each joint feels of a wrench in the last frame, each joint acting along z of the frame before it."""
    arm = model.distal()
    frames = [Pose()]
    for body in arm.bodies:
        frames.append(frames[-1] @ body.pose(q))
    force, moment = (frames[-1].direction(v) for v in (tool.force, tool.moment))
    found = []
    for body, frame in zip(arm.bodies, frames, strict=False):
        axis = frame.direction(Vec3.unit(2))
        lever = frames[-1].translation - frame.translation
        found.append(axis.dot(moment + lever.cross(force)) if body.joint.turns else axis.dot(force))
    return found


def in_motion(dual, model, q, qd):
    """q as duals that move at the rate qd, on the manifold of each joint."""
    moving = []
    for joint in model.joints:
        position = [dual.seed(x, 0.0) for x in joint.position(q)]
        moving += joint.at(0, 0).integrate(position, [dual.seed(0.0, rate) for rate in joint.rates(qd)])
    return moving


@every_formulation
def test_the_rate_of_the_mass_matrix_minus_twice_coriolis_is_skew(formulation, robot):
    ID, model = case(formulation, robot)
    q, qd, _ = state(model, 4)
    C = np.array(strobing.coriolis_matrix(ID, model, q, qd), float)
    dual = DualSystem()
    M = strobing.mass_matrix(ID, model.lift(dual), in_motion(dual, model, q, qd))
    N = np.array([[dual.lower(x).tangent for x in row] for row in M], float) - 2 * C
    assert pytest.approx(-N.T, abs=1e-10 * (1 + np.abs(C).max())) == N


def energy(model, q, qd):
    """Kinetic and potential energy from the bodies' motion alone: no dynamics formulation takes part."""
    v, poses = {ROOT: Motion.zero()}, {ROOT: Pose()}
    kinetic = potential = 0.0
    for body in model.bodies:
        pose = body.pose(q)
        v[body.index] = pose.inverse() @ v[body.parent] + body.S @ body.rates(qd)
        poses[body.index] = poses[body.parent] @ pose
        here = v[body.index]
        kinetic = kinetic + here.dot(body.inertia @ here) * 0.5
        weight = (
            poses[body.index].direction(body.inertia.h) + poses[body.index].translation * body.inertia.m
        )
        potential = potential - model.gravity.linear.dot(weight)
    return kinetic, potential


@every_formulation
def test_the_power_of_the_torques_is_the_rate_of_the_energy(formulation, robot):
    ID, model = case(formulation, robot)
    q, qd, qdd = state(model, 5)
    dual = DualSystem()
    rates = [dual.seed(v, a) for v, a in zip(qd, qdd, strict=True)]
    kinetic, potential = energy(model.lift(dual), in_motion(dual, model, q, qd), rates)
    power = float(np.dot(ID(model, q, qd, qdd), qd))
    assert dual.lower(kinetic + potential).tangent == pytest.approx(power, rel=1e-9, abs=1e-9)


@every_formulation
def test_gravity_is_the_gradient_of_the_potential(formulation, robot):
    ID, model = case(formulation, robot)
    if not all(joint.additive for joint in model.joints):
        pytest.skip("the gradient along other velocities is covered by the power balance")
    q, _, _ = state(model, 6)
    g = strobing.gravity(ID, model, q)
    for k in range(model.nv):
        dual = DualSystem()
        moved = [dual.seed(x, float(i == k)) for i, x in enumerate(q)]
        _, potential = energy(model.lift(dual), moved, [0.0] * model.nv)
        assert dual.lower(potential).tangent == pytest.approx(g[k], rel=1e-10, abs=1e-10)


@every_formulation
def test_torques_are_linear_in_the_inertial_parameters(formulation, robot):
    """Superposition over two sets of parameters of the same geometry, exactly."""
    ID, model = case(formulation, robot)
    system, lifted, q, qd, qdd = field_state(model, 7)

    def with_parameters(inertias):
        bodies = tuple(
            replace(body, inertial=Inertial.of(inertia))
            for body, inertia in zip(lifted.bodies, inertias, strict=True)
        )
        return replace(lifted, bodies=bodies)

    first = [body.inertia for body in lifted.bodies]
    second = [
        Inertia(system.draw(), Vec3(system.draw(), system.draw(), system.draw()), body.inertia.I)
        for body in lifted.bodies
    ]
    total = [a + b for a, b in zip(first, second, strict=True)]
    tau = [lower(system, ID(with_parameters(p), q, qd, qdd)) for p in (first, second, total)]
    assert [(a + b) % system.prime for a, b in zip(tau[0], tau[1], strict=True)] == tau[2]


@every_formulation
def test_float_torques_are_right_to_twelve_digits(formulation, robot):
    ID, model = case(formulation, robot)
    precise = PreciseSystem()
    exact_model = model.lift(precise)
    for seed in range(3):
        inputs = state(model, 10 + seed)
        exact = [
            float(precise.lower(t))
            for t in ID(exact_model, *([precise.exact(x) for x in v] for v in inputs))
        ]
        error = np.abs(np.array(ID(model, *inputs), float) - exact).max()
        assert error <= 1e-12 * np.abs(exact).max()


@settings(max_examples=40)
@given(
    n=st.integers(1, 6),
    seed=st.integers(0, 10**6),
    kinds=st.sampled_from(["R", "P", "RP", "RPS", "RSF", "H", "E", "RPHE"]),
    tree=st.booleans(),
)
def test_the_laws_hold_for_any_robot_that_can_be_drawn(n, seed, kinds, tree):
    """Forward after inverse, and (on arms) one function, in the field."""
    model = random_model(n, seed, kinds=kinds, tree=tree)
    ID = FORMULATIONS["spatial-newton-euler"].inverse_dynamics
    system, lifted, q, qd, qdd = field_state(model, seed)
    tau = ID(lifted, q, qd, qdd)
    M = strobing.mass_matrix(ID, lifted, q)
    bias = ID(lifted, q, qd, [0.0] * model.nv)
    x = ldl_solve(M, [t - b for t, b in zip(tau, bias, strict=True)], model.dof_parents)
    assert lower(system, x) == lower(system, qdd)
    if model.is_serial:
        other = FORMULATIONS["newton-euler"].inverse_dynamics(lifted, q, qd, qdd)
        assert lower(system, other) == lower(system, tau)
