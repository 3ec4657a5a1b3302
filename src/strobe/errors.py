"""Every exception of Strobe: each receives data and writes its own sentence.

A sentence says what is wrong, where, what was expected and what to do. Each class also derives
from the builtin that a Python user would catch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

DISTRIBUTION = "strobe-dynamics"  # what is installed; what is imported is `strobe`
COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What terminals and editors obey instead of showing it: controls, line separators, changes of direction; and halves
of letters, which no encoding can write."""
MOST_QUOTED = 80  # letters of a name or a key that a sentence repeats
LONGEST_NAME = 500  # letters; those of real robots have some dozens
LONGEST_WORD = 500  # letters: longer is no word, and no path
LONGEST_LINE = 2_000
MOST_LINES = 60
MOST_FAULTS = 20  # shown; the rest is counted
QUOTED = re.compile(r'"([^"\n]*)"')
WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


# -- what input may do to a sentence ----------------------------------------------------------------------------


def harmless(text: str) -> str:
    """Text with what a terminal would obey written out, as \\x1b; line breaks and tabs are kept."""
    return COMMANDS.sub(lambda sign: sign[0].encode("unicode_escape").decode("ascii"), text)


def excerpt(text: str, most: int = MOST_QUOTED) -> str:
    """The beginning of a text from outside, on one line, with nothing in it that a terminal would obey."""
    shown = harmless(text[: most + 1]).replace("\n", "\\n").replace("\t", "\\t")
    return shown if len(text) <= most else f"{shown[:most]}…"


def presentable(sentence: str) -> str:
    """A sentence as it may be shown, whatever names and keys it repeats: harmless, and none of them whole pages."""
    if len(sentence) > MOST_QUOTED:
        sentence = QUOTED.sub(_quoted, sentence)
        sentence = WORD.sub(lambda found: f"{found[0][:MOST_QUOTED]}…", sentence)
        lines = sentence.split("\n", MOST_LINES)
        if len(lines) > MOST_LINES:
            lines[MOST_LINES] = "…"
        sentence = "\n".join(map(_cut, lines))
    return harmless(sentence)


def _quoted(found: re.Match[str]) -> str:
    return found[0] if len(found[1]) <= MOST_QUOTED else f'"{found[1][:MOST_QUOTED]}…"'


def _cut(line: str) -> str:
    """A line without the middle of what is too much of it: it begins with what is wrong and ends with what to do."""
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[: LONGEST_LINE * 3 // 4]} … {line[-LONGEST_LINE // 4 :]}"


def wrong_name(name: str) -> str:
    """Why a text from outside is no name of a joint, a point or the like, as a sentence; nothing where it is one."""
    if len(name) > LONGEST_NAME:
        return f'the name "{excerpt(name)}" has {len(name):,} letters; expected at most {LONGEST_NAME}.'
    if COMMANDS.search(name) or "\n" in name or "\t" in name:
        return f'the name "{excerpt(name)}" has control characters; use letters and signs.'
    return ""


MOST_SHOWN = 120  # letters of a value in a sentence


class Advised(str):
    """A sentence in Python's words; ``words`` are those of it that a command line has others for."""

    words: Mapping[str, str]

    def __new__(cls, sentence: str, words: Mapping[str, str]) -> Advised:
        made = super().__new__(cls, sentence)
        made.words = words
        return made


def on_command_line(said: object) -> str:
    """A sentence, or what an error says, in the words of a command line."""
    sentence = str(said)
    for words, instead in advice_of(said).items():
        sentence = sentence.replace(words, instead)
    return sentence


def advised(said: object) -> Advised:
    """A sentence, or what an error says, with its advice: to be said by another error."""
    return Advised(str(said), advice_of(said))


def advice_of(said: object) -> Mapping[str, str]:
    """The words of a sentence, or of an error, that a command line has others for."""
    return getattr(said, "words", {})


class StrobeError(Exception):
    """What a user can cause; the command line prints it without a traceback."""

    def __init__(self, *args: object) -> None:
        self.words = advice_of(args[0]) if args else {}
        sentence = (presentable(str(args[0])), *args[1:]) if args else ()
        super().__init__(*sentence)


class MixedNumbersError(StrobeError, TypeError):
    """Numbers of two systems met in one operation, or a number and several of them."""

    def __init__(self, left: object, right: object) -> None:
        if right in ("list", "tuple"):
            super().__init__(
                f"one {left} met a {right} of them in an operation; take one of these, as in t[0]."
            )
            return
        super().__init__(
            f"cannot mix {left} with {right}: numbers of two systems do not meet in one operation. "
            "Lift both from the same system, or nest on purpose (a Dual of Node)."
        )


class NumberTruthError(StrobeError, TypeError):
    """A number was asked for its truth value inside the mathematics."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"a {kind} has no truth value: use less() and where(), or test at the border.")


class UnsupportedOperationError(StrobeError, TypeError):
    """An operation that a number system cannot do, by name."""

    def __init__(self, system: str, op: str, why: str) -> None:
        super().__init__(f"{system} cannot do {op}: {why}")


class ZeroPivotError(StrobeError, ZeroDivisionError):
    """A division by zero in exact arithmetic: draw again."""

    def __init__(self) -> None:
        super().__init__("division by zero in the field; draw the robot and its state again.")


LONGEST_HINT = 100  # letters of a name that is compared with others
MOST_HINTS = 5_000  # names that it is compared with: it takes the product of both


def nearest(name: str, known: Iterable[str]) -> str:
    """The sentence part ``Did you mean …?`` for a name that is not known, or nothing."""
    from difflib import get_close_matches  # no command waits for it before there is a mistake

    if len(name) > LONGEST_HINT:
        return ""
    spelled = {k.lower(): k for k in islice(known, MOST_HINTS) if len(k) <= LONGEST_HINT}
    close = get_close_matches(name.lower(), spelled, n=3, cutoff=0.5)
    return f" Did you mean {' or '.join(repr(spelled[c]) for c in close)}?" if close else ""


class UnknownNameError(StrobeError, KeyError):
    """A robot, joint, frame, formulation or option that does not exist; the nearest ones that do."""

    def __init__(self, kind: str, name: str, owner: str, known: Sequence[str], see: str = "") -> None:
        name = str(name)
        self.see = see  # where all of them are listed
        hint = nearest(name, known)
        shown = "" if hint else f" Known: {', '.join(known[:12])}{', …' if len(known) > 12 else ''}."
        tail = f" ({counted(len(known), kind)}{'; see ' + see if see else ''})"
        words = {f"; see {see}": ""} if see.startswith("robot.") else {}
        super().__init__(Advised(f'no {kind} "{name}" in {owner}.{hint}{shown}{tail}', words))

    def __str__(self) -> str:  # KeyError shows the repr of its argument
        return str(self.args[0])


class ShapeError(StrobeError, ValueError):
    """An array whose shape does not fit."""

    def __init__(self, name: str, got: tuple[int, ...], expected: str, why: str) -> None:
        super().__init__(f"{name} has shape {got}; {why}, expected {expected}.")


class KeywordError(StrobeError, TypeError):
    """A keyword that a function held ready does not take."""

    def __init__(self, name: str, handle: str, takes: str, cure: str = "") -> None:
        super().__init__(f"{handle} takes {takes}; got {excerpt(name)}=.{cure}")


class DtypeError(StrobeError, TypeError):
    """An array that does not hold real numbers."""

    def __init__(self, name: str, got: str) -> None:
        super().__init__(f"{name} holds {got}; expected real numbers (float64, float32 or integers).")


class ArgumentError(StrobeError, ValueError):
    """An argument outside what a function accepts."""


class UnsupportedModelError(StrobeError, ValueError):
    """A formulation or quantity that this model does not allow, and why."""


class TipError(ArgumentError):
    """A frame left unnamed of a robot that ends in several places; ``default_frame`` are a frame of each."""

    def __init__(self, robot: str, tips: Sequence[str]) -> None:
        self.tips = tuple(tips)
        super().__init__(
            f"{robot} ends in {counted(len(tips), 'tip')}, and no frame was named. "
            f"Name the frame, for example {_choice(tips)}."
        )


class StillFrameError(ArgumentError, UnsupportedModelError):
    """What makes sense only of a frame that moves, asked of one that no joint moves."""

    def __init__(self, robot: str, frame: str | None = None, moving: Sequence[str] = ()) -> None:
        if frame is None:
            super().__init__(
                f"no joint of {robot} moves a frame: name one where its place is all that is asked."
            )
            return
        other = (
            f"such as {_choice(moving)}; see robot.frames" if moving else "if it has one; see robot.frames"
        )
        super().__init__(
            f'no joint of {robot} moves frame "{frame}". Name a frame that joints move, {other}.'
        )


def _choice(names: Sequence[str], most: int = 12) -> str:
    """Names to choose from: "a", "b" or "c"."""
    shown = [f'"{name}"' for name in names[:most]]
    return either([*shown, f"{len(names) - most} more"] if len(names) > most else shown)


def either(words: Sequence[str]) -> str:
    """Words to choose from: a, b or c."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


class ProgramSizeError(StrobeError, ValueError):
    """A quantity with more operations than are worth writing out one by one."""

    def __init__(self, quantity: str, robot: str, most: int) -> None:
        super().__init__(
            f"{quantity} of {robot} takes more than {most:,} operations, too many to write out as machine code."
        )


class EquationSizeError(StrobeError, ValueError):
    """Equations with more terms than are worth expanding, and what fits instead."""

    def __init__(self, robot: str, quantity: str, predicted: int | None, most: int, instead: str) -> None:
        size = "more terms than can be predicted" if predicted is None else f"about {predicted:,} terms"
        self.refusal = (
            f"{quantity} of {robot} would have {size}, fully expanded; at most {most:,} are worked out."
        )
        super().__init__(f"{self.refusal} {instead}")


class SingularMassMatrixError(StrobeError, ArithmeticError):
    """Accelerations asked of a robot with a joint that moves no inertia."""

    def __init__(self, robot: str, joints: Sequence[str], quantity: str = "forward_dynamics") -> None:
        names = ", ".join(f'"{j}"' for j in joints)
        other = "lock the joint" if quantity == "forward_dynamics" else "give its acceleration"
        super().__init__(
            f"{robot}: {quantity.replace('_', ' ')} is not defined, because joint {names} moves no inertia "
            "(its pivot of the mass matrix is zero). Give the links beyond it mass and inertia, add rotor "
            f"inertia, or {other}."
        )


class OpenLoopError(StrobeError, ValueError):
    """A closed chain that is open, or moves apart, in a state that was given; ``cure`` may be `Advised`."""

    def __init__(
        self, robot: str, loop: str, condition: str, off: float, what: str, where: str, cure: str
    ) -> None:
        open_by = f'loop "{loop}" {what} by {off:.3g} ({condition}){where}'
        super().__init__(
            Advised(f"{robot}: {open_by}; its joints cannot be there. {cure}", advice_of(cure))
        )


class AssemblyError(StrobeError, ValueError):
    """Closed chains that cannot be closed from a guess; ``q`` is the nearest that was found."""

    def __init__(
        self, robot: str, loop: str, condition: str, off: float, why: str, q: object = None
    ) -> None:
        self.q = q
        super().__init__(
            Advised(f'{robot}: loop "{loop}" stays open by {off:.3g} ({condition}): {why}', advice_of(why))
        )


class SingularMapError(StrobeError, ValueError):
    """Coordinates that do not say where the joints are: the map to them has no inverse at some place."""

    def __init__(
        self, robot: str, rank: int, place: Sequence[float] | None, direction: Sequence[float]
    ) -> None:
        size = len(direction)
        self.place, self.direction = place, tuple(direction)
        where = "everywhere" if place is None else f"at phi = {vector(place)}"
        other = (
            "another map" if place is None else "within=(lower, upper), a box of phi without such places"
        )
        super().__init__(
            f"the map to the joints of {robot} is not invertible: {where} its derivative has rank {rank} of {size}, "
            f"and moving phi along {vector(direction)} moves no joint. Give {other}."
        )


def shown(value: object) -> str:
    """A value for a sentence, on one line and not too long, whatever it is."""
    try:
        text = re.sub(r"\s*\n\s*", " ", repr(value))
    except Exception:  # some cannot say what they are; nor can a whole number of thousands of digits
        return f"a {type(value).__name__}"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def some_of(told: Sequence[str], most: int) -> str:
    """So many of some things at most, and how many are left out: a, b and 3 more."""
    shown = ", ".join(told[:most])
    return shown if len(told) <= most else f"{shown} and {len(told) - most} more"


def counted(number: int, noun: str) -> str:
    """A number of things in words: 1 joint, 2 joints, 2 quantities."""
    if number == 1:
        return f"{number} {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("ty") else f"{number} {noun}s"


def vector(numbers: Iterable[float]) -> str:
    """Numbers for a sentence: (0.5, -1)."""
    return f"({', '.join(f'{round(float(x), 6) + 0.0:.6g}' for x in numbers)})"


def distributed(extra: str) -> str:
    """What is installed with one of the extras, quoted for every shell."""
    return f'"{DISTRIBUTION}[{extra}]"'


class MissingExtraError(StrobeError, ImportError):
    """A feature whose optional dependency is not installed."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs the package {package}, which is not installed: pip install {distributed(extra)}"
        )


class CardError(StrobeError, RuntimeError):
    """A card that is not there, or did not do what it was told."""


class CertificateError(StrobeError, ValueError):
    """A certificate of an operation count that cannot be counted."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"certificate, line {line}: {why}.")


class OutputError(StrobeError, OSError):
    """An output file that cannot or must not be written."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong (or noteworthy) in a model file."""

    where: str  # "arm.urdf:41" or "arm.toml: dh.link[2]"
    text: str
    severity: str = "error"  # error, warning, note
    topic: str = ""  # what it is about, where a `doctor` judges that for itself

    def __post_init__(self) -> None:
        for name in ("where", "text"):
            object.__setattr__(self, name, presentable(getattr(self, name)).replace("\n", "\\n"))

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"


class ModelFileError(ArgumentError):
    """A file that cannot be used, with every fault found in it; its sentence lists the first ones."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(listed(list(map(str, self.faults))))


def listed(faults: Sequence[str]) -> str:
    """What is wrong with a file, a line each; of very many the first, and how many more."""
    count = len(faults)
    head = [] if count == 1 else [f"{count} faults:"]
    more = [f"… and {count - MOST_FAULTS} more"] if count > MOST_FAULTS else []
    return "\n".join([*head, *faults[:MOST_FAULTS], *more])


class ModelWarning(UserWarning):
    """A model that loads but deserves a look; every such remark is also in ``robot.notes``."""


class CacheWarning(UserWarning):
    """The folder for compiled kernels cannot be used; everything works without it."""


class InterpretedWarning(UserWarning):
    """A quantity runs on NumPy instead of machine code: the same results, more slowly."""


class SimulationError(StrobeError, RuntimeError):
    """A run that could not go on; ``run`` holds what was done until then."""

    def __init__(self, sentence: str, run: object = None) -> None:
        self.run = run
        super().__init__(sentence)


class SimulationWarning(UserWarning):
    """A run whose results deserve a look; every such remark is also in ``run.notes``."""


class LimitsLeftWarning(SimulationWarning):
    """A run that left limits of its joints while nothing held it there; all of them are in ``run.exceeded``."""


class ControlWarning(UserWarning):
    """A closed loop that deserves a look before it runs."""


class SweepError(StrobeError, RuntimeError):
    """A sweep that cannot go on; the chunks that are done stay."""


class SweepWarning(UserWarning):
    """A sweep that deserves a look before it runs."""
