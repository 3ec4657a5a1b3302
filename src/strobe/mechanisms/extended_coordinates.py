"""Extended coordinates: a robot whose base is carried along x, y and z, in blocks. [Decomposition2012]

    q_e = (x0, y0, z0, q)       M_t = Σ m_i       A = Σ m_i J_vi       B = Σ m_i J̇_vi

    D_e = [[M_t 1, A], [Aᵀ, D]]      C_e = [[0, B], [0, C]]      G_e = [−M_t g, G]

D, C and G are those of the robot on a fixed base, J_vi is the Jacobian of the centre of mass of link i, g the
acceleration of gravity. A holds the linear rows of the centroidal momentum matrix, B those of its rate. The base is
one of the links: M_t has its mass. Ḋ_e − 2 C_e is skew where Ḋ − 2 C is. The first three rows, with the base at rest,
are the force that the ground exerts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.errors import UnsupportedModelError
from strobe.models.bases import mobility
from strobe.models.model import Model
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, displayed, listed, matrix, number, numbered, states

Array = np.ndarray


@displayed
@dataclass(frozen=True, eq=False)
class BlockForm:
    """The blocks at states (...), and the matrices of q_e that they make up."""

    mass: float  # M_t
    weight: Array  # (3,), −M_t g
    A: Array  # (..., 3, n)
    B: Array  # (..., 3, n)
    D: Array  # (..., n, n)
    C: Array  # (..., n, n)
    G: Array  # (..., n)

    def _sheet(self) -> Sheet:
        joints = numbered("", self.D.shape[-1])
        head = (
            f"the blocks of {number(self.mass)} kg, weight {listed(self.weight, 'N')} (kg m², N m; kg, N)"
        )
        parts = {"A": (self.A, "xyz"), "B": (self.B, "xyz"), "D": (self.D, joints), "C": (self.C, joints)}
        told = [p for name, (x, rows) in parts.items() for p in matrix(name, x, list(rows), joints)]
        told += matrix("G", self.G[..., None], joints, [""])
        return Sheet(f"{head}{states(self.D.shape[:-2])}", told)

    @property
    def mass_matrix(self) -> Array:
        """D_e (..., 3 + n, 3 + n)."""
        carried = self.mass * np.eye(3, dtype=self.D.dtype)
        return _joined(carried, self.A, np.swapaxes(self.A, -1, -2), self.D)

    @property
    def coriolis_matrix(self) -> Array:
        """C_e (..., 3 + n, 3 + n)."""
        zeros = np.zeros((3 + self.C.shape[-1], 3), self.C.dtype)
        return _joined(zeros[:3], self.B, zeros[3:], self.C)

    @property
    def gravity(self) -> Array:
        """G_e (..., 3 + n)."""
        weight = np.broadcast_to(self.weight, (*self.G.shape[:-1], 3))
        return np.concatenate([weight, self.G], axis=-1, dtype=self.G.dtype)


def block_form(robot: Robot, q: Any, qd: Any, *, form: str = "christoffel") -> BlockForm:
    """The blocks of a robot on a fixed base at states q, qd (..., n); ``form`` is that of C, as in `Robot`."""
    require_robot(robot)
    require_fixed(robot.model)
    A = robot.centroidal_momentum_matrix(q)[..., :3, :]
    B = robot.centroidal_momentum_matrix_dot(q, qd)[..., :3, :]
    mass = total_mass(robot.model)
    down = np.array([float(x) for x in robot.model.gravity.linear])  # pyright: ignore[reportArgumentType]
    return BlockForm(
        mass,
        0.0 - mass * down,
        A,
        B,
        robot.mass_matrix(q),
        robot.coriolis_matrix(q, qd, form=form),
        robot.gravity(q),
    )


def total_mass(model: Model) -> float:
    """The mass of all links, the base among them."""
    links = (model.base_inertial, *(body.inertial for body in model.bodies))
    return sum(float(link.m) for link in links)  # pyright: ignore[reportArgumentType]


def require_fixed(model: Model) -> None:
    """Refuse a robot whose base moves already: its coordinates have the base among them."""
    base, _ = mobility(model)
    if base != "fixed":
        raise UnsupportedModelError(
            f"{model.name} stands on a {base} base, which its own coordinates move already; extended coordinates "
            'are those of a fixed one: robot.with_base("fixed").'
        )


def _joined(*blocks: Array) -> Array:
    """Two by two blocks as one matrix, over the leading axes of all of them."""
    batch = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
    whole = [np.broadcast_to(block, (*batch, *block.shape[-2:])) for block in blocks]
    rows = [np.concatenate(whole[k : k + 2], axis=-1) for k in (0, 2)]
    return np.concatenate(rows, axis=-2)
