"""Every benchmark runs, on little robots and for no time: rows of plain data come out."""

import importlib
import json
import math
from pathlib import Path

import pytest

from benchmarks.__main__ import QUESTIONS
from strobe.analysis import speed

FOLDER = Path(__file__).parent.parent / "benchmarks"
NO_QUESTIONS = {"__init__", "__main__", "eaik_peer", "readme", "robots", "timer", "toolbox"}


def test_every_file_is_a_question_that_is_asked():
    assert {path.stem for path in FOLDER.glob("*.py")} - NO_QUESTIONS == set(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_in_rows_of_finite_numbers_and_text(question, monkeypatch):
    for library in ("pinocchio", "mujoco"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    monkeypatch.setattr(speed, "WARM", 1)
    monkeypatch.setattr(speed, "ROUNDS", 1)
    rows = importlib.import_module(f"benchmarks.{question}").once(seconds=0.0, small=True)
    assert rows == json.loads(json.dumps(rows))
    for row in rows:
        assert all(isinstance(value, str | int | float) for value in row.values())
        figures = [value for value in row.values() if isinstance(value, float)]
        assert figures
        assert all(math.isfinite(value) and value >= 0 for value in figures)


def test_medians_are_taken_of_what_was_measured_only():
    from benchmarks.timer import _medians

    rows = [{"robot": "panda", "n": 7, "ratio": ratio} for ratio in (40.0, 2.0, 41.0)]
    assert _medians(rows) == {"robot": "panda", "n": 7, "ratio": 40.0}


def test_the_newest_rows_are_those_of_the_last_run(tmp_path, monkeypatch):
    from benchmarks import timer

    monkeypatch.setattr(timer, "RESULTS", tmp_path)
    assert timer.newest("speed") == []
    rows = [{"when": when, "k": k} for k, when in enumerate(("1", "2", "2"))]
    (tmp_path / "speed.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [row["k"] for row in timer.newest("speed")] == [1, 2]
