"""A Denavit-Hartenberg table as a robot: link frames where the table has them, mass and inertia moved there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from strobe.algebra import Mat3, Pose, Shift, Turn, Vec3
from strobe.algebra.placement import Spin
from strobe.kinematics.dh_printing import angle_text
from strobe.models.edits import factored
from strobe.models.model import ROOT, Body, Frame, Model, moved
from strobe.models.names import unused_name
from strobe.models.placements import joined
from strobe.models.toml_writer import write_dh_toml

if TYPE_CHECKING:
    from strobe.kinematics.denavit_hartenberg import DHTable, Row

Array = np.ndarray
NOTHING = 1e-13  # metres and cosines that are rounding


def model_of(table: DHTable) -> Model:
    """The chain on the frames of a table; the robot's own frames keep their names and places."""
    chain = table.chain
    shifts = _shifts(table)
    names = _link_names(chain, shifts)
    bodies = tuple(_body(table, body, names[body.index], shifts[body.index]) for body in chain.bodies)
    own = [Frame(chain.base_name, ROOT, Pose()), *(Frame(name, k, Pose()) for k, name in names.items())]
    taken = {frame.name for frame in own}
    others = [_frame(table, frame, shifts) for frame in chain.frames if frame.name not in taken]
    return replace(chain, bodies=bodies, frames=(*own, *others))


def toml_of(table: DHTable) -> str:
    """The robot file of `model_of`, its links as rows."""
    rows = [_entries(row) for row in table.rows]
    base = None if table.base.idle else _entries(table.base)
    return write_dh_toml(model_of(table), table.convention, rows, base)


def _shifts(table: DHTable) -> dict[int, Pose]:
    """Where every old link frame lies in the new one."""
    new = table.placements(np.zeros(table.n))[1:]
    old = rest_placements(table.chain)
    return {k: _pose(np.linalg.inv(n) @ o) for k, (n, o) in enumerate(zip(new, old, strict=True))}


def rest_placements(chain: Model) -> list[Array]:
    """Every link frame (4, 4) in base axes, all joints at their zero."""
    rest = [0.0] * chain.nq
    placed = [np.eye(4)]
    for body in chain.bodies:
        placed.append(placed[-1] @ np.array(body.pose(rest).matrix().rows, dtype=float))
    return placed[1:]


def _pose(placement: Array) -> Pose:
    """A matrix as a shift and known turns, rounding removed."""
    near = np.where(np.abs(placement) < NOTHING, 0.0, placement)
    rotation = Pose((Spin(Mat3(*(Vec3(*map(float, row[:3])) for row in near[:3]))),))
    return (Pose((Shift(Vec3(*map(float, near[:3, 3]))),)) @ factored(rotation)).trimmed()


def _link_names(chain: Model, shifts: Mapping[int, Pose]) -> dict[int, str]:
    """A link whose frame stays keeps its name; else that stays with the old frame, and the link gets another."""
    taken = {frame.name for frame in chain.frames}
    tip = chain.frames[-1].name  # stays the last frame, which a link is only where nothing else follows
    names: dict[int, str] = {}
    for body in chain.bodies:
        stays = not shifts[body.index].steps and body.name != tip
        names[body.index] = body.name if stays else unused_name(f"{body.name}_dh", taken)
        taken.add(names[body.index])
    return names


def _body(table: DHTable, body: Body, name: str, shift: Pose) -> Body:
    turn, across, twist = _screws(table.rows[body.index])
    standard = table.convention == "standard"
    before, after = (Pose(), turn @ across @ twist) if standard else (twist @ across, turn)
    if body.parent == ROOT:
        turn, across, twist = _screws(table.base)
        before = (turn @ across @ twist if standard else twist @ across @ turn) @ before
    return replace(
        body,
        name=name,
        joint=replace(body.joint, axis=2, sign=1),
        before=joined(before),
        after=after.trimmed(),
        inertial=moved(body.inertial, shift) if shift.steps else body.inertial,
    )


def _screws(row: Row) -> tuple[Pose, Pose, Pose]:
    """Rz(θ), Tz(d) Tx(a) and Rx(α)."""
    shift = Shift(Vec3(row.a, 0.0, row.d))
    return Pose((Turn.by(2, row.theta),)), Pose((shift,)), Pose((Turn.by(0, row.alpha),))


def _frame(table: DHTable, frame: Frame, shifts: Mapping[int, Pose]) -> Frame:
    """A frame of the robot on the new link frame; the one of the table stands where the table says."""
    if frame.body == ROOT:
        return frame
    if frame.name == table.frame:
        return replace(frame, placement=_pose(table.tool_placement))
    return replace(frame, placement=joined(shifts[frame.body] @ frame.placement))


def _entries(row: Row) -> dict[str, float | str]:
    """The keys of a row in a robot file: what is zero is left out, fractions of π are written as such."""
    given = {key: getattr(row, key) for key in ("a", "alpha", "d", "theta") if getattr(row, key)}
    return {key: _angle(value) if key in ("alpha", "theta") else value for key, value in given.items()}


def _angle(value: float) -> float | str:
    text = angle_text(value, "pi", "*")
    return text if "pi" in text else value
