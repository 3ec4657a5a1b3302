"""MCAP files that nobody vouches for: cut off, lying about sizes, damaged; each refused in a sentence, at once."""

from __future__ import annotations

import io
import random
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import pytest

from strobe.errors import ModelFileError, StrobeError
from strobe.files import mcap
from strobe.files.mcap import MAGIC, read_joint_states

SCHEMA, CHANNEL, MESSAGE, CHUNK, DATA_END = 3, 4, 5, 6, 15


def text(value: str) -> bytes:
    return struct.pack("<I", len(value)) + value.encode()


def record(opcode: int, body: bytes, length: int | None = None) -> bytes:
    return struct.pack("<BQ", opcode, len(body) if length is None else length) + body


def schema(name: str = "sensor_msgs/msg/JointState") -> bytes:
    return record(SCHEMA, struct.pack("<H", 1) + text(name) + text("ros2msg") + text(""))


def channel(encoding: str = "cdr") -> bytes:
    return record(CHANNEL, struct.pack("<HH", 1, 1) + text("/joint_states") + text(encoding) + text(""))


def message(data: bytes, number: int = 1) -> bytes:
    return record(MESSAGE, struct.pack("<HIQQ", number, 0, 5, 5) + data)


def cdr(names: tuple[str, ...], *values: tuple[float, ...], order: str = "<") -> bytes:
    """A joint state by the rules of CDR, written apart from the reader."""
    out = struct.pack(order + "iI", 3, 250_000_000) + struct.pack(order + "I", 5) + b"base\0"

    def aligned(size: int) -> bytes:
        return b"\0" * (-len(out) % size)

    out += aligned(4) + struct.pack(order + "I", len(names))
    for name in names:
        out += aligned(4) + struct.pack(order + "I", len(name) + 1) + name.encode() + b"\0"
    for numbers in values:
        out += aligned(4) + struct.pack(order + "I", len(numbers))
        if numbers:
            out += aligned(8) + struct.pack(f"{order}{len(numbers)}d", *numbers)
    return bytes([0, order == "<", 0, 0]) + out


def chunk(records: bytes, size: int | None = None, checksum: int | None = None, kind: str = "") -> bytes:
    size = len(records) if size is None else size
    checksum = zlib.crc32(records) if checksum is None else checksum
    head = struct.pack("<QQQI", 0, 9, size, checksum) + text(kind) + struct.pack("<Q", len(records))
    return record(CHUNK, head + records)


STATE = cdr(("a", "bcd"), (0.1, 0.2), (), (1.0, 2.0))
END = record(DATA_END, bytes(4))
SMALL = MAGIC + schema() + channel() + message(STATE) + END


def refusal(tmp_path: Path, content: bytes) -> str:
    (tmp_path / "bag.mcap").write_bytes(content)
    with pytest.raises(ModelFileError) as refused:
        read_joint_states(tmp_path / "bag.mcap")
    return str(refused.value)


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_message_in_either_order_of_bytes_is_what_was_written(tmp_path: Path, order: str) -> None:
    state = cdr(("a", "bcd"), (0.1, 0.2), (), (1.0, 2.0), order=order)
    (tmp_path / "bag.mcap").write_bytes(MAGIC + schema() + channel() + chunk(message(state)) + END)
    (found,) = read_joint_states(tmp_path / "bag.mcap")
    assert (found.topic, found.names, found.nanoseconds) == ("/joint_states", ("a", "bcd"), 3_250_000_000)
    assert found.values == ((0.1, 0.2), (), (1.0, 2.0))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "not an MCAP file"),
        (b"PK\x03\x04" + bytes(50), "not an MCAP file"),
        (MAGIC, "cut off before the end of its data"),
        (SMALL[: -len(END)], "cut off before the end of its data"),
        (MAGIC + record(SCHEMA, b"", length=2**63), "a record is longer than the file"),
        (MAGIC + b"\x03\x00", "it ends within a record"),
        (MAGIC + schema() + channel() + message(STATE, 7) + END, "a message on channel 7, which is not declared"),
        (MAGIC + schema() + channel() + message(STATE[:12]) + END, "its bytes do not fit together"),
        (MAGIC + schema() + channel() + message(STATE[:-4]) + END, "a message is shorter than it says"),
        (MAGIC + schema() + channel() + message(STATE + bytes(64)) + END, "longer than a joint state"),
        (MAGIC + schema() + channel() + message(b"\0\x07" + STATE[2:]) + END, "a message is in no plain CDR"),
        (MAGIC + schema() + channel() + message(cdr(("a",), (1.0, 2.0), (), ())) + END, "other than one number"),
        (MAGIC + schema() + channel() + message(b"\0\1\0\0" + b"\xff" * 40) + END, "a damaged MCAP file"),
        (MAGIC + chunk(SMALL[8:], size=2**40) + END, "a chunk of 1,099,511,627,776 bytes, more than are read"),
        (MAGIC + chunk(SMALL[8:], size=7) + END, "cannot be unpacked"),
        (MAGIC + chunk(SMALL[8:], checksum=1) + END, "a chunk has another checksum than it says"),
        (MAGIC + chunk(b"abc", size=9, kind="zstd") + END, 'a chunk packed as "zstd" cannot be unpacked'),
        (MAGIC + chunk(b"abc", size=9, kind="rar") + END, 'a chunk packed as "rar" cannot be unpacked'),
        (MAGIC + schema("std_msgs/msg/Bool") + channel() + message(b"\0\1\0\0\1") + END, 'only "std_msgs/msg/Bool"'),
        (MAGIC + schema() + channel("ros1") + message(STATE) + END, "are in none of the encodings cdr, json"),
        (MAGIC + schema() + channel("json") + message(b'{"name": 3}') + END, "is no joint state in JSON"),
        (MAGIC + schema() + channel("json") + message(b"[" * 100_000) + END, "is no joint state in JSON"),
    ],
)  # fmt: skip
def test_a_hostile_file_is_refused_in_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    assert sentence in refusal(tmp_path, content)


@pytest.mark.parametrize("kind", ["lz4", "zstd"])
def test_a_chunk_that_unpacks_to_more_than_it_says_is_not_unpacked(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("lz4", reason="lz4 is not installed")
    pytest.importorskip("zstandard", reason="zstandard is not installed")
    import lz4.frame
    import zstandard

    zeros = bytes(8 * 2**20)
    packed = {"lz4": lz4.frame.compress, "zstd": zstandard.ZstdCompressor().compress}[kind](zeros)
    assert "cannot be unpacked" in refusal(tmp_path, MAGIC + chunk(packed, size=1000, kind=kind) + END)


def test_many_chunks_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcap, "LARGEST_UNPACKED", 3 * len(SMALL))
    assert "more than are read" in refusal(tmp_path, MAGIC + 9 * chunk(SMALL[8 : -len(END)]) + END)


def test_whatever_byte_is_changed_the_file_is_read_or_refused(tmp_path: Path) -> None:
    stream = io.BytesIO(MAGIC + chunk(schema() + channel() + 3 * message(STATE)) + END)
    rng = random.Random(4)
    path = tmp_path / "bag.mcap"
    read = 0
    for _ in range(100):
        content = bytearray(stream.getvalue())
        for _ in range(rng.randint(1, 3)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(content[: rng.randint(1, len(content))] if rng.random() < 0.3 else content)
        with suppress(StrobeError):  # any other error fails the test
            read_joint_states(path)
            read += 1
    assert 0 < read < 100
