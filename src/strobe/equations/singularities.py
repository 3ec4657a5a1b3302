"""Where an arm is singular, in closed form: det J as a product, and what makes each factor zero.

    det J is the same in the axes and at the origin of every link, so it is worked out where J has the fewest terms:
    for an arm with a spherical wrist that is at the wrist, where arm and wrist separate.

Factors are what `forms` puts in front, and then sums g with det J = g · h exactly: candidates for g stand in the
coefficients of every variable, and long division decides. Nothing is lost where no candidate is found: the
remaining sum is then one factor.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from strobe.algebra import Motion
from strobe.equations import expression as ex
from strobe.equations.closed_form import Matrix, budgeted
from strobe.equations.exact_division import quotient
from strobe.equations.expression import Expression, Power, Product, Sum, Trig
from strobe.equations.parameters import state_names
from strobe.equations.readable_forms import Forms, order_of
from strobe.equations.text import text
from strobe.equations.trig_polynomials import TooManyProducts, Wave, Waves
from strobe.errors import ArgumentError, UnknownNameError, UnsupportedModelError, counted
from strobe.formulations.kinematics import Placed
from strobe.models.arguments import require_texts
from strobe.models.default_frame import moved_frame
from strobe.show.sheet import displayed

if TYPE_CHECKING:
    from strobe.equations.closed_form import Equations
    from strobe.models.model import Body

ROWS = ("x", "y", "z", "wx", "wy", "wz")
PRODUCTS = 300_000  # products of terms that a determinant may cost
SEARCHED = 200  # terms of a sum that is searched for factors
NUMERIC = "robot.singular_directions works on numbers, for every arm."


@dataclass(frozen=True, eq=False)
class Factor:
    """One factor of det J, and where it is zero."""

    expression: Expression
    power: int
    where: str  # "q5 = 0 or π"; nothing for a constant length


@displayed
@dataclass(frozen=True, eq=False)
class Singularities:
    """det J of some rows (or all) as a product."""

    robot: str
    rows: tuple[str, ...]
    determinant: Wave
    number: Expression
    factors: tuple[Factor, ...]

    @property
    def expression(self) -> Expression:
        """The whole product."""
        return ex.product([self.number, *(ex.power(f.expression, f.power) for f in self.factors)])

    @property
    def conditions(self) -> tuple[str, ...]:
        """Where the arm is singular: one line per factor that can be zero."""
        return tuple(f.where for f in self.factors if f.where)

    @cached_property
    def text(self) -> str:
        return text(self.expression)

    def __str__(self) -> str:
        rows = "" if self.rows == ROWS else f" of the rows {', '.join(self.rows)}"
        head = f"det J{rows} = {self.text}"
        if self.determinant.is_zero():
            return f"{head}: singular everywhere"
        if not self.conditions:
            return f"{head}: singular nowhere"
        return "\n".join([head, *(f"  singular where {line}" for line in self.conditions)])

    def _repr_latex_(self) -> str:
        from strobe.equations.latex import latex

        return f"$\\det J = {latex(self.expression)}$"


def singularities(
    equations: Equations, frame: str | None = None, of: Sequence[str] | None = None
) -> Singularities:
    """det J of a frame as a product; ``of`` names as many rows (x, y, z, wx, wy, wz) as joints carry it.

    Without ``of`` these are all six, or those that are not zero, or those of the velocity that are not zero.
    """
    within = budgeted(equations, PRODUCTS)
    of = (of,) if isinstance(of, str) else of
    try:
        rows, J = _square(within, frame, of)
        found = determinant(J)
    except TooManyProducts:
        names = "" if equations.numbers else "The model's own numbers (numbers=True) may give one; "
        raise UnsupportedModelError(
            f"det J of {equations.name} has no short closed form: it takes more than {PRODUCTS:,} products of terms. "
            f"{names}{NUMERIC}"
        ) from None
    if found.is_zero():
        return Singularities(equations.name, rows, found, ex.ZERO, ())
    within.ring.budget = math.inf
    splitting = _Splitting(Forms(order_of(within)), within.ring)
    number, powers = splitting.split(found)
    moving = state_names(within.words.model)["q"]
    ordered = sorted(powers, key=lambda x: (isinstance(x, Sum), isinstance(x, Trig)))
    factors = tuple(Factor(x, powers[x], splitting.zeros(x, moving)) for x in ordered)
    return Singularities(equations.name, rows, found, ex.Number(number), factors)


# -- the determinant --------------------------------------------------------------------------------------


def _square(
    equations: Equations, frame: str | None, of: Sequence[str] | None
) -> tuple[tuple[str, ...], Matrix]:
    """The rows asked for, and J by columns of the joints that carry a frame, as short as it can be had."""
    tip = equations.model.frame(moved_frame(equations.model, frame))
    bodies = equations.model.support(tip.body)
    if len(bodies) == 6 and equations.coordinates.trivial and (of is None or set(of) == set(ROWS)):
        return ROWS, min((_seen_from(equations, bodies, k) for k in range(6)), key=_size)
    if len(bodies) > 6 and equations.coordinates.trivial and of is None:
        raise UnsupportedModelError(
            f'{len(bodies)} joints of {equations.name} move frame "{tip.name}", more than J has rows: it is singular '
            f"where all its minors of six columns vanish, which no single product says. {NUMERIC}"
        )
    J = equations.jacobian(frame)
    joints = [j for j in range(equations.n) if not all(row[j].is_zero() for row in J)]
    rows = _rows(equations, tip.name, J, joints, of)
    return rows, Matrix([J[ROWS.index(row)][j] for row in rows] for j in joints)


def _rows(
    equations: Equations, frame: str, J: Matrix, joints: list[int], of: Sequence[str] | None
) -> tuple[str, ...]:
    """As many rows as joints."""
    n, robot = len(joints), equations.name
    if not n:
        raise UnsupportedModelError(f'no joint of {robot} moves frame "{frame}": it has no Jacobian.')
    moving = f"{counted(n, 'joint')} of {robot} {'moves' if n == 1 else 'move'}"
    if of is not None:
        of = list(of) if isinstance(of, str) else require_texts("of", of)
        for row in of:
            if row not in ROWS:
                raise UnknownNameError("row", str(row), "a Jacobian", ROWS)
        if len(set(of)) != n or len(of) != n:
            raise ArgumentError(
                f'{moving} frame "{frame}", and a determinant needs as many rows; '
                f"got {', '.join(of) or 'none'}."
            )
        return tuple(of)
    moved = tuple(name for name, row in zip(ROWS, J, strict=True) if not all(x.is_zero() for x in row))
    for rows in (moved, tuple(row for row in moved if row in ROWS[:3])):
        if len(rows) == n:
            return rows
    raise UnsupportedModelError(
        f'{moving} frame "{frame}" in {len(moved)} rows of J ({", ".join(moved)}), which have no determinant. '
        f"Say which {n} are meant: of=({', '.join(map(repr, moved[:n]))})."
    )


def _seen_from(equations: Equations, bodies: Sequence[Body], k: int) -> Matrix:
    """The columns of J in the axes and at the origin of one of the bodies: linear part first."""
    q = equations.coordinates.expand(equations.q)
    columns: list[Motion] = []
    for body in bodies[: k + 1]:
        X = body.pose(q).inverse()
        columns = [*(X @ column for column in columns), *body.S]
    placed = Placed()
    for body in bodies[k + 1 :]:
        placed = placed @ body.pose(q)
        for column in body.S:
            about = placed.R @ column.angular
            columns.append(Motion(about, placed.R @ column.linear + placed.p.cross(about)))
    lower = equations.ring.lower
    return Matrix([lower(x) for x in (*column.linear, *column.angular)] for column in columns)


def _size(M: Matrix) -> int:
    return sum(len(entry) for row in M for entry in row)


def determinant(M: Matrix) -> Wave:
    """By minors, each worked out once; short rows first."""
    ring = M[0][0].system
    order = sorted(range(len(M)), key=lambda i: sum(map(len, M[i])))
    swaps = sum(a > b for a, b in combinations(order, 2))
    known: dict[tuple[int, ...], Wave] = {(): ring.constant(1)}

    def minor(columns: tuple[int, ...]) -> Wave:
        """Of the last rows and some columns."""
        if columns not in known:
            row = M[order[len(M) - len(columns)]]
            parts = (
                (row[c] * (-1) ** p) * minor(columns[:p] + columns[p + 1 :])
                for p, c in enumerate(columns)
                if not row[c].is_zero()
            )
            known[columns] = ring.total(parts)
        return known[columns]

    return ring.lower(minor(tuple(range(len(M)))) * (-1) ** swaps)


# -- factors ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Splitting:
    """The factors of waves of one ring."""

    forms: Forms
    ring: Waves

    def split(self, x: Wave) -> tuple[Fraction, Counter[Expression]]:
        """A number, and factors with their powers that are not split any further."""
        whole = self.forms.form(x)
        number, found = ex.coefficient(whole), Counter[Expression]()
        for base, e in _powers(ex.without_number(whole)):
            halves = self.halves(self.wave(base)) if isinstance(base, Sum) else ()
            for half in halves:
                factor, parts = self.split(half)
                number *= factor**e
                found.update({part: e * k for part, k in parts.items()})
            if not halves and base != ex.ONE:
                found[base] += e
        return number, found

    def halves(self, x: Wave) -> tuple[Wave, ...]:
        """Two waves whose product is x where a candidate divides it, or none."""
        for candidate in self.candidates(x) if len(x) <= SEARCHED else ():
            other = quotient(x, candidate)
            if other is not None and len(other) > 1:
                return candidate, other
        return ()

    def candidates(self, x: Wave) -> Iterator[Wave]:
        """Sums in a coefficient of some variable: a factor without that variable divides all coefficients."""
        for name in sorted(x.variables()):
            coefficients = x.collect([name]).values()
            if len(coefficients) > 1:
                for base, _ in _powers(self.forms.form(min(coefficients, key=len))):
                    if isinstance(base, Sum):
                        yield self.wave(base)

    def wave(self, x: Expression) -> Wave:
        return self.ring.lower(ex.value(x, self.ring.variable, self.ring.constant))

    def zeros(self, x: Expression, moving: Collection[str]) -> str:
        """Where a factor is zero, solved where that is easy; nothing where it never is."""
        names = ex.symbols(x) & set(moving)
        if not names:
            return ""
        return f"{text(x)} = 0{self.solved(x, *names) if len(names) == 1 else ''}"

    def solved(self, x: Expression, name: str) -> str:
        """The solution of s sin q + c cos q = 0; nothing where it is no such equation."""
        found = self.wave(x).collect([name])
        parts = {shape.function: wave for shape, wave in found.items() if shape.frequencies == ((name, 1),)}
        if len(parts) < len(found):
            return ""
        if len(parts) == 1:
            return f", {name} = {'0 or π' if 'sin' in parts else '±π/2'}"
        s, c = (self.forms.form(parts[function]) for function in ("sin", "cos"))
        over, under = (f"({text(x)})" if " " in text(x) else text(x) for x in (ex.opposite(c), s))
        return f", tan {name} = {over}/{under}"


def _powers(x: Expression) -> list[tuple[Expression, int]]:
    """The factors of a product with their exponents."""
    parts = x.factors if isinstance(x, Product) else (x,)
    return [(part.base, part.exponent) if isinstance(part, Power) else (part, 1) for part in parts]
