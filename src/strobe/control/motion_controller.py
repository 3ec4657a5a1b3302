"""The motion controller: what stands between a request and the torques of an arm [Waters1979, Figure 1].

    planner ──request──▶ coordinate transformation ──▶ trajectory calculation ──▶ force calculation ──torques──▶ arm
       ▲                 (hands to joints)              (a motion from requests)   (a controller)                 │
       └────────status: done, infeasible, deviation──────────────◀── q, qd, qdd ◀── internal sensors ◀────────────┘

Every part can be replaced: the planner by name or by a function of a request, the controller by name or by one's
own, the sensors, and the arm itself, which need not be what the controller believes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from strobe.control.controller import Controller
from strobe.control.loop_cache import content, copied
from strobe.control.methods import make
from strobe.control.request_timeline import Planner, Planning
from strobe.control.sample_rates import RATE, Rates, rates
from strobe.errors import ArgumentError
from strobe.models.arguments import require_above, require_truth
from strobe.robot import Robot, require_robot
from strobe.robot.recent import Recent

EXAMPLES = {"gains": '{"kp": 400.0}', "bounds": '{"acceleration": 5.0}'}


@dataclass(frozen=True, eq=False)
class MotionController:
    """A way to plan and a controller, at rates that fit."""

    planning: Planning
    controller: Controller
    rates: Rates
    made_of: Hashable = None  # what tells the controller from others, where that is known


def motion_controller(
    robot: Robot, controller: str | Controller, plant: Robot, *, gains: Mapping[str, Any] | None,
    rate: float | None, planner: Planner | None, bounds: Mapping[str, Any] | None, motors: bool,
    plant_rate: float | None, trajectory_rate: float | None, steps: int | None, continuous: bool,
) -> MotionController:  # fmt: skip
    """The parts as `control` is given them, each checked."""
    require_robot(robot)
    require_robot(plant, "plant")
    for name, given in (("gains", gains), ("bounds", bounds)):
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentError(
                f"{name} is a {type(given).__name__}; expected numbers by name: {EXAMPLES[name]}."
            )
    require_truth("continuous", continuous)
    for name, value in {
        "steps": steps,
        "plant_rate": plant_rate,
        "trajectory_rate": trajectory_rate,
    }.items():
        if value is not None:
            require_above(name, value, "a number above zero")
        if continuous and value not in (None, 1):
            raise ArgumentError(
                f"{name}= divides periods, and a continuous loop has none. Leave out one of them."
            )
    made_of = None
    if isinstance(controller, Controller):
        found = _own_rates(controller, gains, rate, plant_rate, trajectory_rate, steps)
    elif isinstance(controller, str):
        found = rates(RATE if rate is None else rate, plant_rate, trajectory_rate, steps)
        controller, made_of = _named(controller, robot, found.period, gains or {})
    else:
        raise ArgumentError(
            f"controller is of type {type(controller).__name__}; expected the name of one, or a Controller."
        )
    for what, other in (("the controller was made for", controller.robot), ("the plant is", plant)):
        if other.joint_names != robot.joint_names:
            raise ArgumentError(f"{what} {other.name}, whose joints are not those of {robot.name}.")
    return MotionController(Planning(robot, planner, bounds, motors), controller, found, made_of)


def _named(name: str, robot: Robot, period: float, gains: Mapping[str, Any]) -> tuple[Controller, Hashable]:
    """A controller by its name, and its content; one without gains is a copy of one that is kept."""
    if gains:
        return make(name, robot, period, **gains), None

    def made() -> tuple[Controller, Hashable]:
        found = make(name, robot, period)
        return found, content(found)

    typical, made_of = robot.kept("controllers", Recent)((name, period), made)
    return copied(typical), made_of


def _own_rates(
    controller: Controller, gains: Any, rate: float | None, plant: float | None, trajectory: float | None,
    steps: int | None,
) -> Rates:  # fmt: skip
    """The rates of a controller that is made already."""
    if gains:
        raise ArgumentError(f"gains= are for a controller by name; this {controller.name} has its own.")
    own = 1.0 / controller.period
    if rate is not None and abs(rate - own) > 1e-9 * own:
        raise ArgumentError(
            f"rate is {rate:g} Hz, but the controller was made for {own:g} Hz. Leave rate= out, or make it for "
            f"a period of {1 / rate:g} s."
        )
    return rates(own, plant, trajectory, steps)._replace(period=controller.period)
