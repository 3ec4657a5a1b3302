"""Torques and motion: the quantities of the equation of motion, on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strobe.models.loops import require_open
from strobe.robot.answers import (
    AccelerationDerivatives,
    Array,
    Names,
    TorqueDerivatives,
    TorqueSecondDerivatives,
    Wrench,
)
from strobe.robot.closed_chains import driven, transmitted
from strobe.robot.framework import Framework
from strobe.robot.singular_joints import singular_joints


class Dynamics(Framework):
    """A robot's dynamics as functions of arrays."""

    def inverse_dynamics(
        self, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, formulation: str | None = None,
        actuated: Sequence[str] | None = None, parameters: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Torques tau (..., n) behind a motion: M qdd + C qd + g + friction(qd) − Jᵀ wrench.

        ``wrench`` (force, moment) acts on the robot at the origin of ``frame`` (the tip if none is named), base axes;
        or several, by frame: {"tool": F, …}. ``gravity`` takes the place of the robot's own, ``friction=False``
        leaves friction out. ``formulation`` names the equations (the cheapest ones, if none). ``parameters`` and
        ``geometry`` are constants of the robot given with the call. ``out`` takes the result, ``threads`` says how
        many work on a batch. Other quantities have the same keywords.

        Of a closed chain: torques of its ``actuated`` joints (those of the model if none are named), zero elsewhere.
        """
        values = {"q": q, "qd": qd, "qdd": qdd} | self.loads(wrench, frame, gravity, parameters, geometry)
        how = {"formulation": formulation, "friction": friction, "actuated": driven(self, actuated)}
        return self._answer("inverse_dynamics", values, out, threads, **how)

    def forward_dynamics(
        self, q: Any, qd: Any, tau: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, formulation: str | None = None,
        parameters: Any = None, geometry: Any = None, out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Accelerations qdd (..., n) that follow from torques; NaN where the mass matrix is singular.

        `singular_joints` says which joint is the cause.
        """
        values = {"q": q, "qd": qd, "tau": tau} | self.loads(wrench, frame, gravity, parameters, geometry)
        return self._answer(
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
        values = {"q": q, "qd": qd, "x": x} | self.loads(wrench, frame, gravity, parameters, geometry)
        named = self.matching_joints(accelerated)
        both = self._answer("hybrid_dynamics", values, out, threads, friction=friction, accelerated=named)
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
        values = {"q": q, "qd": qd, "qdd": qdd} | self.loads(wrench, frame, gravity, parameters, geometry)
        all_three = self._answer("inverse_dynamics_derivatives", values, out, threads, friction=friction)
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
        values = {"q": q, "qd": qd, "qdd": qdd} | self.loads(wrench, frame, gravity, parameters, geometry)
        every = self._answer(
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
        values = {"q": q, "qd": qd, "tau": tau} | self.loads(wrench, frame, gravity, parameters, geometry)
        all_three = self._answer("forward_dynamics_derivatives", values, out, threads, friction=friction)
        return AccelerationDerivatives(*(all_three[..., k, :, :] for k in range(3)))

    def singular_joints(self, q: Any, accelerated: Sequence[str] = ()) -> Names:
        """The joints that move no inertia at a position q (nq), so that torques do not decide accelerations.

        Elimination of the mass matrix runs from the tips, and a joint is named where it leaves nothing but rounding.
        ``accelerated`` names joints whose acceleration is given, as in `hybrid_dynamics`.
        """
        here, given = self.position(q), self.matching_joints(accelerated)
        self.require("inverse_dynamics")
        return singular_joints(self.model, here, given)

    def joint_wrenches(
        self, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, parameters: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """What every joint transmits onto the body it carries (..., bodies, 6): force, then moment, base axes.

        One row per joint of the model, those that follow others included, each at the origin of its moved frame.
        Along the joint it is the torque less rotor inertia and friction, which act inside the drive; where a joint
        follows others by a coupling, or is followed, with the couple of that transmission. Loops add their forces,
        those that couplings keep closed too; NaN where they stand at a dead point and cannot hold the motion.
        ``friction`` changes the forces in loops, and nothing else.
        """
        values = {"q": q, "qd": qd, "qdd": qdd} | self.loads(wrench, frame, gravity, parameters, geometry)
        if not (self.model.loops or self.model.curves):
            return self._answer("joint_wrenches", values, out, threads, friction=friction)
        if not out is parameters is geometry is None:
            what = "what joints transmit, for out=, parameters= or geometry=,"
            require_open(self.model, what, "Leave these out.", held=True)
        how = {"wrench": wrench, "frame": frame, "gravity": gravity, "friction": friction}
        return transmitted(self, q, qd, qdd, **how)

    def mass_matrix(
        self, q: Any, *, formulation: str | None = None, parameters: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """M (..., n, n), rotor inertia included."""
        values = {"q": q} | self.loads(parameters=parameters, geometry=geometry)
        return self._answer("mass_matrix", values, out, threads, formulation=formulation)

    def mass_matrix_inverse(
        self, q: Any, *, formulation: str | None = None, parameters: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """M⁻¹ (..., n, n), rotor inertia included; NaN where M is singular.

        To solve for accelerations `forward_dynamics` costs less. Of a closed chain it is that of its tree.
        """
        values = {"q": q} | self.loads(parameters=parameters, geometry=geometry)
        return self._answer("mass_matrix_inverse", values, out, threads, formulation=formulation)

    def coriolis_matrix(
        self, q: Any, qd: Any, *, form: str = "christoffel", formulation: str | None = None,
        parameters: Any = None, geometry: Any = None, out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """C (..., n, n) of Christoffel symbols: C qd are the velocity torques, Ṁ − 2C is skew.

        ``form="decomposition"`` is another matrix with both properties, that of the decomposition by links.
        """
        values = {"q": q, "qd": qd} | self.loads(parameters=parameters, geometry=geometry)
        return self._answer("coriolis_matrix", values, out, threads, formulation=formulation, form=form)

    def gravity(
        self, q: Any, *, gravity: Any = None, formulation: str | None = None, parameters: Any = None,
        geometry: Any = None, out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The torques g (..., n) that hold the robot still."""
        values = {"q": q} | self.loads(gravity=gravity, parameters=parameters, geometry=geometry)
        return self._answer("gravity", values, out, threads, formulation=formulation)

    def bias(
        self, q: Any, qd: Any, *, gravity: Any = None, formulation: str | None = None,
        parameters: Any = None, geometry: Any = None, out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """C qd + g (..., n): the rigid-body torques of a motion without acceleration."""
        values = {"q": q, "qd": qd} | self.loads(gravity=gravity, parameters=parameters, geometry=geometry)
        return self._answer("bias", values, out, threads, formulation=formulation)

    def energy(
        self, q: Any, qd: Any, *, gravity: Any = None, parameters: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Kinetic energy, rotor inertia included, and potential energy (..., 2), zero at the base origin."""
        values = {"q": q, "qd": qd} | self.loads(gravity=gravity, parameters=parameters, geometry=geometry)
        return self._answer("energy", values, out, threads)

    def momentum(
        self, q: Any, qd: Any, *, parameters: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Linear momentum, then angular momentum about the centre of mass (..., 6), base axes."""
        values = {"q": q, "qd": qd} | self.loads(parameters=parameters, geometry=geometry)
        return self._answer("momentum", values, out, threads)

    def center_of_mass(
        self, q: Any, *, parameters: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The centre of mass (..., 3) of all bodies, the base not among them, in base axes."""
        values = {"q": q} | self.loads(parameters=parameters, geometry=geometry)
        return self._answer("center_of_mass", values, out, threads)

    def centroidal_momentum_matrix(
        self, q: Any, *, parameters: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """A (..., 6, n) with `momentum` = A qd, rows in the same order."""
        values = {"q": q} | self.loads(parameters=parameters, geometry=geometry)
        return self._answer("centroidal_momentum_matrix", values, out, threads)

    def centroidal_momentum_matrix_dot(
        self, q: Any, qd: Any, *, parameters: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The rate Ȧ (..., 6, n) of the centroidal momentum matrix while the robot moves with qd."""
        values = {"q": q, "qd": qd} | self.loads(parameters=parameters, geometry=geometry)
        return self._answer("centroidal_momentum_matrix_dot", values, out, threads)

    def centroidal_momentum_bias(
        self, q: Any, qd: Any, *, parameters: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Ȧ qd (..., 6): A qdd + Ȧ qd is the whole force from outside, and its moment about the centre of mass."""
        values = {"q": q, "qd": qd} | self.loads(parameters=parameters, geometry=geometry)
        return self._answer("centroidal_momentum_bias", values, out, threads)

    # -- linear in the parameters -------------------------------------------------------------------

    def regressor(
        self, q: Any, qd: Any, qdd: Any, *, drives: bool = False, gravity: Any = None, geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Y (..., n, 10 · bodies): Y @ `parameters` are the torques without rotor inertia and friction.

        With ``drives`` the columns of `drive_parameters` stand behind these, and both together give all of
        `inverse_dynamics`. Of a closed chain it is the regressor of its tree.
        """
        values = {"q": q, "qd": qd, "qdd": qdd} | self.loads(gravity=gravity, geometry=geometry)
        return self._answer("regressor", values, out, threads, drives=drives)

    def momentum_regressor(
        self, q: Any, qd: Any, *, geometry: Any = None, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """Y (..., n, 10 · bodies): Y @ `parameters` is M qd, without rotor inertia."""
        values = {"q": q, "qd": qd} | self.loads(geometry=geometry)
        return self._answer("momentum_regressor", values, out, threads)

    def energy_regressor(
        self, q: Any, qd: Any, *, gravity: Any = None, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Y (..., 2, 10 · bodies): Y @ `parameters` is the kinetic, without rotors, and the potential energy."""
        values = {"q": q, "qd": qd} | self.loads(gravity=gravity, geometry=geometry)
        return self._answer("energy_regressor", values, out, threads)
