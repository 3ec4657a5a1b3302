"""The numbers of a sweep file, fixed, on a grid or drawn, held against the robots that they are for."""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import require_turns
from strobe.errors import ArgumentError
from strobe.models.toml_table import Table, as_written
from strobe.robot import Robot
from strobe.sweep.axes import DRAWN, FIXED, GRID, LIMITS, QUANTITIES, Given, distribution, is_drawn, row
from strobe.sweep.random_streams import Choice, LogUniform, Normal, Uniform

Array = np.ndarray
MOST_VALUES = 10**6  # on one axis of a grid
FARTHEST = 8.3  # deviations: no normal number that is drawn lies beyond
FORMS = (GRID, "from", *DRAWN)
PAIRS = {
    "uniform": "[low, high]",
    "normal": "[mean, deviation]",
    "log_uniform": "[low, high]",
}
LIMITED = ("state.q", "state.qd", "state.qdd", "simulate.torque")


def given(table: Table, key: str) -> Given:
    """What stands under a key that is there, as `axes` has it."""
    value = table.data[key] if key in table else 0.0
    if not isinstance(value, dict):
        return {FIXED: _numbers(table, value, table.where(key))}
    inner = Table(value, table.where(key), table.context)
    forms = [form for form in FORMS if form in inner]
    if len(forms) != 1:
        found = " and ".join(f'"{form}"' for form in forms) or "none"
        inner.error("", f"found {found}, expected one of {', '.join(FORMS)}.")
        return {FIXED: 0.0}
    found = _formed(inner, *forms)
    inner.finish()
    return found


def _formed(inner: Table, form: str) -> Given:
    if form == "from":
        return {GRID: _spaced(inner)}
    if form in (GRID, "choice"):
        return {form: _several(inner, form)}
    value = inner.data[form]
    if form == "uniform" and value == LIMITS:
        return {form: LIMITS}
    if not isinstance(value, list) or len(value) != 2:
        or_limits = f' or "{LIMITS}"' if form == "uniform" else ""
        inner.error(form, f"found {as_written(value)}, expected {PAIRS[form]}{or_limits}.")
        return {FIXED: 0.0}
    return {form: [_numbers(inner, each, f"{inner.where(form)}[{k}]") for k, each in enumerate(value, 1)]}


def _several(inner: Table, key: str) -> list[Any]:
    value = inner.data[key]
    if not isinstance(value, list) or not 0 < len(value) <= MOST_VALUES:
        inner.error(key, f"found {as_written(value)}, expected a list of up to {MOST_VALUES:,} values.")
        return [0.0]
    return [_numbers(inner, each, f"{inner.where(key)}[{k}]") for k, each in enumerate(value, 1)]


def _spaced(inner: Table) -> list[float]:
    """So many numbers from one to another, both among them."""
    first, last = float(inner.number("from")), float(inner.number("to"))
    if "to" not in inner:
        inner.error("", 'the key "to" is missing; expected the last number of the grid.')
    count = whole(inner, "count", None, 2)
    if count is None or count > MOST_VALUES:
        expected = f"how many numbers the grid has, 2 to {MOST_VALUES:,}"
        inner.error("", f'the key "count" is {"missing" if count is None else count}; expected {expected}.')
        return [0.0]
    return np.linspace(first, last, count).tolist()


def _numbers(table: Table, value: Any, where: str) -> Any:
    """A number, or a list of them."""
    if not isinstance(value, list):
        return float(table.context.number(value, where))
    if not value:
        table.context.faults.error(where, "found an empty list, expected a number, or one for each.")
    return [float(table.context.number(each, f"{where}[{k}]")) for k, each in enumerate(value, 1)]


def whole(table: Table, key: str, default: int | None, least: int) -> int | None:
    """A whole number of at least some size."""
    if key not in table:
        return default
    value = table.data[key]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**63:
        table.error(key, f"found {as_written(table.data[key])}, expected a whole number, {least} or more.")
        return default
    return value


# -- held against robots ----------------------------------------------------------------------------


def wrong(name: str, found: Given, robot: Robot) -> str:
    """Why a robot cannot have these numbers; nothing if it can."""
    try:
        if is_drawn(found):
            _require_drawn(name, found, robot)
        else:
            size = QUANTITIES[name].length(robot)
            _require_values(name, [row(each, size) for each in found.get(GRID, [found.get(FIXED)])], robot)
    except ArgumentError as error:
        return str(error)
    return ""


def _require_drawn(name: str, found: Given, robot: Robot) -> None:
    if found.get("uniform") == LIMITS and name not in LIMITED:
        raise ArgumentError(f'"{LIMITS}" are those of joints; expected [low, high].')
    drawing = distribution(name, found, robot)
    if isinstance(drawing, Choice):
        _require_values(name, list(drawing.values), robot)
        return
    if name == "state.q" and found != {"uniform": LIMITS} and robot.coordinates.has_quaternions:
        raise ArgumentError(
            f"{robot.name} has joints with quaternions, whose four numbers are not drawn one by one; "
            f'expected {{ uniform = "{LIMITS}" }}, values or a choice.'
        )
    if isinstance(drawing, Uniform | LogUniform):
        _require_bounds(drawing)
        least = drawing.low
    elif isinstance(drawing, Normal):
        if (drawing.deviation < 0).any():
            raise ArgumentError(f"the deviation is {drawing.deviation.min():g}; expected zero or more.")
        least = drawing.mean - FARTHEST * drawing.deviation
    else:
        return
    if name == "payload.mass" and (least < 0).any():
        raise ArgumentError(
            f"masses down to {least.min():g} kg could be drawn; a mass is not negative. Take other bounds, a smaller "
            "deviation, or log_uniform."
        )


def _require_bounds(drawing: Uniform | LogUniform) -> None:
    if (drawing.low > drawing.high).any():
        k = int(np.argmax(drawing.low > drawing.high))
        raise ArgumentError(
            f"low is {drawing.low[k]:g} and high {drawing.high[k]:g}; expected low before high."
        )
    if isinstance(drawing, LogUniform) and (drawing.low <= 0).any():
        raise ArgumentError(f"low is {drawing.low.min():g}; log_uniform needs bounds above zero.")


def _require_values(name: str, rows: list[Array], robot: Robot) -> None:
    if name == "payload.mass" and (least := min(float(each[0]) for each in rows)) < 0:
        raise ArgumentError(f"the mass is {least:g} kg; a mass is not negative.")
    if name == "state.q":
        for each in rows:
            require_turns("q", each, robot.coordinates.joints)
