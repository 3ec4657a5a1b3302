"""`Count`: a number that knows only what it cost.

*Folded* leaves model constants as Python numbers, so that this robot's zeros and ones cost nothing.
*Dense* reproduces the papers' bookkeeping: every entry is a number, a body's placement is opaque and
free, the base at rest is charged, and only what depends on the model alone is free.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from strobe.scalars.scalar import Num, Scalar, System

if TYPE_CHECKING:
    from strobe.algebra.placement import Pose


class FoldedCount(System):
    """Counts what remains after this robot's zeros and ones are folded away."""

    name = "folded Count"

    def __init__(self) -> None:
        self.tally: Counter[str] = Counter()

    def variable(self, name: str, angle: bool = False) -> Num:
        return Count(self)

    def lower(self, x: Num) -> Counter[str]:
        return self.tally

    @property
    def multiplications(self) -> int:
        return self.tally["mul"] + self.tally["div"]

    @property
    def additions(self) -> int:
        return self.tally["add"] + self.tally["sub"]


class DenseCount(FoldedCount):
    """Counts an algorithm as written, for a robot without zeros."""

    name = "dense Count"

    def number(self, x: float) -> Num:
        return Count(self, constant=True)

    def circle(self, angle: float) -> tuple[Num, Num]:
        return Count(self, constant=True), Count(self, constant=True)

    def rest(self) -> Num:
        return Count(self)

    def entry(self, x: Num) -> Num:
        return x if isinstance(x, Count) else Count(self, constant=True)

    def pose(self, pose: Pose) -> Pose:
        return pose.opaque(lambda: Count(self))


class Count(Scalar):
    """A number that knows only what it cost."""

    __slots__ = ("constant",)

    system: FoldedCount

    def __init__(self, system: FoldedCount, constant: bool = False) -> None:
        self.system = system
        self.constant = constant  # depends on the model alone: computed once, free

    def apply(self, op: str, *args: Num) -> Count:
        # every argument is admitted before any is judged
        constants = [self.admit(a).constant for a in args]
        if all(constants):
            return self if self.constant else Count(self.system, constant=True)
        self.system.tally[op] += 1
        return Count(self.system) if self.constant else self

    def literal(self, x: float) -> Count:
        return Count(self.system, constant=True)
