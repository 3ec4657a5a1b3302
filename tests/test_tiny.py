"""The whole flow on a two-joint arm."""

import numpy as np
import pytest

import strobe
from strobe.formulations import spatial_newton_euler
from strobe.scalars import DenseCount, FieldSystem, FoldedCount, Graph


def closed_form(q, qd, qdd, gravity=9.81):
    """The textbook's two-joint planar arm (Asada, equations 7.1.11 and 7.1.12)."""
    m1, m2, l1, lc1, lc2, I1, I2 = 2.0, 1.5, 0.4, 0.18, 0.15, 0.03, 0.012
    (q1, q2), (d1, d2), (a1, a2) = q, qd, qdd
    H11 = m1 * lc1**2 + I1 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * np.cos(q2)) + I2
    H22 = m2 * lc2**2 + I2
    H12 = m2 * (lc2**2 + l1 * lc2 * np.cos(q2)) + I2
    h = m2 * l1 * lc2 * np.sin(q2)
    G1 = m1 * lc1 * gravity * np.cos(q1) + m2 * gravity * (lc2 * np.cos(q1 + q2) + l1 * np.cos(q1))
    G2 = m2 * gravity * lc2 * np.cos(q1 + q2)
    return (
        [H11 * a1 + H12 * a2 - h * d2**2 - 2 * h * d1 * d2 + G1, H12 * a1 + H22 * a2 + h * d1**2 + G2],
        [[H11, H12], [H12, H22]],
        [[-h * d2, -h * (d1 + d2)], [h * d1, 0]],
        [G1, G2],
    )


@pytest.fixture
def robot():
    return strobe.load("planar2")


@pytest.mark.every("formulation")
def test_torques_mass_matrix_coriolis_and_gravity_are_the_textbooks(robot, formulation):
    q, qd, qdd = robot.random_state(seed=3)
    tau, H, C, G = closed_form(q, qd, qdd)
    rotor = np.diag([joint.rotor_inertia for joint in robot.model.joints])
    ours = robot.inverse_dynamics(q, qd, qdd, friction=False, formulation=formulation)
    assert ours - rotor @ qdd == pytest.approx(tau, rel=1e-13)
    assert robot.mass_matrix(q, formulation=formulation) - rotor == pytest.approx(np.array(H), rel=1e-13)
    assert robot.coriolis_matrix(q, qd, formulation=formulation) == pytest.approx(np.array(C), abs=1e-13)
    assert robot.gravity(q, formulation=formulation) == pytest.approx(G, rel=1e-13)


def test_a_batch_is_its_states_side_by_side(robot):
    q, qd, qdd = robot.random_state(seed=0, batch=(3, 4))
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert tau.shape == (3, 4, 2)
    assert tau[2, 1] == pytest.approx(robot.inverse_dynamics(q[2, 1], qd[2, 1], qdd[2, 1]), rel=1e-14)


def test_the_tool_is_where_the_links_end(robot):
    T = robot.forward_kinematics([0.3, 0.4], "tool")
    assert T[:2, 3] == pytest.approx(
        [0.4 * np.cos(0.3) + 0.35 * np.cos(0.7), 0.4 * np.sin(0.3) + 0.35 * np.sin(0.7)]
    )


def test_one_function_gives_a_graph_a_count_and_an_exact_value(robot):
    graph, folded, dense, field = Graph(), FoldedCount(), DenseCount(), FieldSystem(1)
    results = []
    for system in (graph, folded, dense, field):
        model = robot.model.lift(system)
        results.append(spatial_newton_euler.inverse_dynamics(model, *model.variables()))
    assert folded.multiplications < dense.multiplications
    assert graph.counts()["mul"] <= folded.multiplications
    assert all(0 <= field.lower(x) < field.prime for x in results[-1])
