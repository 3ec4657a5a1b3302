"""Small moves of what places a robot's joints: turns and shifts that are added to its steps, each with a name.

    origins    before · Rx Ry Rz · T(x, y, z)                   at every joint, in its own axes
    dh         T_z(d) R_z(θ) · after · T_x(a) R_x(α) R_y(β)     at every row of Denavit and Hartenberg, standard
    dh         R_x(α) T_x(a) R_y(β) · before · T_z(d) R_z(θ)    modified

The move of a joint about or along its own axis is its offset.

β turns the one axis that the four others cannot where two joints are parallel. A sum of moves about an
axis is what a row of the table holds, so that nothing has to be known of how a robot was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from strobe.algebra import Pose, Shift, Turn, Vec3
from strobe.errors import ArgumentError
from strobe.models.model import Body, Model
from strobe.models.placements import joined
from strobe.scalars import Num, Numbers, cos, sin
from strobe.scalars.scalar import is_number

AXES = "xyz"
BASE, TOOL = "base", "tool"
PARAMETERS = ("dh", "origins")


@dataclass(frozen=True, slots=True)
class Move:
    """A turn about or a shift along a coordinate axis, where it is added, and how soon it is preferred to others."""

    name: str
    turns: bool
    axis: int
    place: str  # base, tool, or the body whose placement it changes
    side: str = ""  # of a body: before or after, at its start or its end
    rank: int = 0

    @property
    def unit(self) -> str:
        return "rad" if self.turns else "m"

    def step(self, x: Num) -> Turn | Shift:
        if self.turns:
            return Turn.by(self.axis, x) if is_number(x) else Turn(self.axis, cos(x), sin(x))
        return Shift(Vec3(*(x if k == self.axis else 0.0 for k in range(3))))


def placed(place: str) -> list[Move]:
    """Six moves of what stands at one end of a robot."""
    shifts = [Move(f"{place}.{AXES[k]}", False, k, place) for k in range(3)]
    return shifts + [Move(f"{place}.r{AXES[k]}", True, k, place) for k in range(3)]


def moves_of(model: Model, frame: str, parameters: str | None) -> tuple[Move, ...]:
    """The moves of all joints between the base and a frame."""
    if parameters not in (None, *PARAMETERS):
        raise ArgumentError(f'parameters is "{parameters}"; expected {" or ".join(PARAMETERS)}.')
    chain = model.support(model.frame(frame).body)
    convention = _convention(chain)
    if parameters == "dh" and not convention:
        raise ArgumentError(
            f'{model.name} is not given by Denavit-Hartenberg parameters; take parameters="origins".'
        )
    if convention and parameters != "origins":
        return tuple(move for body in chain for move in _dh(body, convention))
    return tuple(move for body in chain for move in _origin(body))


def _convention(chain: Sequence[Body]) -> str:
    """How a chain's joints are placed: standard, modified, or neither."""
    if any(not body.joint.has_axis or body.joint.axis != 2 for body in chain):
        return ""
    if all(not body.before.steps for body in chain[1:]) and any(body.after.steps for body in chain):
        return "standard"
    rows = all(_is_modified(body) for body in chain)
    return "modified" if rows and any(body.before.steps for body in chain) else ""


def _is_modified(body: Body) -> bool:
    """Whether a body is placed by Rx Tx Tz alone."""
    turns = [step for step in body.before.steps if not isinstance(step, Shift)]
    flat = all(step.p.y == 0 for step in body.before.steps if isinstance(step, Shift))
    first = not turns or body.before.steps[0] is turns[0]
    return not body.after.steps and flat and first and all(getattr(t, "axis", None) == 0 for t in turns)


def _dh(body: Body, convention: str) -> list[Move]:
    """Five moves of a row; θ, or d of a joint that slides, is the offset."""
    k, name = body.index + 1, body.name
    own, link = ("after start", "after end") if convention == "standard" else ("before end", "before start")
    slides = not body.joint.angular
    return [
        Move(f"theta{k}", True, 2, name, own, 2 if slides else 1),
        Move(f"d{k}", False, 2, name, own, 1 if slides else 2),
        Move(f"a{k}", False, 0, name, link, 2),
        Move(f"alpha{k}", True, 0, name, link, 2),
        Move(f"beta{k}", True, 1, name, link, 3),
    ]


def _origin(body: Body) -> list[Move]:
    """Six moves of a joint; that about or along its own axis is the offset."""
    joint, found = body.joint, list[Move]()
    for turns in (True, False):
        for k in range(3):
            own = joint.has_axis and k == joint.axis
            offset = own and turns == joint.angular
            name = "offset" if offset else f"{'r' * turns}{AXES[k]}"
            rank = 1 if offset else 3 if own else 2
            found.append(Move(f"{name} {joint.name}", turns, k, body.name, "before end", rank))
    return found


def moved(model: Model, moves: Sequence[Move], numbers: Numbers) -> Model:
    """The model with moves of its joints by numbers of any system; states with torques of before are let go."""
    at: dict[tuple[str, str], list[Turn | Shift]] = {}
    for move, x in zip(moves, numbers, strict=True):
        if not (is_number(x) and x == 0):
            at.setdefault((move.place, move.side), []).append(move.step(x))
    return replace(model, bodies=tuple(_moved(body, at) for body in model.bodies), golden=())


def _moved(body: Body, at: dict[tuple[str, str], list[Turn | Shift]]) -> Body:
    def steps(side: str) -> Pose:
        return Pose(tuple(at.get((body.name, side), ())))

    if not any(name == body.name for name, _ in at):
        return body
    before = steps("before start") @ body.before @ steps("before end")
    after = steps("after start") @ body.after @ steps("after end")
    return replace(body, before=joined(before), after=joined(after))
