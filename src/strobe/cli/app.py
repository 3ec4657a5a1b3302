"""The command line: ``strobe VERB ROBOT [options]``; with no arguments, three commands to try."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from strobe.cli import progress
from strobe.cli.verbs import Verbs
from strobe.compiler.runtime import debug

BANNER = """\
strobe: a robot goes in, its dynamics come out.

Try:
  strobe list                    the robots that come with it
  strobe torque panda            the torques that hold a Panda arm still
  strobe study stanford          one robot through every formulation: torques, costs, proof, laws

A .urdf, .xacro, .xml (MJCF) or .toml file can stand in the place of a name. All verbs: strobe --help"""

app = typer.Typer(
    cls=Verbs,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from strobe import __version__

        print(f"strobe {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def strobe(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """A robot goes in, its dynamics come out.

    A robot is a built-in name (strobe list) or a .urdf, .xacro, .xml (MJCF or URDF) or .toml file.

    Exit codes: 0, 1 (a check failed), 2 (bad input). Every verb has --help with an example, and --json.
    """
    if context.invoked_subcommand is None:
        print(BANNER)


def main() -> None:
    """The entry point ``strobe``."""
    os.environ["PYTHONSAFEPATH"] = (
        "1"  # for what libraries of others start: no module of the working folder runs
    )
    debug.watch(progress.compiling)
    app()
