"""Pieces of a page: figures, commands, data for scripts, and what a terminal shows as HTML.

A section that has no HTML of its own is shown by `printed`: the same tables and sentences as on a terminal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from strobe.show.html import Child, Html, markup, tag
from strobe.show.terminal import Table, Text

READABLE = 500  # pixels, of the widest drawing that a phone shrinks
LONG = 24  # letters of a cell that may go on in the next line
MANY = 9  # columns of a table whose numbers stand closer together
MEASURED = re.compile(
    r"[-−≤<]?\d[\d.,]*(e[-+]?\d+)?[ ]?[^\W\d_]{0,5}[%×]?"
)  # 3.2, 100 %, 432 bytes, 1e-06 %, 5.3×
UNITS = re.compile(r"\((?:(?! or )[^()]){1,9}\)|\bN m\b")  # which no line ends within


def figure(picture: str, caption: str = "", *, motion: str | None = None) -> Html:
    """A drawing (SVG text, or anything in markup) with what it shows; one too wide scrolls in its own place.

    ``motion`` names what its panels over time show: the page marks an instant in all of them and poses the robot.
    """
    told = tag("figcaption", caption) if caption else None
    drawn = tag("div", Html(picture), class_="wide broad" if _broad(picture) else "wide")
    return tag("figure", drawn, told, data_motion=motion)


def figure_by_width(wide: str, narrow: str, caption: str = "", *, motion: str | None = None) -> Html:
    """A drawing in two widths, of which a page shows the one that fits."""
    pictures = (("on-wide", wide), ("on-narrow", narrow))
    both = markup(tag("div", Html(picture), class_=where) for where, picture in pictures)
    return figure(both, caption, motion=motion)


def _broad(picture: str) -> bool:
    """Whether the words of a drawing could not be read any more where it is shrunk to the width of a phone."""
    width = re.match(r'<svg [^>]*?\bwidth="([\d.]+)"', picture)
    return width is not None and float(width[1]) > READABLE


def command_line(line: str) -> Html:
    """A command of strobe that can be copied."""
    copy = tag("button", "copy", type="button", data_act="copy", data_text="copy", class_="script-only")
    return tag("div", tag("code", f"$ strobe {line}"), copy, class_="command")


def data_script(name: str, data: Any) -> Html:
    """Data that scripts of the page can read: no text in it can end the element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return tag("script", Html(text.replace("<", "\\u003c")), type="application/json", id=name)


def printed(parts: Iterable[Any]) -> Html:
    """What a terminal shows (tables, remarks, lines of text), for a page."""
    return markup(_printed(part) for part in parts if part != "")


def _printed(part: Any) -> Html:
    if isinstance(part, Html):
        return part
    if isinstance(part, Table):
        return table(part)
    if isinstance(part, Text):
        return tag("p", sentence(part.plain), class_="remark" if part.style == "dim" else None)
    return tag("p", sentence(str(part)))


def sentence(line: str) -> str:
    """A line of a terminal as text: it begins with a capital, unless with a formula."""
    word = line.split(" ", 1)[0].rstrip(",:;")
    return line[:1].upper() + line[1:] if word.isalpha() and word != "tau" else line


def table(made: Table) -> Html:
    """A table that a terminal shows; its first column names the row."""
    columns = [[str(cell) for cell in column.cells] for column in made.columns]
    sides = [
        "num" if column.justify == "right" or (k and _measured(cells)) else None
        for k, (column, cells) in enumerate(zip(made.columns, columns, strict=True))
    ]
    heads = [
        tag("th", breakable(str(column.header)), scope="col", class_=side)
        for column, side in zip(made.columns, sides, strict=True)
    ]
    rows = [
        tag("tr", (_cell(k, value, side) for k, (value, side) in enumerate(zip(row, sides, strict=True))))
        for row in zip(*columns, strict=True)
    ]
    dense = "dense" if len(columns) > MANY else None
    body = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_=dense)
    return scrolled(
        body, ", ".join(str(column.header) for column in made.columns if str(column.header)) or "table"
    )


def _measured(cells: Iterable[str]) -> bool:
    """Whether a column holds numbers with their units and nothing else."""
    return any(cells) and all(MEASURED.fullmatch(cell) for cell in cells if cell)


def scrolled(body: Html, label: str) -> Html:
    """What may be broader than a page: it scrolls in its own place, by keys too."""
    return tag("div", body, class_="wide", tabindex=0, role="region", aria_label=label)


def _cell(k: int, value: str, side: str | None) -> Html:
    value = value.replace("-", "−", 1) if side and value.startswith("-") else value
    if not k:
        return tag("th", breakable(value), scope="row", class_=side)
    return tag("td", unbroken(value), class_=side or ("words" if len(value) > LONG else None))


def breakable(name: str) -> Html:
    """A name that may go on in the next line where it has an underscore: tables stay as narrow as a page."""
    return Html(markup(unbroken(name)).replace("_", "_<wbr>"))


def unbroken(text: str) -> str:
    """A text in which units stay in one line."""
    return UNITS.sub(lambda unit: unit[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


def beside(*parts: Child, even: bool = False) -> Html:
    """Parts side by side as far as they fit, else below one another; ``even`` gives each as much room."""
    return tag("div", *parts, class_="beside even" if even else "beside")
