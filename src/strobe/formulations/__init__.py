"""The equations, one module per method, written once over numbers."""

from __future__ import annotations

from types import ModuleType

from strobe.errors import UnknownNameError
from strobe.formulations import newton_euler, spatial_newton_euler

FORMULATIONS: dict[str, ModuleType] = {
    "spatial-newton-euler": spatial_newton_euler,
    "newton-euler": newton_euler,
}

DEFAULT = "spatial-newton-euler"


def formulation(name: str | None) -> ModuleType:
    """The module of a formulation by its name; the default one for None."""
    name = DEFAULT if name is None else name
    if name not in FORMULATIONS:
        raise UnknownNameError("formulation", name, "strobe", list(FORMULATIONS))
    return FORMULATIONS[name]
