"""The least within bounds, where it is known."""

import numpy as np
import pytest

from strobe.identify.augmented_lagrangian import Bounded, least


def towards(aim):
    """The point nearest to an aim within a square and a disc of radius one."""

    def at(z):
        bounded = np.append(z / 0.9, z @ z - 0.0)
        return Bounded(
            0.5 * float((z - aim) @ (z - aim)),
            bounded,
            lambda w: (z - aim) + w[:2] / 0.9 + 2 * w[2] * z,
        )

    return at


@pytest.mark.parametrize(
    ("aim", "nearest"),
    [
        ((0.3, -0.2), (0.3, -0.2)),  # inside
        ((3.0, 0.0), (0.9, 0.0)),  # at the square
        ((2.0, 2.0), (np.sqrt(0.5), np.sqrt(0.5))),  # at the disc
        ((5.0, 1.0), (0.9, np.sqrt(0.19))),  # at both
    ],
)
def test_the_nearest_point_within_bounds_is_found(aim, nearest):
    found = least(towards(np.array(aim)), np.zeros(2))
    assert found == pytest.approx(nearest, abs=2e-3)


def test_no_bounds_are_none_kept():
    found = least(lambda z: Bounded(float(z @ z), np.zeros(0), lambda w: 2 * z), np.array([3.0, 1.0]))
    assert found == pytest.approx([0, 0], abs=1e-6)
