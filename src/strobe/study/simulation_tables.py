"""A simulated motion in numbers: how it went, joint by joint, and where its energy came from and went to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.equations.meaning import units_of
from strobe.show.tables import in_units, remark, short, table, tidy
from strobe.show.terminal import Table

if TYPE_CHECKING:
    from strobe.simulate.run import Run


def told(run: Run) -> dict[str, Any]:
    """What there is to say about one run, as data."""
    from strobe.simulate.run import RunStatus  # every verb imports the study: simulation waits

    reached = np.isfinite(run.qd).all(axis=-1)
    q, qd, tau = run.q[reached], run.qd[reached], run.tau[reached]
    return {
        "robot": run.robot.name,
        "method": run.method,
        "step": run.step,
        "rows": len(q),
        "reached": float(run.stopped),
        "status": RunStatus(int(run.status)).name.lower(),
        "joints": run.robot.coordinates.rate_names,
        "units": units_of(run.robot),
        "from": q[0],
        "to": q[-1],
        "lowest": q.min(axis=0),
        "highest": q.max(axis=0),
        "largest": {"velocity": np.abs(qd).max(axis=0), "torque": np.abs(tau).max(axis=0)},
        "energy": _books(run, np.flatnonzero(reached)),
        "error": None if run.error is None else _errors(run),
        "loops_open_by": _open_by(run, q),
        "exceeded": [each._asdict() for each in run.exceeded],
        "notes": list(run.notes),
    }


def _open_by(run: Run, q: np.ndarray) -> float | None:
    """How far closed chains were from closed, at most; nothing where there are none."""
    closed = run.robot.model.is_closed
    return float(np.abs(run.robot.loop_residuals(q)).max()) if closed else None


def _errors(run: Run) -> dict[str, float]:
    """The largest estimated errors of positions and velocities, over the whole run."""
    assert run.error is not None
    return {name: float(np.nanmax(values)) for name, values in run.error._asdict().items()}


def _books(run: Run, rows: np.ndarray) -> dict[str, Any]:
    from strobe.simulate.equations_of_motion import WORKS

    books = run.audit.at(rows)
    return {
        "start": {"kinetic": float(books.kinetic[0]), "potential": float(books.potential[0])},
        "end": {"kinetic": float(books.kinetic[-1]), "potential": float(books.potential[-1])},
        "work": {name: float(books.work_of(name)[-1]) for name in WORKS},
        "events": float(books.events[-1]),
        "drift": float(books.drift[-1]),
        "largest_drift": float(books.largest_drift),
    }


def shown(data: Mapping[str, Any]) -> Iterator[Any]:
    """A run as a terminal prints it: a line, its joints, its energy."""
    how = "" if np.isnan(data["step"]) else f" in steps of {short(data['step'])} s"
    yield remark(f"{data['method']}{how}: {short(data['reached'])} s, {data['rows']:,} rows")
    if data["error"] is not None:
        off = data["error"]
        yield remark(f"estimated errors, at most: {off['q']:.2g} in q, {off['qd']:.2g} in qd")
    if data["loops_open_by"] is not None:
        yield remark(f"loops are open by at most {data['loops_open_by']:.1e} (metres, or sines of angles)")
    yield joints_table(data)
    yield energy_table(data["energy"])


def joints_table(data: Mapping[str, Any]) -> Table:
    """Where each joint went, how fast and under what torque; joints with quaternions have rates only."""
    plain = len(data["from"]) == len(data["joints"])
    places = ("from", "to", "lowest", "highest") if plain else ()
    columns = [tidy(data[name], *(data[other] for other in places)) for name in places]
    felt = [name for name, values in data["largest"].items() if np.any(values)]
    columns += [tidy(data["largest"][name]) for name in felt]
    largest = [in_units(f"largest {name}", name, data["units"]) for name in felt]
    head = ["joint", *(in_units(name, "position", data["units"]) for name in places), *largest]
    return table(head, [list(row) for row in zip(data["joints"], *columns, strict=True)])


def energy_table(books: Mapping[str, Any]) -> Table:
    """What was there, what came and went, and what nothing accounts for."""
    books = _tidied(books)
    start, end = books["start"], books["end"]
    moved = {f"work of {name}": value for name, value in books["work"].items() if value}
    moved |= {"events": books["events"]} if books["events"] else {}
    rows = [
        ["at the start", sum(start.values()), *start.values()],
        *([name, value, None, None] for name, value in moved.items()),
        ["unaccounted for", books["drift"], None, None],
        ["at the end", sum(end.values()), *end.values()],
    ]
    return table(["", "energy (J)", *(f"{name} (J)" for name in start)], rows)


def _tidied(books: Mapping[str, Any]) -> dict[str, Any]:
    """Energies to read: what is rounding beside the largest of them is 0."""
    names = ("start", "end", "work")
    every = [*(x for name in names for x in books[name].values()), books["events"], books["drift"]]
    *values, events, drift = tidy(every)
    left = iter(values)
    return {name: {key: next(left) for key in books[name]} for name in names} | {
        "events": events,
        "drift": drift,
    }
