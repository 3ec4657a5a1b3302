"""Strobe: a robot goes in (DH table, URDF, MJCF), its dynamics come out.

import strobe

robot = strobe.load("panda")
q, qd, qdd = robot.random_state(seed=0)
tau = robot.inverse_dynamics(q, qd, qdd)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe import renamed
from strobe.errors import (
    ModelFileError as ModelFileError,
    ModelWarning as ModelWarning,
    StrobeError as StrobeError,
)
from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.compiler.runtime.traced import trace as trace
    from strobe.control import control as control
    from strobe.identify import identify as identify
    from strobe.identify.logs import read_log as read_log
    from strobe.robot import (
        Robot as Robot,
        convert_state as convert_state,
        from_dh as from_dh,
        load as load,
        random as random,
    )
    from strobe.simulate import simulate as simulate
    from strobe.sweep import sweep as sweep

__version__ = "0.1.0"

renamed.install()
exported(
    __name__,
    {
        "strobe.compiler.runtime.traced": "trace",
        "strobe.errors": "ModelFileError ModelWarning StrobeError",
        "strobe.identify.logs": "read_log",
        "strobe.robot": "Robot convert_state from_dh load random",
    },
    rooms=["control", "identify", "simulate", "sweep"],
)
