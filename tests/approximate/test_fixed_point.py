"""Torques in fixed point: within their proven bounds, on the scale of each joint, and as naive as the report's."""

import math
import shutil

import numpy as np
import pytest

import strobe
from strobe import approximate
from strobe.approximate import FixedPoint
from strobe.approximate.fixed_point_timing import c_times
from strobe.equations.torque_bounds import ranges_of
from strobe.errors import ArgumentError, ShapeError, UnsupportedModelError

MOTION = {"qd": (1, 1, 0.6, 2, 2, 2), "qdd": (1.5, 1.5, 0.8, 4, 4, 4)}  # bounds of the reference motion
RANGES = {"qd": 3.0, "qdd": 10.0}
MANY = 1_000_000
REPORTED = {8: 0.22, 12: 0.018, 16: 1.0e-3, 20: 6e-5}  # largest errors, with f bits behind the point


@pytest.fixture(scope="module")
def method(stanford):
    return FixedPoint(stanford, RANGES)


def errors(method, count, seed=1):
    state = method.random_states(count, seed)
    return np.abs(method.inverse_dynamics(*state) - method.robot.inverse_dynamics(*state)).max(axis=0)


# -- errors -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stanford", "panda"])
def test_a_million_random_states_are_within_the_bound(name):
    method = FixedPoint(strobe.load(name), RANGES)
    met = np.max([errors(method, MANY // 20, seed) for seed in range(20)], axis=0)
    assert (met <= method.bound).all()
    assert (method.bound <= 40 * met).all()  # the bound is no idle one


@pytest.mark.parametrize("name", ["planar2", "ur5", "puma560", "planar3", "pendulum3"])
@pytest.mark.parametrize("bits", [32, 16])
def test_every_arm_is_within_its_bounds(name, bits):
    method = FixedPoint(strobe.load(name), RANGES, bits)
    assert (errors(method, 20_000) <= method.bound).all()
    q, qd, qdd = method.random_states(20_000)
    slow = q, qd * 3e-4, qdd  # where friction changes its sign
    assert (np.abs(method.inverse_dynamics(*slow) - method.exact(*slow)).max(axis=0) <= method.bound).all()


def test_states_that_are_words_are_within_the_bound_of_the_arithmetic(method):
    words = method.words(*method.random_states(20_000))
    state = [
        words[name] * np.array([format.resolution for format in method.formats[name]])
        for name in ("q", "qd", "qdd")
    ]
    exact = method.robot.inverse_dynamics(*state, formulation="newton-euler")
    met = np.abs(method.inverse_dynamics(*state) - exact).max(axis=0)
    assert (met <= method.arithmetic_bound).all()
    assert (method.arithmetic_bound < method.bound).all()


def test_sixteen_bits_more_are_sixty_thousand_times_as_exact(stanford, method):
    coarse = FixedPoint(stanford, RANGES, bits=16)
    ratio = coarse.bound / method.bound
    assert (ratio > 2**15).all()
    assert (ratio < 2**17).all()


def test_every_joint_keeps_the_same_share_of_its_digits(method):
    relative = method.observed / method.largest
    assert method.largest.max() > 1e4 * method.largest.min()
    assert relative.max() < 1e-7
    assert relative.max() < 20 * relative.min()


# -- one scale for all, as the report has it ----------------------------------------------------------


@pytest.mark.parametrize(("fraction", "reported"), REPORTED.items())
def test_with_one_scale_errors_are_those_reported(stanford, fraction, reported):
    method = FixedPoint(stanford, MOTION, fraction=fraction)
    met = errors(method, 2_000)
    assert met.max() == pytest.approx(reported, rel=0.35)
    assert (met <= method.bound).all()
    assert method.bound.max() <= 12 * met.max()


def test_with_one_scale_the_last_joint_is_lost_up_to_twelve_bits(stanford):
    for fraction in (8, 10, 11):
        lost = FixedPoint(stanford, MOTION, fraction=fraction)
        assert not lost.inverse_dynamics(*lost.random_states(5000))[:, 5].any()
        assert lost.notes[0] == 'the torque of joint "joint6" is lost: its errors are as large as itself.'
    kept = FixedPoint(stanford, MOTION, fraction=13)
    assert kept.inverse_dynamics(*kept.random_states(5000))[:, 5].any()
    assert not any("lost" in note for note in kept.notes)
    assert not any("lost" in note for note in FixedPoint(stanford, MOTION).notes)


def test_eight_bits_before_the_point_are_needed(stanford):
    method = FixedPoint(stanford, MOTION, fraction=16)
    assert 64 < method.observed_peak < method.peak < 256  # 217.4 in other equations
    told = (
        'the torque of joint "joint2" reaches|the torque of joint "joint1" reaches|the intermediate value'
    )
    with pytest.raises(ArgumentError, match=told) as caught:
        FixedPoint(stanford, MOTION, fraction=24)
    assert "takes 8 bits before the point; words of 32 bits with 24 behind it have 7." in str(caught.value)


def test_inputs_that_overflow_are_named_by_joint(stanford):
    with pytest.raises(
        ArgumentError,
        match='^the velocity of joint "joint4" reaches 300, which takes 9 bits before the point; words of 16 bits '
        "with 8 behind it have 7. Use fraction at most 6, narrower ranges",
    ):
        FixedPoint(stanford, {"qd": (1, 1, 1, 300, 1, 1), "qdd": 1.0}, bits=16, fraction=8)


# -- ranges -------------------------------------------------------------------------------------------


def test_limits_of_the_robot_are_the_ranges_where_none_are_given():
    panda = strobe.load("panda")
    method = FixedPoint(panda, {"qdd": 5.0})
    assert np.array_equal(method.ranges.q, np.stack([panda.limits.lower, panda.limits.upper], axis=1))
    assert np.array_equal(method.ranges.qd[:, 1], panda.limits.velocity)
    assert np.array_equal(method.ranges.qdd, [[-5.0, 5.0]] * 7)


def test_joints_that_turn_without_limits_have_half_a_turn_either_way(method):
    assert np.array_equal(method.ranges.q[0], [-math.pi, math.pi])
    assert np.array_equal(method.ranges.q[2], [0.3048, 1.27])


@pytest.mark.parametrize(
    ("given", "name", "word"), [({"qd": 1.0}, "qdd", "acceleration"), ({"qdd": 1.0}, "qd", "velocity")]
)
def test_a_missing_limit_must_be_given(stanford, given, name, word):
    with pytest.raises(ArgumentError) as caught:
        FixedPoint(stanford, given)
    assert str(caught.value) == (
        f'joint "joint1" of stanford has no limit of its {word}, and fixed point needs its range: give '
        f'ranges={{"{name}": …}} (--{name}-range), one number for all joints or one for each.'
    )


@pytest.mark.parametrize(
    ("ranges", "told"),
    [
        ({"qd": math.nan, "qdd": 1.0}, "the range of qd1 is nan to nan; expected finite ends."),
        ({"qd": math.inf, "qdd": 1.0}, "the range of qd1 is -inf to inf; expected finite ends."),
        ({"qd": [(1.0, -1.0)] * 6, "qdd": 1.0}, "the range of qd1 is 1 to -1, which is empty; give the lower"),
        ({"qd": (1.0, 2.0), "qdd": 1.0}, "the range of qd has shape (2,); expected a number, 6 numbers, or 6 pairs"),
        ({"velocity": 1.0}, 'ranges has "velocity"; expected q, qd and qdd.'),
    ],
)  # fmt: skip
def test_ranges_that_are_none_are_refused(stanford, ranges, told):
    with pytest.raises(ArgumentError) as caught:
        FixedPoint(stanford, ranges)
    assert str(caught.value).startswith(told)


def test_ranges_may_be_made_elsewhere(stanford):
    ranges = ranges_of(stanford, qd=1.0, qdd=2.0)
    assert FixedPoint(stanford, ranges).ranges is ranges


def test_the_ranges_of_a_motion_have_a_margin(stanford):
    motion = stanford.plan(
        [(0, 0.6, 0.4, 0, 0.5, 0), (1.2, 1.3, 0.8, 1, -0.6, 1.5)],
        velocity=MOTION["qd"],
        acceleration=MOTION["qdd"],
    )
    method = FixedPoint.along(stanford, motion)
    assert np.allclose(method.ranges.qdd[:, 1], 1.1 * motion.extremes(2).largest)
    state = motion(np.linspace(0, motion.duration, 500))
    met = np.abs(method.inverse_dynamics(*state) - stanford.inverse_dynamics(*state)).max(axis=0)
    assert (met <= method.bound).all()
    assert (method.bound < FixedPoint(stanford, RANGES).bound).all()
    with pytest.raises(ArgumentError, match="^margin is -1; expected a part of the ranges, 0 or more.$"):
        FixedPoint.along(stanford, motion, margin=-1)


# -- states -------------------------------------------------------------------------------------------


def test_states_outside_the_ranges_are_refused_with_joint_value_and_range(method):
    q, qd, qdd = method.random_states(3)
    qd[1, 4] = 3.5
    with pytest.raises(
        ArgumentError,
        match='^the velocity of joint "joint5" is 3.5; this fixed point covers -3 to 3. Give wider ranges.$',
    ):
        method.inverse_dynamics(q, qd, qdd)
    qd[1, 4] = math.nan
    with pytest.raises(
        ArgumentError, match='^the velocity of joint "joint5" is nan; this fixed point covers'
    ):
        method.inverse_dynamics(q, qd, qdd)
    with pytest.raises(ArgumentError, match="^a state with NaN has no words; give numbers.$"):
        method.words(q, qd, qdd)


def test_what_the_torques_do_not_depend_on_is_not_looked_at(method):
    q, qd, qdd = method.random_states(1)
    there = method.inverse_dynamics(q, qd, qdd)
    q[0, 0] = 100.0  # the first joint turns about gravity
    assert np.array_equal(method.inverse_dynamics(q, qd, qdd), there)


def test_a_step_sets_states_to_the_ends_and_tells_the_first(method):
    q, qd, qdd = (x[0] for x in method.random_states(1))
    inside = np.array([*qd[:4], 3.0, qd[5]])
    outside = np.array([*qd[:4], 3.9, qd[5]])
    one, code = method.step(method.words(q, inside, qdd))
    other, told = method.step(method.words(q, outside, qdd))
    assert (code, told) == (0, 6 + 5)
    assert np.array_equal(one, other)


def test_lists_batches_and_single_states_are_taken(method):
    q, qd, qdd = method.random_states(6)
    many = method.inverse_dynamics(q, qd, qdd)
    assert np.array_equal(many[2], method.inverse_dynamics(q[2].tolist(), qd[2].tolist(), qdd[2].tolist()))
    folded = method.inverse_dynamics(*(x.reshape(2, 3, 6) for x in (q, qd, qdd)))
    assert np.array_equal(folded.reshape(6, 6), many)
    with pytest.raises(
        ShapeError, match=r"^q has shape \(6, 5\); stanford has 6 joints, expected \(\.\.\., 6\)\.$"
    ):
        method.inverse_dynamics(q[:, :5], qd, qdd)


# -- what it says of itself ---------------------------------------------------------------------------


def test_formats_memory_and_operations_are_told(method):
    program = method.robot.kernel(approximate.method.INVERSE_DYNAMICS).program
    assert set(method.formats) == {"q", "qd", "qdd", "tau"}
    assert str(method.formats["q"][1]) == "Q2.29"
    assert method.formats["tau"][5].fraction > method.formats["tau"][0].fraction + 12
    assert method.operations.multiplications == program.multiplications
    assert method.memory == 4 * method.plan.constants
    assert 20 < method.plan.constants < 60
    assert method.preparation > 0.0


def test_notes_tell_what_is_proven_and_what_was_met(method):
    proven, met, least, shifts = method.notes
    assert proven.startswith(
        "proven for |q| up to 3.14, |qd| up to 3, |qdd| up to 10; states outside the ranges are"
    )
    assert (
        f"errors of up to {method.bound.max():.2g} are possible, of up to {method.observed.max():.2g} were"
        in met
    )
    assert least.startswith("beside its largest torque, that of joint")
    assert f"{method.plan.shifts} shifts" in shifts


def test_another_formula_may_be_written_in_fixed_point(stanford):
    plain = approximate.Exact(stanford)
    method = FixedPoint(stanford, RANGES, of=plain)
    state = method.random_states(2000)
    assert (
        np.abs(method.inverse_dynamics(*state) - plain.inverse_dynamics(*state)).max(axis=0) <= method.bound
    ).all()
    assert "in double precision" in method.c_files()["test_strobe_stanford_inverse_dynamics.c"]


def test_trees_are_taken():
    tree = strobe.load("biped10")
    method = FixedPoint(tree, {"q": 1.0, "qd": 2.0, "qdd": 5.0})
    assert (errors(method, 5000) <= method.bound).all()


def test_joints_that_follow_others_are_taken(tmp_path):
    text = """<robot name="gripper"><link name="base"/>
      <link name="a"><inertial><origin xyz="0.1 0 0.02"/><mass value="1.5"/>
        <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="b"><inertial><origin xyz="0.2 0.1 0"/><mass value="0.5"/>
        <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="one" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="2" velocity="3" effort="9"/></joint>
      <joint name="two" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
        <origin xyz="0.3 0 0"/><limit lower="-4" upper="4" velocity="9" effort="9"/>
        <mimic joint="one" multiplier="-1.5" offset="0.1"/></joint></robot>"""
    (tmp_path / "gripper.urdf").write_text(text)
    method = FixedPoint(strobe.load(tmp_path / "gripper.urdf"), {"qdd": 5.0})
    assert method.bound.shape == (1,)
    assert (errors(method, 5000) <= method.bound).all()
    assert "from -1 to 2  rad  one" in method.c_files()["strobe_gripper_inverse_dynamics.h"]


def test_a_robot_without_masses_is_refused():
    with pytest.raises(UnsupportedModelError, match="^rx90 has no dynamics"):
        FixedPoint(strobe.load("rx90"), RANGES)


def test_quaternions_are_refused():
    with pytest.raises(
        UnsupportedModelError,
        match=r'^joint "\w+" of \S+ is (spherical|floating): fixed point takes joints with one position',
    ):
        FixedPoint(strobe.random(2, kinds="S"), RANGES)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_compiled_code_is_timed_beside_floating_point():
    times = c_times(FixedPoint(strobe.load("planar2"), RANGES), seconds=0.01, states=256)
    assert times is not None
    assert min(times.fixed, times.double, times.single) > 0.0
