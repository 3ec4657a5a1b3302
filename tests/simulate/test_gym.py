"""Robots as environments: Gymnasium's own checks, the same bits one by one and side by side, rewards and ends."""

import re
import subprocess
import sys

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, StrobeError
from strobe.simulate import TimeSeries, simulate

pytest.importorskip("gymnasium", reason="gymnasium is not installed")

from gymnasium.utils.env_checker import check_env

from strobe.simulate.batch_stepper import SideBySide
from strobe.simulate.gym import RobotEnv, VectorRobotEnv


def test_a_period_is_that_of_a_simulation():
    robot = strobe.load("pendulum3")
    q, qd, _ = robot.random_state(0, 3)
    tau = np.random.default_rng(0).normal(size=(2, 3, 3))
    arms = SideBySide(robot, 3, 0.05, step=1e-2)
    assert arms.steps == 5
    arms.place(slice(None), q, qd)
    for each in tau:
        arms.advance(each)
    held = TimeSeries([0, 0.05], np.moveaxis(tau, 0, 1), "zero-order")
    run = simulate(robot, q, qd, held, 0.1, step=1e-2)
    np.testing.assert_allclose(arms.q, run.q[:, -1], rtol=1e-13)
    np.testing.assert_allclose(arms.qd, run.qd[:, -1], rtol=1e-13)
    assert not arms.lost.any()
    with pytest.raises(
        ShapeError, match=r"^tau has shape \(2, 3\); there are 3 robots, expected \(3, 3\)\."
    ):
        arms.advance(np.zeros((2, 3)))
    with pytest.raises(ArgumentError, match="there are 0 robots; expected a whole number, one or more."):
        SideBySide(robot, 0, 0.05)


@pytest.mark.filterwarnings("ignore:.*Box observation space.*infinity")
@pytest.mark.parametrize("robot", ["planar2", "floating"])
def test_gymnasiums_checks_pass(robot):
    arm = strobe.random(1, seed=2, kinds="F", tree=True) if robot == "floating" else robot
    check_env(RobotEnv(arm, torque=5.0, step=5e-3), skip_render_check=True)


def test_robots_side_by_side_go_the_ways_of_single_ones_bit_for_bit():
    count, how = 5, {"horizon": 0.2, "step": 2e-3}
    vector, singles = (
        VectorRobotEnv("planar2", count, **how),
        [RobotEnv("planar2", **how) for _ in range(count)],
    )
    seen, _ = vector.reset(seed=3)
    np.testing.assert_array_equal(seen, [env.reset(seed=3 + i)[0] for i, env in enumerate(singles)])
    ended, actions, ends = np.zeros(count, bool), np.random.default_rng(0), 0
    for _ in range(25):
        action = actions.uniform(-1, 1, (count, 2)).astype(np.float32)
        *found, _ = vector.step(action)
        for i, env in enumerate(singles):
            wanted = (env.reset()[0], 0.0, False, False) if ended[i] else env.step(action[i])[:4]
            for x, y in zip(found, wanted, strict=True):
                np.testing.assert_array_equal(x[i], y)
        ended = found[2] | found[3]
        ends += ended.sum()
        assert vector.observation_space.contains(found[0])
    assert ends > count


def test_the_same_seed_gives_the_same_episode():
    env = RobotEnv("planar2", step=2e-3)
    first, again = (env.reset(seed=7)[0] for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert np.any(env.reset()[0] != first)


def test_rewards_are_the_distance_from_the_goal_or_what_the_user_says():
    goal = np.array([0.4, -0.3])
    env = RobotEnv("planar2", step=1e-3, goal=goal)
    env.reset(seed=0, options={"q": [0.5, -0.3], "qd": [0, 0]})
    seen, reward, *_ = env.step(np.zeros(2, np.float32))
    q, qd = seen[:2], seen[2:4]
    assert reward == pytest.approx(-np.sum((q - goal) ** 2) - 0.01 * np.sum(qd**2), rel=1e-5)
    np.testing.assert_array_equal(seen[4:], goal.astype(np.float32))
    fast = VectorRobotEnv(
        "planar2", 3, reward=lambda q, qd, action, goal: np.abs(qd).max(axis=-1), step=1e-3
    )
    fast.reset(seed=0)
    seen, rewards, *_ = fast.step(np.ones((3, 2)))
    np.testing.assert_allclose(rewards, np.abs(seen[:, 2:4]).max(axis=1), rtol=1e-6)
    wrong = RobotEnv("planar2", reward=lambda q, qd, action, goal: 0.0, step=1e-3)
    wrong.reset(seed=0)
    with pytest.raises(ArgumentError, match=r"the reward has shape \(\); expected \(1,\), one per robot\."):
        wrong.step(np.zeros(2))


def test_an_episode_ends_at_a_limit_or_at_the_horizon_and_stops_hold_it():
    near = {"q": [3.09, 0.0], "qd": [5.0, 0.0]}
    env = RobotEnv("planar2", step=1e-3)
    env.reset(seed=0, options=near)
    seen, _, terminated, truncated, _ = env.step(np.zeros(2))
    assert (terminated, truncated) == (True, False)
    assert seen[0] == np.float32(3.1)
    held = RobotEnv("planar2", step=1e-3, stops=True, horizon=0.04)
    held.reset(seed=0, options=near)
    assert held.step(np.zeros(2))[2:4] == (False, False)
    assert held.step(np.zeros(2))[2:4] == (False, True)


def test_what_cannot_be_is_refused():
    with pytest.raises(
        ArgumentError, match='joint "joint1" has no largest torque; give torque=, one number'
    ):
        RobotEnv("stanford")
    with pytest.raises(ArgumentError, match="period is 0; expected a time above zero."):
        RobotEnv("planar2", period=0)


@pytest.mark.slow
def test_without_gymnasium_the_extra_is_named():
    code = "import sys; sys.modules['gymnasium'] = None; import strobe.simulate.gym"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert (
        'an environment needs the package gymnasium, which is not installed: pip install "strobe-dynamics[gym]"'
        in done.stderr
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"period": "long"}, "period is 'long'; expected a time above zero."),
        ({"horizon": np.inf}, "horizon is inf; expected a time above zero."),
        ({"step": -1e-3}, "step is -0.001; expected a time above zero."),
        ({"step": 1e-12}, "step is 1e-12 s: a period of 0.02 s would take 20,000,000,000 steps, more"),
        ({"torque": [1, 2, 3]}, "torque has shape (3,); planar2 has 2 joints, expected (..., 2)."),
        ({"goal": [np.nan, 0]}, "goal holds a number that is not finite."),
        ({"start": [0, 9]}, 'start has joint "joint2" at 9, outside its limits -2.6 to 2.6.'),
        ({"stop": True}, "no option \"stop\" in an environment. Did you mean 'stops' or 'step'?"),
    ],
)
def test_an_environment_that_cannot_be_is_refused(options, sentence):
    with pytest.raises(StrobeError, match="^" + re.escape(sentence)):
        RobotEnv("planar2", **options)


def test_actions_and_options_of_a_reset_are_checked():
    one, many = RobotEnv("planar2", step=1e-3), VectorRobotEnv("planar2", 4, step=1e-3)
    for env, action, sentence in (
        (one, [0, 0, 0], "action has shape (3,); planar2 has 2 joints, expected (..., 2)."),
        (one, [np.nan, 0], "action holds a number that is not finite."),
        (many, [0, 0], "action has shape (2,); it is a row of torques per robot, expected (..., 4, 2)."),
    ):
        env.reset(seed=0)
        with pytest.raises(StrobeError, match="^" + re.escape(sentence)):
            env.step(np.array(action, dtype=float))
    for options, sentence in (
        ({"q": np.zeros((3, 2))}, "q has shape (3, 2); there are 4 robots, expected (4, 2) or (2,)."),
        ({"q": [np.nan, 0]}, "q holds a number that is not finite."),
        (
            {"goal": [[0, 0]] * 3 + [[0, 4]]},
            'goal has joint "joint2" at 4, outside its limits -2.6 to 2.6.',
        ),
        ({"velocity": [0, 0]}, 'no option "velocity" in reset. Known: q, qd, goal.'),
    ):
        with pytest.raises(StrobeError, match="^" + re.escape(sentence)):
            many.reset(options=options)
    seen, _ = many.reset(seed=0, options={"qd": [1, 2], "goal": np.arange(8).reshape(4, 2) / 10})
    np.testing.assert_allclose(seen[:, 2:4], [[1, 2]] * 4)
    np.testing.assert_allclose(seen[:, 4:], np.arange(8).reshape(4, 2) / 10)
