"""The free-body diagram of a link: what its joints do to it, its weight, and what it does about them. [Asada2005]

    f − Σ f' + m g − m a = 0        N − Σ N' + moments of f and f' about C − I ω̇ − ω × I ω = 0

f, N are the force and moment of the joint that carries the link, f', N' those of the joints that it carries; loops
that hold the link add theirs. The inertial force −m a and moment close the balance (d'Alembert); without them the
forces add up to m a.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from strobe.algebra import Pose, Shift
from strobe.errors import UnknownNameError, UnsupportedModelError
from strobe.models.model import Frame
from strobe.robot import Robot
from strobe.show import glyphs
from strobe.show.drawing import usual_view
from strobe.show.drawing_sheet import LINE, MARGIN, TOP, WIDTH, brief, page, rule
from strobe.show.glyphs import label, subscript
from strobe.show.label_placement import Board
from strobe.show.projection import Screen, View
from strobe.show.rounding_noise import noise, quiet
from strobe.show.skeleton import Hinge, Skeleton, numbers, posed
from strobe.show.svg import Child, Element, fill, group, path, stroke, text

Array = np.ndarray
Vector = Sequence[float] | Array

CARRYING, CARRIED, WEIGHT, INERTIAL = 0, 1, 5, 2  # colours
LONGEST, SHORTEST = 78.0, 16.0  # pixels, of arrows
THICK = 15.0  # pixels, of the link
ROOM = 90.0  # around the link, for arrows and labels
TALLEST, LOWEST = 380.0, 250.0
HEADS_ON = 0.9  # how far a moment points at the viewer where it is a circle of an arrow


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """A force or a moment on the link, in base axes."""

    name: str
    at: Array  # (3,), where it acts
    vector: Array  # (3,)
    unit: str  # N, or N m
    colour: int
    source: str  # what it comes from

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.vector))


@dataclass(frozen=True, slots=True, eq=False)
class FreeBody:
    """A link cut free, with everything that acts on it."""

    skeleton: Skeleton
    link: int
    loads: tuple[Load, ...]
    acceleration: Array  # (3,), of the centre of mass

    @property
    def name(self) -> str:
        return self.skeleton.hinges[self.link].body.name

    @property
    def mass(self) -> float:
        return float(self.skeleton.hinges[self.link].body.inertial.m)  # pyright: ignore[reportArgumentType]

    def of(self, unit: str) -> list[Load]:
        """Its forces (N) or its moments (N m) that are not nothing."""
        ours = [load for load in self.loads if load.unit == unit]
        least = noise([load.size for load in ours])
        return [load for load in ours if load.size > least]


def free_body(
    robot: Robot, q: Vector, qd: Vector, qdd: Vector, link: str | None = None, *, inertial: bool = False
) -> FreeBody:
    """A link (the first with a mass if none is named) with the loads of a state; ``inertial`` adds −m a."""
    skeleton = posed(robot, q)
    b = _index(robot, link)
    quiet = Robot(robot.model, compiled=False)
    wrenches = quiet.joint_wrenches(q, qd, qdd)
    if np.isnan(wrenches).any() and np.isfinite([*q, *qd, *qdd]).all():
        raise UnsupportedModelError(
            f"{robot.name} stands at a dead point of its loops, which cannot hold its links there: a link "
            "cannot be cut free. Draw it in another position."
        )
    hinge, com = skeleton.hinges[b], skeleton.coms[b]
    a, moment = _inertial(skeleton, b, qd, qdd)
    loads = _pair(hinge, hinge.origin, wrenches[b], 1.0, CARRYING)
    for other in skeleton.children(b):
        loads += _pair(other, other.rest, wrenches[other.body.index], -1.0, CARRIED)
    if robot.model.loops:
        loads += _held(quiet, b, q, qd, qdd)
    m = float(hinge.body.inertial.m)  # pyright: ignore[reportArgumentType]
    down = numbers(robot.model.gravity.linear)
    loads.append(Load(f"{subscript('m', b + 1)} g", com, m * down, "N", WEIGHT, "weight"))
    if inertial:
        loads.append(Load(f"−{subscript('m', b + 1)} a", com, -m * a, "N", INERTIAL, "inertia"))
        loads.append(Load(f"−{subscript('Ḣ', b + 1)}", com, -moment, "N m", INERTIAL, "inertia"))
    return FreeBody(skeleton, b, tuple(loads), a)


def _index(robot: Robot, link: str | None) -> int:
    names = [body.name for body in robot.model.bodies]
    if link is None:
        return next((k for k, body in enumerate(robot.model.bodies) if body.inertial.m), 0)
    if link not in names:
        raise UnknownNameError("moving link", link, robot.name, names)
    return names.index(link)


def _pair(hinge: Hinge, at: Array, wrench: Array, sign: float, colour: int) -> list[Load]:
    """The force and the moment of a joint, taken at a point: where the joint is on the link that is drawn."""
    minus, k, source = "−" if sign < 0 else "", hinge.body.index + 1, hinge.body.joint.name
    force, moment = wrench[:3], wrench[3:] + np.cross(hinge.origin - at, wrench[:3])
    return [
        Load(minus + subscript("f", k), at, sign * force, "N", colour, source),
        Load(minus + subscript("N", k), at, sign * moment, "N m", colour, source),
    ]


def _held(robot: Robot, b: int, q: Vector, qd: Vector, qdd: Vector) -> list[Load]:
    """What loops do to a link, at the origin of its frame."""
    from strobe.mechanisms.loop_forces import loop_forces  # most robots have no use for it

    loads: list[Load] = []
    for name, on_b in loop_forces(robot, q, qd, qdd).wrenches.items():
        loop = next(loop for loop in robot.model.loops if loop.name == name)
        at = robot.forward_kinematics(q, loop.frame_b)[:3, 3]
        for frame, sign in ((loop.frame_b, 1.0), (loop.frame_a, -1.0)):
            if robot.model.frame(frame).body == b:
                loads.append(
                    Load(f"{'−' if sign < 0 else ''}f({name})", at, sign * on_b[:3], "N", CARRIED, name)
                )
                loads.append(
                    Load(f"{'−' if sign < 0 else ''}N({name})", at, sign * on_b[3:], "N m", CARRIED, name)
                )
    return loads


def _inertial(skeleton: Skeleton, b: int, qd: Vector, qdd: Vector) -> tuple[Array, Array]:
    """The acceleration of the centre of mass, and I ω̇ + ω × I ω about it."""
    tree = skeleton.robot.model.proximal()
    given = tree.bodies[b].inertial
    if given.com is None or given.central is None:
        raise UnsupportedModelError(
            f"{tree.bodies[b].name} has a first moment but no mass, so no centre of mass; "
            "draw the model as it was before its inertias were regrouped."
        )
    centre = Frame("C", b, Pose((Shift(given.com),)))
    moving = Robot(replace(tree, frames=(centre,)), compiled=False)
    rates, change = np.asarray(qd, float), np.asarray(qdd, float)
    J = moving.jacobian(skeleton.q, "C")
    a = J @ change + moving.jacobian_dot(skeleton.q, rates, "C") @ rates
    w, R = J[3:] @ rates, skeleton.hinges[b].place[:3, :3]
    I = R @ np.array([[float(x) for x in row] for row in given.central.matrix()]) @ R.T  # pyright: ignore
    return a[:3], I @ a[3:] + np.cross(w, I @ w)


# -- the figure ---------------------------------------------------------------------------------------


def body_figure(
    robot: Robot, q: Vector, qd: Vector, qdd: Vector, link: str | None = None, *, view: View | None = None,
    inertial: bool = False,
) -> str:  # fmt: skip
    """The free-body diagram of a link, with a table of the loads in base axes."""
    return drawn(free_body(robot, q, qd, qdd, link, inertial=inertial), view)


def drawn(body: FreeBody, view: View | None = None) -> str:
    """A free body as a figure."""
    skeleton = body.skeleton
    view = view or usual_view(skeleton)
    strokes = [s.points for s in skeleton.strokes if s.body == body.link]
    points = np.concatenate(
        [skeleton.hinges[body.link].origin[None], skeleton.coms[body.link][None], *strokes]
    )
    wide, tall = view.extent(points)
    high = min(TALLEST, max(LOWEST, (WIDTH - 2 * ROOM) * tall / wide + 2 * ROOM))
    bottom = TOP + high
    least = 0.15 * skeleton.reach
    screen = Screen.around(view, points, (ROOM, TOP + ROOM - 10, WIDTH - ROOM, bottom - ROOM + 10), least)
    board = Board(4.0, TOP - 8, WIDTH - 4.0, bottom)
    rows, below = _table(body, bottom + 14)
    title = f"Free body of {brief(body.name, 24)} ({brief(skeleton.robot.name, 20)})"
    described = "; ".join(f"{load.name} = {_size(load)}, {load.source}" for load in body.loads) + "."
    parts = [_link(body, screen, board), _arrows(body, screen, board), rows]
    return page(bottom + below, title, described, *parts)


def _link(body: FreeBody, screen: Screen, board: Board) -> Iterator[Element]:
    """The link, its joints cut open, and its centre of mass."""
    skeleton = body.skeleton
    com = screen(skeleton.coms[body.link])
    joints = [skeleton.hinges[body.link].origin, *(c.rest for c in skeleton.children(body.link))]
    for points in (screen(s.points) for s in skeleton.strokes if s.body == body.link):
        board.draw_band(points, THICK)
        yield glyphs.tube(points, THICK)
    first = screen(joints[0])
    if float(np.linalg.norm(com - first)) > 1.0:
        yield path(glyphs.trace([first, com]), class_="axis", stroke_dasharray="2 3")
    for joint in joints:
        board.block(screen(joint), 5.0)
        yield glyphs.dot(screen(joint), 5.0, class_="face", stroke_width=1.3)
    board.block(com, 6.0)
    yield glyphs.mass_centre(com, 6.0)


def _arrows(body: FreeBody, screen: Screen, board: Board) -> Iterator[Child]:
    """Forces as arrows; moments as arrows with two heads, or around their point where they face the viewer."""
    named: list[tuple[Array, Array, Load]] = []
    for unit in ("N", "N m"):
        loads = body.of(unit)
        most = max((load.size for load in loads), default=1.0)
        for load in loads:
            shape, tip, way = _shape(load, screen, max(SHORTEST, LONGEST * load.size / most))
            board.draw(np.array([screen(load.at), tip]))
            named.append((tip, way, load))
            yield shape
    for tip, way, load in named:
        yield label(board, tip, f"{load.name} = {_size(load)}", towards=way, crowd=60.0)


def _shape(load: Load, screen: Screen, length: float) -> tuple[Element, Array, Array]:
    """A load on the page, where its label goes, and on which side."""
    at = screen(load.at)
    way, towards = screen.turned(load.vector / load.size)
    moment = load.unit == "N m"
    if moment and abs(towards) > HEADS_ON:
        points = glyphs.circle_of_arrows(at, 19.0, towards)
        side = np.array([1.0, 0.0]) if towards > 0 else np.array([-1.0, 0.0])
        return glyphs.round_arrow(points, load.colour, 2.0, 8.0), at + 19.0 * side, side
    if abs(towards) > glyphs.END_ON:
        mark = glyphs.dot(at, 8.0, stroke_width=2, **stroke(load.colour))
        return (
            group(mark, glyphs.dot(at, 2.5, **fill(load.colour))),
            at + np.array([8.0, 0.0]),
            np.array([1.0, 0.0]),
        )
    tip = at + length * way
    return glyphs.arrow(at, tip, load.colour, 2.3, heads=2 if moment else 1), tip, way / np.linalg.norm(way)


def _size(load: Load) -> str:
    return f"{load.size:.4g} {load.unit}"


def _table(body: FreeBody, y: float) -> tuple[list[Child], float]:
    """The loads in base axes, and how high that table is."""
    stops = (222.0, 294.0, 366.0, WIDTH - MARGIN)
    heads = ("x", "y", "z", "size")
    rows: list[Child] = [text(MARGIN, y, "on the link, base axes", class_="muted")]
    rows += [text(x, y, head, anchor="end", class_="muted") for x, head in zip(stops, heads, strict=True)]
    rows.append(rule(y + 4.5))
    line = y
    for unit in ("N", "N m"):
        for load in body.of(unit):
            line += LINE
            rows.append(glyphs.dot(np.array([MARGIN + 4, line - 4]), 4, **fill(load.colour)))
            rows.append(text(MARGIN + 13, line, f"{load.name}  {brief(load.source, 18)}"))
            rows += _numbers(load.vector, stops, line)
            rows.append(text(stops[-1], line, _size(load), anchor="end"))
    total = sum((load.vector for load in body.of("N")), np.zeros(3))
    most = max((load.size for load in body.loads), default=1.0)
    line += LINE + 3
    rows.append(text(MARGIN + 13, line, "sum of the forces", class_="muted"))
    rows += _numbers(quiet(total, most), stops, line, class_="muted")
    rows.append(text(stops[-1], line, _sum_is(body), anchor="end", class_="muted"))
    return rows, line - y + 26


def _sum_is(body: FreeBody) -> str:
    """What the forces add up to."""
    return (
        "in balance"
        if any(load.colour == INERTIAL for load in body.loads)
        else f"{subscript('m', body.link + 1)} a"
    )


def _numbers(vector: Array, stops: Sequence[float], line: float, **look: str) -> list[Element]:
    shown = quiet(vector).tolist()
    return [
        text(stop, line, f"{x:.4g}".replace("-", "−"), anchor="end", **look)
        for stop, x in zip(stops[:3], shown, strict=True)
    ]
