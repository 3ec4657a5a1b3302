"""The robot in a pose, as the papers draw it, above its table of lengths and angles or the names of its joints."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from strobe.robot import Robot
from strobe.show.annotation import Annotation, terse
from strobe.show.drawing import Drawing, grid_step
from strobe.show.drawing_sheet import LINE, MARGIN, WIDTH, brief, page, rule, signed, vector
from strobe.show.glyphs import subscript
from strobe.show.projection import View
from strobe.show.skeleton import Skeleton, posed
from strobe.show.svg import Child, Element, group, text
from strobe.show.tables import short

Array = np.ndarray

NAMED = 40  # joints: names are listed up to here
SPELLED = 7  # numbers of a pose: they are written in one line up to here


def robot_figure(
    robot: Robot, q: Sequence[float] | Array, *, view: View | None = None, centres: bool = False
) -> str:
    """The robot in a pose, with its frames; ``centres`` marks the centres of mass."""
    drawing = Drawing(posed(robot, q), view)
    rows, below = _footer(drawing)
    what = "Link frames of" if drawing.framed else "The joints of"
    seen = drawing.screen.view
    described = (
        f"{robot.name} with {len(drawing.skeleton.hinges)} joints at q = {vector(drawing.skeleton.q)}, seen from "
        f"azimuth {seen.azimuth:g} and elevation {seen.elevation:g} degrees."
    )
    parts = [drawing.solids(centres), Annotation(drawing).marks(), rows]
    return page(drawing.bottom + below, f"{what} {brief(robot.name, 40)}", described, *parts)


# -- below the drawing --------------------------------------------------------------------------------


def _footer(drawing: Drawing) -> tuple[list[Child], float]:
    """What is written below the drawing, and how high that is."""
    skeleton = drawing.skeleton
    y = drawing.bottom + 12
    notes = [f"q = {vector(skeleton.q)}"] if len(skeleton.q) <= SPELLED else []
    if drawing.ground:
        notes.append(f"grid {short(grid_step(skeleton.reach))} m")
    rows: list[Child] = []
    if notes:
        rows.append(text(MARGIN, y, " · ".join(notes), class_="muted"))
        y += LINE + 4
    if skeleton.convention:
        rows.append(_table(skeleton, y))
        y += LINE * (len(skeleton.table) + 1) + 2
    elif _telling(skeleton):
        listed = _names(skeleton, y)
        rows.append(listed[0])
        y += listed[1]
    return rows, y - drawing.bottom


def _table(skeleton: Skeleton, y: float) -> Element:
    """The rows of Denavit and Hartenberg, the variables in their place."""
    stops = (MARGIN + 8, 120, 220, 320, 420)
    heads = (skeleton.convention, "θ", "d (m)", "a (m)", "α")
    cells = [text(stops[0] - 8, y, heads[0], class_="muted")]
    cells += [
        text(x, y, head, anchor="end", class_="muted") for x, head in zip(stops[1:], heads[1:], strict=True)
    ]
    for i, (hinge, row) in enumerate(zip(skeleton.hinges, skeleton.table, strict=True)):
        line = y + LINE * (i + 1)
        turning = subscript("θ", i + 1) + (_signed_degrees(row.theta) if row.theta else "")
        sliding = subscript("d", i + 1) + (
            f" {'−' if row.d < 0 else '+'} {short(abs(row.d))}" if row.d else ""
        )
        values = (
            turning if hinge.turns else _degrees(row.theta), signed(row.d) if hinge.turns else sliding,
            signed(row.a), _degrees(row.alpha),
        )  # fmt: skip
        cells.append(text(stops[0] - 8, line, str(i + 1)))
        cells += [
            text(x, line, value, anchor="end", font_style="italic" if value[0] in "θd" else None)
            for x, value in zip(stops[1:], values, strict=True)
        ]
    return group(rule(y + 4.5), cells)


def _degrees(angle: float) -> str:
    return f"{signed(round(math.degrees(angle), 4))}°"


def _signed_degrees(angle: float) -> str:
    return f" {'−' if angle < 0 else '+'} {_degrees(abs(angle))}"


def _telling(skeleton: Skeleton) -> bool:
    """Whether the names of the joints say more than their numbers."""
    names = [hinge.body.joint.name for hinge in skeleton.hinges]
    return (
        len(names) <= NAMED
        and not terse(skeleton)
        and any(name != f"joint{i + 1}" for i, name in enumerate(names))
    )


def _names(skeleton: Skeleton, y: float) -> tuple[Element, float]:
    """The joints by number and name, in two columns where there are many; with their height."""
    names = [hinge.body.joint.name for hinge in skeleton.hinges]
    columns = 1 if len(names) <= 4 else 2
    rows = -(-len(names) // columns)
    wide = (WIDTH - 2 * MARGIN) / columns
    most = int((wide - 30) / 6.0)
    cells: list[Element] = []
    for k, name in enumerate(names):
        x, line = MARGIN + (k // rows) * wide, y + LINE * (k % rows)
        cells.append(text(x + 16, line, str(k + 1), anchor="end", class_="muted", font_size=11))
        cells.append(text(x + 22, line, brief(name, most), font_size=11))
    return group(cells), LINE * rows
