"""Closed loops, drawn: how far the hand and every joint are off, and the torques that it took, over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from strobe.errors import ArgumentError, shown
from strobe.models.arguments import is_whole
from strobe.models.joints import Joint
from strobe.show.plots import Panel, near, small_multiples
from strobe.show.svg import SERIES
from strobe.simulate.figure import LOOKS, ROWS, one

if TYPE_CHECKING:
    from strobe.control.tracking_result import Tracked

Array = np.ndarray
WIDE = 900  # pixels: two panels side by side
ACROSS = "time (s)"


def control_figure(runs: Mapping[str, Tracked], which: int = 0) -> str:
    """The same motion under one or more controllers, by name; of batches, one loop."""
    _require(runs, which)
    first = next(iter(runs.values()))
    robot, t = first.plant, first.times
    rows = np.unique(np.linspace(0, len(t) - 1, LOOKS).astype(int))
    loops = [_curves(run, which) for run in runs.values()]
    hand, power, error, tau = (np.stack([loop[k] for loop in loops])[:, rows] for k in range(4))
    places = [(joint, k) for joint in robot.coordinates.joints for k in range(joint.nv)]
    farthest = np.nan_to_num(np.abs(error)).max(axis=(0, 1))
    kept = np.sort(np.argsort(-farthest, kind="stable")[:ROWS])
    panels = [
        [Panel("hand", "off by, m", ACROSS, t[rows], hand), Panel("motors", "power, W", ACROSS, t[rows], power)],
        *(_panels(places[d], t[rows], error[..., d], tau[..., d]) for d in kept),
    ]  # fmt: skip
    names = ", ".join(row[0].name for row in panels)
    described = f"How far {names} are from where they should be, and the torques, over time."
    title = f"{robot.name} along a motion of {first.motion.duration:.3g} s"
    return small_multiples(title, described, panels, width=WIDE, curves=list(runs))


def _require(runs: Mapping[str, Tracked], which: int) -> None:
    if not 1 <= len(runs) <= len(SERIES):
        raise ArgumentError(f"there are {len(runs)} controllers to draw; expected 1 to {len(SERIES)}.")
    first = next(iter(runs.values()))
    if any(len(run.times) != len(first.times) for run in runs.values()):
        raise ArgumentError("the loops have other periods or durations; only like ones are drawn together.")
    for run in runs.values():
        if not is_whole(which, 0) or which >= run.status.size:
            raise ArgumentError(
                f"which is {shown(which)}; expected the number of a loop, 0 to {run.status.size - 1}."
            )


def _curves(run: Tracked, which: int) -> tuple[Array, Array, Array, Array]:
    """Of one loop: the hand's error and the power of the motors (T,), the joints' errors and torques (T, nv)."""
    whole = (run.hand_error(), (run.tau * run.qd).sum(axis=-1), run.error, run.tau)
    hand, power, error, tau = (one(values, which, run.status.ndim) for values in whole)
    return hand, power, error, tau


def _panels(place: tuple[Joint, int], t: Array, error: Array, tau: Array) -> list[Panel]:
    """Error and torque of one degree of freedom; its limits where they are near."""
    joint, k = place
    turns, name = joint.turns_by(k), joint.rate_names[k]
    limits = (-joint.limits.effort, joint.limits.effort) if joint.nv == 1 else ()
    force = f"{'torque' if turns else 'force'}, {'N m' if turns else 'N'}"
    return [
        Panel(name, f"off by, {'rad' if turns else 'm'}", ACROSS, t, error),
        Panel(name, force, ACROSS, t, tau, near(limits, tau) if limits else ()),
    ]
