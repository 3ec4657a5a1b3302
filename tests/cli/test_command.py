"""The command as a user meets it: the banner, help, mistakes, exit codes; never a traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from strobe.cli import app
from strobe.cli.renamed import RENAMED
from strobe.cli.verbs import VERBS, command
from strobe.study import overview

LOG, ROW = "q1,q2,qd1,qd2,qdd1,qdd2\n", "0.1,0.2,0,0,0,0\n"  # a robot at rest


def strobe(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "strobe", *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        timeout=300,
    )


def test_no_arguments_show_three_commands_that_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the report of a study goes
    shown = CliRunner().invoke(app, [])
    assert shown.exit_code == 0
    commands = [
        line.split("  ")[1].split()[1:]
        for line in shown.stdout.splitlines()
        if line.startswith("  strobe ")
    ]
    assert len(commands) == 3
    for words in commands:
        brief = ["--sections", "robot"] if words[0] == "study" else []
        assert CliRunner().invoke(app, [*words, *brief]).exit_code == 0


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example_and_json(verb: str) -> None:
    shown = CliRunner().invoke(app, [verb, "--help"])
    assert shown.exit_code == 0
    assert "Example" in shown.stdout
    assert f"\n    strobe {verb}" in shown.stdout
    assert "--json" in shown.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_a_wrong_flag_or_nothing_at_all_is_answered_with_a_sentence_and_the_usage(verb: str) -> None:
    wrong = CliRunner().invoke(app, [verb, "--nonsense"])
    assert wrong.exit_code == 2
    assert wrong.stderr.startswith("strobe: no such option: --nonsense.")
    lacking = CliRunner().invoke(app, [verb]) if command(verb).params[0].required else wrong
    assert lacking.exit_code == 2
    assert f"\nUsage: strobe {verb} " in lacking.stderr
    assert lacking.stderr.endswith(f"\nTry: strobe {verb} --help\n")


@pytest.mark.parametrize("verb", VERBS)
def test_with_json_every_refusal_is_one_json_document_on_stdout(verb: str) -> None:
    done = CliRunner().invoke(app, [verb, "--json", "--nonsense"])
    assert done.exit_code == 2
    assert json.loads(done.stdout)["error"] == {
        "kind": "usage",
        "message": done.stderr.splitlines()[0].removeprefix("strobe: "),
        "exit_code": 2,
        "help": f"strobe {verb} --help",
    }
    if command(verb).params[0].metavar == "ROBOT":
        words = [verb, "no_such_robot", *NEEDED.get(verb, ()), "--json"]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 2
        assert json.loads(done.stdout)["error"]["kind"] == "unknown_name"


NEEDED = {  # arguments without which a verb does not look for its robot
    "approximate": ["--ladder"],
    "calibrate": ["poses.csv"],
    "compile": ["inverse_dynamics", "-o", "out"],
    "control": ["request.toml"],
    "convert": ["--to", "urdf"],
    "identify": ["log.csv"],
    "ik": ["--position", "1,0,0"],
    "payload": ["--test-forces"],
    "plan": ["request.toml"],
    "zmp": ["motion.json", "--foot", "base"],
}


def test_an_error_in_json_has_its_kind_and_the_faults_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("q1,q2\n0,x\n")
    done = CliRunner().invoke(app, ["torque", "planar2", str(tmp_path / "log.csv"), "--json"])
    error = json.loads(done.stdout)["error"]
    assert (error["kind"], error["exit_code"], error["fault_count"]) == ("model_file", 2, 2)
    assert error["faults"][1] == {
        "where": f"{tmp_path}/log.csv:2",
        "text": 'column "q2": "x" is not a number.',
    }
    assert "strobe: 2 faults:" in done.stderr


def test_a_bug_and_an_interruption_are_json_too_and_a_result_that_is_there_stays_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def raising(error: BaseException) -> None:
        def fail(*_: object) -> None:
            raise error

        monkeypatch.setattr(overview, "describe", fail)

    for error, kind, code in ((RuntimeError("odd"), "bug", 70), (KeyboardInterrupt(), "interrupted", 130)):
        raising(error)
        done = CliRunner().invoke(app, ["info", "planar2", "--json"])
        assert done.exit_code == code
        assert json.loads(done.stdout)["error"]["kind"] == kind

    def interrupted(data: object) -> None:
        print('{"result": 1}')
        raise KeyboardInterrupt

    monkeypatch.setattr("strobe.cli.show.print_json", interrupted)
    done = CliRunner().invoke(app, ["list", "--json"])
    assert done.exit_code == 130
    assert json.loads(done.stdout) == {"result": 1}


def test_old_names_of_options_work_are_told_and_not_shown() -> None:
    for verb, names in RENAMED.items():
        shown = CliRunner().invoke(app, [verb, "--help"]).stdout.split()
        options = {name for param in command(verb).params for name in param.opts}
        for old, new in names.items():
            assert old not in options
            assert old not in shown
            assert new in options
    done = CliRunner().invoke(app, ["simulate", "planar2", "--t=0.01", "--method", "rk8", "--json"])
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["method"] == "rk8"
    assert "note: --method of strobe simulate is called --integrator now" in done.stderr
    assert "note: --t of strobe simulate is called --duration now" in done.stderr


def test_one_option_has_one_meaning_in_all_verbs() -> None:
    kinds: dict[str, set[str]] = {}
    for verb in VERBS:
        for param in command(verb).params:
            for name in param.opts if param.param_type_name == "option" else ():
                kinds.setdefault(name, set()).add(param.metavar or "")
    assert not {"--out", "--traj", "--method", "--methods", "--t", "--error", "--along"} & set(kinds)
    for name in ("--frame", "--gravity", "--lock", "--q", "--duration", "--step", "--wrench", "--planner"):
        assert len(kinds[name]) == 1, (name, kinds[name])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this system")
def test_bash_completes_verbs_robots_and_options(tmp_path: Path) -> None:
    (tmp_path / "standing.urdf").write_text("<robot/>")
    (tmp_path / "stale.txt").write_text("")
    script = """
    strobe() { "$PYTHON" -m strobe "$@"; }
    export _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION=1
    eval "$(strobe --show-completion bash | sed 's/ $1 / "$PYTHON" -m strobe /')"
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _strobe_completion strobe; echo "${COMPREPLY[*]}"; }
    try strobe tor; try strobe info stan; try strobe info panda --fr; try strobe torque panda /tm
    complete -p strobe
    """
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHON": sys.executable}, timeout=120,
    )  # fmt: skip
    verbs, robots, options, files, registered = done.stdout.splitlines()
    assert verbs == "torque"
    assert robots.split() == ["stanford", "stanford-c", "standing.urdf"]
    assert options == "--frames"
    assert files == ""  # left to the shell
    assert registered == "complete -o default -F _strobe_completion strobe"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shell", "variables", "expected"),
    [
        ("zsh", {"_TYPER_COMPLETE_ARGS": "strobe info stanf"}, """_arguments '*: :(("stanford"\n"stanford-c"))'"""),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "strobe info ./x"}, "_files"),
        ("fish", {"_TYPER_COMPLETE_ARGS": "strobe info stanf", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
         "stanford\nstanford-c"),
    ],
)  # fmt: skip
def test_zsh_and_fish_are_answered_in_their_own_ways(
    shell: str, variables: dict[str, str], expected: str
) -> None:
    assert strobe(_STROBE_COMPLETE=f"complete_{shell}", **variables).stdout.strip() == expected
    shown = strobe("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert f"_STROBE_COMPLETE=complete_{shell}" in shown.stdout


def test_the_module_runs_as_the_command_does() -> None:
    done = strobe()
    assert done.returncode == 0
    assert "strobe study stanford" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["tork", "panda"], "strobe: there is no verb \"tork\". Did you mean 'torque'"),
        (["panda"], 'strobe: a verb stands before the robot: strobe info "panda".'),
        (["my arm.urdf"], 'strobe: a verb stands before the robot: strobe info "my arm.urdf".'),
        (["torque", "planar2", "--qf", "1"], "strobe: no such option: --qf. Did you mean '--q'"),
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


def test_no_traceback_leaves_the_process_either() -> None:
    done = strobe("info", "no_such_arm.urdf")
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


FULL = Path("/dev/full")  # a device on which every write fails


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("arguments", [["list"], ["info", "planar2", "--json"], ["torque", "log.csv"]])
def test_an_output_that_takes_nothing_is_said_in_a_sentence(tmp_path: Path, arguments: list[str]) -> None:
    if arguments[-1] == "log.csv":
        (tmp_path / "log.csv").write_text(LOG + ROW * 2000)  # more than a buffer
        arguments = ["torque", "planar2", str(tmp_path / "log.csv")]
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "strobe", *arguments], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert "strobe: cannot write the output: No space left on device." in done.stderr
    assert "bug" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a shell that can close a stream")
@pytest.mark.parametrize(("verb", "code"), [("list", 0), ("info pandda", 2)])
def test_a_closed_output_is_no_mistake(verb: str, code: int) -> None:
    command = f'"{sys.executable}" -m strobe {verb} >&-'
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(LOG + ROW * 20000)
    command = [sys.executable, "-m", "strobe", "torque", "planar2", str(tmp_path / "log.csv")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        said = running.stderr.read()
    assert said == ""
    assert running.returncode == 141


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a shell with pipes")
@pytest.mark.parametrize(
    "words", ["list", "--help", "info panda --json", "equations planar2", "draw planar2"]
)
def test_a_pipe_that_is_closed_before_anything_is_printed_ends_a_command_quietly(words: str) -> None:
    command = f'{{ "{sys.executable}" -m strobe {words}; echo $? >&2; }} | true'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "141"
    assert not any(word in done.stderr for word in ("strobe:", "Traceback", "Exception", "Error"))


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")
def test_a_full_device_named_as_output_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(LOG + ROW * 2000)
    done = strobe("torque", "planar2", str(tmp_path / "log.csv"), "-o", str(FULL))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "strobe: cannot write /dev/full: No space left on device."


@pytest.mark.parametrize(
    "arguments",
    [
        ["info", "planar2", "--lock", "jiont1=0"],
        ["torque", "planar2", "--wrench", "1,2,3,4,5,6", "--frame", "tol"],
    ],
)
def test_the_command_line_does_not_speak_of_python(arguments: list[str]) -> None:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert "robot." not in done.stderr
    assert "Did you mean" in done.stderr


def test_the_command_line_still_points_to_its_own_verbs() -> None:
    assert "see strobe list" in CliRunner().invoke(app, ["info", "pandda"]).stderr


def test_an_interruption_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(robot: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(overview, "describe", interrupt)
    assert CliRunner().invoke(app, ["info", "planar2"]).exit_code == 130


@pytest.mark.slow
def test_output_through_a_pipe_has_no_colours_and_is_not_cut() -> None:
    done = strobe("list", COLUMNS="20")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "Stanford arm (Scheinman), two turning joints, a sliding boom and a wrist" in done.stdout


@pytest.mark.slow
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
