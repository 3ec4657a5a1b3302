"""Robots as environments of Gymnasium (extra "gym"): one, or many side by side in one compiled step.

    action         torques as parts of the largest ones, −1 to 1, held for a control period
    observation    q, qd, goal
    reward         − |goal − q|² − 0.01 |qd|² − 0.001 |action|², or a function of the user's
    terminated     a joint passed its limits (unless stops hold it), or the motion diverged
    truncated      the horizon is reached

Robot i of a vector that is reset with a seed goes the way of a single one with seed + i, bit for bit. A robot whose
episode has ended starts a new one with the next step, as Gymnasium has it by default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked, one_or_each
from strobe.errors import ArgumentError, MissingExtraError, ShapeError, UnknownNameError
from strobe.models.arguments import require_above
from strobe.robot import Robot, load, require_robot
from strobe.show.sheet import Column, Sheet, by_joint, displayed, number
from strobe.show.units import efforts
from strobe.simulate.batch_stepper import SideBySide

try:
    from gymnasium import Env
    from gymnasium.spaces import Box
    from gymnasium.utils import seeding
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise MissingExtraError("an environment", "gymnasium", "gym") from None

Array = np.ndarray
Reward = Callable[[Array, Array, Array, Array], Any]  # of q, qd, action and goal, (count, …) each
# of `SideBySide`
OPTIONS = ("method", "step", "stops", "limits", "friction", "payload", "frame", "threads")
GIVEN = ("q", "qd", "goal")  # by the options of a reset
SPEED, EFFORT = 0.01, 0.001  # what a square of velocity and of action costs beside one of distance


@displayed
@dataclass(frozen=True, eq=False)
class Task:
    """What is to be done: reach a goal and stay there, unless another reward is given.

    ``torque`` is the largest one of every joint, the robot's own if none is given; ``start`` and ``goal`` are
    positions, drawn within the limits for every episode if none are given. Keywords of `SideBySide` (method, step,
    stops, friction, payload, threads, …) may follow.
    """

    robot: Robot
    period: float
    horizon: float
    reward: Reward | None
    torque: Array
    start: Array | None
    goal: Array | None
    options: Mapping[str, Any]

    def _sheet(self) -> Sheet:
        head = f"{self.robot.name} for {number(self.horizon)} s, an action every {number(1e3 * self.period)} ms"
        joints = self.robot.coordinates
        columns = [Column("torque at most", self.torque, efforts(joints.joints))]
        return Sheet(head, [by_joint(joints.rate_names, columns)])

    @property
    def stops(self) -> bool:
        return bool(self.options.get("stops"))

    @property
    def action_space(self) -> Box:
        return Box(-1.0, 1.0, (self.robot.nv,), np.float32)

    @property
    def observation_space(self) -> Box:
        free = np.full(self.robot.nv, np.inf)
        low, high = (np.concatenate([q, s * free, q]) for q, s in zip(self.bounds, (-1, 1), strict=True))
        return Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)

    def place(self, name: str, given: Any) -> Array:
        """Positions that are given, within the limits: an episode that begins beyond them has ended."""
        q = _finite(name, given, (self.robot.nq,), self.robot.shape_reason)
        low, high = self.bounds
        beyond = np.argwhere((q < low) | (q > high))
        if len(beyond):
            where, k = tuple(beyond[0]), int(beyond[0][-1])
            joint = next(j.name for j in self.robot.coordinates.joints if j.q == k)
            raise ArgumentError(
                f'{name} has joint "{joint}" at {q[where]:g}, outside its limits {low[k]:g} to {high[k]:g}.'
            )
        return q

    def given(self, options: Mapping[str, Any] | None) -> dict[str, Array]:
        """What the options of a reset give: q, qd and goal, each checked."""
        found: dict[str, Array] = {}
        for name, value in (options or {}).items():
            if name not in GIVEN:
                raise UnknownNameError("option", name, "reset", GIVEN)
            core = (self.robot.nv,), self.robot.shape_reason
            found[name] = _finite(name, value, *core) if name == "qd" else self.place(name, value)
        return found

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """The limits of every number of q; quaternions have none."""
        low, high = np.full(self.robot.nq, -np.inf), np.full(self.robot.nq, np.inf)
        for joint in self.robot.coordinates.joints:
            if joint.nq == 1:
                low[joint.q], high[joint.q] = joint.limits.lower, joint.limits.upper
        return low, high


def _finite(name: str, value: Any, core: tuple[int, ...], why: str) -> Array:
    numbers = checked(name, value, core, why).astype(float)
    if not np.isfinite(numbers).all():
        raise ArgumentError(f"{name} holds a number that is not finite.")
    return numbers


def _task(
    robot: Robot | str, period: float, horizon: float, reward: Reward | None, torque: Any, start: Any, goal: Any,
    options: Mapping[str, Any],
) -> Task:  # fmt: skip
    arm = load(robot) if isinstance(robot, str) else require_robot(robot)
    require_above("period", period, "a time above zero")
    require_above("horizon", horizon, "a time above zero")
    for word in options.keys() - OPTIONS:
        raise UnknownNameError("option", word, "an environment", OPTIONS)
    given = arm.limits.effort if torque is None else torque
    largest = one_or_each("torque", given, arm.nv, arm.shape_reason)
    if largest.ndim > 1:
        raise ShapeError("torque", largest.shape, f"({arm.nv},)", arm.shape_reason)
    largest = np.broadcast_to(largest, (arm.nv,))
    if not (np.isfinite(largest).all() and (largest > 0).all()):
        joint = arm.joint_names[int(np.argmin(np.isfinite(largest) & (largest > 0)))]
        raise ArgumentError(
            f'joint "{joint}" has no largest torque; give torque=, one number or one per joint.'
        )
    task = Task(arm, float(period), float(horizon), reward, largest, None, None, options)
    start, goal = (
        None if x is None else task.place(name, x) for name, x in (("start", start), ("goal", goal))
    )
    return replace(task, start=start, goal=goal)


class Episodes:
    """Robots side by side with their goals, and how far their episodes are."""

    def __init__(self, task: Task, count: int) -> None:
        self.task, robot = task, task.robot
        self.robots = SideBySide(robot, count, task.period, **task.options)
        self.goals = np.zeros((count, robot.nq))
        self.ages = np.zeros(count, dtype=np.int64)
        self.periods = max(1, round(task.horizon / task.period))
        self.space = task.observation_space

    def begin(self, i: int, random: np.random.Generator, given: Mapping[str, Any]) -> None:
        """A new episode of robot i; what is given stands above what is drawn."""
        task = self.task
        drawn = task.robot.random_state(int(random.integers(2**31)), 2)[0]
        start, goal = (
            mine if own is None else own for own, mine in zip((task.start, task.goal), drawn, strict=True)
        )
        self.robots.place(i, given.get("q", start), given.get("qd", 0.0))
        self.goals[i] = given.get("goal", goal)
        self.ages[i] = 0

    def step(self, actions: Array) -> tuple[Array, Array, Array]:
        """Rewards, and which episodes are terminated or truncated, after a period of these actions."""
        core = len(self.ages), self.task.robot.nv
        actions = np.clip(_finite("action", actions, core, "it is a row of torques per robot"), -1.0, 1.0)
        self.robots.advance(actions * self.task.torque)
        self.ages += 1
        rewards = np.asarray(self._reward(self.robots.q, self.robots.qd, actions, self.goals), dtype=float)
        if rewards.shape != self.ages.shape:
            raise ArgumentError(
                f"the reward has shape {rewards.shape}; expected {self.ages.shape}, one per robot."
            )
        outside = np.zeros(self.ages.shape, bool) if self.task.stops else self._outside()
        return rewards, self.robots.lost | outside, self.ages >= self.periods

    def observed(self) -> Array:
        """What is seen of all, (count, …); a position beyond a limit is seen at the limit."""
        seen = np.concatenate([self.robots.q, self.robots.qd, self.goals], axis=1).astype(np.float32)
        return np.clip(seen, self.space.low, self.space.high)

    def _reward(self, q: Array, qd: Array, actions: Array, goals: Array) -> Any:
        if self.task.reward is not None:
            return self.task.reward(q, qd, actions, goals)
        far = self.task.robot.difference(q, goals)
        return -((far**2).sum(-1) + SPEED * (qd**2).sum(-1) + EFFORT * (actions**2).sum(-1))

    def _outside(self) -> Array:
        low, high = self.task.bounds
        return np.asarray(((self.robots.q < low) | (self.robots.q > high)).any(axis=1))


class RobotEnv(Env[Array, Array]):
    """One robot, by its name or as it is; the task as in `Task`."""

    metadata = {"render_modes": []}  # noqa: RUF012  as Gymnasium has it

    def __init__(
        self, robot: Robot | str, period: float = 0.02, horizon: float = 4.0, reward: Reward | None = None, *,
        torque: Any = None, start: Any = None, goal: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        self.task = _task(robot, period, horizon, reward, torque, start, goal, options)
        self.action_space, self.observation_space = self.task.action_space, self.task.observation_space
        self._episodes = Episodes(self.task, 1)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """A new episode; ``options`` may give q, qd and goal."""
        super().reset(seed=seed)
        self._episodes.begin(0, self.np_random, self.task.given(options))
        return self._episodes.observed()[0], {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        own = _finite("action", action, (self.task.robot.nv,), self.task.robot.shape_reason)
        rewards, terminated, truncated = self._episodes.step(own[None])
        seen = self._episodes.observed()[0]
        return seen, float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {}


class VectorRobotEnv(VectorEnv[Array, Array, Array]):
    """Robots side by side, all moved by one call of the compiled steps."""

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self, robot: Robot | str, num_envs: int, period: float = 0.02, horizon: float = 4.0,
        reward: Reward | None = None, *, torque: Any = None, start: Any = None, goal: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        self.task = _task(robot, period, horizon, reward, torque, start, goal, options)
        self._episodes = Episodes(self.task, num_envs)
        self.num_envs = num_envs
        self.single_action_space = self.task.action_space
        self.single_observation_space = self.task.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._ended = np.zeros(num_envs, bool)
        self._randoms = [seeding.np_random(None)[0] for _ in range(num_envs)]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """New episodes of all; ``options`` may give q, qd and goal, (num_envs, …) or one for all."""
        if seed is not None:
            self._randoms = [seeding.np_random(seed + i)[0] for i in range(self.num_envs)]
        given = {name: self._for_all(name, x) for name, x in self.task.given(options).items()}
        for i, random in enumerate(self._randoms):
            self._episodes.begin(i, random, {name: values[i] for name, values in given.items()})
        self._ended[:] = False
        return self._episodes.observed(), {}

    def _for_all(self, name: str, given: Array) -> Array:
        """What is given, by robot."""
        if given.shape[:-1] not in ((), (self.num_envs,)):
            size, why = given.shape[-1], f"there are {self.num_envs} robots"
            raise ShapeError(name, given.shape, f"({self.num_envs}, {size}) or ({size},)", why)
        return np.broadcast_to(given, (self.num_envs, given.shape[-1]))

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        again = np.flatnonzero(self._ended).tolist()
        rewards, terminated, truncated = self._episodes.step(actions)
        for i in again:
            self._episodes.begin(i, self._randoms[i], {})
        rewards[again], terminated[again], truncated[again] = 0.0, False, False
        self._ended = terminated | truncated
        return self._episodes.observed(), rewards, terminated, truncated, {}
