"""What logs told is what a search for the next motion begins with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.identify import identify
from strobe.identify.known_information import packed, read_known

ARM = strobe.load("planar2")


def test_information_is_the_inverse_covariance_of_what_is_asked_and_none_of_the_rest(lab: Any):
    found = identify(ARM, lab.recorded(ARM, 3, noise=0.05), friction=["viscous", "coulomb"], delay=0)
    whole = found.information(["viscous", "coulomb"])
    assert np.allclose(np.linalg.inv(whole), found.fit.covariance, rtol=1e-4, atol=1e-12)
    alone = found.information()
    b = found.base.count
    assert np.allclose(np.linalg.inv(alone), found.fit.covariance[:b, :b], rtol=1e-4, atol=1e-12)
    also = found.information(["spring"])
    assert also.shape == (b + 2, b + 2)
    assert not also[b:].any()


def test_a_file_takes_it_to_the_search_whose_motion_then_adds_to_it(lab: Any, tmp_path: Path):
    found = identify(ARM, lab.recorded(ARM, 3, noise=0.05), friction=["viscous"], delay=0)
    path = tmp_path / "known.npz"
    path.write_bytes(packed(found))
    known = read_known(path)
    assert known.friction == ("viscous",)
    asked = ARM.excite(
        duration=4.0,
        friction=known.friction,
        noise=known.noise,
        rate=known.rate,
        known=known.information,
        waves=3,
    )
    assert np.all(asked.found.deviations <= found.fit.deviations * 1.001)


def test_another_file_is_refused(tmp_path: Path):
    np.savez(tmp_path / "other.npz", q=np.zeros(3))
    with pytest.raises(
        ArgumentError, match=r"there is no information in it; expected a file of strobe identify"
    ):
        read_known(tmp_path / "other.npz")
