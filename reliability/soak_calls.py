"""Calls of every kind that a soak makes: each draws what it asks at random and compares with the true value.

A call raises `WrongValue` where the answer is off; any other exception is a failure as well.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import strobe
from reliability.soak_subjects import (
    QUANTITIES,
    SOLVED,
    Subject,
    c_text,
    planned,
    simulated,
    value,
)
from strobe.robot import Robot
from strobe.scalars import cos, less, sin, where

Array = np.ndarray

DOUBLE, SINGLE = 1e-9, 2e-3  # of the largest number of a result
REACHED = 1e-6  # metres and radians between an asked pose and the one that joints give
AGAIN = 0.02  # of the calls find their robot loaded anew, with nothing compiled


class WrongValue(AssertionError):
    """An answer that is not the true one."""


class Pool:
    """One robot of every name, asked by all threads; now and then it is loaded again, under another edit."""

    def __init__(self, subjects: list[Subject], draw: Random) -> None:
        self.subjects = subjects
        names = {each.name: None for each in subjects}
        self.robots = [self._loaded(name, draw) for name in names]

    def robot(self, draw: Random) -> tuple[Subject, Robot]:
        k = draw.randrange(len(self.robots))
        if draw.random() < AGAIN:
            self.robots[k] = self._loaded(self.robots[k][0].name, draw)
        return self.robots[k]

    def _loaded(self, name: str, draw: Random) -> tuple[Subject, Robot]:
        subject = draw.choice([each for each in self.subjects if each.name == name])
        return subject, subject.fresh()


class Caller:
    """One thread's random calls of robots that all threads share."""

    def __init__(self, pool: Pool, seed: int) -> None:
        self.pool = pool
        self.subjects = pool.subjects
        self.draw = Random(seed)

    def call(self) -> str:
        """One random call, checked; its name."""
        name = self.draw.choices(list(CALLS), [weight for weight, _ in CALLS.values()])[0]
        CALLS[name][1](self)
        return name

    def robot(self) -> tuple[Subject, Robot]:
        return self.pool.robot(self.draw)

    def quantity(self) -> str:
        return self.draw.choice(list(QUANTITIES))


def compare(found: Any, expected: Any, what: str, tolerance: float = DOUBLE) -> None:
    """Raise unless arrays agree within a part of the largest number."""
    expected, found = np.asarray(expected), np.asarray(found)
    if found.shape != expected.shape:
        raise WrongValue(f"{what}: shape {found.shape} instead of {expected.shape}")
    off = np.abs(found - expected).max(initial=0.0)
    if not off <= tolerance * max(1.0, np.abs(expected).max(initial=0.0)):
        raise WrongValue(f"{what}: off by {off:g}")


# -- the calls ----------------------------------------------------------------------------------------


def single(caller: Caller) -> None:
    """State after state, as a control loop asks: the second call goes through a builtin."""
    subject, robot = caller.robot()
    quantity = caller.quantity()
    for k in caller.draw.sample(range(len(subject.states["q"])), 3):
        state = {name: array[k] for name, array in subject.states.items()}
        compare(
            value(robot, quantity, state),
            subject.values[quantity][k],
            f"{quantity} of {subject}, one state",
        )


def batch(caller: Caller) -> None:
    """Plain, sliced, strided and two-dimensional batches."""
    subject, robot = caller.robot()
    quantity = caller.quantity()
    cut: Callable[[Array], Array] = caller.draw.choice(
        [
            lambda x: x,
            lambda x: x[3:20],
            lambda x: x[::3],
            lambda x: x[::-1],
            lambda x: x.reshape(6, -1, *x.shape[1:]),
            lambda x: x[:0],
            lambda x: np.asfortranarray(x),
        ]
    )
    state = {name: cut(array) for name, array in subject.states.items()}
    compare(
        value(robot, quantity, state), cut(subject.values[quantity]), f"{quantity} of {subject}, a batch"
    )


def threaded(caller: Caller) -> None:
    """A batch over several threads, into an array of the caller's."""
    subject, robot = caller.robot()
    expected = subject.values["inverse_dynamics"]
    out = np.full_like(expected, np.nan)
    value(robot, "inverse_dynamics", subject.states, out=out, threads=caller.draw.randint(1, 4))
    compare(out, expected, f"inverse_dynamics of {subject}, over threads")


def in_single_precision(caller: Caller) -> None:
    subject, robot = caller.robot()
    states = {name: array.astype(np.float32) for name, array in subject.states.items()}
    found = value(robot, "inverse_dynamics", states)
    compare(found, subject.values["inverse_dynamics"], f"float32 of {subject}", SINGLE)


def new_payload(caller: Caller) -> None:
    """A robot that nobody has compiled before."""
    subject = caller.draw.choice(caller.subjects)
    mass, at = caller.draw.uniform(0.1, 3.0), [caller.draw.uniform(-0.1, 0.1) for _ in range(3)]
    interpreted = subject.robot.with_payload(mass, at)
    states = {name: array[:5] for name, array in subject.states.items()}
    quantity = caller.draw.choice(["inverse_dynamics", "gravity", "bias"])
    expected = value(interpreted, quantity, states)
    compare(value(Robot(interpreted.model), quantity, states), expected, f"{quantity} of {subject}, loaded")


def pickled(caller: Caller) -> None:
    """A robot that went through bytes, as to another process."""
    subject, robot = caller.robot()
    quantity = caller.quantity()
    again = pickle.loads(pickle.dumps(robot))
    compare(
        value(again, quantity, subject.states),
        subject.values[quantity],
        f"{quantity} of {subject}, pickled",
    )


def hand(caller: Caller) -> None:
    """Joints for poses that the hand is known to reach; they bring it there."""
    arms = [each for each in caller.subjects if each.name in SOLVED and "locked" not in each.edit]
    if not arms:
        return
    subject = caller.draw.choice(arms)
    rows = slice(0, 6)
    poses = subject.values["forward_kinematics"][rows]
    found = subject.fresh().inverse_kinematics(poses, q0=subject.states["q"][rows])
    if (found.status != 0).any():
        raise WrongValue(f"inverse kinematics of {subject}: {found.reasons}")
    reached = subject.robot.forward_kinematics(found.q[..., 0, :])
    compare(reached, poses, f"inverse kinematics of {subject}", REACHED)


def motion(caller: Caller) -> None:
    subject, robot = caller.robot()
    compare(planned(robot, subject.states["q"]), subject.motion, f"plan of {subject}")


def run(caller: Caller) -> None:
    subject, robot = caller.robot()
    compare(simulated(robot, subject.states["q"], subject.states["qd"]), subject.run, f"run of {subject}")


def equations(caller: Caller) -> None:
    subject = caller.draw.choice([each for each in caller.subjects if each.text])
    if str(subject.fresh().equations()) != subject.text:
        raise WrongValue(f"equations of {subject}: other text")


def exported(caller: Caller) -> None:
    subject, robot = caller.robot()
    if c_text(robot) != subject.code:
        raise WrongValue(f"C of {subject}: other text")


def own_function(caller: Caller) -> None:
    """A function that nobody has compiled before, and its derivatives, against plain floats."""
    a, b, c = (caller.draw.uniform(-2.0, 2.0) for _ in range(3))

    def f(q: Any, k: Any) -> list[Any]:
        return [a * sin(q[0]) * k[0] + b * q[1], where(less(q[0], q[1]), c * cos(q[1]), q[0] * q[1] * k[0])]

    rows = [[caller.draw.uniform(-3.0, 3.0) for _ in range(3)] for _ in range(9)]
    numbers = np.array(rows)
    expected = [f(row[:2], row[2:]) for row in rows]
    traced = strobe.trace(f, q=2, k=1)
    compare(traced(numbers[:, :2], numbers[:, 2:]), expected, "a traced function")
    slopes = traced.jacobian("k")(numbers[:, :2], numbers[:, 2:])
    by_k = [[[a * np.sin(q0)], [0.0 if q0 < q1 else q0 * q1]] for q0, q1, _ in rows]
    compare(slopes, by_k, "the derivative of a traced function")


CALLS: dict[str, tuple[int, Callable[[Caller], None]]] = {  # how often, and what
    "single": (30, single),
    "batch": (30, batch),
    "threads": (10, threaded),
    "float32": (6, in_single_precision),
    "new payload": (2, new_payload),
    "pickle": (1, pickled),
    "inverse kinematics": (1, hand),
    "plan": (6, motion),
    "simulate": (1, run),
    "equations": (1, equations),
    "export": (3, exported),
    "own function": (2, own_function),
}
