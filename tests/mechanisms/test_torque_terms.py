"""The torques of closed chains, term by term: they add up, and what joints transmit balances every link."""

import numpy as np
import pytest

import strobe
from strobe.mechanisms.loop_forces import cut_open, loop_forces
from strobe.mechanisms.transmitted_wrenches import acting
from strobe.models.edits import add_frame, add_loop
from strobe.models.random_robots import random_model
from strobe.robot import Robot

WRENCH = [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]


@pytest.fixture(scope="module", params=["fourbar", "fivebar", "delta"])
def robot(request):
    return Robot(strobe.load(request.param).model, compiled=False)


@pytest.fixture(scope="module")
def state(robot):
    return robot.random_state(seed=2)


@pytest.fixture(scope="module")
def found(robot, state):
    return robot.explain(*state, wrench=WRENCH)


def test_the_terms_add_up_to_the_torques_of_the_actuated_joints(robot, state, found):
    tau = robot.inverse_dynamics(*state, wrench=WRENCH)
    assert found.joints == robot.model.actuated
    assert np.allclose(
        found.values.sum(axis=-1), tau[: robot.nv][[robot.joint_names.index(n) for n in found.joints]]
    )
    assert len(found.joints) == len(robot.model.actuated)


def test_joints_that_nothing_drives_transmit_nothing_along_themselves(robot, state, found):
    """Only with the forces of the loops is that so: the open tree would need torques there."""
    along = np.abs(found.wrenches - found.constraints).max(axis=-1)
    size = np.abs(found.wrenches).max()
    passive = [k for k, name in enumerate(found.hinges) if name not in robot.model.actuated]
    assert (along[passive] < 1e-12 * size).all()
    tree = cut_open(robot).explain(*state, wrench=WRENCH)
    assert np.abs(tree.wrenches - tree.constraints)[passive].max() > 1e-3 * size


def test_twice_the_speed_gives_four_times_the_velocity_terms(robot, state):
    q, qd, _ = state
    slow, fast = (
        robot.explain(q, s * qd, robot.closed_accelerations(q, s * qd, 0 * qd)) for s in (1.0, 2.0)
    )
    for kind in ("centrifugal", "Coriolis"):
        assert np.allclose(fast.parts[kind], 4 * slow.parts[kind], atol=1e-9)
    assert np.allclose(fast.parts["gravity"], slow.parts["gravity"])


def test_the_reduced_inertia_of_a_four_bar_is_twice_its_kinetic_energy_at_unit_rate():
    robot = Robot(strobe.load("fourbar").model, compiled=False)
    q = robot.assemble([0.6, 0.0, 1.3], {"crank": 0.6})
    allowed = np.linalg.svd(robot.loop_jacobian(q))[2][-1]
    allowed = allowed / allowed[0]
    qdd = robot.closed_accelerations(q, 0 * allowed, allowed)
    found = robot.explain(q, 0 * allowed, qdd)
    expected = allowed @ robot.mass_matrix(q) @ allowed * qdd[0]
    assert found.parts["effective inertia"][0] == pytest.approx(expected, rel=1e-12)


def test_the_words_say_that_other_joints_go_along(found):
    inertia = found.rows(0)[0]
    assert inertia.meaning.endswith("and all that moves with it, the other actuated joints frozen")


def test_a_batch_is_explained_at_once(robot):
    q, qd, qdd = robot.random_state(seed=3, batch=(3,))
    found = robot.explain(q, qd, qdd)
    one = robot.explain(q[1], qd[1], qdd[1])
    assert np.allclose(found.values[1], one.values, atol=1e-9)


def test_loops_act_on_both_links_with_opposite_wrenches_at_one_point(robot, state):
    q, qd, qdd = state
    by_frame = acting(robot, q, loop_forces(robot, q, qd, qdd))
    total = np.zeros(6)
    for name, F in by_frame.items():
        p = robot.forward_kinematics(q, name)[:3, 3]
        total += np.concatenate([F[:3], F[3:] + np.cross(p, F[:3])])
    assert np.abs(total).max() < 1e-9 * max(np.abs(F).max() for F in by_frame.values())


def test_a_loop_that_slides_acts_on_both_links_where_their_frames_are():
    model = random_model(4, 1, kinds="R")
    first, tip = model.bodies[0].name, model.bodies[-1].name
    chain = Robot(model, compiled=False)
    q = chain.random_state(3)[0]
    seen = np.linalg.inv(chain.forward_kinematics(q, first)) @ chain.forward_kinematics(q, tip)
    model = add_frame(model, "table", (seen[:3, 3] + [0.3, 0.1, 0.0]).tolist(), frame=first)
    robot = Robot(add_loop(model, "table", tip, "plane"), compiled=False)
    qd, tau = robot.closed_velocities(q, [1.0, -1.0, 0.5, 0.7]), np.array([0.3, -0.2, 0.1, 0.4])
    qdd = robot.forward_dynamics(q, qd, tau)
    a, b = (robot.forward_kinematics(q, name)[:3, 3] for name in ("table", tip))
    acts = acting(robot, q, loop_forces(robot, q, qd, qdd, tau))
    assert np.linalg.norm(np.cross(b - a, acts[tip][:3])) > 0.1  # neither together nor along the force
    assert cut_open(robot).inverse_dynamics(q, qd, qdd, wrench=acts) == pytest.approx(tau, abs=1e-9)
