"""What may be left out, tabulated or extrapolated of inverse dynamics, and what it costs.

Each method is a class: ``approximate.X(robot, …).inverse_dynamics(q, qd, qdd)``, with its memory, operations and
preparation time. Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

ROOMS = {  # in which module each public name lives
    "Approximation": "method",
    "Exact": "exact",
    "Formula": "method",
    "Operations": "method",
}
__all__ = sorted(ROOMS)  # pyright: ignore[reportUnsupportedDunderAll]


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    if name in ROOMS:
        return getattr(import_module(f"strobe.approximate.{ROOMS[name]}"), name)
    raise AttributeError(f"module 'strobe.approximate' has no attribute '{name}'")
