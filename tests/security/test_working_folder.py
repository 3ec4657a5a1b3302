"""Code that lies in the working folder is not run: no command, and no process that a command starts, finds it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import strobe
from strobe import child_processes

TRAP = "import pathlib; pathlib.Path(__file__ + '.ran').touch()\nraise SystemExit('the trap was run')\n"
OF_PYTHON = (
    "typing",
    "multiprocessing",
    "json",
    "base64",
    "threading",
    "random",
    "signal",
    "sitecustomize",
    "usercustomize",
)
OF_OTHERS = (
    "yaml",
    "xacro",
    "xacrodoc",
    "numpy",
    "scipy",
    "llvmlite",
    "sympy",
    "typer",
    "zarr",
    "pyarrow",
    "distributed",
)
ROBOT = """<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="y" value="${xacro.load_yaml('sizes.yaml')}"/><link name="${y.name}"/></robot>"""
SWEEP = 'task = "torque"\nrobots = ["planar2"]\nsamples = 4\nchunk = 2\n'
COMMANDS = {
    "info": ("info", "arm.xacro"),
    "object": (
        *("compile", "planar2", "inverse_dynamics", "--target", "object"),
        *("--triple", "thumbv7em-hf", "--cpu", "cortex-m7", "--float", "-o", "made"),
    ),
    "sweep": ("sweep", "sweep.toml", "--output", "results", "--workers", "1"),
}
HOME = str(Path(strobe.__file__).parents[1])


@pytest.fixture
def folder(tmp_path):
    """A working folder with a trap for every module that may be looked for."""
    here = tmp_path / "here"
    here.mkdir()
    for name in (*OF_PYTHON, *OF_OTHERS):
        (here / f"{name}.py").write_text(TRAP)
    (here / "sizes.yaml").write_text("name: base\n")
    (here / "arm.xacro").write_text(ROBOT)
    (here / "sweep.toml").write_text(SWEEP)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/strobe").write_text("from strobe.cli import main\nmain()\n")  # as pip makes it
    return here


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {"PYTHONPATH": HOME}


def ran(folder: Path, *command: str) -> tuple[int, list[str], str]:
    """The exit code, the traps that were run, and what was said."""
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment(), capture_output=True, text=True
    )
    traps = sorted(path.name for path in folder.rglob("*.ran"))
    if not traps and "which is not installed: pip install" in done.stderr:
        pytest.skip(done.stderr.strip())
    return done.returncode, traps, done.stderr


@pytest.mark.parametrize("command", ["info", "object", pytest.param("sweep", marks=pytest.mark.slow)])
def test_no_command_runs_code_of_the_working_folder(command, folder):
    code, traps, said = ran(folder, str(folder.parent / "bin/strobe"), *COMMANDS[command])
    assert (code, traps) == (0, []), said


def test_what_libraries_of_others_start_finds_nothing_there_either(folder):
    """glfw, which MuJoCo imports, asks a Python of its own for the version of a library; a study measures MuJoCo."""
    text = """import atexit, subprocess, sys
atexit.register(subprocess.run, [sys.executable, "-c", "import json"])
from strobe.cli import main
main()
"""
    (folder.parent / "bin/starts").write_text(text)
    code, traps, said = ran(folder, str(folder.parent / "bin/starts"), "list")
    assert (code, traps) == (0, []), said


@pytest.mark.slow
def test_no_study_runs_code_of_the_working_folder(folder):
    (folder / "ctypes.py").write_text(TRAP)
    code, traps, said = ran(folder, str(folder.parent / "bin/strobe"), "study", "planar2", "-o", "made")
    assert (code, traps) == (0, []), said


@pytest.mark.slow
def test_the_package_as_a_command_finds_nothing_of_others_there(folder):
    """Python looks into the working folder for modules of its own before we can act; not for those of others."""
    for name in OF_PYTHON:
        (folder / f"{name}.py").unlink()
    code, traps, said = ran(folder, "-m", "strobe", *COMMANDS["info"])
    assert (code, traps) == (0, []), said


def test_a_child_finds_modules_where_its_parent_does_but_not_in_the_working_folder(tmp_path, monkeypatch):
    mine, here = tmp_path / "mine", tmp_path / "here"
    for place in (mine, here):
        place.mkdir()
    (mine / "of_mine.py").write_text("found = 7\n")
    (here / "of_here.py").write_text(TRAP)
    monkeypatch.chdir(here)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", str(mine)]))
    monkeypatch.setattr(sys, "path", ["", str(here), ".", *sys.path, str(mine)])
    text = "import of_mine, os\nprint(of_mine.found, sys.argv[1], os.environ['PYTHONSAFEPATH'])\nimport of_here"
    command = child_processes.python_command(text, "given")
    done = subprocess.run(command, env=child_processes.python_environment(), capture_output=True, text=True)
    assert done.stdout.split() == ["7", "given", "1"]
    assert "No module named 'of_here'" in done.stderr
    assert not list(here.glob("*.ran"))


def test_a_working_folder_that_a_user_names_for_python_is_trusted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert str(tmp_path) not in child_processes.trusted_folders()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert child_processes.trusted_folders()[0] == str(tmp_path)


def test_python_is_started_in_one_place_only():
    """Nobody else makes such a command, nor starts processes by other means."""
    ways = (
        "sys.executable",
        "multiprocessing",
        "LocalCluster",
        "ProcessPoolExecutor",
        "os.fork",
        "forkserver",
    )
    found = {
        (path.relative_to(HOME).as_posix(), way)
        for path in Path(strobe.__file__).parent.rglob("*.py")
        for way in ways
        if way in path.read_text(encoding="utf-8")
    }
    assert found == {("strobe/child_processes.py", "sys.executable")}
