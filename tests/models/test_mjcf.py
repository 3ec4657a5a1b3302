"""MJCF against MuJoCo itself: torques, mass matrix and placements of small models."""

import sys

import numpy as np
import pytest

import strobe
from strobe import Robot
from strobe.errors import MissingExtraError, ModelFileError
from strobe.files import reading
from strobe.models.couplings import coordinates
from strobe.models.fingerprint import fingerprint
from strobe.models.load import load_model
from strobe.models.mjcf import read_mjcf
from strobe.models.toml_reader import read_toml
from strobe.models.toml_writer import write_toml

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (package mujoco) is not installed")

ARM = """<mujoco model="arm">
  <compiler angle="radian"/><option gravity="0.5 0.2 -9.7"/>
  <worldbody>
    <body name="stand" pos="0 0 0.3" euler="0 0 0.4">
      <geom type="box" size=".1 .1 .3"/>
      <body name="upper" pos="0 0.1 0.3" quat="0.9 0.1 -0.3 0.2">
        <joint name="shoulder" axis="1 2 -1" pos="0.02 -0.01 0.05" ref="0.3" damping="0.4" armature="0.07"
               range="-2 1.5" actuatorfrcrange="-30 20"/>
        <geom type="capsule" fromto="0 0 0 0.1 0.2 0.5" size="0.05"/>
        <body name="fore" pos="0.1 0.2 0.5" euler="1.5707963267948966 0 0">
          <joint name="slide" type="slide" axis="0 1 1" ref="-0.1" frictionloss="0.6"/>
          <joint name="elbow" axis="0 0 -1" pos="0 0.1 0"/>
          <geom type="box" size=".05 .04 .2" pos="0.03 0 0.2" euler="0.1 0.2 0.3"/>
          <site name="tip" pos="0 0 0.45" euler="0 0.7 0"/>
          <body name="camera" pos="0 0 0.1"><geom size="0.03" pos="0.1 0 0"/></body>
          <body name="ball" pos="0 0 0.4" euler="0.3 -0.2 0.1">
            <joint name="wrist" type="ball" pos="0 0.02 -0.03" armature="0.01"/>
            <geom type="ellipsoid" size=".05 .08 .03" pos="0 0.02 0.05"/>
          </body>
        </body>
      </body>
    </body>
    <body name="parcel" pos="1 2 3" euler="0.5 0.6 0.7">
      <freejoint name="flight"/>
      <geom type="box" size=".1 .2 .3" pos="0.05 0 0.1"/>
      <body pos="0 0.2 0.1"><joint axis="1 0 0"/><geom size="0.04" pos="0 0 0.1"/></body>
    </body>
  </worldbody>
</mujoco>"""

ONE = """<mujoco><worldbody><body name="arm"><joint name="a"/><geom size=".1" pos="1 0 0"/>{inside}</body>
<body name="other"><joint name="b" ref="10"/><geom size=".1"/></body></worldbody>{after}</mujoco>"""


def one(inside="", after="", **options):
    return read_mjcf("one.xml", text=ONE.format(inside=inside, after=after), **options)


@pytest.fixture(scope="module")
def arm():
    return read_mjcf("arm.xml", text=ARM)


@pytest.fixture(scope="module")
def peer():
    return mujoco.MjModel.from_xml_string(ARM)


@pytest.fixture(params=range(3))
def state(request, peer):
    """q, qd, qdd of MuJoCo, a random turn in every quaternion."""
    rng = np.random.default_rng(request.param)
    q, qd, qdd = rng.standard_normal(peer.nq), rng.standard_normal(peer.nv), rng.standard_normal(peer.nv)
    for kind, start in zip(peer.jnt_type, peer.jnt_qposadr, strict=True):
        if kind < 2:
            quaternion = slice(start + 3, start + 7) if kind == 0 else slice(start, start + 4)
            q[quaternion] /= np.linalg.norm(q[quaternion])
    return q, qd, qdd


def world_from_body(peer, data):
    """What takes our velocity (a free joint's linear part in body axes) to MuJoCo's."""
    B = np.eye(peer.nv)
    free = peer.jnt_dofadr[list(peer.jnt_type).index(0)]
    R = data.xmat[peer.body("parcel").id].reshape(3, 3)
    B[free : free + 3, free : free + 3] = R
    return B, free, R


def test_the_mass_matrix_is_mujocos(arm, peer, state):
    q, _, _ = state
    data = mujoco.MjData(peer)
    data.qpos[:] = q
    mujoco.mj_forward(peer, data)
    M = np.zeros((peer.nv, peer.nv))
    mujoco.mj_fullM(peer, data, M)
    B, _, _ = world_from_body(peer, data)
    ours = Robot(arm, compiled=False).mass_matrix(q)
    assert np.allclose(ours, B.T @ M @ B, rtol=0, atol=1e-10 * np.abs(M).max())


def test_the_torques_are_mujocos_with_damping_and_armature(arm, peer, state):
    q, qd, qdd = state
    data = mujoco.MjData(peer)
    data.qpos[:] = q
    mujoco.mj_forward(peer, data)
    B, free, R = world_from_body(peer, data)
    data.qvel[:], data.qacc[:] = B @ qd, B @ qdd
    # the acceleration of a point is R (a + w × v) for velocities v, w in body axes
    v, w = qd[free : free + 3], qd[free + 3 : free + 6]
    data.qacc[free : free + 3] += R @ np.cross(w, v)
    mujoco.mj_fwdPosition(peer, data)
    mujoco.mj_fwdVelocity(peer, data)
    rigid = np.zeros(peer.nv)
    mujoco.mj_rne(peer, data, 1, rigid)
    expected = B.T @ (rigid + peer.dof_armature * data.qacc + peer.dof_damping * data.qvel)
    slides = arm.joint("slide").v  # MuJoCo's frictionloss is a constraint, ours a torque
    expected[slides] += 0.6 * np.sign(qd[slides])
    ours = Robot(arm, compiled=False).inverse_dynamics(*state)
    assert np.allclose(ours, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_bodies_and_sites_are_where_mujoco_puts_them(arm, peer, state):
    q, _, _ = state
    data = mujoco.MjData(peer)
    data.qpos[:] = q
    mujoco.mj_forward(peer, data)
    for frame, position, turn in (
        ("camera", data.body("camera").xpos, data.body("camera").xmat),
        ("parcel", data.body("parcel").xpos, data.body("parcel").xmat),
        ("tip", data.site("tip").xpos, data.site("tip").xmat),
    ):
        T = Robot(arm, compiled=False).forward_kinematics(q, frame)
        assert np.allclose(T[:3, 3], position, atol=1e-12)
        assert np.allclose(T[:3, :3], turn.reshape(3, 3), atol=1e-12)


def test_names_kinds_and_order_are_the_files(arm):
    assert arm.name == "arm"
    assert arm.joint_names == ("shoulder", "slide", "elbow", "wrist", "flight", "joint5")
    kinds = [joint.kind for joint in arm.joints]
    assert kinds == ["revolute", "prismatic", "revolute", "spherical", "floating", "revolute"]
    assert [body.name for body in arm.bodies][:4] == ["upper", "slide_link", "fore", "ball"]
    assert {"world", "stand", "camera", "tip"} <= {frame.name for frame in arm.frames}


def test_limits_friction_and_armature_are_kept(arm):
    shoulder, slide = arm.joint("shoulder"), arm.joint("slide")
    assert (shoulder.limits.lower, shoulder.limits.upper, shoulder.limits.effort) == (-2.0, 1.5, 30.0)
    assert (shoulder.damping, shoulder.rotor_inertia) == (0.4, 0.07)
    assert slide.coulomb == (0.6, 0.6)


def test_right_angles_are_exact(arm):
    fore = arm.bodies[1]
    turns = [step.angle for step in fore.before.steps if hasattr(step, "angle")]
    assert np.pi / 2 in turns


def test_a_linear_joint_equality_becomes_a_coupling_between_positions():
    model = one(after='<equality><joint joint1="b" joint2="a" polycoef="0.2 3 0 0 0"/></equality>')
    (coupling,) = model.couplings
    assert coupling.joint == "b"
    assert dict(coupling.terms) == {"a": 3.0}
    assert coupling.offset == pytest.approx(0.2 + np.radians(10))
    assert coordinates(model).nv == 1


def test_a_curved_joint_equality_becomes_a_curve_over_positions():
    model = one(
        after='<equality><joint name="e" joint1="a" joint2="b" polycoef="0.1 1 2 0 -3"/></equality>'
    )
    assert (model.couplings, model.notes) == ((), ())
    (curve,) = model.curves
    assert (curve.name, curve.joint, curve.other) == ("e", "a", "b")
    x = 0.4 - np.radians(10)  # from the reference of b; that of a is zero
    wanted = 0.1 + x + 2 * x**2 - 3 * x**4
    assert np.polynomial.Polynomial(curve.coefficients)(0.4) == pytest.approx(wanted, abs=1e-15)
    assert Robot(model, compiled=False).loop_residuals([wanted, 0.4]) == pytest.approx([0], abs=1e-15)


def test_a_joint_that_two_equalities_bind_keeps_both():
    twice = '<joint joint1="a" joint2="b"/><joint name="e" joint1="a" joint2="c" polycoef="1 2 0 0 0"/>'
    inside = '<body><joint name="c"/><geom size=".1"/></body>'
    model = one(inside, f"<equality>{twice}</equality>")
    assert [(c.joint, dict(c.terms)) for c in model.couplings] == [("a", {"b": 1.0})]
    assert [(c.name, c.joint, c.other, c.coefficients) for c in model.curves] == [
        ("e", "a", "c", (1.0, 2.0))
    ]
    held = one(
        after='<equality><joint joint1="a" polycoef="0.3 0 0 0 0"/><joint joint1="a" joint2="b"/></equality>'
    )
    assert [(c.joint, c.other, c.coefficients) for c in held.curves] == [("a", "b", (0.3,))]


def test_a_connect_becomes_a_loop_with_its_two_frames_together_at_the_start():
    inside = '<body name="tail" pos="1 0 0"><joint/><geom size=".1"/></body>'
    model = one(
        inside, '<equality><connect name="c" body1="tail" body2="other" anchor="0.1 0 0"/></equality>'
    )
    (loop,) = model.loops
    assert (loop.name, loop.frame_a, loop.frame_b, loop.kind) == ("c", "c_a", "c_b", "point")
    start = [0.0, 0.0, float(np.radians(10))]
    a, b = (Robot(model, compiled=False).forward_kinematics(start, frame) for frame in ("c_a", "c_b"))
    assert np.allclose(a[:3, 3], b[:3, 3])
    assert np.allclose(a[:3, 3], [1.1, 0, 0])
    assert model.notes == ()


def test_a_weld_becomes_a_loop_with_coinciding_frames():
    inside = '<body name="tail" pos="1 0 0" euler="0 30 0"><joint/><geom size=".1"/></body>'
    model = one(inside, '<equality><weld body1="tail" body2="other" anchor="0.1 0.2 0"/></equality>')
    (loop,) = model.loops
    start = [0.0, 0.0, float(np.radians(10))]
    robot = Robot(model, compiled=False)
    a, b = (robot.forward_kinematics(start, frame) for frame in (loop.frame_a, loop.frame_b))
    assert np.allclose(a, b)
    assert loop.kind == "full"


LOOPS = """<mujoco><compiler angle="radian"/>
<option solver="Newton" tolerance="1e-14" iterations="200" jacobian="dense"><flag contact="disable"/></option>
<worldbody>
<body name="crank"><joint name="crank" axis="0 -1 0"/><geom type="capsule" fromto="0 0 0 .15 0 0" size=".02"/>
 <body name="coupler" pos=".15 0 0"><joint name="coupler" axis="0 -1 0"/>
  <geom type="capsule" fromto="0 0 0 .45 0 0" size=".02"/><site name="end" pos=".45 0 0"/></body></body>
<body name="rocker" pos=".4 0 0"><joint name="rocker" axis="0 -1 0"/>
 <geom type="capsule" fromto="0 0 0 .35 0 0" size=".02"/><site name="top" pos=".35 0 0"/></body>
<body name="lamp" pos="0 1 1"><joint type="ball"/><geom size=".1" pos=".3 .1 0"/></body>
<body name="drawer" pos="0 -1 0"><joint name="drawer" type="slide" axis="0 0 1"/><geom size=".1"/></body>
</worldbody>
<equality><connect name="pin" site1="end" site2="top" {stiff}/>
<connect name="hook" body1="lamp" anchor=".2 0 0" {stiff}/>
<joint name="cam" joint1="drawer" joint2="crank" polycoef="0 .1 .3 0 0" {stiff}/>
{more}</equality>
<actuator><motor joint="crank"/></actuator></mujoco>"""
STIFF = 'solimp="0.9999 0.9999 .1 .5 1" solref=".01 1"'


def held_exactly(peer, data):
    """The accelerations that MuJoCo's own conditions demand at rest: M a = f + Jᵀ λ, J a = 0."""
    M, J = np.zeros((peer.nv, peer.nv)), data.efc_J.reshape(-1, peer.nv)
    mujoco.mj_fullM(peer, data, M)
    system = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    right = np.concatenate([data.qfrc_applied - data.qfrc_bias, np.zeros(len(J))])
    return np.linalg.lstsq(system, right, rcond=1e-12)[0][: peer.nv]


def test_loops_at_rest_accelerate_as_the_conditions_of_mujoco_demand():
    text = LOOPS.format(stiff=STIFF, more="")
    peer, model = mujoco.MjModel.from_xml_string(text), read_mjcf("loops.xml", text=text)
    assert [(loop.name, loop.kind) for loop in model.loops] == [("pin", "point"), ("hook", "point")]
    assert (model.actuated, [curve.name for curve in model.curves]) == (("crank",), ["cam"])
    robot, data = Robot(model, compiled=False), mujoco.MjData(peer)
    q = robot.assemble([0.7, -0.5, 1.5, 1, 0, 0, 0, 0.2], hold={"crank": 0.7})
    data.qpos[:], data.qfrc_applied[:] = q, [2.0, 0.0, 0.0, 0.3, -0.2, 0.1, 4.0]
    mujoco.mj_forward(peer, data)
    ours = robot.forward_dynamics(q, np.zeros(robot.nv), data.qfrc_applied)
    assert ours == pytest.approx(held_exactly(peer, data), abs=1e-9)
    assert ours == pytest.approx(data.qacc, abs=0.2)  # they pull softly
    assert np.abs(ours - data.qacc_smooth).max() > 1  # the open tree falls otherwise


@pytest.mark.parametrize(
    ("more", "kinds"),
    [
        ('<weld name="w" site1="end" site2="top"/>', ["full"]),
        ('<weld name="w" body1="rocker" body2="coupler" relpose=".1 .2 .3 1 0 0 0"/>', ["full"]),
        ('<weld name="w" body1="rocker" body2="coupler" torquescale="0"/>', ["point"]),
        ('<weld name="w" body1="lamp"/>', ["full"]),
        ('<weld name="w" body1="lamp" active="false"/>', []),
    ],
)
def test_welds_are_loops_of_all_axes_unless_these_weigh_nothing(more, kinds):
    model = read_mjcf("loops.xml", text=LOOPS.format(stiff="", more=more))
    assert [loop.kind for loop in model.loops if loop.name == "w"] == kinds
    left_out = [str(note) for note in model.notes]
    assert left_out == ([] if kinds else ['loops.xml: equality "w": not active at the start: left out.'])


def test_a_weld_to_a_stated_pose_holds_where_mujoco_has_no_error():
    more = (
        '<weld name="w" body1="rocker" body2="coupler" relpose=".1 .2 .3 .8 .6 0 0" anchor="0.05 0 0.1"/>'
    )
    text = LOOPS.format(stiff="", more=more)
    model, peer = read_mjcf("loops.xml", text=text), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    data.qpos[:] = [0.2, 0.4, -0.3, 1, 0, 0, 0, 0]
    mujoco.mj_forward(peer, data)
    robot = Robot(model, compiled=False)
    a, b = (robot.forward_kinematics(data.qpos, frame) for frame in ("w_a", "w_b"))
    theirs = data.efc_pos[: data.ne][data.efc_id[: data.ne] == 3]  # the fourth equality
    assert np.abs(theirs[:3]) == pytest.approx(np.abs(a[:3, 3] - b[:3, 3]), abs=1e-12)
    turn = a[:3, :3].T @ b[:3, :3]
    assert np.linalg.norm(theirs[3:]) == pytest.approx(np.sqrt((3 - np.trace(turn)) / 4), rel=1e-9)


def test_a_loop_inside_one_rigid_part_is_dropped_where_closed_and_refused_where_open():
    more = '<connect name="w" body1="lamp" body2="shade" anchor="0 0 0"/>'
    inside = '<body name="shade"><geom size=".01"/></body></body>\n<body name="drawer"'
    text = LOOPS.format(stiff="", more=more).replace('</body>\n<body name="drawer"', inside)
    assert [loop.name for loop in read_mjcf("loops.xml", text=text).loops] == ["pin", "hook"]
    apart = text.replace(
        more, more.replace("connect", "weld").replace('anchor="0 0 0"', 'relpose="1 0 0 1 0 0 0"')
    )
    with pytest.raises(ModelFileError) as caught:
        read_mjcf("loops.xml", text=apart)
    assert str(caught.value) == (
        'loops.xml: loop "w" of loops is open by 1, and no joint is left to close it. '
        "Lock joints where it is closed; robot.assemble(q) gives such positions."
    )


def test_what_is_left_out_is_said_and_refused_when_strict():
    inside = '<body name="tail"><joint name="s" stiffness="3"/><geom size=".1"/></body>'
    (note,) = one(inside).notes
    assert str(note) == 'one.xml: joint "s": a spring of stiffness 3 is left out.'
    with pytest.raises(ModelFileError, match="a spring of stiffness 3"):
        one(inside, strict=True)


def test_a_site_with_a_bodys_name_is_renamed_with_a_note():
    model = one('<site name="arm"/>')
    assert model.frames[-1].name == "arm_2"
    assert 'the frame is called "arm_2"' in model.notes[0].text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "<mujoco>\n<wheel/></mujoco>",
            "bad.xml:2: MuJoCo cannot compile this: XML Error: Schema violation",
        ),
        ("<mujoco", "bad.xml:1: malformed XML at column 1: unclosed token."),
        (
            '<mujoco><equality>\n<connect body1="b" anchor=" "/></equality></mujoco>',
            "bad.xml:2: <connect> has an empty anchor; expected three numbers.",
        ),
        (
            '<mujoco><worldbody><site name="s" quat="1e-200 0 0 0"/></worldbody></mujoco>',
            "bad.xml: MuJoCo makes site_quat of it that is no place; look for a number that is huge or tiny.",
        ),
        (
            "<mujoco><worldbody>\n<body><joint/></body></worldbody></mujoco>",
            "bad.xml:2: MuJoCo cannot compile this: Error: mass and inertia of moving bodies",
        ),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(text, sentence):
    with pytest.raises(ModelFileError) as caught:
        read_mjcf("bad.xml", text=text)
    assert str(caught.value).startswith(sentence)


def test_a_missing_file_is_named():
    with pytest.raises(ModelFileError, match=r"nowhere\.xml: cannot be read: No such file"):
        read_mjcf("nowhere.xml")


def test_a_file_is_read_by_its_path(tmp_path):
    (tmp_path / "arm.xml").write_text(ARM)
    assert read_mjcf(tmp_path / "arm.xml").nv == 13


SOFT = """<mujoco><worldbody><body name="b">
<flexcomp name="soft" type="grid" count="2 2 1" dim="2" mass="1" radius=".01" spacing="1 1 1"/>
</body></worldbody></mujoco>"""


def test_what_mujoco_remarks_while_compiling_is_a_note_and_not_a_log_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notes = [str(note) for note in read_mjcf("soft.xml", text=SOFT).notes]
    remark = "MuJoCo remarks: flex 'soft' is not rigid and has no equality constraints or passive forces."
    assert f"soft.xml: {remark}" in notes
    assert list(tmp_path.iterdir()) == []
    assert mujoco.get_mju_user_warning() is None


def test_a_missing_mujoco_is_told_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtraError) as caught:
        read_mjcf("arm.xml", text=ARM)
    assert str(caught.value) == (
        'reading an MJCF file needs the package mujoco, which is not installed: pip install "strobe-dynamics[mjcf]"'
    )


# -- what the file disables, and what actuators add -----------------------------------------------------

FLAGS = """<mujoco><option gravity="0 0 -5"><flag {flag}="disable"/></option><worldbody>
<body name="arm"><joint name="a" damping="0.3" frictionloss="0.2" stiffness="{k}"/>
<geom size=".1" pos="1 0 0"/></body>
<body name="other"><joint name="b"/><geom size=".1"/></body></worldbody>
<equality><joint name="e" joint1="b" joint2="a"/></equality></mujoco>"""


def disabled(flag, k=0):
    return read_mjcf("one.xml", text=FLAGS.format(flag=flag, k=k))


@pytest.mark.parametrize(
    ("flag", "gravity", "damping", "loss", "couplings"),
    [
        ("contact", -5.0, 0.3, 0.2, 1),
        ("gravity", 0.0, 0.3, 0.2, 1),
        ("damper", -5.0, 0.0, 0.2, 1),
        ("frictionloss", -5.0, 0.3, 0.0, 1),
        ("equality", -5.0, 0.3, 0.2, 0),
        ("constraint", -5.0, 0.3, 0.0, 0),
    ],
)
def test_what_the_file_disables_is_not_there(flag, gravity, damping, loss, couplings):
    model = disabled(flag)
    joint = model.joint("a")
    assert model.gravity.linear.z == gravity
    assert (joint.damping, joint.coulomb, len(model.couplings)) == (damping, (loss, loss), couplings)
    assert [note.severity for note in model.notes] == ([] if couplings else ["note"])


def test_a_disabled_spring_is_not_missed():
    assert any("spring" in note.text for note in disabled("contact", k=3).notes)
    assert disabled("spring", k=3).notes == ()


def test_armature_and_damping_of_actuators_reach_their_joint_by_the_square_of_the_gear():
    text = ARM.replace(
        "</mujoco>",
        """<actuator><motor joint="elbow" gear="-3" armature="0.02" damping="0.5"/>
        <motor joint="elbow" armature="0.1"/><motor jointinparent="wrist" gear="2" armature="0.01"/>
        </actuator></mujoco>""",
    )
    model, peer = read_mjcf("arm.xml", text=text), mujoco.MjModel.from_xml_string(text)
    assert model.notes == read_mjcf("arm.xml", text=ARM).notes
    data, M = mujoco.MjData(peer), np.zeros((peer.nv, peer.nv))
    data.qvel[:] = 1.0
    mujoco.mj_forward(peer, data)
    mujoco.mj_fullM(peer, data, M)
    bare = Robot(read_mjcf("arm.xml", text=ARM), compiled=False).mass_matrix(data.qpos)
    elbow, wrist = model.joint("elbow"), model.joint("wrist")
    ours = Robot(model, compiled=False).mass_matrix(data.qpos)
    assert np.diag(ours - bare)[elbow.v] == pytest.approx(9 * 0.02 + 0.1)
    assert np.diag(ours)[: wrist.v + 3] == pytest.approx(np.diag(M)[: wrist.v + 3])
    assert elbow.damping == pytest.approx(-data.qfrc_damper[elbow.v])


def test_what_actuators_add_elsewhere_is_warned_of():
    after = """<tendon><fixed name="t"><joint joint="a" coef="1"/></fixed></tendon>
      <actuator><motor name="pull" tendon="t" armature="0.1" damping="0.2"/>
      <motor name="turn" joint="a" damping="0.2 0.1"/></actuator>"""
    assert [str(note).removeprefix("one.xml: ") for note in one(after=after).notes] == [
        'actuator "pull": its armature is left out.',
        'actuator "pull": its damping is left out.',
        'actuator "turn": damping beyond its linear part is left out.',
        "1 tendons left out: the model moves without them.",
    ]


# -- constraints and limits of the reader -----------------------------------------------------------------


def test_a_constant_joint_equality_locks_the_joint_and_survives_as_toml():
    after = '<equality><joint name="e" joint1="b" polycoef="0.1 0 0 0 0"/></equality>'
    model = one(after=after)
    assert (model.joint_names, model.couplings) == (("a",), ())
    angle = 0.1 + np.radians(10)
    (note,) = model.notes
    assert str(note) == f'one.xml: joint "b": an equality holds it: it is locked at {angle:g}.'
    again = read_toml("one.toml", text=write_toml(model))
    for read in (model, again):
        turned = Robot(read, compiled=False).forward_kinematics([0.4], "other")
        free = Robot(one(), compiled=False).forward_kinematics([0.4, angle], "other")
        assert np.allclose(turned, free)


def test_joints_that_follow_each_other_in_a_circle_are_refused_with_the_file():
    after = '<equality><joint joint1="a" joint2="b"/><joint joint1="b" joint2="a"/></equality>'
    with pytest.raises(ModelFileError) as caught:
        one(after=after)
    assert str(caught.value) == (
        'one.xml: joint "a": the joints "a" -> "b" -> "a" follow each other in a circle; break it at one joint.'
    )


def test_snapping_can_be_switched_off():
    inside = f'<body name="tail" quat="{np.cos(np.pi / 4 + 1e-11)} 0 0 {np.sin(np.pi / 4 + 1e-11)}"/>'
    exact = [one(inside, snap=snap).frame("tail").placement.rotation.a.x for snap in (None, 0.0)]
    assert exact[0] == 0
    assert 0 < abs(exact[1]) < 1e-9


def test_a_file_over_the_limit_is_not_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST", 100)
    (tmp_path / "arm.xml").write_text(ARM)
    for options in ({}, {"text": ARM}):
        with pytest.raises(ModelFileError, match="more than 100 bytes"):
            read_mjcf(tmp_path / "arm.xml", **options)


# -- models that a user holds ---------------------------------------------------------------------------


HELD = """<mujoco model="walker"><option gravity="0.3 0 -9.81"/><worldbody>
  <body name="trunk"><freejoint name="root"/>
    <inertial pos="0.1 0.02 -0.1" mass="2" fullinertia="0.03 0.05 0.04 0.001 0.002 0.003"/>
    <site name="head" pos="0 0 0.3" euler="20 0 0"/>
    <body name="leg" pos="0.2 0 0" euler="10 20 30"><joint name="hip" type="ball" damping="0.3"/>
      <inertial pos="0.1 0.2 -0.1" mass="1" diaginertia="0.03 0.05 0.04"/>
      <body name="foot" pos="0 0 -0.3">
        <joint name="knee" axis="0 1 1" pos="0 0 0.1" ref="0.2" armature="0.1" damping="0.2" range="-1 1"/>
        <joint name="slide" type="slide" axis="1 0 0" armature="0.05"/>
        <inertial pos="0 0.1 -0.1" mass="0.5" diaginertia="0.01 0.02 0.02"/></body></body>
  </body></worldbody>
  <equality><joint joint1="slide" joint2="knee" polycoef="0.1 0.5 0 0 0"/></equality></mujoco>"""


@pytest.fixture
def held():
    return mujoco.MjModel.from_xml_string(HELD)


def test_a_compiled_model_is_the_robot_of_its_file(held):
    assert fingerprint(load_model(held)) == fingerprint(load_model(HELD))
    assert (held.names[:6], load_model(held).name) == (b"walker", "walker")


@pytest.mark.parametrize("seed", range(3))
def test_a_compiled_model_has_the_torques_of_its_own_engine(seed):
    model = mujoco.MjModel.from_xml_string(HELD.partition("<equality>")[0] + "</mujoco>")
    robot = Robot(load_model(model), compiled=False)
    q, qd, qdd = robot.random_state(seed=seed)
    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.qacc = strobe.convert_state(robot, q, qd, qdd, target=model)[:3]
    mujoco.mj_inverse(model, data)
    there = strobe.convert_state(robot, data.qpos, data.qvel, data.qacc, data.qfrc_inverse, source=model)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), there.tau, atol=1e-12)
    bias = strobe.convert_state(robot, data.qpos, data.qvel, 0 * data.qacc, data.qfrc_bias, source=model)
    still = robot.inverse_dynamics(q, qd, bias.qdd, friction=False)
    np.testing.assert_allclose(still, bias.tau, atol=1e-12)


def test_a_compiled_model_is_read_as_it_is_now(held):
    before = load_model(held)
    held.body_mass[1] = 7.0
    held.dof_frictionloss[9] = 0.4
    after = load_model(held)
    assert (before.bodies[0].inertial.m, after.bodies[0].inertial.m) == (2.0, 7.0)
    assert after.joint("knee").friction.coulomb == (0.4, -0.4)


def test_what_a_compiled_model_has_that_is_no_place_is_refused(held):
    held.body_pos[1] = float("nan")
    with pytest.raises(
        ModelFileError, match="<mujoco.MjModel>: MuJoCo makes body_pos of it that is no place"
    ):
        load_model(held)
