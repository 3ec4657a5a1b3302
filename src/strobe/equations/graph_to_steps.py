# pyright: reportConstantRedefinition=false
"""The walk over composite bodies that readable equations are written from, every result with its name and meaning.

From the tips inwards; of the links i…n beyond joint i, in axes of link i about its origin:

    H = ∫ x dm,   J = ∫ (x·x 1 − x xᵀ) dm,   V = ∫ ẋ xᵀ dm,   P = ∫ ẋ dm

each the link's own plus what the next link's become in these axes. Per unit rate of joint j these links have the
momentum (A, L) = J S_j, and their motion gives row and column j of C from

    (N, F) = J Ṡ_j + B S_j,   T = Bᵀ S_j,   B (a, b) = ((tr V) a − V a, a × P)

carried inwards to every joint i, whose axis sees the entries [Echeandia2021]:

    M_ij = S_i · (A, L)     C_ij = S_i · (N, F)     C_ji = S_i · T + Ṡ_i · (A, L)     G_j = −g · L

The decomposition adds to C_ij and C_ji, of opposite signs, half the traces beyond three axes times their volume and
the rate of the third. The potential energy is −g · H seen from the base; frames go outwards, in base axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from strobe.algebra import Force, Inertia, Mat3, Motion, Pose, Shift, Spin, Sym3, Turn, Vec3
from strobe.algebra.placement import Step as Placed
from strobe.equations.closed_form import trace_part
from strobe.equations.steps import Label
from strobe.formulations import kinematics
from strobe.formulations.composite_coriolis import Flow
from strobe.models.model import ROOT, Body, Frame, Model
from strobe.scalars import Graph, Node, Num, Numbers, cos, quarter_turns, sin
from strobe.scalars.scalar import is_number

CIRCLES = "Sines and cosines"
VELOCITIES = "Velocities of the links"
DOWNWARDS = "Gravity in axes of the links"
COMPOSITES = "The links beyond each joint as one body"
CARRIED = "Momentum and forces per unit rate of each joint, carried inwards"
AXES = "Axes of the joints in axes of the links"
PLACES = "Frames in base axes"

VECTOR = ("x", "y", "z")
SYMMETRIC = ("xx", "yy", "zz", "xy", "xz", "yz")
MATRIX = ("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz")

Rows = list[list[Num]]

# -- names and meanings -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kind:
    """The letters and meanings of the parts of a quantity, and where it is told of."""

    section: str
    letters: tuple[str, ...]
    meanings: tuple[str, ...]


MOVING = Kind(VELOCITIES, ("w", "u"), ("angular velocity", "velocity of the origin"))
DOWN = Kind(DOWNWARDS, ("g",), ("gravity",))
OWN = Kind(
    COMPOSITES, ("K", "h", "mu"), ("inertia of {links}", "first moment of {links}", "mass of {links}")
)
SPREAD = Kind(COMPOSITES, ("Q",), ("second moments of {links}",))
BEYOND = replace(OWN, letters=("J", "H", "S"))
FLOWING = Kind(
    COMPOSITES, ("V", "P"), ("velocity times position over the mass of {links}", "momentum of {links}")
)
HELD = Kind(
    CARRIED,
    ("A", "L"),
    (
        "angular momentum of {links} per unit rate of joint {j}",
        "momentum of {links} per unit rate of joint {j}",
    ),
)
ALONG = Kind(CARRIED, ("N", "F"), ("moment for column {j} of C", "force for column {j} of C"))
ACROSS = Kind(CARRIED, ("T",), ("moment for row {j} of C",))
WEIGHT = Kind(COMPOSITES, ("H",), ("first moment of {links}",))
AXIS = Kind(AXES, ("a",), ("axis of joint {j}",))
PLACED = Kind(PLACES, ("E", "p"), ("axes of frame {i} (columns)", "origin of frame {i}"))
TARGET = Kind(PLACES, ("p",), ('origin of the frame "{name}"',))
LEVER = Kind(PLACES, ("D",), ('from the origin of frame {i} to that of "{name}"',))


@dataclass
class Book:
    """The labels of a walk, in its order; numbers that are no nodes pass unnoticed."""

    labels: list[Label] = field(default_factory=list)

    def circle(self, name: str, angle: Num, what: str) -> tuple[Num, Num]:
        """Cosine and sine, named after the angle."""
        c, s = cos(angle), sin(angle)
        self.put(f"c{name}", c, what, CIRCLES, "cosine")
        self.put(f"s{name}", s, what, CIRCLES, "sine")
        return c, s

    def note(
        self, kind: Kind, place: str, where: str, quantity: Any, minor: bool = False, **about: Any
    ) -> None:
        """Every number of a quantity: a letter of its kind, its place, and the entry."""
        parts = zip(kind.letters, kind.meanings, numbers_of(quantity), strict=True)
        for letter, meaning, entries in parts:
            told = f"{meaning.format(**about)}, {where}"
            for entry, number in entries.items():
                self.put(f"{letter}{place}{entry}", number, told, kind.section, entry, minor)

    def put(
        self, name: str, number: Num, about: str, section: str, entry: str = "", minor: bool = False
    ) -> None:
        if isinstance(number, Node):
            self.labels.append(Label(name, number, about, entry, section, minor))


def numbers_of(quantity: Any) -> list[dict[str, Num]]:
    """The numbers of each part of a quantity by their entries."""
    match quantity:
        case Inertia(m, h, I):
            return [by_entry(SYMMETRIC, I), by_entry(VECTOR, h), {"": m}]
        case Flow(V, p):
            return [by_entry(MATRIX, (x for row in V for x in row)), by_entry(VECTOR, p)]
        case Force(first, second) | Motion(first, second):
            return [by_entry(VECTOR, first), by_entry(VECTOR, second)]
        case Sym3():
            return [by_entry(SYMMETRIC, quantity)]
        case kinematics.Placed(R, p):
            return [by_entry(MATRIX, (x for row in R for x in row)), by_entry(VECTOR, p)]
        case _:
            return [by_entry(VECTOR, quantity)]


def by_entry(names: Iterable[str], numbers: Iterable[Num]) -> dict[str, Num]:
    return dict(zip(names, numbers, strict=True))


# -- the walk -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Stage:
    """One step between the frames of two links, in words."""

    step: Turn | Shift
    words: str


class Walk:
    """The state of the walk over a regrouped model: what is known of every link by its index."""

    def __init__(self, model: Model, q: Numbers, book: Book) -> None:
        self.model = model
        self.book = book
        # from the parent outwards
        self.stages = {body.index: _stages(body, q, book) for body in model.bodies}
        self.v = {ROOT: Motion.zero()}
        self.S_d: dict[int, Motion] = {}
        self.inertias: dict[int, Inertia] = {}
        self.flows: dict[int, Flow] = {}
        self.beyond = {body.index: _beyond(model, body) for body in model.bodies}

    def move(self, qd: Numbers) -> None:
        """Velocities in axes of the links, outwards."""
        for body in self.model.bodies:
            i, (S,) = body.index, body.S
            carried = self._outwards(body, MOVING, self.v[body.parent])
            self.v[i] = carried + body.S @ body.rates(qd)
            self.S_d[i] = self.v[i].cross(S)
            self.book.note(MOVING, f"{i + 1}", f"frame {i + 1}", self.v[i])

    def gravity(self) -> dict[int, Vec3]:
        """In axes of the links, outwards."""
        down = {ROOT: self.model.gravity.linear}
        for body in self.model.bodies:
            i = body.index
            down[i] = self._outwards(body, DOWN, down[body.parent])
            self.book.note(DOWN, f"{i + 1}", f"frame {i + 1}", down[i])
        return down

    def gather(self) -> None:
        """Inertia and flow of the links beyond each joint, inwards."""
        for body in self.model.bodies:
            self.inertias[body.index], self.flows[body.index] = body.inertia, self._own_flow(body)
        for body in reversed(self.model.bodies):
            i, p = body.index, body.parent
            where, links = f"frame {i + 1}", self.beyond[i]
            self.book.note(BEYOND, f"{i + 1}", where, self.inertias[i], links=links)
            self.book.note(FLOWING, f"{i + 1}", where, self.flows[i], links=links)
            if p != ROOT:
                seen = self._inwards(body, body, BEYOND, self.inertias[i])
                self.inertias[p] = self.inertias[p] + seen
                self.flows[p] = self.flows[p] + self._inwards(body, body, FLOWING, self.flows[i])

    def columns(self) -> tuple[Rows, Rows, list[Num]]:
        """M, C and G: what every joint's rate asks of the joints before it."""
        down = self.gravity()
        self.gather()
        n = self.model.nv
        M: list[list[Num]] = [[0.0] * n for _ in range(n)]
        C: list[list[Num]] = [[0.0] * n for _ in range(n)]
        G: list[Num] = [0.0] * n
        for body in self.model.bodies:
            index, j = body.index, body.joint.v
            (S,), inertia, flow = body.S, self.inertias[body.index], self.flows[body.index]
            held, along = inertia @ S, inertia @ self.S_d[index] + _rate(flow, S)
            across = _spin(flow.V).T @ S.angular + flow.p.cross(S.linear)
            G[j] = -(down[index].dot(held.force))
            for ahead in reversed(self.model.support(index)):
                self._note_column(body, ahead, held, along, across)
                i, (S_i,) = ahead.joint.v, ahead.S
                M[i][j] = M[j][i] = S_i.dot(held)
                C[i][j] = S_i.dot(along)
                if ahead is not body:
                    C[j][i] = S_i.angular.dot(across) + self.S_d[ahead.index].dot(held)
                if ahead.parent != ROOT:
                    held = self._inwards(body, ahead, HELD, held)
                    along = self._inwards(body, ahead, ALONG, along)
                    across = self._inwards(body, ahead, ACROSS, across)
        return M, C, G

    def potential_energy(self, base: Vec3) -> Num:
        """−g · H of all links seen from the base, where some first moment stays that no joint feels."""
        total = base
        for body in self.model.bodies:
            if body.parent == ROOT:
                total = total + self._moment(body)
        return -(self.model.gravity.linear.dot(total))

    def volumes(self, half_traces: Mapping[int, Num], qd: Numbers) -> Rows:
        """What the decomposition adds to C: ½ tr of the links beyond three axes, times a · (b × c) and a rate."""
        return trace_part(self.model, qd, half_traces, lambda body, j, a: self._outwards(body, AXIS, a, j))

    def placements(self, frame: Frame) -> dict[int, kinematics.Placed]:
        """The links on the way to a frame, in base axes."""
        placed = {ROOT: kinematics.Placed()}
        for body in self.model.support(frame.body):
            i = body.index
            placed[i] = placed[body.parent] @ Pose(tuple(stage.step for stage in self.stages[i]))
            self.book.note(PLACED, f"{i + 1}", "base axes", placed[i], i=i + 1)
        return placed

    def frame(self, frame: Frame) -> tuple[kinematics.Placed, Rows]:
        """A frame in base axes, and its Jacobian: linear velocity of its origin, then angular velocity."""
        placed = self.placements(frame)
        here = placed[frame.body] @ frame.placement
        self.book.note(TARGET, "", "base axes", here.p, name=frame.name)
        J: Rows = [[0.0] * self.model.nv for _ in range(6)]
        for body in self.model.support(frame.body):
            (S,), at = body.S, placed[body.index]
            turn, lever, i = at.R @ S.angular, here.p - at.p, body.index + 1
            self.book.note(LEVER, f"{i}", "base axes", lever, i=i, name=frame.name)
            column = (*(at.R @ S.linear + turn.cross(lever)), *turn)
            for row, x in zip(J, column, strict=True):
                row[body.joint.v] = x
        return here, J

    # -- small steps --------------------------------------------------------------------------------

    def _moment(self, body: Body) -> Vec3:
        """The first moment of the links beyond a joint of the base, seen from there."""
        i = body.index
        h, m = self.inertias[i].h, self.inertias[i].m
        for letter, stage in zip(LETTERS, reversed(self.stages[i]), strict=False):
            h = h + stage.step.p * m if isinstance(stage.step, Shift) else stage.step.outward(h)
            where = f"from frame {i + 1} to 0, {stage.words}"
            self.book.note(WEIGHT, f"{i + 1}_0{letter}", where, h, minor=True, links=self.beyond[i])
        return h

    def _own_flow(self, body: Body) -> Flow:
        """V and P of one link."""
        number, m, h, I = body.index + 1, body.inertia.m, body.inertia.h, body.inertia.I
        half = (I.xx + I.yy + I.zz) * 0.5
        spread = Sym3(half, half, half, 0.0, 0.0, 0.0) - I
        where, link = f"frame {number}", f"link {number}"
        self.book.note(OWN, f"{number}", where, body.inertia, links=link)
        self.book.note(SPREAD, f"{number}", where, spread, links=link)
        w, u = self.v[body.index].angular, self.v[body.index].linear
        turning = Mat3(*(w.cross(column) for column in spread.matrix())).T
        return Flow(Mat3.outer(u, h) + turning, u * m - h.cross(w))

    def _note_column(self, body: Body, ahead: Body, held: Force, along: Force, across: Vec3) -> None:
        j, i = body.index + 1, ahead.index + 1
        place = f"{j}" if i == j else f"{j}_{i}"
        where, links = f"frame {i}", self.beyond[body.index]
        for kind, quantity in ((HELD, held), (ALONG, along), (ACROSS, across)):
            self.book.note(kind, place, where, quantity, links=links, j=j)

    def _outwards(self, body: Body, kind: Kind, quantity: Any, joint: int | None = None) -> Any:
        """A motion or a direction, of some joint it may be, from the frame of a link's parent to its own."""
        p, i = body.parent + 1, body.index + 1
        of = "" if joint is None else f"{joint + 1}_"
        for letter, stage in zip(LETTERS, self.stages[body.index], strict=False):
            quantity = _inner(stage.step, quantity)
            where = f"from frame {p} to {i}, {stage.words}"
            self.book.note(kind, f"{of}{p}_{i}{letter}", where, quantity, minor=True, j=(joint or 0) + 1)
        return quantity

    def _inwards(self, body: Body, ahead: Body, kind: Kind, quantity: Any) -> Any:
        """What belongs to the links beyond a joint, from the frame of a link to that of its parent."""
        j, i, p = body.index + 1, ahead.index + 1, ahead.parent + 1
        for letter, stage in zip(LETTERS, reversed(self.stages[ahead.index]), strict=False):
            quantity = _outer(stage.step, quantity)
            where, links = f"from frame {i} to {p}, {stage.words}", self.beyond[body.index]
            self.book.note(kind, f"{j}_{p}{letter}", where, quantity, minor=True, links=links, j=j)
        return quantity


LETTERS = "abcdefghijklmnopqrstuvw"  # of stages on the way between two links


def _beyond(model: Model, body: Body) -> str:
    """The links that a joint moves, in words."""
    moved = [other.index + 1 for other in model.bodies if body in model.support(other.index)]
    if len(moved) == 1:
        return f"link {moved[0]}"
    whole = moved == list(range(moved[0], moved[-1] + 1))
    return f"links {moved[0]} to {moved[-1]}" if whole else f"links {', '.join(map(str, moved))}"


def _stages(body: Body, q: Numbers, book: Book) -> list[_Stage]:
    """The steps from a link's parent to it; a fixed turn about the axis of the joint is part of its angle."""
    number, joint = body.index + 1, body.joint
    fixed = [_fixed(step) for step in body.before.steps]
    (position,), (moving,) = joint.position(q), joint.pose(q).steps
    if isinstance(moving, Shift):
        return [*fixed, _Stage(moving, f"moved along joint {number}")]
    if fixed and (offset := _offset(body, fixed[-1].step)) is not None:
        fixed.pop()
        position = position + offset
        book.put(f"th{number}", position, f"angle of joint {number} with its fixed offset", CIRCLES)
    c, s = book.circle(f"{number}", position, f"angle of joint {number}")
    return [*fixed, _Stage(Turn(joint.axis, c, s * joint.sign), f"turned by joint {number}")]


def _fixed(step: Placed) -> _Stage:
    assert not isinstance(step, Spin)
    return _Stage(
        step, f"turned about {VECTOR[step.axis]}" if isinstance(step, Turn) else "moved to its origin"
    )


def _offset(body: Body, step: Turn | Shift) -> Num | None:
    """What a fixed turn before the joint adds to its angle: None if it is no part of it, or costs nothing anyway.

    Only nodes have the sine of a sum.
    """
    if not isinstance(body.system, Graph) or not isinstance(step, Turn) or step.axis != body.joint.axis:
        return None
    if step.angle is None or quarter_turns(step.angle) is not None:
        return None
    return body.system.number(step.angle) * body.joint.sign


def _rate(flow: Flow, S: Motion) -> Force:
    """B S."""
    return Force(_spin(flow.V) @ S.angular, S.angular.cross(flow.p))


def _spin(V: Mat3) -> Mat3:
    """(tr V) 1 − V."""
    xx, yy, zz = V.a.x, V.b.y, V.c.z
    return Mat3(Vec3(yy + zz, -V.a.y, -V.a.z), Vec3(-V.b.x, xx + zz, -V.b.z), Vec3(-V.c.x, -V.c.y, xx + yy))


def _inner(step: Turn | Shift, x: Any) -> Any:
    """A motion or a direction given in the outer frame of a step, in the inner one."""
    return Pose((step,)).inverse() @ x if isinstance(x, Motion) else step.inward(x)


def _outer(step: Turn | Shift, x: Any) -> Any:
    """A quantity given in the inner frame of a step, in the outer one."""
    match x:
        case Inertia(m, h, I) if isinstance(step, Turn):
            return Inertia(m, step.outward(h), Sym3.of(_turned(step, I.matrix())))
        case Inertia():
            return Pose((step,)).inertia(x)
        case Flow(V, p) if isinstance(step, Turn):
            return Flow(_turned(step, V), step.outward(p))
        case Flow(V, p):
            return Flow(V + Mat3.outer(p, step.p), p)  # pyright: ignore[reportAttributeAccessIssue]
        case Force():
            return Pose((step,)).inverse().T @ x
        case _:
            return step.outward(x)


def _turned(turn: Turn, m: Mat3) -> Mat3:
    """R m Rᵀ about a coordinate axis: four products in its plane, four in each row and column that leave it.

    With t = (m_aa − m_bb) s + (m_ab + m_ba) c the plane's entries are m_aa − s t, m_bb + s t, c t − m_ba, c t − m_ab.
    """
    c, s, k = turn.c, turn.s, turn.axis
    if is_number(c) and c in (0, 1, -1):
        half = Mat3(*map(turn.outward, m))
        return Mat3(*map(turn.outward, half.T)).T
    a, b = (k + 1) % 3, (k + 2) % 3
    old = [[*row] for row in m]
    new = [[*row] for row in m]
    t = (old[a][a] - old[b][b]) * s + (old[a][b] + old[b][a]) * c
    new[a][a], new[b][b] = old[a][a] - t * s, old[b][b] + t * s
    new[a][b], new[b][a] = t * c - old[b][a], t * c - old[a][b]
    new[a][k], new[b][k] = old[a][k] * c - old[b][k] * s, old[a][k] * s + old[b][k] * c
    new[k][a], new[k][b] = old[k][a] * c - old[k][b] * s, old[k][a] * s + old[k][b] * c
    return Mat3(*(Vec3(*row) for row in new))
