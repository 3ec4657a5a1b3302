"""Plots as SVG text: torques as stacked bars, lines over time, the phase plane, curves and their limits, maps.

Every panel has ticks at round numbers, a name and a unit; colours mean the same in all panels of a figure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from strobe.errors import ArgumentError
from strobe.show.axes import (
    FOOT,
    GAP,
    HEAD,
    LEFT,
    LEGEND,
    MARGIN,
    NARROW,
    TITLE,
    WIDTH,
    Area,
    Decades,
    Scale,
    dash,
    dot,
    figure,
    grid,
    legend,
    lines_of_keys,
    magnitude,
    swatch,
    under,
)
from strobe.show.rounding_noise import noise
from strobe.show.svg import (
    Element,
    box,
    circle,
    fill,
    group,
    path,
    polyline,
    rect,
    stroke,
    tag,
    text,
)

if TYPE_CHECKING:
    from strobe.equations.meaning import Explanation

Array = np.ndarray

BARS = 48  # in a panel, at most
POINTS = 600  # of a line, at most
LOWEST = 0.01  # pixels, of a bar that is drawn
SMALL = 150  # pixels, the height of a panel among many
HIGHEST = 420.0  # pixels, of a map
SHADES = (0.15, 0.36, 0.57, 0.78, 1.0)  # of a map, from little to much
TIME = "time (s)"  # below a panel over time
NEAR = 1.0  # limits farther off than so many spans of a curve are not shown

# From the zero line outwards: the steady part first. With the colour of each.
STACK = {
    "gravity": 6, "effective inertia": 0, "interaction": 4, "centrifugal": 2, "Coriolis": 3, "friction": 5,
    "external": 1,
}  # fmt: skip


# -- figures ------------------------------------------------------------------------------------------


def torque_bars(
    explanation: Explanation, times: Sequence[float] | Array, *, title: str = "", across: str = TIME,
    width: int = WIDTH,
) -> str:  # fmt: skip
    """The terms of every torque at instants of a motion: stacked away from zero, their sum as a line."""
    t = _times(times, explanation.tau.shape[:-1])
    if np.any(np.diff(t) <= 0):
        raise ArgumentError("the instants of the bars do not increase; sort them, each once.")
    least = noise(*explanation.parts.values())
    shown = {kind: x for kind in STACK if magnitude(x := explanation.parts[kind]) > least}
    names = explanation.joints
    areas, below, height = grid(len(names), [*shown, "sum"], width)
    panels = [
        group(
            _bars_panel(area, t, {k: x[:, i] for k, x in shown.items()}, explanation.tau[:, i], name, unit),
            **_instants(area, _bars_scale(area, t)[2], across),
        )
        for i, (area, name, unit) in enumerate(zip(areas, names, explanation.units, strict=True))
    ]
    title = title or f"Where the torques of {explanation.robot} come from"
    described = (
        f"{', '.join(shown) or 'no term'} stacked as bars over {across}, with their sum as a line, for "
        f"{', '.join(names)}."
    )
    keys = legend([(kind, swatch(STACK[kind])) for kind in shown] + [("sum", dash("sum"))], width)
    return figure(height, title, described, keys, panels, under(below, across, width), width=width)


def time_plot(
    title: str, times: Sequence[float] | Array, lines: Mapping[str, Sequence[float] | Array], unit: str,
    *, across: str = "time (s)",
) -> str:  # fmt: skip
    """Several values over time, in one panel."""
    values = {name: np.asarray(y, dtype=float) for name, y in lines.items()}
    t = _times(times, *(y.shape for y in values.values()))
    (area,), below, height = grid(1, list(lines))
    x, y = area.across(t), area.upwards(*values.values())
    rows = _thinned(len(t))
    curves = [
        path(polyline(x(t[rows]), y(v[rows])), stroke_width=1.8, stroke_linejoin="round", **stroke(k))
        for k, v in enumerate(values.values())
    ]
    panel = group(_axes(area, x, y, "", unit), curves, **_instants(area, x, across))
    described = f"{', '.join(lines)} in {unit} over {across}."
    keys = legend([(name, dash(k)) for k, name in enumerate(lines)])
    return figure(height, title, described, keys, [panel], under(below, across))


def phase_plot(
    title: str, curves: Mapping[str, tuple[Sequence[float] | Array, Sequence[float] | Array]],
    *, across: str = "q (rad)", up: str = "qd (rad/s)",
) -> str:  # fmt: skip
    """Rates against positions; a dot is where a curve begins, an arrowhead the way it goes."""
    pairs = {name: (_times(q, np.shape(qd)), np.asarray(qd, float)) for name, (q, qd) in curves.items()}
    (area,), below, height = grid(1, list(curves))
    x = area.across(*(q for q, _ in pairs.values()), snug=False)
    y = area.upwards(*(qd for _, qd in pairs.values()))
    drawn = [_orbit(k, x(q), y(qd)) for k, (q, qd) in enumerate(pairs.values())]
    panel = group(_axes(area, x, y, "", up), drawn)
    described = f"{', '.join(curves)}: {up} over {across}; dots are where the curves begin."
    keys = legend([(name, dash(k)) for k, name in enumerate(curves)])
    return figure(height, title, described, keys, [panel], under(below, across))


@dataclass(frozen=True, eq=False)
class Panel:
    """A curve or several (K, T), with limits: dashed levels and walls, and dots; ``across``, ``unit`` name axes.

    With ``decades`` the scale is logarithmic over so many powers of ten.
    """

    name: str
    unit: str
    across: str
    x: Array
    y: Array
    levels: tuple[float, ...] = ()
    walls: tuple[float, ...] = ()
    dots: tuple[Array, Array] = (np.empty(0), np.empty(0))
    decades: int = 0


def small_multiples(
    title: str, described: str, rows: Sequence[Sequence[Panel]], *, width: int = WIDTH,
    curves: Sequence[str] = ("the motion",), tall: int = SMALL,
) -> str:  # fmt: skip
    """Panels side by side, row after row; those of one column share what is written below them."""
    columns = len(rows[0])
    if width <= NARROW:
        rows, columns = [[_alone(panel)] for row in rows for panel in row], 1
    panels = [panel for row in rows for panel in row]
    keys = [(name, dash(k)) for k, name in enumerate(curves)]
    keys += [("limits", dash("limit"))] if any(panel.levels or panel.walls for panel in panels) else []
    keys += [("points, and switches of acceleration", dot())] if any(len(p.dots[0]) for p in panels) else []
    wide = (width - 2 * MARGIN - (columns - 1) * GAP) / columns
    top = TITLE + LEGEND * len(lines_of_keys([key for key, _ in keys], width)) + 10
    places = [
        (Area(MARGIN + c * (wide + GAP), top + r * (tall + 6), wide, tall), panel)
        for r, row in enumerate(rows)
        for c, panel in enumerate(row)
    ]
    bottom = top + len(rows) * (tall + 6)
    below = [
        text(
            (area.left + area.right) / 2, area.y + tall + 14, panel.across, anchor="middle", class_="muted"
        )
        for area, panel in places[-columns:]  # the last of every column
        if columns > 1
    ]
    drawn = [_limited(area, panel) for area, panel in places]
    return figure(bottom + 20, title, described, legend(keys, width), drawn, below, width=width)


def map_plot(
    title: str, xs: Array, ys: Array, values: Array, name: str, *, across: str = "x (m)", up: str = "y (m)",
) -> str:  # fmt: skip
    """A value over a plane: the darker a cell the larger it is; cells (rows, columns) that hold NaN stay empty.

    ``xs`` and ``ys`` are the edges of the cells; one metre is as long in both directions.
    """
    largest = magnitude(values) or 1.0
    steps = [largest * k / len(SHADES) for k in range(len(SHADES) + 1)]
    keys = [f"{_three(a)} to {_three(b)}" for a, b in pairwise(steps)]
    width, area, x, y = _to_scale(xs, ys, keys)
    shade = np.minimum(np.nan_to_num(values) / largest * len(SHADES), len(SHADES) - 1).astype(int)
    cells = [
        path(_cells(x(xs), y(ys), np.isfinite(values) & (shade == k)), fill_opacity=opacity, **fill(0))
        for k, opacity in enumerate(SHADES)
    ]
    marks = [rect(0, -6, 14, 12, rx=2, fill_opacity=opacity, **fill(0)) for opacity in SHADES]
    described = f"{name} over {across} and {up}: from 0 (pale) to {_three(largest)} (dark)."
    below = area.y + area.height + 14
    return figure(
        below + 12,
        title,
        described,
        legend(list(zip(keys, marks, strict=True)), width),
        group(_axes(area, x, y, "", up), cells),
        text((area.left + area.right) / 2, below, across, anchor="middle", class_="muted"),
        width=width,
    )


def plane_plot(
    title: str, described: str, areas: Sequence[Array], curves: Mapping[str, Array], *, name: str,
    across: str = "x (m)", up: str = "y (m)",
) -> str:  # fmt: skip
    """Paths (T, 2) over polygons (K, 2) called ``name`` in a plane, one metre as long in both directions.

    A dot is where a path begins, an arrowhead the way it goes.
    """
    points = np.concatenate([*areas, *curves.values()])
    seen = points[np.isfinite(points).all(axis=1)]
    room = 0.04 * np.ptp(seen, axis=0).max()
    xs, ys = np.concatenate([seen - room, seen + room]).T
    width, area, x, y = _to_scale(xs, ys, [name, *curves])
    shapes = [
        path(polyline(x(each[:, 0]), y(each[:, 1])) + "z", class_="side", fill_opacity=0.6)
        for each in areas
    ]
    drawn = [_orbit(k, x(each[:, 0]), y(each[:, 1])) for k, each in enumerate(curves.values())]
    keys = [
        (name, rect(0, -6, 14, 12, rx=2, class_="side")),
        *((key, dash(k)) for k, key in enumerate(curves)),
    ]
    below = area.y + area.height + 14
    return figure(
        below + 12,
        title,
        described,
        legend(keys, width),
        group(_axes(area, x, y, "", up), shapes, drawn),
        text((area.left + area.right) / 2, below, across, anchor="middle", class_="muted"),
        width=width,
    )


def _to_scale(xs: Array, ys: Array, keys: Sequence[str]) -> tuple[int, Area, Scale, Scale]:
    """The width of a figure, its panel and its scales, one metre as long in both directions."""
    wide, high = (float(np.ptp(each)) or 1.0 for each in (xs, ys))
    scale = min((WIDTH - 2 * MARGIN - LEFT) / wide, HIGHEST / high)
    width = max(NARROW, math.ceil(2 * MARGIN + LEFT + scale * wide))
    top = TITLE + LEGEND * len(lines_of_keys(keys, width)) + 10
    area = Area(MARGIN, top, LEFT + scale * wide, HEAD + FOOT + scale * high)
    x = Scale.over([xs], area.left, area.right, max(2, int((area.right - area.left) / 40)), True)
    y = Scale.over([ys], area.bottom, area.top, max(2, int((area.bottom - area.top) / 34)), True)
    return width, area, x, y


# -- panels -------------------------------------------------------------------------------------------


def _alone(panel: Panel) -> Panel:
    """A panel that says itself what its lower axis is."""
    return replace(panel, unit=f"{panel.unit}, over {panel.across}")


def _limited(area: Area, panel: Panel) -> Element:
    """A curve with its limits."""
    ticks = max(3, int((area.right - area.left) / 45))
    x = Scale.over([panel.x, *panel.walls], area.left, area.right, ticks, snug=True)
    y = area.decades(panel.y, panel.decades) if panel.decades else area.upwards(panel.y, *panel.levels, 0.0)
    bounds = [polyline((area.left, area.right), [float(y(level))] * 2) for level in panel.levels]
    bounds += [polyline([float(x(wall))] * 2, (area.bottom, area.top)) for wall in panel.walls]
    curves = [polyline(x(panel.x), y(values)) for values in np.atleast_2d(panel.y)]
    return group(
        _axes(area, x, y, panel.name, panel.unit),
        path("".join(bounds), class_="sum", stroke_dasharray="5 4") if bounds else None,
        [path(d, stroke_width=1.6, stroke_linejoin="round", **stroke(k)) for k, d in enumerate(curves)],
        [circle(float(x(a)), float(y(b)), 2.6, **fill(1)) for a, b in zip(*panel.dots, strict=True)],
        **_instants(area, x, panel.across),
    )


def _instants(area: Area, x: Scale, across: str) -> dict[str, str]:
    """Where the instants of a panel over time are, for a page that marks one: pixels, seconds, pixels."""
    places = (x.start, x.end, x.low, x.high, area.top, area.bottom)
    return {"data_time": " ".join(f"{value:.6g}" for value in places)} if across.startswith(TIME) else {}


def _cells(x: Array, y: Array, taken: Array) -> str:
    """Path data of the cells that are taken, those side by side in one piece."""
    pieces: list[str] = []
    for row, cells in enumerate(taken.astype(int)):
        starts, ends = (np.flatnonzero(np.diff(cells, prepend=0, append=0) == step) for step in (1, -1))
        pieces += [
            box(x[a], y[row + 1], x[b] - x[a], y[row] - y[row + 1])
            for a, b in zip(starts, ends, strict=True)
        ]
    return "".join(pieces)


def _three(x: float) -> str:
    return f"{x:.3g}"


def _bars_panel(
    area: Area, t: Array, parts: Mapping[str, Array], total: Array, name: str, unit: str
) -> Element:
    """The terms at evenly spaced instants (between rows, on the line between them) and their sum."""
    at, wide, x = _bars_scale(area, t)
    chosen = np.array([np.interp(at, t, values) for values in parts.values()]).reshape(len(parts), len(at))
    up, down = (np.cumsum(np.where(keep, chosen, 0.0), axis=0) for keep in (chosen > 0, chosen < 0))
    y = area.upwards(up, down, total, 0.0)
    left, right = x(at - wide / 2), x(at + wide / 2)
    far = np.where(chosen > 0, up, down)  # the end of every bar that lies away from zero
    bars = [
        path(_boxes(left, right, y(end), y(end - values)), **fill(STACK[kind]))
        for kind, values, end in zip(parts, chosen, far, strict=True)
    ]
    rows = _thinned(len(t))
    curve = polyline(x(t[rows]), y(total[rows]))
    both = [path(curve, class_=look, stroke_width=w) for look, w in (("halo", 3.6), ("sum", 1.6))]
    return group(_axes(area, x, y, name, unit), bars, group(both, stroke_linejoin="round"))


def _bars_scale(area: Area, t: Array) -> tuple[Array, float, Scale]:
    """The instants of the bars, how wide each is, and the scale that holds them."""
    at = np.linspace(t[0], t[-1], min(BARS, len(t)))
    wide = 0.86 * (at[1] - at[0] if len(at) > 1 else 1.0)
    return at, wide, area.across(at[0] - wide / 2, at[-1] + wide / 2)


def _boxes(left: Array, right: Array, end: Array, foot: Array) -> str:
    """Path data of bars, without those that are too low to be seen or not finite."""
    rows = zip(left, right, np.minimum(end, foot), np.abs(foot - end), strict=True)
    return "".join(box(a, top, b - a, height) for a, b, top, height in rows if height >= LOWEST)


def _axes(area: Area, x: Scale, y: Scale | Decades, name: str, unit: str) -> Element:
    """Grid, numbers, name and unit of a panel."""
    heights, places = [float(y(tick)) for tick in y.ticks], [float(x(tick)) for tick in x.ticks]
    return group(
        path("".join(polyline((area.left, area.right), (h, h)) for h in heights), class_="grid"),
        path(
            polyline((area.left, area.right), [y.zero] * 2)
            + "".join(polyline((p, p), (area.bottom, area.bottom + 4)) for p in places),
            class_="axis",
        ),
        [
            text(area.left - 7, h + 4, y.label(tick), anchor="end", class_="muted")
            for tick, h in zip(y.ticks, heights, strict=True)
        ],
        [
            text(p, area.bottom + 16, x.label(tick), anchor="middle", class_="muted")
            for tick, p in zip(x.ticks, places, strict=True)
        ],
        text(area.left, area.y + 13, _heading(name, unit)),
    )


def _heading(name: str, unit: str) -> list[Element]:
    named = [tag("tspan", name, font_weight="600")] if name else []
    return [*named, tag("tspan", unit, dx=10 if name else None, class_="muted")]


def _orbit(k: int, x: Array, y: Array) -> Element:
    rows = _thinned(len(x))
    curve = path(polyline(x[rows], y[rows]), stroke_width=1.8, stroke_linejoin="round", **stroke(k))
    ends = circle(float(x[0]), float(y[0]), 3.5, **fill(k)) if np.isfinite([x[0], y[0]]).all() else None
    return group(curve, ends, _arrow(k, x, y))


def _arrow(k: int, x: Array, y: Array) -> Element | None:
    """A head halfway along the curve, if it is anywhere in motion there."""
    steps = np.hypot(np.diff(x), np.diff(y))
    length = np.cumsum(np.where(np.isfinite(steps), steps, 0.0))
    if not len(length) or length[-1] < 20.0:
        return None
    m = int(np.searchsorted(length, 0.5 * length[-1]))
    along = np.array([x[m + 1] - x[m], y[m + 1] - y[m]]) / steps[m]
    side, tip = np.array([-along[1], along[0]]), np.array([x[m + 1], y[m + 1]]) + 5.0 * along
    points = np.array([tip, tip - 10.0 * along + 4.5 * side, tip - 10.0 * along - 4.5 * side])
    return path(polyline(*points.T) + "z", **fill(k))


# -- numbers ------------------------------------------------------------------------------------------


def _times(times: Sequence[float] | Array, *shapes: tuple[int, ...]) -> Array:
    """Instants as an array that fits what is plotted over it."""
    t = np.asarray(times, dtype=float)
    if t.ndim != 1 or not len(t):
        raise ArgumentError(
            f"there is nothing to plot: the instants have shape {t.shape}, expected (rows,)."
        )
    for shape in shapes:
        if shape != t.shape:
            raise ArgumentError(
                f"there are {len(t)} instants, but values of shape {shape}; expected {t.shape}."
            )
    return t


def _thinned(count: int) -> Array:
    """Rows that are enough to draw a line."""
    return np.unique(np.linspace(0, count - 1, min(count, POINTS)).round().astype(int))


def near(limits: tuple[float, float], values: Array) -> tuple[float, ...]:
    """Those limits that are not much farther off than the curve is high."""
    if not np.isfinite(values).any():
        return ()
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = NEAR * max(high - low, 1e-9)
    return tuple(x for x in limits if np.isfinite(x) and low - room <= x <= high + room)
