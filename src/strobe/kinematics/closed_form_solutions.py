"""Solutions of many poses without a search: as a `Solver` has them, ranked, polished, and put to the test.

Every solution is put back into the robot's own forward kinematics, and the residual says what came out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from strobe.kinematics import general_6r, redundant
from strobe.kinematics.analytic import limits_of
from strobe.kinematics.poses import twelve
from strobe.kinematics.ranking import TURN, valued
from strobe.kinematics.screws import newton
from strobe.kinematics.serial_chain import Serial
from strobe.kinematics.solver import Solver
from strobe.scalars import LANES, Lanes

Array = np.ndarray

ROUNDING = 1e-11  # residuals above it are worth a step of Newton's method
NEAR = 1e-3  # and below it: what is further off is no solution
MET = 1e-9  # a residual below it is rounding: the pose is met
MOST = 16  # solutions kept where there are more


@dataclass(frozen=True, eq=False)
class Places:
    """Solutions of N poses, K places each."""

    poses: Array  # (N, 4, 4)
    near: Array  # (N, nq)
    q: Array  # (N, K, nq)
    residual: Array  # (N, K) NaN in empty places
    outside: Array  # (N, K)
    codes: Array  # (N, K) free and double joints, as `analytic.coded`
    branch: Array  # (N, K)

    def put_first(self, at: Array, q: Array, residual: Array, outside: float) -> None:
        """Solutions of some poses before those that there are."""
        for whole, first in (
            (self.q, q), (self.residual, residual), (self.outside, outside), (self.codes, 0.0), (self.branch, -1.0)
        ):  # fmt: skip
            whole[at, 1:] = whole[at, :-1]
            whole[at, 0] = first


def solved(
    solver: Solver, poses: Array, near: Array, limits: bool, tolerance: float, threads: int | None
) -> Places:
    """Solutions of poses (N, 4, 4) within a tolerance, the best first, for a robot at (N, nq)."""
    arm, n = solver.arm, solver.arm.n
    here = near if solver.whole else near[:, arm.columns]
    turns = np.rint(here / TURN) * (TURN * (solver.endless if limits else arm.revolute))
    rows = _ways(solver, poses, here - turns, limits, threads)
    q = rows[..., :n] + turns[:, None] if np.count_nonzero(turns) else rows[..., :n]
    q = q if solver.whole else _whole(arm, q, near)
    residual = solver.call(solver.residual, threads, q, twelve(poses)[:, None])[..., 0]
    found = Places(poses, near, q, residual, rows[..., n], rows[..., n + 1], rows[..., n + 2])
    if np.count_nonzero(residual > min(ROUNDING, tolerance)):  # NaN is not
        found = _accepted(_polished(arm, found) if solver.what == "pose" else found, tolerance)
    return found


def _ways(solver: Solver, poses: Array, near: Array, limits: bool, threads: int | None) -> Array:
    """(N, K, n + 3): positions, how far outside the limits, free and double joints, branch; the best first."""
    arm = solver.arm
    if solver.method is not None:
        return solver.call(solver.closed_form(limits), threads, twelve(poses), near)
    if solver.name == general_6r.NAME:
        found = general_6r.solve(arm, poses)
    else:
        family = redundant.solve(arm, poses, solver.parameter)
        nearest, _ = redundant.nearest(arm, poses, near, family)
        found = np.concatenate([nearest[:, None], family.q.reshape(len(poses), -1, arm.n)], axis=1)
    return _ranked(arm, found, near, limits)


def _ranked(arm: Serial, found: Array, near: Array, limits: bool) -> Array:
    """The best of solutions (N, K, n) in order, with what belongs to them."""
    place = [Lanes(found[..., i]) for i in range(arm.n)]
    with np.errstate(invalid="ignore"):
        row = valued(
            [*place, 0.0, 0.0], [Lanes(near[:, None, i]) for i in range(arm.n)], limits_of(arm, limits)
        )
    key, *columns = (np.broadcast_to(LANES.lower(x), found.shape[:2]) for x in row)
    best = np.argsort(key, axis=-1)[:, :MOST]
    return np.stack([np.take_along_axis(column, best, -1) for column in columns], axis=-1)


def _whole(arm: Serial, q: Array, near: Array) -> Array:
    """Positions of the whole robot: joints that do not carry the frame stay where they are."""
    whole = np.repeat(near[:, None], q.shape[1], axis=1)
    whole[..., arm.columns] = q
    whole[np.isnan(q).any(-1)] = np.nan
    return whole


def _polished(arm: Serial, rows: Places) -> Places:
    """The same solutions, with a step of Newton's method where rounding was amplified."""
    q, residual = rows.q.copy(), rows.residual.copy()
    which = np.nonzero((residual > ROUNDING) & (residual < NEAR))
    better, left = newton(arm, q[which][:, arm.columns], rows.poses[which[0]], steps=3)
    improved = left < residual[which]
    chosen = tuple(index[improved] for index in which)
    q[(*(i[:, None] for i in chosen), arm.columns)] = better[improved]
    residual[chosen] = left[improved]
    return replace(rows, q=q, residual=residual)


def _accepted(rows: Places, tolerance: float) -> Places:
    """Solutions that reach their pose, the others emptied, without gaps between them.

    What misses a pose that another solution meets only comes near.
    """
    best = np.fmin.reduce(rows.residual, axis=-1, keepdims=True)
    good = rows.residual <= np.where(best < MET, min(MET, tolerance), tolerance)
    order = np.argsort(~good, axis=-1, kind="stable")
    kept = np.take_along_axis(good, order, -1)
    q = np.where(kept[..., None], np.take_along_axis(rows.q, order[..., None], 1), np.nan)
    residual = np.where(kept, np.take_along_axis(rows.residual, order, -1), np.nan)
    others = {
        name: np.take_along_axis(getattr(rows, name), order, -1) for name in ("outside", "codes", "branch")
    }
    return replace(rows, q=q, residual=residual, **others)
