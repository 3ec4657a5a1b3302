"""What every joint transmits to the body it carries, and how much of it the bearings hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from strobe.errors import UnsupportedModelError
from strobe.show.tables import remark, table, tidy
from strobe.show.terminal import Table
from strobe.study import loop_forces
from strobe.study import page_parts as page
from strobe.study.case import Case
from strobe.study.figure_body import body_figure

TITLE = "What the joints transmit"
LARGEST = 100  # degrees of freedom: they come with the terms of all torques


def measure(case: Case) -> dict[str, Any]:
    """Force and moment (joints, 6) at each joint, base axes, and the same without what acts along the joint."""
    case.require_dynamics()
    case.require_at_most(LARGEST, "Wrenches with their terms", "Ask robot.joint_wrenches.")
    found = case.explanation
    return {
        "state": case.origin,
        "joints": found.hinges,
        "wrenches": found.wrenches,
        "constraints": found.constraints,
        "remarks": found.remarks,
        "loop_forces": _in_held_loops(case),
    }


def _in_held_loops(case: Case) -> dict[str, Any] | None:
    """The forces in loops that couplings keep closed; others are shown with the closed chains."""
    model = case.robot.model
    if model.is_closed or not model.loops or np.isnan(case.explanation.wrenches).any():
        return None
    return loop_forces.measured(case.robot, case.q, case.qd, case.qdd) | {"remarks": ()}  # told already


def command(case: Case) -> str:
    return case.at_state("explain")


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    """The table, and the free-body diagram of a link where one can be cut free."""
    try:
        drawn = page.figure(body_figure(case.robot, case.q, case.qd, case.qdd))
    except UnsupportedModelError as error:
        drawn = page.tag("p", str(error), class_="remark")
    return page.markup(page.printed(render(data)), drawn)


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        f"force (N) and moment (N m) on the body that a joint carries, base axes, at {data['state']}; "
        "across: what the bearings hold"
    )
    if not np.isnan(data["wrenches"]).any():
        yield loads_table(data["joints"], data["wrenches"], data["constraints"])
    yield from map(remark, data["remarks"])
    if data["loop_forces"] is not None:
        yield from loop_forces.shown(data["loop_forces"])


def loads_table(joints: Sequence[str], wrenches: np.ndarray, constraints: np.ndarray) -> Table:
    """Forces and moments joint by joint, and the size of what is not along the joint."""
    loads = np.concatenate([wrenches, constraints], axis=-1)
    forces, moments = (tidy(loads[:, [k, k + 1, k + 2, k + 6, k + 7, k + 8]], loads) for k in (0, 3))
    rows = [
        [name, *f[:3], math.hypot(*f[3:]), *m[:3], math.hypot(*m[3:])]
        for name, f, m in zip(joints, forces, moments, strict=True)
    ]
    forces, moments = ([f"{name} ({unit})" for name in names.split()] for names, unit in HEADS)
    return table(["joint", *forces, *moments], rows)


HEADS = (("fx fy fz across", "N"), ("mx my mz across", "N m"))
