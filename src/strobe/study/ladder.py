"""The ladder from equations as written to compiled code, rung by rung, beside what was reported in 1979."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from strobe.approximate.recommendation import in_time
from strobe.study.tables import remark, table

if TYPE_CHECKING:
    from strobe.robot import Robot


def told(robot: Robot) -> list[dict[str, Any]]:
    """The rungs as plain data."""
    from strobe.approximate import ladder

    return [asdict(rung) for rung in ladder(robot)]


def shown(rungs: Sequence[dict[str, Any]]) -> Iterator[Any]:
    """The rungs as a terminal prints them."""
    yield remark(
        "the ladder: the time of a state on this machine, beside what [Waters1979] reports of a PDP-11/45"
    )
    rows = [
        [rung["title"], rung["multiplications"], rung["additions"], _time(rung["ns"]), rung["reported"]]
        for rung in rungs
    ]
    yield table(["", "×", "+", "time", "reported"], rows)


def _time(ns: float | None) -> str | None:
    return None if ns is None else in_time(ns)
