"""The meaning of a torque for all states at once: the rows of `meaning`, each with its closed form.

    M_ii qdd_i    M_ij qdd_j    c_ijj qd_j²    2 c_ijk qd_j qd_k    g_i    friction

Terms that vanish for every state are left out; external wrenches have no closed form here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from strobe.equations.closed_form import Equations, equations_of, predicted_terms
from strobe.equations.expression import Expression
from strobe.equations.friction import friction as written_friction
from strobe.equations.meaning import KINDS, Term, meanings
from strobe.equations.readable_forms import Forms, order_of
from strobe.equations.trig_polynomials import Wave
from strobe.errors import EquationSizeError

if TYPE_CHECKING:
    from strobe.models.model import Model
    from strobe.robot import Robot

MOST = 400  # predicted terms of the mass matrix: beyond, rows fill pages


@dataclass(frozen=True, slots=True)
class SymbolicRow:
    """A term as one joint feels it, written out."""

    joint: str
    kind: str
    by: tuple[str, ...]  # the degrees of freedom whose motion causes it
    formula: str
    meaning: str
    value: Expression


def symbolic(robot: Robot | Model, numbers: bool = False, friction: bool = True) -> list[SymbolicRow]:
    """The terms of all torques, joint by joint in the order of `KINDS`."""
    equations = equations_of(robot, numbers)
    predicted = predicted_terms(equations)
    if predicted is None or predicted > MOST:
        raise EquationSizeError(
            equations.name,
            "the mass matrix",
            predicted,
            MOST,
            "Explain a state instead: the values of all terms are told for any robot.",
        )
    joints, words = equations.coordinates.rate_names, meanings(not equations.coordinates.trivial)
    forms = Forms(order_of(equations))
    rubbing = (
        written_friction(equations.words, equations.coordinates, equations.ring, forms) if friction else {}
    )
    rows: list[SymbolicRow] = []
    for i, own in enumerate(joints):
        found = [(term, forms.form(wave)) for term, wave in _terms(equations, i) if not wave.is_zero()]
        found += [(Term("friction"), rubbing[i])] if i in rubbing else []
        rows += sorted(
            (_row(joints, own, term, i, value, words) for term, value in found),
            key=lambda row: KINDS.index(row.kind),
        )
    return rows


def _terms(equations: Equations, i: int) -> Iterator[tuple[Term, Wave]]:
    """The terms of the torque of one joint."""
    M, c, n = equations.mass_matrix, equations.christoffel_symbols, range(equations.n)
    for j in n:
        yield Term("acceleration", (j,)), _wave(equations, M[i][j] * equations.qdd[j])
    for j, k in combinations_with_replacement(n, 2):
        both = c[i][j][k] * equations.qd[j] * equations.qd[k] * (1 if j == k else 2)
        yield Term("velocity", (j, k)), _wave(equations, both)
    yield Term("gravity"), equations.gravity[i]


def _wave(equations: Equations, x: object) -> Wave:
    return equations.ring.lower(x)  # pyright: ignore[reportArgumentType]


def _row(
    joints: Sequence[str], own: str, term: Term, i: int, value: Expression, words: Mapping[str, str]
) -> SymbolicRow:
    kind, by = term.kind(i), tuple(joints[k] for k in dict.fromkeys(term.by))
    return SymbolicRow(own, kind, by, term.formula(i), words[kind].format(*by, own=own), value)
