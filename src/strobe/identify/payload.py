"""What a hand carries, from the torques that carrying it takes.

    tau − tau_empty(q, qd, qdd) = Y(q, qd, qdd) π + noise

Linear in the ten parameters π (`payload_regressor`), so that linear least squares finds them, with their uncertainty
and with the combinations that the torques read do not decide: torques of three wrist axes that meet in a point never
feel a point mass there, whatever the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from strobe.compiler.runtime.arrays import checked
from strobe.errors import ArgumentError, ShapeError, counted, vector
from strobe.identify.least_squares import Solution, least_squares
from strobe.identify.payload_readings import finite_states, finite_torques, joint_rows, owners, whitening
from strobe.identify.payload_regressor import PARAMETERS, UNITS, payload_regressor
from strobe.models.arguments import finite_numbers
from strobe.robot import Robot, require_robot
from strobe.show.sheet import displayed
from strobe.simulate.torques import one_payload

Array = np.ndarray
UNKNOWN = len(PARAMETERS)
ROUNDING = 1e-9
UNEXPLAINED = 3  # times the noise given: what is left of torques and noise cannot be
PART = 1e-6  # of a point mass: how far a direction may be from one and still be called so


class Known(Protocol):
    """What is known of a payload: ten parameters and their information, the inverse of a covariance."""

    @property
    def parameters(self) -> Array: ...
    @property
    def information(self) -> Array: ...


@displayed
@dataclass(frozen=True, eq=False)
class Payload:
    """A payload as torques tell it: an estimate, how sure it is, and what they leave open."""

    frame: str
    fit: Solution
    rms: Array  # (joints,), what the estimate leaves of the torques
    joints: tuple[str, ...]  # whose torques were read

    @property
    def parameters(self) -> Array:
        """m, m·cx, m·cy, m·cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the frame's origin, in its axes.

        Where torques leave something open (`unseen`), one of many answers that fit equally well.
        """
        return self.fit.values

    @property
    def deviations(self) -> Array:
        """The standard deviation of each parameter, infinite where it is left open."""
        return self.fit.deviations

    @property
    def covariance(self) -> Array:
        """(10, 10), of what is seen."""
        return self.fit.covariance

    @property
    def information(self) -> Array:
        """(10, 10), the inverse of the covariance: with the parameters all that a later `prior` needs."""
        return self.fit.information

    @property
    def rank(self) -> int:
        """How many independent combinations of the ten parameters are decided."""
        return self.fit.rank

    @property
    def condition(self) -> float:
        """The condition number of what is decided, with columns scaled to equal length: 1 is best."""
        return self.fit.condition

    @property
    def mass(self) -> float:
        return float(self.parameters[0])

    @property
    def com(self) -> Array:
        """The centre of mass in frame axes; NaN without mass."""
        return self.parameters[1:4] / self.mass if self.mass else np.full(3, np.nan)

    @property
    def inertia(self) -> Array:
        """(3, 3) about the centre of mass, in frame axes."""
        return _central(self.parameters)

    @cached_property
    def seen(self) -> tuple[str, ...]:
        """What the torques decide, with its value, one sentence each."""
        rows = zip(
            self.fit.seen, self.fit.seen @ self.parameters, self.fit.deviation(self.fit.seen), strict=True
        )
        return tuple(f"{_sum(w)} = {value:.6g} ± {spread:.2g}" for w, value, spread in rows)

    @cached_property
    def unseen(self) -> tuple[str, ...]:
        """What they leave open, one sentence each."""
        return tuple(_left_open(direction) for direction in self.fit.unseen)

    @cached_property
    def faults(self) -> tuple[str, ...]:
        """Why no body has these parameters, and by how much; empty if one may."""
        if self.mass < -ROUNDING and self.fit.decided[0]:
            return (f"the mass is {self.mass:.6g} ± {self.deviations[0]:.2g} kg; a mass is not negative.",)
        if self.mass <= ROUNDING or not self.fit.decided.all():
            return ()  # nothing is carried, or too little is known to judge
        slack, moments = _slack(self.parameters), vector(np.linalg.eigvalsh(self.inertia))
        if slack >= -ROUNDING * self.parameters.max():
            return ()
        spread = self.fit.deviation(_slope(_slack, self.parameters))
        return (
            f"the principal moments about the centre of mass are {moments} kg m²; in no body is one larger than the "
            f"sum of the other two. It is by {-slack:.3g} ± {spread:.2g}.",
        )

    @cached_property
    def impossible_by(self) -> float:
        """By how many standard deviations no body has these parameters: noise up to 3 or so, else a mistake."""
        if not self.faults:
            return 0.0
        if self.mass < 0:
            return -self.mass / float(self.deviations[0])
        return -_slack(self.parameters) / float(self.fit.deviation(_slope(_slack, self.parameters)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user must know, in sentences: what is left open, what no body can be, what was not measured."""
        spare = (
            "as many numbers as unknowns were read, which leaves none to tell the noise from; give noise=."
        )
        return (
            *self.unseen, *self.faults, *([spare] if np.isnan(self.fit.variance) else []), *self._unexplained(),
        )  # fmt: skip

    def _unexplained(self) -> list[str]:
        """What is said where the estimate leaves far more of the torques than the noise that was given."""
        residual = self.fit.residual
        if len(residual) < 2 * UNKNOWN or not self.fit.variance > 0:
            return []
        times = float(np.sqrt(residual @ residual / (len(residual) - self.rank) / self.fit.variance))
        if times <= UNEXPLAINED:
            return []
        return [
            f"what is left of the torques is {times:.3g} times the noise that was given: no payload explains them, "
            "and ± is too small. Check their units and signs, and friction and inertias of the robot itself."
        ]

    def __str__(self) -> str:
        head = (
            f"payload at {self.frame}: {self.rank} of {UNKNOWN} combinations decided by torques of "
            f"{', '.join(self.joints)}, condition {self.condition:.3g}"
        )
        spreads = zip(PARAMETERS, self.parameters, self.deviations, UNITS, strict=True)
        rows = [
            f"  {name:5s} {value: .6g} ± {spread:.2g} {unit}"
            if spread < np.inf
            else f"  {name:5s} left open"
            for name, value, spread, unit in spreads
        ]
        return "\n".join([head, *rows, *self.notes])


def identify_payload(
    robot: Robot, q: Any, qd: Any, qdd: Any, tau: Any, *, frame: str | None = None,
    joints: Sequence[str] | None = None, noise: Any = None, prior: Known | tuple[Any, Any] | None = None,
) -> Payload:  # fmt: skip
    """What a robot carries at a frame (the tip), from a motion and the torques (..., n) it took.

    ``robot`` is the arm as it is without the payload, friction and rotors included.
        joints      whose torques were read (names may use * and ?); all, if not given. Others in tau are ignored
        noise       the standard deviation of a torque: one number, one per joint (n,), or a covariance (..., n, n);
                    left open, one for all joints is taken from what the estimate leaves
        prior       what was known before: a `Payload`, a `PartlyKnown`, or ten parameters and ten deviations

    Noise counts as independent from row to row. An error of the accelerations counts as a torque M δ.
    """
    require_robot(robot)
    where, read = robot.moving_frame(frame), joint_rows(robot, joints)
    states = finite_states(robot, q, qd, qdd)
    measured = finite_torques(robot, tau, read, states)
    Y = payload_regressor(robot, *states, frame=where)[..., read, :]
    left = measured[..., read] - robot.inverse_dynamics(*states)[..., read]
    whiten = whitening(robot, noise, read)
    if whiten is not None and whiten.shape[:-2] not in ((), left.shape[:-1]):
        raise ShapeError(
            "noise", np.shape(noise), str((*left.shape[:-1], robot.nv, robot.nv)), "it is a covariance"
        )
    return identified(robot, where, read, [(Y, left, whiten)], prior=prior)


# Y (..., j, 10), torques (..., j), and what gives these unit noise (..., j, j), where that is known
Rows = tuple[Array, Array, "Array | None"]


def identified(
    robot: Robot,
    frame: str,
    read: Array,
    parts: Sequence[Rows],
    *,
    prior: Known | tuple[Any, Any] | None = None,
) -> Payload:
    """The payload behind torques of some joints, part by part, each with its own noise."""
    known = all(whiten is not None for _, _, whiten in parts)
    before = None if prior is None else _prior(prior)
    if before is not None and not known:
        raise ArgumentError("a prior is weighed against the noise of the torques; give noise=.")
    A = np.concatenate([(Y if w is None else w @ Y).reshape(-1, UNKNOWN) for Y, _, w in parts])
    y = np.concatenate(
        [(t if w is None else np.einsum("...ij,...j->...i", w, t)).ravel() for _, t, w in parts]
    )
    if len(A) < UNKNOWN and before is None:
        raise ArgumentError(
            f"{counted(len(A) // len(read), 'sample')} of {counted(len(read), 'joint')} are {len(A)} numbers for "
            f"{UNKNOWN} unknowns; give more samples, or a prior."
        )
    fit = least_squares(A, y, unit_noise=known, prior=before)
    left = np.concatenate([(t - Y @ fit.values).reshape(-1, len(read)) for Y, t, _ in parts])
    names = tuple(owners(robot)[k] for k in read)
    return Payload(frame, fit, np.sqrt(np.mean(left**2, axis=0)), tuple(dict.fromkeys(names)))


# -- what was known before --------------------------------------------------------------------------


def _prior(prior: Known | tuple[Any, Any]) -> tuple[Array, Array]:
    """Parameters and information of what was known before."""
    if not isinstance(prior, tuple | list):
        if not (hasattr(prior, "parameters") and hasattr(prior, "information")):
            raise ArgumentError(
                f"prior is a {type(prior).__name__}; expected a payload, or ten parameters and ten deviations."
            )
        if not np.isfinite(prior.information).all():
            raise ArgumentError(
                "the prior's uncertainty is not known; identify it with noise=, and give that."
            )
        return prior.parameters, prior.information
    if len(prior) != 2:
        raise ArgumentError(
            f"prior has {len(prior)} parts; expected ten parameters and their ten standard deviations."
        )
    values = finite_numbers("the prior's parameters", prior[0], UNKNOWN)
    spread = checked("the prior's deviations", prior[1], (UNKNOWN,), "there are ten parameters")
    if spread.ndim > 1 or not (spread > 0).all():
        raise ArgumentError(
            f"the prior's deviations are {vector(spread.ravel())}; a standard deviation is positive, and "
            "infinite where nothing is known."
        )
    return np.array(values), np.diag(1.0 / spread**2)


# -- physical consistency and words -------------------------------------------------------------------


def _central(parameters: Array) -> Array:
    """The inertia (3, 3) about the centre of mass."""
    m, c = parameters[0], parameters[1:4] / parameters[0] if parameters[0] else np.full(3, np.nan)
    xx, yy, zz, xy, xz, yz = parameters[4:]
    about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return about_origin - m * (c @ c * np.eye(3) - np.outer(c, c))


def _slack(parameters: Array) -> float:
    """By how much the largest principal moment is less than the sum of the others: in no body is it negative."""
    least, middle, most = np.linalg.eigvalsh(_central(parameters))
    return float(least + middle - most)


def _slope(function: Callable[[Array], float], at: Array) -> Array:
    """The derivative (k,) of a function of k numbers, by central differences."""
    steps = 1e-6 * np.abs(at).max() * np.eye(len(at))
    return np.array([(function(at + h) - function(at - h)) / (2 * h.max()) for h in steps])


def _sum(weights: Array) -> str:
    """A combination of parameters: m·cz + 0.263 m."""
    order = sorted(np.flatnonzero(weights), key=lambda k: (weights[k] != 1.0, k))
    text = ""
    for k in order:
        size = abs(weights[k])
        term = PARAMETERS[k] if size == 1.0 else f"{size:.6g} {PARAMETERS[k]}"
        sign = "−" if weights[k] < 0 else "+"
        text += f" {sign} {term}" if text else ("−" if weights[k] < 0 else "") + term
    return text


def _left_open(direction: Array) -> str:
    """A sentence about parameters that no torque tells apart."""
    touched = np.flatnonzero(direction)
    names = [PARAMETERS[k] for k in touched]
    if len(touched) == 1:
        return f"{names[0]} is not seen: no torque that was read depends on it."
    change = ", ".join(f"{PARAMETERS[k]} by {direction[k]:.6g}" for k in touched)
    place = direction[1:4]
    point = one_payload(1.0, place.tolist(), None, None)
    if direction[0] == 1.0 and np.abs(direction - point).max() <= PART * np.abs(direction).max():
        return (
            f"a point mass at {vector(place)} m is not seen: changing {change} together changes no torque that was "
            "read."
        )
    return (
        f"{names[0]} cannot be told from {', '.join(names[1:])}: changing {change} together changes no torque that "
        "was read."
    )
