"""A report as one page that needs nothing else: no server, no network, no file beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib import resources
from string import Template
from types import ModuleType
from typing import Any

from strobe.errors import counted
from strobe.show import math_font
from strobe.show.svg import DARK, LIGHT, SERIES, SERIES_ON_DARK, STYLE
from strobe.show.tables import remark
from strobe.study.case import Case
from strobe.study.page_parts import Html, command_line, markup, printed, tag
from strobe.study.report import SECTIONS, Headline, Report, caveat

# What the page has beyond the colours of figures: raised areas, links, verdicts, the robot's parts and axes.
MORE = {
    "light": {
        "raised": "#f6f7f9", "accent": "#3b4490", "good": "#117a26", "bad": "#b3261e", "warn": "#8a5a00",
        "link": "#c3ccd6", "stand": "#98a3ae", "x": "#d0392b", "y": "#1d8f3a", "z": "#2f6fde",
    },
    "dark": {
        "raised": "#1b2026", "accent": "#8e9cf0", "good": "#4cc26b", "bad": "#ff8a80", "warn": "#e3b341",
        "link": "#9aa7b5", "stand": "#6a7683", "x": "#ff6b5e", "y": "#4cc26b", "z": "#6ea8ff",
    },
}  # fmt: skip

LACKING = {  # edits of a robot that a verb does not know
    "info": ("--gravity",), "count": ("--gravity",), "bench": ("--gravity",), "prove": ("--gravity", "--base"),
}  # fmt: skip


def whole_page(report: Report) -> str:
    """The report as HTML."""
    name, body = report.case.robot.name, markup(_sections(report))
    parts = {
        "title": markup(f"{name}: a study by Strobe"),
        "style": _colours() + (math_font.face() if "<math" in body else "") + _file("style.css") + STYLE,
        "start": _file("page.js"),
        "nav": markup(_anchors(report)),
        "head": markup(_head(report)),
        "body": body,
        "foot": _foot(report),
        "viewer": _file("viewer.js") if "view" in report.sections else "",
        "instants": _file("instants.js"),
    }
    return Template(_file("template.html")).substitute({key: _once(part) for key, part in parts.items()})


def _once(part: str) -> str:
    """Markup whose figures leave their look to the page, which has it once for all."""
    return part.replace(f"<style>{STYLE}</style>", "")


def _file(name: str) -> str:
    return resources.files("strobe.study").joinpath("page", name).read_text(encoding="utf-8")


def _colours() -> str:
    """The palette of the figures as variables of the page, light and dark."""
    light, dark = (
        "".join(f"--{key}:{value};" for key, value in {**roles, **series, **MORE[theme]}.items())
        for theme, roles, series in (
            ("light", LIGHT, {f"c{k}": colour for k, colour in enumerate(SERIES)}),
            ("dark", DARK, {f"c{k}": colour for k, colour in enumerate(SERIES_ON_DARK)}),
        )
    )
    return (
        f":root{{{light}}}\n@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
    )


# -- the head -----------------------------------------------------------------------------------------


def _anchors(report: Report) -> Iterator[Html]:
    for reason, keys in report.runs():
        if not reason:
            yield tag("li", tag("a", SECTIONS[keys[0]].TITLE, href=f"#{keys[0]}"))


def _head(report: Report) -> Iterator[Html]:
    model = report.case.robot.model
    yield tag("p", "A study by Strobe", class_="eyebrow")
    yield tag("h1", model.name)
    yield tag("p", model.title, class_="lead") if model.title else Html()
    yield tag("ul", (tag("li", chip) for chip in _chips(report)), class_="chips")
    yield tag("ul", (tag("li", _card(headline)) for headline in report.headlines), class_="cards")


def _chips(report: Report) -> Iterator[Html]:
    """What was checked, and what the model's reader found."""
    for key in report.sections:
        verdict = report.sections[key].get("passed")
        if verdict is not None:
            yield _verdict(verdict, SECTIONS[key].TITLE, f"#{key}")
    warnings = sum(note.severity == "warning" for note in report.case.robot.notes)
    if warnings:
        words = f"{counted(warnings, 'warning')} about the model"
        yield tag("a", words, class_="chip warn", href="#robot")
    if report.case.robot.model.without_dynamics:
        yield tag("span", "kinematics only", class_="chip warn")


def _verdict(passed: bool, words: str, href: str) -> Html:
    return tag(
        "a", "✓ " if passed else "✗ ", words, class_=f"chip {'good' if passed else 'bad'}", href=href
    )


def _card(headline: Headline) -> Html:
    return tag("a", tag("b", headline.figure), tag("span", headline.sentence), href=f"#{headline.section}")


# -- the sections -------------------------------------------------------------------------------------


def _sections(report: Report) -> Iterator[Html]:
    for reason, keys in report.runs():
        titles = " · ".join(SECTIONS[key].TITLE for key in keys)
        if reason:
            body = tag("p", f"Not shown: {reason}", class_="skipped")
            yield tag("section", tag("h2", titles), body, id=keys[0])
        else:
            yield _section(keys[0], SECTIONS[keys[0]], report.sections[keys[0]], report.case)


def _section(key: str, section: ModuleType, data: Mapping[str, Any], case: Case) -> Html:
    own = getattr(section, "html", None)
    body = own(data, case) if own else printed(section.render(data))
    body = markup(printed(map(remark, caveat(section, case))), body)
    passed = data.get("passed")
    chip = (
        None
        if passed is None
        else tag("span", "passed" if passed else "failed", class_=f"chip {'good' if passed else 'bad'}")
    )
    return tag("section", tag("h2", section.TITLE, chip), body, command(key, section, case), id=key)


def command(key: str, section: ModuleType, case: Case) -> Html:
    """The command that gives the same numbers again."""
    own = getattr(section, "command", None)
    line = own(case) if own else ""
    if not line or any(flag in case.called for flag in LACKING.get(line.split()[0], ())):
        line = f"{case.study.removesuffix(' --quick')} --sections {key} --text"
    return command_line(line)


def _foot(report: Report) -> Html:
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return tag("p", f"Made on {made}. Every number is in {report.case.file_name}.json beside this page.")
