"""Closed chains and edits: an edited mechanism is the mechanism that was meant, or it is refused."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, UnknownNameError, UnsupportedModelError
from strobe.models import edits
from strobe.models.fingerprint import fingerprint
from strobe.models.loops import CLOSURES, conditions, extent, scales
from strobe.models.model import Curve
from strobe.robot import Robot

NAMES = ("fourbar", "slider-crank", "fivebar", "delta")


@pytest.fixture(scope="module")
def robots():
    return {name: Robot(strobe.load(name).model, compiled=False) for name in NAMES}


def home(robot):
    return np.array(robot.model.poses["home"])


def moving(robot, seed=0):
    """A closed state about the pose called home."""
    rng, q = np.random.default_rng(seed), home(robot)
    qd = robot.closed_velocities(q, rng.standard_normal(robot.nv))
    return q, qd, robot.closed_accelerations(q, qd, rng.standard_normal(robot.nv))


# -- loops as data -------------------------------------------------------------------------------------


def test_conditions_are_named_by_loop_and_component(robots):
    pin = [("pin", "place x"), ("pin", "place y"), ("pin", "place z")]
    assert conditions(robots["fourbar"].model) == pin
    model = robots["fourbar"].model
    chosen = replace(model, loops=(replace(model.loops[0], rows=(0, 2)),))
    assert conditions(chosen) == [pin[0], pin[2]]
    curved = replace(model, loops=(), curves=(Curve("cam", "rocker", "crank", (0.0, 1.0)),))
    assert conditions(curved) == [("cam", "curve")]
    assert conditions(robots["delta"].model)[0] == ("rod1_left", "distance")


def test_conditions_in_metres_are_measured_by_the_links_and_those_on_angles_are_not(robots):
    model = robots["fourbar"].model
    l0, l1, l2, l3 = (float(model.parameters[f"l{k}"]) for k in range(4))
    size = l0 + l1 + l2 + l3  # the way along all links, and that between the pivots
    hinged = replace(model, loops=(replace(model.loops[0], kind="hinge"),))
    cams = Curve("cam", "rocker", "crank", (0.0, 1.0)), Curve("rail", "piston", "crank", (0.0, 1.0))
    assert scales(hinged) == pytest.approx([size] * 3 + [1.0] * 2)
    assert scales(replace(model, curves=cams[:1])) == pytest.approx([size] * 3 + [1.0])
    slider = replace(robots["slider-crank"].model, loops=(), curves=cams[1:])
    assert scales(slider) == pytest.approx([extent(slider)])
    assert extent(edits.scale(model, 10.0, 1.0)) == pytest.approx(10 * extent(model))
    assert extent(replace(model, bodies=(), frames=(), loops=())) == 1.0
    rod = replace(model, loops=(replace(model.loops[0], kind="distance", length=0.4),))
    assert extent(rod) == pytest.approx(extent(model) + 0.4)


def test_a_loop_that_is_asked_for_wrongly_is_explained(robots):
    robot = robots["fourbar"]
    asked = {
        'fourbar has a loop "pin" already.': {"name": "pin"},
        "length is 0.0; expected the distance to keep, in metres, above zero.": {"kind": "distance"},
        'length= is for loops of kind "distance"; this one is a "point".': {"length": 0.2},
    }
    for sentence, keywords in asked.items():
        with pytest.raises(ArgumentError) as caught:
            robot.with_loop("crank_link", "rocker_link", **keywords)
        assert str(caught.value) == sentence
    with pytest.raises(ArgumentError, match='frames "pin_on_rocker" and "rocker_link" are on one link'):
        robot.with_loop("pin_on_rocker", "rocker_link")
    with pytest.raises(UnknownNameError, match="Did you mean 'hinge'"):
        robot.with_loop("crank_link", "rocker_link", "hinges")
    with pytest.raises(UnknownNameError, match='no joint "cronk"'):
        robot.with_actuated(["cronk"])


def test_a_loop_that_couplings_close_needs_no_solving():
    robot = strobe.load("parallelogram").with_loop("pin_on_link2", "pin_on_link4", "plane")
    assert [loop.held for loop in robot.model.loops] == [True, True]
    assert not robot.model.is_closed


def test_whatever_a_loop_holds_is_in_the_fingerprint(robots):
    model = robots["fourbar"].model
    (pin,) = model.loops
    kinds = [replace(model, loops=(replace(pin, kind=kind, length=0.3),)) for kind in CLOSURES]
    others = [
        replace(model, loops=()),
        replace(model, loops=(replace(pin, rows=(0, 2)),)),
        replace(model, loops=(replace(pin, kind="distance", length=0.31),)),
        replace(model, loops=(replace(pin, frame_b="rocker_link"),)),
        replace(model, curves=(Curve("cam", "rocker", "crank", (0.0, 1.0)),)),
        replace(model, curves=(Curve("cam", "rocker", "crank", (0.0, 2.0)),)),
    ]
    found = {fingerprint(edited) for edited in (model, *kinds, *others)}
    assert len(found) == 1 + len(kinds) + len(others)


# -- locked joints -------------------------------------------------------------------------------------


def test_a_closed_chain_with_a_locked_joint_moves_as_one_whose_joint_is_held(robots):
    robot = robots["fivebar"]
    q = home(robot)
    locked = robot.lock({"a1": q[0]})
    assert locked.model.actuated == ("b1",)
    rest = [k for k in range(robot.nv) if k != 0]
    v = np.random.default_rng(1).standard_normal(robot.nv - 1)
    qd = np.insert(locked.closed_velocities(q[rest], v), 0, 0.0)
    tau = np.array([0.0, 0.4, -1.0, 0.7])
    held = robot.hybrid_dynamics(q, qd, tau, ["a1"])[1]
    assert locked.forward_dynamics(q[rest], qd[rest], tau[rest]) == pytest.approx(held[rest], abs=1e-11)


def test_a_closed_chain_that_is_locked_altogether_is_one_rigid_part(robots):
    robot = robots["fourbar"]
    q = dict(zip(robot.joint_names, home(robot).tolist(), strict=True))
    rigid = robot.lock(q)
    assert (rigid.nv, rigid.model.loops, rigid.model.actuated) == (0, (), ())
    with pytest.raises(ArgumentError) as caught:
        robot.lock(q | {"rocker": q["rocker"] + 0.1})
    assert str(caught.value) == (
        'loop "pin" of fourbar is open by 0.032, and no joint is left to close it. '
        "Lock joints where it is closed; robot.assemble(q) gives such positions."
    )


def test_a_joint_on_a_curve_is_locked_with_the_one_it_follows(robots):
    model = replace(
        robots["fourbar"].model, loops=(), golden=(), curves=(Curve("cam", "rocker", "crank", (0.2, 0, 1)),)
    )
    robot = Robot(model, compiled=False)
    locked = robot.lock({"crank": 0.5})
    assert (locked.joint_names, locked.model.curves) == (("coupler",), ())
    place = robot.forward_kinematics([0.5, 0.0, 0.45], "pin_on_rocker")
    assert locked.forward_kinematics([0.0], "pin_on_rocker") == pytest.approx(place)
    with pytest.raises(ArgumentError, match='"rocker" cannot be locked by itself: it follows "crank"'):
        robot.lock({"rocker": 0.45})
    with pytest.raises(ArgumentError, match='it follows "crank", which puts it at 0.45'):
        robot.lock({"crank": 0.5, "rocker": 0.5})


# -- other edits ---------------------------------------------------------------------------------------


def test_a_chain_cut_out_of_a_closed_one_is_open_and_says_so(robots):
    arm = robots["fivebar"].chain("hand")
    assert (arm.joint_names, arm.model.loops, arm.model.actuated) == (("a1", "a2"), (), ("a1",))
    assert 'loop "pin" is left out of the chain.' in [note.text for note in arm.model.notes]
    model = replace(robots["fivebar"].model, curves=(Curve("cam", "a2", "b1", (0.0, 1.0)),))
    notes = [note.text for note in Robot(model, compiled=False).chain("hand").model.notes]
    assert 'curve "cam" is left out of the chain.' in notes


@pytest.mark.parametrize("name", NAMES)
def test_a_closed_chain_that_falls_freely_keeps_its_shape(robots, name):
    falling = robots[name].with_base("floating")
    q = np.concatenate([[0, 0, 0, 1, 0, 0, 0], home(robots[name])])
    if name == "delta":  # its platform flies beside the base: what is fixed is the world
        assert falling.model.loops == robots[name].model.loops
    assert np.abs(falling.loop_residuals(q)).max() < 1e-15
    qdd = falling.forward_dynamics(q, np.zeros(falling.nv), np.zeros(falling.nv))
    assert qdd[:3] == pytest.approx([0, 0, -9.81], abs=1e-10)


def test_feet_bound_to_the_world_stay_bound_when_the_base_is_held(robots):
    robot = robots["fourbar"].with_base("floating").with_loop("world", "crank_link", "full", name="stand")
    held = robot.with_base("fixed")
    assert [loop.name for loop in held.model.loops] == ["pin", "stand"]
    assert held.loop_jacobian(home(robots["fourbar"]))[3:].any()


@pytest.mark.parametrize("name", NAMES)
def test_a_scaled_mechanism_closes_where_the_mechanism_does(robots, name):
    robot, (l, m) = robots[name], (1.7, 0.4)
    q, qd, qdd = moving(robot)
    big = robot.scaled(l, m)
    units = np.concatenate([unit(joint, l) for joint in robot.coordinates.joints])
    at = np.concatenate([unit(joint, l, joint.nq) for joint in robot.coordinates.joints]) * q
    tau = robot.inverse_dynamics(q, qd, qdd, gravity=[0, 0, 0])
    assert np.abs(big.loop_residuals(at)).max() < 1e-14
    scaled = big.inverse_dynamics(at, qd * units, qdd * units, gravity=[0, 0, 0])
    assert scaled == pytest.approx(tau * m * l**2 / units, rel=1e-10, abs=1e-12)


def unit(joint, l, size=None):
    """What the numbers of a joint are scaled by."""
    lengths = {"prismatic": 1, "floating": 3}.get(joint.kind, 0)
    return np.where(np.arange(joint.nv if size is None else size) < lengths, l, 1.0)


def test_a_scaled_curve_is_the_same_curve_in_other_units(robots):
    curve = Curve("cam", "piston", "crank", (0.1, 0.2, 0.3))
    back = Curve("back", "crank", "piston", (0.1, 0.2, 0.3))
    model = replace(robots["slider-crank"].model, loops=(), curves=(curve, back), golden=())
    scaled = Robot(model, compiled=False).scaled(2.0, 1.0).model
    assert scaled.curves[0].coefficients == pytest.approx((0.2, 0.4, 0.6))
    assert scaled.curves[1].coefficients == pytest.approx((0.1, 0.1, 0.075))


@pytest.mark.parametrize(
    ("name", "frame"), [("fivebar", "hand"), ("delta", "tool"), ("fourbar", "pin_on_rocker")]
)
def test_a_load_in_the_hand_of_a_closed_chain_weighs_as_the_force_it_needs(robots, name, frame):
    robot, mass = robots[name], 1.3
    q, qd, qdd = moving(robot)
    a = robot.jacobian(q, frame) @ qdd + robot.jacobian_dot(q, qd, frame) @ qd
    force = np.concatenate([-mass * (a[:3] + np.array([0, 0, 9.81])), np.zeros(3)])
    loaded = robot.with_payload(mass, frame=frame).inverse_dynamics(q, qd, qdd)
    assert loaded == pytest.approx(robot.inverse_dynamics(q, qd, qdd, wrench=force, frame=frame), abs=1e-11)


def test_a_linkage_stands_on_any_of_its_links(robots):
    robot = robots["fourbar"]
    turned = robot.standing_on("rocker_link")
    order = [robot.joint_names.index(name) for name in turned.joint_names]
    q = home(robot)[order]
    assert turned.model.loops == robot.model.loops
    assert np.abs(turned.loop_residuals(q)).max() < 1e-15
    assert np.linalg.matrix_rank(turned.loop_jacobian(q)) == 2


def test_a_robot_bound_to_the_ground_does_not_stand_on_another_link(robots):
    robot = robots["fourbar"].with_base("floating").with_loop("world", "crank_link", "full", name="stand")
    with pytest.raises(UnsupportedModelError) as caught:
        robot.standing_on("rocker_link")
    assert str(caught.value) == (
        'loop "stand" binds fourbar to the ground it moves over, which is gone when it stands on "rocker_link". '
        'Take the loop away, or hold the base first: robot.with_base("fixed").'
    )
