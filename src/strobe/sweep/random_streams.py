"""Random numbers that depend on a seed and on the number of a run alone: any chunk, order or worker draws the same.

Every drawn quantity has a stream of its own: Philox, a generator that is a function of a counter [Salmon2011], keyed
by the seed and the stream. Run k takes the numbers from counter k · blocks on, so that a run is reached without those
before it. Uniform numbers in (0, 1) become others by the inverse of their distribution function.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Protocol

import numpy as np

Array = np.ndarray
BLOCK = 4  # numbers that Philox makes for each count
UNIT = 2.0**-52  # of the lattice of uniform numbers: their halves keep both 0 and 1 out


def uniforms(seed: int, stream: int, start: int, stop: int, count: int) -> Array:
    """Numbers (stop − start, count) in (0, 1) of the runs from start on, before stop."""
    blocks = -(-count // BLOCK)
    bits = np.random.Philox(key=np.array([seed, stream], dtype=np.uint64), counter=start * blocks)
    raw = bits.random_raw((stop - start) * blocks * BLOCK).reshape(stop - start, blocks * BLOCK)
    return ((raw[:, :count] >> np.uint64(12)) + 0.5) * UNIT


class Distribution(Protocol):
    """What turns uniform numbers (m, count) into values (m, size)."""

    @property
    def count(self) -> int: ...

    def __call__(self, u: Array) -> Array: ...


@dataclass(frozen=True, eq=False)
class Between:
    """What lies between two bounds."""

    low: Array  # (size,)
    high: Array

    @property
    def count(self) -> int:
        return len(self.low)


class Uniform(Between):
    """Anywhere between two bounds alike."""

    def __call__(self, u: Array) -> Array:
        return self.low + (self.high - self.low) * u


@dataclass(frozen=True, eq=False)
class Normal:
    """Gaussian numbers, independent of each other."""

    mean: Array  # (size,)
    deviation: Array

    @property
    def count(self) -> int:
        return len(self.mean)

    def __call__(self, u: Array) -> Array:
        from scipy.special import ndtri

        return self.mean + self.deviation * ndtri(u)


class LogUniform(Between):
    """Numbers above zero, whose logarithm is anywhere between two bounds alike."""

    def __call__(self, u: Array) -> Array:
        from scipy.special import exp2  # one number at a time: the same bits wherever in an array

        widths = np.array([log2(b / a) for a, b in zip(self.low.tolist(), self.high.tolist(), strict=True)])
        return np.minimum(self.low * exp2(widths * u), self.high)


@dataclass(frozen=True, eq=False)
class Choice:
    """One of several values, each as likely as the others."""

    values: Array  # (K, size)
    count = 1

    def __call__(self, u: Array) -> Array:
        return self.values[(u[:, 0] * len(self.values)).astype(np.intp)]


@dataclass(frozen=True, eq=False)
class WithTurns:
    """Positions of which some are joints with quaternions: places Gaussian about zero, any orientation as likely."""

    others: Uniform  # of all positions; those of such joints are not used
    joints: tuple[slice, ...]  # their places, the quaternion last

    @property
    def count(self) -> int:
        return self.others.count

    def __call__(self, u: Array) -> Array:
        from scipy.special import ndtri

        q = self.others(u)
        for place in self.joints:
            drawn = ndtri(u[:, place])
            w, x, y, z = drawn[:, -4:].T
            drawn[:, -4:] /= np.sqrt(w * w + x * x + y * y + z * z)[:, None]
            q[:, place] = drawn
        return q
