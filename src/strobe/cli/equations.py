"""``strobe equations``: the equations of motion of a robot, the way a textbook prints them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, number, open_robot
from strobe.errors import ArgumentError, OutputError

if TYPE_CHECKING:
    from strobe.equations.document import Document
    from strobe.equations.notation import Notation
    from strobe.equations.shortened import Written
    from strobe.robot import Robot

READABLE = ("M", "C", "G")  # sections of the grade with named intermediate results
LONG = {"T", "M", "C", "tau", "facts"}  # sections that need the mass matrix
BRIEF = 2_000  # terms of shortened torques that are still printed


def equations(
    robot: RobotName,
    latex: Annotated[
        Path | None, typer.Option("--latex", metavar="FILE.tex", help="Write a LaTeX document.")
    ] = None,
    python: Annotated[
        Path | None,
        typer.Option("--python", metavar="FILE.py", help="Write a Python module that tests itself."),
    ] = None,
    c: Annotated[
        Path | None, typer.Option("--c", metavar="FOLDER", help="Write C99 with a test and a Makefile.")
    ] = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="The robot's own numbers in the place of named parameters.")
    ] = False,
    only: Annotated[
        str | None,
        typer.Option(
            "--only", metavar="M,C,…", help="Some of T, V, M, C, G, tau, friction, fk, jacobian, facts."
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--form", metavar="FORM", help="Coriolis matrix: christoffel or decomposition.")
    ] = "christoffel",
    frame: Annotated[
        str | None, typer.Option("--frame", metavar="FRAME", help="The frame of fk and jacobian.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Expand everything, however long; the size is told first.")
    ] = False,
    derive: Annotated[
        str | None,
        typer.Option(
            "--derive",
            metavar="WAY",
            help="Derive them step by step: newton-euler, lagrange, decomposition.",
        ),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            "--within", metavar="1%", help="Leave out what stays below a part of the largest torques."
        ),
    ] = None,
    short: Annotated[bool, typer.Option("--short", help="c12 in the place of cos(q1 + q2).")] = False,
    textbook: Annotated[
        bool, typer.Option("--textbook", help="H for the mass matrix and θ for angles.")
    ] = False,
    gravity: Gravity = None,
    lock: Lock = None,
    base: Base = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """The equations of motion in closed form: energies, M, C, G, torques, frames, and what their structure says.

    Small arms are written out in named parameters. Larger ones come with named intermediate results; --full
    expands them all the same. Named entries are exact; with --numbers constants are printed to six digits.

    \b
    Examples:
      strobe equations planar2
      strobe equations pendulum3 --only M,G --latex pendulum.tex
      strobe equations panda --python panda_dynamics.py
      strobe equations planar2 --derive newton-euler
      strobe equations puma560 --within 1%
    """
    given = {
        "--latex": latex, "--python": python, "--c": c, "--json": as_json, "--derive": derive, "--within": within,
        "--only": only, "--frame": frame, "--full": full, "--form": form != "christoffel",
    }  # fmt: skip
    _refuse_together([name for name, value in given.items() if value])
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    if python is not None or c is not None:
        _write_code(arm, python, c, full, numbers, [robot], force)
        return
    notation = _notation(arm, short, textbook, numbers)
    if derive is not None:
        _derive(arm, derive, numbers, notation, latex, [robot], force, as_json)
        return
    if within is not None:
        found, data = _shortened(arm, within, numbers)
    else:
        found, data = _document(arm, only, form, frame, numbers, full), {}
    if latex is not None:
        from strobe.equations.latex import latex_source

        _write(latex, latex_source(found, notation), [robot], force)
    elif as_json:
        from strobe.cli.show import print_json

        print_json(data | _data(found, notation))
    else:
        _print(found, notation)


ASPECTS = ("--only", "--frame", "--form")
EXCLUDED = {  # by an option: others that would be left unheard beside it
    "--json": ("--latex", "--python", "--c"),
    "--python": ("--latex", "--derive", "--within", *ASPECTS),
    "--c": ("--latex", "--derive", "--within", *ASPECTS),
    "--derive": ("--within", "--full", *ASPECTS),
    "--within": ("--full", *ASPECTS),
}


def _refuse_together(given: Sequence[str]) -> None:
    for first, others in EXCLUDED.items():
        unheard = [name for name in others if name in given]
        if first in given and unheard:
            raise ArgumentError(f"{first} and {unheard[0]} cannot be asked for at once; leave one out.")


# -- what is written down -----------------------------------------------------------------------------


def _document(
    arm: Robot, only: str | None, form: str, frame: str | None, numbers: bool, full: bool
) -> Document:
    from strobe.cli.progress import Progress
    from strobe.cli.show import note
    from strobe.equations.closed_form import WRITTEN_OUT, equations_of, predicted_terms
    from strobe.equations.document import SECTIONS, document, readable_document
    from strobe.equations.readable import readable
    from strobe.formulations.decomposition import FORMS

    wanted = [key.strip() for key in (only or "").split(",") if key.strip()]
    if form not in FORMS:
        raise ArgumentError(f'--form is "{form}"; expected one of {", ".join(FORMS)}.')
    if frame is not None:
        arm.model.frame(frame)
    long = not wanted or not LONG.isdisjoint(wanted)
    closed = equations_of(arm, numbers)
    terms = predicted_terms(closed) if long else 0
    if full and long:
        size = f"about {terms:,} terms" if terms is not None else "more terms than can be predicted"
        note(f"the mass matrix of {arm.name} has {size}, fully expanded.")
    elif terms is None or terms > WRITTEN_OUT:
        _require_readable(arm, wanted, form)
        size = f"about {terms:,} terms" if terms is not None else "more terms than can be predicted"
        note(
            f"the mass matrix of {arm.name} has {size}; these are its M, C and G over named intermediate results. "
            "--full expands all equations."
        )
        return readable_document(readable(arm, numbers), arm.model.title, wanted)
    with Progress(f"equations of {arm.name}", len(wanted or SECTIONS), "sections") as progress:
        done = iter([0, *[1] * len(SECTIONS)])
        return document(
            closed, only=wanted, form=form, frame=frame, told=lambda _: progress.advance(next(done))
        )


def _require_readable(arm: Robot, wanted: Sequence[str], form: str) -> None:
    """Refuse what the readable grade does not have."""
    missing = [key for key in wanted if key not in READABLE]
    if missing or form != "christoffel":
        what = f"--only {','.join(missing)}" if missing else f"--form {form}"
        raise ArgumentError(
            f"{arm.name} is written with named intermediate results, which give {', '.join(READABLE)} (Christoffel "
            f"form) but not {what}. Ask for {', '.join(READABLE)}, or for --full."
        )


def _shortened(arm: Robot, within: str, numbers: bool) -> tuple[Document, dict[str, Any]]:
    from dataclasses import asdict

    from strobe.cli.progress import Progress
    from strobe.equations.closed_form import equations_of
    from strobe.equations.document import shortened_document
    from strobe.equations.shortened import shortened

    with Progress(f"shortening {arm.name}", 1, "searches"):
        found = shortened(arm, _part(within))
        written = found.written(numbers)
        torques = written.torques if written.terms <= BRIEF else []
        remarks = [
            _written(written),
            "",
            "As a program, with other terms left out:",
            *found.describe().splitlines(),
        ]
        shown = shortened_document(equations_of(arm, numbers), torques, remarks)
    return shown, {
        "within": found.within,
        "operations": found.operations,
        "multiplications": found.multiplications,
        "additions": found.additions,
        "sines_and_cosines": found.circles,
        "proven": found.proven,
        "joints": [asdict(row) for row in found.rows()],
    }


def _written(x: Written) -> str:
    """What the shortened closed form leaves out, and what that costs at most."""
    left = f"{x.terms:,} of {x.of:,} terms"
    if x.terms > BRIEF:
        return f"The shortened closed form has {left} and is not printed; with --numbers it may be shorter."
    return f"The torques above keep {left}; their error is at most {x.bounds.max():.3%} (proven)."


def _derive(
    arm: Robot, way: str, numbers: bool, notation: Notation, latex: Path | None, inputs: list[str], force: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """The derivation, printed or written; exit code 1 where it does not end in the closed form."""
    from strobe.cli.progress import Progress
    from strobe.equations import derivation_printing as printing
    from strobe.equations.derivation import derive as derived

    with Progress(f"derivation of {arm.name}", 1, "derivations"):
        found = derived(arm, way, numbers)
        written = printing.derivation_latex(found, notation) if latex is not None else ""
        data = printing.derivation_data(found, notation) if as_json and latex is None else {}
        shown = [] if latex is not None or as_json else list(printing.derivation_text(found, notation))
    if latex is not None:
        _write(latex, written, inputs, force)
    elif as_json:
        from strobe.cli.show import print_json

        print_json(data)
    else:
        _print_lines(shown)
    if not found.agrees:
        raise typer.Exit(1)


def _part(text: str) -> float:
    """1% or 0.01."""
    word = text.strip()
    return number("--within", word.removesuffix("%").strip()) / (100.0 if word.endswith("%") else 1.0)


def _notation(arm: Robot, short: bool, textbook: bool, numbers: bool) -> Notation:
    from strobe.equations.notation import Notation

    turning = [str(k + 1) for k, joint in enumerate(arm.coordinates.joints) if joint.turns]
    positions = dict.fromkeys(turning, "θ") if textbook else {}
    return Notation(mass="H" if textbook else "M", positions=positions, short=short, decimals=numbers)


# -- output -------------------------------------------------------------------------------------------


def _print(document: Document, notation: Notation) -> None:
    from strobe.equations.text import text_lines

    _print_lines(text_lines(document, notation))


def _print_lines(lines: Iterable[str]) -> None:
    """Lines of which those without a blank in front are titles."""
    from rich.text import Text

    from strobe.cli.show import console

    out = console()
    for line in lines:
        out.print(Text(line, style="" if line.startswith(" ") else "bold cyan"))


def _data(document: Document, notation: Notation) -> dict[str, Any]:
    from dataclasses import asdict

    from strobe.equations.latex import LatexWriter
    from strobe.equations.text import TextWriter

    text, latex = TextWriter(notation), LatexWriter(notation)
    return {
        "robot": document.robot,
        "parameters": [asdict(parameter) for parameter in document.parameters],
        "sections": [
            {
                "key": section.key,
                "title": section.title,
                "entries": [
                    {
                        "names": [text.symbol(name) for name in entry.names],
                        "text": text.write(entry.value),
                        "latex": latex.write(entry.value),
                        "meaning": entry.meaning,
                    }
                    for entry in section.entries
                ],
                "remarks": section.remarks,
                "conditions": [
                    {"sentence": sentence, "zero": list(map(text.write, zeros))}
                    for sentence, zeros in section.conditions
                ],
            }
            for section in document.sections
        ],
    }


def _write_code(
    arm: Robot,
    python: Path | None,
    c: Path | None,
    full: bool,
    numbers: bool,
    inputs: list[str],
    force: bool,
) -> None:
    from strobe.cli.progress import Progress
    from strobe.equations import code

    with Progress(f"code of {arm.name}", 1, "steps"):
        if python is not None:
            _write(python, code.python_source(arm, full, numbers or None), inputs, force)
        if c is not None:
            try:
                c.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise OutputError(f"cannot make the folder {c}: {error.strerror or error}.") from None
            for name, source in code.c_sources(arm, full, numbers or None).items():
                _write(c / name, source, inputs, force)


def _write(path: Path, source: str, inputs: list[str], force: bool) -> None:
    from strobe.cli.show import note
    from strobe.runtime.files import writing

    with writing(path, inputs=inputs, force=force) as stream:
        stream.write(source)
    note(f"written to {path}.")
