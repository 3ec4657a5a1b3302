"""What inverse kinematics answers: every solution, how good it is, and why there is none where there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from strobe import renamed
from strobe.errors import counted
from strobe.models.arguments import require_place
from strobe.show.sheet import Lines, Sheet, Table, displayed, tiny

Array = np.ndarray

SHOWN = 5  # reasons that are printed of a batch


class SolutionStatus(IntEnum):
    """How one pose was answered."""

    SOLVED = 0  # at least one solution within the limits
    LIMITS = 1  # solutions, all of them outside the limits of some joint
    UNREACHABLE = 2  # the frame cannot get there, whatever the joints do; the nearest is given if known
    NOT_CONVERGED = 3  # a search ended with a residual: there may be a solution that it did not find
    INVALID = 4  # the pose holds a NaN or an infinity


@displayed
@dataclass(frozen=True, eq=False)
class Solutions:
    """Joint positions for poses (..., 4, 4): K places per pose, filled from the first on, the best first.

    An empty place holds NaN. ``residual`` is the distance of the reached from the asked pose, metres and radians
    together. At a singular pose ``free`` marks joints that it leaves undetermined: they were kept where they were;
    ``double`` marks joints whose two ways have become one, so that two branches are one solution.
    """

    q: Array  # (..., K, nq)
    residual: Array  # (..., K)
    within: Array  # (..., K) whether every joint is within its limits
    status: Array  # (...) of `SolutionStatus`
    recognised: str  # how the arm was solved: "spherical wrist", "general 6R", "numeric", …
    branches: tuple[str, ...] = ()  # names of the branches where they have meanings
    branch: Array | None = None  # (..., K) which of them; −1 where a place is empty or was searched for
    free: Array | None = None  # (..., K, nq)
    double: Array | None = None  # (..., K, nq)
    parameter: str = ""  # the joint that the others depend on, of seven
    iterations: Array | None = None  # (...) of a numeric search
    reasons: tuple[str, ...] = ()  # a sentence per pose that was not solved: which joint, which bound
    names: tuple[str, ...] = ()  # of the numbers in q

    @property
    def exists(self) -> Array:
        """(..., K) whether a place holds a solution."""
        return np.isfinite(self.residual)

    @property
    def count(self) -> Array:
        """(...) solutions per pose, within the limits or not."""
        return self.exists.sum(axis=-1)

    @property
    def how(self) -> str:
        """How the arm was solved, in words."""
        return (
            f"{self.recognised} ({self.parameter} is the parameter)" if self.parameter else self.recognised
        )

    def branch_name(self, k: int) -> str:
        """What the branch of solution k of one pose is called; nothing where branches have no names."""
        if self.branch is None:
            return ""
        k = require_place("k", k, self.branch, "the solutions")
        return self.branches[self.branch[k]] if self.branch[k] >= 0 else "by search"

    def _sheet(self) -> Sheet:
        if self.status.ndim:
            return Sheet(
                self._summary(), [*map(Lines, self.reasons[:SHOWN]), *_more(len(self.reasons) - SHOWN)]
            )
        count = int(self.count)
        head = (
            f"{self.how}: {counted(count, 'solution')}, {int(self.within.sum())} within the limits (rad, m)"
        )
        return Sheet(head, [*_table(self._rows(count)), *map(Lines, self.reasons)])

    def _summary(self) -> str:
        """How many poses were answered how."""
        kinds = [
            (int((self.status == kind).sum()), kind.name.lower().replace("_", " "))
            for kind in SolutionStatus
        ]
        largest = float(np.nanmax(self.residual)) if self.exists.any() else 0.0
        told = ", ".join(f"{number} {name}" for number, name in kinds if number)
        return f"{self.how}: {counted(self.status.size, 'pose')}: {told}; residual at most {tiny(largest)}"

    def _rows(self, count: int) -> list[list[str]]:
        """The solutions of one pose as texts, below the names of their columns."""
        names = self.names or tuple(f"q{k + 1}" for k in range(self.q.shape[-1]))
        named = bool(self.branches) and self.branch is not None
        rows = [["", *names, "residual", "limits", *(["branch"] if named else [])]] if count else []
        for k in range(count):
            marks = [
                "*" if self.free is not None and self.free[k, i] else
                "=" if self.double is not None and self.double[k, i] else ""
                for i in range(len(names))
            ]  # fmt: skip
            q = [f"{round(float(x), 6) + 0.0:.6f}{mark}" for x, mark in zip(self.q[k], marks, strict=True)]
            held = "within" if self.within[k] else "outside"
            branch = [self.branch_name(k)] if named else []
            rows.append([str(k + 1), *q, tiny(self.residual[k]), held, *branch])
        return rows


MARKS = {"*": "could be anywhere: kept where it was", "=": "two branches are one here"}


def _table(rows: list[list[str]]) -> list[Table | str]:
    """Texts in columns, and what the marks behind numbers mean."""
    if not rows:
        return []
    used = [mark for mark in MARKS if any(text.endswith(mark) for row in rows for text in row)]
    return [Table(rows[0], rows[1:]), *(f"{mark} {MARKS[mark]}" for mark in used)]


def _more(left: int) -> list[str]:
    return [f"… and {left} more"] if left > 0 else []


renamed.answer(__name__)
