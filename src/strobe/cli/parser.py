"""How the words behind a verb become values.

Lists of numbers need no quotes. A value that is plainly what its option takes is taken as it is; any other is left to
Typer, which has a sentence for each way to be wrong and starts a library of 0.1 s for it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

LISTS = (
    "--q", "--qd", "--qdd", "--wrench", "--gravity", "--speeds", "--pose", "--position", "--quaternion", "--at",
    "--q0", "--q-range", "--qd-range", "--qdd-range", "--velocity", "--acceleration", "--jerk", "--effort",
    "--torque", "--payload", "--rpy", "--waters", "--offset", "--noise", "--lower",
    "--upper", "--start", "--workspace",
)  # fmt: skip
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,8})")
DECIMAL = re.compile(r"-?[0-9]{1,16}(\.[0-9]{1,16})?([eE][-+]?[0-9]{1,2})?")


class PlainValues:
    """A command whose parameters ask Typer only where there is something to say about a value."""

    def get_params(self, ctx: Any) -> list[Any]:
        params = super().get_params(ctx)  # pyright: ignore[reportAttributeAccessIssue]  of a command
        for param in params:
            made = getattr(param, "get_runtime_param", None)  # older typers have none, and need no library
            if made is not None and not isinstance(made, Plainly):
                param.get_runtime_param = Plainly(param, made)
        return params


class Verb(PlainValues, TyperCommand):
    """A verb: ``--q 0.1 -0.2 0.3`` is a list of numbers, with or without quotes."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, joined(args))


@dataclass(frozen=True, slots=True, eq=False)
class Plainly:
    """What makes the values of a parameter, where Typer asks for it; ``typers`` is its own."""

    param: Any
    typers: Any

    def __call__(self) -> Plainly:
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        kind = self.param.type_descriptor
        several = self.param.multiple or self.param.nargs == -1
        if value is None:
            return () if several else None
        made = _all_plain(kind, value) if several else _plain(kind, value)
        return self.typers().coerce(value, param=param, ctx=ctx) if made is None else made


def _all_plain(kind: Any, words: Any) -> list[str] | None:
    return list(words) if kind.annotation == list[str] and all(map(_encodable, words)) else None


def _plain(kind: Any, word: Any) -> Any:
    """The value of a word; none where there is something to say about it."""
    if not isinstance(word, str) or not _encodable(word):
        return word if isinstance(word, kind.annotation) else None
    if kind.annotation is Path:
        return Path(word) if os.access(word, os.R_OK) or not os.path.exists(word) else None
    form = {int: WHOLE, float: DECIMAL}.get(kind.annotation)
    if form is None:
        return word if kind.annotation is str else None
    return _within(kind.parameter_info, kind.annotation(word)) if form.fullmatch(word) else None


def _within(bounds: Any, number: float) -> float | None:
    low, high = bounds.min, bounds.max
    return number if (low is None or low <= number) and (high is None or number <= high) else None


def _encodable(word: Any) -> bool:
    """Whether a word is text all through: of others Typer says that they are not."""
    return isinstance(word, str) and not any("\ud800" <= sign <= "\udfff" for sign in word)


def joined(args: Sequence[str], lists: Sequence[str] = LISTS) -> list[str]:
    """The arguments, with the words of a list of numbers made one."""
    result: list[str] = []
    words = iter(args)
    collecting = False
    for word in words:
        if collecting and _looks_numeric(word):
            result[-1] += f",{word}"
            continue
        collecting = False
        result.append(word)
        if word in lists:
            result += islice(words, 1)
            collecting = True
    return result


def _looks_numeric(word: str) -> bool:
    return bool(re.search(r"\d|pi", word) and re.fullmatch(r"[-+*/().,:;\deEpi]*", word))
