"""What a controller gets to know of the arm: a sensor each for positions, velocities and accelerations.

    Sensors(position=Sensor(bits=16), velocity=Sensor(source="difference"))

A reading that does not come, or is no number, is not passed on: the last good one stands for it, for ``patience``
periods in a row. Then the sensor has failed, nobody listens to it again, and the arm is braked:

    tau = M (−braking · v) + C v + g        the weight is carried, speeds die at the rate ``braking`` or faster

with what is known of q and v. A joint without readings is reckoned to brake as it is told to; of an arm that hears
nothing of itself any more, that is a hope.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isfinite

from strobe import renamed
from strobe.control.sensor import DIFFERENCE, QUANTITIES, Sensor, checked_source
from strobe.errors import ArgumentError
from strobe.models.arguments import require_whole

PATIENCE = 10  # periods
BRAKING = 20.0  # 1/s


@dataclass(frozen=True)
class SensorFault:
    """A sensor that says nothing (NaN) from one time on, perhaps until another: of one joint, or of all."""

    sensor: str
    joint: str | None = None
    at: float = 0.0
    until: float = inf

    def __post_init__(self) -> None:
        if self.sensor not in QUANTITIES:
            raise ArgumentError(f'"{self.sensor}" is no sensor; expected {", ".join(QUANTITIES)}.')
        if not (isfinite(self.at) and self.until > self.at):
            raise ArgumentError(
                f"a fault from {self.at:g} s until {self.until:g} s; expected a time before another."
            )


@dataclass(frozen=True, eq=False)
class Sensors:
    """Perfect ones, where nothing else is said.

    ::

        faults      readings that do not come
        patience    periods in a row for which the last good reading may stand; 10 where readings may be missing,
                    and nothing is watched where none can be
        braking     1/s: how fast speeds die when a sensor has failed
        seed        of noise and of dropped samples, which differ from run to run
    """

    position: Sensor = field(default_factory=Sensor)
    velocity: Sensor = field(default_factory=Sensor)
    acceleration: Sensor = field(default_factory=Sensor)
    faults: Sequence[SensorFault] = ()
    patience: int | None = None
    braking: float = BRAKING
    seed: int = 0

    def __post_init__(self) -> None:
        for quantity in QUANTITIES:
            checked_source(quantity, self[quantity])
        for fault in self.faults:
            if self[fault.sensor].source == DIFFERENCE:
                raise ArgumentError(
                    f"the {fault.sensor} is a difference; what can fail is the sensor that it is of."
                )
        require_whole("seed", self.seed, 0)
        if self.patience is not None:
            require_whole("patience", self.patience, 0)
        if not 0 < self.braking < inf:
            raise ArgumentError(f"braking is {self.braking:g}; expected a rate above zero, in 1/s.")

    def __getitem__(self, quantity: str) -> Sensor:
        return getattr(self, quantity)

    @property
    def perfect(self) -> bool:
        """Whether they say the truth, at once and always."""
        return not self.watched and all(self[quantity].perfect for quantity in QUANTITIES)

    @property
    def watched(self) -> bool:
        """Whether readings may be missing."""
        return (
            self.patience is not None or bool(self.faults) or any(self[each].fails for each in QUANTITIES)
        )

    @property
    def most_missing(self) -> int:
        """Periods in a row without a reading that are put up with."""
        return PATIENCE if self.patience is None else self.patience

    def smooth(self) -> Sensors:
        """Without resolution, range, noise and faults: what a small deviation feels of them."""
        if self.perfect:
            return self
        return Sensors(self.position.smooth(), self.velocity.smooth(), self.acceleration.smooth())


PERFECT = Sensors()
"""What a loop has of which nothing is said."""

renamed.answer(__name__)
