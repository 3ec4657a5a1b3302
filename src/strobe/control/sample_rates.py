"""Rates that divide one another: the arm's steps a control period, control periods the steps of a trajectory."""

from __future__ import annotations

from math import ceil, floor
from typing import Any, NamedTuple

from strobe.errors import ArgumentError
from strobe.models.arguments import require_above, require_whole

RATE = 1000.0  # Hz, of a controller, unless something is said
HZ = "a number of Hz above zero"
WHOLE = 1e-9  # by which a ratio may miss a whole number
MOST_NUMBERS = 2**27  # that a loop keeps of its periods: a gibibyte


class Rates(NamedTuple):
    """How long a control period is, and what it is made of and makes."""

    period: float  # seconds
    steps: int | None  # of the arm in a period; None where nobody says
    hold: int  # periods for which what is wanted stays the same


def rates(
    control: float, plant: float | None = None, trajectory: float | None = None, steps: int | None = None
) -> Rates:
    """Rates in Hz, of the controller, the arm's integrator (or its ``steps`` in a period), and the trajectory."""
    require_above("rate", control, HZ)
    if steps is not None and plant is not None:
        raise ArgumentError("steps= and plant_rate= both say how the arm is integrated; give one.")
    found = steps if steps is None else require_whole("steps", steps, 1)
    if plant is not None:
        require_above("plant_rate", plant, HZ)
        found = _multiple("plant_rate", plant, control, lambda k: k * control, plant / control)
    hold = 1
    if trajectory is not None:
        require_above("trajectory_rate", trajectory, HZ)
        hold = _multiple(
            "trajectory_rate", trajectory, control, lambda k: control / k, control / trajectory
        )
    return Rates(1.0 / control, found, hold)


def periods(
    end: float, period: float, kept: int, instead: str = "Give a shorter t, or a lower rate."
) -> int:
    """How many periods a loop takes until an end, at least one; refused where too many numbers are kept of them."""
    number = max(1.0, ceil(min(end / period, MOST_NUMBERS) - WHOLE))
    if number * kept > MOST_NUMBERS:
        raise ArgumentError(
            f"{end:g} s in periods of {period:g} s are {end / period:.3g} rows of {kept} numbers, more than "
            f"{MOST_NUMBERS * 8 // 2**30} GiB. {instead}"
        )
    return int(number)


def whole_steps(name: str, value: float, step: float) -> int:
    """A time as a number of steps, or a refusal with the nearest ones."""
    require_above(name, value, "seconds, zero or more", or_zero=True)
    ratio = value / step
    if abs(ratio - round(ratio)) > WHOLE * (1 + ratio):
        nearest = " or ".join(f"{k * step:g}" for k in (floor(ratio), ceil(ratio)))
        raise ArgumentError(
            f"{name} is {value:g} s, no whole number of steps of {step:g} s; the nearest are {nearest} s."
        )
    return round(ratio)


def _multiple(name: str, value: float, control: float, rate: Any, ratio: float) -> int:
    """How often the slower of two rates goes into the faster; refused with the nearest rates that do so wholly."""
    if ratio >= 1 - WHOLE and abs(ratio - round(ratio)) <= WHOLE * ratio:
        return round(ratio)
    near = sorted({max(1, floor(ratio)), max(1, ceil(ratio))})
    found = " or ".join(f"{rate(k):.6g}" for k in near)
    relation = "a whole multiple of" if name == "plant_rate" else "a whole part of"
    raise ArgumentError(
        f"{name} is {value:g} Hz, not {relation} the controller's {control:g} Hz; the nearest: {found} Hz."
    )
