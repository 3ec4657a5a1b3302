"""Edits as laws: an edited robot moves as the whole one does under the same circumstances."""

import importlib.util
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from strobe.algebra import Turn
from strobe.errors import ArgumentError, UnknownNameError
from strobe.formulations import kinematics, strobing
from strobe.formulations.spatial_newton_euler import inverse_dynamics
from strobe.models import checks, edits
from strobe.models.joints import Friction, Limits, Motor
from strobe.models.load import load_model
from strobe.models.model import ROOT, Coupling, Loop
from strobe.models.random_robots import random_model
from strobe.models.toml_reader import read_toml
from strobe.models.toml_writer import write_toml
from strobe.models.urdf import read_urdf
from strobe.models.urdf_writer import write_urdf
from strobe.scalars import FieldSystem, Graph

SEEDS = range(6)


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    q = [
        float(x)
        for joint in model.joints
        for x in np.array(joint.neutral()) + rng.normal(size=joint.nq) / 2
    ]
    return q, *(list(map(float, rng.standard_normal(model.nv))) for _ in range(2))


def torques(model, *motion):
    return np.array(inverse_dynamics(model, *motion), float)


def mass_matrix(model, q):
    return np.array(strobing.mass_matrix(inverse_dynamics, model, q), float)


def frame_matrix(model, q, name):
    return np.array(kinematics.frame_pose(model, q, model.frame(name)).matrix().rows, float)


def slices(model, names, velocities=False):
    """Indices of the numbers of some joints."""
    joints = [joint for joint in model.joints if joint.name in names]
    if velocities:
        return [joint.v + k for joint in joints for k in range(joint.nv)]
    return [joint.q + k for joint in joints for k in range(joint.nq)]


def tree(seed, kinds="RPSC"):
    return random_model(6, seed, kinds=kinds, tree=True)


def geared():
    """Four joints; the third follows the first, the fourth the first and second."""
    couplings = (
        Coupling("joint3", {"joint1": -2.0}, 0.1),
        Coupling("joint4", {"joint1": 0.5, "joint2": 1.5}, -0.2),
    )
    return replace(random_model(4, 1, kinds="R"), couplings=couplings)


# -- locking ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_locked_robot_has_the_torques_of_the_whole_one_held_there(seed):
    whole = tree(seed)
    q, qd, qdd = state(whole, seed)
    held = whole.joint_names[seed % 3 :: 2]
    at = {name: [q[k] for k in slices(whole, [name])] for name in held}
    locked = edits.lock(whole, at)
    free_q, free_v = slices(whole, locked.joint_names), slices(whole, locked.joint_names, velocities=True)
    for k in slices(whole, held, velocities=True):
        qd[k] = qdd[k] = 0.0
    motion = [q[k] for k in free_q], [qd[k] for k in free_v], [qdd[k] for k in free_v]
    expected = torques(whole, q, qd, qdd)[free_v]
    assert np.allclose(torques(locked, *motion), expected, rtol=0, atol=1e-11 * abs(expected).max())
    block = mass_matrix(whole, q)[np.ix_(free_v, free_v)]
    assert np.allclose(mass_matrix(locked, motion[0]), block, rtol=0, atol=1e-11 * abs(block).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_every_frame_stays_where_it_was(seed):
    whole = tree(seed)
    q, _, _ = state(whole, seed)
    held = whole.joint_names[1::2]
    locked = edits.lock(whole, {name: [q[k] for k in slices(whole, [name])] for name in held})
    free = [q[k] for k in slices(whole, locked.joint_names)]
    assert [frame.name for frame in locked.frames] == [frame.name for frame in whole.frames]
    for frame in whole.frames:
        assert np.allclose(
            frame_matrix(locked, free, frame.name), frame_matrix(whole, q, frame.name), atol=1e-12
        )


def test_locking_every_joint_leaves_a_robot_without_bodies_that_weighs_the_same():
    whole = tree(0)
    locked = edits.lock(whole, {joint.name: joint.neutral() for joint in whole.joints})
    assert (locked.bodies, locked.nq, locked.nv) == ((), 0, 0)
    assert locked.base_inertial.m == pytest.approx(sum(body.inertial.m for body in whole.bodies))


def test_an_edited_model_lifts_to_exact_and_traced_numbers():
    model = edits.lock(tree(2), {"joint1": tree(2).joint("joint1").neutral()})
    model = edits.add_frame(
        edits.change_base(model, "floating"), "probe", (1, 2, 3), (0.1, 0.2, 0.3), frame="tool"
    )
    for system in (FieldSystem(seed=1), Graph()):
        lifted = model.lift(system)
        assert len(inverse_dynamics(lifted, *lifted.variables())) == model.nv


def test_a_right_angle_stays_exact_and_neighbouring_turns_become_one():
    arm = load_model("stanford")
    locked = edits.lock(arm, {arm.joint_names[0]: math.pi / 2})
    turns = [step for step in locked.bodies[0].before.steps if isinstance(step, Turn)]
    assert [(turn.axis, turn.angle) for turn in turns] == [(2, math.pi / 2), (0, -math.pi / 2)]
    assert {abs(turn.c) for turn in turns} | {abs(turn.s) for turn in turns} == {0, 1}


def test_patterns_name_several_joints():
    locked = edits.lock(random_model(12, 0, kinds="R"), {"joint?": 0.1})
    assert locked.joint_names == ("joint10", "joint11", "joint12")


def test_self_tests_and_named_positions_do_not_survive():
    model = replace(random_model(3, 0), poses={"home": (0.0, 0.0, 0.0)}, golden=({"q": 0},))
    locked = edits.lock(model, {"joint1": 0.0})
    assert (locked.poses, locked.golden) == ({}, ())


def test_locking_nothing_changes_nothing():
    model = random_model(3, 0)
    assert edits.lock(model, {}) is model


def test_an_unknown_joint_is_answered_with_its_nearest():
    with pytest.raises(UnknownNameError) as caught:
        edits.lock(random_model(3, 0), {"jiont2": 0.0})
    assert str(caught.value).startswith("no joint \"jiont2\" in random-3-0. Did you mean 'joint2'")


@pytest.mark.parametrize(
    ("joints", "sentence"),
    [
        (
            {"joint*": 0.0, "joint2": 0.5},
            'joint "joint2" is locked at 0 by "joint*" and at 0.5 by "joint2"; lock it at one position.',
        ),
        ({"joint1": math.nan}, 'the position of joint "joint1" is nan; expected finite numbers.'),
        ({"joint1": "up"}, "the position of joint \"joint1\" is 'up'; expected finite numbers."),
        ({"joint1": (0, 1)}, 'the position of joint "joint1" has 2 numbers; a revolute joint takes 1.'),
    ],
)
def test_impossible_positions_are_refused(joints, sentence):
    with pytest.raises(ArgumentError) as caught:
        edits.lock(random_model(3, 0, kinds="R"), joints)
    assert str(caught.value) == sentence


def test_a_quaternion_of_zeros_is_refused():
    with pytest.raises(ArgumentError, match="which is no rotation; give w x y z"):
        edits.lock(random_model(1, 0, kinds="S"), {"joint1": (0, 0, 0, 0)})


def test_locking_a_joint_locks_what_follows_it_there():
    model = geared()
    locked = edits.lock(model, {"joint1": 0.3})
    assert locked.joint_names == ("joint2", "joint4")
    by_hand = edits.lock(replace(model, couplings=()), {"joint1": 0.3, "joint3": -0.5})
    assert np.allclose(frame_matrix(locked, [0.7, 0.2], "tool"), frame_matrix(by_hand, [0.7, 0.2], "tool"))


def test_a_locked_term_moves_into_the_offset():
    (coupling,) = edits.lock(geared(), {"joint1": 0.3}).couplings
    assert (coupling.joint, dict(coupling.terms)) == ("joint4", {"joint2": 1.5})
    assert coupling.offset == pytest.approx(-0.05)


def test_locking_all_that_is_followed_locks_everything():
    assert edits.lock(geared(), {"joint1": 0.3, "joint2": 0.0}).bodies == ()


def test_a_follower_may_be_locked_where_it_is_anyway():
    assert edits.lock(geared(), {"joint1": 0.3, "joint3": -0.5}).joint_names == ("joint2", "joint4")


def test_a_follower_locked_elsewhere_is_a_contradiction():
    with pytest.raises(ArgumentError) as caught:
        edits.lock(geared(), {"joint1": 0.3, "joint3": 0.3})
    assert str(caught.value) == (
        'joint "joint3" is locked at 0.3, but it follows "joint1", which puts it at -0.5. '
        "Lock only what it follows."
    )


def test_a_follower_alone_cannot_be_locked():
    with pytest.raises(ArgumentError) as caught:
        edits.lock(geared(), {"joint4": 0.3})
    assert str(caught.value) == (
        'joint "joint4" cannot be locked by itself: it follows "joint1" and "joint2". Lock what it follows.'
    )


@pytest.mark.parametrize("joints", [["joint1"], "joint1", ("joint1", 0.2), 0.2])
def test_locks_that_are_no_mapping_are_refused(joints):
    for lock in (edits.lock, lambda model, joints: edits.apply(model, lock=joints)):
        with pytest.raises(ArgumentError) as caught:
            lock(random_model(3, 0), joints)
        assert str(caught.value) == (
            f"the joints to lock are {joints!r}; expected a mapping from names to positions, "
            'such as {"elbow": 0.3}.'
        )


@pytest.mark.parametrize("name", [1, None, ("joint1",)])
def test_a_locked_joint_is_named_by_a_text(name):
    with pytest.raises(ArgumentError) as caught:
        edits.lock(random_model(3, 0), {name: 0.2})
    assert str(caught.value) == f"a joint to lock is named {name!r}; expected its name, a text."


@pytest.mark.parametrize("value", [math.nan, math.inf, "open", None, [[1, 2], [3]], 10**400])
def test_a_locked_position_is_finite(value):
    with pytest.raises(ArgumentError) as caught:
        edits.lock(random_model(3, 0, kinds="R"), {"joint2": value})
    told = repr(value) if len(repr(value)) < 120 else f"{repr(value)[:120]}…"
    assert str(caught.value) == f'the position of joint "joint2" is {told}; expected finite numbers.'


# -- payload ------------------------------------------------------------------------------------------


def test_a_known_load_adds_the_golden_torques_to_the_stanford_arm():
    arm = load_model("stanford")
    motion = (
        [0.3, 0.9, 0.6, -0.4, 0.7, 1.1],
        [0.2, -0.3, 0.15, 0.5, -0.4, 0.6],
        [0.5, -0.7, 0.4, 1.0, -0.9, 0.8],
    )
    hand = arm.frames[-1].name
    loaded = edits.attach_payload(arm, 0.8, (0.02, -0.01, 0.06), (0.003, 0.004, 0.002, 0, 0, 0), frame=hand)
    golden = [
        0.311595572728,
        -5.06803513676,
        5.29434566897,
        -1.40194952438,
        -0.686059663289,
        -0.0827935468534,
    ]
    assert np.allclose(torques(loaded, *motion) - torques(arm, *motion), golden, rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_resting_load_pulls_with_its_weight_through_the_jacobian(seed):
    model = tree(seed)
    q, _, _ = state(model, seed)
    zeros = [0.0] * model.nv
    com = (0.1, -0.2, 0.3)
    loaded = edits.attach_payload(model, 2.0, com, frame="tool")
    at_com = edits.add_frame(model, "load", com, frame="tool")
    pull = kinematics.joint_torques(at_com, q, at_com.frame("load"), [0, 0, -2.0 * 9.81, 0, 0, 0])
    added = torques(loaded, q, zeros, zeros) - torques(model, q, zeros, zeros)
    assert np.allclose(added, -np.array(pull, float), atol=1e-11)


def test_a_load_by_its_longest_dimension_is_a_sphere():
    model = random_model(2, 0)
    by_size = edits.attach_payload(model, 3.0, (0.1, 0, 0), frame="tool", size=0.4)
    moment = 0.4 * 3.0 * 0.2**2
    sphere = edits.attach_payload(model, 3.0, (0.1, 0, 0), np.eye(3) * moment, frame="tool")
    pairs = zip(by_size.bodies[-1].inertia.parameters, sphere.bodies[-1].inertia.parameters, strict=True)
    assert all(a == pytest.approx(b, rel=1e-13) for a, b in pairs)


def test_a_load_on_the_base_does_not_move():
    model = random_model(2, 0)
    loaded = edits.attach_payload(model, 3.0, frame="base")
    assert loaded.base_inertial.m == 3.0
    assert loaded.bodies == model.bodies


def test_replacing_a_load_takes_the_old_one_off():
    model = random_model(3, 0)
    first = (2.0, (0.1, 0.2, 0.0), (0.02, 0.02, 0.03, 0, 0, 0.001))
    second = (0.5, (0.0, 0.0, 0.1), (0.001, 0.001, 0.001, 0, 0, 0))
    swapped = edits.attach_payload(
        edits.attach_payload(model, *first, frame="tool"), *second, frame="tool", replacing=first
    )
    direct = edits.attach_payload(model, *second, frame="tool")
    pairs = zip(swapped.bodies[-1].inertia.parameters, direct.bodies[-1].inertia.parameters, strict=True)
    assert all(a == pytest.approx(b, abs=1e-12) for a, b in pairs)


def test_a_load_heavier_than_the_link_cannot_be_taken_off():
    with pytest.raises(
        ArgumentError, match='weighs 1000 kg, but with the new one frame "tool" carries only'
    ):
        edits.attach_payload(random_model(1, 0), 1.0, frame="tool", replacing=(1000.0, (0, 0, 0), None))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"mass": -1.0}, "the payload's mass is -1 kg; a mass is not negative."),
        ({"mass": math.inf}, "the payload's mass is inf; expected a finite number."),
        ({"com": (0, 0)}, "the payload's com is (0, 0); expected 3 finite numbers."),
        ({"size": -0.1}, "the payload's size is -0.1 m; its longest dimension is not negative."),
        ({"size": 0.1, "inertia": (1,) * 6}, "give the payload's inertia or its size, not both."),
        (
            {"inertia": (1, 2)},
            "the payload's inertia is (1, 2); expected six finite numbers xx, yy, zz, xy, xz, yz, "
            "or a 3×3 matrix of them.",
        ),
        (
            {"inertia": [[1, 0.5, 0], [0.1, 1, 0], [0, 0, 1]]},
            "the payload's inertia is not symmetric: 0.5 against 0.1. "
            "Give xx, yy, zz, xy, xz, yz, or a symmetric 3×3 matrix.",
        ),
        (
            {"inertia": (1, 1, -1, 0, 0, 0)},
            "the payload's inertia has the principal moments (-1, 1, 1); a moment is not negative.",
        ),
        (
            {"inertia": (1, 1, 3, 0, 0, 0)},
            "the payload's inertia has the principal moments (1, 1, 3); in no body is one larger than the "
            "sum of the other two. Is it given about the centre of mass?",
        ),
        (
            {"mass": 0.0, "inertia": (1, 1, 1, 0, 0, 0)},
            "the payload has an inertia but no mass; give its mass.",
        ),
    ],
)
def test_impossible_loads_are_refused(arguments, sentence):
    with pytest.raises(ArgumentError) as caught:
        edits.attach_payload(random_model(1, 0), **({"mass": 1.0} | arguments), frame="tool")
    assert str(caught.value) == sentence


def test_a_load_meets_the_inequality_that_links_of_files_meet():
    """Moments that a file may state without a warning, a payload may have; others neither."""
    for excess, possible in ((1e-10, True), (1e-7, False)):
        inertia = (1.0, 1.0, 2.0 + excess, 0.0, 0.0, 0.0)
        assert checks.broken_rule(inertia[:3]) == ("" if possible else "triangle")
        if possible:
            edits.attach_payload(random_model(1, 0), 1.0, inertia=inertia, frame="tool")
        else:
            with pytest.raises(ArgumentError, match="in no body is one larger than the sum"):
                edits.attach_payload(random_model(1, 0), 1.0, inertia=inertia, frame="tool")


def test_an_unknown_frame_is_answered_with_its_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'tool'"):
        edits.attach_payload(random_model(1, 0), 1.0, frame="toool")


# -- base ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["translating", "floating"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_resting_base_feels_the_weight_and_leaves_the_joints_as_they_were(base, seed):
    model = edits.attach_payload(tree(seed), 4.0, (0.1, 0.2, 0.3), frame="base")
    moving = edits.change_base(model, base)
    added_q, added_v = moving.nq - model.nq, moving.nv - model.nv
    assert (added_q, added_v) == ((3, 3) if base == "translating" else (7, 6))
    q, qd, qdd = state(model, seed)
    neutral = [x for joint in moving.joints for x in joint.neutral()][:added_q]
    tau = torques(moving, neutral + q, [0.0] * added_v + qd, [0.0] * added_v + qdd)
    assert np.allclose(tau[added_v:], torques(model, q, qd, qdd), atol=1e-10)
    still = torques(moving, neutral + q, [0.0] * moving.nv, [0.0] * moving.nv)
    mass = 4.0 + sum(body.inertial.m for body in model.bodies)
    assert np.allclose(still[:3], [0, 0, mass * 9.81], atol=1e-9)


def test_a_floating_base_carries_the_base_frames_and_leaves_a_world():
    model = edits.add_frame(random_model(2, 0), "camera", (0, 0, 1), frame="base")
    floating = edits.change_base(model, "floating")
    assert floating.joint_names[0] == "base"
    assert floating.bodies[0].name == "base"
    assert (floating.base_name, floating.frame("world").body) == ("world", ROOT)
    assert {name: floating.frame(name).body for name in ("base", "camera", "tool")} == {
        "base": 0,
        "camera": 0,
        "tool": 2,
    }
    assert floating.frames[-1].name == model.frames[-1].name


def test_a_taken_name_is_avoided():
    model = random_model(2, 0)
    bodies = (replace(model.bodies[0], joint=replace(model.joints[0], name="base")), *model.bodies[1:])
    floating = edits.change_base(replace(model, bodies=bodies), "floating")
    assert floating.joint_names == ("floating_base", "base", "joint2")


@pytest.mark.parametrize("base", ["translating", "floating"])
def test_a_moving_base_fixed_again_is_the_robot_it_was(base):
    model = tree(3)
    back = edits.change_base(edits.change_base(model, base), "fixed")
    motion = state(model, 3)
    assert back.joint_names == model.joint_names
    assert back.base_name == model.base_name
    assert np.allclose(torques(back, *motion), torques(model, *motion), rtol=0, atol=1e-12)


def launched():
    """A floating body at a distance from the root, and one joint on it."""
    return read_urdf(
        "launched.urdf",
        text="""<robot name="launched"><link name="ground"/><link name="trunk"/><link name="arm"/>
          <joint name="free" type="floating"><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
            <parent link="ground"/><child link="trunk"/></joint>
          <joint name="shoulder" type="continuous"><origin xyz="0.4 0 0"/>
            <parent link="trunk"/><child link="arm"/></joint></robot>""",
    )


@pytest.mark.parametrize("form", ["as it is", "TOML", "URDF"])
def test_a_base_held_away_from_the_root_keeps_its_frames_where_they_were(form):
    moving = launched()
    held = edits.change_base(moving, "fixed")
    if form == "TOML":
        held = read_toml("held.toml", text=write_toml(held))
    elif form == "URDF":
        held = read_urdf("held.urdf", text=write_urdf(held)[0])
    assert held.joint_names == ("shoulder",)
    assert held.base_name == "ground"
    neutral = moving.joints[0].neutral()
    for name in ("ground", "trunk", "arm"):
        expected = frame_matrix(moving, [*neutral, 0.7], name)
        assert np.allclose(frame_matrix(held, [0.7], name), expected, rtol=0, atol=1e-15), name


def test_turning_joints_are_no_translating_base_whatever_they_are_called():
    model = random_model(4, 0, kinds="R")
    bodies = tuple(
        replace(body, joint=replace(body.joint, name=f"base_{axis}"))
        for body, axis in zip(model.bodies, "xyzw", strict=True)
    )
    model = replace(model, bodies=bodies)
    assert edits.change_base(model, "fixed") is model
    assert edits.change_base(model, "translating").joint_names[:3] == ("base_x_2", "base_y_2", "base_z_2")


def test_the_base_a_model_has_is_left_alone():
    model = random_model(2, 0)
    assert edits.change_base(model, "fixed") is model
    for base in ("floating", "translating"):
        moving = edits.change_base(model, base)
        assert edits.change_base(moving, base) is moving


def test_a_floating_base_becomes_a_translating_one():
    moving = edits.change_base(edits.change_base(random_model(2, 0), "floating"), "translating")
    assert moving.joint_names == ("base_x", "base_y", "base_z", "joint1", "joint2")


def test_an_unknown_base_is_refused_with_the_choices():
    with pytest.raises(ArgumentError) as caught:
        edits.change_base(random_model(2, 0), "flying")
    assert str(caught.value) == "base is 'flying'; choose fixed, translating or floating."


def test_a_quadruped_on_a_floating_base_has_pinocchios_torques_and_mass_matrix():
    pin = pytest.importorskip("pinocchio")
    site = Path(importlib.util.find_spec("cmeel").submodule_search_locations[0]).parent  # pyright: ignore
    package = site / "cmeel.prefix"
    path = package / "share/example-robot-data/robots/solo_description/robots/solo12.urdf"
    if not path.exists():
        pytest.skip("example-robot-data is not installed")
    ours = edits.change_base(load_model(path), "floating")
    peer = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    peer.armature[:] = 0.0
    data = peer.createData()
    rng = np.random.default_rng(5)
    q, v, a = (
        pin.randomConfiguration(peer, -np.ones(peer.nq), np.ones(peer.nq)),
        *rng.normal(size=(2, peer.nv)),
    )
    order = [peer.joints[peer.getJointId(joint.name)] for joint in ours.joints[1:]]
    iq, iv = [0, 1, 2, 6, 3, 4, 5, *(j.idx_q for j in order)], [*range(6), *(j.idx_v for j in order)]
    mine = [[float(x) for x in values] for values in (q[iq], v[iv], a[iv])]
    expected = pin.rnea(peer, data, q, v, a)[iv]
    assert np.allclose(torques(ours, *mine), expected, rtol=0, atol=1e-10 * abs(expected).max())
    M = np.triu(pin.crba(peer, data, q))
    M = (M + np.triu(M, 1).T)[np.ix_(iv, iv)]
    assert np.allclose(mass_matrix(ours, mine[0]), M, rtol=0, atol=1e-10 * abs(M).max())


# -- gravity, frames, several at once -----------------------------------------------------------------


def test_gravity_is_changed_in_base_axes():
    model = edits.change_gravity(random_model(2, 0), [1, 2, 3])
    assert [*model.gravity.linear] == [1.0, 2.0, 3.0]
    assert all(type(x) is float for x in model.gravity.linear)


@pytest.mark.parametrize("gravity", [9.81, (0, 0, math.nan), (0, 0), "down"])
def test_gravity_that_is_no_vector_is_refused(gravity):
    with pytest.raises(ArgumentError) as caught:
        edits.change_gravity(random_model(2, 0), gravity)
    assert str(caught.value) == f"gravity is {gravity!r}; expected 3 finite numbers."


def test_a_frame_is_placed_relative_to_another_and_is_the_last_one():
    model = random_model(2, 0)
    longer = edits.add_frame(model, "tip", (0, 0, 0.5), (0, math.pi / 2, 0), frame="tool")
    q, _, _ = state(model)
    expected = frame_matrix(model, q, "tool") @ [[0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0.5], [0, 0, 0, 1]]
    assert longer.frames[-1].name == "tip"
    assert np.allclose(frame_matrix(longer, q, "tip"), expected, atol=1e-14)


def test_a_frame_name_is_used_once():
    with pytest.raises(ArgumentError) as caught:
        edits.add_frame(random_model(2, 0), "link1", frame="tool")
    assert str(caught.value) == 'random-2-0 has a frame "link1" already; names are unique, choose another.'


@pytest.mark.parametrize("name", ["", "  ", 3, None])
def test_a_frame_needs_a_name(name):
    with pytest.raises(ArgumentError) as caught:
        edits.add_frame(random_model(2, 0), name, frame="tool")
    assert str(caught.value) == f"the name of a frame is {name!r}; expected a text that is not empty."


@pytest.mark.parametrize("where", [{"xyz": (0, 0, math.nan)}, {"rpy": (0, math.inf, 0)}, {"xyz": 1.0}])
def test_a_frame_lies_at_finite_numbers(where):
    with pytest.raises(ArgumentError) as caught:
        edits.add_frame(random_model(2, 0), "tip", **where, frame="tool")
    ((name, value),) = where.items()
    assert str(caught.value) == f"{name} is {value!r}; expected 3 finite numbers."


def test_several_edits_lock_before_the_base_moves():
    model = edits.apply(random_model(3, 0), lock={"*": 0.0}, base="floating", gravity=(0, 0, -1))
    assert model.joint_names == ("base",)
    assert [*model.gravity.linear] == [0.0, 0.0, -1.0]


def test_no_edit_changes_nothing():
    model = random_model(3, 0)
    assert edits.apply(model) is model


# -- sub-chain ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_chain_to_a_tip_moves_its_tip_as_before(seed):
    model = tree(seed)
    tip = model.bodies[-1].name
    chain = edits.take_chain(model, tip)
    q, _, _ = state(model, seed)
    own = [q[k] for k in slices(model, chain.joint_names)]
    assert chain.joint_names == tuple(body.joint.name for body in model.support(len(model.bodies) - 1))
    assert chain.frames[-1].name == tip
    assert np.allclose(frame_matrix(chain, own, tip), frame_matrix(model, q, tip), atol=1e-12)


def test_side_branches_are_named_in_a_note():
    model = tree(0)
    chain = edits.take_chain(model, model.bodies[-1].name)
    missing = [body.name for body in model.bodies if body.joint.name not in chain.joint_names]
    assert missing
    assert chain.notes[-1].severity == "note"
    assert chain.notes[-1].text == f"links left out of the chain: {', '.join(missing)}."


@pytest.mark.parametrize("seed", SEEDS)
def test_a_chain_from_a_base_has_the_torques_of_the_robot_held_below_it(seed):
    model = edits.add_frame(
        random_model(5, seed), "flange", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), frame="link2"
    )
    chain = edits.take_chain(model, "tool", "flange")
    held = edits.lock(model, {"joint1": 0.0, "joint2": 0.0})
    motion = state(held, seed)
    assert chain.joint_names == ("joint3", "joint4", "joint5")
    assert chain.base_name == "flange"
    assert np.allclose(torques(chain, *motion), torques(held, *motion), rtol=0, atol=1e-10)
    whole = frame_matrix(held, motion[0], "flange")
    assert np.allclose(
        whole @ frame_matrix(chain, motion[0], "tool"), frame_matrix(held, motion[0], "tool"), atol=1e-12
    )
    assert np.allclose(frame_matrix(chain, motion[0], "flange"), np.eye(4), atol=1e-12)


def test_constraints_on_what_a_chain_leaves_out_are_dropped_with_notes():
    model = replace(geared(), loops=(Loop("ring", "tool", "link1"),))
    chain = edits.take_chain(model, "tool", "link2")
    assert (chain.couplings, chain.loops) == ((), ())
    assert [note.text for note in chain.notes[-4:]] == [
        "links left out of the chain: link1.",
        'joint "joint3" no longer follows "joint1", which the chain leaves out.',
        'joint "joint4" no longer follows "joint1" and "joint2", which the chain leaves out.',
        'loop "ring" is left out of the chain.',
    ]


def test_a_base_that_does_not_carry_the_tip_is_refused():
    with pytest.raises(ArgumentError) as caught:
        edits.take_chain(random_model(3, 0), "link1", "link3")
    assert str(caught.value) == (
        'frame "link3" does not carry frame "link1" in random-3-0. '
        "Choose a base frame between the root and the tip."
    )


def test_a_chain_without_joints_is_refused():
    with pytest.raises(ArgumentError) as caught:
        edits.take_chain(random_model(3, 0), "tool", "link3")
    assert str(caught.value) == 'no joint lies between "link3" and "tool" in random-3-0.'


# -- scale --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_similar_robot_under_similar_gravity_needs_similar_torques(seed):
    model = tree(seed)
    l, m = 1.7, 0.6
    similar = edits.change_gravity(edits.scale(model, l, m), (0, 0, -9.81 * l))
    motion = state(model, seed)
    slides = slices(model, [joint.name for joint in model.joints if joint.kind == "prismatic"])
    slides_v = slices(model, [j.name for j in model.joints if j.kind == "prismatic"], velocities=True)
    scaled = [list(values) for values in motion]
    for k, values in enumerate(scaled):
        for index in slides if k == 0 else slides_v:
            values[index] *= l
    factor = np.full(model.nv, m * l * l)
    factor[slides_v] = m * l
    expected = factor * torques(model, *motion)
    assert np.allclose(torques(similar, *scaled), expected, rtol=0, atol=1e-11 * abs(expected).max())


def test_limits_and_drives_scale_with_their_units():
    model = random_model(2, 0, kinds="RP")
    kinds = ("revolute", "prismatic")
    joints = [
        replace(
            body.joint,
            kind=kind,
            limits=Limits(-1, 1, 2, 3, 10),
            motor=Motor(0.1, 5.0),
            friction=Friction(1.0, (1, -2)),
        )
        for kind, body in zip(kinds, model.bodies, strict=True)
    ]
    bodies = tuple(replace(body, joint=joint) for body, joint in zip(model.bodies, joints, strict=True))
    coupling = Coupling("joint2", {"joint1": 0.5}, 0.1)
    turning, sliding = (
        scaled := edits.scale(replace(model, bodies=bodies, couplings=(coupling,)), 2.0, 3.0)
    ).joints
    assert turning.limits == Limits(-1, 1, 2, 3, 120)
    assert sliding.limits == Limits(-2, 2, 4, 6, 60)
    assert turning.rotor_inertia == pytest.approx(12 * 2.5)
    assert sliding.rotor_inertia == pytest.approx(3 * 2.5)
    assert (turning.friction, sliding.friction) == (Friction(12.0, (12, -24)), Friction(3.0, (6, -12)))
    assert scaled.couplings == (Coupling("joint2", {"joint1": 1.0}, 0.2),)


@pytest.mark.parametrize(
    ("length", "mass", "sentence"),
    [
        (0.0, 1.0, "length is scaled by 0; a scale is positive (1 changes nothing)."),
        (1.0, -2.0, "mass is scaled by -2; a scale is positive (1 changes nothing)."),
        (math.nan, 1.0, "length is nan; expected a finite number."),
    ],
)
def test_impossible_scales_are_refused(length, mass, sentence):
    with pytest.raises(ArgumentError) as caught:
        edits.scale(random_model(2, 0), length, mass)
    assert str(caught.value) == sentence
