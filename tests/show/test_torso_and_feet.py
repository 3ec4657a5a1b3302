"""Torso and feet: boxes with the inertia of the link, pyramids on soles, faces that look outwards."""

from __future__ import annotations

import numpy as np
import pytest

import strobe
from strobe.models.model import ROOT
from strobe.show.drawing import Drawing
from strobe.show.skeleton import posed
from strobe.show.torso_and_feet import Solid, limbs


@pytest.fixture(scope="module")
def solids() -> list[Solid]:
    return limbs(strobe.load("biped10").model.proximal())


def test_the_biped_has_a_torso_and_two_feet(solids: list[Solid]) -> None:
    names = [body.name for body in strobe.load("biped10").model.bodies]
    assert [names[s.body] if s.body != ROOT else "base" for s in solids] == ["torso", "base", "swing_foot"]


def test_the_box_of_the_torso_has_its_mass_properties(solids: list[Solid]) -> None:
    """A box of edges a, b, c has moments m (b² + c²) / 12 about its middle."""
    a, b, c = np.ptp(solids[0].points, axis=0)
    m = 20.0
    moments = m / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    assert np.allclose(moments, [0.9, 0.8, 0.3])
    assert np.allclose(solids[0].points.mean(axis=0), [0, -0.1, 0.25])


def test_a_foot_stands_on_its_sole_and_ends_at_the_ankle(solids: list[Solid]) -> None:
    stance, swing = solids[1:]
    assert np.allclose(
        stance.points[:4], [[-0.07, -0.05, 0], [0.13, -0.05, 0], [0.13, 0.05, 0], [-0.07, 0.05, 0]]
    )
    assert np.allclose(stance.points[4], [0, 0, 0.08])
    assert np.allclose(swing.points[:4, 2], -0.08)
    assert np.allclose(swing.points[4], 0)


def test_every_face_is_seen_from_outside(solids: list[Solid]) -> None:
    for solid in solids:
        middle = solid.points.mean(axis=0)
        for face in solid.faces:
            a, b, c = solid.points[list(face[:3])]
            assert np.cross(b - a, c - a) @ (a - middle) > 0


@pytest.mark.parametrize("name", ["stanford", "puma560", "panda", "parallelogram"])
def test_arms_have_neither(name: str) -> None:
    assert limbs(strobe.load(name).model.proximal()) == []


def test_they_are_drawn() -> None:
    robot = strobe.load("biped10")
    skeleton = posed(robot, robot.model.golden[0]["q"])
    faces = sum(len(limb.faces) for limb in skeleton.limbs)
    drawn = [element for _, element in Drawing(skeleton, None)._limbs()]
    assert 0 < len(drawn) < faces  # those towards the viewer
