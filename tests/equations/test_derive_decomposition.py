"""The decomposition in six steps: Jacobians, their derivatives, and the matrices of the specification."""

from __future__ import annotations

import numpy as np
import pytest

import strobe
from strobe.equations.closed_form import equations_of
from strobe.equations.derive_decomposition import Decomposition
from strobe.equations.link_motion import MovingLinks

ARMS = ("planar2", "planar3", "spherical3", "pendulum3", "parallelogram")
SPHERICAL3 = ([0.3, 0.5, 0.8], [0.7, -0.4, 0.25])
PENDULUM3 = ([0.4, -0.6, 0.9], [1.1, -0.8, 0.5])


def derived(robot, numbers: bool = False) -> Decomposition:
    return Decomposition(MovingLinks(equations_of(robot, numbers)))


@pytest.mark.parametrize("name", ARMS)
def test_cross_products_are_the_derivatives_of_the_jacobians(name: str) -> None:
    way = derived(strobe.load(name))
    lower = way.moving.equations.ring.lower
    for part in way.parts.values():
        for J, J_d in ((part.Jw, part.Jw_d), (part.Jv, part.Jv_d)):
            for j, column in J.items():
                rates = way.moving.rates(column)
                assert all(lower(a).equals(b) for a, b in zip(J_d[j], rates, strict=True))


@pytest.mark.parametrize("name", ARMS)
def test_the_sums_are_the_matrices_of_the_closed_form(name: str) -> None:
    way = derived(strobe.load(name))
    equations = way.moving.equations
    pairs = (
        (way.mass_matrix, equations.mass_matrix),
        (way.coriolis_matrix, equations.decomposition_matrix),
    )
    for mine, theirs in pairs:
        for row, expected in zip(mine, theirs, strict=True):
            assert all(a.equals(b) for a, b in zip(row, expected, strict=True))
    assert all(a.equals(b) for a, b in zip(way.gravity, equations.gravity, strict=True))


@pytest.mark.parametrize(
    ("name", "state", "D", "C", "G"),
    [
        (
            "spherical3",
            SPHERICAL3,
            np.diag([1.11950412008, 1.3975, 2.0]),
            [
                [0.54089548267, -0.407461287619, 0.862569291286],
                [0.407461287619, 0.4, -0.64],
                [-0.862569291286, 0.64, 0.0],
            ],
            [0.0, 17.6486241109, 9.40632906741],
        ),
        (
            "pendulum3",
            PENDULUM3,
            [
                [0.0712059359883, 0.0, 0.0],
                [0.0, 0.346093196192, 0.0677965980962],
                [0.0, 0.0677965980962, 0.0305],
            ],
            [
                [0.084259250126, -0.13244009187, -0.0265337967148],
                [0.13244009187, -0.0234998072888, 0.0140998843733],
                [0.0265337967148, -0.0375996916621, 0.0],
            ],
            [0.0, -3.4425418807, 0.434857984102],
        ),
    ],
)
def test_the_golden_matrices(name, state, D, C, G) -> None:
    way = derived(strobe.load(name))
    evaluate = way.moving.equations.evaluate
    for matrix, golden in ((way.mass_matrix, D), (way.coriolis_matrix, C), (way.gravity, G)):
        np.testing.assert_allclose(evaluate(matrix, *state), golden, rtol=1e-10, atol=1e-12)


def test_a_robot_of_oblique_axes_with_full_inertias() -> None:
    robot = strobe.Robot(strobe.random(3, seed=5).model, compiled=False)
    way = derived(robot, numbers=True)
    q, qd, _ = robot.random_state(seed=1)
    evaluate = way.moving.equations.evaluate
    np.testing.assert_allclose(
        evaluate(way.mass_matrix, q, qd), robot.mass_matrix(q), rtol=1e-9, atol=1e-10
    )
    C = robot.coriolis_matrix(q, qd, form="decomposition")
    np.testing.assert_allclose(evaluate(way.coriolis_matrix, q, qd), C, rtol=1e-9, atol=1e-10)
