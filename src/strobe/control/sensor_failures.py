"""Which loops were braked because a sensor failed: whose, when, and how fast the arm still is, in sentences."""

from __future__ import annotations

import numpy as np

from strobe.control.instruments import STOPPED, missed
from strobe.control.loop import Loop
from strobe.errors import counted
from strobe.simulate.problem import joint_at

Array = np.ndarray


def stops_of(loop: Loop, out: Array, state: Array) -> tuple[Array, tuple[str, ...]]:
    """Which of the loops (N,) were braked, and what there is to say of the first of them.

    ``out`` (N, rounds, …) are the states before every round, ``state`` (N, …) those after the last.
    """
    if loop.continuous or not loop.instruments.watched:
        return np.zeros(len(state), dtype=bool), ()

    def after(name: str) -> Array:
        """A part of the memory (N, rounds, size) after every round."""
        place = loop.layout.places[name]
        return np.concatenate([out[:, 1:, place], state[:, None, place]], axis=1)

    flags = after(STOPPED)[..., 0] > 0.5
    stopped: Array = np.any(flags, axis=1)
    if not stopped.any():
        return stopped, ()
    first = np.where(stopped, flags.argmax(axis=1), len(flags[0]))
    run = int(first.argmin())
    k, period = int(first[run]), loop.controller.period
    whose = (
        f"in loop {run}, the first of {counted(int(stopped.sum()), 'loop')}, " if len(stopped) > 1 else ""
    )
    speed = _speed(loop, state[run])
    said: list[str] = []
    for quantity in loop.instruments.channels:
        periods = after(missed(quantity))[run, k]
        failed = np.flatnonzero(periods > loop.sensors.most_missing)
        if failed.size:
            since = (k + 1 - periods[failed].max()) * period
            said.append(
                f"{whose}the {quantity} sensor of {_joints(loop, failed)} gave no reading from t = {since:.4g} s on; "
                f"the arm was braked from t = {k * period:.4g} s on, and moves at {speed} at the end."
            )
    return stopped, tuple(said)


def _joints(loop: Loop, which: Array) -> str:
    names = [f'"{joint_at(loop.plant, j).name}"' for j in which]
    if len(names) == 1:
        return f"joint {names[0]}"
    return "every joint" if len(names) == loop.plant.nv else f"joints {', '.join(names)}"


def _speed(loop: Loop, state: Array) -> str:
    """The largest speed of a joint, with its unit."""
    qd = np.abs(state[loop.parts.qd])
    j = int(qd.argmax())
    joint = joint_at(loop.plant, j)
    return f"{qd[j]:.2g} {'rad/s' if joint.turns_by(j - joint.v) else 'm/s'}"
