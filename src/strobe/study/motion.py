"""The torques along a motion, and what they are made of: every joint swings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from strobe.equations.meaning import KINDS, Explanation
from strobe.show.axes import NARROW
from strobe.show.plots import torque_bars
from strobe.show.tables import remark, table, three, tidy
from strobe.study import page_parts as page
from strobe.study.case import Case
from strobe.study.sample_motion import PERIOD

TITLE = "Torques along a motion"

INSTANTS, FEWER = 97, 25  # rows of the motion; fewer where there are many joints
MANY = 16  # joints
PANELS = 12  # drawn at most: those with the largest torques
IN_SHORT = "What the torques are made of"  # the title where there is little room


def measure(case: Case) -> dict[str, Any]:
    """Torques and their kinds of terms (instants, n) over one period."""
    case.require_dynamics()
    times = np.linspace(0.0, PERIOD, FEWER if case.robot.nv > MANY else INSTANTS)
    q, qd, qdd = case.swing.states(times)
    found = case.robot.explain(q, qd, qdd)
    return {
        "joints": found.joints,
        "units": found.units,
        "times": times,
        "q": q,
        "qd": qd,
        "qdd": qdd,
        "tau": found.tau,
        "parts": found.parts,
        "mean_magnitude": {kind: np.abs(x).mean(axis=0) for kind, x in found.parts.items()},
        "largest": np.abs(found.tau).max(axis=0),
    }


def in_brief(data: Mapping[str, Any]) -> tuple[str, str]:
    """The largest torque of the motion."""
    k = int(np.argmax(data["largest"]))
    return (
        f"{three(data['largest'][k]):,g} {data['units'][k]}",
        f"at most, at {data['joints'][k]}, along a swing of every joint",
    )


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        f"every joint swings, period {PERIOD:g} s; largest torque, and mean magnitudes of its terms"
    )
    means = {kind: tidy(data["mean_magnitude"][kind], data["largest"]) for kind in KINDS}
    felt = [kind for kind in KINDS if any(means[kind])]
    columns = [tidy(data["largest"]), *(means[kind] for kind in felt)]
    rows = zip(data["joints"], data["units"], *columns, strict=True)
    yield table(["joint", "", "largest", *felt], [list(row) for row in rows])


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    shown, times = _largest(data, case), data["times"]
    wide, narrow = torque_bars(shown, times), torque_bars(shown, times, title=IN_SHORT, width=NARROW)
    return page.markup(
        page.figure_by_width(wide, narrow, _caption(data), motion="swing"), page.printed(render(data))
    )


def _caption(data: Mapping[str, Any]) -> str:
    count = len(data["joints"])
    return "" if count <= PANELS else f"The {PANELS} largest of {count} torques; all are in the JSON file."


def _largest(data: Mapping[str, Any], case: Case) -> Explanation:
    """What the figure shows: the torques that count most, in the order of the joints."""
    kept = np.sort(np.argsort(-data["largest"], kind="stable")[:PANELS])
    shown: Any = SimpleNamespace(
        robot=case.robot.name,
        joints=[data["joints"][k] for k in kept],
        units=[data["units"][k] for k in kept],
        tau=data["tau"][:, kept],
        parts={kind: x[:, kept] for kind, x in data["parts"].items()},
    )
    return shown
