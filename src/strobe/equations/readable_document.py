"""The readable grade as a document: named intermediate results, then the same sections as closed forms have.

    T = ½ q̇ᵀ M q̇    V    M    C    G    τ = M q̈ + C q̇ + G + F    F    frames    facts

Energies, torques and friction are written over the entries of M, C and G, which are written over the steps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

from strobe.equations import expression as ex
from strobe.equations.closed_form import equations_of, equations_over
from strobe.equations.document import (
    OF_A_FRAME,
    SECTIONS,
    SYMMETRIC,
    Document,
    Entry,
    Section,
    coriolis_title,
    facts_section,
    friction_section,
    require_sections,
    symbols_in,
    without_frame,
)
from strobe.equations.expression import Expression, Symbol
from strobe.equations.glossary import parameters_among
from strobe.equations.prime_field_facts import DECIDED, structure
from strobe.equations.readable import Readable, entry_names, readable
from strobe.equations.readable_forms import Forms, order_of
from strobe.errors import UnsupportedModelError
from strobe.models.model import Model

if TYPE_CHECKING:
    from strobe.robot import Robot

NEEDS = {"T": ("M",), "tau": ("M", "C", "G")}  # the quantities over whose entries a section is written
TRIALS = 2  # random robots at which facts are decided


def readable_document(
    robot: Robot | Model,
    numbers: bool = False,
    only: Collection[str] = (),
    *,
    form: str = "christoffel",
    frame: str | None = None,
) -> Document:
    """The sections asked for (all if none is named), those that they are written over, and before them the steps."""
    model = robot if isinstance(robot, Model) else robot.model
    require_sections(only)
    nameless = without_frame(model, only, frame)
    asked = [key for key in only or SECTIONS if not (nameless and key in OF_A_FRAME)]
    wanted = {needed for key in asked for needed in (key, *NEEDS.get(key, ()))}
    found = document_of(readable(model, numbers, wanted, form=form, frame=frame), wanted)
    return replace(found, sections=(*found.sections, nameless)) if nameless else found


def document_of(found: Readable, wanted: Collection[str]) -> Document:
    """Sections over quantities that were asked for, and before them the steps."""
    parts = [_section(found, key) for key in SECTIONS if key in wanted]
    whole = (*_steps(found), *parts, Section("notes", "Notes", remarks=found.notes))
    used = set[str]().union(*map(symbols_in, whole))
    parameters = parameters_among(found.words, used)
    shown = tuple(section for section in whole if section.entries or section.remarks)
    return Document(found.name, found.words.model.title, not found.parameters, parameters, shown)


def _steps(equations: Readable) -> Iterator[Section]:
    for heading, steps in groupby(equations.steps, key=lambda step: step.section):
        entries = tuple(Entry((step.name,), step.expression, step.meaning) for step in steps)
        yield Section("steps", heading or "Further steps", entries)


def _section(equations: Readable, key: str) -> Section:
    match key:
        case "T":
            return Section("T", "Kinetic energy", (Entry(("T",), _kinetic(equations)),))
        case "tau":
            entries = tuple(Entry((f"tau{i + 1}",), _torque(equations, i)) for i in range(equations.n))
            return Section("tau", "Equations of motion", entries)
        case "friction":
            return friction_section(equations.friction, equations.words)
        case "facts":
            return _facts(equations)
        case _:
            named, remarks = equations.results[key], _remarks(equations, key)
            return Section(key, _title(equations, key), _grouped(named), remarks)


def _title(equations: Readable, key: str) -> str:
    frame = f'of the frame "{equations.frame}"'
    return {
        "V": "Potential energy",
        "M": "Mass matrix",
        "C": coriolis_title(equations.form),
        "G": "Gravity",
        "fk": f"Placement {frame}: origin and rotation in base axes",
        "jacobian": f"Jacobian {frame}: linear, then angular velocity, base axes",
    }[key]


def _remarks(equations: Readable, key: str) -> tuple[str, ...]:
    if key != "M" or equations.n == 1:
        return ()
    rotors = any(drive.rotor for drive in equations.words.drives)
    with_rotors = ("The inertia of the rotors of the drives is part of it.",) if rotors else ()
    return (SYMMETRIC, *with_rotors)


def _grouped(named: dict[str, Expression]) -> tuple[Entry, ...]:
    """Entries in order, those that are equal together, the zero ones last."""
    groups: dict[Expression, list[str]] = {}
    for name, x in named.items():
        groups.setdefault(x, []).append(name)
    ordered = sorted(groups.items(), key=lambda group: group[0] == ex.ZERO)
    return tuple(Entry(tuple(names), x) for x, names in ordered)


def _kinetic(equations: Readable) -> Expression:
    """½ q̇ᵀ M q̇."""
    n = range(equations.n)
    named = zip(((i, j) for i in n for j in n if i <= j), equations.results["M"].items(), strict=True)
    return ex.total(ex.quadratic({pair: Symbol(name) for pair, (name, x) in named if x != ex.ZERO}))


def _torque(equations: Readable, i: int) -> Expression:
    """Σ M_ij q̈_j + Σ C_ij q̇_j + G_i + F_i."""
    n, one = equations.n, Fraction(1)
    every = equations.results["M"] | equations.results["C"] | equations.results["G"]
    pairs = [(a, b) for a in range(n) for b in range(a, n)]
    masses = dict(zip(pairs, entry_names("M", n), strict=True))
    rates = entry_names("C", n)[i * n : (i + 1) * n]
    terms = [(masses[min(i, j), max(i, j)], f"qdd{j + 1}") for j in range(n)]
    terms += [(name, f"qd{j + 1}") for j, name in enumerate(rates)]
    parts = [ex.rated(one, [Symbol(name)], rate) for name, rate in terms if every[name] != ex.ZERO]
    parts += [Symbol(name) for name in [f"G{i + 1}"] if every[name] != ex.ZERO]
    parts += [Symbol(f"F{i + 1}")] if i in equations.friction else []
    return ex.total(parts)


def _facts(equations: Readable) -> Section:
    """Of the robot in named parameters, whatever numbers are shown."""
    try:
        words = equations.words
        closed = equations_over(words) if equations.parameters else equations_of(words.model)
    except UnsupportedModelError as refused:
        return Section("facts", "Structure", remarks=(f"Not decided: {refused}",))
    form = Forms(order_of(closed)).form if equations.parameters else None
    return facts_section(structure(closed, TRIALS), "M", form, (DECIDED.format(trials=TRIALS),))
