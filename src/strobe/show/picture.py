"""A figure as SVG text that displays itself in a notebook and saves itself in a file."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path

from strobe.show.html import Html, tag


class Picture(str):
    """SVG text; a notebook draws it."""

    __slots__ = ()

    def __new__(cls, svg: str) -> Picture:
        return super().__new__(cls, svg)

    @property
    def caption(self) -> str:
        """What it shows, in its own words."""
        found = re.search(r"<title>(.*?)</title>", self, re.DOTALL)
        if not found:
            return "a figure"
        from html import unescape  # it knows the name of every sign; no start needs it

        return unescape(found[1])

    def save(self, path: str | PathLike[str], *, force: bool = False) -> Path:
        """The picture in a file; ``force`` replaces one."""
        from strobe.files.writing import writing

        with writing(path, force=force) as stream:
            stream.write(self)
        return Path(path)

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<Picture: {self.caption}>"


def image(svg: str) -> Html:
    """A figure within HTML, closed in itself: no rule of style and no script of it reaches the page around it."""
    from base64 import b64encode

    inside = b64encode(svg.encode("utf-8")).decode("ascii")
    return tag(
        "img", src=f"data:image/svg+xml;base64,{inside}", alt=Picture(svg).caption, style="max-width:100%"
    )
