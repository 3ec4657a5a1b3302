"""Ranges of motion, the largest torques within them, and bounds that hold everywhere in them.

A wave is a sum over monomials m of rates, accelerations and sliding positions,

    w = Σ_m f_m(θ) x_m,      |x_m| ≤ s_m,      f_m a trigonometric polynomial of degree d_a in angle a

The triangle inequality bounds it by Σ_m s_m Σ |coefficients of f_m|. A grid of N_a > 2 d_a angles bounds it better:
where |f| ≤ M, (f'/d)² + f² ≤ M² (Bernstein and Szegő), so that at a distance x ≤ π / 2d from its largest value f is
at least M cos(d x). Some point of the grid is within π / N_a of that place in one angle after the other:

    |w| ≤ max over the grid of Σ_m s_m |f_m|  /  Π_a cos(π d_a / N_a)

Both are proofs for every angle and all sizes, up to the rounding of their own evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from strobe.equations.trig_polynomials import Powers, Wave
from strobe.errors import ArgumentError
from strobe.models.joints import Joint
from strobe.robot import Robot

Array = np.ndarray
Sizes: TypeAlias = Mapping[str, float]  # what the magnitude of a variable never exceeds
Spectrum: TypeAlias = dict[Powers, complex]  # c − i s of c cos(Σ k·angle) + s sin(Σ k·angle), by (angle, k)

SPEED = {True: math.pi, False: 1.0}  # where a joint has no limits: half a turn or a metre in a second,
ACCELERATION = {True: 10.0, False: 10.0}  # and 10 rad/s² or m/s²; by whether the joint turns
STATES = 16_384  # among which the largest torques are looked for
FINENESS = (8, 6)  # grid points per period of the fastest wave; the first that fits is taken
MOST_POINTS = 2**18  # of one grid


# -- ranges -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ranges:
    """Lower and upper ends (n, 2) of positions, rates and accelerations."""

    q: Array
    qd: Array
    qdd: Array
    origins: Mapping[str, str] = field(default_factory=dict)  # where those of q, qd and qdd come from

    @cached_property
    def sizes(self) -> dict[str, float]:
        """The largest magnitude of every variable, by its name in the equations."""
        return {
            f"{letter}{k + 1}": float(size)
            for letter, ends in (("q", self.q), ("qd", self.qd), ("qdd", self.qdd))
            for k, size in enumerate(np.abs(ends).max(axis=1))
        }

    def positions(self, count: int, rng: np.random.Generator) -> Array:
        """Positions (count, n) drawn evenly."""
        return rng.uniform(self.q[:, 0], self.q[:, 1], (count, len(self.q)))


def ranges_of(
    robot: Robot, q: Any = None, qd: Any = None, qdd: Any = None, along: Sequence[Array] | None = None
) -> Ranges:
    """The ranges given, else those of a motion, else the limits of the robot, else `Joint.range`, `SPEED`,
    `ACCELERATION`.

    A range is pairs (n, 2), or numbers r for the ranges −r to r: one for each joint, or one for all. A motion is
    its q, qd and qdd (states, n).
    """
    found: dict[str, Array] = {}
    origins: dict[str, str] = {}
    for k, (name, ends) in enumerate((("q", q), ("qd", qd), ("qdd", qdd))):
        if ends is not None:
            found[name], origins[name] = _given(name, ends, robot), "given"
        elif along is not None:
            found[name] = np.stack([along[k].min(axis=0), along[k].max(axis=0)], axis=1)
            origins[name] = "those of the motion"
        else:
            found[name], origins[name] = _own(name, robot.coordinates.joints)
    return Ranges(**found, origins=origins)


def _own(name: str, joints: Sequence[Joint]) -> tuple[Array, str]:
    """The range that a robot has by itself, and where it comes from."""
    limits = {"q": ("lower", "upper"), "qd": ("velocity",), "qdd": ("acceleration",)}[name]
    stated = [math.isfinite(getattr(joint.limits, limit)) for joint in joints for limit in limits]
    origin = "limits of the robot" if all(stated) else "limits of the robot, else defaults"
    if name == "q":
        ends = np.array([joint.range for joint in joints])
    else:
        ends = _both_ways(joints, limits[0], SPEED if name == "qd" else ACCELERATION)
    return ends, origin if any(stated) else "defaults"


def _both_ways(joints: Sequence[Joint], limit: str, default: Mapping[bool, float]) -> Array:
    stated = [getattr(joint.limits, limit) for joint in joints]
    sizes = [
        x if math.isfinite(x) else default[joint.angular] for x, joint in zip(stated, joints, strict=True)
    ]
    return np.array([(-size, size) for size in sizes])


def _given(name: str, ends: Any, robot: Robot) -> Array:
    """A range as pairs, checked."""
    expected = f"expected a number, {robot.n} numbers, or {robot.n} pairs of a lower and an upper end"
    try:
        array = np.asarray(ends, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"the range of {name} holds something that is no number; {expected}.") from None
    if array.ndim < 2 and array.shape in ((), (robot.n,)):
        array = np.abs(np.broadcast_to(array, robot.n))[:, None] * np.array([-1.0, 1.0])
    if array.shape != (robot.n, 2):
        raise ArgumentError(f"the range of {name} has shape {array.shape}; {expected}.")
    for k, (lower, upper) in enumerate(array):
        if not (math.isfinite(lower) and math.isfinite(upper)):
            raise ArgumentError(
                f"the range of {name}{k + 1} is {lower:g} to {upper:g}; expected finite ends."
            )
        if lower > upper:
            raise ArgumentError(
                f"the range of {name}{k + 1} is {lower:g} to {upper:g}, which is empty; give the lower end first."
            )
    return array


def largest_torques(robot: Robot, ranges: Ranges, seed: int = 0) -> Array:
    """The largest |tau| (n,) of each joint that was met within the ranges, friction left out.

    Positions and rates are drawn, half of the rates at ends of their ranges; the accelerations are then the worst
    there are. Every value is attained, so the true largest torques are no smaller.
    """
    rng = np.random.default_rng(seed)
    q = ranges.positions(STATES, rng)
    share = rng.uniform(size=q.shape)
    share[::2] = np.round(share[::2])
    qd = ranges.qd[:, 0] + share * np.ptp(ranges.qd, axis=1)
    M, middle, half = robot.mass_matrix(q), ranges.qdd.mean(axis=1), np.ptp(ranges.qdd, axis=1) / 2
    return (np.abs(robot.bias(q, qd) + M @ middle) + np.abs(M) @ half).max(axis=0)


# -- bounds of waves ----------------------------------------------------------------------------------


def contributions(wave: Wave, sizes: Sizes) -> Iterator[tuple[bool, int, float]]:
    """For every term whether it is a sine, its key, and what it adds to the triangle inequality."""
    ring, known = wave.system, dict[int, float]()
    for is_sine, terms in ((False, wave.cosines), (True, wave.sines)):
        for key, numerator in terms.items():
            exponents = key & (ring.one - 1)
            if exponents not in known:
                known[exponents] = monomial_size(ring.powers(key), sizes)
            yield is_sine, key, abs(numerator / wave.denominator) * known[exponents]


def monomial_size(powers: Powers, sizes: Sizes) -> float:
    """What |Π name^power| never exceeds."""
    return math.prod(abs(sizes[name]) ** e for name, e in powers)


def bound(wave: Wave, sizes: Sizes, enough: float = 0.0) -> float:
    """What |wave| never exceeds; no better one is looked for below ``enough``."""
    best = sum(size for _, _, size in contributions(wave, sizes))
    degrees = _degrees(wave)
    fineness = next(
        (f for f in FINENESS if math.prod(f * d for d in degrees.values()) <= MOST_POINTS), None
    )
    if best <= enough or fineness is None:
        return best
    on_grid = _on_grid(_spectra(wave), {angle: fineness * d for angle, d in degrees.items()}, sizes)
    return min(best, float(on_grid.max()) / math.cos(math.pi / fineness) ** len(degrees))


def _spectra(wave: Wave) -> dict[Powers, Spectrum]:
    """f_m by monomial."""
    ring = wave.system
    found: dict[Powers, Spectrum] = {}
    for unit, terms in ((1.0, wave.cosines), (-1j, wave.sines)):
        for key, numerator in terms.items():
            spectrum, waves = found.setdefault(ring.powers(key), {}), ring.frequencies(key)
            spectrum[waves] = spectrum.get(waves, 0.0) + unit * (numerator / wave.denominator)
    return found


def _degrees(wave: Wave) -> dict[str, int]:
    """The largest factor of every angle that occurs."""
    degrees: dict[str, int] = {}
    for key in {key & -wave.system.one for key in (*wave.cosines, *wave.sines)}:
        for angle, k in wave.system.frequencies(key):
            degrees[angle] = max(degrees.get(angle, 0), abs(k))
    return degrees


def _on_grid(spectra: Mapping[Powers, Spectrum], counts: Mapping[str, int], sizes: Sizes) -> Array:
    """Σ_m s_m |f_m| at every point of the grid."""
    shape = tuple(counts.values())
    total = np.zeros(shape)
    for powers, spectrum in spectra.items():
        f = np.zeros(shape, complex)
        for waves, amplitude in spectrum.items():
            factor = dict(waves)
            f[tuple(factor.get(angle, 0) % count for angle, count in counts.items())] += amplitude
        total += np.abs(np.fft.ifftn(f, norm="forward").real) * monomial_size(powers, sizes)
    return total
