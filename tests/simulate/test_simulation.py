"""Runs in batches: what is kept, what is lost, what is refused, and that every way of running gives the same bits."""

import inspect
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
from strobe.simulate import Status, Stops, Table, simulate


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
    goal = Table([0.0, 0.5], np.random.default_rng(1).normal(size=(3, 4, 2, n)))
    run = simulate(pendulum, q, qd, law, 0.5, step=5e-3, parameters={"h": gains, "goal": goal})
    assert run.q.shape == (3, 4, 101, n)
    assert run.status.shape == (3, 4)
    one = simulate(
        pendulum, q[2, 0], qd[2, 0], law, 0.5, step=5e-3,
        parameters={"h": gains[3], "goal": Table([0.0, 0.5], goal.values[2, 3])},
    )  # fmt: skip
    for name in ("q", "qd", "tau"):
        np.testing.assert_array_equal(getattr(run, name)[2, 3], getattr(one, name))


def test_threads_and_the_interpreter_give_the_same_bits(pendulum):
    q, qd = state(pendulum, 37)
    torque = Table([0.0, 0.03, 0.1], np.random.default_rng(0).normal(size=(37, 3, pendulum.n)))
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


def test_a_long_run_takes_the_memory_of_what_is_kept(pendulum):
    q, qd = state(pendulum)
    simulate(pendulum, q, qd, None, 1.0, step=1e-2)
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
    assert run.status.tolist() == [0] * 6 + [Status.DIVERGED] + [0] * 3
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


def test_when_all_runs_are_lost_the_rest_is_not_computed(pendulum):
    q, qd = state(pendulum)
    with pytest.warns(SimulationWarning, match="^step is 0.001 s, too long for rk4: the mode of joint"):
        run = simulate(pendulum, q, qd, 1e14, 1e5, step=1e-3, every=10_000_000)
    assert run.status == Status.DIVERGED
    assert Status(int(run.status)).sentence.startswith("the motion grew beyond all bounds")


def test_an_interrupted_run_keeps_what_is_done_and_goes_on_with_the_same_bits(pendulum):
    q, qd = state(pendulum, 9)
    torque = Table([0.0, 150.0, 300.0], np.random.default_rng(0).normal(size=(9, 3, pendulum.n)) * 0.01)
    setting = {"step": 1e-3, "every": 50_000, "conserve_energy": True}
    whole = simulate(pendulum, q, qd, torque, 300.0, **setting)
    seen = []

    def watch(t):
        seen.append(t)
        if t > 140:
            raise KeyboardInterrupt

    part = simulate(pendulum, q, qd, torque, 300.0, watch=watch, **setting)
    assert (part.status == Status.INTERRUPTED).all()
    assert seen == sorted(seen)
    assert 0 < len(part.times) < len(whole.times)
    np.testing.assert_array_equal(part.q, whole.q[:, : len(part.times)])
    rest = simulate(pendulum, q, qd, torque, 300.0, resume=part.checkpoint, **setting)
    assert rest.done
    np.testing.assert_array_equal(rest.q, whole.q[:, len(part.times) :])
    np.testing.assert_array_equal(rest.audit.work, whole.audit.work[:, len(part.times) :])


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
    run = info.value.run
    assert run.status == Status.FAILED
    np.testing.assert_allclose(run.times, [0.0, 0.01, 0.02, 0.03])
    np.testing.assert_array_equal(run.q, simulate(pendulum, q, qd, None, 0.03, step=1e-2).q)


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
        ({"torque": Table([0, 0.5], np.zeros((2, 3)))}, "torque is known from 0 to 0.5 s, but the run lasts from 0"),
        ({"method": "rk45", "step": 1e-3}, "step= is for methods of fixed step (rk4, rk8, semi-implicit-euler)"),
        ({"q0": np.zeros((2, 3)), "qd0": np.zeros((3, 3))}, "the leading axes do not broadcast: q0 (2,), qd0 (3,)."),
        ({"q0": np.zeros((0, 3))}, "the batch has shape (0,): there is no run in it."),
        ({"payload": [-1.0, 0.0, 0.0, 0.0]}, "payload has a mass that is negative, or a number that is not finite."),
    ],
)  # fmt: skip
def test_a_bad_argument_is_named(pendulum, change, sentence):
    asked = {"q0": np.zeros(3), "qd0": np.zeros(3), "torque": None, "t": 1.0} | change
    with pytest.raises(
        (ArgumentError, TypeError), match="^" + sentence.replace("(", r"\(").replace(")", r"\)")
    ):
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
    law = strobe.trace(lambda q, gain: [q[0] * gain[0]] * 3, q=3, gain=1)
    with pytest.raises(ArgumentError, match='the law needs "gain"; give parameters='):
        simulate(pendulum, np.zeros(3), np.zeros(3), law, 1.0)
    with pytest.raises(ShapeError, match=r"^the law's result has shape \(2,\)"):
        simulate(pendulum, np.zeros(3), np.zeros(3), strobe.trace(lambda q: [q[0], q[1]], q=3), 1.0)


def test_a_robot_without_inertia_or_dynamics_is_refused():
    massless = strobe.load("rx90")
    with pytest.raises(UnsupportedModelError, match="has no dynamics"):
        simulate(massless, np.zeros(6), np.zeros(6), None, 1.0)
    planar = strobe.load("planar2").model
    light = [
        replace(b, inertial=Inertial.zero(), joint=replace(b.joint, motor=Motor())) for b in planar.bodies
    ]
    with pytest.raises(SingularMassMatrixError, match='because joint "joint1", "joint2" moves no inertia'):
        simulate(strobe.Robot(replace(planar, bodies=tuple(light))), np.zeros(2), np.zeros(2), None, 1.0)


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
