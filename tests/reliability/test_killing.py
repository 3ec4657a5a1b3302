"""A sweep whose worker and whose main process are killed: the trial `reliability.killing`, in short."""

from pathlib import Path

import pytest

from reliability import killing
from reliability.killing import MAIN, WORKER, Size, Trial, after


@pytest.mark.slow
def test_a_sweep_survives_kills_of_its_worker_and_of_its_main_process(tmp_path):
    trial = Trial()
    kills = iter([(MAIN, after(0.0, 2)), (WORKER, after(0.0, 2))])
    killing.one(tmp_path, Size(chunks=40, chunk=64, processes=1), 7, kills, trial)
    assert trial.failures == []
    assert trial.kills == {MAIN: 1, WORKER: 1}
    assert trial.compared == 40 * 3 + 5


def test_a_difference_a_missing_file_and_a_second_evaluation_are_noticed(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name / "receipts").mkdir(parents=True)
        (tmp_path / name / "receipts/000000.json").write_text("a")
        (tmp_path / name / "manifest.json").write_text(name)
    one, other, trial = tmp_path / "one", tmp_path / "other", Trial()
    killing.compare(one, other, trial)
    assert (trial.failures, trial.compared) == ([], 1)
    before = killing.receipts(one)
    draft = Path(one, "draft")
    draft.write_text("a")
    draft.replace(one / "receipts/000000.json")
    assert killing.receipts(one) != before
    (one / "receipts/000000.json").write_text("b")
    (other / "more").write_text("")
    killing.compare(one, other, trial)
    assert trial.failures == ["files are missing or too many: ['more']", "receipts/000000.json differs"]
