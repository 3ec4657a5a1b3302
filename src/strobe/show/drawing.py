"""A robot on the page: the ground, its links and its joints, from the back to the front."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np

from strobe.show import glyphs
from strobe.show.drawing_sheet import MARGIN, TOP, WIDTH
from strobe.show.projection import Screen, View, clearest
from strobe.show.skeleton import Hinge, Skeleton, Stroke
from strobe.show.svg import Child, Element, path, round_step

Array = np.ndarray

TALLEST, LOWEST = 430.0, 230.0  # heights of a drawing
STANDING = 560.0  # the same of a robot that walks, torso and all
ROOM = 40.0  # around the robot, for labels
FEW = 12  # joints: frames are drawn up to here
OPEN = 1e-3  # of the reach: by which a loop is drawn open
# in the name of a frame that holds something
TOOLS = ("tool", "tcp", "hand", "grip", "flange", "effector", "_ee")


def usual_view(skeleton: Skeleton) -> View:
    """A robot that moves in a plane is seen from in front of it, another one from where most can be seen."""
    if skeleton.plane is not None:
        return View.facing(skeleton.plane)
    starts = np.concatenate([stroke.points[:-1] for stroke in skeleton.strokes])
    ends = np.concatenate([stroke.points[1:] for stroke in skeleton.strokes])
    return clearest(starts, ends, np.array([hinge.origin for hinge in skeleton.hinges]))


class Drawing:
    """A robot on its place of a page: everything in pixels."""

    def __init__(self, skeleton: Skeleton, view: View | None, also: Sequence[Array] = ()) -> None:
        """``also`` are points (k, 3) that the place is to hold too: drawings to be compared have one scale."""
        self.skeleton = skeleton
        view = view or usual_view(skeleton)
        self.ground = _ground(skeleton, view)
        points = np.concatenate([skeleton.points, *self.ground, *also])
        wide, tall = view.extent(points)
        inner = WIDTH - 2 * (MARGIN + ROOM)
        high = min(STANDING if skeleton.limbs else TALLEST, max(LOWEST, inner * tall / wide + 2 * ROOM))
        self.bottom = TOP + high
        box = (MARGIN + ROOM, TOP + ROOM, WIDTH - MARGIN - ROOM, self.bottom - ROOM)
        self.screen = Screen.around(view, points, box, least=0.3 * skeleton.reach)
        self.framed = len(skeleton.hinges) <= FEW
        self.r = self._radius()
        self.places = self._slid()
        self.flat_on = skeleton.plane is not None and abs(view.axes[2] @ skeleton.plane) > glyphs.END_ON

    def _radius(self) -> float:
        """Of joints, so that they do not cover the links between them."""
        lengths = [
            float(np.linalg.norm(np.diff(self.screen(s.points), axis=0), axis=-1).sum())
            for s in self.skeleton.strokes
        ]
        usual = float(np.median([x for x in lengths if x > 4.0] or [40.0]))
        return max(3.2, min(9.0 if self.framed else 5.0, 0.22 * usual))

    # -- joints that would lie on one another -------------------------------------------------------

    def _slid(self) -> list[Array]:
        """Where each joint is drawn: anywhere on its axis is right, so those in one place are drawn beside."""
        hinges = self.skeleton.hinges
        places = [hinge.rest if hinge.slides else hinge.origin for hinge in hinges]
        for crowd in self._crowds(places):
            step = 2.9 * self.r / self.screen.scale
            choices = [self._choices(hinges[k], step) for k in crowd]
            options = [
                {k: places[k] + s * hinges[k].axis for k, s in zip(crowd, shifts, strict=True)}
                for shifts in product(*choices)
            ]
            for k, place in min(options, key=self._clumsiness).items():
                places[k] = place
        return places

    def _choices(self, hinge: Hinge, step: float) -> tuple[float, ...]:
        """How far along its axis a joint may be drawn: a sleeve only where its rod is."""
        if hinge.turns:
            return 0.0, -step, step
        way = float((hinge.origin - hinge.rest) @ hinge.axis)
        return (0.0, math.copysign(step, way)) if abs(way) > 2 * step else (0.0,)

    def _crowds(self, places: Sequence[Array]) -> list[list[int]]:
        """Joints that lie on one another on the page, four of them at most."""
        near = 1.2 * self.r
        crowds: list[list[int]] = []
        for k, place in enumerate(places):
            if self.skeleton.hinges[k].body.joint.is_free:
                continue
            for crowd in crowds:
                apart = np.linalg.norm(self.screen(place) - self.screen(places[crowd[0]]))
                if apart < near and len(crowd) < 4:
                    crowd.append(k)
                    break
            else:
                crowds.append([k])
        return [crowd for crowd in crowds if len(crowd) > 1]

    def _clumsiness(self, places: dict[int, Array]) -> float:
        """How much joints cover one another, and leave their links."""
        flat = {k: self.screen(place) for k, place in places.items()}
        covered = sum(
            max(0.0, 2.5 * self.r - float(np.linalg.norm(a - b))) for a, b in combinations(flat.values(), 2)
        )
        return covered + sum(0.5 * self._off(k, place) for k, place in places.items())

    def _off(self, k: int, place: Array) -> float:
        """How far a place of a joint is from the links that meet there, in pixels."""
        body = self.skeleton.hinges[k].body
        met = [s.points for s in self.skeleton.strokes if s.to == body.index or s.body == body.index]
        away = min((_distance(points, place) for points in met), default=0.0)
        return away * self.screen.scale

    # -- layers -------------------------------------------------------------------------------------

    def solids(self, centres: bool) -> Iterator[Child]:
        """What is drawn, from the back to the front."""
        yield self._grid()
        yield self._shadow()
        yield self._base()
        solid = [*self._links(), *self._joints(), *self._ties(), *self._limbs()]
        yield [element for _, element in sorted(solid, key=lambda pair: round(pair[0], 9))]
        yield self._tools()
        if centres:
            yield self._centres()

    def _grid(self) -> Child:
        if not self.ground:
            return None
        (corners,) = self.ground
        low, high = corners.min(axis=0), corners.max(axis=0)
        step = grid_step(self.skeleton.reach)
        lines: list[Array] = []
        for axis in (0, 1):
            for x in np.arange(low[axis], high[axis] + step / 2, step):
                ends = np.array([low, high])
                ends[:, axis] = x
                lines.append(self.screen(ends))
        return path("".join(glyphs.trace(ends) for ends in lines), class_="grid")

    def _shadow(self) -> Child:
        if not self.ground:
            return None
        floor = self.ground[0][0, 2]
        lines = [s.points for s in self.skeleton.strokes]
        lines += [np.array([h.rest, h.origin]) for h in self.skeleton.hinges if h.slides]
        flat = [np.column_stack([points[:, :2], np.full(len(points), floor)]) for points in lines]
        data = "".join(glyphs.trace(self.screen(points)) for points in flat)
        return path(
            data, class_="grid", stroke_width=0.7 * self.r, stroke_linecap="round", stroke_linejoin="round"
        )

    def _base(self) -> Child:
        """The ground that holds the base, where something does."""
        if self.skeleton.floats:
            return None
        up, towards = self.screen.turned(self.skeleton.up)
        at = self.screen(np.zeros(3))
        if abs(towards) < 0.12:
            drop = self.r if any(np.allclose(h.origin, 0.0) for h in self.skeleton.hinges) else 0.0
            return glyphs.hatch(at - up * drop, up, 2.4 * self.r)
        return glyphs.plate(*self._plate())

    def _plate(self) -> tuple[Array, Array]:
        """A square around the base and its hatches."""
        up = self.skeleton.up
        across = np.cross(up, [1.0, 0.0, 0.0] if abs(up[0]) < 0.9 else [0.0, 1.0, 0.0])
        u, v = across / np.linalg.norm(across), np.cross(up, across / np.linalg.norm(across))
        half = 2.6 * self.r / self.screen.scale

        def spot(a: Array, b: Array) -> Array:
            return self.screen(half * (np.multiply.outer(a, u) + np.multiply.outer(b, v)))

        corners = spot(np.array([-1, 1, 1, -1.0]), np.array([-1, -1, 1, 1.0]))
        cuts = np.linspace(-1.5, 1.5, 7)
        a, b = np.maximum(-1, cuts - 1), np.minimum(1, cuts + 1)
        return corners, np.stack([spot(a, cuts - a), spot(b, cuts - b)], axis=1)

    def _links(self) -> Iterator[tuple[float, Element]]:
        for stroke in self.skeleton.strokes:
            points = self.joined(stroke)
            if len(points) > 1:
                yield self.screen.depth(points), glyphs.tube(self.screen(points), 0.95 * self.r)
        for hinge in self.skeleton.hinges:
            moves = hinge.slides or hinge.body.joint.has_pitch
            if moves and np.linalg.norm(hinge.origin - hinge.rest) > 1e-9:
                ends = np.array([hinge.rest, hinge.origin])
                yield self.screen.depth(ends) - 1e-6, glyphs.tube(self.screen(ends), 0.6 * self.r)

    def joined(self, stroke: Stroke) -> Array:
        """A link from where its own joint is drawn to where the next one is."""
        hinges = self.skeleton.hinges
        start = [self.places[stroke.body]] if stroke.body >= 0 and hinges[stroke.body].turns else []
        end = [self.places[stroke.to]] if stroke.to is not None and hinges[stroke.to].turns else []
        points = np.array([*start, *stroke.points, *end])
        apart = np.linalg.norm(np.diff(points, axis=0), axis=-1) > 1e-9
        return points[np.append(True, apart)]

    def _joints(self) -> Iterator[tuple[float, Element]]:
        for hinge, place in zip(self.skeleton.hinges, self.places, strict=True):
            at, turned = self.screen(place), self.screen.turned(hinge.axis)
            met = [s.points for s in self.skeleton.strokes if hinge.body.index in (s.body, s.to)]
            front = max(self.screen.depth(points) for points in [place, *met]) + 1e-6
            match hinge.body.joint.record.glyph:
                case "hinge":
                    yield front, glyphs.cylinder(at, *turned, self.r)
                case "slide":
                    yield front, glyphs.sleeve(at, *turned, self.r)
                case "ball":
                    yield front, glyphs.ball(at, self.r)
                case "screw":
                    yield front, glyphs.screw(at, *turned, self.r)
                case "plane":
                    yield front, glyphs.plane(at, self._square(hinge, place), self.r)
                case _:
                    yield front, glyphs.dot(at, 1.3 * self.r, class_="axis", stroke_dasharray="3 2")

    def _square(self, hinge: Hinge, place: Array) -> Array:
        """The corners, on the page, of a square across the axis of a joint."""
        half, axis = 2.2 * self.r / self.screen.scale, hinge.body.joint.axis
        u, v = (half * hinge.place[:3, (axis + k) % 3] for k in (1, 2))
        return self.screen(
            np.array([place + a * u + b * v for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))])
        )

    def _ties(self) -> Iterator[tuple[float, Element]]:
        """Rods between two links with a ball at either end; pins elsewhere, a dashed line where a loop is open."""
        for tie in self.skeleton.ties:
            flat, front = self.screen(tie.ends), self.screen.depth(tie.ends) + 1e-6
            if tie.rod:
                yield front, glyphs.tube(flat, 0.45 * self.r)
                yield from ((front + 1e-6, glyphs.ball(at, 0.5 * self.r)) for at in flat)
                continue
            if tie.apart > OPEN * self.skeleton.reach:
                yield front, path(glyphs.trace(flat), class_="axis", stroke_dasharray="4 3")
            yield front + 2e-6, glyphs.ball(flat[1], 0.8 * self.r)

    def _limbs(self) -> Iterator[tuple[float, Element]]:
        """The faces of torso and feet that are seen; one sees what is behind them too."""
        for limb in self.skeleton.limbs:
            for face in limb.faces:
                points = limb.points[list(face)]
                normal = np.cross(points[1] - points[0], points[2] - points[0])
                if normal @ self.screen.view.axes[2] > 0:
                    outline = glyphs.trace(self.screen(points)) + "z"
                    yield self.screen.depth(points), path(outline, class_="face", fill_opacity=0.55)

    def _tools(self) -> Iterator[Element]:
        """What the tips hold: a gripper at the end of an arm, a dot elsewhere."""
        for stroke in self.skeleton.strokes:
            if stroke.to is not None or self.skeleton.tied(stroke):
                continue
            points = self.screen(self.joined(stroke))
            along = points[-1] - points[-2] if len(points) > 1 else np.zeros(2)
            long = float(np.linalg.norm(along))
            if self.framed and long > 3.0 and self._holds(stroke.body):
                yield glyphs.gripper(points[-1], along / long, self.r)
            else:
                yield glyphs.dot(points[-1], 0.5 * self.r, class_="ink")

    def _holds(self, body: int) -> bool:
        """Whether a frame of the body is called a tool."""
        names = [frame.name.lower() for frame in self.skeleton.robot.model.frames if frame.body == body]
        return any(word in name for name in names for word in TOOLS)

    def _centres(self) -> Iterator[Element]:
        for hinge, com in zip(self.skeleton.hinges, self.skeleton.coms, strict=True):
            if hinge.body.inertial.m:
                yield glyphs.mass_centre(self.screen(com), max(3.0, 0.55 * self.r))


def grid_step(reach: float) -> float:
    """A round length, at least an eighth of the robot."""
    return round_step(reach / 8)


def _ground(skeleton: Skeleton, view: View) -> list[Array]:
    """The corners of a floor under the robot, where it is seen from above."""
    if view.elevation < 5.0 or skeleton.plane is not None or skeleton.up[2] < 0.999:
        return []
    step = grid_step(skeleton.reach)
    points = np.concatenate([skeleton.points, np.zeros((0 if skeleton.floats else 1, 3))])
    low, high = (np.floor(points.min(axis=0) / step + 0.2), np.ceil(points.max(axis=0) / step - 0.2))
    floor = min(0.0, float(points[:, 2].min())) if not skeleton.floats else float(points[:, 2].min())
    (x0, y0), (x1, y1) = low[:2] * step, np.maximum(high[:2], low[:2] + 1) * step
    return [np.array([[x0, y0, floor], [x1, y0, floor], [x1, y1, floor], [x0, y1, floor]])]


def _distance(points: Array, place: Array) -> float:
    """From a place to a line through points."""
    if len(points) == 1:
        return float(np.linalg.norm(points[0] - place))
    a, b = points[:-1], points[1:]
    along = b - a
    share = np.clip(np.sum((place - a) * along, axis=-1) / np.sum(along * along, axis=-1), 0.0, 1.0)
    return float(np.linalg.norm(a + share[:, None] * along - place, axis=-1).min())
