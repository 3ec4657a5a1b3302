"""Facts about equations that are too long to be expanded, decided in a prime field.

At a random robot of the same structure (a random number for every name, a random point of the circle for every
angle) dual numbers give the exact residues of M, ∂M/∂q_k and G = ∂V/∂q. What vanishes for every robot is zero there;
what does not is zero with a chance of about its degree over the prime, and several robots must agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

from strobe.equations.closed_form import BUDGET, Equations, budgeted
from strobe.equations.friction import rubbed
from strobe.equations.structural_facts import Facts, coupled, gravity_conditions
from strobe.equations.trig_polynomials import TooManyProducts, Wave
from strobe.equations.verification import Image
from strobe.errors import UnsupportedModelError
from strobe.formulations import composite_body, composite_coriolis, decomposition, energy_and_momentum
from strobe.scalars import DualSystem, Num

DECIDED = (
    "Decided exactly at {trials} random robots of this structure, modulo primes of 61 bits: what is said to vanish "
    "does, but for a chance of about its degree over the prime."
)

Residues = list[list[int]]


def structure(equations: Equations, trials: int = 2, seed: int = 0) -> Facts:
    """Every fact about one robot in named parameters; its conditions for gravity where they are short."""
    samples = [_Sample(equations, seed + trial) for trial in range(trials)]
    n = range(equations.n)
    upper = [(i, j) for i in n for j in n if i <= j]
    symbols = [(i, j, k) for i, (j, k) in product(n, upper)]
    zero = tuple((i, j) for i, j in upper if not any(s.M[i][j] for s in samples))
    fixed = [(i, j) for i, j in upper if not any(s.slopes[k][i][j] for s in samples for k in n)]
    absent = tuple(k for k in n if not any(any(row) for s in samples for row in s.slopes[k]))
    weightless = tuple(k for k in n if not any(s.G[k] for s in samples))
    return Facts(
        symmetric=all(s.M[i][j] == s.M[j][i] for s in samples for i, j in upper),
        skew={form: all(s.is_skew(form) for s in samples) for form in decomposition.FORMS},
        zero_entries=zero,
        constant_entries=tuple(pair for pair in fixed if pair not in zero),
        symbols=len(symbols),
        zero_symbols=tuple(ijk for ijk in symbols if not any(s.twice_symbol(*ijk) for s in samples)),
        absent_from_mass=absent,
        cyclic=tuple(k for k in absent if k in weightless),
        rubbed=rubbed(equations.words, equations.coordinates),
        coupled=coupled(equations.words, equations.coordinates),
        without_gravity=weightless,
        gravity_vanishes_if=_gravity_conditions(equations),
        mass_is_constant_if=(),
    )


def _gravity_conditions(equations: Equations) -> tuple[Wave, ...]:
    """None where the potential energy is long."""
    try:
        return gravity_conditions(budgeted(equations, BUDGET))
    except TooManyProducts:
        return ()


@dataclass(frozen=True)
class _Sample:
    """One random robot in a random state."""

    equations: Equations
    seed: int

    @cached_property
    def field(self) -> Image:
        return Image(self.equations, self.seed)

    @cached_property
    def M(self) -> Residues:
        x, model = self.equations.coordinates, self.equations.words.model.lift(self.field)
        M = composite_body.mass_matrix(model, self._positions)
        for i, drive in enumerate(self.equations.drives):
            M[i][i] = M[i][i] + self.field.number(drive.rotor)
        return self._residues(x.reduce_matrix(M))

    @cached_property
    def slopes(self) -> list[Residues]:
        """∂M/∂q_k."""
        return [M for M, _ in self._rates]

    @cached_property
    def G(self) -> list[int]:
        """∂V/∂q_k."""
        return [slope for _, slope in self._rates]

    def twice_symbol(self, i: int, j: int, k: int) -> int:
        """2 c_ijk."""
        d = self.slopes
        return (d[k][i][j] + d[j][i][k] - d[i][j][k]) % self.field.prime

    def is_skew(self, form: str) -> bool:
        """Whether C + Cᵀ is the rate of M."""
        x, p, n = self.equations.coordinates, self.field.prime, range(self.equations.n)
        rates = [self.field.admitted(rate) for rate in self.equations.qd]
        model = self.equations.words.model.lift(self.field)
        try:
            whole = composite_coriolis.coriolis_matrix(model, self._positions, x.expand_rates(rates), form)
        except UnsupportedModelError:  # a link without a centre of mass
            return False
        C, v = self._residues(x.reduce_matrix(whole)), [rate.residue for rate in rates]
        return all(
            (sum(self.slopes[k][i][j] * v[k] for k in n) - C[i][j] - C[j][i]) % p == 0 for i in n for j in n
        )

    @cached_property
    def _positions(self) -> list[Num]:
        x = self.equations.coordinates
        return [self.field.position(position) for position in x.expand(self.equations.q)]

    @cached_property
    def _rates(self) -> list[tuple[Residues, int]]:
        return [self._rate(k) for k in range(self.equations.n)]

    def _rate(self, k: int) -> tuple[Residues, int]:
        """How M and V change with one coordinate."""
        x, duals = self.equations.coordinates, DualSystem(self.field)
        model = self.equations.words.model.lift(duals)
        pairs = zip(self._positions, x.velocities, strict=True)
        q = [duals.seed(position, terms.get(k, 0.0)) for position, terms in pairs]
        M = x.reduce_matrix(composite_body.mass_matrix(model, q))
        slopes = [[duals.lower(entry).tangent for entry in row] for row in M]
        return self._residues(slopes), self.field.lower(
            duals.lower(energy_and_momentum.potential_energy(model, q)).tangent
        )

    def _residues(self, rows: list[list[Num]]) -> Residues:
        return [[self.field.lower(entry) for entry in row] for row in rows]
