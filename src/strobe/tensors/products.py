"""Jacobians of quantities times one vector, and steps in time, as requests: what differentiable functions compute.

    Shares   wᵀ ∂y/∂x   what each input has in the weighted sum of the result, for reverse mode
    Rates    ∂y/∂x v    how the result moves with the inputs, for forward mode

x are the numbers of the inputs as they are given, the four of a quaternion among them. Each is a request like any
other, compiled and kept, and has shares and rates itself: derivatives of any order.

Accelerations need no way back through their elimination. M qdd + h = tau holds whatever changes; with λ = M⁻¹ w

    wᵀ ∂qdd = λᵀ ∂tau − λᵀ ∂(M qdd + h)      at the qdd that follows
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

from strobe.compiler.graph.products import pulled_back, pushed_forward
from strobe.compiler.graph.program import trace
from strobe.compiler.graph.replay import replay
from strobe.models.model import Model
from strobe.quantities import Quantity, Request
from strobe.quantities.request import UNLISTED
from strobe.scalars import Graph, Num, Numbers

NOTHING = Request("")


@dataclass(frozen=True, slots=True)
class Product(Request):
    """A Jacobian of another request times a vector, by some of its inputs."""

    of: Request = NOTHING
    named: tuple[str, ...] = ()  # the inputs that change

    @property
    def record(self) -> Quantity:
        own = self.of.record
        return replace(
            UNLISTED, kinematic=own.kinematic, eliminates=own.eliminates, closed_states=own.closed_states
        )

    def at_frames(self, model: Model) -> Request:
        return replace(self, of=self.of.at_frames(model))

    def constants(self, model: Model) -> dict[str, int]:
        return self.of.constants(model)

    def inputs(self, model: Model) -> dict[str, int]:
        """Those of the other request, with what is multiplied before its constants, which stay last."""
        given, constants = self.of.inputs(model), self.of.constants(model)
        states = {name: size for name, size in given.items() if name not in constants}
        return states | self.factors(model) | constants

    def factors(self, model: Model) -> dict[str, int]:
        """The vectors that the Jacobian is multiplied with."""
        raise NotImplementedError

    @property
    def order(self) -> int:
        """How often it was differentiated, which tells the vectors of each time apart."""
        return 1 + (self.of.order if isinstance(self.of, Product) else 0)

    def evaluate(self, model: Model, **numbers: Numbers) -> Any:
        """On nodes as they stand; on other numbers, what nodes found."""
        if isinstance(model.system, Graph):
            return self.on_nodes(model, numbers)
        graph = Graph()
        function = partial(self.evaluate, model.lift(graph))
        return replay(trace(function, self.inputs(model), self.shape(model), graph), numbers)

    def on_nodes(self, model: Model, numbers: Mapping[str, Numbers]) -> list[Num]:
        """The product over nodes of the model's graph."""
        raise NotImplementedError

    def values(self, model: Model, numbers: Mapping[str, Numbers]) -> list[Num]:
        """What the other request gives, as one list."""
        return flat(self.of.evaluate(model, **_of(self.of, model, numbers)))

    def leaves(self, numbers: Mapping[str, Numbers]) -> list[Num]:
        return [x for name in self.named for x in numbers[name]]


@dataclass(frozen=True, slots=True)
class Shares(Product):
    """wᵀ ∂y/∂x: inputs side by side in a vector."""

    @property
    def weights(self) -> str:
        """The input that holds w, a number for each of the result."""
        return f"weights {self.order}"

    def factors(self, model: Model) -> dict[str, int]:
        return {self.weights: prod(self.of.shape(model))}

    def shape(self, model: Model) -> tuple[int, ...]:
        sizes = self.of.inputs(model)
        return (sum(sizes[name] for name in self.named),)

    def on_nodes(self, model: Model, numbers: Mapping[str, Numbers]) -> list[Num]:
        weights = numbers[self.weights]
        if type(self.of) is Request and self.of.quantity == "forward_dynamics":
            return _of_accelerations(self.of, model, numbers, weights, self.named)
        return pulled_back(self.values(model, numbers), weights, self.leaves(numbers))


@dataclass(frozen=True, slots=True)
class Rates(Product):
    """∂y/∂x v, of the shape of the result."""

    def rate(self, name: str) -> str:
        """The input that says how fast another one moves."""
        return f"{name} rate {self.order}"

    def factors(self, model: Model) -> dict[str, int]:
        sizes = self.of.inputs(model)
        return {self.rate(name): sizes[name] for name in self.named}

    def shape(self, model: Model) -> tuple[int, ...]:
        return self.of.shape(model)

    def on_nodes(self, model: Model, numbers: Mapping[str, Numbers]) -> list[Num]:
        speeds = [x for name in self.named for x in numbers[self.rate(name)]]
        return pushed_forward(self.values(model, numbers), self.leaves(numbers), speeds)


def shares(of: Request, named: tuple[str, ...]) -> Shares:
    """What the named inputs have in the weighted sum of a result."""
    return Shares(f"shares of {of.quantity}", formulation=of.formulation, of=of, named=named)


def rates(of: Request, named: tuple[str, ...]) -> Rates:
    """How fast a result moves with the named inputs."""
    return Rates(f"rates of {of.quantity}", formulation=of.formulation, of=of, named=named)


def _of_accelerations(
    asked: Request, model: Model, numbers: Mapping[str, Numbers], weights: Numbers, named: tuple[str, ...]
) -> list[Num]:
    """The shares of what accelerations depend on. They are leaves: each depends on torques, which torques do not."""
    given = _of(asked, model, numbers)
    qdd = asked.evaluate(model, **given)
    constants = {name: given[name] for name in asked.constants(model)}
    alone = replace(asked, friction=False, loaded=(), gravity=False)
    at_rest = {"q": given["q"], "qd": [0.0] * len(qdd), "tau": weights}
    lam = alone.evaluate(model.weightless(), **at_rest, **constants)
    motion = {name: x for name, x in given.items() if name != "tau"} | {"qdd": qdd}
    tau = replace(asked, quantity="inverse_dynamics", formulation=None).evaluate(model, **motion)
    names = [name for name in motion if name != "qdd"]
    found = pulled_back(tau, lam, [*(x for name in names for x in motion[name]), *qdd])
    shares: dict[str, list[Num]] = {"tau": lam}
    for name in names:
        size = len(motion[name])
        shares[name], found = [-share for share in found[:size]], found[size:]
    return [share for name in named for share in shares[name]]


def _of(request: Request, model: Model, numbers: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """Those numbers that are inputs of a request."""
    return {name: numbers[name] for name in request.inputs(model)}


def flat(values: Any) -> list[Any]:
    """Nested lists of numbers as one."""
    return [x for value in values for x in flat(value)] if isinstance(values, list | tuple) else [values]
