"""The motion controller end to end: a request goes in, an arm moves, a status comes back."""

import numpy as np
import pytest

import strobe
from strobe.control import ComputedTorque, JointPD, Stop, TrackingStatus, control
from strobe.control.step_cost import cost
from strobe.errors import ArgumentError, UnknownNameError

START = (0.3, 0.9, 0.6, -0.4, 0.7, 1.1)
BOUNDS = {"velocity": (1, 1, 0.6, 2, 2, 2), "acceleration": (1.5, 1.5, 0.8, 4, 4, 4)}
GOAL = (0.80290487636, 0.900325188623, 0.76118454643, -0.562975865306, 1.0498635426, 0.864589980256)


@pytest.fixture(scope="module")
def stanford():
    return strobe.load("stanford")


@pytest.fixture(scope="module")
def asked(stanford):
    """Move the hand by (−0.1, 0.25, 0.1) m and keep its orientation."""
    there = stanford.forward_kinematics(np.array(START))
    there[:3, 3] += (-0.1, 0.25, 0.1)
    return {"points": [{"q": START}, {"pose": there}]}


@pytest.fixture(scope="module")
def followed(stanford, asked):
    return control(stanford, asked, rate=500, bounds=BOUNDS)


@pytest.mark.slow
def test_a_request_for_the_hand_gives_the_joints_and_the_time_of_the_specification(followed):
    assert followed.motion(followed.motion.duration).q == pytest.approx(GOAL, abs=1e-11)
    assert followed.motion.duration == pytest.approx(1.15804994292, abs=1e-11)
    assert 2e-5 < followed.hand_error().max() < 5e-5  # 4e-5 m there
    assert followed.status == TrackingStatus.DONE
    assert followed.done
    assert followed.notes == ()


def test_a_name_with_gains_is_the_controller_made_by_hand(stanford, asked):
    given = {"kp": (90, 90, 900, 3, 3, 0.1), "kd": (20, 20, 90, 0.2, 0.2, 0.01)}
    named = control(stanford, asked, "joint-pd", rate=500, gains=given, bounds=BOUNDS)
    made = control(stanford, asked, JointPD(stanford, 2e-3, **given), bounds=BOUNDS)
    np.testing.assert_array_equal(named.q, made.q)
    assert made.controller.period == 2e-3


def test_strobe_and_the_robot_have_it_as_a_method(stanford, asked, followed):
    for run in (
        strobe.control(stanford, asked, rate=500, bounds=BOUNDS),
        stanford.control(asked, rate=500, bounds=BOUNDS),
    ):
        np.testing.assert_array_equal(run.q, followed.q)


@pytest.mark.slow
def test_motions_points_mappings_and_files_are_the_same_request(stanford, tmp_path):
    points = [START, GOAL]
    lines = [
        f"[bounds]\nvelocity = {list(BOUNDS['velocity'])}\nacceleration = {list(BOUNDS['acceleration'])}"
    ]
    (tmp_path / "r.toml").write_text("\n".join([*lines, *(f"[[points]]\nq = {list(p)}" for p in points)]))
    wanted = control(stanford, stanford.plan(points, **BOUNDS), rate=500)
    for request, bounds in (
        (points, BOUNDS),
        ({"points": [{"q": p} for p in points]}, BOUNDS),
        (tmp_path / "r.toml", None),
        (str(tmp_path / "r.toml"), None),
    ):
        np.testing.assert_array_equal(control(stanford, request, rate=500, bounds=bounds).q, wanted.q)


def test_the_arm_follows_requests_that_arrive_while_it_moves(stanford, asked):
    requests = [(0.0, asked), (0.5, [START]), Stop(0.9)]
    run = control(stanford, requests, rate=500, bounds=BOUNDS)
    assert run.status == TrackingStatus.DONE
    assert np.abs(run.error).max() < 3e-4
    assert np.abs(run.qd[-1]).max() < 2e-2
    still = control(stanford, requests, rate=500, bounds=BOUNDS, t=run.motion.duration + 0.5)
    assert np.abs(still.qd[-1]).max() < 1e-4


def test_what_is_wanted_is_held_between_the_steps_of_a_slower_trajectory(stanford, asked, followed):
    held = control(stanford, asked, rate=500, bounds=BOUNDS, trajectory_rate=50)
    rows = np.arange(len(held.times))
    np.testing.assert_array_equal(held.wanted, followed.wanted[10 * (rows // 10)])


@pytest.mark.slow
def test_a_faster_plant_is_the_same_as_more_steps(stanford, asked):
    fast = control(stanford, asked, rate=500, bounds=BOUNDS, plant_rate=2000)
    steps = control(stanford, asked, rate=500, bounds=BOUNDS, steps=4)
    np.testing.assert_array_equal(fast.q, steps.q)


# -- status -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_leaving_the_motion_by_more_than_was_allowed_is_a_deviation(stanford, asked):
    run = control(stanford, asked, "joint-pd", rate=500, bounds=BOUNDS, tolerance=0.01)
    assert run.status == TrackingStatus.DEVIATION
    (sentence,) = run.notes
    worst = np.abs(run.error[:, 2]).max()
    assert "left the motion by more than 0.01 rad at t = " in sentence
    assert control(stanford, asked, rate=500, bounds=BOUNDS, tolerance=0.01).status == TrackingStatus.DONE
    only3 = control(stanford, asked, "joint-pd", rate=500, bounds=BOUNDS, tolerance=(9, 9, 0.01, 9, 9, 9))
    assert 'joint "joint3" left the motion by more than 0.01 m at t = ' in only3.notes[0]
    assert f"and by {worst:.3g} m at most." in only3.notes[0]


@pytest.mark.slow
def test_an_arm_that_is_elsewhere_has_not_followed_its_motion(stanford, asked):
    """Whoever says nothing of a tolerance is told of half a radian or metre."""
    run = control(
        stanford,
        asked,
        "feed-forward-pd",
        gains={"kp": 0.0, "kd": 0.0},
        bounds=BOUNDS,
        payload=(3.0, 0, 0, 0),
        check=False,
    )
    assert run.status == TrackingStatus.DEVIATION
    assert "left the motion by more than 0.5 rad at t = " in run.notes[-1]


@pytest.mark.slow
def test_a_motor_that_gives_less_than_is_asked_is_told_with_its_time():
    panda = strobe.load("panda")
    q, goal = np.zeros(7), np.full(7, 0.4)
    q[3], goal[3] = -1.5, -1.1
    fast = {"velocity": 10.0, "acceleration": (90, 90, 90, 90, 90, 90, 90)}
    run = control(panda, [q, goal], bounds=fast, limits=True)
    assert run.status == TrackingStatus.INFEASIBLE
    assert not run.done
    assert run.cut.max() > 0
    j = int(run.cut.argmax())
    assert (
        f'the motor of joint "{panda.joint_names[j]}" gave less than was asked for {run.cut[j]:.3g} s.'
        in run.notes
    )
    free = control(panda, [q, goal], bounds=fast)
    asked = np.abs(free.tau).max(axis=0)
    (k, *_) = np.flatnonzero(asked > panda.limits.effort)
    assert (
        f'joint "{panda.joint_names[k]}" is given {asked[k]:.4g} N m, beyond its limit '
        f"{panda.limits.effort[k]:g}; with limits=True its motor gives no more." in free.notes
    )
    assert free.status == TrackingStatus.DONE
    assert not free.cut.any()


def test_a_stop_that_overruns_makes_the_run_infeasible(stanford):
    motion = stanford.plan([START, GOAL], **BOUNDS)
    narrow = BOUNDS | {"upper": (9, 9, 0.65, 9, 9, 9)}
    run = control(stanford, motion, rate=500, bounds=narrow, stop_at=0.6)
    assert run.status == TrackingStatus.INFEASIBLE
    assert run.notes[0].startswith('the stop at 0.6 s: joint "joint3" overruns its upper limit 0.65 by ')


@pytest.mark.filterwarnings("ignore::strobe.errors.ControlWarning")
def test_a_loop_that_diverges_is_named_with_its_time_and_joint(stanford, asked):
    run = control(stanford, asked, gains={"kp": 4e6, "kd": 1e5}, bounds=BOUNDS)
    assert run.status == TrackingStatus.DIVERGED
    assert any(note.startswith("the loop diverged at t = ") and 'joint "' in note for note in run.notes)
    assert np.isnan(run.q[-1]).all()
    kp = np.stack([np.full(6, 400.0), np.full(6, 4e6)])
    both = control(stanford, asked, gains={"kp": kp, "kd": kp / 10}, bounds=BOUNDS)
    assert both.status.tolist() == [TrackingStatus.DONE, TrackingStatus.DIVERGED]
    assert any(note.startswith("loop 1 diverged at t = ") for note in both.notes)


def test_every_status_has_a_sentence():
    assert all(status.sentence.endswith(".") for status in TrackingStatus)


# -- mistakes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"controller": "computed-torqe"}, "Did you mean 'computed-torque'?"),
        ({"gains": {"kq": 3}}, "computed-torque takes no 'kq'"),
        ({"controller": 3}, "controller is of type int; expected the name of one, or a Controller."),
        ({"rate": 0}, "rate is 0; expected a number of Hz above zero."),
        ({"plant_rate": 700}, "the nearest: 1000 Hz."),
        ({"trajectory_rate": 600}, "the nearest: 1000 or 500 Hz."),
        ({"delay": 0.0015}, "the nearest are 0.001 or 0.002 s."),
        ({"tolerance": 0.0}, "tolerance is 0.0; expected numbers above zero."),
        ({"tolerance": [1, 2]}, "tolerance has shape (2,)"),
        ({"plant": strobe.load("panda")}, "the plant is panda, whose joints are not those of stanford."),
        ({"plant": "panda"}, "plant is a str; expected a robot: strobe.load(name)."),
        ({"gains": 400}, 'gains is a int; expected numbers by name: {"kp": 400.0}.'),
        ({"bounds": 5}, 'bounds is a int; expected numbers by name: {"acceleration": 5.0}.'),
        ({"continuous": True, "steps": 2}, "steps= divides periods, and a continuous loop has none."),
        ({"continuous": True, "trajectory_rate": 500}, "trajectory_rate= divides periods"),
        ({"t": 0.0}, "t is 0 s; a run needs a duration above zero."),
        ({"planner": "cubik"}, 'no method "cubik"'),
        ({"bounds": {"velocities": 3}}, "no bound \"velocities\" in requests. Did you mean 'velocity'"),
    ],
)
def test_mistakes_are_refused_in_a_sentence(stanford, asked, given, sentence):
    given = {"controller": "computed-torque", "bounds": BOUNDS} | given
    with pytest.raises((ArgumentError, UnknownNameError, ValueError)) as caught:
        control(stanford, asked, **given)
    assert isinstance(caught.value, strobe.StrobeError)
    assert sentence in str(caught.value)


def test_a_controller_has_its_own_rate_gains_and_robot(stanford, asked):
    made = ComputedTorque(stanford, 1e-3)
    with pytest.raises(ArgumentError, match="rate is 500 Hz, but the controller was made for 1000 Hz"):
        control(stanford, asked, made, rate=500, bounds=BOUNDS)
    with pytest.raises(
        ArgumentError, match="gains= are for a controller by name; this computed-torque has its own"
    ):
        control(stanford, asked, made, gains={"kp": 1}, bounds=BOUNDS)
    with pytest.raises(
        ArgumentError, match="the controller was made for panda, whose joints are not those of stanford"
    ):
        control(stanford, asked, ComputedTorque(strobe.load("panda"), 1e-3), bounds=BOUNDS)


# -- cost ---------------------------------------------------------------------------------------------------


def test_a_step_costs_the_operations_of_its_formula(stanford):
    found = cost(JointPD(stanford, 1e-3), seconds=0.0)
    # kp (q_r − q) + kd (qd_r − qd) for six joints
    assert (found.operations.multiplications, found.operations.additions) == (12, 18)
    assert found.ns > 0
    exact = cost(ComputedTorque(stanford, 1e-3), seconds=0.0)
    # a last link that is round about its joint needs neither sine nor cosine of its angle
    assert exact.operations.angular == 6
