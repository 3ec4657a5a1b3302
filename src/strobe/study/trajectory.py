"""A motion through three points within the limits, planned in several ways: how long each takes and what it uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.robot import Robot
from strobe.show.json_text import plain
from strobe.show.tables import remark, short, table
from strobe.study import page_parts as page
from strobe.study.case import Case
from strobe.study.limit_usage import beyond, percent, shares, shares_table
from strobe.study.refusals import reasons

if TYPE_CHECKING:
    from strobe.trajectory.motion import Trajectory
    from strobe.trajectory.requests import Request

TITLE = "A motion within limits"

MOST = 24  # joints
ROWS = 81  # instants of the motion that a page plays
CORNER = 0.5  # of the way from the middle of the swing to its end
ASSUMED = {"velocity": {True: 2.0, False: 0.5}, "acceleration": {True: 6.0, False: 1.5}}  # turning, sliding
TORQUE = "torque-limited"  # needs no bound on acceleration, and gets none that was assumed
WAYS = ("constant-acceleration", "blends", "cubic", "quintic", TORQUE)


def measure(case: Case) -> dict[str, Any]:
    """The same points passed by different methods; the first one in full."""
    from strobe.trajectory.planners import METHODS  # every verb imports the study: planners wait

    asked, assumed = _asked(case)
    motions: dict[str, Any] = {}
    refused: dict[str, str] = {}
    own = replace(asked, bounds=replace(asked.bounds, acceleration=case.robot.limits.acceleration))
    for name in WAYS:
        try:
            motions[name] = METHODS[name].plan(own if name == TORQUE else asked)
        except (ArgumentError, UnsupportedModelError) as error:
            refused[name] = str(error)
    used = {
        name: shares(case.robot, motion, (own if name == TORQUE else asked).bounds)
        for name, motion in motions.items()
    }
    first = motions[WAYS[0]]
    return {
        "points": _points(case),
        "assumed": assumed,
        "bounds": {
            name: getattr(asked.bounds, name)
            for name in ("lower", "upper", "velocity", "acceleration", "effort")
        },
        "method": first.method,
        "duration": first.duration,
        "ways": {
            name: {
                "duration": motion.duration,
                "summary": METHODS[name].summary,
                "largest_share": {kind: _most(part) for kind, part in used[name]["shares"].items()},
            }
            for name, motion in motions.items()
        },
        "refused": refused,
        "motion": {"times": first.times, "coefficients": first.coefficients, "points": first.points},
        **used[WAYS[0]],
    }


def motion_of(case: Case) -> Trajectory:
    """The motion that is shown in full."""
    from strobe.trajectory.planners import METHODS

    return METHODS[WAYS[0]].plan(_asked(case)[0])


def _asked(case: Case) -> tuple[Request, list[str]]:
    """The points within bounds as a request, and which bounds had to be assumed."""
    from strobe.trajectory.requests import request

    _require_plain(case)
    bounds, assumed = _bounds(case.robot)
    return request(case.robot, _points(case), **bounds), assumed


def _require_plain(case: Case) -> None:
    robot = case.robot
    if not robot.coordinates.is_single:
        raise UnsupportedModelError(
            f"{robot.name} has joints with {robot.coordinates.several}; motions are planned for joints with one "
            "position each."
        )
    case.require_at_most(MOST, "motions", "Plan one with strobe plan.")


def _bounds(robot: Robot) -> tuple[dict[str, Any], list[str]]:
    """The robot's bounds on velocity and acceleration, and which of them had to be assumed."""
    turns = [joint.angular for joint in robot.coordinates.joints]
    found: dict[str, Any] = {}
    assumed: list[str] = []
    for name, usual in ASSUMED.items():
        own = getattr(robot.limits, name)
        found[name] = np.where(np.isfinite(own), own, [usual[each] for each in turns])
        if not np.isfinite(own).all():
            assumed.append(name)
    return found, assumed


def _points(case: Case) -> np.ndarray:
    """Both ends of the swing, and between them a corner: every second joint has most of its way behind it."""
    middle, reach = case.swing.q, case.swing.amplitude
    corner = np.where(np.arange(len(reach)) % 2, -CORNER, CORNER)
    return np.array([middle - reach, middle + reach * corner, middle + reach])


def _most(part: np.ndarray) -> float | None:
    """The largest share, where any limit is known."""
    known = part[np.isfinite(part)]
    return float(known.max()) if len(known) else None


def in_brief(data: Mapping[str, Any]) -> tuple[str, str]:
    """How long the motion takes."""
    return (
        f"{data['duration']:.3g} s",
        "through three points at constant maximum accelerations, limits kept",
    )


# -- shown --------------------------------------------------------------------------------------------


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield from _ways(data)
    yield from _used(data)


def _ways(data: Mapping[str, Any]) -> Iterator[Any]:
    """Every method with its duration, and how much of the limits it uses at most."""
    assumed = (
        f"; bounds on {' and '.join(data['assumed'])} were assumed where the robot has none"
        if data["assumed"]
        else ""
    )
    yield remark(f"from rest through {len(data['points'])} points to rest{assumed}")
    kinds = list(next(iter(data["ways"].values()))["largest_share"])
    rows = [
        [name, way["duration"], *(percent(way["largest_share"][kind]) for kind in kinds)]
        for name, way in data["ways"].items()
    ]
    yield table(["method", "lasts (s)", *(f"{kind} used" for kind in kinds)], rows)
    yield from map(remark, reasons(data["refused"]))


def _used(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(f"joint by joint, {data['method']} in {short(data['duration'])} s")
    yield shares_table(data)
    for sentence in beyond(data):
        yield remark(sentence)


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    from types import SimpleNamespace

    from strobe.trajectory.figure import plain_figures
    from strobe.trajectory.motion import Trajectory

    kept = data["motion"]
    motion = Trajectory(
        tuple(data["joints"]), kept["times"], kept["coefficients"], data["method"], kept["points"]
    )
    title = f"{case.robot.name} through three points in {motion.duration:.3g} s"
    pictures = plain_figures(case.robot, motion, SimpleNamespace(**data["bounds"]), title)
    caption = (
        "In the phase plane the signed square of the velocity stands over the position: constant acceleration is a "
        "straight line. Dashed lines are limits."
    )
    return page.markup(
        page.figure_by_width(*pictures, caption, motion="planned"),
        page.printed(_ways(data)),
        page.printed(_used(data)),
        page.data_script("planned", plain(played(motion))),
    )


def played(motion: Trajectory) -> dict[str, Any]:
    """The motion as the view plays it, row by row."""
    times = np.linspace(0.0, motion.duration, ROWS)
    q, qd, qdd = motion(times)
    return {"times": times, "q": q, "qd": qd, "qdd": qdd}
