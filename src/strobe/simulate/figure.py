"""A simulated motion, drawn: where its energy is, and every joint's position, velocity and torque over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from strobe.errors import ArgumentError, shown
from strobe.models.arguments import is_whole
from strobe.models.joints import Joint
from strobe.robot import Robot
from strobe.show.plots import Panel, near, small_multiples
from strobe.show.rounding_noise import quiet

if TYPE_CHECKING:
    from strobe.simulate.run import Run

Array = np.ndarray

ENERGIES = {"kinetic": "kinetic energy", "potential": "potential energy", "drift": "unaccounted for"}
WIDE = 1000  # pixels: three panels side by side
LOOKS = 500  # rows, about, that are drawn
ROWS = 12  # degrees of freedom, at most: those that move most


def simulation_figure(run: Run, which: int = 0) -> str:
    """One run of a batch."""
    if not is_whole(which, 0) or which >= run.status.size:
        raise ArgumentError(
            f"which is {shown(which)}; expected the number of a run, 0 to {run.status.size - 1}."
        )
    if not len(run.times):
        raise ArgumentError("the run has no rows: there is nothing to draw.")
    rows = np.unique(np.linspace(0, len(run.times) - 1, LOOKS).astype(int))
    books = run.audit.at(rows)
    whole = {"q": run.q[..., rows, :], "qd": run.qd[..., rows, :], "tau": run.tau[..., rows, :]}
    whole |= {"kinetic": books.kinetic, "potential": books.potential, "drift": books.drift}
    data = {name: one(values, which, run.status.ndim) for name, values in whole.items()}
    title = f"{run.robot.name} for {run.times[-1] - run.times[0]:.3g} s ({run.method})"
    return run_figure(run.robot, {"times": run.times[rows], **data}, title, WIDE)


def run_figure(robot: Robot, data: Mapping[str, Array], title: str, width: int) -> str:
    """Energies, then a row per degree of freedom, from arrays over time."""
    data = {**data, "tau": quiet(data["tau"]), "qd": quiet(data["qd"])}
    t = data["times"]
    columns = 3 if np.any(np.nan_to_num(data["tau"])) else 2  # torques where there are any
    energies = [Panel(words, "J", "time (s)", t, data[name]) for name, words in ENERGIES.items()]
    moved = _moved(robot, data["q"])
    kept = np.argsort(-np.ptp(np.nan_to_num(moved), axis=0), kind="stable")[:ROWS]
    places = [(joint, k) for joint in robot.coordinates.joints for k in range(joint.nv)]
    panels = [
        _panels(joint, k, t, moved[:, d], data["qd"][:, d], data["tau"][:, d])
        for d, (joint, k) in enumerate(places)
        if d in kept
    ]
    names = ", ".join(row[0].name for row in panels)
    described = f"Energies, and position, velocity and torque of {names} over time."
    return small_multiples(title, described, [row[:columns] for row in (energies, *panels)], width=width)


def one(values: Array, which: int, batch: int) -> Array:
    """One run of a batch."""
    return values.reshape(-1, *values.shape[batch:])[which]


def _moved(robot: Robot, q: Array) -> Array:
    """Positions (T, nv): a joint's own, or of a quaternion how far it has turned since the start."""
    values = robot.difference(np.broadcast_to(q[0], q.shape), q)
    for joint in robot.coordinates.joints:
        if joint.nq == 1:
            values[:, joint.v] = q[:, joint.q]
    return values


def _panels(joint: Joint, k: int, t: Array, q: Array, qd: Array, tau: Array) -> list[Panel]:
    """Position, velocity and torque of one degree of freedom, with their limits where these are near."""
    turns = joint.turns_by(k)
    length, force = ("rad", "N m") if turns else ("m", "N")
    name, limits = joint.rate_names[k], joint.limits
    own = "q" if joint.nq == 1 else "moved by"
    bounds = (
        (limits.lower, limits.upper),
        (-limits.velocity, limits.velocity),
        (-limits.effort, limits.effort),
    )
    units = f"{own}, {length}", f"q̇, {length}/s", f"{'torque' if turns else 'force'}, {force}"
    return [
        Panel(name, unit, "time (s)", t, values, near(ends, values) if joint.nv == 1 else ())
        for unit, values, ends in zip(units, (q, qd, tau), bounds, strict=True)
    ]
