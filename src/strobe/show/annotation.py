"""What is written on a drawing of a robot: frames, the sense of joints, lengths and angles, never on one another."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from strobe.show import glyphs
from strobe.show.drawing import Drawing
from strobe.show.drawing_sheet import TOP, WIDTH, signed
from strobe.show.glyphs import X, Y, Z, label, subscript
from strobe.show.label_placement import Board
from strobe.show.skeleton import Hinge, Skeleton
from strobe.show.svg import Child, path

Array = np.ndarray

SHORT = 5  # letters of names that stand beside their joints
ARROW = 34.0  # pixels, of an axis of a frame
LEAST = 22.0  # pixels, of a length that is measured


class Annotation:
    """Marks on a drawing, and the words that belong to them, which are written last."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self.skeleton = drawing.skeleton
        self.board = Board(4.0, TOP - 8, WIDTH - 4.0, drawing.bottom)
        self.words: list[Child] = []

    def marks(self) -> Iterator[Child]:
        """Everything, the most telling first: it finds the best places."""
        self._occupy()
        yield from self._dimensions()
        if self.drawing.framed:
            yield from self._frames()
        yield from self._angles()
        yield self.words

    def _occupy(self) -> None:
        """Keep labels away from what is drawn."""
        for stroke in self.skeleton.strokes:
            self.board.draw(self.drawing.screen(self.drawing.joined(stroke)))
        for place in self.drawing.places:
            self.board.block(self.drawing.screen(place), self.drawing.r)

    def _frames(self) -> Iterator[Child]:
        """x, y and z of every frame; axes that coincide are one arrow with both names."""
        arrows = self._arrows()
        for at, end, *_ in arrows:
            self.board.draw(np.array([at, end]))
        for at, end, colour, names in arrows:
            yield glyphs.arrow(at, end, colour, 1.5 if names else 1.0)
            if names:
                self._name(end, ", ".join(names), end - at)

    def _arrows(self) -> list[tuple[Array, Array, int, list[str]]]:
        """Axes that can be seen: their ends on the page, colours and names (none for y, which the others imply)."""
        found: dict[tuple[int, ...], tuple[Array, Array, int, list[str]]] = {}
        screen = self.drawing.screen
        for i, frame in enumerate(self.skeleton.frames):
            alone = self._alone(frame[:3, 3])
            for letter, k, colour in (("z", 2, Z), ("x", 0, X), *([("y", 1, Y)] if alone else [])):
                origin, direction = frame[:3, 3], frame[:3, k]
                key = (*_rounded(origin / self.skeleton.reach), *_rounded(direction))
                way = screen.turned(direction)[0] * (ARROW if letter != "y" else 0.7 * ARROW)
                known = found.setdefault(key, (screen(origin), screen(origin) + way, colour, []))
                if letter != "y":
                    known[3].append(subscript(letter, i))
        return [arrow for arrow in found.values() if np.linalg.norm(arrow[1] - arrow[0]) > 0.12 * ARROW]

    def _alone(self, origin: Array) -> bool:
        """Whether there is room at a place: one frame."""
        near = np.linalg.norm(self.skeleton.frames[:, :3, 3] - origin, axis=-1) < 0.01 * self.skeleton.reach
        return int(near.sum()) == 1

    def _name(self, at: Array, words: str, way: Array | None = None, **look: Any) -> None:
        towards = None if way is None else way / max(float(np.linalg.norm(way)), 1e-9)
        style: dict[str, Any] = {"font_style": "italic"} | look
        self.words.append(label(self.board, at, words, towards=towards, **style))

    def _angles(self) -> Iterator[Child]:
        """The sense of every joint, with the name of its variable."""
        for i, (hinge, place) in enumerate(zip(self.skeleton.hinges, self.drawing.places, strict=True)):
            at, name = self.drawing.screen(place), self._variable(i)
            if not self.drawing.framed:
                self._name(at, name, font_size=10, font_style=None)
            elif hinge.turns and self.drawing.flat_on:
                yield from self._true_angle(i, hinge, at, name)
            elif hinge.turns:
                yield from self._sense(hinge, place, name)
            elif hinge.slides:
                yield from self._displacement(hinge, name)
            else:
                self._name(at, name)

    def _variable(self, i: int) -> str:
        """What a joint is called beside it: its variable, its name where that is short, or its number."""
        hinge, robot = self.skeleton.hinges[i], self.skeleton.robot
        if self.skeleton.convention:
            return subscript("d" if hinge.slides else "θ", i + 1)
        if robot.model.is_serial and robot.coordinates.trivial and self.drawing.framed:
            return subscript("q", i + 1)
        return hinge.body.joint.name if terse(self.skeleton) else str(i + 1)

    def _sense(self, hinge: Hinge, place: Array, name: str) -> Iterator[Child]:
        """An arrow around the axis, above the joint."""
        towards = self.drawing.screen.turned(hinge.axis)[1]
        side = math.copysign(1.0, towards) if abs(towards) > 0.05 else 1.0
        u, v = across(hinge.axis)
        size = 1.55 * self.drawing.r / self.drawing.screen.scale
        angles = np.linspace(0.15, 1.6, 24) * math.pi
        ring = np.multiply.outer(np.cos(angles), u) + np.multiply.outer(np.sin(angles), v)
        points = self.drawing.screen(place + hinge.axis * side * size * 0.95 + size * ring)
        self.board.draw(points)
        yield glyphs.round_arrow(points, "sum", 1.2, 6.0)
        self._name(points[-1], name, font_weight="600")

    def _true_angle(self, i: int, hinge: Hinge, at: Array, name: str) -> Iterator[Child]:
        """The angle itself, from where the link would be at zero to where it is."""
        ends = [s.points for s in self.skeleton.strokes if s.body == hinge.body.index and len(s.points) > 1]
        way = self.drawing.screen.vector(ends[0][-1] - hinge.origin) if ends else np.zeros(2)
        length, angle = float(np.linalg.norm(way)), self._angle(i)
        if length < 1e-6:
            self._name(at, name, font_weight="600")
            return
        now = math.atan2(-way[1], way[0])
        sign = math.copysign(1.0, self.drawing.screen.turned(hinge.axis)[1])
        radius = min(3.2 * self.drawing.r, 0.6 * length)
        sweep = now + sign * np.linspace(-angle, 0.0, max(3, int(abs(angle) * 12)))
        points = at + radius * np.stack([np.cos(sweep), -np.sin(sweep)], axis=-1)
        zero = at + (radius + 16.0) * np.array([math.cos(sweep[0]), -math.sin(sweep[0])])
        self.board.draw(points)
        yield path(glyphs.trace([at, zero]), class_="axis", stroke_dasharray="4 3")
        if abs(angle) > 0.02:
            yield glyphs.round_arrow(points, "sum", 1.2, 6.0)
        middle = points[len(points) // 2]
        self._name(middle, name, middle - at, font_weight="600")

    def _angle(self, i: int) -> float:
        """The angle of a turning joint, the offset of its table included."""
        robot = self.skeleton.robot
        every = robot.coordinates.expand([float(x) for x in self.skeleton.q])
        offset = self.skeleton.table[i].theta if self.skeleton.convention else 0.0
        whole = float(every[self.skeleton.hinges[i].body.joint.q]) + offset  # pyright: ignore[reportArgumentType]
        return math.remainder(whole, 2 * math.pi)

    def _displacement(self, hinge: Hinge, name: str) -> Iterator[Child]:
        """The way a sliding joint has gone."""
        a, b = self.drawing.screen(hinge.rest), self.drawing.screen(hinge.origin)
        if float(np.linalg.norm(b - a)) < 12.0:
            self._name(a, name, font_weight="600")
        else:
            yield from self._measured(a, b, name, "600")

    def _dimensions(self) -> Iterator[Child]:
        """a and d where they can be seen, with their values."""
        for i, row in enumerate(self.skeleton.table):
            start, corner, end = self._corners(i)
            if self.skeleton.hinges[i].turns:
                yield from self._dimension(
                    *((start, corner) if self.standard else (corner, end)), "d", i, row.d
                )
            yield from self._dimension(
                *((corner, end) if self.standard else (start, corner)), "a", i, row.a
            )
            if row.alpha and self._alone(end if self.standard else corner):
                yield from self._twist(end if self.standard else corner, i, row.alpha)

    def _twist(self, at: Array, i: int, alpha: float) -> Iterator[Child]:
        """α: the angle about x from one z to the next, with the first of them dashed."""
        before, after = self.skeleton.frames[i], self.skeleton.frames[i + 1]
        z, x = before[:3, 2], (after if self.standard else before)[:3, 0]
        size = 24.0 / self.drawing.screen.scale
        angles = np.linspace(0.0, alpha, 16)
        ring = np.multiply.outer(np.cos(angles), z) + np.multiply.outer(np.sin(angles), np.cross(x, z))
        points = self.drawing.screen(at + size * ring)
        if float(np.linalg.norm(np.ptp(points, axis=0))) < 10.0:
            return
        self.board.draw(points)
        zero = self.drawing.screen(np.array([at, at + 1.5 * size * z]))
        yield path(glyphs.trace(zero), class_="axis", stroke_dasharray="4 3")
        yield glyphs.round_arrow(points, "axis", 1.0, 5.0)
        middle = points[len(points) // 2]
        self._name(middle, subscript("α", i + 1), middle - self.drawing.screen(at))

    @property
    def standard(self) -> bool:
        return self.skeleton.convention == "standard"

    def _corners(self, i: int) -> tuple[Array, Array, Array]:
        """Frame i − 1, where d meets a, and frame i, in base axes."""
        before, after, row = self.skeleton.frames[i], self.skeleton.frames[i + 1], self.skeleton.table[i]
        x = after[:3, 0] if self.standard else before[:3, 0]
        corner = after[:3, 3] - row.a * x if self.standard else before[:3, 3] + row.a * x
        return before[:3, 3], corner, after[:3, 3]

    def _dimension(self, a: Array, b: Array, letter: str, i: int, value: float) -> Iterator[Child]:
        start, end = self.drawing.screen(a), self.drawing.screen(b)
        if value and float(np.linalg.norm(end - start)) > LEAST:
            yield from self._measured(start, end, f"{subscript(letter, i + 1)} = {signed(value)}", None)

    def _measured(self, a: Array, b: Array, words: str, weight: str | None) -> Iterator[Child]:
        """A dimension on that side of a line where there is more room."""
        along = (b - a) / float(np.linalg.norm(b - a))
        aside = np.array([-along[1], along[0]]) * (2.1 * self.drawing.r)
        dots = np.concatenate(self.board.points)
        middle = (a + b) / 2
        near = [
            float(np.sum(np.linalg.norm(dots - (middle + 1.8 * s * aside), axis=-1) < 26.0))
            for s in (1, -1)
        ]
        offset = aside if near[0] <= near[1] else -aside
        self.board.draw(np.array([a + offset, b + offset]))
        yield glyphs.dimension(a, b, offset)
        self._name(middle + offset, words, offset, font_weight=weight)


def terse(skeleton: Skeleton) -> bool:
    """Whether names are short enough to stand beside their joints."""
    return all(len(hinge.body.joint.name) <= SHORT for hinge in skeleton.hinges)


def across(axis: Array) -> tuple[Array, Array]:
    """Two directions that make a right-handed frame with an axis."""
    u = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    u = u / np.linalg.norm(u)
    return u, np.cross(axis, u)


def _rounded(v: Array) -> tuple[int, ...]:
    return tuple(int(x) for x in np.round(v * 1e4))
