"""Logs part by part: the parts are the whole, whatever file they come from, and say the same of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ModelFileError
from strobe.identify import identify, read_log, stream_log

ARM = strobe.load("planar2")


@pytest.fixture(scope="module")
def recorded(lab: Any) -> Any:
    return lab.recorded(ARM, 3, noise=0.05, seconds=60.0, rate=100.0)


def _csv(path: Path, log: Any) -> None:
    head = ",".join(["t", *(f"q{k}" for k in (1, 2)), *(f"tau{k}" for k in (1, 2))])
    np.savetxt(path, np.column_stack([log.times, log.q, log.tau]), delimiter=",", header=head, comments="")


def _npz(path: Path, log: Any) -> None:
    np.savez_compressed(path, t=log.times, q=np.ascontiguousarray(log.q), tau=np.ascontiguousarray(log.tau))


def _parquet(path: Path, log: Any) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    names = ["t", "q1", "q2", "tau1", "tau2"]
    parquet.write_table(
        arrow.table(dict(zip(names, np.column_stack([log.times, log.q, log.tau]).T, strict=True))), path
    )


@pytest.mark.parametrize(("kind", "write"), [(".csv", _csv), (".npz", _npz), (".parquet", _parquet)])
def test_the_parts_are_the_whole_and_the_robot_is_the_same(
    tmp_path: Path, recorded: Any, kind: str, write: Any
):
    path = tmp_path / f"log{kind}"
    write(path, recorded)
    stream, whole = stream_log(path, ARM, rows=2500), read_log(path, ARM, broken=True, differentiate=False)
    parts = list(stream)
    assert [len(part) for part in parts] == [2500, 2500, 1000]
    assert np.allclose(np.concatenate([part.times for part in parts]), recorded.times)
    assert np.allclose(np.concatenate([part.q for part in parts]), recorded.q)
    assert np.allclose(whole.tau, recorded.tau)
    one, other = (identify(ARM, log, friction=["viscous"], delay=0) for log in (stream, whole))
    assert one.logs[0].rows == other.logs[0].rows == 6000
    assert np.abs(one.values - other.values).max() < 5 * other.deviations.max()


def test_what_cannot_be_streamed_is_refused(tmp_path: Path):
    with pytest.raises(ArgumentError, match=r"logs are streamed from \.parquet, \.csv and \.npz files\.$"):
        stream_log(tmp_path / "bag.mcap", ARM)
    with pytest.raises(ModelFileError, match=r"there is no such file\.$"):
        stream_log(tmp_path / "none.csv", ARM)


@pytest.mark.parametrize(
    ("name", "said"),
    [("log.npz", "it is damaged"), ("log.csv.gz", "it is damaged"), ("log.csv", "it is no text in UTF-8")],
)
def test_a_damaged_file_is_a_sentence(tmp_path: Path, name: str, said: str):
    (tmp_path / name).write_bytes(b"\xff\xfe\x00 no such file" * 20)
    with pytest.raises(ModelFileError, match=said):
        list(stream_log(tmp_path / name, ARM))
