"""Centrifugal and Coriolis forces of a planar arm, a sketch each: what they are and which joints they turn.

    joint j in motion                F_b = m_b (C_b − O_j) θ̇_j²              on every link b beyond j
    joints j < k in motion at once   F_b = 2 m_b (C_b − O_k) θ̇_j θ̇_k         on every link b beyond k

These are inertial forces, −m times the acceleration; the drives cancel their moments about the joints. [Asada2005]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.robot import Robot
from strobe.show import glyphs
from strobe.show.drawing_sheet import MARGIN, TOP, WIDTH, brief, page
from strobe.show.glyphs import label, subscript
from strobe.show.label_placement import Board
from strobe.show.projection import Screen, View
from strobe.show.rounding_noise import noise, quiet
from strobe.show.skeleton import Skeleton, posed
from strobe.show.svg import Child, Element, group, path, text

Array = np.ndarray
Vector = Sequence[float] | Array

MOST = 4  # joints of an arm whose sketches fit a page
ACROSS = (WIDTH - 3 * MARGIN) / 2  # width of a sketch
LEFT, RIGHT, AROUND = 20.0, 36.0, 24.0  # of it left free for arrows and labels
LINE, GAP = 15.0, 14.0  # of what is written under it, and below that
LEAST_TALL, MOST_TALL = 96.0, 190.0
LETTERS = 34  # of a line
LONGEST, SHORTEST = 46.0, 14.0  # pixels, of arrows
CENTRIFUGAL, CORIOLIS = 2, 3  # colours, as in the plots
NOTE = "Inertial forces, and their moments about the joints: the drives cancel them."


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """The inertial forces of one product of rates."""

    by: tuple[int, int]  # the joints that move
    forces: Array  # (links, 3), at the centres of mass, base axes
    moments: Array  # (joints,), about each joint, of the forces on all that it carries

    @property
    def kind(self) -> str:
        return "centrifugal" if self.by[0] == self.by[1] else "Coriolis"

    @property
    def product(self) -> str:
        """θ̇₁², or θ̇₁ θ̇₂."""
        j, k = self.by
        rates = [subscript("θ̇", index + 1) for index in self.by]
        return f"{rates[0]}²" if j == k else f"{rates[0]} {rates[1]}"


def effects(robot: Robot, q: Vector, qd: Vector) -> tuple[Skeleton, list[Effect]]:
    """The arm in its pose, and its effects: centrifugal of every joint that moves, Coriolis of every pair."""
    skeleton = posed(robot, q)
    _require_planar(skeleton)
    rates = np.asarray(qd, float)
    if rates.shape != (robot.nv,):
        raise ArgumentError(
            f"qd has shape {rates.shape}; {robot.name} has {robot.nv} joints, expected ({robot.nv},)."
        )
    if not np.any(rates):
        raise ArgumentError("nothing moves: centrifugal and Coriolis forces need velocities; give qd.")
    moving = [k for k in range(robot.nv) if rates[k]]
    pairs = sorted(combinations_with_replacement(moving, 2), key=lambda pair: (pair[0] != pair[1], pair))
    return skeleton, [_effect(skeleton, pair, rates) for pair in pairs]


def _require_planar(skeleton: Skeleton) -> None:
    robot, hinges = skeleton.robot, skeleton.hinges
    chain = robot.model.is_serial and robot.coordinates.trivial
    if (
        skeleton.plane is None
        or not chain
        or not all(h.turns for h in hinges)
        or not 2 <= len(hinges) <= MOST
    ):
        raise UnsupportedModelError(
            f"{robot.name} is not a planar arm of 2 to {MOST} turning joints, the only kind whose centrifugal and "
            f"Coriolis forces are drawn (planar2 and planar3 are such arms). For the terms of its torques use "
            "strobe explain, or strobe draw --kind torques."
        )


def _effect(skeleton: Skeleton, by: tuple[int, int], rates: Array) -> Effect:
    j, k = by
    hinges, normal = skeleton.hinges, _normal(skeleton)
    signs = [float(hinge.axis @ normal) for hinge in hinges]
    product = rates[j] * rates[k] * round(signs[j] * signs[k]) * (1.0 if j == k else 2.0)
    arms = skeleton.coms - hinges[k].origin
    arms = arms - np.outer(arms @ normal, normal)
    masses = np.array([float(h.body.inertial.m) * (b >= k) for b, h in enumerate(hinges)])  # pyright: ignore
    forces = masses[:, None] * arms * product
    turning = [
        float(
            sum(np.cross(skeleton.coms[b] - hinge.origin, forces[b]) for b in range(i, len(hinges)))
            @ hinge.axis
        )
        for i, hinge in enumerate(hinges)
    ]
    return Effect(by, forces, np.array(turning))


def _normal(skeleton: Skeleton) -> Array:
    """The normal of the plane of a planar arm."""
    assert skeleton.plane is not None
    return skeleton.plane


# -- the figure ---------------------------------------------------------------------------------------


def effects_figure(robot: Robot, q: Vector, qd: Vector) -> str:
    """One sketch for each centrifugal and Coriolis effect of a planar arm."""
    return drawn(*effects(robot, q, qd))


def drawn(skeleton: Skeleton, found: Sequence[Effect]) -> str:
    """Effects as a figure."""
    lines = max(len(_wrapped(effect)) for effect in found)
    tall = _tall(skeleton)
    high = tall + LINE * (lines + 1) + GAP
    panels = [
        _panel(skeleton, effect, MARGIN + (k % 2) * (ACROSS + MARGIN), TOP + (k // 2) * high, tall)
        for k, effect in enumerate(found)
    ]
    bottom = TOP + high * -(-len(found) // 2)
    title = f"Centrifugal and Coriolis forces of {brief(skeleton.robot.name, 24)}"
    described = "; ".join(f"{e.kind} {e.product}: {' '.join(_wrapped(e))}" for e in found) + "."
    note = text(MARGIN, bottom + 10, NOTE, class_="muted")
    return page(bottom + 22, title, described, panels, note)


def _tall(skeleton: Skeleton) -> float:
    """The height that a sketch of the arm needs."""
    wide, high = View.facing(_normal(skeleton)).extent(skeleton.points)
    return min(MOST_TALL, max(LEAST_TALL, (ACROSS - LEFT - RIGHT) * high / wide + 2 * AROUND))


def _panel(skeleton: Skeleton, effect: Effect, left: float, top: float, tall: float) -> Element:
    box = (left + LEFT, top + AROUND, left + ACROSS - RIGHT, top + tall - AROUND)
    screen = Screen.around(View.facing(_normal(skeleton)), skeleton.points, box)
    board = Board(left - 6, top, left + ACROSS + 6, top + tall)
    below = top + tall + 8
    kind = effect.kind.capitalize()
    movers = " and ".join(str(index + 1) for index in dict.fromkeys(effect.by))
    return group(
        _arm(skeleton, screen, board),
        list(_forces(skeleton, effect, screen, board)),
        text(
            left,
            below,
            f"{kind}, {effect.product}: joint{'s' if ' ' in movers else ''} {movers}",
            font_weight="600",
        ),
        [
            text(left, below + LINE * (k + 1), words, class_="muted", font_size=11)
            for k, words in enumerate(_wrapped(effect))
        ],
    )


def _arm(skeleton: Skeleton, screen: Screen, board: Board) -> Iterator[Element]:
    for drawn_stroke in skeleton.strokes:
        if len(drawn_stroke.points) > 1:
            points = screen(drawn_stroke.points)
            board.draw(points)
            yield glyphs.tube(points, 5.5)
    up, _ = screen.turned(skeleton.up)
    yield glyphs.hatch(screen(skeleton.hinges[0].origin) - 5.0 * up, up, 13.0)
    for hinge in skeleton.hinges:
        board.block(screen(hinge.origin), 5.0)
        yield glyphs.dot(screen(hinge.origin), 5.0, class_="face", stroke_width=1.2)


def _forces(skeleton: Skeleton, effect: Effect, screen: Screen, board: Board) -> Iterator[Child]:
    """Arrows along the lines from the centre of the effect, and around the joints about which they turn."""
    colour = CENTRIFUGAL if effect.kind == "centrifugal" else CORIOLIS
    centre = screen(skeleton.hinges[effect.by[1]].origin)
    sizes = np.linalg.norm(effect.forces, axis=-1)
    felt = [b for b, size in enumerate(sizes) if size > noise(sizes)]
    named: list[tuple[Array, str, Array]] = []
    for b in felt:
        at, way = screen(skeleton.coms[b]), screen.turned(effect.forces[b] / sizes[b])[0]
        tip = at + max(SHORTEST, LONGEST * sizes[b] / sizes.max()) * way
        board.draw(np.array([centre, at, tip]))
        named.append((tip, f"{sizes[b]:.3g} N", way))
        yield path(glyphs.trace([centre, at]), class_="axis", stroke_dasharray="3 3")
        yield glyphs.arrow(at, tip, colour, 2.2)
        yield glyphs.mass_centre(at, 4.5)
    for hinge, moment in zip(skeleton.hinges, _tidy(effect.moments), strict=True):
        if moment:
            seen = moment * screen.turned(hinge.axis)[1]
            points = glyphs.circle_of_arrows(screen(hinge.origin), 13.0, seen)
            board.draw(points)
            yield glyphs.round_arrow(points, colour, 1.8, 7.0)
    yield [label(board, tip, words, towards=way, crowd=40.0, font_size=11) for tip, words, way in named]


def _tidy(moments: Array) -> list[float]:
    """Moments without what rounding leaves of nothing."""
    return quiet(moments).tolist()


def _wrapped(effect: Effect) -> list[str]:
    """The moments about the joints, in lines of a sketch."""
    shown = [f"{m:+.3g}".replace("-", "−") if m else "0" for m in _tidy(effect.moments)]
    words = [f"joint {i + 1}: {m}" for i, m in enumerate(shown)]
    lines = [words[0]]
    for word in [*words[1:-1], f"{words[-1]} N m"]:
        if len(lines[-1]) + len(word) + 2 <= LETTERS:
            lines[-1] += f", {word}"
        else:
            lines[-1] += ","
            lines.append(word)
    return lines
