"""How far an arm under control strays with the torques of an approximation: what the trade-off report asks for.

    tau = T(q_r, qd_r, qdd_r) + Kp (q_r − q) + Kd (qd_r − qd)

T are the torques of the method for the motion wanted, once a period and held until the next; the springs and dampers
follow the state, with the gains of the controller ``feed-forward-pd``. Every method can be asked so, also one that
knows nothing beside the motion; joints whose torques a method does not give are held by their brakes.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np

from strobe.approximate.method import Approximation
from strobe.compiler.runtime.traced import trace
from strobe.control.joint_pd import JointPD
from strobe.control.sample_rates import RATE, periods
from strobe.errors import LimitsLeftWarning, SingularMassMatrixError
from strobe.kinematics.end_effector import astray
from strobe.robot import Robot, require_robot
from strobe.scalars import Num, Numbers
from strobe.simulate.events import Lock
from strobe.simulate.problem import joint_at
from strobe.simulate.run import RunStatus
from strobe.simulate.simulation import simulate
from strobe.simulate.torques import TimeSeries
from strobe.trajectory.motion import Trajectory


def straying(
    robot: Robot, motion: Trajectory, rate: float = RATE
) -> Callable[[Approximation], float | None]:
    """Of a method, the largest distance in metres of a tip from where it should be; ∞ if it is lost.

    None where the arm cannot be simulated, since a joint of it moves no inertia.
    """
    require_robot(robot)
    n, period = robot.nv, 1.0 / rate
    try:
        gains = JointPD(robot, period).gains
    except SingularMassMatrixError:
        return lambda method: None
    law = trace(_pulled, q=n, qd=n, fed=n, wanted=2 * n, kp=n, kd=n)
    times = np.append(
        period * np.arange(periods(motion.duration, period, 6 * n, "Take a part of it.")), motion.duration
    )
    q, qd, qdd = motion(times)
    wanted = TimeSeries(times, np.concatenate([q, qd], axis=-1))

    def strays(method: Approximation) -> float:
        fed = TimeSeries(times, method.inverse_dynamics(q, qd, qdd), "zero-order")
        parameters = {"fed": fed, "wanted": wanted, **gains}
        held = [joint_at(robot, dof).name for dof in method.silent]
        brakes = [Lock(0.0, held)] if held else []
        with warnings.catch_warnings():  # how far it strays is the question: beyond limits too
            warnings.simplefilter("ignore", LimitsLeftWarning)
            run = simulate(robot, q[0], qd[0], law, times, parameters=parameters, events=brakes)
        run.require_uninterrupted()
        if run.status != RunStatus.DONE:
            return math.inf
        return float(astray(robot, run.q, q).max())

    return strays


def _pulled(q: Numbers, qd: Numbers, fed: Numbers, wanted: Numbers, kp: Numbers, kd: Numbers) -> list[Num]:
    n = len(q)
    rows = zip(fed, kp, wanted[:n], q, kd, wanted[n:], qd, strict=True)
    return [tau + k * (r - x) + d * (s - v) for tau, k, r, x, d, s, v in rows]
