"""The true rounding error of every formulation: float64 on a batch of states against fifty digits.

The reference is one formulation run with fifty digits: the others are the same function (`equivalence`).
"Relative" means the largest difference over the largest torque of the state, or over a hundredth of the largest of
the batch where all torques of a state nearly vanish. Where a torque is the
small difference of large terms its own digits go first: the error of one joint beside its own torque says
where that cancellation is worst.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from strobe.formulations import Formulation
from strobe.models.couplings import coordinates
from strobe.models.model import Model
from strobe.robot import Robot
from strobe.scalars import LANES, Lanes, Num
from strobe.scalars.precise import PreciseSystem

STATES = 48
TOLERANCE = 1e-12  # rounding of any order of evaluation stays below this
VANISHING = 0.01  # of the batch's largest torque: a state with less is measured against this

Array = np.ndarray
State = tuple[Array, Array, Array]


@dataclass(frozen=True, slots=True)
class Cancellation:
    """The joint and state at which a torque loses most of its own digits."""

    joint: str
    state: int
    torque: float
    error: float  # relative to this torque alone


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The worst error of one formulation over a batch, where it occurs, and where cancellation is worst."""

    error: float
    joint: str
    state: int
    cancellation: Cancellation | None

    @property
    def passed(self) -> bool:
        return self.error <= TOLERANCE


def measure(
    methods: Mapping[str, Formulation],
    reference: Formulation,
    robot: Robot,
    states: int = STATES,
    seed: int = 0,
) -> dict[str, Accuracy]:
    """Every method's error on random states within the robot's limits."""
    model = robot.model
    batch = sample(robot, states, seed)
    exact = precise_torques(reference, model, batch)
    return {
        name: judge(model, float_torques(method, model, batch), exact) for name, method in methods.items()
    }


def sample(robot: Robot, states: int, seed: int) -> State:
    """Random states of all joints, those that follow others included."""
    q, qd, qdd = (lanes(array) for array in robot.random_state(seed, states))
    x = coordinates(robot.model)
    whole = x.expand(q), x.expand_rates(qd), x.expand_rates(qdd)
    return _columns(whole[0], states), _columns(whole[1], states), _columns(whole[2], states)


def float_torques(method: Formulation, model: Model, batch: State) -> Array:
    """Torques (states, n) in float64, all states side by side."""
    return _columns(method.inverse_dynamics(model, *map(lanes, batch)), len(batch[0]))


def precise_torques(method: Formulation, model: Model, batch: State) -> Array:
    """Torques (states, n) with fifty digits, as an array of objects."""
    system = PreciseSystem()
    lifted = model.lift(system)
    rows: list[list[object]] = []
    for state in zip(*batch, strict=True):
        inputs = ([system.exact(x) for x in part.tolist()] for part in state)
        rows.append([system.lower(t) for t in method.inverse_dynamics(lifted, *inputs)])
    return np.array(rows, dtype=object)


def judge(model: Model, values: Array, exact: Array) -> Accuracy:
    """The worst errors of one batch of torques; differences are taken before anything is rounded."""
    difference = np.abs((values - exact).astype(float))
    torque = np.abs(exact.astype(float))
    scale = np.maximum(torque.max(axis=1, keepdims=True), VANISHING * torque.max())
    relative = difference / np.where(scale > 0, scale, 1.0)
    state, joint = _largest(relative)
    return Accuracy(
        float(relative[state, joint]), _joint(model, joint), state, _worst(model, difference, exact)
    )


def _worst(model: Model, difference: Array, exact: Array) -> Cancellation | None:
    """Where the error is largest beside the torque it belongs to; torques that vanish are left out."""
    signed = exact.astype(float)
    torque = np.abs(signed)
    there = torque > 1e-30 * torque.max(initial=0.0)
    if not there.any():
        return None
    own = np.where(there, difference / np.where(there, torque, 1.0), 0.0)
    state, joint = _largest(own)
    return Cancellation(_joint(model, joint), state, float(signed[state, joint]), float(own[state, joint]))


def _largest(table: Array) -> tuple[int, int]:
    state, joint = np.unravel_index(int(np.argmax(table)), table.shape)
    return int(state), int(joint)


def _joint(model: Model, index: int) -> str:
    """The joint that owns a degree of freedom."""
    return next(joint.name for joint in model.joints if joint.v <= index < joint.v + joint.nv)


def lanes(array: Array) -> list[Num]:
    """Every column of a batch as one number."""
    return [*map(Lanes, array.T)]


def _columns(numbers: object, states: int) -> Array:
    """Numbers of a batch as an array (states, count); one that folded to a constant is repeated."""
    columns = [np.broadcast_to(LANES.lower(x), (states,)) for x in numbers]  # pyright: ignore
    return np.stack(columns, axis=-1).astype(float)


def relative(values: Array, reference: Array) -> float:
    """Largest difference over the largest entry of the reference."""
    scale = float(np.max(np.abs(reference), initial=0.0))
    difference = float(np.max(np.abs(values - reference), initial=0.0))
    return difference / scale if scale else difference
