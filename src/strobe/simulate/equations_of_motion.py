"""What acts on a robot, as one function over numbers: from a state and what drives it to how fast it changes.

    M qdd + C qd + g + friction(qd) = tau + stops + Σ Jᵀ F

    tau     what a law of (t, q, qd) or a table asks for, within what the motors can give
    stops   max(k δ − d δ̇, 0) back into the range, δ the depth beyond a limit: a spring and a damper that do not pull;
            of every joint, what is felt of those that follow being Gᵀ of it
    F       wrenches given in time

A motor gives at most its effort, and none that drives it beyond its speed: from 95 % of the speed limit on the torque
along the motion fades linearly; braking is not cut. Payloads are numbers of the state's own batch. Locked joints are
given the acceleration zero, and their torque is what holds them. Besides the accelerations come the powers of all
that is not conservative, which integrate to the work in the energy audit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

from strobe.algebra import Inertia, Sym3, Vec3
from strobe.algebra.rows import dot, plus
from strobe.compiler.runtime.traced import Traced
from strobe.models.couplings import Coordinates, coordinates
from strobe.models.inertial import Inertial
from strobe.models.joints import Joint
from strobe.models.model import ROOT, Model
from strobe.quantities import Request
from strobe.quantities.drives import friction_torques
from strobe.quantities.evaluation import Asked
from strobe.scalars import Num, Numbers, absolute, less, maximum, minimum, where
from strobe.scalars.scalar import is_number

WORKS = ("drive", "friction", "stops", "wrenches")  # whose work is accounted for
FADING = 0.05  # of the speed limit, over which a motor's torque fades before it
STATES = ("q", "qd", "t")  # what a law may ask for besides parameters of its own
PAYLOAD = 10  # numbers: mass, first moments, inertia about the frame's origin


class Law:
    """A compiled function of t, q, qd and parameters that gives torques; laws are equal if their programs are."""

    def __init__(self, traced: Traced) -> None:
        self.traced = traced

    @cached_property
    def fingerprint(self) -> str:
        return self.traced.fingerprint()

    @property
    def inputs(self) -> dict[str, int]:
        return self.traced.inputs

    @property
    def parameters(self) -> dict[str, int]:
        """What it takes besides the time and the state, with sizes."""
        return {name: size for name, size in self.inputs.items() if name not in STATES}

    @property
    def wanted(self) -> dict[str, int]:
        """What it takes besides the state, by the names of the inputs of rates: "t", and "law …" for parameters."""
        named = {parameter(name): size for name, size in self.parameters.items()}
        return named | {"t": 1} if "t" in self.inputs else named

    def __call__(self, q: Numbers, qd: Numbers, numbers: Mapping[str, Numbers]) -> list[Num]:
        known = {"q": q, "qd": qd, "t": numbers.get("t", [])}
        own = {name: known[name] if name in STATES else numbers[parameter(name)] for name in self.inputs}
        return list(self.traced.function()(**own))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Law) and other.fingerprint == self.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"law {self.fingerprint}"


def parameter(name: str) -> str:
    """The input of rates that a parameter of a law becomes."""
    return f"law {name}"


@dataclass(frozen=True, slots=True)
class RateRequest(Request):
    """How fast a state (q, qd) changes: its rates, powers, perhaps whether motors are cut, and the torque applied."""

    law: Law | None = None  # None: the torques are an input
    stops: bool = False
    limited: bool = False  # whether motors have limits
    loads: tuple[str, ...] = ()  # the frames that carry a payload

    @property
    def looks_up(self) -> bool:
        return self.law is not None and bool(self.law.traced.stored)

    def inputs(self, model: Model) -> dict[str, int]:
        x = coordinates(model)
        sizes = {"x": x.nq + x.nv}
        sizes |= {"tau": x.nv} if self.law is None else self.law.wanted
        if self.limited:
            sizes |= {"motor effort": x.nv, "motor speed": x.nv}
        if self.stops:
            sizes |= {"stop stiffness": len(x.velocities), "stop damping": len(x.velocities)}
        sizes |= {f"wrench {frame}": 6 for frame in self.loaded}
        return sizes | payload_inputs(self.loads)

    def shape(self, model: Model) -> tuple[int, ...]:
        x = coordinates(model)
        return (x.nq + x.nv + len(WORKS) + x.nv * self.limited + x.nv,)

    def evaluate(self, model: Model, **numbers: Numbers) -> list[Num]:
        x = coordinates(model)
        model = carrying(model, numbers, self.loads)
        q, qd = list(numbers["x"][: x.nq]), list(numbers["x"][x.nq : x.nq + x.nv])
        held = self._held(model)
        qd = [0.0 if k in held else rate for k, rate in enumerate(qd)]
        asked = self._commanded(q, qd, numbers)
        tau = _limited(asked, qd, numbers) if self.limited else asked
        stops = self._stop_torques(model.joints, x, q, qd, numbers)
        wrenches = {f"wrench {frame}": numbers[f"wrench {frame}"] for frame in self.loaded}
        qdd, holding = self._accelerations(model, q, qd, plus(tau, stops), wrenches)
        drive = [holding[k] if k in held else t for k, t in enumerate(tau)]
        friction = x.reduce(friction_torques(self._asked(model, wrenches), x.expand_rates(qd)))
        outside = x.reduce(self._asked(model, wrenches).external(x.expand(q)))
        powers = [dot(drive, qd), -dot(friction, qd), dot(stops, qd), dot(outside, qd)]
        missing = (
            [less(0.0, absolute(a - t)) for a, t in zip(asked, tau, strict=True)] if self.limited else []
        )
        return [*x.position_rates(q, qd), *qdd, *powers, *missing, *drive]

    def _commanded(self, q: Numbers, qd: Numbers, numbers: Mapping[str, Numbers]) -> list[Num]:
        if self.law is None:
            return list(numbers["tau"])
        return self.law(q, qd, numbers)

    def _stop_torques(
        self,
        joints: Sequence[Joint],
        x: Coordinates,
        q: Numbers,
        qd: Numbers,
        numbers: Mapping[str, Numbers],
    ) -> list[Num]:
        if not self.stops:
            return [0.0] * len(qd)
        positions, rates = x.expand(q), x.expand_rates(qd)
        torques: list[Num] = [0.0] * len(rates)
        for joint in joints:
            if joint.nq == 1:
                k, d = numbers["stop stiffness"][joint.v], numbers["stop damping"][joint.v]
                lower, upper, place, rate = (
                    joint.limits.lower,
                    joint.limits.upper,
                    positions[joint.q],
                    rates[joint.v],
                )
                low = _pushed(lower - place, -rate, k, d) if isfinite(lower) else 0.0
                high = _pushed(place - upper, rate, k, d) if isfinite(upper) else 0.0
                torques[joint.v] = low - high
        return x.reduce(torques)

    def _accelerations(
        self, model: Model, q: Numbers, qd: Numbers, tau: Numbers, wrenches: Mapping[str, Numbers]
    ) -> tuple[list[Num], list[Num]]:
        """Accelerations, and the torques with those that hold locked joints."""
        if not self.accelerated:
            asked = Request(
                "forward_dynamics",
                self.formulation,
                friction=self.friction,
                loaded=self.loaded,
                rank=self.rank,
            )
            return asked.evaluate(model, q=q, qd=qd, tau=tau, **wrenches), list(tau)
        asked = Request(
            "hybrid_dynamics", friction=self.friction, loaded=self.loaded, accelerated=self.accelerated,
            rank=self.rank,
        )  # fmt: skip
        held = self._held(model)
        given = [0.0 if k in held else t for k, t in enumerate(tau)]
        holding, qdd = asked.evaluate(model, q=q, qd=qd, x=given, **wrenches)
        return qdd, holding

    def _held(self, model: Model) -> set[int]:
        """The degrees of freedom of locked joints."""
        joints = [joint for joint in coordinates(model).joints if joint.name in self.accelerated]
        return {joint.v + k for joint in joints for k in range(joint.nv)}

    def _asked(self, model: Model, wrenches: Mapping[str, Numbers]) -> Asked:
        loads = {name.removeprefix("wrench "): wrench for name, wrench in wrenches.items()}
        return Asked(model, self, loads)


@dataclass(frozen=True, slots=True)
class LoadedRequest(Request):
    """An ordinary quantity of a robot that carries payloads at frames."""

    loads: tuple[str, ...] = ()

    def inputs(self, model: Model) -> dict[str, int]:
        return Request.inputs(self, model) | payload_inputs(self.loads)

    def evaluate(self, model: Model, **numbers: Numbers) -> Any:
        return Request.evaluate(self, carrying(model, numbers, self.loads), **numbers)


def payload_inputs(loads: Sequence[str]) -> dict[str, int]:
    """The inputs that payloads become, with their sizes."""
    return {f"payload {frame}": PAYLOAD for frame in loads}


def carrying(model: Model, numbers: Mapping[str, Numbers], loads: Sequence[str]) -> Model:
    """The model with payloads fixed to frames, each by ten numbers of the model's system."""
    for name in loads:
        frame = model.frame(name)
        if frame.body == ROOT:
            continue
        m, hx, hy, hz, *moments = numbers[f"payload {name}"]
        load = frame.placement.inertia(Inertia(m, Vec3(hx, hy, hz), Sym3(*moments)))
        bodies = list(model.bodies)
        body = bodies[frame.body]
        bodies[frame.body] = replace(body, inertial=_joined(body.inertial, load))
        model = replace(model, bodies=tuple(bodies), golden=())
    return model


def _joined(link: Inertial, load: Inertia) -> Inertial:
    """A link with a load; without mass of its own it has no centre of mass that a division could find."""
    total = link.about_origin + load
    massless = is_number(link.m) and link.m == 0
    return Inertial(total.m, None, None, total, "parameters") if massless else Inertial.of(total)


def _limited(asked: Numbers, qd: Numbers, numbers: Mapping[str, Numbers]) -> list[Num]:
    """The torques that the motors can give at their speed."""
    given: list[Num] = []
    rows = zip(asked, qd, numbers["motor effort"], numbers["motor speed"], strict=True)
    for tau, rate, effort, speed in rows:
        tau = maximum(minimum(tau, effort), -effort)
        scale = 1.0 / (speed * FADING)
        forwards, backwards = (
            minimum(maximum(left * scale, 0.0), 1.0) for left in (speed - rate, speed + rate)
        )
        given.append(tau * where(less(tau, 0.0), backwards, forwards))
    return given


def _pushed(depth: Num, speed: Num, stiffness: Num, damping: Num) -> Num:
    """The force of a stop on a joint at some depth in it, moving deeper at some speed."""
    force = maximum(depth * stiffness + speed * damping, 0.0)
    return where(less(0.0, depth), force, 0.0)
