"""What sensors record of a run: steps, noise of the size that was said, and efforts that come later."""

from __future__ import annotations

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.simulate.sensors import Sensors, sensors

ARM = strobe.load("planar2")
RUN = ARM.simulate([0.3, 0.2], [0.0, 0.0], lambda t, q, qd: [np.sin(5 * t), 0.0], 1.0, step=1e-3)


def test_positions_come_in_steps_and_rates_are_theirs():
    seen = Sensors(step=1e-3).sensed(RUN)
    assert np.abs(seen.q / 1e-3 - np.round(seen.q / 1e-3)).max() < 1e-9
    assert np.abs(seen.q - RUN.q).max() <= 0.5e-3 + 1e-12
    assert np.allclose(seen.qd, np.gradient(seen.q, RUN.times, axis=0))
    assert np.array_equal(seen.tau, RUN.tau)


def test_noise_is_as_large_as_said_and_the_same_for_a_seed():
    seen = [Sensors(noise=0.2, seed=seed).sensed(RUN).tau - RUN.tau for seed in (1, 1, 2)]
    assert np.std(seen[0]) == pytest.approx(0.2, rel=0.1)
    assert np.array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[0], seen[2])


def test_efforts_come_later():
    seen = Sensors(delay=0.01).sensed(RUN)
    assert np.allclose(seen.tau[10:], RUN.tau[:-10], atol=1e-9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nose=1", 'sensors: "nose=1" says nothing of them. Did you mean'),
        ("noise=-1", "sensors: noise is -1; expected a number that is not negative."),
        ("step=x", "sensors: step is "),
    ],
)
def test_mistakes_are_sentences(text: str, said: str):
    with pytest.raises(ArgumentError) as refused:
        sensors(text)
    assert str(refused.value).startswith(said)
