"""Many steps at once, and the way back through them, on NumPy arrays.

    x_{t+1} = step(x_t, tau_t, …)                      forth, every state kept
    λ_t = g_t + ∂x_{t+1}/∂x_tᵀ λ_{t+1}                 back: the share of each state in Σ g x

What acts on all steps (gravity, wrenches, the length of a step, constants) has the sum of its shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from strobe.tensors.questions import Question

Array = np.ndarray
STATES = ("q", "qd", "tau")  # the first inputs; the torques (steps, batch, n) here, one row a step


class Rollout:
    """Steps of one question on arrays of one batch, laid out side by side: each step is a plain call."""

    def __init__(self, step: Question, arrays: Sequence[Array]) -> None:
        self.step, self.nq = step, step.sizes[0]
        q, qd, tau, *others = arrays
        shapes = [q.shape[:-1], qd.shape[:-1], tau.shape[:-2], *(x.shape[:-1] for x in others)]
        self.batch = np.broadcast_shapes(*shapes)
        self.tau = np.moveaxis(self._rows(tau, 2), -2, 0).copy()
        constants = step.request.constants(step.robot.model)
        names = step.names[len(STATES) :]
        self.others = [
            x if name in constants and x.ndim == 1 else self._rows(x, 1)
            for name, x in zip(names, others, strict=True)
        ]
        self.q = np.empty((len(self.tau) + 1, *self.tau.shape[1:-1], self.nq), tau.dtype)
        self.qd = np.empty((len(self.tau) + 1, *self.tau.shape[1:]), tau.dtype)
        self.q[0], self.qd[0] = self._rows(q, 1), self._rows(qd, 1)

    def _rows(self, x: Array, core: int) -> Array:
        """An array with the batch as one axis, or none."""
        rows = (prod(self.batch),) if self.batch else ()
        whole = np.broadcast_to(x, (*self.batch, *x.shape[x.ndim - core :]))
        return np.ascontiguousarray(whole.reshape(*rows, *x.shape[x.ndim - core :]))

    def run(self) -> Array:
        """Positions and velocities side by side (batch, steps + 1, nq + nv)."""
        answer = self.step.answer
        for t, tau in enumerate(self.tau):
            reached = answer(self.q[t], self.qd[t], tau, *self.others)
            self.q[t + 1], self.qd[t + 1] = reached[..., : self.nq], reached[..., self.nq :]
        whole = np.moveaxis(np.concatenate([self.q, self.qd], axis=-1), 0, -2)
        return np.ascontiguousarray(whole).reshape(*self.batch, *whole.shape[-2:])

    def back(self, weights: Array, needed: Sequence[bool]) -> list[Array | None]:
        """What inputs have in the weighted sum of `run`, those of the state, the torques and others that need it."""
        asked = self.step.shares((True, True, True, *needed[3:]))
        ends = np.cumsum(asked.parts)
        weighted = np.moveaxis(self._rows(weights, 2), -2, 0).copy()
        share, torques = weighted[-1], np.empty_like(self.tau)
        sums: list[Array] = []
        for t in reversed(range(len(self.tau))):
            given = asked.arranged((self.q[t], self.qd[t], self.tau[t], *self.others, share))
            parts = np.split(asked.answer(*given), ends[:-1], axis=-1)
            share = weighted[t] + np.concatenate(parts[:2], axis=-1)
            torques[t], more = parts[2], parts[3:]
            sums = [a + b for a, b in zip(sums, more, strict=True)] if sums else more
        found = [share[..., : self.nq], share[..., self.nq :], np.moveaxis(torques, 0, -2)]
        if not sums:
            sums = [np.zeros((*share.shape[:-1], size), share.dtype) for size in asked.parts[3:]]
        rest = iter(sums)
        found += [next(rest) if wanted else None for wanted in needed[3:]]
        return [
            None if x is None or not wanted else x.reshape(*self.batch, *x.shape[1 if self.batch else 0 :])
            for x, wanted in zip(found, needed, strict=True)
        ]
