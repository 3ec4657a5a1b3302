"""What is kept of many numbers: how many, their mean and variance, the least and the largest with their runs.

    n = n₁ + n₂,   d = x̄₂ − x̄₁
    x̄ = x̄₁ + d n₂ / n
    S = S₁ + S₂ + d² n₁ n₂ / n        S the sum of squared deviations

Chunks are reduced one by one and merged in the order of their numbers, so that the result has the same bits
whatever the order in which they were done. Numbers that are not finite are not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from strobe.show.json_text import plain

STATUS = "status"  # the field that says how a run ended


@dataclass(frozen=True, slots=True)
class Moments:
    """A field over some runs, component by component."""

    count: np.ndarray
    mean: np.ndarray
    deviations: np.ndarray  # the sum of squared deviations from the mean
    least: np.ndarray
    least_run: np.ndarray
    largest: np.ndarray
    largest_run: np.ndarray

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")
    def of(cls, values: np.ndarray, first_run: int) -> Moments:
        """The moments of values (runs, …) whose first row is the run of this number."""
        # sums go pairwise
        values = np.ascontiguousarray(np.moveaxis(np.asarray(values, dtype=float), 0, -1))
        finite = np.isfinite(values)
        count = finite.sum(-1)
        mean = np.where(finite, values, 0.0).sum(-1) / np.maximum(count, 1)
        off = np.where(finite, values - mean[..., None], 0.0)
        low, high = np.where(finite, values, np.inf), np.where(finite, values, -np.inf)
        return cls(
            count,
            mean,
            (off * off).sum(-1),
            np.where(count > 0, low.min(-1), np.nan),
            first_run + low.argmin(-1),
            np.where(count > 0, high.max(-1), np.nan),
            first_run + high.argmax(-1),
        )

    @np.errstate(over="ignore", invalid="ignore")
    def then(self, later: Moments) -> Moments:
        """These and those of later runs, merged; of equal extremes the earlier one stays."""
        count = self.count + later.count
        share = later.count / np.maximum(count, 1)
        d = later.mean - self.mean
        none = self.count == 0
        lower, higher = none | (later.least < self.least), none | (later.largest > self.largest)
        return Moments(
            count,
            self.mean + d * share,
            self.deviations + later.deviations + d * d * self.count * share,
            np.where(lower, later.least, self.least),
            np.where(lower, later.least_run, self.least_run),
            np.where(higher, later.largest, self.largest),
            np.where(higher, later.largest_run, self.largest_run),
        )

    def data(self) -> dict[str, Any]:
        """As JSON, from which the same bits are read again; no least and no largest is null."""
        return {field.name: plain(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Moments:
        whole = ("count", "least_run", "largest_run")
        kinds = {field.name: int if field.name in whole else float for field in fields(cls)}
        return cls(**{name: np.array(data[name], dtype=kind) for name, kind in kinds.items()})

    def told(self) -> dict[str, Any]:
        """As a summary tells it: with the variance of the runs in place of the sum; null where there is none."""
        nothing, one = self.count == 0, self.count < 2
        return plain(
            {
                "count": self.count,
                "mean": np.where(nothing, np.nan, self.mean),
                "variance": np.where(one, np.nan, self.deviations / np.maximum(self.count - 1, 1)),
                "least": self.least,
                "least_run": self.least_run,
                "largest": self.largest,
                "largest_run": self.largest_run,
            }
        )


@dataclass(frozen=True, slots=True)
class Reduced:
    """All fields of some runs of one cell, and how many runs ended in which way."""

    runs: int
    status: Counter[int]
    moments: dict[str, Moments]

    @classmethod
    def of_each(cls, rows: Mapping[str, np.ndarray], runs: int, first_run: int) -> Iterator[Reduced]:
        """Those of cells that have so many runs each, one after the other."""
        for start in range(0, len(next(iter(rows.values()))), runs):
            some = {name: values[start : start + runs] for name, values in rows.items()}
            yield cls.of(some, first_run + start)

    @classmethod
    def of(cls, rows: Mapping[str, np.ndarray], first_run: int) -> Reduced:
        runs = len(next(iter(rows.values())))
        ends = np.unique_counts(np.asarray(rows.get(STATUS, np.zeros(runs, int))))
        return cls(
            runs,
            Counter(dict(zip(ends.values.tolist(), ends.counts.tolist(), strict=True))),
            {name: Moments.of(values, first_run) for name, values in rows.items() if name != STATUS},
        )

    def then(self, later: Reduced) -> Reduced:
        return Reduced(
            self.runs + later.runs,
            self.status + later.status,
            {name: moments.then(later.moments[name]) for name, moments in self.moments.items()},
        )

    def data(self) -> dict[str, Any]:
        return {
            "runs": self.runs,
            "status": _by_text(self.status),
            "fields": {name: moments.data() for name, moments in self.moments.items()},
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Reduced:
        return cls(
            data["runs"],
            Counter({int(code): count for code, count in data["status"].items()}),
            {name: Moments.from_data(moments) for name, moments in data["fields"].items()},
        )

    def told(self) -> dict[str, Any]:
        return {
            "runs": self.runs,
            "status": _by_text(self.status),
            "fields": {name: moments.told() for name, moments in self.moments.items()},
        }


def _by_text(status: Counter[int]) -> dict[str, int]:
    return {str(code): count for code, count in sorted(status.items())}
