# pyright: reportUnknownVariableType=false
"""`Lanes`: a batch side by side, one NumPy array per number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from strobe.scalars.scalar import Num, Scalar, System
from strobe.scalars.stored import Stored


class LanesSystem(System):
    """Arrays that broadcast against each other; every model constant stays a Python number."""

    name = "Lanes"

    def batch(self, values: np.ndarray[Any, Any]) -> Lanes:
        """An array of states' values as one number."""
        return Lanes(values)

    def lower(self, x: Num) -> Any:
        return x.values if isinstance(x, Lanes) else x


LANES = LanesSystem()


def _where(condition: Any, x: Any, y: Any) -> Any:
    return np.where(np.not_equal(condition, 0), x, y)


def _less(x: Any, y: Any) -> Any:
    return np.less(x, y).astype(np.result_type(x, y))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "neg": np.negative,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "atan2": np.arctan2,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "less": _less,
    "where": _where,
    "tanh": np.tanh,
    "floor": np.floor,
}


class Lanes(Scalar):
    """One number per state of a batch."""

    __slots__ = ("values",)

    def __init__(self, values: Any) -> None:
        self.system = LANES
        self.values = values

    def apply(self, op: str, *args: Num) -> Lanes:
        # Python floats go to NumPy as they are, so that a float32 batch stays float32
        values = [a.values if isinstance(a, Lanes) else self.admit(a).values for a in args]
        return Lanes(FUNCTIONS[op](*values))

    def pick(self, stored: Stored, width: int) -> list[Num]:
        return [Lanes(values) for values in stored.read_all(self.values, width)]

    def literal(self, x: float) -> Lanes:
        return Lanes(x)
