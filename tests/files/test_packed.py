"""gzip and Parquet from outside: unpacked up to a bound, whatever they claim."""

from __future__ import annotations

import gzip
import random
from contextlib import suppress
from pathlib import Path

import pytest

from strobe.errors import ModelFileError, StrobeError
from strobe.files import packed
from strobe.files.packed import gunzipped
from strobe.files.parquet import read_columns
from strobe.files.tables import separated_rows


def test_gzip_is_unpacked_with_all_its_members_and_other_bytes_are_left_alone() -> None:
    assert gunzipped("x", gzip.compress(b"abc") + gzip.compress(b"def"), 100) == b"abcdef"
    assert gunzipped("x", b"t,q1\n", 100) == b"t,q1\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (gzip.compress(bytes(10**6))[:-9], "cut off: its gzip data have no end."),
        (b"\x1f\x8b" + bytes(40), "damaged: its gzip data cannot be unpacked."),
        (gzip.compress(b"abc")[:-6] + b"\1" * 6, "damaged: its gzip data cannot be unpacked."),
        (gzip.compress(bytes(10**6)), "unpacks to more than 1,000 bytes."),
    ],
    ids=["cut off", "no data", "another checksum", "too large"],  # gzip writes the time of day
)
def test_a_hostile_gzip_file_is_refused(content: bytes, sentence: str) -> None:
    most = 1000 if "1,000" in sentence else 10**9
    with pytest.raises(ModelFileError, match=sentence):
        gunzipped("log.csv.gz", content, most)


def test_a_small_file_does_not_become_a_large_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "HARMLESS", 10_000)
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"0,0\n" * 10**6))
    with pytest.raises(ModelFileError, match="Unpack it first, with gunzip."):
        separated_rows(tmp_path / "bomb.csv.gz")


def test_a_hostile_parquet_file_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "log.parquet"
    for content, sentence in (
        (b"PAR1", "a damaged Parquet file"),
        (b"q1,q2\n", "not a Parquet file"),
        (b"PAR1" + bytes(100) + b"PAR1", "a damaged Parquet file"),
    ):
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=sentence):
            read_columns(path)
    pq.write_table(pa.table({"q1": [0.0] * 100_000}), path)
    whole = path.read_bytes()
    assert len(read_columns(path)["q1"]) == 100_000
    monkeypatch.setattr("strobe.files.parquet.MOST_CELLS", 1000)
    with pytest.raises(ModelFileError, match="more than 1,000 cells"):
        read_columns(path)
    monkeypatch.setattr("strobe.files.parquet.MOST_CELLS", 10**6)
    monkeypatch.setattr(packed, "HARMLESS", 0)
    monkeypatch.setattr(packed, "PACKED", 0)
    with pytest.raises(ModelFileError, match="that is not read"):
        read_columns(path)
    monkeypatch.undo()
    rng = random.Random(1)
    for _ in range(60):
        content = bytearray(whole)
        for _ in range(3):
            content[rng.randrange(4, len(content) - 4)] = rng.randrange(256)
        path.write_bytes(content)
        with suppress(StrobeError):  # any other error fails the test
            read_columns(path)
