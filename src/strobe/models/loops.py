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

import math
from dataclasses import dataclass, replace

from strobe.algebra import Pose, Shift
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.models.arguments import finite_numbers, require_above, require_choice, require_text
from strobe.models.couplings import coordinates
from strobe.models.model import Loop, Model
from strobe.models.names import unused_name
from strobe.scalars import Numbers

OPEN = 1e-6  # of the size of a robot, or a sine: by which a loop may be open that counts as closed


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


def solved(model: Model) -> list[Loop]:
    """The loops that are left to be solved: those that couplings do not keep closed."""
    return [loop for loop in model.loops if not loop.held]


def conditions(model: Model) -> list[tuple[str, str]]:
    """The conditions that closed chains put on the joints: the name of the loop or curve, and which of its own."""
    found: list[tuple[str, str]] = []
    for loop in solved(model):
        words = CLOSURES[loop.kind].words
        found += [(loop.name, words[k]) for k in loop.rows or range(len(words))]
    return found + [(curve.name, "curve") for curve in model.curves]


def scales(model: Model) -> list[float]:
    """What each condition is measured by: the size of the robot where it is told in metres, 1 for angles."""
    size = extent(model)
    loops = conditions(replace(model, curves=()))
    curved = (model.joint(curve.joint).angular for curve in model.curves)
    angles = [*(word.startswith("turn") for _, word in loops), *curved]
    return [1.0 if angle else size for angle in angles]


def extent(model: Model) -> float:
    """How far the links of a robot and of its loops reach one after the other, metres; 1 where none has a length."""
    placements = [pose for body in model.bodies for pose in (body.before, body.after)]
    placements += [
        model.frame(name).placement for loop in model.loops for name in (loop.frame_a, loop.frame_b)
    ]
    steps = (step for pose in placements for step in pose.steps if isinstance(step, Shift))
    ways = sum(math.hypot(*map(float, step.p)) for step in steps)  # pyright: ignore[reportArgumentType]
    return ways + sum(loop.length for loop in model.loops) or 1.0


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
    require_choice("loop kind", kind, CLOSURES)
    (length,) = finite_numbers("length", length, 1)
    if name is not None and require_text("name", name) in taken:
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
    return settled(replace(model, loops=(*model.loops, made), golden=()))


def choose_actuated(model: Model, names: tuple[str, ...]) -> Model:
    """The model with these joints driven and all others passive."""
    for name in names:
        model.joint(name)
    return replace(model, actuated=names, golden=())


OPEN_PART = "Take an open part of it, robot.chain(frame), or lock the joints that close it."


def require_open(model: Model, what: str, instead: str = OPEN_PART, *, held: bool = False) -> None:
    """Refuse what is not solved of closed chains, and say what can be done instead.

    ``held`` refuses loops that couplings keep closed, too: where it matters that forces go through them.
    """
    loops = model.loops if held else solved(model)
    if closing := [rule.name for rule in (*loops, *model.curves)]:
        more = f" and {len(closing) - 2} more" if len(closing) > 3 else ""
        shown = ", ".join(f'"{name}"' for name in (closing[:2] if more else closing)) + more
        raise UnsupportedModelError(
            f"{what} of closed chains is not solved, and {model.name} has {shown}. {instead}"
        )


def why_open(model: Model) -> str:
    """The end of a sentence that says that a robot has no closed chain: why, where it has loops all the same."""
    held = [f'"{loop.name}"' for loop in model.loops if loop.held]
    return f": its couplings keep {', '.join(held)} closed." if held else "."


def require_geometry(model: Model) -> None:
    """Refuse another geometry of robots that it would bring apart, whether couplings keep them closed or not."""
    if model.loops or model.curves:
        raise UnsupportedModelError(
            f"{model.name} has closed chains, which another geometry would open; geometry= is for robots without."
        )


# -- loops of which nothing is left to solve -----------------------------------------------------------


def settled(model: Model) -> Model:
    """The model without loops inside one rigid part, and with those marked that couplings keep closed.

    Refused where a rigid part would have to be bent to close its loop.
    """
    kept: list[Loop] = []
    size = extent(model)
    for loop in model.loops:
        a, b = model.frame(loop.frame_a), model.frame(loop.frame_b)
        if a.body != b.body:
            kept.append(replace(loop, held=bool(model.couplings) and _stays_closed(model, loop)))
        elif off := _open_by(loop, a.placement.inverted() @ b.placement, size):
            raise ArgumentError(
                f'loop "{loop.name}" of {model.name} is open by {off:.3g}, and no joint is left to close it. '
                "Lock joints where it is closed; robot.assemble(q) gives such positions."
            )
    return replace(model, loops=tuple(kept))


def _stays_closed(model: Model, loop: Loop) -> bool:
    """Whether a loop is closed at positions of the independent joints that nothing singles out."""
    n = coordinates(model).nq
    drawn = ([start + 0.17 * k for k in range(n)] for start in (0.3, -0.7))
    return not any(open_by(model, loop, q) for q in drawn)


def open_by(model: Model, loop: Loop, q: Numbers) -> float:
    """By how much a loop is open at a position of the independent joints, metres or sines; 0 where it is closed."""
    return _open_by(loop, _seen(model, loop, coordinates(model).expand(q)), extent(model))


def _seen(model: Model, loop: Loop, q: Numbers) -> Pose:
    """Frame b as frame a sees it."""
    a, b = (_placed(model, name, q) for name in (loop.frame_a, loop.frame_b))
    return a.inverted() @ b


def _placed(model: Model, name: str, q: Numbers) -> Pose:
    frame, pose = model.frame(name), Pose()
    for body in model.support(frame.body):
        pose = pose @ body.pose(q)
    return pose @ frame.placement


def _open_by(loop: Loop, seen: Pose, size: float) -> float:
    """By how much the worst condition of a loop fails, metres or sines, and 0 where that is next to nothing.

    One that is closed the wrong way round is open.
    """
    kind, d = CLOSURES[loop.kind], [float(x) for x in seen.translation]  # pyright: ignore[reportArgumentType]
    columns = [[float(x) for x in column] for column in seen.rotation.T]  # pyright: ignore[reportArgumentType]
    agreeing = {0: (), 2: UP, 3: ALL}[len(kind.turn)]
    places = [abs(math.hypot(*d) - loop.length)] if kind.distance else [abs(d[k]) for k in kind.place]
    turns = [abs(x - (i == k)) for k in agreeing for i, x in enumerate(columns[k])]
    worst = max([*(x / size for x in places), *turns])
    return max([*places, *turns]) if worst > OPEN else 0.0
