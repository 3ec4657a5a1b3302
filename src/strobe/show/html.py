"""Elements of HTML as nested calls, text escaped in one place.

tag("p", "a < b, ", tag("b", "always"), class_="remark")
"""

from __future__ import annotations

from typing import Any

Child = Any  # markup, text, a number, nothing, or children in a list or generator
VOID = ("br", "hr", "img", "input", "meta", "wbr")


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def tag(name: str, *children: Child, **attributes: Any) -> Html:
    """An element; ``class_`` stands for class, ``data_x`` for data-x; an attribute that is None is left out."""
    given = (
        (key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items() if value is not None
    )
    words = "".join(f' {key}="{_escaped(str(value), quote=True)}"' for key, value in given)
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
        return _escaped(str(child), quote=False)
    return "".join(_text(each) for each in child)


def _escaped(text: str, quote: bool) -> str:
    from html import escape  # it knows the name of every sign; no start needs it

    return escape(text, quote)
