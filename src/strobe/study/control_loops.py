"""Closed loops in numbers: how far the hand and the joints were off, what it took, and what a step costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.show.tables import in_units, remark, short, table, three
from strobe.show.terminal import Table

if TYPE_CHECKING:
    from strobe.control.step_cost import Cost
    from strobe.control.tracking_result import Tracked

Array = np.ndarray


def told(run: Tracked, cost: Cost | None = None, frame: str | None = None) -> dict[str, Any]:
    """What there is to say about one loop, as data; errors and torques of what was reached."""
    from strobe.control.status import TrackingStatus  # every verb imports the study: control waits

    reached = np.isfinite(np.concatenate([run.qd, run.tau], axis=-1)).all(axis=-1)
    error, hand, tau = run.error[reached], run.hand_error(frame)[reached], run.tau[reached]
    power = np.abs((tau * run.qd[reached]).sum(axis=-1))
    data = {
        "controller": run.controller.name,
        "title": run.controller.title,
        "status": TrackingStatus(int(run.status)).name.lower(),
        "reached": float(run.stopped),
        "hand": {"rms": _rms(hand), "largest": float(hand.max())},
        "error": {"rms": _rms(error), "largest": np.abs(error).max(axis=0)},
        "torque": {"rms": _rms(tau), "largest": np.abs(tau).max(axis=0)},
        "work": float(power.sum() * run.controller.period),
        "cut": run.cut,
        "gains": {name: values.tolist() for name, values in run.controller.gains.items()},
        "notes": list(run.notes),
    }
    return data if cost is None else data | _costs(cost)


def alone(run: Tracked, which: int) -> Tracked:
    """One loop of a batch along one axis, without its memory."""
    own = {name: getattr(run, name)[which] for name in ("q", "qd", "tau", "cut", "stopped", "status")}
    return replace(run, **own, memory={})


def _rms(values: Array) -> Any:
    found = np.sqrt((values**2).mean(axis=0))
    return found if found.ndim else float(found)


def _costs(cost: Cost) -> dict[str, Any]:
    operations = cost.operations
    counts = {name: getattr(operations, name) for name in operations.__dataclass_fields__}
    return {"operations": counts, "ns": cost.ns}


def joints(run: Tracked) -> list[str]:
    """The degrees of freedom by name."""
    return list(run.plant.coordinates.rate_names)


def shown(data: Mapping[str, Any]) -> Iterator[Any]:
    """Loops as a terminal prints them: a line, a row per controller, and the joints of a loop that is alone."""
    rate = f"{short(data['rate'])} Hz"
    yield remark(f"{data['planner']}: {short(data['duration'])} s, controlled at {rate}")
    yield loops_table(data["loops"], data["units"])
    if len(data["loops"]) == 1:
        yield joints_table(data["joints"], data["units"], data["loops"][0])


def loops_table(loops: list[dict[str, Any]], units: Sequence[str]) -> Table:
    """Errors, effort, saturation and cost of every controller."""
    joints_off = in_units("joints largest", "position", units)
    head = [
        "controller", "status", "hand rms (m)", "hand largest (m)", joints_off, "work (J)", "cut (s)",
        "operations", "ns a step",
    ]  # fmt: skip
    rows = [
        [
            each["controller"], each["status"], each["hand"]["rms"], each["hand"]["largest"],
            float(np.max(each["error"]["largest"])), each["work"], float(np.max(each["cut"])),
            sum(each["operations"].values()), three(each["ns"]),
        ]
        for each in loops
    ]  # fmt: skip
    return table(head, rows)


def joints_table(names: list[str], units: Sequence[str], loop: Mapping[str, Any]) -> Table:
    """Errors and torques of every joint, and for how long its motor gave less than was asked."""
    errors = [in_units(f"{kind} error", "position", units) for kind in ("rms", "largest")]
    torques = [in_units(f"{kind} torque", "torque", units) for kind in ("rms", "largest")]
    head = ["joint", *errors, *torques, "cut (s)"]
    columns = [
        loop["error"]["rms"],
        loop["error"]["largest"],
        loop["torque"]["rms"],
        loop["torque"]["largest"],
    ]
    columns = [np.asarray(column).tolist() for column in (*columns, loop["cut"])]
    return table(head, [list(row) for row in zip(names, *columns, strict=True)])
