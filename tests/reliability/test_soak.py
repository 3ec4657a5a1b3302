"""The soak itself: it calls, compiles and damages; it sees wrong values, exceptions and memory that grows."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from reliability import cache_damage, soak_calls, soak_subjects
from reliability.soak import Soak, row, soak
from reliability.soak_calls import CALLS, Caller, Pool, WrongValue, compare


@pytest.fixture(scope="module")
def subjects():
    return [soak_subjects.subject("planar2", edit) for edit in soak_subjects.EDITS]


@pytest.mark.slow
def test_seconds_of_calls_with_a_damaged_cache_find_nothing_wrong(subjects):
    found = soak(3.0, threads=3, robots=subjects, pause=0.05)
    assert found.failures == []
    assert found.calls.total() > 0
    assert found.compiled > 0
    assert found.faults.total() > 0
    assert found.memory


@pytest.mark.parametrize("kind", CALLS)
def test_every_call_is_right_on_a_robot_of_two_joints(kind, subjects, monkeypatch):
    caller = Caller(Pool(subjects, Random(1)), 1)
    monkeypatch.setattr(caller.draw, "choices", lambda names, weights: [kind])
    assert caller.call() == kind  # a wrong value is raised


@pytest.mark.parametrize(
    "kind", ["single", "batch", "threads", "float32", "pickle", "plan", "simulate", "export"]
)
def test_a_wrong_answer_is_noticed(kind, subjects, monkeypatch):
    caller = Caller(Pool(subjects, Random(1)), 1)
    true = {"values": {}, "motion": None, "run": None, "code": None}
    for subject in subjects:
        for name in true:
            kept = getattr(subject, name)
            if isinstance(kept, dict):
                wrong = {quantity: array + 0.1 for quantity, array in kept.items()}
            else:
                wrong = kept + (" " if isinstance(kept, str) else 0.1)
            monkeypatch.setitem(subject.__dict__, name, wrong)
    monkeypatch.setattr(caller.draw, "choice", lambda options: options[0])
    with pytest.raises(WrongValue):
        CALLS[kind][1](caller)


@pytest.mark.parametrize("off", [1.0, np.nan, np.inf])
def test_numbers_that_are_off_are_wrong(off):
    compare([1.0, 2.0], [1.0, 2.0], "x")
    with pytest.raises(WrongValue, match="x: off by"):
        compare([1.0, 2.0 + off], [1.0, 2.0], "x")
    with pytest.raises(WrongValue, match=r"x: shape \(1,\) instead of \(2,\)"):
        compare([1.0], [1.0, 2.0], "x")


@pytest.mark.slow
def test_an_exception_is_a_failure(subjects, monkeypatch):
    monkeypatch.setattr(soak_calls, "CALLS", {"single": (1, lambda caller: 1 / 0)})
    found = soak(0.1, threads=1, robots=subjects)
    assert "ZeroDivisionError" in found.failures[0]
    assert row(found, 0.1, 1)["failures"] == len(found.failures)


@pytest.mark.parametrize(("last", "failures"), [(104, 0), (106, 1), (50, 0)])
def test_memory_that_grows_by_more_than_a_twentieth_is_a_failure(last, failures):
    found = Soak(
        memory=[
            (float(second), 50 if second < 10 else 100 if second < 40 else last) for second in range(60)
        ]
    )
    assert row(found, 60.0, 1)["failures"] == failures


@pytest.mark.parametrize("name", cache_damage.FAULTS)
def test_every_fault_is_done_and_the_folder_is_there_again(name, tmp_path, monkeypatch):
    monkeypatch.setattr(cache_damage, "AWAY", 0.0)
    folder = tmp_path / "kernels"
    folder.mkdir()
    before = {f"{k}.o": bytes([k]) * 100 for k in range(3)}
    for entry, content in before.items():
        (folder / entry).write_bytes(content)
    for seed in range(20):
        cache_damage.FAULTS[name](folder, Random(seed))
        if _content(folder) != before:
            break
    assert folder.is_dir()
    if name != "file instead of folder":
        assert _content(folder) != before


def _content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
