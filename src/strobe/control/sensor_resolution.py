"""How fine sensors must be, by arithmetic and by closed loops. [Waters1979]

Accelerations can be measured, or be differences of velocities, or second differences of positions, every T seconds.
A resolution A of accelerations is worth as much as V = A T of velocities and P = V T of positions:

    accelerometer   A                   noise  A/√12        at most  A/2
    tachometer      V = A T                    V/(√6 T)              V/T
    encoder         P = A T²                   P/(√2 T²)             2 P/T²

which over ranges 1, 1 and 3, with T = 10⁻³ and A = 10⁻², takes 7, 17 and 29 bits. `bits_needed` asks the loops
themselves: it runs one for every number of bits, side by side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from strobe.control.controller import Controller
from strobe.control.sensor import DIFFERENCE, QUANTITIES, Sensor
from strobe.control.sensors import Sensors
from strobe.control.tracking import control
from strobe.errors import ArgumentError
from strobe.robot import Robot, require_robot
from strobe.show.sheet import displayed
from strobe.trajectory.motion import Trajectory

Array = np.ndarray
SCHEMES = {"accelerometer": "acceleration", "tachometer": "velocity", "encoder": "position"}
"""What is measured, by the sensor's name; the rest is differences of it."""
BITS = tuple(range(2, 41))
ROOM = 1.5  # of what the motion takes: the range of a sensor
LEAST = 0.1  # rad, m, …: half of a range, where a joint hardly moves
DIGITS = 1e-9  # by which rounding may take the logarithm of a power of two over it


class Row(NamedTuple):
    """What one way to measure accelerations asks for."""

    scheme: str
    resolution: float  # of its own quantity
    bits: int  # over its range
    noise: float  # rms of the acceleration that it tells
    worst: float


def table(
    acceleration: float = 1e-2, period: float = 1e-3, ranges: Sequence[float] = (1.0, 1.0, 3.0),
    signed: bool = False,
) -> list[Row]:  # fmt: skip
    """The three ways to one resolution of accelerations; ranges are widths, ``signed`` those of magnitudes."""
    for name, value in {"acceleration": acceleration, "period": period, **dict(enumerate(ranges))}.items():
        if not 0 < value < math.inf:
            what = name if isinstance(name, str) else f"range {name + 1}"
            raise ArgumentError(f"{what} is {value:g}; expected a finite number above zero.")
    if len(ranges) != len(SCHEMES):
        raise ArgumentError(
            f"there are {len(ranges)} ranges; expected three: {', '.join(SCHEMES.values())}."
        )
    V, P = acceleration * period, acceleration * period**2
    rows = zip(
        SCHEMES,
        (acceleration, V, P),
        ranges,
        (acceleration / math.sqrt(12), V / (math.sqrt(6) * period), P / (math.sqrt(2) * period**2)),
        (acceleration / 2, V / period, 2 * P / period**2),
        strict=True,
    )
    more = {"accelerometer": signed, "tachometer": signed, "encoder": False}
    return [
        Row(scheme, step, math.ceil(math.log2(width / step) - DIGITS) + more[scheme], noise, worst)
        for scheme, step, width, noise, worst in rows
    ]


# -- closed loops ------------------------------------------------------------------------------------


@displayed
@dataclass(frozen=True, eq=False)
class Needed:
    """The fewest bits with which a scheme keeps an arm on its motion, and what every number of bits does."""

    scheme: str
    fewest: int | None  # None where no number of bits looked at suffices
    bits: Array  # (B,)
    errors: Array  # (B,) the largest error of any joint
    ranges: tuple[Array, Array]  # (nv,) lower and upper ends
    resolution: Array | None  # (nv,) of the fewest bits

    def __str__(self) -> str:
        if self.fewest is None:
            return f"{self.scheme}: {self.bits[-1]} bits do not suffice, the error is {self.errors[-1]:.3g}"
        return f"{self.scheme}: {self.fewest} bits"


def bits_needed(
    robot: Robot, motion: Trajectory, controller: Controller, error: float, *, bits: Sequence[int] = BITS,
    ranges: Mapping[str, Any] | None = None, **options: Any,
) -> dict[str, Needed]:  # fmt: skip
    """The fewest bits that keep every joint within ``error`` of a motion, for each way to measure.

    One quantity has so many bits over its range, and what comes after it is differences; what comes before it is
    known exactly. Ranges by quantity are given as to `Sensor`; unsaid, they are half as large again as the motion
    takes. Fewest means that as many bits and all larger numbers suffice. Options are those of `control`. A controller
    that does not use accelerations has no accelerometer to ask about.
    """
    require_robot(robot)
    if not 0 < error < math.inf:
        raise ArgumentError(f"error is {error:g}; expected a number above zero.")
    found: dict[str, Needed] = {}
    for scheme, quantity in SCHEMES.items():
        if quantity == "acceleration" and not controller.uses_acceleration:
            continue
        ends = (ranges or {}).get(quantity, _taken(motion, quantity))
        found[scheme] = _fewest(robot, motion, controller, error, scheme, bits, ends, options)
    return found


def _fewest(
    robot: Robot, motion: Trajectory, controller: Controller, error: float, scheme: str, bits: Sequence[int],
    ends: Any, options: Mapping[str, Any],
) -> Needed:  # fmt: skip
    each = np.unique(bits).astype(float)
    batch = np.broadcast_to(each[:, None], (len(each), robot.nv))
    sensor = Sensor(bits=batch, range=ends)
    run = control(
        robot, motion, controller, sensors=scheme_sensors(scheme, sensor), **{"check": False, **options}
    )
    errors = np.abs(run.error).reshape(-1, len(each), *run.error.shape[-2:]).max(axis=(0, 2, 3))
    errors = np.where(np.isnan(errors), np.inf, errors)
    enough = np.logical_and.accumulate((errors <= error)[::-1])[::-1]
    low, high = (np.broadcast_to(end, (robot.nv,)) for end in sensor._ends)
    first = int(enough.argmax())
    return Needed(
        scheme, int(each[first]) if enough.any() else None, each.astype(int), errors, (low, high),
        (high - low) / 2.0 ** each[first] if enough.any() else None,
    )  # fmt: skip


def scheme_sensors(scheme: str, sensor: Sensor) -> Sensors:
    """Sensors of which one measures, those after it take differences, and those before it say the truth."""
    if scheme not in SCHEMES:
        raise ArgumentError(f'"{scheme}" is no way to measure; expected {", ".join(SCHEMES)}.')
    place = QUANTITIES.index(SCHEMES[scheme])
    after = {name: Sensor(source=DIFFERENCE) for name in QUANTITIES[place + 1 :]}
    return _of({QUANTITIES[place]: sensor, **after})


def sensors_of(robot: Robot, **bits: int) -> Sensors:
    """Sensors with bits by quantity over the limits of every joint; what comes after one of them is differences."""
    for name in bits:
        if name not in QUANTITIES:
            raise ArgumentError(f'"{name}" is no sensor; expected {", ".join(QUANTITIES)}.')
    made: dict[str, Sensor] = {}
    for name in QUANTITIES:
        if name in bits:
            made[name] = Sensor(bits=bits[name], range=_limits(robot, name))
        elif made:
            made[name] = Sensor(source=DIFFERENCE)
    return _of(made)


def _of(sensors: Mapping[str, Sensor]) -> Sensors:
    """Sensors by quantity, perfect ones for those that are not there."""
    position, velocity, acceleration = (sensors.get(name, Sensor()) for name in QUANTITIES)
    return Sensors(position, velocity, acceleration)


def _limits(robot: Robot, quantity: str) -> Any:
    """A turn to either side where a position has no limits; elsewhere what `Sensor` finds itself."""
    limits = robot.limits
    if quantity != "position" or np.isfinite(limits.upper - limits.lower).all():
        return None
    return (
        np.where(np.isfinite(limits.lower), limits.lower, -2 * np.pi),
        np.where(np.isfinite(limits.upper), limits.upper, 2 * np.pi),
    )


def _taken(motion: Trajectory, quantity: str) -> tuple[Array, Array]:
    """A range with room around what a motion takes of a quantity."""
    least, largest, *_ = motion.extremes(QUANTITIES.index(quantity))
    if quantity != "position":
        largest = np.maximum(np.maximum(np.abs(least), np.abs(largest)), LEAST)
        return -ROOM * largest, ROOM * largest
    middle, half = (least + largest) / 2, np.maximum((largest - least) / 2, LEAST)
    return middle - ROOM * half, middle + ROOM * half
