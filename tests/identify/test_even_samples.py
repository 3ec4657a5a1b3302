"""Rows on even times: kernels against closed forms, and what is left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.ndimage import convolve1d

import strobe
from strobe.errors import ArgumentError
from strobe.identify.even_samples import Band, _kernel, _longest_rise, stretches
from strobe.identify.log_sources import step_of
from strobe.identify.logs import Log
from strobe.identify.torque_rows import stretches_of

ARM = strobe.Robot(strobe.load("planar2").model, compiled=False)


@given(st.floats(4, 20), st.floats(0.02, 0.45), st.floats(0.001, 0.01))
def test_kernels_give_a_sine_and_its_slopes_without_delay(cutoff: float, part: float, step: float):
    t = step * np.arange(-3000, 3001)
    w = 2 * np.pi * part * cutoff
    wanted = np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)
    for order, (kernel, curve) in enumerate(zip(_kernel(cutoff, step), wanted, strict=True)):
        half = len(kernel) // 2
        found = convolve1d(np.sin(w * t), kernel)[half:-half]
        fastest = (2 * np.pi * 0.5 * cutoff) ** order
        assert np.abs(found - curve[half:-half]).max() < 1e-3 * fastest


def test_a_band_keeps_what_is_below_half_its_cutoff_and_nothing_beyond_it():
    t = 0.004 * np.arange(5000)
    band = Band.below(5.0, 0.004)
    kept = band.kept(t)
    assert np.allclose(np.diff(kept), band.every * 0.004)
    assert np.abs(band.kept(np.sin(2 * np.pi * 2.0 * t)) - np.sin(2 * np.pi * 2.0 * kept)).max() < 1e-3
    assert np.abs(band.kept(np.sin(2 * np.pi * 6.0 * t))).max() < 1e-3


@pytest.mark.parametrize("count", [700, 701, 702, 777, 1000])
def test_kept_rows_are_whole_whatever_the_length(count: int):
    t = 0.01 * np.arange(count)
    band = Band.below(3.0, 0.01)
    kept, half = band.kept(t), len(band.taps) // 2
    assert kept[0] == pytest.approx(t[half])
    assert t[-1 - half] - kept[-1] < band.every * 0.01 - 1e-9 or kept[-1] == pytest.approx(t[-1 - half])


def test_white_noise_stays_nearly_white_and_its_size_is_known():
    noise = np.random.default_rng(0).normal(size=400_000)
    band = Band.below(4.0, 0.004)
    kept = band.kept(noise)
    assert abs(np.corrcoef(kept[1:], kept[:-1])[0, 1]) < 0.1
    assert np.var(kept) * band.colour == pytest.approx(1 / band.every, rel=0.05)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40))
def test_the_longest_rise_rises_and_no_other_is_longer(times: list[int]):
    found = _longest_rise(np.array(times, dtype=float))
    assert (np.diff(found) > 0).all()
    assert (np.diff(np.array(times)[found]) > 0).all()
    best = [1] * len(times)
    for k in range(len(times)):
        best[k] = 1 + max((best[j] for j in range(k) if times[j] < times[k]), default=0)
    assert len(found) == max(best)


def _log(t: np.ndarray, **spoilt: np.ndarray):
    q = np.sin(np.outer(t, [1.0, 2.0]))
    tau = np.cos(np.outer(t, [1.0, 2.0]))
    return Log(
        "log.csv", ARM.name, ARM.joint_names, "t", [], t, spoilt.get("q", q), None, None, tau, None, []
    )


def test_rows_that_cannot_be_are_left_out_and_told():
    t = 0.01 * np.arange(3000)
    q = np.sin(np.outer(t, [1.0, 2.0]))
    spoilt_t, spoilt_q = t.copy(), q.copy()
    spoilt_t[[100, 900]] = -1e300, 1e300
    spoilt_q[[50, 1500]] = 1e200
    (clean,), told = stretches(_log(t), _log(t).tau, 5.0)
    assert told == []
    log = _log(spoilt_t, q=spoilt_q)
    (found,), told = stretches(log, log.tau, 5.0)
    assert told == [
        "2 rows hold numbers that no robot has, and were left out.",
        "the time does not rise at 2 rows, which were left out.",
    ]
    assert np.abs(found.q - clean.q).max() < 1e-6
    assert np.abs(found.qdd - clean.qdd).max() < 1e-2


def test_a_log_that_stops_and_goes_on_is_two_stretches():
    t = np.concatenate([0.01 * np.arange(1000), 100 + 0.01 * np.arange(2000), [300.0]])
    log = _log(t)
    found, told = stretches(log, log.tau, 5.0)
    assert [round(piece.times[0]) for piece in found] == [0, 100]
    assert told == ["1 row at 300 s stand alone, and were left out.", "it stops and goes on at 100, 300 s."]


def test_uneven_times_make_even_rows():
    rng = np.random.default_rng(3)
    t = np.cumsum(0.01 + 0.002 * rng.uniform(-1, 1, 3000))
    log = _log(t)
    (found,), _ = stretches(log, log.tau, 5.0)
    assert np.allclose(np.diff(found.times), found.step)
    assert np.abs(found.q - np.sin(np.outer(found.times, [1.0, 2.0]))).max() < 1e-3
    assert np.abs(found.qd - [1.0, 2.0] * np.cos(np.outer(found.times, [1.0, 2.0]))).max() < 2e-3


@pytest.mark.parametrize(
    ("rows", "cutoff", "said"),
    [
        (20, 5.0, "log.csv: no stretch of it is long enough for a cut-off of 5 Hz."),
        (
            3000,
            60.0,
            "log.csv: 100 rows a second hold no frequencies up to 60 Hz; give a cut-off below 45 Hz.",
        ),
    ],
)
def test_what_cannot_be_filtered_is_refused(rows: int, cutoff: float, said: str):
    log = _log(0.01 * np.arange(rows))
    with pytest.raises(ArgumentError) as refused:
        stretches(log, log.tau, cutoff)
    assert str(refused.value) == said


def test_joints_that_a_brake_holds_tell_nothing():
    t = 0.01 * np.arange(3000)
    q = np.where((t < 5)[:, None], 0.3, 0.3 + np.sin(np.outer(t - 5, [1.0, 2.0])))
    tau = np.where((t < 5)[:, None], 0.0, 3.0 + np.cos(np.outer(t, [1.0, 2.0])))
    log = Log("log.csv", ARM.name, ARM.joint_names, "t", [], t, q, None, None, tau, None, [])
    (piece,), told = stretches_of(log, tau, 5.0)
    (said,) = told
    assert said.startswith(
        "log.csv: joint1, joint2 stand without effort in 500 rows, which were left out: a brake"
    )
    assert not piece.felt[piece.times < 4.9].any()
    assert piece.felt[piece.times > 5.1].all()


@given(st.floats(1e-6, 1e-2), st.integers(0, 1000))
def test_the_steps_of_an_encoder_are_seen_and_none_where_there_are_none(step: float, seed: int):
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.normal(size=2000)) * 3 * step + 0.7
    assert step_of(np.round(x / step) * step) == pytest.approx(step, rel=1e-6)
    assert step_of(x) == 0
