"""Gains of drives from logs of currents without and with a load in the hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from strobe.errors import ArgumentError
from strobe.identify.drive_gains import PAYLOAD, Gains, LoadedLayout, gains_of
from strobe.identify.estimators import ROUNDS
from strobe.identify.even_samples import Stretch
from strobe.identify.log_sources import Source
from strobe.identify.payload_regressor import payload_regressor
from strobe.identify.torque_fit import Triangle
from strobe.identify.torque_rows import TorqueModel
from strobe.robot import Robot

Array = np.ndarray


def found_gains(
    model: TorqueModel,
    arm: Robot,
    free: Sequence[Source],
    loaded: Sequence[Source],
    mass: float,
    frame: str,
) -> Gains:
    """Drive gains from currents without and with a load of known mass at a frame; ``arm`` has masses of some kind."""
    for source in (*free, *loaded):
        if source.first.current is None:
            raise ArgumentError(
                f"{source.log.source}: gains come from motor currents, and there are none in it."
            )
    layout = LoadedLayout(model.base.count, len(model.symbols), arm.nv)
    found: Gains | None = None
    for _ in range(ROUNDS if model.needs_load else 1):
        triangles = layout.empty()
        empty: Iterable[tuple[Stretch, bool]] = ((piece, False) for source in free for piece in source)
        carrying = ((piece, True) for source in loaded for piece in source)
        for piece, carries in chain(empty, carrying):
            _add_current(triangles, model, arm, piece, frame if carries else None, free[0].cutoff, found)
        found = gains_of(layout, triangles, mass)
    assert found is not None
    return found


def _add_current(
    triangles: Sequence[Triangle], model: TorqueModel, arm: Robot, piece: Stretch, frame: str | None, cutoff: float,
    found: Gains | None,
) -> None:  # fmt: skip
    """Rows of currents, with columns for what the hand holds at a frame."""
    held = np.zeros((*piece.q.shape, PAYLOAD))
    if frame is not None:
        held = payload_regressor(arm, piece.q, piece.qd, piece.qdd, frame=frame)
    values, carried = (None, 0.0) if found is None else (found.beside, held @ found.load)
    rows = model.rows(piece, cutoff, values, carried)
    kept = rows.band.kept(held)
    for j, triangle in enumerate(triangles):
        m = rows.tells[:, j]
        columns = np.column_stack([rows.base[m, j], kept[m, j], rows.friction[m, j]])
        triangle.add(columns, rows.effort[m, j], rows.worth)
