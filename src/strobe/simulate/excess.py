"""Where a run went beyond what the joints allow: positions, speeds and efforts outside the limits of the model.

Limits are facts of a robot and no forces: unless stops or motors with limits are asked for, nothing holds a joint.
What is looked at are the rows that are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from strobe.errors import counted
from strobe.models.joints import Joint
from strobe.robot import Robot

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
    first: float  # the time of the first row beyond
    most: float  # the value that is farthest beyond
    when: float
    runs: int  # of a batch, that went beyond
    unit: str

    @property
    def by(self) -> float:
        return abs(self.most - self.limit)

    @property
    def sentence(self) -> str:
        limit, most, by = (f"{x:.4g} {self.unit}" for x in (self.limit, self.most, self.by))
        times = f"first at t = {self.first:.4g} s, farthest at t = {self.when:.4g} s"
        if self.kind == "position":
            side = "above" if self.most > self.limit else "below"
            return f'joint "{self.joint}" goes to {most}, {by} {side} its limit {limit} ({times})'
        does = "moves at up to" if self.kind == "velocity" else "is driven by up to"
        return f'joint "{self.joint}" {does} {most}, beyond its limit {limit} ({times})'


def excesses(robot: Robot, times: Array, q: Array, qd: Array, tau: Array) -> tuple[Excess, ...]:
    """Every limit that some row (..., T) is beyond, the joints that follow others among them."""
    x = robot.coordinates
    every: list[Any] = [list(np.moveaxis(each, -1, 0)) for each in (q, qd)]
    positions, rates = (
        [np.broadcast_to(number, q.shape[:-1]) for number in numbers]  # pyright: ignore
        for numbers in (x.expand(every[0]), x.expand_rates(every[1]))
    )  # a joint that follows none in particular stands where it does
    found: list[Excess] = []
    for joint in robot.model.joints:
        bounds, unit = joint.limits, "rad" if joint.turns else "m"
        if joint.nq == 1:
            found += _beyond(
                "position", joint, times, positions[joint.q], (bounds.lower, bounds.upper), unit
            )
        for k in range(joint.nv):
            unit, rate = "rad/s" if joint.turns_by(k) else "m/s", rates[joint.v + k]
            found += _beyond("velocity", joint, times, rate, (-bounds.velocity, bounds.velocity), unit)
    for joint in x.joints:
        for k in range(joint.nv):
            unit, most = "N m" if joint.turns_by(k) else "N", joint.limits.effort
            found += _beyond("effort", joint, times, tau[..., joint.v + k], (-most, most), unit)
    return tuple(found)


def _beyond(
    kind: str, joint: Joint, times: Array, values: Array, bounds: tuple[float, float], unit: str
) -> Iterator[Excess]:
    """The excess of one number (..., T) over its range, on either side."""
    for limit, depth in ((bounds[0], bounds[0] - values), (bounds[1], values - bounds[1])):
        if not np.isfinite(limit):
            continue
        off = depth > OUTSIDE * (1.0 + abs(limit))  # NaN of a run that stopped is not
        if off.any():
            where = np.unravel_index(np.nanargmax(depth), depth.shape)
            first = float(times[off.any(axis=tuple(range(off.ndim - 1)))][0])
            runs = int(off.any(axis=-1).sum())
            most = float(values[where])
            yield Excess(kind, joint.name, limit, first, most, float(times[where[-1]]), runs, unit)


def told(found: Sequence[Excess], runs: int, acting: Sequence[str]) -> list[str]:
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
        said.append(f"{worst.sentence}{where}{more}; {advice}.")
    return said
