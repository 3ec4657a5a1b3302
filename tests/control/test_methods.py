"""Controllers by name."""

import numpy as np
import pytest

import strobe
from strobe.approximate import WithoutVelocityTerms
from strobe.control import CONTROLLERS, ComputedTorque, Measured, Wanted, control, make
from strobe.control.methods import offer
from strobe.errors import ArgumentError, UnknownNameError, UnsupportedModelError

NAMES = (
    "joint-pd", "joint-pid", "pd-gravity", "feed-forward-pd", "computed-torque", "operational-space", "impedance",
    "slotine-li", "acceleration-servo", "momentum-observer",
)  # fmt: skip


@pytest.fixture(scope="module")
def planar2():
    return strobe.load("planar2")


def test_the_names_are_those_of_the_classes():
    assert tuple(CONTROLLERS) == NAMES
    assert all(each.kind.name == name and each.meaning for name, each in CONTROLLERS.items())


@pytest.mark.parametrize("name", NAMES)
def test_every_one_follows_a_motion_and_keeps_to_its_layout(planar2, name):
    motion = planar2.plan([(0.2, 0.5), (0.5, 0.9)], "quintic", velocity=1.0, acceleration=2.0)
    run = control(planar2, motion, make(name, planar2, 1e-3), check=False)
    assert np.abs(run.error).max() < 0.1
    assert {key: x.shape[-1] for key, x in run.memory.items()} == dict(run.controller.memory)
    assert run.controller.title


@pytest.mark.parametrize("name", [name for name in NAMES if "model" in CONTROLLERS[name].gains])
def test_every_one_with_a_model_takes_an_approximation_of_its_own_robot_only(planar2, name):
    made = make(name, planar2, 1e-3, model=WithoutVelocityTerms(planar2))
    assert made.model.name == "without-velocity-terms"
    with pytest.raises(ArgumentError, match="the model is one of planar3; the controller is for planar2"):
        make(name, planar2, 1e-3, model=WithoutVelocityTerms(strobe.load("planar3")))


@pytest.mark.parametrize("name", NAMES)
def test_joints_with_quaternions_are_taken_or_refused_by_name(name):
    robot = strobe.random(3, 5, kinds="SR")
    if name in ("impedance", "slotine-li"):
        with pytest.raises(UnsupportedModelError) as told:
            make(name, robot, 1e-3)
        assert str(told.value) == (
            f'{name} takes joints with one degree of freedom; "joint1" of random-3-5 is spherical.'
        )
        return
    controller = make(name, robot, 1e-3)
    q, qd, qdd = robot.random_state(1)
    tau = stepped(controller, q, qd, qdd, q, qd, qdd)
    if name in ("feed-forward-pd", "computed-torque", "operational-space", "momentum-observer"):
        assert tau == pytest.approx(robot.inverse_dynamics(q, qd, qdd), rel=1e-7)
    aside = robot.integrate(q, np.full(robot.nv, 0.01))
    pulled = np.subtract(stepped(controller, q, qd, qdd, aside, qd, qdd), tau)
    assert pulled @ np.ones(robot.nv) > 0  # towards where it should be


def stepped(controller, q, qd, qdd, *wanted):
    """Torques of one period that begins with the memory of a loop's first."""
    kept = {key: np.zeros(size) for key, size in controller.memory.items()} | dict(controller.first(q, qd))
    given = [{key: x.tolist() for key, x in each.items()} for each in (kept, controller.gains)]
    measured, asked = Measured(q.tolist(), qd.tolist(), qdd.tolist()), Wanted(*(x.tolist() for x in wanted))
    return controller.step(measured, asked, *given)[0]


def test_unknown_names_are_refused_with_those_that_are_known(planar2):
    with pytest.raises(UnknownNameError, match="Did you mean 'computed-torque'"):
        make("computed-torqe", planar2, 1e-3)
    with pytest.raises(UnknownNameError) as told:
        offer("xyz")
    assert all(name in str(told.value) for name in NAMES)


def test_unknown_gains_are_refused_with_those_that_are_known(planar2):
    with pytest.raises(ArgumentError) as told:
        make("computed-torque", planar2, 1e-3, ki=3.0)
    assert str(told.value) == "computed-torque takes no 'ki'; it takes kp, kd, model."


def test_gains_reach_the_controller_and_have_defaults(planar2):
    assert CONTROLLERS["computed-torque"].gains == {"kp": 400.0, "kd": 40.0, "model": None}
    made = make("computed-torque", planar2, 1e-3, kp=(100, 200), kd=7)
    assert made.gains["kp"].tolist() == [100.0, 200.0]
    assert made.gains["kd"].tolist() == [7.0, 7.0]


def test_an_observer_is_made_around_any_controller_by_name(planar2):
    made = make("momentum-observer", planar2, 1e-3, controller="joint-pd", time_constant=0.01, kp=50.0)
    assert made.controller.name == "joint-pd"
    assert made.gains["kp"].tolist() == [50.0, 50.0]
    assert made.title == "independent joints, PD, disturbance observed"
    inside = ComputedTorque(planar2, 1e-3)
    assert make("momentum-observer", planar2, 1e-3, controller=inside).controller is inside
    with pytest.raises(
        ArgumentError, match="momentum-observer takes no 'kp'; it takes controller, time_constant"
    ):
        make("momentum-observer", planar2, 1e-3, controller=inside, kp=3.0)
    with pytest.raises(ArgumentError, match="an observer observes a controller, not itself"):
        make("momentum-observer", planar2, 1e-3, controller="momentum-observer")
    with pytest.raises(ArgumentError, match="momentum-observer takes no 'ki'"):
        make("momentum-observer", planar2, 1e-3, ki=3.0)
