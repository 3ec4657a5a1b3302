"""The meaning of a torque: every term of the equation of motion, by joint, with what it stands for. [Asada2005]

    tau_i = M_ii qdd_i + Σ_{j≠i} M_ij qdd_j + Σ_j c_ijj qd_j² + Σ_{j<k} 2 c_ijk qd_j qd_k + g_i + friction − Jᵀ F
            effective    interaction          centrifugal       Coriolis                    gravity
            inertia

The Christoffel symbols c_ijk are read off the Coriolis matrix with unit velocities, C(q, e_k)_ij. For joints
with quaternions that matrix holds half a Lie bracket besides, which is odd in j, k and leaves their sum.

Which part is centrifugal, Coriolis or interaction depends on the coordinates: with other ones (absolute angles
in the place of relative ones) the same torque has other terms. Shares are of the sum of magnitudes, so that
terms which cancel each other are not hidden.

Beside it stands what each joint transmits to the body it carries: along the joint the drive's work, across it
what the bearings hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from strobe.algebra import Pose
from strobe.compiler.runtime.arrays import require_turns
from strobe.errors import UnknownNameError, UnsupportedModelError
from strobe.models.arguments import finite_numbers, require_place
from strobe.models.model import Frame, Model
from strobe.robot import Robot, Wrench
from strobe.show.rounding_noise import NOISE
from strobe.show.sheet import Column, Sheet, Table, by_joint, displayed, number
from strobe.show.units import efforts

Array = np.ndarray

MEANINGS = {
    "effective inertia": "accelerates {own} and all that it carries, the other joints frozen",
    "interaction": "holds {own} against the reaction to the acceleration of {0}",
    "centrifugal": "holds {own} against the centrifugal effect of {0} in motion",
    "Coriolis": "holds {own} against the Coriolis effect of {0} and {1} moving at once",
    "gravity": "carries the weight beyond {own}",
    "friction": "overcomes the friction of {own}",
    "external": "balances the external wrenches",
}
KINDS = tuple(MEANINGS)
WRITTEN = 20  # terms of one state that are written one by one
GOING_ALONG = {  # where joints that are not actuated do so, by loops or couplings
    "effective inertia": "accelerates {own} and all that moves with it, the other actuated joints frozen",
    "gravity": "carries the weight that {own} lifts",
    "friction": "overcomes the friction of all that {own} moves",
}


def meanings(going_along: bool) -> dict[str, str]:
    """What each kind of term does, where other joints go along with those that are driven or not."""
    return MEANINGS | GOING_ALONG if going_along else MEANINGS


COORDINATES = "The split into terms holds in these coordinates; in others the same torque has other terms."


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the torque of every joint: what causes it, and the degrees of freedom that move."""

    cause: str  # acceleration, velocity, gravity, friction or external
    by: tuple[int, ...] = ()

    def kind(self, joint: int) -> str:
        """What the term is to a joint, one of `KINDS`."""
        if self.cause == "acceleration":
            return "effective inertia" if self.by == (joint,) else "interaction"
        if self.cause == "velocity":
            return "centrifugal" if self.by[0] == self.by[1] else "Coriolis"
        return self.cause

    def formula(self, joint: int) -> str:
        """The term in the letters of the equation of motion, degrees of freedom counted from 1."""
        i, by = joint + 1, [k + 1 for k in self.by]
        if self.cause == "acceleration":
            return f"{_entry('M', i, *by)} qdd{by[0]}"
        if self.cause == "velocity":
            j, k = by
            symbol = _entry("c", i, j, k)
            return f"{symbol} qd{j}²" if j == k else f"2 {symbol} qd{j} qd{k}"
        return {"gravity": f"g{i}", "friction": f"friction(qd{i})", "external": f"−(JᵀF){i}"}[self.cause]


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A term as one joint feels it."""

    kind: str
    by: tuple[str, ...]  # the degrees of freedom whose motion causes it
    formula: str
    meaning: str
    value: Array  # (...)
    share: Array  # (...), between 0 and 1

    def data(self) -> dict[str, Any]:
        """The term of one state as plain data."""
        told = {"kind": self.kind, "by": self.by, "formula": self.formula}
        return told | {"value": float(self.value), "share": float(self.share), "meaning": self.meaning}


@displayed
@dataclass(frozen=True, eq=False)
class Explanation:
    """The torques of a motion, term by term, and what the joints transmit; batched over leading axes."""

    robot: str
    joints: tuple[str, ...]  # one name per degree of freedom
    units: tuple[str, ...]  # of each torque: N m, or N
    terms: tuple[Term, ...]
    values: Array  # (..., n, terms)
    tau: Array  # (..., n), the inverse dynamics: the sum of the terms
    hinges: tuple[str, ...]  # the joints of the model, those that follow others included
    wrenches: Array  # (..., hinges, 6): force, moment on the body carried, at the joint, base axes
    constraints: Array  # (..., hinges, 6): the same without what acts along the joint
    closed: bool = False  # whether other joints go along with these: in a closed chain, or by couplings
    remarks: tuple[str, ...] = ()  # what there is to know about what joints transmit

    @cached_property
    def _noise(self) -> Array:
        """What is rounding (..., 1) beside the largest term of a state."""
        return NOISE * np.abs(self.values).max(axis=(-2, -1), initial=0.0)[..., None]

    @cached_property
    def torques(self) -> Array:
        """The torques (..., n) to be read: 0 where rounding alone is left of them."""
        return np.where(np.abs(self.tau) <= self._noise, 0.0, self.tau)

    @cached_property
    def shares(self) -> Array:
        """The share (..., n, terms) of every term in the sum of magnitudes; zero where rounding alone is left."""
        sizes = np.abs(self.values)
        sizes = np.where(sizes <= self._noise[..., None], 0.0, sizes)
        total = sizes.sum(axis=-1, keepdims=True)
        return np.divide(sizes, total, out=np.zeros_like(sizes), where=total != 0.0)

    @cached_property
    def parts(self) -> dict[str, Array]:
        """The torques (..., n) of every kind of term."""
        kinds = np.array([[term.kind(i) for term in self.terms] for i in range(len(self.joints))])
        return {kind: np.where(kinds == kind, self.values, 0.0).sum(axis=-1) for kind in KINDS}

    def rows(self, joint: int | str, least: float = 0.0) -> list[Row]:
        """The terms of one degree of freedom (by name, or by number from 0) in the order of `KINDS`.

        Those whose share stays below ``least`` are left out.
        """
        (least,) = finite_numbers("least", least, 1)
        i = (
            self._index(joint)
            if isinstance(joint, str)
            else require_place("joint", joint, self.joints, "the joints")
        )
        shares = self.shares[..., i, :].reshape(-1, len(self.terms)).max(axis=0, initial=0.0)
        rows = [self._row(i, t, term) for t, term in enumerate(self.terms) if not shares[t] < least]
        return sorted(rows, key=lambda row: KINDS.index(row.kind))

    def _row(self, i: int, t: int, term: Term) -> Row:
        kind = term.kind(i)
        by = tuple(self.joints[k] for k in dict.fromkeys(term.by))
        meaning = meanings(self.closed)[kind].format(*by, own=self.joints[i])
        return Row(kind, by, term.formula(i), meaning, self.values[..., i, t], self.shares[..., i, t])

    def _index(self, name: str) -> int:
        if name not in self.joints:
            raise UnknownNameError("joint", name, self.robot, self.joints)
        return self.joints.index(name)

    def _sheet(self) -> Sheet:
        head = f"Explanation of {self.robot}: {len(self.joints)} torques of {len(self.terms)} terms"
        batch = self.tau.ndim > 1
        head += f", {int(np.prod(self.tau.shape[:-1])):,} states" if batch else ""
        felt = {kind: x for kind, x in self.parts.items() if np.any(np.abs(x) > self._noise)}
        columns = [Column(kind, x, self.units) for kind, x in {**felt, "tau": self.torques}.items()]
        if batch:
            return Sheet(head, [by_joint(self.joints, columns), COORDINATES])
        rows = [row for i in range(len(self.joints)) for row in self._felt(i)]
        parts = [Table(["joint", "value", "share", "term", ""], rows)] if 0 < len(rows) <= WRITTEN else []
        return Sheet(head, [by_joint(self.joints, columns), *parts, COORDINATES], self._figure)

    def _felt(self, i: int) -> list[list[Any]]:
        """The terms of a joint that are more than rounding."""
        felt = [row for row in self.rows(i) if row.share > NOISE]
        name, unit = self.joints[i], self.units[i]
        return [
            [name, f"{number(float(r.value))} {unit}", f"{r.share:.0%}", r.kind, r.formula] for r in felt
        ]

    def _figure(self) -> str:
        from strobe.equations.figure_torques import term_bars

        return term_bars(self)


def _entry(letter: str, *indices: int) -> str:
    """M12, or M1,12 where a number has two digits."""
    return letter + ("," if max(indices) > 9 else "").join(map(str, indices))


MOST_TERMS = 2**25  # worked out at once: a quarter of a gibibyte


def explain(
    robot: Robot, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
    gravity: Any = None, friction: bool = True,
) -> Explanation:  # fmt: skip
    """The torques of a motion, term by term."""
    loads: dict[str, Any] = {"wrench": wrench, "frame": frame, "gravity": gravity}
    wrenches = robot.joint_wrenches(q, qd, qdd, **loads, friction=friction)
    return explained(robot, q, qd, qdd, wrenches, transmissions(robot.model), **loads, friction=friction)


def explained(
    robot: Robot, q: Any, qd: Any, qdd: Any, wrenches: Array, remarks: tuple[str, ...], *,
    wrench: Wrench = None, frame: str | None = None, gravity: Any = None, friction: bool = True,
) -> Explanation:  # fmt: skip
    """The torques of a motion, term by term, beside what the joints transmit and the remarks on it."""
    loads: dict[str, Any] = {"wrench": wrench, "frame": frame, "gravity": gravity}
    tau = robot.inverse_dynamics(q, qd, qdd, **loads, friction=friction)
    q, qd, qdd = (np.asarray(x, tau.dtype) for x in (q, qd, qdd))
    require_turns("q", q, robot.coordinates.joints)
    _require_room(robot, tau.size)
    single = loads_of(robot, q, qd, wrench, frame, gravity, friction)
    by_rate = robot.coriolis_matrix(q[..., None, :], np.eye(robot.nv, dtype=q.dtype))
    columns = [robot.mass_matrix(q) * qdd[..., None, :], pair_terms(by_rate, qd)]
    columns += [torque[..., None] for torque in single.values()]
    return Explanation(
        robot=robot.name,
        joints=robot.coordinates.rate_names,
        units=units_of(robot),
        terms=(*moving_terms(robot.nv), *map(Term, single)),
        values=np.concatenate([np.broadcast_to(c, (*tau.shape, c.shape[-1])) for c in columns], axis=-1),
        tau=tau,
        hinges=tuple(body.joint.name for body in robot.model.bodies),
        wrenches=wrenches,
        constraints=across(robot, q, wrenches),
        closed=bool(robot.model.couplings),
        remarks=remarks,
    )


def transmissions(model: Model) -> tuple[str, ...]:
    """What to know about joints that follow others: by what, and what is not known of it."""
    rules = [rule.joint for rule in (*model.couplings, *model.curves)]
    if not rules:
        return ()
    return (
        f"{', '.join(rules)} {'follows' if len(rules) == 1 else 'follow'} other joints: by couples (forces, where a "
        "joint slides) between the two links of each joint, part of what these transmit along themselves. Where "
        "gears or belts sit is not known, nor what they put on bearings besides.",
    )


def _require_room(robot: Robot, torques: int) -> None:
    """Refuse more terms than are worth a table: a torque has one for every pair of joints."""
    if torques * robot.nv**2 > MOST_TERMS:
        raise UnsupportedModelError(
            f"{torques:,} torques of {robot.name}, each with a term for every pair of {robot.nv} joints, are more "
            f"than {MOST_TERMS:,} terms. Explain fewer states at a time, or a part of the robot (lock joints)."
        )


def units_of(robot: Robot) -> tuple[str, ...]:
    """The unit of the torque along every degree of freedom."""
    return tuple(efforts(robot.coordinates.joints))


def moving_terms(n: int) -> list[Term]:
    """The terms of accelerations and of pairs of rates, in the order of the columns of values."""
    pairs = zip(*(axis.tolist() for axis in np.triu_indices(n)), strict=True)
    return [Term("acceleration", (j,)) for j in range(n)] + [Term("velocity", pair) for pair in pairs]


def pair_terms(by_rate: Array, qd: Array) -> Array:
    """c_ijj qd_j² and 2 c_ijk qd_j qd_k (..., n, pairs), the pairs j ≤ k row by row, from C at every unit rate."""
    c = np.moveaxis(by_rate, -3, -1)  # c[..., i, j, k]
    j, k = np.triu_indices(qd.shape[-1])
    both = (c[..., j, k] + c[..., k, j]) * np.where(j == k, 0.5, 1.0).astype(qd.dtype)
    return both * (qd[..., j] * qd[..., k])[..., None, :]


def loads_of(
    robot: Robot, q: Array, qd: Array, wrench: Wrench, frame: str | None, gravity: Any, friction: bool
) -> dict[str, Array]:
    """The torques (..., n) of what acts besides inertia, by cause."""
    return {
        "gravity": robot.gravity(q, gravity=gravity),
        "friction": _friction(robot, q, qd) if friction else np.zeros_like(qd),
        "external": _external(robot, q, wrench, frame),
    }


def _friction(robot: Robot, q: Array, qd: Array) -> Array:
    """friction(qd): the only part of the torque that the keyword of that name changes."""
    still, weightless = np.zeros_like(qd), np.zeros(3, qd.dtype)
    rubbing = robot.inverse_dynamics(q, qd, still, gravity=weightless)
    return rubbing - robot.inverse_dynamics(q, qd, still, gravity=weightless, friction=False)


def _external(robot: Robot, q: Array, wrench: Wrench, frame: str | None) -> Array:
    """−Σ Jᵀ F."""
    total = np.zeros(robot.nv, q.dtype)
    loads = wrench if isinstance(wrench, Mapping) else {} if wrench is None else {frame: wrench}
    for name, F in loads.items():
        total = total - np.einsum("...ki,...k->...i", robot.jacobian(q, name), np.asarray(F, q.dtype))
    return total


def across(robot: Robot, q: Array, wrenches: Array) -> Array:
    """The wrenches without their components along what each joint lets move."""
    tree = robot.model.proximal()
    hinges = tuple(Frame(body.name, body.index, Pose()) for body in tree.bodies)
    placed = Robot(replace(tree, frames=hinges), compiled=False).frame_placements(q)
    rest = wrenches.copy()
    for b, body in enumerate(tree.bodies):
        R = placed[..., b, :3, :3]
        for column in body.S:
            for part, direction in ((slice(3), column.linear), (slice(3, 6), column.angular)):
                axis = R @ np.array([*direction], q.dtype)
                load = rest[..., b, part]
                rest[..., b, part] = load - axis * (axis * load).sum(axis=-1, keepdims=True)
    return rest
