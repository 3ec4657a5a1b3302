"""The trade-off report: every method on one motion, measured against the exact torques."""

from __future__ import annotations

import json

import numpy as np
import pytest

import strobe
from strobe.approximate import methods
from strobe.approximate.methods import METHODS, OFFERS, offers
from strobe.approximate.report import trade_off
from strobe.errors import ArgumentError, UnknownNameError, UnsupportedModelError

QUICK = {"seconds": 0.0, "round": 0.0}


@pytest.fixture(scope="module")
def motion(swing):
    return swing


@pytest.fixture(scope="module")
def found(stanford, motion):
    return trade_off(stanford, motion, ["without-velocity-terms", "locked-joints"], samples=2001, **QUICK)


def test_errors_are_those_of_the_torques_joint_by_joint(stanford, motion, found):
    assert motion.duration == pytest.approx(1.86666666667)
    row = found.rows["without-velocity-terms"]
    q, qd, qdd = motion(np.linspace(0, motion.duration, 2001))
    tau = stanford.inverse_dynamics(q, qd, qdd)
    off = stanford.inverse_dynamics(q, 0 * qd, qdd) - tau
    np.testing.assert_allclose(row.rms, np.sqrt((off**2).mean(axis=0)), atol=1e-12)
    np.testing.assert_allclose(row.largest, np.abs(off).max(axis=0), atol=1e-12)
    np.testing.assert_allclose(row.relative, row.largest / np.abs(tau).max(axis=0), rtol=1e-9)
    assert row.error == pytest.approx(row.relative.max())
    np.testing.assert_allclose(row.rms, (0.728, 0.381, 0.890, 0.008, 0.036, 0), atol=3e-3)  # [methods 3.10]


def test_the_exact_torques_are_always_there_without_error(found):
    exact = found.rows["exact"]
    assert exact.error == 0
    assert (exact.operations.multiplications, exact.operations.additions) == (120, 102)
    assert exact.memory > 0
    assert exact.ns > 0
    assert exact.single_ns > 0
    assert exact.preparation > 0
    assert "exact" in found.pareto


def test_a_method_that_cannot_be_had_stays_with_its_refusal(found):
    assert found.refused == {
        "locked-joints": "every joint of stanford moves in this motion: there is none to lock."
    }


def test_the_report_is_data_with_its_recommendation_and_rule(found):
    data = json.loads(found.to_json())
    assert data["robot"] == "stanford"
    assert data["recommendation"].startswith("Take the exact torques: ")
    assert data["rule"].startswith("of the methods whose error stays within 1 % ")
    assert data["methods"]["without-velocity-terms"]["rms"] == pytest.approx(
        found.rows["without-velocity-terms"].rms.tolist()
    )
    assert "tracking" not in data["methods"]["exact"]


def test_a_column_of_tracking_errors_is_there_once_something_gives_them(stanford, motion):
    names = ["without-velocity-terms"]
    seen = trade_off(
        stanford, motion, names, samples=50, tracking=lambda method: len(method.name) / 1000, **QUICK
    )
    assert seen.rows["exact"].tracking == 0.005
    assert json.loads(seen.to_json())["methods"]["without-velocity-terms"]["tracking"] == 0.022


@pytest.mark.slow
def test_the_joints_that_stand_still_are_locked(monkeypatch):
    slow = lambda ways, *how: {name: 1.0 + name.startswith("locked") for name in ways}  # noqa: E731
    monkeypatch.setattr("strobe.approximate.report.best_times", slow)  # no matter what is faster today
    arm = strobe.load("planar3")
    motion = arm.plan([(0, 0.3, 0.1), (0.5, 0.3, 0.4)], velocity=2, acceleration=4)
    seen = trade_off(arm, motion, ["locked-joints"], samples=50, **QUICK)
    row = seen.rows["locked-joints"]
    assert "joint2 at 0.3" in row.notes[0]
    assert row.relative == pytest.approx(0, abs=1e-12)  # what its brake bears is not computed, and no error
    assert seen.by_work.startswith("Where operations decide, as on a small processor, locked-joints takes ")


def test_a_fault_in_a_method_is_no_refusal(stanford, motion, monkeypatch):
    """Only what a method says while it is made is a reason not to have it."""

    def wrong(*state):
        raise ArgumentError("wrong")

    monkeypatch.setattr("strobe.approximate.omitted_terms.GravityOnly.inverse_dynamics", wrong)
    with pytest.raises(ArgumentError, match="wrong"):
        trade_off(stanford, motion, ["gravity-only"], samples=50, **QUICK)


def test_an_extrapolation_holds_the_constants_of_what_it_computes_now_and_then(stanford, motion):
    names = [f"path-extrapolation-{order}" for order in (0, 1, 2)] + ["full-extrapolation"]
    seen = trade_off(stanford, motion, names, samples=50, **QUICK).rows
    constants = seen["exact"].memory
    kept = {"path-extrapolation-0": 6, "path-extrapolation-1": 20, "path-extrapolation-2": 27}
    assert {name: seen[name].memory - constants for name in kept} == {n: 8 * k for n, k in kept.items()}
    assert seen["full-extrapolation"].memory > constants + 8 * (6 + 6 * 18 + 18)
    assert len({seen[name].preparation for name in kept}) == 1


def test_a_method_beyond_the_budget_is_refused_with_the_figure(stanford, motion):
    seen = trade_off(stanford, motion, ["without-velocity-terms"], budget=100, samples=50, **QUICK)
    assert (
        seen.refused["without-velocity-terms"] == "it takes 152 bytes, more than the budget of 100 bytes."
    )
    assert list(seen.rows) == ["exact"]  # what the others are held against


def test_joints_in_another_order_are_put_in_order_and_others_refused(stanford, motion):
    from dataclasses import replace

    turned = replace(
        motion, joint_names=motion.joint_names[::-1], coefficients=motion.coefficients[:, ::-1]
    )
    seen = trade_off(stanford, turned, ["without-velocity-terms"], samples=50, **QUICK)
    straight = trade_off(stanford, motion, ["without-velocity-terms"], samples=50, **QUICK)
    np.testing.assert_array_equal(
        seen.rows["without-velocity-terms"].rms, straight.rows["without-velocity-terms"].rms
    )
    with pytest.raises(ArgumentError, match=r"the motion has no joint joint7, which panda has\."):
        trade_off(strobe.load("panda"), motion, samples=50, **QUICK)


def test_a_joint_without_torque_does_not_make_rounding_look_large():
    arm = strobe.load("planar2").with_gravity((0, 0, 0))
    motion = arm.plan([(0.2, 0.3), (0.2, 0.3 + 1e-9)], velocity=1, acceleration=1)
    seen = trade_off(arm, motion, ["without-velocity-terms"], samples=20, **QUICK)
    assert np.isfinite(seen.rows["without-velocity-terms"].relative).all()


@pytest.mark.parametrize("budget", [-1, 0, 1.5, True, "64kB"])
def test_a_budget_that_is_no_number_of_bytes_is_refused(stanford, motion, budget):
    with pytest.raises(ArgumentError, match=r"budget is .*; expected a number of bytes, 1 or more\."):
        trade_off(stanford, motion, budget=budget)


def test_other_wrong_arguments_are_refused(stanford, motion):
    with pytest.raises(ArgumentError, match=r"samples is 1; expected a number of instants, 2 or more\."):
        trade_off(stanford, motion, samples=1)
    with pytest.raises(
        ArgumentError, match=r"within is -0\.1; expected a share above zero, 0\.01 for 1 %\."
    ):
        trade_off(stanford, motion, within=-0.1)
    with pytest.raises(
        UnknownNameError, match=r'no method "without-velocity" in the trade-off report\. Did you'
    ):
        trade_off(stanford, motion, ["without-velocity"])
    with pytest.raises(
        ArgumentError, match=r"motion is a str; expected a planned Trajectory \(robot\.plan\)\."
    ):
        trade_off(stanford, "traj.json")
    bare = strobe.load("rx90")
    moved = bare.plan([[0] * 6, [0.1] * 6], velocity=1, acceleration=1)
    with pytest.raises(UnsupportedModelError, match="has no dynamics"):
        trade_off(bare, moved)


def test_methods_are_offered_once_each_in_the_order_of_the_report():
    assert len(METHODS) == len(OFFERS)
    assert [offer.name for offer in offers(["locked-joints", "gravity-only"])] == [
        "exact", "gravity-only", "locked-joints",
    ]  # fmt: skip
    assert offers() == list(OFFERS)


# -- all methods ------------------------------------------------------------------------------------------------

WITHIN = {  # shares of a joint's largest torque that no error exceeds on a motion of planar2
    "exact": 0, "without-velocity-terms": 0.2, "gravity-only": 0.6, "reduced-interaction": 0.5,
    "without-distal-links": 1.1, "path-extrapolation-0": 0.05, "path-extrapolation-1": 0.01,
    "path-extrapolation-2": 0.001, "full-extrapolation": 0.01, "along-trajectory": 0.1,
    "along-trajectory-in-time": 0.03, "typical-trajectories": 0.01, "complete-table": 0.05, "cmac": 0.1,
    "raibert": 0.02, "horn-raibert": 0.001, "horn-raibert-with-derivatives": 0.01, "fixed-point-32": 1e-6,
    "fixed-point-16": 0.01,
}  # fmt: skip


@pytest.fixture(scope="module")
def whole():
    arm = strobe.load("planar2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(methods, "ROOM", 2**18)
        patch.setattr(methods, "MOST_ROWS", 2**10)
        return trade_off(
            arm, arm.plan([(0, 0.3), (1.6, 1.4)], velocity=3, acceleration=6), samples=200, **QUICK
        )


@pytest.mark.slow
def test_every_method_can_be_had_for_an_arm_that_moves_all_its_joints_but_locked_ones(whole):
    assert {*whole.rows, "locked-joints"} == set(METHODS) == {*WITHIN, "locked-joints"}


@pytest.mark.parametrize("name", WITHIN)
def test_the_error_of_every_method_is_of_its_size(whole, name):
    row = whole.rows[name]
    assert row.error <= WITHIN[name]
    assert (row.error > 0) == (name != "exact")
    assert row.memory > 0
    assert row.work > 0


def test_fixed_point_is_imitated_here_and_has_no_time(whole):
    untimed = {row.name for row in whole.rows.values() if row.ns is None}
    assert untimed == {"fixed-point-32", "fixed-point-16"}
    assert untimed.isdisjoint(whole.pareto)


def test_methods_whose_states_follow_one_another_have_no_time_of_a_single_call(whole):
    without = {row.name for row in whole.rows.values() if row.ns is not None and row.single_ns is None}
    assert without == {
        "path-extrapolation-0",
        "path-extrapolation-1",
        "path-extrapolation-2",
        "full-extrapolation",
    }


def test_tables_are_judged_in_a_sentence(whole):
    assert whole.on_tables.startswith(("Tables keep up: ", "Tables no longer pay: "))


def test_tables_of_six_joints_are_refused_with_their_sizes(stanford, motion):
    seen = trade_off(stanford, motion, ["complete-table", "raibert"], samples=50, **QUICK)
    assert "5^18 = 3,814,697,265,625 sets of 6 numbers" in seen.refused["complete-table"]
    assert "5^12 = 244,140,625 sets of 42 numbers" in seen.refused["raibert"]


def test_a_budget_is_the_size_that_tables_are_made_for():
    arm = strobe.load("planar2")
    moved = arm.plan([(0, 0.3), (1.6, 1.4)], velocity=3, acceleration=6)
    small, large = (
        trade_off(arm, moved, ["horn-raibert"], budget, samples=50, **QUICK).rows["horn-raibert"]
        for budget in (4_000, 40_000)
    )
    assert small.memory <= 4_000 < large.memory <= 40_000
    assert large.error < 0.3 * small.error
