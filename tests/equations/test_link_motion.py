"""Links in motion: derivatives of positions are the velocities of the recursions, and planes are found."""

from __future__ import annotations

from dataclasses import replace

import pytest

import strobe
from strobe.algebra import Inertia, Sym3, Vec3
from strobe.equations.closed_form import equations_of
from strobe.equations.link_motion import SPACE, MovingLinks
from strobe.errors import UnsupportedModelError
from strobe.formulations.decomposition import velocities
from strobe.formulations.world import world
from strobe.models.inertial import Inertial

ARMS = ("planar2", "planar3", "spherical3", "pendulum3", "parallelogram")


def moving(robot, numbers: bool = False) -> MovingLinks:
    return MovingLinks(equations_of(robot, numbers))


@pytest.mark.parametrize("name", ARMS)
def test_velocities_are_those_of_the_recursion(name: str) -> None:
    found = moving(strobe.load(name))
    equations = found.equations
    x, lower = equations.coordinates, equations.ring.lower
    spins, _, centres = velocities(
        world(equations.model, x.expand(equations.q)), x.expand_rates(equations.qd)
    )
    for link in found.links:
        recursion = (*spins[link.number - 1], *centres[link.number - 1])
        derived = (*link.spin, *link.velocity)
        assert all(lower(a).equals(b) for a, b in zip(derived, recursion, strict=True))


def test_links_are_counted_from_the_base() -> None:
    links = moving(strobe.load("parallelogram")).links
    assert [(x.number, x.parent, x.children, x.supports) for x in links] == [
        (1, 0, (2,), (1,)),
        (2, 1, (), (1, 2)),
        (3, 0, (4,), (3,)),
        (4, 3, (), (3, 4)),
    ]


@pytest.mark.parametrize(
    ("name", "axes", "normal"),
    [("planar2", "xy", (0, 0, 1)), ("planar3", "xy", (0, 0, 1)), ("parallelogram", "xz", (0, -1, 0))],
)
def test_the_normal_of_a_plane_is_the_first_axis_that_turns(name, axes, normal) -> None:
    plane = moving(strobe.load(name)).plane
    assert "".join(plane.names) == axes
    assert plane.normal is not None
    assert (*plane.normal,) == normal
    u, v = (Vec3.unit(k) for k in plane.axes)
    assert (*u.cross(v),) == normal


def test_a_slide_within_the_plane_keeps_it_and_an_azimuth_does_not() -> None:
    upright = strobe.load("spherical3", lock={"joint1": 0.0})
    assert moving(upright).plane.names == ("x", "z")
    assert moving(strobe.load("spherical3")).plane is SPACE
    assert not moving(strobe.load("pendulum3")).planar


def test_slides_alone_have_a_plane_across_the_first_axis_that_they_do_not_use() -> None:
    sliding = strobe.load("spherical3", lock={"joint1": 0.0, "joint2": 0.0})
    assert moving(sliding).plane.names == ("x", "y")


def test_quantities_are_written_out_in_the_plane() -> None:
    found = moving(strobe.load("planar2"))
    one = found.links[0]
    assert len(found.written(one.velocity).rows) == 2  # pyright: ignore[reportAttributeAccessIssue]
    assert found.about(one.spin).equals(found.equations.qd[0])  # pyright: ignore[reportAttributeAccessIssue]
    assert found.tensor(one.inertia).variables() == {"I1"}  # pyright: ignore[reportAttributeAccessIssue]
    assert found.is_zero(Vec3(0.0, 0.0, 5.0))
    assert not found.is_zero(Vec3(0.0, 5.0, 0.0))


def test_a_regrouped_link_is_refused_by_name() -> None:
    model = strobe.load("planar2").model
    moments = Inertial.of(Inertia(0.0, Vec3(0.1, 0.0, 0.0), Sym3.zero()))
    regrouped = replace(model, bodies=(model.bodies[0], replace(model.bodies[1], inertial=moments)))
    with pytest.raises(
        UnsupportedModelError, match='link "link2" has no centre of mass, at which a deriva'
    ):
        len(moving(regrouped).links)
