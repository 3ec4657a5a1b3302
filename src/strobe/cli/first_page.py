"""What ``strobe`` says before any verb is asked for: three commands to try, its version, and the page of its help.

The page is written here, word for word as Typer writes it (a test holds them equal at every width), and each verb
stands there with the first sentence of its own help: so that asking what there is waits for no library and no verb.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shutil import get_terminal_size
from textwrap import wrap

from strobe.models import formats

XML, *_ = formats.XML
ALONE = [ending for ending in formats.ENDINGS if ending not in formats.XML]
ENDINGS = f"{', '.join(ALONE)} or {XML}{{}}"  # how files of models end, with what an .xml may hold

BANNER = f"""\
strobe: a robot goes in, its dynamics come out.

Try:
  strobe list                    the robots that come with it
  strobe torque panda            the torques that hold a Panda arm still
  strobe study stanford          one robot through every formulation: torques, costs, proof, laws

A {ENDINGS.format(" (MJCF)")} file can stand in the place of a name. All verbs: strobe --help"""

ABOUT = f"""\
A robot goes in, its dynamics come out.

A robot is a built-in name (strobe list) or a {ENDINGS.format(" (MJCF or URDF)")} file.

Exit codes: 0, 1 (a check failed), 2 (bad input). Every verb has --help with an example, and --json."""

VERBS: Mapping[str, str] = {
    "list": "The built-in robots: name, joints, title.",
    "info": "What a robot is made of: joints, links with their mass properties, frames, constraints.",
    "doctor": "Judge a model file: every inertia, limit, frame, angle, coupling, name and mesh.",
    "diff": (
        "What changed between two robots: geometry, inertia, limits, names, couplings, and what follows."
    ),
    "torque": "The joint torques behind a motion, of one state or of a log.",
    "equations": (
        "The equations of motion in closed form: energies, M, C, G, torques, frames, and what their structure says."
    ),
    "explain": "Where each torque comes from, term by term, and what the joints hold.",
    "coordinates": (
        "The dynamics in other coordinates φ, q = A φ + offset: the map, a state, checks, equations."
    ),
    "draw": "Draw a robot as SVG: its pose, a link cut free, a motion.",
    "strobe": "M column by column and C^i_jk by polarisation, each with the calls it took.",
    "check": "Whether all formulations are one function on a robot, and the laws of mechanics.",
    "prove": "The proof that Newton-Euler and Lagrange are one, step by step.",
    "count": "What inverse dynamics costs by each formulation: operations, critical path, parallel steps.",
    "bench": "How long each quantity takes, compiled: in a batch on one thread, and in a single call.",
    "tables": "Published operation counts: what they are sums of, and what our code needs.",
    "fk": "Where a frame is and how it is turned, in base axes: forward kinematics.",
    "ik": "Joint positions that bring a frame to a pose: every branch, its residual, its limits.",
    "plan": "A motion through the points of a request, within the bounds of every joint.",
    "excite": "Motions that tell the parameters of a robot: what they and a random one would tell.",
    "simulate": "How a robot moves under torques, gravity, friction and what else acts on it.",
    "approximate": (
        "What may be left out of the torques of a motion, tabulated or extrapolated, and what that costs."
    ),
    "payload": (
        "What a robot carries: mass, centre and inertia from the torques of a motion, and what they leave open."
    ),
    "identify": "Inertias and friction of a robot from logs, with error bars: a model for its files.",
    "calibrate": (
        "Where a robot's joints are, from measured poses, positions or distances of a target at its hand."
    ),
    "balance": (
        "Counterweights: which masses, where, take gravity off the joints, and what that costs in inertia."
    ),
    "control": (
        "How an arm follows a request: how far hand and joints are off, what it takes, and what a step costs."
    ),
    "zmp": (
        "What the ground does to a robot that stands on one foot: force, zero moment point, margins, friction."
    ),
    "sweep": "Very many runs of many robots, states, payloads, controllers and motions.",
    "convert": "Write a robot as URDF or TOML, or its Denavit-Hartenberg tables.",
    "compile": (
        "Write a quantity of a robot, a controller or an estimator as C99: a header, a source, a test and a Makefile."
    ),
    "study": "A report on a robot: a page to show, and all of its numbers.",
}

OPTIONS = {
    "--version": "Show the version.",
    "--install-completion": "Install completion for the current shell.",
    "--show-completion": "Show completion for the current shell, to copy it or customize the installation.",
    "-h, --help": "Show this message and exit.",
}

NARROWEST, WIDEST = 50, 98  # columns


def page() -> str:
    """The help of ``strobe``, as wide as the terminal within bounds."""
    width = max(min(get_terminal_size().columns - 2, WIDEST), NARROWEST)
    room = width - 6 - max(map(len, VERBS))
    verbs = {verb: in_brief(sentence, room) for verb, sentence in VERBS.items()}
    parts = (
        ["Usage: strobe [OPTIONS] COMMAND [ARGS]..."],
        *(_indented(paragraph, width) for paragraph in ABOUT.split("\n\n")),
        ["Options:", *_listed(OPTIONS, width)],
        ["Commands:", *_listed(verbs, width)],
    )
    return "\n\n".join("\n".join(lines) for lines in parts)


def in_brief(sentence: str, room: int) -> str:
    """A sentence, or as many of its words as there is room for."""
    if len(sentence) <= room:
        return sentence
    words = sentence.split()
    while len(" ".join(words)) + 3 > room:
        words.pop()
    return f"{' '.join(words)}..."


def _indented(paragraph: str, width: int) -> list[str]:
    return wrap(paragraph, width, initial_indent="  ", subsequent_indent="  ")


def _listed(entries: Mapping[str, str], width: int) -> Iterator[str]:
    """Names, and what they are beside them."""
    beside = max(map(len, entries)) + 4
    for name, text in entries.items():
        first, *others = wrap(text, width - beside) or [""]
        yield f"  {name:<{beside - 2}}{first}"
        yield from (f"{'':{beside}}{line}" for line in others)
