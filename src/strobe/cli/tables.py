"""``strobe tables``: the published operation counts, claims and records, beside what is counted here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from strobe.cli.exits import CHECK_FAILED
from strobe.cli.inputs import Json
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    from strobe.analysis.sheets import Sheet

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME", help="hollerbach, turney, waters, claims or records; all if none is given."
    ),
]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print the tables as Markdown.")]


def tables(name: Name = None, as_json: Json = False, as_markdown: Markdown = False) -> None:
    """Published operation counts: what they are sums of, and what our code needs.

    Every figure but the published ones is computed when the command runs. Exits with 1 if what is computed does
    not bear out a verdict.

    \b
    Examples:
      strobe tables hollerbach
      strobe tables claims --markdown
      strobe tables --json
    """
    from strobe.analysis.sheets import SHEETS, sheets
    from strobe.approximate.claims import CHECKS
    from strobe.cli.progress import Progress
    from strobe.cli.show import print_json

    if as_json and as_markdown:
        raise ArgumentError("--json and --markdown exclude each other; give one of them.")
    names = list(SHEETS) if name is None else [name]
    found: dict[str, list[Sheet]] = {}
    with Progress("tables", len(names), "tables") as progress:
        for each in names:
            found[each] = sheets(each, CHECKS)
            progress.advance(1)
    shown = [sheet for group in found.values() for sheet in group]
    if as_json:
        print_json({key: [_data(sheet) for sheet in group] for key, group in found.items()})
    elif as_markdown:
        print("\n\n".join("\n".join(_markdown(sheet)) for sheet in shown))
    else:
        _show(shown)
    if any(sheet.failed for sheet in shown):
        raise typer.Exit(CHECK_FAILED)


def _data(sheet: Sheet) -> dict[str, object]:
    return {"title": sheet.title, "rows": sheet.data, "notes": sheet.notes}


def _show(sheets: list[Sheet]) -> None:
    from rich.text import Text

    from strobe.cli.show import console
    from strobe.study.tables import remark, table

    out = console()
    for sheet in sheets:
        out.print(Text(sheet.title, style="bold"))
        out.print(table(sheet.columns, [list(row) for row in sheet.rows]))
        for note in sheet.notes:
            out.print(remark(note))
        out.print()


def _markdown(sheet: Sheet) -> Iterator[str]:
    yield f"## {sheet.title}\n"
    yield _bar(sheet.columns)
    yield _bar(["---"] * len(sheet.columns))
    yield from map(_bar, sheet.rows)
    if sheet.notes:
        yield ""
        yield from (f"- {note}" for note in sheet.notes)


def _bar(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
