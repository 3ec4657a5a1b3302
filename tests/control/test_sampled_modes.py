"""One mode under a sampled controller: known polynomials and bounds, and a fine simulation."""

import numpy as np
import pytest

from strobe.control.sampled_modes import matrix, phase_margin, radius

T = 1e-3


def characteristic(kp, kd, T, periods):
    """(z − 1)² zᵐ + a z + b: a double integrator, held, its torque m periods late."""
    a, b = kd * T + kp * T**2 / 2, kp * T**2 / 2 - kd * T
    return np.polyadd(np.polymul([1, -2, 1], [1, *[0] * periods]), [a, b])


@pytest.mark.parametrize("periods", [0, 1, 2, 3])
def test_the_eigenvalues_are_the_roots_of_the_known_polynomial(periods):
    found = np.linalg.eigvals(matrix(900.0, 70.0, T, periods * T))
    expected = np.roots(characteristic(900.0, 70.0, T, periods))
    for root in expected:
        assert np.abs(found - root).min() < 1e-9


@pytest.mark.parametrize("kp", [1.0, 1e4, 1e6])
def test_without_delay_it_is_stable_between_two_bounds_of_the_damping(kp):
    for kd, stable in (
        (kp * T / 2, True),
        (2 / T, False),
    ):  # more is stable at the first, not at the second
        above, below = (radius(kp, kd * (1 + sign * 1e-3), T) for sign in (1, -1))
        assert (above < 1) is stable
        assert (below < 1) is not stable


@pytest.mark.parametrize("periods", [0, 1, 2, 5])
def test_the_damping_that_a_delay_allows_is_the_known_one(periods):
    most = 2 * np.sin(np.pi / (4 * periods + 2)) / T
    assert radius(1e-6, most * 0.999, T, periods * T) < 1
    assert radius(1e-6, most * 1.001, T, periods * T) > 1


@pytest.mark.parametrize("part", [1.0, 0.3])
@pytest.mark.parametrize("late", [0.25, 1.4])
def test_a_delay_of_part_of_a_period_is_what_fine_steps_give(late, part):
    kp, kd, fine = 2000.0, 60.0, 40
    q, v, asked = 0.1, -0.3, [0.5, -0.2, 0.4]  # the last one first
    A = matrix(kp, kd, T, late * T, part)
    state = A @ np.array([q, v, *asked[: len(A) - 2]])
    now = (1 - part) * asked[0] - part * (kp * q + kd * v)
    history = [now, *asked]
    for k in range(fine):
        a = history[int(np.ceil(late - k / fine - 1e-9)) if k / fine < late else 0]
        q, v = q + v * T / fine + a * (T / fine) ** 2 / 2, v + a * T / fine
    assert state[:3] == pytest.approx([q, v, now], rel=1e-12)


def test_critical_damping_has_76_degrees_of_phase_which_a_delay_uses_up():
    w = 20.0
    assert np.degrees(phase_margin(w**2, 2 * w, 0.0)) == pytest.approx(
        np.degrees(np.arctan(2 * np.sqrt(2 + np.sqrt(5))))
    )
    crossing = w * np.sqrt(2 + np.sqrt(5))
    lost = phase_margin(w**2, 2 * w, 0.0) - phase_margin(w**2, 2 * w, 2e-3, 5e-3)
    assert lost == pytest.approx(crossing * 6e-3)
