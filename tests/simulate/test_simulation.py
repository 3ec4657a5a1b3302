"""Runs in batches: what is kept, what is lost, what is refused, and that every way of running gives the same bits."""

import inspect
import re
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import (
    ArgumentError,
    ShapeError,
    SimulationError,
    SimulationWarning,
    SingularMassMatrixError,
    UnknownNameError,
    UnsupportedModelError,
)
from strobe.models.inertial import Inertial
from strobe.models.joints import Motor
from strobe.scalars import cos
from strobe.simulate import Lock, RunStatus, Stops, TimeSeries, simulate
from strobe.simulate.integrators import FIXED


@pytest.fixture(scope="module")
def pendulum():
    return strobe.load("pendulum3")


def state(robot, batch=(), seed=0):
    q, qd, _ = robot.random_state(seed, batch)
    return q, qd


# -- the call --------------------------------------------------------------------------------------------


def test_the_package_is_called_as_its_function_and_a_robot_has_it_as_a_method(pendulum):
    q, qd = state(pendulum)
    by_package = strobe.simulate(pendulum, q, qd, None, 0.1, step=1e-2)
    by_method = pendulum.simulate(q, qd, None, 0.1, step=1e-2)
    np.testing.assert_array_equal(by_package.q, by_method.q)
    assert inspect.signature(strobe.simulate) == inspect.signature(simulate)


def test_a_batch_of_states_torques_and_gains_is_every_run_by_itself(pendulum):
    n = pendulum.n

    def pull(t, q, qd, h, goal):
        return [k * (g - a) - 0.3 * v + cos(t[0]) for k, g, a, v in zip(h, goal, q, qd, strict=True)]

    law = strobe.trace(pull, t=1, q=n, qd=n, h=n, goal=n)
    q, qd = state(pendulum, (3, 1))
    gains = np.random.default_rng(0).uniform(1, 20, (4, n))
    goal = TimeSeries([0.0, 0.5], np.random.default_rng(1).normal(size=(3, 4, 2, n)))
    run = simulate(pendulum, q, qd, law, 0.5, step=5e-3, parameters={"h": gains, "goal": goal})
    assert run.q.shape == (3, 4, 101, n)
    assert run.status.shape == (3, 4)
    one = simulate(
        pendulum, q[2, 0], qd[2, 0], law, 0.5, step=5e-3,
        parameters={"h": gains[3], "goal": TimeSeries([0.0, 0.5], goal.values[2, 3])},
    )  # fmt: skip
    for name in ("q", "qd", "tau"):
        np.testing.assert_array_equal(getattr(run, name)[2, 3], getattr(one, name))


def test_threads_and_the_interpreter_give_the_same_bits(pendulum):
    q, qd = state(pendulum, 37)
    torque = TimeSeries([0.0, 0.03, 0.1], np.random.default_rng(0).normal(size=(37, 3, pendulum.n)))
    runs = [
        simulate(robot, q, qd, torque, 0.1, step=1e-2, threads=threads)
        for robot, threads in ((pendulum, 1), (pendulum, 3), (pendulum, None))
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.q, runs[0].q)
        np.testing.assert_array_equal(run.tau, runs[0].tau)
    slow = simulate(strobe.Robot(pendulum.model, compiled=False), q, qd, torque, 0.1, step=1e-2)
    np.testing.assert_allclose(slow.q, runs[0].q, rtol=1e-12, atol=1e-13)


# -- what is kept ----------------------------------------------------------------------------------------


def test_times_asked_for_are_landed_on(pendulum):
    q, qd = state(pendulum)
    run = simulate(pendulum, q, qd, None, [0.5, 0.6, 0.95], step=0.011)
    np.testing.assert_array_equal(run.times, [0.5, 0.6, 0.95])
    exact = simulate(pendulum, q, qd, None, [0.5, 0.6, 0.95], "dop853", rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(run.q, exact.q, atol=2e-5)


def test_every_kth_step_is_kept_and_the_last(pendulum):
    q, qd = state(pendulum)
    run, whole = (simulate(pendulum, q, qd, None, 0.1, step=1e-2, every=k) for k in (4, 1))
    np.testing.assert_allclose(run.times, [0.0, 0.04, 0.08, 0.1], atol=1e-15)
    np.testing.assert_array_equal(run.q, whole.q[[0, 4, 8, 10]])


@pytest.mark.slow
def test_a_long_run_takes_the_memory_of_what_is_kept(pendulum):
    q, qd = state(pendulum)
    simulate(pendulum, q, qd, None, 2000.0, step=1e-3, every=500_000)  # compiles whatever is then measured
    tracemalloc.start()
    run = simulate(pendulum, q, qd, None, 2000.0, step=1e-3, every=500_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert run.checkpoint.state[0, -1] == 2_000_000
    assert len(run.times) == 5
    assert peak < 20e6


def test_unless_it_is_said_which_some_ten_thousand_rows_are_kept_and_a_note_says_so(pendulum):
    q, qd = state(pendulum)
    run = simulate(pendulum, q, qd, None, 30.0, step=1e-3)
    assert 9_000 < len(run.times) <= 10_001
    assert "of 30,000 steps 10,001 are kept; every= and t= say which." in run.notes


# -- what is lost ----------------------------------------------------------------------------------------


def test_one_run_diverges_with_time_and_joint_named_and_the_others_go_on(pendulum):
    q, qd = state(pendulum, 10)
    torque = np.zeros((10, pendulum.n))
    torque[6, 2] = 1e14
    with pytest.warns(SimulationWarning, match="^step is 0.001 s, too long for rk4: the mode of joint"):
        run = simulate(pendulum, q, qd, torque, 0.1, step=1e-3)
    assert run.status.tolist() == [0] * 6 + [RunStatus.DIVERGED] + [0] * 3
    assert not run.done
    assert run.stopped[6] < 0.1
    lost = run.times > run.stopped[6]
    assert np.isnan(run.q[6, lost]).all()
    assert np.isfinite(run.q[6, ~lost]).all()
    others = [i for i in range(10) if i != 6]
    alone = simulate(pendulum, q[others], qd[others], 0.0, 0.1, step=1e-3)
    np.testing.assert_array_equal(run.q[others], alone.q)
    said = next(note for note in run.notes if "diverged" in note)
    assert said.startswith(
        f'run 6 diverged at t = {run.stopped[6]:.6g} s: joint "{pendulum.joint_names[2]}", at '
    )


@pytest.mark.slow
def test_when_all_runs_are_lost_the_rest_is_not_computed(pendulum):
    q, qd = state(pendulum)
    with pytest.warns(SimulationWarning, match="^step is 0.001 s, too long for rk4: the mode of joint"):
        run = simulate(pendulum, q, qd, 1e14, 1e5, step=1e-3, every=10_000_000)
    assert run.status == RunStatus.DIVERGED
    assert RunStatus(int(run.status)).sentence.startswith("the motion grew beyond all bounds")


@pytest.mark.slow
def test_an_interrupted_run_keeps_what_is_done_and_goes_on_with_the_same_bits(pendulum):
    q, qd = state(pendulum, 9)
    torque = TimeSeries(
        [0.0, 150.0, 300.0], np.random.default_rng(0).normal(size=(9, 3, pendulum.n)) * 0.01
    )
    setting = {"step": 1e-3, "every": 50_000, "conserve_energy": True}
    whole = simulate(pendulum, q, qd, torque, 300.0, **setting)
    seen = []

    def watch(t):
        seen.append(t)
        if t > 140:
            raise KeyboardInterrupt

    part = simulate(pendulum, q, qd, torque, 300.0, watch=watch, **setting)
    assert (part.status == RunStatus.INTERRUPTED).all()
    assert seen == sorted(seen)
    assert 0 < len(part.times) < len(whole.times)
    np.testing.assert_array_equal(part.q, whole.q[:, : len(part.times)])
    rest = simulate(pendulum, q, qd, torque, 300.0, resume=part.checkpoint, **setting)
    assert rest.done
    np.testing.assert_array_equal(rest.q, whole.q[:, len(part.times) :])
    np.testing.assert_array_equal(rest.audit.work, whole.audit.work[:, len(part.times) :])


def test_a_run_with_stops_has_the_same_bits_however_often_its_robot_was_simulated():
    robot, again = strobe.load("planar2"), strobe.load("planar2")
    asked = [0.3, 0.2], [3.0, 0.0], None
    first = simulate(robot, *asked, 1.0, stops=True)
    for _ in range(4):
        rest = simulate(again, *asked, 0.5, stops=True)
    last = simulate(again, *asked, 1.0, stops=True)
    np.testing.assert_array_equal(last.q, first.q)
    whole = simulate(robot, *asked, 0.5, stops=True)
    np.testing.assert_array_equal(whole.q, rest.q)
    assert simulate(robot, *asked, 1.0, stops=True, resume=rest.checkpoint).done


def test_the_error_estimate_is_the_error(pendulum):
    q, qd = state(pendulum)
    run = simulate(pendulum, q, qd, None, [0.0, 0.5, 1.0], step=1e-3, error=True)
    exact = simulate(pendulum, q, qd, None, [0.0, 0.5, 1.0], "rk8", step=5e-4)
    np.testing.assert_allclose(run.error.q[-1], np.abs(run.q - exact.q)[-1], rtol=0.2)
    np.testing.assert_allclose(run.error.qd[-1], np.abs(run.qd - exact.qd)[-1], rtol=0.2)


# -- what is refused -------------------------------------------------------------------------------------


def test_a_torque_function_that_raises_names_time_and_step_and_keeps_what_is_done(pendulum):
    def torque(t, q, qd):
        if t > 0.0495:
            raise RuntimeError("the bus is silent")
        return np.zeros(pendulum.n)

    q, qd = state(pendulum)
    with pytest.raises(
        SimulationError, match=r"^the torque function failed at t = 0\.05 s, in step 4: Runtime"
    ) as info:
        simulate(pendulum, q, qd, torque, 1.0, step=1e-2)
    assert "the bus is silent" in str(info.value)
    assert isinstance(info.value.__cause__, RuntimeError)
    run = info.value.run
    assert run.status == RunStatus.FAILED
    np.testing.assert_allclose(run.times, [0.0, 0.01, 0.02, 0.03])
    np.testing.assert_array_equal(run.q, simulate(pendulum, q, qd, None, 0.03, step=1e-2).q)


@pytest.mark.parametrize("method", ["rk4", "rk45"])
def test_what_watches_and_raises_ends_the_run_and_what_is_done_is_kept(pendulum, method):
    def watch(t):
        if t > 0.5:
            raise ValueError("the disk is full")

    q, qd = state(pendulum)
    how = {"step": 1e-5, "every": 1000} if method == "rk4" else {}
    with pytest.raises(
        SimulationError,
        match=r"^watch failed at t = 0\.\d+ s: ValueError: the disk is full\. What was done",
    ) as info:
        simulate(pendulum, q, qd, None, 2.0, method, watch=watch, **how)
    assert isinstance(info.value.__cause__, ValueError)
    assert info.value.run.status == RunStatus.FAILED
    assert 0.5 < info.value.run.times[-1] < 2.0


def test_a_quaternion_of_no_length_is_refused():
    body = strobe.random(1, seed=2, kinds="F", tree=True)
    with pytest.raises(
        ArgumentError, match='^q0 has a quaternion of length zero in joint "joint1"; expected w, x, y, z of'
    ):
        simulate(body, np.zeros(7), np.zeros(6), None, 0.1)


def test_a_torque_function_with_a_wrong_shape_or_a_nan_is_named(pendulum):
    q, qd = state(pendulum, 4)
    wrong = (
        r"^the torque function returned shape \(2,\) at t = 0 s, in step 0; expected \(4, 3\) or \(3,\)\."
    )
    with pytest.raises(SimulationError, match=wrong):
        simulate(pendulum, q, qd, lambda t, q, qd: [0.0, 1.0], 1.0, step=1e-2)
    with pytest.raises(SimulationError, match=r"expected \(3,\)\."):
        simulate(pendulum, q[0], qd[0], lambda t, q, qd: 0.0, 1.0, step=1e-2)
    late = r'^the torque function gave a torque that is not finite at t = 0\.015 s, in step 1, joint "'
    with pytest.raises(SimulationError, match=late + pendulum.joint_names[1]):
        simulate(pendulum, q, qd, lambda t, q, qd: [0.0, np.nan if t > 0.012 else 0.0, 0.0], 1.0, step=1e-2)
    with pytest.raises(SimulationError, match="that is not finite at t = "):
        simulate(pendulum, q, qd, lambda t, q, qd: [0.0, np.nan, 0.0], 1.0, "rk45")


def test_a_python_function_sees_the_whole_batch_at_every_stage(pendulum):
    q, qd = state(pendulum, (2, 3))
    calls = []
    simulate(
        pendulum,
        q,
        qd,
        lambda t, q, qd: calls.append((t, q.shape, qd.shape)) or np.zeros(3),
        0.02,
        step=0.01,
    )
    assert [t for t, _, _ in calls] == pytest.approx(
        [0, 0.005, 0.005, 0.01, 0.01, 0.015, 0.015, 0.02, 0.02] + [0.02] * 3
    )
    assert {(a, b) for _, a, b in calls} == {((2, 3, 3), (2, 3, 3))}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"t": 0.0}, "t is 0 s; a run needs a duration above zero."),
        ({"t": -1.0}, "t is -1 s; a run needs a duration above zero."),
        ({"t": [0.0, 0.0]}, "t must rise: a run of no length"),
        ({"t": np.inf}, "t holds a time that is not finite."),
        ({"step": 0.0}, "step is 0.0; expected a time above zero."),
        ({"every": 0}, "every is 0; expected a whole number, 1 or more."),
        ({"qd0": [np.nan, 0.0, 0.0]}, "qd0 holds a number that is not finite; a run starts from a known state."),
        ({"torque": [np.inf, 0.0, 0.0]}, "torque holds a number that is not finite."),
        ({"parameters": {"kp": 1.0}}, 'parameters has "kp", but the torque is not a traced law that could take it.'),
        (
            {"torque": TimeSeries([0, 0.5], np.zeros((2, 3)))},
            "torque is known from 0 to 0.5 s, but the run lasts from 0",
        ),
        ({"parameters": [1.0]}, "parameters is a list; expected arrays or tables by name: {…}."),
        ({"watch": 5}, "watch is 5; expected a function of the time."),
        ({"friction": "no"}, "friction is 'no'; expected True or False."),
        ({"limits": 1}, "limits is 1; expected True or False."),
        (
            {"payload": TimeSeries([0, 1], np.ones((2, 10)))},
            "payload cannot be a table: it is constant, or changed by",
        ),
        ({"events": None}, "events is a NoneType; expected a list of events."),
        ({"events": [Lock(0.5, 1)]}, "Lock(time=0.5, joints=1) names no joint; expected a name, or a list of names."),
        ({"events": [Lock(0.5, [])]}, "Lock(time=0.5, joints=[]) names no joint; expected a name, or a list"),
        ({"method": "rk45", "rtol": 1e-18}, "rtol is 1e-18; numbers of sixteen digits allow 2.2e-14 and more."),
        ({"method": "rk4", "rtol": 1e-3}, "rtol= is for methods of SciPy (rk45, dop853, radau, bdf, lsoda), not"),
        ({"method": "rk45", "threads": 2}, f"threads= is for methods of fixed step ({', '.join(FIXED)})"),
        ({"method": "rk45", "step": 1e-3}, f"step= is for methods of fixed step ({', '.join(FIXED)})"),
        ({"q0": np.zeros((2, 3)), "qd0": np.zeros((3, 3))}, "the leading axes do not broadcast: q0 (2,), qd0 (3,)."),
        ({"q0": np.zeros((0, 3))}, "the batch has shape (0,): there is no run in it."),
        ({"payload": [-1.0, 0.0, 0.0, 0.0]}, "payload has the mass -1 kg; a mass is not negative."),
        ({"payload": [[1.0, np.nan, 0.0, 0.0]]}, "payload holds a number that is not finite."),
        ({"payload": [0.0, 1.0, *[0.0] * 8]}, "payload has moments but no mass; give its mass."),
        ({"payload": [[1.0, *[0.0] * 9], [2.0, 0.0, 0.0, 0.0, -1.0, 1.0, 1.0, 0.0, 0.0, 0.0]]},
         "payload 1 has about its centre of mass the principal moments (-1, 1, 1); a moment is not negative. The"),
        ({"payload": [1.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0]},  # less than a point there would have
         "payload has about its centre of mass the principal moments (-0.5, -0.5, 0); a moment is not negative."),
        ({"payload": [1.0, 0.0, 0.0, 0.0, 1.0, 0.1, 0.1, 0.0, 0.0, 0.0]},
         "payload has about its centre of mass the principal moments (0.1, 0.1, 1); in no body is one larger than"),
    ],
)  # fmt: skip
def test_a_bad_argument_is_named(pendulum, change, sentence):
    asked = {"q0": np.zeros(3), "qd0": np.zeros(3), "torque": None, "t": 1.0} | change
    with pytest.raises((ArgumentError, TypeError), match="^" + re.escape(sentence)):
        simulate(pendulum, **asked)


def test_shapes_and_names_are_checked(pendulum):
    with pytest.raises(
        ShapeError, match=r"^q0 has shape \(2,\); pendulum3 has 3 joints, expected \(\.\.\., 3\)\."
    ):
        simulate(pendulum, [0, 0], np.zeros(3), None, 1.0)
    with pytest.raises(ShapeError, match=r"^torque has shape \(2,\); pendulum3 has 3 joints"):
        simulate(pendulum, np.zeros(3), np.zeros(3), [1.0, 2.0], 1.0)
    with pytest.raises(UnknownNameError, match='no method "rk5" in strobe'):
        simulate(pendulum, np.zeros(3), np.zeros(3), None, 1.0, "rk5")
    law = strobe.trace(lambda q: [q[0]] * 3, q=2)
    with pytest.raises(ArgumentError, match="the law was traced with q=2; pendulum3 needs q=3"):
        simulate(pendulum, np.zeros(3), np.zeros(3), law, 1.0)
    law = strobe.trace(lambda q, h: [x * g for x, g in zip(q, h, strict=True)], q=3, h=3)
    with pytest.raises(
        ShapeError, match=r"^h has shape \(2,\); it has 3 numbers, expected \(\.\.\., 3\)\."
    ):
        simulate(pendulum, np.zeros(3), np.zeros(3), law, 1.0, parameters={"h": [1.0, 2.0]})
    law = strobe.trace(lambda q, gain: [q[0] * gain[0]] * 3, q=3, gain=1)
    with pytest.raises(ArgumentError, match='the law needs "gain"; give parameters='):
        simulate(pendulum, np.zeros(3), np.zeros(3), law, 1.0)
    with pytest.raises(ShapeError, match=r"^the law's result has shape \(2,\)"):
        simulate(pendulum, np.zeros(3), np.zeros(3), strobe.trace(lambda q: [q[0], q[1]], q=3), 1.0)


def test_one_number_is_no_wrench(pendulum):
    with pytest.raises(
        ShapeError, match=r"^wrench link3 has shape \(\); it has 6 numbers, expected \(\.\.\., 6\)\."
    ):
        simulate(pendulum, np.zeros(3), np.zeros(3), None, 0.1, wrench=3.0)


def test_a_robot_without_inertia_or_dynamics_is_refused():
    massless = strobe.load("rx90")
    with pytest.raises(UnsupportedModelError, match="has no dynamics"):
        simulate(massless, np.zeros(6), np.zeros(6), None, 1.0)
    planar = strobe.load("planar2").model
    light = [
        replace(b, inertial=Inertial.zero(), joint=replace(b.joint, motor=Motor())) for b in planar.bodies
    ]
    with pytest.raises(UnsupportedModelError, match="none of its moving links has mass"):
        simulate(strobe.Robot(replace(planar, bodies=tuple(light))), np.zeros(2), np.zeros(2), None, 1.0)
    half = strobe.Robot(replace(planar, bodies=(planar.bodies[0], light[1])))
    with pytest.raises(SingularMassMatrixError, match='because joint "joint2" moves no inertia'):
        simulate(half, np.zeros(2), np.zeros(2), None, 1.0)


@pytest.mark.slow
def test_a_step_too_long_is_warned_of_with_the_mode_that_breaks():
    robot = strobe.load("puma560")
    q, qd = robot.neutral, np.zeros(6)
    with pytest.warns(
        SimulationWarning, match="^step is 0.01 s, too long for rk4: the mode of joint "
    ) as caught:
        run = simulate(robot, q, qd, None, 0.05, step=0.01)
    assert str(caught[0].message) in run.notes


def test_a_start_outside_the_limits_is_warned_of_and_refused_with_stops():
    robot = strobe.load("planar2")
    outside = [4.0, 0.0]
    with pytest.warns(
        SimulationWarning, match='^joint "joint1" starts at 4, outside its limits -3.1 to 3.1; limits act'
    ):
        simulate(robot, outside, [0, 0], None, 0.01)
    with pytest.raises(
        ArgumentError, match='^joint "joint1" starts at 4, outside its limits -3.1 to 3.1: deep in a stop'
    ):
        simulate(robot, outside, [0, 0], None, 0.01, stops=True)


def test_a_start_beyond_the_velocity_limits_is_warned_of():
    robot = strobe.load("panda")
    qd = np.zeros((3, 7))
    qd[1, 4] = -3.0
    said = r'^joint "joint5" starts at a speed of 3, beyond its limit 2\.61; velocity limits act only with limits=\.$'
    with pytest.warns(SimulationWarning, match=said) as caught:
        run = simulate(robot, [0, 0, 0, -1.5, 0, 1.5, 0], qd, None, 0.01, step=1e-3)
    assert str(caught[0].message) in run.notes
    assert caught[0].filename == __file__


def test_a_checkpoint_of_another_run_is_refused(pendulum):
    q, qd = state(pendulum)
    done = simulate(pendulum, q, qd, None, 0.1, step=1e-3)
    chosen = simulate(pendulum, q, qd, None, 0.01, "rk45")
    wrong = [
        (
            {"t": 0.1, "resume": done},
            r"^resume is a Run; expected the checkpoint of a run: run\.checkpoint\.$",
        ),
        ({"t": 0.1, "resume": chosen.checkpoint}, "^resume holds a run whose steps SciPy chose; "),
        (
            {"t": 0.1, "limits": True, "resume": done.checkpoint},
            r"^resume holds a state of shape \(1, 12\), this run",
        ),
        (
            {"t": 0.05, "resume": done.checkpoint},
            r"^resume holds a run that went beyond 0\.05 s; give t as it was",
        ),
    ]
    for how, sentence in wrong:
        with pytest.raises(ArgumentError, match=sentence):
            simulate(pendulum, q, qd, None, **how)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"q0": [0.3, 0.8, 0.5]}, "q0"),
        ({"qd0": [0.0, 1e-9, 0.0]}, "qd0"),
        ({"torque": [0.0, 0.0, 1.0]}, "torque"),
        ({"torque": TimeSeries([0, 9], np.zeros((2, 3)))}, "torque"),
        ({"torque": lambda t, q, qd: np.zeros(3)}, "torque"),
        ({"torque": strobe.trace(lambda q: [0.0 * q[0]] * 3, q=3)}, "torque"),
        ({"method": "rk8"}, "method"),
        ({"conserve_energy": True}, "conserve_energy"),
        ({"friction": False}, "friction"),
        ({"formulation": "composite-body"}, "formulation"),
        ({"payload": [1.0, 0.0, 0.0, 0.0]}, "payload"),
        ({"wrench": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]}, "wrench"),
        ({"events": [Lock(0.15, "joint3")]}, "events"),
        ({"stops": Stops(1.0, 1.0)}, "stops"),
        ({"t": [0.1, 0.2]}, "start"),
        ({"robot": strobe.load("pendulum3").with_gravity([0, 0, -1])}, "robot"),
    ],
)
def test_what_differs_from_the_run_that_is_gone_on_with_is_named(pendulum, change, word):
    asked = {"robot": pendulum, "q0": [0.3, 0.8, 0.4], "qd0": np.zeros(3), "torque": None, "t": 0.2}
    done = simulate(**asked | {"t": 0.1}, step=1e-3).checkpoint
    assert simulate(**asked, resume=done).done
    with pytest.raises(
        ArgumentError,
        match=rf"^resume holds a run with another {word}( \(.+\))?; give all as it was, or begin anew",
    ):
        simulate(**asked | change, resume=done)


def test_gains_and_tables_that_differ_are_named_too(pendulum):
    law = strobe.trace(lambda q, gain: [-gain[0] * x for x in q], q=3, gain=1)
    start = pendulum, [0.3, 0.8, 0.4], np.zeros(3), law
    done = simulate(*start, 0.1, step=1e-3, parameters={"gain": [5.0]}).checkpoint
    assert simulate(*start, 0.2, parameters={"gain": 5}, resume=done, step=1e-3).done
    with pytest.raises(ArgumentError, match="^resume holds a run with another parameters;"):
        simulate(*start, 0.2, parameters={"gain": [6.0]}, resume=done)


def test_a_run_goes_on_to_another_end_from_where_it_stopped(pendulum):
    q, qd = state(pendulum)
    done = simulate(pendulum, q, qd, None, 0.1, step=0.003).checkpoint  # 34 steps; 67 go to 0.2, not 68
    rest = simulate(pendulum, q, qd, None, 0.2, resume=done)
    assert rest.times[0] == 0.1
    np.testing.assert_allclose(np.diff(rest.times), 0.1 / 34)
    whole = simulate(pendulum, q, qd, None, 0.2, "rk8", step=1e-3)
    np.testing.assert_allclose(rest.q[-1], whole.q[-1], atol=1e-6)


def test_another_step_or_other_times_than_those_of_the_run_that_is_gone_on_with_are_refused(pendulum):
    q, qd = state(pendulum)
    done = simulate(pendulum, q, qd, None, 0.1, step=0.003).checkpoint
    with pytest.raises(
        ArgumentError,
        match=r"^resume holds a run with steps of 0\.003 s, but step is 0\.002; give the same, or",
    ):
        simulate(pendulum, q, qd, None, 0.2, step=0.002, resume=done)
    with pytest.raises(
        ArgumentError,
        match=r"^resume holds a run that stopped at 0\.1 s after other steps; give t as it was\.$",
    ):
        simulate(pendulum, q, qd, None, [0.0, 0.0101, 0.0202, 0.2], resume=done)


def test_a_run_of_more_steps_than_a_day_has_time_for_is_refused_and_a_long_one_is_told(
    pendulum, monkeypatch
):
    q, qd = state(pendulum)
    with pytest.raises(
        ArgumentError,
        match=r"^step is 1e-12 s: the run would take 1,000,000,000,000 steps, a day or more \(at most ",
    ):
        simulate(pendulum, q, qd, None, 1.0, step=1e-12)
    with pytest.raises(ArgumentError, match=r"steps, a day or more .at most 1,000,000,000 are taken."):
        simulate(pendulum, q, qd, lambda t, q, qd: np.zeros(3), 2e6, step=1e-3)
    with pytest.raises(
        ArgumentError, match=r"^the step was chosen: 5e-14 s, for 0\.05 rad per step at 1e\+12 rad"
    ):
        simulate(pendulum, q, [1e12, 0, 0], None, 1.0)
    monkeypatch.setattr("strobe.simulate.simulation.MOST_STEPS", 100_000)
    said = "the run takes 1,000 steps and keeps 11 rows (every= and t= say which); it can be interrupted."
    with pytest.warns(SimulationWarning, match=f"^{re.escape(said)}$"):
        run = simulate(pendulum, q, qd, None, 1.0, step=1e-3, every=100)
    assert said in run.notes
    with pytest.warns(SimulationWarning, match="^the run takes 99,000 steps"):
        part = simulate(pendulum, q, qd, None, 99.0, step=1e-3, every=100)
    with pytest.warns(SimulationWarning, match="^the run takes 99,000 steps"):  # in parts it goes
        assert simulate(pendulum, q, qd, None, 198.0, every=100, resume=part.checkpoint).done


def test_an_error_estimate_that_is_interrupted_leaves_the_run_and_says_so(pendulum):
    q, qd = state(pendulum)
    seen = []

    def watch(t):
        seen.append(t)
        if len(seen) > 1 and t < seen[-2]:
            raise KeyboardInterrupt

    run = simulate(pendulum, q, qd, None, 200.0, step=1e-3, every=50_000, error=True, watch=watch)
    assert run.done
    assert run.error is not None
    assert run.notes[-1] == "the run with half the step ended early: errors are known until then."
    assert np.isfinite(run.error.q[0]).all()
    assert np.isnan(run.error.q[-1]).all()


def test_the_error_of_a_run_that_is_interrupted_is_not_estimated(pendulum):
    def watch(t):
        if t > 50:
            raise KeyboardInterrupt

    q, qd = state(pendulum)
    run = simulate(pendulum, q, qd, None, 9e5, step=1e-3, every=50_000, error=True, watch=watch)
    assert run.status == RunStatus.INTERRUPTED
    assert run.error is None
    assert run.notes[-1] == "the error was not estimated: the run was interrupted."


def test_the_errors_of_a_run_that_is_gone_on_with_are_those_of_its_rows(pendulum):
    q, qd = state(pendulum)
    half = simulate(pendulum, q, qd, None, 0.1, step=1e-3)
    rest = simulate(pendulum, q, qd, None, 0.2, resume=half.checkpoint, error=True)
    whole = simulate(pendulum, q, qd, None, 0.2, step=1e-3, error=True)
    np.testing.assert_array_equal(rest.error.q, whole.error.q[100:])


def test_a_run_that_is_gone_on_with_does_not_say_that_steps_were_left_out(pendulum):
    q, qd = state(pendulum)
    done = simulate(pendulum, q, qd, None, 0.1, step=1e-3)
    rest = simulate(pendulum, q, qd, None, 0.2, resume=done.checkpoint)
    assert len(rest.times) == 101
    assert not rest.notes


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"step": "short"}, r"^step is 'short'; expected a time above zero\.$"),
        ({"method": "rk45", "rtol": np.nan}, r"^rtol is nan; expected a number above zero\.$"),
        ({"method": "rk45", "atol": -1e-9}, r"^atol is -1e-09; expected a number, zero or more\.$"),
        ({"stops": 5.0}, r"^stops is 5\.0; expected True, or Stops\(stiffness, damping\)\.$"),
        (
            {"stops": Stops(-1.0)},
            r"^the stop stiffness is -1\.0; expected numbers that are not negative\.$",
        ),
    ],
)
def test_numbers_that_a_run_cannot_be_made_with_are_refused(pendulum, how, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        simulate(pendulum, *state(pendulum), None, 0.1, **how)


def test_stops_of_another_number_of_joints_and_a_robot_that_is_only_a_name_are_refused(pendulum):
    with pytest.raises(ShapeError, match=r"^stop stiffness has shape \(2,\); pendulum3 has 3 joints"):
        simulate(pendulum, *state(pendulum), None, 0.1, stops=Stops([1.0, 2.0]))
    with pytest.raises(ArgumentError, match=r"^robot is a str; expected a robot: strobe\.load\(name\)\.$"):
        simulate("pendulum3", *state(pendulum), None, 0.1)


def test_a_torque_function_of_complex_numbers_fails_and_what_it_raised_ends_its_sentence(pendulum):
    q, qd = state(pendulum)
    with pytest.raises(
        SimulationError, match="TypeError: it gave complex numbers, expected real ones[.] What was done"
    ):
        simulate(pendulum, q, qd, lambda t, q, qd: qd + 1j, 0.1, step=1e-2)
