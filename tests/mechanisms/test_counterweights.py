"""Counterweights take gravity away: closed forms of planar arms, and what the balanced robot itself says."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, UnknownNameError, UnsupportedModelError
from strobe.mechanisms import counterbalance
from strobe.mechanisms.counterweights import proven

ARMS = {"joint1": 0.12, "joint2": 0.1}
ROTOR = np.diag([0.0, 0.05])  # of planar2, which no counterweight changes
SWINGING_SLIDE = """<robot name="crane"><link name="base"/>
  <link name="boom"><inertial><origin xyz="0.4 0 0"/><mass value="6"/>{I}</inertial></link>
  <link name="cart"><inertial><mass value="2"/>{I}</inertial></link>
  <joint name="luff" type="revolute"><parent link="base"/><child link="boom"/><axis xyz="0 1 0"/>{limit}</joint>
  <joint name="trolley" type="prismatic"><parent link="boom"/><child link="cart"/><axis xyz="{axis}"/>{limit}</joint>
</robot>"""
BALL = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/>
  <inertial pos=".2 0 0" mass="2" diaginertia=".02 .03 .03"/>
  <body name="bob" pos=".5 0 0"><joint name="ball" type="ball"/>
    <inertial pos=".1 .05 -.2" mass="1.5" diaginertia=".01 .02 .02"/></body></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def planar2():
    return strobe.load("planar2")


@pytest.fixture(scope="module")
def balanced2(planar2):
    return counterbalance(planar2, ARMS)


def crane(tmp_path, axis):
    I = '<inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/>'
    limit = '<limit lower="-1" upper="1" velocity="1" effort="9"/>'
    path = tmp_path / "crane.urdf"
    path.write_text(SWINGING_SLIDE.format(I=I, limit=limit, axis=axis))
    return strobe.load(path)


def largest_gravity(robot):
    plain = strobe.Robot(robot.model, compiled=False)
    return np.abs(plain.gravity(robot.random_state(seed=3, batch=200)[0])).max(axis=0)


def test_planar2_is_balanced_by_the_masses_of_the_closed_form(balanced2, planar2):
    """w2 r2 = m2 lc2 and w1 r1 = m1 lc1 + (m2 + w2) l1."""
    p = planar2.model.parameters
    second = p["m2"] * p["lc2"] / 0.1
    first = (p["m1"] * p["lc1"] + (p["m2"] + second) * p["l1"]) / 0.12
    assert [w.mass for w in balanced2.weights] == pytest.approx([first, second])
    assert (first, second) == pytest.approx((15.5, 2.25))
    assert balanced2.added == pytest.approx(17.75)


def test_its_weights_hang_behind_their_joints(balanced2, planar2):
    """In link frames, which sit at the far ends of the links."""
    p = planar2.model.parameters
    one, two = balanced2.weights
    assert one.position == pytest.approx((-p["l1"] - 0.12, 0, 0))
    assert two.position == pytest.approx((-p["l2"] - 0.1, 0, 0))
    assert (one.link, one.arm, two.link, two.arm) == ("link1", 0.12, "link2", 0.1)


def test_it_needs_no_torque_in_any_pose_and_its_mass_matrix_is_constant(balanced2):
    assert largest_gravity(balanced2.robot).max() < 1e-13
    q, qd, _ = balanced2.robot.random_state(seed=4, batch=50)
    expected = np.array([[0.98625, 0.06825], [0.06825, 0.06825]]) + ROTOR
    assert np.abs(balanced2.robot.mass_matrix(q) - expected).max() < 1e-14
    assert np.abs(balanced2.robot.bias(q, qd)).max() < 1e-13
    assert balanced2.gravity_vanishes
    assert balanced2.mass_matrix_is_constant
    assert balanced2.weightless == ("joint1", "joint2")


def test_what_balance_costs_is_inertia(balanced2, planar2):
    there = [0.7, -1.1]
    assert planar2.mass_matrix(there)[0, 0] == pytest.approx(0.462, abs=5e-4)
    assert balanced2.robot.mass_matrix(there)[0, 0] == pytest.approx(0.98625)
    before, after = balanced2.before, balanced2.after
    assert (before.mass, after.mass) == pytest.approx((3.5, 21.25))
    assert before.inertia == pytest.approx([0.56055, 0.09575])  # stretched out, the rotor included
    assert after.inertia == pytest.approx(after.mean_inertia)
    assert before.gravity[0] > 11 > 1e-12 > after.gravity.max()


def test_the_result_is_said_in_sentences(balanced2):
    one, two, cost, gravity, inertia, proof = balanced2.says
    assert one == "joint1: 15.5 kg on link1, 0.12 m behind the axis, at (-0.52, 0, 0)."
    assert two == "joint2: 2.25 kg on link2, 0.1 m behind the axis, at (-0.45, 0, 0)."
    assert cost.startswith("17.75 kg are added to 3.5 kg; H11 grows most, from at most 0.561 (mean ")
    assert cost.endswith("to 0.986 (mean 0.986) kg·m².")
    assert gravity == "Gravity asks for no torque in any pose."
    assert inertia == "H does not depend on the pose, so that there are no velocity torques."
    assert proof.startswith(
        "What is said of every pose was decided exactly at 2 random robots of this structure"
    )


def test_a_longer_arm_costs_less_mass_and_more_inertia(planar2):
    shorter, longer = (counterbalance(planar2, {"joint1": arm, "joint2": 0.1}) for arm in (0.12, 0.24))
    assert longer.weights[0].mass == pytest.approx(shorter.weights[0].mass / 2)
    grown = longer.after.inertia[0] - shorter.after.inertia[0]
    assert grown == pytest.approx(15.5 * 0.12 * (0.24 - 0.12))  # |h| times the difference


@pytest.mark.parametrize(
    "name", ["planar3", "panda", "puma560", "ur5", "pendulum3", "biped10", "parallelogram"]
)
def test_arms_that_only_turn_are_balanced_whole(name):
    result = counterbalance(strobe.load(name))
    assert result.gravity_vanishes
    assert not result.obstacles
    assert (largest_gravity(result.robot) <= 1e-11 * (1 + result.before.gravity)).all()
    assert result.robot.joint_names == result.original.joint_names


def test_what_is_proven_of_the_mass_matrix_is_true_of_the_balanced_robot():
    result = counterbalance(strobe.load("puma560"))
    H = result.robot.mass_matrix(result.robot.random_state(seed=5, batch=50)[0])
    changes = np.ptp(H, axis=0)
    assert (changes[result.constant] < 1e-12).all()
    assert not result.constant[0, 0]
    assert changes[0, 0] > 1
    assert result.says[-2].startswith("H depends on the pose: H11, H12, H13, ")


def test_a_joint_that_stands_upright_needs_no_weight():
    result = counterbalance(strobe.load("panda"))
    assert [w.joint for w in result.weights] == ["joint2", "joint3", "joint4", "joint5", "joint6", "joint7"]


def test_a_slide_and_the_joint_it_moves_loads_across_are_named_with_what_would_do():
    result = counterbalance(strobe.load("stanford"))
    assert [w.joint for w in result.weights] == ["joint4", "joint5"]
    two, three = result.obstacles
    assert str(two) == (
        'joint2: slide "joint3" moves 7.811 kg across its axis; 7.811 kg that slide the other way would balance it, '
        "or a spring that follows."
    )
    assert str(three) == (
        "joint3: a slide carries its 7.811 kg wherever they are, and turns with the joints before it; it needs up to "
        "76.63 N, or 7.811 kg that slide the other way."
    )
    assert "Gravity still acts on joint2, joint3." in result.says
    assert result.weightless == ("joint1", "joint4", "joint5", "joint6")
    held = largest_gravity(result.robot)
    assert (held[[0, 3, 4, 5]] < 1e-13).all()
    assert held[1] > 1 < held[2]


def test_a_joint_before_one_that_is_not_balanced_is_not_either():
    sideways = counterbalance(strobe.load("stanford").with_gravity([9.81, 0, 0]))
    assert [o.joint for o in sideways.obstacles] == ["joint1", "joint2", "joint3"]
    assert sideways.obstacles[0].why == 'joint "joint2" beyond it is not balanced'
    assert largest_gravity(sideways.robot)[0] > 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kinds", ["R", "RP", "RS"])
def test_what_is_said_of_random_trees_is_true(kinds, seed):
    result = counterbalance(strobe.random(5, seed, kinds=kinds, tree=True), 0.3)
    held = largest_gravity(result.robot)
    for joint in result.robot.coordinates.joints:
        vanishes = held[joint.v : joint.v + joint.nv].max() < 1e-10 * (1 + result.after.mass)
        assert vanishes == (joint.name in result.weightless)
    assert result.gravity_vanishes == (not result.obstacles)
    assert result.gravity_vanishes or "P" in kinds


def test_nothing_is_proven_of_a_robot_without_its_weights(planar2):
    weightless, constant = proven(planar2, ())
    assert weightless == ()
    assert constant.tolist() == [[False, False], [False, True]]  # H22 has been constant before


def test_a_slide_that_stands_upright_needs_a_constant_force(tmp_path):
    robot = crane(tmp_path, "0 1 0").with_gravity([0, -9.81, 0])
    result = counterbalance(robot)
    assert not result.weights
    assert result.says[0] == "No counterweight is needed or would help."
    assert [str(o) for o in result.obstacles] == [
        "trolley: a slide carries its 2 kg wherever they are; a constant force of 19.62 N (a spring, or a weight "
        "over a pulley) would hold it."
    ]
    assert largest_gravity(robot) == pytest.approx([0, 19.62])


def test_a_slide_along_the_axis_of_a_joint_does_not_unbalance_it(tmp_path):
    result = counterbalance(crane(tmp_path, "0 1 0"))
    assert [(w.joint, w.mass) for w in result.weights] == [("luff", pytest.approx(24.0))]
    assert result.gravity_vanishes
    assert largest_gravity(result.robot).max() < 1e-12


def test_a_slide_across_the_axis_of_a_joint_does(tmp_path):
    result = counterbalance(crane(tmp_path, "1 0 0"))
    assert [o.joint for o in result.obstacles] == ["luff", "trolley"]
    assert not result.weights


def test_level_joints_are_balanced_where_the_mass_matrix_is_to_be_constant(planar2):
    level = planar2.with_gravity([0, 0, -9.81])
    assert not counterbalance(level).weights
    result = counterbalance(level, 0.1, purpose="inertia")
    assert [w.joint for w in result.weights] == ["joint2"]  # H never depends on the first joint
    assert result.mass_matrix_is_constant
    H = result.robot.mass_matrix(level.random_state(seed=6, batch=20)[0])
    assert np.ptp(H, axis=0).max() < 1e-14


def test_a_ball_joint_is_balanced_about_its_centre(tmp_path):
    pytest.importorskip("mujoco", reason="MuJoCo (package mujoco) is not installed")
    path = tmp_path / "ball.xml"
    path.write_text(BALL)
    result = counterbalance(strobe.load(path), {"hinge": 0.2, "ball": 0.1})
    bob = next(w for w in result.weights if w.joint == "ball")
    assert np.linalg.norm(bob.position) == pytest.approx(0.1)
    assert bob.mass == pytest.approx(1.5 * np.linalg.norm([0.1, 0.05, 0.2]) / 0.1)
    assert result.gravity_vanishes
    assert largest_gravity(result.robot).max() < 1e-12


def test_a_floating_base_carries_its_weight_whatever_the_masses():
    result = counterbalance(strobe.load("planar2").with_base("floating"))
    (obstacle,) = result.obstacles
    assert obstacle.why.startswith("it floats, and carries the weight of ")
    assert set(result.weightless) == {"joint1", "joint2"}


def test_without_gravity_nothing_is_added(planar2):
    result = counterbalance(planar2.with_gravity([0, 0, 0]))
    assert not result.weights
    assert not result.obstacles
    assert result.gravity_vanishes


def test_a_balanced_robot_is_balanced_already(balanced2):
    again = counterbalance(balanced2.robot, ARMS)
    assert not again.weights
    assert again.gravity_vanishes


def test_a_payload_unbalances_it_again(balanced2):
    assert largest_gravity(balanced2.robot.with_payload(1.0)).max() > 1


@pytest.mark.parametrize(
    ("arm", "sentence"),
    [
        (0, 'the arm of joint "joint1" is 0 m; expected a distance above zero. The weight hangs opposite'),
        (-0.1, 'the arm of joint "joint1" is -0.1 m; expected a distance above zero.'),
        (float("nan"), 'the arm of joint "joint1" is nan; expected a finite number.'),
        (
            {"joint1": 0.1},
            "arm has no distance for joint2, which need a counterweight; give one number for all",
        ),
    ],
)
def test_distances_are_checked(planar2, arm, sentence):
    with pytest.raises(ArgumentError) as error:
        counterbalance(planar2, arm)
    assert str(error.value).startswith(sentence)


def test_other_arguments_are_checked(planar2):
    with pytest.raises(UnknownNameError, match='no joint "elbow" in planar2'):
        counterbalance(planar2, {"elbow": 0.1, **ARMS})
    with pytest.raises(ArgumentError, match='purpose is "looks"; expected one of gravity, inertia.'):
        counterbalance(planar2, purpose="looks")
    with pytest.raises(UnsupportedModelError, match="rx90 has no dynamics"):
        counterbalance(strobe.load("rx90"))
