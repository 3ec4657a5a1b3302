"""Lanes in native code go where they go in arrays."""

import numpy as np
import pytest

import strobe
from strobe.kinematics import numeric
from strobe.kinematics.damped_least_squares import Task, search
from strobe.kinematics.initial_guesses import Nearest, NearestToOne, seeds_of


@pytest.fixture
def task(request):
    robot = strobe.load(getattr(request, "param", "planar3"))
    return numeric.task_of(robot, None, "pose", True, numeric.TOLERANCE)


def in_arrays(task):
    """The same task without native code for its lanes."""
    other = Task(*(getattr(task, name) for name in task.__dataclass_fields__))
    other.__dict__["descent"] = None
    return other


def asked(task, count):
    """Poses within reach and beyond it, one of them no number, and positions of which one is none."""
    q = task.robot.random_state(3, count)[0]
    poses = task.robot.forward_kinematics(q)
    poses[:2, :3, 3] *= 3.0
    poses[2, 0, 3] = np.nan
    q[3, 0] = np.nan
    return task.numbers(poses), q[::-1]


@pytest.mark.parametrize("task", ["planar3", pytest.param("panda", marks=pytest.mark.slow)], indirect=True)
@pytest.mark.parametrize("from_rest", [True, False])
@pytest.mark.parametrize(("most", "steps"), [(64, 40), (1, 40), (17, 3), (9, 12)])
def test_one_pose_is_searched_for_in_native_code_as_in_arrays(task, from_rest, most, steps):
    targets, rest = asked(task, 16)
    seeds, arrays = seeds_of(task.robot, task.frame), in_arrays(task)
    for k in range(len(targets)):
        found, expected = (
            search(each, targets[k : k + 1], rest[k : k + 1], from_rest, seeds, most, steps)
            for each in (task, arrays)
        )
        for name in ("q", "square", "steps"):
            assert np.array_equal(getattr(found, name), getattr(expected, name), equal_nan=True)
            assert getattr(found, name).dtype == getattr(expected, name).dtype


def test_many_poses_are_searched_for_as_each_alone(task):
    targets, rest = asked(task, 24)
    seeds = seeds_of(task.robot, task.frame)
    together, arrays = (search(each, targets, rest, True, seeds, 8, 40) for each in (task, in_arrays(task)))
    for name in ("q", "square", "steps"):
        assert np.array_equal(getattr(together, name), getattr(arrays, name), equal_nan=True)


def test_no_pose_at_all_is_searched_for_without_complaint(task):
    none = search(task, np.empty((0, 12)), np.empty((0, 3)), True, seeds_of(task.robot, task.frame), 8, 40)
    assert none.q.shape == (0, 3)


def test_seeds_of_one_pose_come_in_the_order_of_those_of_many(task):
    seeds, targets = seeds_of(task.robot, task.frame), asked(task, 8)[0]
    for target in np.delete(targets, 2, 0):
        one, many = NearestToOne(seeds, "pose", target[None]), Nearest(seeds, "pose", target[None])
        for count in (16, 1, 5, 16):
            assert np.array_equal(one.take(count), many.take(count)[0])
