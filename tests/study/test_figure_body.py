"""Free bodies: everything that acts on a link, in balance with its motion."""

from __future__ import annotations

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, UnknownNameError, UnsupportedModelError
from strobe.study.figure_body import body_figure, free_body

STATE = ((0.7, -1.1), (1.3, -0.6), (-0.8, 2.1))


def loads(body) -> dict[str, np.ndarray]:
    return {load.name: load.vector for load in body.loads}


def robots():
    yield from (
        strobe.load(name) for name in ("stanford", "puma560", "biped10", "spherical3", "parallelogram")
    )
    yield strobe.random(7, seed=3, kinds="RP", tree=True)
    yield strobe.random(5, seed=1, tree=True).with_base("floating")


@pytest.mark.parametrize("robot", list(robots()), ids=lambda robot: robot.name)
def test_forces_and_moments_on_every_link_are_in_balance(robot) -> None:
    q, qd, qdd = robot.random_state(seed=4)
    for body in robot.model.bodies:
        free = free_body(robot, q, qd, qdd, body.name, inertial=True)
        centre = free.skeleton.coms[free.link]
        force = sum(load.vector for load in free.loads if load.unit == "N")
        moment = sum(
            load.vector if load.unit == "N m" else np.cross(load.at - centre, load.vector)
            for load in free.loads
        )
        most = max(load.size for load in free.loads)
        assert np.allclose(force, 0.0, atol=1e-10 * most)
        assert np.allclose(moment, 0.0, atol=1e-10 * most)


def test_without_the_inertial_force_the_forces_add_up_to_the_mass_times_the_acceleration() -> None:
    free = free_body(strobe.load("planar2"), *STATE, "link2")
    force = sum(load.vector for load in free.loads if load.unit == "N")
    assert np.allclose(force, free.mass * free.acceleration)


def test_the_loads_of_the_textbook_arm_are_the_reference_ones() -> None:
    """Coupling forces and moments of the two-link arm of Asada's lectures at the golden state."""
    first = loads(free_body(strobe.load("planar2"), *STATE, "link1"))
    assert np.allclose(first["f₁"], [-0.733762890315, 33.0147661374, 0.0])
    assert np.allclose(first["−f₂"], [0.453967597496, -14.0069827282, 0.0])
    assert np.allclose(first["N₁"], [0.0, 0.0, 8.95178609256])
    assert np.allclose(first["−N₂"], [0.0, 0.0, -1.9242753188])
    assert np.allclose(first["m₁ g"], [0.0, -19.62, 0.0])


def test_a_sliding_joint_acts_where_its_sleeve_is() -> None:
    robot = strobe.load("stanford")
    q, qd, qdd = robot.random_state(seed=4)
    free = free_body(robot, q, qd, qdd, "link2")
    sleeve = next(load for load in free.loads if load.name == "−f₃")
    assert np.allclose(sleeve.at, free.skeleton.hinges[2].rest)


def test_the_first_link_with_a_mass_is_drawn_if_none_is_named() -> None:
    robot = strobe.load("puma560")
    assert free_body(robot, *robot.random_state(seed=1)).name == "link2"


def test_a_figure_carries_the_sizes_of_its_loads() -> None:
    text = body_figure(strobe.load("planar2"), *STATE, "link1", inertial=True)
    for words in (
        "f₁ = 33.02 N",
        "−f₂ = 14.01 N",
        "N₁ = 8.952 N m",
        "m₁ g = 19.62 N",
        "−m₁ a = 0.6731 N",
        "in balance",
    ):
        assert f">{words}</text>" in text


def test_links_and_robots_that_cannot_be_cut_free_are_refused() -> None:
    with pytest.raises(UnknownNameError) as caught:
        free_body(strobe.load("planar2"), *STATE, "link3")
    assert str(caught.value).startswith(
        "no moving link \"link3\" in planar2. Did you mean 'link2' or 'link1'?"
    )
    with pytest.raises(UnsupportedModelError, match="parallelogram stands at a dead point of its loops"):
        free_body(strobe.load("parallelogram"), [0.2, 0.2], [0.0, 0.0], [0.0, 0.0])
    with pytest.raises(ShapeError, match="qdd"):
        free_body(strobe.load("planar2"), STATE[0], STATE[1], (1.0, 2.0, 3.0))
    with pytest.raises(ArgumentError, match="one pose is drawn"):
        free_body(strobe.load("planar2"), np.zeros((3, 2)), *STATE[1:])
