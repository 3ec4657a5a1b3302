"""Laws of mechanics, checked on this robot at this state: each a number, a bound and a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from strobe.errors import SingularMassMatrixError
from strobe.study.agreement import relative
from strobe.study.case import Case
from strobe.study.tables import remark, table

TITLE = "Laws of mechanics, checked here"

ROUNDING = 1e-11
EPSILON = float(np.finfo(float).eps)


def measure(case: Case) -> dict[str, Any]:
    """Every law with its residual, or the reason why it does not apply."""
    case.require_dynamics()
    laws = [law(case) for law in LAWS]
    return {"laws": laws, "passed": all(law["holds"] is not False for law in laws)}


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark("each residual is relative; the bound is what rounding allows")
    marks = {True: "holds", False: "FAILS", None: "not defined"}
    yield table(
        ["law", "", "residual", "bound"],
        [[x["law"], marks[x["holds"]], _power(x["residual"]), _power(x["bound"])] for x in data["laws"]],
    )
    yield from (remark(x["why"]) for x in data["laws"] if x.get("why"))


def _power(x: float | None) -> str:
    return "" if x is None else f"{x:.0e}" if x else "0"


def symmetric(case: Case) -> dict[str, Any]:
    """M strobed column by column equals its transpose."""
    M = _strobed(case)
    return _law("the mass matrix is symmetric", relative(M, M.T), ROUNDING)


def positive(case: Case) -> dict[str, Any]:
    """The smallest eigenvalue of M, relative to the largest, is not negative."""
    values = np.linalg.eigvalsh(case.robot.mass_matrix(case.q))
    largest = max(abs(float(values[-1])), EPSILON)
    return _law(
        "the mass matrix is positive (kinetic energy)", max(0.0, -float(values[0])) / largest, ROUNDING
    )


def coriolis(case: Case) -> dict[str, Any]:
    """C(q, qd) qd is the velocity part of inverse dynamics."""
    robot, still = case.robot, np.zeros(case.robot.nv)
    torques = robot.inverse_dynamics(case.q, case.qd, still, gravity=np.zeros(3), friction=False)
    product = robot.coriolis_matrix(case.q, case.qd) @ case.qd
    return _law("C(q, qd) qd are the velocity torques", relative(product, torques), ROUNDING)


def round_trip(case: Case) -> dict[str, Any]:
    """Forward dynamics of the inverse dynamics returns the accelerations."""
    name = "forward dynamics undoes inverse dynamics"
    tau = case.robot.inverse_dynamics(case.q, case.qd, case.qdd)
    try:
        qdd = case.robot.forward_dynamics(case.q, case.qd, tau)
    except SingularMassMatrixError as error:
        return {"law": name, "residual": None, "bound": None, "holds": None, "why": str(error)}
    condition = float(np.linalg.cond(case.robot.mass_matrix(case.q)))
    return _law(name, relative(qdd, case.qdd), max(ROUNDING, 100 * EPSILON * condition))


LAWS: tuple[Callable[[Case], dict[str, Any]], ...] = (symmetric, positive, coriolis, round_trip)


def _law(name: str, residual: float, bound: float) -> dict[str, Any]:
    return {"law": name, "residual": residual, "bound": bound, "holds": residual <= bound}


def _strobed(case: Case) -> np.ndarray:
    """Row j holds the torques of a unit acceleration of degree of freedom j, nothing assumed symmetric."""
    units = np.eye(case.robot.nv)
    return case.robot.inverse_dynamics(
        case.q, np.zeros_like(units[0]), units, gravity=np.zeros(3), friction=False
    )
