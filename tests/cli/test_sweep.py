"""``strobe sweep``: what it says, what it prints, and how it ends."""

import json

import pytest

from strobe.sweep import worker
from strobe.sweep.evaluate import evaluate
from tests.cli.verb import Verb

for package in ("distributed", "pyarrow", "zarr"):
    pytest.importorskip(package, reason=f"{package} is not installed")

SWEEP = """\
task = "torque"
robots = ["planar2"]
samples = 20
chunk = 4
seed = 3
keep = ["tau"]
[payload]
mass = { values = [0, 2] }
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(SWEEP)
    return path


strobe = Verb("sweep")


def test_a_sweep_prints_what_came_out_and_is_found_done_the_second_time(file, tmp_path):
    done = strobe(file, "--output", tmp_path / "results", "--workers", "0")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == f"torque: 40 runs in {tmp_path / 'results'}"
    assert lines[1] == "40 done"
    assert lines[2].split() == [
        "robot",
        "payload.mass",
        "unit",
        "mean",
        "deviation",
        "least",
        "run",
        "largest",
        "run",
    ]
    assert [line.split()[:3] for line in lines[4:]] == [
        ["planar2", mass, name] for mass in ("0.0", "2.0") for name in ("tau[0]", "tau[1]")
    ]
    again = strobe(file, "--output", tmp_path / "results", "--workers", "0")
    assert again.stdout == done.stdout
    assert "note: all 10 chunks were done before." in again.stderr


def test_json_is_the_summary_with_every_digit(file, tmp_path):
    done = strobe(file, "--output", tmp_path / "results", "--workers", "0", "--format", "parquet", "--json")
    data = json.loads(done.stdout)
    summary = json.loads((tmp_path / "results/summary.json").read_text())
    assert data == {"folder": str(tmp_path / "results"), "format": "parquet", **summary}
    assert data["cells"][1]["chosen"] == {"payload.mass": 2.0}


def test_a_dry_run_says_how_large_it_is_and_writes_nothing(file, tmp_path):
    done = strobe(file, "--dry-run", "--workers", "2")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "torque of planar2",
        "40 runs in 2 combinations, 680 bytes",
        "10 chunks of at most 4 runs",
    ]
    assert lines[3].startswith("about ")
    assert " on 2 workers, " in lines[3]
    data = json.loads(strobe(file, "--dry-run", "--json").stdout)
    assert (data["runs"], data["chunks"], data["bytes"], data["cells"]) == (40, 10, 680, 2)
    assert data["seconds"] > 0
    assert list(tmp_path.iterdir()) == [file]


def test_ctrl_c_says_how_to_go_on(file, tmp_path, monkeypatch):
    def interrupted(plan, work):
        if work.index == 3:
            raise KeyboardInterrupt
        return evaluate(plan, work)

    monkeypatch.setattr(worker, "evaluate", interrupted)
    done = strobe(file, "--output", tmp_path / "results", "--workers", "0")
    assert done.exit_code == 130
    assert "note: 3 of 10 chunks are done; the same command goes on from there." in done.stderr
    monkeypatch.setattr(worker, "evaluate", evaluate)
    assert strobe(file, "--output", tmp_path / "results", "--workers", "0").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "strobe: give --output FOLDER: where the results go; or --dry-run."),
        (["--output", "r", "--workers", "-1"], "strobe: workers is -1; expected 0"),
        (["--dry-run", "--workers", "-1"], "strobe: workers is -1; expected 0"),
        (["--output", "r", "--scheduler", "here"], 'strobe: the scheduler "here" is no address'),
        (["--output", "r", "--format", "cvs"], 'strobe: no format "cvs".'),
        (["--output", "sweep.toml"], "it is a file. Name a folder."),
        (["--output", "."], 'it holds other things ("sweep.toml")'),
    ],
)
def test_a_mistake_is_one_sentence(file, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    done = strobe(file, *arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]


def test_a_long_table_is_cut_with_a_word_on_the_rest(tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(SWEEP.replace("[0, 2]", str([0.1 * k for k in range(25)])).replace("20", "1"))
    done = strobe(file, "--output", tmp_path / "results", "--workers", "0")
    lines = done.stdout.splitlines()
    assert len(lines) == 4 + 40 + 1
    assert lines[-1] == "… all of it is in summary.json."


@pytest.mark.parametrize(
    ("size", "told"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (8 * 10**9, "8 GB"), (10**19, "1e+04 PB")],
)
def test_sizes_are_told_as_people_say_them(size, told):
    from strobe.cli.sweep import _told_bytes

    assert _told_bytes(size) == told
