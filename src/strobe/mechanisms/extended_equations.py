"""The block form of extended coordinates as closed forms, in named parameters or with the robot's own numbers.

    μ = Σ m_i c_i        A = ∂μ/∂q        B_ij = Σ_k ∂A_ij/∂q_k q̇_k

M, C and G of the joints are the equations of the robot on its fixed base; `extended` says how the blocks are put
together. Nothing depends on where the base is, so q1, q2, … are the joints here as they are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from strobe.equations import expression as ex
from strobe.equations.closed_form import Equations, Matrix, Vector, equations_over
from strobe.equations.document import Document, Entry, Section, document, symbols_in, together
from strobe.equations.expression import Expression, Symbol
from strobe.equations.glossary import Parameter, glossary
from strobe.equations.latex import aligned, notebook
from strobe.equations.notation import Notation, entry_name, is_reserved, plain
from strobe.equations.parameters import Named, drives_of, named
from strobe.equations.readable_forms import Forms, order_of
from strobe.equations.text import text_lines
from strobe.equations.trig_polynomials import Wave
from strobe.mechanisms.extended_coordinates import require_fixed
from strobe.models.arguments import require_truth
from strobe.models.names import unused_name
from strobe.robot import Robot, require_robot

BLOCKS = "q_e = (x0, y0, z0, q):  D_e = [[Mt 1, A], [Aᵀ, M]],  C_e = [[0, B], [0, C]],  G_e = [W, G]."
LATEX = r"""$$D_e = \begin{pmatrix} M_t 1 & A \\ A^{\mathsf T} & M \end{pmatrix} \quad
C_e = \begin{pmatrix} 0 & B \\ 0 & C \end{pmatrix} \quad G_e = \begin{pmatrix} W \\ G \end{pmatrix}$$
"""


@dataclass(frozen=True, eq=False)
class BlockEquations:
    """The blocks of one robot, each worked out when it is first asked for; those of the joints are ``joints``'."""

    joints: Equations
    base: Parameter | None  # the mass of the base, where it has one

    # -- blocks -------------------------------------------------------------------------------------

    @cached_property
    def mass(self) -> Wave:
        """M_t, of all links, the base among them."""
        links = [body.inertia.m for body in self.joints.model.bodies]
        return self.joints.ring.total([*self._base_mass, *links])

    @property
    def _base_mass(self) -> Iterator[Wave]:
        if self.base is not None:
            ring = self.joints.ring
            yield ring.constant(self.base.value) if self.joints.numbers else ring.variable(self.base.name)

    @cached_property
    def weight(self) -> Vector:
        """W = −M_t g, what carries the robot."""
        ring = self.joints.ring
        return Vector(ring.lower(-(self.mass * ring.lower(x))) for x in self.joints.model.gravity.linear)

    @cached_property
    def A(self) -> Matrix:
        """Σ m_i J_vi, three rows."""
        return Matrix(
            [moment.derivative(f"q{j + 1}") for j in range(self.joints.n)]
            for moment in self.joints.first_moments
        )

    @cached_property
    def B(self) -> Matrix:
        """Σ m_i J̇_vi, three rows."""
        return Matrix([self._rate(entry) for entry in row] for row in self.A)

    def _rate(self, x: Wave) -> Wave:
        """ẋ of a function of positions."""
        parts = (x.derivative(f"q{k + 1}") * rate for k, rate in enumerate(self.joints.qd))
        return self.joints.ring.total(parts)

    # -- matrices -----------------------------------------------------------------------------------

    @property
    def mass_matrix(self) -> Matrix:
        """D_e."""
        zero, n = self.joints.ring.constant(0), range(3)
        above = [[*(self.mass if i == j else zero for j in n), *self.A[i]] for i in n]
        below = [[*(self.A[i][k] for i in n), *row] for k, row in enumerate(self.joints.mass_matrix)]
        return Matrix([*above, *below])

    @property
    def coriolis_matrix(self) -> Matrix:
        """C_e, with the Christoffel matrix of the joints."""
        zeros = [self.joints.ring.constant(0)] * 3
        return Matrix([*zeros, *row] for row in (*self.B, *self.joints.coriolis_matrix))

    @property
    def gravity(self) -> Vector:
        """G_e."""
        return Vector([*self.weight, *self.joints.gravity])

    def evaluate(self, quantity: Any, q: Any, qd: Any = None) -> np.ndarray:
        """The values of a wave, or of nested lists of them, at states (..., n), with the robot's own parameters."""
        return self.joints.evaluate(quantity, q, qd)

    # -- printing -----------------------------------------------------------------------------------

    def document(self) -> Document:
        """The blocks, then M, C and G of the joints."""
        below = document(self.joints, only=("M", "C", "G"))
        sections = (*self._sections(), *below.sections)
        used = set[str]().union(*map(symbols_in, sections))
        known = glossary(self.joints.words)
        if self.base is not None:
            known = {self.base.name: self.base, **known}
        return replace(
            below, sections=sections, parameters=tuple(p for name, p in known.items() if name in used)
        )

    def _sections(self) -> Iterator[Section]:
        forms, ring = Forms(order_of(self.joints)), self.joints.ring
        up = (forms.form(ring.lower(-x)) for x in self.joints.model.gravity.linear)
        weight = (Entry((f"W{k + 1}",), ex.product((Symbol("Mt"), x))) for k, x in enumerate(up))
        yield Section(
            "Mt", "Extended coordinates", (Entry(("Mt",), forms.form(self.mass)), *weight), (BLOCKS,)
        )
        yield _block("A", self.A, "A = Σ m J of the centres of mass", forms.form)
        yield _block("B", self.B, "B, the rate of A", lambda x: forms.along_rates(x, forms.form))

    def __repr__(self) -> str:
        return f"<extended {repr(self.joints)[1:]}"

    def __str__(self) -> str:
        return "\n".join(text_lines(self.document(), self._notation)).rstrip()

    def _repr_latex_(self) -> str | None:
        if notebook(self.joints) is None:
            return None
        entries = (entry for section in self.document().sections for entry in section.entries)
        return LATEX + aligned(entries, self._notation)

    @property
    def _notation(self) -> Notation:
        return Notation(decimals=self.joints.numbers)


def _block(key: str, rows: Matrix, title: str, form: Callable[[Wave], Expression]) -> Section:
    """A section of entries with one value each, those that are equal together."""
    placed = [(entry_name(key, i, j), x) for i, row in enumerate(rows) for j, x in enumerate(row)]
    return Section(key, title, tuple(Entry(names, form(x)) for x, names in together(placed)))


def block_equations(robot: Robot, numbers: bool = False) -> BlockEquations:
    """The block form of a robot on a fixed base, in named parameters or with its own numbers."""
    require_robot(robot)
    require_truth("numbers", numbers)
    model = robot.model
    require_fixed(model)
    words = Named(model, drives_of(model)) if numbers else named(model, _is_reserved)
    m: float = model.base_inertial.m  # pyright: ignore[reportAssignmentType]
    if m == 0:
        return BlockEquations(equations_over(words, numbers), None)
    name = unused_name("m0", map(plain, words.values))
    base = Parameter(name, float(m), "mass", "kg", f'mass of link "{model.base_name}"')
    if not numbers:
        words = replace(words, values={name: base.value, **words.values})
    return BlockEquations(equations_over(words, numbers), base)


def _is_reserved(name: str) -> bool:
    """Whether a parameter of a file would be mistaken for something that is printed here."""
    return (
        is_reserved(name) or (plain(name)[0] in "ABW" and plain(name)[1:].isdigit()) or plain(name) == "Mt"
    )
