"""Random robots: general placements, valid inertias, the same ones for the same seed.

A link's mass properties are those of a solid ellipsoid with random half axes, turned and placed at
random, so that every inertia belongs to a real body.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from strobe.algebra import Pose, Sym3, Vec3
from strobe.errors import ArgumentError, shown
from strobe.files.faults import Faults
from strobe.models.arguments import is_whole, require_truth, require_whole
from strobe.models.assembly import Assembly, JointData, LinkData, assemble
from strobe.models.inertial import Inertial
from strobe.models.joints import KINDS, Kind, Limits
from strobe.models.model import Model, moved

LARGEST_SEED = 2**128 - 1  # beyond, names of robots would be pages long
MOST_JOINTS = 100_000  # minutes of drawing, and more than anything here is made for
LETTERS = {kind.random_letter: kind for kind in KINDS.values()}
PITCHES = (0.01, 0.1)  # m/rad


def random_model(n: int, seed: int = 0, *, kinds: str = "RP", tree: bool = False) -> Model:
    """n joints of kinds by their letters (R, P, C, S, F, H, E: `LETTERS`) in a chain, or a random tree."""
    _check(n, seed, kinds)
    require_truth("tree", tree)
    rng = np.random.default_rng(seed)
    name = f"random-{n}-{seed}"
    links = [LinkData("base")]
    joints: list[JointData] = []
    for k in range(1, n + 1):
        links.append(LinkData(f"link{k}", _random_inertial(rng)))
        joints.append(_random_joint(rng, k, links[_parent(rng, k, tree)].name, kinds))
    tool = ("tool", links[-1].name, _random_placement(rng), "")
    title = f"random {'tree' if tree else 'chain'} of {n} joints, seed {seed}"
    made = Assembly(name, links, joints, Faults(name), frames=[tool], title=title, source=title)
    return assemble(replace(made, tip="tool"))  # which a tree has for one of its ends only


def _check(n: int, seed: int, kinds: str) -> None:
    if is_whole(n, MOST_JOINTS + 1):
        raise ArgumentError(f"a random robot with {shown(n)} joints; at most {MOST_JOINTS:,} are drawn.")
    if not is_whole(n, 1):
        raise ArgumentError(f"a random robot with {shown(n)} joints; expected a whole number, 1 or more.")
    if require_whole("seed", seed, 0) > LARGEST_SEED:
        raise ArgumentError(f"seed is {shown(seed)}; expected a number up to {LARGEST_SEED}.")
    if not isinstance(kinds, str) or not kinds or not LETTERS.keys() >= set(kinds):
        choices = ", ".join(f"{letter} {kind.name}" for letter, kind in LETTERS.items())
        raise ArgumentError(f"kinds is {shown(kinds)}; expected one or more letters of: {choices}.")


def _parent(rng: np.random.Generator, k: int, tree: bool) -> int:
    """Which link carries link k: the one before it, or any earlier moving one (the base for the first)."""
    return int(rng.integers(1, k)) if tree and k > 1 else k - 1


def _random_joint(rng: np.random.Generator, k: int, parent: str, kinds: str) -> JointData:
    kind = LETTERS[kinds[int(rng.integers(len(kinds)))]]
    axis = rng.standard_normal(3)
    axis = axis / np.linalg.norm(axis) if rng.random() < 0.5 else np.eye(3)[int(rng.integers(3))]
    x, y, z = (float(a) for a in axis)
    return JointData(
        f"joint{k}",
        kind.name,
        parent,
        f"link{k}",
        before=_random_placement(rng),
        axis=(x, y, z),
        limits=_random_limits(rng, kind),
        pitch=float(rng.uniform(*PITCHES)) if kind.has_pitch else 0.0,
    )


def _random_limits(rng: np.random.Generator, kind: Kind) -> Limits:
    """A range about zero, a speed and an effort, for joints with one degree of freedom."""
    if kind.nv > 1:
        return Limits()
    below, above, speed, effort = (float(x) for x in rng.uniform((0.3, 0.3, 1, 10), (1, 1, 4, 100)))
    return Limits(-below * kind.reach, above * kind.reach, velocity=speed, effort=effort)


def _random_placement(rng: np.random.Generator) -> Pose:
    x, y, z = (float(a) for a in rng.uniform(-0.5, 0.5, 3))
    roll, pitch, yaw = (float(a) for a in rng.uniform((-math.pi, -1.5, -math.pi), (math.pi, 1.5, math.pi)))
    return Pose.at((x, y, z), (roll, pitch, yaw))


def _random_inertial(rng: np.random.Generator) -> Inertial:
    """A solid ellipsoid: moments m (b² + c²) / 5 about its half axes."""
    m = float(rng.uniform(0.5, 5.0))
    aa, bb, cc = (float(a) for a in rng.uniform(0.05, 0.3, 3) ** 2)
    principal = Sym3(m * (bb + cc) / 5, m * (aa + cc) / 5, m * (aa + bb) / 5, 0.0, 0.0, 0.0)
    return moved(Inertial.at_com(m, Vec3.zero(), principal), _random_placement(rng))
