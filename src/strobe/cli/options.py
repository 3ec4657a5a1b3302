"""Options in a line each: what they are called, what they take, what they say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import typer

from strobe.errors import Advised, advice_of


def takes(flag: str, metavar: str, text: str) -> Any:
    """An option that takes a value."""
    return typer.Option(flag, metavar=metavar, help=text)


def written_to(text: str, metavar: str = "FILE") -> Any:
    """Where a result goes."""
    return typer.Option("--output", "-o", metavar=metavar, help=text)


def drawn_in(text: str) -> Any:
    """Where a drawing goes."""
    return takes("--plot", "FILE.svg", text)


def in_options(said: object, arguments: Iterable[str], beginnings: Iterable[str] = ()) -> Advised:
    """A sentence with options for Python's arguments, which are called alike: --plant-rate for ``plant_rate=``.

    ``beginnings`` of the sentence name an argument too.
    """
    sentence = str(said)
    for name in arguments:
        option = f"--{name.replace('_', '-')}"
        sentence = re.sub(rf"\b{name}=(?:True|…)?(?!\w)", option, sentence)
        sentence = re.sub(rf"\b{name}=(?=\w)", f"{option} ", sentence)
    for words in filter(sentence.startswith, beginnings):
        sentence = f"--{words.replace('_', '-')}{sentence.removeprefix(words)}"
    return Advised(sentence, advice_of(said))
