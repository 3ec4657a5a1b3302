"""The same robot in other libraries, to compare results and times with: Pinocchio and MuJoCo, where installed.

A robot reaches them as URDF text: its own file, or what Strobe writes. Joints are matched by name. Pinocchio
puts a quaternion's scalar last, holds a continuous joint as cosine and sine, counts mimic joints as
independent and fills the upper triangle of the mass matrix only.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.analysis.speed import state
from strobe.compiler.runtime.timing import BATCH, SINGLES, Arguments, Way
from strobe.errors import UnsupportedModelError
from strobe.models.default_frame import hands
from strobe.models.urdf_writer import write_urdf
from strobe.quantities import QUANTITIES
from strobe.quantities.request import POSITIONS
from strobe.robot import Robot

Array = np.ndarray
AGREEMENT = 1e-9  # of results that count as the same


def installed(name: str) -> Any:
    """A library, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _as_they_are(_: Robot, __: Arguments, ours: Array) -> Array:
    return ours


def _rate_of_inertia(C: Array) -> Array:
    """C + Cᵀ = Ṁ, which all matrices have in common with which Ṁ − 2 C is skew."""
    return C + C.T


def _rate_of_ours(_: Robot, __: Arguments, ours: Array) -> Array:
    return _rate_of_inertia(ours)


def _times_parameters(robot: Robot, _: Arguments, ours: Array) -> Array:
    """What factors of parameters are factors of: their bodies are others."""
    return ours @ robot.parameters


@dataclass(frozen=True)
class Theirs:
    """A function of another library, and how its result is compared with ours."""

    function: Callable[..., Any]  # of its model, its data and a state
    ours: Callable[[Any], Array]  # from its result to ours
    seen: Callable[[Robot, Arguments, Array], Array] = _as_they_are  # what is compared of ours, at a state
    more: Arguments = ()  # further arguments


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

    def _states(self, quantity: str, values: Arguments) -> list[Any]:
        names = QUANTITIES[quantity].states
        return [
            x if name == "dt" else self.position(x) if name in POSITIONS else self.rates(x)
            for name, x in zip(names, values, strict=True)
        ]

    def torques(self, tau: Array) -> Array:
        """Our torques (..., n) from theirs."""
        reduced = self.robot.coordinates.reduce(list(np.asarray(tau)[self.order]))
        return np.moveaxis(np.array(reduced), 0, -1)

    def _positions(self, theirs: Array) -> Array:
        """Our position from theirs."""
        full: list[float] = []
        for joint in self.robot.model.joints:
            their = self._theirs(joint)
            mine = list(theirs[their.idx_q : their.idx_q + their.nq])
            if joint.has_quaternion:
                mine = [*mine[:-4], mine[-1], *mine[-4:-1]]
            elif their.nq == joint.nq + 1:
                mine = [*mine[:-2], np.arctan2(mine[-1], mine[-2])]
            full += mine
        return np.array(full)

    def _matrix(self, M: Array) -> Array:
        return self._square(np.triu(M) + np.triu(M, 1).T)

    def _square(self, M: Array) -> Array:
        return np.array(self.robot.coordinates.reduce_matrix(M[np.ix_(self.order, self.order)].tolist()))

    def _squares(self, several: Sequence[Array]) -> Array:
        return np.array([self._square(M) for M in several])

    def _columns(self, J: Array) -> Array:
        return np.array(self.robot.coordinates.reduce_columns(J[:, self.order].tolist()))

    # -- quantities ---------------------------------------------------------------------------------

    def frame(self) -> str | None:
        """The tip (the last one of several) if it is a link of theirs too, else the last frame that moves and is."""
        kind = self.pin.FrameType.BODY
        names = [*self.robot.moving_frames, *hands(self.robot.model)[-1:]]
        return next((name for name in reversed(names) if self.model.existFrame(name, kind)), None)

    def _has(self, quantity: str) -> Theirs | None:
        """Their call for a quantity, if there is one for this robot."""
        with_frames = {} if (index := self._frame_index()) is None else self._of_a_frame(index)
        plain = self.robot.coordinates.trivial  # accelerations of joints that follow others are not theirs
        known = self._of_torques() | with_frames | (self._of_trees() if plain else {})
        return known.get(quantity)

    def _of_torques(self) -> dict[str, Theirs]:
        pin = self.pin
        return {
            "inverse_dynamics": Theirs(pin.rnea, self.torques),
            "mass_matrix": Theirs(pin.crba, self._matrix),
            "gravity": Theirs(pin.computeGeneralizedGravity, self.torques),
            "bias": Theirs(pin.nonLinearEffects, self.torques),
            "centroidal_momentum_matrix": Theirs(pin.computeCentroidalMap, self._columns),
            "centroidal_momentum_matrix_dot": Theirs(self._map_rate, self._columns),
            "momentum": Theirs(pin.computeCentroidalMomentum, lambda h: h.vector),
            "center_of_mass": Theirs(pin.centerOfMass, np.array),
            "energy": Theirs(
                lambda model, data, q, v: (
                    pin.computeKineticEnergy(model, data, q, v),
                    pin.computePotentialEnergy(model, data, q),
                ),
                np.array,
            ),
        }

    def _map_rate(self, model: Any, data: Any, q: Array, v: Array) -> Any:
        """It reads the velocity of the centre of mass, which in version 4.1 it does not compute."""
        self.pin.centerOfMass(model, data, q, v)
        return self.pin.computeCentroidalMapTimeVariation(model, data, q, v)

    def _of_trees(self) -> dict[str, Theirs]:
        pin = self.pin
        return {
            "forward_dynamics": Theirs(pin.aba, self.torques),
            "inverse_dynamics_derivatives": Theirs(pin.computeRNEADerivatives, self._squares),
            "forward_dynamics_derivatives": Theirs(pin.computeABADerivatives, self._squares),
            "mass_matrix_inverse": Theirs(pin.computeMinverse, self._matrix),
            "coriolis_matrix": Theirs(
                pin.computeCoriolisMatrix, lambda C: _rate_of_inertia(self._square(C)), _rate_of_ours
            ),
            "regressor": Theirs(
                pin.computeJointTorqueRegressor, lambda Y: self.torques(Y @ self._parameters()), _times_parameters
            ),
            "energy_regressor": Theirs(
                lambda model, data, q, v: (
                    pin.computeKineticEnergyRegressor(model, data, q, v),
                    pin.computePotentialEnergyRegressor(model, data, q),
                ),
                lambda Y: np.array(Y) @ self._parameters(),
                _times_parameters,
            ),
            "integrate": Theirs(lambda model, data, q, v, dt: pin.integrate(model, q, v), self._positions),
            "difference": Theirs(lambda model, data, q0, q1: pin.difference(model, q0, q1), self.torques),
        }  # fmt: skip

    def _of_a_frame(self, index: int) -> dict[str, Theirs]:
        pin, aligned = self.pin, self.pin.LOCAL_WORLD_ALIGNED

        def placed(model: Any, data: Any, q: Array) -> Any:
            pin.forwardKinematics(model, data, q)
            return pin.updateFramePlacement(model, data, index)

        def all_placed(model: Any, data: Any, q: Array) -> Any:
            pin.framesForwardKinematics(model, data, q)
            return data.oMf

        def velocity(model: Any, data: Any, q: Array, v: Array) -> Any:
            pin.forwardKinematics(model, data, q, v)
            return pin.getFrameVelocity(model, data, index, aligned)

        def acceleration(model: Any, data: Any, q: Array, v: Array, a: Array) -> Any:
            pin.forwardKinematics(model, data, q, v, a)
            return pin.getFrameClassicalAcceleration(model, data, index, aligned)

        def jacobian_dot(model: Any, data: Any, q: Array, v: Array) -> Any:
            pin.computeJointJacobiansTimeVariation(model, data, q, v)
            return pin.getFrameJacobianTimeVariation(model, data, index, aligned)

        return {
            "forward_kinematics": Theirs(placed, lambda placement: placement.homogeneous),
            "frame_placements": Theirs(all_placed, self._placements, self._shared_placements),
            "frame_velocity": Theirs(velocity, lambda motion: motion.vector),
            "frame_acceleration": Theirs(acceleration, lambda motion: motion.vector),
            "jacobian": Theirs(pin.computeFrameJacobian, self._columns, more=(index, aligned)),
            "jacobian_dot": Theirs(jacobian_dot, self._columns),
        }

    def _frame_index(self) -> int | None:
        name = self.frame()
        return None if name is None else self.model.getFrameId(name, self.pin.FrameType.BODY)

    def _parameters(self) -> Array:
        return np.concatenate([inertia.toDynamicParameters() for inertia in list(self.model.inertias)[1:]])

    def _shared_frames(self) -> list[str]:
        kind = self.pin.FrameType.BODY
        return [name for name in self.robot.frames if self.model.existFrame(name, kind)]

    def _placements(self, placements: Any) -> Array:
        kind = self.pin.FrameType.BODY
        indices = [self.model.getFrameId(name, kind) for name in self._shared_frames()]
        return np.array([placements[index].homogeneous for index in indices])

    def _shared_placements(self, _: Robot, __: Arguments, ours: Array) -> Array:
        return ours[[self.robot.frames.index(name) for name in self._shared_frames()]]

    def disagreement(self, quantity: str, seed: int = 0) -> float | None:
        """The largest difference from our result over the largest entry; None where they have no such function."""
        their = self._has(quantity)
        if their is None:
            return None
        values = state(self.robot, QUANTITIES[quantity].states, seed)
        theirs = their.ours(their.function(*self._arguments(their, quantity, values)))
        found = getattr(self.robot, quantity)(*values, **self.options(quantity))
        ours = their.seen(self.robot, values, np.asarray(found))
        return float(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max()))

    def options(self, quantity: str) -> dict[str, Any]:
        """Keywords with which we are asked what they are: without friction, of a frame that both know."""
        record = QUANTITIES[quantity]
        options: dict[str, Any] = {"friction": False} if "friction" in record.keywords else {}
        return options | ({"frame": self.frame()} if record.of_a_frame else {})

    def _arguments(self, their: Theirs, quantity: str, values: Arguments) -> Arguments:
        return self.model, self.data, *self._states(quantity, values), *their.more

    def single(self, quantity: str) -> Way | None:
        """Their Python call on one state."""
        their = self._has(quantity)
        if their is None:
            return None
        names = QUANTITIES[quantity].states
        drawn = [state(self.robot, names, seed) for seed in range(SINGLES)]
        return Way(their.function, [self._arguments(their, quantity, values) for values in drawn])

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
        if function is None or self._has(quantity) is None:
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
