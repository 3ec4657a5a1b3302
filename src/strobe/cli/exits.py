"""How a command ends: the exit codes, and the one line that a user sees instead of a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import typer

from strobe.errors import StrobeError, UnknownNameError, harmless, nearest

CHECK_FAILED = 1
BAD_INPUT = 2
BUG = 70
INTERRUPTED = 130
READER_GONE = 141

LEAD = "Give the actuated joints alone: the others follow."
ADVICE = {  # on closed chains, in place of Python's
    "robot.assemble(q) closes it.": LEAD,
    "robot.closed_velocities(q, qd) keeps it closed.": LEAD,
    "robot.closed_accelerations(q, qd, qdd) keeps it closed.": LEAD,
    "actuated=[…]": "--actuated NAMES",
    "Give another guess, or limits=False.": "Give another guess: --q.",
    "Give another guess, or more tries.": "Give another guess: --q.",
    "(strobe.mechanisms.diagnose tells)": "(strobe info tells)",
}

# newer typers carry a click of their own, so it is not imported by name
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]


def leave(run: Callable[[], Any]) -> NoReturn:
    """Run a command and exit with its code; whatever went wrong is said in one sentence on stderr."""
    _replace_closed_streams()
    _tolerate_narrow_encodings()
    try:
        code = run() or 0
        sys.stdout.flush()
        sys.exit(code)
    except StrobeError as error:
        _say(_sentence(error))
        sys.exit(BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        _say("interrupted.")
        sys.exit(INTERRUPTED)
    except USAGE_ERROR as error:
        _say(_usage(error))
        sys.exit(BAD_INPUT)
    except BrokenPipeError:  # who read the output has seen enough
        _drop_output()
        sys.exit(READER_GONE)
    except OSError as error:
        what = "cannot write the output" if error.filename is None else f"cannot use {error.filename}"
        _drop_output()
        _say(f"{what}: {error.strerror or error}.")
        sys.exit(BAD_INPUT)
    except MemoryError:
        _say("not enough memory for this. Take a smaller file, fewer rows or a smaller batch.")
        sys.exit(BAD_INPUT)
    except Exception as error:
        if os.environ.get("STROBE_DEBUG"):
            traceback.print_exc()
        _say(
            f"this is a bug in strobe ({type(error).__name__}: {error}). "
            "Please report it; set STROBE_DEBUG=1 for the traceback."
        )
        sys.exit(BUG)


def _usage(error: Any) -> str:
    """A wrong flag or argument, and where the right ones are listed."""
    if hasattr(error, "possibilities") and hasattr(error, "option_name"):  # typers differ in their words
        sentence = (
            f"no such option: {error.option_name}.{nearest(error.option_name, error.possibilities or ())}"
        )
    elif isinstance(error, typer.BadParameter) and not error.param:
        sentence = error.message
    else:
        sentence = error.format_message()
    path = error.ctx.command_path if error.ctx else "strobe"
    return f"{sentence[:1].lower()}{sentence[1:]}\nTry: {path} --help"


def _sentence(error: StrobeError) -> str:
    """What an error says, without pointers that only Python can follow."""
    see = error.see if isinstance(error, UnknownNameError) else ""
    sentence = str(error).replace(f"; see {see}", "") if see.startswith("robot.") else str(error)
    for words, instead in ADVICE.items():
        sentence = sentence.replace(words, instead)
    return sentence


def _say(sentence: str) -> None:
    """A sentence on stderr, behind what was printed before it."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()
    print(f"strobe: {harmless(sentence)}", file=sys.stderr)


def _drop_output() -> None:
    """Let go of what an output does not take, or Python tries again at its end and complains."""
    with suppress(OSError, ValueError):  # a stream without a file descriptor holds nothing back
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
