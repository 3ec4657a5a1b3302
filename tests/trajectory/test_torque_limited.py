"""The fastest motion along a path: closed forms, another implementation, limits kept, reasons given."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import strobe
from strobe.errors import ArgumentError, ShapeError
from strobe.trajectory.motion import State
from strobe.trajectory.path import polyline, spline
from strobe.trajectory.path_constraints import Along, Friction, bounds_of, step_times
from strobe.trajectory.torque_limited import SLOWEST, plan

PANDA = [
    (0, -0.5, 0, -2, 0, 1.5, 0.5), (0.8, 0.2, 0.4, -1.4, 0.6, 2, 0),
    (1.2, -0.4, -0.5, -2.2, -0.3, 1.2, -0.8), (0.2, 0.3, -0.2, -1.1, 0.4, 2.4, 0.6),
]  # fmt: skip
UR5 = [(0, -1, 1, 0, 0, 0), (1, -0.5, 1.5, 0.4, 1, -1), (-0.4, -1.6, 0.6, 1, -0.5, 0.7)]
PUMA_EFFORT = (97.0, 186.0, 89.0, 24.0, 20.0, 21.0)


@pytest.fixture(scope="module")
def panda():
    return strobe.load("panda")


@pytest.fixture(scope="module")
def puma():
    return strobe.load("puma560")


def largest_share(robot, motion, effort, count=20_001):
    """How much of its torque limit every joint uses, from the robot's own inverse dynamics."""
    _, state = motion.sampled(count=count)
    return (np.abs(robot.inverse_dynamics(*state)) / effort).max(axis=0)


def steps_of(robot, path, count, **limits):
    """The duration on the steps alone, before anything is slowed down."""
    pieces = path.divided(count)
    rests = pieces.stops.copy()
    rests[[0, -1]] = True
    ends = State(*(each[:, None] for each in pieces.within([0.0, 1.0])))
    along = Along(robot, bounds_of(robot, **limits), Friction(robot), ends, pieces.widths[:, None], rests)
    x, _ = along.speeds(np.zeros(1), np.zeros(1))
    return float(step_times(x, along.widths).sum())


# -- closed forms -------------------------------------------------------------------------------------


def test_constant_forces_make_bang_bang(gantry):
    motion = plan(gantry, polyline([(0, 0), (1, 0)]), velocity=np.inf)
    np.testing.assert_allclose(motion.duration, 2 * np.sqrt(1 / 2), rtol=1e-7)  # a = 10 N / 5 kg
    np.testing.assert_allclose(motion(motion.duration / 2).qd, (np.sqrt(2), 0), atol=1e-6)


def test_a_limit_on_speed_adds_a_cruise(gantry):
    motion = plan(gantry, polyline([(0, 0), (4, 0)]))
    np.testing.assert_allclose(motion.duration, 4 / 2 + 2 / 2, rtol=1e-5)  # d / V + V / a
    assert np.abs(motion.extremes(1).largest[0]) <= 2 * (1 + 1e-9)


def test_the_slower_joint_decides(gantry):
    motion = plan(gantry, polyline([(0, 0), (1, 3)]), velocity=np.inf)
    np.testing.assert_allclose(motion.duration, 2 * np.sqrt(3 / 5), rtol=1e-7)  # y: 10 N / 2 kg


def test_limits_on_acceleration_alone_are_enough(gantry):
    motion = plan(gantry, polyline([(0, 0), (1, 0)]), effort=np.inf, acceleration=0.5)
    np.testing.assert_allclose(motion.duration, 2 * np.sqrt(2), rtol=1e-7)


def test_a_corner_without_a_blend_is_passed_at_rest(gantry):
    motion = plan(gantry, polyline([(0, 0), (1, 0), (1, 1)]), velocity=np.inf)
    np.testing.assert_allclose(motion.duration, 2 * np.sqrt(1 / 2) + 2 * np.sqrt(1 / 5), rtol=1e-7)
    np.testing.assert_allclose(motion(motion.points[1]).qd, 0.0, atol=1e-9)


def test_a_way_back_takes_as_long_as_the_way(gantry):
    motion = plan(gantry, spline([(0, 0), (1, 0), (0, 0)]), velocity=np.inf)
    np.testing.assert_allclose(motion.duration, 4 * np.sqrt(1 / 2), rtol=1e-7)


def test_speeds_at_the_ends_are_kept(gantry):
    motion = plan(gantry, polyline([(0, 0), (1, 0)]), start=1.0, end=0.5, velocity=np.inf)
    peak = np.sqrt((2 * 2 * 1 + 1 + 0.25) / 2)
    np.testing.assert_allclose(motion.duration, (2 * peak - 1.5) / 2, rtol=1e-5)
    np.testing.assert_allclose(motion(0.0).qd[0], 1.0, rtol=1e-7)
    np.testing.assert_allclose(motion(motion.duration).qd[0], 0.5, rtol=1e-7)


# -- another implementation ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "points", "limits", "duration"),
    [  # toppra 0.6.10 on the same grid, interpolation scheme, fed with the same inverse dynamics
        ("panda", PANDA, {"velocity": np.inf}, 0.6038725380429725),
        ("panda", PANDA, {}, 1.4454250172793692),
        ("ur5", UR5, {"velocity": np.inf}, 0.5525775883836153),
        ("ur5", UR5, {}, 0.9354367997550743),
    ],
)
def test_durations_are_those_of_toppra(name, points, limits, duration):
    found = steps_of(strobe.load(name), spline(points), 500, **limits)
    np.testing.assert_allclose(found, duration, rtol=1e-7)


# -- laws ---------------------------------------------------------------------------------------------


def test_no_torque_is_exceeded_and_one_is_used_up_almost_always(panda):
    motion = plan(panda, spline(PANDA), velocity=np.inf)
    effort = panda.limits.effort
    assert largest_share(panda, motion, effort).max() <= 1 + 1e-5
    _, state = motion.sampled(count=5001)
    share = (np.abs(panda.inverse_dynamics(*state)) / effort).max(axis=1)
    assert np.mean(share > 0.98) > 0.95


def test_all_limits_hold_together(panda):
    motion = plan(panda, spline(PANDA), acceleration=8.0)
    assert largest_share(panda, motion, panda.limits.effort).max() <= 1 + 1e-5
    for order, bound in ((1, panda.limits.velocity), (2, 8.0)):
        found = motion.extremes(order)
        assert (np.maximum(-found.least, found.largest) / bound).max() <= 1 + 1e-5


@pytest.mark.slow
def test_the_motion_passes_the_points_and_stays_on_the_path(panda):
    path = spline(PANDA)
    motion = plan(panda, path)
    np.testing.assert_allclose(motion(motion.points).q, PANDA, atol=1e-9)
    _, state = motion.sampled(count=301)
    dense = path(np.linspace(0, path.length, 4001)).q
    nearest = np.abs(state.q[:, None] - dense).max(axis=2).min(axis=1)
    assert nearest.max() < 1e-3


def test_position_and_velocity_have_no_jumps(panda):
    motion = plan(panda, polyline(PANDA, 0.1))
    inner = motion.times[1:-1]
    before, after = motion(inner - 1e-9), motion(inner)
    np.testing.assert_allclose(before.q, after.q, atol=1e-7)
    np.testing.assert_allclose(before.qd, after.qd, atol=1e-5)


def test_finer_steps_come_closer_to_one_duration(panda):
    durations = [plan(panda, spline(PANDA), velocity=np.inf, steps=k).duration for k in (200, 400, 1600)]
    assert abs(durations[1] - durations[2]) < abs(durations[0] - durations[2]) < 0.02 * durations[2]


def test_weaker_motors_are_slower(panda):
    strong, weak = (plan(panda, spline(PANDA), effort=k * panda.limits.effort) for k in (1.0, 0.7))
    assert weak.duration > strong.duration


def test_friction_is_the_robots_own(puma):
    qd = np.random.default_rng(0).normal(size=(50, 6))
    qd[0] = 1e-4  # within the ramp of Coulomb friction
    q = np.zeros((50, 6))
    both = puma.inverse_dynamics(q, qd, q) - puma.inverse_dynamics(q, qd, q, friction=False)
    np.testing.assert_allclose(Friction(puma)(qd), both, atol=1e-9)


def test_friction_of_a_joint_that_follows_another_is_counted(tmp_path):
    text = """<robot name="pair"><link name="base"/>
    <link name="a"><inertial><mass value="3"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="b"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="x" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/>
      <limit lower="-9" upper="9" velocity="2" effort="10"/><dynamics damping="1.5" friction="0.5"/></joint>
    <joint name="y" type="prismatic"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/>
      <mimic joint="x" multiplier="-2"/>
      <limit lower="-9" upper="9" velocity="3" effort="10"/><dynamics damping="0.5" friction="0.2"/></joint>
    </robot>"""
    path = tmp_path / "pair.urdf"
    path.write_text(text)
    robot = strobe.load(path)
    np.testing.assert_allclose(Friction(robot)(np.array([[1.0]])), [[1.5 + 0.5 + 4 * 0.5 + 2 * 0.2]])


def test_limits_hold_with_viscous_and_coulomb_friction(puma):
    points = [(0, 1, -1, 0, 0, 0), (1, 1.5, -2, 0.5, 1, -1), (-0.5, 0.8, -1, 1, -0.5, 1)]
    motion = plan(puma, spline(points), effort=PUMA_EFFORT)
    assert largest_share(puma, motion, PUMA_EFFORT).max() <= 1 + 1e-3
    _, state = motion.sampled(count=5001)
    share = (np.abs(puma.inverse_dynamics(*state)) / PUMA_EFFORT).max(axis=1)
    assert np.mean(share > 0.97) > 0.9  # friction at the speeds found, not a guess of it


def test_friction_alone_limits_the_speed_of_a_long_way(tmp_path):
    text = """<robot name="sled"><link name="base"/>
    <link name="a"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="x" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/>
      <limit lower="-999" upper="999" velocity="999" effort="10"/><dynamics damping="4" friction="2"/></joint>
    </robot>"""
    path = tmp_path / "sled.urdf"
    path.write_text(text)
    motion = plan(strobe.load(path), polyline([[0.0], [200.0]]))
    np.testing.assert_allclose(motion(motion.duration / 2).qd, 2.0, rtol=1e-2)  # (10 − 2) / 4


def ugly(points):
    """Points among which some repeat, nearly repeat or go back."""
    rows = [np.array(points[0][0])]
    for x, kind, size in points[1:]:
        last = rows[-1]
        rows.append(
            {
                "new": np.array(x),
                "same": last.copy(),
                "near": last + 10.0**size * np.array(x),
                "back": rows[-2].copy() if len(rows) > 1 else last.copy(),
                "part": last + 0.3 * (rows[-2] - last) if len(rows) > 1 else last.copy(),
            }[kind]
        )
    return np.array(rows)


place = st.tuples(*[st.floats(-1.2, 1.2)] * 2)
way = st.lists(
    st.tuples(place, st.sampled_from(["new", "same", "near", "back", "part"]), st.floats(-15, -3)),
    min_size=2,
    max_size=7,
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(way, st.sampled_from(["spline", "corners", "blends"]))
def test_no_path_fails_however_its_points_repeat_and_turn_back(points, kind):
    robot = strobe.load("planar2")
    rows = ugly(points)
    path = {"spline": spline, "corners": polyline, "blends": lambda p: polyline(p, 0.05)}[kind](rows)
    motion = plan(robot, path, lower=-9.0, upper=9.0, steps=100)
    assert np.isfinite(motion.duration)
    if not motion.duration:
        return
    np.testing.assert_allclose(motion(motion.points[-1]).q, rows[-1], atol=1e-6)
    slowed = float(motion.notes[-1].split("slowed down by ")[1].split(" %")[0])
    assert slowed <= 100 * (SLOWEST - 1)
    assert largest_share(robot, motion, robot.limits.effort, 5001).max() <= 1.01


def test_a_path_of_no_length_takes_no_time(panda):
    motion = plan(panda, polyline([PANDA[0], PANDA[0]]))
    assert motion.duration == 0.0
    assert motion.notes == ("point 1 and point 2 are the same: the path passes them at once.",)


def test_what_was_done_is_said(panda):
    (said,) = plan(panda, spline(PANDA)).notes
    assert said.startswith("1,000 steps; slowed down by 0.")
    assert said.endswith(" %: all limits hold on a grid 10 times finer.")


def test_steps_that_exceed_limits_are_cut_finer(panda):
    (said,) = plan(panda, spline(PANDA), steps=20).notes
    assert "more where limits were exceeded between their ends" in said


# -- bad input ----------------------------------------------------------------------------------------


def test_a_load_beyond_a_torque_limit_is_named_with_its_place(panda):
    with pytest.raises(
        ArgumentError,
        match=r'at .* along the path, between point 1 and point 2, joint "joint2" needs .* N·m to hold still; '
        r"its limit is 20 N·m. Take another way, or less load.",
    ):
        plan(panda, spline(PANDA[:2]), effort=(87, 20, 87, 87, 12, 12, 12))


def test_friction_that_leaves_no_torque_to_move_is_named(puma):
    effort = (5.0, *PUMA_EFFORT[1:])
    with pytest.raises(
        ArgumentError, match=r'joint "\w+" needs [\d.]+ N·m to move slowly; its limit is 5 N·m.'
    ):
        plan(puma, polyline([(0, 1, -1, 0, 0, 0), (1, 1, -1, 0, 0, 0)]), effort=effort)


def test_speeds_that_the_limits_do_not_allow_are_refused_with_those_they_do(gantry):
    path = polyline([(0, 0), (1, 0)])
    with pytest.raises(
        ArgumentError, match=r"cannot be ended at a speed of 9: begun at 0 its end is reached at 2 at"
    ):
        plan(gantry, path, end=9.0)
    with pytest.raises(
        ArgumentError,
        match=r"begun at a speed of 9: its end is reached at 0 only from speeds between 0 and 2",
    ):
        plan(gantry, path, start=9.0)
    with pytest.raises(ArgumentError, match=r"the start speed is -1; expected a number, zero or more."):
        plan(gantry, path, start=-1.0)
    with pytest.raises(
        ArgumentError, match=r"its end is reached at 3 only from speeds between 2.23607 and"
    ):
        plan(gantry, path, start=1.0, end=3.0, velocity=np.inf)


def test_a_path_beyond_a_position_limit_is_refused_with_joint_and_place(gantry):
    with pytest.raises(
        ArgumentError,
        match=r'at 10 of 10 along the path, between point 1 and point 2, the path puts joint "x" at 10, '
        r"above its upper bound 9.",
    ):
        plan(gantry, polyline([(0, 0), (10, 0)]))


def test_joints_without_limits_are_named(puma):
    with pytest.raises(
        ArgumentError, match=r'joint "\w+" of puma560 has no limit on its torque or its acceleration'
    ):
        plan(puma, polyline([np.zeros(6), np.full(6, 0.1)]))
    with pytest.raises(
        ArgumentError, match=r'the effort limit of joint "\w+" is 0; expected a number above zero.'
    ):
        plan(puma, polyline([np.zeros(6), np.full(6, 0.1)]), effort=0.0)


def test_paths_and_limits_of_other_sizes_are_refused(panda):
    with pytest.raises(ShapeError, match="panda has 7 joints"):
        plan(panda, polyline([(0, 0), (1, 0)]))
    with pytest.raises(ShapeError, match="effort has shape"):
        plan(panda, spline(PANDA), effort=(1, 2))
