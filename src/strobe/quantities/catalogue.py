"""Every quantity by its name, as one record: what computes it, from which states, of what shape, and how it is asked.

Nothing else says which quantities need a frame, divide, or give several arrays: whoever must know reads the record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from strobe.quantities.closed_chains import (
    closed_accelerations,
    closed_velocities,
    loop_bias,
    loop_facing,
    loop_jacobian,
    loop_residuals,
)
from strobe.quantities.derivatives import (
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    mass_matrix_inverse,
)
from strobe.quantities.dynamics import forward_dynamics, inverse_dynamics, joint_wrenches
from strobe.quantities.energy_and_momentum import (
    center_of_mass,
    centroidal_momentum_bias,
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_dot,
    energy,
    momentum,
)
from strobe.quantities.hybrid import hybrid_dynamics
from strobe.quantities.kinematics import (
    difference,
    forward_kinematics,
    frame_acceleration,
    frame_placements,
    frame_velocity,
    integrate,
    jacobian,
    jacobian_derivative,
    jacobian_dot,
    point_jacobian,
)
from strobe.quantities.regressors import energy_regressor, momentum_regressor, regressor
from strobe.quantities.terms import bias, coriolis_matrix, gravity, mass_matrix

LOADS = ("wrench", "frame", "gravity", "friction")
CONSTANTS = ("parameters", "geometry")
RUN = ("out", "threads")
DYNAMIC = (*CONSTANTS, *RUN)
KINEMATIC = ("geometry", *RUN)
TORQUES = "tau, the torque or force of every joint"


@dataclass(frozen=True, slots=True)
class State:
    """One vector that quantities take."""

    size: str | int  # n degrees of freedom, q positions, or a number
    entries: str  # what its numbers are, in ASCII; {frame} is the frame asked about
    units: str = ""  # position, rate, acceleration or effort; none where the words say


STATES: dict[str, State] = {
    "q": State("q", "joint positions", "position"),
    "qd": State("n", "joint rates", "rate"),
    "qdd": State("n", "joint accelerations", "acceleration"),
    "tau": State("n", "joint torques and forces", "effort"),
    "q0": State("q", "joint positions to start from", "position"),
    "q1": State("q", "joint positions to end at", "position"),
    "v": State("n", "joint rates", "rate"),
    "dt": State(1, "a time, s"),
    "x": State("n", "what is given of every joint"),
    "point": State(3, "position x y z of the point, m, in the axes of {frame}"),
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """One thing to ask of a robot; the method of `Robot` of the same name takes its states and its keywords."""

    function: Callable[..., Any]  # of a request at work on a model and of the states, over numbers
    states: tuple[str, ...]
    result: tuple[str, ...]  # the shape of its value, by sizes of the robot: see `Request.shape`
    does: str = ""  # what it is, in ASCII, for comments in code
    keywords: tuple[str, ...] = ()  # what a call may give besides states
    of_closed_chains: tuple[str, ...] = ()  # keywords that change nothing but what closed chains do
    formulations: bool = False  # whether a request may name the equations of its rigid-body part
    kinematic: bool = False  # whether robots without inertia have it too
    at_rest: bool = False  # whether frames that no joint moves have it too
    eliminates: bool = False  # whether it divides by pivots: then it is computed in double precision
    closed_states: bool = False  # whether states of closed chains have to exist
    parted: bool = False  # whether its first axis are several arrays to whoever asks
    # what its numbers are: a letter of matrices, words of vectors, or lines
    entries: str | tuple[str, ...] = ""
    # of each axis: effort, rate, acceleration, "per effort"; position; none of lines
    units: tuple[str, ...] = ()

    @property
    def of_a_frame(self) -> bool:
        """Whether it is asked about one frame."""
        return "frame" in self.keywords and "wrench" not in self.keywords

    @property
    def of_parameters(self) -> bool:
        """Whether it is made of factors of inertial parameters, whatever these are."""
        return "parameters" in self.result


QUANTITIES: dict[str, Quantity] = {
    "inverse_dynamics": Quantity(
        inverse_dynamics, ("q", "qd", "qdd"), ("n",),
        "the joint torques and forces behind a motion",
        (*LOADS, "formulation", *DYNAMIC),
        of_closed_chains=("actuated",), formulations=True, closed_states=True,
        entries=TORQUES, units=("effort",),
    ),
    "forward_dynamics": Quantity(
        forward_dynamics, ("q", "qd", "tau"), ("n",),
        "the joint accelerations that follow from torques and forces; NaN where the mass matrix is singular",
        (*LOADS, "formulation", *DYNAMIC),
        formulations=True, eliminates=True, closed_states=True,
        entries="qdd, the acceleration of every joint", units=("acceleration",),
    ),
    "inverse_dynamics_derivatives": Quantity(
        inverse_dynamics_derivatives, ("q", "qd", "qdd"), ("3", "n", "n"),
        "what tau of inverse dynamics changes with: q, qd and qdd",
        (*LOADS, *DYNAMIC), parted=True,
    ),
    "forward_dynamics_derivatives": Quantity(
        forward_dynamics_derivatives, ("q", "qd", "tau"), ("3", "n", "n"),
        "what qdd of forward dynamics changes with: q, qd and tau; NaN where the mass matrix is singular",
        (*LOADS, *DYNAMIC),
        formulations=True, eliminates=True, parted=True,
    ),
    "mass_matrix": Quantity(
        mass_matrix, ("q",), ("n", "n"),
        "the mass matrix M(q), rotor inertia included; symmetric",
        ("formulation", *DYNAMIC),
        formulations=True, entries="M", units=("effort", "per acceleration"),
    ),
    "mass_matrix_inverse": Quantity(
        mass_matrix_inverse, ("q",), ("n", "n"),
        "the inverse of the mass matrix M(q), rotor inertia included; symmetric; NaN where M is singular",
        ("formulation", *DYNAMIC),
        formulations=True, eliminates=True, entries="M^-1", units=("acceleration", "per effort"),
    ),
    "coriolis_matrix": Quantity(
        coriolis_matrix, ("q", "qd"), ("n", "n"),
        "the matrix C(q, qd) of Christoffel symbols: C qd are the Coriolis and centrifugal torques and forces, and "
        "dM/dt - 2 C is skew",
        ("form", "formulation", *DYNAMIC),
        formulations=True, entries="C", units=("effort", "per rate"),
    ),
    "gravity": Quantity(
        gravity, ("q",), ("n",),
        "the torques and forces g(q) that hold the robot still",
        ("gravity", "formulation", *DYNAMIC),
        formulations=True, entries=TORQUES, units=("effort",),
    ),
    "bias": Quantity(
        bias, ("q", "qd"), ("n",),
        "the torques and forces C(q, qd) qd + g(q) of a motion without acceleration, friction left out",
        ("gravity", "formulation", *DYNAMIC),
        formulations=True, entries=TORQUES, units=("effort",),
    ),
    "energy": Quantity(
        energy, ("q", "qd"), ("2",), "kinetic and potential energy", ("gravity", *DYNAMIC),
        entries=("", "out[0]: kinetic energy, J, rotor inertia included",
                 "out[1]: potential energy, J, zero at the origin of the base"),
    ),
    "momentum": Quantity(
        momentum, ("q", "qd"), ("6",),
        "linear momentum, and angular momentum about the centre of mass", DYNAMIC,
        entries=("base axes: [0..2] linear momentum, kg m/s; [3..5] angular momentum, kg m^2/s",),
    ),
    "center_of_mass": Quantity(
        center_of_mass, ("q",), ("3",), "where the centre of mass of all that moves is", DYNAMIC,
        entries=("x y z, m, base axes",),
    ),
    "centroidal_momentum_matrix": Quantity(
        centroidal_momentum_matrix, ("q",), ("6", "n"), "A(q), with momentum = A qd", DYNAMIC
    ),
    "centroidal_momentum_matrix_dot": Quantity(
        centroidal_momentum_matrix_dot, ("q", "qd"), ("6", "n"),
        "dA/dt, the rate of the centroidal momentum matrix while the robot moves with qd", DYNAMIC,
    ),
    "centroidal_momentum_bias": Quantity(
        centroidal_momentum_bias, ("q", "qd"), ("6",),
        "dA/dt qd, the rate of the momentum while no joint accelerates", DYNAMIC,
        entries=("base axes: [0..2] rate of linear momentum, N; [3..5] rate of angular momentum, N m",),
    ),
    "joint_wrenches": Quantity(
        joint_wrenches, ("q", "qd", "qdd"), ("bodies", "6"),
        "force and moment through every joint onto the body it carries",
        ("wrench", "frame", "gravity", *DYNAMIC), of_closed_chains=("friction",),
    ),
    "regressor": Quantity(
        regressor, ("q", "qd", "qdd"), ("n", "parameters"),
        "Y(q, qd, qdd), with tau = Y p for the inertial parameters p, rotor inertia and friction left out",
        ("drives", "gravity", *KINEMATIC),
    ),
    "momentum_regressor": Quantity(
        momentum_regressor, ("q", "qd"), ("n", "parameters"),
        "Y(q, qd), with M qd = Y p for the inertial parameters p, rotor inertia left out",
        KINEMATIC,
    ),
    "energy_regressor": Quantity(
        energy_regressor, ("q", "qd"), ("2", "parameters"),
        "factors of the inertial parameters in the kinetic energy of the bodies and in the potential energy",
        ("gravity", *KINEMATIC),
    ),
    "hybrid_dynamics": Quantity(
        hybrid_dynamics, ("q", "qd", "x"), ("2", "n"),
        "tau and qdd, where of every joint one is given and the other follows",
        ("accelerated", *LOADS, *DYNAMIC),
        formulations=True, eliminates=True, closed_states=True, parted=True,
    ),
    "forward_kinematics": Quantity(
        forward_kinematics, ("q",), ("4", "4"),
        "the placement of a frame in base axes, a 4 x 4 matrix",
        ("frame", *KINEMATIC), kinematic=True, at_rest=True,
    ),
    "frame_placements": Quantity(
        frame_placements, ("q",), ("frames", "4", "4"),
        "the placements of all frames in base axes, 4 x 4 matrices",
        KINEMATIC, kinematic=True,
    ),
    "frame_velocity": Quantity(
        frame_velocity, ("q", "qd"), ("6",),
        "the velocity of a frame, J qd",
        ("frame", "reference", *KINEMATIC), kinematic=True,
    ),
    "frame_acceleration": Quantity(
        frame_acceleration, ("q", "qd", "qdd"), ("6",),
        "the rate of the velocity of a frame, J qdd + dJ/dt qd",
        ("frame", "reference", *KINEMATIC), kinematic=True,
    ),
    "jacobian": Quantity(
        jacobian, ("q",), ("6", "n"),
        "the Jacobian J(q) of a frame: its velocity is J qd",
        ("frame", "reference", *KINEMATIC), kinematic=True,
    ),
    "point_jacobian": Quantity(
        point_jacobian, ("q", "point"), ("3", "n"),
        "the Jacobian of a point that moves with a frame: its velocity is J qd",
        ("frame", *KINEMATIC), kinematic=True,
    ),
    "jacobian_dot": Quantity(
        jacobian_dot, ("q", "qd"), ("6", "n"),
        "dJ/dt, the rate of the Jacobian of a frame while the robot moves with qd",
        ("frame", "reference", *KINEMATIC), kinematic=True,
    ),
    "jacobian_derivative": Quantity(
        jacobian_derivative, ("q",), ("6", "n", "n"),
        "what the Jacobian of a frame changes with: d J / d q",
        ("frame", *KINEMATIC), kinematic=True,
    ),
    "loop_residuals": Quantity(
        loop_residuals, ("q",), ("rows",),
        "how far every condition of closed chains is from holding", kinematic=True,
    ),
    "loop_facing": Quantity(
        loop_facing, ("q",), ("loops",),
        "for each loop a cosine, negative where its frames face each other the wrong way round", kinematic=True,
    ),
    "loop_jacobian": Quantity(
        loop_jacobian, ("q",), ("rows", "n"),
        "K(q): closed chains allow the velocities with K qd = 0", kinematic=True,
    ),
    "loop_bias": Quantity(
        loop_bias, ("q", "qd"), ("rows",),
        "dK/dt qd: closed chains allow the accelerations with K qdd + dK/dt qd = 0", kinematic=True,
    ),
    "closed_velocities": Quantity(
        closed_velocities, ("q", "v"), ("n",),
        "the velocities nearest to v that closed chains allow",
        formulations=True, eliminates=True, entries="qd, the rate of every joint", units=("rate",),
    ),
    "closed_accelerations": Quantity(
        closed_accelerations, ("q", "qd", "v"), ("n",),
        "the accelerations nearest to v that closed chains allow while they move with qd",
        formulations=True, eliminates=True, entries="qdd, the acceleration of every joint", units=("acceleration",),
    ),
    "integrate": Quantity(
        integrate, ("q", "v", "dt"), ("q",),
        "the position after velocity v has acted for a time dt",
        kinematic=True, entries="q, the joint positions reached", units=("position",),
    ),
    "difference": Quantity(
        difference, ("q0", "q1"), ("n",),
        "the velocity that leads from q0 to q1 in one second",
        kinematic=True, entries="v, the rate of every joint", units=("rate",),
    ),
}  # fmt: skip
