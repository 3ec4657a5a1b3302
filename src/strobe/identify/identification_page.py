"""The page of an identification: torques measured and predicted, what was found and how well, what stays open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from strobe.identify.identification import Identification, LogFit
from strobe.identify.logs import Log
from strobe.identify.payload_readings import owners
from strobe.identify.payload_regressor import PARAMETERS
from strobe.show.html import Html, tag
from strobe.show.plots import Panel, small_multiples
from strobe.show.tables import short, three

Array = np.ndarray

LOOKS = 900  # rows, about, that are drawn
WIDE = 1000  # pixels
SIGNIFICANT = 2.0  # standard deviations from nothing: what lies nearer is told apart
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1040px; margin: 2rem auto; padding: 0 1rem; color: #1b1f24;
  background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; margin: .8rem 0; display: block; overflow-x: auto; }
th, td { padding: .18rem .8rem .18rem 0; text-align: right; border-bottom: 1px solid #e4e7eb; white-space: nowrap; }
th:first-child, td:first-child, td.name, th.name { text-align: left; }
td.name { white-space: normal; } tr.weak td { color: #7a828c; } figure { margin: 1rem 0; } svg { max-width: 100%; }
p.note { background: #fff7df; border-left: 3px solid #d9a400; padding: .4rem .8rem; }
"""


def page(found: Identification, logs: Sequence[Log]) -> str:
    """A page of HTML that needs nothing beside it; ``logs`` are those of `found.logs`, in their order."""
    body = tag(
        "body",
        tag("h1", f"{found.robot.name}, identified"),
        tag("p", found.head + "."),
        _parts(found, logs),
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("title", f"{found.robot.name}, identified"),
        tag("style", Html(STYLE)),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _parts(found: Identification, logs: Sequence[Log]) -> Iterator[Html]:
    yield from (tag("p", remark, class_="note") for remark in found.remarks)
    yield tag("h2", "How well torques are explained")
    yield tag(
        "p",
        "Relative residual error of each joint within the band, in percent: what is left, of what was measured.",
    )
    yield _errors(found)
    for told, log in zip(found.logs, logs, strict=True):
        yield tag("h2", f"{told.source}{', held out' if told.held_out else ''}")
        yield tag("figure", Html(_torques(found, log)))
    if found.gains is not None:
        yield tag("h2", "Drive gains")
        rows = zip(owners(found.robot), found.gains.values, found.gains.deviations, strict=True)
        yield _table(["joint", "N m/A", "±"], [[name, short(g), short(three(s))] for name, g, s in rows])
    yield tag("h2", "Base parameters")
    yield tag(
        "p",
        "What torques depend on, by what fits best. Grey: less than two standard deviations from nothing.",
    )
    yield _parameters(found)
    yield tag("h2", "Friction")
    yield _friction(found)
    yield tag("h2", "The model")
    yield tag(
        "p",
        "Bodies that can be, nearest to what was found; torques do not tell each of these numbers by itself.",
    )
    yield _bodies(found)


def _errors(found: Identification) -> Html:
    kinds: Mapping[str, str] = {
        "before": "inertias as given", "fit": "best fit", "after": "model", "moving": "model, while the joint moves",
    }  # fmt: skip
    rows = [
        [told.source, name, *_percent(told, kind)] for told in found.logs for kind, name in kinds.items()
    ]
    return _table(["log", "by", *owners(found.robot)], rows, words=2)


def _percent(told: LogFit, kind: str) -> list[str]:
    return [short(three(x)) if np.isfinite(x) else "–" for x in getattr(told, kind).tolist()]


def _torques(found: Identification, log: Log) -> str:
    """Measured and predicted torques of every joint over time, and what is left."""
    times, measured, predicted = found.predicted(log)
    some = np.unique(np.linspace(0, len(times) - 1, min(len(times), LOOKS)).round().astype(int))
    panels = [
        [
            Panel(
                name, "torque", "time (s)", times[some], np.array([measured[some, j], predicted[some, j]])
            ),
            Panel(name, "left", "time (s)", times[some], (measured - predicted)[some, j]),
        ]
        for j, name in enumerate(owners(found.robot))
    ]
    described = f"Measured and predicted torques of {', '.join(owners(found.robot))} over time."
    return small_multiples(log.source, described, panels, width=WIDE, curves=("measured", "the model"))


def _parameters(found: Identification) -> Html:
    rows = list(zip(found.names, found.base.values, found.values, found.deviations, strict=True))
    cells = [[name, short(given), short(x), short(float(f"{s:.2g}"))] for name, given, x, s in rows]
    weak = [not abs(x) > SIGNIFICANT * s for _, _, x, s in rows]
    return _table(["combination", "as given", "found", "±"], cells, weak=weak)


def _friction(found: Identification) -> Html:
    rows = [
        [name, *(f"{x:.3g} ± {s:.1g}" for x, s in zip(own, spread, strict=True))]
        for name, own, spread in zip(
            owners(found.robot), found.friction, found.friction_deviations, strict=True
        )
    ]
    return _table(["joint", *found.coefficients], rows)


def _bodies(found: Identification) -> Html:
    tens = found.parameters.reshape(-1, len(PARAMETERS))
    rows = [
        [body.name, *(short(three(x)) for x in ten)]
        for body, ten in zip(found.robot.model.bodies, tens.tolist(), strict=True)
    ]
    return _table(["body", *PARAMETERS], rows)


def _table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    weak: Sequence[bool] | None = None,
    words: int = 1,
) -> Html:
    looks = weak or [False] * len(rows)
    kinds = ["name" if k < words else None for k in range(len(columns))]
    head = tag("tr", (tag("th", name, class_=kind) for name, kind in zip(columns, kinds, strict=True)))
    body = [
        tag(
            "tr",
            (tag("td", word, class_=kind) for word, kind in zip(row, kinds, strict=True)),
            class_="weak" if is_weak else None,
        )
        for row, is_weak in zip(rows, looks, strict=True)
    ]
    return tag("table", tag("thead", head), tag("tbody", body))
