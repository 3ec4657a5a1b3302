"""One pose of the hand, reached in several ways: the robot drawn once for each, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strobe.errors import counted
from strobe.robot import Robot
from strobe.show.drawing import Drawing, usual_view
from strobe.show.drawing_sheet import LINE, MARGIN, TOP, WIDTH as SHEET, brief
from strobe.show.projection import View
from strobe.show.skeleton import posed
from strobe.show.svg import Element, group, text, titled

Array = np.ndarray

WIDTH = 880.0  # pixels, of the figure
COLUMNS = 4
LARGEST = 0.8  # of a drawing's own size
CUT = 40.0  # pixels of a drawing at every side: the room for labels, of which there are none
GAP = 24.0  # between drawings side by side
LETTER = 6.0  # the mean width of a letter


def branches_figure(
    robot: Robot,
    positions: Sequence[Array],
    captions: Sequence[Sequence[str]],
    *,
    frame: str,
    view: View | None = None,
) -> str:
    """The robot at every position, with up to three lines under it."""
    skeletons = [posed(robot, q) for q in positions]
    view = view or usual_view(skeletons[0])
    alone = [Drawing(skeleton, view) for skeleton in skeletons]
    common = [*(skeleton.points for skeleton in skeletons), *(x for each in alone for x in each.ground)]
    drawings = [Drawing(skeleton, view, common) for skeleton in skeletons]
    columns = min(COLUMNS, len(drawings))
    wide = (WIDTH - 2 * MARGIN) / columns
    scale = min(LARGEST, (wide - GAP) / (SHEET - 2 * CUT))
    tall = scale * (drawings[0].bottom - TOP - CUT) + 4.5 * LINE
    cells = [
        _cell(drawing, MARGIN + (k % columns) * wide, TOP + (k // columns) * tall, wide, scale, captions[k])
        for k, drawing in enumerate(drawings)
    ]
    rows = -(-len(drawings) // columns)
    title = f"{brief(frame, 30)} of {brief(robot.name, 30)} in one place, {_ways(len(positions))}"
    described = (
        f"{robot.name} at {counted(len(positions), 'position')} that bring {frame} to the same pose."
    )
    return titled(WIDTH, TOP + rows * tall, title, described, cells, margin=MARGIN)


def _ways(count: int) -> str:
    return "one way" if count == 1 else f"{count} ways"


def _cell(
    drawing: Drawing, x: float, y: float, wide: float, scale: float, caption: Sequence[str]
) -> Element:
    """A drawing on its place, made smaller, with what is written under it."""
    left = x + (wide - scale * SHEET) / 2
    place = f"translate({left:.2f} {y - scale * (TOP + CUT / 2):.2f}) scale({scale:.4f})"
    below, most = y + scale * (drawing.bottom - TOP - CUT) + LINE, int(wide / LETTER)
    lines = [
        text(
            x + wide / 2,
            below + k * LINE,
            brief(words, most),
            anchor="middle",
            class_="muted" if k else "ink",
        )
        for k, words in enumerate(filter(None, caption))
    ]
    return group(group(drawing.solids(centres=False), transform=place), lines)
