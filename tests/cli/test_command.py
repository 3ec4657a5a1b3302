"""The command as a user meets it: the banner, help, mistakes, exit codes; never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from strobe.cli import app
from strobe.study import overview

VERBS = ("list", "info", "torque", "convert", "study")


def strobe(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "strobe", *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        timeout=60,
    )


def test_no_arguments_show_three_commands_that_work() -> None:
    shown = CliRunner().invoke(app, [])
    assert shown.exit_code == 0
    commands = [
        line.split("  ")[1].split()[1:]
        for line in shown.stdout.splitlines()
        if line.startswith("  strobe ")
    ]
    assert len(commands) == 3
    for command in commands:
        assert CliRunner().invoke(app, command).exit_code == 0


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example_and_json(verb: str) -> None:
    shown = CliRunner().invoke(app, [verb, "--help"])
    assert shown.exit_code == 0
    assert "Example" in shown.stdout
    assert f"\n    strobe {verb}" in shown.stdout
    assert "--json" in shown.stdout


def test_the_module_runs_as_the_command_does() -> None:
    done = strobe()
    assert done.returncode == 0
    assert "strobe study stanford" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["tork", "panda"], "strobe: there is no verb \"tork\". Did you mean 'torque'?"),
        (["torque", "planar2", "--qf", "1"], "strobe: no such option: --qf"),
        (["info"], "strobe: missing argument 'ROBOT'"),
        (["info", "pandda"], "strobe: no robot \"pandda\" in the library. Did you mean 'panda'"),
        (["info", "no_such_arm.urdf"], "strobe: no_such_arm.urdf: no such file"),
        (
            ["info", "planar2", "--lock", "jiont1=0"],
            "no joint \"jiont1\" in planar2. Did you mean 'joint1'",
        ),
        (
            ["info", "planar2", "--lock", "joint1"],
            '--lock takes JOINT=VALUE, for example elbow=0.3, and got "joint1".',
        ),
        (["info", "planar2", "--lock", "joint1=x"], '--lock joint1: "x" is not a number'),
        (["study", "planar2", "--seed", "-1"], "--seed"),
    ],
)
def test_a_mistake_is_one_sentence_on_stderr_and_exit_code_2(arguments: list[str], sentence: str) -> None:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert done.stderr.startswith("strobe: ")
    assert "Traceback" not in done.output


@pytest.mark.parametrize("arguments", [["tork"], ["torque", "--nope"], ["info", "no_such_arm.urdf"]])
def test_no_traceback_leaves_the_process_either(arguments: list[str]) -> None:
    done = strobe(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("strobe: ")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_bug_is_called_one_and_keeps_its_traceback_for_debugging(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(robot: object) -> None:
        raise RuntimeError("the roof is on fire")

    monkeypatch.setattr(overview, "describe", fail)
    monkeypatch.delenv("STROBE_DEBUG", raising=False)
    done = CliRunner().invoke(app, ["info", "planar2"])
    assert done.exit_code == 70
    assert "this is a bug in strobe (RuntimeError: the roof is on fire)" in done.stderr
    assert "STROBE_DEBUG=1" in done.stderr
    assert "Traceback" not in done.stderr
    monkeypatch.setenv("STROBE_DEBUG", "1")
    assert "Traceback" in CliRunner().invoke(app, ["info", "planar2"]).stderr


def test_an_interruption_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(robot: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(overview, "describe", interrupt)
    assert CliRunner().invoke(app, ["info", "planar2"]).exit_code == 130


def test_output_through_a_pipe_has_no_colours_and_is_not_cut() -> None:
    done = strobe("list", COLUMNS="20")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "Stanford arm (Scheinman), two turning joints, a sliding boom and a wrist" in done.stdout


def test_an_ascii_pipe_gets_question_marks_and_no_error() -> None:
    done = strobe("list", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "St?ubli" in done.stdout


def test_list_names_every_built_in_robot() -> None:
    shown = CliRunner().invoke(app, ["list", "--json"])
    robots = {robot["name"]: robot for robot in json.loads(shown.stdout)["robots"]}
    assert robots["stanford"]["joints"] == "2RP3R"
    assert robots["panda"]["degrees_of_freedom"] == 7
    assert {"planar2", "puma560", "ur5", "biped10", "parallelogram"} <= set(robots)
