"""A log on even times, without what cannot be: what estimators read.

Positions are filtered without delay, and rates taken of what is left, by one kernel and its derivatives,

    q̄ = h ∗ q        q̄' = h′ ∗ q        q̄'' = h″ ∗ q

so that the three belong together whatever the noise. A log that stops and goes on is several stretches; a row whose
time goes back, or whose numbers no robot has, is left out and told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import convolve1d

from strobe.errors import ArgumentError, counted
from strobe.identify.logs import Log

Array = np.ndarray

GAP = 5.0  # median steps, or a part of the fastest period: where a log is silent for longer, it stops and goes on
PART = 0.25
SHORTEST = 1.0  # second: a stretch below that tells nothing once it is filtered
ATTENUATION = 70.0  # dB, of what lies beyond the band
WIDEST = 0.45  # of the rate of rows: the highest frequency there can be
FINE = 64  # of a kernel, places between two rows where its slopes are taken
NORMAL = 1.4826  # standard deviations in a median of sizes
DETAIL = 4.0  # times the band of torques is that of positions, whose rates decide friction


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """A piece of a log on even times: positions and rates in its band, and the effort as recorded."""

    source: str
    times: Array  # (N,) s, since the log began
    q: Array  # (N, n)
    qd: Array
    qdd: Array
    effort: Array  # (N, n), N m, N or A
    felt: Array  # (N, n), whether it is what was recorded, and not what was put in the place of nothing
    blur: Array  # (n,), the standard deviation of rates, by what of positions lies beyond the band

    @property
    def step(self) -> float:
        return float(self.times[1] - self.times[0])

    def __len__(self) -> int:
        return len(self.times)


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """What is kept of rows: frequencies below a cut-off, as few rows as they need, none that an end disturbs."""

    taps: Array
    every: int  # of how many rows one is kept

    @classmethod
    def below(cls, cutoff: float, step: float) -> Band:
        every = max(1, int(1 / (1.5 * cutoff * step)))  # as many as keep white noise white
        return cls(_kernel(cutoff, step)[0], every)

    @property
    def colour(self) -> float:
        """How much larger white noise is where motions are than on average over what is kept, as a variance.

        The band falls towards its end, and what lies beyond half the rate of kept rows folds back.
        """
        return float(1 / (self.every * self.taps @ self.taps))

    def starts(self, rows: int) -> range:
        """Where the kernel begins for each row that is kept."""
        return range(0, rows - len(self.taps) + 1, self.every)

    def likeness(self, apart: int) -> float:
        """The correlation of white noise in kept rows that many apart."""
        k = apart * self.every
        return float(self.taps[k:] @ self.taps[: len(self.taps) - k] / (self.taps @ self.taps))

    def kept(self, x: Array) -> Array:
        """Rows (N, …) within the band."""
        length, starts = len(self.taps), self.starts(len(x))
        flat = np.ascontiguousarray(x).reshape(len(x), -1)
        rows = np.array([self.taps @ flat[k : k + length] for k in starts])
        return rows.reshape(len(starts), *x.shape[1:])


def stretches(
    log: Log, effort: Array, cutoff: float, half: int | None = None, delay: Array | None = None
) -> tuple[list[Stretch], list[str]]:
    """The stretches of a log in the band of a cut-off (Hz), and what was left out of it.

    ``half`` (0 or 1) reads positions from every other row alone: the errors of the two halves are not the same.
    ``delay`` (n,) is by how many seconds efforts were recorded too late.
    """
    if log.times is None:
        raise ArgumentError(
            f'{log.source}: rates are taken by the times of its rows; there is no column "t".'
        )
    recorded = np.where(
        np.isnan(effort), 0.0, effort
    )  # of a joint that has no column, there is nothing to judge
    kept, remarks = possible_rows(log.times, np.column_stack([log.q, recorded]))
    times, q, effort = log.times[kept], log.q[kept], effort[kept]
    if len(times) < 2:
        raise ArgumentError(
            f"{log.source}: {counted(len(times), 'row')} of it can be read; no motion is in that."
        )
    steps = np.diff(times)
    step = float(np.median(steps))
    if cutoff * step > WIDEST:
        raise ArgumentError(
            f"{log.source}: {1 / step:.3g} rows a second hold no frequencies up to {cutoff:g} Hz; give a cut-off "
            f"below {WIDEST / step:.3g} Hz."
        )
    late = np.zeros(effort.shape[1]) if delay is None else delay
    ends = np.flatnonzero(steps > max(GAP * step, PART / cutoff)) + 1
    found = []
    for piece in np.split(np.arange(len(times)), ends):
        if len(piece) > 3 and times[piece[-1]] - times[piece[0]] > SHORTEST:
            made = _stretch(log.source, times[piece], q[piece], effort[piece], cutoff, step, half, late)
            if len(made) > len(Band.below(cutoff, step).taps):
                found.append(made)
                continue
        remarks.append(
            f"{counted(len(piece), 'row')} at {times[piece[0]]:.4g} s stand alone, and were left out."
        )
    if len(ends):
        remarks.append(f"it stops and goes on at {', '.join(f'{times[k]:.4g}' for k in ends[:5])} s.")
    if not found:
        raise ArgumentError(
            f"{log.source}: no stretch of it is long enough for a cut-off of {cutoff:g} Hz."
        )
    return found, remarks


def possible_rows(times: Array, numbers: Array) -> tuple[Array, list[str]]:
    """The rows (a mask) that a robot may have had: finite, in the order of time, not beyond all others."""
    sizes = np.abs(numbers)
    with np.errstate(invalid="ignore"):
        usual = np.nanpercentile(np.where(np.isfinite(sizes), sizes, np.nan), 99, axis=0)
        wild = ~(np.isfinite(numbers) & (sizes <= 100.0 * np.maximum(usual, 0.1))).all(
            axis=1
        ) | ~np.isfinite(times)
    rising = np.zeros(len(times), dtype=bool)
    sane = np.flatnonzero(~wild)
    rising[sane[_longest_rise(times[sane])]] = True
    remarks = []
    if wild.any():
        remarks.append(
            f"{counted(int(wild.sum()), 'row')} hold numbers that no robot has, and were left out."
        )
    if (back := int((~rising & ~wild).sum())) > 0:
        remarks.append(f"the time does not rise at {counted(back, 'row')}, which were left out.")
    return rising, remarks


def _longest_rise(times: Array) -> Array:
    """The places of a longest strictly rising sequence."""
    if len(times) < 2 or (np.diff(times) > 0).all():
        return np.arange(len(times))
    ends: list[float] = []
    places: list[int] = []
    before = np.full(len(times), -1)
    for k, t in enumerate(times.tolist()):
        at = int(np.searchsorted(ends, t))
        before[k] = places[at - 1] if at else -1
        if at == len(ends):
            ends.append(t)
            places.append(k)
        else:
            ends[at], places[at] = t, k
    chain = [places[-1]]
    while before[chain[-1]] >= 0:
        chain.append(int(before[chain[-1]]))
    return np.array(chain[::-1])


def _stretch(
    source: str, times: Array, q: Array, effort: Array, cutoff: float, step: float, half: int | None,
    late: Array,
) -> Stretch:  # fmt: skip
    even = np.arange(times[0], times[-1] + 0.5 * step, step)
    even = even[even <= times[-1]]
    read = slice(half, None, None if half is None else 2)
    recorded = CubicSpline(times[read], q[read])(even)
    columns = list(zip(late.tolist(), effort.T, np.isfinite(effort).T, strict=True))
    measured = np.column_stack([_between(even + d, times, x, good) for d, x, good in columns])
    felt = (
        np.column_stack([np.interp(even + d, times, good.astype(float)) for d, _, good in columns]) == 1.0
    )
    kernels = _kernel(min(DETAIL * cutoff, WIDEST / step), step)
    half = len(kernels[0]) // 2
    inner = slice(half, len(even) - half)
    q, qd, qdd = (convolve1d(recorded, kernel, axis=0)[inner] for kernel in kernels)
    beyond = NORMAL * np.median(np.abs(recorded[inner] - q), axis=0) if len(q) else np.zeros(q.shape[1])
    blur = beyond * float(np.linalg.norm(kernels[1]))
    return Stretch(source, even[inner], q, qd, qdd, measured[inner], felt[inner], blur)


def _between(even: Array, times: Array, effort: Array, whole: Array) -> Array:
    """An effort on even times, from those that were recorded; 0 where none was."""
    return np.interp(even, times[whole], effort[whole]) if whole.any() else np.zeros(len(even))


def _kernel(cutoff: float, step: float) -> tuple[Array, Array, Array]:
    """A low-pass kernel without delay and its first two derivatives, as `convolve1d` takes them.

    A sinc below a window that falls from half the cut-off to it: Kaiser's, brought to zero with its slope at both
    ends, without which the second derivative would lack what the jumps there hold.
    """
    width = 0.5 * cutoff * step  # of the fall, of the rate of rows
    half = int(np.ceil(1.1 * (ATTENUATION - 7.95) / (14.36 * width) / 2))
    beta = 0.1102 * (ATTENUATION - 8.7)
    t = np.arange(-half * FINE, half * FINE + 1) / FINE
    inside = 1 - (t / half) ** 2
    shape = np.sinc(1.5 * cutoff * step * t) * (np.i0(beta * np.sqrt(np.maximum(inside, 0))) - 1) * inside
    shape /= shape[::FINE].sum()
    first = np.gradient(shape, 1 / FINE)
    second = np.gradient(first, 1 / FINE)
    h, d, dd = (x[::FINE].copy() for x in (shape, first, second))
    return h, d / step, (dd - h * dd.sum()) / step**2
