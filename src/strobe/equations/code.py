"""Equations of motion as source that runs by itself: one module of Python, or C99 with a Makefile.

Small arms come as the closed form in named parameters, larger ones in the readable grade, over named intermediate
results. Both carry a test: values at random states by a formulation that has little in common with the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from strobe import __version__
from strobe.compiler.codegen.names import Names, remark
from strobe.compiler.graph.program import Program
from strobe.equations.closed_form import Equations, equations_of, predicted_terms, require_writable, terms
from strobe.equations.document import Source
from strobe.equations.expression import Angle, Expression, Symbol, Trig, symbols
from strobe.equations.glossary import Parameter, glossary
from strobe.equations.notation import Name
from strobe.equations.parameters import state_names
from strobe.equations.readable import Readable, in_order, readable, result_names
from strobe.equations.rendering import Writer, lines
from strobe.equations.steps import Label, Step, Written, with_waves, written
from strobe.equations.trig_polynomials import Powers, Wave
from strobe.errors import UnsupportedModelError
from strobe.formulations import FORMULATIONS
from strobe.models.model import Model
from strobe.scalars import Graph, Node, Num, cos, sin

if TYPE_CHECKING:
    from strobe.robot import Robot

FEW_JOINTS, FEW_TERMS = 4, 100  # up to which the closed form is chosen; terms of the mass matrix
MANY_TERMS = 400  # of the mass matrix: beyond, common factors are taken out and that is all
STATES = 4  # of the self-test
TOLERANCE = 1e-9  # of the self-test, relative to the largest entry at any of the states
NOTHING = 1e-3  # what is smaller than this part of inertias and torques may be nothing but rounding
RESULTS = ("M", "C", "G", "tau")
SINGLE = ("mass_matrix", "coriolis_matrix", "gravity")
READS: Mapping[str, tuple[str, ...]] = {
    "mass_matrix": ("q",),
    "coriolis_matrix": ("q", "qd"),
    "gravity": ("q",),
    "dynamics": ("q", "qd"),
    "inverse_dynamics": ("q", "qd", "qdd"),
}
GIVES: Mapping[str, tuple[str, ...]] = {
    "mass_matrix": ("M",),
    "coriolis_matrix": ("C",),
    "gravity": ("G",),
    "dynamics": ("M", "C", "G"),
    "inverse_dynamics": ("tau",),
}
WIDTH = 96  # of an expression in one line
INDEPENDENT = ("hollerbach-3x3", "newton-euler", "spatial-newton-euler")  # the first that applies
WAVES, SHARED, FURTHER = "Sines and cosines", "What entries have in common", "Further steps"
# signs that comments do not take
ASCII = str.maketrans({'"': "'", "²": "2", "/": " per ", "%": " percent"})
MEANINGS: Mapping[str, str] = {
    "dynamics": "Mass matrix, Coriolis matrix and gravity torques.",
    "mass_matrix": "M(q), row by row.",
    "coriolis_matrix": "C(q, qd), row by row.",
    "gravity": "G(q), the torques that hold the robot still.",
    "inverse_dynamics": "The torques behind a motion, without friction.",
}


def python_source(robot: Robot | Model, full: bool = False, numbers: bool | None = None) -> str:
    """A Python module that needs the standard library only; run as a script it tests itself.

    ``full`` asks for full expansion whatever its size, ``numbers`` for the model's own numbers in the place of
    named parameters (None: in the readable grade).
    """
    from strobe.equations import code_python

    return code_python.source(sheet_of(robot, full, numbers), cases(robot))


def c_sources(
    robot: Robot | Model, full: bool = False, numbers: bool | None = None, stem: str = ""
) -> dict[str, str]:
    """A header, a source, a test and a Makefile, by file name; the choices are those of `python_source`.

    ``stem`` is the name of the source without its ending, in the place of one from the robot's name.
    """
    from strobe.equations import code_c

    return code_c.sources(sheet_of(robot, full, numbers), cases(robot), stem)


# -- what is written down -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Routine:
    """One function of the code: its steps, and the results by the letter of their quantity."""

    name: str
    steps: tuple[Step, ...]
    results: Mapping[str, list[list[Expression]] | list[Expression]]

    @property
    def names(self) -> set[str]:
        """Every name that stands in it."""
        steps = (step.expression for step in self.steps)
        return set[str]().union(*map(symbols, (*steps, *entries(self.results))))


@dataclass(frozen=True)
class Sheet:
    """Equations to write as code, in one function each or in one for all."""

    equations: Readable
    apart: bool
    suffix: ClassVar[str] = ""  # of the names in C, beside those of the robot's other equations

    @cached_property
    def routines(self) -> list[Routine]:
        x = self.equations
        every = {"M": x.M, "C": x.C, "G": x.G}
        names = SINGLE if self.apart else ("dynamics",)
        return [self._routine(name, {letter: every[letter] for letter in GIVES[name]}) for name in names]

    @property
    def composed(self) -> tuple[str, ...]:
        """The functions that call routines."""
        return ("inverse_dynamics",) if self.apart else (*SINGLE, "inverse_dynamics")

    @cached_property
    def parameters(self) -> dict[str, float]:
        """Those that M, C and G depend on."""
        used = set[str]().union(*(routine.names for routine in self.routines))
        return {name: value for name, value in self.equations.parameters.items() if name in used}

    @cached_property
    def _glossary(self) -> dict[str, Parameter]:
        return glossary(self.equations.words)

    def place(self, parameter: str) -> str:
        """What a parameter is, and its unit."""
        known = self._glossary[parameter]
        return remark(f"{known.meaning}, {known.unit}".translate(ASCII))

    def _routine(self, name: str, results: Mapping[str, list]) -> Routine:
        return Routine(name, tuple(_needed(self.equations.steps, entries(results))), results)

    @property
    def remarks(self) -> list[str]:
        """What a reader of the code must know, in lines."""
        x = self.equations
        joints = ", ".join(joint.name for joint in x.coordinates.joints)
        once, always = x.constant_operations, x.written.operations()
        count = f"{always.multiplications} multiplications, {always.additions} additions"
        if once.multiplications + once.additions:
            count += f" (and {once.multiplications}, {once.additions} on parameters alone)"
        return [
            f"Equations of motion of {x.name}.",
            "",
            "    tau = M(q) qdd + C(q, qd) qd + G(q)",
            "",
            "M is the mass matrix with rotor inertia, C the Coriolis matrix of Christoffel symbols, G the torques",
            "that hold the robot still. Friction is not included. Units are SI, angles radians.",
            f"Joints, in this order: {joints}",
            *x.notes,
            f"M, C and G together: {count}.",
            f"Written by Strobe {__version__}.",
        ]


def sheet_of(robot: Robot | Model, full: bool = False, numbers: bool | None = None) -> Sheet:
    """The closed form of a small arm, or of any if asked for in full; else the readable grade."""
    model = robot if isinstance(robot, Model) else robot.model
    if full or _is_small(model):
        return Sheet(closed(equations_of(model, numbers=bool(numbers))), apart=True)
    return Sheet(readable(model, numbers=numbers is not False), apart=False)


def _is_small(model: Model) -> bool:
    if model.nv > FEW_JOINTS:
        return False
    try:
        predicted = predicted_terms(equations_of(model))
    except UnsupportedModelError:
        return False
    return predicted is not None and predicted <= FEW_TERMS


def entries(results: Mapping[str, Sequence]) -> Iterator[Expression]:
    """All entries of vectors and matrices."""
    for quantity in results.values():
        for row in quantity:
            yield from row if isinstance(row, list) else [row]


def _needed(steps: Sequence[Step], results: Iterable[Expression]) -> Iterator[Step]:
    """The steps that some results follow from, in order."""
    wanted = set[str]().union(*map(symbols, results))
    kept: set[str] = set()
    for step in reversed(steps):
        if step.name in wanted:
            kept.add(step.name)
            wanted |= symbols(step.expression)
    return (step for step in steps if step.name in kept)


def with_remarks(steps: Sequence[Step]) -> Iterator[tuple[list[str], Step]]:
    """Every step with the remarks that stand before it: a new section, a new quantity."""
    known: set[str] = set()
    for step in steps:
        remarks: list[str] = []
        if step.section not in known:
            remarks += ["", f"{step.section or FURTHER}:"]
        if step.about not in known and not step.minor:
            remarks.append(step.about)
        known |= {step.section, step.about}
        yield remarks, step


# -- closed forms -------------------------------------------------------------------------------------


def closed(equations: Equations) -> Readable:
    """The closed form, every entry by itself: in the shortest form found, or with common factors where it is long."""
    require_writable(equations)
    way = _factored if terms(equations.mass_matrix) > MANY_TERMS else _shortest
    return Readable(equations.name, equations.words, equations.coordinates, way(equations), ())


def _waves(equations: Equations) -> list[Wave]:
    return in_order(equations.mass_matrix, equations.coriolis_matrix, equations.gravity)


def _shortest(equations: Equations) -> Written:
    """Sines and cosines, what the velocity terms share, then the entries."""
    source, names = Source(equations, "christoffel", None), _WaveNames(equations)
    forms, rates = source.forms, source.forms.order.rates

    def entry(wave: Wave) -> Expression:
        in_rates = not rates.isdisjoint(wave.variables())
        return names.without_waves(forms.along_rates(wave, source.shared) if in_rates else forms.form(wave))

    results = tuple(map(entry, _waves(equations)))
    definitions = source.shared.definitions.items()
    shared = [Step(name, names.without_waves(x), "", "", SHARED, minor=True) for name, x in definitions]
    return Written(tuple(_needed([*names.steps(), *shared], results)), results)


def _factored(equations: Equations) -> Written:
    """Sines and cosines, then everything that is used twice, factors taken out of sums."""
    graph = Graph()
    labels: dict[tuple[str, Powers], Label] = {}

    def trig(function: str, angle: Powers) -> Num:
        if function == "1":
            return 1.0
        if (function, angle) not in labels:
            phase = sum((graph.variable(name) * k for name, k in angle), start=0.0)
            node = graph.lower((cos if function == "cos" else sin)(phase))
            labels[function, angle] = Label(function[0] + _index(angle), node, "", "", WAVES)
        return labels[function, angle].node

    def entry(wave: Wave) -> Node:
        total: Num = 0.0
        for term in wave.terms:
            part = trig(term.function, term.frequencies) * float(term.coefficient)
            for name, exponent in term.powers:
                for _ in range(exponent):
                    part = part * graph.variable(name)
            total = total + part
        return graph.lower(total)

    outputs = tuple(map(entry, _waves(equations)))
    program = Program((), outputs, (len(outputs),))
    taken = equations.ring.names
    return written(program, list(labels.values()), result_names(equations.n), taken, equations.parameters)


class _WaveNames:
    """Names for sines and cosines: c12 for cos(q1 + q2)."""

    def __init__(self, equations: Equations) -> None:
        self._names = Names()
        self._found: dict[Trig, str] = {}
        for name in equations.ring.names:
            self._names.new(name)

    def without_waves(self, x: Expression) -> Expression:
        """An expression with names in the place of sines and cosines."""
        return with_waves(x, self._symbol)

    def _symbol(self, x: Trig) -> Symbol:
        if x not in self._found:
            self._found[x] = self._names.new(x.function[0] + _index(x.angle))
        return Symbol(self._found[x])

    def steps(self) -> Iterator[Step]:
        for wave, name in sorted(self._found.items(), key=lambda item: (item[0].angle, item[0].function)):
            yield Step(name, wave, "", "", WAVES, minor=True)


def _index(angle: Angle) -> str:
    """12 for q1 + q2, 1m2 for q1 − q2, 11 for 2 q1."""
    parts = (("m" if k < 0 else "") + name.removeprefix("q") * abs(k) for name, k in angle)
    return "".join(parts)


# -- what every language needs ------------------------------------------------------------------------


class CodeWriter(Writer):
    """Expressions in the notation that C and Python share; ``names`` has the identifier of every symbol."""

    def __init__(self, names: Mapping[str, str], library: str = "") -> None:
        super().__init__()
        self.names = names
        self.library = library  # what stands before cos and sin

    def lines(self, x: Expression) -> list[str]:
        """An expression, broken before signs where it is long."""
        return list(lines(self.expression(x), WIDTH))

    def symbol(self, name: str) -> str:
        return self.names[name]

    def number(self, x: Fraction) -> str:
        return repr(float(x))

    def name(self, name: Name, written: str) -> str:
        return written

    def trig(self, function: str, angle: str, several: bool, exponent: int) -> str:
        return self.power(f"{self.library}{function}({angle})", exponent)

    def call(self, function: str, argument: str) -> str:
        return f"{function}({argument})"

    def power(self, base: str, exponent: int) -> str:
        return "*".join([base] * exponent)

    def times(self, left: str, right: str, dot: bool) -> str:
        return f"{left}*{right}"

    def multiple(self, k: int, angle: str) -> str:
        return angle if k == 1 else f"{k}.0*{angle}"

    def sign(self, sign: str, term: str) -> str:
        return f" {'-' if sign == '−' else sign} {term}"

    def minus(self, x: str) -> str:
        return f"-{x}"

    def brackets(self, x: str) -> str:
        return f"({x})"


def identifiers(equations: Readable, reserved: Iterable[str]) -> dict[str, str]:
    """An identifier for every name of some equations, none of them reserved."""
    names = Names()
    for word in reserved:
        names.new(word)
    state = (name for names in state_names(equations.words.model).values() for name in names)
    known = (*equations.parameters, *state, *(step.name for step in equations.steps))
    return {name: names.new(name) for name in known}


# -- the self-test ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A state, and what it must give."""

    q: list[float]
    qd: list[float]
    qdd: list[float]
    M: list[list[float]]
    C: list[list[float]]
    G: list[float]
    tau: list[float]


@dataclass(frozen=True)
class ShortCase:
    """A state, what shortened torques must be there, and the exact ones."""

    q: list[float]
    qd: list[float]
    qdd: list[float]
    tau: list[float]
    exact: list[float]


@dataclass(frozen=True)
class Cases:
    """What the code is tested with, the formulation that gave it, and what counts as large in each result."""

    method: str
    cases: tuple[Case, ...] | tuple[ShortCase, ...]
    scales: Mapping[str, float]
    allowed: tuple[float, ...] = ()  # of shortened torques: how far they may be from the exact ones


def cases(robot: Robot | Model, seed: int = 20) -> Cases:
    """Values at random states by a formulation of the library, interpreted."""
    from strobe.robot import Robot

    model = robot if isinstance(robot, Model) else robot.model
    arm, method = Robot(model, compiled=False), independent(model)
    q, qd, qdd = arm.random_state(seed=seed, batch=STATES)
    columns = (
        q,
        qd,
        qdd,
        arm.mass_matrix(q, formulation=method),
        arm.coriolis_matrix(q, qd, formulation=method),
        arm.gravity(q, formulation=method),
        arm.inverse_dynamics(q, qd, qdd, formulation=method, friction=False),
    )
    sizes = {name: float(abs(x).max()) for name, x in zip(RESULTS, columns[3:], strict=True)}
    least = NOTHING * max(sizes["M"], sizes["tau"]) or 1.0
    rows = tuple(Case(*(x.tolist() for x in row)) for row in zip(*columns, strict=True))
    return Cases(method, rows, {name: max(size, least) for name, size in sizes.items()})


def independent(model: Model) -> str:
    """A formulation that has little in common with the equations written here."""
    whole = all(body.inertial.com is not None for body in model.bodies)
    allowed = (name for name in INDEPENDENT if FORMULATIONS[name].refusal(model) is None)
    return next((name for name in allowed if whole), INDEPENDENT[-1])
