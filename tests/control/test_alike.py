"""Loops share compiled rounds where, and only where, they are made from the same."""

import numpy as np
import pytest

import strobe
from strobe import approximate
from strobe.control import ComputedTorque, Controller, JointPID, Sensor, Sensors, make
from strobe.control.alike import MOST, shared
from strobe.control.loop import Loop
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
