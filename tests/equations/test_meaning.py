"""What every torque is made of: the rows of the textbook's table, and laws that hold for every robot."""

from __future__ import annotations

import re

import numpy as np
import pytest

import strobe
from strobe.equations.meaning import KINDS, MEANINGS, explain
from strobe.errors import ArgumentError, ShapeError, UnknownNameError

STATE = ([0.7, -1.1], [1.3, -0.6], [-0.8, 2.1])  # of the textbook's arm
H11, H12, h = 0.462197301857, 0.0865736509283, -0.0802086624055
G1, G2 = 9.23598966198, 2.03301187901

ROBOTS = {
    "planar2": lambda: strobe.load("planar2"),
    "a chain with a slide": lambda: strobe.load("stanford"),
    "friction and rotors": lambda: strobe.load("puma560"),
    "joints that follow others": lambda: strobe.load("parallelogram"),
    "a translating base": lambda: strobe.load("planar3", base="translating"),
    "a floating base": lambda: strobe.load("planar2", base="floating"),
    "a tree of all joints": lambda: strobe.random(4, 2, kinds="RPSF", tree=True),
}


@pytest.fixture(params=list(ROBOTS))
def robot(request) -> strobe.Robot:
    return strobe.Robot(ROBOTS[request.param]().model, compiled=False)


def interpreted(name: str) -> strobe.Robot:
    return strobe.Robot(strobe.load(name).model, compiled=False)


def values(explanation, joint) -> dict[str, float]:
    return {row.formula: float(row.value) for row in explanation.rows(joint)}


# -- the textbook's arm -------------------------------------------------------------------------------


def test_the_rows_of_the_textbook_arm_are_the_textbook_s() -> None:
    found = explain(interpreted("planar2"), *STATE, friction=False)
    first, second = values(found, "joint1"), values(found, "joint2")
    assert first["M11 qdd1"] == pytest.approx(H11 * -0.8, rel=1e-11)
    assert first["M12 qdd2"] == pytest.approx(H12 * 2.1, rel=1e-11)
    assert first["c122 qd2²"] == pytest.approx(-h * 0.6**2, rel=1e-11)
    assert first["2 c112 qd1 qd2"] == pytest.approx(-2 * h * 1.3 * -0.6, rel=1e-11)
    assert first["g1"] == pytest.approx(G1, rel=1e-11)
    assert second["M21 qdd1"] == pytest.approx(H12 * -0.8, rel=1e-11)
    assert second["c211 qd1²"] == pytest.approx(h * 1.3**2, rel=1e-11)
    assert second["g2"] == pytest.approx(G2, rel=1e-11)
    vanishing = [first["c111 qd1²"], second["c222 qd2²"], second["2 c212 qd1 qd2"]]
    assert vanishing == pytest.approx([0.0] * 3, abs=1e-15)


def test_the_rotor_is_part_of_the_effective_inertia() -> None:
    second = values(explain(interpreted("planar2"), *STATE), "joint2")
    assert second["M22 qdd2"] == pytest.approx((0.04575 + 50**2 * 2e-5) * 2.1, rel=1e-11)


def test_friction_is_a_row_of_its_own() -> None:
    second = values(explain(interpreted("planar2"), *STATE), "joint2")
    assert second["friction(qd2)"] == pytest.approx(50**2 * 1e-4 * -0.6 - 50 * 0.02, rel=1e-11)


def test_an_external_force_is_balanced() -> None:
    found = explain(interpreted("planar2"), *STATE, wrench=[3, -2, 0, 0, 0, 0])
    assert found.parts["external"] == pytest.approx([1.62078841089, 0.235853436378], rel=1e-11)


def test_rows_come_in_the_order_of_the_kinds_with_a_sentence_each() -> None:
    rows = explain(interpreted("planar2"), *STATE).rows("joint1")
    assert list(dict.fromkeys(row.kind for row in rows)) == list(KINDS)
    told = {row.kind: row.meaning for row in rows}
    assert (
        told["effective inertia"] == "accelerates joint1 and all that it carries, the other joints frozen"
    )
    assert told["interaction"] == "holds joint1 against the reaction to the acceleration of joint2"
    assert told["Coriolis"] == (
        "holds joint1 against the Coriolis effect of joint1 and joint2 moving at once"
    )
    assert [row.by for row in rows if row.kind == "centrifugal"] == [("joint1",), ("joint2",)]


def test_joints_are_counted_from_1_with_a_comma_beyond_9() -> None:
    robot = strobe.Robot(strobe.load("biped10").model, compiled=False)
    rows = values(explain(robot, *robot.random_state(1)), 9)
    assert {"M10,1 qdd1", "2 c10,1,2 qd1 qd2", "c10,3,3 qd3²", "g10"} <= set(rows)


# -- laws, for every robot ----------------------------------------------------------------------------


def test_the_terms_add_up_to_the_inverse_dynamics(robot) -> None:
    state = robot.random_state(3, 20)
    wrench = {robot.frames[-1]: [3.0, -2, 1, 0.5, 0.2, -0.1], robot.frames[1]: [0.3, 1, 0, 0, 0, 2.0]}
    how = {"wrench": wrench, "gravity": [1.0, -2, -9]}
    found = explain(robot, *state, **how)
    tau = robot.inverse_dynamics(*state, **how)
    assert np.array_equal(found.tau, tau)
    assert np.allclose(found.values.sum(axis=-1), tau, rtol=0, atol=1e-12 * abs(tau).max())
    assert np.allclose(sum(found.parts.values()), tau, rtol=0, atol=1e-12 * abs(tau).max())


def test_what_one_joint_alone_causes_is_centrifugal_and_the_rest_is_of_pairs(robot) -> None:
    q, qd, qdd = robot.random_state(4)
    n, found = robot.nv, explain(robot, q, qd, 0 * qdd)

    def velocity_torque(*moving: int) -> np.ndarray:
        only = np.where(np.isin(np.arange(n), moving), qd, 0.0)
        return robot.inverse_dynamics(q, only, np.zeros(n), gravity=np.zeros(3), friction=False)

    scale = abs(velocity_torque(*range(n))).max()
    for t, term in enumerate(found.terms):
        if term.cause == "velocity":
            j, k = term.by
            alone = velocity_torque(j)
            expected = alone if j == k else velocity_torque(j, k) - alone - velocity_torque(k)
            assert np.allclose(found.values[:, t], expected, rtol=0, atol=1e-12 * scale), term


def test_what_one_acceleration_causes_is_a_column_of_the_mass_matrix(robot) -> None:
    q, qd, qdd = robot.random_state(5)
    found = explain(robot, q, qd, qdd)
    for t, term in enumerate(found.terms):
        if term.cause == "acceleration":
            only = np.where(np.arange(robot.nv) == term.by[0], qdd, 0.0)
            alone = robot.inverse_dynamics(q, 0 * qd, only, gravity=np.zeros(3))
            assert np.allclose(found.values[:, t], alone, rtol=0, atol=1e-12 * abs(found.tau).max()), term


def test_shares_are_of_the_sum_of_magnitudes(robot) -> None:
    found = explain(robot, *robot.random_state(6, 5))
    loaded = abs(found.values).sum(axis=-1) > 0
    assert np.allclose(found.shares.sum(axis=-1), loaded)
    assert np.allclose(found.shares * abs(found.values).sum(axis=-1, keepdims=True), abs(found.values))


def test_a_batch_is_explained_state_by_state(robot) -> None:
    q, qd, qdd = robot.random_state(7, (2, 3))
    wrench = np.arange(6.0)
    whole = explain(robot, q, qd, qdd[0, 0], wrench=wrench)
    one = explain(robot, q[1, 2], qd[1, 2], qdd[0, 0], wrench=wrench)
    for name in ("values", "tau", "wrenches", "constraints"):
        got, expected = getattr(whole, name), getattr(one, name)
        assert got.shape == (2, 3, *expected.shape)
        assert np.allclose(got[1, 2], expected, rtol=0, atol=1e-12 * abs(expected).max()), name


def test_a_batch_may_come_from_the_loads_alone() -> None:
    found = explain(interpreted("planar2"), *STATE, wrench=np.eye(6))
    assert found.values.shape == (6, 2, 8)
    assert np.allclose(found.values.sum(axis=-1), found.tau, rtol=1e-13)


@pytest.mark.slow
def test_single_precision_stays_single() -> None:
    state = [np.array(x, dtype=np.float32) for x in STATE]
    found = explain(strobe.load("planar2"), *state)
    assert {x.dtype for x in (found.values, found.tau, found.wrenches, found.constraints)} == {
        np.dtype(np.float32)
    }
    assert np.allclose(found.values, explain(interpreted("planar2"), *STATE).values, rtol=1e-5, atol=1e-6)


def test_compiled_and_interpreted_robots_are_explained_alike() -> None:
    robot = strobe.load("pendulum3")
    state = robot.random_state(8, 10)
    found, expected = (explain(arm, *state).values for arm in (robot, interpreted("pendulum3")))
    assert np.allclose(found, expected, rtol=0, atol=1e-13 * abs(expected).max())


def test_nothing_is_shared_where_there_is_no_torque() -> None:
    found = explain(interpreted("planar2"), *STATE[:1], [0, 0], [0, 0], gravity=[0, 0, 0])
    assert not found.values.any()
    assert not found.shares.any()


# -- Christoffel symbols of the specification -----------------------------------------------------------


def test_the_symbols_of_the_stanford_arm_are_those_of_its_golden_state() -> None:
    """Three rows of C^1, C^2 and C^3 computed by strobing with a library of rigid bodies."""
    robot = interpreted("stanford")
    q = robot.model.golden[0]["q"]
    found = explain(robot, q, np.ones(6), np.zeros(6), friction=False)
    one, two, three = (values(found, i) for i in range(3))
    assert one["2 c112 qd1 qd2"] == pytest.approx(2 * 0.790686333198, rel=1e-10)
    assert one["2 c146 qd4 qd6"] == pytest.approx(2 * -6.97196728058e-05, rel=1e-9)
    assert one["c155 qd5²"] == pytest.approx(0.0275786866353, rel=1e-10)
    assert two["2 c223 qd2 qd3"] == pytest.approx(2 * 1.19285035788, rel=1e-10)
    assert two["c211 qd1²"] == pytest.approx(-0.790686333198, rel=1e-10)
    assert three["c322 qd2²"] == pytest.approx(-1.19285035788, rel=1e-10)
    assert three["2 c345 qd4 qd5"] == pytest.approx(0.0, abs=1e-15)


# -- what the joints hold -----------------------------------------------------------------------------


def test_a_planar_joint_holds_all_of_the_force_and_none_of_the_moment() -> None:
    found = explain(interpreted("planar2"), *STATE)
    assert found.wrenches[0] == pytest.approx([-0.733762890315, 33.0147661374, 0, 0, 0, 8.95178609256])
    assert found.wrenches[1] == pytest.approx([-0.453967597496, 14.0069827282, 0, 0, 0, 1.9242753188])
    assert found.constraints[:, :3] == pytest.approx(found.wrenches[:, :3])
    assert found.constraints[:, 3:] == pytest.approx(np.zeros((2, 3)), abs=1e-14)


@pytest.mark.parametrize("name", ["stanford", "panda", "puma560"])
def test_what_a_joint_does_not_hold_is_its_torque_along_the_joint(name: str) -> None:
    robot = strobe.Robot(strobe.load(name).model, compiled=False)
    q, qd, qdd = robot.random_state(9)
    found = explain(robot, q, qd, qdd, friction=False)
    along = found.wrenches - found.constraints
    for i, body in enumerate(robot.model.bodies):
        # of a link beyond the joint: its last three rows are the axis
        J = robot.jacobian(q, body.name)[:, i]
        axis, part = (J[3:], slice(3, 6)) if body.joint.turns else (J[:3], slice(3))
        drive = found.tau[i] - body.joint.rotor_inertia * qdd[i]
        assert np.allclose(along[i, part], drive * axis, rtol=0, atol=1e-11 * abs(found.wrenches).max())
        assert found.constraints[i, part] @ axis == pytest.approx(
            0.0, abs=1e-12 * abs(found.wrenches).max()
        )
    assert np.count_nonzero(abs(along) > 1e-12 * abs(found.wrenches).max(), axis=1).max() <= 3


def test_a_floating_base_holds_nothing() -> None:
    robot = strobe.Robot(strobe.load("planar2", base="floating").model, compiled=False)
    found = explain(robot, *robot.random_state(2))
    assert found.hinges == ("base", "joint1", "joint2")
    assert found.constraints[0] == pytest.approx(np.zeros(6), abs=1e-13 * abs(found.wrenches).max())
    assert abs(found.wrenches[0]).max() > 1.0


def test_joints_that_follow_others_hold_something_too() -> None:
    robot = strobe.Robot(strobe.load("parallelogram").model, compiled=False)
    found = explain(robot, *robot.random_state(2))
    assert found.joints == robot.joint_names
    assert found.hinges == ("a1", "a2", "b1", "b2")
    assert found.wrenches.shape == found.constraints.shape == (4, 6)


# -- names, text, mistakes ----------------------------------------------------------------------------


def test_every_degree_of_freedom_has_a_name_and_a_unit() -> None:
    robot = strobe.Robot(strobe.load("planar2", base="floating").model, compiled=False)
    found = explain(robot, *robot.random_state(2))
    assert found.joints[:6] == ("base_vx", "base_vy", "base_vz", "base_wx", "base_wy", "base_wz")
    assert found.units == ("N",) * 3 + ("N m",) * 5
    arm = interpreted("stanford")
    assert explain(arm, *arm.random_state(0)).units[2] == "N"


def test_the_text_shows_what_is_felt_and_says_on_what_it_depends() -> None:
    shown = str(explain(interpreted("planar2"), *STATE))
    assert shown.splitlines()[0] == "Explanation of planar2: 2 torques of 8 terms"
    assert re.search(r"^  joint2 .* 0.879275$", shown, re.MULTILINE)
    assert re.search(r"^  joint2 +−1.15 N m +32% +friction +friction\(qd2\)$", shown, re.MULTILINE)
    assert "c222" not in shown
    assert shown.endswith("in others the same torque has other terms.")


def test_the_text_of_a_batch_is_its_size() -> None:
    robot = interpreted("planar2")
    found = explain(robot, *robot.random_state(0, 7))
    assert repr(found) == "<Explanation of planar2: 2 torques of 8 terms, 7 states>"
    assert "least gravity (N m)  largest gravity (N m)" in str(found)


def test_a_joint_that_is_not_there_is_named_with_the_nearest() -> None:
    found = explain(interpreted("planar2"), *STATE)
    with pytest.raises(UnknownNameError, match="no joint \"jiont1\" in planar2. Did you mean 'joint1'"):
        found.rows("jiont1")
    assert [row.formula for row in found.rows(-1)] == [row.formula for row in found.rows("joint2")]


def test_terms_too_small_to_be_felt_are_left_out_on_request():
    found = explain(interpreted("stanford"), *(np.linspace(a, 1.0, 6) for a in (0.1, 0.2, 0.3)))
    for joint in range(6):
        felt = [row.formula for row in found.rows(joint) if row.share >= 0.05]
        assert [row.formula for row in found.rows(joint, 0.05)] == felt
    assert len(found.rows(0, 0.05)) < len(found.rows(0))
    assert explain(interpreted("planar2"), *np.zeros((3, 0, 2))).rows(0, 0.05) == []


def test_mistakes_are_those_of_the_inverse_dynamics() -> None:
    robot = strobe.load("planar2")
    with pytest.raises(ShapeError, match=r"q has shape \(3,\); planar2 has 2 joints"):
        explain(robot, [0, 0, 0], *STATE[1:])
    with pytest.raises(ArgumentError, match="frame= says where a wrench acts"):
        explain(robot, *STATE, frame="tool")


def test_there_is_a_meaning_for_every_kind_and_no_other() -> None:
    found = explain(interpreted("planar2"), *STATE)
    assert {term.kind(i) for term in found.terms for i in range(2)} == set(MEANINGS) == set(found.parts)
