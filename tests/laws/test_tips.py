"""Of every robot at hand: the frame that is meant where none is named moves, and what is asked of it is answered."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest

from strobe.errors import ModelFileError, ModelWarning, StillFrameError, TipError
from strobe.models.default_frame import moved_frames, tip, tip_or_none, tips
from strobe.models.library import built_in_names
from strobe.models.load import load_model
from strobe.models.model import Model
from strobe.robot import Robot

LAST = {  # what was meant before there was a rule, and still is: files and published values rely on it
    "biped10": "swing_foot", "parallelogram": "pin_on_link4", "fourbar": "pin_on_rocker", "fivebar": "hand",
    "slider-crank": "pin_on_piston", "rx90": "link6", "spherical3": "link3", "pendulum3": "link3",
}  # fmt: skip
FEW = ("ur5_robot", "panda", "kinova", "tiago_no_hand", "anymal", "baxter", "xarm7", "quadrotor_base")
EXPECTED = {
    "ur5_robot": "tool0",
    "panda": "panda_hand_tcp",
    "kinova": "j2s6s200_end_effector",
    "xarm7": "link_eef",
}


def installed() -> list[Path]:
    spec = importlib.util.find_spec("cmeel")
    if spec is None or not spec.submodule_search_locations:
        return []
    site = Path(next(iter(spec.submodule_search_locations))).parent
    return sorted((site / "cmeel.prefix/share/example-robot-data/robots").rglob("*.urdf"))


def loaded(path: Path) -> Model | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            return load_model(path)
        except ModelFileError:
            return None


def require_law(model: Model) -> str | None:
    """The tip, if there is one, and that it moves; else that a name is asked for, and good ones are offered."""
    robot, moved, name = Robot(model, compiled=False), moved_frames(model), tip_or_none(model)
    if name is not None:
        assert name in moved
        require_moved(robot, None)
    elif moved:
        with pytest.raises(TipError) as asked:
            tip(model)
        assert len(asked.value.tips) >= 2
        assert all(each in moved and f'"{each}"' in str(asked.value) for each in asked.value.tips[:12])
        for each in asked.value.tips[:2]:
            require_moved(robot, each)
    else:
        with pytest.raises(StillFrameError):
            tip(model)
    return name


def require_moved(robot: Robot, frame: str | None) -> None:
    """Jacobian, load and wrench at a frame: nothing of them is silently nothing."""
    q, qd, qdd = robot.random_state(seed=4)
    J, F = robot.jacobian(q, frame), np.array([3.0, -2, 5, 1, 2, -1])
    assert np.abs(J).max() > 0
    if robot.model.is_closed or robot.model.without_dynamics:
        return
    pushed = robot.inverse_dynamics(q, qd, qdd, wrench=F, frame=frame) - robot.inverse_dynamics(q, qd, qdd)
    scale = np.abs(J.T @ F).max() + 1e-9 * np.abs(robot.inverse_dynamics(q, qd, qdd)).max()
    assert np.abs(pushed).max() > 0
    assert np.abs(pushed + J.T @ F).max() <= 1e-6 * scale
    weight = robot.with_payload(5.0, frame=frame).gravity(q) - robot.gravity(q)
    expected = -J[:3].T @ (5.0 * np.array([float(x) for x in robot.model.gravity.linear]))
    assert np.abs(weight - expected).max() <= 1e-6 * np.abs(expected).max() + 1e-9
    assert np.abs(expected).max() == 0 or np.abs(weight).max() > 0


@pytest.mark.parametrize("name", built_in_names())
def test_a_built_in_robot_means_what_it_always_did(name: str) -> None:
    model = load_model(name)
    assert require_law(model) == LAST.get(name, "tool") == model.frames[-1].name


ROBOTS = pytest.mark.parametrize(
    "name", [*FEW, pytest.param("", marks=pytest.mark.slow, id="every installed one")]
)


def named(name: str) -> list[Path]:
    """The installed robot of a name, or all of them."""
    found = [path for path in installed() if name in ("", path.stem)]
    if not found:
        pytest.skip("example-robot-data is not installed")
    return found


@ROBOTS
def test_an_installed_robot_means_a_frame_that_moves(name: str) -> None:
    models = [model for path in named(name) if (model := loaded(path)) is not None]
    assert len(models) > 50 or name
    meant = [require_law(model) for model in models]
    assert meant[0] == EXPECTED.get(name) if name else sum(each is not None for each in meant) > 15


@ROBOTS
def test_pinocchio_moves_the_same_frames(name: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    for path in named(name):
        model = loaded(path)
        if model is None or not model.bodies:
            continue
        theirs = pin.buildModelFromUrdf(str(path))
        data, q = theirs.createData(), pin.neutral(theirs)
        pin.computeJointJacobians(theirs, data, q)
        pin.updateFramePlacements(theirs, data)
        for frame in model.frames:
            if not theirs.existFrame(frame.name, pin.FrameType.BODY):
                continue
            index = theirs.getFrameId(frame.name, pin.FrameType.BODY)
            J = pin.getFrameJacobian(theirs, data, index, pin.LOCAL_WORLD_ALIGNED)
            assert J.any() == (frame.name in moved_frames(model)), f"{path.stem}: {frame.name}"


def test_what_is_offered_is_one_frame_of_each_end() -> None:
    path = next((path for path in installed() if path.stem == "baxter"), None)
    if path is None:
        pytest.skip("example-robot-data is not installed")
    model = loaded(path)
    assert model is not None
    assert tips(model) == ("display", "right_gripper", "left_gripper")
