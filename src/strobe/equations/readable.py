# pyright: reportConstantRedefinition=false
"""M, C and G of a robot too large for full expansion: closed forms over named intermediates, each with its meaning.

Composite bodies, from the tips inwards. Of the links i…n beyond joint i, in axes of link i about its origin:

    H = ∫ x dm,   J = ∫ (x·x 1 − x xᵀ) dm,   V = ∫ ẋ xᵀ dm,   P = ∫ ẋ dm

each the link's own plus what the next link's become in these axes. Per unit rate of joint j these links have the
momentum (A, L) = J S_j, and their motion gives row and column j of C from

    (N, F) = J Ṡ_j + B S_j,   T = Bᵀ S_j,   B (a, b) = ((tr V) a − V a, a × P)

carried inwards to every joint i, whose axis sees the entries [Echeandia2021]:

    M_ij = S_i · (A, L)     C_ij = S_i · (N, F)     C_ji = S_i · T + Ṡ_i · (A, L)     G_j = −g · L

Links are regrouped: what joint i cannot feel (mass and first moment on its axis, …) belongs to the link before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from strobe.algebra import Force, Inertia, Mat3, Motion, Pose, Shift, Spin, Sym3, Turn, Vec3
from strobe.algebra.placement import Step as Placed
from strobe.codegen.names import Names
from strobe.equations.expression import Expression, Number, value
from strobe.equations.parameters import Named, drives_of, named, state_names
from strobe.equations.steps import CONSTANTS, Label, Operations, Step, Written, written
from strobe.equations.waves import exact
from strobe.errors import UnsupportedModelError
from strobe.formulations.composite_coriolis import Flow
from strobe.graph.program import Input, Program
from strobe.models.couplings import Coordinates, coordinates
from strobe.models.inertial import Inertial
from strobe.models.model import ROOT, Body, Model
from strobe.models.reframe import oblique_turns, reframed
from strobe.models.regroup import regrouped
from strobe.scalars import Graph, Node, Num, Numbers, cos, quarter_turns, sin
from strobe.scalars.scalar import is_number

if TYPE_CHECKING:
    from strobe.robot import Robot

CIRCLES = "Sines and cosines"
VELOCITIES = "Velocities of the links"
DOWNWARDS = "Gravity in axes of the links"
COMPOSITES = "The links beyond each joint as one body"
CARRIED = "Momentum and forces per unit rate of each joint, carried inwards"

SHORT = 8  # characters of a number that needs no name
VECTOR = ("x", "y", "z")
SYMMETRIC = ("xx", "yy", "zz", "xy", "xz", "yz")
MATRIX = ("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz")

Matrix = list[list[Expression]]


@dataclass(frozen=True)
class Readable:
    """M, C and G over the names of steps, which are in order; parameters by name or the model's numbers."""

    name: str
    words: Named
    coordinates: Coordinates
    written: Written
    notes: tuple[str, ...]  # what a reader must know of the frames and the links

    @property
    def n(self) -> int:
        """Independent degrees of freedom."""
        return self.coordinates.nv

    @property
    def parameters(self) -> Mapping[str, float]:
        """The value of every name; empty with the model's own numbers."""
        return self.words.values

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.written.steps

    @cached_property
    def M(self) -> Matrix:
        """The mass matrix, rotor inertia included."""
        entries = iter(self.written.results)
        M: dict[tuple[int, int], Expression] = {}
        for i, j in _upper(self.n):
            M[i, j] = M[j, i] = next(entries)
        return [[M[i, j] for j in range(self.n)] for i in range(self.n)]

    @cached_property
    def C(self) -> Matrix:
        """The Coriolis matrix, of Christoffel symbols."""
        start, n = len(_upper(self.n)), self.n
        entries = self.written.results[start : start + n * n]
        return [list(entries[k : k + n]) for k in range(0, n * n, n)]

    @cached_property
    def G(self) -> list[Expression]:
        """The torques that hold the robot still."""
        return list(self.written.results[-self.n :])

    @property
    def multiplications(self) -> int:
        """At every state; those on parameters alone are `constant_operations`."""
        return self.written.operations().multiplications

    @property
    def additions(self) -> int:
        return self.written.operations().additions

    @property
    def constant_operations(self) -> Operations:
        return self.written.operations(constant=True)

    def values(
        self, names: Mapping[str, Num], number: Callable[[Any], Any] = float
    ) -> tuple[list[list[Num]], list[list[Num]], list[Num]]:
        """M, C and G where every name (q1, qd1, …, and parameters) has a value in some number system."""
        known = dict(names)

        def worth(x: Expression) -> Num:
            return value(x, known.__getitem__, number)

        for step in self.steps:
            known[step.name] = worth(step.expression)
        M, C = ([[worth(x) for x in row] for row in matrix] for matrix in (self.M, self.C))
        return M, C, [worth(x) for x in self.G]


def readable(robot: Robot | Model, numbers: bool = True) -> Readable:
    """M, C and G of a robot with its own numbers, or in named parameters."""
    model = robot if isinstance(robot, Model) else robot.model
    _require(model)
    words = Named(model, drives_of(model)) if numbers else named(model)
    chosen, notes = _frames(words.model, numbers)
    x, state = coordinates(model), state_names(model)
    taken = [name for names in state.values() for name in names] + list(words.values)
    graph, book = (Graph() if numbers else _Words()), _Book()
    for angle in words.angles:
        book.circle(f"_{angle}", graph.variable(angle), f"fixed angle {angle}")
    q, qd = ([graph.variable(name) for name in state[letter]] for letter in ("q", "qd"))
    constants = _Constants(graph, taken)
    tree = regrouped(chosen.lift(graph))
    tree = constants.named(tree) if numbers else tree
    M, C, G = equations_of_motion(tree, x.expand(q), x.expand_rates(qd), book)
    for i, drive in enumerate(words.drives):
        M[i][i] = M[i][i] + graph.number(drive.rotor)
    M, C, G = x.reduce_matrix(M), x.reduce_matrix(C), x.reduce(G)
    outputs = tuple(map(graph.lower, in_order(M, C, G)))
    program = Program((Input("q", x.nq), Input("qd", x.nv)), outputs, (len(outputs),))
    text = written(program, book.labels, result_names(x.nv), taken, words.values, constants.steps)
    return Readable(model.name, words, x, text, notes)


def result_names(n: int) -> list[str]:
    """M11, C12, G1 and so on, in the order of the results; M_1_10 where there are ten or more."""
    between = "_" if n > 9 else ""
    upper, every = _upper(n), [(i, j) for i in range(n) for j in range(n)]
    places = [("M", i, j) for i, j in upper] + [("C", i, j) for i, j in every]
    return [
        *(between.join((a, str(i + 1), str(j + 1))) for a, i, j in places),
        *(f"G{i + 1}" for i in range(n)),
    ]


def in_order(M: Sequence[Sequence[Any]], C: Sequence[Sequence[Any]], G: Sequence[Any]) -> list[Any]:
    """Every entry that has to be worked out: of M the upper triangle, then C and G."""
    return [*(M[i][j] for i, j in _upper(len(G))), *(c for row in C for c in row), *G]


def _upper(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(i, n)]


def _require(model: Model) -> None:
    if not model.bodies:
        raise UnsupportedModelError(f"{model.name} has no joints: there are no equations to write down.")
    if model.kinematic_only:
        raise UnsupportedModelError(f"{model.name} has no dynamics: {model.kinematic_only}")
    for joint in model.joints:
        if joint.nv > 1:
            raise UnsupportedModelError(
                f'{model.name}: joint "{joint.name}" is {joint.kind}; the readable equations take joints with '
                "one degree of freedom. Lock it, or describe it by turning joints one after the other."
            )


def _frames(model: Model, numbers: bool) -> tuple[Model, tuple[str, ...]]:
    """The model in the link frames that cost least, and what a reader must know of them."""
    notes = [
        "Frame i sits at joint i and moves with link i; frame 0 is the base.",
        "A name such as J5_4a is J of the links beyond joint 5 on their way to frame 4, after step a.",
        "What joint i cannot feel of the links beyond it (such as a mass on its axis) is counted with link i - 1.",
    ]
    if numbers and oblique_turns(other := reframed(model)) < oblique_turns(model):
        model = other
        notes[0] += " Its z is the axis of joint i, its x goes across to the next joint."
    return model, tuple(notes)


class _Words(Graph):
    """Nodes, with the constants that have names as inputs."""

    def number(self, x: float) -> Num:
        evaluate = getattr(x, "evaluate", None)
        return float(x) if evaluate is None else evaluate(self._name, float)

    def point(self, angle: float) -> tuple[Num, Num]:
        turn = self.number(angle)
        return cos(turn), sin(turn)

    def _name(self, name: str) -> Num:
        return math.pi if name == "pi" else self.variable(name)


class _Constants:
    """Numbers of a model with many digits as inputs with a name, each with the step that gives its value."""

    def __init__(self, graph: Graph, taken: Iterable[str]) -> None:
        self.graph = graph
        self.steps: list[Step] = []
        self._names = Names()
        for name in taken:
            self._names.new(name)

    def named(self, model: Model) -> Model:
        """A regrouped model over floats with names in its bodies."""
        return replace(model, bodies=tuple(map(self._body, model.bodies)))

    def _body(self, body: Body) -> Body:
        i, p = body.index + 1, body.parent + 1
        fixed: list[Placed] = []
        for step in body.before.steps:
            if isinstance(step, Turn):
                about = f"fixed turn about {VECTOR[step.axis]} from frame {p} to {i}"
                c = self._word(f"ca{i}", step.c, about, "cosine")
                fixed.append(replace(step, c=c, s=self._word(f"sa{i}", step.s, about, "sine")))
            else:
                assert isinstance(step, Shift)
                about = f"origin of frame {i} in frame {p}"
                parts = _entries(VECTOR, step.p).items()
                fixed.append(Shift(Vec3(*(self._word(f"r{i}{x}", v, about, x) for x, v in parts))))
        where = f"frame {i}"
        told = zip(OWN.letters, OWN.meanings, _parts(body.inertia), strict=True)
        I, h, (m,) = (
            [
                self._word(f"{a}{i}{x}", v, f"{what.format(links=f'link {i}')}, {where}", x)
                for x, v in entries.items()
            ]
            for a, what, entries in told
        )
        inertia = Inertia(m, Vec3(*h), Sym3(*I))
        return replace(
            body, before=Pose(tuple(fixed)), inertial=Inertial(m, None, None, inertia, "parameters")
        )

    def _word(self, name: str, x: Num, about: str, part: str) -> Num:
        """A name for a number that is long to write."""
        assert is_number(x)
        if len(repr(abs(float(x)))) <= SHORT:
            return x
        unique = self._names.new(name)
        self.steps.append(Step(unique, Number(exact(x)), about, part, CONSTANTS))
        return self.graph.variable(unique)


# -- names and meanings -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kind:
    """The letters and meanings of the parts of a quantity, and where it is told of."""

    section: str
    letters: tuple[str, ...]
    meanings: tuple[str, ...]


MOVING = _Kind(VELOCITIES, ("w", "u"), ("angular velocity", "velocity of the origin"))
DOWN = _Kind(DOWNWARDS, ("g",), ("gravity",))
OWN = _Kind(
    COMPOSITES, ("K", "h", "mu"), ("inertia of {links}", "first moment of {links}", "mass of {links}")
)
SPREAD = _Kind(COMPOSITES, ("Q",), ("second moments of {links}",))
BEYOND = replace(OWN, letters=("J", "H", "S"))
FLOWING = _Kind(
    COMPOSITES, ("V", "P"), ("velocity times position over the mass of {links}", "momentum of {links}")
)
HELD = _Kind(
    CARRIED,
    ("A", "L"),
    (
        "angular momentum of {links} per unit rate of joint {j}",
        "momentum of {links} per unit rate of joint {j}",
    ),
)
ALONG = _Kind(CARRIED, ("N", "F"), ("moment for column {j} of C", "force for column {j} of C"))
ACROSS = _Kind(CARRIED, ("T",), ("moment for row {j} of C",))


@dataclass
class _Book:
    """The labels of a walk, in its order; numbers that are no nodes pass unnoticed."""

    labels: list[Label] = field(default_factory=list)

    def circle(self, name: str, angle: Num, what: str) -> tuple[Num, Num]:
        """Cosine and sine, named after the angle."""
        c, s = cos(angle), sin(angle)
        self.put(f"c{name}", c, what, CIRCLES, "cosine")
        self.put(f"s{name}", s, what, CIRCLES, "sine")
        return c, s

    def note(
        self, kind: _Kind, place: str, where: str, quantity: Any, minor: bool = False, **about: Any
    ) -> None:
        """Every number of a quantity: a letter of its kind, its place, and the entry."""
        parts = zip(kind.letters, kind.meanings, _parts(quantity), strict=True)
        for letter, meaning, entries in parts:
            told = f"{meaning.format(**about)}, {where}"
            for entry, number in entries.items():
                self.put(f"{letter}{place}{entry}", number, told, kind.section, entry, minor)

    def put(
        self, name: str, number: Num, about: str, section: str, entry: str = "", minor: bool = False
    ) -> None:
        if isinstance(number, Node):
            self.labels.append(Label(name, number, about, entry, section, minor))


def _parts(quantity: Any) -> list[dict[str, Num]]:
    """The numbers of each part of a quantity by their entries."""
    match quantity:
        case Inertia(m, h, I):
            return [_entries(SYMMETRIC, I), _entries(VECTOR, h), {"": m}]
        case Flow(V, p):
            return [_entries(MATRIX, (x for row in V for x in row)), _entries(VECTOR, p)]
        case Force(first, second) | Motion(first, second):
            return [_entries(VECTOR, first), _entries(VECTOR, second)]
        case Sym3():
            return [_entries(SYMMETRIC, quantity)]
        case _:
            return [_entries(VECTOR, quantity)]


def _entries(names: Iterable[str], numbers: Iterable[Num]) -> dict[str, Num]:
    return dict(zip(names, numbers, strict=True))


# -- the walk -----------------------------------------------------------------------------------------


def equations_of_motion(
    model: Model, q: Numbers, qd: Numbers, book: _Book | None = None
) -> tuple[list[list[Num]], list[list[Num]], list[Num]]:
    """M, C and G of a regrouped model over numbers of any system, without rotor inertia."""
    walk = _Walk(model, book or _Book())
    walk.place(q)
    walk.move(qd)
    walk.hang()
    walk.gather()
    return walk.columns()


@dataclass(frozen=True, slots=True)
class _Stage:
    """One step between the frames of two links, in words."""

    step: Turn | Shift
    words: str


class _Walk:
    """The state of the walk: what is known of every link by its index."""

    def __init__(self, model: Model, book: _Book) -> None:
        self.model = model
        self.book = book
        self.stages: dict[int, list[_Stage]] = {}  # from the parent outwards
        self.v = {ROOT: Motion.zero()}
        self.down = {ROOT: model.gravity.linear}
        self.S_d: dict[int, Motion] = {}
        self.inertias: dict[int, Inertia] = {}
        self.flows: dict[int, Flow] = {}
        self.beyond = {body.index: _beyond(model, body) for body in model.bodies}

    def place(self, q: Numbers) -> None:
        """The steps from link to link."""
        for body in self.model.bodies:
            self.stages[body.index] = _stages(body, q, self.book)

    def move(self, qd: Numbers) -> None:
        """Velocities in axes of the links, outwards."""
        for body in self.model.bodies:
            i, (S,) = body.index, body.S
            carried = self._outwards(body, MOVING, self.v[body.parent])
            self.v[i] = carried + body.S @ body.rates(qd)
            self.S_d[i] = self.v[i].cross(S)
            self.book.note(MOVING, f"{i + 1}", f"frame {i + 1}", self.v[i])

    def hang(self) -> None:
        """Gravity in axes of the links, outwards."""
        for body in self.model.bodies:
            i = body.index
            self.down[i] = self._outwards(body, DOWN, self.down[body.parent])
            self.book.note(DOWN, f"{i + 1}", f"frame {i + 1}", self.down[i])

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

    def columns(self) -> tuple[list[list[Num]], list[list[Num]], list[Num]]:
        """What every joint's rate asks of the joints before it."""
        n = self.model.nv
        M: list[list[Num]] = [[0.0] * n for _ in range(n)]
        C: list[list[Num]] = [[0.0] * n for _ in range(n)]
        G: list[Num] = [0.0] * n
        for body in self.model.bodies:
            index, j = body.index, body.joint.v
            (S,), inertia, flow = body.S, self.inertias[body.index], self.flows[body.index]
            held, along = inertia @ S, inertia @ self.S_d[index] + _rate(flow, S)
            across = _spin(flow.V).T @ S.angular + flow.p.cross(S.linear)
            G[j] = -(self.down[index].dot(held.force))
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

    # -- small steps --------------------------------------------------------------------------------

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

    def _outwards(self, body: Body, kind: _Kind, quantity: Any) -> Any:
        """A motion or a direction from the frame of a link's parent to its own."""
        p, i = body.parent + 1, body.index + 1
        for letter, stage in zip(LETTERS, self.stages[body.index], strict=False):
            quantity = _inner(stage.step, quantity)
            where = f"from frame {p} to {i}, {stage.words}"
            self.book.note(kind, f"{p}_{i}{letter}", where, quantity, minor=True)
        return quantity

    def _inwards(self, body: Body, ahead: Body, kind: _Kind, quantity: Any) -> Any:
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


def _stages(body: Body, q: Numbers, book: _Book) -> list[_Stage]:
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

    Only nodes have the sine of a sum; with names it would hide one.
    """
    if type(body.system) is not Graph or not isinstance(step, Turn) or step.axis != body.joint.axis:
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
