"""What applications build on (docs/framework.md): each name does what the page says, and none is missing there."""

import pickle
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import (
    ArgumentError,
    OpenLoopError,
    ShapeError,
    SingularMassMatrixError,
    StillFrameError,
    UnknownNameError,
    UnsupportedModelError,
)
from strobe.models.inertial import Inertial
from strobe.models.joints import Motor
from strobe.quantities import Request
from strobe.robot.closed_chains import require_closed, solvable
from strobe.robot.framework import Framework

PAGE = Path(__file__).parents[2] / "docs" / "framework.md"


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


def weightless(robot: strobe.Robot, *links: int) -> strobe.Robot:
    """The robot with links that have no mass, and no rotors."""
    bodies = [replace(body, joint=replace(body.joint, motor=Motor())) for body in robot.model.bodies]
    bodies = [replace(b, inertial=Inertial.zero()) if b.index in links else b for b in bodies]
    return robot.with_model(replace(robot.model, bodies=tuple(bodies), golden=()))


# -- from what is asked to the answer -------------------------------------------------------------------


def test_a_request_evaluated_is_what_the_method_answers(arm: strobe.Robot):
    q, qd, qdd = arm.random_state(seed=1, batch=4)
    values = {"q": q, "qd": qd, "qdd": qdd} | arm.loads(wrench=np.ones(6), gravity=(0, 0, -1.6))
    request = arm.request("inverse_dynamics", values, friction=False)
    assert request == Request("inverse_dynamics", friction=False, loaded=("tool",), gravity=True)
    same = arm.inverse_dynamics(q, qd, qdd, wrench=np.ones(6), gravity=(0, 0, -1.6), friction=False)
    assert np.array_equal(arm.evaluate(request, values), same)


def test_a_request_about_a_frame_names_it(arm: strobe.Robot):
    assert arm.request("jacobian") == Request("jacobian", frame="tool")
    local = arm.request("jacobian", frame="link1", reference="local")
    assert local == Request("jacobian", frame="link1", reference="local")
    q = arm.random_state(seed=2)[0]
    assert np.array_equal(arm.evaluate(local, {"q": q}), arm.jacobian(q, "link1", reference="local"))


def test_an_answer_goes_where_out_says_and_sizes_are_checked_by_name(arm: strobe.Robot):
    out = np.empty((3, 2))
    assert arm.evaluate(Request("gravity"), {"q": np.zeros((3, 2))}, out) is out
    with pytest.raises(ArgumentError, match="gravity of planar2 takes q, and values hold others: give q"):
        arm.evaluate(Request("gravity"), {})
    with pytest.raises(ArgumentError, match="leave out wrench tool"):
        arm.evaluate(Request("gravity"), {"q": np.zeros(2), "wrench tool": np.zeros(6)})
    with pytest.raises(ArgumentError, match="values is 3; expected a mapping"):
        arm.evaluate(Request("gravity"), 3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(
        ShapeError, match=r"q has shape \(3,\); planar2 has 2 joints, expected \(\.\.\., 2\)"
    ):
        arm.evaluate(Request("gravity"), {"q": np.zeros(3)})


def test_options_of_a_request_are_checked(arm: strobe.Robot):
    with pytest.raises(ArgumentError, match="friction is 'no'"):
        arm.request("inverse_dynamics", friction="no")
    with pytest.raises(ArgumentError, match="formulation is 3"):
        arm.request("gravity", formulation=3)
    with pytest.raises(UnknownNameError, match='no reference "upside-down"|reference is'):
        arm.request("jacobian", reference="upside-down")
    for ask in (arm.request, arm.require):
        with pytest.raises(UnknownNameError, match='no quantity "torque" in strobe'):
            ask("torque")


def test_a_kernel_is_made_once(arm: strobe.Robot):
    assert arm.kernel(Request("gravity")) is arm.kernel(arm.request("gravity"))


def test_what_is_kept_is_made_once(arm: strobe.Robot):
    made: list[int] = []
    assert [arm.kept("test", lambda: made.append(1) or len(made)) for _ in range(3)] == [1, 1, 1]


# -- refusals -------------------------------------------------------------------------------------------


def test_a_robot_refuses_what_it_has_not(arm: strobe.Robot):
    arm.require("inverse_dynamics")
    light = weightless(arm, 0, 1)
    light.require("jacobian")
    light.require("regressor")
    light.require(Request("inverse_dynamics", parameters="runtime"))
    with pytest.raises(UnsupportedModelError, match="planar2 has no dynamics"):
        light.require("inverse_dynamics")
    with pytest.raises(UnsupportedModelError, match="no joints that move"):
        arm.lock({"joint*": 0.0}).require("inverse_dynamics")
    half = weightless(arm, 1)
    half.require("inverse_dynamics")
    for refusal in (half.require, half.request, half.compile):
        with pytest.raises(SingularMassMatrixError):
            refusal("forward_dynamics")
    half.require(Request("hybrid_dynamics", accelerated=(half.joint_names[1],)))


def test_states_of_closed_chains_have_to_exist():
    bar = strobe.load("fourbar")
    q, qd, _ = bar.random_state(seed=0)
    require_closed(bar, {"q": q, "qd": qd})
    with pytest.raises(OpenLoopError):
        require_closed(bar, {"q": q + 0.1})
    assert solvable(bar, q).robot.name == bar.name


# -- what a caller says -----------------------------------------------------------------------------------


def test_frames_are_known_or_moved_and_the_tip_where_none_is_named(arm: strobe.Robot):
    assert arm.named_frame() == arm.moving_frame() == arm.tip
    assert arm.named_frame("base") == "base"
    with pytest.raises(StillFrameError):
        arm.moving_frame("base")
    with pytest.raises(UnknownNameError):
        arm.named_frame("nose")


def test_joints_match_patterns_in_their_own_order(arm: strobe.Robot):
    first, second = arm.joint_names
    assert arm.matching_joints([second, first]) == (first, second)
    assert arm.matching_joints(["*2"]) == (second,)
    with pytest.raises(UnknownNameError, match='no joint "wrist\\*"'):
        arm.matching_joints(["wrist*"])


def test_a_position_is_one_and_a_known_one_is_finite(arm: strobe.Robot):
    assert arm.position([1, 2]).dtype == float
    assert np.isnan(arm.position([np.nan, 0.0])[0])
    with pytest.raises(ShapeError, match="it is one position"):
        arm.position(np.zeros((3, 2)))
    with pytest.raises(ArgumentError):
        arm.position([np.nan, 0.0], known=True)


def test_loads_are_values_by_the_name_of_their_input(arm: strobe.Robot):
    assert arm.loads() == {}
    assert arm.loads(wrench={"tool": 1, "link1": 2}, gravity=3) == {
        "wrench tool": 1,
        "wrench link1": 2,
        "gravity": 3,
    }
    with pytest.raises(ArgumentError, match="no wrench= was given"):
        arm.loads(frame="tool")


# -- the robot ----------------------------------------------------------------------------------------------


def test_another_model_gives_a_robot_of_the_same_kind(arm: strobe.Robot):
    class Own(strobe.Robot):
        pass

    made = Own(arm.model, compiled=False).with_model(arm.model)
    assert type(made) is Own
    assert not made.compiled


def test_a_robot_is_pickled_as_its_model(arm: strobe.Robot):
    state, again = arm.random_state(seed=3), pickle.loads(pickle.dumps(arm))
    assert np.array_equal(again.inverse_dynamics(*state), arm.inverse_dynamics(*state))
    assert len(pickle.dumps(arm)) < 2 * len(pickle.dumps(arm.model))


def test_every_name_of_the_framework_is_on_its_page():
    told = set(re.findall(r"`robot\.(\w+)", PAGE.read_text(encoding="utf-8")))
    named = {name for name in vars(Framework) if not name.startswith("_")}
    assert named <= told
    assert all(hasattr(strobe.Robot, name) for name in told)
