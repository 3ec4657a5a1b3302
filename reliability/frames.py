"""Random trees with frames fixed all over them: the frame that is meant where none is named.

    python -m reliability.frames --inputs 20000 --record

Names are drawn from such as files use, tools among them. Of every tree it is asked that

    what is said to move moves      by the placements at random positions, not by the rule
    the tip moves                   or a name is asked for and frames of two or more ends are offered, all moving
    nothing moves beyond it         no frame is carried by all its joints and more, unless the tip is named as a tool
    it is answered                  a wrench there, or at what is offered, takes −Jᵀ F, a load weighs what J says
    files keep it                   what is written and read again means the same frame, or the writer says no
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from reliability.random_trees import Shape, random_tree
from reliability.readers import options
from reliability.record import record
from strobe.algebra import Pose
from strobe.errors import UnsupportedModelError
from strobe.models.default_frame import TOOLS, moved_frames, tip_or_none, tips
from strobe.models.model import ROOT, Frame, Model
from strobe.models.toml_reader import read_toml
from strobe.models.toml_writer import write_toml
from strobe.models.urdf import read_urdf
from strobe.models.urdf_writer import write_urdf
from strobe.robot import Robot

NAMES = (
    "tool0",
    "ee_link",
    "tcp",
    "left_hand",
    "right_hand",
    "gripper",
    "camera",
    "imu_link",
    "pad",
    "sole",
    "lens",
)
SHAPES = [Shape(n, ("extreme", "drives")) for n in (1, 2, 3, 5, 8)]
POSITIONS = 3  # at which placements are compared
SAME = 1e-9  # metres and cosines that are rounding
PER_TASK = 50
KINDS = {".toml": (write_toml, read_toml), ".urdf": (write_urdf, read_urdf)}


@dataclass
class Tally:
    """What came of trees."""

    trees: int = 0
    tips: int = 0
    several: int = 0
    files: int = 0
    failures: int = 0

    def add(self, other: Tally) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def drawn(seed: int) -> Model:
    """A tree with up to six more frames, each fixed to any frame before it."""
    rng = np.random.default_rng(seed)
    model = random_tree(rng, SHAPES[int(rng.integers(len(SHAPES)))])
    for name in map(str, rng.permutation(NAMES)[: int(rng.integers(0, 7))]):
        place = model.frames[int(rng.integers(len(model.frames)))]
        placement = place.placement @ Pose.at(tuple(map(float, rng.uniform(-0.3, 0.3, 3))))  # pyright: ignore[reportArgumentType]
        added = Frame(name, place.body, placement, place.depth + 1)
        model = replace(model, frames=(*model.frames, added))
    return model


def faults(model: Model, folder: Path, tally: Tally) -> Iterator[str]:
    """What is wrong about the frame that is meant."""
    robot, meant = Robot(model, compiled=False), tip_or_none(model)
    yield from _moving(robot)
    tally.trees += 1
    if meant is None:
        tally.several += 1
        yield from _offered(model)
        for name in tips(model):
            yield from _answered(robot, name, name)
        return
    tally.tips += 1
    if meant not in moved_frames(model):
        yield f'the tip "{meant}" does not move'
        return
    yield from _beyond(model, meant)
    yield from _answered(robot, meant, None)
    yield from _kept(model, meant, folder, tally)


def _moving(robot: Robot) -> Iterator[str]:
    """What is said to move, against placements at several positions."""
    q, _, _ = robot.random_state(seed=1, batch=POSITIONS)
    placed = robot.frame_placements(q)
    apart = np.abs(placed - placed[:1]).max(axis=(0, 2, 3)) > SAME
    for name, moves in zip(robot.frames, apart, strict=True):
        if moves != (name in robot.moving_frames):
            yield f'frame "{name}" {"moves" if moves else "rests"}, but is said not to'


def _offered(model: Model) -> Iterator[str]:
    moved, offered = moved_frames(model), tips(model)
    if bool(moved) != (len(offered) > 1):
        yield f"{len(moved)} frames move, but {len(offered)} are offered"
    bodies = {model.frame(name).body for name in offered}
    if not moved.issuperset(offered) or len(bodies) < len(offered):
        yield f"{', '.join(offered)} are offered, which are not one that moves of each end"


def _beyond(model: Model, meant: str) -> Iterator[str]:
    """Frames that are carried by all joints of the tip and by more."""
    own = _joints(model, meant)
    farther = [frame.name for frame in model.frames if own < _joints(model, frame.name)]
    named = any(word in meant for word in ("tool", "tcp", "ee_link", "hand", "gripper"))
    if farther and not named:
        yield f'joints beyond "{meant}" move {", ".join(farther)}'


def _joints(model: Model, name: str) -> set[str]:
    body = model.frame(name).body
    return set() if body == ROOT else {each.joint.name for each in model.support(body)}


def _answered(robot: Robot, meant: str, named: str | None) -> Iterator[str]:
    """Wrench and load at a frame, the tip if it is not named, by the Jacobian of the one that is meant."""
    q, qd, qdd = robot.random_state(seed=2)
    J, F = robot.jacobian(q, meant), np.array([3.0, -2, 5, 1, 2, -1])
    if not np.array_equal(J, robot.jacobian(q, named)) or not J.any():
        yield f'the Jacobian is not that of "{meant}", or nothing'
    free = robot.inverse_dynamics(q, qd, qdd)
    took = robot.inverse_dynamics(q, qd, qdd, wrench=F, frame=named) - free
    if np.abs(took + J.T @ F).max() > SAME * (np.abs(free).max() + np.abs(J.T @ F).max()):
        yield f'a wrench at "{meant}" takes {took}, expected {-J.T @ F}'
    weight = robot.with_payload(5.0, frame=named).gravity(q) - robot.gravity(q)
    pull = 5.0 * np.array([float(x) for x in robot.model.gravity.linear])  # pyright: ignore[reportArgumentType]
    if np.abs(weight + J[:3].T @ pull).max() > SAME * (np.abs(robot.gravity(q)).max() + np.abs(pull).max()):
        yield f'a load at "{meant}" weighs {weight}, expected {-J[:3].T @ pull}'


def _kept(model: Model, meant: str, folder: Path, tally: Tally) -> Iterator[str]:
    """The tip of what is written and read again."""
    for ending, (write, read) in KINDS.items():
        try:
            written = write(model)
        except UnsupportedModelError:
            continue
        text, remarks = (written, []) if isinstance(written, str) else written
        path = folder / f"again{ending}"
        path.write_text(text)
        found = tip_or_none(read(path))
        tally.files += 1
        if found != meant and not any(remark.startswith(f'the tip, "{meant}"') for remark in remarks):
            yield f'"{meant}" is "{found}" in the {ending} file, and nobody says so'


def attempt(seeds: range) -> tuple[Tally, list[str]]:
    """Trees by their numbers, and what is wrong with which."""
    tally, said = Tally(), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            said += [f"tree {seed}: {fault}" for fault in faults(drawn(seed), Path(folder), tally)]
    tally.failures = len(said)
    return tally, said


def main() -> None:
    given = options(__doc__, 20_000)
    start, total = time.monotonic(), Tally()
    first = given.seed << 32
    tasks = [
        range(first + k, first + min(k + PER_TASK, given.inputs)) for k in range(0, given.inputs, PER_TASK)
    ]
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        for tally, said in pool.map(attempt, tasks):
            total.add(tally)
            for fault in said:
                print(fault, flush=True)
    row = {
        **vars(total),
        "words": len(TOOLS),
        "seed": given.seed,
        "seconds": round(time.monotonic() - start, 1),
    }
    record("frames", row, kept=given.record)
    sys.exit(bool(total.failures))


if __name__ == "__main__":
    main()
