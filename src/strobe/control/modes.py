"""How a closed loop moves near rest: the eigenvalues of what a round makes of small deviations, and their modes.

    δ⁺ = A δ,   A v = μ v          deviations die where |μ| < 1 for every μ
    growth time T / log |μ|,   frequency |arg μ| / (2π T),   pole log μ / T

It is true of any controller, sensors, delay and period, since A is taken from the loop that runs (`linearised`). It
speaks of small deviations at rest: saturation, Coulomb friction and resolution are no part of it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from strobe.control.linearised import linearised
from strobe.control.loop import Loop
from strobe.errors import ControlWarning, counted, vector
from strobe.show.sheet import displayed

Array = np.ndarray
NEUTRAL = 1e-6  # by which |μ| may differ from one where a deviation neither grows nor dies
ALIKE = 1e-4  # part by which eigenvalues that are one may come out as a pair
TAKES_PART = 0.3  # of the largest share in a mode: what is worth a name
UNMOVED = 1e-9  # of the rest of a mode: joints that stand still in it
MEMBERS = 16  # of a batch of gains and loads that are looked at
TOLD = 2  # modes of a pose that a sentence tells of


@displayed
@dataclass(frozen=True)
class Mode:
    """A way of moving that grows."""

    multiplier: complex  # what a round multiplies it by
    period: float  # seconds of a round
    who: str  # what moves in it, in words

    @property
    def frequency(self) -> float:
        """Hz; half the rate of rounds where it changes sign with each."""
        return abs(float(np.angle(self.multiplier))) / (2 * np.pi * self.period)

    @property
    def growth_time(self) -> float:
        """Seconds in which it grows e-fold."""
        return self.period / float(np.log(abs(self.multiplier)))

    @property
    def swings(self) -> bool:
        """Whether it goes to and fro over several rounds."""
        return abs(self.multiplier.imag) > ALIKE * abs(self.multiplier)

    @property
    def runs_away(self) -> bool:
        """Whether it grows without a swing: what pulls back is too weak, not too strong."""
        return not self.swings and self.multiplier.real > 0

    def __str__(self) -> str:
        if self.swings:
            how = f"swings at {self.frequency:.3g} Hz"
        else:
            how = "runs away" if self.runs_away else "changes sign with every period"
        return f"the mode of {self.who} {how}, e times as far every {self.growth_time:.3g} s"


@displayed
@dataclass(frozen=True, eq=False)
class AtPose:
    """A loop near rest at one pose."""

    q: Array  # (nq,)
    period: float
    eigenvalues: Array  # μ, largest first; none where the arm does not rest
    modes: tuple[Mode, ...]  # those that grow, fastest first
    member: int = 0  # of a batch of gains and loads

    @property
    def at_rest(self) -> bool:
        """Whether there is a rest to be stable."""
        return bool(len(self.eigenvalues))

    @property
    def stable(self) -> bool:
        return self.at_rest and not self.modes

    @property
    def radius(self) -> float:
        """The largest |μ|."""
        return float(np.abs(self.eigenvalues).max()) if self.at_rest else np.nan

    @property
    def poles(self) -> Array:
        """log μ / T in 1/s of all that outlives a round."""
        return np.log(self.eigenvalues[np.abs(self.eigenvalues) > NEUTRAL].astype(complex)) / self.period

    @property
    def slowest(self) -> float:
        """The largest |μ| of what dies."""
        sizes = np.abs(self.eigenvalues)
        return float(np.max(sizes, initial=0.0, where=sizes < 1 - NEUTRAL))

    @property
    def neutral(self) -> int:
        """How many deviations neither grow nor die, such as of a position that nothing looks at."""
        return int(np.sum(np.abs(np.abs(self.eigenvalues) - 1) <= NEUTRAL))

    def __str__(self) -> str:
        where = f"at q = {vector(self.q.round(4))}"
        if not self.at_rest:
            return f"{where} the arm does not come to rest: this loop asks for nothing that holds it there"
        if not self.modes:
            whole = f"{self.neutral} of the deviations stay" if self.neutral else "every deviation dies"
            return f"{where} {whole}, the slowest dies by {self.slowest:.6g} a period"
        more = len(self.modes) - TOLD
        rest = f"; {counted(more, 'mode')} more" if more > 0 else ""
        return f"{where} {'; '.join(map(str, self.modes[:TOLD]))}{rest}"


@displayed
@dataclass(frozen=True, eq=False)
class Stability:
    """What becomes of small deviations from rest, pose by pose."""

    title: str  # of the controller
    poses: tuple[AtPose, ...]

    @property
    def stable(self) -> bool:
        return all(each.stable for each in self.poses)

    @cached_property
    def worst(self) -> AtPose:
        """The pose with the largest |μ|, one where the arm does not rest before all others."""
        return max(self.poses, key=lambda each: each.radius if each.at_rest else np.inf)

    @cached_property
    def radius(self) -> Array:
        """The largest |μ| of every pose."""
        return np.array([each.radius for each in self.poses])

    @property
    def warning(self) -> str | None:
        """What grows, where, and what would help; nothing where nothing grows."""
        growing = [each for each in self.poses if each.modes]
        if not growing:
            return None
        worst = max(growing, key=lambda each: each.radius)
        where = f"{len(growing)} of {counted(len(self.poses), 'pose')} looked at"
        helps = (
            "More stiffness would hold it."
            if worst.modes[0].runs_away
            else "Lower gains, a shorter period or less delay would steady it."
        )
        return f"{self.title} is unstable near rest ({where}): {worst}. {helps}"

    def __str__(self) -> str:
        head = f"{self.title}: {'stable' if self.stable else 'not stable'} near rest"
        return "\n".join([head, *(f"  {each}" for each in self.poses)])


def examined(loop: Loop, constants: Mapping[str, Array], q: Array) -> Stability:
    """The loop near rest at poses (P, nq); constants (N or 1, size) as its recurrence takes them.

    Of N members of a batch, 16 spread over it are looked at.
    """
    count = max(map(len, constants.values()))
    members = np.unique(np.linspace(0, count - 1, min(count, MEMBERS)).round().astype(int))
    rows = {name: x if len(x) == 1 else np.tile(x[members], (len(q), 1)) for name, x in constants.items()}
    places = np.repeat(q, len(members), axis=0)
    found = linearised(loop, places, rows)
    scales = np.sqrt(np.diagonal(loop.plant.mass_matrix(places), axis1=-2, axis2=-1))
    whose = np.tile(members, len(q))
    names = [name for joint in loop.plant.coordinates.joints for name in joint.rate_names]
    period = loop.controller.period / (loop.steps if loop.continuous else 1)
    poses: list[AtPose] = []
    for k, at_rest in enumerate(found.at_rest):
        values, modes = _modes(found.A[k], scales[k], names, period) if at_rest else (np.empty(0), ())
        poses.append(AtPose(places[k], period, values, modes, int(whose[k])))
    return Stability(loop.controller.title, tuple(poses))


def warn_unstable(loop: Loop, constants: Mapping[str, Array], wanted: Array) -> tuple[str, ...]:
    """Warn of a loop that is unstable at the start, middle or end of positions (T, nq); what was said."""
    ends = np.unique([0, len(wanted) // 2, len(wanted) - 1])
    poses = np.ascontiguousarray(wanted[ends])
    decide = poses.tobytes(), *((name, x.shape, x.tobytes()) for name, x in constants.items())
    said = loop.verdicts(decide, lambda: (examined(loop, constants, poses).warning,))
    if said == (None,):
        return ()
    warned(*said)
    return said


def warned(sentence: str) -> None:
    """Warn where somebody called this package."""
    frame, level = sys._getframe(1), 2
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("strobe."):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, ControlWarning, stacklevel=level)


def _modes(A: Array, scales: Array, names: Sequence[str], period: float) -> tuple[Array, tuple[Mode, ...]]:
    """The eigenvalues, largest first, and the modes that grow."""
    values, vectors = np.linalg.eig(A)
    order = np.argsort(-np.abs(values), kind="stable")
    values, vectors = values[order], vectors[:, order]
    growing = np.flatnonzero((np.abs(values) > 1 + NEUTRAL) & (np.imag(values) >= 0))  # one of each pair
    modes = (Mode(complex(values[k]), period, _who(vectors[:, k], scales, names)) for k in growing)
    return values, tuple(modes)


def _who(mode: Array, scales: Array, names: Sequence[str]) -> str:
    """The joints of a mode, each by the root of its kinetic energy, in words."""
    n = len(names)
    moves = max((mode[:n], mode[n : 2 * n]), key=lambda part: float(np.abs(part).max())) * scales
    leader = int(np.argmax(np.abs(moves)))
    if np.abs(moves[leader]) < UNMOVED * np.abs(mode).max():
        return "what the loop remembers"
    sides = np.real(moves / moves[leader])
    part = np.abs(moves / moves[leader]) >= TAKES_PART
    along = [names[k] for k in np.flatnonzero(part & (sides >= 0)).tolist()]
    against = [names[k] for k in np.flatnonzero(part & (sides < 0)).tolist()]
    return " against ".join(_listed(side) for side in (along, against) if side)


def _listed(names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return f"joint {quoted[0]}" if len(quoted) == 1 else f"joints {' and '.join(_commas(quoted))}"


def _commas(words: list[str]) -> Iterator[str]:
    if len(words) > 1:
        yield ", ".join(words[:-1])
    yield words[-1]
