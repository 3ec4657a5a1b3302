"""Closed chains as data: what two frames, a and b, keep of each other.

kind       conditions, in the axes of a                                      left free
point      the origins meet                                                  a ball
line       b's origin stays on a's z axis                                    a ball that slides
plane      b's origin stays in a's x-y plane                                 a ball on a table
planar     b's x-y plane stays in a's                                        a plate on a table
hinge      the origins meet, the z axes agree                                a turn about z
cylinder   b's z axis stays on a's                                           a turn and a slide along z
slider     b's origin stays on a's z axis, the axes agree                    a slide along z
full       the frames agree                                                  nothing
distance   the origins keep a distance                                       a rod with two balls
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from strobe.errors import ArgumentError, UnknownNameError
from strobe.models.arguments import require_above
from strobe.models.model import Loop, Model
from strobe.models.names import unused_name


@dataclass(frozen=True, slots=True)
class Closure:
    """What one kind of loop holds: components of the place of b's origin, and of its orientation, seen from a."""

    place: tuple[int, ...] = ()
    turn: tuple[int, ...] = ()  # (0, 1): the z axes agree; (0, 1, 2): all axes
    distance: bool = False

    @property
    def size(self) -> int:
        return len(self.place) + len(self.turn) + self.distance

    @property
    def words(self) -> tuple[str, ...]:
        """What each condition is called."""
        return (
            *(f"place {'xyz'[k]}" for k in self.place),
            *(f"turn {'xyz'[k]}" for k in self.turn),
            *(["distance"] if self.distance else []),
        )


ALL, PLANE, UP = (0, 1, 2), (0, 1), (2,)
CLOSURES = {
    "point": Closure(ALL),
    "line": Closure(PLANE),
    "plane": Closure(UP),
    "planar": Closure(UP, PLANE),
    "hinge": Closure(ALL, PLANE),
    "cylinder": Closure(PLANE, PLANE),
    "slider": Closure(PLANE, ALL),
    "full": Closure(ALL, ALL),
    "distance": Closure(distance=True),
}


def conditions(model: Model) -> list[tuple[str, str]]:
    """The conditions that closed chains put on the joints: the name of the loop or curve, and which of its own."""
    found: list[tuple[str, str]] = []
    for loop in model.loops:
        words = CLOSURES[loop.kind].words
        if not loop.held:
            found += [(loop.name, words[k]) for k in loop.rows or range(len(words))]
    return found + [(curve.name, "curve") for curve in model.curves]


def add_loop(
    model: Model,
    frame_a: str,
    frame_b: str,
    kind: str = "point",
    length: float = 0.0,
    name: str | None = None,
) -> Model:
    """The model with two of its frames bound to each other."""
    taken = [loop.name for loop in model.loops]
    if kind not in CLOSURES:
        raise UnknownNameError("kind of loop", kind, "strobe", list(CLOSURES))
    if name in taken:
        raise ArgumentError(f'{model.name} has a loop "{name}" already.')
    if CLOSURES[kind].distance:
        require_above("length", length, "the distance to keep, in metres, above zero")
    elif length:
        raise ArgumentError(f'length= is for loops of kind "distance"; this one is a "{kind}".')
    a, b = model.frame(frame_a), model.frame(frame_b)
    if a.body == b.body:
        raise ArgumentError(
            f'frames "{frame_a}" and "{frame_b}" are on one link: no joint could close a loop.'
        )
    made = Loop(
        name or unused_name(f"{frame_a}_to_{frame_b}", taken), frame_a, frame_b, kind, float(length)
    )
    return replace(model, loops=(*model.loops, made), golden=())


def choose_actuated(model: Model, names: tuple[str, ...]) -> Model:
    """The model with these joints driven and all others passive."""
    for name in names:
        model.joint(name)
    return replace(model, actuated=names, golden=())
