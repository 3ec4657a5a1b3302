"""Where a torque comes from: gravity, velocity, inertia, friction and external wrenches, joint by joint.

tau = M(q) qdd + C(q, qd) qd + g(q) + friction(qd) − Σ Jᵀ F
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from strobe.equations.meaning import Explanation, Row, units_of
from strobe.errors import UnsupportedModelError
from strobe.show.plots import STACK
from strobe.show.tables import remark
from strobe.study import page_parts as page
from strobe.study.case import Case
from strobe.study.figure_effects import effects_figure
from strobe.study.torque_parts import split, split_table

TITLE = "Where the torques come from"

LARGEST = 100  # degrees of freedom: every torque has a term for every pair of them
FELT = 0.005  # of the sum of magnitudes: terms below are left out
MOST = 5  # terms of a torque that are drawn
LETTERS = 26  # of what fits beside a bar; longer names stand above it
PANELS = 12  # torques that are drawn


def measure(case: Case) -> dict[str, Any]:
    """The split at the state of the study."""
    case.require_dynamics()
    case.require_at_most(LARGEST, "Terms", "Ask robot.explain for one state.")
    return {
        "joints": case.robot.coordinates.rate_names,
        "units": units_of(case.robot),
        "state": case.origin,
        "q": case.q,
        "qd": case.qd,
        "qdd": case.qdd,
        **split(case.robot, case.q, case.qd, case.qdd),
        "explained": _explained(case.explanation),
    }


def _explained(found: Explanation) -> list[dict[str, Any]]:
    """The terms of every torque that can be felt, the largest first."""
    return [
        {
            "joint": name,
            "unit": unit,
            "tau": float(found.torques[i]),
            "terms": [*_felt(found.rows(i, FELT))],
        }
        for i, (name, unit) in enumerate(zip(found.joints, found.units, strict=True))
    ]


def _felt(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    return (row.data() for row in sorted(rows, key=lambda row: -float(row.share)))


def command(case: Case) -> str:
    return case.at_state("explain")


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        "tau = gravity g(q) + velocity C(q, qd) qd + inertial M(q) qdd + friction(qd), in N m or N"
    )
    yield split_table(data)


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    """The table, and under it what each torque is made of."""
    largest = sorted(data["explained"], key=lambda row: -abs(row["tau"]))[:PANELS]
    shown = [row for row in data["explained"] if row in largest]
    more = len(data["explained"]) - len(shown)
    long = any(len(_label(term)) > LETTERS for row in shown for term in row["terms"][:MOST])
    return page.markup(
        page.printed(render(data)),
        page.tag("div", (_bars(row, long) for row in shown), class_="terms-of"),
        _effects(case),
        page.tag("p", f"The {PANELS} largest torques; {more} more are in the JSON file.", class_="remark")
        if more
        else None,
    )


def _effects(case: Case) -> page.Html | None:
    """Centrifugal and Coriolis forces as sketches, for arms that move in a plane."""
    if not np.any(case.qd):
        return None
    try:
        return page.figure(effects_figure(case.robot, case.q, case.qd))
    except UnsupportedModelError:
        return None


def _bars(row: Mapping[str, Any], long: bool) -> page.Html:
    """The terms of one torque as bars (``long`` names above them), as long as the share in the sum of magnitudes."""
    items = [
        page.tag(
            "li",
            page.tag("span", _label(term), class_="kind"),
            page.tag(
                "span",
                class_="bar",
                style=f"--part:{term['share']:.3f};--kind:var(--c{STACK[term['kind']]})",
            ),
            page.tag("span", f"{short_value(term['value'])}", class_="figure"),
            title=f"{term['formula']}: {term['meaning']}",
        )
        for term in row["terms"][:MOST]
    ]
    head = page.tag("h3", f"{row['joint']}: {short_value(row['tau'])} {row['unit']}")
    look = "terms long" if long else "terms"
    return page.tag("div", head, page.tag("ul", items or page.tag("li", "no torque"), class_=look))


def _label(term: Mapping[str, Any]) -> str:
    """The kind of a term, and the joints whose motion causes it."""
    return " ".join([term["kind"], *_causes(term)])


def _causes(term: Mapping[str, Any]) -> Sequence[str]:
    """The joints whose motion causes a term, where it is not the joint itself."""
    return () if term["kind"] == "effective inertia" else term["by"]


def short_value(x: float) -> str:
    """Three digits, with a proper minus."""
    return f"{x + 0.0:.3g}".replace("-", "−")
