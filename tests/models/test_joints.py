"""Kinds of joints: each is one record, which says all that others know of it."""

import ast
import math
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.algebra import Motion, Vec3
from strobe.errors import UnsupportedModelError
from strobe.formulations import FORMULATIONS
from strobe.mechanisms import counterbalance
from strobe.models.couplings import coordinates
from strobe.models.fingerprint import described
from strobe.models.joints import FIXED, KINDS, RAD, Joint
from strobe.models.model import ROOT
from strobe.models.random_robots import random_model
from strobe.models.regroup import regrouped, split
from strobe.models.toml_writer import write_toml
from strobe.models.urdf_writer import write_urdf
from strobe.robot import Robot
from strobe.scalars import FieldSystem

SOURCES = Path(strobe.__file__).parent
# the same words with other meanings: an option of motion controllers, a way of closing a loop
OTHER_MEANINGS = {("control/motion_controller.py", "continuous"), ("models/loops.py", "planar")}

INERTIA = [0.02, 0.03, 0.04, 0.001, -0.002, 0.003]  # xx yy zz xy xz yz about the centre of mass
MASS, COM = 2.0, [0.1, -0.2, 0.3]


def one_joint(kind, axis=(0, 0, 1), gravity=(0.0, 0.0, -9.81), **more):
    link = {"name": "body", "parent": "base", "joint": kind, "axis": list(axis), "mass": MASS, "com": COM}
    link |= {"inertia": INERTIA, **more}
    data = "\n".join(f"{key} = {value!r}" for key, value in link.items()).replace("'", '"')
    text = (
        f'format = 1\nname = "one"\n[base]\ngravity = {list(gravity)}\n[joints]\n[[joints.link]]\n{data}\n'
    )
    return Robot(strobe.load(text).model, compiled=False)


# -- no other place ---------------------------------------------------------------------------------------


def spelled(path):
    """Where a module spells the name of a kind: as a whole text, in any code that is no documentation."""
    tree = ast.parse(path.read_text("utf-8"))
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in KINDS
    ]


@pytest.mark.parametrize("path", sorted(SOURCES.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCES)))
def test_nothing_but_the_record_spells_a_kind(path):
    place = path.relative_to(SOURCES).as_posix()
    found = [(line, word) for line, word in spelled(path) if (place, word) not in OTHER_MEANINGS]
    assert place == "models/joints.py" or not found


def test_no_script_of_the_report_spells_a_kind():
    for path in SOURCES.rglob("*.js"):
        text = path.read_text("utf-8")
        assert not [kind for kind in KINDS if f'"{kind}"' in text], path


def test_letters_and_names_are_unique():
    letters = [kind.random_letter for kind in KINDS.values()]
    assert len(set(letters)) == len(letters)
    assert all(name == kind.name for name, kind in KINDS.items())
    assert FIXED.name not in KINDS


# -- what every record has to be true to -------------------------------------------------------------------


@pytest.fixture(params=KINDS)
def joint(request):
    kind = KINDS[request.param]
    return Joint("j", request.param, axis=1, sign=-1, pitch=0.07 if kind.has_pitch else 0.0)


def position(joint, seed):
    model = random_model(1, seed, kinds=joint.record.random_letter)
    q, _, _ = Robot(model, compiled=False).random_state(seed=seed)
    return [float(x) for x in q]


def placed(joint, q):
    return np.array(joint.pose(q).matrix().rows, float)


def test_sizes_names_and_units_go_together(joint):
    assert joint.nq == len(joint.position_names) == len(joint.position_units) == len(joint.neutral())
    assert joint.nv == len(joint.rate_names) == len(joint.rate_units) == len(list(joint.columns()))
    assert placed(joint, joint.neutral()) == pytest.approx(np.eye(4))


def test_columns_are_the_motions_of_the_pose(joint):
    """Ṫ = T [S v], for the rates of positions that velocities make."""
    q, v, h = position(joint, 1), np.random.default_rng(2).normal(size=joint.nv).tolist(), 1e-6
    rates = joint.position_rates(q, v)
    ahead, behind = (placed(joint, [x + s * h * r for x, r in zip(q, rates, strict=True)]) for s in (1, -1))
    twist = np.linalg.inv(placed(joint, q)) @ (ahead - behind) / (2 * h)
    S = joint.columns() @ v
    w, u = (np.array([float(x) for x in part]) for part in (S.angular, S.linear))
    expected = np.zeros((4, 4))
    expected[:3, :3] = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
    expected[:3, 3] = u
    assert twist == pytest.approx(expected, abs=1e-8)


def test_velocities_are_the_way_back_from_rates_of_positions(joint):
    q, v = position(joint, 3), np.random.default_rng(4).normal(size=joint.nv).tolist()
    assert joint.velocity(q, joint.position_rates(q, v)) == pytest.approx(v)
    assert joint.additive == (joint.position_rates(q, v) == pytest.approx(v))


@pytest.mark.parametrize("size", [1e-9, 0.02, 1.0, 3.0])
def test_a_step_leads_where_its_difference_says(joint, size):
    q = position(joint, 5)
    step = (size * np.ones(joint.nv) / np.sqrt(joint.nv)).tolist()
    there = joint.integrate(q, step)
    assert joint.difference(q, there) == pytest.approx(step, abs=1e-9)
    assert placed(joint, joint.integrate(q, joint.difference(q, there))) == pytest.approx(
        placed(joint, there)
    )


def test_a_step_is_the_exponential_of_its_motion(joint):
    q, v = position(joint, 6), np.random.default_rng(7).normal(size=joint.nv)
    small = q
    for _ in range(2000):
        small = joint.integrate(small, (v / 2000).tolist())
    assert placed(joint, small) == pytest.approx(placed(joint, joint.integrate(q, v.tolist())), abs=1e-9)


@pytest.mark.every("kind")
def test_what_a_joint_does_not_feel_moves_to_the_link_before_exactly(kind):
    """Regrouped torques are those of the model, in a prime field; what moves is all that could."""
    model = random_model(4, 2, kinds=f"R{KINDS[kind].random_letter}", tree=True)
    system = FieldSystem(3)
    lifted = model.lift(system)
    state = lifted.variables()
    ID = FORMULATIONS["spatial-newton-euler"].inverse_dynamics
    before, after = (ID(each, *state) for each in (lifted, regrouped(lifted)))
    assert [system.lower(x) for x in before] == [system.lower(x) for x in after]


def test_what_moves_is_never_felt_and_looks_alike_in_every_position(joint):
    body = random_model(1, 3).bodies[0].inertia
    _, moved = split(joint, body)
    for column in joint.columns():
        felt = (
            moved @ column
            if joint.nv == 1 and not joint.slides
            else moved @ Motion(column.angular, Vec3.zero())
        )
        if not joint.is_ball:
            assert [float(x) for x in (*felt.moment, *felt.force)] == pytest.approx([0.0] * 6)
    seen = [joint.pose(position(joint, seed)).inertia(moved).parameters for seed in (1, 2)]
    if not joint.slides:
        assert [float(x) for x in seen[0]] == pytest.approx([float(x) for x in seen[1]])


def test_a_joint_that_is_locked_stands_where_it_would(joint):
    model = random_model(3, 4, kinds=f"RP{joint.record.random_letter}")
    robot = Robot(model, compiled=False)
    q, _, _ = robot.random_state(seed=1)
    held = robot.model.joints[1]
    locked = robot.lock({held.name: q[held.q : held.q + held.nq].tolist()})
    rest = np.delete(q, range(held.q, held.q + held.nq))
    assert locked.forward_kinematics(rest, "tool") == pytest.approx(robot.forward_kinematics(q, "tool"))


@pytest.mark.every("kind")
def test_a_robot_of_every_kind_is_written_to_toml_and_read_back(kind):
    robot = Robot(random_model(3, 5, kinds=KINDS[kind].random_letter), compiled=False)
    again = Robot(strobe.load(write_toml(robot.model)).model, compiled=False)
    state = robot.random_state(seed=1)
    assert again.inverse_dynamics(*state).tolist() == robot.inverse_dynamics(*state).tolist()


# -- golden values -----------------------------------------------------------------------------------------


def test_a_vertical_screw_lifts_its_weight_by_its_pitch():
    """τ = (I_zz + m (x² + y²) + m p²) q̈ + m g p, about z through the origin; by hand."""
    p, qdd = 0.25, 2.0
    robot = one_joint("helical", pitch=p)
    inertia = 0.04 + 2.0 * (0.1**2 + 0.2**2) + 2.0 * p**2
    assert inertia == pytest.approx(0.265)
    for q in (0.0, 1.3, -40.0):
        assert robot.inverse_dynamics([q], [3.0], [qdd]) == pytest.approx([0.265 * 2.0 + 2.0 * 9.81 * 0.25])
        assert robot.forward_kinematics([q], "body")[2, 3] == pytest.approx(p * q)
    assert robot.mass_matrix([0.7]) == pytest.approx(np.array([[0.265]]))
    assert robot.jacobian([0.7], "body")[:, 0] == pytest.approx([0, 0, 0.25, 0, 0, 1])


def test_a_body_in_a_vertical_plane_obeys_newton_and_euler():
    """F = m (v̇ + ω × v + ω̇ × c − ω² c − Rᵀ g) in body axes, N = c × F + I_zz ω̇; by hand."""
    robot = one_joint("planar", gravity=(0.0, -9.81, 0.0))
    q, (vx, vy, w), (ax, ay, wd) = [0.5, -1.0, 0.8], [0.3, -0.7, 1.1], [0.9, 0.2, -0.4]
    cx, cy = 0.1, -0.2
    gx, gy = -9.81 * math.sin(0.8), -9.81 * math.cos(0.8)
    fx = 2.0 * (ax - w * vy - wd * cy - w * w * cx - gx)
    fy = 2.0 * (ay + w * vx + wd * cx - w * w * cy - gy)
    expected = [fx, fy, cx * fy - cy * fx + 0.04 * wd]
    found = robot.inverse_dynamics(q, [vx, vy, w], [ax, ay, wd])
    assert found == pytest.approx(expected)
    assert found == pytest.approx([17.0125265034, 15.1333856374, 4.8998438644])
    M = [[2.0, 0.0, 0.4], [0.0, 2.0, 0.2], [0.4, 0.2, 0.04 + 2.0 * 0.05]]
    assert robot.mass_matrix(q) == pytest.approx(np.array(M))


def test_a_planar_joint_is_two_slides_and_a_hinge():
    """The same places, and torques by the power that both take."""
    plane = one_joint("planar", axis=(1, 0, 0))
    steps = "\n".join(
        f'[[joints.link]]\nname = "{name}"\nparent = "{parent}"\njoint = "{kind}"\naxis = {axis}'
        for name, parent, kind, axis in (
            ("s1", "base", "prismatic", [0, 1, 0]), ("s2", "s1", "prismatic", [0, 0, 1]),
            ("body", "s2", "revolute", [1, 0, 0]),
        )
    )  # fmt: skip
    text = (
        f'format = 1\nname = "steps"\n[joints]\n{steps}\nmass = {MASS}\ncom = {COM}\ninertia = {INERTIA}\n'
    )
    chain = Robot(strobe.load(text).model, compiled=False)
    q, v, a = np.array([0.2, -0.3, 0.9]), np.array([0.5, 0.6, -0.7]), np.array([0.1, -0.4, 0.8])
    c, s = math.cos(q[2]), math.sin(q[2])
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    turning = np.array([-v[2] * v[1], v[2] * v[0], 0.0])  # ω × v
    tau = chain.inverse_dynamics(q, R @ v, R @ (a + turning))
    assert chain.forward_kinematics(q, "body") == pytest.approx(plane.forward_kinematics(q, "body"))
    assert plane.inverse_dynamics(q, v, a) == pytest.approx(R.T @ tau)


def test_a_plane_seen_from_behind_is_right_handed_too():
    ahead, behind = (placed(Joint("j", "planar", 2, sign), [0.3, 0.4, 0.5]) for sign in (1, -1))
    assert ahead[:3, 3] == pytest.approx([0.3, 0.4, 0.0])
    assert behind[:3, 3] == pytest.approx([0.3, -0.4, 0.0])
    assert behind[:3, :3] == pytest.approx(ahead[:3, :3].T)


def test_differences_in_a_plane_go_the_short_way_round():
    joint = Joint("j", "planar")
    assert joint.difference([0, 0, 3.0], [0, 0, -3.0]) == pytest.approx([0, 0, 2 * math.pi - 6.0])
    assert joint.integrate([0, 0, 3.0], [0, 0, 1.0]) == pytest.approx([0, 0, 4.0])


@pytest.mark.parametrize("kinds", ["H", "E", "RHE"])
def test_energy_is_kept_in_a_fall(kinds):
    robot = Robot(random_model(2, 6, kinds=kinds))
    q, qd, _ = robot.random_state(seed=2)
    run = robot.simulate(q, qd, None, 0.5, step=1e-3, method="rk4")
    total = robot.energy(run.q, run.qd).sum(axis=-1)
    assert np.ptp(total) < 1e-8 * max(1.0, np.abs(total).max())


# -- files -------------------------------------------------------------------------------------------------

SCREW = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>
  <body name="body" pos="0 0 0.5"><inertial pos="0.1 -0.2 0.3" mass="2"
      fullinertia="0.02 0.03 0.04 0.001 -0.002 0.003"/>
    <joint name="lift" type="slide" axis="0 0 1"/><joint name="turn" type="hinge" axis="0 0 1"/></body>
  </worldbody><equality><joint joint1="lift" joint2="turn" polycoef="0 0.25 0 0 0"/></equality></mujoco>"""


def test_a_slide_that_follows_a_hinge_is_a_screw():
    """MJCF has no screws: an equality couples the two, and the torques are those of one."""
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    coupled = Robot(strobe.load(SCREW).model, compiled=False)
    screw = one_joint("helical", pitch=0.25)
    assert coupled.joint_names == ("turn",)
    state = [0.7], [1.2], [-0.4]
    assert coupled.inverse_dynamics(*state) == pytest.approx(screw.inverse_dynamics(*state))
    assert coupled.mass_matrix([0.7]) == pytest.approx(screw.mass_matrix([0.7]))


PLANAR = """<robot name="sledge"><link name="ground"/><link name="sledge"><inertial><origin xyz="0.1 0 0"/>
  <mass value="2"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="ice" type="planar"><parent link="ground"/><child link="sledge"/><axis xyz="{}"/></joint></robot>"""


@pytest.mark.parametrize("axis", ["0 0 1", "0 -1 0", "1 0 0", "1 2 -2"])
def test_a_planar_joint_of_a_urdf_moves_across_its_axis(axis):
    robot = Robot(strobe.load(PLANAR.format(axis)).model, compiled=False)
    normal = np.array([float(x) for x in axis.split()])
    normal /= np.linalg.norm(normal)
    assert robot.coordinates.position_names == ("ice_x", "ice_y", "ice_turn")
    T = robot.forward_kinematics([0.3, 0.4, 0.5], "sledge")
    assert T[:3, 3] @ normal == pytest.approx(0.0)
    assert np.linalg.norm(T[:3, 3]) == pytest.approx(0.5)
    assert T[:3, :3] @ normal == pytest.approx(normal)
    assert np.trace(T[:3, :3]) == pytest.approx(1 + 2 * math.cos(0.5))
    text, remarks = write_urdf(robot.model)
    again = Robot(strobe.load(text).model, compiled=False)
    state = robot.random_state(seed=1)
    assert again.inverse_dynamics(*state) == pytest.approx(robot.inverse_dynamics(*state))
    assert 'joint "ice" is planar, which few readers of URDF know.' in remarks


def test_a_screw_is_refused_by_urdf():
    with pytest.raises(
        UnsupportedModelError, match='joint "body" is helical, which URDF cannot say. Write TOML'
    ):
        write_urdf(one_joint("helical", pitch=0.1).model)


def test_a_screw_in_a_row_of_denavit_and_hartenberg():
    rows = [("R", 0.0, 0.2, 0.3, 0.1), {"joint": "H", "pitch": 0.05, "a": 0.1, "mass": 1.0}]
    robot = strobe.from_dh(rows)
    assert [joint.kind for joint in robot.model.joints] == ["revolute", "helical"]
    assert robot.model.joints[1].pitch == 0.05


def test_the_pitch_may_be_a_parameter_of_the_file():
    text = """format = 1
name = "screw"
[parameters]
lead = 0.01
[joints]
[[joints.link]]
name = "nut"
parent = "base"
joint = "helical"
axis = [0, 0, 1]
pitch = "lead/(2*pi)"
mass = 1.0
inertia = [0.01, 0.01, 0.01, 0, 0, 0]
"""
    robot = strobe.load(text)
    assert robot.model.joints[0].pitch == pytest.approx(0.01 / (2 * math.pi))
    assert 'pitch = "lead/(2*pi)"' in write_toml(robot.model)


def test_only_a_screw_says_a_pitch():
    """So that the digests of other robots stay what they were."""
    assert "pitch" not in described(strobe.load("puma560").model)['joint "joint1"']
    assert described(one_joint("helical", pitch=0.1).model)['joint "body"']["pitch"] == 0.1


# -- what does not take them says so --------------------------------------------------------------------------


def test_formulations_of_chains_refuse_a_screw_by_name():
    robot = one_joint("helical", pitch=0.1)
    for name in ("newton-euler", "uicker-kahn"):
        with pytest.raises(UnsupportedModelError, match='has the helical joint "body"'):
            robot.inverse_dynamics([0.1], [0.1], [0.1], formulation=name)
    for name in ("decomposition", "lagrange-jacobian"):
        assert FORMULATIONS[name].refusal(robot.model) == (
            f'joint "body" of one is helical; {name} takes joints that turn or slide.'
        )


def test_analytic_inverse_kinematics_refuses_a_screw():
    robot = one_joint("helical", pitch=0.1)
    with pytest.raises(
        UnsupportedModelError, match="is helical; analytic inverse kinematics needs joints that turn"
    ):
        robot.inverse_kinematics(np.eye(4), "body", method="analytic")


def test_closed_forms_refuse_a_plane_and_write_a_screw():
    with pytest.raises(
        UnsupportedModelError, match="planar, and its velocities are not the rates of its positions"
    ):
        one_joint("planar").equations()
    screw = Robot(random_model(2, 7, kinds="H"), compiled=False)
    state = screw.random_state(seed=3)
    closed = screw.equations(numbers=True)
    assert closed.evaluate(closed.torques, *state) == pytest.approx(screw.inverse_dynamics(*state))


def test_planners_and_controllers_refuse_a_plane():
    robot = one_joint("planar")
    with pytest.raises(
        strobe.StrobeError, match="has joints with several positions; motions are planned for joints"
    ):
        robot.plan([[0, 0, 0], [1, 1, 1]])


def test_rerooting_turns_a_screw_round_and_refuses_a_plane():
    from strobe.models.rerooting import reroot

    robot = Robot(random_model(2, 8, kinds="H"), compiled=False)
    q = np.array([0.4, -0.7])
    other = Robot(reroot(robot.model, "tool"), compiled=False)
    there = dict(zip(other.joint_names, range(2), strict=True))
    turned = np.array([q[robot.joint_names.index(name)] for name in there])
    seen = np.linalg.inv(robot.forward_kinematics(q, "tool"))
    assert other.forward_kinematics(turned, "base") == pytest.approx(seen)
    with pytest.raises(UnsupportedModelError, match="is planar: seen from its other side"):
        reroot(random_model(2, 8, kinds="E"), "tool")


def test_counterweights_refuse_a_screw():
    robot = Robot(random_model(2, 9, kinds="RH"), compiled=False)
    assert any(joint.has_pitch for joint in robot.model.joints)
    with pytest.raises(UnsupportedModelError, match="masses are balanced about joints that turn or slide"):
        counterbalance(robot)


def test_similar_robots_have_similar_screws():
    assert one_joint("helical", pitch=0.1).scaled(length=2.0).model.joints[0].pitch == pytest.approx(0.2)


def test_units_of_a_state_follow_from_the_kind():
    robot = Robot(random_model(3, 1, kinds="E"), compiled=False)
    units = [unit for joint in coordinates(robot.model).joints for unit in joint.position_units]
    assert units == ["m", "m", RAD] * 3
    assert robot.model.bodies[0].parent == ROOT
