"""The torques of one state by every formulation that the robot allows, and how far they agree.

"Relative" means the largest difference over the largest entry of the reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from rich.table import Table

from strobe.analysis.accuracy import TOLERANCE, relative
from strobe.formulations import DEFAULT
from strobe.robot import Robot
from strobe.study.case import Array, Case
from strobe.study.refusals import told
from strobe.study.tables import remark, table, tidy

TITLE = "Torques, by every formulation"

GOLDEN_TOLERANCE = 1e-10  # published values carry 12 digits
WIDE = 12  # joints that are read side by side


def measure(case: Case) -> dict[str, Any]:
    """Torques without friction by each formulation, against the reference and the published ones."""
    case.require_dynamics()
    tau = {
        name: case.robot.inverse_dynamics(case.q, case.qd, case.qdd, friction=False, formulation=name)
        for name in case.formulations
    }
    differences = {name: relative(values, tau[DEFAULT]) for name, values in tau.items()}
    published = _against_published(case)
    return {
        "state": case.origin,
        "joints": case.robot.coordinates.rate_names,
        "reference": DEFAULT,
        "tau": tau,
        "relative_difference": differences,
        "refused": case.refused,
        "published": published,
        "passed": max(differences.values()) <= TOLERANCE and (published is None or published["met"]),
    }


def in_brief(data: Mapping[str, Any]) -> tuple[str, str]:
    """How far the formulations, or the published torques, are apart."""
    if data["published"] and data["published"]["met"]:
        return f"{data['published']['relative_difference']:.0e}", "from the published torques (relative)"
    largest = max(data["relative_difference"].values())
    return (
        f"{largest:.0e}",
        f"is the most that {len(data['tau'])} formulations differ in a torque (relative)",
    )


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(f"the same motion through different equations, friction left out; at {data['state']}")
    yield _table(data)
    if data["published"]:
        yield _verdict(data["published"])
    yield from map(remark, told(data["refused"]))


def _table(data: Mapping[str, Any]) -> Table:
    """A row per formulation; where there are more joints than columns are read, a row per joint."""
    values = tidy(list(data["tau"].values()))
    off = [float(f"{x:.0e}") for x in data["relative_difference"].values()]
    beside = f"relative to {data['reference']}"
    if len(data["joints"]) > WIDE:
        rows = [[joint, *tau] for joint, *tau in zip(data["joints"], *values, strict=True)]
        return table(["joint", *data["tau"]], [*rows, [beside, *off]])
    rows = [[name, *tau, x] for name, tau, x in zip(data["tau"], values, off, strict=True)]
    return table(["formulation", *data["joints"], beside], rows)


def _verdict(published: Mapping[str, Any]) -> str:
    """Whether the published torques are met, and how closely or by how much not."""
    off = published["relative_difference"]
    if published["met"]:
        return f"the published torques are met to {off:.1e} (relative)"
    return f"the published torques are NOT met: off by {off:.1e} (relative; up to {GOLDEN_TOLERANCE:.0e} is rounding)"


def _against_published(case: Case) -> dict[str, Any] | None:
    if case.golden is None or "tau" not in case.golden:
        return None
    published = np.array(case.golden["tau"], dtype=float)
    with_motors, with_friction = (bool(case.golden.get(key, True)) for key in ("motors", "friction"))
    tau = case.robot.inverse_dynamics(case.q, case.qd, case.qdd, friction=with_friction)
    if not with_motors:
        tau = tau - _rotor_inertias(case.robot) * case.qdd
    off = relative(tau, published)
    return {"tau": published, "relative_difference": off, "met": bool(off <= GOLDEN_TOLERANCE)}


def _rotor_inertias(robot: Robot) -> Array:
    return np.array([joint.rotor_inertia for joint in robot.coordinates.joints for _ in range(joint.nv)])
