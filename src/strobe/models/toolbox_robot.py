"""A robot of the Robotics Toolbox for Python read link by link, without the toolbox: `A(q)` says what a link does.

    DHLink, standard    A(q) = motion(q) · A(0)       the joint's frame is the one before
    all others          A(q) = A(0) · motion(q)       modified DH, links of URDF and of elementary transforms

Each link is asked at a second position whether that is so. Mass, `r` and `I` (about the centre of mass) are in link
axes; `Jm`, `G`, `B` and `Tc` are those of our motors. `gravity` is the true acceleration, in world axes, as in
version 1.5. The base is a fixed joint, the tool a frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from strobe.algebra import Pose, Vec3
from strobe.errors import ArgumentError, shown
from strobe.files.faults import Faults
from strobe.models.assembly import SNAP, Assembly, JointData, LinkData, assemble
from strobe.models.inertial import Inertial, symmetric
from strobe.models.joints import FIXED, PRISMATIC, REVOLUTE, Joint, Limits, Motor
from strobe.models.model import Model
from strobe.models.names import NAMELESS, unused_name
from strobe.models.placements import from_matrix, is_placement

ROBOT = "<roboticstoolbox>"  # in the place of a file
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
ELSEWHERE = 0.7  # a second position at which a link is asked
SAME = 1e-9  # by which a placement may be off there


def read_toolbox(robot: Any, *, snap: float | None = None, strict: bool = False) -> Model:
    """The robot that a `DHRobot`, `ERobot` or `Robot` is, or an error that names what it has beyond ours."""
    faults = Faults(ROBOT, strict)
    reader = _Reader(robot, faults, SNAP if snap is None else snap)
    model = assemble(reader.assembly())
    reader.report_order(model.joints)
    faults.raise_if_any()
    return replace(model, notes=faults.remarks)


class _Reader:
    """One robot on its way to an assembly."""

    def __init__(self, robot: Any, faults: Faults, snap: float) -> None:
        self.robot, self.faults, self.snap = robot, faults, snap
        self.links = list(robot.links)
        self.names = self._unique([str(link.name or f"link{k}") for k, link in enumerate(self.links, 1)])
        stated = [getattr(link, "_joint_name", None) for link in self.links]
        self.joints = self._unique([str(name or f"joint{k}") for k, name in enumerate(stated, 1)])

    @staticmethod
    def _unique(names: Sequence[str]) -> list[str]:
        made: list[str] = []
        for name in names:
            made.append(unused_name(name, made))
        return made

    def assembly(self) -> Assembly:
        base = unused_name("base", self.names)
        name = str(self.robot.name or "").strip() or NAMELESS
        data = Assembly(name, [LinkData(base)], [], self.faults, gravity=self._gravity())
        placed = _matrix(self.robot.base)
        if not np.array_equal(placed, np.eye(4)):
            world = unused_name("world", [*self.names, base])
            fixed = JointData(
                unused_name("world_to_base", self.joints),
                FIXED.name,
                world,
                base,
                self._placement(placed, "base"),
            )
            data.links.insert(0, LinkData(world))
            data.joints.append(fixed)
        for k in range(len(self.links)):
            data.links.append(LinkData(self.names[k], self._inertial(k), self._where(k)))
            data.joints.append(self._joint(k, base))
        data.frames = list(self._tool())
        self._report_grippers()
        return data

    def report_order(self, joints: Sequence[Joint]) -> None:
        """Warn where positions have another order there."""
        theirs = {self.joints[k]: link.jindex for k, link in enumerate(self.links) if link.isjoint}
        if [theirs[joint.name] for joint in joints] != list(range(len(joints))):
            shown = ", ".join(joint.name for joint in joints)
            self.faults.warning("", f"its joints have another order there; here it is {shown}.")

    def _where(self, k: int) -> str:
        return f'link "{self.names[k]}"'

    def _tool(self) -> Iterator[tuple[str, str, Pose, str]]:
        """The tool as a frame on the link which none hangs on."""
        placed = _matrix(self.robot.tool)
        if np.array_equal(placed, np.eye(4)):
            return
        parents = {id(link.parent) for link in self.links}
        ends = [name for name, link in zip(self.names, self.links, strict=True) if id(link) not in parents]
        if len(ends) == 1:
            yield unused_name("tool", self.names), ends[0], self._placement(placed, "tool"), "tool"
        else:
            self.faults.warning("tool", f"it is left out: {len(ends)} links could carry it.")

    def _placement(self, T: np.ndarray, where: str) -> Pose:
        if is_placement(T):
            return from_matrix(T, self.snap)
        self.faults.error(
            where, "its placement is no rotation and shift; look for a number that is not finite."
        )
        return Pose()

    def _gravity(self) -> tuple[float, float, float]:
        x, y, z = (_number(g, "gravity") for g in np.asarray(self.robot.gravity).reshape(3))
        if z > 0:
            self.faults.warning(
                "",
                f"gravity is ({x:g}, {y:g}, {z:g}), upwards: it is taken for the acceleration of a body that falls.",
            )
        return x, y, z

    def _inertial(self, k: int) -> Inertial:
        link, where = self.links[k], self._where(k)
        m = _number(link.m, f"m of {where}")
        com = Vec3(*(_number(x, f"r of {where}") for x in np.asarray(link.r).reshape(3)))
        I = np.array([_number(x, f"I of {where}") for x in np.asarray(link.I).reshape(9)]).reshape(3, 3)
        return Inertial.zero() if not m and not np.any(I) else Inertial.at_com(m, com, symmetric(I))

    # -- joints -------------------------------------------------------------------------------------

    def _joint(self, k: int, base: str) -> JointData:
        link = self.links[k]
        parent = base if link.parent is None else self.names[self.links.index(link.parent)]
        resting = _matrix(link.A(0.0) if link.isjoint else link.A())
        placed = self._placement(resting, self._where(k))
        joint = JointData(
            self.joints[k], FIXED.name, parent, self.names[k], before=placed, where=self._where(k)
        )
        if not link.isjoint:
            return joint
        joint.kind, joint.axis = (REVOLUTE if link.isrevolute else PRISMATIC).name, self._axis(k)
        first = _is_standard(link)
        self._require_motion(k, joint, resting, first)
        if first:
            joint.before, joint.after = joint.after, placed
        joint.limits, joint.motor = self._limits(link, k), self._motor(link, k)
        return joint

    def _axis(self, k: int) -> tuple[float, float, float]:
        link = self.links[k]
        sign = -1.0 if link.isflip else 1.0
        named = getattr(link.v, "kind", None) or getattr(link.v, "axis", "")  # Rz, ty; "axis" before 1.4
        x, y, z = AXES.get(str(named)[-1:].lower(), AXES["z"])
        return x * sign, y * sign, z * sign

    def _require_motion(self, k: int, joint: JointData, resting: np.ndarray, first: bool) -> None:
        """Refuse a link that moves in another way than it seems to."""
        motion = _motion(joint.slides, np.array(joint.axis), ELSEWHERE)
        expected = motion @ resting if first else resting @ motion
        if np.abs(expected - _matrix(self.links[k].A(ELSEWHERE))).max() > SAME:
            self.faults.error(
                joint.where,
                "its joint is neither the last of its transforms nor that of a standard DH link; put it last.",
            )

    def _limits(self, link: Any, k: int) -> Limits:
        where = self._where(k)
        lower, upper = (
            (-math.inf, math.inf)
            if link.qlim is None
            else (_number(x, f"qlim of {where}") for x in link.qlim)
        )
        speed, effort = (
            math.inf if stated is None else float(np.max(np.abs(stated)))
            for stated in (getattr(link, "qdlim", None), getattr(link, "tlim", None))
        )
        return Limits(lower, upper, speed, effort=effort)

    def _motor(self, link: Any, k: int) -> Motor:
        """Where G is 0 there is none: nothing of it reaches the joint."""
        where = self._where(k)
        gear = _number(link.G, f"G of {where}")
        if not gear:
            return Motor()
        forwards, backwards = (_number(x, f"Tc of {where}") for x in link.Tc)
        if forwards < 0 or backwards > 0:
            self.faults.error(
                where, f"Tc is ({forwards:g}, {backwards:g}); expected one of each sign, + first."
            )
        inertia, viscous = (_number(getattr(link, name), f"{name} of {where}") for name in ("Jm", "B"))
        return Motor(inertia, gear, viscous, (forwards, backwards))

    def _report_grippers(self) -> None:
        grippers = [str(gripper.name) for gripper in getattr(self.robot, "grippers", None) or ()]
        if grippers:
            self.faults.warning(
                "", f"grippers ({', '.join(grippers)}) are left out, as its own rne leaves them out."
            )


def _is_standard(link: Any) -> bool:
    """Whether a link is one of a standard DH table, whose joint comes first."""
    return hasattr(link, "mdh") and not link.mdh


def _motion(slides: bool, axis: np.ndarray, q: float) -> np.ndarray:
    T = np.eye(4)
    if slides:
        T[:3, 3] = axis * q
        return T
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    T[:3, :3] += math.sin(q) * K + (1 - math.cos(q)) * (K @ K)
    return T


def _matrix(placement: Any) -> np.ndarray:
    """A placement of theirs as an array of numbers."""
    T = np.asarray(getattr(placement, "A", placement))
    try:
        return T.astype(float).reshape(4, 4)
    except (TypeError, ValueError):
        raise ArgumentError("a placement of the robot holds symbols; give them numbers first.") from None


def _number(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what} is {shown(value)}; expected a number.") from None
