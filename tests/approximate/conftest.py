"""The Stanford arm, and the motion that approximations are measured on."""

import pytest

import strobe


@pytest.fixture(scope="session")
def stanford():
    return strobe.load("stanford")


@pytest.fixture(scope="session")
def swing(stanford):
    """From rest to rest at constant maximum accelerations, in 1.8667 s."""
    ends = [[0, 0.6, 0.4, 0, 0.5, 0], [1.2, 1.3, 0.8, 1, -0.6, 1.5]]
    return stanford.plan(ends, velocity=[1, 1, 0.6, 2, 2, 2], acceleration=[1.5, 1.5, 0.8, 4, 4, 4])
