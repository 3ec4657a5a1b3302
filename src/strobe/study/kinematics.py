"""Between the hand and the joints: every way to hold the hand, where it can be, how well it moves there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from strobe.kinematics.figure_branches import branches_figure
from strobe.kinematics.workspace import (
    CrossSection,
    cross_section,
    joint_range,
    moving_numbers,
    plane_manipulability,
)
from strobe.models.default_frame import hands
from strobe.robot import Robot
from strobe.show.plots import map_plot, time_plot
from strobe.show.tables import in_units, remark, short, table, tidy
from strobe.show.units import efforts
from strobe.study import page_parts as page
from strobe.study.case import Case, numbers
from strobe.study.inverse_solutions import answer, answer_lines, answer_table

TITLE = "Hand and joints"

SAMPLES, FEWER = 30_000, 6_000  # positions drawn for the workspace; fewer in a quick study
CELLS, WIDER = 60, 40  # across the workspace
STEPS = 41  # along the range of a joint
DRAWN = 8  # branches
FEW = 3  # joints that reach a position in several ways, but no pose
LINES = 12  # joints whose manipulability is drawn: those that matter most


def measure(case: Case) -> dict[str, Any]:
    """The hand of the state solved back into joints; its workspace; its manipulability along every joint."""
    frame = case.hand
    samples, cells = (FEWER, WIDER) if case.quick else (SAMPLES, CELLS)
    section = cross_section(case.robot, frame, samples)
    x, y, best = section.cells(cells)
    nearest, farthest = section.distances
    return {
        "frame": frame,
        "tips": hands(case.robot.model),
        "state": case.origin,
        "pose": case.robot.forward_kinematics(case.q, frame),
        "inverse": _inverse(case, frame),
        "workspace": {
            "samples": samples,
            "across": section.across,
            "up": section.up,
            "nearest": nearest,
            "farthest": farthest,
            "x": x,
            "y": y,
            "manipulability": best,
        },
        "manipulability": _along(case, frame, section),
    }


def _inverse(case: Case, frame: str) -> dict[str, Any]:
    """The solutions at the pose of the state.

    A few joints reach a pose in one way at most: there the position alone is asked for, if it has more.
    """
    from strobe.kinematics.inverse import every_way  # every verb imports the study: this one waits

    robot = case.robot
    pose = robot.forward_kinematics(case.q, frame)
    found = {
        what: answer(robot, frame, every_way(robot, pose, frame, what=what, q0=case.q))
        for what in (("position", "pose") if moving_numbers(robot, frame).sum() <= FEW else ("pose",))
    }
    what = max(found, key=lambda each: found[each]["count"])
    return {"what": what, **found[what]}


def _along(case: Case, frame: str, section: CrossSection) -> dict[str, Any]:
    """Manipulability of the translation while one joint goes through its range and the others stay."""
    robot = case.robot
    moving = moving_numbers(robot, frame)
    joints = [each for each in robot.coordinates.joints if each.nq == 1 and moving[each.q]]
    q = np.tile(case.q, (len(joints), STEPS, 1))
    for k, joint in enumerate(joints):
        q[k, :, joint.q] = np.linspace(*joint_range(robot, joint.name), STEPS)
    return {
        "joints": [joint.name for joint in joints],
        "units": efforts(joints),
        "ranges": [joint_range(robot, joint.name) for joint in joints],
        "here": float(plane_manipulability(robot, case.q, frame, section.plane)),
        "values": plane_manipulability(robot, q, frame, section.plane),
    }


def in_brief(data: Mapping[str, Any]) -> tuple[str, str] | None:
    """How many ways there are to hold the hand."""
    found = data["inverse"]
    if found["count"] < 2:
        return None
    if found["parameter"]:
        return (
            "infinitely many",
            f"ways to hold {data['frame']} in one place: {found['parameter']} chooses one",
        )
    return (
        f"{found['within_limits']} of {found['count']}",
        f"ways to hold {data['frame']} in one place are within the limits ({found['recognised']})",
    )


# -- shown --------------------------------------------------------------------------------------------


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield from _solved(data)
    yield from _reached(data)


def _solved(data: Mapping[str, Any]) -> Iterator[Any]:
    """The table of branches."""
    if len(data["tips"]) > 1:
        yield remark(f"of the tips {', '.join(data['tips'])} this is about {data['frame']}")
    found = data["inverse"]
    what = "" if found["what"] == "pose" else ", its orientation left open,"
    yield remark(f"joint positions that bring {data['frame']}{what} to where it is at {data['state']}")
    yield from map(remark, answer_lines(found))
    if found["count"]:
        yield answer_table(found)


def _reached(data: Mapping[str, Any]) -> Iterator[Any]:
    """Reach, and the manipulability along every joint."""
    reach, along = data["workspace"], data["manipulability"]
    yield remark(
        f"{data['frame']} comes as near as {short(reach['nearest'])} m to the base and goes as far as "
        f"{short(reach['farthest'])} m ({reach['samples']:,} random positions within the limits)"
    )
    if along["joints"]:
        yield remark(
            f"manipulability of its translation: {short(along['here'])} here; along the range of each joint"
        )
        rows = [
            [name, *ends, min(w), max(w)]
            for name, ends, w in zip(along["joints"], along["ranges"], tidy(along["values"]), strict=True)
        ]
        ends = [in_units(name, "position", along["units"]) for name in ("from", "to")]
        yield table(["joint", *ends, "least", "most"], rows)


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    return page.markup(
        _branches(data, case),
        page.printed(_solved(data)),
        _command(data, case),
        page.beside(
            page.figure(
                _map(data, case.robot),
                "The best of the random positions in each cell: dark is easy to move.",
            ),
            page.tag("div", page.printed(_reached(data))),
            even=True,
        ),
        page.figure(_lines(data, case.robot)) if data["manipulability"]["joints"] else None,
    )


def _branches(data: Mapping[str, Any], case: Case) -> page.Html | None:
    """The solutions side by side."""
    shown = data["inverse"]["solutions"][:DRAWN]
    if not shown:
        return None
    captions = [_caption(k, solution, data["inverse"]) for k, solution in enumerate(shown, 1)]
    drawn = branches_figure(case.robot, [x["q"] for x in shown], captions, frame=data["frame"])
    count = data["inverse"]["count"]
    told = "" if count <= DRAWN else f"{DRAWN} of {count} solutions; all are in the table."
    return page.figure(drawn, told)


def _caption(k: int, solution: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """The number of a solution, the words of its branch or its parameter, and whether it breaks limits."""
    first, *others = solution["branch"].partition(") ")[2].split(", ")
    if found["parameter"]:
        value = solution["q"][found["joints"].index(found["parameter"])]
        first = f"{found['parameter']} {value:.3g}".replace("-", "−")
    limits = "" if solution["within"] else "outside the limits"
    return [f"{k}: {first}" if first else str(k), ", ".join(others), limits]


def _command(data: Mapping[str, Any], case: Case) -> page.Html | None:
    """What gives the same solutions again; it knows no gravity."""
    if "--gravity" in case.called:
        return None
    at = f"--at {numbers(case.q)}"
    if data["inverse"]["what"] == "position":
        at = f"--position {numbers(data['pose'][:3, 3])} --q0 {numbers(case.q)}"
    return page.command_line(f"ik {case.called} {at} --frame {shlex.quote(data['frame'])} --all")


def _map(data: Mapping[str, Any], robot: Robot) -> str:
    reach = data["workspace"]
    title = f"Where {data['frame']} of {robot.name} can be"
    return map_plot(
        title, reach["x"], reach["y"], reach["manipulability"], "manipulability",
        across=reach["across"], up=reach["up"],
    )  # fmt: skip


def _lines(data: Mapping[str, Any], robot: Robot) -> str:
    along = data["manipulability"]
    values = np.asarray(along["values"])
    kept = np.sort(np.argsort(-np.ptp(values, axis=1), kind="stable")[:LINES])
    curves = {along["joints"][k]: values[k] for k in kept}
    title = f"Manipulability of {data['frame']} of {robot.name}, one joint moving"
    return time_plot(
        title, np.linspace(0, 100, STEPS), curves, "√det(J Jᵀ)", across="of the joint's range (%)"
    )
