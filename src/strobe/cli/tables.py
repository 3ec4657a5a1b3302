"""``strobe tables``: the published operation counts, claims and records, beside what is counted here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.inputs import Json
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    from strobe.papers.sheets import Sheet

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help="A paper, such as hollerbach or turney; claims or records; all if none is given.",
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
    from strobe.cli.progress import Progress
    from strobe.cli.show import print_json, show
    from strobe.papers import (
        approximation_claims as of_motions,
        control_claims as of_loops,
        mechanism_claims as of_mechanisms,
    )
    from strobe.papers.sheets import SHEETS, sheets

    if as_json and as_markdown:
        raise ArgumentError("--json and --markdown exclude each other; give one of them.")
    names = list(SHEETS) if name is None else [name]
    found: dict[str, list[Sheet]] = {}
    checks = {**of_motions.CHECKS, **of_loops.CHECKS, **of_mechanisms.CHECKS}
    with Progress("tables", len(names), "tables") as progress:
        for each in names:
            found[each] = sheets(each, checks)
            progress.advance(1)
    shown = [sheet for group in found.values() for sheet in group]
    if as_json:
        print_json({key: [_data(sheet) for sheet in group] for key, group in found.items()})
    elif as_markdown:
        print("\n\n".join("\n".join(_markdown(sheet)) for sheet in shown))
    else:
        show(part for sheet in shown for part in _parts(sheet))
    if any(sheet.failed for sheet in shown):
        raise typer.Exit(CHECK_FAILED)


def _data(sheet: Sheet) -> dict[str, object]:
    return {"title": sheet.title, "rows": sheet.data, "notes": sheet.notes}


def _parts(sheet: Sheet) -> Iterator[Any]:
    from strobe.show.tables import remark, table
    from strobe.show.terminal import Text

    yield Text(sheet.title, style="bold")
    yield table(sheet.columns, [list(row) for row in sheet.rows])
    yield from map(remark, sheet.notes)
    yield ""


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
