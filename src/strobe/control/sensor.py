"""One kind of sensor at every joint: what it makes of the truth, over numbers.

    reading = range(resolution · ⌊(truth + noise) / resolution + ½⌋)        delay seconds ago

With ``bits`` there are 2^bits readings from the lower end of the range on, the next one being its upper end. A
reading that does not come (a sample that is dropped, a sensor that failed) is NaN.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked, one_or_each
from strobe.control.accelerometers import REACH, READINGS
from strobe.control.sample_rates import whole_steps
from strobe.errors import ArgumentError
from strobe.robot import Robot
from strobe.scalars import Num, Numbers, floor, maximum, minimum

Array = np.ndarray
QUANTITIES = ("position", "velocity", "acceleration")
OWN, DIFFERENCE, ACCELEROMETERS = "own", "difference", "accelerometers"
SOURCES = {
    "position": (OWN,),
    "velocity": (OWN, DIFFERENCE),
    "acceleration": (OWN, DIFFERENCE, ACCELEROMETERS),
}
MOST_BITS = 52  # of a number's own


@dataclass(frozen=True, eq=False)
class Sensor:
    """What a sensor is capable of; numbers may be given for every joint (nv,), and for every run (..., nv).

    ::

        resolution    rad, m, rad/s, …: readings are multiples of it
        bits          instead of a resolution: so many of them over the range, by default the limits of the robot
        range         (low, high), or one number for both sides of zero; readings stay within it
        noise         rms of white noise
        delay         seconds, whole control periods
        dropped       the part of all samples that do not come, or which (periods,) or (periods, nv) do not
        source        "own"; "difference" of what is said of the position (velocity) from period to period; for
                      accelerations also "accelerometers", a pair per joint whose readings in m/s² all this is about
        reach         metres between an accelerometer and the axis of its joint
    """

    resolution: Any = None
    bits: Any = None
    range: Any = None
    noise: Any = 0.0
    delay: float = 0.0
    dropped: Any = 0.0
    source: str = OWN
    reach: float = REACH

    def __post_init__(self) -> None:
        if self.resolution is not None and self.bits is not None:
            raise ArgumentError("resolution= and bits= both say how fine a sensor is; give one.")
        if self.bits is not None:
            _require("bits", self.bits, _whole_bits, f"whole numbers from 1 to {MOST_BITS}")
        if self.resolution is not None:
            _require("resolution", self.resolution, lambda x: x > 0, "finite numbers above zero")
        _require("noise", self.noise, lambda x: x >= 0, "finite numbers, 0 or more")
        _require("reach", self.reach, lambda x: x > 0, "a length above zero")
        if np.ndim(self.dropped) == 0 and not isinstance(self.dropped, bool):
            _require(
                "dropped", self.dropped, lambda x: (x >= 0) & (x <= 1), "a part from 0 to 1, or a mask"
            )
        elif np.asarray(self.dropped).dtype != bool or np.ndim(self.dropped) not in (1, 2):
            raise ArgumentError("dropped is no mask: expected truth values (periods,) or (periods, nv).")
        if self.range is not None:
            low, high = self._ends
            if not (np.isfinite(low) & np.isfinite(high) & (low < high)).all():
                raise ArgumentError(
                    f"range is {self.range}; expected finite numbers (low, high), the lower one first, or one above "
                    "zero for both sides."
                )

    @property
    def perfect(self) -> bool:
        """Whether it says the truth, at once and always."""
        return self.source == OWN and not (self.limited or self.noisy or self.delay or self.fails)

    @property
    def limited(self) -> bool:
        return self.quantised or self.range is not None

    @property
    def quantised(self) -> bool:
        return self.resolution is not None or self.bits is not None

    @property
    def noisy(self) -> bool:
        return bool(np.any(np.asarray(self.noise) != 0))

    @property
    def fails(self) -> bool:
        """Whether samples are dropped."""
        return bool(np.any(self.dropped))

    def smooth(self) -> Sensor:
        """The sensor with its delay and source alone, which a small deviation feels."""
        return Sensor(delay=self.delay, source=self.source, reach=self.reach)

    @property
    def _ends(self) -> tuple[Array, Array]:
        """The range's lower and upper end."""
        if np.ndim(self.range) == 0:
            return -_array("range", self.range), _array("range", self.range)
        if len(self.range) != 2:
            raise ArgumentError(f"range has {len(self.range)} parts; expected (low, high).")
        low, high = (_array("range", end) for end in self.range)
        return low, high


@dataclass(frozen=True, eq=False)
class Channel:
    """A sensor for one quantity of one robot."""

    quantity: str
    sensor: Sensor
    robot: Robot
    period: float
    watched: bool  # whether readings may be missing

    @cached_property
    def size(self) -> int:
        """Numbers of a reading; none of its own where differences are taken."""
        each = {OWN: 1, DIFFERENCE: 0, ACCELEROMETERS: READINGS}[self.sensor.source]
        return each * self.robot.nv

    @cached_property
    def periods_late(self) -> int:
        return whole_steps(f"the delay of the {self.quantity} sensor", self.sensor.delay, self.period)

    @property
    def disturbed(self) -> int:
        """Numbers from outside in a period: noise, or NaN where a reading does not come."""
        return self.size if self.sensor.noisy or self.watched else 0

    @property
    def on_its_way(self) -> str:
        return f"sensor {self.quantity} on its way"

    @cached_property
    def numbers(self) -> Mapping[str, Array]:
        """What may differ from run to run, each (..., size)."""
        found: dict[str, Array] = {}
        if self.sensor.limited and self.size:
            low, high = self._range
            if self.sensor.bits is not None:
                step = (high - low) / 2.0 ** self._each("bits", self.sensor.bits)
                high = high - step
                found |= {"resolution": step, "zero": low}
            elif self.sensor.resolution is not None:
                found["resolution"] = self._each("resolution", self.sensor.resolution)
            if np.isfinite(low).all() and np.isfinite(high).all():
                found |= {"low": low, "high": high}
        if self.sensor.noisy and self.size:
            found["noise"] = self._each("noise", self.sensor.noise)
        return {f"{self.quantity} {name}": value for name, value in found.items()}

    def read(self, truth: Numbers, disturbance: Numbers, numbers: Mapping[str, Numbers]) -> list[Num]:
        """The reading of a moment, over numbers."""
        said = list(truth)
        if disturbance:
            rms = numbers.get(f"{self.quantity} noise", [1.0] * len(said))
            said = [x + n * s for x, n, s in zip(said, disturbance, rms, strict=True)]
        if (steps := numbers.get(f"{self.quantity} resolution")) is not None:
            zero = numbers.get(f"{self.quantity} zero", [0.0] * len(said))
            rows = zip(said, steps, zero, strict=True)
            said = [floor((x - start) / step + 0.5) * step + start for x, step, start in rows]
        if (low := numbers.get(f"{self.quantity} low")) is not None:
            ends = zip(said, low, numbers[f"{self.quantity} high"], strict=True)
            said = [maximum(minimum(x, most), least) for x, least, most in ends]
        return said

    def delayed(self, reading: Numbers, on_its_way: Numbers) -> tuple[Numbers, Numbers]:
        """What arrives, and what is on its way then, the oldest first."""
        line = [*on_its_way, *reading]
        return line[: self.size], line[self.size :]

    @property
    def _range(self) -> tuple[Array, Array]:
        """Lower and upper end (..., size): as given, or the robot's limits where bits need a range."""
        if self.sensor.range is not None:
            low, high = (self._each("range", end) for end in self.sensor._ends)
            return low, high
        if self.sensor.bits is None:
            return np.full(self.size, -np.inf), np.full(self.size, np.inf)
        limits = self.robot.limits
        low, high = {
            "position": (limits.lower, limits.upper),
            "velocity": (-limits.velocity, limits.velocity),
            "acceleration": (-limits.acceleration, limits.acceleration),
        }[self.quantity]
        open_ended = np.flatnonzero(~np.isfinite(high - low))
        if self.sensor.source == ACCELEROMETERS or open_ended.size:
            who = (
                "accelerometers have no range of their own"
                if self.sensor.source == ACCELEROMETERS
                else f'joint "{self.robot.joint_names[open_ended[0]]}" has no limit to its {self.quantity}'
            )
            raise ArgumentError(f"bits= count the parts of a range, and {who}. Give range=(low, high).")
        return low, high

    def _each(self, name: str, value: Any) -> Array:
        """Numbers (..., size), from one for all or one for each joint."""
        nv = self.robot.nv
        found = one_or_each(name, value, nv, self.robot.shape_reason)
        found = np.full(nv, float(found)) if found.ndim == 0 else found
        return np.repeat(found, self.size // nv, axis=-1) if self.size > nv else found


def checked_source(quantity: str, sensor: Any) -> Sensor:
    """The sensor of a quantity, refused where it is none, or takes it from where it cannot come from."""
    if not isinstance(sensor, Sensor):
        raise ArgumentError(f"{quantity} is a {type(sensor).__name__}; expected a Sensor.")
    if sensor.source not in SOURCES[quantity]:
        known = ", ".join(f'"{each}"' for each in SOURCES[quantity])
        raise ArgumentError(f'the source of {quantity} is "{sensor.source}"; expected {known}.')
    if sensor.source == DIFFERENCE and not replace(sensor, source=OWN).perfect:
        raise ArgumentError(
            f"a {quantity} that is a difference has no resolution, range, noise, delay or faults of its own; give "
            "them to the sensor whose readings are differenced."
        )
    return sensor


def _whole_bits(bits: Array) -> Array:
    return (bits >= 1) & (bits <= MOST_BITS) & (bits == np.floor(bits))


def _require(name: str, value: Any, holds: Any, expected: str) -> None:
    numbers = _array(name, value)
    wrong = numbers[~(np.isfinite(numbers) & holds(numbers))]
    if wrong.size:
        raise ArgumentError(f"{name} is {wrong.flat[0]:g}; expected {expected}.")


def _array(name: str, value: Any) -> Array:
    return checked(name, value, (), "").astype(float)
