"""What a closed loop gives back: what was wanted, what came, and what it took."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from strobe.control.controller import Controller
from strobe.robot import Robot

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Tracked:
    """Closed loops over time: T rows, batch axes first. A loop that was lost has NaN from there on."""

    plant: Robot
    controller: Controller
    times: Array  # (T,)
    wanted: Array  # (..., T, nq + 2 nv): q, qd, qdd
    q: Array  # (..., T, nq)
    qd: Array  # (..., T, nv)
    tau: Array  # (..., T, nv) as asked for by the controller
    cut: Array  # (..., nv) seconds for which a motor gave less than was asked
    stopped: Array  # (...) the time of the last good state
    notes: tuple[str, ...] = ()

    @cached_property
    def error(self) -> Array:
        """From where the arm is to where it should be, joint by joint (..., T, nv)."""
        wanted = np.broadcast_to(self.wanted[..., : self.plant.nq], self.q.shape)
        return self.plant.difference(self.q, wanted)

    def hand_error(self, frame: str | None = None) -> Array:
        """Metres (..., T) between where a frame, the last one, is and where it should be."""
        wanted = np.broadcast_to(self.wanted[..., : self.plant.nq], self.q.shape)
        there, here = (self.plant.forward_kinematics(q, frame)[..., :3, 3] for q in (wanted, self.q))
        return np.linalg.norm(there - here, axis=-1)

    @property
    def done(self) -> bool:
        """Whether every loop reached its end."""
        return bool((self.stopped >= self.times[-1]).all())
