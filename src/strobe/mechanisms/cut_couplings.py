"""Loops that couplings of joints keep closed, held by forces instead: what goes through their pins can then be asked.

    c_j q̇ = 0        of every coupling, c_j = e_j − Σ factor e_other
    K q̇ = 0          of the loops that couplings keep closed: K = A C, combinations of those rows

A coupling stands for loops where its row is a combination of theirs: the pins alone make its joint follow, and its
place is taken by their forces. Any other is a transmission (a mimic joint, a gear, a belt), which stays: couples
between the two links of each of its joints, about their axes, which do no work together,

    Q = c_jᵀ μ       μ on joint j, −factor μ on each other

The forces are those of both, Kᵀ λ + Σ c_jᵀ μ_j. They are shared out in one way only where rows of loops and of
transmissions are independent; where they are not, that is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from strobe.errors import UnsupportedModelError
from strobe.mechanisms.mobility import SAMPLES, dofs_of
from strobe.mechanisms.states import scales_of
from strobe.models.couplings import Coordinates
from strobe.models.model import Coupling, Loop, Model
from strobe.models.random_states import random_positions
from strobe.robot import Robot, require_robot

Array = np.ndarray
SAME = 1e-5  # of a row: what may be left of it where it is a combination of others; couplings close loops to 1e-6


def uncoupled(robot: Robot) -> Robot:
    """The robot whose loops are closed by forces where couplings of its joints closed them.

    Couplings that no loop stands for stay. Refused where no loop stands for any, and where forces could be shared out
    between loops and couplings in more than one way.
    """
    require_robot(robot)
    return robot.kept("uncoupled", lambda: robot.with_model(_uncoupled(robot)))


@dataclass(frozen=True, eq=False)
class Uncoupled:
    """A robot that forces hold where couplings held it, and what its states are of those of the coupled one.

    Without loops that couplings keep closed, both are one robot.
    """

    coupled: Robot

    @property
    def robot(self) -> Robot:
        return (
            uncoupled(self.coupled) if any(loop.held for loop in self.coupled.model.loops) else self.coupled
        )

    def position(self, q: Array) -> Array:
        """q (..., nq) of the joints that are left independent."""
        whole = _whole(self.coupled.coordinates.positions, q)
        joints = (self.coupled.model.joint(joint.name) for joint in self.robot.coordinates.joints)
        return whole[..., [joint.q + k for joint in joints for k in range(joint.nq)]]

    def rates(self, v: Array) -> Array:
        """Their velocities or accelerations (..., n)."""
        whole = _whole([(terms, 0.0) for terms in self.coupled.coordinates.velocities], v)
        joints = (self.coupled.model.joint(joint.name) for joint in self.robot.coordinates.joints)
        return whole[..., [joint.v + k for joint in joints for k in range(joint.nv)]]

    def torques(self, tau: Array) -> Array:
        """The same torques (..., n) of the motors: none on joints that followed."""
        theirs = np.zeros((*tau.shape[:-1], self.robot.nv))
        theirs[..., dofs_of(self.robot, [joint.name for joint in self.coupled.coordinates.joints])] = tau
        return theirs


def _whole(rows: Sequence[tuple[dict[int, float], float]], x: Array) -> Array:
    """Numbers of all joints (..., rows) from those of the independent ones."""
    matrix = np.zeros((len(rows), x.shape[-1]))
    for row, (terms, _) in zip(matrix, rows, strict=True):
        row[list(terms)] = list(terms.values())
    with np.errstate(invalid="ignore"):  # what is infinite gives no number
        return x @ matrix.T + np.array([offset for _, offset in rows])


# -- what stands for what -----------------------------------------------------------------------------


def _uncoupled(robot: Robot) -> Model:
    model = robot.model
    held = [loop for loop in model.loops if loop.held]
    K = _rows(robot, held) if held else np.zeros((1, 0, model.nv))
    spans = [_span(each) for each in K]
    most = max(len(span) for span in spans)
    generic = [span for span in spans if len(span) == most]
    free = {c.joint: all(_follows(_row(model, c), span) for span in generic) for c in model.couplings}
    kept = tuple(coupling for coupling in model.couplings if not free[coupling.joint])
    if not held or most + len(kept) != len(model.couplings):
        raise UnsupportedModelError(_shared(model, held, kept))
    loops = tuple(replace(loop, held=False) for loop in model.loops)
    return replace(model, couplings=kept, loops=loops, golden=())


def _shared(model: Model, held: Sequence[Loop], kept: Sequence[Coupling]) -> str:
    start = f"the couplings of {model.name} hold more than its loops would: "
    if not held:
        return f"{start}without them it moves otherwise."
    loops, joints = ", ".join(f'"{loop.name}"' for loop in held), ", ".join(c.joint for c in kept)
    return (
        f"{start}what makes {joints} follow could share forces with {loops} in more than one way. Write couplings "
        "that loops imply each by itself (in a parallelogram a2 = b1 − a1), and any other beside them."
    )


def _rows(robot: Robot, held: Sequence[Loop]) -> Array:
    """K (positions, conditions, nv) of loops, by all joints, at positions that nothing singles out."""
    loops = tuple(replace(loop, held=False) for loop in held)
    tree = Robot(replace(robot.model, couplings=(), curves=(), loops=loops, golden=()), compiled=False)
    x: Coordinates = robot.coordinates
    q = _whole(x.positions, random_positions(x, np.random.default_rng(7), (SAMPLES,)))
    return tree.loop_jacobian(q) / scales_of(tree)[:, None]


def _row(model: Model, coupling: Coupling) -> Array:
    row = np.zeros(model.nv)
    row[model.joint(coupling.joint).v] = 1.0
    for other, factor in coupling.terms.items():
        row[model.joint(other).v] -= factor
    return row / np.linalg.norm(row)


def _span(K: Array) -> Array:
    """Rows of length one, at right angles, of which those of K are combinations."""
    _, sizes, rows = np.linalg.svd(K)
    return rows[: int((sizes > SAME * sizes.max(initial=0.0)).sum())]


def _follows(row: Array, span: Array) -> bool:
    return bool(np.linalg.norm(row - span.T @ (span @ row)) < SAME)
