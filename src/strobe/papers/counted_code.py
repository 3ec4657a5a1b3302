"""What our own code costs, as written, on general arms: counted by running it, then fitted exactly.

The arms are revolute chains of standard DH without a zero anywhere. With *diagonal* inertia tensors the
products with their zeros are free, which is how some papers count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from strobe.algebra import Sym3, Vec3
from strobe.analysis.counts import Growth, fitted, general_arm
from strobe.analysis.polynomials import Polynomial
from strobe.formulations import configuration_space, formulation
from strobe.formulations.links import Z0, Arm, Link
from strobe.models.inertial import Inertial
from strobe.models.model import Body, Model
from strobe.scalars import DenseCount, Num, Numbers

LENGTHS = range(2, 9)  # joints; a single link is a case of its own

ON_LINE = "configuration-space, on line"

LIKE_FOR_LIKE: Mapping[str, tuple[str, str]] = {
    "Newton-Euler by cross products, full I": ("newton-euler", "full"),
    "Newton-Euler through Â, full I": ("newton-euler-hat", "full"),
    "modified Newton-Euler, full K": ("modified-newton-euler", "full"),
    "Newton-Euler by cross products, diagonal I": ("newton-euler", "diagonal"),
    "Newton-Euler through Â, diagonal I": ("newton-euler-hat", "diagonal"),
    "modified Newton-Euler, diagonal K": ("modified-newton-euler", "diagonal"),
}
"""The three link-coordinate methods under the same assumption on the inertia tensors."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Multiplications and additions by number of joints, and as polynomials where they are."""

    counts: Mapping[int, tuple[int, int]]

    @property
    def m(self) -> Growth | None:
        return fitted({n: m for n, (m, _) in self.counts.items()})

    @property
    def a(self) -> Growth | None:
        return fitted({n: a for n, (_, a) in self.counts.items()})

    @property
    def polynomials(self) -> tuple[Polynomial, Polynomial]:
        """Both as polynomials, which they have to be."""
        if self.m is None or self.a is None:
            raise ArithmeticError("these counts are not values of a polynomial; more lengths are needed")
        return self.m.polynomial, self.a.polynomial


@lru_cache
def measured(method: str, inertia: str = "full") -> Measured:
    """The dense count of a formulation's inverse dynamics; ``inertia`` is full or diagonal."""
    if method == ON_LINE:
        return _measured(_on_line, inertia)
    compute = formulation(method).inverse_dynamics
    return _measured(lambda model: compute(model, *model.variables()), inertia)


def _on_line(model: Model) -> object:
    """The quadratic form of configuration space with coefficients that are there already."""
    _, qd, qdd = model.variables()
    n = len(qd)
    return configuration_space.evaluate(qd, [qd] * n, [[qd] * n] * n, qd, qdd)


@lru_cache
def measured_half_matrix() -> Measured:
    """The dense count of the lower half of M by strobing."""
    return _measured(lambda model: half_mass_matrix(model, model.variables()[0]), "full")


def half_mass_matrix(model: Model, q: Numbers) -> list[list[Num]]:
    """M_ij for i ≥ j of a revolute arm, column by column: outward from link j only, inward down to it. [Turney1980]

    Joint j starts with α_j = R_jᵀ z0 and nothing comes in from before; rates and gravity are zero, so that
    only α remains of Newton-Euler's equations.
    """
    links = Arm(model, q).links
    columns: list[list[Num]] = []
    for j in range(len(links)):
        forces: list[tuple[Vec3, Vec3]] = []
        al = a = Vec3.zero()
        for link in links[j:]:
            into = link.R.T
            first = link is links[j]
            al = into @ (Z0 if first else al)
            a = al.cross(link.p) if first else into @ a + al.cross(link.p)
            F = (a + al.cross(link.r)) * link.m
            forces.append((F, link.I @ al + link.s.cross(F)))
        columns.append(_inward(links[j:], forces))
    return columns


def _inward(links: list[Link], forces: list[tuple[Vec3, Vec3]]) -> list[Num]:
    """The moments about each axis, from the first link of a run to the last."""
    *_, (f, n) = forces
    moments = [links[-1].z.dot(n)]
    for k in reversed(range(len(links) - 1)):
        R, (F, N) = links[k + 1].R, forces[k]
        Rf = R @ f
        n = N + links[k].p.cross(Rf) + R @ n
        if k:  # the first link hands its force to nobody
            f = F + Rf
        moments.append(links[k].z.dot(n))
    return moments[::-1]


def _measured(compute: Callable[[Model], object], inertia: str) -> Measured:
    counts: dict[int, tuple[int, int]] = {}
    for n in LENGTHS:
        system = DenseCount()
        model = general_arm(n).lift(system)
        compute(diagonal(model) if inertia == "diagonal" else model)
        counts[n] = system.multiplications, system.additions
    return Measured(counts)


def diagonal(model: Model) -> Model:
    """The same lifted arm with principal axes along the link's: off-diagonal entries that are the number 0."""
    return replace(model, bodies=tuple(map(_diagonal, model.bodies)))


def _diagonal(body: Body) -> Body:
    own = body.inertial
    if own.com is None or own.central is None:
        return body  # a link without a centre of mass has no principal axes
    I = own.central
    return replace(body, inertial=Inertial.at_com(own.m, own.com, Sym3(I.xx, I.yy, I.zz, 0.0, 0.0, 0.0)))
