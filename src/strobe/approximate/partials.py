"""Partial derivatives of torques, ∂tau/∂(q, qd, qdd), side by side in one compiled matrix (n, 3n).

Friction is not in them: where it jumps it has no derivative. It is added as it is.
"""

from __future__ import annotations

from strobe.approximate.method import in_system
from strobe.compiler.runtime.traced import Traced, trace
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars import Num, Numbers

DERIVATIVES = Request("inverse_dynamics_derivatives", friction=False)


def torque_partials(robot: Robot) -> Traced:
    """∂tau/∂(q, qd, qdd) (..., n, 3n) of states, rigid bodies only."""
    return robot.kept("partials of torques", lambda: _torque_partials(robot))


def _torque_partials(robot: Robot) -> Traced:
    n = robot.nv

    def partials(q: Numbers, qd: Numbers, qdd: Numbers) -> list[list[Num]]:
        matrices = DERIVATIVES.evaluate(in_system(robot.model, q), q=q, qd=qd, qdd=qdd)
        return [[*by_q, *by_qd, *by_qdd] for by_q, by_qd, by_qdd in zip(*matrices, strict=True)]

    return trace(partials, q=n, qd=n, qdd=n)
