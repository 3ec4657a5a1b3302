"""Every benchmark runs, on little robots and for no time: rows of plain data come out."""

import importlib
import json
import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import QUESTIONS
from strobe.compiler.runtime import timing

FOLDER = Path(__file__).parent.parent / "benchmarks"
NO_QUESTIONS = {
    "__init__", "__main__", "eaik_peer", "gpu", "on_paper", "readme", "robots", "starts_of_poses", "timer", "toolbox",
}  # fmt: skip


def test_every_file_is_a_question_that_is_asked():
    assert {path.stem for path in FOLDER.glob("*.py")} - NO_QUESTIONS == set(QUESTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_in_rows_of_finite_numbers_and_text(question, monkeypatch):
    for library in ("pinocchio", "mujoco"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    if question == "tensors":
        pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.setattr(timing, "WARM", 1)
    monkeypatch.setattr(timing, "ROUNDS", 1)
    rows = importlib.import_module(f"benchmarks.{question}").once(seconds=0.0, small=True)
    assert rows == json.loads(json.dumps(rows))
    for row in rows:
        assert all(isinstance(value, str | int | float) for value in row.values())
        figures = [value for value in row.values() if isinstance(value, float)]
        assert figures
        assert all(math.isfinite(value) and value >= 0 for value in figures)


@pytest.mark.slow
def test_what_equations_take_of_memory_is_not_what_the_process_has_that_asks():
    from benchmarks.how_fast_equations import measured_apart

    held = np.ones(100_000_000)
    assert measured_apart(0)["megabytes"] < held.nbytes / 2**20


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


def test_many_nodes_on_paper_follow_from_what_was_measured():
    from benchmarks.on_paper import Cluster, bill, longest_chunk, measured, most_nodes, shortest_chunk

    rows = [
        {"task": "torque", "way": "threads", "two_per_second": 7.0},
        {"task": "torque", "way": "processes", "two_per_second": 2e6},
        {"task": "chunk", "handed_out_ms": 2.0},
        {"task": "memory", "worker_mb_100%": 400.0, "chunk": 200_000},
        {"task": "writing", "of": "torque", "bytes_per_run": 200.0, "peak_bytes_per_run": 8.0},
    ]
    cluster = Cluster(10, 50, watts=4.0, price=0.036, memory=6e9, disk=1e9, files=1000.0)
    one = measured("torque", rows)
    assert bill(one, cluster, 36 * 10**11) == {
        "evaluations a second of a core": 1e6, "core hours": 1000.0, "kWh": 4.0, "dollars": 36.0,
        "hours on 10 nodes": 2.0, "terabytes, everything kept": 720.0, "terabytes, the peak kept": 28.8,
    }  # fmt: skip
    assert (shortest_chunk(one, cluster), longest_chunk(one, cluster)) == (1.0, 3.0)
    assert list(most_nodes(one, cluster, seconds=2.0, files=4).items()) == [
        ("writing, everything kept", 0.1), ("writing, the peak kept", 2.5), ("making files", 10.0),
        ("handing out chunks", 20.0),
    ]  # fmt: skip


def test_nothing_is_on_paper_before_it_is_measured():
    from benchmarks.on_paper import measured

    with pytest.raises(
        LookupError, match=r"Nothing is measured yet; run python -m benchmarks.scaling first\."
    ):
        measured("torque", [])
