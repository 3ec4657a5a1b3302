"""How well a hand can be moved: manipulability, directions that are lost, room to the joint limits.

    w = √det(J Jᵀ), the product of the singular values of J (Yoshikawa)

Rows of J have different units, so that `of="all"` mixes metres and radians: ``length`` says how many metres count as
one radian. An arm with fewer joints than rows has √det(Jᵀ J), the same product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.runtime.arrays import checked, in_precision, precision, real_numbers
from strobe.errors import ArgumentError, UnknownNameError, counted
from strobe.models.arguments import require_above, require_texts
from strobe.models.loops import require_open
from strobe.show.sheet import Column, Sheet, by_joint, displayed, listed, numbered, states
from strobe.show.units import EITHER

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

ROWS = ("x", "y", "z", "wx", "wy", "wz")  # of a Jacobian: linear velocity, angular velocity
OF = {"translation": ROWS[:3], "rotation": ROWS[3:], "all": ROWS}
ALLOWED = "For rates that its loops allow: robot.jacobian(q, frame) @ robot.closed_velocities(q, v)."
SAID = 8  # sentences of a sheet
RANK = 1e-9  # singular values below this part of the largest are rounding


def rows_of(of: str | Sequence[str]) -> list[int]:
    """The rows of a Jacobian that are meant: "translation", "rotation", "all", or names such as ("x", "y", "wz")."""
    names = OF.get(of, (of,)) if isinstance(of, str) else tuple(require_texts("of", of))
    for name in names:
        if name not in ROWS:
            raise UnknownNameError("row", str(name), "a Jacobian", [*OF, *ROWS])
    if not names or len(set(names)) < len(names):
        raise ArgumentError(
            f"of={of!r} names {'a row twice' if names else 'no row'}; expected each row once."
        )
    return [ROWS.index(name) for name in names]


def manipulability(
    robot: Robot, q: Any, frame: str | None = None, of: str | Sequence[str] = "all", length: float = 1.0
) -> Array:
    """√det(J Jᵀ) (...): zero where the hand cannot be moved in some direction of those asked for."""
    J = chosen_rows(robot, q, frame, of, length)
    tall = J if J.shape[-2] > J.shape[-1] else np.swapaxes(J, -1, -2)
    triangle = np.linalg.qr(tall, mode="r")  # the same product, in a fraction of the time
    found = np.abs(np.diagonal(triangle, axis1=-2, axis2=-1).prod(axis=-1))
    return in_precision(found, precision(q))


@displayed
@dataclass(frozen=True, eq=False)
class SingularDirections:
    """What a Jacobian (m rows, n columns) can and cannot do; unit vectors, one per row.

    ``hand[lost]`` are the directions in which the hand cannot be moved, in the units of the rows asked for;
    ``joints[idle]`` the joint velocities that do not move it.
    """

    values: Array  # (..., min(m, n)) singular values, largest first
    hand: Array  # (..., m, m)
    lost: Array  # (..., m) truth values
    joints: Array  # (..., n, n)
    idle: Array  # (..., n) truth values

    @property
    def rank(self) -> Array:
        """(...) independent directions in which the hand can be moved; 0 where q holds a NaN."""
        return self.lost.shape[-1] - self.lost.sum(-1)

    def _sheet(self) -> Sheet:
        rank, m = self.rank, self.lost.shape[-1]
        if rank.ndim:
            lost = int((rank < m).sum())
            head = f"of {rank.size:,} states {lost:,} have lost a direction of the hand"
            values = Column("singular value", self.values, "rad, m")
            return Sheet(head, [by_joint(numbered("", self.values.shape[-1]), [values], "")])
        parts = [f"singular values (rad and m, per rad or m of a joint): {listed(self.values)}"]
        parts += [f"the hand cannot be moved along {listed(u)}" for u in self.hand[self.lost]]
        parts += [f"joint motion without effect: {listed(v)}" for v in self.joints[self.idle]]
        return Sheet(f"the hand moves in {int(rank)} of {m} directions", parts)


def singular_directions(
    robot: Robot, q: Any, frame: str | None = None, of: str | Sequence[str] = "all", *,
    length: float = 1.0, tolerance: float = RANK,
) -> SingularDirections:  # fmt: skip
    """The directions that are lost at q, and the joint motions that do nothing.

    Singular values up to ``tolerance`` times the largest count as zero; a larger one shows what is nearly lost.
    """
    require_above("tolerance", tolerance, "a share of the largest singular value, 0 or more", or_zero=True)
    J = chosen_rows(robot, q, frame, of, length)
    m, n = J.shape[-2:]
    U, values, V = decomposed(J)
    small = ~(values > tolerance * values[..., :1])
    spare = np.ones((*small.shape[:-1], max(m, n) - min(m, n)), dtype=bool)
    every = np.concatenate([small, spare], axis=-1)
    lost, idle = (every, small) if m > n else (small, every)
    found = SingularDirections(values, np.swapaxes(U, -1, -2), lost, V, idle)
    return in_precision(found, precision(q))


def chosen_rows(
    robot: Robot, q: Any, frame: str | None, of: str | Sequence[str], length: float = 1.0
) -> Array:
    """Rows of the geometric Jacobian (..., m, n) in double precision, the linear ones divided by a length."""
    length = require_above("length", length, "a positive number of metres")
    require_open(robot.model, "what joints do to a hand one by one", ALLOWED)
    if not robot.nv:
        raise ArgumentError(f"{robot.name} has no joints that move: its hand cannot be moved.")
    rows = rows_of(of)
    scales = np.array([1.0 / length if row < 3 else 1.0 for row in rows])
    wide = real_numbers("q", q).astype(float)
    return robot.jacobian(wide, frame)[..., rows, :] * scales[:, None]


def singular_values(J: Array) -> Array:
    """(..., min(m, n)), largest first; NaN where J holds one."""
    known = _known(J)
    values = np.linalg.svd(np.where(known[..., None, None], J, 0.0), compute_uv=False)
    return np.where(known[..., None], values, np.nan)


def decomposed(J: Array) -> tuple[Array, Array, Array]:
    """U (..., m, m), the singular values (..., min(m, n)) and Vᵀ (..., n, n) of J; NaN where it holds one."""
    known = _known(J)
    U, values, V = np.linalg.svd(np.where(known[..., None, None], J, 0.0))
    unknown = ~known[..., None]
    return (
        np.where(unknown[..., None], np.nan, U),
        np.where(unknown, np.nan, values),
        np.where(unknown[..., None], np.nan, V),
    )


def _known(J: Array) -> Array:
    return np.asarray(np.isfinite(J).all((-1, -2)))


@displayed
@dataclass(frozen=True, eq=False)
class LimitMargins:
    """How far joints are from their bounds (rad, m), one column per degree of freedom; negative beyond a bound.

    ``share`` is the distance to the nearer bound over half the range: 1 in the middle, 0 at a bound. Where a bound is
    missing, its distance is infinite, and so is the share.
    """

    names: tuple[str, ...]
    to_lower: Array  # (..., n)
    to_upper: Array  # (..., n)
    share: Array  # (..., n)

    @property
    def within(self) -> Array:
        """(...) whether every joint is within its limits."""
        return np.asarray(((self.to_lower >= 0) & (self.to_upper >= 0)).all(-1))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which joint of which state is beyond which bound, and by how much."""
        found: list[str] = []
        for bound, room in (("lower", self.to_lower), ("upper", self.to_upper)):
            for *state, k in np.argwhere(room < 0).tolist():
                at = f" of state {', '.join(map(str, state))}" if state else ""
                beyond = -room[(*state, k)]
                found.append(f'joint "{self.names[k]}"{at} is beyond its {bound} limit by {beyond:.6g}.')
        return tuple(found)

    def _sheet(self) -> Sheet:
        within = "within" if self.within.all() else "not all within"
        columns = [Column("to lower", self.to_lower, EITHER), Column("to upper", self.to_upper, EITHER)]
        table = by_joint(self.names, [*columns, Column("share", self.share)])
        head = f"distances to the limits{states(self.share.shape[:-1])}: {within} them"
        return Sheet(head, [table, *self.sentences[:SAID]])


def limit_margins(robot: Robot, q: Any) -> LimitMargins:
    """The distance of every joint to its limits, at positions (..., nq)."""
    why = f"{robot.name} has {counted(robot.nq, 'position number')}"
    array = checked("q", q, (robot.nq,), why).astype(float, copy=False)
    position = np.zeros((*array.shape[:-1], robot.nv))  # joints with several numbers have no limits
    for joint in robot.coordinates.joints:
        if joint.nv == 1:
            position[..., joint.v] = array[..., joint.q]
    lower, upper = robot.limits.lower, robot.limits.upper
    to_lower, to_upper = position - lower, upper - position
    room, half = np.minimum(to_lower, to_upper), (upper - lower) / 2
    bounded = np.isfinite(half) & (half > 0)
    share = np.where(bounded, room / np.where(bounded, half, 1.0), np.copysign(np.inf, room))
    share = np.where(np.isnan(position), np.nan, share)
    margins = LimitMargins(robot.coordinates.rate_names, to_lower, to_upper, share)
    return in_precision(margins, precision(q))
