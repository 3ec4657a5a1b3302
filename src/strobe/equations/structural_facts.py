"""What the structure of a robot says about its equations, decided term by term in the normal form, and in words.

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

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from strobe.equations.closed_form import Equations, Matrix
from strobe.equations.expression import Expression, Symbol
from strobe.equations.friction import rubbed
from strobe.equations.notation import RATES, entry_name
from strobe.equations.parameters import Named
from strobe.equations.rendering import Remark, joined
from strobe.equations.trig_polynomials import Shape, Wave
from strobe.models.couplings import Coordinates

Pair = tuple[int, int]
Triple = tuple[int, int, int]

FEW = 12  # Christoffel symbols that are listed one by one


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
            kept.append(condition.primitive()[0])
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


# -- in words -----------------------------------------------------------------------------------------


def fact_sentences(found: Facts, letter: str = "M") -> Iterator[Remark]:
    """The facts that hold, each in a sentence; ``letter`` is that of the mass matrix."""
    M = Symbol(letter)
    if found.symmetric:
        yield (
            M,
            " is symmetric." if letter == "M" else ", the mass matrix without the rotors, is symmetric.",
        )
    skew = [form for form, holds in found.skew.items() if holds]
    if skew:
        forms = " and the ".join(form.replace("chr", "Chr") for form in skew)
        yield Symbol(RATES[letter]), f" − 2C is skew for C in the {forms} form."
    if found.zero_entries:
        yield "Entries of ", M, " that vanish: ", *_listed(letter, found.zero_entries), "."
    if found.constant_entries:
        yield "Entries of ", M, " that are constant: ", *_listed(letter, found.constant_entries), "."
    yield from _symbol_sentences(found)
    if found.absent_from_mass:
        yield M, " does not depend on ", *_coordinates(found.absent_from_mass), "."
    yield from _cyclic_sentences(found)
    if found.without_gravity:
        yield "Without a gravity torque: ", *_coordinates(found.without_gravity), "."


def _cyclic_sentences(found: Facts) -> Iterator[Remark]:
    """What holds of the momenta of coordinates that the energies do not contain."""
    rubbed = [k for k in found.cyclic if k in found.rubbed]
    coupled = [k for k in found.cyclic if k in found.coupled and k not in rubbed]
    for sentence, those in (
        ("Cyclic, with a momentum that is conserved without torque: ", found.conserved),
        ("Cyclic in the Lagrangian; friction changes the momentum: ", rubbed),
        ("Cyclic in the Lagrangian; the momentum is that of all joints coupled to it: ", coupled),
    ):
        if those:
            yield sentence, *_coordinates(those), "."


def _symbol_sentences(found: Facts) -> Iterator[Remark]:
    """Which Christoffel symbols vanish: each by itself where they are few, else by their indices."""
    zeros = found.zero_symbols
    head = f"{len(zeros)} of {found.symbols} Christoffel symbols vanish"
    if not zeros:
        yield f"{head}."
    elif len(zeros) <= FEW:
        yield f"{head}: {', '.join(entry_name('c', *triple) for triple in zeros)}."
    else:
        yield f"{head}, ", Symbol("c_ijk"), " with"
        yield from (f"  {line}" for line in symbol_patterns(zeros))


def symbol_patterns(zeros: Collection[Triple]) -> Iterator[str]:
    """Triples i, j ≤ k by their first index, runs of the last one as ranges; equal lists together."""
    pairs: dict[int, set[tuple[int, int]]] = {}
    for i, j, k in zeros:
        pairs.setdefault(i, set()).add((j, k))
    groups: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for i, found in pairs.items():
        groups.setdefault(tuple(sorted(found)), []).append(i)
    for found, those in groups.items():
        between = "; " if max(k for _, k in found) > 8 else ", "
        yield f"i = {', '.join(str(i + 1) for i in those)}: jk = {between.join(_runs(found, between))}"


def _runs(pairs: Iterable[tuple[int, int]], between: str) -> Iterator[str]:
    """12, 14–16 for the pairs 1 2, 1 4, 1 5, 1 6."""
    runs: list[list[tuple[int, int]]] = []
    for j, k in pairs:
        if runs and runs[-1][-1] == (j, k - 1):
            runs[-1].append((j, k))
        else:
            runs.append([(j, k)])
    for run in runs:
        first, last = (entry_name("", *pair) for pair in (run[0], run[-1]))
        yield first if len(run) == 1 else f"{first}{between if len(run) == 2 else '–'}{last}"


def fact_data(found: Facts) -> dict[str, Any]:
    """The facts as plain data, degrees of freedom counted from 1."""
    return {
        "symmetric": found.symmetric,
        "skew": [form for form, holds in found.skew.items() if holds],
        "zero_entries": _counted(found.zero_entries),
        "constant_entries": _counted(found.constant_entries),
        "christoffel_symbols": found.symbols,
        "zero_christoffel_symbols": _counted(found.zero_symbols),
        "absent_from_mass_matrix": [k + 1 for k in found.absent_from_mass],
        "cyclic": [k + 1 for k in found.cyclic],
        "conserved": [k + 1 for k in found.conserved],
        "without_gravity_torque": [k + 1 for k in found.without_gravity],
    }


def _counted(places: Iterable[tuple[int, ...]]) -> list[list[int]]:
    return [[k + 1 for k in place] for place in places]


def _listed(letter: str, pairs: Iterable[tuple[int, int]]) -> list[str | Expression]:
    return joined(Symbol(entry_name(letter, i, j)) for i, j in pairs)


def _coordinates(indices: Iterable[int]) -> list[str | Expression]:
    return joined(Symbol(f"q{k + 1}") for k in indices)
