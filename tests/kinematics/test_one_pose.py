"""Single poses, asked for again and again, are answered at once: by less work, with nothing else changed."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

import numpy as np
import pytest

import strobe
from strobe.errors import StrobeError
from strobe.kinematics import one_pose, one_search
from strobe.kinematics.inverse import OFTEN
from strobe.kinematics.solutions import SolutionStatus

SMALL = ["planar3"]  # robots with fewer joints go the long way: some of their branches miss the pose
LARGE = [pytest.param(name, marks=pytest.mark.slow) for name in ("puma560", "ur5", "stanford")]
LONG = {"auto": {"threads": 1}, "numeric": {"seeds": 64}}  # what sends the same question the long way


def asked(robot, count=4):
    """Poses that are reached, out of limits or of reach, singular, rounded, no poses; and where the robot is."""
    rng = np.random.default_rng(3)
    q = robot.random_state(5, count)[0]
    special = rng.choice([0.0, np.pi / 2, -np.pi / 2, np.pi, 1e-9], (count // 2, robot.nq))
    T = robot.forward_kinematics(np.concatenate([q, rng.uniform(-np.pi, np.pi, q.shape), special]))
    far, bad = T[:2].copy(), T[:6].copy()
    far[:, :3, 3] *= 3.0
    bad[0, 0, 0], bad[1, 0, 3], bad[2, 3, 0], bad[3, 1, 3] = np.nan, np.inf, 0.1, -np.inf
    bad[4, :3, :3] *= 1.1
    bad[5, 0, 0] *= -1.0
    poses = np.concatenate([T, far, T[:2].round(6), bad])
    return list(zip(poses, rng.uniform(-7.0, 7.0, (len(poses), robot.nq)), strict=True))


def outcome(call):
    """All that an answer holds, to the bit, or what it was refused with."""
    try:
        found = call()
    except StrobeError as error:
        return type(error), str(error)
    values = [getattr(found, field.name) for field in fields(found)]
    return [(x.dtype, x.shape, x.tobytes()) if isinstance(x, np.ndarray) else x for x in values]


def warm(robot, method="auto"):
    """A robot whose single poses are answered at once."""
    for q in robot.random_state(0, OFTEN)[0]:
        robot.inverse_kinematics(robot.forward_kinematics(q), method=method)
    return robot


def at_once(monkeypatch, kind):
    """How many answers of a kind were given without the long way, counted as they are."""
    given = []
    plain = kind.__call__

    def counted(self, pose, q0):
        found = plain(self, pose, q0)
        given.append(found is not None)
        return found

    monkeypatch.setattr(kind, "__call__", counted)
    return given


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_what_a_closed_form_answers_at_once_has_the_bits_and_the_sentences_of_the_long_way(
    name, monkeypatch
):
    robot = warm(strobe.load(name))
    given = at_once(monkeypatch, one_pose.OnePose)
    for k, (pose, q0) in enumerate(asked(robot)):
        for near in (None, q0 if k % 2 else 0.4 * q0):
            answer, long = (
                outcome(
                    lambda more=more, pose=pose, near=near: robot.inverse_kinematics(pose, q0=near, **more)
                )
                for more in ({}, LONG["auto"])
            )
            assert answer == long
    assert sum(given) > 3
    assert not all(given)


@pytest.mark.parametrize("name", ["planar3", pytest.param("panda", marks=pytest.mark.slow)])
def test_what_a_search_answers_at_once_has_the_bits_and_the_sentences_of_the_long_way(name, monkeypatch):
    robot = warm(strobe.load(name), "numeric")
    given = at_once(monkeypatch, one_search.OneSearch)
    for pose, q0 in asked(robot):
        for near in (None, q0):
            answer, long = (
                outcome(
                    lambda more=more, pose=pose, near=near: robot.inverse_kinematics(
                        pose, q0=near, method="numeric", **more
                    )
                )
                for more in ({}, LONG["numeric"])
            )
            assert answer == long
    assert sum(given) > 3
    assert not all(given)


@pytest.mark.parametrize("method", ["auto", "numeric"])
@pytest.mark.parametrize(
    ("pose", "q0"),
    [
        ("pose", None), (None, None), (np.eye(3), None), (np.eye(4)[:3], None), (np.eye(4, dtype=complex), None),
        (np.eye(4, dtype=bool), None), (np.eye(4, dtype="O"), None), (np.zeros((0, 4, 4)), None),
        (np.eye(4), [0.1]), (np.eye(4), np.zeros(4)), (np.eye(4), np.array([np.nan, 0.0, 0.0])),
        (np.eye(4), np.array([np.inf, 0.0, 0.0])), (np.eye(4), "zero"), (np.eye(4), np.zeros((2, 3))),
        (np.eye(4), np.zeros(3, complex)), (np.eye(4).tolist(), [0.1, 0.2, 0.3]), (np.eye(4, dtype=np.float32), None),
        (np.eye(4).T[::-1][::-1], np.zeros(6)[::2]), (np.ma.array(np.eye(4)), None),
    ],
)  # fmt: skip
def test_what_is_no_plain_array_is_refused_or_answered_as_on_the_long_way(method, pose, q0):
    robot = warm(strobe.load("planar3"), method)
    answer, long = (
        outcome(lambda more=more: robot.inverse_kinematics(pose, q0=q0, method=method, **more))
        for more in ({}, LONG[method])
    )
    assert answer == long


@pytest.mark.parametrize(
    "words", [{"frame": "nowhere"}, {"frame": 3}, {"frame": ["hand"]}, {"method": ["auto"]}]
)
def test_a_warm_robot_refuses_names_as_a_cold_one_does(words):
    robots = warm(strobe.load("planar3")), strobe.load("planar3")
    first, second = (
        outcome(lambda robot=robot: robot.inverse_kinematics(np.eye(4), **words)) for robot in robots
    )
    assert first == second


@pytest.mark.parametrize("method", ["auto", "numeric"])
def test_an_answer_at_once_belongs_to_its_caller_alone(method):
    robot = warm(strobe.load("planar3"), method)
    pose = robot.forward_kinematics([0.3, 0.8, -0.5])
    kept = pose.copy()
    first, second = (robot.inverse_kinematics(pose, method=method) for _ in range(2))
    again = pickle.loads(pickle.dumps(first))
    for field in fields(first):
        value = getattr(first, field.name)
        if isinstance(value, np.ndarray):
            assert np.array_equal(value, getattr(again, field.name))
            value[...] = 1
    assert str(again) == str(second)
    assert second.status == SolutionStatus.SOLVED
    assert np.array_equal(second.q, robot.inverse_kinematics(pose, method=method).q)
    assert np.array_equal(pose, kept)


@pytest.mark.parametrize("method", ["auto", "numeric"])
def test_threads_that_ask_first_get_the_same_answers(method):
    robot = strobe.load("planar3")
    poses = robot.forward_kinematics(robot.random_state(1, 40)[0])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda pose: robot.inverse_kinematics(pose, method=method), poses))
    for pose, answer in zip(poses, found, strict=True):
        assert outcome(lambda a=answer: a) == outcome(
            lambda p=pose: robot.inverse_kinematics(p, method=method, **LONG[method])
        )
