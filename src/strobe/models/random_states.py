"""Random positions of a robot: within the limits, the same ones for the same generator."""

from __future__ import annotations

import numpy as np

from strobe.models.couplings import Coordinates, coordinates
from strobe.models.joints import RAD, Joint
from strobe.models.model import Model

Array = np.ndarray


def random_positions(x: Coordinates, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Positions (*shape, nq) within the limits (a turn, or a metre, where there are none); any orientation."""
    q = np.empty((*shape, x.nq))
    for joint in x.joints:
        here = q[..., joint.q : joint.q + joint.nq]
        here[...] = _random_position(joint, rng, here.shape)
    return q


def random_guess(model: Model, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Random positions, in which joints with quaternions start where the first named pose has them.

    Loops lead these: from anywhere, a platform would as well be put together upside down.
    """
    x = coordinates(model)
    q = random_positions(x, rng, shape)
    pose = next((pose for pose in model.poses.values() if len(pose) == x.nq), ())
    for joint in x.joints:
        own = slice(joint.q, joint.q + joint.nq)
        if joint.nq > 1 and pose:
            q[..., own] = pose[own]
    return q


def _random_position(joint: Joint, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    if joint.nq == 1:
        lower, upper = joint.range
        return rng.uniform(lower, upper, shape)
    draw = rng.standard_normal(shape)
    if joint.has_quaternion:
        draw[..., -4:] /= np.linalg.norm(draw[..., -4:], axis=-1, keepdims=True)
    for k, unit in enumerate(joint.position_units):
        if unit == RAD:
            draw[..., k] = rng.uniform(-np.pi, np.pi, shape[:-1])
    return draw
