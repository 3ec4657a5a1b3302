"""``strobe equations``: the equations of motion of a robot, the way a textbook prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.frames import TIP
from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, number, open_robot
from strobe.cli.logs import Columns, Degrees, Differentiate, LogOptions, Topic
from strobe.cli.options import takes
from strobe.cli.states import AccelerationRange, PositionRange, VelocityRange, given_range
from strobe.errors import ArgumentError, EquationSizeError, OutputError, UnsupportedModelError

if TYPE_CHECKING:
    from strobe.equations.closed_form import Equations
    from strobe.equations.document import Document
    from strobe.equations.notation import Notation
    from strobe.equations.shortened import Shortened
    from strobe.equations.trig_polynomials import Wave
    from strobe.robot import Robot

SECTIONS = ("T", "V", "M", "C", "G", "tau", "friction", "fk", "jacobian", "facts")
LONG = {"T", "M", "C", "tau", "facts"}  # sections that need the mass matrix
COUPLED = {"C", "tau"}  # those that need the Coriolis matrix
HEARD = {"--frame": {"fk", "jacobian"}, "--form": {"C", "tau"}}  # the sections that an option is about
FRAME = 4_000  # terms of a placement or a Jacobian that are still written out, by their factors
PATIENCE = 1_000_000  # products of terms, a few seconds, before named intermediate results are tried
BRIEF = 2_000  # terms of shortened torques that are still printed


def equations(
    robot: RobotName,
    latex: Annotated[Path | None, takes("--latex", "FILE.tex", "Write a LaTeX document.")] = None,
    python: Annotated[
        Path | None, takes("--python", "FILE.py", "Write a Python module that tests itself.")
    ] = None,
    c: Annotated[
        Path | None,
        takes("--c", "FOLDER", "Write C99 with a test and a Makefile; FILE.c: without the latter."),
    ] = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="The robot's own numbers in the place of named parameters.")
    ] = False,
    named: Annotated[
        bool,
        typer.Option("--named", help="Code of larger robots, too, with the parameters as an argument."),
    ] = False,
    only: Annotated[str | None, takes("--only", "M,C,…", f"Some of {', '.join(SECTIONS)}.")] = None,
    form: Annotated[
        str, takes("--form", "FORM", "Coriolis matrix: christoffel or decomposition.")
    ] = "christoffel",
    frame: Annotated[str | None, takes("--frame", "FRAME", f"The frame of fk and jacobian; {TIP}")] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Expand everything; the size is told first.")
    ] = False,
    derive: Annotated[
        str | None,
        takes("--derive", "WAY", "Derive them step by step: newton-euler, lagrange, decomposition."),
    ] = None,
    within: Annotated[
        str | None, takes("--within", "1%", "Leave out what stays below a part of the largest torques.")
    ] = None,
    q_range: PositionRange = None,
    qd_range: VelocityRange = None,
    qdd_range: AccelerationRange = None,
    trajectory: Annotated[
        Path | None,
        takes(
            "--trajectory", "LOG", "For --within: a motion, as for strobe torque; its ranges, its errors."
        ),
    ] = None,
    columns: Columns = None,
    degrees: Degrees = False,
    topic: Topic = None,
    differentiate: Differentiate = False,
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
    expands them all the same, up to 100,000 terms. Named entries are exact; with --numbers constants are printed to
    six digits, in JSON with all.

    --within shortens the torques, over ranges of motion: those given, else those of the motion --trajectory, else the
    robot's limits. A range is one number r for all joints (from -r to r), or one per joint; or LOWER:UPPER.

    \b
    Examples:
      strobe equations planar2
      strobe equations pendulum3 --only M,G --latex pendulum.tex
      strobe equations panda --python panda_dynamics.py
      strobe equations panda --named --c panda
      strobe equations planar2 --derive newton-euler
      strobe equations puma560 --within 1% --qd-range 1 --python puma_short.py
      strobe equations planar2 --within 2% --q-range 0:pi,-1:1
    """
    ranges = {"--q-range": q_range, "--qd-range": qd_range, "--qdd-range": qdd_range}
    given = {
        "--latex": latex, "--python": python, "--c": c, "--json": as_json, "--derive": derive, "--within": within,
        "--only": only, "--frame": frame, "--full": full, "--form": form != "christoffel", "--numbers": numbers,
        "--named": named, "--trajectory": trajectory, "--differentiate": differentiate, "--short": short,
        "--textbook": textbook, "--columns": columns, "--degrees": degrees, "--topic": topic, **ranges,
    }  # fmt: skip
    _refuse_together([name for name, value in given.items() if value])
    reading = LogOptions(columns, degrees, differentiate, topic)
    reading.refuse_without(trajectory, "the motion of --trajectory LOG")
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    target = _Target(latex, python, c, as_json, _notation(arm, short, textbook, numbers), [robot], force)
    if derive is not None:
        _derive(arm, derive, numbers, target)
    elif within is not None:
        _shortened(_search(arm, within, ranges, trajectory, reading), numbers, target)
    elif target.is_code:
        _code(arm, full, True if numbers else False if named else None, target)
    else:
        target.show(_document(arm, only, form, frame, numbers, full))


ASPECTS = ("--only", "--frame", "--form")
RANGES = ("--q-range", "--qd-range", "--qdd-range", "--trajectory", "--columns", "--degrees", "--topic",
          "--differentiate")  # fmt: skip
LOOKS = ("--short", "--textbook")
EXCLUDED = {  # by an option: others that would be left unheard beside it
    "--json": ("--latex", "--python", "--c"),
    "--python": ("--latex", "--derive", *ASPECTS, *LOOKS),
    "--c": ("--latex", "--derive", *ASPECTS, *LOOKS),
    "--named": ("--numbers", "--derive", "--within"),
    "--derive": ("--within", "--full", *ASPECTS),
    "--within": ("--full", *ASPECTS),
}


def _refuse_together(given: Sequence[str]) -> None:
    for first, others in EXCLUDED.items():
        unheard = [name for name in others if name in given]
        if first in given and unheard:
            raise ArgumentError(f"{first} and {unheard[0]} cannot be asked for at once; leave one out.")
    for name in RANGES:
        if name in given and "--within" not in given:
            raise ArgumentError(f"{name} is for shortened equations; say how short: --within 1%.")
    if "--named" in given and not {"--python", "--c"}.intersection(given):
        raise ArgumentError("--named is for code; say where to write it: --python FILE.py or --c FOLDER.")


@dataclass(frozen=True)
class _Target:
    """Where the result goes, and how it is written."""

    latex: Path | None
    python: Path | None
    c: Path | None
    as_json: bool
    notation: Notation
    inputs: list[str]
    force: bool

    @property
    def is_code(self) -> bool:
        return self.python is not None or self.c is not None

    def show(self, found: Document, data: Mapping[str, Any] | None = None) -> None:
        """A document: as LaTeX, as JSON with more data, or printed."""
        from strobe.cli.show import print_json
        from strobe.equations.latex import latex_source
        from strobe.equations.text import text_lines

        if self.latex is not None:
            self.write({self.latex: latex_source(found, self.notation)})
        elif self.as_json:
            print_json({**(data or {}), **_data(found, self.notation)})
        else:
            _print_lines(text_lines(found, self.notation))

    def write_code(
        self, python_source: Callable[[], str], c_sources: Callable[[str], Mapping[str, str]]
    ) -> None:
        """Source in the languages asked for; that of C from the stem of its files, none for a folder."""
        files: dict[Path, str] = {}
        if self.python is not None:
            files[self.python] = python_source()
        if self.c is not None and self._folder is None:
            texts = c_sources(self.c.stem)
            files |= {self.c.parent / name: text for name, text in texts.items() if name != "Makefile"}
        elif self._folder is not None:
            files |= {self._folder / name: text for name, text in c_sources("").items()}
        self.write(files)

    @property
    def _folder(self) -> Path | None:
        """Where a whole folder of C goes; None where it is a file, FILE.c, that is asked for."""
        is_file = self.c is not None and self.c.suffix == ".c" and not self.c.is_dir()
        return None if is_file else self.c

    def write(self, files: Mapping[Path, str]) -> None:
        """All files, or none where one of them cannot be written."""
        from strobe.cli.show import note
        from strobe.files.writing import refuse, require_written_name, writing

        for path in files:
            if path.parent != self._folder or path.parent.exists():
                refuse(path, inputs=self.inputs, force=self.force)
        if self._folder is not None:
            require_written_name(self._folder)
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise OutputError(
                    f"cannot make the folder {self._folder}: {error.strerror or error}."
                ) from None
        for path, source in files.items():
            with writing(path, inputs=self.inputs, force=self.force) as stream:
                stream.write(source)
            note(f"written to {path}.")


# -- what is written down -----------------------------------------------------------------------------


def _document(
    arm: Robot, only: str | None, form: str, frame: str | None, numbers: bool, full: bool
) -> Document:
    """The equations in the grade that fits them, or in full."""
    from strobe.cli.show import note
    from strobe.equations.readable_document import readable_document
    from strobe.formulations.decomposition import FORMS

    if form not in FORMS:
        raise ArgumentError(f'--form is "{form}"; expected one of {", ".join(FORMS)}.')
    if frame is not None and arm.model.frame(frame).name not in arm.moving_frames:
        note(f'no joint of {arm.name} moves frame "{frame}": its place is the same in every position.')
    wanted = _sections(only, {"--frame": frame is not None, "--form": form != "christoffel"})
    try:
        return _written_out(arm, wanted, form, frame, numbers, full)
    except _Unfit as unfit:
        found = readable_document(arm, numbers, wanted, form=form, frame=frame)
        note(f"{unfit.reason}; these are its equations over named intermediate results.{unfit.hint}")
        return found


def _sections(only: str | None, given: Mapping[str, bool]) -> list[str]:
    """The sections named, none for all; raise where none of them hears an option that is given."""
    wanted = [key.strip() for key in (only or "").split(",") if key.strip()]
    if only is not None and not wanted:
        raise ArgumentError(f'--only is "{only}"; expected some of {", ".join(SECTIONS)}.')
    for option, heard in HEARD.items():
        if wanted and given[option] and heard.isdisjoint(wanted):
            raise ArgumentError(
                f"{option} is about {' and '.join(sorted(heard))}, which --only leaves out."
            )
    return wanted


class _Unfit(Exception):
    """Why a robot is written with named intermediate results, and what else can be done."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason, self.hint = reason, hint


def _written_out(
    arm: Robot, wanted: Sequence[str], form: str, frame: str | None, numbers: bool, full: bool
) -> Document:
    """The closed form, where it is short enough or asked for in full."""
    from strobe.cli.progress import Progress
    from strobe.cli.show import note
    from strobe.equations import closed_form
    from strobe.equations.document import document
    from strobe.equations.trig_polynomials import TooManyProducts

    try:
        closed = closed_form.equations_of(arm, numbers)
    except UnsupportedModelError as error:
        if full:
            raise
        raise _Unfit(str(error).partition(". ")[0]) from None
    if not wanted or not LONG.isdisjoint(wanted):
        terms = closed_form.predicted_terms(closed)
        size = f"about {terms:,} terms" if terms is not None else "more terms than can be predicted"
        if full:
            note(f"the mass matrix of {arm.name} has {size}, fully expanded.")
        elif terms is None or terms > closed_form.WRITTEN_OUT:
            hint = " --full writes them out." if _is_writable(terms, closed.n, wanted) else ""
            raise _Unfit(f"the mass matrix of {arm.name} has {size}", hint)
    closed = closed if full else closed_form.budgeted(closed, PATIENCE)
    with Progress(f"equations of {arm.name}", len(wanted or SECTIONS), "sections") as progress, _advised():
        done = iter([0, *[1] * len(SECTIONS)])
        try:
            if not full:
                _require_short_frames(closed, wanted, frame)
            return document(
                closed, only=wanted, form=form, frame=frame, told=lambda _: progress.advance(next(done))
            )
        except TooManyProducts:
            raise _Unfit(f"the closed form of {arm.name} has too many terms") from None


def _is_writable(terms: int | None, n: int, wanted: Sequence[str]) -> bool:
    """Whether --full would write out a robot whose mass matrix has so many terms: C has up to 2n times as many."""
    from strobe.equations.closed_form import WRITABLE

    share = 1 if wanted and COUPLED.isdisjoint(wanted) else 2 * n + 1
    return terms is not None and terms * share <= WRITABLE


def _require_short_frames(closed: Equations, wanted: Sequence[str], frame: str | None) -> None:
    """Oblique angles of links that follow each other multiply the terms of placements, whatever M has."""
    from strobe.equations.closed_form import terms
    from strobe.models.default_frame import tip_or_none

    name = frame or tip_or_none(closed.model)
    if name is None and not wanted:
        return
    for key, what, quantity in (
        ("fk", "placement", closed.forward_kinematics),
        ("jacobian", "Jacobian", closed.jacobian),
    ):
        if (key in wanted or not wanted) and (size := terms(quantity(name))) > FRAME:
            others = ",".join(x for x in SECTIONS if x not in HEARD["--frame"])
            raise _Unfit(
                f'the {what} of the frame "{name}" of {closed.name} has {size:,} terms',
                "" if wanted else f" --only {others} may write out the others.",
            )


@contextmanager
def _advised() -> Iterator[None]:
    """A refusal by size, with what to do about it on the command line."""
    try:
        yield
    except EquationSizeError as error:
        raise ArgumentError(
            f"{error.refusal} Leave out --full: named intermediate results keep them short."
        ) from None


def _code(arm: Robot, full: bool, numbers: bool | None, target: _Target) -> None:
    from strobe.cli.progress import Progress
    from strobe.equations.code import c_sources, python_source

    with Progress(f"code of {arm.name}", 1, "steps"), _advised():
        target.write_code(
            lambda: python_source(arm, full, numbers), lambda stem: c_sources(arm, full, numbers, stem)
        )


# -- shortened equations ------------------------------------------------------------------------------


def _search(
    arm: Robot, within: str, ranges: Mapping[str, str | None], along: Path | None, reading: LogOptions
) -> Shortened:
    """The shortened torques over the ranges given, or those of a motion."""
    from strobe.cli.logs import read_motion
    from strobe.cli.progress import Progress
    from strobe.equations.shortened import shortened

    given = [None if text is None else given_range(arm, option, text) for option, text in ranges.items()]
    motion = None if along is None else read_motion(along, arm, reading)
    with Progress(f"shortening {arm.name}", 1, "searches"):
        return shortened(arm, _part(within), *given, along=motion and (motion.q, motion.qd, motion.qdd))


def _shortened(found: Shortened, numbers: bool, target: _Target) -> None:
    """What was found as code, or told with the shortened closed form."""
    from strobe.cli.progress import Progress
    from strobe.equations import code_shortened
    from strobe.equations.closed_form import equations_of
    from strobe.equations.document import shortened_document

    if target.is_code:
        target.write_code(
            lambda: code_shortened.python_source(found), lambda stem: code_shortened.c_sources(found, stem)
        )
        return
    with Progress(f"closed form of {found.robot.name}", 1, "forms"):
        torques, remark = _written(found, numbers)
        told = found.describe().splitlines() if target.latex is None else found.sentences()
        remarks = [remark, "", "As a program, with other terms left out:", *told]
        shown = shortened_document(equations_of(found.robot, numbers), torques, remarks)
    target.show(shown, _shortened_data(found))


def _written(found: Shortened, numbers: bool) -> tuple[list[Wave], str]:
    """The shortened closed form where it is short enough to print, and what it leaves out."""
    try:
        x = found.written(numbers)
    except EquationSizeError:
        return [], "The closed form has too many terms to leave some out of it."
    left = f"{x.terms:,} of {x.of:,} terms"
    if x.terms > BRIEF:
        shorter = "" if numbers else "; with --numbers it may be shorter"
        return [], f"The shortened closed form has {left} and is not printed{shorter}."
    return (
        x.torques,
        f"The torques above keep {left}; their error is at most {x.bounds.max():.3%} (proven).",
    )


def _shortened_data(found: Shortened) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "within": found.within,
        "operations": found.operations,
        "multiplications": found.multiplications,
        "additions": found.additions,
        "sines_and_cosines": found.circles,
        "proven": found.proven,
        "ranges": dict(found.ranges.origins),
        "motion": found.motion_name,
        "joints": [asdict(row) for row in found.rows()],
    }


# -- derivations --------------------------------------------------------------------------------------


def _derive(arm: Robot, way: str, numbers: bool, target: _Target) -> None:
    """The derivation, printed or written; exit code 1 where it does not end in the closed form."""
    from strobe.cli.progress import Progress
    from strobe.cli.show import print_json
    from strobe.equations import derivation_printing as printing
    from strobe.equations.derivation import derive as derived

    notation, latex = target.notation, target.latex
    with Progress(f"derivation of {arm.name}", 1, "derivations"):
        found = derived(arm, way, numbers)
        source = printing.derivation_latex(found, notation) if latex is not None else ""
        data = printing.derivation_data(found, _with_every_digit(notation)) if target.as_json else {}
        shown = (
            [] if latex is not None or target.as_json else list(printing.derivation_text(found, notation))
        )
    if latex is not None:
        target.write({latex: source})
    elif target.as_json:
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

    turning = [str(k + 1) for k, joint in enumerate(arm.coordinates.joints) if joint.angular]
    positions = dict.fromkeys(turning, "θ") if textbook else {}
    return Notation(mass="H" if textbook else "M", positions=positions, short=short, decimals=numbers)


# -- output -------------------------------------------------------------------------------------------


def _print_lines(lines: Iterable[str]) -> None:
    """Lines of which those without a blank in front are titles."""
    from strobe.cli.show import show
    from strobe.show.terminal import Text

    show(Text(line, style="" if line.startswith(" ") else "bold cyan") for line in lines)


def _with_every_digit(notation: Notation) -> Notation:
    """As JSON is written."""
    return replace(notation, every_digit=True)


def _data(document: Document, notation: Notation) -> dict[str, Any]:
    from dataclasses import asdict

    from strobe.equations.latex import LatexWriter
    from strobe.equations.text import TextWriter

    notation = document.read_with(_with_every_digit(notation))
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
                "remarks": list(map(text.remark, section.remarks)),
                "conditions": [
                    {"sentence": text.remark(sentence), "zero": list(map(text.write, zeros))}
                    for sentence, zeros in section.conditions
                ],
                "data": dict(section.data),
            }
            for section in document.sections
        ],
    }
