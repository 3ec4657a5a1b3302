"""The equations of motion of this robot: written out where they are short, else over named intermediate results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from strobe.show.tables import remark, table
from strobe.study import page_parts as page
from strobe.study.case import Case

if TYPE_CHECKING:
    from strobe.equations.document import Document, Section

TITLE = "The equations of motion"

LARGEST = 12  # degrees of freedom: beyond, nobody reads them
PARTS = ("T", "V", "M", "C", "G", "tau", "facts")
MATRICES = ("M", "C")  # parts whose entries are those of a matrix
# letters of an entry that stands in its matrix; of a longer one that stands below, its name does
SHORT = 16
BROAD = 96  # letters of a matrix, from bracket to bracket, that a page has room for
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
    from strobe.equations.document import SYMMETRIC
    from strobe.equations.latex import LatexWriter
    from strobe.equations.mathml import equation, mathml
    from strobe.equations.text import TextWriter, text

    tex, plain = LatexWriter(), TextWriter()
    whole = matrix(section) if section.key in MATRICES else None  # it shows by itself that it is symmetric
    return {
        "key": section.key,
        "title": section.title,
        "matrix": whole,
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
        "remarks": [plain.remark(told) for told in section.remarks if whole is None or told != SYMMETRIC],
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


def matrix(section: Section) -> dict[str, Any] | None:
    """Entries M_ij as one matrix of what is short and of names, and which entries then stand below it.

    Nothing where the entries are no whole matrix, or one too broad for a page. M is symmetric, and written as its
    upper half; of C every entry must be there.
    """
    from strobe.equations.mathml import MathWriter
    from strobe.equations.text import TextWriter

    found = {place: (name, e) for e in section.entries for name in e.names if (place := _place(name))}
    n = max((max(place) for place in found), default=0)
    if section.key == "M":
        found |= {(j, i): each for (i, j), each in found.items() if (j, i) not in found}
    cells = [[found.get((i, j)) for j in range(1, n + 1)] for i in range(1, n + 1)]
    if not n or any(cell is None for row in cells for cell in row):
        return None
    math, plain = MathWriter(), TextWriter()
    short = {id(e): len(plain.write(e.value)) <= SHORT for e in section.entries}
    written = [[cell for cell in row if cell is not None] for row in cells]
    columns = [
        max(len(plain.write(e.value)) if short[id(e)] else 3 for _, e in c)
        for c in zip(*written, strict=True)
    ]
    if sum(columns) + 2 * n > BROAD:
        return None
    rows = [
        [math.write(e.value) if short[id(e)] else math.symbol(name) for name, e in row] for row in written
    ]
    body = "".join(f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in row)}</mtr>" for row in rows)
    letter = written[0][0][0][0]
    return {
        "mathml": f'<math display="block"><mrow><mi>{letter}</mi><mo>=</mo><mrow><mo>[</mo><mtable>{body}</mtable>'
        "<mo>]</mo></mrow></mrow></math>",
        "below": [k for k, e in enumerate(section.entries) if not short[id(e)]],
    }


def _place(name: str) -> tuple[int, int] | None:
    """Row and column of M12, or of M1_12 where a number has two digits."""
    found = re.fullmatch(r"[A-Z](\d)(\d)|[A-Z](\d+)[_,](\d+)", name)
    return None if found is None else (int(found[1] or found[3]), int(found[2] or found[4]))


def _shown(part: Mapping[str, Any]) -> page.Html:
    """A section; a long one folded, steps always."""
    whole = part["matrix"]
    entries = part["entries"] if whole is None else [part["entries"][k] for k in whole["below"]]
    body = page.markup(
        page.tag("div", page.Html(whole["mathml"]), class_="equation") if whole else None,
        (
            page.tag("div", page.Html(e["mathml"]), class_="equation", title=e["meaning"] or None)
            for e in entries
        ),
        (page.tag("p", told, class_="remark") for told in part["remarks"]),
        map(_condition, part["conditions"]),
    )
    if part["key"] == "steps" or len(entries) > OPEN:
        return page.tag("details", page.tag("summary", f"{part['title']} ({len(part['entries'])})"), body)
    return page.markup(page.tag("h3", part["title"]), body)


def _condition(condition: Mapping[str, Any]) -> page.Html:
    zeros = ([", " if k else "", page.Html(x["mathml"])] for k, x in enumerate(condition["zero"]))
    return page.tag("div", condition["told"].rstrip(":"), ": ", zeros, " = 0", class_="remark condition")
