"""SciPy's methods, step by step: watched, interrupted without losing what is done, stopped when they diverge."""

import numpy as np
import pytest

import strobe
from strobe.errors import SimulationError
from strobe.simulate import RunStatus, TimeSeries, simulate
from strobe.simulate.adaptive import ADAPTIVE


@pytest.fixture(scope="module")
def robot():
    return strobe.load("planar2")


START = [0.3, 0.2], [0.0, 0.0]


def stopping_after(time, seen):
    def watch(t):
        seen.append(t)
        if t > time:
            raise KeyboardInterrupt

    return watch


@pytest.mark.slow
@pytest.mark.parametrize("method", ADAPTIVE)
def test_an_interrupt_keeps_the_rows_that_are_done(robot, method):
    seen = []
    times = np.linspace(0, 1, 101)
    part = simulate(robot, *START, None, times, method, friction=False, watch=stopping_after(0.4, seen))
    whole = simulate(robot, *START, None, times, method, friction=False)
    assert part.status == RunStatus.INTERRUPTED
    assert part.stopped == seen[-1] > 0.4
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert part.times[-1] == times[times <= part.stopped][-1]
    np.testing.assert_array_equal(part.q, whole.q[: len(part.times)])
    np.testing.assert_array_equal(part.audit.work, whole.audit.work[: len(part.times)])


def test_of_a_batch_that_is_interrupted_the_runs_that_are_done_are_done(robot):
    seen = []
    q = np.array([[0.3, 0.2], [0.4, 0.2], [0.5, 0.2]])
    watch = stopping_after(0.5, seen)
    part = simulate(robot, q, [0, 0], None, 1.0, "rk45", friction=False, watch=watch)
    assert part.status.tolist() == [RunStatus.DONE, RunStatus.INTERRUPTED, RunStatus.INTERRUPTED]
    assert part.stopped[0] == 1.0
    assert 0.4 < part.stopped[1] < 0.6
    assert part.stopped[2] == 0.0
    assert seen == sorted(seen)
    assert np.isfinite(part.q[0]).all()
    rows = part.times <= part.stopped[1]
    assert np.isfinite(part.q[1, rows]).all()
    assert np.isnan(part.q[1, ~rows]).all()


@pytest.mark.slow
@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_motion_that_grows_without_end_stops_with_time_and_joint_named(robot, method):
    asked = []  # whose state was asked for last, the run was lost from: no two processors lose it from the same one

    def torque(t, q, qd):
        asked.append((q.copy(), qd.copy()))
        return 1e3 * qd + 1

    run = simulate(robot, *START, torque, 2000.0, method)
    assert run.status == RunStatus.DIVERGED
    assert 0 < run.stopped < 0.01
    assert run.times.tolist() == [0.0]
    q, qd = asked[-1]
    qdd = robot.forward_dynamics(q, qd, 1e3 * qd + 1)
    k = int(np.argmax(np.abs(qd) + np.abs(qdd)))
    said, *left = run.notes
    assert all("between two rows that are kept" in each for each in left)  # limits, on its way
    assert said.startswith(
        f'the run diverged at t = {run.stopped:.6g} s: joint "joint{k + 1}", at {abs(qd[k]):.3g} rad/s and '
    )
    assert "s further in 1,000 steps. If it does not diverge, it is stiff: take radau, bdf or" in said


@pytest.mark.slow
def test_a_motion_beyond_all_bounds_and_one_that_no_step_is_short_enough_for_are_lost(robot):
    fast = strobe.trace(lambda t: [1e20 * t[0], 0.0], t=1)
    run = simulate(robot, *START, fast, 1.0, "rk45", rtol=1e-2, atol=1e6)
    assert run.status == RunStatus.DIVERGED
    assert "was lost in the next step." in run.notes[0]
    run = simulate(robot, *START, lambda t, q, qd: 1.0 + 1e3 * qd**3, 1.0, "rk45", friction=False)
    assert run.status == RunStatus.DIVERGED
    assert run.notes[0].endswith(
        "asks for steps shorter than any: it diverges, or rtol and atol are too small."
    )


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_torque_function_that_fails_keeps_the_rows_before(robot, method):
    def torque(t, q, qd):
        if t > 0.5:
            raise RuntimeError("the bus is silent")
        return np.zeros(2)

    with pytest.raises(
        SimulationError, match=r"^the torque function failed at t = 0\.\d+ s, run 0: Run"
    ) as info:
        simulate(robot, *START, torque, 1.0, method, friction=False)
    run = info.value.run
    assert run.status == RunStatus.FAILED
    assert 0.2 < run.stopped <= 0.5
    assert run.times[-1] == pytest.approx(run.stopped, abs=1e-3)


@pytest.mark.slow
def test_rows_at_jumps_have_the_torque_that_begins_there(robot):
    torque = TimeSeries([0.0, 0.25, 0.5], [[1.0, 0.0], [-1.0, 0.0], [2.0, 0.0]], hold="zero-order")
    run = simulate(robot, *START, torque, np.linspace(0, 1, 5), "rk45")
    assert run.tau[:, 0].tolist() == [1.0, -1.0, 2.0, 2.0, 2.0]


@pytest.mark.slow
def test_quaternions_have_unit_length_and_the_last_row_is_the_last_state():
    body = strobe.random(1, seed=2, kinds="F", tree=True)
    q, qd, _ = body.random_state(0)
    run = simulate(body, q, qd, None, 0.5, "dop853", rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, 3:], axis=1), 1.0, atol=1e-15)
    exact = simulate(body, q, qd, None, 0.5, "rk8", step=1e-3)
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=1e-9)
