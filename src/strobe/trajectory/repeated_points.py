"""Points that repeat the one before them: planners that need time between points leave them out, and say so."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from strobe.errors import ArgumentError
from strobe.trajectory.requests import ROUNDING, Request

Array = np.ndarray


class Distinct(NamedTuple):
    """A request whose points follow one another at a distance, and which of them each point of the original is."""

    asked: Request
    place: Array
    notes: tuple[str, ...]


def distinct(asked: Request) -> Distinct:
    """The request without points at which nothing changes; at least two points remain."""
    kept, index, notes = [0], [0], list[str]()
    qd = asked.qd.copy()
    for k in range(1, len(asked.q)):
        last = kept[-1]
        same = np.allclose(asked.q[k], asked.q[last], rtol=ROUNDING, atol=ROUNDING)
        if same and not asked.times[k] > asked.times[last]:
            _require_one_velocity(asked, qd, last, k)
            qd[last] = np.where(np.isnan(qd[last]), qd[k], qd[last])
            notes.append(same_place(asked, last, k))
        else:
            if asked.times[k] == asked.times[last]:
                raise ArgumentError(
                    f"{asked.labels[last]} and {asked.labels[k]} are different, but have the same time "
                    f"{asked.times[k]:g} s."
                )
            kept.append(k)
        index.append(len(kept) - 1)
    if len(kept) == 1:
        raise ArgumentError(
            f"all {len(asked.q)} points are the same; this method needs two that differ. "
            "constant-acceleration stays where it is."
        )
    labels = [asked.labels[k] for k in kept]
    return Distinct(
        asked.with_points(asked.q[kept], qd[kept], asked.times[kept], labels), np.array(index), tuple(notes)
    )


def same_place(asked: Request, first: int, second: int) -> str:
    """That two points are one."""
    return f"{asked.labels[first]} and {asked.labels[second]} are the same: no time passes between them."


def _require_one_velocity(asked: Request, qd: Array, first: int, second: int) -> None:
    """Refuse two velocities at one place and time."""
    for j, joint in enumerate(asked.joint_names):
        a, b = qd[first, j], asked.qd[second, j]
        if not (np.isnan(a) or np.isnan(b) or a == b):
            raise ArgumentError(
                f'{asked.labels[first]} and {asked.labels[second]} are the same, but ask joint "{joint}" for '
                f"velocities {a:g} and {b:g}."
            )
