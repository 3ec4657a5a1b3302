"""A watch on what an arm carries: it notices from the torques that the payload is not what it was.

While nothing changes, what torques leave over the model, r = tau − tau_model(q, qd, qdd), is noise. After a change it
is Y π + noise, π the mass and first moments of what came or went. Over a window of samples, scaled to unit noise,

    A = Σ YᵀY,    b = Σ Yᵀr,    S = bᵀA⁺b

S is what r loses in squared length when the best π is taken out; without a change it is χ² distributed with rank A
degrees of freedom, whatever the motion. Windows of 1, 2, 4, … samples, and that of all so far, end at every sample: a
great change is noticed after a few, a small one after many. If each of W windows is tested at the level p/W, the
chance of an alarm at a sample is at most p, and within N samples at most N p, however the windows overlap.

Friction that the model does not know is no noise. With ``unknown_friction``, r = F f + Y π + noise: f, the dry and
viscous friction of every joint, over all samples so far, π over the window only, and a joint at rest says nothing.
With f taken out S is χ² distributed again: constant friction raises no alarm, and a change shows by what it adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2

from strobe.approximate.method import require_open_dynamics
from strobe.errors import ArgumentError, shown
from strobe.identify.payload_readings import finite_states, finite_torques, joint_rows, whitening
from strobe.identify.payload_regressor import payload_regressor
from strobe.models.arguments import finite_numbers
from strobe.quantities.drives import COULOMB_SPEED
from strobe.robot import Robot
from strobe.show.sheet import displayed

Array = np.ndarray
FELT = 4  # mass and first moments: what gravity feels, and at the speeds of arms nearly all that matters
LEAST = 1e-8  # of A, relative: squares of singular values that are rounding


@displayed
@dataclass(frozen=True, eq=False)
class Watch:
    """What a monitor has found so far."""

    alarms: Array  # (samples of this call,), whether each raised an alarm
    sample: int | None  # the first that did, counted from the last reset; None if none has
    since: int | None  # the sample at which the change is taken to have come
    # (4,), the change of mass and first moments in frame axes since then; NaN before an alarm
    moments: Array
    deviations: Array  # (4,), its standard deviations, infinite where the motion left it open

    @property
    def changed(self) -> bool:
        return self.sample is not None

    @property
    def mass(self) -> float:
        """How much came (or, negative, went), kg."""
        return float(self.moments[0])

    @property
    def mass_deviation(self) -> float:
        return float(self.deviations[0])

    def __str__(self) -> str:
        if not self.changed:
            return "the payload has not changed"
        if np.isinf(self.mass_deviation):
            by = "; the motion so far does not tell by how much"
        else:
            by = f", by {self.mass:.3g} ± {self.mass_deviation:.1g} kg"
        return f"noticed at sample {self.sample}: the payload changed at about sample {self.since}{by}"


class PayloadMonitor:
    """Watches torques for a change of payload.

        robot             the arm with what it carries now
        noise             the standard deviation of a torque reading: one number, one per joint (n,), or a covariance
        false_alarms      at most so many per sample, on average, while nothing changes
        window            the longest number of samples looked back, a power of two, short of all
        unknown_friction  whether friction is unknown rather than what the model says

    Noise counts as independent from sample to sample; readings that a filter has smoothed are fewer than they seem.
    """

    def __init__(
        self, robot: Robot, noise: Any, *, frame: str | None = None, joints: Sequence[str] | None = None,
        false_alarms: float = 1e-6, window: int = 256, unknown_friction: bool = False,
    ) -> None:  # fmt: skip
        require_open_dynamics(robot)
        self.robot, self.frame, self._read = robot, robot.moving_frame(frame), joint_rows(robot, joints)
        whiten = whitening(robot, noise, self._read)
        if whiten is None:
            raise ArgumentError(
                "noise is None; a change is told from noise by how large noise is: give it."
            )
        if whiten.ndim > 2:
            raise ArgumentError("noise is a covariance for every sample; give one for all.")
        if unknown_friction and np.any(whiten != np.diag(np.diag(whiten))):
            raise ArgumentError(
                "unknown_friction needs noise that is independent from joint to joint; give (n,)."
            )
        (rate,) = finite_numbers("false_alarms", false_alarms, 1)
        if not 0 < rate < 1:
            raise ArgumentError(
                f"false_alarms is {rate:g}; expected a chance per sample, more than 0 and less than 1."
            )
        if not isinstance(window, int | np.integer) or window < 1 or window & (window - 1):
            raise ArgumentError(f"window is {shown(window)}; expected a power of two: 1, 2, 4, ….")
        self._whiten, self._free = whiten, bool(unknown_friction)
        self.windows = tuple(1 << k for k in range(int(window).bit_length()))
        levels = chi2.isf(rate / (len(self.windows) + 1), np.arange(1, FELT + 1))
        self._thresholds = np.array([np.inf, *levels])  # by rank
        self.reset()

    def reset(self, robot: Robot | None = None) -> None:
        """Begin anew; with another robot, one that carries what was found, if one is given."""
        if robot is not None and (robot.joint_names != self.robot.joint_names):
            raise ArgumentError(
                f"the new robot has joints {', '.join(robot.joint_names)}; the one that was watched has "
                f"{', '.join(self.robot.joint_names)}."
            )
        self.robot = self.robot if robot is None else robot
        self._seen = 0  # samples
        self._recent = np.empty((0, *self._block))  # products of as many samples as the longest window
        self._total = np.zeros(self._block)  # of all products
        self._sample: int | None = None
        self._since: int | None = None
        self._sum = np.zeros(self._block)  # of products since the change

    def update(self, q: Any, qd: Any, qdd: Any, tau: Any) -> Watch:
        """Take samples in order of time, one (n,) or many (N, n), and say what is found."""
        states = finite_states(self.robot, q, qd, qdd)
        measured = finite_torques(self.robot, tau, self._read, states)
        if states[0].ndim > 2:
            raise ArgumentError(
                f"q has shape {states[0].shape}; samples follow one another: (N, {self.robot.nq})."
            )
        rows = [np.atleast_2d(x) for x in (*states, measured)]
        parts = [self._take(products) for products in self._chunks(*rows)]
        alarms = np.concatenate([np.empty(0, dtype=bool), *parts])
        if self._sample is None:
            moments, deviations = np.full(FELT, np.nan), np.full(FELT, np.inf)
        else:
            moments, deviations = _estimate(_friction_of(self._sum, self._total))
        return Watch(alarms, self._sample, self._since, moments, deviations)

    # -- sums ---------------------------------------------------------------------------------------

    @property
    def _block(self) -> tuple[int, int, int]:
        """The shape of a sample's products: of [Y, r] over all joints, or of [Y, r, friction] joint by joint."""
        return (len(self._read), FELT + 3, FELT + 3) if self._free else (1, FELT + 1, FELT + 1)

    def _chunks(self, q: Array, qd: Array, qdd: Array, tau: Array) -> Iterator[Array]:
        """The products of samples, as many at a time as the longest window."""
        for a in range(0, len(q), self.windows[-1]):
            here = slice(a, a + self.windows[-1])
            state = q[here], qd[here], qdd[here]
            Y = payload_regressor(self.robot, *state, self.frame)[:, self._read, :FELT]
            r = (tau[here] - self.robot.inverse_dynamics(*state))[:, self._read, None]
            rows = self._whiten @ np.concatenate([Y, r], axis=-1)
            if self._free:
                rates = qd[here][:, self._read]
                friction = self._whiten @ np.stack([np.sign(rates), rates], axis=-1)
                moving = np.abs(rates) > COULOMB_SPEED  # at rest, friction holds whatever it must
                rows = np.concatenate([rows, friction], axis=-1) * moving[..., None]
                yield np.einsum("sji,sjk->sjik", rows, rows)
            else:
                yield np.einsum("sji,sjk->sik", rows, rows)[:, None]

    def _take(self, products: Array) -> Array:
        """The alarms of some samples, by all windows that end at each."""
        known, new = len(self._recent), len(products)
        every = np.concatenate([self._recent, products])
        sums = np.concatenate([np.zeros((1, *self._block)), np.cumsum(every, axis=0)])
        ends = known + 1 + np.arange(new)
        so_far = self._total + np.cumsum(products, axis=0)
        windows = [sums[ends] - sums[np.maximum(ends - width, 0)] for width in self.windows]
        S, rank = _lost(_friction_of(np.stack([*windows, so_far]), so_far))
        full = ends >= np.array([*self.windows, 1])[:, None]
        excess = np.where(full, S - self._thresholds[rank], -np.inf)
        alarms = excess.max(axis=0) > 0
        if self._sample is not None:
            self._sum = self._sum + products.sum(axis=0)
        elif alarms.any():
            first = int(np.argmax(alarms))
            self._begin(first, int(np.argmax(excess[:, first])), every, so_far[-1])
        self._seen, self._total = self._seen + new, so_far[-1]
        self._recent = every[max(known + new - self.windows[-1], 0) :]
        return alarms

    def _begin(self, first: int, window: int, every: Array, total: Array) -> None:
        """Take the alarm that a window raised at one of the new samples as the news of a change."""
        self._sample = self._seen + first
        if window == len(self.windows):
            self._since, self._sum = 0, total
            return
        width = self.windows[window]
        self._since = self._sample - width + 1
        self._sum = every[len(self._recent) + first - width + 1 :].sum(axis=0)


def _friction_of(window: Array, so_far: Array) -> Array:
    """The products of a window, with what tells friction taken from all samples."""
    mixed = window.copy()
    mixed[..., FELT:, FELT + 1 :] = so_far[..., FELT:, FELT + 1 :]
    return mixed


def _lost(products: Array) -> tuple[Array, Array]:
    """S and the rank of A for sums (N, j, ·, ·) of products."""
    values, beta = _parted(products)[:2]
    kept = values > LEAST
    parts = np.divide(beta**2, values, out=np.zeros_like(beta), where=kept)
    return parts.sum(axis=-1), kept.sum(axis=-1)


def _estimate(products: Array) -> tuple[Array, Array]:
    """The change (4,) behind sums of products, and its standard deviations."""
    values, beta, V, scale = (x[0] for x in _parted(products[None]))
    kept = values > LEAST
    spread = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
    open_ = np.any(np.abs(V[:, ~kept]) > np.sqrt(LEAST), axis=1)
    deviations = np.sqrt((V**2) @ spread) / scale
    return V @ (beta * spread) / scale, np.where(open_, np.inf, deviations)


def _parted(products: Array) -> tuple[Array, Array, Array, Array]:
    """Eigenvalues of A, with b along its eigenvectors, these, and the scale that gives A a unit diagonal."""
    scale = np.sqrt(np.einsum("...jii->...i", products[..., :FELT, :FELT]))
    scale = np.where(scale > 0, scale, 1.0)
    A, b = _without_friction(products)
    values, V = np.linalg.eigh(A / (scale[..., :, None] * scale[..., None, :]))
    return values, np.einsum("...ik,...i->...k", V, b / scale), V, scale


def _without_friction(products: Array) -> tuple[Array, Array]:
    """A and b, with whatever looks like friction of a joint taken out of its rows."""
    if products.shape[-1] > FELT + 1:
        mixed, own = products[..., : FELT + 1, FELT + 1 :], products[..., FELT + 1 :, FELT + 1 :]
        inverse = np.linalg.pinv(own, rcond=LEAST, hermitian=True)
        products = products[..., : FELT + 1, : FELT + 1] - mixed @ inverse @ np.swapaxes(mixed, -1, -2)
    total = products.sum(axis=-3)
    return total[..., :FELT, :FELT], total[..., :FELT, FELT]
