"""Every quantity by its name: what computes it, from which states, of what shape."""

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


@dataclass(frozen=True, slots=True)
class Quantity:
    """One thing to ask: its function, the states it takes, and the shape of its result (n: nv, q: nq)."""

    function: Callable[..., Any]
    states: tuple[str, ...]
    result: tuple[str, ...]


QUANTITIES: dict[str, Quantity] = {
    "inverse_dynamics": Quantity(inverse_dynamics, ("q", "qd", "qdd"), ("n",)),
    "forward_dynamics": Quantity(forward_dynamics, ("q", "qd", "tau"), ("n",)),
    "inverse_dynamics_derivatives": Quantity(
        inverse_dynamics_derivatives, ("q", "qd", "qdd"), ("3", "n", "n")
    ),
    "forward_dynamics_derivatives": Quantity(
        forward_dynamics_derivatives, ("q", "qd", "tau"), ("3", "n", "n")
    ),
    "mass_matrix": Quantity(mass_matrix, ("q",), ("n", "n")),
    "mass_matrix_inverse": Quantity(mass_matrix_inverse, ("q",), ("n", "n")),
    "coriolis_matrix": Quantity(coriolis_matrix, ("q", "qd"), ("n", "n")),
    "gravity": Quantity(gravity, ("q",), ("n",)),
    "bias": Quantity(bias, ("q", "qd"), ("n",)),
    "energy": Quantity(energy, ("q", "qd"), ("2",)),
    "momentum": Quantity(momentum, ("q", "qd"), ("6",)),
    "center_of_mass": Quantity(center_of_mass, ("q",), ("3",)),
    "centroidal_momentum_matrix": Quantity(centroidal_momentum_matrix, ("q",), ("6", "n")),
    "centroidal_momentum_matrix_dot": Quantity(centroidal_momentum_matrix_dot, ("q", "qd"), ("6", "n")),
    "centroidal_momentum_bias": Quantity(centroidal_momentum_bias, ("q", "qd"), ("6",)),
    "joint_wrenches": Quantity(joint_wrenches, ("q", "qd", "qdd"), ("bodies", "6")),
    "regressor": Quantity(regressor, ("q", "qd", "qdd"), ("n", "parameters")),
    "momentum_regressor": Quantity(momentum_regressor, ("q", "qd"), ("n", "parameters")),
    "energy_regressor": Quantity(energy_regressor, ("q", "qd"), ("2", "parameters")),
    "hybrid_dynamics": Quantity(hybrid_dynamics, ("q", "qd", "x"), ("2", "n")),
    "forward_kinematics": Quantity(forward_kinematics, ("q",), ("4", "4")),
    "frame_placements": Quantity(frame_placements, ("q",), ("frames", "4", "4")),
    "frame_velocity": Quantity(frame_velocity, ("q", "qd"), ("6",)),
    "frame_acceleration": Quantity(frame_acceleration, ("q", "qd", "qdd"), ("6",)),
    "jacobian": Quantity(jacobian, ("q",), ("6", "n")),
    "point_jacobian": Quantity(point_jacobian, ("q", "point"), ("3", "n")),
    "jacobian_dot": Quantity(jacobian_dot, ("q", "qd"), ("6", "n")),
    "jacobian_derivative": Quantity(jacobian_derivative, ("q",), ("6", "n", "n")),
    "loop_residuals": Quantity(loop_residuals, ("q",), ("rows",)),
    "loop_facing": Quantity(loop_facing, ("q",), ("loops",)),
    "loop_jacobian": Quantity(loop_jacobian, ("q",), ("rows", "n")),
    "loop_bias": Quantity(loop_bias, ("q", "qd"), ("rows",)),
    "closed_velocities": Quantity(closed_velocities, ("q", "v"), ("n",)),
    "closed_accelerations": Quantity(closed_accelerations, ("q", "qd", "v"), ("n",)),
    "integrate": Quantity(integrate, ("q", "v", "dt"), ("q",)),
    "difference": Quantity(difference, ("q0", "q1"), ("n",)),
}
CLOSING = ("closed_velocities", "closed_accelerations")
ELIMINATING = (
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "hybrid_dynamics",
    "mass_matrix_inverse",
    *CLOSING,
)  # what divides by pivots: in double precision, always
REFERRED = ("frame_velocity", "frame_acceleration", "jacobian", "jacobian_dot")  # in one of the references
# what is asked about one frame
OF_A_FRAME = (*REFERRED, "forward_kinematics", "point_jacobian", "jacobian_derivative")
