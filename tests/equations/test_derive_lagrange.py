"""Lagrange: the textbook's energies, and what their derivatives give."""

from __future__ import annotations

import pytest

import strobe
from strobe.equations.closed_form import equations_of
from strobe.equations.derive_lagrange import Lagrange
from strobe.equations.link_motion import MovingLinks

ARMS = ("planar2", "planar3", "spherical3", "pendulum3", "parallelogram")


@pytest.mark.parametrize("name", ARMS)
def test_energies_are_those_of_the_closed_form(name: str) -> None:
    equations = equations_of(strobe.load(name))
    way = Lagrange(MovingLinks(equations))
    assert way.lagrangian.equals(equations.kinetic_energy - equations.potential_energy)
    for mine, theirs in zip(way.mass_matrix, equations.mass_matrix, strict=True):
        assert all(a.equals(b) for a, b in zip(mine, theirs, strict=True))


def test_the_lagrangian_of_the_textbook_arm_at_a_state() -> None:
    equations = equations_of(strobe.load("planar2"))
    q, qd = [0.7, -1.1], [1.3, -0.6]
    rotor = 0.5 * 0.05 * 0.6**2
    H11, H12, H22 = 0.462197301857, 0.0865736509283, 0.04575
    T = 0.5 * H11 * 1.3**2 - H12 * 1.3 * 0.6 + 0.5 * H22 * 0.6**2 + rotor
    heights = (0.18 * 0.644217687238, 0.4 * 0.644217687238 + 0.15 * -0.389418342309)
    V = 9.81 * (2.0 * heights[0] + 1.5 * heights[1])
    L = Lagrange(MovingLinks(equations)).lagrangian
    assert equations.evaluate(L, q, qd) == pytest.approx(T - V, rel=1e-10)
