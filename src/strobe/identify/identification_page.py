"""The page of an identification: torques measured and predicted, what was found and how well, what stays open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from strobe.identify.identification import TOLD, Identification, LogFit
from strobe.identify.logs import Log
from strobe.identify.payload_readings import owners
from strobe.identify.payload_regressor import PARAMETERS
from strobe.show.html import Html, tag
from strobe.show.plots import Panel, small_multiples
from strobe.show.tables import short, three

Array = np.ndarray

LOOKS = 900  # rows, about, that are drawn
WIDE = 1000  # pixels
STRONGEST, ALIKE = 8, 0.95  # correlations that are told: so many, and none below that
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1040px; margin: 2rem auto; padding: 0 1rem; color: #1b1f24;
  background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; margin: .8rem 0; display: block; overflow-x: auto; }
th, td { padding: .18rem .8rem .18rem 0; text-align: right; border-bottom: 1px solid #e4e7eb; white-space: nowrap; }
th:first-child, td:first-child, td.name, th.name { text-align: left; }
td.name { white-space: normal; } tr.weak td { color: #7a828c; } figure { margin: 1rem 0; } svg { max-width: 100%; }
code { background: #f1f3f5; padding: 0 .25rem; }
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
    yield tag("h2", "What is left")
    yield tag(
        "p",
        "Noise of a row within the band; the chance that white noise looks like what is left (below 0.01 it is "
        "something else, and error bars are wider by it); and the error of rows that were left out of the fit, a "
        "fifth at a time.",
    )
    yield _left(found)
    yield tag("h2", "How the logs were read")
    yield _read(found)
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
        "What torques depend on, by what fits best. Grey: less than two standard deviations from nothing. "
        "Essential are those without which the logs would be explained worse than chance allows.",
    )
    yield _parameters(found)
    yield tag("h2", "Friction")
    yield _friction(found)
    yield from _unknown(found)
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
    times, measured, before, predicted = found.compared(log)
    some = np.unique(np.linspace(0, len(times) - 1, min(len(times), LOOKS)).round().astype(int))
    panels = [
        [
            Panel(
                name,
                "torque",
                "time (s)",
                times[some],
                np.array([measured[some, j], before[some, j], predicted[some, j]]),
            ),
            Panel(name, "left", "time (s)", times[some], (measured - predicted)[some, j]),
        ]
        for j, name in enumerate(owners(found.robot))
    ]
    described = f"Measured and predicted torques of {', '.join(owners(found.robot))} over time."
    return small_multiples(
        log.source,
        described,
        panels,
        width=WIDE,
        curves=("measured", "as given, without friction", "the model"),
    )


def _left(found: Identification) -> Html:
    told = found.tables[1]
    return _table(told.columns, [[str(row[0]), *(short(x) for x in row[1:])] for row in told.rows])


def _read(found: Identification) -> Html:
    rows = [
        [
            told.source, f"{told.rows:,}", f"{told.rate:.4g}", f"{told.kept:,}",
            ", ".join(sorted({f"{x:.2g}" for x in told.steps.tolist() if x})) or "–", _delay(told),
        ]
        for told in found.logs
    ]  # fmt: skip
    columns = [
        "log",
        "rows",
        "a second",
        "kept in the band",
        "steps of positions (rad, m)",
        "efforts come later by (ms)",
    ]
    return _table(columns, rows)


def _delay(told: LogFit) -> str:
    if told.behind is None:
        return (
            ", ".join(f"{1e3 * x:.3g}" for x in sorted(set(told.delay.tolist())))
            if told.delay is not None
            else "–"
        )
    taken = ", taken out" if told.delay is not None else ""
    return f"{1e3 * told.behind.value:.2g} ± {1e3 * told.behind.deviation:.1g}{taken}"


def _unknown(found: Identification) -> Iterator[Html]:
    yield tag("h2", "What stayed unknown")
    yield tag(
        "p", ", ".join(found.unknown) + "." if found.unknown else "Every parameter is told from nothing."
    )
    size = np.abs(np.tril(found.correlations, -1))
    pairs = [divmod(int(k), len(size)) for k in np.argsort(size, axis=None)[::-1][:STRONGEST]]
    rows = [
        [found.all_names[i], found.all_names[k], f"{found.correlations[i, k]:.3f}"]
        for i, k in pairs
        if size[i, k] > ALIKE
    ]
    if rows:
        yield tag("p", "Parameters that these motions hardly tell apart:")
        yield _table(["one", "and the other", "correlation"], rows, words=2)
    yield tag(
        "p",
        "The motion that tells most beside these logs is found by ",
        tag("code", f"strobe identify {found.robot.name} … --information known.npz"),
        " and ",
        tag("code", f"strobe excite {found.robot.name} --known known.npz -o next.json"),
        ".",
    )


def _parameters(found: Identification) -> Html:
    kept, model = found.essential.kept, found.base.map @ found.parameters
    rows = list(
        zip(found.names, found.base.values, found.values, found.deviations, model, kept, strict=False)
    )
    cells = [
        [
            name,
            short(three(given)),
            short(three(x)),
            short(float(f"{s:.2g}")),
            short(three(own)),
            "yes" if is_kept else "–",
        ]
        for name, given, x, s, own, is_kept in rows
    ]
    weak = [not abs(x) > TOLD * s for _, _, x, s, _, _ in rows]
    return _table(["combination", "as given", "found", "±", "model", "essential"], cells, weak=weak)


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
