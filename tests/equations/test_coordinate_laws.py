"""The laws of a change of coordinates hold of honest ones, and fail of others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import strobe
from strobe.equations.coordinate_laws import coordinate_laws
from strobe.scalars import sin


def uncompiled(name: str) -> strobe.Robot:
    return strobe.Robot(strobe.load(name).model, compiled=False)


def test_every_law_holds_of_a_matrix_and_of_a_curved_map() -> None:
    arm = uncompiled("planar2")
    curved = arm.in_coordinates(lambda phi: [phi[0] + 0.1 * sin(phi[0]), phi[1] - 0.3 * phi[0]])
    for other in (arm.in_coordinates("absolute"), curved):
        laws = coordinate_laws(other)
        assert all(law.holds for law in laws if not law.why)
    # no inverse was given
    assert [law.name for law in coordinate_laws(curved) if law.why] == ["there and back"]


def test_a_wrong_mass_matrix_is_noticed() -> None:
    other = uncompiled("planar2").in_coordinates("absolute")
    right = other.mass_matrix
    other.mass_matrix = lambda phi, **_: right(phi) * np.array([[1.0, 1.0], [1.0, 1.01]])  # pyright: ignore
    failed = {law.name for law in coordinate_laws(other) if law.holds is False}
    assert failed >= {"energy", "motion"}


def test_a_law_says_by_how_much_it_fails() -> None:
    law = coordinate_laws(uncompiled("planar2").in_coordinates("absolute"))[0]
    assert law.holds
    assert replace(law, error=1e-3).holds is False
