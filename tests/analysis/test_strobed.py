"""What flashes of inverse dynamics show is g, M and C, whichever formulation gives the torques."""

from __future__ import annotations

import numpy as np
import pytest

import strobe
from strobe.errors import UnsupportedModelError
from strobe.robot import Robot


@pytest.fixture(scope="module")
def stanford() -> Robot:
    return strobe.load("stanford")


@pytest.mark.parametrize("formulation", [None, "waters", "gibbs-appell"])
def test_what_is_strobed_is_what_the_robot_knows(stanford: Robot, formulation: str | None) -> None:
    q, qd, _ = stanford.random_state(seed=1)
    seen = stanford.strobe(q, formulation=formulation)
    assert np.allclose(seen.M, stanford.mass_matrix(q), atol=1e-12)
    assert np.allclose(seen.g, stanford.gravity(q), atol=1e-12)
    velocity = np.einsum("ijk,j,k->i", seen.C, qd, qd)
    assert np.allclose(velocity, stanford.coriolis_matrix(q, qd) @ qd, atol=1e-11)
    assert np.allclose(np.einsum("ijk,k->ij", seen.C, qd), stanford.coriolis_matrix(q, qd), atol=1e-11)


def test_every_call_is_counted_and_kept(stanford: Robot) -> None:
    seen = stanford.strobe(np.zeros(6))
    assert seen.calls == {"g": 1, "M": 6, "C": 21}
    assert len(seen.flashes) == 28
    for flash in seen.flashes[1:]:
        again = stanford.inverse_dynamics(
            np.zeros(6), flash.qd, flash.qdd, friction=False, gravity=[0, 0, 0]
        )
        assert np.allclose(again, flash.tau, atol=1e-12)
    assert "28 calls" in str(seen)


def test_one_joint_needs_no_pairs() -> None:
    seen = strobe.random(1, 0, kinds="R").strobe([0.2])
    assert seen.calls == {"g": 1, "M": 1, "C": 1}
    assert abs(seen.C).max() < 1e-15


def test_a_floating_base_shows_its_mass_matrix_too() -> None:
    robot = strobe.load("planar2").with_base("floating")
    q = robot.random_state(seed=0)[0]
    assert np.allclose(robot.strobe(q).M, robot.mass_matrix(q), atol=1e-12)


def test_closed_chains_are_refused_in_a_sentence() -> None:
    with pytest.raises(UnsupportedModelError, match="strobing of closed chains is not solved"):
        strobe.load("fourbar").strobe([0.0])
