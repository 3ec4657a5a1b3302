"""Torques extrapolated along the path: Waters' cheapest extrapolation, in one parameter instead of 3n.

    s_k   = s_{k−1} + |q_k − q_{k−1}|                                 path length, a metre counting as a radian
    F(s)  ≈ Σ_i F(s_i) Π_{j≠i} (s − s_j)/(s_i − s_j)                  through the last order + 1 torques computed

Torques are smooth along a path only while accelerations are: where these jump the extrapolation starts anew, with
order + 1 rows computed. [Waters1979]
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from strobe.approximate.method import NUMBER, Approximation, Operations, require_open_dynamics
from strobe.approximate.states import (
    RIGID,
    added,
    constants,
    friction_operations,
    preparation,
    shared,
    states,
    with_friction,
)
from strobe.errors import ArgumentError, shown
from strobe.models.arguments import require_whole
from strobe.robot import Robot, require_robot

Array = np.ndarray
ORDERS = (0, 1, 2)
SMALL_CHANGE = 0.1  # of a joint's largest acceleration: a smaller change is no jump
SPEEDING = 2.0  # times the weights of rows evenly spaced: beyond that, the path has run away from its nodes
ISOLATED = 2.0  # times the changes around it: a jump stands out, what is smooth does not


class PathExtrapolation(Approximation):
    """Torques computed at every m-th row, and extrapolated over path length at those between.

    The rows of a call follow one another in time. A torque computed for a row may be known only ``late`` rows after
    it: with ``every=1, late=1`` each row is foretold from those before, while its own is being computed.
    ``switches`` are the rows at which accelerations jump; found from the accelerations if None, and () for none.
    Rows at which the path has gained so much speed that it runs away from what is known are computed too.
    """

    name = "path-extrapolation"
    in_order = True

    def __init__(
        self, robot: Robot, order: int = 1, every: int = 4, *, late: int = 0,
        switches: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        require_robot(robot)
        if order not in ORDERS or isinstance(order, bool):
            raise ArgumentError(f"order is {shown(order)}; expected 0, 1 or 2.")
        self.robot, self.order = robot, int(order)
        self.every, self.late = require_whole("every", every, 1), require_whole("late", late, 0)
        self.switches = (
            None if switches is None else tuple(require_whole("a switch", k, 0) for k in switches)
        )
        self.title = f"extrapolated along the path, order {order}"
        require_open_dynamics(robot)
        self._preparation = preparation(robot)

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Array:
        """tau (..., T, n) of rows that follow one another; a single state is computed."""
        q, qd, qdd = states(self.robot, q, qd, qdd)
        if q.ndim < 2:
            return self.robot.inverse_dynamics(q, qd, qdd)
        motions = prod(q.shape[:-2])
        rows = [each.reshape(motions, *each.shape[-2:]).astype(float) for each in (q, qd, qdd)]
        tau = with_friction(self.robot, self._rigid(rows), rows[1])
        return tau.reshape(qd.shape).astype(qd.dtype, copy=False)

    @property
    def memory(self) -> int:
        """The constants of the exact torques; those and the path lengths of the rows behind, the last position."""
        kept = (self.order + 1) * (self.robot.nv + (self.order > 0)) + self.robot.nq * (self.order > 0)
        return constants(self.robot.kernel(RIGID).program) + NUMBER * kept

    @property
    def operations(self) -> Operations:
        """On average over a long stretch without a switch."""
        exact = shared(Operations.of(self.robot.kernel(RIGID).program), self.every)
        return added(exact, self._extrapolating, friction_operations(self.robot))

    @property
    def _extrapolating(self) -> Operations:
        """A row's path length, its weights and its sum."""
        n, p = self.robot.nv, self.order
        if not p:
            return Operations(0, 0)
        length = Operations(n, 2 * n, others=1)
        weights = Operations(2 * (p + 1) * (p - 1), (p + 1) * (p + 2) // 2, others=p + 1)
        return added(length, weights, Operations((p + 1) * n, p * n))

    @property
    def preparation(self) -> float:
        return self._preparation

    @property
    def notes(self) -> tuple[str, ...]:
        said = ["The rows of a call must follow one another in time."]
        if self.switches == ():
            said.append(
                "It does not start anew where accelerations jump: there it errs by the whole jump, however "
                "small the step."
            )
        if self.order:
            said.append(
                "Where an arm sets out with an acceleration that grows from zero, torques are not smooth over path "
                "length, and it errs more."
            )
        return tuple(said)

    # -- which rows are computed ---------------------------------------------------------------------

    def _place(self, qdd: Array) -> Array:
        """How many rows (B, T) each is after the last switch."""
        begins = jumps(qdd) if self.switches is None else self._given(qdd.shape)
        begins[:, :1] = True
        rows = np.arange(qdd.shape[1])
        return rows - np.maximum.accumulate(np.where(begins, rows, 0), axis=1)

    def _given(self, shape: tuple[int, ...]) -> Array:
        beyond = [k for k in self.switches or () if k >= shape[1]]
        if beyond:
            raise ArgumentError(f"a switch is given at row {beyond[0]}; the motion has {shape[1]} rows.")
        begins = np.zeros(shape[:2], dtype=bool)
        begins[:, list(self.switches or ())] = True
        return begins

    def _rigid(self, rows: Sequence[Array]) -> Array:
        """Rigid-body torques (B, T, n), computed at some rows and foretold at the others."""
        p, place = self.order, self._place(rows[2])
        first = place <= p
        computed = first | ((place - p) % self.every == 0)
        tau = np.full(rows[1].shape, np.nan)
        tau[computed] = self._computed(rows, computed)
        unknown = ~(first if self.late else computed)
        behind = self._behind(place[unknown])
        s = self._path_lengths(rows[0])
        batch, row = (each[:, None] for each in np.nonzero(unknown))
        weights = _weights(s[batch, row] - s[batch, row - behind])
        lost = np.zeros_like(unknown)
        lost[unknown] = np.abs(weights).sum(axis=1) > SPEEDING * np.abs(_weights(behind)).sum(axis=1)
        safe = ~lost[unknown]
        nodes = tau[batch[safe], (row - behind)[safe]]
        tau[unknown & ~lost] = np.einsum("ki,kin->kn", weights[safe], nodes)
        tau[lost] = self._computed(rows, lost)
        return tau

    def _computed(self, rows: Sequence[Array], which: Array) -> Array:
        return self.robot.inverse_dynamics(*(each[which] for each in rows), friction=False)

    def _behind(self, place: Array) -> Array:
        """How many rows (K, order + 1) before each are those it is extrapolated from, the latest first."""
        p = self.order
        latest = np.maximum(place - p - self.late, 0) // self.every
        number = p + latest[:, None] - np.arange(p + 1)  # among the rows computed since the switch
        return place[:, None] - np.where(number <= p, number, p + (number - p) * self.every)

    def _path_lengths(self, q: Array) -> Array:
        if not self.order:
            return np.zeros(q.shape[:2])
        steps = np.linalg.norm(self.robot.difference(q[:, :-1], q[:, 1:]), axis=-1)
        return np.concatenate([np.zeros((len(q), 1)), np.cumsum(steps, axis=1)], axis=1)


def _weights(beyond: Array) -> Array:
    """Lagrange's weights (K, p + 1) of nodes that lie so far behind; infinite where all rest in one place but it."""
    nodes = beyond.shape[1]
    weights = np.ones(beyond.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        for i, j in itertools.permutations(range(nodes), 2):
            weights[:, i] *= beyond[:, j] / (beyond[:, j] - beyond[:, i])
    gaps = np.diff(np.sort(beyond, axis=1), axis=1)
    together = np.where(beyond[:, :1] == 0, np.eye(nodes)[0], np.inf)
    return np.where((gaps == 0).any(axis=1, keepdims=True), together, weights)


def jumps(qdd: Array) -> Array:
    """Whether some acceleration jumps between a row (..., T) and the one before.

    A jump is a change by more than a tenth of the joint's largest acceleration, and twice as large as the least of
    the two changes before and the two after: where an acceleration is smooth, neighbouring changes are alike.
    """
    change = np.zeros(qdd.shape)
    change[..., 1:, :] = np.abs(qdd[..., 1:, :] - qdd[..., :-1, :])
    T = qdd.shape[-2]
    around = np.full(qdd.shape, np.inf)
    for shift in (-2, -1, 1, 2):
        rows = np.arange(max(1, 1 - shift), min(T, T - shift))
        around[..., rows, :] = np.minimum(around[..., rows, :], change[..., rows + shift, :])
    large = change > SMALL_CHANGE * np.fmax.reduce(np.abs(qdd), axis=-2, keepdims=True, initial=0.0)
    return np.any(large & (change > ISOLATED * around), axis=-1)
