"""The methods of a robot for the page of the API, layer by layer as `strobe.robot` has them."""

from __future__ import annotations

from inspect import getdoc, isfunction
from typing import Any

import strobe

PLACE = "   .. layers\n"  # where they stand on the page
TITLES = {
    "Framework": "What it is, and what applications build on", "Dynamics": "Dynamics", "Kinematics": "Kinematics",
    "Robot": "Applications, constants and edits",
}  # fmt: skip


def with_layers(page: str) -> str:
    """A page with the methods at their place, if it has one."""
    if PLACE not in page:
        return page
    layers = {layer.__name__: layer for layer in strobe.Robot.__mro__}
    return page.replace(PLACE, "\n".join(_layer(title, layers[name]) for name, title in TITLES.items()))


def _layer(title: str, layer: type) -> str:
    shown = [(name, thing) for name, thing in vars(layer).items() if _is_shown(name, thing)]
    lines = [f".. auto{'method' if isfunction(thing) else 'property'}:: {name}" for name, thing in shown]
    return "\n".join(f"   {line}\n" for line in [f".. rubric:: {title}", *lines])


def _is_shown(name: str, thing: Any) -> bool:
    return not name.startswith("_") and bool(getdoc(thing))
