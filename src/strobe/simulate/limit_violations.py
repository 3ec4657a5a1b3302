"""Where a run went beyond what the joints allow: positions, speeds and efforts outside the limits of the model.

Limits are facts of a robot and no forces: unless stops or motors with limits are asked for, nothing holds a joint.
The rows that are kept are looked at, and the extremes of all steps between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from strobe.errors import Advised, counted
from strobe.robot import Robot
from strobe.simulate.limit_extremes import Bound, Ranges, bounded, bounds, ranges_of

Array = np.ndarray
OUTSIDE = 1e-9  # of a limit, and by itself: by which it may be exceeded without mention
ACTS = {  # what would have kept a joint within, and what there is to say where it acts
    "position": ("stops", "limits act only with stops=", ""),  # a stop is a spring, and gives way a little
    "velocity": ("limits", "velocity limits act only with limits=", "no motor drives it there"),
    "effort": ("limits", "effort limits act only with limits=", ""),
}


class Excess(NamedTuple):
    """A joint beyond one of its limits."""

    kind: str  # position, velocity or effort
    joint: str
    limit: float
    first: float | None  # the time of the first row beyond; None where only steps between rows are
    most: float  # the value that is farthest beyond
    when: float | None  # None between rows
    runs: int  # of a batch, that went beyond
    unit: str

    @property
    def by(self) -> float:
        return abs(self.most - self.limit)

    @property
    def sentence(self) -> str:
        limit, most, by = (f"{x:.4g} {self.unit}" for x in (self.limit, self.most, self.by))
        if self.kind == "position":
            side = "above" if self.most > self.limit else "below"
            return f'joint "{self.joint}" goes to {most}, {by} {side} its limit {limit} ({self._times})'
        does = "moves at up to" if self.kind == "velocity" else "is driven by up to"
        return f'joint "{self.joint}" {does} {most}, beyond its limit {limit} ({self._times})'

    @property
    def _times(self) -> str:
        if self.first is None:
            return "between two rows that are kept"
        farthest = "between two rows" if self.when is None else f"at t = {self.when:.4g} s"
        return f"first at t = {self.first:.4g} s, farthest {farthest}"


def excesses(
    robot: Robot, times: Array, q: Array, qd: Array, tau: Array, extremes: Array | None = None
) -> tuple[Excess, ...]:
    """Every limit that some row (..., T), or some step by its extremes (..., bounds), is beyond."""
    if _all_within(robot, q, qd, tau, extremes):
        return ()
    state = (list(np.moveaxis(each, -1, 0)) for each in (q, qd, tau))
    found: list[Excess] = []
    for k, (bound, values) in enumerate(
        zip(bounds(robot.model), bounded(robot.model, *state), strict=True)
    ):
        rows = np.broadcast_to(values, q.shape[:-1])  # a joint that follows none in particular stands still
        found += _beyond(bound, times, rows, None if extremes is None else extremes[..., k])
    return tuple(found)


def _all_within(robot: Robot, q: Array, qd: Array, tau: Array, extremes: Array | None) -> bool:
    """Whether no number is beyond its limit, at one look; no where joints follow others, or a run has stopped."""
    if not robot.coordinates.trivial:
        return False
    ranges: Ranges = robot.kept("ranges of limits", lambda: ranges_of(robot.model))
    rows = zip((q, qd, tau, extremes), ranges, strict=True)
    return all(x is None or bool(((x >= low) & (x <= high)).all()) for x, (low, high) in rows)


def _beyond(bound: Bound, times: Array, values: Array, extremes: Array | None) -> Iterator[Excess]:
    """The excess of one number over its limit, in rows (..., T) and by its extremes (...) in all steps."""
    inside = ((values >= bound.lower) & (values <= bound.upper)).all()
    if inside and (extremes is None or (bound.beyond(extremes) <= 0).all()):
        return
    depth, slack = bound.beyond(values), OUTSIDE * (1.0 + min(abs(bound.lower), abs(bound.upper)))
    off = depth > slack  # NaN of a run that stopped is not
    far = np.full(off.shape[:-1], -np.inf) if extremes is None else bound.beyond(extremes)
    runs = int((off.any(axis=-1) | (far > slack)).sum())
    if not runs:
        return
    first = when = None
    most, farthest = 0.0, -np.inf
    if off.any():
        where = np.unravel_index(np.nanargmax(depth), depth.shape)
        most, farthest, when = float(values[where]), float(depth[where]), float(times[where[-1]])
        first = float(times[off.any(axis=tuple(range(off.ndim - 1)))][0])
    if extremes is not None and far.max() > farthest:
        most, when = float(extremes.flat[int(far.argmax())]), None
    limit = bound.upper if most > bound.upper else bound.lower
    yield Excess(bound.kind, bound.joint, limit, first, most, when, runs, bound.unit)


def limits_left(found: Sequence[Excess], runs: int, acting: Sequence[str]) -> list[str]:
    """A sentence for each kind of limit that was left: the joint that is farthest beyond, and how many more."""
    said = []
    for kind, (cure, advice, acts) in ACTS.items():
        of_kind = [each for each in found if each.kind == kind]
        advice = acts if cure in acting else advice
        if not of_kind or not advice:
            continue
        worst = max(of_kind, key=lambda each: each.by / (abs(each.limit) or 1.0))
        joints = len({each.joint for each in of_kind}) - 1
        more = f", and {counted(joints, 'joint')} more: run.exceeded" if joints else ""
        where = f" in {worst.runs:,} of {runs:,} runs" if runs > 1 else ""
        sentence = f"{worst.sentence}{where}{more}; {advice}."
        said.append(Advised(sentence, {": run.exceeded": " (--json lists them)"}))
    return said
