"""The ladder of speed: inverse dynamics by every formulation, all compiled alike, and by other libraries beside it.

Every way is timed in turn with the others on the same states, one thread; a time is the best of many rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log
from typing import Any

from strobe.analysis.peers import beside
from strobe.analysis.speed import batch_way, formulations, single_way, too_large
from strobe.compiler.runtime.timing import BATCH, Way, best_times
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.show.tables import remark, table, three
from strobe.study import page_parts as page
from strobe.study.case import Case
from strobe.study.refusals import reasons

TITLE = "How fast it is on this machine"
SLOW = True

MOST = 80  # degrees of freedom; of more, compiling the slow formulations takes minutes
SECONDS = 3.0  # for timing; compiling takes what it takes
DEFAULT = "strobe"
ONE_CALL = "strobe, one call"
SHOWN = (
    "Time per state of inverse dynamics on a logarithmic scale, in batches on one thread or in single calls from "
    "Python. Grey: the formulations of the papers, compiled alike; coral: other libraries."
)

Timed = dict[str, tuple[Way, int]]  # a way, and the states that a call of it does


def measure(case: Case) -> dict[str, Any]:
    """Nanoseconds per state of every way, slowest first."""
    case.require_dynamics()
    case.require_at_most(MOST, "Times", f"Run: strobe bench {case.called}")
    robot = Robot(case.robot.model)
    asked, left_out = _requests(robot, case)
    own: Timed = {name: (batch_way(robot, request, 1), BATCH) for name, request in asked.items()}
    own[ONE_CALL] = single_way(robot, Request("inverse_dynamics")), 1
    peers, missing = beside(robot)
    others: Timed = {name: way for peer in peers for name, way in peer.ways("inverse_dynamics").items()}
    times = best_times({name: way for name, (way, _) in (own | others).items()}, SECONDS)
    ns = {name: 1e9 * times[name] / states for name, (_, states) in (own | others).items()}
    programs = {name: robot.kernel(request).program for name, request in asked.items()}
    return {
        "batch": BATCH,
        "ways": [
            {
                "name": name,
                "kind": _kind(name, others),
                "ns": ns[name],
                "over_default": ns[name] / ns[DEFAULT],
                "multiplications": programs[name].multiplications if name in programs else None,
                "additions": programs[name].additions if name in programs else None,
            }
            for name in sorted(ns, key=lambda name: -ns[name])
        ],
        "left_out": left_out,
        "peers_left_out": missing,
    }


def _requests(robot: Robot, case: Case) -> tuple[dict[str, Request], dict[str, str]]:
    """What is compiled, by name, the default last; and why other formulations are not."""
    allowed = {str(r.formulation): r for r in formulations(robot) if r.formulation in case.formulations}
    reasons = {name: too_large(robot, request) for name, request in allowed.items()}
    asked = {name: request for name, request in allowed.items() if reasons[name] is None}
    asked[DEFAULT] = Request("inverse_dynamics", friction=False)
    return asked, {name: reason for name, reason in reasons.items() if reason} | case.refused


def _kind(name: str, others: Timed) -> str:
    if name in others:
        return "library"
    return "default" if name in (DEFAULT, ONE_CALL) else "formulation"


def command(case: Case) -> str:
    return f"bench {case.called} --peers"


def in_brief(data: Mapping[str, Any]) -> tuple[str, str]:
    """Our time, and how it compares with the slowest formulation and with Pinocchio."""
    own = next(way["ns"] for way in data["ways"] if way["name"] == DEFAULT)
    slowest = next((way for way in data["ways"] if way["kind"] == "formulation"), None)
    theirs = next((way for way in data["ways"] if way["name"] == "Pinocchio, batch"), None)
    what = "for the torques of one state, in a batch on one thread"
    faster: list[str] = []
    if slowest:
        faster.append(f"{slowest['over_default']:.0f} times faster than {slowest['name']}, compiled alike")
    if theirs:
        faster.append(f"{theirs['over_default']:.0f} times faster than Pinocchio's batch call")
    return f"{own:.0f} ns", f"{what}: {', '.join(faster)}" if faster else what


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        f"nanoseconds per state; batches of {data['batch']:,} states on one thread, friction left out; "
        f"{DEFAULT} regroups the inertias first; compare within this table only"
    )
    rows = [
        [
            way["name"],
            way["multiplications"],
            way["additions"],
            three(way["ns"]),
            three(way["over_default"]),
        ]
        for way in data["ways"]
    ]
    yield table(["way", "×", "+", "ns", f"over {DEFAULT}"], rows)
    yield from map(remark, [*reasons(data["left_out"]), *data["peers_left_out"]])


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    return page.markup(
        _ladder(data), page.tag("details", page.tag("summary", "In numbers"), page.printed(render(data)))
    )


def _ladder(data: Mapping[str, Any]) -> page.Html:
    """A bar per way, slowest first; lengths are logarithms, because times span orders of magnitude."""
    top, low = data["ways"][0]["ns"], 0.5 * data["ways"][-1]["ns"]
    rows = (_rung(way, log(way["ns"] / low) / log(top / low)) for way in data["ways"])
    return page.tag("figure", page.tag("ol", rows, class_="ladder"), page.tag("figcaption", SHOWN))


def _rung(way: Mapping[str, Any], part: float) -> page.Html:
    return page.tag(
        "li",
        page.tag("span", way["name"], class_="what"),
        page.tag("span", class_=f"bar {way['kind']}", style=f"--part:{part:.3f}"),
        page.tag("span", f"{three(way['ns']):,g} ns", class_="figure"),
    )
