"""What the branches of an arm are called: by words where they are true of every position, else by signs.

Where the first axis is upright (along z of the base) and the second level, a shoulder is *left* or *right* by the
side on which the arm goes past the first axis towards the wrist, seen from behind, and an elbow *up* or *down* by the
side of the line from shoulder to wrist on which it lies. A slide is *forwards* where it is the larger of two. All
this is measured on random positions: a word that is not true on each of them is not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from strobe.kinematics.analytic import Method, branches_at, positions
from strobe.kinematics.chain_geometry import NEARLY, size_of
from strobe.kinematics.screws import carried, placement
from strobe.kinematics.serial_chain import Serial, array

Array = np.ndarray

SAMPLES = 32
UP = np.array([0.0, 0.0, 1.0])
ASIDE = 1e-6  # of the arm's size: an arm that is less beside its first axis stands neither left nor right


def branch_names(arm: Serial, method: Method) -> tuple[str, ...]:
    """The names of the branches, in their order: signs, then words."""
    q = branches_at(arm, method, placement(arm, positions(arm, SAMPLES)))
    choices = list(product((0, 1), repeat=len(method.stages)))
    if q.shape[1] != len(choices):
        return tuple(f"branch {k + 1}" for k in range(q.shape[1]))
    words = [_words(stage, arm, method, q, choices) for stage in method.stages]
    return tuple(
        f"({','.join('+−'[k] for k in choice)}) {', '.join(column[b] for column in words)}"
        for b, choice in enumerate(choices)
    )


def _words(
    stage: str, arm: Serial, method: Method, q: Array, choices: Sequence[tuple[int, ...]]
) -> list[str]:
    """What one of the choices is called in every branch."""
    bits = [choice[method.stages.index(stage)] for choice in choices]
    if stage == "wrist":
        return [("wrist", "wrist flipped")[bit] for bit in bits]
    measure, names = {
        "shoulder": (_leftness, ("left", "right")),
        "elbow": (_height, ("up", "down")),
        "slide": (_slide, ("forwards", "backwards")),
    }[stage]
    signs = _signs(measure(arm, method, q))
    if signs is None or len(set(signs)) < 2:
        return [f"{stage} {'+−'[bit]}" for bit in bits]
    return [f"{stage} {names[0] if sign > 0 else names[1]}" for sign in signs]


def _signs(values: Array | None) -> list[float] | None:
    """The sign of each branch (samples, branches), if it is the same on all samples."""
    if values is None:
        return None
    low, high = (f.reduce(np.sign(values), axis=0) for f in (np.fmin, np.fmax))
    return low.tolist() if (low * high > 0).all() else None


def _upright(arm: Serial) -> bool:
    """Whether the first axis is upright and the second level, and both turn."""
    level = arm.n > 2 and abs(arm.axes[1] @ UP) < NEARLY
    return bool(level and arm.revolute[:2].all() and abs(arm.axes[0] @ UP) > 1 - NEARLY)


def _seen(arm: Serial, method: Method, q: Array) -> tuple[Array, Array, Array, Array]:
    """Points on the axes, the wrist, and from the first axis to it: ahead (a vector), and how far to the left."""
    carrying = np.arange(arm.n) < 4  # the joints that the wrist does not lie on
    directions, points, T = carried(arm, np.where(carrying, q, 0.0))
    wrist = T[..., :3, :3] @ array(method.wrist) + T[..., :3, 3]
    n, away = directions[..., 1, :], wrist - points[..., 0, :]
    beside = np.sum(n * away, axis=-1, keepdims=True)
    ahead = away - n * beside - UP * (away @ UP)[..., None]
    return points, wrist, ahead, beside[..., 0] * np.sum(n * np.cross(UP, ahead), axis=-1)


def _leftness(arm: Serial, method: Method, q: Array) -> Array | None:
    if not _upright(arm):
        return None
    *_, left = _seen(arm, method, q)
    return np.where(np.abs(left) < (ASIDE * size_of(arm)) ** 2, 0.0, left)


def _height(arm: Serial, method: Method, q: Array) -> Array | None:
    if not (_upright(arm) and arm.revolute[2] and np.linalg.norm(np.cross(*arm.axes[1:3])) < NEARLY):
        return None
    points, wrist, ahead, _ = _seen(arm, method, q)
    if arm.n > 3 and arm.revolute[3] and np.linalg.norm(np.cross(arm.axes[1], arm.axes[3])) < NEARLY:
        wrist = points[..., 3, :]
    shoulder, elbow = points[..., 1, :], points[..., 2, :]
    turning = np.cross(wrist - shoulder, elbow - shoulder)
    return -np.sum(turning * np.cross(UP, ahead), axis=-1)


def _slide(arm: Serial, method: Method, q: Array) -> Array | None:
    """A slide less what it is in the branch that differs in nothing else."""
    k = 2 ** (len(method.stages) - 1 - method.stages.index("slide"))
    partner = np.arange(q.shape[1]) ^ k
    column = int(np.flatnonzero(~arm.revolute)[-1])
    return q[..., column] - q[:, partner, column]
