"""How the joints of closed chains follow some of them: a for those that lead, p for the others.

    K_a qd_a + K_p qd_p = 0           qd = T qd_a             T_a = 1,  T_p = −K_p⁺ K_a
    K qdd + K̇ qd = 0                  qdd = T qdd_a + t       t_a = 0,  t_p = −K_p⁺ K̇ qd

K̇ qd is `Robot.loop_bias`. Its part that is linear in another velocity v, K̇ v, follows from three values of it:

    b(u) = K̇(u) u         K̇(u) v = ¼ (b(u + v) − b(u − v)) + ½ K [u, v]

The bracket is that of the joints: zero for those of one degree of freedom, w_u × w_v and v_u × w_v + w_u × v_v for
turns and motions in a body's own axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked, in_precision, precision
from strobe.errors import Advised, ArgumentError
from strobe.mechanisms.loop_closure import by_joint
from strobe.mechanisms.mobility import LEAST, dofs_of, pseudo_inverse, require_actuation
from strobe.mechanisms.states import products, require_closed
from strobe.robot import Robot, require_robot
from strobe.scalars.lanes import LANES, Lanes

Array = np.ndarray


def complete(
    robot: Robot, q: Any, rates: Mapping[str, Any], accelerations: Mapping[str, Any] | None = None
) -> tuple[Array, Array]:
    """Velocities and accelerations (..., n) of all joints that follow from those of some, given by name.

    A joint of one degree of freedom has an array (...), others (..., size); an acceleration not given is zero. The
    joints must be as many as the freedoms, and able to drive the robot; q is a closed position (..., nq).
    """
    require_robot(robot)
    rates = by_joint(robot, rates, "rates", "velocities")
    accelerations = by_joint(
        robot, {} if accelerations is None else accelerations, "accelerations", "accelerations"
    )
    leading = require_actuation(robot, robot.matching_joints(list(rates)))
    if unknown := [name for name in accelerations if name not in leading]:
        raise ArgumentError(
            f'an acceleration is given for "{unknown[0]}", but no rate; expected those of {", ".join(leading)}.'
        )
    here = checked("q", q, (robot.nq,), robot.shape_reason).astype(float)
    require_closed(robot, {"q": here})
    own = dofs_of(robot, leading)
    qd_a, qdd_a = _given(robot, leading, rates), _given(robot, leading, accelerations)
    dtype = precision(q, *rates.values(), *accelerations.values())
    following = Following(robot, here, own)
    qd = products(following.T, qd_a)
    return in_precision((qd, products(following.T, qdd_a) + following.left_over(qd)), dtype)


def _given(robot: Robot, names: Sequence[str], values: Mapping[str, Any]) -> Array:
    """The numbers (..., size) of joints, side by side."""
    columns: list[Array] = []
    for joint in (joint for joint in robot.coordinates.joints if joint.name in names):
        core = () if joint.nv == 1 else (joint.nv,)
        given = checked(f'"{joint.name}"', values.get(joint.name, np.zeros(core)), core, f"of {robot.name}")
        columns.append(given.astype(float).reshape(*given.shape[: given.ndim - len(core)], joint.nv))
    batch = np.broadcast_shapes(*(column.shape[:-1] for column in columns))
    return np.concatenate([np.broadcast_to(c, (*batch, c.shape[-1])) for c in columns], axis=-1)


class Following:
    """T and its rate at closed positions q (..., nq), for the degrees of freedom that lead."""

    def __init__(self, robot: Robot, q: Array, leading: Sequence[int]) -> None:
        self.robot, self.q, self.leading = robot, q, list(leading)
        self.passive = [k for k in range(robot.nv) if k not in self.leading]
        self.K = robot.loop_jacobian(q)
        K_p = self.K[..., self.passive]
        _require_driven(robot, K_p, self.leading)
        self._inverse = pseudo_inverse(K_p)
        self.T = self._whole(np.eye(len(self.leading)), -self._inverse @ self.K[..., self.leading])

    def left_over(self, qd: Array) -> Array:
        """t (..., n): accelerations where the leading joints have none."""
        demand = self._inverse @ self.robot.loop_bias(self.q, qd)[..., None]
        return self._whole(np.zeros((len(self.leading), 1)), -demand)[..., 0]

    def T_dot(self, qd: Array) -> Array:
        """The rate (..., n, leading) of T while the robot moves with qd."""
        q, u, v = self.q[..., None, :], qd[..., None, :], np.swapaxes(self.T, -1, -2)
        bias = self.robot.loop_bias
        turned = products(self.K[..., None, :, :], bracket(self.robot, u, v))
        rates = (bias(q, u + v) - bias(q, u - v)) / 4 + turned / 2
        return self._whole(np.zeros((len(self.leading),) * 2), -self._inverse @ np.swapaxes(rates, -1, -2))

    def _whole(self, ours: Array, theirs: Array) -> Array:
        """Rows of the leading and of the passive joints (..., n, columns) in their order."""
        whole = np.empty((*theirs.shape[:-2], self.robot.nv, ours.shape[-1]))
        whole[..., self.leading, :], whole[..., self.passive, :] = ours, theirs
        return whole


def bracket(robot: Robot, u: Array, v: Array) -> Array:
    """[u, v] (..., n): what moving along u, then v, differs by from v, then u, to second order."""
    u, v = np.broadcast_arrays(u, v)
    found = np.zeros(u.shape)
    for joint in robot.coordinates.joints:
        if joint.nv == 1:
            continue
        columns = joint.columns()
        first, second = (columns @ [Lanes(w[..., joint.v + k]) for k in range(joint.nv)] for w in (u, v))
        both = first.cross(second)
        for k, column in enumerate(columns):
            along = both.angular.dot(column.angular) + both.linear.dot(column.linear)
            found[..., joint.v + k] = LANES.lower(along)
    return found


def _require_driven(robot: Robot, K_p: Array, leading: Sequence[int]) -> None:
    """Refuse positions in which the others can move while the leading joints stand still."""
    K_p = K_p[np.isfinite(K_p).all(axis=(-2, -1))]  # of positions that are known
    values = np.linalg.svd(K_p, compute_uv=False)
    size = np.abs(K_p).max(axis=(-2, -1), initial=0.0)
    wanted = K_p.shape[-1]
    loose = (values[..., wanted - 1] if values.shape[-1] >= wanted > 0 else size * 0.0) <= LEAST * size
    if wanted and loose.any():
        names = ", ".join(j.name for j in robot.coordinates.joints if j.v in leading)
        sentence = (
            f"{robot.name} stands at a dead point of {names}: with them still, other joints can move. "
            "Move away from there, or lead by other joints (strobe.mechanisms.diagnose tells)."
        )
        raise ArgumentError(Advised(sentence, {"strobe.mechanisms.diagnose": "strobe info"}))
