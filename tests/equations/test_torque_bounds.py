"""Bounds that nothing passes, and ranges as they are given, stated or assumed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import strobe
from strobe.equations import torque_bounds
from strobe.equations.torque_bounds import bound, contributions, largest_torques, ranges_of
from strobe.equations.trig_polynomials import Waves
from strobe.errors import ArgumentError
from strobe.scalars import cos, sin

RING = Waves(("a", "b"), ("x", "y"), named=False)
SIZES = {"x": 2.0, "y": 0.5}
A, B, X, Y = (RING.variable(name) for name in ("a", "b", "x", "y"))


@st.composite
def waves(draw):
    """Sums of products of rates and waves of up to twice an angle."""
    total = RING.constant(0)
    for _ in range(draw(st.integers(1, 6))):
        j, k = draw(st.integers(0, 2)), draw(st.integers(-2, 2))
        monomial = draw(st.sampled_from([1, X, X * X, X * Y]))
        wave = draw(st.sampled_from([cos, sin]))(A * j + B * k)
        total = total + RING.constant(draw(st.integers(-9, 9))) * monomial * wave
    return RING.lower(total)


def densely(wave) -> float:
    """The largest magnitude at many angles and at both ends of the other ranges."""
    angle = np.linspace(0.0, 2 * np.pi, 91)
    a, b, x, y = np.meshgrid(angle, angle, [-2.0, 2.0], [-0.5, 0.5], indexing="ij")
    return float(np.max(np.abs(wave.evaluate({"a": a, "b": b, "x": x, "y": y}))))


def triangle(wave) -> float:
    return sum(size for _, _, size in contributions(wave, SIZES))


# -- ranges by what they come from -------------------------------------------------------------------


def test_ranges_say_where_they_come_from() -> None:
    robot = strobe.load("stanford")
    assert ranges_of(robot, qd=1.0).origins == {
        "q": "limits of the robot, else defaults",
        "qd": "given",
        "qdd": "defaults",
    }
    assert ranges_of(strobe.load("panda")).origins["q"] == "limits of the robot"


def test_the_ranges_of_a_motion_are_its_ends_unless_others_are_given() -> None:
    motion = (np.array([[0.0, 1.0], [2.0, -1.0]]), np.array([[1.0, 1.0], [0.0, 3.0]]), np.zeros((2, 2)))
    found = ranges_of(strobe.load("planar2"), qdd=2.0, along=motion)
    assert found.q.tolist() == [[0.0, 2.0], [-1.0, 1.0]]
    assert found.qd.tolist() == [[0.0, 1.0], [1.0, 3.0]]
    assert found.qdd.tolist() == [[-2.0, 2.0], [-2.0, 2.0]]
    assert found.origins == {"q": "those of the motion", "qd": "those of the motion", "qdd": "given"}


# -- waves --------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=60)
@given(waves())
def test_a_wave_never_passes_its_bound(wave) -> None:
    assert densely(wave) <= bound(wave, SIZES) * (1 + 1e-12) + 1e-12
    assert bound(wave, SIZES) <= triangle(wave)


def test_the_grid_sees_that_waves_do_not_peak_together() -> None:
    wave = RING.lower(cos(A) + sin(A) + cos(A * 2))
    true = densely(wave)
    assert triangle(wave) == 3.0
    assert true <= bound(wave, SIZES) <= true / math.cos(math.pi / 8) < 3.0


def test_a_bound_that_is_good_enough_is_not_bettered() -> None:
    wave = RING.lower(cos(A) + sin(A))
    assert bound(wave, SIZES, enough=2.0) == 2.0
    assert bound(wave, SIZES, enough=1.9) < 1.9


def test_without_room_for_a_grid_the_triangle_inequality_holds(monkeypatch) -> None:
    monkeypatch.setattr(torque_bounds, "MOST_POINTS", 1)
    assert bound(RING.lower(cos(A) + sin(A)), SIZES) == 2.0


def test_monomials_are_bounded_by_their_sizes() -> None:
    assert bound(RING.lower(X * X * Y * 3), SIZES) == pytest.approx(3 * 4 * 0.5)
    assert bound(RING.constant(0), SIZES) == 0.0


# -- ranges -------------------------------------------------------------------------------------------


def test_ranges_are_the_limits_of_the_robot_where_it_has_any() -> None:
    robot = strobe.load("panda")
    ranges, limits = ranges_of(robot), robot.limits
    assert np.array_equal(ranges.q, np.stack([limits.lower, limits.upper], axis=-1))
    assert np.array_equal(ranges.qd[:, 1], limits.velocity)


def test_a_joint_without_limits_goes_half_a_turn_or_a_metre_a_second() -> None:
    robot = strobe.load("stanford")
    ranges, turns = ranges_of(robot), [joint.turns for joint in robot.coordinates.joints]
    assert not np.isfinite([robot.limits.velocity, robot.limits.acceleration]).any()
    assert turns == [True, True, False, True, True, True]
    assert ranges.qd[:, 1].tolist() == [math.pi if angle else 1.0 for angle in turns]
    assert ranges.qdd[:, 1].tolist() == [10.0] * 6


@pytest.mark.parametrize("given", [2.0, [2.0, 2.0], [[-2.0, 2.0], [-2.0, 2.0]]])
def test_one_number_numbers_and_pairs_say_the_same_range(given) -> None:
    assert ranges_of(strobe.load("planar2"), qd=given).qd.tolist() == [[-2.0, 2.0], [-2.0, 2.0]]


WRONG = {
    "has shape (3,); expected a number, 2 numbers, or 2 pairs of a lower and an upper end.": [1, 2, 3],
    "has shape (0,); expected a number, 2 numbers, or 2 pairs of a lower and an upper end.": [],
    "holds something that is no number; expected a number, 2 numbers, or 2 pairs": ["a", "b"],
}


@pytest.mark.parametrize("sentence", WRONG)
def test_a_range_of_the_wrong_form_is_refused(sentence) -> None:
    with pytest.raises(ArgumentError) as error:
        ranges_of(strobe.load("planar2"), q=WRONG[sentence])
    assert f"the range of q {sentence}" in str(error.value)


def test_an_empty_range_is_refused() -> None:
    with pytest.raises(ArgumentError) as error:
        ranges_of(strobe.load("planar2"), qdd=[[0, 1], [3, 2]])
    assert str(error.value) == "the range of qdd2 is 3 to 2, which is empty; give the lower end first."


@pytest.mark.parametrize("end", [math.nan, math.inf])
def test_a_range_without_an_end_is_refused(end) -> None:
    with pytest.raises(ArgumentError) as error:
        ranges_of(strobe.load("planar2"), qd=[[0, 1], [0, end]])
    assert str(error.value) == f"the range of qd2 is 0 to {end:g}; expected finite ends."


def test_the_largest_torques_of_the_textbook_arm_are_nearly_those_of_its_closed_form() -> None:
    robot = strobe.Robot(strobe.load("planar2").model, compiled=False)
    found = largest_torques(robot, ranges_of(robot, qd=0.0, qdd=3.0))
    stretched = robot.mass_matrix([0.0, 0.0]).sum(axis=1) * 3.0 + robot.gravity([0.0, 0.0])
    assert (found <= stretched * (1 + 1e-12)).all()  # stretched out sideways, pulling up: nothing is worse
    assert (found >= 0.99 * stretched).all()


def test_a_range_that_does_not_hold_zero_is_kept_to() -> None:
    robot = strobe.Robot(strobe.load("planar2").model, compiled=False)
    exact = robot.inverse_dynamics([0.3, 0.4], [1.0, 2.0], [5.0, 6.0], friction=False)
    point = ranges_of(robot, *[[[x, x] for x in v] for v in ([0.3, 0.4], [1.0, 2.0], [5.0, 6.0])])
    assert largest_torques(robot, point) == pytest.approx(np.abs(exact), rel=1e-12)
