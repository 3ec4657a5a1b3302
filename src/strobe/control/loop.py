"""The closed loop as a recurrence: sense, compute, then so many steps of the arm under the torque that is held.

    state = plant state, torque held, memory of sensors, memory of the controller

One round is one control period of ``steps`` plant steps. The torque computed from what was measured at the beginning
of a period acts ``late`` steps later; until then the one before it does. All of it is one compiled loop for many
arms side by side.

A loop without a period (``continuous``) is what a controller is designed as: its torque follows the state through the
stages of the integrator. It has no memory, no sensors and no delay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from strobe.compiler.graph.recurrence import STATE, Call, Recurrence, Signal, sample
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.marching import Marching
from strobe.compiler.runtime.traced import trace
from strobe.control.controller import Controller, Kept, Layout, Measured, Wanted
from strobe.control.instruments import STOPPED, Instruments
from strobe.control.sensors import Sensors
from strobe.errors import ArgumentError
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.robot.recent import Recent
from strobe.scalars import Num, Numbers, where
from strobe.simulate.equations_of_motion import RateRequest
from strobe.simulate.integrators import Integrator, Parts, one_step, parts

Array = np.ndarray
HELD = "held torque"
READ, SENSED, CONTROL, RATES, NEXT = "read", "sensed", "control", "rates", "next"
REFERENCE, NOISE, GAINS, SENSING = "reference", "noise", "gains", "sensing"


@dataclass(frozen=True, eq=False)
class Loop:
    """A controller and an arm that need not be what it believes."""

    plant: Robot
    rate: RateRequest  # what acts on the arm, its torque an input
    method: Integrator
    controller: Controller
    sensors: Sensors
    steps: int  # of the arm in a period
    late: int = 0  # steps before a torque acts
    continuous: bool = False  # then a round is one step of the arm

    def __post_init__(self) -> None:
        if not isinstance(self.sensors, Sensors):
            raise ArgumentError(
                f"sensors is a {type(self.sensors).__name__}; expected Sensors(position=…)."
            )
        if self.continuous and (self.controller.memory or self.controller.uses_acceleration):
            why = "keeps numbers" if self.controller.memory else "measures accelerations"
            raise ArgumentError(
                f"{self.controller.name} {why} from period to period; a continuous loop has none. "
                "Leave out continuous."
            )
        if self.continuous and not self.sensors.perfect:
            raise ArgumentError(
                "sensors are read once a period; a continuous loop has none. Leave out sensors or continuous."
            )
        if self.late > self.steps:
            times = self.late / self.steps
            raise ArgumentError(
                f"the delay is {times:g} periods; a torque acts within one period at the latest."
            )

    @cached_property
    def parts(self) -> Parts:
        return parts(self.plant.model, self.rate.limited)

    @cached_property
    def layout(self) -> Layout:
        """Where what lives beside the arm's own state lies in the state."""
        if self.continuous:
            return Layout({}, self.parts.size)
        sizes = {HELD: self.plant.nv, **self.instruments.memory}
        sizes |= {f"memory {name}": size for name, size in self.controller.memory.items()}
        return Layout(sizes, self.parts.size)

    @property
    def remembered(self) -> dict[str, slice]:
        """Where the controller's memory lies in the state, by name."""
        return {name: self.layout.places[f"memory {name}"] for name in self.controller.memory}

    @cached_property
    def gains(self) -> Layout:
        return Layout({name: x.shape[-1] for name, x in self.controller.gains.items()} or {"none": 1})

    @cached_property
    def instruments(self) -> Instruments:
        """The sensors on this arm."""
        controller = self.controller
        return Instruments(
            self.sensors, self.plant, controller.robot, controller.period, controller.uses_acceleration
        )

    @cached_property
    def sensing(self) -> Layout:
        """Where the numbers of sensors lie that may differ from run to run."""
        return Layout({name: x.shape[-1] for name, x in self.instruments.numbers.items()})

    def first(self, q: Array, qd: Array, sensing: Array) -> Array:
        """All that lives beside the arm's own state (N, …) before the first round."""
        if self.continuous:
            return np.empty((len(q), 0))
        parts = {HELD: self.plant.gravity(q), **self.instruments.first(q, qd, sensing)}  # it was held still
        parts |= {f"memory {name}": x for name, x in self.controller.first(q, qd).items()}
        found = np.zeros((len(q), self.layout.end))
        for name, x in parts.items():
            found[:, self.layout.places[name]] = x
        return found[:, self.layout.start :]

    @cached_property
    def verdicts(self) -> Recent:
        """What was found of its stability, by the numbers that decide it."""
        return Recent(16)

    @cached_property
    def marching(self) -> Marching:
        return Marching(self.plant.model, self.kernels, self.recurrence, self.plant.device)

    # -- the programs of a round --------------------------------------------------------------------

    @cached_property
    def kernels(self) -> dict[str, Kernel]:
        size, nv = self.layout.end, self.plant.nv
        seen = {"rates": self.parts.integrated} if self.sensed_acceleration else {}
        seen |= {"noise": self._noise} if self._noise else {}
        seen |= {"sensing": self.sensing.end} if self.sensing.end else {}
        step = {name: self.plant.kernel(request) for name, request in self._step[0].items()}
        if self.continuous:
            moving = self.parts.moving
            sizes = {"x": moving, "reference": moving + self.plant.nv, "gains": self.gains.end}
            return step | {"law": trace(self._law, **sizes)}
        return step | {
            "held": trace(self._held, state=size),
            "read": trace(self._read, state=size, **seen),
            "sense": self.sense_program,
            "control": self.control_program,
            "join": trace(self._join, state=self.parts.size, control=nv + self._kept),
        }

    @cached_property
    def sense_program(self) -> Kernel:
        """From readings, and what is on its way, to what the controller is told and what sensors keep."""
        read = self.readings.end + sum(self.instruments.physical.values())
        return trace(self._sense, read=read, state=self.layout.end)

    @cached_property
    def control_program(self) -> Kernel:
        """From what was sensed and what is wanted to torques and memory."""
        nq, nv = self.plant.nq, self.plant.nv
        sizes = {"sensed": self._sensed, "state": self.layout.end, "reference": nq + 2 * nv}
        return trace(self._control, **sizes, gains=self.gains.end)

    @property
    def sensed_acceleration(self) -> bool:
        return self.instruments.feels_acceleration

    @property
    def _sensed(self) -> int:
        nq, nv = self.plant.nq, self.plant.nv
        return nq + 2 * nv + sum(self.instruments.memory.values())

    @property
    def _kept(self) -> int:
        """Numbers that live on beside the torque: memory of sensors and controller."""
        return self.layout.end - self.layout.start - self.plant.nv

    @cached_property
    def _step(self) -> tuple[Mapping[str, Request], Recurrence]:
        return one_step(self.plant.model, self.method, self.rate, {})

    def _held(self, state: Numbers) -> list[Num]:
        return list(state[self.layout.places[HELD]])

    @cached_property
    def readings(self) -> Layout:
        """Where the readings of every sensor lie in what is read."""
        sizes = {name: channel.size for name, channel in self.instruments.channels.items()}
        return Layout(sizes | {"position": self.plant.nq})

    def _read(
        self, state: Numbers, rates: Numbers = (), noise: Numbers = (), sensing: Numbers = ()
    ) -> list[Num]:
        """What sensors say, then what is on its way; a program by itself, since readings are rounded numbers."""
        p, sensors = self.parts, self.instruments
        truth = Measured(state[p.q], state[p.qd], rates[p.qd] if rates else [0.0] * p.nv)
        kept = {name: state[self.layout.places[name]] for name in sensors.physical}
        readings, on_their_way = sensors.readings(truth, kept, noise, self.sensing.split(sensing))
        return [*self.readings.joined(readings), *Layout(sensors.physical).joined(on_their_way)]

    def _sense(self, read: Numbers, state: Numbers) -> list[Num]:
        """What the controller is told (nq + 2 nv), then what sensors keep."""
        sensors = self.instruments
        kept = {name: state[self.layout.places[name]] for name in sensors.computed}
        told, computed = sensors.conditioned(self.readings.split(read), kept)
        on_their_way = read[self.readings.end :]
        return [*told.q, *told.qd, *told.qdd, *on_their_way, *Layout(sensors.computed).joined(computed)]

    def _control(self, sensed: Numbers, state: Numbers, reference: Numbers, gains: Numbers) -> list[Num]:
        """Torques, then what sensors and controller keep."""
        nq, nv = self.plant.nq, self.plant.nv
        cut = (slice(0, nq), slice(nq, nq + nv), slice(nq + nv, nq + 2 * nv))
        measured, wanted = Measured(*(sensed[c] for c in cut)), Wanted(*(reference[c] for c in cut))
        kept = {name: state[place] for name, place in self.remembered.items()}
        tau, left = self.controller.step(measured, wanted, kept, self.gains.split(gains))
        sensors = sensed[nq + 2 * nv :]
        if self.instruments.watched and not self.continuous:
            tau, left = self._braked(tau, left, measured, kept, sensors)
        return [*tau, *sensors, *(x for name in self.controller.memory for x in left[name])]

    def _braked(
        self, tau: Numbers, left: Kept, measured: Measured, kept: Kept, sensors: Numbers
    ) -> tuple[list[Num], dict[str, list[Num]]]:
        """Torques that bring the arm to rest, and memory left alone, once a sensor has failed."""
        (stopped,) = Layout(self.instruments.memory).split(sensors)[STOPPED]
        slower = [v * -self.instruments.braking for v in measured.qd]
        brake = self.controller.belief.rigid(measured.q, measured.qd, slower)
        held = {
            name: [where(stopped, x, y) for x, y in zip(kept[name], left[name], strict=True)]
            for name in left
        }
        return [where(stopped, x, y) for x, y in zip(brake, tau, strict=True)], held

    def _law(self, x: Numbers, reference: Numbers, gains: Numbers) -> list[Num]:
        """Torques from the state itself."""
        return self._control([*x, *[0.0] * self.plant.nv], [], reference, gains)

    def _join(self, state: Numbers, control: Numbers) -> list[Num]:
        """The arm's state after the period, and all that lives on beside it."""
        return [*state, *control]

    # -- their order --------------------------------------------------------------------------------

    @cached_property
    def recurrence(self) -> Recurrence:
        return self._continuous() if self.continuous else self._sampled()

    def _sampled(self) -> Recurrence:
        _, step = self._step
        rate = next(call for call in step.calls if call.program == "rate")
        calls = [Call("held", (STATE,), HELD)]
        if self.sensed_acceleration:
            calls.append(Call("rate", _renamed(rate.inputs, {"tau": HELD}), RATES))
        seen = (
            *((RATES,) if self.sensed_acceleration else ()),
            *((sample(NOISE, 0),) if self._noise else ()),
            *((SENSING,) if self.sensing.end else ()),
        )
        calls.append(Call("read", (STATE, *seen), READ))
        calls.append(Call("sense", (READ, STATE), SENSED))
        calls.append(Call("control", (SENSED, STATE, sample(REFERENCE, 0), GAINS), CONTROL))
        place = STATE
        for k in range(self.steps):
            names = {STATE: place, "tau": HELD if k < self.late else CONTROL, "next": f"plant {k}"}
            calls += [
                Call(c.program, _renamed(c.inputs, names), names.get(c.output, c.output))
                for c in step.calls
            ]
            place = names["next"]
        calls.append(Call("join", (place, CONTROL), NEXT))
        return self._over(step, calls, 1)

    def _continuous(self) -> Recurrence:
        _, step = self._step
        calls: list[Call] = []
        times = self.method.times
        for call in step.calls:
            names = {"tau": CONTROL}
            if call.program == "rate":
                at = times.index(self.method.c[int(call.output.removeprefix("k"))])
                calls.append(Call("law", (call.inputs[0], sample(REFERENCE, at), GAINS), CONTROL))
            calls.append(Call(call.program, _renamed(call.inputs, names), call.output))
        return self._over(step, calls, len(times))

    def _over(self, step: Recurrence, calls: list[Call], samples: int) -> Recurrence:
        """The calls of a round with all that they are given."""
        constants = {name: n for name, n in step.constants.items() if name != "tau"}
        signals = {REFERENCE: Signal(self.plant.nq + 2 * self.plant.nv, samples)}
        signals |= {NOISE: Signal(self._noise)} if self._noise else {}
        constants |= {sample("h", 0): 1, GAINS: self.gains.end}
        constants |= {SENSING: self.sensing.end} if self.sensing.end else {}
        recorded = (CONTROL, 0, self.plant.nv)
        return Recurrence(self.layout.end, constants, signals, tuple(calls), NEXT, recorded)

    @property
    def _noise(self) -> int:
        return self.instruments.disturbed.end


def _renamed(cells: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(cell, cell) for cell in cells)
