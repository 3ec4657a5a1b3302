"""Torques, momenta and energies as linear functions of the inertial parameters."""

from __future__ import annotations

from strobe.formulations import regressors
from strobe.quantities.drives import DRIVE, drive_column
from strobe.quantities.evaluation import Asked
from strobe.scalars import Num, Numbers


def regressor(asked: Asked, q: Numbers, qd: Numbers, qdd: Numbers) -> list[list[Num]]:
    """Y with tau = Y π: the torques of a motion as a linear function of the inertial parameters, and of drives."""
    x = asked.coordinates
    q, qd, qdd = x.expand(q), x.expand_rates(qd), x.expand_rates(qdd)
    rows = regressors.torque_regressor(asked.model, q, qd, qdd)
    if asked.request.drives:
        columns = [drive_column(rate, change) for rate, change in zip(qd, qdd, strict=True)]
        none = [0.0] * len(DRIVE)
        for i, row in enumerate(rows):
            row += [entry for j, own in enumerate(columns) for entry in (own if i == j else none)]
    return x.reduce_rows(rows)


def momentum_regressor(asked: Asked, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """Y with M qd = Y π, rotor inertia left out."""
    x = asked.coordinates
    return x.reduce_rows(regressors.momentum_regressor(asked.model, x.expand(q), x.expand_rates(qd)))


def energy_regressor(asked: Asked, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """Two rows of factors of the inertial parameters in the kinetic (of bodies) and the potential energy."""
    x = asked.coordinates
    return regressors.energy_regressor(asked.model, x.expand(q), x.expand_rates(qd))
