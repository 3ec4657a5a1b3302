"""Chunks on workers of Dask: those that die, a cluster by its address."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from strobe.errors import SweepError
from strobe.sweep import sweep
from strobe.sweep.reading import read_plan
from strobe.sweep.worker import Done, Workshop

distributed = pytest.importorskip("distributed", reason="distributed is not installed")
running = pytest.importorskip("strobe.sweep.dask_cluster")

CommClosedError = pytest.importorskip("distributed.comm").CommClosedError

SWEEP = {"task": "torque", "robots": ["planar2"], "samples": 16, "chunk": 2, "seed": 3, "keep": ["tau"]}


class Workers:
    """A client of workers that die under some chunks, so many times each."""

    status = "running"

    def __init__(self, deaths, threads=1):
        self.deaths, self.threads, self.most = dict(deaths), threads, 0
        self.out = set()

    def submit(self, do, equipment, index, **how):
        return Handed(self, index)

    def nthreads(self):
        return {"tcp://one": self.threads}

    def register_plugin(self, plugin): ...

    def cancel(self, futures, force): ...

    def unregister_worker_plugin(self, name): ...


class Handed:
    """A chunk that is handed out."""

    def __init__(self, workers, index):
        self.workers, self.index = workers, index
        workers.out.add(index)
        workers.most = max(workers.most, len(workers.out))

    def add_done_callback(self, call):
        call(self)

    def result(self):
        self.workers.out.remove(self.index)
        if self.workers.deaths.get(self.index, 0) > 0:
            self.workers.deaths[self.index] -= 1
            raise distributed.KilledWorker("chunk", None, 0)
        return Done(self.index, {}, {})


@pytest.fixture(scope="module")
def shop():
    return Workshop(json.dumps(read_plan(SWEEP).document), "zarr", "nowhere", "", "")


def test_chunks_whose_workers_died_are_done_by_others(shop):
    workers = Workers({0: 4, 5: 1, 7: 2})
    assert sorted(done.index for done in running.done_by(workers, shop, range(8))) == list(range(8))
    assert set(workers.deaths.values()) == {0}


@pytest.mark.parametrize("deaths", [1, running.TRIES])
def test_a_worker_killed_while_it_is_equipped_has_a_successor_unless_none_ever_comes(
    shop, monkeypatch, deaths
):
    workers, left = Workers({}), iter([True] * deaths)

    def equipped(plugin):
        if next(left, False):
            raise CommClosedError("in <TCP (closed)>: Stream is closed")

    monkeypatch.setattr(running, "PAUSE", 0.0)
    monkeypatch.setattr(workers, "register_plugin", equipped, raising=False)
    if deaths < running.TRIES:
        assert {done.index for done in running.done_by(workers, shop, range(4))} == {*range(4)}
    else:
        with pytest.raises(SweepError, match="the scheduler has gone"):
            list(running.done_by(workers, shop, range(4)))


def test_a_chunk_that_kills_its_workers_is_named(shop):
    with pytest.raises(SweepError) as error:
        list(running.done_by(Workers({3: 5}), shop, range(8)))
    assert str(error.value) == (
        "chunk 3 (robot planar2, samples 6 to 7) killed its worker 5 times. Memory may be short: take fewer runs a "
        "chunk, or fewer workers. The chunks that are done stay."
    )


def test_few_chunks_are_handed_out_at_a_time(shop):
    workers = Workers({}, threads=3)
    assert len(list(running.done_by(workers, shop, iter(range(1000))))) == 1000
    assert workers.most == 6


@pytest.mark.parametrize("gone", [CommClosedError, distributed.CancelledError])
def test_a_scheduler_that_goes_is_told(shop, monkeypatch, gone):
    def closed(self):
        raise gone("in <TCP (closed)>: Stream is closed")

    monkeypatch.setattr(Handed, "result", closed)
    with pytest.raises(SweepError) as error:
        list(running.done_by(Workers({}), shop, range(8)))
    assert str(error.value) == (
        "the scheduler has gone. The same command goes on with what is left, once there is one again."
    )


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and a worker of their own, which does not see the folder of the sweep."""
    (tmp_path / "blind.py").write_text("from strobe.sweep.worker import Workshop\nWorkshop.store = None\n")
    known = tmp_path / "scheduler.json"
    commands = [
        ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"],
        ["worker", "--no-nanny", "--nthreads", "1", "--no-dashboard", "--preload", tmp_path / "blind.py"],
    ]
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "dask", *command, "--scheduler-file", known],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]
    while not (known.exists() and known.read_text().endswith("}")):
        assert processes[0].poll() is None
        time.sleep(0.05)
    yield json.loads(known.read_text())["address"]
    for process in reversed(processes):
        process.terminate()
        process.wait()


@pytest.mark.slow
def test_a_cluster_by_its_address_gives_the_same_files(tmp_path, cluster):
    one, other = tmp_path / "one", tmp_path / "other"
    result = sweep(SWEEP, one, scheduler=cluster, format="parquet")
    sweep(SWEEP, other, workers=0, format="parquet")
    parts = [path.relative_to(other) for path in other.rglob("part-*.parquet")]
    assert len(parts) == 8
    for part in (*parts, Path("summary.json")):
        assert (one / part).read_bytes() == (other / part).read_bytes()
    assert result.table().num_rows == 16


def test_a_worker_without_strobe_is_told():
    error = Exception(
        """ModuleNotFoundError("No module named 'strobe.sweep'; 'strobe' is not a package")"""
    )
    assert str(running._told(error)) == (
        "a worker cannot import strobe.sweep. Install the same strobe on all workers, with its extra: "
        'pip install "strobe-dynamics[scale]"'
    )
    assert str(running._told(ModuleNotFoundError("No module named 'zarr'"))).startswith(
        "a worker cannot import zarr."
    )
    bug = ValueError("something else")
    assert running._told(bug) is bug


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.1)
    with pytest.raises(
        SweepError, match="no scheduler answers at tcp://127.0.0.1:9: .* Start one with: dask"
    ):
        running.connected("tcp://127.0.0.1:9").__enter__()
