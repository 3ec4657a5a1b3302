"""What drives a run, as people give it: arrays, tables over time, compiled laws, Python functions.

| torque= | what happens |
| --- | --- |
| an array (..., n), or a number | constant |
| `TimeSeries` | sampled at the times of the stages; linear between its rows, or each row held until the next |
| `strobe.trace(law, t=1, q=n, qd=n, …)` | compiled into the step; further arguments come from ``parameters=`` |
| any other function ``f(t, q, qd)`` | called on the whole batch at every stage; the loop runs in Python |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe import renamed
from strobe.compiler.runtime.arrays import checked
from strobe.errors import ArgumentError, ShapeError
from strobe.models.payloads import SLACK, impossible, payload
from strobe.show.sheet import Column, Sheet, by_joint, displayed, number, numbered
from strobe.simulate.equations_of_motion import PAYLOAD

Array = np.ndarray
Function = Callable[[float, Array, Array], Any]
HOLDS = ("linear", "zero-order")


@displayed
@dataclass(frozen=True, eq=False)
class TimeSeries:
    """Values over time: rows (..., T, n) at T rising times; in between linear, or each row held until the next.

    Steps end at the times of rows, where the values bend or jump.
    """

    times: Array
    values: Array
    hold: str = "linear"

    def _sheet(self) -> Sheet:
        n = np.shape(self.values)[-1]
        head = f"torques of {n} joints from {number(float(self.times[0]))} to {number(float(self.times[-1]))} s"
        return Sheet(f"{head}, {len(self.times):,} rows, {self.hold}", [by_joint(numbered("", n), [
            Column("tau", self.values, "N m or N")])])  # fmt: skip

    def __post_init__(self) -> None:
        times = checked("times", self.times, (), "they are times").astype(float)
        if times.ndim != 1 or len(times) < 2 or not np.all(np.diff(times) > 0):
            raise ArgumentError("the times of a table must be two or more, each after the one before.")
        if self.hold not in HOLDS:
            raise ArgumentError(f'hold is "{self.hold}"; expected "linear" or "zero-order".')
        values = checked("values", self.values, (), "they are rows over time").astype(float)
        if values.ndim < 2 or values.shape[-2] != len(times):
            raise ShapeError(
                "values", values.shape, f"(..., {len(times)}, n)", f"the table has {len(times)} times"
            )
        rows = np.isfinite(values).all(axis=(*range(values.ndim - 2), -1))
        if not rows.all():
            raise ArgumentError(
                f"the table holds a value that is not finite, at time {times[~rows][0]:g} s."
            )
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)

    @property
    def jumps(self) -> Array:
        """The times at which values jump."""
        return self.times if self.hold == "zero-order" else np.empty(0)

    def sampled(self, t: Array, inside: Array) -> Array:
        """Values (..., K, S, n) at times (K, S), row k in the interval of the table that contains inside[k]."""
        linear = self.hold == "linear"
        row = np.searchsorted(self.times, inside, side="right") - 1
        row = np.clip(row, 0, len(self.times) - 1 - linear)
        values = self.values[..., row, None, :]
        if not linear:
            return np.broadcast_to(values, (*self.values.shape[:-2], *t.shape, self.values.shape[-1]))
        part = (t - self.times[row, None]) / (self.times[row + 1] - self.times[row])[:, None]
        return values + (self.values[..., row + 1, None, :] - values) * part[..., None]

    def require(self, name: str, size: int, start: float, end: float) -> None:
        """Refuse a table that does not fit: its width, or the times it knows."""
        if self.values.shape[-1] != size:
            raise ShapeError(
                name, self.values.shape, f"(..., {len(self.times)}, {size})", "a row does not fit"
            )
        late = self.hold == "linear" and end > self.times[-1] * (1 + 1e-12)
        if start < self.times[0] or late:
            raise ArgumentError(
                f"{name} is known from {self.times[0]:g} to {self.times[-1]:g} s, but the run lasts from {start:g} "
                f"to {end:g} s; give a table that covers it."
            )


@dataclass(frozen=True, slots=True)
class Stops:
    """Joint stops as springs and dampers, for every joint or one value per degree of freedom.

    Left open, the stiffness lets the inertia that a joint moves at the start swing at 200 rad/s, and the damping is
    half of what is critical for that.
    """

    stiffness: Any = None  # N m/rad, N/m
    damping: Any = None  # N m s/rad, N s/m


def payload_numbers(value: Any) -> Array:
    """Payloads as ten numbers each: (..., 4) is a mass and its centre, (..., 10) all of them, in frame axes."""
    if isinstance(value, TimeSeries):
        raise ArgumentError("payload cannot be a table: it is constant, or changed by events.")
    numbers = checked("payload", value, (), "it is a payload").astype(float)
    size = numbers.shape[-1] if numbers.ndim else 0
    if size not in (4, PAYLOAD):
        raise ShapeError(
            "payload", numbers.shape, "(..., 4) or (..., 10)", "it is mass and centre, or ten parameters"
        )
    if not np.isfinite(numbers).all():
        raise ArgumentError("payload holds a number that is not finite.")
    if (negative := numbers[..., 0][numbers[..., 0] < 0]).size:
        raise ArgumentError(f"payload has the mass {negative[0]:g} kg; a mass is not negative.")
    if size == PAYLOAD:
        _require_bodies(numbers.reshape(-1, PAYLOAD))
        return numbers
    m, c = numbers[..., :1], numbers[..., 1:]
    moments = m * np.sum(c * c, axis=-1, keepdims=True) - m * c * c
    products = -m * np.stack([c[..., 0] * c[..., 1], c[..., 0] * c[..., 2], c[..., 1] * c[..., 2]], axis=-1)
    return np.concatenate([m, m * c, moments, products], axis=-1)


def _require_bodies(numbers: Array) -> None:
    """Refuse ten numbers (N, 10) that no body has: by the principal moments about its centre of mass."""
    m, h, (xx, yy, zz, xy, xz, yz) = numbers[:, 0], numbers[:, 1:4], numbers[:, 4:].T
    if (without := (m == 0) & np.any(numbers != 0, axis=1)).any():
        raise ArgumentError(f"{_payload(without)} has moments but no mass; give its mass.")
    about_origin = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=-1).reshape(-1, 3, 3)
    c = h / np.where(m > 0, m, 1.0)[:, None]
    far = np.einsum("ni,ni->n", h, c)[:, None, None] * np.eye(3) - h[:, :, None] * c[:, None, :]
    moments = np.linalg.eigvalsh(about_origin - far)
    # of a point: what rounding left
    moments[np.abs(moments) <= SLACK * np.abs(xx + yy + zz)[:, None]] = 0.0
    tolerance = SLACK * np.abs(moments).sum(axis=1)
    a, b, c = moments.T
    if (bad := (a < -tolerance) | (a + b - c < -tolerance)).any():
        raise ArgumentError(
            f"{_payload(bad)} has about its centre of mass {impossible(moments[bad][0].tolist())} "
            "The ten numbers are m, m c and the inertia about the frame's origin (xx yy zz xy xz yz)."
        )


def _payload(which: Array) -> str:
    """The first of a batch that something holds of, by its number."""
    return "payload" if len(which) == 1 else f"payload {int(np.argmax(which))}"


def one_payload(mass: float, com: Sequence[float], inertia: Any, size: float | None) -> Array:
    """The ten numbers of one payload, checked as `Robot.with_payload` does."""
    body = payload(mass, com, inertia, size).about_origin
    return np.array([float(x) for x in body.parameters])  # pyright: ignore[reportArgumentType]


def named(value: Any, frame: str | None) -> Mapping[str | None, Any]:
    """What is given by frame: a mapping as it is, anything else for one frame."""
    if value is None:
        return {}
    return value if isinstance(value, Mapping) else {frame: value}


renamed.answer(__name__)
