"""Sensors on an arm, period by period, over numbers: what they say, and what a controller makes of it.

    readings      from the truth: noise, resolution, range, delay (`sensor`)                            physics
    conditioned   from readings: the last good one held, differences taken, failures noticed            computation

With readings x every T seconds, of which this one is n periods after the last good one, and that one n' after the
one before,

    v = (x − x_last) / (n T)                  a mean over the gap
    a = (v − v_last) / ((n + n')/2 T)         of such means, from middle to middle; of readings as above
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from strobe.approximate.method import in_system
from strobe.compiler.runtime.interpret import evaluate
from strobe.control import accelerometers
from strobe.control.controller import Kept, Layout, Measured
from strobe.control.controller_model import require_plain_joints
from strobe.control.sensor import ACCELEROMETERS, DIFFERENCE, OWN, QUANTITIES, Channel
from strobe.control.sensors import Sensors
from strobe.errors import ArgumentError
from strobe.robot import Robot
from strobe.scalars import Num, Numbers, absolute, less, maximum, where

Array = np.ndarray
STOPPED, SPAN = "sensor stopped", "sensor velocity span"
GOOD = 1e12  # a reading beyond this is none
MOST_BRAKED = 0.5  # of a speed in one period


class Heard(NamedTuple):
    """Readings of a sensor with the missing ones replaced."""

    said: list[Num]
    good: list[Num]  # 1 for every joint whose reading came; nothing at all where nobody watches
    gap: list[Num]  # periods since the last good one
    missed: list[Num]  # periods in a row without one


@dataclass(frozen=True, eq=False)
class Instruments:
    """Sensors on a plant, read every period by a controller that believes in a robot."""

    sensors: Sensors
    plant: Robot
    believed: Robot
    period: float
    accelerated: bool  # whether accelerations are asked for

    def __post_init__(self) -> None:
        if not self.sensors.perfect:
            require_plain_joints(
                self.plant, "a sensor with resolution, noise, delay, differences or faults"
            )
        if self.accelerated and self.sensors.acceleration.source == ACCELEROMETERS:
            for robot in (self.plant, self.believed):
                accelerometers.require_pairs(robot.model)
        for fault in self.sensors.faults:
            if fault.sensor == QUANTITIES[2] and not self.accelerated:
                raise ArgumentError(
                    "a fault of the acceleration sensor changes nothing: the controller measures no accelerations. "
                    "Leave the fault out."
                )
            if fault.joint is not None:
                self.plant.model.joint(fault.joint)

    @cached_property
    def channels(self) -> dict[str, Channel]:
        """The sensors that are read."""
        used = QUANTITIES if self.accelerated else QUANTITIES[:2]
        return {
            quantity: Channel(quantity, self.sensors[quantity], self.plant, self.period, self.watched)
            for quantity in used
            if self.sensors[quantity].source != DIFFERENCE
        }

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is said of sensors that nobody reads."""
        unread = self.sensors.acceleration
        if self.accelerated or unread.perfect or unread.source == DIFFERENCE:
            return ()
        return ("the controller measures no accelerations: their sensor is not read.",)

    @cached_property
    def watched(self) -> bool:
        return self.sensors.watched

    @property
    def feels_acceleration(self) -> bool:
        """Whether a sensor needs the arm's acceleration."""
        return "acceleration" in self.channels

    @property
    def braking(self) -> float:
        """1/s, in steps of a period."""
        return min(self.sensors.braking, MOST_BRAKED / self.period)

    @cached_property
    def numbers(self) -> Mapping[str, Array]:
        """What may differ from run to run, by name, each (..., size)."""
        return {name: x for channel in self.channels.values() for name, x in channel.numbers.items()}

    @cached_property
    def disturbed(self) -> Layout:
        """Where the numbers from outside are that a period takes: noise, or NaN for no reading."""
        return Layout({name: each.disturbed for name, each in self.channels.items() if each.disturbed})

    # -- memory -------------------------------------------------------------------------------------

    @cached_property
    def physical(self) -> dict[str, int]:
        """What readings are on their way, with sizes."""
        late = {each.on_its_way: each.size * each.periods_late for each in self.channels.values()}
        return {name: size for name, size in late.items() if size}

    @cached_property
    def computed(self) -> dict[str, int]:
        """What is kept to make something of readings, with sizes."""
        nv = self.plant.nv
        sizes = {
            _said(name): self.channels[name].size if name in self.channels else nv
            for name in QUANTITIES
            if self._remembers(name)
        }
        if self.watched:
            sizes |= {missed(name): nv for name in self.channels} | {STOPPED: 1}
            sizes |= {SPAN: nv} if self._twice else {}
        return sizes

    @property
    def memory(self) -> dict[str, int]:
        return self.physical | self.computed

    @property
    def _twice(self) -> bool:
        """Whether differences are taken of differences."""
        return self.accelerated and {"velocity", "acceleration"}.isdisjoint(self.channels)

    def _remembers(self, quantity: str) -> bool:
        if quantity == "acceleration":
            return self.accelerated and self.watched
        after = QUANTITIES[QUANTITIES.index(quantity) + 1]
        differenced = self.sensors[after].source == DIFFERENCE and (after == "velocity" or self.accelerated)
        return self.watched or differenced

    def begin(self, q: Numbers, qd: Numbers, numbers: Kept | None = None) -> dict[str, Numbers]:
        """Memory before the first period of an arm that came along steadily; ``numbers`` of sensors round it."""
        left: dict[str, Numbers] = {name: [0.0] * size for name, size in self.memory.items()}
        for name, channel in self.channels.items():
            ages = range(channel.periods_late + 1, 0, -1)
            oldest, *others = (self._past(channel, q, qd, age, numbers or {}) for age in ages)
            if others:
                left[channel.on_its_way] = [x for reading in others for x in reading]
            if _said(name) in left:
                left[_said(name)] = oldest
        if "velocity" not in self.channels and _said("velocity") in left:
            left[_said("velocity")] = list(qd)
        if SPAN in left:
            left[SPAN] = [1.0] * len(qd)
        return left

    def first(self, q: Array, qd: Array, numbers: Array) -> dict[str, Array]:
        """The same on arrays (N, …), for ``numbers`` as rows."""
        if not self.memory:
            return {}
        sizes = Layout({name: x.shape[-1] for name, x in self.numbers.items()})
        layout = Layout(self.memory)
        given = {"q": q, "qd": qd} | ({"numbers": numbers} if sizes.end else {})

        def begun(q: Numbers, qd: Numbers, numbers: Numbers = ()) -> list[Num]:
            return layout.joined(self.begin(q, qd, sizes.split(numbers)))

        found = evaluate(begun, given, (layout.end,))
        return {name: found[:, place] for name, place in layout.places.items()}

    def _past(self, channel: Channel, q: Numbers, qd: Numbers, age: int, numbers: Kept) -> list[Num]:
        """What a sensor said so many periods ago, noise aside."""
        before = [x - v * (age * self.period) for x, v in zip(q, qd, strict=True)]
        return channel.read(self._truth(channel, Measured(before, qd, [0.0] * len(qd))), (), numbers)

    # -- physics ------------------------------------------------------------------------------------

    def readings(
        self, truth: Measured, kept: Kept, noise: Numbers, numbers: Kept
    ) -> tuple[dict[str, Numbers], dict[str, Numbers]]:
        """What every sensor says, and what is on its way then."""
        disturbance = self.disturbed.split(noise)
        said: dict[str, Numbers] = {}
        on_their_way: dict[str, Numbers] = {}
        for name, channel in self.channels.items():
            said[name] = channel.read(self._truth(channel, truth), disturbance.get(name, ()), numbers)
            if channel.periods_late:
                line = channel.delayed(said[name], kept[channel.on_its_way])
                said[name], on_their_way[channel.on_its_way] = line
        return said, on_their_way

    def _truth(self, channel: Channel, truth: Measured) -> Numbers:
        if channel.sensor.source == OWN:
            return truth[QUANTITIES.index(channel.quantity)]
        model = in_system(self.plant.model, truth.q)
        return accelerometers.readings(model, *truth, channel.sensor.reach)

    # -- computation --------------------------------------------------------------------------------

    def conditioned(
        self, readings: Mapping[str, Numbers], kept: Kept
    ) -> tuple[Measured, dict[str, Numbers]]:
        """What the controller is told, and what is kept for the next period."""
        heard = {name: self._heard(name, reading, kept) for name, reading in readings.items()}
        stopped = self._stopped(heard, kept)
        position = heard["position"]
        velocity = heard.get("velocity") or self._difference("velocity", position, kept)
        q, qd = self._reckoned(position, velocity, stopped, kept)
        told = {"position": q, "velocity": qd}
        qdd: Sequence[Num] = [0.0] * self.plant.nv
        if self.accelerated:
            felt = heard.get("acceleration") or self._difference("acceleration", velocity, kept)
            told["acceleration"] = felt.said
            qdd = self._from_pairs(q, qd, felt.said)
        left: dict[str, Numbers] = {_said(name): x for name, x in told.items() if self._remembers(name)}
        if self.watched:
            left |= {missed(name): each.missed for name, each in heard.items()} | {STOPPED: [stopped]}
        if SPAN in self.computed:
            left[SPAN] = [
                where(g, n, m) for g, n, m in zip(velocity.good, velocity.gap, kept[SPAN], strict=True)
            ]
        return Measured(q, qd, qdd), left

    def _heard(self, name: str, reading: Numbers, kept: Kept) -> Heard:
        """The readings of a sensor, the last good one where there is none."""
        if not self.watched:
            return Heard(list(reading), [], [], [])
        nv = self.plant.nv
        each, before, stopped = len(reading) // nv, kept[missed(name)], kept[STOPPED][0]
        good: list[Num] = []
        for j in range(nv):
            came: Num = 1.0 - stopped * less(0.5, before[j])  # nobody listens to what has failed
            for x in reading[each * j : each * (j + 1)]:
                came = came * less(absolute(x), GOOD)
            good.append(came)
        last = kept[_said(name)]
        said = [where(good[k // each], x, last[k]) for k, x in enumerate(reading)]
        gap = [m + 1.0 for m in before]
        return Heard(said, good, gap, [where(g, 0.0, m) for g, m in zip(good, gap, strict=True)])

    def _difference(self, name: str, of: Heard, kept: Kept) -> Heard:
        """How fast something changes; it stays where nothing new is heard."""
        before = QUANTITIES[QUANTITIES.index(name) - 1]
        change = [x - y for x, y in zip(of.said, kept[_said(before)], strict=True)]
        if not self.watched:
            return of._replace(said=[x / self.period for x in change])
        means = name == "acceleration" and self._twice
        spans = [(n + m) * 0.5 for n, m in zip(of.gap, kept[SPAN], strict=True)] if means else of.gap
        rates = zip(of.good, change, spans, kept[_said(name)], strict=True)
        said = [where(g, x / (n * self.period), last) for g, x, n, last in rates]
        return of._replace(said=said)

    def _stopped(self, heard: Mapping[str, Heard], kept: Kept) -> Num:
        """1 from the period on in which a sensor is found to have failed."""
        if not self.watched:
            return 0.0
        stopped = kept[STOPPED][0]
        for each in heard.values():
            for m in each.missed:
                stopped = maximum(stopped, less(self.sensors.most_missing + 0.5, m))
        return stopped

    def _reckoned(
        self, position: Heard, velocity: Heard, stopped: Num, kept: Kept
    ) -> tuple[list[Num], list[Num]]:
        """Positions and velocities; those of an arm that brakes where nothing is heard of them any more."""
        if not self.watched:
            return position.said, velocity.said
        T, slower = self.period, 1.0 - self.braking * self.period
        q_last, v_last = kept[_said("position")], kept[_said("velocity")]
        q, qd = list(position.said), list(velocity.said)
        for j in range(self.plant.nv):
            deaf = stopped * (1.0 - velocity.good[j])
            qd[j] = where(deaf, v_last[j] * slower, qd[j])
            deaf = stopped * (1.0 - position.good[j])
            q[j] = where(deaf, q_last[j] + qd[j] * T, q[j])
        return q, qd

    def _from_pairs(self, q: Numbers, qd: Numbers, felt: Numbers) -> Numbers:
        if self.sensors.acceleration.source != ACCELEROMETERS:
            return felt
        model = in_system(self.believed.model, q)
        return accelerometers.accelerations(model, q, qd, felt, self.sensors.acceleration.reach)


def missed(quantity: str) -> str:
    """The memory that counts the periods without a reading, joint by joint."""
    return f"sensor {quantity} missed"


def _said(quantity: str) -> str:
    return f"sensor {quantity} said"
