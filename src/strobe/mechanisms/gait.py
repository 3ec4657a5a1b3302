"""Which foot stands where, and when: a gait as phases, with the paths of the feet and of the zero moment point.

Phases with both feet on the ground, in which the weight goes from one foot to the other, alternate with phases on one
foot, in which the other one swings. Paths have no velocity, acceleration and jerk where a phase begins and ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from strobe.models.arguments import require_above, require_whole
from strobe.models.feet import Foot
from strobe.show.sheet import Sheet, displayed, number

Array = np.ndarray


@displayed
@dataclass(frozen=True, eq=False)
class Phase:
    """A time between two changes of the feet that stand."""

    start: float
    end: float
    standing: tuple[str, ...]  # feet on the ground; all paths are told from the first
    places: Mapping[str, Array]  # foot -> (4, 4) in the world, at the start
    swing: str = ""  # the foot that is in the air
    target: Array | None = None  # (4, 4) where it goes
    lift: float = 0.0  # metres, how high

    def _sheet(self) -> Sheet:
        air = f", {self.swing} in the air" if self.swing else ""
        return Sheet(f"{number(self.start)} to {number(self.end)} s on {', '.join(self.standing)}{air}")

    @property
    def single(self) -> bool:
        """Whether the robot stands on one foot."""
        return len(self.standing) == 1

    @property
    def after(self) -> dict[str, Array]:
        """Where the feet are at its end."""
        moved = {} if self.target is None else {self.swing: self.target}
        return {**self.places, **moved}

    def path(self, foot: str, t: Array) -> Array:
        """A foot (T, 4, 4) at times of this phase."""
        place = np.tile(self.places[foot], (len(t), 1, 1))
        if foot == self.swing and self.target is not None:
            s = (t - self.start) / (self.end - self.start)
            place[:, :3, 3] += eased(s)[:, None] * (self.target - self.places[foot])[:3, 3]
            place[:, 2, 3] += self.lift * (4.0 * s * (1.0 - s)) ** 4
        return place


@dataclass(frozen=True, slots=True)
class Gait:
    """How a robot walks: metres and seconds."""

    steps: int = 4  # the last one puts the feet side by side again
    length: float = 0.15  # by which a foot is put before the other
    lift: float = 0.03
    swing: float = 0.8  # s on one foot
    transfer: float = 0.5  # s on both, between two steps
    rest: float = 1.2  # s on both, before the first step and after the last

    def __post_init__(self) -> None:
        require_whole("steps", self.steps, 1)
        for name in ("length", "lift"):
            require_above(name, getattr(self, name), "metres, zero or more", or_zero=True)
        for name in ("swing", "transfer", "rest"):
            require_above(name, getattr(self, name), "a time above zero")

    def phases(self, feet: Sequence[Foot], places: Mapping[str, Array]) -> list[Phase]:
        """The phases of a walk along x; the first foot stands, the second is the first to swing."""
        a, b = (foot.frame for foot in feet)
        gone = {a: 0.0, b: 0.0}
        found = [Phase(0.0, self.rest, (a, b), dict(places))]
        for k in range(self.steps):
            stance, swing = (a, b) if k % 2 == 0 else (b, a)
            last = k == self.steps - 1
            gone[swing] = gone[stance] + (0.0 if last else self.length)
            target = places[swing].copy()
            target[0, 3] += gone[swing]
            before = found[-1]
            found.append(
                Phase(
                    before.end, before.end + self.swing, (stance,), before.after, swing, target, self.lift
                )
            )
            time = self.rest if last else self.transfer
            found.append(Phase(found[-1].end, found[-1].end + time, (stance, swing), found[-1].after))
        return found


def eased(s: Array) -> Array:
    """From 0 to 1, at both ends without velocity, acceleration and jerk."""
    return s**4 * (35.0 + s * (-84.0 + s * (70.0 - 20.0 * s)))


def wanted_zmp(phases: Sequence[Phase], feet: Sequence[Foot], t: Array) -> Array:
    """Where the zero moment point should be (T, 2): under the middle of the sole that stands, and in between."""
    following = [phase.standing for phase in phases[1:]] + [phases[-1].standing]
    anchors = [_middle(phases[0], feet, phases[0].standing)]
    for phase, then in zip(phases, following, strict=True):
        anchors.append(_middle(phase, feet, phase.standing if phase.single else then))
    result = np.empty((len(t), 2))
    for phase, start, end in zip(phases, anchors[:-1], anchors[1:], strict=True):
        now = (t >= phase.start) & (t <= phase.end)
        s = (t[now] - phase.start) / (phase.end - phase.start)
        result[now] = start + eased(s)[:, None] * (end - start)
    return result


def _middle(phase: Phase, feet: Sequence[Foot], standing: Sequence[str]) -> Array:
    """The middle (2,) between the soles of feet that stand."""
    points = [
        (phase.places[foot.frame] @ np.append(foot.middle, 1.0))[:2]
        for foot in feet
        if foot.frame in standing
    ]
    return np.mean(points, axis=0)
