"""Robots with one field changed, asked while the cache is full of what the unchanged ones left there.

    python -m reliability.caches [--seconds 600] [--seed 0] [--record]

A case is a random robot and one thing of it, or of how it is asked, that is changed. What the changed one computes
with the cache of the other must be, to the last bit, what it computes without any: torques and accelerations, poses,
runs with stops, motors, loads and laws, arms under a controller with sensors, positions for poses.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import strobe
from reliability.fields import Change, changed
from reliability.random_trees import Shape, random_tree
from reliability.record import record
from strobe.compiler.runtime import cache
from strobe.control import Sensor, Sensors, control
from strobe.errors import ControlWarning, SimulationWarning, StrobeError
from strobe.models.joints import Limits
from strobe.models.model import Model
from strobe.robot import Robot

Array = np.ndarray
Generator = np.random.Generator
LARGER = 1.0 + 1e-3  # what a number is changed by: enough to be seen
PER_ROBOT = 12  # changes that are tried on a robot
STEP, STEPS = 1e-4, 60  # of a run, seconds and number


@dataclass(frozen=True)
class How:
    """How a robot is asked, each field something that kernels are made of."""

    friction: bool = True
    stops: bool = True
    limits: bool = True
    gain: float = 3.0  # of a law
    load: float = 0.4  # kg
    kp: float = 80.0
    bits: float = 12.0  # of a position sensor
    noise: float = 1e-4
    reach: float = 0.5  # m, where a pose is asked for


@dataclass
class Tally:
    """What was tried: changes, those that were felt in some bit, those that were refused, and what went wrong."""

    robots: int = 0
    changes: int = 0
    felt: int = 0
    refused: int = 0
    failures: list[str] = field(default_factory=list)


# -- what is asked ------------------------------------------------------------------------------------------


def quantities(robot: Robot, how: How) -> list[Array]:
    q, qd, qdd = robot.random_state(5, (3,))
    asked = (
        robot.inverse_dynamics(q, qd, qdd, friction=how.friction),
        robot.gravity(q),
        robot.mass_matrix(q),
    )
    return [*asked, robot.forward_dynamics(q, qd, qdd, friction=how.friction), robot.coriolis_matrix(q, qd)]


def kinematics(robot: Robot, how: How) -> list[Array]:
    q, _, _ = robot.random_state(5, (2,))
    frame = robot.model.frames[-1].name
    pose = robot.forward_kinematics(q, frame=frame)
    pose[:, :3, 3] *= how.reach
    found = robot.inverse_kinematics(pose, frame=frame, method="numeric", q0=q, seeds=1)
    return [pose, robot.jacobian(q, frame=frame), np.asarray(found.q)]


def run(robot: Robot, how: How) -> list[Array]:
    """Into a stop, with motors at their limits, a load, and a law that reads what it closes over."""
    n, gain = robot.nv, how.gain
    q0 = np.array([joint.limits.lower for joint in robot.coordinates.joints]) + 1e-4
    law = strobe.trace(lambda q, qd: [-gain * x for x in qd], q=n, qd=n)
    run = strobe.simulate(
        robot, q0, np.full(n, -1.0), law, STEPS * STEP, step=STEP, every=STEPS // 3, stops=how.stops,
        limits=how.limits, friction=how.friction, payload=[how.load, 0.0, 0.0, 0.0],
        frame=robot.model.frames[-1].name,
    )  # fmt: skip
    return [run.q, run.qd, run.tau]


def loop(robot: Robot, how: How) -> list[Array]:
    """Under a controller that sees through sensors."""
    q = np.array([sum(joint.range) / 2 for joint in robot.coordinates.joints])
    sensors = Sensors(position=Sensor(bits=int(how.bits), range=4.0, noise=how.noise))
    done = control(
        robot, [q, q + 0.05], "joint-pd", gains={"kp": how.kp, "kd": how.kp / 5}, t=6e-3, sensors=sensors,
        bounds={"velocity": 1.0, "acceleration": 5.0}, limits=how.limits, friction=how.friction, check=False,
        steps=4,
    )  # fmt: skip
    return [done.q, done.tau]


SUBJECTS: dict[str, Callable[[Robot, How], list[Array]]] = {
    "quantities": quantities,
    "kinematics": kinematics,
    "run": run,
    "loop": loop,
}


# -- one robot ----------------------------------------------------------------------------------------------


def random_robot(rng: Generator) -> Model:
    """An arm of one to three joints of one degree of freedom, with limits and motors."""
    model = random_tree(rng, Shape(int(rng.integers(1, 4)), ("extreme",)))
    while any(joint.nv != 1 for joint in model.joints) or not model.bodies:
        model = random_tree(rng, Shape(int(rng.integers(1, 4)), ("extreme",)))
    bodies = []
    for body in model.bodies:
        low = float(rng.uniform(-1.5, -0.2))
        limits = Limits(low, low + float(rng.uniform(0.5, 2.0)), 2.0, 9.0, float(rng.uniform(0.5, 20.0)))
        bodies.append(replace(body, joint=replace(body.joint, limits=limits)))
    return replace(model, bodies=tuple(bodies))


def changes_of(model: Model) -> Iterator[Change]:
    """The model with one number changed; names and indices hold it together, and stay."""
    for change in changed(model, lambda x: x * LARGER if np.isfinite(x) and x else 0.01):
        if isinstance(_at(model, change.where), float):
            yield change
    for change in changed(How(), lambda x: x + 1.0):
        yield change


def _at(data: Any, where: str) -> Any:
    """What stands at a place."""
    for name in where.split("."):
        data = data[int(name)] if isinstance(data, tuple) else _part(data, name)
    return data


def _part(data: Any, name: str) -> Any:
    return data.get(name) if isinstance(data, dict) else getattr(data, name, None)


def attempt(
    seed: int, tally: Tally, subjects: Sequence[str] = tuple(SUBJECTS), most: int = PER_ROBOT
) -> None:
    """One robot, and some changes of it."""
    rng = np.random.default_rng(seed)
    model = random_robot(rng)
    picked = _picked(rng, list(changes_of(model)), most)
    tally.robots += 1
    with tempfile.TemporaryDirectory() as folder:
        for name in subjects:
            with kept_in(folder):
                before = answer(name, model, How())
            for change in picked:
                _compare(name, model, change, before, folder, f"seed {seed}", tally)


def _picked(rng: Generator, every: list[Change], most: int) -> list[Change]:
    """Some changes, of as many fields."""
    by_field: dict[str, list[Change]] = {}
    for change in every:
        by_field.setdefault(change.field, []).append(change)
    names = [str(name) for name in rng.permutation(list(by_field))[:most]]
    return [by_field[name][int(rng.integers(len(by_field[name])))] for name in names]


def _compare(
    name: str, model: Model, change: Change, before: Any, folder: str, seed: str, tally: Tally
) -> None:
    asked = (model, change.data) if isinstance(change.data, How) else (change.data, How())
    with kept_in(folder):
        found = answer(name, *asked)
    with kept_in("off"):
        expected = answer(name, *asked)
    tally.changes += 1
    tally.refused += isinstance(expected, str)
    tally.felt += not _same(expected, before)
    if not _same(found, expected):
        tally.failures.append(
            f"{seed}: {name} of a robot with another {change.where}: other bits from the cache"
        )


def answer(name: str, model: Model, how: How) -> Any:
    """What a fresh robot says, or the sentence with which it refuses."""
    with warnings.catch_warnings():
        for kind in (
            SimulationWarning,
            ControlWarning,
        ):  # steps and rates that are too long are no matter here
            warnings.simplefilter("ignore", kind)
        try:
            return SUBJECTS[name](Robot(model), how)
        except StrobeError as error:
            return str(error)


def _same(one: Any, two: Any) -> bool:
    if isinstance(one, str) or isinstance(two, str):
        return isinstance(one, str) and isinstance(two, str) and one == two
    return all(x.shape == y.shape and x.tobytes() == y.tobytes() for x, y in zip(one, two, strict=True))


@contextmanager
def kept_in(folder: str) -> Iterator[None]:
    """With the cache in a folder, or "off"."""
    before = os.environ.get("STROBE_CACHE")
    os.environ["STROBE_CACHE"] = folder
    cache._folder.cache_clear()
    try:
        yield
    finally:
        os.environ.pop("STROBE_CACHE")
        if before is not None:
            os.environ["STROBE_CACHE"] = before
        cache._folder.cache_clear()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m reliability.caches", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--seconds", type=float, default=600.0, help="how long, about")
    parser.add_argument("--seed", type=int, default=0, help="the first robot")
    parser.add_argument("--record", action="store_true", help="append a row to the results")
    asked = parser.parse_args(arguments)
    tally, start, seed = Tally(), time.monotonic(), asked.seed
    while time.monotonic() - start < asked.seconds:
        attempt(seed, tally)
        seed += 1
    for failure in tally.failures:
        print(failure, flush=True)
    row = {**vars(tally), "seed": asked.seed, "seconds": round(time.monotonic() - start)}
    record("caches", row | {"failures": len(tally.failures)}, kept=asked.record)
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
