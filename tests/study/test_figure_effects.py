"""Centrifugal and Coriolis forces: the closed forms of the two-link arm, and the terms that the drives feel."""

from __future__ import annotations

import math

import numpy as np
import pytest

import strobe
from strobe.equations.meaning import explain
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.study.figure_effects import MOST, effects, effects_figure

Q, QD = (0.7, -1.1), (1.3, -0.6)


@pytest.fixture(scope="module")
def found():
    return {effect.by: effect for effect in effects(strobe.load("planar2"), Q, QD)[1]}


def test_the_centrifugal_force_of_joint_1_is_along_the_line_from_it(found) -> None:
    """m2 L θ̇1² along O → C2, with L² = l1² + lc2² + 2 l1 lc2 cos θ2."""
    force = found[0, 0].forces[1]
    centre = [0.4 * math.cos(0.7) + 0.15 * math.cos(-0.4), 0.4 * math.sin(0.7) + 0.15 * math.sin(-0.4), 0.0]
    assert np.allclose(force, 1.5 * 1.3**2 * np.array(centre))
    assert np.linalg.norm(force) == pytest.approx(1.5 * math.sqrt(0.236931534571) * 1.3**2)


def test_the_coriolis_force_is_parallel_to_link_2(found) -> None:
    """2 m2 lc2 θ̇1 θ̇2 (cos θ12, sin θ12), none on link 1."""
    forces = found[0, 1].forces
    assert np.allclose(
        forces[1], 2 * 1.5 * 0.15 * 1.3 * -0.6 * np.array([math.cos(-0.4), math.sin(-0.4), 0.0])
    )
    assert not np.any(forces[0])


def test_the_moments_are_those_of_the_textbook(found) -> None:
    assert np.allclose(found[0, 0].moments, [0.0, 0.135552639465])
    assert np.allclose(found[0, 1].moments, [0.125125513353, 0.0])
    assert np.allclose(found[1, 1].moments, [-0.028875118466, 0.0])


@pytest.mark.parametrize("name", ["planar2", "planar3"])
def test_the_drives_cancel_the_moments(name: str) -> None:
    robot = strobe.load(name)
    q, qd, _ = robot.random_state(seed=2)
    terms = explain(robot, q, qd, np.zeros(robot.nv))
    felt = {term.by: terms.values[:, t] for t, term in enumerate(terms.terms) if term.cause == "velocity"}
    for effect in effects(robot, q, qd)[1]:
        assert np.allclose(effect.moments, -felt[effect.by], atol=1e-12)


def test_an_axis_the_other_way_round_turns_the_other_way() -> None:
    """The upright pendulum of the library without its azimuth moves in the x-z plane about +y."""
    robot = strobe.load("pendulum3").lock({"joint1": 0.0})
    q, qd, _ = robot.random_state(seed=2)
    terms = explain(robot, q, qd, np.zeros(2))
    felt = {term.by: terms.values[:, t] for t, term in enumerate(terms.terms) if term.cause == "velocity"}
    for effect in effects(robot, q, qd)[1]:
        assert np.allclose(effect.moments, -felt[effect.by], atol=1e-12)


def test_a_joint_at_rest_has_no_sketch() -> None:
    assert [e.by for e in effects(strobe.load("planar3"), (0.1, 0.2, 0.3), (1.0, 0.0, 2.0))[1]] == [
        (0, 0),
        (2, 2),
        (0, 2),
    ]


def test_a_figure_has_a_sketch_and_its_moments_for_every_effect() -> None:
    text = effects_figure(strobe.load("planar2"), Q, QD)
    for words in (
        "Centrifugal, θ̇₁²: joint 1", "joint 1: 0, joint 2: +0.136 N m", "Coriolis, θ̇₁ θ̇₂: joints 1 and 2",
        "joint 1: +0.125, joint 2: 0 N m", "1.23 N", "0.351 N",
    ):  # fmt: skip
        assert f">{words}</text>" in text


@pytest.mark.parametrize("name", ["stanford", "panda", "parallelogram", "spherical3"])
def test_other_robots_are_refused_by_name_with_what_to_use(name: str) -> None:
    robot = strobe.load(name)
    with pytest.raises(UnsupportedModelError) as caught:
        effects(robot, *robot.random_state(seed=0)[:2])
    assert str(caught.value).startswith(f"{name} is not a planar arm of 2 to {MOST} turning joints")
    assert str(caught.value).endswith("use strobe explain, or strobe draw --kind torques.")


def test_a_robot_at_rest_is_refused() -> None:
    with pytest.raises(
        ArgumentError, match="nothing moves: centrifugal and Coriolis forces need velocities; give qd."
    ):
        effects(strobe.load("planar2"), Q, (0.0, 0.0))
    with pytest.raises(
        ArgumentError, match=r"qd has shape \(3,\); planar2 has 2 joints, expected \(2,\)\."
    ):
        effects(strobe.load("planar2"), Q, (0.0, 0.0, 1.0))
