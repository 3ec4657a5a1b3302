"""The verbs by name: each is imported and built when it is asked for, so that no start waits for the others."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

import typer
import typer.main
from typer.core import TyperGroup

from strobe.cli.exit_codes import leave, past_parser
from strobe.cli.first_page import VERBS, page
from strobe.cli.parser import PlainValues, Verb
from strobe.cli.renamed import renamed
from strobe.errors import nearest


class Verbs(PlainValues, TyperGroup):
    """The group of verbs; every way out of a verb passes through its ``main``."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        run = super().main
        words = sys.argv[1:] if args is None else args
        leave(lambda: run(args, "strobe", complete_var, False, windows_expand_args, **extra), words)

    def make_context(self, *args: Any, **extra: Any) -> Any:
        with past_parser():  # help is printed here
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        with past_parser():
            return super().invoke(ctx)

    def get_help(self, ctx: Any) -> str:
        return page()

    def list_commands(self, ctx: Any) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return command(cmd_name) if cmd_name in VERBS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        verb = args[0]
        if verb in VERBS or verb.startswith("-"):
            name, found, words = super().resolve_command(ctx, args)
            return name, found, renamed(verb, words, quiet=ctx.resilient_parsing)
        if verb in ("help", "version"):
            raise typer.BadParameter(f'there is no verb "{verb}": strobe --{verb}.')
        if is_robot(verb):
            raise typer.BadParameter(f'a verb stands before the robot: strobe info "{verb}".')
        raise typer.BadParameter(
            f'there is no verb "{verb}".{nearest(verb, VERBS)} The verbs: {", ".join(VERBS)}.'
        )


def is_robot(word: str) -> bool:
    """Whether a word names a robot of the library or has the ending of a model file."""
    from strobe.models.formats import ENDINGS
    from strobe.models.library import built_in_names

    return word in built_in_names() or word.lower().endswith(ENDINGS)


@cache
def command(verb: str) -> Any:
    """The command of a verb, from the function of the module that has its name (``list`` is Python's)."""
    name = "list_robots" if verb == "list" else verb
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(verb, cls=Verb)(getattr(import_module(f"strobe.cli.{name}"), name))
    return typer.main.get_command(alone)
