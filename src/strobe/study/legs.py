"""Legs on the ground: what the ground does to a robot that stands on its feet, and whether they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.mechanisms.figure_zmp import walk_figure, zmp_figure
from strobe.robot import Robot
from strobe.show.tables import remark, short, table
from strobe.study import page_parts as page
from strobe.study.case import Array, Case
from strobe.study.sample_motion import PERIOD, resting_position

if TYPE_CHECKING:
    from strobe.mechanisms.walking import Walk
    from strobe.mechanisms.zero_moment_point import GroundReaction

TITLE = "Legs on the ground"

INSTANTS = 97  # of a swing


def applies(robot: Robot) -> bool:
    return bool(robot.model.feet)


def measure(case: Case) -> dict[str, Any]:
    """The reaction of the ground along a walk where the robot can make one, else along its swing on one foot."""
    if not applies(case.robot):
        raise UnsupportedModelError(f"{case.robot.name} names no feet that it could stand on.")
    case.require_dynamics()
    walked = None if case.quick else _walk(case)
    if walked is not None:
        times, ground = walked.ground()
        motion = f"a walk of {len([p for p in walked.phases if p.single])} steps"
        figure = walk_figure(walked)
    else:
        times, ground, figure = _on_one_foot(case)
        motion = f"the swing, standing on {case.robot.model.feet[0].frame}"
    return {
        "motion": motion,
        "feet": [foot.frame for foot in case.robot.model.feet],
        "held": ground.held,
        "status": ground.worst.name.lower(),
        "sentence": ground.sentence,
        "times": times,
        "force": ground.force,
        "zmp": ground.zmp,
        "margin": ground.margin,
        "friction": ground.friction,
        "twist": ground.twist,
        "figure": figure,
    }


def _walk(case: Case) -> Walk | None:
    """A walk from a pose that the model names, the heaviest link kept upright; none where that does not go."""
    from strobe.mechanisms.walking import walk

    robot = Robot(case.robot.model)
    if len(robot.model.feet) != 2 or not robot.model.poses:
        return None
    heaviest = max(robot.model.bodies, key=lambda body: float(body.inertial.m))  # pyright: ignore[reportArgumentType]
    try:
        return walk(robot, resting_position(robot), heaviest.name)
    except (ArgumentError, UnsupportedModelError):
        return None


def _on_one_foot(case: Case) -> tuple[Array, GroundReaction, str]:
    from strobe.mechanisms.zero_moment_point import across, center_of_mass, ground_reaction, upward

    foot = case.robot.model.feet[0].frame
    robot = case.robot.standing_on(foot, case.swing.q)
    times = np.linspace(0.0, PERIOD, INSTANTS)
    q, qd, qdd = _rooted(case.robot, robot, case.swing.states(times))
    ground = ground_reaction(robot, q, qd, qdd, foot=foot)
    axes = across(upward(robot))
    center = center_of_mass(robot, q) @ axes
    title = f"{robot.name} swings on {foot}"
    return times, ground, zmp_figure(title, [ground.polygon[0] @ axes], ground.zmp @ axes, center)


def _rooted(robot: Robot, rooted: Robot, states: tuple[Array, ...]) -> list[Array]:
    """Positions, rates and accelerations of a robot as those of the same robot on a foot, whose base stands still."""
    known = {joint.name: joint for joint in robot.coordinates.joints}
    joints = [known[joint.name] for joint in rooted.coordinates.joints]
    places = [joint.q + k for joint in joints for k in range(joint.nq)]
    rates = [joint.v + k for joint in joints for k in range(joint.nv)]
    return [x[:, columns] for x, columns in zip(states, (places, rates, rates), strict=True)]


def in_brief(data: Mapping[str, Any]) -> tuple[str, str] | None:
    """How far the zero moment point stays inside the soles."""
    if not data["held"]:
        return None
    return (
        f"{1000 * float(np.min(data['margin'])):.0f} mm",
        f"inside the soles at least, along {data['motion']}",
    )


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(f"{data['motion']}; feet: {', '.join(data['feet'])}")
    extremes = {
        "least margin (m)": (data["margin"], np.nanargmin),
        "most friction": (data["friction"], np.nanargmax),
        "most twist (N m)": (np.abs(data["twist"]), np.nanargmax),
        "largest force (N)": (np.linalg.norm(data["force"], axis=-1), np.nanargmax),
    }
    rows = [
        [name, short(float(values[k])), short(float(data["times"][k]))]
        for name, (values, pick) in extremes.items()
        if np.isfinite(values).any()
        for k in [int(pick(values))]
    ]
    yield table(["", "value", "at (s)"], rows)
    yield data["sentence"]


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    return page.markup(page.figure(data["figure"]), page.printed(render(data)))
