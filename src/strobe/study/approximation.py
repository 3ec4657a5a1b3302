"""What may be left out of the torques of a motion, tabulated or extrapolated: what that saves, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from strobe.approximate.figure import trade_off_figure
from strobe.approximate.recommendation import in_bytes, percent
from strobe.robot import Robot
from strobe.show.axes import NARROW, WIDTH
from strobe.show.tables import remark, short, table, three
from strobe.study import ladder, page_parts as page
from strobe.study.case import Case
from strobe.study.refusals import reasons

TITLE = "What may be left out"

MOST, FEWER = 12, 7  # degrees of freedom that are waited for; fewer in a quick study
QUICK = ("exact", "without-velocity-terms")
SAMPLES = {False: 500, True: 200}  # instants of the motion; fewer in a quick study
SECONDS = {False: 1.0, True: 0.0}
ROUND = {False: 1e-2, True: 1e-3}


def measure(case: Case) -> dict[str, Any]:
    """The methods on the motion of the section on trajectories."""
    from strobe.approximate.report import trade_off  # every verb imports the study: methods wait
    from strobe.control.tracking_deviation import straying
    from strobe.study.trajectory import motion_of

    case.require_dynamics()
    case.require_at_most(FEWER if case.quick else MOST, "approximations", "See strobe approximate.")
    robot, motion, quick = Robot(case.robot.model), motion_of(case), case.quick
    how = {"samples": SAMPLES[quick], "seconds": SECONDS[quick], "round": ROUND[quick]}
    found = trade_off(
        robot, motion, QUICK if quick else None, tracking=None if quick else straying(robot, motion), **how
    )
    return found.told() | ({} if quick else {"ladder": ladder.told(robot)})


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield from shown(data)
    if "ladder" in data:
        yield from ladder.shown(data["ladder"])


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    wide, narrow = (trade_off_figure(data, width) for width in (WIDTH, NARROW))
    caption = "The error of every method, numbered as below, over its time and over its memory."
    summary = page.tag("summary", "Joint by joint, and what to know of each method")
    return page.markup(
        page.printed(_told(data)),
        page.figure_by_width(wide, narrow, caption),
        page.printed([methods_table(data)]),
        page.tag("details", summary, page.printed(_closer(data))),
        page.printed(ladder.shown(data["ladder"]) if "ladder" in data else ()),
    )


# -- shown, in the report and by strobe approximate --------------------------------------------------------------


def shown(data: Mapping[str, Any]) -> Iterator[Any]:
    """A trade-off as a terminal prints it: the sentences, the methods, their errors by joint, what is left out."""
    yield from _told(data)
    yield methods_table(data)
    yield from _closer(data)


def _told(data: Mapping[str, Any]) -> Iterator[Any]:
    """The recommendation, what it follows from, and what the table is about."""
    yield from filter(None, (data["recommendation"], data["by_work"], data["on_tables"]))
    yield remark(f"the rule: {data['rule']}")
    yield remark(
        f"{data['motion']}, {short(data['duration'])} s at {data['samples']:,} instants; errors are shares of each "
        "joint's largest torque; * no other is as good in memory, time and error"
    )
    if _tracked(data):
        yield remark(
            "tracking errors: how far the hand strays under these torques, with a spring and a damper at every joint"
        )


def _tracked(data: Mapping[str, Any]) -> bool:
    """Whether arms under control were looked at too."""
    return all("tracking" in row for row in data["methods"].values())


def _closer(data: Mapping[str, Any]) -> Iterator[Any]:
    """Errors by joint, what users must know, and what could not be had."""
    yield remark("rms of the error, joint by joint (N m or N)")
    yield joints_table(data)
    yield from map(remark, [*_notes(data["methods"]), *reasons(data["refused"])])


def methods_table(data: Mapping[str, Any]) -> Any:
    """A row per method: what it costs and how far off it is."""
    tracked = _tracked(data)
    head = [
        "method", "", "memory", "×", "+", "sin, cos", "look-ups", "ns", "µs, one call", "prepared in",
        "rms (share)", "at most (share)", "worst joint",
    ]  # fmt: skip
    rows = [
        [name, "*" if name in data["pareto"] else "", *_costs(row), *_errors(row, data["joints"])]
        + ([three(1e3 * row["tracking"])] if tracked else [])
        for name, row in data["methods"].items()
    ]
    return table([*head, *(["tracking error (mm)"] if tracked else [])], rows)


def _costs(row: Mapping[str, Any]) -> list[Any]:
    operations = row["operations"]
    counts = [operations[name] for name in ("multiplications", "additions", "angular", "lookups")]
    single = row["single_ns"]
    times = [None if ns is None else three(ns) for ns in (row["ns"], single and single / 1e3)]
    return [in_bytes(row["memory"]), *counts, *times, f"{row['preparation']:.2g} s"]


def _errors(row: Mapping[str, Any], joints: list[str]) -> list[Any]:
    worst = int(np.argmax(row["relative"]))
    return [
        percent(max(row["relative_rms"])),
        percent(row["error"]),
        joints[worst] if row["error"] else None,
    ]


def joints_table(data: Mapping[str, Any]) -> Any:
    """The error of every method at every joint, and the largest torques that they are held against."""
    rows = [["largest torque", *map(three, data["largest_torque"])]]
    rows += [[name, *map(three, row["rms"])] for name, row in data["methods"].items() if np.any(row["rms"])]
    return table(["", *data["joints"]], rows)


def _notes(methods: Mapping[str, Any]) -> Iterator[str]:
    """What the users of methods must know, once for all that share it."""
    alike: dict[str, list[str]] = {}
    for name, row in methods.items():
        for sentence in row["notes"]:
            alike.setdefault(sentence, []).append(name)
    for sentence, names in alike.items():
        yield f"{', '.join(names)}: {sentence}"
