"""The marks of mechanical drawings, in pixels: joints, grippers, ground, arrows, arcs, dimensions, labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from strobe.show.label_placement import Board
from strobe.show.svg import Child, Element, circle, fill, group, line, number, path, polyline, stroke, text

Array = np.ndarray

LETTER, TALL = 6.4, 13.0  # the mean width of a letter at 12 px, and the height of its line
X, Y, Z = 1, 2, 0  # colours of the axes: warm, green, blue
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
END_ON = 0.985  # how far an axis points at the viewer where a joint is drawn as a circle


def subscript(letter: str, index: int) -> str:
    """θ₁₂."""
    return letter + str(index).translate(SUBSCRIPTS)


def trace(points: Sequence[Array] | Array) -> str:
    """Path data of lines from point to point."""
    return polyline(*np.asarray(points).T)


def dot(at: Array, r: float, **look: Any) -> Element:
    return circle(float(at[0]), float(at[1]), r, **look)


# -- joints -------------------------------------------------------------------------------------------


def cylinder(at: Array, axis: Array, towards: float, r: float) -> Element:
    """A turning joint: a cylinder along its axis, a circle with a dot where that points at the viewer."""
    if abs(towards) > END_ON:
        mark = dot(at, 0.28 * r, class_="ink") if towards > 0 else _cross(at, 0.45 * r)
        return group(dot(at, r, class_="face", stroke_width=1.3), mark)
    size = float(np.linalg.norm(axis))
    along = axis / size
    aside = np.array([-along[1], along[0]])
    half = 1.15 * r * axis * math.copysign(1.0, towards)  # to the cap that is seen
    near, far = at + half, at - half
    flat, angle = r * abs(towards), math.degrees(math.atan2(aside[1], aside[0]))
    bulge = int(float(along @ half) > 0)  # away from the cap that is seen
    arc = f"A{number(r)} {number(flat)} {number(angle)} 0 "
    body = (
        trace([near + r * aside, far + r * aside])
        + f"{arc}{bulge} {_pair(far - r * aside)}L{_pair(near - r * aside)}z"
    )
    cap = f"M{_pair(near + r * aside)}{arc}1 {_pair(near - r * aside)}{arc}1 {_pair(near + r * aside)}z"
    return group(path(body, class_="side"), path(cap, class_="face"), stroke_width=1.3)


def sleeve(at: Array, axis: Array, towards: float, r: float) -> Element:
    """A sliding joint: a box along its axis; a square with a dot where that points at the viewer."""
    size = float(np.linalg.norm(axis))
    along = axis / size if size > 1e-9 else np.array([1.0, 0.0])
    aside = np.array([-along[1], along[0]])
    half = max(1.0, 1.7 * size) * r
    corners = [at + s * half * along + t * r * aside for s, t in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    outline = path(trace(corners) + "z", class_="side", stroke_width=1.3)
    middle = [at - 0.6 * half * along, at + 0.6 * half * along] if abs(towards) < END_ON else None
    inside = path(trace(middle), class_="axis") if middle else dot(at, 0.28 * r, class_="ink")
    return group(outline, inside)


def ball(at: Array, r: float) -> Element:
    """A joint that turns about every axis."""
    return group(
        dot(at, r, class_="face", stroke_width=1.3), dot(at, 0.5 * r, class_="side", stroke_width=1)
    )


def screw(at: Array, axis: Array, towards: float, r: float) -> Element:
    """A joint that slides as it turns: a cylinder with a thread."""
    size = float(np.linalg.norm(axis))
    if abs(towards) > END_ON:
        return group(cylinder(at, axis, towards, r), dot(at, 0.65 * r, class_="axis"))
    along = axis / size
    aside = np.array([-along[1], along[0]])
    lines = (
        trace(
            [
                at + s * r * axis - 0.3 * r * along + r * aside,
                at + s * r * axis + 0.3 * r * along - r * aside,
            ]
        )
        for s in (-0.6, 0.0, 0.6)
    )
    return group(cylinder(at, axis, towards, r), path("".join(lines), class_="axis"))


def plane(at: Array, corners: Array, r: float) -> Element:
    """A joint that moves in a plane: a square of it, and the axis it turns about."""
    outline = path(trace(corners) + "z", class_="axis", stroke_dasharray="3 2")
    return group(
        outline, dot(at, 0.8 * r, class_="face", stroke_width=1.3), dot(at, 0.28 * r, class_="ink")
    )


def gripper(at: Array, along: Array, r: float) -> Element:
    """Two fingers that point along a direction on the page."""
    aside = np.array([-along[1], along[0]])

    def spot(forward: float, side: float) -> Array:
        return at + r * (forward * along + side * aside)

    fingers = [spot(1.9, 0.9), spot(0.5, 0.9), spot(0.0, 0.9), spot(0.0, -0.9), spot(1.9, -0.9)]
    return path(trace(fingers), class_="sum", stroke_width=2.4, stroke_linejoin="round")


def mass_centre(at: Array, r: float) -> Element:
    """A circle in quarters, two of them dark."""
    x, y = at
    quarters = "".join(
        f"M{_pair(at)}L{_pair((x + r * c, y + r * s))}A{number(r)} {number(r)} 0 0 1 {_pair((x - r * s, y + r * c))}z"
        for c, s in ((1, 0), (-1, 0))
    )
    return group(circle(x, y, r, class_="face", stroke_width=1), path(quarters, class_="ink"))


def _cross(at: Array, r: float) -> Element:
    (x, y), d = at, r * math.sqrt(0.5)
    return path(
        f"M{_pair((x - d, y - d))}L{_pair((x + d, y + d))}M{_pair((x - d, y + d))}L{_pair((x + d, y - d))}",
        class_="sum",
    )


def tube(points: Array, width: float) -> Element:
    """A link: a band with an outline."""
    looks = (("sum", width + 1.3), ("grid", width - 1.3))
    bands = [path(trace(points), class_=look, stroke_width=w) for look, w in looks]
    return group(bands, stroke_linejoin="round", stroke_linecap="round")


# -- ground -------------------------------------------------------------------------------------------


def hatch(at: Array, up: Array, half: float) -> Element:
    """Ground seen from the side: a line, and strokes below it."""
    along = np.array([-up[1], up[0]])
    along = along if along[0] >= 0 else -along
    starts = [at + x * along for x in np.linspace(-half + 5, half, 6)]
    slant = [trace([p, p - 6 * along - 7 * up]) for p in starts]
    ground = trace([at - half * along, at + half * along])
    return group(path("".join(slant), class_="axis"), path(ground, class_="sum", stroke_width=1.6))


def plate(corners: Array, hatches: Array) -> Element:
    """Ground seen from above: an outline (k, 2) and lines (m, 2, 2) on it."""
    lines = "".join(trace(ends) for ends in hatches)
    return group(path(trace(corners) + "z", class_="face", stroke_width=1.2), path(lines, class_="axis"))


# -- arrows and dimensions ----------------------------------------------------------------------------


def arrow(start: Array, end: Array, k: int, width: float = 1.8, heads: int = 1) -> Element:
    """An arrow of the k-th colour, with a second head where it stands for a moment."""
    length = float(np.linalg.norm(end - start))
    along = (end - start) / max(length, 1e-9)
    head = min(4.4 * width, 0.7 * length)
    tips = "".join(_head(end - 0.75 * n * head * along, along, head) for n in range(heads))
    shaft = [start, end - 0.7 * head * along]
    return group(path(trace(shaft), stroke_width=width, **stroke(k)), path(tips, **fill(k)))


def round_arrow(points: Array, k: int | str, width: float = 1.5, size: float = 7.0) -> Element:
    """A curve (points, 2) of the k-th colour with a head at its end."""
    look, tip = ({"class_": k}, {"class_": "ink"}) if isinstance(k, str) else (stroke(k), fill(k))
    tip = {"class_": "muted"} if k == "axis" else tip
    back = points[-1] - points[-2]
    along = back / max(float(np.linalg.norm(back)), 1e-9)
    head = _head(points[-1] + 0.4 * size * along, along, size)
    curve = path(trace(points), stroke_width=width, stroke_linejoin="round", **look)
    return group(curve, path(head, **tip))


def dimension(a: Array, b: Array, offset: Array) -> Element:
    """A thin line beside a length, with heads at both ends and lines from what is measured."""
    along = (b - a) / float(np.linalg.norm(b - a))
    past = offset * (1 + 3 / max(float(np.linalg.norm(offset)), 1e-9))
    shown = trace([a + offset, b + offset])
    aside = trace([a + 0.3 * offset, a + past]) + polyline(*np.array([b + 0.3 * offset, b + past]).T)
    tips = _head(b + offset, along, 6.0) + _head(a + offset, -along, 6.0)
    return group(path(aside + shown, class_="axis", stroke_width=0.8), path(tips, class_="muted"))


def circle_of_arrows(at: Array, r: float, turns: float) -> Array:
    """Points of three quarters of a circle, counter-clockwise for ``turns`` above zero, seen on the page."""
    sweep = np.linspace(-0.25 * math.pi, 1.25 * math.pi, 28) * math.copysign(1.0, turns)
    if turns < 0:
        sweep = sweep + math.pi
    return at + r * np.stack([np.cos(sweep), -np.sin(sweep)], axis=-1)


def _head(tip: Array, along: Array, size: float) -> str:
    """Path data of a head that ends at a point."""
    aside = np.array([-along[1], along[0]])
    corners = [tip, tip - size * along + 0.38 * size * aside, tip - size * along - 0.38 * size * aside]
    return trace(corners) + "z"


# -- words --------------------------------------------------------------------------------------------


def label(
    board: Board, at: Array, words: str, *, towards: Array | None = None, crowd: float = 7.0, **look: Any
) -> Child:
    """Words in a free place near a point, tied to it by a line where that is far; nothing where all is crowded."""
    size = float(look.get("font_size", 12))
    width, height = LETTER * size / 12 * len(words) + 5, TALL * size / 12
    middle = board.place(at, width, height, towards, crowd)
    if middle is None:
        return None
    x, y = middle
    return group(
        _leader(at, middle, width, height), spoken(x, y + 0.34 * size, words, anchor="middle", **look)
    )


def spoken(x: float, y: float, words: str, **look: Any) -> Element:
    """Words that can be read over lines."""
    return group(
        text(x, y, words, **(look | {"class_": "halo", "stroke_width": 3, "stroke_linejoin": "round"})),
        text(x, y, words, **look),
    )


def _leader(at: Array, middle: Array, width: float, height: float) -> Child:
    half = np.array([width, height]) / 2
    nearest = np.clip(at, middle - half, middle + half)
    if float(np.linalg.norm(nearest - at)) < 17:
        return None
    return line(*at, *nearest, class_="axis", stroke_width=0.7)


def _pair(p: Any) -> str:
    return f"{number(float(p[0]))} {number(float(p[1]))}"
