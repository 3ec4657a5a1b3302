"""Fifteen numbers of a line: every motion maps them linearly, a turn in cos and sin, a slide in d and d²."""

import numpy as np
import pytest

from strobe.kinematics.line_coordinates import line_map, line_numbers, slide_maps, turn_maps
from strobe.kinematics.screws import turn

DRAW = np.random.default_rng(0)


def unit(*shape):
    v = DRAW.normal(size=(*shape, 3))
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def test_a_motion_maps_the_numbers_of_a_line_to_those_of_the_moved_line():
    R, t, p, l = turn(unit(9), DRAW.uniform(-3, 3, 9)), *DRAW.normal(size=(2, 9, 3)), unit(9)
    moved = line_numbers((R @ p[..., None])[..., 0] + t, (R @ l[..., None])[..., 0])
    np.testing.assert_allclose((line_map(R, t) @ line_numbers(p, l)[..., None])[..., 0], moved, atol=1e-13)


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.0, np.pi])
def test_a_turn_is_linear_in_one_cosine_and_sine(angle):
    a, p = unit(5), DRAW.normal(size=(5, 3))
    R = turn(a, np.full(5, angle))
    whole = line_map(R, p - (R @ p[..., None])[..., 0])
    parts = np.einsum("k,nkij->nij", [1.0, np.cos(angle), np.sin(angle)], turn_maps(a, p))
    np.testing.assert_allclose(parts, whole, atol=1e-13)


def test_a_turn_about_z_mixes_the_first_eight_numbers_in_pairs():
    maps = turn_maps(np.array([0.0, 0.0, 1.0]), np.zeros(3))
    J = np.kron([[0, -1], [1, 0]], np.eye(4))
    np.testing.assert_allclose(maps[1][:8, :8], np.eye(8), atol=1e-15)
    np.testing.assert_allclose(maps[2][:8, :8], J, atol=1e-15)
    for part in maps[1:]:
        assert not part[8:].any()
        assert not part[:, 8:].any()


def test_a_slide_is_of_second_degree_in_its_length():
    whole = line_map(np.eye(3), np.array([0.0, 0.0, -0.7]))
    np.testing.assert_allclose(np.einsum("k,kij->ij", [1.0, -0.7, 0.49], slide_maps()), whole, atol=1e-15)
