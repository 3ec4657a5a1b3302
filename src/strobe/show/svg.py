"""Figures as SVG: elements as nested calls, numbers rounded and text escaped in one place, one look for all.

    figure(200, 100, "A line", "It rises.", path(polyline([0, 200], [100, 0]), **stroke(0)))

Colours are named by role and read from variables of the class ``strobe``: light, or dark where the viewer prefers
it. Inside a page the nearest element of class (or ``data-theme``) light or dark decides. A program that knows no
variables shows the light colours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

# Seven colours that people with any colour vision can tell apart; a test looks at them through each kind of eye.
SERIES = ("#3b4490", "#fb8467", "#117a26", "#d9b020", "#2fb0ec", "#7d2450", "#b4b9be")
SERIES_ON_DARK = ("#6f82d6", "#ffa58d", "#1fa544", "#f6da4a", "#93c9fd", "#c2508e", "#bcc3ca")
LIGHT = {"paper": "#ffffff", "ink": "#1d2329", "muted": "#5d6873", "grid": "#e4e8ec"}
DARK = {"paper": "#14181d", "ink": "#e8ebee", "muted": "#9aa5b0", "grid": "#2a3138"}
DIGITS = 2  # of a coordinate, in pixels: what nobody can see is not written

Child = Any  # an element, text, nothing, or children in a list or generator


@dataclass(frozen=True, slots=True)
class Element:
    """One element with its attributes and what it holds; ``str`` gives its text."""

    name: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    children: tuple[Child, ...] = ()

    def __str__(self) -> str:
        given = ((key, value) for key, value in self.attributes.items() if value is not None)
        words = "".join(f' {_key(key)}="{escape(_value(value))}"' for key, value in given)
        inside = "".join(
            str(c) if isinstance(c, Element) else escape(c, quote=False) for c in _flat(self.children)
        )
        return f"<{self.name}{words}>{inside}</{self.name}>" if inside else f"<{self.name}{words}/>"


def tag(name: str, *children: Child, **attributes: Any) -> Element:
    """Any element; ``class_`` stands for class, ``stroke_width`` for stroke-width."""
    return Element(name, attributes, children)


def group(*children: Child, **attributes: Any) -> Element:
    return tag("g", *children, **attributes)


def path(d: str, **attributes: Any) -> Element:
    return tag("path", d=d, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: Any) -> Element:
    return path(polyline((x1, x2), (y1, y2)), **attributes)


def rect(x: float, y: float, width: float, height: float, **attributes: Any) -> Element:
    return tag("rect", x=x, y=y, width=width, height=height, **attributes)


def circle(x: float, y: float, r: float, **attributes: Any) -> Element:
    return tag("circle", cx=x, cy=y, r=r, **attributes)


def text(x: float, y: float, *words: Child, anchor: str | None = None, **attributes: Any) -> Element:
    """Text on a baseline, begun at x unless ``anchor`` is middle or end."""
    return tag("text", *words, x=x, y=y, text_anchor=anchor, **({"class_": "ink"} | attributes))


def polyline(xs: Iterable[float], ys: Iterable[float]) -> str:
    """Path data of lines from point to point, interrupted where a coordinate is not finite."""
    words: list[str] = []
    pen = "M"
    for x, y in zip(xs, ys, strict=True):
        if math.isfinite(x) and math.isfinite(y):
            words.append(f"{pen}{number(x)} {number(y)}")
            pen = "L"
        else:
            pen = "M"
    return "".join(words)


def box(x: float, y: float, width: float, height: float) -> str:
    """Path data of a rectangle: many in one path take less room than elements of their own."""
    w, h = number(width), number(height)
    return f"M{number(x)} {number(y)}h{w}v{h}h-{w}z"


def figure(width: float, height: float, title: str, description: str, *children: Child) -> Element:
    """A whole figure on its paper, with a title and a description for who cannot see it."""
    return tag(
        "svg",
        tag("title", title),
        tag("desc", description),
        tag("style", STYLE),
        rect(0, 0, width, height, class_="paper"),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=f"0 0 {number(width)} {number(height)}",
        class_="strobe",
        role="img",
        aria_label=title,
    )


def titled(
    width: float, height: float, title: str, description: str, *children: Child, margin: float
) -> str:
    """A whole figure under its title, so far from the left, as the text of a file."""
    heading = text(margin, 24, title, font_size=15, font_weight="600")
    return f"{figure(width, height, title, description, heading, *children)}\n"


def stroke(k: int) -> dict[str, str | None]:
    """The look of the k-th line; once the colours are used up, lines are dashed."""
    rounds = k // len(SERIES)
    return {
        "class_": f"s{k % len(SERIES)}",
        "stroke_dasharray": f"{max(1, 9 - 2 * rounds)} 3" if rounds else None,
    }


def fill(k: int) -> dict[str, str]:
    """The look of the k-th area."""
    return {"class_": f"f{k % len(SERIES)}"}


def number(x: float) -> str:
    """A coordinate in as few letters as it needs."""
    short = f"{x:.{DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def round_step(least: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= least * (1 - 1e-9))


def _key(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _value(value: Any) -> str:
    return value if isinstance(value, str) else number(value)


def _flat(children: Iterable[Child]) -> Iterator[Element | str]:
    for child in children:
        if isinstance(child, Element | str):
            yield child
        elif child is not None:
            yield from _flat(child)


def _style() -> str:
    """The rules of every figure."""
    light = LIGHT | {f"c{k}": colour for k, colour in enumerate(SERIES)}
    dark = DARK | {f"c{k}": colour for k, colour in enumerate(SERIES_ON_DARK)}
    on, off = (_within(theme) for theme in ("dark", "light"))
    return "".join(
        (
            f".strobe{{{_variables(light)}font-family:system-ui,sans-serif;font-size:12px}}",
            f"@media(prefers-color-scheme:dark){{.strobe{{{_variables(dark)}}}}}",
            f"{on}{{{_variables(dark)}}}{off}{{{_variables(light)}}}",
            *(_rule(role, "fill", role, light[role]) for role in ("paper", "ink", "muted")),
            *(_rule(role, "stroke", role, light[role]) for role in ("grid",)),
            _rule("axis", "stroke", "muted", light["muted"]),
            _rule("sum", "stroke", "ink", light["ink"]),
            _rule("halo", "stroke", "paper", light["paper"]),
            *(_solid(role, inside, light) for role, inside in (("face", "paper"), ("side", "grid"))),
            *(_rule(f"f{k}", "fill", f"c{k}", colour) for k, colour in enumerate(SERIES)),
            *(_rule(f"s{k}", "stroke", f"c{k}", colour) for k, colour in enumerate(SERIES)),
        )
    )


def _within(theme: str) -> str:
    return f".{theme} .strobe,[data-theme={theme}] .strobe"


def _variables(colours: Mapping[str, str]) -> str:
    return "".join(f"--strobe-{name}:{colour};" for name, colour in colours.items())


def _rule(role: str, property: str, variable: str, plain: str) -> str:
    """A class whose colour is a variable, or a plain colour to programs that know no variables."""
    more = ";fill:none" if property == "stroke" else ""
    return f".strobe .{role}{{{property}:{plain};{property}:var(--strobe-{variable}){more}}}"


def _solid(role: str, inside: str, plain: Mapping[str, str]) -> str:
    """A class of things with an outline and an opaque inside."""
    both = "".join(
        f"{property}:{plain[name]};{property}:var(--strobe-{name});"
        for property, name in (("fill", inside), ("stroke", "ink"))
    )
    return f".strobe .{role}{{{both}}}"


STYLE = _style()
