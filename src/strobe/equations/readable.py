# pyright: reportConstantRedefinition=false
"""Equations of a robot too large for full expansion: closed forms over named intermediates, each with its meaning.

`walk` gives M, C and G by composite bodies, the potential energy and frames; here they become `steps`. Links are
regrouped: what joint i cannot feel (mass and first moment on its axis, …) belongs to the link before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from strobe.algebra import Inertia, Pose, Shift, Sym3, Turn, Vec3
from strobe.algebra.placement import Step as Placed
from strobe.compiler.codegen.names import Names
from strobe.compiler.graph.program import Input, Program
from strobe.equations.closed_form import (
    MOST_PAIRS,
    REDUCED,
    carried_pairs,
    half_traces,
    require_form,
)
from strobe.equations.expression import Expression, Number, value
from strobe.equations.friction import friction
from strobe.equations.graph_to_steps import OWN, VECTOR, Book, Walk, by_entry, numbers_of
from strobe.equations.notation import entry_name, plain
from strobe.equations.parameters import Named, drives_of, has_names, named, state_names
from strobe.equations.readable_forms import Forms, Order
from strobe.equations.steps import CONSTANTS, Operations, Step, Written, written
from strobe.equations.trig_polynomials import Waves, exact
from strobe.errors import UnknownNameError, UnsupportedModelError
from strobe.models.couplings import Coordinates, coordinates
from strobe.models.default_frame import moved_frame
from strobe.models.inertial import Inertial
from strobe.models.loops import require_open
from strobe.models.model import Body, Frame, Model
from strobe.models.reframe import oblique_turns, reframed
from strobe.models.regroup import at_base, regrouped
from strobe.scalars import Graph, Num, cos, sin
from strobe.scalars.scalar import is_number

if TYPE_CHECKING:
    from strobe.robot import Robot

SHORT = 8  # characters of a number that needs no name
MOTION = ("M", "C", "G")
ALL = (*MOTION, "V", "fk", "jacobian")

Matrix = list[list[Expression]]


@dataclass(frozen=True)
class Readable:
    """Quantities over the names of steps, which are in order; parameters by name or the model's numbers."""

    name: str
    words: Named
    coordinates: Coordinates
    written: Written
    notes: tuple[str, ...]  # what a reader must know of the frames and the links
    asked: tuple[str, ...] = MOTION  # what the results are, some of `ALL`
    form: str = "christoffel"  # of the Coriolis matrix
    frame: str = ""  # what fk and jacobian are of

    def __repr__(self) -> str:
        count = f"{self.multiplications} multiplications, {self.additions} additions"
        return f"<equations of {self.name} over {len(self.steps)} named intermediate results: {count}>"

    def __str__(self) -> str:
        from strobe.equations.readable_document import document_of
        from strobe.equations.text import text_lines

        return "\n".join(text_lines(document_of(self, self.asked))).rstrip()

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
    def results(self) -> Mapping[str, dict[str, Expression]]:
        """By quantity, its entries by their names."""
        left = iter(self.written.results)
        return {key: {name: next(left) for name in entry_names(key, self.n)} for key in self.asked}

    def entries(self, key: str) -> list[Expression]:
        """The entries of a quantity that was asked for, in the order of `entry_names`."""
        if key not in self.results:
            raise UnknownNameError("quantity", key, f"the readable equations of {self.name}", self.asked)
        return list(self.results[key].values())

    @cached_property
    def M(self) -> Matrix:
        """The mass matrix, rotor inertia included."""
        return _mirrored(self.entries("M"), self.n)

    @cached_property
    def C(self) -> Matrix:
        """The Coriolis matrix, of Christoffel symbols unless the other form was asked for."""
        return _rows(self.entries("C"), self.n)

    @cached_property
    def G(self) -> list[Expression]:
        """The torques that hold the robot still."""
        return self.entries("G")

    @cached_property
    def friction(self) -> dict[int, Expression]:
        """By coordinate, where there is any."""
        rates = state_names(self.words.model)["qd"]
        ring = Waves(self.words.angles, (*self.parameters, *rates), bool(self.parameters))
        forms = Forms(Order(names=ring.names, rates=frozenset(rates), decimals=not self.parameters))
        return friction(self.words, self.coordinates, ring, forms)

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

    def evaluated(
        self, names: Mapping[str, Num], number: Callable[[Any], Any] = float
    ) -> dict[str, list[Num]]:
        """By quantity, its entries where every name (q1, qd1, …, parameters) has a value in some number system."""
        known = dict(names)

        def worth(x: Expression) -> Num:
            return value(x, known.__getitem__, number)

        for step in self.steps:
            known[step.name] = worth(step.expression)
        return {key: [worth(x) for x in entries.values()] for key, entries in self.results.items()}

    def values(
        self, names: Mapping[str, Num], number: Callable[[Any], Any] = float
    ) -> tuple[list[list[Num]], list[list[Num]], list[Num]]:
        """M, C and G where every name has a value in some number system."""
        found = self.evaluated(names, number)
        return _mirrored(found["M"], self.n), _rows(found["C"], self.n), found["G"]


def readable(
    robot: Robot | Model,
    numbers: bool = True,
    asked: Iterable[str] = MOTION,
    *,
    form: str = "christoffel",
    frame: str | None = None,
) -> Readable:
    """Quantities of a robot, some of `ALL`, with its own numbers or in named parameters.

    ``form`` is that of the Coriolis matrix, ``frame`` (the tip if none is named) what fk and jacobian are of.
    """
    model = robot if isinstance(robot, Model) else robot.model
    asked = tuple(key for key in ALL if key in set(asked))
    _require(model, asked)
    require_form(form)
    chosen, notes = _frames(model, numbers)
    words = Named(model, drives_of(model)) if numbers else named(chosen)
    x, state = coordinates(model), state_names(model)
    taken = [name for names in state.values() for name in names] + list(words.values)
    taken += [word for name in words.values if (word := plain(name)) not in taken]
    graph, book = (Graph() if numbers else _Words()), Book()
    for angle in words.angles:
        book.circle(f"_{angle}", graph.variable(angle), f"fixed angle {angle}")
    q, qd = ([graph.variable(name) for name in state[letter]] for letter in ("q", "qd"))
    constants = _Constants(graph, taken)
    lifted = (chosen if numbers else words.model).lift(graph)
    tree = regrouped(lifted)
    tree = constants.named(tree) if numbers else tree
    target = tree.frame(target_name(model, frame, asked)) if {"fk", "jacobian"} & {*asked} else None
    found = _Quantities(lifted, Walk(tree, x.expand(q), book), x, x.expand_rates(qd), form, target)
    rotors = [graph.number(drive.rotor) for drive in words.drives]
    outputs = tuple(graph.lower(entry) for key in asked for entry in found.entries(key, rotors))
    program = Program((Input("q", x.nq), Input("qd", x.nv)), outputs, (len(outputs),))
    text = written(program, book.labels, result_names(x.nv, asked), taken, words.values, constants.steps)
    return Readable(model.name, words, x, text, notes, asked, form, target.name if target else "")


@dataclass
class _Quantities:
    """The entries of every quantity over nodes."""

    model: Model  # as it was, at the frames chosen
    walk: Walk
    coordinates: Coordinates
    rates: Sequence[Num]
    form: str
    target: Frame | None

    @cached_property
    def motion(self) -> tuple[list[list[Num]], list[list[Num]], list[Num]]:
        """M, C and G of all joints."""
        self.walk.move(self.rates)
        M, C, G = self.walk.columns()
        if self.form == "decomposition":
            more = self.walk.volumes(half_traces(self.model), self.rates)
            C = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(C, more, strict=True)]
        return M, C, G

    @cached_property
    def place(self) -> Any:
        assert self.target is not None
        return self.walk.frame(self.target)

    def entries(self, key: str, rotors: Sequence[Num]) -> list[Num]:
        """In the order of `entry_names`."""
        x = self.coordinates
        if key in ("fk", "jacobian"):
            here, J = self.place
            return (
                [*here.p, *(r for row in here.R for r in row)]
                if key == "fk"
                else _flat(x.reduce_columns(J))
            )
        M, C, G = self.motion
        if key == "V":
            return [self.walk.potential_energy(at_base(self.model).h)]
        if key == "G":
            return x.reduce(G)
        if key == "C":
            return _flat(x.reduce_matrix(C))
        whole = [[m + rotors[i] if i == j else m for j, m in enumerate(row)] for i, row in enumerate(M)]
        reduced = x.reduce_matrix(whole)
        return [reduced[i][j] for i, j in _upper(x.nv)]


def result_names(n: int, asked: Iterable[str] = MOTION) -> list[str]:
    """M11, C12, G1 and so on, in the order of the results."""
    return [name for key in asked for name in entry_names(key, n)]


def entry_names(key: str, n: int) -> list[str]:
    """The names of the entries of a quantity, in order; M1,10 where there are ten or more."""

    def all_places(letter: str, rows: int, columns: int) -> list[str]:
        return [entry_name(letter, i, j) for i in range(rows) for j in range(columns)]

    match key:
        case "M":
            return [entry_name("M", i, j) for i, j in _upper(n)]
        case "C":
            return all_places("C", n, n)
        case "G":
            return [f"G{i + 1}" for i in range(n)]
        case "fk":
            return ["x", "y", "z", *all_places("R", 3, 3)]
        case "jacobian":
            return all_places("J", 6, n)
    return [key]


def in_order(M: Sequence[Sequence[Any]], C: Sequence[Sequence[Any]], G: Sequence[Any]) -> list[Any]:
    """Every entry that has to be worked out: of M the upper triangle, then C and G."""
    return [*(M[i][j] for i, j in _upper(len(G))), *_flat(C), *G]


def _upper(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(i, n)]


def _mirrored(entries: Sequence[Any], n: int) -> list[list[Any]]:
    """A symmetric matrix from its entries on and above the diagonal."""
    known = dict(zip(_upper(n), entries, strict=True))
    return [[known[min(i, j), max(i, j)] for j in range(n)] for i in range(n)]


def _rows(entries: Sequence[Any], n: int) -> list[list[Any]]:
    return [list(entries[k : k + n]) for k in range(0, n * n, n)]


def _flat(rows: Sequence[Sequence[Any]]) -> list[Any]:
    return [x for row in rows for x in row]


def _require(model: Model, asked: Iterable[str]) -> None:
    if not model.bodies:
        raise UnsupportedModelError(f"{model.name} has no joints: there are no equations to write down.")
    if model.without_dynamics and not {"fk", "jacobian"}.issuperset(asked):
        raise UnsupportedModelError(f"{model.name} has no dynamics: {model.without_dynamics}")
    if not {"fk", "jacobian"}.issuperset(asked):
        require_open(model, "a closed form", REDUCED)
    if (pairs := carried_pairs(model)) > MOST_PAIRS:
        raise UnsupportedModelError(
            f"{model.name}: M has {pairs:,} entries that differ, one for each joint and each that carries it; "
            f"equations to be read are written for {MOST_PAIRS:,} at most (a chain of 44 joints). Lock joints, or "
            "let strobe compile write code."
        )
    for joint in model.joints:
        if not joint.is_elementary:
            taken = "that turn or slide" if joint.nv == 1 else "with one degree of freedom"
            raise UnsupportedModelError(
                f'{model.name}: joint "{joint.name}" is {joint.kind}; the readable equations take joints {taken}. '
                f"{joint.record.otherwise}"
            )


def target_name(model: Model, frame: str | None, asked: Iterable[str]) -> str:
    """The frame of fk and jacobian, the tip if none is named; one at rest has a place, but no Jacobian."""
    return moved_frame(model, frame) if frame is None or "jacobian" in asked else model.frame(frame).name


def _frames(model: Model, numbers: bool) -> tuple[Model, tuple[str, ...]]:
    """The model in the link frames that cost least, and what a reader must know of them."""
    notes = [
        "Frame i sits at joint i and moves with link i; frame 0 is the base.",
        "A name such as J5_4a is J of the links beyond joint 5 on their way to frame 4, after step a.",
        "What joint i cannot feel of the links beyond it (such as a mass on its axis) is counted with link i - 1.",
    ]
    free = numbers or not has_names(model)
    if free and oblique_turns(other := reframed(model)) < oblique_turns(model):
        model = other
        notes[0] += " Its z is the axis of joint i, its x goes across to the next joint."
        notes += (
            []
            if numbers
            else ["Parameters are those of these frames, which the model file may lay otherwise."]
        )
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
                parts = by_entry(VECTOR, step.p).items()
                fixed.append(Shift(Vec3(*(self._word(f"r{i}{x}", v, about, x) for x, v in parts))))
        where = f"frame {i}"
        told = zip(OWN.letters, OWN.meanings, numbers_of(body.inertia), strict=True)
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
