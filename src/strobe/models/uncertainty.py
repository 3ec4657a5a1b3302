"""How well a robot's parameters are known: what logs told of combinations that torques feel, kept with the model.

    x = values + F z        z of unit variance; x base parameters, then rotor, viscous and Coulomb friction of joints

It says nothing of what a kernel computes, and goes with the robot into its TOML file.
"""

from __future__ import annotations

from dataclasses import dataclass

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """Parameters by name with a lower triangle F, row by row as far as it goes: their covariance is F Fᵀ."""

    names: tuple[str, ...]  # what each base parameter is named for, then Ir1, v1, c1, … of joints
    values: tuple[float, ...]
    factor: Rows
    open: tuple[str, ...] = ()  # those that no log told: they stay where they are
