"""The trade-off, drawn: the error of every method over its time and over its memory, on logarithmic scales.

A method that was timed is a dot with a number beside it; those that no other beats in time, memory and error at once
are filled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from strobe.approximate.recommendation import in_bytes, in_time, percent
from strobe.show.axes import FOOT, GAP, HEAD, LETTER, MARGIN, NARROW, TITLE, WIDTH, Decades
from strobe.show.label_placement import Board
from strobe.show.svg import Element, circle, fill, group, path, polyline, text, titled

LEFT = 74  # pixels, for the numbers of the error
TALL = 280  # pixels, of a panel
LINE = 18  # pixels, of a line below the panels
DOT = 4.5  # pixels
NUMBER = 8, 10  # pixels, a digit's room across and upwards
LEAST, MOST = 1e-6, 10.0  # errors: what is below or above stands at the edge


def trade_off_figure(data: Mapping[str, Any], width: int = WIDTH) -> str:
    """Error over time and over memory, from a trade-off as data; below one another where there is little room."""
    shown = {name: row for name, row in data["methods"].items() if row["ns"] is not None}
    numbers = {name: k for k, name in enumerate(shown, 1)}
    columns = 1 if width <= NARROW else 2
    wide = (width - 2 * MARGIN - (columns - 1) * GAP) / columns
    axes = (
        ("time of a state", "ns", in_time),
        ("memory", "memory", lambda size: re.sub("bytes?", "B", in_bytes(size))),
    )
    corners = [
        (MARGIN + (k % columns) * (wide + GAP), TITLE + (k // columns) * TALL) for k in range(len(axes))
    ]
    panels = [
        _panel(*corner, wide, data, shown, numbers, *axis)
        for corner, axis in zip(corners, axes, strict=True)
    ]
    top = TITLE + TALL * (len(axes) // columns) + 14
    keys, lines = _keys(numbers, data["pareto"], width, top)
    marks = (
        "filled: no other is as good in time, memory and error",
        f"dashed: {percent(data['within'])}, good enough",
    )
    below = [text(MARGIN, top + LINE * (lines + k), words, class_="muted") for k, words in enumerate(marks)]
    title = f"What may be left out: {data['robot']}, {data['duration']:.3g} s"
    described = "; ".join(f"{name}: error {percent(row['error'])}" for name, row in shown.items())
    height = top + LINE * (lines + len(marks))
    return titled(width, height, title, described, panels, keys, below, margin=MARGIN)


def _panel(
    x: float, y: float, wide: float, data: Mapping[str, Any], shown: Mapping[str, Any], numbers: Mapping[str, int],
    across: str, key: str, label: Callable[[float], str],
) -> Element:  # fmt: skip
    """One cost across, the error upwards."""
    left, right, top, bottom = x + LEFT, x + wide - DOT, y + HEAD, y + TALL - FOOT - 18
    costs = {name: max(float(row[key]), 1.0) for name, row in shown.items()}
    errors = {name: min(max(row["error"], LEAST), MOST) for name, row in shown.items()}
    over = Decades.over(costs.values(), left, right)
    up = Decades.over([LEAST, *errors.values()], bottom, top)
    best = [name for name in data["pareto"] if name in costs]
    order = sorted(shown, key=lambda name: name in best)  # the better ones on top of the others
    at = {name: np.array([over(costs[name]), up(errors[name])]) for name in order}
    board = Board(left, y + HEAD - DOT, x + wide, bottom)
    board.draw(np.array([[left, up(data["within"])], [right, up(data["within"])]]))
    for place in at.values():
        board.block(place, DOT)
    return group(
        path("".join(polyline((left, right), [up(tick)] * 2) for tick in up.ticks), class_="grid"),
        path(
            "".join(polyline([over(tick)] * 2, (bottom, bottom + 4)) for tick in over.ticks), class_="axis"
        ),
        [text(left - 7, up(tick) + 4, _share(tick), anchor="end", class_="muted") for tick in up.ticks],
        [_tick(over(tick), bottom + 16, label(tick), right) for tick in over.ticks],
        text(x, y + 13, "error, of a joint's largest torque", class_="muted"),
        text((left + right) / 2, bottom + 34, across, anchor="middle", class_="muted"),
        _limit(data["within"], up, left, right),
        [
            circle(at[name][0], at[name][1], DOT, **(fill(0) if name in best else {"class_": "face"}))
            for name in order
        ],
        [_number(board, at[name], numbers[name]) for name in order],
    )


def _tick(x: float, y: float, words: str, right: float) -> Element:
    """What stands below a mark, kept within the panel."""
    return text(min(x, right - 0.5 * LETTER * len(words)), y, words, anchor="middle", class_="muted")


def _limit(within: float, up: Decades, left: float, right: float) -> Element:
    """What counts as good enough."""
    return path(polyline((left, right), [up(within)] * 2), class_="sum", stroke_dasharray="5 4")


def _number(board: Board, at: np.ndarray, number: int) -> Element:
    """The number of a dot, in the freest place beside it."""
    wide, tall = NUMBER[0] * len(str(number)), NUMBER[1]
    middle = board.place(at, wide, tall, crowd=math.inf)
    x, y = at if middle is None else middle
    return text(x, y + 3.5, str(number), anchor="middle", font_size=10)


def _keys(numbers: Mapping[str, int], pareto: Sequence[str], width: int, top: float) -> tuple[Element, int]:
    """The names behind the numbers, in columns, and how many lines they take."""
    names = [f"{k}  {name}" for name, k in numbers.items()]
    longest = 22 + LETTER * max(map(len, names))
    columns = max(1, int((width - 2 * MARGIN) // longest))
    lines = -(-len(names) // columns)
    words = [
        text(
            MARGIN + (k // lines) * longest,
            top + LINE * (k % lines),
            words,
            font_weight="600" if name in pareto else None,
        )
        for k, (name, words) in enumerate(zip(numbers, names, strict=True))
    ]
    return group(words), lines


def _share(tick: float) -> str:
    """A mark of the error axis; the lowest stands for all that is less."""
    return f"≤ {percent(tick)}" if tick <= LEAST else percent(tick)
