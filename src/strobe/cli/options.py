"""Options in a line each: what they are called, what they take, what they say."""

from __future__ import annotations

from typing import Any

import typer


def takes(flag: str, metavar: str, text: str) -> Any:
    """An option that takes a value."""
    return typer.Option(flag, metavar=metavar, help=text)


def written_to(text: str, metavar: str = "FILE") -> Any:
    """Where a result goes."""
    return typer.Option("--output", "-o", metavar=metavar, help=text)


def differentiating() -> Any:
    """Whether velocities and accelerations that a file lacks are taken from its positions."""
    return typer.Option("--differentiate", help="Take rates that the file lacks from its positions.")


def drawn_in(text: str) -> Any:
    """Where a drawing goes."""
    return takes("--plot", "FILE.svg", text)
