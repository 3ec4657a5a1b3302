"""Which method to take: a rule over what was measured, stated in words and followed to the letter.

A method counts as good enough where its error stays within a share of every joint's largest torque. Times differ from
run to run, so two that are nearer to each other than `NOISE` are the same to this rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

EXACT = "exact"
NOISE = 1.2  # times whose ratio is less are not told apart
# times the exact torques, at most: up to here a table is no worse than its price in memory
TABLES_PAY = 1.5


class Measured(Protocol):
    """What the rule looks at."""

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def memory(self) -> int: ...
    @property
    def ns(self) -> float | None: ...
    @property
    def work(self) -> int: ...
    @property
    def error(self) -> float: ...


def rule(within: float, budget: int | None = None) -> str:
    """The rule in words."""
    room = "" if budget is None else f" and whose memory stays within {in_bytes(budget)}"
    return (
        f"of the methods whose error stays within {percent(within)} of every joint's largest torque{room}, the "
        f"fastest; the exact torques where nothing else is faster by a factor of {NOISE:g}; among methods as fast as "
        "that, the one with the least memory, then the least error."
    )


def pareto(rows: Iterable[Measured]) -> list[str]:
    """The methods that no other beats: none is as good in memory, time and error and better in one of them."""
    known = [row for row in rows if row.ns is not None]
    return [row.name for row in known if not any(_beats(other, row) for other in known)]


def _beats(a: Measured, b: Measured) -> bool:
    ours, theirs = _costs(a), _costs(b)
    return ours != theirs and all(x <= y for x, y in zip(ours, theirs, strict=True))


def _costs(row: Measured) -> tuple[float, float, float]:
    assert row.ns is not None
    return row.memory, row.ns, row.error


def chosen(rows: Iterable[Measured], within: float, budget: int | None = None) -> Measured | None:
    """What the rule names; None where nothing is good enough."""
    fit = [row for row in rows if _fits(row, within, budget)]
    if not fit:
        return None
    least = min(_time(row) for row in fit)
    near = [row for row in fit if _time(row) <= NOISE * least]
    exact = next((row for row in near if row.name == EXACT), None)
    return exact or min(near, key=lambda row: (row.memory, row.error, row.name))


def _fits(row: Measured, within: float, budget: int | None) -> bool:
    return row.ns is not None and row.error <= within and (budget is None or row.memory <= budget)


def _time(row: Measured) -> float:
    assert row.ns is not None
    return row.ns


def recommendation(rows: Mapping[str, Measured], within: float, budget: int | None = None) -> str:
    """A sentence with the figures that it follows from."""
    best = chosen(rows.values(), within, budget)
    if best is None:
        return _nothing(rows, within, budget)
    exact = rows.get(EXACT)
    told = f"{_ns(best)} a state and {in_bytes(best.memory)}"
    if exact is None or exact.ns is None:
        return (
            f"Take {best.name}: {told}, wrong by at most {percent(best.error)} of a joint's largest torque."
        )
    if best is exact:
        return f"Take the exact torques: {told}; {_second(rows, within, budget)}."
    return (
        f"Take {best.name}: {told}, where the exact torques take {_ns(exact)} and {in_bytes(exact.memory)}; it is "
        f"wrong by at most {percent(best.error)} of a joint's largest torque."
    )


def _nothing(rows: Mapping[str, Measured], within: float, budget: int | None) -> str:
    room = "" if budget is None else f" in {in_bytes(budget)}"
    timed = [row for row in rows.values() if row.ns is not None]
    if not timed:
        return f"Nothing that was looked at stays within {percent(within)}{room}."
    nearest = min(timed, key=lambda row: (row.error, row.memory))
    return (
        f"Nothing that was looked at stays within {percent(within)} of every joint's largest torque{room}; nearest "
        f"is {nearest.name}, with {percent(nearest.error)} and {in_bytes(nearest.memory)}."
    )


def _second(rows: Mapping[str, Measured], within: float, budget: int | None) -> str:
    """What the fastest of the approximations that are good enough would gain."""
    others = [row for row in rows.values() if row.name != EXACT and _fits(row, within, budget)]
    if not others:
        return f"no approximation that was looked at stays within {percent(within)} of every joint's largest torque"
    next_best = min(others, key=_time)
    return f"the fastest approximation within {percent(within)}, {next_best.name}, takes {_ns(next_best)}"


def by_work(rows: Mapping[str, Measured], within: float, budget: int | None = None) -> str | None:
    """What takes the fewest operations, in a sentence; None where that is what was recommended, or exact."""
    fit = [row for row in rows.values() if row.error <= within and (budget is None or row.memory <= budget)]
    least = min(fit, key=lambda row: (row.work, row.memory, row.name), default=None)
    exact, best = rows.get(EXACT), chosen(rows.values(), within, budget)
    if least is None or exact is None or least.work >= exact.work or (best and least.name == best.name):
        return None
    return (
        f"Where operations decide, as on a small processor, {least.name} takes {least.work:,} in place of "
        f"{exact.work:,}, wrong by at most {percent(least.error)}."
    )


def on_tables(rows: Mapping[str, Measured], within: float) -> str | None:
    """Whether tables still pay, in a sentence; None where none was timed beside the exact torques.

    The fastest counts that is good enough; where none is, the fastest of all.
    """
    exact = rows.get(EXACT)
    tables = [row for row in rows.values() if row.family == "table" and row.ns is not None]
    if exact is None or exact.ns is None or not tables:
        return None
    good = [row for row in tables if row.error <= within]
    fastest = min(good or tables, key=_time)
    ratio = _time(fastest) / exact.ns
    times = f"{ratio:.3g}" if ratio < 100 else f"{ratio:,.0f}"
    which = f"the fastest within {percent(within)}" if good else "the fastest of them"
    takes = f"takes {times} times as long as the exact torques ({_ns(fastest)} for {_ns(exact)})"
    if ratio > TABLES_PAY:
        held = in_bytes(fastest.memory)
        return f"Tables no longer pay: {which}, {fastest.name}, {takes} and holds {held}."
    return f"Tables keep up: {which}, {fastest.name}, {takes}."


# -- figures in words ---------------------------------------------------------------------------------------


def in_bytes(size: float) -> str:
    """A size to read: 512 bytes, 64 kB, 19.1 MB."""
    if size < 1000:
        return f"{size:.0f} byte{'' if size == 1 else 's'}"
    for unit, one in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)):
        if size < 999.5 * one:
            return f"{size / one:.3g} {unit}"
    return f"{size / 1e15:,.3g} PB"


def percent(share: float) -> str:
    """A share to read: 0.4 %, 3e-05 %."""
    if share < 1e-6:
        return "0 %" if share == 0 else f"{100 * share:.0e} %"
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:,.0f} %"


def in_time(ns: float) -> str:
    """Nanoseconds to read: 12 ns, 2.5 µs, 30 ms."""
    for unit, one in (("ns", 1.0), ("µs", 1e3), ("ms", 1e6)):
        if ns < 999.5 * one:
            return f"{ns / one:.3g} {unit}"
    return f"{ns / 1e9:,.3g} s"


def _ns(row: Measured) -> str:
    return in_time(_time(row))
