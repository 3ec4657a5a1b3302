"""A base that moves: the momentum of all links about their centre of mass, and the blocks that the base adds.

h = A_G qd         A_G qdd + Ȧ_G qd = force and moment from outside        D_e = [[M_t 1, A], [Aᵀ, D]]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from strobe.errors import UnsupportedModelError
from strobe.models.bases import mobility
from strobe.robot import Robot
from strobe.show.tables import remark, short, table, tidy
from strobe.study.case import Array, Case

TITLE = "Moving base"

TOLERANCE = 1e-9  # relative: to which the rate of momentum is the force from outside
ROWS = ("x", "y", "z")


def applies(robot: Robot) -> bool:
    return mobility(robot.model)[0] != "fixed"


def measure(case: Case) -> dict[str, Any]:
    """Momentum, its matrix and its rate at the state, and how they hang together with the force on the base."""
    robot, (base, joints) = case.robot, mobility(case.robot.model)
    if base == "fixed":
        raise UnsupportedModelError(f"{robot.name} stands on a fixed base.")
    case.require_dynamics()
    A = robot.centroidal_momentum_matrix(case.q)
    rate = A @ case.qdd + robot.centroidal_momentum_bias(case.q, case.qd)
    outside, mass = _outside(case)
    off = float(np.abs(rate[:3] - outside).max() / (1.0 + np.abs(outside).max()))
    driven = sum(joint.nv for joint in robot.coordinates.joints if joint.name in joints)
    return {
        "state": case.origin,
        "base": base,
        "joints": robot.coordinates.rate_names,
        "driven_by_the_base": driven,
        "mass": mass,
        "center_of_mass": robot.center_of_mass(case.q),
        "centroidal_momentum_matrix": A,
        "momentum": A @ case.qd,
        "momentum_rate": rate,
        "blocks": _blocks(case, driven),
        "outside": outside,
        "relative_difference": off,
        "passed": bool(off <= TOLERANCE),
    }


def _outside(case: Case) -> tuple[Array, float]:
    """The force (3,) of the world on all links together, gravity among it, and their mass."""
    from strobe.mechanisms.extended_coordinates import total_mass
    from strobe.mechanisms.zero_moment_point import gravity_of, total_wrench

    mass = total_mass(case.robot.model)
    force, _ = total_wrench(case.robot, case.q, case.qd, case.qdd)
    return force + mass * gravity_of(case.robot), mass


def _blocks(case: Case, driven: int) -> dict[str, Array]:
    """M as the base and the joints share it."""
    M = case.robot.mass_matrix(case.q)
    return {"base": M[:driven, :driven], "coupling": M[:driven, driven:], "joints": M[driven:, driven:]}


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(f"{data['base']} base, at {data['state']}; momentum about the centre of mass, base axes")
    place = ", ".join(short(x) for x in tidy(data["center_of_mass"]))
    yield f"{short(data['mass'])} kg with their centre of mass at ({place}) m"
    columns = ("momentum", "momentum_rate")
    linear, angular = (
        [[tidy(data[name])[k + start] for name in columns] for k in range(3)] for start in (0, 3)
    )
    rows = [[axis, *p, *h] for axis, p, h in zip(ROWS, linear, angular, strict=True)]
    yield table(["", "p (kg m/s)", "its rate (N)", "h (kg m²/s)", "its rate (N m)"], rows)
    yield remark(
        "the part of the mass matrix that the base and the joints share: a joint's acceleration on the base"
    )
    n = data["driven_by_the_base"]
    names, coupling = data["joints"], tidy(data["blocks"]["coupling"].T)
    yield table(
        ["joint", *names[:n]], [[name, *row] for name, row in zip(names[n:], coupling, strict=True)]
    )
    yield (
        f"the rate of the momentum is the force of the world and gravity to {data['relative_difference']:.0e} "
        f"(relative; {'' if data['passed'] else 'NOT '}within {TOLERANCE:.0e})"
    )
