"""A sweep from its file to its folder: nothing lost, nothing done twice, the same bits however it came about."""

import json
import os
import re
import sys

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, MissingExtraError, OutputError, SweepError, UnsupportedModelError
from strobe.models.differences import differences
from strobe.models.toml_writer import write_toml
from strobe.sweep import Sweep, sweep, worker
from strobe.sweep.evaluate import evaluate
from strobe.sweep.reading import read_plan

for package in ("pyarrow", "zarr"):
    pytest.importorskip(package, reason=f"{package} is not installed")

SWEEP = {"task": "torque", "robots": ["planar2"], "samples": 20, "chunk": 4, "seed": 3, "keep": ["tau"]}


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def evaluated(monkeypatch):
    """The numbers of the chunks that are evaluated from now on."""
    seen = []

    def counted(plan, work):
        seen.append(work.index)
        return evaluate(plan, work)

    monkeypatch.setattr(worker, "evaluate", counted)
    return seen


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A sweep that nothing disturbs."""
    folder = tmp_path_factory.mktemp("sweeps") / "alone"
    sweep(SWEEP, folder, workers=0)
    return folder


def contents(folder):
    """All files but the lock, and the manifest without its token and the seal over it."""
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    del found[".lock"]
    manifest = json.loads(found["manifest.json"])
    del manifest["token"], manifest["seal"]
    return found | {"manifest.json": manifest}


# -- what comes out -------------------------------------------------------------------------------------


def test_the_package_is_called_as_its_function(tmp_path):
    result = strobe.sweep(SWEEP, tmp_path / "results", workers=0)
    assert isinstance(result, Sweep)
    assert repr(result) == f"<Sweep of torque: 20 runs of planar2 in {tmp_path / 'results'}>"


def test_runs_are_read_back_as_they_were_computed(alone):
    plan = read_plan(SWEEP)
    tau = np.concatenate([evaluate(plan, plan.work(k))["tau"] for k in range(plan.chunks)])
    found = Sweep(alone)
    assert np.array_equal(found.arrays()["tau"][0], tau)
    assert np.array_equal(found.table("planar2")["tau_1"].to_numpy(), tau[:, 1])
    (cell,) = found.summary["cells"]
    assert (cell["robot"], cell["runs"], cell["status"]) == ("planar2", 20, {"0": 20})
    moments = cell["fields"]["tau"]
    np.testing.assert_allclose(moments["mean"], tau.mean(0), rtol=1e-13)
    assert moments["largest"] == tau.max(0).tolist()
    assert moments["largest_run"] == tau.argmax(0).tolist()


def test_a_summary_does_not_depend_on_how_cells_share_chunks(tmp_path):
    asked = SWEEP | {"payload": {"mass": {"values": [0, 1, 2]}}}
    found = [sweep(asked | {"chunk": chunk}, tmp_path / str(chunk), workers=0) for chunk in (20, 40, 100)]
    assert [each.plan.chunks for each in found] == [3, 2, 1]
    assert found[0].summary == found[1].summary == found[2].summary
    tau = found[2].arrays()["tau"][:]
    for cell, told in zip(tau, found[2].summary["cells"], strict=True):
        np.testing.assert_allclose(told["fields"]["tau"]["mean"], cell.mean(0), rtol=1e-13)
        np.testing.assert_allclose(told["fields"]["tau"]["variance"], cell.var(0, ddof=1), rtol=1e-12)
        assert told["fields"]["tau"]["least"] == cell.min(0).tolist()
    assert [cell["fields"]["tau"]["least_run"][0] // 20 for cell in found[2].summary["cells"]] == [0, 1, 2]


def test_several_combinations_in_a_chunk_are_named_by_their_numbers():
    plan = read_plan(SWEEP | {"payload": {"mass": {"values": [0, 1, 2]}}, "chunk": 40})
    assert worker.named(plan.work(0)) == "chunk 0 (robot planar2, combinations 0 to 1)"
    assert worker.named(plan.work(1)) == "chunk 1 (robot planar2, payload.mass 2.0, samples 0 to 19)"


def test_the_size_of_a_sweep_is_told_beforehand():
    found = strobe.sweep.estimate(SWEEP)
    assert (found.runs, found.chunks, found.bytes) == (20, 5, 20 * (2 * 8 + 1))
    assert found.seconds == 20 * found.seconds_per_run > 0


def test_a_robot_that_is_not_there_is_told(alone):
    with pytest.raises(KeyError, match="no robot \"planar3\" in the sweep. Did you mean 'planar2'"):
        Sweep(alone).arrays("planar3")


def test_threads_give_the_same_files(alone, tmp_path):
    told = []
    sweep(SWEEP, tmp_path / "results", workers=2, processes=False, watch=told.append)
    assert contents(tmp_path / "results") == contents(alone)
    assert [each.chunks for each in told] == [1, 2, 3, 4, 5]
    assert told[-1].runs == told[-1].runs_in_all == 20
    assert told[-1].seconds_left == 0.0
    assert str(told[0]) == "1 of 5 chunks"  # how fast it goes is not known yet
    assert re.fullmatch(r"2 of 5 chunks, [\d,.e+]+ runs/s, .* left", str(told[1]))


def test_workers_that_do_not_see_the_folder_send_their_files(alone, tmp_path, monkeypatch):
    monkeypatch.setattr(worker.Workshop, "store", None)
    sweep(SWEEP, tmp_path / "results", workers=0)
    assert contents(tmp_path / "results") == contents(alone)


# -- going on -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_sweep_that_died_at_any_write_goes_on_to_the_same_files(alone, tmp_path, monkeypatch, evaluated):
    """Each write of a file is the last one in turn; then the sweep is called again."""
    move, writes = os.replace, 0
    for last in range(1000):
        folder = tmp_path / str(last)
        writes = 0

        def dying(draft, target, last=last):
            nonlocal writes
            writes += 1
            if writes > last:
                raise KeyboardInterrupt
            move(draft, target)

        monkeypatch.setattr(os, "replace", dying)
        try:
            sweep(SWEEP, folder, workers=0)
            break
        except KeyboardInterrupt:
            done = len(list((folder / "receipts").glob("*")))
        monkeypatch.setattr(os, "replace", move)
        evaluated.clear()
        sweep(SWEEP, folder, workers=0)
        assert evaluated == list(range(done, 5))
        assert contents(folder) == contents(alone)
    assert last == len(contents(alone))


def test_a_sweep_that_is_done_is_not_done_again(alone, evaluated):
    before = contents(alone)
    told = []
    assert sweep(SWEEP, alone, workers=2, watch=told.append).summary == json.loads(before["summary.json"])
    assert evaluated == told == []


def test_what_is_damaged_is_done_again_when_it_is_verified(alone, tmp_path, evaluated):
    folder = tmp_path / "results"
    sweep(SWEEP, folder, workers=0)
    evaluated.clear()
    damaged = folder / "data.zarr/planar2/tau/c/0/2/0"
    content = bytearray(damaged.read_bytes())
    content[-1] ^= 1
    damaged.write_bytes(content)
    (folder / "summary.json").unlink()
    (folder / "data.zarr/zarr.json").write_text("{")
    sweep(SWEEP, folder, workers=0)
    assert evaluated == []
    sweep(SWEEP, folder, workers=0, verify=True)
    assert evaluated == [2]
    assert contents(folder) == contents(alone)


def test_a_chunk_that_another_worker_has_done_is_not_done_again(alone, evaluated):
    manifest = json.loads((alone / "manifest.json").read_text())
    shop = worker.Workshop(json.dumps(manifest["plan"]), "zarr", str(alone), manifest["token"], "0.1.0")
    assert shop.do(3).receipt == json.loads((alone / "receipts/000003.json").read_text())
    assert evaluated == []


def test_a_folder_of_another_sweep_with_the_same_path_is_not_written_to(alone):
    manifest = json.loads((alone / "manifest.json").read_text())
    shop = worker.Workshop(json.dumps(manifest["plan"]), "zarr", str(alone), "another token", "0.1.0")
    assert shop.store is None
    assert (
        shop.do(3).files["data.zarr/planar2/tau/c/0/3/0"]
        == (alone / "data.zarr/planar2/tau/c/0/3/0").read_bytes()
    )


# -- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"seed": 4},
            "holds another sweep: seed was 3 and is 4. Give the file as it was to go on, or name a new",
        ),
        (
            {"robots": ["planar3"]},
            "another sweep: robots.planar2 is no longer there; robots.planar3 is new.",
        ),
        ({"samples": 24, "chunk": 8, "seed": 1, "keep": ["peak"]}, r" \(and 1 more\). Give the file"),
    ],
)
def test_another_sweep_in_the_folder_is_told_by_what_differs(alone, change, sentence):
    before = contents(alone)
    with pytest.raises(ArgumentError, match=sentence):
        sweep(SWEEP | change, alone, workers=0)
    assert contents(alone) == before


def test_a_model_that_changed_is_named():
    there = {"robots": [{"label": "arm", "model": "a" * 50}, {"label": "leg", "model": "b"}]}
    here = {"robots": [{"label": "arm", "model": "c" * 50}, {"label": "leg", "model": "b"}]}
    assert list(differences(there, here)) == ["robots.arm.model is not what it was"]


def test_a_robot_that_changed_is_told_by_joint_and_number(alone, tmp_path):
    text = write_toml(strobe.load("planar2").model)
    assert text.count(", 2.6]") == 1
    (tmp_path / "planar2.toml").write_text(text.replace(", 2.6]", ", 1.5]"))
    with pytest.raises(
        ArgumentError,
        match=r'another sweep: robots\.planar2\.model\.joint "joint2": limits\.upper was 2\.6 and is 1\.5',
    ):
        sweep(SWEEP | {"robots": [str(tmp_path / "planar2.toml")]}, alone, workers=0)


def test_another_format_or_version_is_told(alone, monkeypatch):
    with pytest.raises(
        ArgumentError, match="is kept as zarr, not as parquet. Leave the format out to go on"
    ):
        sweep(SWEEP, alone, workers=0, format="parquet")
    monkeypatch.setattr("strobe.sweep.manifest.__version__", "9.9")
    with pytest.raises(
        ArgumentError, match="was begun with strobe 0.1.0; the last bits of 9.9 may differ."
    ):
        sweep(SWEEP, alone, workers=0)


def test_a_folder_that_holds_no_sweep_or_half_of_one_is_told(alone, tmp_path):
    with pytest.raises(ArgumentError, match="holds no sweep. Name the folder that strobe sweep wrote."):
        Sweep(tmp_path / "nothing")
    (tmp_path / "half").mkdir()
    (tmp_path / "half/manifest.json").write_bytes((alone / "manifest.json").read_bytes())
    with pytest.raises(
        ArgumentError, match="half is not done. Give its command again: it goes on with what is"
    ):
        Sweep(tmp_path / "half")


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"workers": -1}, "workers is -1; expected 0"),
        (
            {"workers": 2, "scheduler": "tcp://a:1"},
            "a scheduler has its own workers: give workers or a scheduler",
        ),
        (
            {"scheduler": "somewhere"},
            'the scheduler "somewhere" is no address; expected one such as tcp://',
        ),
        ({"format": "csv"}, 'no format "csv". Results are kept as zarr or parquet.'),
        ({"workers": 2**70}, "workers is 1180591620717411303424; expected 0 .* to 10,000"),
        ({"workers": 1.5}, "workers is 1.5; expected 0"),
        ({"format": ["zarr"]}, r"format is \['zarr'\]; expected zarr or parquet"),
        ({"scheduler": 7}, "scheduler is 7; expected an address such as tcp://"),
        ({"processes": np.zeros(2)}, "processes is array.*; expected True or False"),
        ({"verify": "yes"}, "verify is 'yes'; expected True or False"),
        ({"watch": 3}, "watch is 3; expected a function of the progress"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_the_folder_is_made(tmp_path, how, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        sweep(SWEEP, tmp_path / "results", **how)
    assert list(tmp_path.iterdir()) == []


def test_a_scheduler_without_dask_is_refused_with_the_extra(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "strobe.sweep.dask_cluster", raising=False)
    monkeypatch.delattr("strobe.sweep.dask_cluster", raising=False)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match="a sweep by a scheduler needs the package distributed"):
        sweep(SWEEP, tmp_path / "results", scheduler="tcp://a:1")


def test_what_a_robot_refuses_names_the_chunk(tmp_path, monkeypatch):
    def refusing(plan, work):
        raise UnsupportedModelError("planar2 is flat.")

    monkeypatch.setattr(worker, "evaluate", refusing)
    with pytest.raises(SweepError, match=r"chunk 0 \(robot planar2, samples 0 to 3\): planar2 is flat."):
        sweep(SWEEP, tmp_path / "results", workers=0)


def test_another_version_on_a_worker_is_told(tmp_path):
    shop = worker.Workshop(json.dumps(read_plan(SWEEP).document), "zarr", str(tmp_path), "", "9.9")
    with pytest.raises(
        SweepError, match="a worker has strobe 0.1.0, and the sweep was begun with 9.9. Install the"
    ):
        shop.do(0)


def test_files_that_vanish_as_they_are_written_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr("strobe.sweep.store.Store.keep", lambda *_: None)
    with pytest.raises(
        OutputError, match="chunk 0 was written into .*results and is not there. Does something"
    ):
        sweep(SWEEP, tmp_path / "results", workers=0)
