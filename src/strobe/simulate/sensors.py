"""What sensors would have recorded of a run: positions in steps, efforts with noise, and later than positions.

q ← step · round(q / step)        qd by differences of that        tau(t) ← tau(t − delay) + noise · z,  z normal
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from strobe.errors import ArgumentError, nearest
from strobe.models.arguments import finite_numbers
from strobe.simulate.run import Run

Array = np.ndarray

NAMES = ("noise", "step", "delay", "seed")


@dataclass(frozen=True, slots=True)
class Sensors:
    """Noise of efforts (N m or N, a standard deviation), steps of positions (rad or m), delay of efforts (s)."""

    noise: float = 0.0
    step: float = 0.0
    delay: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("noise", "step", "delay"):
            (value,) = finite_numbers(f"sensors: {name}", [getattr(self, name)], 1)
            if value < 0:
                raise ArgumentError(
                    f"sensors: {name} is {value:g}; expected a number that is not negative."
                )

    def sensed(self, run: Run) -> Run:
        """The run as it would have been recorded; its books stay those of what was."""
        return replace(run, **self.seen(run.times, run.q, run.qd, run.tau), checkpoint=None)

    def seen(self, times: Array, q: Array, qd: Array, tau: Array) -> dict[str, Array]:
        """Positions, velocities and efforts (..., T, ·) as they would have been recorded."""
        rng = np.random.default_rng(self.seed)
        if self.step:
            q = np.round(q / self.step) * self.step
            if q.shape == qd.shape and len(times) > 1:
                qd = np.gradient(q, times, axis=-2)
        return {
            "q": q,
            "qd": qd,
            "tau": _later(times, tau, self.delay) + rng.normal(size=tau.shape) * self.noise,
        }


def sensors(text: str) -> Sensors:
    """Sensors as a command line says them: noise=0.2,step=2e-5,delay=0.004."""
    found: dict[str, float] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in item.partition("="))
        if name not in NAMES or not equals:
            raise ArgumentError(
                f'sensors: "{item}" says nothing of them.{nearest(name, NAMES)} Expected noise=, step=, delay= or '
                "seed=."
            )
        found[name] = finite_numbers(f"sensors: {name}", [value], 1)[0]
    seed = int(found.pop("seed", 0))
    return Sensors(**found, seed=abs(seed))


def _later(times: Array, tau: Array, delay: float) -> Array:
    if not delay or len(times) < 2:
        return tau
    flat = tau.reshape(-1, len(times), tau.shape[-1])
    moved = [np.column_stack([np.interp(times - delay, times, x) for x in each.T]) for each in flat]
    return np.array(moved).reshape(tau.shape)
