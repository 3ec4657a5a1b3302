"""The command line against random verbs, options and files: it ends with 0, 1 or 2 and a sentence, never a traceback.

    python -m reliability.commands --inputs 20000 --processes 2 --seed 0 [--record]

A command runs in a folder of its own with files that are whole or made worse. One that works for more than half a
second of processor time is interrupted as by Ctrl-C and has to end with 130. What it prints for ``--json`` is JSON.
One command of each fault found is kept in `reliability/regressions/command/`, where the tests run it again.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

from reliability import inputs, workers
from reliability.mutations import NUMBERS, WORDS, mutated
from reliability.readers import REGRESSIONS, options, seeds, summary
from reliability.workers import READ, REFUSED, place, tried

PATIENCE = 0.5  # seconds of processor time before a command is interrupted
LEAVING = 10.0  # seconds in which it has to end then
ROOM = 4 * 2**30  # bytes of address space: machine code and threads claim more than they use
INTERRUPTED = 130
ENDS = {0, 1, 2, INTERRUPTED}

FILES = {  # name: the target whose inputs it holds
    "arm.urdf": "urdf",
    "arm.xml": "mjcf",
    "arm.toml": "robot-toml",
    "sweep.toml": "sweep-toml",
    "request.toml": "request-toml",
    "request.json": "request-json",
    "motion.json": "motion-json",
    "motion.csv": "motion-csv",
    "motion.npz": "motion-npz",
    "log.csv": "log-csv",
    "run.npz": "run-npz",
    "torques.csv": "torques-csv",
    "torques.npz": "torques-npz",
    "pose.json": "pose-json",
}
ROBOTS = ("planar2", "planar2", "planar2", "stanford", "fourbar", "spherical3", "random(2, 1)", "biped10")
MODELS = ("arm.urdf", "arm.xml", "arm.toml")
VALUES = (
    "0.1,0.2", "0.1,0.2", "0", "1", "2", "0.3 -0.2", "-1:1", "pi/2", "1,0,0,0.1", "0,0,-9.81", "1,2,3,4,5,6",
    "joint1=0.3", "joint*=0", "kp=100", "position=16", "64kB", "1%", "newton-euler", "lagrange", "hand", "tip",
    "fixed", "floating", "rk4", "computed-torque", "joint-pd,pd-gravity", "cubic", "gravity-only", "urdf", "toml",
    "dh", "c", "wasm", "tau", "M", "inverse_dynamics", "mass_matrix", "latex", "text", "json", "32", "16", "100",
    "1e-3", "0.01", "joint1", "joint1,joint2", "-0.1,-0.05;0.1,-0.05;0.1,0.05", "out.svg", "out.npz", "out.csv",
    "out.json", "out.toml", "out.urdf", "out", "out.tex",
)  # fmt: skip
STATE = ("0.1,0.2", "0.3 -0.2", "0,0.5,0.4,0,0,0")
FITTING = {
    "--q": STATE, "--qd": STATE, "--qdd": STATE, "--q0": STATE, "--at": STATE, "--torque": (*STATE, "torques.csv"),
    "--q-range": ("-1:1", "1"), "--qd-range": ("1", "-1:1 -2:2"), "--qdd-range": ("5",), "--gravity": ("0,0,-9.81",),
    "--wrench": ("1,2,3,4,5,6",), "--lock": ("joint1=0.3", "joint*=0"), "--base": ("fixed", "floating",
    "translating"), "--frame": ("tool", "hand", "base"), "--formulation": ("newton-euler", "uicker-kahn",
    "spatial"), "--step": ("0.001",), "--duration": ("0.01", "1"), "--velocity": ("2",), "--jerk": ("100",),
    "--acceleration": ("5", "10"), "--effort": ("50",), "--planner": ("cubic", "splines"), "--integrator": ("rk4",),
    "--solver": ("numeric",), "--columns": ("t=1,q=2:3", "q=1:2"), "--topic": ("actual",),
    "--payload": ("1,0,0,0.1",), "--foot": ("base", "stance_foot"), "--gain": ("kp=100", "kd=20"),
    "--controller": ("computed-torque", "joint-pd"), "--rate": ("500",), "--target": ("c", "wasm", "mex", "cffi",
    "object"), "--to": ("urdf", "toml", "dh"), "--fixed": ("32", "16"), "--pose": ("0.3,0.2,0.1,0,0,0", "pose.json",
    "home"), "--position": ("0.3,0.2,0.1", "0.5,0.1,0"), "--every": ("2",), "--plot": ("out.svg",),
    "--output": ("out.npz", "out.csv", "out.json", "out.urdf", "out.toml", "out.svg", "out"), "-o": ("out.npz",
    "out.csv", "out.json", "out.urdf", "out.toml", "out.svg", "out"), "--samples": ("10",),
    "--approximations": ("gravity-only,raibert",), "--memory": ("64kB",), "--within": ("1%",),
    "--resume": ("run.npz",),
    "--quantity": ("M", "tau", "energies"), "--sole": ("-0.1,-0.05;0.1,-0.05;0.1,0.05",), "--friction": ("0.6",),
}  # fmt: skip
SUBJECTS = {  # verb: a robot and files that go together
    "plan": ("stanford", ("request.toml", "request.json")),
    "control": ("stanford", ("request.toml", "request.json")),
    "approximate": ("planar2", ("motion.json", "motion.csv", "motion.npz")),
    "torque": ("planar2", ("motion.json", "log.csv", "motion.npz")),
    "zmp": ("planar2", ("motion.json", "motion.csv", "motion.npz")),
}
NEEDED = {  # verb: words without which it does nothing
    "zmp": ("--foot", "base"),
    "ik": ("--position", "0.3,0.2,0.1"),
    "convert": ("--to", "urdf"),
    "compile": ("inverse_dynamics", "-o", "out"),
    "simulate": ("--duration", "0.01"),
}
SLOW = ("study", "bench", "prove", "check", "approximate", "control", "compile")


@dataclass(frozen=True)
class Command:
    """Arguments, and the files beside which they are given."""

    arguments: tuple[str, ...]
    files: Mapping[str, bytes]

    def text(self) -> str:
        """As a file keeps it."""
        packed = {name: base64.b64encode(data).decode() for name, data in self.files.items()}
        return json.dumps({"arguments": self.arguments, "files": packed}, indent=1) + "\n"

    @classmethod
    def read(cls, text: str) -> Command:
        found = json.loads(text)
        files = {name: base64.b64decode(data) for name, data in found["files"].items()}
        return cls(tuple(found["arguments"]), files)


# -- what is asked ------------------------------------------------------------------------------------------


@cache
def verbs() -> dict[str, list[tuple[str, bool]]]:
    """The options of every verb, and whether each takes a value."""
    import typer.main

    from strobe.cli.app import app

    group: Any = typer.main.get_command(app)
    context = group.make_context("strobe", [], resilient_parsing=True)
    found: dict[str, list[tuple[str, bool]]] = {}
    for name in group.list_commands(context):
        given = [
            each for each in group.get_command(context, name).params if each.param_type_name == "option"
        ]
        found[name] = [(option, not each.is_flag) for each in given for option in each.opts]
    return found


def random_command(rng: Random) -> Command:
    """A verb with a robot, often files, and some options, most of which it knows."""
    known = verbs()
    verb = rng.choice([name for name in known if name not in SLOW or rng.random() < 0.3])
    files = {name: _content(rng, target) for name, target in FILES.items() if rng.random() < 0.35}
    words = [verb, *_subjects(rng, verb)]
    files |= {name: _content(rng, FILES[name]) for name in words if name in FILES}
    if verb in NEEDED and rng.random() < 0.7:
        words += NEEDED[verb]
    if rng.random() < 0.1 and files:
        words.append(rng.choice(list(files)))
    for _ in range(min(5, int(rng.expovariate(0.6)))):
        flag, takes = rng.choice(known[rng.choice(list(known)) if rng.random() < 0.05 else verb])
        words += [flag, *([_value(rng, flag)] if takes != (rng.random() < 0.05) else [])]
    if verb == "sweep":
        words.append("--dry-run")
    if rng.random() < 0.1:
        words[rng.randrange(len(words))] = rng.choice(WORDS)
    return Command(tuple(map(_inside, words)), files)


def _subjects(rng: Random, verb: str) -> list[str]:
    """The robot and the file that a verb is about, most often those that go together."""
    if verb in ("list", "tables", "sweep"):
        return ["sweep.toml"] * (verb == "sweep")
    if verb in SUBJECTS and rng.random() < 0.7:
        robot, files = SUBJECTS[verb]
        return [robot, rng.choice(files)]
    return [rng.choice(ROBOTS if rng.random() < 0.7 else MODELS)]


def _value(rng: Random, flag: str) -> str:
    """A value for an option: one that fits, one that fits another, or none that anything takes."""
    if flag in FITTING and rng.random() < 0.7:
        return rng.choice(FITTING[flag])
    chance = rng.random()
    return rng.choice(VALUES if chance < 0.8 else NUMBERS if chance < 0.9 else WORDS)


def _content(rng: Random, target: str) -> bytes:
    chosen = inputs.BY_NAME[target]
    return rng.choice(seeds(chosen)) if rng.random() < 0.5 else mutated(rng, chosen.grammar, seeds(chosen))


def _inside(word: str) -> str:
    """A word that names no place outside of the folder it is used in."""
    return re.sub(r"\.\.|^/|\0", "_", word)


# -- what it answers ----------------------------------------------------------------------------------------


class BadEnd(Exception):
    """A command that ended as none may."""


def run(command: Command) -> int:
    """The exit code of a command in a folder of its own; `BadEnd` where that, or what it said, is wrong."""
    folder, before = Path(mkdtemp(prefix="command-", dir=inputs.folder())), Path.cwd()
    for name, data in command.files.items():
        (folder / name).write_bytes(data)
    os.chdir(folder)
    try:
        code, out, err = _ended(command.arguments)
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)
    _judge(command.arguments, code, out, err)
    return code


def _ended(arguments: Sequence[str]) -> tuple[int, str, str]:
    """How a command ends, and what it said."""
    from strobe.cli.app import app

    out, err = io.StringIO(), io.StringIO()
    code = INTERRUPTED
    with redirect_stdout(out), redirect_stderr(err), _interrupted(PATIENCE):
        try:
            app(list(arguments))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
            if code not in ENDS:
                raise BadEnd(f"exit code {code}: {_cause(end.__context__)}") from None
        except KeyboardInterrupt:  # a second one, while the command was leaving
            pass
    return code, out.getvalue(), err.getvalue()


@contextmanager
def _interrupted(seconds: float) -> Iterator[None]:
    """Interrupt as Ctrl-C does once so much processor time is used up, and again if that was not heard."""
    before = signal.signal(signal.SIGVTALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 3.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _judge(arguments: Sequence[str], code: int, out: str, err: str) -> None:
    """Raise where a command ended in a way that no user should see."""
    if (
        "Traceback" in err and "Exception ignored in" not in err
    ):  # Python's own, where an interrupt hits a callback
        raise BadEnd(f"a traceback: {err[-200:]}")
    if code == 2 and not re.search(r"^strobe: .*\w", err, re.MULTILINE):
        raise BadEnd(f"exit code 2 without a sentence: {err[-200:]!r}")
    if "--json" in arguments and code in (0, 1) and "--help" not in arguments and "-h" not in arguments:
        try:
            json.loads(out, parse_constant=_refuse)
        except ValueError as error:
            raise BadEnd(f"{arguments[0]} --json is no JSON ({error}): {out[:80]!r}") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} in it")


def _cause(error: BaseException | None) -> str:
    """The exception behind an exit, and the innermost line of Strobe."""
    return "nothing" if error is None else f"{type(error).__name__} at {place(error)}: {str(error)[:150]}"


# -- many ---------------------------------------------------------------------------------------------------


class Commands:
    """Random commands by their number."""

    memory, lifetime = ROOM, 400

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rows: Sequence[str] = list(verbs())

    def prepare(self) -> None:
        """Everything imported and a cache of machine code of this process's own."""
        from strobe.compiler.runtime import cache as kept

        os.environ["STROBE_CACHE"] = str(inputs.folder() / "cache")
        kept._folder.cache_clear()  # pyright: ignore[reportPrivateUsage]
        for target in FILES.values():
            seeds(inputs.BY_NAME[target])

    def command(self, number: int) -> Command:
        return _numbered(self.seed << 40 | number)

    def row(self, number: int) -> int:
        verb = self.command(number).arguments[0]
        return self.rows.index(verb) if verb in self.rows else 0

    def seconds(self, number: int) -> float:
        return PATIENCE + LEAVING

    def attempt(self, number: int) -> str:
        before = _memory()
        code = run(self.command(number))
        if (grown := _memory() - before) > workers.MEMORY:
            raise MemoryError(f"{grown / 2**20:.0f} MB more than before")
        return READ if code == 0 else REFUSED


@lru_cache(maxsize=2)
def _numbered(number: int) -> Command:
    return random_command(Random(number))


def _memory() -> int:
    """Bytes at most used so far by this process."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return 1024 * int(found[1]) if found else 0


def kept(command: Command) -> Path:
    """A command as a file among the regressions, with the files that it names."""
    named = {name: data for name, data in command.files.items() if name in command.arguments}
    text = Command(command.arguments, named).text()
    folder = REGRESSIONS / "command"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{command.arguments[0]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
    path.write_text(text)
    return path


def main() -> None:
    given = options(__doc__, 2_000)
    commands = Commands(given.seed)
    start = time.monotonic()
    counts, failures = tried(commands, given.inputs, given.processes)
    found: dict[tuple[str, str], Any] = {}
    for failure in failures:
        found.setdefault((failure.kind, re.sub(r"\d+", "", failure.said)), failure)
    for failure in found.values():
        command = commands.command(failure.number)
        print(f"{' '.join(command.arguments)}\n    {failure}\n    kept as {kept(command)}", flush=True)
    summary("commands", given, counts, failures, time.monotonic() - start)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
