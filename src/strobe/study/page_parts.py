"""Pieces of a page: elements as nested calls, text escaped in one place, and what rich prints as HTML.

    tag("p", "a < b, ", tag("b", "always"), class_="remark")

A section that has no HTML of its own is shown by `printed`: the same tables and sentences as on a terminal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import escape
from typing import Any

from rich.table import Table
from rich.text import Text

Child = Any  # markup, text, a number, nothing, or children in a list or generator
VOID = ("br", "hr", "input", "meta")
READABLE = 500  # pixels, of the widest drawing that a phone shrinks


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def tag(name: str, *children: Child, **attributes: Any) -> Html:
    """An element; ``class_`` stands for class, ``data_x`` for data-x; an attribute that is None is left out."""
    given = (
        (key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items() if value is not None
    )
    words = "".join(f' {key}="{escape(str(value))}"' for key, value in given)
    return Html(f"<{name}{words}>" if name in VOID else f"<{name}{words}>{markup(*children)}</{name}>")


def markup(*children: Child) -> Html:
    """Children one after another; whatever is not markup is escaped."""
    return Html("".join(_text(child) for child in children))


def _text(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str | int | float):
        return escape(str(child), quote=False)
    return "".join(_text(each) for each in child)


def figure(picture: str, caption: str = "") -> Html:
    """A drawing (SVG text, or anything in markup) with what it shows; one too wide scrolls in its own place."""
    told = tag("figcaption", caption) if caption else None
    return tag(
        "figure", tag("div", Html(picture), class_="wide broad" if _broad(picture) else "wide"), told
    )


def figure_by_width(wide: str, narrow: str, caption: str = "") -> Html:
    """A drawing in two widths, of which a page shows the one that fits."""
    pictures = (("on-wide", wide), ("on-narrow", narrow))
    return figure(markup(tag("div", Html(picture), class_=where) for where, picture in pictures), caption)


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
    """What rich prints (tables, remarks, lines of text), for a page."""
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
    """A table that rich prints; its first column names the row."""
    columns = [[str(cell) for cell in column.cells] for column in made.columns]
    sides = ["num" if column.justify == "right" else None for column in made.columns]
    heads = [
        tag("th", str(column.header), scope="col", class_=side)
        for column, side in zip(made.columns, sides, strict=True)
    ]
    rows = [
        tag("tr", (_cell(k, value, side) for k, (value, side) in enumerate(zip(row, sides, strict=True))))
        for row in zip(*columns, strict=True)
    ]
    body = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows))
    return tag("div", body, class_="wide", tabindex=0, role="region", aria_label="table")


def _cell(k: int, value: str, side: str | None) -> Html:
    value = value.replace("-", "−", 1) if side and value.startswith("-") else value
    return tag("td", value, class_=side) if k else tag("th", value, scope="row", class_=side)
