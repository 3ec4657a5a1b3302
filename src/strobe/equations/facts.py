"""What the structure of a robot says about its equations, decided term by term in the normal form.

    M symmetric, Ṁ − 2C skew                         for both Coriolis matrices
    entries of M that vanish or are constant         Christoffel symbols that vanish
    q_k absent from M                                no torque comes from ∂M/∂q_k
    q_k absent from M and V                          cyclic: its momentum ∂T/∂q̇_k is conserved without torque
                                                     and friction
    balancing                                        polynomials in the parameters whose zeros make V or M constant

Functions cos(k·q), sin(k·q) and powers of sliding positions are independent, so a sum of them is constant if and
only if every coefficient vanishes: the conditions are necessary and sufficient.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from strobe.equations.closed_form import Equations, Matrix
from strobe.equations.friction import rubbed
from strobe.equations.parameters import Named
from strobe.equations.waves import Shape, Wave, Waves
from strobe.models.couplings import Coordinates

Pair = tuple[int, int]
Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Facts:
    """Degrees of freedom are numbered from 0; a condition is a polynomial that must be zero."""

    symmetric: bool
    skew: Mapping[str, bool]  # by the form of the Coriolis matrix
    zero_entries: tuple[Pair, ...]  # of M, i ≤ j
    constant_entries: tuple[Pair, ...]  # of M, i ≤ j, the zero ones left out
    symbols: int  # Christoffel symbols with j ≤ k
    zero_symbols: tuple[Triple, ...]  # those that vanish
    absent_from_mass: tuple[int, ...]  # coordinates that M does not contain
    cyclic: tuple[int, ...]  # coordinates that neither M nor V contains
    rubbed: tuple[int, ...]  # coordinates whose motion some friction resists
    coupled: tuple[int, ...]  # coordinates that a joint with a coupling follows
    without_gravity: tuple[int, ...]  # degrees of freedom whose gravity torque is zero
    gravity_vanishes_if: tuple[Wave, ...]  # empty where it does already
    mass_is_constant_if: tuple[Wave, ...]  # empty where it is already

    @property
    def conserved(self) -> tuple[int, ...]:
        """The coordinates whose momentum nothing but a torque changes."""
        return tuple(k for k in self.cyclic if k not in self.rubbed and k not in self.coupled)


def facts(equations: Equations, M: Matrix | None = None) -> Facts:
    """Every fact about one robot; ``M`` is its mass matrix or that of its links, which differ by a constant."""
    n, c = range(equations.n), equations.christoffel_symbols
    M = equations.mass_matrix if M is None else M
    upper = [(i, j) for i in n for j in n if i <= j]
    zero = tuple((i, j) for i, j in upper if M[i][j].is_zero())
    absent = _absent(equations, (entry for row in M for entry in row))
    absent_from_potential = _absent(equations, [equations.potential_energy])
    ordered = [(i, j, k) for i in n for j, k in upper]
    return Facts(
        symmetric=all(M[i][j].equals(M[j][i]) for i, j in upper),
        skew={
            "christoffel": is_skew(equations, equations.coriolis_matrix),
            "decomposition": is_skew(equations, equations.decomposition_matrix),
        },
        zero_entries=zero,
        constant_entries=tuple(
            (i, j) for i, j in upper if (i, j) not in zero and not _depends(equations, M[i][j])
        ),
        symbols=len(ordered),
        zero_symbols=tuple((i, j, k) for i, j, k in ordered if c[i][j][k].is_zero()),
        absent_from_mass=tuple(sorted(absent)),
        cyclic=tuple(sorted(absent & absent_from_potential)),
        rubbed=rubbed(equations.words, equations.coordinates),
        coupled=coupled(equations.words, equations.coordinates),
        without_gravity=tuple(i for i in n if equations.gravity[i].is_zero()),
        gravity_vanishes_if=gravity_conditions(equations),
        mass_is_constant_if=mass_conditions(equations),
    )


def coupled(words: Named, x: Coordinates) -> tuple[int, ...]:
    """The coordinates that a joint with a coupling follows."""
    following = {coupling.joint for coupling in words.model.couplings}
    pairs = zip(words.model.joints, x.velocities, strict=True)
    return tuple(sorted({k for joint, terms in pairs if joint.name in following for k in terms}))


def is_skew(equations: Equations, C: Matrix) -> bool:
    """Whether (Ṁ − 2C) + (Ṁ − 2C)ᵀ = 0, which is C + Cᵀ = Ṁ."""
    M, qd, ring = equations.mass_matrix, equations.qd, equations.ring
    for i in range(equations.n):
        for j in range(i + 1):
            rate = ring.total(M[i][j].derivative(f"q{k + 1}") * qd[k] for k in range(equations.n))
            if not rate.equals(C[i][j] + C[j][i]):
                return False
    return True


def gravity_conditions(equations: Equations) -> tuple[Wave, ...]:
    """Polynomials in the parameters that are all zero if and only if no torque comes from gravity."""
    down = [equations.ring.lower(x) for x in equations.model.gravity.linear]
    names = set[str]().union(*(x.variables() for x in down))
    conditions = _coefficients(equations, [equations.potential_energy])
    return _independent(_without_factor(condition, names) for condition in conditions)


def mass_conditions(equations: Equations) -> tuple[Wave, ...]:
    """Polynomials in the parameters that are all zero if and only if M does not depend on q."""
    return _independent(_coefficients(equations, (entry for row in equations.mass_matrix for entry in row)))


def _positions(equations: Equations) -> list[str]:
    return [f"q{k + 1}" for k in range(equations.n)]


def _depends(equations: Equations, x: Wave) -> bool:
    return not x.variables().isdisjoint(_positions(equations))


def _absent(equations: Equations, values: Iterable[Wave]) -> set[int]:
    """The coordinates that none of the values contains."""
    found = set[str]().union(*(x.variables() for x in values))
    return {k for k, name in enumerate(_positions(equations)) if name not in found}


def _coefficients(equations: Equations, values: Iterable[Wave]) -> list[Wave]:
    """The coefficients of everything that depends on the positions."""
    names = _positions(equations)
    return [c for x in values for shape, c in x.collect(names).items() if shape != Shape()]


def _without_factor(x: Wave, names: Collection[str]) -> Wave:
    """x divided by the strength of gravity where that is one name: it is not what is meant to vanish."""
    return x.derivative(*names) if len(names) == 1 else x


def _independent(conditions: Iterable[Wave]) -> tuple[Wave, ...]:
    """The shortest conditions of which the others are sums with rational factors."""
    kept: list[Wave] = []
    rows: list[dict[object, Fraction]] = []  # each with a pivot that the later ones do not have
    for condition in sorted(conditions, key=len):
        row = _row(condition)
        for pivot in rows:
            head = next(iter(pivot))
            if factor := row.get(head):
                row = _minus(row, pivot, factor / pivot[head])
        if row:
            kept.append(_primitive(condition))
            rows.append(row)
    return tuple(kept)


def _row(x: Wave) -> dict[object, Fraction]:
    return {
        (is_sine, key): Fraction(n, x.denominator)
        for is_sine, terms in enumerate((x.cosines, x.sines))
        for key, n in terms.items()
    }


def _minus(
    row: dict[object, Fraction], pivot: dict[object, Fraction], factor: Fraction
) -> dict[object, Fraction]:
    keys = dict.fromkeys((*row, *pivot))
    left = {key: row.get(key, Fraction(0)) - factor * pivot.get(key, Fraction(0)) for key in keys}
    return {key: value for key, value in left.items() if value}


def _primitive(x: Wave) -> Wave:
    """The multiple with integer coefficients that have nothing in common, the first one positive."""
    common = gcd(*x.cosines.values(), *x.sines.values())
    sign = 1 if x.terms[0].coefficient > 0 else -1
    ring: Waves = x.system
    return ring.lower(x * ring.constant(Fraction(sign * x.denominator, common)))
