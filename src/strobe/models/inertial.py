"""Mass properties of one link, in link axes.

The ten parameters about the link's origin always exist. Centre of mass and inertia about it are fixed
when the record is made; a regrouped link (m = 0 with a first moment) has neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strobe.algebra import Inertia, Sym3, Vec3
from strobe.scalars import Num, System
from strobe.scalars.scalar import is_number

ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")  # of an inertia, in our order and by URDF's names


@dataclass(frozen=True, slots=True, eq=False)
class Inertial:
    """m, centre of mass r, inertia about it, and the ten parameters about the origin.

    ``given`` says which of them were stated (``com``, ``origin``, ``parameters``): those are lifted,
    the others follow.
    """

    m: Num
    com: Vec3 | None
    central: Sym3 | None
    about_origin: Inertia
    given: str

    @classmethod
    def at_com(cls, m: Num, com: Vec3, central: Sym3) -> Inertial:
        h = com * m
        about_origin = Inertia(m, h, central + Sym3.steiner(com, h))
        return cls(m, com, central, about_origin, "com")

    @classmethod
    def at_origin(cls, m: Num, com: Vec3, I: Sym3) -> Inertial:
        h = com * m
        return cls(m, com, I - Sym3.steiner(com, h), Inertia(m, h, I), "origin")

    @classmethod
    def of(cls, body: Inertia) -> Inertial:
        """From the ten parameters."""
        if not (is_number(body.m) and body.m == 0):
            com = body.h * (1.0 / body.m)
            return cls(body.m, com, body.I - Sym3.steiner(com, body.h), body, "parameters")
        massless = all(is_number(x) and x == 0 for x in body.h)
        com, central = (Vec3.zero(), body.I) if massless else (None, None)
        return cls(0.0, com, central, body, "parameters")

    @classmethod
    def zero(cls) -> Inertial:
        return cls.at_com(0.0, Vec3.zero(), Sym3.zero())

    def __add__(self, other: Inertial) -> Inertial:
        """Two bodies joined rigidly, given in the same frame."""
        if other.is_zero():
            return self
        return other if self.is_zero() else Inertial.of(self.about_origin + other.about_origin)

    def is_zero(self) -> bool:
        return all(is_number(x) and x == 0 for x in self.about_origin.parameters)

    def lift(self, system: System) -> Inertial:
        def number(x: Num) -> Num:
            return system.number(x)  # pyright: ignore[reportArgumentType]  a model is lifted from floats

        if self.given == "parameters" or self.com is None or self.central is None:
            m, h, I = self.about_origin.m, self.about_origin.h, self.about_origin.I
            return Inertial.of(Inertia(number(m), h.map(number), I.map(number)))
        if self.given == "origin":
            return Inertial.at_origin(number(self.m), self.com.map(number), self.about_origin.I.map(number))
        return Inertial.at_com(number(self.m), self.com.map(number), self.central.map(number))


def symmetric(I: np.ndarray) -> Sym3:
    """A symmetric 3×3 array as six floats."""
    return Sym3(*(float(I["xyz".index(i), "xyz".index(j)]) for _, i, j in ENTRIES))


def principal_moments(I: Sym3) -> list[float]:
    """The principal moments of an inertia of floats, the smallest first."""
    rows = [[float(x) for x in row] for row in I.matrix()]  # pyright: ignore[reportArgumentType]
    return [float(x) for x in np.linalg.eigvalsh(np.array(rows))]
