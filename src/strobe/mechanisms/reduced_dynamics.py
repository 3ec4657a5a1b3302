"""A closed chain in the coordinates of its actuated joints alone.

    qd = T qd_a      M_r = Tᵀ M T      C_r = Tᵀ (C T + M Ṫ)      g_r = Tᵀ g      M_r qdd_a + C_r qd_a + g_r = tau_a

M, C and g are those of the joints with every loop cut open; the forces that hold loops closed do no work and drop
out. Ṁ_r − 2 C_r is skew where Ṁ − 2 C is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import collected, in_precision
from strobe.errors import ArgumentError
from strobe.mechanisms.dependent_rates import Following
from strobe.mechanisms.mobility import dofs_of, drivers
from strobe.mechanisms.states import require_closed
from strobe.models.loops import why_open
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, displayed, matrix, numbered, states

Array = np.ndarray


@displayed
@dataclass(frozen=True, eq=False)
class Reduced:
    """The dynamics of a closed chain at states (...), in its m actuated degrees of freedom, in their order."""

    actuated: tuple[str, ...]
    T: Array  # (..., n, m)
    T_dot: Array  # (..., n, m)
    mass_matrix: Array  # (..., m, m)
    coriolis_matrix: Array  # (..., m, m)
    gravity: Array  # (..., m)

    def _sheet(self) -> Sheet:
        named = self.actuated if len(self.actuated) == self.T.shape[-1] else numbered("", self.T.shape[-1])
        head = f"the dynamics of a closed chain in {', '.join(self.actuated)} (kg m², N m; kg, N)"
        head += states(self.T.shape[:-2])
        parts = [("M", self.mass_matrix), ("C", self.coriolis_matrix), ("G", self.gravity[..., None])]
        return Sheet(head, [p for n, x in parts for p in matrix(n, x, named, named if n != "G" else [""])])


def reduced(
    robot: Robot, q: Any, qd: Any, actuated: Sequence[str] | None = None, *, form: str = "christoffel"
) -> Reduced:
    """T, M_r, C_r and g_r at states q, qd (..., n) that closed chains allow; friction is left out.

    ``actuated`` names the joints that drive it, those of the model if none are named; ``form`` is that of C.
    """
    require_robot(robot)
    if not robot.model.is_closed:
        raise ArgumentError(
            f"{robot.name} has no closed chain; its own coordinates are independent{why_open(robot.model)}"
        )
    names = drivers(robot, actuated)
    state = collected({"q": q, "qd": qd}, {"q": robot.nq, "qd": robot.nv}, robot.shape_reason)
    require_closed(robot, state)
    dtype, (q, qd) = state["q"].dtype, (array.astype(float) for array in state.values())
    following = Following(robot, q, dofs_of(robot, names))
    T, T_dot = following.T, following.T_dot(qd)
    across, M = np.swapaxes(T, -1, -2), robot.mass_matrix(q)
    found = Reduced(
        names,
        T,
        T_dot,
        across @ M @ T,
        across @ (robot.coriolis_matrix(q, qd, form=form) @ T + M @ T_dot),
        (across @ robot.gravity(q)[..., None])[..., 0],
    )
    return in_precision(found, dtype)
