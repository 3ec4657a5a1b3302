"""The equations of motion of this robot: written out where they are short, else over named intermediate results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from strobe.study import html as page
from strobe.study.case import Case
from strobe.study.tables import remark, table

if TYPE_CHECKING:
    from strobe.equations.document import Document, Section

TITLE = "The equations of motion"

LARGEST = 12  # degrees of freedom: beyond, nobody reads them
PARTS = ("T", "V", "M", "C", "G", "tau", "facts")
OPEN = 24  # entries of a section that is shown at once; a longer one can be unfolded


def measure(case: Case) -> dict[str, Any]:
    """Every equation as text, LaTeX and MathML, and the values of the parameters."""
    from strobe.equations.latex import latex_source

    case.require_dynamics()
    instead = f"To write code: strobe equations {case.called} --python equations.py"
    case.require_at_most(LARGEST, "Equations", instead)
    found = _document(case)
    return {
        "parameters": [
            {"name": p.name, "value": p.value, "unit": p.unit, "meaning": p.meaning}
            for p in found.parameters
        ],
        "parts": [_part(section) for section in found.sections],
        "latex": latex_source(found),
    }


def _document(case: Case) -> Document:
    from strobe.equations.closed_form import WRITTEN_OUT, equations_of, predicted_terms
    from strobe.equations.document import document
    from strobe.equations.readable_document import readable_document

    closed = equations_of(case.robot)
    terms = predicted_terms(closed)
    if terms is None or terms > WRITTEN_OUT:
        return readable_document(case.robot, only=PARTS)
    return document(closed, only=PARTS)


def _part(section: Section) -> dict[str, Any]:
    from strobe.equations.latex import LatexWriter
    from strobe.equations.mathml import equation, mathml
    from strobe.equations.text import TextWriter, text

    tex, plain = LatexWriter(), TextWriter()
    return {
        "key": section.key,
        "title": section.title,
        "entries": [
            {
                "names": [plain.symbol(name) for name in entry.names],
                "text": plain.write(entry.value),
                "latex": " = ".join([*map(tex.symbol, entry.names), tex.write(entry.value)]),
                "mathml": equation(entry),
                "meaning": entry.meaning,
            }
            for entry in section.entries
        ],
        "remarks": list(map(plain.remark, section.remarks)),
        "conditions": [
            {"told": plain.remark(told), "zero": [{"text": text(x), "mathml": mathml(x)} for x in zeros]}
            for told, zeros in section.conditions
        ],
    }


def command(case: Case) -> str:
    return f"equations {case.called}"


def in_brief(data: Mapping[str, Any]) -> tuple[str, str]:
    """How many equations there are."""
    count = sum(len(part["entries"]) for part in data["parts"])
    steps = sum(len(part["entries"]) for part in data["parts"] if part["key"] == "steps")
    told = f"{steps:,} of them named intermediate results" if steps else "written out in closed form"
    return f"{count:,}", f"equations say how it moves, {told}"


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        "exact, in named parameters; names that begin with q are positions, with dots rates and accelerations"
    )
    for part in data["parts"]:
        yield part["title"]
        yield from (f"  {' = '.join([*entry['names'], entry['text']])}" for entry in part["entries"])
        yield from part["remarks"]
        yield from (
            f"{c['told'].rstrip(':')}: {', '.join(x['text'] for x in c['zero'])} = 0"
            for c in part["conditions"]
        )


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    copy = page.tag(
        "button", "copy as LaTeX", type="button", class_="script-only",
        data_act="copy", data_from="equations-latex", data_text="copy as LaTeX",
    )  # fmt: skip
    source = page.tag(
        "details",
        page.tag("summary", "LaTeX"),
        page.tag("pre", data["latex"], class_="latex", id="equations-latex"),
    )
    parameters = [[p["name"], p["value"], p["unit"], p["meaning"]] for p in data["parameters"]]
    known = page.tag(
        "details",
        page.tag("summary", "What the letters stand for"),
        page.table(table(["", "value", "", ""], parameters)),
    )
    first = [part for part in data["parts"] if part["key"] != "steps"]
    steps = [part for part in data["parts"] if part["key"] == "steps"]
    told = "M(q) q̈ + C(q, q̇) q̇ + G(q) = τ. Every entry is exact."
    if steps:
        told += " They are written over intermediate results, each computed once, which stand below."
    return page.markup(
        page.tag("p", told, " ", copy),
        map(_shown, first),
        page.tag("h3", "Intermediate results") if steps else None,
        map(_shown, steps),
        known if parameters else None,
        source,
    )


def _shown(part: Mapping[str, Any]) -> page.Html:
    """A section; a long one folded, steps always."""
    body = page.markup(
        (
            page.tag("div", page.Html(e["mathml"]), class_="equation", title=e["meaning"] or None)
            for e in part["entries"]
        ),
        (page.tag("p", told, class_="remark") for told in part["remarks"]),
        map(_condition, part["conditions"]),
    )
    if part["key"] == "steps" or len(part["entries"]) > OPEN:
        return page.tag("details", page.tag("summary", f"{part['title']} ({len(part['entries'])})"), body)
    return page.markup(page.tag("h3", part["title"]), body)


def _condition(condition: Mapping[str, Any]) -> page.Html:
    zeros = ([", " if k else "", page.Html(x["mathml"])] for k, x in enumerate(condition["zero"]))
    return page.tag("p", condition["told"].rstrip(":"), ": ", zeros, " = 0", class_="remark")
