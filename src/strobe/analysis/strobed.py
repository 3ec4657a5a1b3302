"""Strobing: a robot's own inverse dynamics, flashed with unit vectors, shows g, M and C. [Turney1980]

    g     = ID(q, 0, 0)
    M e_j = ID(q, 0, e_j)                                    weightless, as all that follow
    C_jj  = ID(q, e_j, 0),   C_jk = ½ [ID(q, e_j + e_k, 0) − C_jj − C_kk]      (polarisation)

One torque is one flash: 1 for g, n for M, n (n + 1)/2 for the symbols C^i_jk. Nothing but inverse dynamics is asked,
so that whatever gives torques can be looked at this way, without its equations. `formulations.strobing` is the same
over numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from strobe.errors import UnsupportedModelError
from strobe.models.loops import require_open
from strobe.show.sheet import Sheet, displayed, matrix, numbered

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray


class Flash(NamedTuple):
    """One call of inverse dynamics: what it shows, the rates and accelerations it was given, the torques it gave."""

    shows: str
    qd: Array
    qdd: Array
    tau: Array


@displayed
class Strobed(NamedTuple):
    """What flashes of inverse dynamics show at one position.

    ``C[i, j, k]`` is the Christoffel symbol C^i_jk, symmetric in j and k; velocity torques are Σ C^i_jk qd_j qd_k.
    """

    g: Array
    M: Array
    C: Array
    flashes: tuple[Flash, ...]

    @property
    def calls(self) -> dict[str, int]:
        """How many flashes each took."""
        n = len(self.g)
        return {"g": 1, "M": n, "C": n * (n + 1) // 2}

    def _sheet(self) -> Sheet:
        n = len(self.g)
        taken = ", ".join(f"{count} for {what}" for what, count in self.calls.items())
        names = numbered("", n)
        parts = [*matrix("M", self.M, names, names)]
        for i in range(n):
            parts += matrix(f"C^{i + 1}_jk", self.C[i], names, names)
        return Sheet(
            f"g, M and C of {n} degrees of freedom, strobed in {len(self.flashes)} calls ({taken})", parts
        )


def strobe(robot: Robot, q: Any, *, formulation: str | None = None) -> Strobed:
    """g, M and the Christoffel symbols at one position, from inverse dynamics alone; friction left out."""
    require_open(robot.model, "strobing")
    q = robot.position(q, known=True)  # pyright: ignore[reportPrivateUsage]  as the robot's own methods read it
    n = robot.nv
    if n == 0:
        raise UnsupportedModelError(f"{robot.name} has no joints: there is nothing to strobe.")
    one, still = np.eye(n), np.zeros(n)
    pairs = [(j, k) for j in range(n) for k in range(j)]

    def flashed(shows: list[str], qd: Array, qdd: Array, **loads: Any) -> list[Flash]:
        tau = robot.inverse_dynamics(
            np.broadcast_to(q, (len(qd), robot.nq)),
            qd,
            qdd,
            friction=False,
            formulation=formulation,
            **loads,
        )
        return [Flash(*each) for each in zip(shows, qd, qdd, tau, strict=True)]

    weight = flashed(["g"], still[None], still[None])
    weightless = {"gravity": np.zeros(3)}
    columns = flashed([f"M e_{j + 1}" for j in range(n)], np.zeros((n, n)), one, **weightless)
    squares = flashed([f"C_{j + 1},{j + 1}" for j in range(n)], one, np.zeros((n, n)), **weightless)
    both = np.array([one[j] + one[k] for j, k in pairs]).reshape(-1, n)
    named = [f"2 C_{j + 1},{k + 1} + C_{j + 1},{j + 1} + C_{k + 1},{k + 1}" for j, k in pairs]
    crossed = flashed(named, both, np.zeros_like(both), **weightless) if pairs else []

    C = np.zeros((n, n, n))
    for j, flash in enumerate(squares):
        C[:, j, j] = flash.tau
    for (j, k), flash in zip(pairs, crossed, strict=True):
        C[:, j, k] = C[:, k, j] = (flash.tau - C[:, j, j] - C[:, k, k]) / 2
    M = np.array([flash.tau for flash in columns]).T
    return Strobed(weight[0].tau, M, C, (*weight, *columns, *squares, *crossed))
