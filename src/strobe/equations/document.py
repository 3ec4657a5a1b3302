"""A full set of equations as data: sections of left-hand sides and expressions, for every renderer and for JSON.

    T = ½ q̇ᵀ M q̇    V    M    h (what the velocity terms share)    C    G    τ = M q̈ + C q̇ + G    frames    facts

The sections are the same for all robots; `text`, `latex` and `mathml` print them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, count
from typing import Any, TypeVar

from strobe.equations import expression as ex
from strobe.equations.closed_form import Equations, Matrix, require_writable
from strobe.equations.expression import Expression, Number, Symbol
from strobe.equations.friction import friction, ramp_remarks
from strobe.equations.glossary import Parameter, parameters_among
from strobe.equations.notation import Notation, entry_name, plain
from strobe.equations.parameters import Named
from strobe.equations.readable_forms import Forms, order_of
from strobe.equations.rendering import Remark, joined, separated
from strobe.equations.structural_facts import Facts, fact_data, fact_sentences, facts
from strobe.equations.trig_polynomials import Wave
from strobe.errors import StillFrameError, TipError, UnknownNameError
from strobe.models.default_frame import tip
from strobe.models.model import Model

LONG = 5  # the length from which a coefficient of velocities gets a name
COEFFICIENTS = ("h", "k", "p", "u")  # letters for such names, the first that is free
SUMS = ("E", "A", "B", "N")  # letters for sums of inertias in them
OF_A_FRAME = ("fk", "jacobian")  # sections
SYMMETRIC = "Symmetric: entries on and above the diagonal."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """Left-hand sides that have one value."""

    names: tuple[str, ...]
    value: Expression
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Entries under a title, and sentences beside them."""

    key: str
    title: str
    entries: tuple[Entry, ...] = ()
    remarks: tuple[Remark, ...] = ()
    conditions: tuple[tuple[Remark, tuple[Expression, ...]], ...] = ()  # a sentence, and what must be zero
    data: Mapping[str, Any] = field(default_factory=dict)  # what the sentences say, for programs


@dataclass(frozen=True)
class Document:
    """Everything that is printed about one robot."""

    robot: str
    title: str
    numbers: bool
    parameters: tuple[Parameter, ...]
    sections: tuple[Section, ...]
    labels: tuple[str, ...] = ()  # names of other coordinates that q1, q2, … stand for

    def section(self, key: str) -> Section:
        for section in self.sections:
            if section.key == key:
                return section
        raise UnknownNameError(
            "section", key, f"the equations of {self.robot}", [s.key for s in self.sections]
        )

    def read_with(self, notation: Notation) -> Notation:
        """A notation with the names of these coordinates."""
        return replace(notation, labels=self.labels) if self.labels else notation


def document(
    equations: Equations,
    *,
    only: Collection[str] = (),
    form: str = "christoffel",
    frame: str | None = None,
    drives: bool = True,
    told: Callable[[str], None] = lambda section: None,
) -> Document:
    """The sections asked for (all of `SECTIONS` if none is named), in their own order.

    ``drives`` writes what the drives add, rotor inertia and friction, beside what the links need; without it the
    rotors are in M and friction is left out. ``told`` hears the key of every section before it is worked out.
    """
    require_sections(only)
    nameless = without_frame(equations.model, only, frame)
    require_writable(
        equations, [key for key in only or SECTIONS if not (nameless and key in OF_A_FRAME)], frame
    )
    source = Source(equations, form, frame, drives)
    sections: list[Section] = []
    for key, make in SECTIONS.items():
        if key in only or not only:
            told(key)
            section = nameless if nameless and key in OF_A_FRAME else make(source)
            names = _abbreviations(source, section, sections)
            shown = [s for s in (names, section) if s.entries or s.remarks or s.conditions]
            sections += [s for s in shown if s not in sections]
    used = set[str]().union(*map(symbols_in, sections))
    parameters = parameters_among(equations.words, used)
    return Document(
        equations.name,
        equations.words.model.title,
        equations.numbers,
        parameters,
        tuple(sections),
        equations.labels,
    )


def without_frame(model: Model, only: Collection[str], frame: str | None) -> Section | None:
    """What stands in place of placement and Jacobian where none was asked for by name and no frame is meant."""
    if only or frame is not None:
        return None
    try:
        tip(model)
    except (TipError, StillFrameError) as error:
        return Section("frames", "Placement and Jacobian of a frame", remarks=(str(error),))
    return None


def require_sections(keys: Iterable[str]) -> None:
    """Refuse what is no section of a document."""
    for key in keys:
        if key not in SECTIONS:
            raise UnknownNameError("section", key, "the equations", list(SECTIONS))


def shortened_document(equations: Equations, torques: Sequence[Wave], remarks: Sequence[str]) -> Document:
    """Torques with their smallest terms left out."""
    forms = Forms(order_of(equations))
    entries = tuple(Entry((f"tau{i + 1}",), forms.form(x)) for i, x in enumerate(torques))
    section = Section("tau", "Shortened equations of motion", entries, tuple(remarks))
    parameters = parameters_among(equations.words, symbols_in(section))
    return Document(equations.name, equations.words.model.title, equations.numbers, parameters, (section,))


@dataclass(frozen=True)
class Source:
    """What the sections of one document are made from."""

    equations: Equations
    form: str
    frame: str | None
    drives: bool = True

    @cached_property
    def rotors(self) -> Matrix:
        """The inertia of the rotors that is written beside that of the links; zeros where it is part of it."""
        zero = self.equations.ring.lower(0.0)
        return (
            self.equations.rotor_matrix if self.drives else Matrix([zero for _ in self.n] for _ in self.n)
        )

    @cached_property
    def apart(self) -> bool:
        """Whether H, of the links, is written instead of M."""
        return any(not x.is_zero() for row in self.rotors for x in row)

    @property
    def letter(self) -> str:
        return "H" if self.apart else "M"

    @property
    def inertia(self) -> Matrix:
        """H or M."""
        return self.equations.link_matrix if self.apart else self.equations.mass_matrix

    def entry(self, i: int, j: int) -> Symbol:
        """The name of an entry of H or M."""
        return Symbol(entry_name(self.letter, min(i, j), max(i, j)))

    @cached_property
    def friction(self) -> dict[int, Expression]:
        x = self.equations
        return friction(x.words, x.coordinates, x.ring, self.forms) if self.drives else {}

    @cached_property
    def forms(self) -> Forms:
        return Forms(order_of(self.equations))

    @property
    def n(self) -> range:
        return range(self.equations.n)

    @cached_property
    def coriolis(self) -> Matrix:
        return self.equations.coriolis(self.form)

    @cached_property
    def shared(self) -> Shared:
        """Names for what the velocity terms have in common."""
        rates, symbols = self.forms.order.rates, self.equations.christoffel_symbols
        shared = Shared(
            self.forms, taken=set(map(plain, (*self.equations.ring.names, *self.equations.labels)))
        )
        coefficients = [c for row in self.coriolis for x in row for c in x.collect(rates).values()]
        coefficients += [symbols[i][j][k] for i in self.n for j in self.n for k in self.n if j <= k]
        for c in coefficients:
            shared.note(c)
        shared.settle()
        return shared


@dataclass
class Shared:
    """Names for coefficients of velocities that occur more than once, or for the sums of inertias in them."""

    forms: Forms
    taken: set[str]
    _counts: dict[object, int] = field(default_factory=dict)
    _waves: dict[object, Wave] = field(default_factory=dict)
    _shown: dict[object, Expression] = field(default_factory=dict)
    definitions: dict[str, Expression] = field(default_factory=dict)

    def note(self, c: Wave) -> None:
        """One more place where a coefficient stands."""
        if not c.is_zero():
            key = c.primitive()[0].key
            self._counts[key] = self._counts.get(key, 0) + 1
            self._waves.setdefault(key, c)

    def settle(self) -> None:
        """Give the names, in the order of first use."""
        named: dict[object, tuple[str, Expression]] = {}  # key -> kind, what gets a name
        for key, c in self._waves.items():
            whole = ex.signed(self.forms.form(c))
            self._shown[key] = whole
            part = _inertias(whole)
            if part is not None:
                named[key] = "sum", part
            elif self._counts[key] > 1 and ex.length(whole) >= LONG:
                named[key] = "whole", _unsigned(whole)
        names = self._names(named.values())
        for key, (kind, part) in named.items():
            whole, name = self._shown[key], names[kind, part]
            self.definitions[name] = part
            self._shown[key] = (
                ex.product(Symbol(name) if x == part else x for x in _factors(whole))
                if kind == "sum"
                else ex.product((Number(Fraction(-1 if ex.negative(whole) else 1)), Symbol(name)))
            )

    def _names(self, parts: Iterable[tuple[str, Expression]]) -> dict[tuple[str, Expression], str]:
        """h, or h1, h2, … of the first letter that is free."""
        kinds: dict[str, list[Expression]] = {"whole": [], "sum": []}
        for kind, part in parts:
            if part not in kinds[kind]:
                kinds[kind].append(part)
        result: dict[tuple[str, Expression], str] = {}
        for kind, letters in (("whole", COEFFICIENTS), ("sum", SUMS)):
            many = len(kinds[kind])
            endings = [""] if many == 1 else [str(k + 1) for k in range(many)]
            every = chain(letters, (letters[0] * k for k in count(2)))
            letter = next(x for x in every if self.taken.isdisjoint((x, *(x + end for end in endings))))
            result |= {(kind, part): letter + end for part, end in zip(kinds[kind], endings, strict=True)}
        return result

    def __call__(self, c: Wave) -> Expression:
        """A coefficient over the names."""
        base, factor = c.primitive()
        key = base.key
        if key not in self._shown:
            return ex.signed(self.forms.form(c))
        ratio = factor / self._waves[key].primitive()[1]
        return ex.product((Number(ratio), self._shown[key])) if ratio != 1 else self._shown[key]


def _factors(x: Expression) -> tuple[Expression, ...]:
    return x.factors if isinstance(x, ex.Product) else (x,)


def _inertias(x: Expression) -> Expression | None:
    """The long sum without waves that is a factor of a product."""
    for factor in _factors(x) if isinstance(x, ex.Product) else ():
        if isinstance(factor, ex.Sum) and not ex.has_waves(factor) and ex.length(factor) >= LONG:
            return factor
    return None


def _unsigned(x: Expression) -> Expression:
    return ex.opposite(x) if ex.negative(x) and not isinstance(x, ex.Sum) else x


# -- the sections -------------------------------------------------------------------------------------


def _kinetic(source: Source) -> Section:
    """½ q̇ᵀ H q̇, and of the rotors."""
    upper = [(i, j) for i in source.n for j in source.n if i <= j]
    R, form = source.rotors, source.forms.form
    links = {(i, j): source.entry(i, j) for i, j in upper if not source.inertia[i][j].is_zero()}
    rotors = {(i, j): form(R[i][j]) for i, j in upper if not R[i][j].is_zero()}
    value = ex.total([*ex.quadratic(links), *ex.quadratic(rotors)])
    return Section("T", "Kinetic energy", (Entry(("T",), value),))


def _potential(source: Source) -> Section:
    value = source.forms.form(source.equations.potential_energy)
    return Section("V", "Potential energy", (Entry(("V",), value),))


def _mass(source: Source) -> Section:
    M, n = source.inertia, source.n
    named = [(source.entry(i, j).name, M[i][j]) for i in n for j in n if i <= j]
    remarks: list[Remark] = [SYMMETRIC] if len(n) > 1 else []
    if source.apart:
        remarks.append(_with_rotors(source))
    title = "Mass matrix of the links" if source.apart else "Mass matrix"
    return Section("M", title, _entries(named, source.forms.form), tuple(remarks))


def _with_rotors(source: Source) -> Remark:
    """M = H + diag(…), or entry by entry where rotors couple coordinates."""
    R, n, form = source.rotors, source.n, source.forms.form
    told = ": the rotors of the drives add their inertia to that of the links."
    if all(R[i][j].is_zero() for i in n for j in n if i != j):
        return ("M = ", Symbol("H"), " + diag(", *joined(form(R[i][i]) for i in n), ")", told)
    sums = [(i, j, ex.total((source.entry(i, j), form(R[i][j])))) for i in n for j in n if i <= j]
    parts = [(entry_name("M", i, j), " = ", x) for i, j, x in sums if not R[i][j].is_zero()]
    return ("M is ", Symbol("H"), " but for ", *separated(parts), told)


def _coriolis(source: Source) -> Section:
    C, n, shared = source.coriolis, source.n, source.shared

    def form(x: Wave) -> Expression:
        return source.forms.along_rates(x, shared)

    named = [(entry_name("C", i, j), C[i][j]) for i in n for j in n]
    return Section("C", coriolis_title(source.form), _entries(named, form))


def coriolis_title(form: str) -> str:
    return f"Coriolis matrix, {form.replace('chr', 'Chr')} form"


def _abbreviations(source: Source, section: Section, shown: Sequence[Section]) -> Section:
    """What a section of velocity terms has in common, as far as it was not shown before."""
    entries: tuple[Entry, ...] = ()
    if section.key in ("C", "tau"):
        new = symbols_in(section).difference(*({n for e in s.entries for n in e.names} for s in shown))
        entries = tuple(Entry((name,), x) for name, x in source.shared.definitions.items() if name in new)
    return Section("names", "Abbreviations", entries)


def _gravity(source: Source) -> Section:
    torques = enumerate(map(source.forms.form, source.equations.gravity), start=1)
    return Section("G", "Gravity", tuple(Entry((f"G{i}",), x) for i, x in torques))


def _torques(source: Source) -> Section:
    entries = tuple(Entry((f"tau{i + 1}",), _torque(source, i)) for i in source.n)
    return Section("tau", "Equations of motion", entries, _drive_remark(source))


def _torque(source: Source, i: int) -> Expression:
    """Σ H_ij q̈_j + Σ c_ijj q̇_j² + Σ 2 c_ijk q̇_j q̇_k + G_i, rotors, F_i."""
    n, shared, one = source.n, source.shared, Fraction(1)
    c, G = source.equations.christoffel_symbols[i], source.equations.gravity[i]
    terms = [
        ex.rated(one, [source.entry(i, j)], f"qdd{j + 1}") for j in n if not source.inertia[i][j].is_zero()
    ]
    terms += [
        ex.rated(one, [shared(c[j][j])], f"qd{j + 1}", f"qd{j + 1}") for j in n if not c[j][j].is_zero()
    ]
    terms += [
        ex.rated(2 * one, [shared(c[j][k])], f"qd{j + 1}", f"qd{k + 1}")
        for j in n
        for k in n
        if j < k and not c[j][k].is_zero()
    ]
    terms += [] if G.is_zero() else [Symbol(f"G{i + 1}")]
    terms += [
        ex.rated(one, [source.forms.form(x)], f"qdd{j + 1}")
        for j, x in enumerate(source.rotors[i])
        if not x.is_zero()
    ]
    terms += [Symbol(f"F{i + 1}")] if i in source.friction else []
    return ex.total(terms)


def _drive_remark(source: Source) -> tuple[str, ...]:
    parts = [
        word for word, there in (("rotor inertia", source.apart), ("friction F", source.friction)) if there
    ]
    return (f"Last stands what the drives add: {' and '.join(parts)}.",) if parts else ()


def _friction(source: Source) -> Section:
    """damping · q̇ + coulomb · sat(q̇ / v0), one coulomb for each direction."""
    return friction_section(source.friction, source.equations.words)


def friction_section(found: Mapping[int, Expression], words: Named) -> Section:
    """F by coordinate, where there is any."""
    entries = tuple(Entry((f"F{k + 1}",), x) for k, x in found.items())
    return Section("friction", "Friction", entries, ramp_remarks(words) if entries else ())


def _placement(source: Source) -> Section:
    rows, name = source.equations.forward_kinematics(source.frame), _frame_name(source)
    named = [(axis, row[3]) for axis, row in zip("xyz", rows, strict=False)]
    named += [(entry_name("R", i, j), rows[i][j]) for i in range(3) for j in range(3)]
    title = f'Placement of the frame "{name}": origin and rotation in base axes'
    return Section("fk", title, _entries(named, source.forms.form))


def _jacobian(source: Source) -> Section:
    rows, name = source.equations.jacobian(source.frame), _frame_name(source)
    named = [(entry_name("J", i, j), x) for i, row in enumerate(rows) for j, x in enumerate(row)]
    title = f'Jacobian of the frame "{name}": linear, then angular velocity, base axes'
    return Section("jacobian", title, _entries(named, source.forms.form))


def _frame_name(source: Source) -> str:
    return source.frame or tip(source.equations.model)


def _entries(named: Sequence[tuple[str, Wave]], form: Callable[[Wave], Expression]) -> tuple[Entry, ...]:
    """Entries in order, those that are equal together, the zero ones last."""
    return tuple(Entry(names, ex.ZERO if x.is_zero() else form(x)) for x, names in together(named))


def together(named: Iterable[tuple[T, Wave]]) -> list[tuple[Wave, tuple[T, ...]]]:
    """Waves in order with all the names they have, zero last."""
    groups: dict[object, tuple[Wave, list[T]]] = {}
    for name, x in named:
        groups.setdefault(x.key, (x, []))[1].append(name)
    ordered = sorted(groups.values(), key=lambda group: group[0].is_zero())
    return [(x, tuple(names)) for x, names in ordered]


def symbols_in(section: Section) -> set[str]:
    """Every name in a section."""
    values = (entry.value for entry in section.entries)
    conditions = (x for _, several in section.conditions for x in several)
    sentences = (
        x for told in section.remarks if not isinstance(told, str) for x in told if not isinstance(x, str)
    )
    return set[str]().union(*map(ex.symbols, (*values, *conditions, *sentences)))


# -- facts --------------------------------------------------------------------------------------------


def _facts(source: Source) -> Section:
    form = None if source.equations.numbers else source.forms.form
    return facts_section(facts(source.equations, source.inertia), source.letter, form)


def facts_section(
    found: Facts, letter: str, form: Callable[[Wave], Expression] | None, decided: Sequence[str] = ()
) -> Section:
    """What holds, in sentences; conditions only where their form is of use. ``decided`` says how it was found."""
    conditions: tuple[tuple[Remark, tuple[Wave, ...]], ...] = (
        ("Gravity exerts no torque if and only if all of these vanish:", found.gravity_vanishes_if),
        ((Symbol(letter), " is constant if and only if all of these vanish:"), found.mass_is_constant_if),
    )
    shown = tuple((told, tuple(map(form, waves))) for told, waves in conditions if waves and form)
    remarks = (*fact_sentences(found, letter), *decided)
    return Section("facts", "Structure", (), remarks, shown, fact_data(found))


SECTIONS: dict[str, Callable[[Source], Section]] = {
    "T": _kinetic,
    "V": _potential,
    "M": _mass,
    "C": _coriolis,
    "G": _gravity,
    "tau": _torques,
    "friction": _friction,
    "fk": _placement,
    "jacobian": _jacobian,
    "facts": _facts,
}
