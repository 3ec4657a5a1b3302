"""What may be left out, tabulated or extrapolated of inverse dynamics, and what it costs.

Each method is a class: ``approximate.X(robot, …).inverse_dynamics(q, qd, qdd)``, with its memory, operations and
preparation time. Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

ROOMS = {  # in which module each public name lives
    "AlongTrajectory": "along_trajectory",
    "Approximation": "method",
    "CMAC": "cmac",
    "CompleteTable": "tables",
    "Counterbalance": "counterweights",
    "Exact": "method",
    "FixedPoint": "fixed_point",
    "ForceTests": "payload_forces",
    "Formula": "method",
    "FullExtrapolation": "full_extrapolation",
    "GravityOnly": "leaving_out",
    "HornRaibert": "tables",
    "LockedJoints": "leaving_out",
    "Operations": "method",
    "PartlyKnown": "payload_bounds",
    "PathExtrapolation": "extrapolation",
    "Payload": "payload",
    "PayloadMonitor": "payload_change",
    "Policy": "slowly",
    "Raibert": "tables",
    "ReducedInteraction": "leaving_out",
    "Rung": "rungs",
    "TradeOff": "report",
    "TypicalTrajectories": "typical",
    "WithoutDistalLinks": "leaving_out",
    "WithoutVelocityTerms": "leaving_out",
    "counterbalance": "counterweights",
    "force_tests": "payload_forces",
    "identify_payload": "payload",
    "ladder": "rungs",
    "load_table": "table_files",
    "partly_known": "payload_bounds",
    "payload_regressor": "payload_columns",
    "points_needed": "full_extrapolation",
    "trade_off": "report",
}
__all__ = sorted(ROOMS)  # pyright: ignore[reportUnsupportedDunderAll]


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    if name in ROOMS:
        return getattr(import_module(f"strobe.approximate.{ROOMS[name]}"), name)
    raise AttributeError(f"module 'strobe.approximate' has no attribute '{name}'")
