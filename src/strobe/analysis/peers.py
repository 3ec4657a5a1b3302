"""The same robot in other libraries, to compare results and times with: Pinocchio and MuJoCo, where installed.

A robot reaches them as URDF text: its own file, or what Strobe writes. Joints are matched by name. Pinocchio
puts a quaternion's scalar last, holds a continuous joint as cosine and sine, counts mimic joints as
independent and fills the upper triangle of the mass matrix only.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from strobe.analysis.speed import state
from strobe.compiler.runtime.timing import BATCH, SINGLES, Arguments, Way
from strobe.errors import UnsupportedModelError
from strobe.models.default_frame import hands
from strobe.models.urdf_writer import write_urdf
from strobe.quantities import QUANTITIES
from strobe.robot import Robot

Array = np.ndarray
AGREEMENT = 1e-9  # of results that count as the same


def installed(name: str) -> Any:
    """A library, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Pinocchio:
    """A robot in Pinocchio, with states translated."""

    name = "Pinocchio"

    def __init__(self, robot: Robot, urdf: str | None = None, floating: bool = False) -> None:
        """``floating``: the file is of a robot whose base Strobe made free."""
        self.pin: Any = importlib.import_module("pinocchio")
        self.robot = robot
        text = write_urdf(robot.model)[0] if urdf is None else urdf
        root = [self.pin.JointModelFreeFlyer()] if floating else []
        self.model = self.pin.buildModelFromXML(text, *root)
        joints = robot.model.joints
        missing = [joint.name for joint in joints if not self.model.existJointName(self._called(joint))]
        if any(joint.has_axis and joint.nv > 1 and (joint.axis, joint.sign) != (2, 1) for joint in joints):
            raise UnsupportedModelError(
                f"{robot.name} has a planar joint not across z, which Pinocchio has not."
            )
        if missing or self.model.nv != robot.model.nv:
            raise UnsupportedModelError(f"{robot.name} has other joints in Pinocchio: {missing or 'more'}.")
        self.model.gravity.linear = np.array([float(x) for x in robot.model.gravity.linear], float)  # pyright: ignore
        self.order = np.concatenate([np.arange(j.nv) + self._theirs(j).idx_v for j in joints])
        self.model.armature = self._rates_of([[j.rotor_inertia] * j.nv for j in joints])
        self.data = self.model.createData()

    def _called(self, joint: Any) -> str:
        known = self.model.existJointName(joint.name)
        return "root_joint" if joint.is_free and not known else joint.name

    def _theirs(self, joint: Any) -> Any:
        return self.model.joints[self.model.getJointId(self._called(joint))]

    def _rates_of(self, rows: list[list[float]]) -> Array:
        theirs = np.zeros(self.model.nv)
        theirs[self.order] = [x for row in rows for x in row]
        return theirs

    # -- states, (..., n) to (n', ...) ---------------------------------------------------------------

    def position(self, q: Array) -> Array:
        """Their q, one column per state."""
        full: Any = self.robot.coordinates.expand(list(np.moveaxis(q, -1, 0)))
        theirs = np.zeros((self.model.nq, *q.shape[:-1]), order="F")
        for joint in self.robot.model.joints:
            their, mine = self._theirs(joint), full[joint.q : joint.q + joint.nq]
            if joint.has_quaternion:
                mine = [*mine[:-4], *mine[-3:], mine[-4]]
            elif their.nq == joint.nq + 1:
                mine = [*mine[:-1], np.cos(mine[-1]), np.sin(mine[-1])]
            theirs[their.idx_q : their.idx_q + their.nq] = np.array(mine)
        return theirs

    def rates(self, v: Array) -> Array:
        """Their velocities or accelerations, one column per state."""
        full = self.robot.coordinates.expand_rates(list(np.moveaxis(v, -1, 0)))
        theirs = np.zeros((self.model.nv, *v.shape[:-1]), order="F")
        theirs[self.order] = np.array(full)
        return theirs

    def _states(self, quantity: str, values: Arguments) -> list[Array]:
        names = QUANTITIES[quantity].states
        return [
            self.position(x) if name == "q" else self.rates(x)
            for name, x in zip(names, values, strict=True)
        ]

    def torques(self, tau: Array) -> Array:
        """Our torques (..., n) from theirs."""
        reduced = self.robot.coordinates.reduce(list(np.asarray(tau)[self.order]))
        return np.moveaxis(np.array(reduced), 0, -1)

    def _matrix(self, M: Array) -> Array:
        whole = np.triu(M) + np.triu(M, 1).T
        return np.array(
            self.robot.coordinates.reduce_matrix(whole[np.ix_(self.order, self.order)].tolist())
        )

    def _jacobian(self, J: Array) -> Array:
        return np.array(self.robot.coordinates.reduce_columns(J[:, self.order].tolist()))

    # -- quantities ---------------------------------------------------------------------------------

    def frame(self) -> str | None:
        """The tip (the last one of several) if it is a link of theirs too, else the last frame that moves and is."""
        kind = self.pin.FrameType.BODY
        names = [*self.robot.moving_frames, *hands(self.robot.model)[-1:]]
        return next((name for name in reversed(names) if self.model.existFrame(name, kind)), None)

    def _call(self, quantity: str) -> tuple[Callable[..., Any], Callable[[Any], Array]] | None:
        """Their function of one state, and what turns its result into ours."""
        pin, model, data = self.pin, self.model, self.data
        name = self.frame()
        index = model.getFrameId(name, pin.FrameType.BODY) if name else 0

        def placed(q: Array) -> Any:
            pin.forwardKinematics(model, data, q)
            return pin.updateFramePlacement(model, data, index)

        def frame_jacobian(q: Array) -> Array:
            return pin.computeFrameJacobian(model, data, q, index, pin.LOCAL_WORLD_ALIGNED)

        def with_data(function: Any) -> Callable[..., Any]:
            return lambda *values: function(model, data, *values)

        known: dict[str, tuple[Callable[..., Any], Callable[[Any], Array]]] = {
            "inverse_dynamics": (with_data(pin.rnea), self.torques),
            "mass_matrix": (with_data(pin.crba), self._matrix),
            "gravity": (with_data(pin.computeGeneralizedGravity), self.torques),
            "bias": (with_data(pin.nonLinearEffects), self.torques),
            "centroidal_momentum_matrix": (with_data(pin.computeCentroidalMap), self._jacobian),
        }
        if self.robot.coordinates.trivial:  # accelerations of joints that follow others are not theirs
            known["forward_dynamics"] = with_data(pin.aba), self.torques
        if name:
            known["forward_kinematics"] = placed, lambda placement: placement.homogeneous
            known["jacobian"] = frame_jacobian, self._jacobian
        return known.get(quantity)

    def disagreement(self, quantity: str, seed: int = 0) -> float | None:
        """The largest difference from our result over the largest entry; None where they have no such function."""
        call = self._call(quantity)
        if call is None:
            return None
        values = state(self.robot, QUANTITIES[quantity].states, seed)
        theirs = call[1](call[0](*self._states(quantity, values)))
        options: dict[str, Any] = {}
        if quantity in ("inverse_dynamics", "forward_dynamics"):
            options["friction"] = False
        if quantity in ("forward_kinematics", "jacobian"):
            options["frame"] = self.frame()
        ours = getattr(self.robot, quantity)(*values, **options)
        return float(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max()))

    def single(self, quantity: str) -> Way | None:
        """Their Python call on one state."""
        call = self._call(quantity)
        if call is None:
            return None
        names = QUANTITIES[quantity].states
        drawn = [state(self.robot, names, seed) for seed in range(SINGLES)]
        bare = {"inverse_dynamics": self.pin.rnea, "forward_dynamics": self.pin.aba}.get(quantity)
        arguments = [tuple(self._states(quantity, values)) for values in drawn]
        if bare is None:
            return Way(call[0], arguments)
        return Way(bare, [(self.model, self.data, *values) for values in arguments])

    def ways(self, quantity: str) -> dict[str, tuple[Way, int]]:
        """Their ways to a quantity by name, each with the number of states that a call does."""
        batch, single = self.in_parallel(quantity, 1), self.single(quantity)
        ways = {"Pinocchio, batch": (batch, BATCH), "Pinocchio, one call": (single, 1)}
        return {name: (way, states) for name, (way, states) in ways.items() if way is not None}

    def in_parallel(self, quantity: str, threads: int, batch: int = BATCH, sets: int = 2) -> Way | None:
        """Their call on a batch, for the two quantities that have one."""
        function = {
            "inverse_dynamics": self.pin.rneaInParallel,
            "forward_dynamics": self.pin.abaInParallel,
        }.get(quantity)
        if function is None or self._call(quantity) is None:
            return None
        pool = self.pin.ModelPool(self.model, threads)
        names = QUANTITIES[quantity].states
        out = np.empty((self.model.nv, batch), order="F")
        arguments: list[Arguments] = []
        for seed in range(sets):
            columns = self._states(quantity, state(self.robot, names, seed, batch))
            arguments.append((threads, pool, *columns, out))
        return Way(function, arguments)


def beside(robot: Robot) -> tuple[list[Pinocchio | MuJoCo], list[str]]:
    """The libraries that hold this robot, and why the others do not."""
    found: list[Pinocchio | MuJoCo] = []
    reasons: list[str] = []
    for module, library in (("pinocchio", Pinocchio), ("mujoco", MuJoCo)):
        if not installed(module):
            reasons.append(f"{library.name} is not installed.")
            continue
        try:
            peer = library(robot)
        except UnsupportedModelError as error:
            reasons.append(str(error))
            continue
        off = peer.disagreement("inverse_dynamics") or 0.0
        if off <= AGREEMENT:
            found.append(peer)
        else:
            reasons.append(f"{library.name} finds other torques for {robot.name}, off by {off:.1e}.")
    return found, reasons


class MuJoCo:
    """A robot of joints with one degree of freedom in MuJoCo, without shapes, limits and friction."""

    name = "MuJoCo"

    def __init__(self, robot: Robot, urdf: str | None = None) -> None:
        self.mujoco: Any = importlib.import_module("mujoco")
        self.robot = robot
        if not robot.coordinates.trivial or any(joint.nv != 1 for joint in robot.model.joints):
            raise UnsupportedModelError(f"{robot.name} has joints that are held otherwise in MuJoCo.")
        text = write_urdf(robot.model)[0] if urdf is None else urdf
        text = re.sub(r"<(visual|collision|gazebo|transmission)\b.*?</\1>", "", text, flags=re.S)
        options = (
            '<mujoco><compiler balanceinertia="false" discardvisual="false" fusestatic="true"/></mujoco>'
        )
        text = re.sub(r"<\?xml.*?\?>", "", text)
        text = re.sub(r"(<robot[^>]*>)", rf"\1{options}", text, count=1)
        try:
            self.model = self.mujoco.MjModel.from_xml_string(text)
        except ValueError as error:
            reason = str(error).splitlines()[0]
            raise UnsupportedModelError(f"MuJoCo does not take {robot.name}: {reason}") from None
        order = [self.model.jnt_dofadr[self.model.joint(j.name).id] for j in robot.model.joints]
        self.order = np.array(order)
        self.model.opt.gravity[:] = [float(x) for x in robot.model.gravity.linear]  # pyright: ignore
        self.model.dof_damping[:] = 0.0
        self.model.dof_frictionloss[:] = 0.0
        self.model.jnt_limited[:] = 0
        self.model.dof_armature[self.order] = [j.rotor_inertia for j in robot.model.joints]
        self.data = self.mujoco.MjData(self.model)

    def _inverse(self, q: Array, qd: Array, qdd: Array) -> None:
        data = self.data
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        self.mujoco.mj_inverse(self.model, data)

    def _theirs(self, values: Arguments) -> Arguments:
        reordered: list[Array] = []
        for value in values:
            mine = np.zeros(self.model.nv)
            mine[self.order] = value
            reordered.append(mine)
        return tuple(reordered)

    def disagreement(self, quantity: str = "inverse_dynamics", seed: int = 0) -> float:
        """The largest difference of a torque from ours over the largest torque."""
        values = state(self.robot, QUANTITIES[quantity].states, seed)
        self._inverse(*self._theirs(values))
        theirs = self.data.qfrc_inverse[self.order]
        ours = self.robot.inverse_dynamics(*values, friction=False)
        return float(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max()))

    def ways(self, quantity: str = "inverse_dynamics") -> dict[str, tuple[Way, int]]:
        """``mj_inverse`` on states written into its data, and ``mj_rne`` bare, its kinematics left as they are."""
        if quantity != "inverse_dynamics":
            return {}
        drawn = [state(self.robot, ("q", "qd", "qdd"), seed) for seed in range(SINGLES)]
        result = np.zeros(self.model.nv)
        return {
            "mj_inverse, one call": (Way(self._inverse, [self._theirs(values) for values in drawn]), 1),
            "mj_rne, one call": (Way(self.mujoco.mj_rne, [(self.model, self.data, 1, result)]), 1),
        }
