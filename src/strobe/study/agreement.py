"""The torques of one state by every formulation that the robot allows, and how far they agree.

"Relative" means the largest difference over the largest entry of the reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from strobe.analysis.accuracy import TOLERANCE, relative
from strobe.equations.meaning import units_of
from strobe.formulations import REFERENCE
from strobe.robot import Robot
from strobe.show.tables import remark, table, tidy
from strobe.show.terminal import Table
from strobe.study.case import Array, Case
from strobe.study.refusals import reasons

TITLE = "Torques, by every formulation"

GOLDEN_TOLERANCE = 1e-10  # reference values carry 12 digits
WIDE = 12  # joints that are read side by side


def measure(case: Case) -> dict[str, Any]:
    """Torques without friction by each formulation, against one of them and the reference torques of the model."""
    case.require_dynamics()
    tau = {
        name: case.robot.inverse_dynamics(case.q, case.qd, case.qdd, friction=False, formulation=name)
        for name in case.formulations
    }
    differences = {name: relative(values, tau[REFERENCE]) for name, values in tau.items()}
    kept = _against_kept(case)
    return {
        "state": case.origin,
        "joints": case.robot.coordinates.rate_names,
        "units": units_of(case.robot),
        "reference": REFERENCE,
        "tau": tau,
        "relative_difference": differences,
        "refused": case.refused,
        "kept": kept,
        "passed": max(differences.values()) <= TOLERANCE and (kept is None or kept["met"]),
    }


def in_brief(data: Mapping[str, Any]) -> tuple[str, str]:
    """How far the formulations, or the reference torques, are apart."""
    if data["kept"] and data["kept"]["met"]:
        return f"{data['kept']['relative_difference']:.0e}", f"from {_whose(data['kept'])} (relative)"
    largest = max(data["relative_difference"].values())
    return (
        f"{largest:.0e}",
        f"is the most that {len(data['tau'])} formulations differ in a torque (relative)",
    )


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(f"the same motion through different equations, friction left out; at {data['state']}")
    yield _table(data)
    if data["kept"]:
        yield _verdict(data["kept"])
    yield from map(remark, reasons(data["refused"]))


def _table(data: Mapping[str, Any]) -> Table:
    """A row per formulation; where there are more joints than columns are read, a row per joint."""
    values = tidy(list(data["tau"].values()))
    off = [float(f"{x:.0e}") for x in data["relative_difference"].values()]
    beside = f"relative to {data['reference']}"
    named = [f"{joint} ({unit})" for joint, unit in zip(data["joints"], data["units"], strict=True)]
    if len(named) > WIDE:
        rows = [[joint, *tau] for joint, *tau in zip(named, *values, strict=True)]
        return table(["joint", *data["tau"]], [*rows, [beside, *off]])
    rows = [[name, *tau, x] for name, tau, x in zip(data["tau"], values, off, strict=True)]
    return table(["formulation", *named, beside], rows)


def _verdict(kept: Mapping[str, Any]) -> str:
    """Whether the reference torques are met, and how closely or by how much not."""
    off = kept["relative_difference"]
    if kept["met"]:
        return f"{_whose(kept)} are met to {off:.1e} (relative)"
    return (
        f"{_whose(kept)} are NOT met: off by {off:.1e} (relative; up to {GOLDEN_TOLERANCE:.0e} is rounding)"
    )


def _whose(kept: Mapping[str, Any]) -> str:
    """Published torques are called so where the model says by whom; others were computed."""
    return (
        f"the published torques ({kept['source']})" if kept["source"] else "the model's reference torques"
    )


def _against_kept(case: Case) -> dict[str, Any] | None:
    """The torques here beside those that the model keeps for this state."""
    if case.golden is None or "tau" not in case.golden:
        return None
    kept = np.array(case.golden["tau"], dtype=float)
    with_motors, with_friction = (bool(case.golden.get(key, True)) for key in ("motors", "friction"))
    tau = case.robot.inverse_dynamics(case.q, case.qd, case.qdd, friction=with_friction)
    if not with_motors:
        tau = tau - _rotor_inertias(case.robot) * case.qdd
    off = relative(tau, kept)
    source = str(case.golden.get("source", ""))
    return {"tau": kept, "source": source, "relative_difference": off, "met": bool(off <= GOLDEN_TOLERANCE)}


def _rotor_inertias(robot: Robot) -> Array:
    return np.array([joint.rotor_inertia for joint in robot.coordinates.joints for _ in range(joint.nv)])
