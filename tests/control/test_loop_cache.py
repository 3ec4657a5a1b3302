"""Loops share compiled rounds where, and only where, they are made from the same."""

import numpy as np
import pytest

import strobe
from strobe import approximate
from strobe.control import ComputedTorque, Controller, JointPID, Sensor, Sensors, make
from strobe.control.loop import Loop
from strobe.control.loop_cache import MOST, shared
from strobe.simulate.integrators import fixed_method
from strobe.simulate.problem import problem

ROBOT = strobe.load("planar2")
RATE = problem(ROBOT, [0.1, 0.2], [0.0, 0.0], None, 1.0).rate
PERIOD = 1e-3
STRENGTH = {"now": 40.0}


class Pull(Controller):
    """What somebody else wrote, which reads a global."""

    name, title = "pull", "a pull"

    def step(self, measured, wanted, kept, gains):
        return [STRENGTH["now"] * x for x in self.position_error(measured, wanted)], {}


def loop(controller, sensors=None, steps=1):
    return shared(Loop(ROBOT, RATE, fixed_method("rk4"), controller, sensors or Sensors(), steps))


def same(one, other):
    return one.marching is other.marching


def test_other_gains_make_no_other_rounds():
    assert same(loop(make("joint-pid", ROBOT, PERIOD)), loop(make("joint-pid", ROBOT, PERIOD, kp=7.0)))


OTHERS = {
    "what is baked in": lambda: loop(JointPID(ROBOT, PERIOD, effort=3.0)),
    "the period": lambda: loop(JointPID(ROBOT, 2 * PERIOD)),
    "the controller": lambda: loop(make("joint-pd", ROBOT, PERIOD)),
    "the steps": lambda: loop(JointPID(ROBOT, PERIOD), steps=2),
    "the sensors": lambda: loop(JointPID(ROBOT, PERIOD), Sensors(position=Sensor(bits=12, range=3.2))),
    "what it believes in": lambda: loop(JointPID(ROBOT.with_payload(1.0), PERIOD)),
    "an observer around it": lambda: loop(make("momentum-observer", ROBOT, PERIOD, controller="joint-pid")),
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_loop_that_differs_has_rounds_of_its_own(what):
    assert not same(OTHERS[what](), loop(JointPID(ROBOT, PERIOD)))


def test_what_is_alike_by_content_shares():
    coarse = [Sensors(position=Sensor(bits=12, range=3.2)) for _ in range(2)]
    assert same(*(loop(JointPID(ROBOT, PERIOD, effort=3.0), each) for each in coarse))


def test_a_number_changed_in_a_controller_is_seen():
    controller = JointPID(ROBOT, PERIOD, effort=3.0)
    before = loop(controller)
    controller.effort[0] = 4.0
    assert not same(before, loop(controller))


def test_approximations_are_traced_anew():
    made = [ComputedTorque(ROBOT, PERIOD, model=approximate.WithoutVelocityTerms(ROBOT)) for _ in range(2)]
    assert not same(*map(loop, made))


def test_a_controller_of_somebody_else_is_never_answered_from_an_old_program(monkeypatch):
    motion = ROBOT.plan([(0.1, 0.3), (0.4, 0.1)], velocity=1.0, acceleration=4.0)
    controller = Pull(ROBOT, PERIOD)
    runs = [strobe.control(ROBOT, motion, controller, t=0.01, q0=[0.2, 0.2], check=False)]
    monkeypatch.setitem(STRENGTH, "now", 80.0)
    runs.append(strobe.control(ROBOT, motion, controller, t=0.01, q0=[0.2, 0.2], check=False))
    assert np.allclose(2 * runs[0].tau[0], runs[1].tau[0], rtol=1e-14)


def test_few_loops_are_kept():
    for k in range(MOST + 4):
        loop(JointPID(ROBOT, PERIOD, effort=10.0 + k))
    assert len(ROBOT.kept("loops", list)) == MOST


def test_a_warning_of_an_unstable_loop_comes_again_with_the_same_numbers():
    motion = ROBOT.plan([(0.1, 0.3), (0.4, 0.1)], velocity=1.0, acceleration=4.0)
    for _ in range(2):
        with pytest.warns(strobe.errors.ControlWarning, match="unstable near rest"):
            strobe.control(ROBOT, motion, gains={"kp": 400.0, "kd": 2500.0}, t=0.002)


ARM = strobe.load("planar2")
GOAL = np.array([0.4, 0.3])


def followed(robot, **words):
    """All that a loop gives back, to be compared bit for bit."""
    motion = robot.plan([GOAL, 0.5 * GOAL], velocity=1.0, acceleration=3.0)
    words = {"q0": GOAL + 0.01, "t": 0.01, "check": False, "controller": "computed-torque"} | words
    run = strobe.control(robot, motion, **words)
    arrays = [run.times, run.wanted, run.q, run.qd, run.tau, run.cut, run.stopped, run.status, run.error]
    gains = {name: x.tobytes() for name, x in run.controller.gains.items()}
    return [x.tobytes() for x in arrays], gains, run.notes


LATER = {
    "another start": {"q0": GOAL - 0.02},
    "gains": {"gains": {"kp": 77.0, "kd": 7.0}},
    "gains of several loops": {"gains": {"kp": [[77.0, 50.0], [30.0, 20.0]]}},
    "another rate": {"rate": 500.0},
    "another duration": {"t": 0.02},
    "more steps": {"steps": 3},
    "a delay": {"delay": 1e-3, "steps": 2},
    "another controller": {"controller": "joint-pid"},
    "limits": {"limits": True},
    "no friction": {"friction": False},
    "a load that it does not know of": {"payload": [1.0, 0.1, 0.0, 0.0]},
    "a plant that differs": {"plant": ARM.with_payload(0.3)},
    "sensors": {"sensors": Sensors(position=Sensor(bits=12, range=3.2))},
    "a tolerance that it leaves": {"q0": GOAL + 0.3, "tolerance": 1e-3},
    "no bound period": {"continuous": True},
}


@pytest.mark.parametrize("what", LATER)
def test_what_a_loop_leaves_behind_does_not_change_a_later_one(what):
    used = strobe.Robot(ARM.model)
    for _ in range(3):
        followed(used)
    expected = followed(strobe.Robot(ARM.model), **LATER[what])
    for _ in range(3):
        assert followed(used, **LATER[what]) == expected


def test_a_robot_that_was_changed_is_controlled_as_one_that_never_was():
    before = followed(ARM)
    changed = (ARM.with_payload(0.4), strobe.load("planar2", gravity=[0.0, 0.0, -3.7]))
    for robot in changed:
        first = followed(robot)
        assert first == followed(robot) == followed(strobe.Robot(robot.model))
        assert first != before


def test_who_changes_the_controller_of_a_run_changes_no_later_run():
    robot = strobe.Robot(ARM.model)
    expected = followed(robot, controller="momentum-observer")
    motion = robot.plan([GOAL, 0.5 * GOAL], velocity=1.0, acceleration=3.0)
    for name in ("momentum-observer", "momentum-observer"):
        controller = strobe.control(robot, motion, name, t=0.005, check=False).controller
        for gains in (controller._gains, controller.controller._gains):
            for x in gains.values():
                x[...] = 0.0
        controller.effort = controller.controller.belief = None
    assert followed(robot, controller="momentum-observer") == expected
