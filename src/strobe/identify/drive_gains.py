"""What one ampere is worth: drive gains from logs without and with a load of known mass.

    i_j = u_j (Y_b π_b + Y_L π_L + friction_j)        u_j = 1 / gain_j

Without a load nothing says how large u is: twice the masses and half of u give the same currents. A load whose mass
is known does. All other numbers of the load, the base parameters and friction are found beside the gains, by
Gauss-Newton steps over the triangles of all joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strobe.errors import ArgumentError
from strobe.identify.torque_fit import Triangle

Array = np.ndarray

PAYLOAD = 10  # parameters of a load
STEPS = 100
NEAR = 1e-10  # of a gain: steps below that are rounding
LONGEST = 0.3  # of the logarithm of a gain, in one step
FIRST = 0.1  # 1/(N m/A): where gains are looked for first
CUT = 1e-9  # of the largest singular value


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """Drive gains, N m/A or N/A, with their standard deviations, and the load that told them."""

    values: Array  # (joints,)
    deviations: Array
    load: Array  # (10,) about the frame that holds it
    beside: Array  # base parameters and friction, in N m


@dataclass(frozen=True, slots=True, eq=False)
class LoadedLayout:
    """Columns of a joint's triangle: base parameters, the load, friction; then the current."""

    base: int
    friction: int
    joints: int

    def empty(self) -> list[Triangle]:
        size = self.base + PAYLOAD + self.friction + 1
        return [Triangle(np.zeros((size, size))) for _ in range(self.joints)]


def gains_of(layout: LoadedLayout, triangles: Sequence[Triangle], mass: float) -> Gains:
    """The gains behind the currents of motions without a load and with one of a known mass."""
    for j, triangle in enumerate(triangles):
        if triangle.size == 0:
            raise ArgumentError(
                f"the current of joint {j + 1} is zero all the while; its gain cannot be told."
            )
    u = np.full(layout.joints, FIRST)
    shared, load, own = np.zeros(layout.base), np.zeros(PAYLOAD), np.zeros((layout.joints, layout.friction))
    load[0] = mass
    noise = np.array([np.sqrt(t.size / t.rows) for t in triangles])
    J = np.empty((0, 0))
    for _ in range(STEPS):
        J, left = _linear(layout, triangles, noise, u, shared, load, own)
        scale = np.linalg.norm(J, axis=0)
        scale[scale == 0] = 1.0
        step = np.linalg.lstsq(J / scale, left, rcond=CUT)[0] / scale
        du, ds, dl, do = np.split(step, np.cumsum([layout.joints, layout.base, PAYLOAD - 1]))
        u *= np.exp(np.clip(du, -LONGEST, LONGEST))
        shared += ds
        load[1:] += dl
        own += do.reshape(own.shape)
        sizes = np.linalg.norm(left.reshape(layout.joints, -1), axis=1)
        noise = noise * sizes / np.sqrt([t.rows for t in triangles])
        if np.abs(du).max() < NEAR:
            break
    scale = np.linalg.norm(J, axis=0)
    scale[scale == 0] = 1.0
    _, s, V = np.linalg.svd(J / scale, full_matrices=False)
    kept = s > CUT * s[0]
    spread = np.sqrt(((V[kept] / s[kept, None]) ** 2).sum(axis=0)) / scale
    gains = 1 / u
    return Gains(gains, gains * spread[: layout.joints], load, np.concatenate([shared, own.ravel()]))


def _linear(
    layout: LoadedLayout, triangles: Sequence[Triangle], noise: Array, u: Array, shared: Array, load: Array,
    own: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """What is left of the currents, and how it depends on log u, base parameters, the load's, friction."""
    b, k = layout.base, layout.friction
    unknown = layout.joints + b + PAYLOAD - 1 + k * layout.joints
    blocks, left = [], []
    for j, triangle in enumerate(triangles):
        R = triangle.R / noise[j]
        predicted = u[j] * (R[:, :-1] @ np.concatenate([shared, load, own[j]]))
        block = np.zeros((len(R), unknown))
        block[:, j] = predicted
        places = np.r_[layout.joints : layout.joints + b + PAYLOAD - 1]
        block[:, places] = u[j] * np.delete(R[:, : b + PAYLOAD], b, axis=1)
        first = layout.joints + b + PAYLOAD - 1 + j * k
        block[:, first : first + k] = u[j] * R[:, b + PAYLOAD : -1]
        blocks.append(block)
        left.append(R[:, -1] - predicted)
    return np.vstack(blocks), np.concatenate(left)
