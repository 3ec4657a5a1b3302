"""A full set of equations as data: sections of left-hand sides and expressions, for every renderer and for JSON.

    T = ½ q̇ᵀ M q̇    V    M    h (what the velocity terms share)    C    G    τ = M q̈ + C q̇ + G    frames    facts

The sections are the same for all robots; `text`, `latex` and `mathml` print them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain, count, groupby

from strobe.equations import expression as ex
from strobe.equations.closed_form import Equations, Matrix
from strobe.equations.expression import Expression, Number, Symbol
from strobe.equations.facts import Facts, facts
from strobe.equations.forms import Forms, order_of, primitive
from strobe.equations.glossary import Parameter, glossary
from strobe.equations.parameters import Drive
from strobe.equations.readable import Readable
from strobe.equations.waves import Wave
from strobe.errors import UnknownNameError
from strobe.quantities import COULOMB_SPEED

LONG = 5  # the length from which a coefficient of velocities gets a name
COEFFICIENTS = ("h", "k", "p", "u")  # letters for such names, the first that is free
SUMS = ("E", "A", "B", "N")  # letters for sums of inertias in them


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
    remarks: tuple[str, ...] = ()
    conditions: tuple[tuple[str, tuple[Expression, ...]], ...] = ()  # a sentence, and what must be zero


@dataclass(frozen=True)
class Document:
    """Everything that is printed about one robot."""

    robot: str
    title: str
    numbers: bool
    parameters: tuple[Parameter, ...]
    sections: tuple[Section, ...]

    def section(self, key: str) -> Section:
        for section in self.sections:
            if section.key == key:
                return section
        raise UnknownNameError(
            "section", key, f"the equations of {self.robot}", [s.key for s in self.sections]
        )


def document(
    equations: Equations,
    *,
    only: Collection[str] = (),
    form: str = "christoffel",
    frame: str | None = None,
    told: Callable[[str], None] = lambda section: None,
) -> Document:
    """The sections asked for (all of `SECTIONS` if none is named), in their own order.

    ``told`` hears the key of every section before it is worked out.
    """
    for key in only:
        if key not in SECTIONS:
            raise UnknownNameError("section", key, "the equations", list(SECTIONS))
    source = Source(equations, form, frame)
    sections: list[Section] = []
    for key, make in SECTIONS.items():
        if key in only or not only:
            told(key)
            section = make(source)
            names = _abbreviations(source, section, sections)
            sections += [s for s in (names, section) if s.entries or s.remarks or s.conditions]
    used = set[str]().union(*map(_symbols, sections))
    known = glossary(equations.words)
    parameters = tuple(p for name, p in known.items() if name in used)
    return Document(
        equations.name, equations.words.model.title, equations.numbers, parameters, tuple(sections)
    )


def readable_document(equations: Readable, title: str = "", only: Collection[str] = ()) -> Document:
    """The readable grade: named intermediate results with their meaning, then M, C and G over these names."""
    sections: list[Section] = []
    for heading, steps in groupby(equations.steps, key=lambda step: step.section):
        entries = tuple(Entry((step.name,), step.expression, step.meaning) for step in steps)
        sections.append(Section("steps", heading or "Further steps", entries))
    n = range(equations.n)
    results = {
        "M": ("Mass matrix", [(_place("M", i, j), equations.M[i][j]) for i in n for j in n if i <= j]),
        "C": ("Coriolis matrix", [(_place("C", i, j), equations.C[i][j]) for i in n for j in n]),
        "G": ("Gravity", [(f"G{i + 1}", x) for i, x in enumerate(equations.G)]),
    }
    for key, (heading, named) in results.items():
        if only and key not in only:
            continue
        sections.append(Section(key, heading, tuple(Entry((name,), x) for name, x in named)))
    sections.append(Section("notes", "Notes", remarks=equations.notes))
    known = glossary(equations.words).values()
    used = set[str]().union(*map(_symbols, sections))
    parameters = tuple(p for p in known if p.name in used)
    shown = tuple(section for section in sections if section.entries or section.remarks)
    return Document(equations.name, title, not parameters, parameters, shown)


def shortened_document(equations: Equations, torques: Sequence[Wave], remarks: Sequence[str]) -> Document:
    """Torques with their smallest terms left out."""
    forms = Forms(order_of(equations))
    entries = tuple(Entry((f"tau{i + 1}",), forms.form(x)) for i, x in enumerate(torques))
    section = Section("tau", "Shortened equations of motion", entries, tuple(remarks))
    used = _symbols(section)
    parameters = tuple(p for name, p in glossary(equations.words).items() if name in used)
    return Document(equations.name, equations.words.model.title, equations.numbers, parameters, (section,))


@dataclass(frozen=True)
class Source:
    """What the sections of one document are made from."""

    equations: Equations
    form: str
    frame: str | None

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
        shared = Shared(self.forms, taken={*self.equations.ring.names, "M", "C", "G", "T", "V"})
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
            key, _ = _key(c)
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
                else ex.product((Number(Fraction(-1 if _is_negative(whole) else 1)), Symbol(name)))
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
        key, factor = _key(c)
        if key not in self._shown:
            return ex.signed(self.forms.form(c))
        ratio = factor / _key(self._waves[key])[1]
        return ex.product((Number(ratio), self._shown[key])) if ratio != 1 else self._shown[key]


def _key(c: Wave) -> tuple[object, Fraction]:
    base, factor = primitive(c)
    return (frozenset(base.cosines.items()), frozenset(base.sines.items())), factor


def _factors(x: Expression) -> tuple[Expression, ...]:
    return x.factors if isinstance(x, ex.Product) else (x,)


def _inertias(x: Expression) -> Expression | None:
    """The long sum without waves that is a factor of a product."""
    for factor in _factors(x) if isinstance(x, ex.Product) else ():
        if isinstance(factor, ex.Sum) and not ex.has_waves(factor) and ex.length(factor) >= LONG:
            return factor
    return None


def _is_negative(x: Expression) -> bool:
    return ex.coefficient(x) < 0


def _unsigned(x: Expression) -> Expression:
    return ex.opposite(x) if _is_negative(x) and not isinstance(x, ex.Sum) else x


# -- the sections -------------------------------------------------------------------------------------


def _kinetic(source: Source) -> Section:
    M, n = source.equations.mass_matrix, source.n
    terms = [
        ex.rated(
            Fraction(1, 2) if i == j else Fraction(1),
            [Symbol(_place("M", i, j))],
            f"qd{i + 1}",
            f"qd{j + 1}",
        )
        for i in n
        for j in n
        if i <= j and not M[i][j].is_zero()
    ]
    return Section("T", "Kinetic energy", (Entry(("T",), ex.total(terms)),))


def _potential(source: Source) -> Section:
    value = source.forms.form(source.equations.potential_energy)
    return Section("V", "Potential energy", (Entry(("V",), value),))


def _mass(source: Source) -> Section:
    title = "Mass matrix"
    M, n = source.equations.mass_matrix, source.n
    named = [(_place("M", i, j), M[i][j]) for i in n for j in n if i <= j]
    remarks = ("Symmetric: entries on and above the diagonal.",) if len(n) > 1 else ()
    return Section("M", title, _entries(named, source.forms.form), remarks)


def _coriolis(source: Source) -> Section:
    title = f"Coriolis matrix, {source.form.replace('chr', 'Chr')} form"
    C, n, shared = source.coriolis, source.n, source.shared

    def form(x: Wave) -> Expression:
        return source.forms.along_rates(x, shared)

    return Section("C", title, _entries([(_place("C", i, j), C[i][j]) for i in n for j in n], form))


def _abbreviations(source: Source, section: Section, shown: Sequence[Section]) -> Section:
    """What a section of velocity terms has in common, as far as it was not shown before."""
    entries: tuple[Entry, ...] = ()
    if section.key in ("C", "tau"):
        new = _symbols(section).difference(*({n for e in s.entries for n in e.names} for s in shown))
        entries = tuple(Entry((name,), x) for name, x in source.shared.definitions.items() if name in new)
    return Section("names", "Abbreviations", entries)


def _gravity(source: Source) -> Section:
    torques = enumerate(map(source.forms.form, source.equations.gravity), start=1)
    return Section("G", "Gravity", tuple(Entry((f"G{i}",), x) for i, x in torques))


def _torques(source: Source) -> Section:
    title = "Equations of motion"
    entries = tuple(Entry((f"tau{i + 1}",), _torque(source, i)) for i in source.n)
    return Section("tau", title, entries, _friction_remark(source))


def _torque(source: Source, i: int) -> Expression:
    """Σ M_ij q̈_j + Σ c_ijj q̇_j² + Σ 2 c_ijk q̇_j q̇_k + G_i."""
    equations, n, shared = source.equations, source.n, source.shared
    M, c, G = equations.mass_matrix[i], equations.christoffel_symbols[i], equations.gravity[i]
    one = Fraction(1)
    terms = [
        ex.rated(one, [Symbol(_place("M", min(i, j), max(i, j)))], f"qdd{j + 1}")
        for j in n
        if not M[j].is_zero()
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
    return ex.total(terms)


def _friction_remark(source: Source) -> tuple[str, ...]:
    drives = source.equations.drives
    if not any(d.damping or d.forwards or d.backwards for d in drives):
        return ()
    if source.equations.coordinates.trivial:
        return ("Friction is added to these torques.",)
    return ("Friction of the joints is added to these torques; it is not written out here.",)


def _friction(source: Source) -> Section:
    """damping · q̇ + coulomb · sat(q̇ / v0), one coulomb for each direction, of joints that move by themselves."""
    equations = source.equations
    if not equations.coordinates.trivial:
        return Section("friction", "Friction")
    viscous, entries = equations.viscous_friction, list[Entry]()
    for i, drive in enumerate(equations.drives):
        speed = ex.product((Number(Fraction(round(1 / COULOMB_SPEED))), Symbol(f"qd{i + 1}")))
        terms = [source.forms.along_rates(viscous[i], source.forms.form)]
        for ramp, size in _ramps(drive):
            coulomb = equations.ring.lower(equations.ring.number(size))
            if not coulomb.is_zero():
                terms.append(ex.product((source.forms.form(coulomb), ex.Call(ramp, speed))))
        entries.append(Entry((f"F{i + 1}",), ex.total(terms)))
    shown = tuple(entry for entry in entries if entry.value != ex.ZERO)
    used = dict.fromkeys(ramp for drive in equations.drives for ramp, _ in _ramps(drive))
    return Section("friction", "Friction", shown, tuple(RAMPS[ramp] for ramp in used) if shown else ())


RAMPS = {
    "sat": "sat(x) is x between −1 and 1, and ±1 beyond.",
    "satp": "satp(x) is x between 0 and 1, 0 below and 1 beyond: friction forwards.",
    "satn": "satn(x) is x between −1 and 0, −1 below and 0 beyond: friction backwards.",
}


def _ramps(drive: Drive) -> list[tuple[str, float]]:
    """How Coulomb friction sets in, and its size: one way for both directions where they have the same."""
    if drive.forwards == drive.backwards:
        return [("sat", drive.forwards)]
    return [("satp", drive.forwards), ("satn", drive.backwards)]


def _placement(source: Source) -> Section:
    rows, name = source.equations.forward_kinematics(source.frame), _frame_name(source)
    named = [(axis, row[3]) for axis, row in zip("xyz", rows, strict=False)]
    named += [(_place("R", i, j), rows[i][j]) for i in range(3) for j in range(3)]
    title = f'Placement of the frame "{name}": origin and rotation in base axes'
    return Section("fk", title, _entries(named, source.forms.form))


def _jacobian(source: Source) -> Section:
    rows, name = source.equations.jacobian(source.frame), _frame_name(source)
    named = [(_place("J", i, j), x) for i, row in enumerate(rows) for j, x in enumerate(row)]
    title = f'Jacobian of the frame "{name}": linear, then angular velocity, base axes'
    return Section("jacobian", title, _entries(named, source.forms.form))


def _frame_name(source: Source) -> str:
    return source.frame or source.equations.model.frames[-1].name


def _entries(named: Sequence[tuple[str, Wave]], form: Callable[[Wave], Expression]) -> tuple[Entry, ...]:
    """Entries in order, those that are equal together, the zero ones last."""
    groups: list[tuple[Wave, list[str]]] = []
    for name, x in named:
        same = next((names for y, names in groups if x.equals(y)), None)
        if same is None:
            groups.append((x, [name]))
        else:
            same.append(name)
    ordered = sorted(groups, key=lambda group: group[0].is_zero())
    return tuple(Entry(tuple(names), ex.ZERO if x.is_zero() else form(x)) for x, names in ordered)


def _place(letter: str, i: int, j: int) -> str:
    """M12, or M1,12 where a number has two digits."""
    return f"{letter}{i + 1}{',' if max(i, j) > 8 else ''}{j + 1}"


def _symbols(section: Section) -> set[str]:
    """Every name in a section."""
    values = (entry.value for entry in section.entries)
    conditions = (x for _, several in section.conditions for x in several)
    return set[str]().union(*map(ex.symbols, (*values, *conditions)))


# -- facts --------------------------------------------------------------------------------------------


def _facts(source: Source) -> Section:
    title = "Structure"
    found = facts(source.equations)
    conditions = (
        ("Gravity exerts no torque if and only if all of these vanish:", found.gravity_vanishes_if),
        ("M is constant if and only if all of these vanish:", found.mass_is_constant_if),
    )
    shown = tuple(
        (sentence, tuple(map(source.forms.form, waves)))
        for sentence, waves in conditions
        if waves and not source.equations.numbers
    )
    return Section("facts", title, (), tuple(fact_sentences(found)), shown)


def fact_sentences(found: Facts) -> Iterator[str]:
    """The facts that hold, each in a sentence."""
    if found.symmetric:
        yield "M is symmetric."
    skew = [form for form, holds in found.skew.items() if holds]
    if skew:
        forms = " and the ".join(form.replace("chr", "Chr") for form in skew)
        yield f"Ṁ − 2C is skew for C in the {forms} form."
    if found.zero_entries:
        yield f"Entries of M that vanish: {_listed('M', found.zero_entries)}."
    if found.constant_entries:
        yield f"Entries of M that are constant: {_listed('M', found.constant_entries)}."
    yield f"{len(found.zero_symbols)} of {found.symbols} Christoffel symbols vanish."
    if found.absent_from_mass:
        yield f"M does not depend on {_coordinates(found.absent_from_mass)}."
    if found.cyclic:
        yield f"Cyclic, with a momentum that is conserved without torque: {_coordinates(found.cyclic)}."
    if found.without_gravity:
        yield f"Without a gravity torque: {_coordinates(found.without_gravity)}."


def _listed(letter: str, pairs: Iterable[tuple[int, int]]) -> str:
    return ", ".join(_place(letter, i, j) for i, j in pairs)


def _coordinates(indices: Iterable[int]) -> str:
    return ", ".join(f"q{k + 1}" for k in indices)


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
