"""A shortened model keeps its promise: the bound holds, the count is what it says, more room never costs more."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import strobe
from strobe.equations import shortened as module
from strobe.equations.pruning import operations
from strobe.equations.shortened import Shortened, shortened
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.quantities import Request

PUBLISHED = 305  # Armstrong, Khatib and Burdick 1986, by a criterion of their own


def interpreted(robot) -> strobe.Robot:
    return strobe.Robot(robot.model, compiled=False)


def states(short: Shortened, count: int = 10_000, seed: int = 7):
    """Random states within the ranges, every other one with rates and accelerations at their ends."""
    rng = np.random.default_rng(seed)
    found = []
    for ends in (short.ranges.q, short.ranges.qd, short.ranges.qdd):
        share = rng.uniform(size=(count, len(ends)))
        if ends is not short.ranges.q:
            share[::2] = np.round(share[::2])
        found.append(ends[:, 0] + share * np.ptp(ends, axis=1))
    return found


def worst_errors(short: Shortened, **options):
    """The largest errors as parts of the largest torques, against a formulation that was not pruned."""
    motion = states(short)
    exact = short.robot.inverse_dynamics(*motion, friction=False, **options)
    return np.abs(short.inverse_dynamics(*motion) - exact).max(axis=0) / short.largest


@pytest.fixture(scope="module")
def puma() -> Shortened:
    return shortened(strobe.load("puma560"), 0.01)


# -- the PUMA 560 at one per cent ---------------------------------------------------------------------


@pytest.mark.slow
def test_the_puma_within_one_per_cent_takes_fewer_operations_than_published(puma) -> None:
    assert (puma.multiplications, puma.additions, puma.circles) == (127, 97, 8)
    assert puma.operations == 224 < PUBLISHED


def test_its_bound_is_proven_and_holds(puma) -> None:
    assert puma.proven
    assert (puma.bounds <= 0.01).all()
    assert (worst_errors(puma, formulation="newton-euler") <= puma.bounds + 1e-12).all()


def test_what_is_compiled_is_what_was_counted(puma) -> None:
    program = puma.kernel.program
    assert (program.multiplications, program.additions) == (puma.multiplications, puma.additions)


def test_the_written_form_has_a_fifth_of_the_terms(puma) -> None:
    written = puma.written()
    assert (written.terms, written.of) == (265, 1336)
    assert (written.bounds <= 0.01).all()


def test_the_test_motion_stays_within_the_ranges_and_moves(puma) -> None:
    motion = puma.test_motion
    for values, ends in zip(motion, (puma.ranges.q, puma.ranges.qd, puma.ranges.qdd), strict=True):
        assert (values >= ends[:, 0] - 1e-9).all()
        assert (values <= ends[:, 1] + 1e-9).all()
    step = module.DURATION / (module.INSTANTS - 1)
    assert (np.ptp(motion[0], axis=0) > 0.5).all()
    for values, rates in pairwise(motion):
        assert np.gradient(values, step, axis=0)[1:-1] == pytest.approx(rates[1:-1], abs=2e-3)


def test_errors_on_a_motion_are_below_the_bound(puma) -> None:
    for row in puma.rows():
        assert 0.0 < row.rms <= row.largest <= row.bound <= 0.01


def test_the_description_says_what_the_percentages_are_of(puma) -> None:
    text = puma.describe()
    assert text.startswith(
        f"puma560 within 0.01 of the largest torques: {puma.operations} operations ({puma.multiplications} "
        f"multiplications, {puma.additions} additions) instead of {operations(puma.exact)}, and {puma.circles} "
        "sines and cosines\n"
    )
    assert "Percentages are of the largest torque of the joint that was met within the ranges" in text
    assert "The bound is proven, for every angle and all motions within the ranges." in text
    assert repr(puma) == f"<Shortened puma560: {puma.operations} operations within 0.01, proven>"


# -- laws ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=8)
@given(n=st.integers(1, 3), seed=st.integers(0, 999), within=st.floats(0.005, 0.5))
def test_no_random_state_of_a_random_robot_passes_the_proven_bound(n, seed, within) -> None:
    short = shortened(interpreted(strobe.random(n, seed)), within)
    assert short.proven
    assert (short.bounds <= within).all()
    assert (worst_errors(short, formulation="spatial-newton-euler") <= short.bounds + 1e-11).all()


def test_within_nothing_the_model_is_the_exact_one() -> None:
    robot = strobe.load("stanford")
    short = shortened(robot, 0)
    assert short.program is short.exact
    assert short.proven
    assert not short.bounds.any()
    motion = states(short, 100)
    exact = robot.inverse_dynamics(*motion, friction=False)
    assert short.inverse_dynamics(*motion) == pytest.approx(exact, rel=1e-12, abs=1e-12)
    written = short.written()
    assert written.terms == written.of
    assert not written.bounds.any()


def test_the_closed_form_is_shortened_where_it_takes_fewer_operations() -> None:
    robot = interpreted(strobe.load("parallelogram"))
    short = shortened(robot, 0)
    recursive = robot.kernel(Request("inverse_dynamics", friction=False)).program
    assert (operations(recursive), short.operations) == (57, 24)
    motion = states(short, 100)
    exact = robot.inverse_dynamics(*motion, friction=False)
    assert short.inverse_dynamics(*motion) == pytest.approx(exact, rel=1e-12, abs=1e-12)


@pytest.mark.slow
def test_more_room_never_costs_more_operations() -> None:
    robot = interpreted(strobe.random(3, 4))
    short = [shortened(robot, within) for within in (0.0, 0.01, 0.03, 0.07, 0.2, 0.5)]
    counts, lengths = [s.operations for s in short], [s.written().terms for s in short]
    for found in (counts, lengths):
        assert found == sorted(found, reverse=True)
        assert found[-1] < found[0]


def test_the_same_question_has_the_same_answer() -> None:
    robot = interpreted(strobe.random(2, 4))
    first, second = (shortened(robot, 0.05) for _ in range(2))
    assert first.program.text() == second.program.text()
    assert np.array_equal(first.bounds, second.bounds)


@pytest.mark.parametrize("numbers", [True, False])
def test_terms_left_out_of_the_written_form_stay_within_their_bound(numbers) -> None:
    robot = interpreted(strobe.load("planar3"))
    short = shortened(robot, 0.2)
    written, motion = short.written(numbers), states(short)
    assert written.terms < written.of
    assert (written.bounds <= 0.2).all()
    found = robot.equations(numbers=numbers).evaluate(written.torques, *motion)
    errors = np.abs(found - robot.inverse_dynamics(*motion, friction=False)).max(axis=0) / short.largest
    assert (errors <= written.bounds + 1e-12).all()
    assert errors.any()


def test_joints_that_follow_others_are_shortened_with_them() -> None:
    short = shortened(interpreted(strobe.load("parallelogram")), 0.2)
    assert (worst_errors(short) <= short.bounds + 1e-12).all()


def test_where_no_proof_is_tried_the_bound_is_said_to_be_sampled(monkeypatch) -> None:
    monkeypatch.setattr(module, "PROVABLE", 10)
    short = shortened(interpreted(strobe.random(2, 4)), 0.05)
    assert not short.proven
    assert short.operations < operations(short.exact)
    assert (short.bounds <= 0.05).all()
    assert short.bounds.any()
    assert "The bound is sampled: the worst motion at 64 positions within the ranges" in str(short)
    assert repr(short).endswith("sampled>")


# -- along a motion ---------------------------------------------------------------------------------


def test_errors_are_those_of_the_motion_given_and_its_ranges_hold_them() -> None:
    robot = interpreted(strobe.load("planar3"))
    motion = robot.random_state(seed=3, batch=40)
    short = shortened(robot, 0.2, along=motion)
    exact = robot.inverse_dynamics(*motion, friction=False)
    errors = np.abs(short.inverse_dynamics(*motion) - exact).max(axis=0) / short.largest
    rows = short.rows()
    assert [row.largest for row in rows] == pytest.approx(errors.tolist())
    assert all(row.largest <= row.bound <= 0.2 for row in rows)
    assert [row.q for row in rows] == list(zip(motion[0].min(axis=0), motion[0].max(axis=0), strict=True))
    assert "the motion: largest" in str(short)
    assert "leaves" not in short.extent


def test_a_motion_that_leaves_the_ranges_is_told() -> None:
    robot = interpreted(strobe.load("planar2"))
    short = shortened(robot, 0.1, qd=0.01, along=robot.random_state(seed=3, batch=4))
    assert short.extent == (
        "Ranges: q: those of the motion; qd: given; qdd: those of the motion. "
        "The motion leaves them: there the bound says nothing."
    )


def test_every_joint_has_a_sentence() -> None:
    short = shortened(interpreted(strobe.load("planar2")), 0.1, q=1, qd=2, qdd=3)
    headline, of_what, basis, extent, first, second = short.sentences()
    assert headline.startswith("planar2 within 0.1 of the largest torques: ")
    assert basis == short.basis
    assert extent == "Ranges: q: given; qd: given; qdd: given."
    assert first.startswith(
        "joint1: q from -1 to 1 rad; qd from -2 to 2 rad/s; qdd from -3 to 3 rad/s²; largest torque"
    )
    assert "test motion: largest error" in second


def test_a_motion_that_is_no_motion_is_refused() -> None:
    robot = interpreted(strobe.load("planar2"))
    for along, sentence in (
        (np.zeros((3, 0, 2)), "the motion has no states; give at least one."),
        (np.full((3, 1, 2), math.nan), "the motion holds a number that is not finite"),
        (np.zeros((3, 1, 3)), "planar2 has 2 coordinates"),
    ):
        with pytest.raises(ValueError, match=sentence):
            shortened(robot, 0.1, along=along)


# -- what cannot be answered --------------------------------------------------------------------------


@pytest.mark.parametrize("within", [-0.01, 1.0, 1.5, math.nan, "1%", True])
def test_a_tolerance_that_is_no_part_is_refused(within) -> None:
    with pytest.raises(ArgumentError) as error:
        shortened(strobe.load("planar2"), within)
    assert str(error.value) == (
        f"within is {within!r}; expected a part of the largest torques, from 0 up to but not including 1 "
        "(0.01 for 1 %)."
    )


def test_a_range_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(
        ArgumentError, match=r"the range of qd has shape \(3,\); expected a number, 2 numbers"
    ):
        shortened(strobe.load("planar2"), 0.01, qd=[1, 2, 3])


def test_ranges_in_which_there_is_no_torque_are_refused() -> None:
    robot = interpreted(strobe.load("planar2")).with_gravity([0, 0, 0])
    with pytest.raises(ArgumentError) as error:
        shortened(robot, 0.01, qd=0, qdd=0)
    assert str(error.value) == "planar2 needs no torque anywhere within these ranges; give wider ones."


def test_a_motion_without_states_is_refused() -> None:
    short = shortened(interpreted(strobe.load("planar2")), 0.0)
    with pytest.raises(ArgumentError, match=r"the motion has no states; give at least one\."):
        short.errors_on(*np.zeros((3, 0, 2)))


def test_a_joint_that_turns_by_a_quaternion_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="is no trigonometric polynomial"):
        shortened(strobe.random(2, 0, kinds="S"), 0.01)
