"""The command line: ``strobe VERB ROBOT [options]``; with no arguments, three commands to try."""

from __future__ import annotations

from typing import Annotated

import typer

from strobe.cli.first_page import ABOUT, BANNER
from strobe.cli.start import version
from strobe.cli.verbs import Verbs

app = typer.Typer(
    cls=Verbs,
    help=ABOUT,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback(invoke_without_command=True)
def strobe(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(BANNER)
