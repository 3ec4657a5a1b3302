"""Frames and positions: the quantities of kinematics and of closed chains, on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import batch_shape, checked, is_python
from strobe.formulations.reference_frames import ALIGNED
from strobe.quantities import Request
from strobe.robot.answers import Array
from strobe.robot.framework import Framework, as_time


class Kinematics(Framework):
    """A robot's kinematics as functions of arrays."""

    def forward_kinematics(
        self, q: Any, frame: str | None = None, *, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The placement (..., 4, 4) of a frame (the tip if none is named) in base axes."""
        return self._kinematics("forward_kinematics", {"q": q}, geometry, out, threads, frame)

    def frame_placements(
        self, q: Any, *, geometry: Any = None, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """The placements (..., frames, 4, 4) of all frames in base axes, in the order of ``robot.frames``."""
        return self._kinematics("frame_placements", {"q": q}, geometry, out, threads)

    def frame_velocity(
        self, q: Any, qd: Any, frame: str | None = None, *, reference: str = "aligned", geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """J qd (..., 6): linear velocity of the frame's origin, then angular; ``reference`` as in `jacobian`."""
        values = {"q": q, "qd": qd}
        return self._kinematics("frame_velocity", values, geometry, out, threads, frame, reference)

    def frame_acceleration(
        self, q: Any, qd: Any, qdd: Any, frame: str | None = None, *, reference: str = "aligned",
        geometry: Any = None, out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """J qdd + J̇ qd (..., 6), the rate of `frame_velocity`: linear, then angular.

        With "aligned" it is p̈ of the frame's origin and ω̇. With "local" and "world" it is what spatial algebra calls
        the acceleration: Rᵀ (p̈ − ω × ṗ) is no accelerometer's; turn the aligned one by Rᵀ for that.
        """
        values = {"q": q, "qd": qd, "qdd": qdd}
        return self._kinematics("frame_acceleration", values, geometry, out, threads, frame, reference)

    def jacobian(
        self, q: Any, frame: str | None = None, *, reference: str = "aligned", geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """J (..., 6, n): linear velocity of the frame's origin, then angular velocity.

        ``reference`` is "aligned" (base axes), "local" (the frame's own axes) or "world" (base axes, the velocity of
        the point that is passing the base's origin).
        """
        return self._kinematics("jacobian", {"q": q}, geometry, out, threads, frame, reference)

    def point_jacobian(
        self, q: Any, frame: str | None, point: Any, *, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """∂r/∂q (..., 3, n) of a point r that moves with a frame and is given (..., 3) in its axes; base axes."""
        values = {"q": q, "point": point}
        return self._kinematics("point_jacobian", values, geometry, out, threads, frame)

    def point_forces(self, q: Any, frame: str | None, point: Any, force: Any) -> Array:
        """The generalized forces Jᵀ F (..., n) of a force F (..., 3), base axes, at a point of `point_jacobian`."""
        J = self.point_jacobian(q, frame, point)
        F = checked("force", force, (3,), "it is a force in base axes")
        F = F.astype(J.dtype) if is_python(force) else F
        batch_shape({"q": J[..., 0, :], "force": F})
        return np.einsum("...ki,...k->...i", J, F)

    def jacobian_dot(
        self, q: Any, qd: Any, frame: str | None = None, *, reference: str = "aligned", geometry: Any = None,
        out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The rate (..., 6, n) of the Jacobian of this ``reference`` while the robot moves with qd.

        J qdd + J̇ qd is `frame_acceleration`.
        """
        values = {"q": q, "qd": qd}
        return self._kinematics("jacobian_dot", values, geometry, out, threads, frame, reference)

    def jacobian_derivative(
        self, q: Any, frame: str | None = None, *, geometry: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """∂J/∂q (..., 6, n, n): entry i j k is what J_ij changes by along degree of freedom k."""
        return self._kinematics("jacobian_derivative", {"q": q}, geometry, out, threads, frame)

    def integrate(self, q: Any, v: Any, dt: Any = 1.0) -> Array:
        """The position after velocity v has acted for a time dt; quaternions come back with length one."""
        return self.evaluate(Request("integrate"), {"q": q, "v": v, "dt": as_time(dt)})

    def difference(self, q0: Any, q1: Any) -> Array:
        """The velocity (..., nv) that leads from q0 to q1 in unit time."""
        return self.evaluate(Request("difference"), {"q0": q0, "q1": q1})

    def _kinematics(
        self, quantity: str, values: dict[str, Any], geometry: Any, out: Array | None, threads: int | None,
        frame: str | None = None, reference: str = ALIGNED,
    ) -> Array:  # fmt: skip
        values = values | self.loads(geometry=geometry)
        return self._answer(quantity, values, out, threads, frame=frame, reference=reference)

    # -- closed chains ------------------------------------------------------------------------------

    def loop_residuals(self, q: Any) -> Array:
        """How far each condition of closed chains is from holding (..., conditions): metres, sines of angles."""
        return self.evaluate(Request("loop_residuals"), {"q": q})

    def loop_facing(self, q: Any) -> Array:
        """For each loop (..., loops) a cosine, negative where its frames face each other the wrong way round."""
        return self.evaluate(Request("loop_facing"), {"q": q})

    def loop_jacobian(self, q: Any) -> Array:
        """K (..., conditions, n): closed chains allow the velocities with K qd = 0."""
        return self.evaluate(Request("loop_jacobian"), {"q": q})

    def loop_bias(self, q: Any, qd: Any) -> Array:
        """K̇ qd (..., conditions): closed chains allow the accelerations with K qdd + K̇ qd = 0."""
        return self.evaluate(Request("loop_bias"), {"q": q, "qd": qd})

    def closed_velocities(self, q: Any, v: Any) -> Array:
        """The velocities (..., n) nearest to v, in the metric of the mass matrix, that closed chains allow."""
        return self.evaluate(Request("closed_velocities"), {"q": q, "v": v})

    def closed_accelerations(self, q: Any, qd: Any, v: Any) -> Array:
        """The accelerations (..., n) nearest to v that closed chains allow while they move with qd."""
        return self.evaluate(Request("closed_accelerations"), {"q": q, "qd": qd, "v": v})
