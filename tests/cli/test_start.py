"""What the command says before any verb is imported: the same as its parser, models and verbs would say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from strobe.cli import app, robot_index
from strobe.cli.first_page import VERBS, page
from strobe.cli.parser import Plainly
from strobe.cli.start import AT_ONCE
from strobe.cli.verbs import command


@pytest.mark.parametrize("width", [20, 52, 64, 80, 99, 100, 200])
def test_the_page_of_help_is_the_one_that_typer_writes(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    group = get_command(app)
    context = group.make_context("strobe", [], resilient_parsing=True)
    ours, theirs = (text.partition("\n\n") for text in (page(), TyperGroup.get_help(group, context)))
    assert ours[2] == theirs[2]
    # versions of what parses differ in how they say that a verb may be left out
    assert ours[0].split() == theirs[0].replace("[COMMAND]", "COMMAND").split()


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_is_listed_with_the_first_sentence_of_its_own_help(verb: str) -> None:
    assert VERBS[verb] == command(verb).help.split("\n\n")[0].replace("\n", " ")


def test_the_index_of_robots_is_what_their_files_say() -> None:
    assert robot_index.INDEX.read_text("utf-8") == robot_index.index(), "python -m strobe.cli.robot_index"


def test_a_robot_whose_file_is_another_than_the_index_knows_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = json.loads(robot_index.INDEX.read_text("utf-8"))
    known["planar2"] = [known["planar2"][0] + 1, {"title": "stale"}]
    del known["ur5"]
    monkeypatch.setattr(robot_index, "INDEX", tmp_path / "robots.json")
    robot_index.INDEX.write_text(json.dumps(known))
    titles = {row["name"]: row["title"] for row in robot_index.built_in_robots()}
    assert titles["planar2"] == "Two-link planar arm in the vertical x-y plane"
    assert "UR5" in titles["ur5"]


@pytest.mark.parametrize("words", AT_ONCE, ids=" ".join)
def test_what_is_said_at_once_is_what_the_parser_would_say(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    AT_ONCE[words]()
    assert capsys.readouterr().out == CliRunner().invoke(app, list(words)).stdout


@pytest.mark.parametrize("words", ["--help", "list"])
def test_what_is_said_at_once_waits_for_no_library(words: str) -> None:
    assert not imported(words) & {"typer", "numpy", "strobe.robot", "strobe.cli.torque"}


@pytest.mark.slow
def test_torques_of_a_state_wait_for_no_library_that_they_do_not_need() -> None:
    others = {"rich", "pydantic", "scipy", "sympy", "numpy.ma", "concurrent.futures", "strobe.show.drawing"}
    assert not imported("torque planar2 --q 0.1 0.2") & others


def imported(words: str) -> set[str]:
    """The modules that a process of the command has at its end."""
    script = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
    script += f"sys.argv[1:] = {words.split()}; from strobe.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


OPTIONS = [  # of each kind, with and without bounds
    ("simulate", "duration", ["0.5", "-1", "1e-3", "1e400", "5", "inf", "nan", "0x1", " 1", "1_0", ".5", "x", ""]),
    ("bench", "seconds", ["0.5", "0", "3600", "3600.1", "-0"]),
    ("diff", "seed", ["0", "-1", "7", "007", "1.0", "1.5", "99999999999999999999", "+1", "x", ""]),
    ("info", "base", ["fixed", "", "π", "\udcff", "0"]),
    ("info", "lock", [["a=1"], ["a=1", "b=\udcff"], []]),
    ("doctor", "output", ["out.urdf", "/", "", "\udcff", "no/such/folder"]),
    ("compile", "quantity", [["gravity", "bias"], []]),
    ("list", "as_json", [True, False, "yes", "x"]),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "name", "values"), OPTIONS)
def test_a_value_is_taken_or_refused_as_typer_does(verb: str, name: str, values: list[object]) -> None:
    verb_command = command(verb)
    context = verb_command.make_context(verb, [], resilient_parsing=True)
    (param,) = (param for param in verb_command.get_params(context) if param.name == name)
    if not hasattr(param, "get_runtime_param"):
        pytest.skip("this typer has no library to wait for")
    assert isinstance(param.get_runtime_param, Plainly)

    def outcome(own: object) -> tuple[type, str]:
        try:
            made = own.coerce(value, param=param, ctx=context)
        except Exception as error:
            made = error
        return type(made), repr(made) if not isinstance(made, Exception) else made.format_message()

    for value in (None, *values):
        assert outcome(param.get_runtime_param) == outcome(param.get_runtime_param.typers()), value
