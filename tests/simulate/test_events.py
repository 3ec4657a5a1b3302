"""Loads taken up and let go, joints locked and released, at times that steps end at."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, SimulationWarning, UnknownNameError, UnsupportedModelError
from strobe.simulate import Attach, Drop, Lock, Release, RunStatus, simulate
from strobe.simulate.fixed_steps import Stepping


@pytest.fixture(scope="module")
def arm():
    return strobe.load("panda")


@pytest.fixture(scope="module")
def start(arm):
    q, qd, _ = arm.random_state(2, 3)
    return q, qd


@pytest.mark.slow
def test_locking_a_joint_is_the_robot_with_the_joint_locked(arm, start):
    """From rest, so that no brake acts: the other joints move as those of a robot with one joint less."""
    q = start[0][0]
    run = simulate(arm, q, np.zeros(7), None, 0.3, step=1e-3, events=[Lock(0.0, "*joint4")])
    locked = arm.lock({"*joint4": q[3]})
    rest = [k for k in range(7) if k != 3]
    alone = simulate(locked, q[rest], np.zeros(6), None, 0.3, step=1e-3)
    np.testing.assert_allclose(run.q[:, rest], alone.q, atol=1e-11)
    np.testing.assert_array_equal(run.q[:, 3], q[3])
    qdd = arm.forward_dynamics(run.q[50], run.qd[50], run.tau[50])
    assert qdd[3] == pytest.approx(0.0, abs=1e-9)  # the torque that is told holds it


@pytest.mark.slow
def test_a_brake_stops_its_joint_without_an_impulse_on_the_others(arm, start):
    q, qd = start
    before = simulate(arm, q, qd, None, 0.1, step=1e-3)
    run = simulate(arm, q, qd, None, 0.2, step=1e-3, events=[Lock(0.1, "*joint2")])
    row = 100
    np.testing.assert_array_equal(run.q[:, row], before.q[:, -1])
    impulse = np.einsum("nij,nj->ni", arm.mass_matrix(run.q[:, row]), run.qd[:, row] - before.qd[:, -1])
    others = [k for k in range(7) if k != 1]
    np.testing.assert_allclose(impulse[:, others], 0.0, atol=1e-12)
    assert (run.qd[:, row:, 1] == 0).all()
    assert (run.audit.events[:, row] < 0).all()
    assert (run.audit.largest_drift < 1e-6).all()


@pytest.mark.slow
def test_a_released_joint_moves_again(arm, start):
    q, qd = start
    run = simulate(arm, q, qd, None, 0.3, step=1e-3, events=[Lock(0.1, "*joint2"), Release(0.2, "*joint2")])
    assert (run.qd[:, 100:200, 1] == 0).all()
    assert (np.abs(run.qd[:, -1, 1]) > 0.01).all()


@pytest.mark.slow
def test_a_load_at_rest_is_caught_with_the_momentum_of_the_joints(arm, start):
    q, qd = start
    run = simulate(arm, q, qd, None, 0.2, step=1e-3, events=[Attach(0.1, 3.0, (0, 0, 0.1), size=0.1)])
    before = simulate(arm, q, qd, None, 0.1, step=1e-3)
    loaded = arm.with_payload(3.0, (0, 0, 0.1), size=0.1)
    momentum, after = (
        np.einsum("nij,nj->ni", robot.mass_matrix(run.q[:, 100]), v)
        for robot, v in ((arm, before.qd[:, -1]), (loaded, run.qd[:, 100]))
    )
    np.testing.assert_allclose(after, momentum, rtol=1e-10)
    with (
        pytest.warns(SimulationWarning, match='^joint "joint6" starts at 3.77952, outside its limits'),
        pytest.warns(
            SimulationWarning, match='^joint "joint1" starts at a speed of 2.42259, beyond its limit 2.175'
        ),
    ):
        rest = simulate(loaded, run.q[:, 100], run.qd[:, 100], None, 0.1, step=1e-3)
    np.testing.assert_allclose(run.q[:, 100:], rest.q, atol=1e-12)
    assert (run.audit.largest_drift < 1e-6).all()


@pytest.mark.slow
def test_a_load_that_is_dropped_leaves_the_velocities(arm, start):
    q, qd = start
    load = [3.0, 0.0, 0.0, 0.1]
    run = simulate(arm, q, qd, None, 0.2, step=1e-3, payload=load, events=[Drop(0.1)])
    held = simulate(arm, q, qd, None, 0.1, step=1e-3, payload=load)
    np.testing.assert_array_equal(run.qd[:, 100], held.qd[:, -1])
    with (
        pytest.warns(SimulationWarning, match='^joint "joint6" starts at 3.76182, outside its limits'),
        pytest.warns(
            SimulationWarning, match='^joint "joint1" starts at a speed of 2.69857, beyond its limit 2.175'
        ),
    ):
        free = simulate(arm, held.q[:, -1], held.qd[:, -1], None, 0.1, step=1e-3)
    np.testing.assert_allclose(run.q[:, 100:], free.q, atol=1e-12)


@pytest.mark.slow
def test_a_run_that_is_interrupted_right_after_an_event_meets_it_once_when_it_goes_on(
    arm, start, monkeypatch
):
    asked = arm, *start, None, 0.2
    how = {"step": 1e-3, "events": [Attach(0.1, 3.0, (0, 0, 0.1))]}
    whole = simulate(*asked, **how)

    def interrupted(self, rows, number):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Stepping, "to_the_end", interrupted)  # what is behind the event
        part = simulate(*asked, **how)
    assert (part.status == RunStatus.INTERRUPTED).all()
    assert part.stopped.tolist() == pytest.approx([0.1] * 3)
    rest = simulate(*asked, **how, resume=part.checkpoint)
    np.testing.assert_array_equal(rest.q, whole.q[:, len(part.times) :])
    np.testing.assert_array_equal(rest.qd, whole.qd[:, len(part.times) :])


def test_steps_end_at_events(arm, start):
    q, qd = start
    run = simulate(arm, q, qd, None, 0.1, step=0.04, events=[Attach(0.033, 1.0)])
    assert run.times.tolist() == pytest.approx([0.0, 0.033, 0.033 + 0.067 / 2, 0.1])


@pytest.mark.slow
def test_adaptive_integrators_take_events_too(arm, start):
    q, qd = start[0][0], start[1][0]
    events = [Attach(0.05, 1.0), Lock(0.1, "*joint2"), Drop(0.15)]
    times = np.linspace(0, 0.2, 21)
    fixed, chosen = (
        simulate(arm, q, qd, None, times, "rk4", step=5e-4, events=events),
        simulate(arm, q, qd, None, times, "dop853", rtol=1e-11, atol=1e-12, events=events),
    )
    np.testing.assert_allclose(chosen.q, fixed.q, atol=1e-8)
    np.testing.assert_allclose(chosen.tau, fixed.tau, atol=1e-5)
    np.testing.assert_allclose(chosen.audit.events, fixed.audit.events, rtol=1e-7)


def test_events_are_checked(arm, start):
    q, qd = start
    with pytest.raises(ArgumentError, match="^an event happens at 2 s, but the run lasts from 0 to 1 s"):
        simulate(arm, q, qd, None, 1.0, events=[Drop(2.0)])
    with pytest.raises(UnknownNameError, match='no joint "elbow" in'):
        simulate(arm, q, qd, None, 1.0, events=[Lock(0.5, "elbow")])
    with pytest.raises(UnknownNameError, match='no frame "hnd" in'):
        simulate(arm, q, qd, None, 1.0, events=[Attach(0.5, 1.0, frame="hnd")])
    with pytest.raises(ArgumentError, match="a mass is not negative"):
        simulate(arm, q, qd, None, 1.0, events=[Attach(0.5, -1.0)])
    with pytest.raises(UnsupportedModelError, match="leave out formulation="):
        simulate(arm, q, qd, None, 1.0, events=[Lock(0.5, "*joint2")], formulation="newton-euler")
    with pytest.raises(ArgumentError, match="is no event; expected Attach, Drop, Lock or Release"):
        simulate(arm, q, qd, None, 1.0, events=["drop"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "event", [Drop(0.005), Release(0.005, "*joint2"), Attach(0.005, 0.0), Lock(0.005, "*joint1")]
)
def test_an_event_that_changes_nothing_is_told(arm, start, event):
    with pytest.warns(SimulationWarning) as caught:
        run = simulate(
            arm, start[0][0], np.zeros(7), None, 0.01, step=1e-3, events=[Lock(0.0, "*joint1"), event]
        )
    assert [str(each.message) for each in caught] == [f"{event!r} changes nothing."]
    assert run.notes == (f"{event!r} changes nothing.",)


@pytest.mark.slow
def test_all_joints_locked_and_released_stand_still_meanwhile(arm, start):
    q, qd = start
    run = simulate(arm, q, qd, None, 0.3, step=1e-3, events=[Lock(0.1, "*"), Release(0.2, "*")])
    np.testing.assert_array_equal(run.q[:, 100:201], np.repeat(run.q[:, 100:101], 101, axis=1))
    assert not run.qd[:, 100:201].any()
    held = arm.inverse_dynamics(run.q[:, 150], np.zeros((3, 7)), np.zeros((3, 7)))
    np.testing.assert_allclose(run.tau[:, 150], held, atol=1e-9)
    assert (np.abs(run.qd[:, -1]).max(axis=-1) > 0.1).all()
    assert (run.audit.largest_drift < 1e-6).all()


@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        (Drop(0.5), r"^events is one Drop; expected a list of events: \[Drop\(time=0.5, frame=None\)\]\.$"),
        (
            [Drop("now"), Drop(0.1)],
            r"^Drop\(time='now', frame=None\) has no time; expected a number of seconds\.$",
        ),
    ],
)
def test_what_is_no_list_of_events_with_times_is_refused(arm, start, events, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        simulate(arm, *start, None, 1.0, events=events)
