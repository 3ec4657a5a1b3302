"""Bounds on bodies: kept by every model, and masses within boxes are what keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import strobe
from strobe.errors import ArgumentError
from strobe.identify import identify
from strobe.identify.body_bounds import body_bounds
from strobe.identify.possible import ENTRIES, is_possible

ARM = strobe.load("planar3")
NAMES = [body.name for body in ARM.model.bodies]
KNOWN = np.array(ARM.parameters).reshape(-1, 10)
BOX = ((-0.1, -0.2, -0.3), (0.6, 0.2, 0.1))


def _points(rng: np.random.Generator, low: Any, high: Any, count: int) -> np.ndarray:
    r, m = rng.uniform(low, high, size=(count, 3)), rng.uniform(0.1, 1.0, count)
    h = np.column_stack([r, np.ones(count)])
    P = np.einsum("k,ki,kj->ij", m, h, h)
    return np.linalg.lstsq(ENTRIES.reshape(10, -1).T, P.ravel())[0]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 30))
def test_points_within_a_box_keep_its_bounds_and_a_centre_outside_does_not(seed: int, count: int):
    rng = np.random.default_rng(seed)
    bounds, _, _ = body_bounds(ARM, KNOWN, {NAMES[0]: BOX}, None)
    inside = _points(rng, *BOX, count)
    assert (bounds.G[:, :10] @ inside > bounds.h).all()
    beyond = inside.copy()
    P = np.tensordot(inside, ENTRIES, axes=1)
    T = np.eye(4)
    T[0, 3] = 0.7  # as long as the box: every point leaves it
    beyond = np.linalg.lstsq(ENTRIES.reshape(10, -1).T, (T @ P @ T.T).ravel())[0]
    assert (bounds.G[:, :10] @ beyond <= bounds.h).any()


def test_the_start_keeps_bounds_that_the_robot_does_not(lab: Any):
    bounds, start, said = body_bounds(
        ARM, KNOWN, {NAMES[1]: ((1, 1, 1), (2, 2, 2))}, {NAMES[1]: (0.2, 0.3)}
    )
    assert (bounds.G @ start.ravel() > bounds.h).all()
    assert is_possible(start)
    assert said == [f"{NAMES[1]} as it was given does not keep the bounds that are said of it."]


def test_the_model_keeps_what_is_said_of_its_bodies(lab: Any):
    log = lab.recorded(ARM, 3, noise=0.05)
    true = float(KNOWN[2, 0])
    found = identify(
        ARM, log, friction=["viscous"], masses={NAMES[2]: (1.5 * true, 2 * true)}, within={NAMES[2]: BOX}
    )
    ten = found.parameters.reshape(-1, 10)[2]
    assert 1.5 * true < ten[0] < 2 * true
    assert np.all(ten[1:4] / ten[0] > BOX[0])
    assert np.all(ten[1:4] / ten[0] < BOX[1])
    assert is_possible(found.parameters)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"within": {"link9": BOX}}, 'within: planar3 has no link "link9".'),
        ({"masses": {NAMES[0]: (2, 1)}}, f"masses: {NAMES[0]} has no room between"),
        ({"masses": {NAMES[0]: 1}}, f"masses: {NAMES[0]} has no pair of a least and a most."),
        ({"within": 3}, "within is 3; expected pairs by the name of a link."),
    ],
)
def test_bounds_that_are_none_are_refused(lab: Any, words: dict[str, Any], said: str):
    with pytest.raises(ArgumentError) as refused:
        identify(ARM, lab.recorded(ARM, 3), **words)
    assert str(refused.value).startswith(said)
