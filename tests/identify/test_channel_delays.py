"""Delays of efforts behind positions: found, told, taken out; none where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.identify import identify

ARM = strobe.load("planar3")


def _log(lab: Any, delay: float, seed: int = 3):
    t, _, _, _ = lab.motion(ARM, seed)
    rng = np.random.default_rng(seed)
    w, a, b = 2 * np.pi * np.arange(1, 5) / 10.0, *rng.normal(size=(2, ARM.nv, 4)) * 0.5
    middle = rng.normal(size=ARM.nv)

    def state(t: np.ndarray):
        s, c = np.sin(np.outer(w, t)), np.cos(np.outer(w, t))
        return (
            middle + (a @ s + b @ c).T,
            ((a * w) @ c - (b * w) @ s).T,
            (-(a * w**2) @ s - (b * w**2) @ c).T,
        )

    q, _, _ = state(t)
    tau = ARM.inverse_dynamics(*state(t - delay)) + rng.normal(size=q.shape) * 0.02
    return lab.log_of(ARM, t, q, tau)


@pytest.mark.parametrize("delay", [0.012, -0.004])
def test_a_delay_that_is_no_whole_number_of_rows_is_found_with_its_error_and_taken_out(
    lab: Any, delay: float
):
    found = identify(ARM, _log(lab, delay), friction=["viscous"])
    (told,) = found.logs
    assert abs(told.behind.value - delay) < 5 * told.behind.deviation + 2e-5
    assert told.behind.deviation < 2e-4
    assert np.allclose(told.delay, delay, atol=2e-4)
    assert any(f"efforts come {1e3 * delay:.2g}" in remark for remark in found.remarks)
    assert np.abs(found.values - found.base.values).max() < 0.02 * np.abs(found.base.values).max()


def test_a_log_without_delay_is_left_as_it_is(lab: Any):
    found = identify(ARM, _log(lab, 0.0), friction=["viscous"])
    assert found.logs[0].delay is None
    assert found.remarks == ()


def test_a_delay_that_is_said_is_taken_and_none_is_looked_for(lab: Any):
    found = identify(ARM, _log(lab, 0.012), friction=["viscous"], delay=0.012)
    assert found.logs[0].behind is None
    assert np.array_equal(found.logs[0].delay, [0.012] * 3)
    assert found.logs[0].after.max() < 2.0
    with pytest.raises(ArgumentError, match="^delay "):
        identify(ARM, _log(lab, 0.0), delay=[0.1, 0.2])
