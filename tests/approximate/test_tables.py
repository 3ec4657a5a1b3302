"""Tables: exact at their points, as near between them as theory says, never beyond, and no larger than stated."""

import ctypes
import math
import shutil
import subprocess
from functools import cache

import numpy as np
import pytest

import strobe
from strobe.approximate import CompleteTable, HornRaibert, Raibert
from strobe.approximate.tables import assembling, published
from strobe.compiler.codegen import c
from strobe.errors import ArgumentError, UnsupportedModelError

WAYS = [
    (interpolation, derivatives)
    for interpolation in ("nearest", "multilinear")
    for derivatives in (False, True)
]
SLOW = {"q": (-1.0, 1.0), "qd": (-2.0, 2.0), "qdd": (-3.0, 3.0)}


@cache
def robot(name):
    return strobe.load(name)


def states(table, count=300, seed=0):
    """Random states inside a table; what it does not depend on lies anywhere."""
    rng = np.random.default_rng(seed)
    found = {kind: rng.uniform(-1.0, 1.0, (count, table.robot.n)) for kind in ("q", "qd", "qdd")}
    for axis in table.variables:
        column = table.robot.joint_names.index(axis.joint)
        found[axis.kind][:, column] = rng.uniform(axis.lower, axis.upper, count)
    return found


def error(table, state):
    wrong = table.inverse_dynamics(**state) - table.robot.inverse_dynamics(**state)
    return np.abs(wrong).max()


def on_points(table, state):
    """States whose tabulated variables are points of the grid."""
    moved = {kind: values.copy() for kind, values in state.items()}
    rng = np.random.default_rng(1)
    for axis in table.variables:
        column = table.robot.joint_names.index(axis.joint)
        moved[axis.kind][:, column] = rng.choice(axis.nodes, len(state["q"]))
    return moved


# -- exact limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("interpolation", "derivatives"), WAYS)
def test_horn_raibert_is_exact_at_its_points_for_any_velocity_and_acceleration(interpolation, derivatives):
    table = HornRaibert(robot("planar2"), 7, interpolation=interpolation, derivatives=derivatives)
    state = on_points(table, states(table))
    assert error(table, {**state, "qd": 3 * state["qd"], "qdd": 5 * state["qdd"]}) < 1e-12
    assert error(table, states(table)) > 1e-3


@pytest.mark.slow
def test_horn_raibert_is_exact_at_its_points_on_coupled_joints_and_with_friction():
    coupled = HornRaibert(robot("parallelogram"), 7, (-1.0, 1.0))
    assert error(coupled, on_points(coupled, states(coupled))) < 1e-12
    rubbing = HornRaibert(robot("puma560"), 3)
    assert any(joint.damping for joint in rubbing.robot.model.joints)
    assert error(rubbing, on_points(rubbing, states(rubbing))) < 1e-11


def test_raibert_is_exact_at_its_points_for_any_acceleration():
    table = Raibert(robot("planar2"), {"q": 5, "qd": 3})
    state = on_points(table, states(table))
    assert error(table, {**state, "qdd": 5 * state["qdd"]}) < 1e-12
    assert error(table, states(table)) > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("derivatives", [False, True])
def test_a_complete_table_is_exact_at_its_points(derivatives):
    table = CompleteTable(robot("planar2"), 3, SLOW, derivatives=derivatives)
    assert error(table, on_points(table, states(table))) < 1e-12
    assert error(table, states(table)) > 1e-3


def test_between_points_torques_stay_linear_in_accelerations():
    """Multilinear interpolation gives back what is linear, however far apart the points."""
    table = CompleteTable(robot("planar2"), {"q": 5, "qd": 3, "qdd": 2}, SLOW)
    state = on_points(table, states(table))
    rng = np.random.default_rng(2)
    assert error(table, {**state, "qdd": rng.uniform(-3, 3, state["qdd"].shape)}) < 1e-12


# -- between points -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("interpolation", "derivatives", "order"),
    [("nearest", False, 1), ("nearest", True, 2), ("multilinear", False, 2), ("multilinear", True, 3)],
)
def test_errors_shrink_with_the_step_as_theory_says(interpolation, derivatives, order):
    how = {"interpolation": interpolation, "derivatives": derivatives}
    coarse, fine = (HornRaibert(robot("planar2"), points, (-1.5, 1.5), **how) for points in (13, 49))
    errors = [error(table, states(table, 3000)) for table in (coarse, fine)]
    assert math.log(errors[0] / errors[1], 4) == pytest.approx(order, abs=0.15)


def test_gravity_of_a_pendulum_is_within_the_error_of_linear_interpolation():
    """|v − linear| ≤ h² max|v''| / 8, met where the curvature is largest."""
    arm = robot("planar2").lock({"joint2": 0.0})
    table = HornRaibert(arm, 13)
    (axis,) = table.variables
    q = np.linspace(axis.lower, axis.upper, 2001)[:, None]
    still = np.zeros_like(q)
    exact = arm.inverse_dynamics(q, still, still)
    bound = axis.step**2 / 8 * np.abs(exact).max()
    assert 0.9 * bound < np.abs(table.inverse_dynamics(q, still, still) - exact).max() <= bound


def test_joints_that_turn_freely_come_round_without_a_seam():
    table = HornRaibert(robot("spherical3"), 24, {"joint3": (0.2, 0.6)})
    state = states(table)
    turned = {**state, "q": state["q"] + 2 * math.pi * np.array([3, -1, 0])}
    np.testing.assert_allclose(
        table.inverse_dynamics(**turned), table.inverse_dynamics(**state), atol=1e-10
    )
    seam = np.array([[0.1, math.pi - 1e-9, 0.3], [0.1, math.pi + 1e-9, 0.3], [0.1, -math.pi, 0.3]])
    moved = table.inverse_dynamics(seam, np.ones((3, 3)), np.ones((3, 3)))
    np.testing.assert_allclose(moved, np.broadcast_to(moved[0], (3, 3)), atol=1e-6)


# -- what is stored -----------------------------------------------------------------------------------


def test_numbers_are_stored_over_the_joints_that_they_depend_on():
    """Of a two-joint arm the inertia and the velocity terms depend on the second joint, gravity on both."""
    plan = HornRaibert(robot("planar2"), 5).tables["coefficients"].plan
    stored = {part.variables: part.numbers for part in plan.parts}
    names = ["J11", "J12", "J22", "C111", "C112", "C122", "C211", "C212", "C222", "G1", "G2"]
    assert {on: [names[k] for k in numbers] for on, numbers in stored.items()} == {
        (0, 1): ["G1", "G2"],
        (1,): ["J11", "C112"],
    }
    follow = {names[m.number]: (names[m.of], m.factor) for m in plan.multiples}
    assert follow == {"J12": ("J11", 0.5), "C122": ("C112", 0.5), "C211": ("C112", -0.5)}
    constant = {
        names[k]: x for k, x in enumerate(plan.constants) if names[k] in ("J22", "C111", "C212", "C222")
    }
    J22 = float(robot("planar2").mass_matrix([0.3, 0.4])[1, 1])
    assert constant == {"J22": pytest.approx(J22), "C111": 0.0, "C212": 0.0, "C222": 0.0}


@pytest.mark.slow
def test_the_stanford_arm_takes_the_numbers_of_the_report_and_far_fewer():
    arm = robot("stanford")
    table = HornRaibert(arm, 5)
    assert table.notes[0] == (
        "It stores 12,000 numbers; 5^6 = 15,625 points of 153 numbers are 2,390,625, 95,625 as nothing depends on "
        "joint1, joint6."
    )
    assert table.memory == 8 * (12_000 + table.kernel.program.counts["constant"])
    loaded = arm.with_payload(0.5, (0.1, 0.05, 0.0))
    with pytest.raises(ArgumentError, match="are 2,390,625, 478,125 as nothing depends on joint1"):
        HornRaibert(loaded, 5, budget=1000)


def test_the_operations_stand_beside_the_published_ones():
    """Products of velocities are shared, and C^i_jk and C^i_kj are one number."""
    ours = assembling(6)
    assert (ours.multiplications, ours.additions) == (183, 162)
    assert published(6) == (468, 264)
    assert published(2) == (20, 16)
    notes = HornRaibert(robot("planar2")).notes
    assert notes[1].endswith(
        "the torques take 13 multiplications and 10 additions; 20 and 16 are published."
    )


def test_look_ups_are_counted():
    table = HornRaibert(robot("planar2"), 5)
    assert table.operations.lookups == 4 * 2 + 2 * 2
    assert table.operations.angular == 0
    near = HornRaibert(robot("planar2"), 5, interpolation="nearest", derivatives=True)
    assert near.operations.lookups == 2 * (1 + 2) + 2 * (1 + 1)


# -- what is refused ----------------------------------------------------------------------------------


def test_sizes_come_first_and_absurd_ones_are_refused_with_the_figure():
    with pytest.raises(
        ArgumentError, match=r"5\^18 = 3,814,697,265,625 sets of 6 numbers. Take fewer points"
    ):
        CompleteTable(robot("stanford"), 5, {"qd": (-1, 1), "qdd": (-3, 3)})
    with pytest.raises(ArgumentError, match=r"takes 3,479,003,906,250,000 bytes.*sets of 114 numbers"):
        CompleteTable(robot("stanford"), 5, {"qd": (-1, 1), "qdd": (-3, 3)}, derivatives=True)
    with pytest.raises(ArgumentError, match=r"5\^12 = 244,140,625 sets of 42 numbers if nothing is known"):
        Raibert(robot("stanford"), 5, {"qd": (-1, 1)}, budget=10**6)


def test_a_table_that_reads_too_much_for_one_torque_is_refused():
    ranges = {"q": (-1, 1), "qd": (-1, 1), "qdd": (-1, 1)}
    with pytest.raises(
        ArgumentError, match=r"reads 163,840 numbers for one state; .* Take interpolation=\"nearest\""
    ):
        CompleteTable(strobe.random(5, seed=1), 2, ranges)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"budget": -1}, "budget is -1; expected bytes of memory, zero or more"),
        ({"budget": 100}, "a Horn-Raibert table of planar2 takes 480 bytes, and the budget is 100"),
        ({"interpolation": "cubic"}, 'interpolation is \'cubic\'; expected "multilinear" or "nearest"'),
        ({"step": 0.1}, 'joint "joint1" has points and a step'),
    ],
)
def test_tables_that_cannot_be_are_refused(how, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        HornRaibert(robot("planar2"), 5, **how)


def test_parts_of_other_names_are_refused():
    with pytest.raises(ArgumentError, match="points has a part 'qdd'; expected q, qd"):
        Raibert(robot("planar2"), {"q": 3, "qd": 3, "qdd": 3})


def test_states_outside_are_refused_with_joint_value_and_range_and_never_continued():
    table = HornRaibert(robot("planar2"), 5)
    q = np.zeros((4, 2))
    q[2, 1] = 2.7
    with pytest.raises(
        ArgumentError,
        match='position of joint "joint2" is 2.7; this table of planar2 covers -2.6 to 2.6 rad',
    ):
        table.inverse_dynamics(q, q, q)
    assert np.isnan(table.kernel(q, q, q)).any(axis=-1).tolist() == [False, False, True, False]
    fast = Raibert(robot("planar2"), 3)
    with pytest.raises(ArgumentError, match='velocity of joint "joint1" is -4.5; .* covers -4 to 4 rad/s'):
        fast.inverse_dynamics([0, 0], [-4.5, 0], [0, 0])


def test_what_is_not_a_number_stays_so():
    table = HornRaibert(robot("planar2"), 5)
    assert np.isnan(table.inverse_dynamics([0.1, math.nan], [0, 0], [0, 0])).all()


def test_joints_with_several_numbers_are_refused_by_name():
    floating = robot("planar2").with_base("floating")
    with pytest.raises(
        UnsupportedModelError, match="a Horn-Raibert table needs joints whose position is one number"
    ):
        HornRaibert(floating)


def test_a_payload_or_another_robot_invalidates_a_table():
    table = HornRaibert(robot("planar2"), 5)
    with pytest.raises(
        ArgumentError, match="Horn-Raibert table was made with another planar2: the body moved by"
    ):
        table.use_with(robot("planar2").with_payload(0.4, (0.0, 0.0, 0.0)))
    with pytest.raises(
        ArgumentError, match="this Horn-Raibert table was made with planar2, whose joints are"
    ):
        table.use_with(robot("stanford"))
    again = strobe.load("planar2")
    assert table.use_with(again).robot is again


# -- precision, other numbers, time -------------------------------------------------------------------


def test_float32_states_give_float32_torques_nearby():
    table = HornRaibert(robot("planar2"), 33)
    state = states(table)
    single = table.inverse_dynamics(*(x.astype(np.float32) for x in state.values()))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, table.inverse_dynamics(**state), atol=2e-4)


def test_a_table_can_drive_a_compiled_simulation():
    """Torques read from a table hold the arm that they were computed for."""
    arm = robot("planar2")
    table = HornRaibert(arm, step=math.radians(1.0))

    def law(q, qd):
        return table.torques(q, [0.0, 0.0], [0.0, 0.0])

    run = strobe.simulate(arm, [0.4, -0.7], [0.0, 0.0], strobe.trace(law, q=2, qd=2), 0.1, step=1e-4)
    assert np.abs(run.q[-1] - [0.4, -0.7]).max() < 1e-4


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_table_is_c_that_needs_nothing_but_itself(tmp_path):
    table = HornRaibert(robot("planar2"), 9)
    function = c.Function("torques", table.kernel.program)
    (tmp_path / "torques.h").write_text(c.header(function))
    (tmp_path / "torques.c").write_text(c.source(function))
    library = tmp_path / "torques.so"
    subprocess.run(
        ["gcc", "-O2", "-shared", "-fPIC", "-o", library, tmp_path / "torques.c", "-lm"], check=True
    )
    call = ctypes.CDLL(str(library)).torques
    state = states(table, 50)
    for row, expected in zip(
        zip(*state.values(), strict=True), table.inverse_dynamics(**state), strict=True
    ):
        out = np.empty(2)
        call(*(ctypes.c_void_p(array.ctypes.data) for array in (*row, out)))
        np.testing.assert_allclose(out, expected, atol=1e-12)
