"""Robots drawn from what is known of one: each as likely as logs let it be, with bodies that can be.

    b = B π + F z                      z Gaussian, by seed and number of the robot alone
    Δπ = M⁻¹ Bᵀ (B M⁻¹ Bᵀ)⁻¹ F z       the least change of the bodies that makes these base parameters

M is the metric of pseudo-inertias, tr(P⁻¹ ΔP P⁻¹ ΔP): a change counts by how much of a body it is. Where the bodies
of such a robot cannot be, it is the nearest whose bodies can (`possible`), and that is told: logs alone allow more
than mechanics does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from strobe.errors import ArgumentError, UnsupportedModelError, counted
from strobe.identify.base_parameters import BaseParameters, base_parameters
from strobe.identify.identification import driven
from strobe.identify.possible import ENTRIES, Bounds, is_possible, nearest_possible, pseudo_inertia
from strobe.models.arguments import require_whole
from strobe.models.parameters import PER_BODY, drive_numbers
from strobe.models.uncertainty import Uncertainty
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, displayed

Array = np.ndarray

STREAM = 2**63  # of random numbers, apart from those of sweeps
CLOSE = 10.0  # how much closer than their deviation base parameters are kept where bodies are moved
SAME = 1e-6  # of a value: what it may have changed by since it was identified
DRIVES = ("Ir", "v", "c")


@displayed
@dataclass(frozen=True, eq=False)
class DrawnRobots:
    """Robots that might be the one."""

    robot: Robot
    seed: int
    parameters: Array  # (N, 10 · bodies)
    drives: Array  # (N, joints, 3): rotor, viscous and Coulomb friction
    moved: Array  # (N,): whether a robot is the nearest whose bodies can be

    def __len__(self) -> int:
        return len(self.parameters)

    def __getitem__(self, k: int) -> Robot:
        arm = self.robot.with_parameters(self.parameters[k])
        return arm.with_model(
            replace(driven(arm.model, self.drives[k].tolist()), uncertainty=None, golden=())
        )

    def __iter__(self) -> Iterator[Robot]:
        return (self[k] for k in range(len(self)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was moved, and what was not drawn."""
        known = self.robot.model.uncertainty
        count, said = int(self.moved.sum()), []
        if count:
            said.append(
                f"{count} of {counted(len(self), 'drawn robot')} would have bodies that cannot be; the nearest that "
                "can stand for them."
            )
        if known is not None and known.open:
            said.append(f"No log told {', '.join(known.open)}: they are as the robot has them.")
        return tuple(said)

    def _sheet(self) -> Sheet:
        return Sheet(
            f"{counted(len(self), 'robot')} drawn from what is known of {self.robot.name}", self.notes
        )


def drawn(robot: Robot, count: int, seed: int = 0) -> DrawnRobots:
    """As many robots as asked for from what was identified of one, which `strobe identify` writes into its file."""
    require_robot(robot)
    require_whole("count", count, 1)
    require_whole("seed", seed, 0)
    base, known = _known(robot)
    F = _factor(known)
    changes = _each(F, normals(seed, count, len(F)))
    parameters, moved = _bodies(robot, base, F[: base.count], changes[:, : base.count])
    return DrawnRobots(robot, seed, parameters, _drives(robot, known, changes[:, base.count :]), moved)


def _each(A: Array, rows: Array) -> Array:
    """A x for each row x by itself: a product of matrices has other last bits for another number of rows."""
    return np.array([A @ row for row in rows]).reshape(len(rows), len(A))


def normals(seed: int, count: int, size: int) -> Array:
    """Gaussian numbers (count, size); row k depends on the seed and k alone."""
    from scipy.special import ndtri

    bits = np.random.Philox(key=np.array([seed, STREAM], dtype=np.uint64))
    width = -(-size // 4) * 4
    raw = bits.random_raw(count * width).reshape(count, width)[:, :size]
    return ndtri(((raw >> np.uint64(12)) + 0.5) * 2.0**-52)


def _known(robot: Robot) -> tuple[BaseParameters, Uncertainty]:
    """What is known, refused where it is of another robot."""
    known = robot.model.uncertainty
    if known is None:
        raise ArgumentError(
            f"nothing says how well {robot.name} is known: write it with strobe identify ROBOT LOG -o arm.toml."
        )
    base = base_parameters(robot)
    names = tuple(base.parameter_names[k] for k in base.kept)
    values = np.array(known.values[: base.count])
    same = known.names[: base.count] == names
    if not same or (np.abs(base.values - values) > SAME * np.abs(values).max(initial=0.0)).any():
        raise UnsupportedModelError(
            f"{robot.name} is not as it was identified: its joints or bodies were changed since. Draw robots first, "
            "and change those."
        )
    return base, known


def _factor(known: Uncertainty) -> Array:
    F = np.zeros((len(known.names), len(known.names)))
    for k, row in enumerate(known.factor):
        F[k, : len(row)] = row
    return F


def _bodies(robot: Robot, base: BaseParameters, F: Array, changes: Array) -> tuple[Array, Array]:
    """Parameters (N, 10 · bodies) with changes of the base parameters, and which were moved."""
    own = np.array(robot.parameters)
    prior = own.reshape(-1, PER_BODY)
    if not is_possible(own):
        raise UnsupportedModelError(
            f"{robot.name} has bodies that cannot be; robots are drawn about one whose bodies can."
        )
    inverse = _inverse_metric(prior)
    B = base.map
    right = inverse @ B.T @ np.linalg.pinv(B @ inverse @ B.T, hermitian=True)
    found = own + _each(right, changes)
    moved = np.array([not is_possible(each) for each in found])
    whitened = CLOSE * np.linalg.pinv(F) @ B
    bounds = Bounds(np.zeros((0, len(own))), np.zeros(0))
    for k in np.flatnonzero(moved):
        found[k] = nearest_possible(whitened, whitened @ found[k], prior, bounds, own).values
    return found, moved


def _inverse_metric(prior: Array) -> Array:
    """Of every body the inverse of tr(P⁻¹ E_k P⁻¹ E_l), side by side."""
    along = np.einsum("bij,kjl->bkil", np.linalg.inv(pseudo_inertia(prior)), ENTRIES)
    metric = np.einsum("bkij,blji->bkl", along, along)
    whole = np.zeros((prior.size, prior.size))
    for b, each in enumerate(metric):
        place = slice(PER_BODY * b, PER_BODY * (b + 1))
        whole[place, place] = np.linalg.inv(each)
    return whole


def _drives(robot: Robot, known: Uncertainty, changes: Array) -> Array:
    """Rotor, viscous and Coulomb friction (N, joints, 3), none that gives energy."""
    given = np.array(drive_numbers(robot.model)).reshape(-1, 4)[:, :3]
    found = np.tile(given, (len(changes), 1, 1))
    names = known.names[len(known.names) - changes.shape[1] :]
    for name, change in zip(names, changes.T, strict=True):
        letters, joint = name.rstrip("0123456789"), name.lstrip("".join(DRIVES))
        found[:, int(joint) - 1, DRIVES.index(letters)] += change
    return np.maximum(found, 0.0)


# -- from logs --------------------------------------------------------------------------------------


def uncertainty_of(
    base: BaseParameters, values: Array, symbols: tuple[str, ...], drives: Array, covariance: Array, deviations: Array
) -> Uncertainty:  # fmt: skip
    """What logs told: of base parameters with their values, and of the friction of each joint with its drives.

    Friction beyond what drives have is left out; of presliding the sum is Coulomb friction.
    """
    count, own, joints = base.count, len(symbols), len(drives)
    names = [base.parameter_names[k] for k in base.kept]
    rows, numbers = [*np.eye(count, len(covariance))], [*values]
    for j in range(joints):
        for k, letters in enumerate(DRIVES):
            row = np.zeros(len(covariance))
            first = count + j * own
            row[first : first + own] = [_drive_of(symbol) == letters for symbol in symbols]
            if row.any() and (deviations[row > 0] > 0).all():  # a rotor may be part of a base parameter
                names.append(f"{letters}{j + 1}")
                rows.append(row)
                numbers.append(drives[j, k])
    A = np.array(rows)
    left = np.array([np.isinf(deviations[row != 0]).any() for row in A])
    A[left] = 0.0
    w, V = np.linalg.eigh(A @ covariance @ A.T)
    F = np.asarray(np.linalg.qr((V * np.sqrt(np.maximum(w, 0.0))).T, mode="r")).T
    F = F * np.where(np.diag(F) < 0, -1.0, 1.0)
    factor = tuple(tuple(float(f"{x:.9g}") for x in row[: k + 1]) for k, row in enumerate(F))
    open_ = tuple(name for name, is_open in zip(names, left, strict=True) if is_open)
    return Uncertainty(tuple(names), tuple(float(x) for x in numbers), factor, open_)


def _drive_of(symbol: str) -> str:
    """Which number of a drive a coefficient of friction is part of."""
    return {"Ia": "Ir", "v": "v", "c": "c", "c1": "c", "c2": "c", "c3": "c"}.get(symbol, "")
