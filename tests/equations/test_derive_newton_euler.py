"""Newton-Euler by hand: the textbook's balances, and coupling forces that Pinocchio agrees with."""

from __future__ import annotations

from dataclasses import replace

import pytest

import strobe
from strobe.algebra import Vec3
from strobe.equations.closed_form import equations_of
from strobe.equations.derivation_lines import Letter, Plus, Step, worked_out
from strobe.equations.derive_newton_euler import NewtonEuler
from strobe.equations.link_motion import MovingLinks
from strobe.models.inertial import Inertial

ARMS = ("planar2", "planar3", "spherical3", "pendulum3", "parallelogram")
PLANAR2 = ([0.7, -1.1], [1.3, -0.6], [-0.8, 2.1])
PENDULUM3 = ([0.4, -0.6, 0.9], [1.1, -0.8, 0.5], [-0.3, 0.7, 1.2])


def derived(robot) -> tuple[NewtonEuler, list[Step]]:
    way = NewtonEuler(MovingLinks(equations_of(robot)))
    return way, list(way.steps())


def values(way: NewtonEuler, letter: Letter, state) -> list[float]:
    quantity = way.book[letter]
    parts = [*quantity] if isinstance(quantity, Vec3) else [quantity]
    equations = way.moving.equations
    return equations.evaluate([equations.ring.lower(x) for x in parts], *state).tolist()


@pytest.mark.parametrize("name", ARMS)
def test_the_balances_hold_for_the_forces_found(name: str) -> None:
    way, (balances, *_) = derived(strobe.load(name))
    normal = way.moving.plane.normal
    assert len(balances.lines) == 2 * len(way.moving.links)
    for line in balances.lines:
        assert way.moving.is_zero(worked_out(line.left[0], way.book, normal))


def test_coupling_forces_of_the_textbook_arm() -> None:
    way, _ = derived(strobe.load("planar2"))
    f12, f01 = (values(way, Letter("f", k, bold=True), PLANAR2) for k in ("12", "01"))
    assert f12 == pytest.approx([-0.453967597496, 14.0069827282, 0.0], rel=1e-11)
    assert f01 == pytest.approx([-0.733762890315, 33.0147661374, 0.0], rel=1e-11)
    assert values(way, Letter("N", "01"), PLANAR2) == pytest.approx([8.95178609256], rel=1e-11)
    assert values(way, Letter("N", "12"), PLANAR2) == pytest.approx([1.9242753188], rel=1e-11)


@pytest.mark.parametrize(
    ("joint", "force", "moment"),
    [
        (
            "01",
            [-1.63548161418, 0.400873278982, 44.335195845],
            [1.50178221136, -2.56504760565, 0.164008569481],
        ),
        (
            "12",
            [-1.63548161418, 0.400873278982, 24.715195845],
            [1.50178221136, -2.56504760565, 0.167008569481],
        ),
        (
            "23",
            [-1.03729369939, 0.235830967029, 9.96030632637],
            [-0.138534423433, 0.569163921144, -0.0291985801092],
        ),
    ],
)
def test_coupling_forces_in_space_are_those_of_pinocchio(joint, force, moment) -> None:
    way, _ = derived(strobe.load("pendulum3"))
    for letter, expected in (("f", force), ("N", moment)):
        assert values(way, Letter(letter, joint, bold=True), PENDULUM3) == pytest.approx(
            expected, rel=1e-11
        )


def test_a_link_without_mass_passes_on_nothing() -> None:
    model = strobe.load("planar2").model
    light = replace(model, bodies=(model.bodies[0], replace(model.bodies[1], inertial=Inertial.zero())))
    way, _ = derived(light)
    assert way.book[Letter("f", "12", bold=True)] == 0.0
    assert all(a.equals(b) for a, b in zip(way.torques(), way.moving.equations.torques, strict=True))
    assert way.torques()[1].variables() == {"Ir2", "qdd2"}


def test_without_gravity_no_relation_mentions_it() -> None:
    way, steps = derived(strobe.load("pendulum3", gravity=[0, 0, 0]))
    gravity = Letter("g", bold=True)
    sums = [side for step in steps for line in step.lines for side in line.left]
    terms = [term for x in sums if isinstance(x, Plus) for _, term in x.terms]
    assert terms
    assert not any(gravity == getattr(term, "right", None) for term in terms)
    assert all(a.equals(b) for a, b in zip(way.torques(), way.moving.equations.torques, strict=True))


def test_joints_that_follow_others_load_the_independent_ones() -> None:
    way, _ = derived(strobe.load("parallelogram"))
    Q = [way.book[Letter("Q", str(k))] for k in (1, 2, 3, 4)]
    first, second = way.torques()
    assert first.equals(Q[0] - Q[1] + Q[3])
    assert second.equals(Q[1] + Q[2] - Q[3])
