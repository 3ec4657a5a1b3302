"""The ladder from equations as written to compiled code, rung by rung, beside what was reported in 1979."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from strobe.approximate.recommendation import in_time
from strobe.show.tables import remark, table, three

if TYPE_CHECKING:
    from strobe.robot import Robot


def told(robot: Robot) -> list[dict[str, Any]]:
    """The rungs as plain data, each with how many times faster it is than the one above, and than the first."""
    from strobe.papers import ladder

    rungs = ladder(robot)
    times = [rung.ns for rung in rungs]
    above = [None, *times[:-1]]
    return [
        asdict(rung) | {"factor": _ratio(before, rung.ns), "in_all": _ratio(times[0], rung.ns)}
        for rung, before in zip(rungs, above, strict=True)
    ]


def _ratio(slow: float | None, fast: float | None) -> float | None:
    return None if slow is None or fast is None else slow / fast


def shown(rungs: Sequence[dict[str, Any]]) -> Iterator[Any]:
    """The rungs as a terminal prints them."""
    yield remark(
        "the ladder: the time of a state on this machine, beside what [Waters1979] reports of a PDP-11/45"
    )
    rows = [
        [
            rung["title"], rung["multiplications"], rung["additions"], _time(rung["ns"]),
            times(rung["factor"]), times(rung["in_all"]), rung["reported"],
        ]
        for rung in rungs
    ]  # fmt: skip
    yield table(["", "×", "+", "time", "factor", "in all", "reported"], rows)
    yield from summary(rungs)


def summary(rungs: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What the whole climb brings, how much of it is arithmetic saved, and what fixed point adds today."""
    by_title = {rung["title"]: rung for rung in rungs}
    first, last = rungs[0], by_title["compiled, in a batch"]
    if first["ns"] is not None and first is not last:
        fewer = (first["multiplications"] + first["additions"]) / (
            last["multiplications"] + last["additions"]
        )
        yield (
            f"In all {times(last['in_all'])} from the first rung to a batch of machine code: {times(fewer)} "
            f"by fewer operations, {times(last['in_all'] / fewer)} by how they are run."
        )
    single, fixed = by_title.get("C, float32"), by_title.get("C, fixed point")
    if single and fixed:
        yield (
            f"Fixed point today: {_time(fixed['ns'])} as C where single precision takes {_time(single['ns'])}, "
            f"a factor {single['ns'] / fixed['ns']:.2g}. The report expects 4, of a machine whose floating point "
            "was slow; on a processor without a floating-point unit it may still pay."
        )


def _time(ns: float | None) -> str | None:
    return None if ns is None else in_time(ns)


def times(ratio: float | None) -> str | None:
    """A ratio of times to read, which no clock gives to more than three digits."""
    return None if ratio is None else f"{three(ratio):,.0f}×" if ratio >= 100 else f"{ratio:.2g}×"
