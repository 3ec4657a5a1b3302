"""What a user holds: a model and what can be asked of it, on plain arrays.

Arrays are ``(..., n)`` and broadcast over leading axes; float64, or float32 if the inputs are. The
signs: ``M qdd + C qd + g + friction(qd) = tau + Σ Jᵀ F``, with F = (force, moment) exerted on the robot
at a frame's origin in base axes.
"""

from __future__ import annotations

import html
import warnings
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from strobe import quantities
from strobe.errors import (
    ArgumentError,
    Fault,
    ModelWarning,
    ShapeError,
    SingularMassMatrixError,
    UnknownNameError,
    UnsupportedModelError,
    counted,
)
from strobe.models import edits
from strobe.models import parameters as constants
from strobe.models.arguments import finite_numbers
from strobe.models.couplings import Coordinates, coordinates
from strobe.models.load import load_model
from strobe.models.loops import require_open
from strobe.models.model import Model
from strobe.models.random_robots import random_model
from strobe.quantities import Request
from strobe.runtime.arrays import checked, collected, require_turns
from strobe.runtime.interpret import evaluate
from strobe.runtime.kernels import Kernel, declined

if TYPE_CHECKING:
    from strobe.control.controller import Controller
    from strobe.control.tracked import Tracked
    from strobe.equations.closed_form import Equations
    from strobe.equations.coordinates import InCoordinates
    from strobe.equations.meaning import Explanation
    from strobe.export.quantity import Export
    from strobe.identify.base_parameters import BaseParameters
    from strobe.kinematics.hand import Hand
    from strobe.kinematics.manipulability import LimitMargins, SingularDirections
    from strobe.kinematics.rates import Resolved
    from strobe.kinematics.solutions import Solutions
    from strobe.kinematics.tracking import Path
    from strobe.mechanisms.diagnosis import Solvable
    from strobe.simulate.run import Run
    from strobe.trajectory.motion import Trajectory

Array = np.ndarray
Names = tuple[str, ...]
Wrench = Any  # an array (..., 6), or a mapping from frame names to such arrays


class Bounds(NamedTuple):
    """Limits of every independent degree of freedom, infinite where none is known."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array


class TorqueDerivatives(NamedTuple):
    """What torques change with (..., n, n): row i is torque i, and M is the derivative by accelerations."""

    dtau_dq: Array
    dtau_dqd: Array
    M: Array


class AccelerationDerivatives(NamedTuple):
    """What accelerations change with (..., n, n); M⁻¹ is the derivative by torques."""

    dqdd_dq: Array
    dqdd_dqd: Array
    Minv: Array


class TorqueSecondDerivatives(NamedTuple):
    """Second derivatives of torques (..., n, n, n): entry i j k of torque i, by what stands first at j, next at k."""

    d2tau_dqdq: Array
    d2tau_dqdqd: Array
    d2tau_dqddqd: Array
    dM_dq: Array


QUICK = {  # what control loops ask for, state by state or batch by batch, and where its builtin is
    "inverse_dynamics": "_quick_inverse",
    "forward_dynamics": "_quick_forward",
    "mass_matrix": "_quick_mass",
}


Plain = tuple[str, bool, bool]  # a quantity, whether with friction, whether with parameters as an input

CHECKED = (
    "inverse_dynamics",
    "forward_dynamics",
    "hybrid_dynamics",
)  # of closed chains, only in states that exist


class Robot:
    """A robot: its dynamics and kinematics as functions of arrays."""

    def __init__(self, model: Model, compiled: bool = True) -> None:
        self._model = model
        self._compiled = compiled
        self._kernels: dict[Request, Kernel] = {}
        self._quick_inverse = self._quick_forward = self._quick_mass = declined  # for single states
        self._batch: defaultdict[Plain, Any] = defaultdict(lambda: declined)  # and for batches
        self._given: defaultdict[Plain, Any] = defaultdict(
            lambda: declined
        )  # for single states with parameters
        self._asked = set[tuple[Request, int]]()  # what was asked before, for one state (0) or a batch (1)
        self._massless: dict[Names, Names] = {}  # joints that never move inertia, while others are driven
        self._kept: dict[Hashable, Any] = {}

    @property
    def model(self) -> Model:
        """The robot as data; an edit gives a new robot."""
        return self._model

    @property
    def compiled(self) -> bool:
        """Whether quantities are machine code; if not, every call is interpreted on NumPy."""
        return self._compiled

    def _edited(self, model: Model) -> Robot:
        return type(self)(model, self.compiled)

    # -- what it is ---------------------------------------------------------------------------------

    @cached_property
    def coordinates(self) -> Coordinates:
        """The independent coordinates: joints that follow others are not among them."""
        return coordinates(self.model)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def nq(self) -> int:
        """Numbers in a position q."""
        return self.coordinates.nq

    @property
    def nv(self) -> int:
        """Numbers in a velocity: the degrees of freedom."""
        return self.coordinates.nv

    @property
    def n(self) -> int:
        """Degrees of freedom."""
        return self.nv

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints, in the order of q."""
        return tuple(joint.name for joint in self.coordinates.joints)

    @property
    def frames(self) -> tuple[str, ...]:
        return tuple(frame.name for frame in self.model.frames)

    @property
    def notes(self) -> tuple[Fault, ...]:
        """What the reader found worth saying."""
        return self.model.notes

    @cached_property
    def limits(self) -> Bounds:
        """Arrays of nv entries each."""
        rows = [joint.limits for joint in self.coordinates.joints for _ in range(joint.nv)]
        columns = zip(
            *((r.lower, r.upper, r.velocity, r.acceleration, r.effort) for r in rows), strict=True
        )
        return Bounds(*(np.array(column) for column in columns)) if rows else Bounds(*[np.empty(0)] * 5)

    @cached_property
    def neutral(self) -> Array:
        """The position in which every joint is at its zero."""
        return np.array([x for joint in self.coordinates.joints for x in joint.neutral()])

    # -- dynamics -----------------------------------------------------------------------------------

    def inverse_dynamics(
        self, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, formulation: str | None = None,
        actuated: Sequence[str] | None = None, parameters: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Torques tau (..., n) behind a motion.

        Of a closed chain: torques of its ``actuated`` joints (those of the model if none are named), zero elsewhere.
        """
        plain = wrench is gravity is formulation is frame is actuated is geometry is None
        if plain and friction is True and parameters is out is threads is None:
            one = self._quick_inverse(q, qd, qdd)
            if one is not NotImplemented:
                return one
        if plain:
            many = self._plain("inverse_dynamics", friction, threads, out, parameters, q, qd, qdd)
            if many is not NotImplemented:
                return many
        values = {"q": q, "qd": qd, "qdd": qdd} | self._loads(wrench, frame, gravity, parameters, geometry)
        driven = self._driven(actuated)
        return self._dynamics(
            "inverse_dynamics",
            values,
            out,
            threads,
            formulation=formulation,
            friction=friction,
            actuated=driven,
        )

    def forward_dynamics(
        self, q: Any, qd: Any, tau: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, formulation: str | None = None,
        parameters: Any = None, geometry: Any = None, out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Accelerations qdd (..., n) that follow from torques; NaN where the mass matrix is singular.

        `singular_joints` says which joint is the cause.
        """
        plain = wrench is gravity is formulation is frame is geometry is None
        if plain and friction is True and parameters is out is threads is None:
            one = self._quick_forward(q, qd, tau)
            if one is not NotImplemented:
                return one
        if plain:
            many = self._plain("forward_dynamics", friction, threads, out, parameters, q, qd, tau)
            if many is not NotImplemented:
                return many
        values = {"q": q, "qd": qd, "tau": tau} | self._loads(wrench, frame, gravity, parameters, geometry)
        return self._dynamics(
            "forward_dynamics", values, out, threads, formulation=formulation, friction=friction
        )

    def hybrid_dynamics(
        self, q: Any, qd: Any, x: Any, accelerated: Sequence[str] = (), *, wrench: Wrench = None,
        frame: str | None = None, gravity: Any = None, friction: bool = True, parameters: Any = None,
        geometry: Any = None, out: Array | None = None, threads: int | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Torques and accelerations (..., n) where either is given for each joint.

        x (..., n) holds accelerations for the joints named in ``accelerated`` (names may use * and ?) and torques
        for all others; a passive joint has torque zero. NaN where the joints that are free to move have a
        singular mass matrix (`singular_joints` says which). ``out`` (..., 2, n) takes both results.
        """
        values = {"q": q, "qd": qd, "x": x} | self._loads(wrench, frame, gravity, parameters, geometry)
        named = self._joints_like(accelerated)
        both = self._dynamics("hybrid_dynamics", values, out, threads, friction=friction, accelerated=named)
        return both[..., 0, :], both[..., 1, :]

    def inverse_dynamics_derivatives(
        self, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, parameters: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> TorqueDerivatives:  # fmt: skip
        """∂tau/∂q, ∂tau/∂qd and M (..., n, n) of `inverse_dynamics`; ``out`` (..., 3, n, n) takes all three.

        Derivatives by q are along the degrees of freedom: at a quaternion, along the axes of the moved frame, as
        `integrate` steps. Coulomb friction has the slope of its ramp up to and at the speed where that ends, zero
        beyond. Wrenches keep their direction in base axes.
        """
        values = {"q": q, "qd": qd, "qdd": qdd} | self._loads(wrench, frame, gravity, parameters, geometry)
        all_three = self._dynamics("inverse_dynamics_derivatives", values, out, threads, friction=friction)
        return TorqueDerivatives(*(all_three[..., k, :, :] for k in range(3)))

    def inverse_dynamics_second_derivatives(
        self, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, parameters: Any = None, geometry: Any = None,
        threads: int | None = None,
    ) -> TorqueSecondDerivatives:  # fmt: skip
        """∂²tau/∂q∂q, ∂²tau/∂q∂qd, ∂²tau/∂qd∂qd and ∂M/∂q (..., n, n, n) of `inverse_dynamics`.

        Two derivatives along the axes of one quaternion are taken in turn, the second where the first has led: there
        alone ∂²tau/∂q∂q is not symmetric.
        """
        values = {"q": q, "qd": qd, "qdd": qdd} | self._loads(wrench, frame, gravity, parameters, geometry)
        every = self._dynamics(
            "inverse_dynamics_derivatives", values, None, threads, friction=friction, by=("q", "qd")
        )
        by_q, by_qd = every[..., : self.n], every[..., self.n :]
        return TorqueSecondDerivatives(
            by_q[..., 0, :, :, :], by_qd[..., 0, :, :, :], by_qd[..., 1, :, :, :], by_q[..., 2, :, :, :]
        )

    def forward_dynamics_derivatives(
        self, q: Any, qd: Any, tau: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, parameters: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> AccelerationDerivatives:  # fmt: skip
        """∂qdd/∂q, ∂qdd/∂qd and M⁻¹ (..., n, n) of `forward_dynamics`, as `inverse_dynamics_derivatives` has them."""
        values = {"q": q, "qd": qd, "tau": tau} | self._loads(wrench, frame, gravity, parameters, geometry)
        all_three = self._dynamics("forward_dynamics_derivatives", values, out, threads, friction=friction)
        return AccelerationDerivatives(*(all_three[..., k, :, :] for k in range(3)))

    def singular_joints(self, q: Any, accelerated: Sequence[str] = ()) -> Names:
        """The joints that move no inertia at a position q (nq), so that torques do not decide accelerations.

        Elimination of the mass matrix runs from the tips, and a joint is named where it leaves nothing but rounding.
        ``accelerated`` names joints whose acceleration is given, as in `hybrid_dynamics`.
        """
        return self._singular_joints(self._position(q), self._joints_like(accelerated))

    def _position(self, q: Any) -> Array:
        """One position (nq,)."""
        here = collected({"q": q}, {"q": self.nq}, self._why)["q"].astype(float)
        if here.ndim > 1:
            raise ShapeError("q", here.shape, f"({self.nq},)", "it is one position")
        return here

    def _known_position(self, q: Any) -> Array:
        """One position (nq,) of finite numbers, whose quaternions have a length."""
        here = self._position(q)
        finite_numbers("q", here)
        require_turns("q", here, self.coordinates.joints)
        return here

    def _singular_joints(self, q: Array, given: Names) -> Names:
        owners = [joint.name for joint in self.coordinates.joints for _ in range(joint.nv)]
        free = [k for k, name in enumerate(owners) if name not in given]
        M = Robot(self.model, compiled=False).mass_matrix(q)  # rarely asked: not worth a kernel
        scales = M.diagonal()
        if self.coordinates.trivial and not given and quantities.long_supports(self.model):
            scales = np.array(quantities.articulated_scales(self.model, q.tolist()), dtype=float)
        found = [owners[free[k]] for k in _vanishing_pivots(M[np.ix_(free, free)], scales[free])]
        return tuple(dict.fromkeys(found))

    def joint_wrenches(
        self, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, parameters: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """What every joint transmits onto the body it carries (..., bodies, 6): force, then moment, base axes.

        One row per joint of the model, those that follow others included, each at the origin of its moved frame.
        Along the joint it is the torque less rotor inertia and friction, which act inside the drive.
        """
        values = {"q": q, "qd": qd, "qdd": qdd} | self._loads(wrench, frame, gravity, parameters, geometry)
        if self.model.is_closed and out is parameters is geometry is None:
            return self.explain(q, qd, qdd, wrench=wrench, frame=frame, gravity=gravity).wrenches
        require_open(
            self.model, "what joints transmit, for out=, parameters= or geometry=,", "Leave these out."
        )
        return self._dynamics("joint_wrenches", values, out, threads)

    def mass_matrix(
        self, q: Any, *, formulation: str | None = None, parameters: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """M (..., n, n), rotor inertia included."""
        if out is formulation is threads is parameters is geometry is None:
            one = self._quick_mass(q)
            if one is not NotImplemented:
                return one
        if formulation is geometry is None:
            many = self._plain("mass_matrix", True, threads, out, parameters, q)
            if many is not NotImplemented:
                return many
        values = {"q": q} | self._loads(parameters=parameters, geometry=geometry)
        return self._dynamics("mass_matrix", values, out, threads, formulation=formulation)

    def coriolis_matrix(
        self, q: Any, qd: Any, *, form: str = "christoffel", formulation: str | None = None,
        parameters: Any = None, geometry: Any = None, out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """C (..., n, n) of Christoffel symbols: C qd are the velocity torques, Ṁ − 2C is skew.

        ``form="decomposition"`` is another matrix with both properties, that of the decomposition by links.
        """
        values = {"q": q, "qd": qd} | self._loads(parameters=parameters, geometry=geometry)
        return self._dynamics("coriolis_matrix", values, out, threads, formulation=formulation, form=form)

    def gravity(
        self, q: Any, *, gravity: Any = None, formulation: str | None = None, parameters: Any = None,
        geometry: Any = None, out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The torques g (..., n) that hold the robot still."""
        values = {"q": q} | self._loads(gravity=gravity, parameters=parameters, geometry=geometry)
        return self._dynamics("gravity", values, out, threads, formulation=formulation)

    def bias(
        self, q: Any, qd: Any, *, gravity: Any = None, formulation: str | None = None,
        parameters: Any = None, geometry: Any = None, out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """C qd + g (..., n): the rigid-body torques of a motion without acceleration."""
        values = {"q": q, "qd": qd} | self._loads(gravity=gravity, parameters=parameters, geometry=geometry)
        return self._dynamics("bias", values, out, threads, formulation=formulation)

    def energy(
        self, q: Any, qd: Any, *, gravity: Any = None, parameters: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Kinetic energy, rotor inertia included, and potential energy (..., 2), zero at the base origin."""
        values = {"q": q, "qd": qd} | self._loads(gravity=gravity, parameters=parameters, geometry=geometry)
        return self._dynamics("energy", values, out, threads)

    def momentum(
        self, q: Any, qd: Any, *, parameters: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Linear momentum, then angular momentum about the centre of mass (..., 6), base axes."""
        values = {"q": q, "qd": qd} | self._loads(parameters=parameters, geometry=geometry)
        return self._dynamics("momentum", values, out, threads)

    def center_of_mass(
        self, q: Any, *, parameters: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The centre of mass (..., 3) of all bodies, the base not among them, in base axes."""
        values = {"q": q} | self._loads(parameters=parameters, geometry=geometry)
        return self._dynamics("center_of_mass", values, out, threads)

    def centroidal_momentum_matrix(
        self, q: Any, *, parameters: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """A (..., 6, n) with `momentum` = A qd, rows in the same order."""
        values = {"q": q} | self._loads(parameters=parameters, geometry=geometry)
        return self._dynamics("centroidal_momentum_matrix", values, out, threads)

    def centroidal_momentum_matrix_dot(
        self, q: Any, qd: Any, *, parameters: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The rate Ȧ (..., 6, n) of the centroidal momentum matrix while the robot moves with qd."""
        values = {"q": q, "qd": qd} | self._loads(parameters=parameters, geometry=geometry)
        return self._dynamics("centroidal_momentum_matrix_dot", values, out, threads)

    def centroidal_momentum_bias(
        self, q: Any, qd: Any, *, parameters: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Ȧ qd (..., 6): A qdd + Ȧ qd is the whole force from outside, and its moment about the centre of mass."""
        values = {"q": q, "qd": qd} | self._loads(parameters=parameters, geometry=geometry)
        return self._dynamics("centroidal_momentum_bias", values, out, threads)

    # -- parameters ---------------------------------------------------------------------------------
    # What a method is given as ``parameters=`` or ``geometry=`` stands instead of these; one row serves all states.

    @cached_property
    def parameters(self) -> Array:
        """The inertial parameters π (10 · bodies), ten of each body about its origin in body axes."""
        return np.array(constants.inertial_numbers(self.model), float)

    @cached_property
    def parameter_names(self) -> Names:
        """One name per inertial parameter: m1, mcx1, mcy1, mcz1, Ixx1, Iyy1, Izz1, Ixy1, Ixz1, Iyz1, m2, …"""
        return constants.inertial_names(self.model)

    @cached_property
    def drive_parameters(self) -> Array:
        """Rotor inertia, viscous and Coulomb friction forwards and backwards of every degree of freedom."""
        return np.array(constants.drive_numbers(self.model), float)

    @cached_property
    def drive_names(self) -> Names:
        """One name per number of `drive_parameters`: Ir1, v1, fp1, fn1, Ir2, …"""
        return constants.drive_names(self.model)

    @cached_property
    def geometry(self) -> Array:
        """The numbers that place the joints, where they are neither zero nor right angles."""
        return np.array(constants.geometry_numbers(self.model), float)

    @cached_property
    def geometry_names(self) -> Names:
        """One name per number of `geometry`: x2, y2, z2 displace body 2, rx2, ry2, rz2 turn it about an axis."""
        return constants.geometry_names(self.model)

    @cached_property
    def full_geometry(self) -> Array:
        """Every number that places a joint, zeros and right angles too."""
        return np.array(constants.geometry_numbers(self.model, full=True), float)

    @cached_property
    def full_geometry_names(self) -> Names:
        """One name per number of `full_geometry`."""
        return constants.geometry_names(self.model, full=True)

    def regressor(
        self, q: Any, qd: Any, qdd: Any, *, drives: bool = False, gravity: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Y (..., n, 10 · bodies): Y @ `parameters` are the torques without rotor inertia and friction.

        With ``drives`` the columns of `drive_parameters` stand behind these, and both together give all of
        `inverse_dynamics`. Of a closed chain it is the regressor of its tree.
        """
        values = {"q": q, "qd": qd, "qdd": qdd} | self._loads(gravity=gravity, geometry=geometry)
        return self._dynamics("regressor", values, out, threads, drives=drives)

    def momentum_regressor(
        self, q: Any, qd: Any, *, geometry: Any = None, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """Y (..., n, 10 · bodies): Y @ `parameters` is M qd, without rotor inertia."""
        values = {"q": q, "qd": qd} | self._loads(geometry=geometry)
        return self._dynamics("momentum_regressor", values, out, threads)

    def energy_regressor(
        self, q: Any, qd: Any, *, gravity: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Y (..., 2, 10 · bodies): Y @ `parameters` is the kinetic, without rotors, and the potential energy."""
        values = {"q": q, "qd": qd} | self._loads(gravity=gravity, geometry=geometry)
        return self._dynamics("energy_regressor", values, out, threads)

    def base_parameters(self, **keywords: Any) -> BaseParameters:
        """The combinations of inertial parameters that torques depend on; keywords as in `strobe.identify`."""
        from strobe.identify.base_parameters import base_parameters

        return base_parameters(self, **keywords)

    def check_parameters(self, parameters: Any) -> tuple[Fault, ...]:
        """What keeps inertial parameters (10 · bodies) from being those of bodies: body by body, the broken rule."""
        given = self._one_robot({"parameters": parameters})
        return constants.unphysical(self.model, given["parameters"])

    def with_parameters(self, parameters: Any = None, geometry: Any = None) -> Robot:
        """The robot with other constants, for good: its kernels are made for them."""
        values = self._loads(parameters=parameters, geometry=geometry)
        request = Request("regressor", **self._lifted(values))
        return self._edited(request.lifted(self.model, self._one_robot(values)))

    def _one_robot(self, values: Mapping[str, Any]) -> dict[str, list[float]]:
        """Constants of one robot, as numbers."""
        sizes = Request("regressor", **self._lifted(values)).constants(self.model)
        arrays = collected(values, sizes, self._why)
        for name, array in arrays.items():
            if array.ndim > 1:
                raise ShapeError(name, array.shape, f"({sizes[name]},)", "it is one robot")
        return {name: array.astype(float).tolist() for name, array in arrays.items()}

    # -- closed chains ------------------------------------------------------------------------------

    def loop_residuals(self, q: Any) -> Array:
        """How far each condition of closed chains is from holding (..., conditions): metres, sines of angles."""
        return self._ask(Request("loop_residuals"), {"q": q})

    def loop_facing(self, q: Any) -> Array:
        """For each loop (..., loops) a cosine, negative where its frames face each other the wrong way round."""
        return self._ask(Request("loop_facing"), {"q": q})

    def loop_jacobian(self, q: Any) -> Array:
        """K (..., conditions, n): closed chains allow the velocities with K qd = 0."""
        return self._ask(Request("loop_jacobian"), {"q": q})

    def loop_bias(self, q: Any, qd: Any) -> Array:
        """K̇ qd (..., conditions): closed chains allow the accelerations with K qdd + K̇ qd = 0."""
        return self._ask(Request("loop_bias"), {"q": q, "qd": qd})

    def assemble(self, q: Any = None, hold: Mapping[str, float] | None = None, **keywords: Any) -> Array:
        """Positions (..., nq) near q in which closed chains are closed, joints in ``hold`` at given positions.

        Keywords (tries, limits) as in `strobe.mechanisms.assemble`.
        """
        from strobe.mechanisms.assembly import assemble

        return assemble(self, q, hold, **keywords)

    def closed_velocities(self, q: Any, v: Any) -> Array:
        """The velocities (..., n) nearest to v, in the metric of the mass matrix, that closed chains allow."""
        return self._ask(Request("closed_velocities"), {"q": q, "v": v})

    def closed_accelerations(self, q: Any, qd: Any, v: Any) -> Array:
        """The accelerations (..., n) nearest to v that closed chains allow while they move with qd."""
        return self._ask(Request("closed_accelerations"), {"q": q, "qd": qd, "v": v})

    # -- kinematics ---------------------------------------------------------------------------------

    def forward_kinematics(
        self, q: Any, frame: str | None = None, *, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The placement (..., 4, 4) of a frame (the last one if none is named) in base axes."""
        return self._kinematics("forward_kinematics", {"q": q}, geometry, out, threads, self._frame(frame))

    def frame_placements(
        self, q: Any, *, geometry: Any = None, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """The placements (..., frames, 4, 4) of all frames in base axes, in the order of ``robot.frames``."""
        return self._kinematics("frame_placements", {"q": q}, geometry, out, threads)

    def jacobian(
        self, q: Any, frame: str | None = None, *, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """J (..., 6, n): linear velocity of the frame's origin, then angular velocity, base axes."""
        return self._kinematics("jacobian", {"q": q}, geometry, out, threads, self._frame(frame))

    def point_jacobian(
        self, q: Any, frame: str | None, point: Any, *, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """∂r/∂q (..., 3, n) of a point r that moves with a frame and is given (..., 3) in its axes; base axes."""
        values = {"q": q, "point": point}
        return self._kinematics("point_jacobian", values, geometry, out, threads, self._frame(frame))

    def point_forces(self, q: Any, frame: str | None, point: Any, force: Any) -> Array:
        """The generalized forces Jᵀ F (..., n) of a force F (..., 3), base axes, at a point of `point_jacobian`."""
        J = self.point_jacobian(q, frame, point)
        F = checked("force", force, (3,), "it is a force in base axes").astype(J.dtype, copy=False)
        return np.einsum("...ki,...k->...i", J, F)

    def jacobian_dot(
        self, q: Any, qd: Any, frame: str | None = None, *, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The rate (..., 6, n) of the Jacobian while the robot moves with qd: J qdd + J̇ qd accelerates the frame."""
        values = {"q": q, "qd": qd}
        return self._kinematics("jacobian_dot", values, geometry, out, threads, self._frame(frame))

    def jacobian_derivative(
        self, q: Any, frame: str | None = None, *, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """∂J/∂q (..., 6, n, n): entry i j k is what J_ij changes by along degree of freedom k."""
        return self._kinematics("jacobian_derivative", {"q": q}, geometry, out, threads, self._frame(frame))

    def analytic_jacobian(self, q: Any, frame: str | None = None, angles: str = "rpy") -> Array:
        """(..., 6, n): linear velocity, then the rates of named angles, which are not ω (see `jacobian` for that).

        ``angles`` is "rpy", "waters", "rotation-vector" or "quaternion" (7 rows); NaN where these have no rates.
        """
        from strobe.kinematics.hand import analytic_jacobian

        return analytic_jacobian(self, q, frame, angles)

    def hand(self, q: Any, qd: Any = None, frame: str | None = None, angles: str = "waters") -> Hand:
        """Position, orientation and named angles of a frame, and their rates where qd is given, base axes."""
        from strobe.kinematics.hand import hand

        return hand(self, q, qd, frame, angles)

    def manipulability(
        self, q: Any, frame: str | None = None, of: str | Sequence[str] = "all", length: float = 1.0
    ) -> Array:
        """√det(J Jᵀ) (...) of the rows ``of``: "all", "translation", "rotation", or such as ("x", "y", "wz").

        ``length`` is how many metres count as one radian.
        """
        from strobe.kinematics.manipulability import manipulability

        return manipulability(self, q, frame, of, length)

    def singular_directions(
        self, q: Any, frame: str | None = None, of: str | Sequence[str] = "all", **keywords: Any
    ) -> SingularDirections:
        """Where the hand cannot be moved at q, and which joint motions do not move it.

        Keywords as in `strobe.kinematics.manipulability.singular_directions`.
        """
        from strobe.kinematics.manipulability import singular_directions

        return singular_directions(self, q, frame, of, **keywords)

    def limit_margins(self, q: Any) -> LimitMargins:
        """The distance of every joint to its lower and its upper limit."""
        from strobe.kinematics.manipulability import limit_margins

        return limit_margins(self, q)

    def inverse_velocity(self, q: Any, twist: Any, frame: str | None = None, **keywords: Any) -> Resolved:
        """Joint velocities that move a frame with a twist (..., 6), and the residual.

        Keywords (damping, of, preferred, method, …) as in `strobe.kinematics.rates.inverse_velocity`.
        """
        from strobe.kinematics.rates import inverse_velocity

        return inverse_velocity(self, q, twist, frame, **keywords)

    def inverse_acceleration(
        self, q: Any, qd: Any, acceleration: Any, frame: str | None = None, **keywords: Any
    ) -> Resolved:
        """Joint accelerations that accelerate a frame by (p̈, ω̇) (..., 6) while it moves with qd.

        Keywords (damping, of, preferred) as in `strobe.kinematics.rates.inverse_acceleration`.
        """
        from strobe.kinematics.rates import inverse_acceleration

        return inverse_acceleration(self, q, qd, acceleration, frame, **keywords)

    def inverse_kinematics(
        self, pose: Any, frame: str | None = None, *, method: str = "auto", q0: Any = None,
        limits: bool = True, what: str = "pose", **options: Any,
    ) -> Solutions:  # fmt: skip
        """Joint positions that bring a frame to poses (..., 4, 4): every branch where a closed form is known.

        The best come first: within the limits, then near q0. ``method`` is "auto", "analytic" or "numeric", ``what``
        "pose", "position" or "orientation". Keywords as in `strobe.kinematics.inverse.inverse_kinematics`.
        """
        from strobe.kinematics.inverse import inverse_kinematics

        return inverse_kinematics(
            self, pose, frame, method=method, q0=q0, limits=limits, what=what, **options
        )

    def track(self, poses: Any, q0: Any = None, frame: str | None = None, **options: Any) -> Path:
        """The joints along a sequence of poses (T, 4, 4), from q0 on, without jumps between branches.

        Keywords (what, limits, step, tolerance, …) as in `strobe.kinematics.tracking.track`.
        """
        from strobe.kinematics.tracking import track

        return track(self, poses, q0, frame, **options)

    def plan(self, asked: Any, method: str | None = None, **options: Any) -> Trajectory:
        """The motion that a request asks for: a .toml or .json file, a mapping, or joint positions (P, n).

        ``method`` is "constant-acceleration", "torque-limited", "kahn", "jerk-limited", "cubic", "quintic",
        "hand-line" or "blends". Options (velocity, acceleration, qd, times, envelope, …) as in
        `strobe.trajectory.methods.plan`.
        """
        from strobe.trajectory.methods import plan

        return plan(self, asked, method, **options)

    def integrate(self, q: Any, v: Any, dt: Any = 1.0) -> Array:
        """The position after velocity v has acted for a time dt; quaternions come back with length one."""
        times = np.expand_dims(dt, -1)
        times = times if isinstance(dt, np.ndarray | np.generic) else times.tolist()
        return self._ask(Request("integrate"), {"q": q, "v": v, "dt": times})

    def difference(self, q0: Any, q1: Any) -> Array:
        """The velocity (..., nv) that leads from q0 to q1 in unit time."""
        return self._ask(Request("difference"), {"q0": q0, "q1": q1})

    def random_state(self, seed: int = 0, batch: int | tuple[int, ...] = ()) -> tuple[Array, Array, Array]:
        """Positions within the limits (a turn, or a metre, where there are none), rates, accelerations."""
        if seed < 0:
            raise ArgumentError(f"seed is {seed}; expected a number that is not negative.")
        rng = np.random.default_rng(seed)
        shape = tuple(batch) if isinstance(batch, tuple | list) else (int(batch),)
        if self.model.is_closed:
            return self._random_closed(rng, shape)
        q = self._random_positions(rng, shape)
        qd, qdd = (rng.standard_normal((*shape, self.nv)) for _ in range(2))
        return q, qd, qdd

    def _random_positions(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        q = np.empty((*shape, self.nq))
        for joint in self.coordinates.joints:
            here = q[..., joint.q : joint.q + joint.nq]
            here[...] = _random_position(joint, rng, here.shape)
        return q

    def _random_closed(
        self, rng: np.random.Generator, shape: tuple[int, ...]
    ) -> tuple[Array, Array, Array]:
        """Positions in which closed chains are closed, and rates and accelerations that keep them so."""
        from strobe.mechanisms.assembly import random_positions

        q = random_positions(self, lambda part: self._random_guess(rng, part), shape)
        v, a = (rng.standard_normal((*shape, self.nv)) for _ in range(2))
        qd = self.closed_velocities(q, v)
        return q, qd, self.closed_accelerations(q, qd, a)

    def _random_guess(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Random positions, in which joints with quaternions start where the first named pose has them.

        Loops lead these: from anywhere, a platform would as well be put together upside down.
        """
        q = self._random_positions(rng, shape)
        pose = next((pose for pose in self.model.poses.values() if len(pose) == self.nq), ())
        for joint in self.coordinates.joints:
            own = slice(joint.q, joint.q + joint.nq)
            if joint.nq > 1 and pose:
                q[..., own] = pose[own]
        return q

    def simulate(self, q0: Any, qd0: Any, torque: Any, t: Any, method: str = "rk4", **keywords: Any) -> Run:
        """The motion that follows from torques; keywords (step, wrench, events, …) as in `strobe.simulate`."""
        from strobe.simulate.simulation import simulate

        return simulate(self, q0, qd0, torque, t, method, **keywords)

    def control(
        self, motion: Any, controller: str | Controller = "computed-torque", **keywords: Any
    ) -> Tracked:
        """How the arm follows a motion or a request under a controller; keywords as in `strobe.control`."""
        from strobe.control.tracking import control

        return control(self, motion, controller, **keywords)

    def export(
        self, quantity: str, folder: str | PathLike[str] | None = None, *, target: str = "c", force: bool = False,
        formulation: str | None = None, frame: str | None = None, wrench: Sequence[str] = (),
        gravity_input: bool = False, friction: bool = True, accelerated: Sequence[str] = (), **keywords: Any,
    ) -> Export:  # fmt: skip
        """A quantity as C, an object file or a module for the web, written into a folder if one is named.

        ``wrench`` names frames whose wrenches are arguments, ``gravity_input`` makes gravity one; keywords (single,
        name, triple, cpu) as in `strobe.export.quantity.export`.
        """
        from strobe.export.quantity import export
        from strobe.runtime.files import refuse_folder

        if folder is not None:
            refuse_folder(folder, force=force)
        request = Request(
            quantity, formulation, friction, tuple(dict.fromkeys(self.model.frame(f).name for f in wrench)),
            gravity_input, None if frame is None else self.model.frame(frame).name, accelerated=tuple(accelerated),
        )  # fmt: skip
        made = export(self, request, target=target, **keywords)
        if folder is not None:
            made.write(folder, force=force)
        return made

    # -- equations ----------------------------------------------------------------------------------

    def equations(self, *, numbers: bool = False) -> Equations:
        """The equations of motion as closed forms, in named parameters or with the robot's own numbers."""
        from strobe.equations.closed_form import equations_of

        return equations_of(self, numbers)

    def explain(
        self, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True,
    ) -> Explanation:  # fmt: skip
        """The torques of a motion, each term with what it stands for; of a closed chain those that drive it."""
        if self.model.is_closed:
            from strobe.mechanisms.explained import explain
        else:
            from strobe.equations.meaning import explain

        return explain(self, q, qd, qdd, wrench=wrench, frame=frame, gravity=gravity, friction=friction)

    def in_coordinates(
        self, map: Any, *, offset: Any = None, inverse: Any = None, names: Sequence[str] | None = None,
        within: Any = None,
    ) -> InCoordinates:  # fmt: skip
        """The dynamics in other coordinates phi, where q = map(phi); see `strobe.equations.coordinates`.

        ``map`` is a function over numbers, a matrix (q = map @ phi + offset), or "absolute": angles against the
        base where joints have parallel axes.
        """
        from strobe.equations.coordinates import in_coordinates

        return in_coordinates(self, map, offset=offset, inverse=inverse, names=names, within=within)

    # -- edits: each gives a new robot --------------------------------------------------------------

    def lock(self, joints: Mapping[str, float]) -> Robot:
        """The robot with joints held at positions (names may use * and ?) and their links merged."""
        return self._edited(edits.lock(self.model, joints))

    def with_payload(
        self, mass: float, com: Sequence[float] = (0.0, 0.0, 0.0), inertia: Any = None,
        *, frame: str | None = None, size: float | None = None, replacing: Any = None,
    ) -> Robot:  # fmt: skip
        """The robot carrying a load at a frame: mass, centre and inertia, or mass and longest dimension.

        ``replacing`` is a load (mass, centre, inertia) attached there before, which is taken off first.
        """
        where = self._frame(frame)
        load = edits.attach_payload(
            self.model, mass, com, inertia, frame=where, size=size, replacing=replacing
        )
        return self._edited(load)

    def with_gravity(self, gravity: Sequence[float]) -> Robot:
        return self._edited(edits.change_gravity(self.model, gravity))

    def with_base(self, base: str) -> Robot:
        """The robot on a fixed, translating or floating base."""
        return self._edited(edits.change_base(self.model, base))

    def standing_on(self, frame: str, q: Any = None) -> Robot:
        """The robot with a frame as its base, held still; joints keep their names and what their positions mean.

        Gravity lies in the axes of that frame as it does there at the position q, the neutral one if none is given.
        """
        here = None if q is None else self.coordinates.expand(self._known_position(q).tolist())
        return self._edited(edits.reroot(self.model, frame, here))

    def with_frame(
        self, name: str, xyz: Sequence[float] = (0, 0, 0), rpy: Sequence[float] = (0, 0, 0),
        *, frame: str | None = None,
    ) -> Robot:  # fmt: skip
        """The robot with one more named frame, placed relative to another."""
        return self._edited(edits.add_frame(self.model, name, xyz, rpy, frame=self._frame(frame)))

    def with_loop(
        self,
        frame_a: str,
        frame_b: str,
        kind: str = "point",
        *,
        length: float = 0.0,
        name: str | None = None,
    ) -> Robot:
        """The robot with two of its frames bound to each other: a closed chain (kinds: `strobe.models.loops`)."""
        return self._edited(edits.add_loop(self.model, frame_a, frame_b, kind, length, name))

    def with_actuated(self, joints: Sequence[str]) -> Robot:
        """The robot with motors at these joints (names may use * and ?) and none elsewhere."""
        return self._edited(edits.choose_actuated(self.model, self._joints_like(joints)))

    def chain(self, tip: str, base: str | None = None) -> Robot:
        """The joints between two frames as a robot of their own."""
        return self._edited(edits.take_chain(self.model, tip, base))

    def scaled(self, length: float = 1.0, mass: float = 1.0) -> Robot:
        """A geometrically similar robot."""
        return self._edited(edits.scale(self.model, length, mass))

    # -- showing ------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<Robot {self.name}: {self.n} joints>"

    def __str__(self) -> str:
        pattern = "".join(joint.letter for joint in self.coordinates.joints)
        mass = sum(float(body.inertial.m) for body in self.model.bodies)  # pyright: ignore[reportArgumentType]
        freedom = f"{counted(self.n, 'degree')} of freedom ({pattern})"
        lines = [f"{self.name}: {freedom}, {mass:.4g} kg moving, {counted(len(self.frames), 'frame')}"]
        lines += [f"  {joint.name}: {joint.kind}" for joint in self.coordinates.joints]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head, *rows = (html.escape(line) for line in str(self).splitlines())
        items = "".join(f"<li>{row.strip()}</li>" for row in rows)
        return f"<b>{head}</b><ol>{items}</ol>"

    # -- the border ---------------------------------------------------------------------------------

    def _dynamics(
        self, quantity: str, values: dict[str, Any], out: Array | None, threads: int | None, **options: Any
    ) -> Array:
        return self._ask(self._request(quantity, values, **options), values, out, threads)

    def _request(self, quantity: str, values: Mapping[str, Any], **options: Any) -> Request:
        """What a call of a dynamic quantity asks for, its keywords checked."""
        self._require_dynamics()
        for name in ("friction", "drives"):
            if not isinstance(options.get(name, True), bool | np.bool_):
                raise ArgumentError(f"{name} is {options[name]!r}; expected True or False.")
        if not isinstance(options.get("formulation"), str | None):
            raise ArgumentError(f"formulation is {options['formulation']!r}; expected the name of one.")
        loaded = tuple(name.removeprefix("wrench ") for name in values if name.startswith("wrench "))
        options |= self._lifted(values)
        request = Request(quantity, loaded=loaded, gravity="gravity" in values, **options)
        self._require_inertia(request)
        return request

    def _kinematics(
        self, quantity: str, values: dict[str, Any], geometry: Any, out: Array | None, threads: int | None,
        frame: str | None = None,
    ) -> Array:  # fmt: skip
        values = values | self._loads(geometry=geometry)
        return self._ask(Request(quantity, frame=frame, **self._lifted(values)), values, out, threads)

    def _lifted(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Which constants of the robot a request takes as inputs."""
        lifted = {"parameters": "runtime"} if "parameters" in values else {}
        return lifted | {"geometry": self._structure(values)} if "geometry" in values else lifted

    def _structure(self, values: Mapping[str, Any]) -> str:
        """Which of the two geometries is given, told by its size."""
        sizes = np.shape(values.get("geometry", ()))
        full = sizes[-1:] == (len(self.full_geometry_names),) != (len(self.geometry_names),)
        return "full" if full else "runtime"

    def _require_dynamics(self) -> None:
        if self.model.kinematic_only:
            raise UnsupportedModelError(f"{self.name} has no dynamics: {self.model.kinematic_only}")
        if not self.nv:
            raise UnsupportedModelError(f"{self.name} has no joints that move: it has no dynamics.")

    def kernel(self, request: Request) -> Kernel:
        """The compiled form of a request, made once."""
        if request not in self._kernels:
            self._kernels.setdefault(request, Kernel(self.model, request))
        return self._kernels[request]

    def kept(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made for this robot under a key, made now if it was not: for what applications need again."""
        if key not in self._kept:
            self._kept.setdefault(key, make())
        return self._kept[key]

    def compile(self, *asked: str | Request, single: bool = False) -> Robot:
        """This robot, with quantities compiled now, so that no later call of them has to wait.

        A name stands for a call without keywords; a `Request` says which (frames with wrenches, a frame, friction).
        ``single`` compiles for float32 arrays.
        """
        for each in asked:
            request = each if isinstance(each, Request) else Request(each)
            if request.quantity not in quantities.QUANTITIES:
                raise UnknownNameError("quantity", request.quantity, "strobe", list(quantities.QUANTITIES))
            if request.frame is None and request.quantity in quantities.OF_A_FRAME:
                request = replace(request, frame=self._frame(None))
            self._require_inertia(request)
            if self.compiled and self.nv and all(request.shape(self.model)):
                self.kernel(request).ufunc(single)
                if self.kernel(request).constants:
                    self.kernel(request).shared.ufunc(single)
                if request.quantity in QUICK:
                    self._asked |= {(request, 0), (request, 1)}
                    self._prepare_builtin(self.kernel(request), 0)
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "compiled": self.compiled}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)

    def _ask(
        self, request: Request, values: dict[str, Any], out: Array | None = None, threads: int | None = None
    ) -> Array:
        """A quantity on arrays, each checked by its name."""
        kernel = self.kernel(request)
        arrays = collected(values, kernel.inputs, self._why)
        if self.model.is_closed and request.quantity in CHECKED:
            self._require_closed(arrays)
        if request.quantity in quantities.ELIMINATING:
            return self._in_double(kernel, arrays, out, threads)
        return self._computed(kernel, arrays, out, threads)

    def _in_double(
        self, kernel: Kernel, arrays: dict[str, Array], out: Array | None, threads: int | None
    ) -> Array:
        """Elimination in single precision cannot tell a small pivot from rounding: it is done in double."""
        single = all(array.dtype == np.float32 for array in arrays.values())
        if not single:
            return self._computed(kernel, arrays, out, threads)
        wide = {name: array.astype(np.float64) for name, array in arrays.items()}
        result = self._computed(kernel, wide, out, threads)
        return result if out is not None else result.astype(np.float32)

    def _computed(
        self, kernel: Kernel, arrays: dict[str, Array], out: Array | None, threads: int | None
    ) -> Array:
        if not (self.compiled and self.nv and all(kernel.shape)):
            return evaluate(kernel.function(), arrays, kernel.shape, out)
        result = kernel(arrays, out, threads)
        axes = result.ndim - len(kernel.shape)
        if (
            axes < 2
            and kernel.quantity in QUICK
            and all(arrays[name].ndim == 1 for name in kernel.constants)
        ):
            self._prepare_builtin(kernel, axes)
        return result

    @cached_property
    def _why(self) -> str:
        """What a wrong size is held against."""
        if self.nq != self.nv:
            return f"{self.name} has {self.nq} position numbers and {self.nv} degrees of freedom"
        return f"{self.name} has {counted(self.n, 'joint')}"

    def _plain(
        self, quantity: str, friction: bool, threads: int | None, out: Array | None, parameters: Any, *arrays: Any
    ) -> Any:  # fmt: skip
        """What a builtin makes of plain arrays (N, size) on one thread, or NotImplemented.

        With parameters, one row of them, it may be a single state too.
        """
        if not (threads is None or (type(threads) is int and threads == 1)) or not isinstance(
            friction, bool
        ):
            return NotImplemented
        request = quantity, friction, parameters is not None
        arrays = arrays if parameters is None else (*arrays, parameters)
        many = self._batch[request](*arrays) if out is None else self._batch[request](*arrays, out)
        return many if many is not NotImplemented or out is not None else self._given[request](*arrays)

    def _prepare_builtin(self, kernel: Kernel, axes: int) -> None:
        """From the second time on, a builtin answers: one call alone is not worth compiling it."""
        request = kernel.request
        if self.model.is_closed:
            return  # its states are looked at before
        if (request, axes) not in self._asked:
            self._asked.add((request, axes))
        elif request == Request(request.quantity, friction=request.friction, parameters=request.parameters):
            plain = request.quantity, request.friction, bool(kernel.constants)
            if axes:
                self._batch[plain] = (kernel.shared if kernel.constants else kernel).batch
            elif kernel.constants:
                self._given[plain] = kernel.quick
            elif request.friction:
                setattr(self, QUICK[request.quantity], kernel.quick)

    def _loads(
        self, wrench: Wrench = None, frame: str | None = None, gravity: Any = None, parameters: Any = None,
        geometry: Any = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Wrenches, gravity and constants given with a call, by the name of the input they become."""
        lifted = {"gravity": gravity, "parameters": parameters, "geometry": geometry}
        given = {name: value for name, value in lifted.items() if value is not None}
        if geometry is not None:
            self._require_geometry(np.shape(geometry))
        if wrench is None:
            if frame is not None:
                raise ArgumentError("frame= says where a wrench acts, but no wrench= was given.")
            return given
        if not isinstance(wrench, Mapping):
            return {f"wrench {self._frame(frame)}": wrench} | given
        if frame is not None:
            raise ArgumentError("give frame= or a mapping from frames to wrenches, not both.")
        named = {f"wrench {self._frame(name)}": value for name, value in wrench.items()}
        if len(named) < len(wrench):
            raise ArgumentError("two wrenches act on one frame; add them up and give one.")
        return named | given

    def _require_geometry(self, shape: tuple[int, ...]) -> None:
        """Refuse a geometry of no numbers, and that of robots that would come apart."""
        if self.model.is_closed:
            raise UnsupportedModelError(
                f"{self.name} has closed chains, which another geometry would open; geometry= is for robots without."
            )
        if shape[-1:] == (0,):
            raise UnsupportedModelError(
                f"geometry has shape {shape}, no number that places a joint of {self.name}; leave geometry= out."
            )

    def _frame(self, name: str | None) -> str:
        return self.model.frames[-1].name if name is None else self.model.frame(name).name

    def _joints_like(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """Names of independent joints, in their order, that patterns with * and ? match; each must match one."""
        patterns = [patterns] if isinstance(patterns, str) else list(patterns)
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in self.joint_names):
                raise UnknownNameError("joint", pattern, self.name, self.joint_names, "robot.joint_names")
        return tuple(n for n in self.joint_names if any(fnmatchcase(n, pattern) for pattern in patterns))

    def _driven(self, actuated: Sequence[str] | None) -> Names:
        """The joints that drive a closed chain, as many as it has freedoms."""
        if not self.model.is_closed:
            if actuated is not None:
                raise ArgumentError(f"actuated= is for closed chains; {self.name} has none.")
            return ()
        from strobe.mechanisms.diagnosis import require_actuation

        named = self._joints_like(self.model.actuated if actuated is None else actuated)
        return require_actuation(self, named)

    def _require_closed(self, arrays: Mapping[str, Array]) -> None:
        """Refuse states of closed chains that do not exist."""
        from strobe.mechanisms.states import require_closed

        require_closed(self, arrays)

    def _solvable(self, q: Array) -> Solvable:
        """What is known of conditions of closed chains near closed positions q (..., nq)."""
        from strobe.mechanisms.diagnosis import solvable

        return solvable(self, q)

    def _require_inertia(self, request: Request) -> None:
        """Refuse accelerations from torques where some joint that is free to move never moves any inertia."""
        if request.quantity not in quantities.ELIMINATING or self.model.kinematic_only or not self.nv:
            return
        if request.constants(self.model):
            return  # NaN tells of others
        given = request.accelerated
        if given not in self._massless:
            anywhere = self._random_positions(np.random.default_rng(1), ())
            self._massless[given] = self._singular_joints(anywhere, given)
        if self._massless[given]:
            raise SingularMassMatrixError(self.name, self._massless[given], request.quantity)


def _vanishing_pivots(M: Array, scales: Array) -> list[int]:
    """Where elimination from the tips, as in the dynamics, leaves nothing but rounding."""
    A, found = M.copy(), list[int]()
    for k in reversed(range(len(A))):
        least = max(quantities.LEAST_PIVOT * scales[k], quantities.LEAST_INERTIA * scales.max())
        if A[k, k] <= least:
            found.append(k)
        else:
            A[:k, :k] -= np.outer(A[k, :k], A[k, :k]) / A[k, k]
    return found[::-1]


def _random_position(joint: Any, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    if joint.nq == 1:
        lower, upper = joint.range
        return rng.uniform(lower, upper, shape)
    draw = rng.standard_normal(shape)
    draw[..., -4:] /= np.linalg.norm(draw[..., -4:], axis=-1, keepdims=True)
    return draw


def load(
    source: str | PathLike[str], *, lock: Mapping[str, float] | None = None, base: str | None = None,
    gravity: Sequence[float] | None = None, snap: float | None = None, strict: bool = False,
) -> Robot:  # fmt: skip
    """A robot from a model file (.urdf, .xacro, .xml, .toml) or a built-in name.

    Warnings about the model are issued as `ModelWarning` and kept in ``robot.notes``; ``strict`` turns
    them into errors. ``snap`` widens the tolerance within which angles become right angles.
    """
    if not isinstance(source, str | PathLike):
        raise ArgumentError(
            f"source is of type {type(source).__name__}; expected a path or the name of a robot."
        )
    model = load_model(source, snap=snap, strict=strict)
    robot = Robot(edits.apply(model, lock=lock, base=base, gravity=gravity))
    for note in robot.notes:
        if note.severity == "warning":
            warnings.warn(str(note), ModelWarning, stacklevel=2)
    return robot


def random(n: int, seed: int = 0, *, kinds: str = "RP", tree: bool = False) -> Robot:
    """A random robot with n joints, a chain or a tree, with valid inertias.

    ``kinds`` are the letters to draw from: R revolute, C continuous, P prismatic, S spherical, F floating.
    """
    return Robot(random_model(n, seed, kinds=kinds, tree=tree))
