"""Lagrange's equations: energies of the links, and their derivatives. [Asada2005]

T_i = ½ m_i v_ci · v_ci + ½ ω_i · I_i ω_i        V_i = −m_i g · r_ci        L = T − V
τ_i = d/dt ∂L/∂q̇_i − ∂L/∂q_i
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from strobe.algebra import Vec3
from strobe.equations import expression as ex
from strobe.equations.derivation_lines import (
    Letter,
    Line,
    Rate,
    Slope,
    Step,
    Times,
    Written,
    plus,
)
from strobe.equations.expression import Expression, Number, Symbol
from strobe.equations.link_motion import Letters, Link, MovingLinks
from strobe.equations.notation import entry_name
from strobe.equations.trig_polynomials import Wave
from strobe.scalars import Num

T, V, L = Letter("T"), Letter("V"), Letter("L")


@dataclass(frozen=True)
class Lagrange:
    """One derivation."""

    moving: MovingLinks

    def steps(self) -> Iterator[Step]:
        yield self._positions()
        yield self._velocities()
        yield self._kinetic_energies()
        yield self._quadratic_form()
        yield self._potential_energies()
        yield self._momenta()
        yield self._momentum_rates()
        yield self._slopes()
        yield self._equations()

    # -- energies -----------------------------------------------------------------------------------

    @property
    def letters(self) -> Letters:
        return Letters(self.moving.planar)

    @property
    def n(self) -> range:
        return range(self.moving.equations.n)

    @cached_property
    def _heavy(self) -> list[Link]:
        return [link for link in self.moving.links if not link.weightless]

    @cached_property
    def _kinetic(self) -> dict[Letter, Wave]:
        """½ m v · v + ½ ω · I ω of every link, and of the rotors."""
        moving = self.moving
        found = {
            Letter("T", str(link.number)): self._half(
                link.velocity.dot(link.velocity) * link.mass + link.spin.dot(link.inertia @ link.spin)
            )
            for link in moving.links
        }
        for k, (rotor, rate) in enumerate(zip(moving.rotors, moving.joint_rates, strict=True)):
            if not rotor.is_zero():
                found[Letter("T", f"r{k + 1}")] = self._half(rotor * rate * rate)
        return {letter: wave for letter, wave in found.items() if not wave.is_zero()}

    @cached_property
    def _potential(self) -> dict[Letter, Wave]:
        """−m g · r of every link."""
        energies = (
            (
                Letter("V", str(link.number)),
                self.moving.wave(-(self.moving.gravity.dot(link.centre) * link.mass)),
            )
            for link in self.moving.links
        )
        return {letter: wave for letter, wave in energies if not wave.is_zero()}

    @cached_property
    def lagrangian(self) -> Wave:
        ring = self.moving.equations.ring
        return self.moving.wave(ring.total(self._kinetic.values()) - ring.total(self._potential.values()))

    @cached_property
    def mass_matrix(self) -> list[list[Wave]]:
        """M_ij = ∂²T/∂q̇_i∂q̇_j."""
        total = self.moving.equations.ring.total(self._kinetic.values())
        return [[total.derivative(f"qd{i + 1}").derivative(f"qd{j + 1}") for j in self.n] for i in self.n]

    def torques(self) -> list[Wave]:
        """d/dt ∂L/∂q̇ − ∂L/∂q."""
        return [
            self.moving.wave(self._momentum_rate(i) - self.lagrangian.derivative(f"q{i + 1}"))
            for i in self.n
        ]

    def _momentum_rate(self, i: int) -> Wave:
        return self.moving.rate(self.lagrangian.derivative(f"qd{i + 1}"))

    def _half(self, x: Num) -> Wave:
        return self.moving.wave(self.moving.wave(x) / 2)

    # -- steps --------------------------------------------------------------------------------------

    def _positions(self) -> Step:
        *first, last = self.moving.plane.names
        return Step(
            "Positions of the centres of mass",
            f"From the origin of the base, along {', '.join(first)} and {last} of the base.",
            tuple(self._vector(self.letters.centre(link), link.centre) for link in self._heavy),
        )

    def _velocities(self) -> Step:
        moving, letters = self.moving, self.letters
        lines = [self._vector(letters.velocity(link), link.velocity) for link in self._heavy]
        lines += [self._speed(link) for link in self._heavy if not moving.is_zero(link.velocity)]
        spins = [Line((letters.spin(x),), moving.written(moving.about(x.spin))) for x in moving.links]
        return Step(
            "Velocities",
            "The positions differentiated with respect to time, and the squares of these velocities; the "
            "angular velocity of a link is that of the link before it and what its own joint adds. "
            "Accelerations are not needed.",
            (*lines, *spins),
        )

    def _speed(self, link: Link) -> Line:
        v = self.letters.velocity(link)
        return Line((Times(v, v, "·"),), Written(self.moving.wave(link.velocity.dot(link.velocity))))

    def _kinetic_energies(self) -> Step:
        rotors = any(letter.index.startswith("r") for letter in self._kinetic)
        return Step(
            "Kinetic energy, link by link",
            "A link has the energy of its mass, moving with the centre of mass, and of its inertia about "
            f"it.{' The rotor of a drive adds its own.' if rotors else ''}",
            (
                self._law(),
                *(Line((letter,), Written(wave)) for letter, wave in self._kinetic.items()),
                Line((T,), plus((1, letter) for letter in self._kinetic)),
            ),
        )

    def _law(self) -> Line:
        """T_i = ½ m_i v · v + ½ ω · I ω; in a plane ½ I ω²."""
        turning = not self.moving.planar
        v, w, I = (
            Letter("v", "ci", bold=True),
            Letter("ω", "i", bold=turning),
            Letter("I", "i", bold=turning),
        )
        half = Written(Number(Fraction(1, 2)))
        spin = Times(w, Times(I, w), "·") if turning else Times(I, Times(w, w, "·"))
        return Line(
            (Letter("T", "i"),),
            plus(((1, Times(half, Times(Letter("m", "i"), Times(v, v, "·")))), (1, Times(half, spin)))),
        )

    def _quadratic_form(self) -> Step:
        M, pairs = self.mass_matrix, [(i, j) for i in self.n for j in self.n if i <= j]
        terms = ex.quadratic({(i, j): _entry(i, j) for i, j in pairs if not M[i][j].is_zero()})
        entries = (Line((Written(_entry(i, j)),), Written(M[i][j])) for i, j in pairs)
        return Step(
            "Kinetic energy in the rates",
            "It is a quadratic form in the rates of the joints. Its coefficients depend on the coordinates "
            "only, and are the entries of the mass matrix.",
            (Line((T,), Written(ex.total(terms))), *entries),
        )

    def _potential_energies(self) -> Step:
        lines = [Line((letter,), Written(wave)) for letter, wave in self._potential.items()]
        return Step(
            "Potential energy",
            "The work against gravity of lifting every link from the origin of the base. L is the "
            "difference of both energies.",
            (
                *self._weights(),
                *lines,
                Line((V,), plus((1, x) for x in self._potential)),
                Line((L,), plus(((1, T), (-1, V)))),
            ),
        )

    def _weights(self) -> list[Line]:
        """V_i = −m_i g · r_ci."""
        g, r = Letter("g", bold=True), Letter("r", "ci", bold=True)
        if not self._potential:
            return []
        law = plus(((-1, Times(Letter("m", "i"), Times(g, r, "·"))),))
        return [Line((g,), self.moving.written(self.moving.gravity)), Line((Letter("V", "i"),), law)]

    def _momenta(self) -> Step:
        return Step(
            "Momenta",
            "The derivatives of L with respect to the rates.",
            tuple(Line((self._by_rate(i),), Written(self._accelerated(i, "qd"))) for i in self.n),
        )

    def _momentum_rates(self) -> Step:
        """Accelerations with the entries of M, rates written out."""
        still = {f"qdd{j + 1}": 0.0 for j in self.n}
        lines = [
            Line(
                (Rate(self._by_rate(i)),),
                plus(
                    (
                        (1, Written(self._accelerated(i, "qdd"))),
                        (1, Written(self._momentum_rate(i).substitute(still))),
                    )
                ),
            )
            for i in self.n
        ]
        return Step(
            "Their derivatives with respect to time",
            "The rates become accelerations; the entries of the mass matrix change with the coordinates, "
            "which adds products of rates.",
            tuple(lines),
        )

    def _slopes(self) -> Step:
        lines = [
            Line((Slope(L, _symbol("q", i)),), Written(self.lagrangian.derivative(f"q{i + 1}")))
            for i in self.n
        ]
        return Step(
            "Derivatives with respect to the coordinates",
            "What is left of the energies when the rates are held fixed.",
            tuple(lines),
        )

    def _equations(self) -> Step:
        torque = self.letters.torque
        relations = [
            Line((torque(i),), plus(((1, Rate(self._by_rate(i))), (-1, Slope(L, _symbol("q", i))))))
            for i in self.n
        ]
        results = [Line((torque(i),), Written(wave)) for i, wave in enumerate(self.torques())]
        return Step(
            "Lagrange's equations",
            "The torque of a joint is the difference of the two. Forces in the bearings do no work and "
            "never came in.",
            (*relations, *results),
        )

    # -- small parts --------------------------------------------------------------------------------

    def _vector(self, letter: Letter, v: Vec3) -> Line:
        return Line((letter,), self.moving.written(v))

    def _by_rate(self, i: int) -> Slope:
        return Slope(L, _symbol("qd", i))

    def _accelerated(self, i: int, letter: str) -> Expression:
        """Σ M_ij q̇_j, or with q̈."""
        M = self.mass_matrix[i]
        return ex.total(
            ex.rated(Fraction(1), [_entry(i, j)], f"{letter}{j + 1}") for j in self.n if not M[j].is_zero()
        )


def _symbol(letter: str, i: int) -> Written:
    return Written(Symbol(f"{letter}{i + 1}"))


def _entry(i: int, j: int) -> Symbol:
    return Symbol(entry_name("M", min(i, j), max(i, j)))
