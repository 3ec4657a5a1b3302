"""Torques behind motions: inverse dynamics at every state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from strobe.robot import Robot
from strobe.simulate.equations_of_motion import LoadedRequest, payload_inputs
from strobe.sweep.tasks import REAL, Task, peak

if TYPE_CHECKING:
    from strobe.sweep.plan import Field

Array = np.ndarray


class TorqueTask(Task):
    """tau of states (q, qd, qdd) under payloads, and the largest of them."""

    @staticmethod
    def results(robot: Robot) -> dict[str, Field]:
        return {"tau": ((robot.nv,), REAL), "peak": ((), REAL)}

    def __call__(self, given: Mapping[str, Array]) -> dict[str, Array]:
        state = (given["state.q"], given["state.qd"], given["state.qdd"])
        tau = inverse_dynamics(self.robot, *state, self.loads(given), self.options["friction"])
        return {"tau": tau, "peak": peak(tau)}


def inverse_dynamics(
    robot: Robot, q: Array, qd: Array, qdd: Array, loads: Mapping[str, Array], friction: bool = True
) -> Array:
    """Torques (m, nv) of states (m, …) that each carry loads (m, 10) by frame, in one thread."""
    kernel = robot.kernel(LoadedRequest("inverse_dynamics", friction=friction, loads=tuple(loads)))
    carried = dict(zip(payload_inputs(tuple(loads)), loads.values(), strict=True))
    return kernel({"q": q, "qd": qd, "qdd": qdd, **carried}, threads=1)
