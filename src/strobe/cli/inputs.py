"""What every verb takes: a robot with its edits, and lists of numbers."""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strobe.cli.first_page import ENDINGS
from strobe.cli.options import takes
from strobe.errors import ArgumentError, ModelWarning, counted
from strobe.files.tables import decimal
from strobe.models import formats

if TYPE_CHECKING:
    from strobe.robot import Robot


def robots_like(incomplete: str) -> list[str]:
    """What a shell offers for a robot: built-in names and model files of this folder; of others, the shell's own."""
    from strobe.models.library import built_in_names

    if os.sep in incomplete:
        return []
    files = sorted(path.name for path in Path().iterdir() if path.suffix.lower() in formats.ENDINGS)
    return [name for name in (*built_in_names(), *files) if name.startswith(incomplete)]


RobotName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help=f"A built-in robot (strobe list), or a {ENDINGS.format('')} file.",
        autocompletion=robots_like,
    ),
]
Lock = Annotated[
    list[str] | None,
    takes("--lock", "JOINT=VALUE", "Hold a joint (* and ? match names); may be repeated."),
]
Base = Annotated[str | None, takes("--base", "KIND", "Another base: fixed, translating or floating.")]
Actuated = Annotated[
    str | None, takes("--actuated", "NAMES", "The joints that drive a closed chain; else the model's own.")
]
Gravity = Annotated[
    str | None, takes("--gravity", "X,Y,Z", "Gravity in base axes, m/s², instead of the robot's.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse a model that deserves a warning.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the output file if it exists.")]


SEPARATORS = re.compile(r"[,;\s]+")


def open_robot(
    source: str,
    *,
    lock: Sequence[str] | None = None,
    base: str | None = None,
    gravity: str | None = None,
    actuated: str | None = None,
    strict: bool = False,
    quiet: bool = False,
) -> Robot:
    """The robot a user named, its warnings shown once on stderr (unless ``quiet``: the verb shows them)."""
    from strobe.cli.show import warn
    from strobe.robot import load

    down = numbers("--gravity", gravity, 3) if gravity is not None else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = load(source, lock=locks(lock or ()), base=base, gravity=down, strict=strict)
    for fault in robot.notes:
        if fault.severity == "warning" and not quiet:
            warn(str(fault))
    return robot if actuated is None else _driven_by(robot, actuated)


def _driven_by(robot: Robot, actuated: str) -> Robot:
    """The robot whose closed chains are driven by joints that an option names."""
    if not robot.model.is_closed:
        from strobe.models.loops import why_open

        raise ArgumentError(
            f"--actuated is for closed chains; {robot.name} has none{why_open(robot.model)}"
        )
    return robot.with_actuated([name for name in re.split(r"[,\s]+", actuated.strip()) if name])


def locks(pairs: Sequence[str]) -> dict[str, float] | None:
    """``elbow=0.3`` as a name and a number."""
    held: dict[str, float] = {}
    for pair in pairs:
        name, equals, value = pair.rpartition("=")
        if not (name and equals):
            raise ArgumentError(f'--lock takes JOINT=VALUE, for example elbow=0.3, and got "{pair}".')
        held[name.strip()] = number(f"--lock {name}", value.strip())
    return held or None


def numbers(option: str, text: str, count: int | None = None, why: str = "") -> list[float]:
    """A list of numbers separated by commas or spaces."""
    values = [number(option, word) for word in SEPARATORS.split(text.strip("[]() \t")) if word]
    if count is not None and len(values) != count:
        reason = f" {why}" if why else ""
        raise ArgumentError(f"{option} has {counted(len(values), 'number')}, expected {count}.{reason}")
    return values


def number(option: str, word: str) -> float:
    """One finite number; ``pi/2`` is one too."""
    from strobe.models.expressions import ExpressionError, parse_expression

    try:
        value = decimal(word)
    except ValueError:
        try:
            value = float(parse_expression(word, {}))
        except (ExpressionError, ZeroDivisionError, OverflowError):
            raise ArgumentError(f'{option}: "{word}" is not a number (0.3, -1e-3 and pi/2 are).') from None
    if not math.isfinite(value):
        raise ArgumentError(f'{option}: "{word}" is not a finite number.')
    return value
