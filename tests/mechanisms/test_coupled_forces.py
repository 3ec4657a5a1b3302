"""Forces in robots whose couplings stand for loops, or for gears: every link balances, free pins carry no moment.

Links are cut free and balanced here by hand, from where they are at instants next to each other: no recursion, no
Jacobian, no multiplier.
"""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.equations.derivation import derive
from strobe.equations.symbolic_meaning import symbolic
from strobe.errors import UnsupportedModelError
from strobe.mechanisms import diagnose, loop_forces, reduced, uncoupled
from strobe.mechanisms.cut_couplings import Uncoupled
from strobe.models.edits import add_loop
from strobe.models.joints import Friction, Motor
from strobe.models.loops import choose_actuated, settled
from strobe.models.scaling import scale
from strobe.quantities import Request
from strobe.robot import Robot

STATE = [0.6, -0.35], [0.9, -1.3], [1.5, -0.7]
DOWN = np.array([0.0, 0.0, -9.81])
LINK = """
[[joints.link]]
name = "{name}"
joint_name = "{joint}"
parent = "{parent}"
joint = "{kind}"
axis = [{axis}]
before = {{ xyz = [{at}] }}
mass = {mass}
com = [{com}]
inertia = [0.01, 0.012, 0.015, 0.001, -0.002, 0.0005]
"""
DRIVEN = {"a2", "b2", "g2"}  # joints that rub and carry rotors: those that follow


def link(name, joint, parent, at, com, mass, axis="0, -1, 0", kind="revolute"):
    at, com = (", ".join(map(repr, x)) for x in (at, com))
    return LINK.format(
        name=name, joint=joint, parent=parent, at=at, com=com, mass=mass, axis=axis, kind=kind
    )


def coupling(joint, offset=0.0, **terms):
    inside = ", ".join(f"{name} = {factor}" for name, factor in terms.items())
    return f'\n[[couplings]]\njoint = "{joint}"\nterms = {{ {inside} }}\noffset = {offset}\n'


def frame(name, on, xyz):
    """Its z axis is that of the pins."""
    return f'\n[[frames]]\nname = "{name}"\nlink = "{on}"\nxyz = {list(xyz)}\nrpy = ["pi/2", 0, 0]\n'


def loop(name, a, b, kind="point"):
    return f'\n[[loops]]\nname = "{name}"\nframe_a = "{a}"\nframe_b = "{b}"\nkind = "{kind}"\n'


PARALLELOGRAM = (
    link("link1", "a1", "base", (0, 0, 0), (0.22, 0, 0), 4)
    + link("link2", "a2", "link1", (0.5, 0, 0), (0.3, 0, 0.02), 3)
    + link("link3", "b1", "base", (0, 0, 0), (0.09, 0, 0.01), 1.5)
    + link("link4", "b2", "link3", (0.2, 0, 0), (0.26, 0, 0), 2)
)
PINS = frame("pin2", "link2", (0.2, 0, 0)) + frame("pin4", "link4", (0.5, 0, 0))
PARALLEL = coupling("a2", b1=1, a1=-1) + coupling("b2", a1=1, b1=-1)
SECOND = (  # a second one, carried by the first: as in a palletizer
    link("link5", "c1", "link2", (0.6, 0, 0), (0.1, 0, 0), 1)
    + link("link6", "c2", "link5", (0.3, 0, 0), (0.1, 0, 0.03), 0.8)
    + link("link7", "d1", "link2", (0.6, 0, 0), (0.05, 0, 0), 0.5)
    + link("link8", "d2", "link7", (0.15, 0, 0), (0.1, 0, 0), 0.4)
)
SECOND_PINS = frame("pin6", "link6", (0.15, 0, 0)) + frame("pin8", "link8", (0.3, 0, 0))
GRIPPER = link("left", "g1", "link2", (0.6, 0.05, 0), (0.05, 0.01, 0), 0.3, "0, 0, 1") + link(
    "right", "g2", "link2", (0.6, -0.05, 0), (0.05, -0.02, 0.01), 0.4, "0, 0, 1"
)
SLIDES = link("left", "g1", "link2", (0.6, 0.05, 0), (0.05, 0.01, 0), 0.3, "0, 1, 0", "prismatic") + link(
    "right", "g2", "link2", (0.6, -0.05, 0), (0.05, -0.02, 0.01), 0.4, "0, 1, 0", "prismatic"
)

ROBOTS = {
    "one parallelogram": (PARALLELOGRAM, PINS, PARALLEL, loop("pin", "pin2", "pin4")),
    "its pin as a hinge": (
        PARALLELOGRAM, PINS, PARALLEL, loop("pin", "pin2", "pin4", "hinge")),
    "two, one behind the other": (
        PARALLELOGRAM, SECOND, PINS, SECOND_PINS, PARALLEL, coupling("c2", d1=1, c1=-1),
        coupling("d2", c1=1, d1=-1), loop("pin", "pin2", "pin4"), loop("pin of the hand", "pin6", "pin8")),
    "one with a gripper of gears": (
        PARALLELOGRAM, GRIPPER, PINS, PARALLEL, coupling("g2", 0.1, g1=-1.5), loop("pin", "pin2", "pin4")),
    "one with a gripper of slides that follows a motor": (
        PARALLELOGRAM, SLIDES, PINS, PARALLEL, coupling("g2", 0.01, g1=-1), coupling("g1", b1=0.05),
        loop("pin", "pin2", "pin4")),
    "one with both motors geared together": (
        PARALLELOGRAM, PINS, PARALLEL, coupling("b1", 0.4, a1=-0.7), loop("pin", "pin2", "pin4")),
}  # fmt: skip


def made(folder, *parts):
    path = folder / "linkage.toml"
    tables = "".join(sorted(parts, key=lambda part: "[[joints.link]]" not in part))  # links first
    path.write_text(f'format = 1\nname = "linkage"\n[joints]\ninertia_at = "com"\n{tables}')
    return Robot(driven(strobe.load(path).model), compiled=False)


def driven(model):
    """The model with rotors and friction on some joints."""
    drive = {"motor": Motor(0.02), "friction": Friction(0.3, (0.4, -0.4))}
    bodies = (
        replace(b, joint=replace(b.joint, **drive)) if b.joint.name in DRIVEN else b for b in model.bodies
    )
    return replace(model, bodies=tuple(bodies))


@pytest.fixture(params=ROBOTS, ids=lambda name: name.replace(" ", "-"))
def robot(request, tmp_path):
    return made(tmp_path, *ROBOTS[request.param])


def state_of(robot, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.3, 1.2, robot.nv) * np.where(np.arange(robot.nv) % 2, -1, 1) for _ in range(3)]


# -- balances by hand ---------------------------------------------------------------------------------


def motions(robot, q, qd, qdd):
    """Of every body: origin, rotation, ω, ω̇ and the acceleration of its centre of mass, by differences in time."""
    h = 1e-3
    names = [body.name for body in robot.model.bodies]
    bodies = robot.model.bodies

    def placed(t):
        here = robot.integrate(q, qd * t + qdd * (t * t / 2), 1.0)
        T = [robot.forward_kinematics(here, frame=name) for name in names]
        return np.array(T)

    T = {k: placed(k * h) for k in range(-3, 4)}
    first = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    second = {1: 3 / 2, 2: -3 / 20, 3: 1 / 90}
    Td = sum(w * (T[k] - T[-k]) for k, w in first.items()) / h
    Tdd = (sum(w * (T[k] + T[-k]) for k, w in second.items()) - 49 / 18 * T[0]) / h**2
    for b, body in enumerate(bodies):
        R, Rd, Rdd = T[0][b, :3, :3], Td[b, :3, :3], Tdd[b, :3, :3]
        com = np.array([float(x) for x in body.inertial.com])
        w, al = vee(Rd @ R.T), vee(Rdd @ R.T + Rd @ Rd.T)
        I = np.array([[float(x) for x in row] for row in body.inertial.central.matrix()])
        spin = R @ I @ R.T @ al + np.cross(w, R @ I @ R.T @ w)
        mass = float(body.inertial.m)
        yield T[0][b, :3, 3], T[0][b, :3, 3] + R @ com, mass, Tdd[b, :3, 3] + Rdd @ com, spin


def vee(W):
    return np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


def unbalanced(robot, q, qd, qdd, outside=(), down=DOWN):
    """What is left of force and moment on every link (bodies, 6): joints, loops, weight and motion accounted for."""
    q, qd, qdd = map(np.asarray, (q, qd, qdd))
    found = robot.joint_wrenches(q, qd, qdd, wrench=dict(outside) or None)
    bodies = list(motions(robot, q, qd, qdd))
    acting = [[] for _ in bodies]  # (point, force, moment) on each link
    for b, body in enumerate(robot.model.bodies):
        at, force, moment = bodies[b][0], found[b, :3], found[b, 3:]
        acting[b].append((at, force, moment))
        if body.parent >= 0:
            acting[body.parent].append((at, -force, -moment))
    if robot.model.loops:
        forces = loop_forces(robot, q, qd, qdd, wrench=dict(outside) or None).wrenches
        for each in robot.model.loops:
            at, F = robot.forward_kinematics(q, each.frame_b)[:3, 3], forces[each.name]
            for name, sign in ((each.frame_b, 1), (each.frame_a, -1)):
                acting[robot.model.frame(name).body].append((at, sign * F[:3], sign * F[3:]))
    for name, F in dict(outside).items():
        acting[robot.model.frame(name).body].append(
            (robot.forward_kinematics(q, name)[:3, 3], np.array(F[:3]), np.array(F[3:]))
        )
    left = []
    for (_, com, mass, a, spin), loads in zip(bodies, acting, strict=True):
        force = sum(F for _, F, _ in loads) + mass * down - mass * a
        moment = sum(N + np.cross(at - com, F) for at, F, N in loads) - spin
        left.append([*force, *moment])
    return np.array(left), np.abs(found).max()


def along(robot, q, wrenches):
    """What every joint transmits along itself."""
    found = []
    for body, F in zip(robot.model.bodies, wrenches, strict=True):
        (column,) = body.joint.columns()
        R = robot.forward_kinematics(q, body.name)[:3, :3]
        turns = any(column.angular)
        axis = R @ np.array([float(x) for x in (column.angular if turns else column.linear)])
        found.append(axis @ (F[3:] if turns else F[:3]))
    return dict(zip(robot.model.joint_names, found, strict=True))


# -- laws ---------------------------------------------------------------------------------------------


def test_every_link_is_in_balance(robot):
    left, size = unbalanced(robot, *state_of(robot), {"link2": [3.0, 0.0, -5.0, 0.0, 0.4, 0.0]})
    assert np.abs(left).max() < 1e-7 * size


def test_pins_that_nothing_turns_transmit_their_friction_and_rotors_and_nothing_else(robot):
    q, qd, qdd = state_of(robot, 1)
    free = along(robot, q, robot.joint_wrenches(q, qd, qdd, friction=False))
    rubbing = along(robot, q, robot.joint_wrenches(q, qd, qdd))
    rates, changes = (robot.coordinates.expand_rates(list(x)) for x in (qd, qdd))
    followers = {c.joint for c in robot.model.couplings} - {"g1", "g2", "b1"}  # those are geared
    assert followers
    for name in followers:
        joint = robot.model.joint(name)
        inertial = joint.rotor_inertia * changes[joint.v]
        friction = joint.damping * rates[joint.v] + joint.coulomb[0] * np.sign(rates[joint.v])
        assert free[name] == pytest.approx(-inertial, abs=1e-9)
        assert rubbing[name] == pytest.approx(-inertial - friction, abs=1e-9)


def test_motors_that_nothing_follows_transmit_their_torque(robot):
    q, qd, qdd = state_of(robot, 2)
    transmitted, tau = (
        along(robot, q, robot.joint_wrenches(q, qd, qdd)),
        robot.inverse_dynamics(q, qd, qdd),
    )
    geared = {name for c in uncoupled(robot).model.couplings for name in c.terms}
    for joint, torque in zip(robot.coordinates.joints, tau, strict=True):
        if joint.name not in geared:
            assert transmitted[joint.name] == pytest.approx(torque, abs=1e-9)


def test_gears_take_from_their_motors_what_they_give_to_those_that_follow(tmp_path):
    """The couple μ on g2, −1.5 times it taken from g1: a motor gives the rest."""
    robot = made(tmp_path, *ROBOTS["one with a gripper of gears"])
    q, qd, qdd = state_of(robot, 3)
    found, tau = along(robot, q, robot.joint_wrenches(q, qd, qdd)), robot.inverse_dynamics(q, qd, qdd)
    g1, g2 = robot.model.joint("g1"), robot.model.joint("g2")
    k = [joint.name for joint in robot.coordinates.joints].index("g1")
    rate, change = -1.5 * qd[k], -1.5 * qdd[k]
    couple = found["g2"] + g2.rotor_inertia * change + g2.damping * rate + 0.4 * np.sign(rate)
    assert g1.rotor_inertia == 0
    assert tau[k] == pytest.approx(found["g1"] - 1.5 * couple, abs=1e-9)


def test_a_chain_closed_by_forces_that_has_gears_too_is_in_balance(tmp_path):
    parts = PARALLELOGRAM, GRIPPER, PINS, coupling("g2", 0.1, g1=-1.5), loop("pin", "pin2", "pin4")
    robot = made(tmp_path, *parts)
    robot = Robot(choose_actuated(robot.model, ("a1", "b1", "g1")), compiled=False)
    coupled = made(tmp_path, *parts, PARALLEL)
    q, qd, qdd = state_of(coupled, 4)
    opened = Uncoupled(coupled)
    state = opened.position(q), opened.rates(qd), opened.rates(qdd)
    left, size = unbalanced(robot, *state)
    assert np.abs(left).max() < 1e-7 * size
    assert robot.joint_wrenches(*state) == pytest.approx(
        coupled.joint_wrenches(q, qd, qdd), abs=1e-9 * size
    )


def test_links_on_a_base_that_moves_are_in_balance(tmp_path):
    robot = made(tmp_path, *ROBOTS["one with a gripper of gears"]).with_base("floating")
    q = robot.neutral + np.r_[np.zeros(robot.nq - 3), 0.7, -0.6, 0.2]
    qd, qdd = np.random.default_rng(5).uniform(0.3, 1.0, (2, robot.nv))
    qd[3:6] = qdd[3:6] = 0.0  # with a turn, positions would be no polynomial in time
    left, size = unbalanced(robot, q, qd, qdd)
    assert np.abs(left).max() < 1e-6 * size


# -- the paper's value, batches, what is not known ----------------------------------------------------


def parallelogram():
    return Robot(strobe.load("parallelogram").model, compiled=False)


def test_the_parallelogram_of_the_paper_carries_what_its_closed_chain_does():
    """The pin's force is the paper's; the rest are balances of two links, by hand."""
    robot = parallelogram()
    found = robot.joint_wrenches(*STATE)
    sizes = np.linalg.norm(found[:, :3], axis=-1)
    assert sizes == pytest.approx([73.41016, 56.18774, 77.54753, 67.19894], abs=1e-5)
    assert found[:, 4] == pytest.approx([-25.836664607, 0, -13.0327400329, 0], abs=1e-9)
    assert loop_forces(robot, *STATE).wrenches["pin"][[0, 2]] == pytest.approx(
        [-51.9376565151, -24.4312297141], rel=1e-11
    )
    told = robot.explain(*STATE)
    assert np.array_equal(told.wrenches, found)
    assert told.remarks == (
        "not determined by the motion, of redundant conditions: pin (place y); the least are given",
    )


def test_a_batch_is_that_of_each_state_and_compiled_code_that_of_none(tmp_path):
    robot = made(tmp_path, *ROBOTS["one with a gripper of gears"])
    q, qd, qdd = np.moveaxis([state_of(robot, seed) for seed in range(4)], 1, 0)
    many = robot.joint_wrenches(q, qd, qdd)
    assert many.shape == (4, 6, 6)
    for k in range(4):
        assert many[k] == pytest.approx(robot.joint_wrenches(q[k], qd[k], qdd[k]), abs=1e-9)
    assert robot.joint_wrenches(q[0], qd, qdd[0]).shape == (4, 6, 6)


def test_at_a_dead_point_no_force_is_made_up():
    robot = parallelogram()
    q = [[0.0, 0.0], [0.6, -0.35], [0.3, 0.3 + np.pi]]
    still = np.zeros((3, 2))
    found = robot.joint_wrenches(q, still, still)
    assert np.isnan(found[[0, 2]]).all()
    assert np.isfinite(found[1]).all()
    told = robot.explain(q[0], still[0], still[0])
    assert np.isfinite(told.values).all()
    assert told.remarks[-1].startswith("the loops stand at a dead point")
    weightless = robot.joint_wrenches(q[0], still[0], still[0], gravity=[0, 0, 0])
    assert (weightless == 0).all()  # nothing to hold


def test_dead_points_of_small_robots_are_seen_as_those_of_large_ones():
    robot = Robot(scale(strobe.load("parallelogram").model, 1e-3, 1e-6), compiled=False)
    assert np.isnan(robot.joint_wrenches([0.0, 0.0], [0, 0], [0, 0])).all()
    found = robot.joint_wrenches(STATE[0], [0, 0], [0, 0])
    assert np.isfinite(found).all()
    assert np.abs(found[[1, 3], 4]).max() < 1e-9 * np.abs(found).max()


def test_torques_that_do_not_belong_to_the_motion_are_refused_of_coupled_loops_too():
    with pytest.raises(strobe.errors.ArgumentError, match=r'^tau does not give this motion: joint "\w+"'):
        loop_forces(parallelogram(), *STATE, [0.0, 0.0])


# -- what is refused ----------------------------------------------------------------------------------


def shared(tmp_path):
    """A parallelogram whose one motor everything follows: which of its joints gears hold is not said."""
    return made(
        tmp_path, PARALLELOGRAM, PINS, coupling("a2", a1=-1.7), coupling("b2", a1=1.7), coupling("b1", a1=-0.7),
        loop("pin", "pin2", "pin4"),
    )  # fmt: skip


def test_forces_that_loops_and_couplings_could_share_are_refused_by_name(tmp_path):
    robot = shared(tmp_path)
    sentence = (
        r"^the couplings of linkage hold more than its loops would: what makes a2, b2, b1 follow could share forces "
        r'with "pin" in more than one way'
    )
    for asked in (robot.joint_wrenches, lambda *state: loop_forces(robot, *state)):
        with pytest.raises(UnsupportedModelError, match=sentence):
            asked([0.6], [0.9], [1.5])
    told = robot.explain([0.6], [0.9], [1.5])  # of which the terms are known all the same
    assert np.isnan(told.wrenches).all()
    assert told.remarks[0].startswith("the couplings of linkage hold more")
    assert told.values.sum() == pytest.approx(float(told.tau[0]), rel=1e-12)


@pytest.mark.parametrize("name", ["parallelogram", "fourbar"])
def test_one_function_of_what_joints_transmit_is_refused_of_loops(name):
    robot = strobe.load(name)
    sentence = (
        f'what joints transmit, as one function, of closed chains is not solved, and {name} has "pin". '
        "robot.joint_wrenches(q, qd, qdd) solves for the forces in its loops first."
    )
    for asked in (
        lambda: robot.compile("joint_wrenches"),
        lambda: robot.export("joint_wrenches", "nowhere"),
        lambda: robot.kernel(Request("joint_wrenches")).code.ufunc(False),
    ):
        with pytest.raises(UnsupportedModelError) as refusal:
            asked()
        assert str(refusal.value) == sentence
    with pytest.raises(UnsupportedModelError, match="for out=, parameters= or geometry=, of closed chains"):
        robot.joint_wrenches(*[np.zeros(robot.nv)] * 3, parameters=robot.parameters)


def test_joints_that_follow_others_are_told_and_their_links_balanced(tmp_path):
    """A joint that follows one that follows another, across axes that are not parallel."""
    robot = made(
        tmp_path,
        link("link1", "a1", "base", (0, 0, 0.1), (0.22, 0.01, 0), 4),
        link("link2", "a2", "link1", (0.5, 0, 0), (0.3, 0, 0.02), 3, "1, 0, 0"),
        link("link3", "g2", "link2", (0.2, 0.1, 0), (0.1, 0.03, 0.02), 2, "0, 0, 1", "prismatic"),
        coupling("a2", 0.3, a1=-2.0),
        coupling("g2", -0.1, a2=0.25),
    )
    state = [0.6], [0.9], [1.5]
    assert robot.explain(*state).remarks[0].startswith("a2, g2 follow other joints: by couples")
    left, size = unbalanced(robot, *state)
    assert np.abs(left).max() < 1e-7 * size


def test_couplings_that_a_loop_needs_in_part_stay_where_it_does_not(tmp_path):
    robot = made(tmp_path, *ROBOTS["one with a gripper of slides that follows a motor"])
    assert [c.joint for c in uncoupled(robot).model.couplings] == ["g2", "g1"]
    assert uncoupled(robot).model.is_closed


def test_a_loop_added_to_couplings_is_held_by_them():
    model = replace(strobe.load("parallelogram").model, loops=())
    tree = Robot(model, compiled=False)
    robot = Robot(settled(add_loop(model, "pin_on_link2", "pin_on_link4")), compiled=False)
    assert robot.joint_wrenches(*STATE) == pytest.approx(parallelogram().joint_wrenches(*STATE))
    assert tree.explain(*STATE).remarks[0].startswith("a2, b2 follow other joints")


def test_another_geometry_would_open_a_loop_that_couplings_keep_closed():
    robot = parallelogram()
    sentence = "parallelogram has closed chains, which another geometry would open; geometry= is for robots without."
    for asked in (
        lambda: robot.inverse_dynamics(*STATE, geometry=1.1 * np.array(robot.geometry)),
        lambda: Robot(robot.model).compile(Request("mass_matrix", geometry="runtime")),
    ):
        with pytest.raises(UnsupportedModelError) as refusal:
            asked()
        assert str(refusal.value) == sentence


def test_what_needs_a_chain_to_solve_says_why_there_is_none():
    robot = parallelogram()
    end = ': its couplings keep "pin" closed.'
    for asked, start in (
        (lambda: diagnose(robot), "parallelogram has no closed chain to diagnose"),
        (lambda: reduced(robot, *STATE[:2]),
         "parallelogram has no closed chain; its own coordinates are independent"),
        (lambda: robot.inverse_dynamics(*STATE, actuated=["a1"]),
         "actuated= is for closed chains; parallelogram has none"),
    ):  # fmt: skip
        with pytest.raises(strobe.errors.ArgumentError) as refusal:
            asked()
        assert str(refusal.value) == start + end


def test_the_words_say_that_joints_which_follow_go_along():
    told = parallelogram().explain(*STATE)
    assert told.rows("a1")[0].meaning == (
        "accelerates a1 and all that moves with it, the other actuated joints frozen"
    )
    written = symbolic(parallelogram())
    assert {row.meaning for row in written if row.kind == "gravity"} == {
        "carries the weight that a1 lifts",
        "carries the weight that b1 lifts",
    }


def test_a_derivation_says_whose_forces_it_derives():
    """Link 2 is balanced there without the pin, which drops out of torques but not of forces."""
    said = str(derive(parallelogram(), "newton-euler"))
    assert "those of the open chains, without what the pins of the closed one add" in " ".join(said.split())


def test_forces_of_states_in_single_precision_are_in_single_precision():
    arm = strobe.load("parallelogram")
    single = arm.joint_wrenches(*(np.array(x, np.float32) for x in STATE))
    assert single.dtype == np.float32
    assert np.allclose(single, arm.joint_wrenches(*STATE), rtol=1e-4, atol=1e-4)
