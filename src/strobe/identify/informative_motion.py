"""The motion that tells most, sought from a random one on.

    z = (place of the start, coefficients of the waves), each of a size of its own
    minimise f(W(z)) within the bounds, looked at along the motion (`motion_bounds`, `augmented_lagrangian`)

Everything depends on z through q, qd, qdd and qddd at the instants looked at, so slopes by those are summed and
brought back to z at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from strobe.identify.augmented_lagrangian import Bounded, least
from strobe.identify.felt_rows import FeltRows
from strobe.identify.information import Weighed, gram
from strobe.identify.motion_bounds import Along, MotionBounds, Used
from strobe.identify.rest_motions import Family

Array = np.ndarray

HALVINGS = 30  # of a random motion, until it keeps its bounds


@dataclass(frozen=True, eq=False)
class Search:
    """Motions of a family by numbers z, and what is wanted of them."""

    family: Family
    felt: FeltRows
    bounds: MotionBounds  # what is kept while looking
    start: Array | None  # where the motion begins, where that is said
    instants: Array  # (N,)
    weight: float  # readings for each instant
    known: Array  # information from before (p, p)
    scale: Array  # (p,), of the columns
    objective: Callable[[Array, Array], Weighed]

    @cached_property
    def tables(self) -> tuple[Array, Array, Array, Array]:
        return self.family.tables(self.instants)

    @property
    def joints(self) -> int:
        return len(self.bounds.middle)

    @cached_property
    def sizes(self) -> Array:
        """(n,): how large coefficients of each joint are."""
        share = np.sqrt(self.family.duration / self.family.size)
        return np.where(self.bounds.moving, self.bounds.joints.velocity * share, 0.0)

    def split(self, z: Array) -> tuple[Array, Array]:
        """Where the motion begins (n,), and its coefficients (n, K)."""
        n = self.joints
        centre = self.bounds.middle + self.bounds.half * z[:n] if self.start is None else self.start
        return centre, self.sizes[:, None] * z[n:].reshape(n, -1)

    def joined(self, centre: Array, x: Array) -> Array:
        """z of a motion."""
        half = np.where(self.bounds.moving, self.bounds.half, 1.0)
        sizes = np.where(self.bounds.moving, self.sizes, 1.0)
        return np.concatenate([(centre - self.bounds.middle) / half, (x / sizes[:, None]).ravel()])

    def along(self, z: Array) -> Along:
        centre, x = self.split(z)
        q, *rates = (table @ x.T for table in self.tables)
        return Along(centre + q, *rates)

    def rows(self, along: Along, soft: bool) -> Array:
        """W (N n, p), scaled, each row as weighty as the readings that it stands for."""
        W = self.felt.at(along[:3], soft).reshape(-1, self.felt.size)
        return W * np.sqrt(self.weight) / self.scale

    def information(self, z: Array) -> Array:
        """What is known after the motion, the scale of columns taken back."""
        W = self.rows(self.along(z), soft=False)
        return (self.known + gram(W)) * np.outer(self.scale, self.scale)

    # -- the search ---------------------------------------------------------------------------------

    def at(self, z: Array) -> Bounded:
        along = self.along(z)
        W = self.rows(along, soft=True)
        value, V = self.objective(W, self.known)
        used = self.bounds.used(along)

        def slope(w: Array) -> Array:
            towards = [np.zeros_like(along.q) for _ in along]
            own = (V * np.sqrt(self.weight) / self.scale).reshape(*along.q.shape, -1)
            for k, part in enumerate(self.felt.slopes(along[:3], own)):
                towards[k] += part
            for each, part in zip(used, _parts(used, w), strict=True):
                if part.any():
                    for k, more in each.slopes(part):
                        towards[k] += more
            return self._back(towards)

        return Bounded(value, np.concatenate([each.shares.ravel() for each in used]), slope)

    def _back(self, towards: list[Array]) -> Array:
        """Slopes along the motion as slopes by z."""
        centre = self.bounds.half * towards[0].sum(axis=0) * (self.start is None)
        x = sum(part.T @ table for part, table in zip(towards, self.tables, strict=True))
        return np.concatenate([centre, (self.sizes[:, None] * x).ravel()])

    def worst(self, z: Array) -> float:
        """The largest share of a bound that is used at the instants looked at."""
        return max(float(np.abs(each.shares).max()) for each in self.bounds.used(self.along(z)))

    def random(self, rng: np.random.Generator, centre: Array) -> Array:
        """A random motion from a place on, as large as its bounds let it be."""
        x = rng.standard_normal((self.joints, self.family.size)) * self.sizes[:, None]
        low, high = 0.0, 1.0
        if self.worst(self.joined(centre, x)) > 1:
            for _ in range(HALVINGS // 2):
                middle = (low + high) / 2
                fits = self.worst(self.joined(centre, middle * x)) <= 1
                low, high = (middle, high) if fits else (low, middle)
            x = low * x
        return self.joined(centre, x)

    def best(self, z: Array, **effort: int) -> Array:
        return least(self.at, z, **effort)


def _parts(used: list[Used], w: Array) -> list[Array]:
    ends = np.cumsum([each.shares.size for each in used])[:-1]
    return [part.reshape(each.shares.shape) for each, part in zip(used, np.split(w, ends), strict=True)]
