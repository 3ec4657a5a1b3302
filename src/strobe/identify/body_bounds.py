"""Bounds on bodies that keep the program of possible bodies convex: their mass, and a box that holds all of it.

    m⁻ < m < m⁺        ∫ (x − l)(u − x) dm = (l + u) mc − Σ − l u m > 0        along each axis, Σ = ∫ x² dm

Mass within a box satisfies the second, which is linear in the ten parameters; its centre then lies in the box too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strobe.errors import ArgumentError, nearest
from strobe.identify.possible import ENTRIES, Bounds
from strobe.models.arguments import finite_numbers, require_mapping
from strobe.robot import Robot

Array = np.ndarray


def body_bounds(robot: Robot, known: Array, within: Any, masses: Any) -> tuple[Bounds, Array, list[str]]:
    """Linear bounds on bodies by name, a start that keeps them, and a sentence for those that were given outside.

    ``within`` are boxes (lower corner, upper corner) about body frames, m; ``masses`` (least, most), kg. ``known``
    are the ten parameters of every body.
    """
    boxes = _pairs(robot, "within", {} if within is None else within, 3)
    spans = _pairs(robot, "masses", {} if masses is None else masses, 1)
    rows, ends, start, remarks = list[Array](), list[float](), known.copy(), list[str]()
    names = [body.name for body in robot.model.bodies]
    for name in dict.fromkeys([*boxes, *spans]):
        b = names.index(name)
        own, least = _rows(boxes.get(name), spans.get(name))
        if (own @ known[b] <= least).any():
            remarks.append(f"{name} as it was given does not keep the bounds that are said of it.")
            start[b] = _filling(known[b], boxes.get(name), spans.get(name))
        for row, end in zip(own, least, strict=True):
            whole = np.zeros(known.size)
            whole[10 * b : 10 * b + 10] = row
            rows.append(whole)
            ends.append(end)
    return Bounds(np.reshape(rows, (len(rows), known.size)), np.array(ends)), start, remarks


def _pairs(robot: Robot, what: str, given: Any, size: int) -> dict[str, tuple[Array, Array]]:
    require_mapping(what, given, "pairs by the name of a link")
    names = [body.name for body in robot.model.bodies]
    found: dict[str, tuple[Array, Array]] = {}
    for name, pair in dict(given).items():
        if name not in names:
            raise ArgumentError(f'{what}: {robot.name} has no link "{name}".{nearest(str(name), names)}')
        if not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise ArgumentError(f"{what}: {name} has no pair of a least and a most.")
        low, high = (np.array(finite_numbers(f"{what}: {name}", np.ravel(end), size)) for end in pair)
        if not (low < high).all() or (what == "masses" and low[0] < 0):
            raise ArgumentError(f"{what}: {name} has no room between {low.tolist()} and {high.tolist()}.")
        found[name] = low, high
    return found


def _rows(box: tuple[Array, Array] | None, span: tuple[Array, Array] | None) -> tuple[Array, Array]:
    rows, ends = list[Array](), list[float]()
    if span is not None:
        mass = np.eye(10)[0]
        rows += [mass, -mass]
        ends += [float(span[0][0]), -float(span[1][0])]
    if box is not None:
        for k, (l, u) in enumerate(zip(*box, strict=True)):
            row = -ENTRIES[:, k, k].copy()
            row[1 + k] += l + u
            row[0] -= l * u
            rows.append(row)
            ends.append(0.0)
    return np.array(rows), np.array(ends)


def _filling(ten: Array, box: tuple[Array, Array] | None, span: tuple[Array, Array] | None) -> Array:
    """A plain body that keeps bounds: its mass spread over the middle of the box."""
    mass = float(ten[0])
    if span is not None:
        low, high = float(span[0][0]), float(span[1][0])
        mass = float(np.clip(mass, low + 0.05 * (high - low), high - 0.05 * (high - low)))
    if box is None:
        return ten * (mass / ten[0])
    middle, width = (box[0] + box[1]) / 2, box[1] - box[0]
    spread = np.diag(width**2 / 12) + np.outer(middle, middle)
    P = mass * np.block([[spread, middle[:, None]], [middle[None, :], np.ones((1, 1))]])
    return np.linalg.lstsq(ENTRIES.reshape(10, -1).T, P.ravel())[0]
