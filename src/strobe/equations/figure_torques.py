"""Torques, drawn: those of one state as the sums they are, and those of a log over time under their limits."""

from __future__ import annotations

import numpy as np

from strobe.equations.meaning import NOISE, Explanation
from strobe.robot import Robot
from strobe.show.axes import (
    LETTER,
    MARGIN,
    TITLE,
    WIDTH,
    Scale,
    figure,
    legend,
    lines_of_keys,
    magnitude,
    swatch,
)
from strobe.show.plots import STACK, near
from strobe.show.svg import Element, box, fill, group, path, polyline, text
from strobe.show.time_series import joints_figure
from strobe.show.units import efforts

Array = np.ndarray
BAR, GAP, LEGEND = 16, 10, 20  # heights of a bar, between bars, and of a line of keys
ROOM = 92  # for a number behind its bar
WIDEST = 150  # of names


def term_bars(found: Explanation, title: str = "") -> str:
    """One state: every torque as its terms side by side, away from zero, and its sum as a mark.

    Rows have a scale of their unit, N m where a joint turns, N where one slides, and one zero.
    """
    parts = {kind: found.parts[kind] for kind in STACK}
    noise = NOISE * max(map(magnitude, parts.values()))
    parts = {kind: x for kind, x in parts.items() if magnitude(x) > noise}
    top = TITLE + LEGEND * len(lines_of_keys([*parts, "sum"], WIDTH)) + 10
    names = min(WIDEST, LETTER * max(map(len, found.joints)) + 12)
    scales = _scales(found, parts, MARGIN + names)
    rows = [
        _row(k, found, parts, top + k * (BAR + GAP), MARGIN + names, scales[found.units[k]])
        for k in range(len(found.joints))
    ]
    keys = legend([*((kind, swatch(STACK[kind])) for kind in parts), ("sum", _mark(8, -8, 16))])
    told = f"{', '.join(parts) or 'no term'} of the torques of {', '.join(found.joints)}."
    height = top + len(rows) * (BAR + GAP) + 12
    return figure(height, title or f"Where the torques of {found.robot} come from", told, keys, rows)


def _scales(found: Explanation, parts: dict[str, Array], left: float) -> dict[str, Scale]:
    """A scale for each unit, with zero in one place: a term to the right adds, whatever its joint."""
    values = np.array([*parts.values()]).reshape(len(parts), len(found.joints))
    ends = np.array([np.minimum(values, 0).sum(axis=0), np.maximum(values, 0).sum(axis=0)])
    of = {unit: ends[:, [each == unit for each in found.units]] for unit in found.units}
    largest = {unit: magnitude(each) or 1.0 for unit, each in of.items()}
    least = min(each.min() / largest[unit] for unit, each in of.items())
    most = max(each.max() / largest[unit] for unit, each in of.items())
    return {
        unit: Scale.over([least * size, 0.0, most * size], left, WIDTH - MARGIN - ROOM, 4, snug=True)
        for unit, size in largest.items()
    }


def _row(k: int, found: Explanation, parts: dict[str, Array], y: float, left: float, x: Scale) -> Element:
    bars, at = [], {True: 0.0, False: 0.0}
    for kind, part in parts.items():
        value = float(part[k])
        start, at[value > 0] = at[value > 0], at[value > 0] + value
        a, b = sorted((float(x(start)), float(x(start + value))))
        bars.append(path(box(a, y, b - a, BAR), **fill(STACK[kind])) if b - a > 0.01 else None)
    tau = float(found.tau[k])
    return group(
        text(left - 8, y + 12, found.joints[k], anchor="end"),
        path(polyline([x.zero] * 2, (y - GAP / 2, y + BAR + GAP / 2)), class_="axis"),
        bars,
        _mark(float(x(tau)), y - 3, BAR + 6),
        text(
            WIDTH - MARGIN,
            y + 12,
            f"{tau:.4g} {found.units[k]}".replace("-", "−", 1),
            anchor="end",
            class_="muted",
        ),
    )


def _mark(x: float, y: float, height: float) -> Element:
    """Where the sum is."""
    line = polyline((x, x), (y, y + height))
    return group(path(line, class_="halo", stroke_width=5), path(line, class_="sum", stroke_width=2.4))


def torque_lines(robot: Robot, times: Array, tau: Array, across: str = "time (s)") -> str:
    """A log: the torque of every joint over time, its effort limit named, and drawn where it is near."""
    names, units = robot.coordinates.rate_names, efforts(robot.coordinates.joints)
    limits = robot.limits.effort
    told = [
        f"{unit}, limit {limit:g}" if np.isfinite(limit) else unit
        for unit, limit in zip(units, limits.tolist(), strict=True)
    ]
    rows = {name: {unit: x} for name, unit, x in zip(names, told, tau.T, strict=True)}
    levels = {name: near((-e, e), x) for name, e, x in zip(names, limits.tolist(), tau.T, strict=True)}
    return joints_figure(f"Torques of {robot.name}", across, times, rows, levels, "torque")
