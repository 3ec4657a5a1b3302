"""The robot in space, to be turned and moved in a browser: its lines and joints, and its mathematics as script.

Each link is drawn in the axes of its own joint, so that one placement per link moves all of it. Placements and
torques are the traced programs of this robot, written as JavaScript: the page computes what Python computes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from strobe.algebra import Pose
from strobe.compiler.codegen.js import function
from strobe.compiler.graph.program import Program
from strobe.compiler.runtime.kernels import Kernel
from strobe.errors import ProgramSizeError
from strobe.models.joints import Joint
from strobe.models.model import ROOT, Frame, Model
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.show.drawing import usual_view
from strobe.show.json_text import plain
from strobe.show.rounding_noise import NOISE
from strobe.show.skeleton import Skeleton, posed
from strobe.show.tables import remark
from strobe.study import page_parts as page
from strobe.study.case import Array, Case, numbers
from strobe.study.figure_robot import robot_figure
from strobe.study.sample_motion import PERIOD, driven

TITLE = "Turn it, move it"

SPEED, ACCELERATION = 2.0, 5.0  # the ends of sliders of rates without a limit
ROWS = 49  # of the swing of a closed chain
LARGEST = 40_000  # operations of the torques that a page carries: more make it slow to open


def measure(case: Case) -> dict[str, Any]:
    """What a viewer needs besides the programs, in base axes or in those of a link's own joint."""
    robot, tree = case.robot, case.robot.model.proximal()
    skeleton = posed(robot, case.swing.q)
    tool = tree.frame(case.hand) if tree.frames else Frame("tip", len(tree.bodies) - 1, Pose())
    return {
        "robot": robot.name,
        "q": case.swing.q,
        "reach": skeleton.reach,
        "up": skeleton.up,
        "gravity": [float(x) for x in tree.gravity.linear],  # pyright: ignore[reportArgumentType]
        "towards": _towards(skeleton),
        "links": [*_links(skeleton)],
        "joints": [*_joints(skeleton)],
        "frames": [_matrix(body.after) for body in robot.model.bodies],
        "tool": {"name": tool.name, "body": tool.body, "placement": _matrix(tool.placement)},
        "ties": [*_ties(skeleton)],
        "limbs": [*_limbs(skeleton)],
        "controls": [control for joint in robot.coordinates.joints for control in _controls(joint, case)],
        "swing": {"amplitude": case.swing.amplitude, "phase": case.swing.phase, "period": PERIOD},
        "together": _together(case),
        "noise": NOISE,
        "torques_left_out": _reason(case),
        "commands": _commands(case),
    }


def _commands(case: Case) -> dict[str, list[str]]:
    """What draws the pose and gives its torques: words, and between them by name what sliders move."""
    return {
        "draw": [f"draw {case.called} --q ", "q", f" -o {case.file_name}.svg"],
        "torque": [f"torque {case.called} --q ", "q", " --qd ", "qd", " --qdd ", "qdd"],
    }


def _at_first(case: Case, verb: str) -> str:
    """A command for what the page shows before anything is moved."""
    values = {"q": case.swing.q, "qd": np.zeros(case.robot.nv), "qdd": np.zeros(case.robot.nv)}
    words = enumerate(_commands(case)[verb])
    return "".join(numbers(values[word]) if k % 2 else word for k, word in words)


def command(case: Case) -> str:
    return _at_first(case, "draw")


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark("the robot can be turned and moved in the HTML report")


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    """The canvas, its script and what stands there where scripts are off."""
    reason = data["torques_left_out"]
    code = function(placements(case.robot.model), "placements")
    if reason is None:
        code += function(torques(case.robot), "torques")
    told = reason or "Torques are computed in this page by the robot's own equations, friction included."
    solids, remarks = meshes(case)
    moved = "move the joints" if data["together"] is None else "play it: its joints move together"
    return page.markup(
        page.tag(
            "p",
            f"Drag to turn it, pinch or click and scroll to zoom, {moved}. {told}",
            class_="remark script-only",
        ),
        page.tag("div", id="viewer", class_="viewer script-only"),
        page.tag(
            "noscript",
            page.figure(
                robot_figure(case.robot, data["q"]),
                "Scripting is off: the robot at the state of this study.",
            ),
        ),
        page.tag("p", " ".join(remarks), class_="remark script-only") if remarks else None,
        page.tag("div", page.command_line(_at_first(case, "torque")), id="torque-command")
        if reason is None
        else None,
        page.data_script("scene", plain(data)),
        page.data_script("meshes", solids),
        page.tag("script", page.Html(code)),
    )


def meshes(case: Case) -> tuple[list[dict[str, Any]], list[str]]:
    """The shapes of the links, where a URDF has them, and what is to be said about those that are not drawn."""
    suffix = Path(case.file).suffix.lower()
    if suffix not in (".urdf", ".xacro", ".xml", ".mjcf"):
        return [], []
    from strobe.study.meshes import carried  # most robots have no use for it

    solids, told = carried(case.file, case.robot.model.proximal())
    if suffix in (".xml", ".mjcf") and not solids and not told:  # an .xml may be a URDF
        return [], ["Links are drawn by lines between joints: shapes of MJCF are not read."]
    return solids, told


# -- programs -----------------------------------------------------------------------------------------


def placements(model: Model) -> Program:
    """Rotation and origin of every link's joint frame in base axes, twelve numbers each, row by row."""
    tree = model.proximal()
    hinges = tuple(Frame(body.name, body.index, Pose()) for body in tree.bodies)
    whole = Kernel(replace(tree, frames=hinges), Request("frame_placements")).program
    kept = [node for k, node in enumerate(whole.outputs) if k % 16 < 12]
    return replace(whole, outputs=tuple(kept), shape=(len(hinges), 12))


def torques(robot: Robot) -> Program:
    """The inverse dynamics, friction included; of a closed chain the torques of its actuated joints."""
    driven = robot.model.actuated if robot.model.is_closed else ()
    return Kernel(robot.model, Request("inverse_dynamics", actuated=driven)).program


def _reason(case: Case) -> str | None:
    """Why the page shows no torques, or None."""
    model = case.robot.model
    if model.without_dynamics:
        return f"No torques are shown: {model.without_dynamics.rstrip('.')}."
    if model.is_closed and not driven(case.robot):
        return "No torques are shown: no joints are named that drive it."
    try:
        size = len(torques(case.robot).nodes)
    except ProgramSizeError as error:
        return f"No torques are shown: {error}"
    return (
        None
        if size <= LARGEST
        else f"No torques are shown: they take {size:,} operations, too many for a page."
    )


# -- geometry -----------------------------------------------------------------------------------------


def _links(skeleton: Skeleton) -> Iterator[dict[str, Any]]:
    """The lines of every link; ``body`` −1 is the base."""
    for stroke in skeleton.strokes:
        if len(stroke.points) > 1:
            yield {
                "body": stroke.body,
                "points": _own(skeleton, stroke.body, stroke.points),
                "to": stroke.to,
                "tied": skeleton.tied(stroke),
            }


def _ties(skeleton: Skeleton) -> Iterator[dict[str, Any]]:
    """What holds links together besides joints: both ends, each in the axes of its own link."""
    for tie in skeleton.ties:
        points = [
            _own(skeleton, body, end[None])[0] for body, end in zip(tie.bodies, tie.ends, strict=True)
        ]
        yield {"rod": tie.rod, "bodies": tie.bodies, "points": points}


def _limbs(skeleton: Skeleton) -> Iterator[dict[str, Any]]:
    """Torso and feet, in the axes of their own link."""
    for limb in skeleton.limbs:
        yield {"body": limb.body, "points": _own(skeleton, limb.body, limb.points), "faces": limb.faces}


def _together(case: Case) -> dict[str, Any] | None:
    """The swing of a closed chain, row by row: no page closes loops by itself."""
    if not case.robot.model.is_closed:
        return None
    times = np.linspace(0.0, PERIOD, ROWS)
    q, qd, qdd = case.swing.states(times)
    return {"times": times, "q": positions(case.robot, q), "qd": qd, "qdd": qdd}


def _joints(skeleton: Skeleton) -> Iterator[dict[str, Any]]:
    for hinge in skeleton.hinges:
        joint, parent = hinge.body.joint, hinge.body.parent
        yield {
            "name": joint.name,
            "kind": joint.kind,
            "glyph": joint.record.glyph,
            "body": hinge.body.index,
            "parent": parent,
            "axis": [joint.sign if k == joint.axis else 0 for k in range(3)],
            "rest": _own(skeleton, parent, hinge.rest[None])[0],
        }


def _towards(skeleton: Skeleton) -> Array:
    """The direction from the robot to who looks at it first; one in a plane is seen a little from the side."""
    towards = usual_view(skeleton).axes[2]
    if skeleton.plane is not None:
        towards = towards + 0.25 * np.cross(skeleton.up, towards) + 0.2 * skeleton.up
    return towards


def _own(skeleton: Skeleton, body: int, points: Array) -> Array:
    """Points of the base in the axes of a link's joint."""
    place = np.eye(4) if body == ROOT else skeleton.hinges[body].place
    return (points - place[:3, 3]) @ place[:3, :3]


def _matrix(pose: Pose) -> list[float]:
    """Rotation and origin, twelve numbers row by row."""
    return [float(x) for row in list(pose.matrix().rows)[:3] for x in row]  # pyright: ignore[reportArgumentType]


# -- what a person moves ------------------------------------------------------------------------------


def _controls(joint: Joint, case: Case) -> Iterator[dict[str, Any]]:
    """One per degree of freedom; quaternions are moved by roll, pitch and yaw."""
    for k, (name, value) in enumerate(zip(joint.rate_names, places(joint, case.swing.q), strict=True)):
        turns = joint.turns_by(k)
        ends = [-math.pi, math.pi] if turns else [-1.0, 1.0]
        if joint.nv == 1:
            bounds = joint.limits.lower, joint.limits.upper
            ends = [x if math.isfinite(x) else y for x, y in zip(bounds, ends, strict=True)]
        yield {
            "name": name if joint.nv == 1 else f"{joint.name} {_part(joint, k)}",
            "joint": {"q": joint.q, "v": joint.v, "nv": joint.nv, "quaternion": joint.has_quaternion},
            "unit": "rad" if turns else "m",
            "torque_unit": "N m" if turns else "N",
            "value": float(value),
            "ends": [min(ends[0], float(value)), max(ends[1], float(value))],
            "speed": _finite(joint.limits.velocity, SPEED),
            "acceleration": _finite(joint.limits.acceleration, ACCELERATION),
        }


def _part(joint: Joint, k: int) -> str:
    """What one number is that a person moves: of a place, or of roll, pitch and yaw."""
    if not joint.has_quaternion:
        return joint.record.positions[k].name
    return ("x", "y", "z", "roll", "pitch", "yaw")[k + 6 - joint.nv]


def _finite(limit: float, otherwise: float) -> float:
    return limit if 0 < limit < math.inf else otherwise


def positions(robot: Robot, q: Array) -> Array:
    """Positions (T, nq) as the view takes them: a number per degree of freedom."""
    columns = [np.array([places(joint, row) for row in q]) for joint in robot.coordinates.joints]
    return np.column_stack(columns)


def places(joint: Joint, q: Array) -> list[float]:
    """Where a joint stands, a number per degree of freedom: roll, pitch and yaw in place of a quaternion."""
    own = q[joint.q : joint.q + joint.nq]
    return [*own] if not joint.has_quaternion else [*own[:-4], *roll_pitch_yaw(own[-4:])]


def roll_pitch_yaw(quaternion: Array) -> list[float]:
    """The angles of Rz(yaw) Ry(pitch) Rx(roll) that turn as a quaternion w x y z does."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return [
        math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
        math.asin(max(-1.0, min(1.0, 2 * (w * y - z * x)))),
        math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
    ]
