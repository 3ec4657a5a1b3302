"""One mode under a sampled controller: the pole that a period and a delay leave of it.

    q̈ = a,   a_k = (1 − λ) a_{k−1} − λ (Kp q_k + Kd q̇_k)     held from k T + d to (k + 1) T + d

λ = 1 but for a servo that makes up a part of what is missing every period. Without delay it is stable for
Kp T / 2 < Kd < 2 / T; with Kp → 0 and d = m T for Kd T < 2 sin(π / (4 m + 2)).

Of the loop (Kd s + Kp) / s² the hold and the delay take ω_c (T/2 + d) of phase where it crosses one, at ω_c.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def matrix(kp: float, kd: float, period: float, delay: float = 0.0, part: float = 1.0) -> Array:
    """What a period makes of (q, q̇, the accelerations asked for before: the last one first)."""
    whole = int(delay // period + 1e-9)
    late = delay - whole * period  # for which the acceleration before still acts
    n = whole + 3
    asked, old = np.zeros(n), np.eye(n)[2]
    asked[:2] = -kp * part, -kd * part
    asked += (1 - part) * old
    earlier = [asked, *np.eye(n)[2:]]  # accelerations asked for, the newest first
    A = np.zeros((n, n))
    A[:2, :2] = [[1.0, period], [0.0, 1.0]]
    rest = period - late
    A[0] += earlier[whole + 1] * late * (period - late / 2) + earlier[whole] * rest**2 / 2
    A[1] += earlier[whole + 1] * late + earlier[whole] * rest
    A[2:] = earlier[: n - 2]
    return A


def radius(kp: float, kd: float, period: float, delay: float = 0.0, part: float = 1.0) -> float:
    """The largest eigenvalue of a mode; below one it dies."""
    return float(np.abs(np.linalg.eigvals(matrix(kp, kd, period, delay, part))).max())


def phase_margin(kp: float, kd: float, period: float, delay: float = 0.0, part: float = 1.0) -> float:
    """Radians by which the loop of a mode could lag more before it swings without end."""
    crossing = np.sqrt((kd**2 + np.sqrt(kd**4 + 4 * kp**2)) / 2)
    lag = period / 2 + delay + (1 - part) / part * period
    return float(np.arctan2(kd * crossing, kp) - crossing * lag)
