"""Rollouts: one robot from very many states at once, as training and sampling-based control ask for.

    def pull(q, qd, target):
        return [40 * (t - x) - 4 * v for x, v, t in zip(q, qd, target)]

    run = Rollout(robot.to("cuda"), strobe.trace(pull, q=7, qd=7, target=7), step=1e-3)
    rows = run(q, qd, steps=1000, every=100, target=target)                  # (N, 10, 14)

One program makes the next state of the last one; on a card a thread keeps its state in registers from beginning to
end. Where a step has several stages each is a round of the same program, four for `rk4`:

    k = f(y),   s ← s + h bᵢ k,   y ← x + h aᵢ₊₁ k;   behind the last stage  x, y ← x + s

Torques come from a law of (t, q, qd) and parameters of its own, from a controller (`strobe.control.law_of`), or from
a table with a row for each step (``torques``). A ``cost`` of (t, q, qd, tau) is integrated instead of keeping rows.
There are no books: `simulate` has the energies, limits and events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from strobe.algebra.lie import normalised
from strobe.compiler.codegen.llvm_cuda_march import March
from strobe.compiler.graph.recurrence import STATE, Call, Recurrence, Signal, sample
from strobe.compiler.runtime.cuda import Cuda
from strobe.compiler.runtime.cuda_arrays import Lying, library, lying
from strobe.compiler.runtime.cuda_marching import CardMarch
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.marching import Marching
from strobe.compiler.runtime.traced import Traced
from strobe.errors import ArgumentError, ShapeError, counted
from strobe.models.arguments import is_whole, require_above, require_choice
from strobe.models.couplings import coordinates
from strobe.models.model import Model
from strobe.quantities import Request
from strobe.robot import Robot, require_robot
from strobe.scalars import Num, Numbers, where
from strobe.simulate.equations_of_motion import Law, parameter
from strobe.simulate.integrators import RK4

METHODS = ("rk4", "semi-implicit-euler")
TAU = "tau"
STAGE = ("ahead", "weight", "kept", "last", "charged")  # what a round is told of its stage


@dataclass(frozen=True, slots=True)
class RoundRequest(Request):
    """The state after a round."""

    law: Law | None = None  # None: torques are an input
    cost: Law | None = None
    method: str = "rk4"

    @property
    def looks_up(self) -> bool:
        return any(law is not None and law.traced.stored for law in (self.law, self.cost))

    def moving(self, model: Model) -> int:
        x = coordinates(model)
        return x.nq + x.nv

    def inputs(self, model: Model) -> dict[str, int]:
        sizes = {"state": self.shape(model)[0], "stage": len(STAGE)}
        sizes |= {TAU: coordinates(model).nv} if self.law is None else self.law.wanted
        wanted = self.cost.wanted if self.cost else {}
        return sizes | {name: n for name, n in wanted.items() if name != parameter(TAU)}

    def shape(self, model: Model) -> tuple[int, ...]:
        moving = self.moving(model)
        return (moving * (3 if self.method == "rk4" else 1) + (self.cost is not None),)

    def evaluate(self, model: Model, **numbers: Numbers) -> list[Num]:
        moving, x = self.moving(model), coordinates(model)
        state = numbers["state"]
        stage: dict[str, Num] = dict(zip(STAGE, numbers["stage"], strict=True))
        q, qd = state[: x.nq], state[x.nq : moving]
        tau = list(numbers[TAU]) if self.law is None else self.law(q, qd, numbers)
        asked = Request("forward_dynamics", self.formulation, friction=self.friction)
        qdd = asked.evaluate(model, q=q, qd=qd, tau=tau)
        if self.method == "rk4":
            landed = _rk4(model, state, [*x.position_rates(q, qd), *qdd], stage)
        else:
            landed = _semi_implicit(model, q, qd, qdd, stage["ahead"])
        if self.cost is None:
            return landed
        (charge,) = self.cost(q, qd, {**numbers, parameter(TAU): tau})
        return [*landed, state[-1] + stage["charged"] * charge]


def _rk4(model: Model, state: Numbers, rates: Numbers, stage: Mapping[str, Num]) -> list[Num]:
    n = len(rates)
    begun, summed = state[n : 2 * n], state[2 * n : 3 * n]
    summed = [s * stage["kept"] + stage["weight"] * k for s, k in zip(summed, rates, strict=True)]
    whole = _on_unit_length(model, [x + s for x, s in zip(begun, summed, strict=True)])
    part = [x + stage["ahead"] * k for x, k in zip(begun, rates, strict=True)]
    last = stage["last"]
    following = [where(last, a, b) for a, b in zip(whole, part, strict=True)]
    return [*following, *(where(last, a, b) for a, b in zip(whole, begun, strict=True)), *summed]


def _semi_implicit(model: Model, q: Numbers, qd: Numbers, qdd: Numbers, h: Num) -> list[Num]:
    after = [v + h * a for v, a in zip(qd, qdd, strict=True)]
    step = [v * h for v in after]
    return [*(x for joint in coordinates(model).joints for x in joint.integrate(q, step)), *after]


def _on_unit_length(model: Model, x: Numbers) -> list[Num]:
    landed: list[Num] = []
    for joint in coordinates(model).joints:
        place = joint.position(x)
        landed += [*place] if not joint.has_quaternion else [*place[:-4], *normalised(place[-4:])]
    return [*landed, *x[len(landed) :]]


class Rollout:
    """The motion of a robot under a law, from many states, in steps of one length."""

    def __init__(
        self, robot: Robot, law: Traced | None = None, *, step: float, method: str = "rk4",
        cost: Traced | None = None, signals: Sequence[str] = (), friction: bool = True,
    ) -> None:  # fmt: skip
        require_robot(robot)
        require_above("step", step, "a time above zero")
        self.robot, self.step = robot, float(step)
        robot.require("forward_dynamics")
        if robot.model.is_closed:
            raise ArgumentError(
                f"{robot.name} has closed chains: strobe.simulate keeps them closed, a rollout does not."
            )
        self.method = require_choice("method", method, METHODS)
        self.request = RoundRequest(
            "rollout", friction=friction, law=law and Law(law), cost=cost and Law(cost), method=self.method
        )
        self.signals = tuple(signals)
        unknown = set(self.signals) - set(self._parameters)
        if unknown:
            raise ArgumentError(
                f"signals name {min(unknown)}; the law takes {', '.join(self._parameters) or 'nothing'}."
            )

    # -- what it is made of -------------------------------------------------------------------------

    @property
    def stages(self) -> int:
        return 4 if self.method == "rk4" else 1

    @cached_property
    def kernel(self) -> Kernel:
        return self.robot.kernel(self.request)

    @property
    def _parameters(self) -> dict[str, int]:
        """What a call gives beside the state, by the names that the law has for it."""
        sizes = self.request.inputs(self.robot.model)
        given = {
            name.removeprefix("law "): n for name, n in sizes.items() if name not in ("state", "stage", "t")
        }
        return {("torques" if name == TAU else name): n for name, n in given.items()}

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Every input behind the state: how often it changes."""
        known = {"stage": "stage", "t": "round", TAU: "step"}
        return {
            name: known.get(name, "step" if name.removeprefix("law ") in self.signals else "constant")
            for name in self.kernel.inputs
            if name != "state"
        }

    @cached_property
    def march(self) -> March:
        size, moving, nq = self.kernel.shape[0], self.request.moving(self.robot.model), self.robot.nq
        begins = [(0, j) if j < nq else (1, j - nq) for j in range(moving)]
        doubled = [*begins, *begins] if self.method == "rk4" else begins
        kept = (size - 1,) if self.request.cost else tuple(range(moving))
        rest: list[tuple[int, int] | None] = [None] * (size - len(doubled))
        return March(tuple(self.kinds.values()), (*doubled, *rest), 2, kept, self.stages)

    @cached_property
    def on_card(self) -> CardMarch:
        return CardMarch(self.kernel, self.march)

    @property
    def stage(self) -> np.ndarray:
        """What each round of a step is told."""
        h = self.step
        if self.method != "rk4":
            return np.array([[h, 0.0, 0.0, 1.0, h]])
        ahead = [h * row[-1] for row in RK4.a[1:]] + [0.0]
        rows = zip(ahead, RK4.b, range(4), strict=True)
        return np.array([[a, h * b, float(k > 0), float(k == 3), h * (k == 0)] for a, b, k in rows])

    def compile(self, single: bool = False) -> Rollout:
        """This rollout, its code made now."""
        if isinstance(self.robot.device, Cuda):
            self.on_card.entry(single)
        else:
            _ = self._marching.code
        return self

    # -- calls ----------------------------------------------------------------------------------------

    def __call__(self, q: Any, qd: Any, steps: int, *, every: int | None = None, **given: Any) -> Any:
        """States (…, steps // every, nq + nv) after every so many steps, the last one alone if none is said.

        Of a cost: its integral (…, 1). What the law takes is given by its names, (…, size); ``signals`` and the
        ``torques`` of a table have a row for each step, (…, steps, size).
        """
        if not is_whole(steps, 1):
            raise ArgumentError(f"steps is {steps}; expected a whole number, one or more.")
        every = steps if every is None or self.request.cost else every
        if not is_whole(every, 1) or every > steps:
            raise ArgumentError(
                f"every is {every}; expected a whole number from 1 to the {counted(steps, 'step')}."
            )
        if given.keys() != self._parameters.keys():
            raise ArgumentError(
                f"the rollout takes q, qd{''.join(f', {n}' for n in self._parameters)}; got q, qd"
                f"{''.join(f', {n}' for n in given)}."
            )
        arrays = {"q": q, "qd": qd} | {self._cell(name): given[name] for name in given}
        rows = self._rows(arrays, steps, every)
        return rows[..., 0, :] if every == steps else rows

    def _cell(self, name: str) -> str:
        return TAU if name == "torques" else parameter(name)

    def _rows(self, arrays: dict[str, Any], steps: int, every: int) -> Any:
        times = {"t": self._times(steps)} if "t" in self.kinds else {}
        known = {**arrays, "stage": self.stage, **times}
        ordered = {name: known[name] for name in ("q", "qd", *self.kinds)}
        checked = {name: self._checked(name, x, steps) for name, x in ordered.items()}
        rounds = (steps * self.stages, every * self.stages)
        if isinstance(self.robot.device, Cuda):
            return self._on_card(checked, *rounds)
        return self._here(checked, *rounds)

    def _times(self, steps: int) -> np.ndarray:
        within = np.array(RK4.c) if self.method == "rk4" else np.zeros(1)
        return (self.step * (np.arange(steps)[:, None] + within)).reshape(-1, 1)

    def _checked(self, name: str, value: Any, steps: int) -> Any:
        """An array of a card, or of NumPy, of the size that is due."""
        array: Any = lying(name, value) if library(value) else np.asarray(value, self._dtype(value))
        size = {"q": self.robot.nq, "qd": self.robot.nv, **self.kernel.inputs}[name]
        rows = {"step": steps, "stage": self.stages, "round": steps * self.stages}.get(
            self.kinds.get(name, "")
        )
        due = (size,) if rows is None else (rows, size)
        if tuple(array.shape[len(array.shape) - len(due) :]) != due:
            told = name.removeprefix("law ") if name != TAU else "torques"
            raise ShapeError(
                told, array.shape, f"(..., {', '.join(map(str, due))})", self.robot.shape_reason
            )
        return array

    def _dtype(self, value: Any) -> Any:
        return np.float32 if getattr(value, "dtype", None) == np.float32 else np.float64

    def _on_card(self, arrays: dict[str, Any], rounds: int, every: int) -> Any:
        host = {name: x for name, x in arrays.items() if not isinstance(x, Lying)}
        own = {"stage", "t"}
        if len(host) < len(arrays) and host.keys() - own:
            name = min(host.keys() - own)
            raise ArgumentError(
                f"{name.removeprefix('law ')} is in this machine's memory, others on a card: bring all there."
            )
        if len(host) == len(arrays):
            single = all(x.dtype == np.float32 for name, x in host.items() if name not in own)
            arrays = {name: x.astype(np.float32 if single else np.float64) for name, x in host.items()}
        device = self.robot.device
        return self.on_card(arrays, rounds, every, getattr(device, "number", None))

    # -- on this processor ----------------------------------------------------------------------------

    @cached_property
    def _marching(self) -> Marching:
        size, kernel = self.kernel.shape[0], self.kernel
        inputs = {name: n for name, n in kernel.inputs.items() if name != "state"}
        constants = {name: n for name, n in inputs.items() if self.kinds[name] == "constant"}
        signals = {name: Signal(n) for name, n in inputs.items() if name not in constants}
        cells = tuple(sample(name, 0) if name in signals else name for name in inputs)
        call = Call("round", (STATE, *cells), "next")
        recurrence = Recurrence(size, constants, signals, (call,), "next", ("next", 0, size))
        return Marching(self.robot.model, {"round": kernel}, recurrence, self.robot.device)

    def _here(self, arrays: dict[str, Any], rounds: int, every: int) -> np.ndarray:
        batch = np.broadcast_shapes(*(x.shape[: x.ndim - 1 - self._has_rows(n)] for n, x in arrays.items()))
        single = all(x.dtype == np.float32 for name, x in arrays.items() if name not in ("stage", "t"))
        flat = {name: _flat(x, batch, 1 + self._has_rows(name)) for name, x in arrays.items()}
        N, size = max(int(np.prod(batch)), 1), self.kernel.shape[0]
        state = np.zeros((N, size))
        for j, at in enumerate(self.march.begins):
            if at is not None:
                state[:, j] = flat[("q", "qd")[at[0]]][:, at[1]]
        constants = {name: flat[name] for name, kind in self.kinds.items() if kind == "constant"}
        signals = {
            name: self._each_round(flat[name], kind, rounds)
            for name, kind in self.kinds.items()
            if kind != "constant"
        }
        records = np.full(rounds, -1)
        records[every - 1 :: every] = np.arange(rounds // every)
        out = np.empty((N, rounds // every, 2 * size))
        self._marching(state, constants, signals, records, out)
        rows = out[:, :, size:][:, :, list(self.march.kept)].reshape(*batch, rounds // every, -1)
        return rows.astype(np.float32) if single else rows

    def _has_rows(self, name: str) -> bool:
        return self.kinds.get(name, "constant") != "constant"

    def _each_round(self, array: np.ndarray, kind: str, rounds: int) -> np.ndarray:
        if kind == "step":
            array = np.repeat(array, self.stages, axis=1)
        elif kind == "stage":
            array = np.tile(array, (1, rounds // self.stages, 1))
        return np.ascontiguousarray(array)


def _flat(array: np.ndarray, batch: tuple[int, ...], core: int) -> np.ndarray:
    """States in a row, or one for all, in double precision."""
    shape = array.shape[array.ndim - core :]
    if np.prod(array.shape[: array.ndim - core]) == 1:
        return np.ascontiguousarray(array.reshape(1, *shape), float)
    return np.ascontiguousarray(np.broadcast_to(array, (*batch, *shape)).reshape(-1, *shape), float)
