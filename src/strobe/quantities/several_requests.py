"""Several quantities of one state, asked together: what they have in common is computed once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from strobe.models.model import Model
from strobe.quantities.catalogue import Quantity
from strobe.quantities.request import UNLISTED, Request
from strobe.scalars import Numbers


@dataclass(frozen=True, slots=True)
class Together(Request):
    """Requests whose results stand one behind the other in a vector."""

    requests: tuple[Request, ...] = ()

    @property
    def record(self) -> Quantity:
        records = [request.record for request in self.requests]
        return replace(
            UNLISTED,
            kinematic=all(record.kinematic for record in records),
            eliminates=any(record.eliminates for record in records),
            closed_states=any(record.closed_states for record in records),
        )

    @property
    def together(self) -> tuple[Request, ...]:
        return self.requests

    def at_frames(self, model: Model) -> Request:
        return replace(self, requests=tuple(request.at_frames(model) for request in self.requests))

    def inputs(self, model: Model) -> dict[str, int]:
        """States first, then what acts on the robot, then its constants."""
        every = {name: size for request in self.requests for name, size in request.inputs(model).items()}
        constants = self.constants(model)
        loads = [name for name in every if name == "gravity" or name.startswith("wrench ")]
        states = [name for name in every if name not in loads and name not in constants]
        return {name: every[name] for name in (*states, *loads, *constants)}

    def constants(self, model: Model) -> dict[str, int]:
        return {name: size for request in self.requests for name, size in request.constants(model).items()}

    def shape(self, model: Model) -> tuple[int, ...]:
        return (sum(map(prod, self.parts(model))),)

    def parts(self, model: Model) -> tuple[tuple[int, ...], ...]:
        return tuple(request.shape(model) for request in self.requests)

    def evaluate(self, model: Model, **numbers: Numbers) -> Any:
        return [x for request in self.requests for x in _flat(request.evaluate(model, **numbers))]


def _flat(values: Any) -> list[Any]:
    return [x for value in values for x in _flat(value)] if isinstance(values, list | tuple) else [values]
