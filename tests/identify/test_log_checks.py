"""Columns of a log that cannot all be in the units they are taken in."""

from pathlib import Path

import numpy as np
import pytest

import strobe

T = np.linspace(0.0, 2.0, 201)
Q = np.stack([0.3 * np.sin(2 * T), 0.2 * np.cos(3 * T)], axis=1)
QD = np.stack([0.6 * np.cos(2 * T), -0.6 * np.sin(3 * T)], axis=1)
QDD = np.stack([-1.2 * np.sin(2 * T), -1.8 * np.cos(3 * T)], axis=1)


def remarks(tmp_path: Path, t: np.ndarray, *columns: np.ndarray) -> list[str]:
    names = [f"{name}{k}" for name in ("q", "qd", "qdd")[: len(columns)] for k in (1, 2)]
    path = tmp_path / "log.csv"
    np.savetxt(
        path, np.column_stack([t, *columns]), delimiter=",", header=",".join(["t", *names]), comments=""
    )
    return strobe.read_log(path, strobe.load("planar2")).remarks


def test_columns_that_agree_leave_nothing_to_say_with_noise_or_without(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    assert remarks(tmp_path, T, Q, QD, QDD) == []
    noisy = [x + rng.normal(size=x.shape) * 0.05 * np.abs(x).max() for x in (Q, QD, QDD)]
    assert remarks(tmp_path, T, *noisy) == []
    assert remarks(tmp_path, T, rng.normal(size=Q.shape), 50 * rng.normal(size=Q.shape)) == []
    assert remarks(tmp_path, T, 0 * Q + 1.0, 0 * QD) == []


@pytest.mark.parametrize(
    ("t", "columns", "said"),
    [
        (
            T,
            (Q, np.degrees(QD)),
            "positions of joint1 (and of 1 joint more) change 0.0175 times as fast as its vel",
        ),
        (T, (np.degrees(Q), QD), "change 57.3 times as fast as its velocities say"),
        (1000 * T, (Q, QD), "change 0.001 times as fast as its velocities say"),
        (T, (Q, -QD), "change -1 times as fast as its velocities say"),
        (
            T,
            (Q, QD, np.degrees(QDD)),
            "velocities of joint1 (and of 1 joint more) change 0.0175 times as fast as",
        ),
    ],
)
def test_another_unit_of_some_columns_is_told(
    tmp_path: Path, t: np.ndarray, columns: tuple[np.ndarray, ...], said: str
) -> None:
    assert any(said in remark for remark in remarks(tmp_path, t, *columns))
