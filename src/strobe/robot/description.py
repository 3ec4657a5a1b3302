"""What is shown of a robot: its joints, with their limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from strobe.errors import counted
from strobe.models.joints import Joint
from strobe.robot.answers import Bounds
from strobe.show.sheet import Column, Sheet, Table, by_joint
from strobe.show.units import efforts, lengths, per_second

if TYPE_CHECKING:
    from strobe.robot.framework import Framework


def limits(joints: Sequence[Joint]) -> Bounds:
    """The limits of every degree of freedom."""
    rows = [joint.limits for joint in joints for _ in range(joint.nv)]
    columns = zip(*((r.lower, r.upper, r.velocity, r.acceleration, r.effort) for r in rows), strict=True)
    return Bounds(*(np.array(column) for column in columns)) if rows else Bounds(*[np.empty(0)] * 5)


def sheet(robot: Framework) -> Sheet:
    """The robot in a line, and its joints with those of their limits that it has."""
    joints, bounds = robot.coordinates.joints, robot.limits
    pattern = "".join(joint.letter for joint in joints)
    mass = sum(float(body.inertial.m) for body in robot.model.bodies)  # pyright: ignore[reportArgumentType]
    freedom = f"{counted(robot.n, 'degree')} of freedom ({pattern})"
    head = f"{robot.name}: {freedom}, {mass:.4g} kg moving, {counted(len(robot.frames), 'frame')}"
    names = [name for joint in joints for name in joint.rate_names]
    kinds = [joint.kind for joint in joints for _ in range(joint.nv)]
    length = lengths(joints)
    columns = [
        Column("lower", bounds.lower, length), Column("upper", bounds.upper, length),
        Column("velocity", bounds.velocity, per_second(length)), Column("effort", bounds.effort, efforts(joints)),
    ]  # fmt: skip
    table = by_joint(names, [column for column in columns if np.isfinite(column.values).any()])
    rows = [[row[0], kind, *row[1:]] for row, kind in zip(table.rows, kinds, strict=True)]
    return Sheet(head, [Table(["joint", "kind", *table.columns[1:]], rows)])
