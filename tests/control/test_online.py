"""A controller held ready: the bits of the simulated loop, and what it says to whatever it is given."""

import pickle
from types import MappingProxyType

import numpy as np
import pytest

import strobe
from strobe.control import CONTROLLERS, Controller, FixedController, Sensors, make
from strobe.control.recording import recorded
from strobe.errors import StrobeError

PERIOD = 1e-3
ROBOT = strobe.load("planar2")
MOTION = ROBOT.plan([(0.1, 0.3), (0.4, 0.1)], velocity=1.0, acceleration=4.0)
STATE = [0.1, 0.2], [0.3, -0.1]
WANTED = [0.15, 0.25], [0.2, 0.1], [0.5, -0.5]


class Leaky(Controller):
    """One of somebody else's, with a memory that is none at the start."""

    name, title = "leaky", "a leaky integral"
    memory = MappingProxyType({"sum": 2, "count": 1})
    leak = 0.9

    def begin(self, q, qd):
        return {"sum": list(q)}

    def step(self, measured, wanted, kept, gains):
        e = self.position_error(measured, wanted)
        total = [self.leak * x + y for x, y in zip(kept["sum"], e, strict=True)]
        return [50.0 * x for x in total], {"sum": total, "count": [kept["count"][0] + 1.0]}


def controllers():
    return [*(make(name, ROBOT, PERIOD) for name in CONTROLLERS), Leaky(ROBOT, PERIOD)]


@pytest.mark.parametrize("controller", controllers(), ids=lambda each: each.name)
def test_its_steps_have_the_bits_of_the_recorded_loop(controller):
    run, held = recorded(controller, Sensors(), 12), ROBOT.controller(controller)
    places = run.loop.readings.places
    for read, wanted, tau in zip(run.read, run.wanted, run.tau, strict=True):
        measured = [
            read[places[name]] for name in ("position", "velocity", "acceleration") if name in places
        ]
        assert np.array_equal(held.step(measured, np.split(wanted, 3)), tau)


@pytest.mark.parametrize("name", ["computed-torque", "joint-pid", "momentum-observer"])
def test_its_steps_have_the_bits_of_the_compiled_loop(name):
    run = strobe.control(ROBOT, MOTION, name, t=0.03, q0=[0.12, 0.29], check=False)
    held = ROBOT.controller(name)
    for q, qd, wanted, tau in zip(run.q, run.qd, run.wanted, run.tau, strict=True):
        assert np.array_equal(held.step((q, qd), np.split(wanted, 3)), tau)
        for part, x in held.memory.items():
            assert x.shape == run.memory[part].shape[1:]


@pytest.mark.parametrize("name", ["computed-torque", "joint-pid"])
def test_whatever_holds_the_numbers_gives_the_same_torques(name):
    plain = tuple(np.array(x) for x in STATE), tuple(np.array(x) for x in WANTED)
    other_ways = [
        (STATE, WANTED),
        (np.array(STATE), np.array(WANTED)),
        ((*plain[0], np.zeros(2)), list(plain[1])),
        ([x[::-1].copy()[::-1] for x in plain[0]], plain[1]),
    ]
    expected = ROBOT.controller(name).step(*plain)
    for given in other_ways:
        assert np.array_equal(ROBOT.controller(name).step(*given), expected)
    interpreted = strobe.Robot(ROBOT.model, compiled=False).controller(name)
    assert np.allclose(interpreted.step(*plain), expected, rtol=1e-12)


@pytest.mark.slow
def test_of_joints_with_quaternions_orientations_are_looked_at():
    robot = strobe.random(3, 5, kinds="SR")
    controller = make("pd-gravity", robot, PERIOD)
    run, held = recorded(controller, Sensors(), 4), robot.controller(controller)
    ends = np.cumsum([robot.nq, robot.nv])
    for read, wanted, tau in zip(run.read, run.wanted, run.tau, strict=True):
        places = run.loop.readings.places
        measured = [read[places[name]] for name in ("position", "velocity")]
        assert np.array_equal(held.step(measured, np.split(wanted, ends)), tau)
    with pytest.raises(StrobeError, match='measured q has a quaternion of length 2 in joint "joint1"'):
        held.step((2.0 * measured[0], measured[1]), np.split(wanted, ends))


def test_it_begins_anew_when_it_is_reset():
    held = ROBOT.controller("joint-pid")
    assert held.memory == {}
    first = held.step(STATE, WANTED)
    second = held.step(STATE, WANTED)
    assert not np.array_equal(first, second)
    assert held.memory["integral"].shape == (2,)
    held.reset()
    assert held.memory == {}
    assert np.array_equal(held.step(STATE, WANTED), first)


def test_what_is_remembered_is_shown_and_not_handed_out():
    held = ROBOT.controller("joint-pid")
    held.step(STATE, WANTED)
    held.memory["integral"][:] = 1e9
    again = ROBOT.controller("joint-pid")
    again.step(STATE, WANTED)
    assert np.array_equal(held.step(STATE, WANTED), again.step(STATE, WANTED))


def test_it_travels_with_what_it_remembers():
    held = ROBOT.controller("joint-pid", rate=500, gains={"kp": 120.0})
    held.step(STATE, WANTED)
    sent = pickle.loads(pickle.dumps(held))
    assert sent.period == held.period == 0.002
    assert np.array_equal(sent.step(STATE, WANTED), held.step(STATE, WANTED))


def test_it_is_the_controller_that_it_was_made_from():
    controller = Leaky(ROBOT, PERIOD)
    held, expected = ROBOT.controller(controller), ROBOT.controller(Leaky(ROBOT, PERIOD))
    controller.leak = 0.1
    for _ in range(3):
        assert np.array_equal(held.step(STATE, WANTED), expected.step(STATE, WANTED))
    changed = ROBOT.controller(controller)
    changed.step(STATE, WANTED)
    assert not np.array_equal(changed.step(STATE, WANTED), held.step(STATE, WANTED))


def test_a_number_that_is_none_reaches_the_torques_and_is_forgotten_with_a_reset():
    held = ROBOT.controller("joint-pid")
    first = held.step(STATE, WANTED)
    held.reset()
    assert np.isnan(held.step(([np.nan, 0.2], [0.0, 0.0]), WANTED)[0])
    assert np.isnan(held.memory["integral"][0])
    held.reset()
    assert np.array_equal(held.step(STATE, WANTED), first)


class Named(dict):
    """A mapping as of Python 3.12 on, where a slice may be a key."""

    def __getitem__(self, key):
        raise KeyError(key)


REFUSED = {
    "measured is {'q': 0}; expected vectors (q, qd).": lambda: ROBOT.controller().step(Named(q=0), WANTED),
    "measured is [1]; expected vectors (q, qd).": lambda: ROBOT.controller().step([1], WANTED),
    "measured is 3; expected vectors (q, qd).": lambda: ROBOT.controller().step(3, WANTED),
    "wanted is ([0.1, 0.2], [0.3, -0.1]); expected vectors (q, qd, qdd).": lambda: ROBOT.controller().step(
        STATE, STATE
    ),
    "measured qd has shape (3,); planar2 has 2 joints, expected (..., 2).": lambda: ROBOT.controller().step(
        ([0, 0], [0, 0, 0]), WANTED
    ),
    "measured q has shape (4, 2); a step is of one arm, expected (2,).": lambda: ROBOT.controller().step(
        (np.zeros((4, 2)), [0, 0]), WANTED
    ),
    "measured q holds text; expected real numbers (float64, float32 or integers).": lambda: (
        ROBOT.controller().step((["a", "b"], [0, 0]), WANTED)
    ),
    "measured is ([0.1, 0.2], [0.3, -0.1]); expected vectors (q, qd, qdd).": lambda: ROBOT.controller(
        "acceleration-servo"
    ).step(STATE, WANTED),
    "kp of computed-torque has shape (3, 2), gains for several runs; a step is of one arm. Give one number, or one "
    "for each joint.": lambda: ROBOT.controller(gains={"kp": np.ones((3, 2))}),
    "controller is of type FixedController; expected the name of one, or a Controller.": lambda: (
        ROBOT.controller(FixedController.along(make("computed-torque", ROBOT, PERIOD), MOTION))
    ),
    "rate is 500 Hz, but the controller was made for 1000 Hz. Leave rate= out, or make it for a period of 0.002 s.": (
        lambda: ROBOT.controller(make("joint-pd", ROBOT, PERIOD), rate=500)
    ),
}


@pytest.mark.parametrize("sentence", REFUSED, ids=lambda each: each[:30])
def test_what_cannot_be_stepped_is_refused(sentence):
    with pytest.raises(StrobeError) as refused:
        REFUSED[sentence]()
    assert str(refused.value) == sentence


def test_what_was_refused_leaves_no_trace():
    held, other = ROBOT.controller("joint-pid"), ROBOT.controller("joint-pid")
    held.step(STATE, WANTED)
    other.step(STATE, WANTED)
    with pytest.raises(StrobeError):
        held.step(([0, 0], [0]), WANTED)
    assert np.array_equal(held.step(STATE, WANTED), other.step(STATE, WANTED))


def test_it_says_what_it_is():
    held = ROBOT.controller(rate=500)
    assert repr(held) == "<computed torque of planar2, step by step every 2 ms>"
    assert held.robot is ROBOT
    assert held.controller.name == "computed-torque"
    with pytest.raises(AttributeError):
        held.period = 1.0


def test_gains_by_themselves_are_refused_with_the_word_that_takes_them():
    with pytest.raises(TypeError) as refused:
        ROBOT.controller("joint-pd", kp=3.0)
    assert str(refused.value) == (
        'robot.controller takes a controller, rate= and gains=; got kp=. Gains go together: gains={"kp": …}.'
    )
