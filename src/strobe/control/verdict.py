"""What a motion controller reports back of loops that have run: their status, and why, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import every, one_or_each
from strobe.control.status import TrackingStatus
from strobe.control.tracking_result import Tracked
from strobe.errors import ArgumentError, shown
from strobe.robot import Robot
from strobe.simulate.problem import joint_at

Array = np.ndarray
MENTIONED = 5  # loops of a batch whose fate is told one by one
FAR = 0.5  # rad or m: an arm that is farther off is on no motion, whatever nobody said
SHORTEST = 1e-12  # seconds: a motor that gave less for a shorter time gave all


def tolerances(robot: Robot, tolerance: Any) -> Array:
    """How far (nv,) every joint may be from where it should be: one number for all, or one for each."""
    if tolerance is None:
        return np.full(robot.nv, FAR)
    found = one_or_each("tolerance", tolerance, robot.nv, robot.shape_reason)
    if found.ndim > 1 or not (found > 0).all():
        raise ArgumentError(f"tolerance is {shown(tolerance)}; expected numbers above zero.")
    return np.broadcast_to(found, (robot.nv,))


def judged(run: Tracked, unkept: Sequence[str], tolerance: Array, limited: bool) -> Tracked:
    """The run with its status, the worst of what is found, and what there is to say."""
    status, notes = run.status.copy(), [*unkept, *_losses(run)]
    if unkept:
        status = np.maximum(status, TrackingStatus.INFEASIBLE)
    cut = (run.cut > SHORTEST).any(axis=-1) if limited else np.zeros(status.shape, dtype=bool)
    status = np.where(cut, np.maximum(status, TrackingStatus.INFEASIBLE), status)
    notes += _cuts(run) if limited else _beyond(run)
    if run.done and every(np.abs(run.error) <= tolerance):
        return replace(run, status=status.astype(np.int8), notes=(*run.notes, *notes))
    lost = (run.status >= TrackingStatus.STOPPED)[..., None, None]  # and told so already
    off = np.where(lost, 0.0, np.nan_to_num(np.abs(run.error)) / tolerance)
    left = (off > 1).any(axis=(-1, -2))
    status = np.where(left, np.maximum(status, TrackingStatus.DEVIATION), status)
    notes += _deviation(run, off, tolerance) if left.any() else []
    return replace(run, status=status.astype(np.int8), notes=(*run.notes, *notes))


def _losses(run: Tracked) -> list[str]:
    """A sentence for each of the first loops that were lost, and how many there are."""
    if run.done:
        return []
    which = np.flatnonzero(run.status.ravel() == TrackingStatus.DIVERGED)
    said = [_loss(run, int(i)) for i in which[:MENTIONED]]
    if len(which) > MENTIONED:
        said.append(f"{len(which):,} of {run.status.size:,} loops diverged in all; status says which.")
    return said


def _loss(run: Tracked, i: int) -> str:
    """What happened to one loop, by its last good state."""
    qd, tau = (x.reshape(-1, *x.shape[-2:])[i] for x in (run.qd, run.tau))
    good = np.isfinite(qd).all(axis=1)
    k = len(good) - 1 - int(good[::-1].argmax())
    who = f"loop {i}" if run.status.ndim else "the loop"
    if not np.isfinite(tau[k]).all():
        j = int(np.argmin(np.isfinite(tau[k])))
        return (
            f"{who} was lost at t = {run.times[k]:.6g} s: the torque that the controller asks of joint "
            f'"{joint_at(run.plant, j).name}" is no number.{_beside(run)}'
        )
    j = int(np.argmax(np.abs(qd[k])))
    return (
        f'{who} diverged at t = {run.times[k]:.6g} s: joint "{joint_at(run.plant, j).name}" moves at '
        f"{qd[k, j]:.3g} {_length(run.plant, j)}/s. Are the gains too high for the period and the delay?"
    )


def _beside(run: Tracked) -> str:
    """That a model may be what gave no number."""
    model = run.controller.model
    return "" if model is None else f' Its model "{model.name}" may know nothing of that state.'


def _cuts(run: Tracked) -> list[str]:
    """Which motors gave less than was asked, and for how long."""
    longest = run.cut.reshape(-1, run.plant.nv).max(axis=0)
    return [
        f'the motor of joint "{joint_at(run.plant, j).name}" gave less than was asked for {longest[j]:.3g} s'
        + (" in one run, the longest." if run.stopped.ndim else ".")
        for j in np.flatnonzero(longest > SHORTEST)
    ]


def _beyond(run: Tracked) -> list[str]:
    """Which joints were given more torque than the robot's limits, that nobody asked to keep."""
    limits = run.plant.limits.effort
    if bool((np.abs(run.tau) <= limits).all()):
        return []
    asked = np.nan_to_num(np.abs(run.tau)).reshape(-1, run.plant.nv).max(axis=0)
    return [
        f'joint "{joint_at(run.plant, j).name}" is given {asked[j]:.4g} {_force(run.plant, j)}, beyond its limit '
        f"{limits[j]:g}; with limits=True its motor gives no more."
        for j in np.flatnonzero(asked > limits)
    ]


def _deviation(run: Tracked, off: Array, tolerance: Array) -> list[str]:
    """When and where the arm first left the motion, in the loop that went farthest."""
    flat = off.reshape(-1, *off.shape[-2:])
    worst = int(flat.max(axis=(1, 2)).argmax())
    k = int((flat[worst] > 1).any(axis=1).argmax())
    j = int(flat[worst, k].argmax())
    error = np.abs(run.error).reshape(flat.shape)[worst]
    who, unit = f"in loop {worst} " if run.stopped.ndim else "", _length(run.plant, j)
    return [
        f'{who}joint "{joint_at(run.plant, j).name}" left the motion by more than {tolerance[j]:g} {unit} at '
        f"t = {run.times[k]:.4g} s, and by {np.nanmax(error[:, j]):.3g} {unit} at most."
    ]


def _force(robot: Robot, j: Any) -> str:
    return "N m" if _length(robot, j) == "rad" else "N"


def _length(robot: Robot, j: Any) -> str:
    joint = joint_at(robot, j)
    return joint.rate_units[j - joint.v]
