"""``strobe strobe``: g, M and the Christoffel symbols at a position, read off inverse dynamics flash by flash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from strobe.cli.inputs import Gravity, Json, Lock, RobotName, Strict, open_robot
from strobe.cli.states import Formulation, Pose, Positions, given_state, named_pose

if TYPE_CHECKING:
    from strobe.analysis.strobed import Strobed
    from strobe.robot import Robot


def strobe(
    robot: RobotName,
    q: Positions = None,
    pose: Pose = None,
    formulation: Formulation = None,
    lock: Lock = None,
    gravity: Gravity = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """M column by column and C^i_jk by polarisation, each with the calls it took.

    Inverse dynamics is asked with unit accelerations and unit rates; nothing else is known of the robot.
    n + 1 calls show M and g, n (n + 1)/2 more the symbols. Friction is left out.

    \b
    Examples:
      strobe strobe planar2 --q 0.3,0.8
      strobe strobe stanford --pose ready --formulation waters
      strobe strobe puma560 --json
    """
    from strobe.analysis.strobed import strobe as flash
    from strobe.cli.show import present

    arm = open_robot(robot, lock=lock, gravity=gravity, strict=strict)
    state, assumed = given_state(arm, {} if pose else {"q": q}, named_pose(arm, pose, q))
    found = flash(arm, state["q"], formulation=formulation)
    present(_data(arm, state["q"], assumed, found), _rendered(arm, found), as_json)


def _data(robot: Robot, q: Any, assumed: dict[str, str], found: Strobed) -> dict[str, Any]:
    from strobe.show.units import efforts

    return {
        "robot": robot.name,
        "q": q,
        "assumed": assumed,
        "joints": robot.coordinates.rate_names,
        "units": efforts(robot.coordinates.joints),
        "calls": found.calls,
        "g": found.g,
        "M": found.M,
        "C": found.C,
        "flashes": [flash._asdict() for flash in found.flashes],
    }


def _rendered(robot: Robot, found: Strobed) -> Iterator[Any]:
    from strobe.show.rounding_noise import quiet
    from strobe.show.tables import remark, table, tidy
    from strobe.show.units import efforts, lengths, per_second

    names, joints = robot.coordinates.rate_names, robot.coordinates.joints
    rates, accelerations = (per_second(lengths(joints), times) for times in (1, 2))
    headings = [f"{name} ({unit})" for name, unit in zip(names, efforts(joints), strict=True)]
    n = len(names)
    calls = found.calls
    yield f"{robot.name}: {sum(calls.values())} calls of inverse dynamics, friction left out"
    yield remark(
        "each row is a call: the rates and accelerations that it was given, and the torques it gave"
    )
    for what, title in (
        ("g", "g: nothing moves"),
        ("M", "M, column by column: one unit acceleration, no gravity"),
        ("C", "C, by polarisation: one unit rate, then two at once, no gravity"),
    ):
        start = {"g": 0, "M": 1, "C": 1 + n}[what]
        flashes = found.flashes[start : start + calls[what]]
        yield ""
        yield f"{title}; {calls[what]} calls" if calls[what] > 1 else f"{title}; 1 call"
        torques = tidy([flash.tau for flash in flashes])
        given = (
            _given(flash.qd, "qd", rates) + _given(flash.qdd, "qdd", accelerations) or ["q alone"]
            for flash in flashes
        )
        yield table(
            ["shows", "given", *headings],
            [
                [flash.shows, ", ".join(x), *tau]
                for flash, x, tau in zip(flashes, given, torques, strict=True)
            ],
        )
    yield ""
    yield "C^i_jk = ½ (the torque of both rates − those of each): the torque of joint i that qd_j and qd_k share"
    symbols = quiet(found.C, *(flash.tau for flash in found.flashes))
    rows = [
        [
            f"C^{i + 1}_{j + 1}{k + 1}" if n < 10 else f"C^{i + 1}_{j + 1},{k + 1}",
            symbols[i, j, k],
            _unit(robot, i, j, k),
        ]
        for i in range(n)
        for j in range(n)
        for k in range(j + 1)
        if symbols[i, j, k]
    ]
    yield table(["symbol", "value", "unit"], rows) if rows else "all are zero"


def _given(values: Any, letter: str, units: Sequence[str]) -> list[str]:
    return [
        f"{letter}{k + 1} = {value:g} {unit}"
        for k, (value, unit) in enumerate(zip(values, units, strict=True))
        if value
    ]


def _unit(robot: Robot, i: int, j: int, k: int) -> str:
    """Of a torque over two rates: kg m² where all turn, a power of m less for each joint that slides."""
    from strobe.compiler.export.units import S, efforts, steps

    x = robot.coordinates
    step = steps(x)
    return str(efforts(x)[i] / (step[j] / S) / (step[k] / S)).replace("^2", "²")
