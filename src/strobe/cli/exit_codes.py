"""How a command ends: the exit codes, and the one line that a user sees instead of a traceback.

With ``--json`` standard output holds one JSON document whatever happens: the result, or where there is none

    {"error": {"kind": "usage", "message": "no such option: --qf.", "exit_code": 2, …}}

Its kind is the class of the error (``model_file``, ``argument``, ``unknown_name``, …), or ``usage``, ``file``,
``memory``, ``interrupted``, ``bug``; a ``model_file`` lists its first faults, a ``usage`` says which help to read.
The sentence stands on standard error as ever. Who closes the pipe has read enough: that ends a command without a
word, with the code of a program that SIGPIPE ended.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn

from strobe.errors import MOST_FAULTS, ModelFileError, StrobeError, harmless, nearest, on_command_line

CHECK_FAILED = 1
BAD_INPUT = 2
BUG = 70
INTERRUPTED = 130
READER_GONE = 141


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended that has no result."""

    code: int
    kind: str
    sentence: str
    facts: dict[str, Any] = field(default_factory=dict)  # for programs
    hint: str = ""  # a line for people, below the sentence


class CutShortError(Exception):
    """An interruption or a failed write, past a parser of commands that has exit codes of its own for them."""


@contextmanager
def past_parser() -> Iterator[None]:
    """Let interruptions and failed writes through to `leave`."""
    try:
        yield
    except (KeyboardInterrupt, OSError) as error:
        if isinstance(error, StrobeError):
            raise
        raise CutShortError from error


def leave(run: Callable[[], Any], words: Sequence[str] = ()) -> NoReturn:
    """Run a command and exit with its code; whatever went wrong is said in one sentence on stderr."""
    _replace_closed_streams()
    _tolerate_narrow_encodings()
    as_json = "--json" in (words[: words.index("--")] if "--" in words else words)
    answered = io.StringIO()
    try:
        with _held(answered) if as_json else nullcontext():
            code = run() or 0
        sys.stdout.flush()
        sys.exit(code)
    except (Exception, KeyboardInterrupt) as error:
        cause = error.__cause__ if isinstance(error, CutShortError) else error
        if isinstance(cause, BrokenPipeError):
            _drop_output()
            sys.exit(READER_GONE)
        end = ending(cause)
        if as_json and not answered.tell():
            _answer(end)
        _say(end)
        sys.exit(end.code)


@contextmanager
def _held(answered: io.StringIO) -> Iterator[None]:
    """Standard output in one piece: what is printed is written when all of it is there."""
    out, sys.stdout = sys.stdout, answered
    try:
        yield
    finally:
        sys.stdout = out
        out.write(answered.getvalue())


def ending(error: BaseException | None) -> Ending:
    """What a failure is called, said and answered with."""
    import typer  # here, for help and lists that do not fail wait for no library

    if isinstance(error, StrobeError):
        return Ending(BAD_INPUT, _kind(error), on_command_line(error), _facts(error))
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return Ending(INTERRUPTED, "interrupted", "interrupted.")
    if isinstance(error, typer.BadParameter.__mro__[1]):  # newer typers carry a click of their own
        return _usage(error)
    if isinstance(error, OSError):
        what = "cannot write the output" if error.filename is None else f"cannot use {error.filename}"
        return Ending(BAD_INPUT, "file", f"{what}: {error.strerror or error}.")
    if isinstance(error, MemoryError):
        sentence = "not enough memory for this. Take a smaller file, fewer rows or a smaller batch."
        return Ending(BAD_INPUT, "memory", sentence)
    if os.environ.get("STROBE_DEBUG"):
        import traceback

        traceback.print_exception(error)
    sentence = (
        f"this is a bug in strobe ({type(error).__name__}: {error}). "
        "Please report it; set STROBE_DEBUG=1 for the traceback."
    )
    return Ending(BUG, "bug", sentence)


def _kind(error: StrobeError) -> str:
    """The class of an error as a word: ``ModelFileError`` is ``model_file``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__.removesuffix("Error")).lower()


def _facts(error: StrobeError) -> dict[str, Any]:
    if not isinstance(error, ModelFileError):
        return {}
    first = [{"where": fault.where, "text": fault.text} for fault in error.faults[:MOST_FAULTS]]
    return {"faults": first, "fault_count": len(error.faults)}


def _usage(error: Any) -> Ending:
    """A wrong flag or argument, and where the right ones are listed."""
    import typer

    if hasattr(error, "possibilities") and hasattr(error, "option_name"):  # typers differ in their words
        sentence = (
            f"no such option: {error.option_name}.{nearest(error.option_name, error.possibilities or ())}"
        )
    elif isinstance(error, typer.BadParameter) and not error.param:
        sentence = error.message
    else:
        sentence = error.format_message()
    path = f"{error.ctx.command_path if error.ctx else 'strobe'} --help"
    usage = f"{' '.join(error.ctx.get_usage().split())}\n" if error.ctx else ""
    sentence = f"{sentence[:1].lower()}{sentence[1:]}"
    return Ending(BAD_INPUT, "usage", sentence, {"help": path}, f"{usage}Try: {path}")


def _answer(end: Ending) -> None:
    """An ending as the one JSON document on standard output."""
    from strobe.show.json_text import json_text

    with suppress(OSError):
        error = {"kind": end.kind, "message": harmless(end.sentence), "exit_code": end.code, **end.facts}
        print(json_text({"error": error}))


def _say(end: Ending) -> None:
    """A sentence on stderr, behind what was printed before it."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()
    with suppress(OSError):
        print(
            f"strobe: {harmless(end.sentence)}",
            *([end.hint] if end.hint else []),
            sep="\n",
            file=sys.stderr,
        )


def _drop_output() -> None:
    """Let go of what an output does not take, or Python tries again at its end and complains."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):  # a stream without a file descriptor holds nothing back
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _replace_closed_streams() -> None:
    """Where output was closed (``>&-``) Python has no stream at all: what is printed goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  open to the end


def _tolerate_narrow_encodings() -> None:
    """A terminal or pipe that cannot show a letter shows a question mark, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # pyright: ignore[reportAttributeAccessIssue]
