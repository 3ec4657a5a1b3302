"""Workers of this machine: pipes and no ports, deaths survived, an end that leaves nobody behind."""

import json
import os
import signal
import subprocess
import sys
from contextlib import closing

import pytest

from strobe.errors import SweepError
from strobe.sweep import local_workers, sweep
from strobe.sweep.reading import read_plan
from strobe.sweep.worker import Workshop

psutil = pytest.importorskip("psutil", reason="psutil is not installed")
for package in ("pyarrow", "zarr"):
    pytest.importorskip(package, reason=f"{package} is not installed")

SWEEP = {"task": "torque", "robots": ["planar2"], "samples": 16, "chunk": 2, "seed": 3, "keep": ["tau"]}

STAND_IN = """\
import json, os, sys
from pathlib import Path
workshop = json.loads(input())
print(json.dumps(dict(ready=True)), flush=True)
for line in sys.stdin:
    index = int(line)
    deaths = Path(workshop["folder"], f"deaths-{index}")
    left = int(deaths.read_text()) if deaths.exists() else 0
    if left:
        deaths.write_text(str(left - 1))
        os.kill(os.getpid(), 9)
    print(json.dumps(dict(index=index, receipt={}, files={})), flush=True)
"""


@pytest.fixture
def shop(tmp_path):
    return Workshop(json.dumps(read_plan(SWEEP).document), "zarr", str(tmp_path), "", "")


@pytest.fixture
def stand_ins(monkeypatch):
    """Workers that need no package, and die under some chunks, so many times each."""
    monkeypatch.setattr(local_workers, "WORKER", STAND_IN)


def indices(doing, shop, pending):
    return sorted(done.index for done in doing(shop, pending))


@pytest.mark.parametrize("by", [local_workers.by_threads, local_workers.by_processes])
def test_every_chunk_is_done_once_by_however_many(by, shop, stand_ins, monkeypatch):
    from strobe.sweep.worker import Done

    monkeypatch.setattr(Workshop, "do", lambda _, index: Done(index, {}, {}))
    for count in (1, 3):
        assert indices(by(count), shop, range(20)) == list(range(20))


def test_chunks_whose_workers_died_are_done_by_their_successors(shop, stand_ins, tmp_path):
    for index, times in ((0, 4), (5, 1), (7, 2)):
        (tmp_path / f"deaths-{index}").write_text(str(times))
    assert indices(local_workers.by_processes(2), shop, range(8)) == list(range(8))
    assert {path.read_text() for path in tmp_path.glob("deaths-*")} == {"0"}


def test_a_chunk_that_kills_its_workers_is_named(shop, stand_ins, tmp_path):
    (tmp_path / "deaths-3").write_text("5")
    with pytest.raises(SweepError) as error:
        list(local_workers.by_processes(2)(shop, range(8)))
    assert str(error.value) == (
        "chunk 3 (robot planar2, samples 6 to 7) killed its worker 5 times. Memory may be short: take fewer runs a "
        "chunk, or fewer workers. The chunks that are done stay."
    )


def test_workers_that_do_not_start_are_given_up_with_what_they_said(shop, monkeypatch):
    monkeypatch.setattr(local_workers, "WORKER", "raise SystemExit('no such thing')")
    with pytest.raises(SweepError, match=r"the workers did not start \(no such thing\). Take fewer."):
        list(local_workers.by_processes(2)(shop, range(8)))


def test_what_a_worker_refuses_or_fails_at_is_told(shop, monkeypatch):
    answering = "input(); print('{}', flush=True); input(); print('''%s''', flush=True)"
    monkeypatch.setattr(local_workers, "WORKER", answering % json.dumps({"refused": "chunk 0: no."}))
    with pytest.raises(SweepError, match="chunk 0: no."):
        list(local_workers.by_processes(1)(shop, range(2)))
    monkeypatch.setattr(local_workers, "WORKER", answering % json.dumps({"failed": "a traceback"}))
    with pytest.raises(RuntimeError, match="a worker failed:\na traceback"):
        list(local_workers.by_processes(1)(shop, range(2)))


def test_files_of_a_worker_that_does_not_see_the_folder_travel(shop, monkeypatch):
    answer = {"index": 0, "receipt": {"chunk": 0}, "files": {"a": "AAEC"}}
    monkeypatch.setattr(
        local_workers,
        "WORKER",
        f"input(); print('{{}}', flush=True); input(); print('''{json.dumps(answer)}''', flush=True)",
    )
    (done,) = local_workers.by_processes(1)(shop, [0])
    assert (done.receipt, done.files) == ({"chunk": 0}, {"a": b"\0\1\2"})


def test_a_sweep_that_is_stopped_leaves_no_process_behind(shop, stand_ins):
    before = set(psutil.Process().children())
    with closing(local_workers.by_processes(2)(shop, range(1000))) as results:
        next(results)
        started = set(psutil.Process().children()) - before
    assert len(started) == 2
    assert not any(process.is_running() for process in started)


LISTENING = """\
import json, sys, psutil, strobe
def ports(process):
    found = getattr(process, "net_connections", None) or process.connections  # before psutil 6
    return [each.laddr.port for each in found("inet") if each.status == "LISTEN"]
def watch(progress):
    me = psutil.Process()
    everyone = [me, *me.children(recursive=True)]
    seen.append((len(everyone), sum((ports(each) for each in everyone), [])))
seen = []
for kind in ("threads", "processes"):
    strobe.sweep(json.loads(sys.argv[1]), kind, workers=2, processes=kind == "processes", watch=watch)
print(json.dumps(seen))
"""  # no `if __name__`: a script that sweeps needs none


@pytest.mark.slow
def test_no_port_is_opened_and_the_files_are_the_same(tmp_path):
    (tmp_path / "script.py").write_text(LISTENING)
    command = [sys.executable, "script.py", json.dumps(SWEEP)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    counts, ports = zip(*json.loads(done.stdout), strict=True)
    assert (max(counts[:8]), max(counts[8:]), len(counts)) == (1, 3, 16)
    assert set(map(tuple, ports)) == {()}
    sweep(SWEEP, tmp_path / "alone", workers=0)
    for path in (tmp_path / "alone").rglob("*"):
        if path.is_file() and path.name not in (".lock", "manifest.json"):
            for kind in ("threads", "processes"):
                other = tmp_path / kind / path.relative_to(tmp_path / "alone")
                assert other.read_bytes() == path.read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_worker_ends_with_the_process_that_started_it_and_not_by_ctrl_c(shop, tmp_path):
    code = "from strobe.sweep.worker_process import main; main()"
    command, env = local_workers.python_command(code), local_workers.python_environment()
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(json.dumps(shop.words()) + "\n")
        worker.stdin.flush()
        assert json.loads(worker.stdout.readline()) == {"ready": True}
        worker.send_signal(signal.SIGINT)
        worker.stdin.write("0\n")
        worker.stdin.flush()
        # shop has no version
        assert "a worker has strobe" in json.loads(worker.stdout.readline())["refused"]
        worker.stdin.close()
        assert worker.wait(timeout=60) == 0
