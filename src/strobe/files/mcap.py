"""Joint states in MCAP files, as ROS 2 records them (CDR) and as ``strobe simulate`` writes them (JSON).

An MCAP file is a magic, records of an opcode (1 byte), a length (8 bytes) and content, and the magic again.
Schemas and channels say what the messages are; messages lie in the file or in chunks, packed or not. Indices are not
looked at: the file is read from its beginning to its end, each length compared with the bytes that are there.

CDR is data as a C struct would hold it: numbers aligned to their own size from behind a header of four bytes, texts
and sequences behind their length. ``sensor_msgs/msg/JointState`` is a stamp (seconds, nanoseconds), a frame, names,
and as many positions, velocities and efforts, each of which may be empty. Nothing is executed, and no schema but
this one is understood.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from strobe.files.packed import expanded
from strobe.files.reading import LARGEST_TABLE, Place, file_fault, parsed_json, read_bytes

MAGIC = b"\x89MCAP0\r\n"
FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK = 2, 3, 4, 5, 6
DATA_END = 15
LARGEST_CHUNK = 256 * 2**20  # bytes, unpacked
LARGEST_UNPACKED = 4 * LARGEST_TABLE
MOST_MESSAGES = 10_000_000
MOST_JOINTS = 10_000
JOINT_STATES = ("sensor_msgs/msg/JointState", "sensor_msgs/JointState", "JointState")
QUANTITIES = ("position", "velocity", "effort")


@dataclass(frozen=True, slots=True)
class JointState:
    """One message: when, of which joints, and up to three numbers of each."""

    topic: str
    nanoseconds: int
    names: tuple[str, ...]
    rate_names: tuple[str, ...]  # of velocities and efforts
    values: tuple[tuple[float, ...], ...]  # positions, velocities, efforts


class _Damaged(ValueError):
    """What is wrong with the bytes."""


def read_joint_states(path: Place) -> list[JointState]:
    """Every joint state of a file in the order of the file, or a `ModelFileError` that says why there is none."""
    content = read_bytes(path, LARGEST_TABLE)
    if not content.startswith(MAGIC):
        raise file_fault(path, "not an MCAP file: it does not begin as one.")
    try:
        reader = _Reader()
        found = list(reader.states(content))
    except (ValueError, struct.error, UnicodeDecodeError) as error:
        why = str(error) if isinstance(error, _Damaged) else "its bytes do not fit together"
        raise file_fault(path, f"a damaged MCAP file: {why}.") from None
    if not found:
        raise file_fault(path, reader.lack())
    return found


# -- records ----------------------------------------------------------------------------------------------------


class _Reader:
    """What schemas and channels have said so far."""

    def __init__(self) -> None:
        self.schemas = dict[int, str]()
        self.channels = dict[int, tuple[str, str, str]]()  # topic, encoding, schema
        self.messages = self.unpacked = 0

    def states(self, content: bytes) -> Iterator[JointState]:
        ended = False
        for opcode, body in _records(content, len(MAGIC)):
            if opcode == CHUNK:
                for inner, part in _records(self._chunk(body), 0):
                    yield from self._record(inner, part)
            elif opcode in (DATA_END, FOOTER):
                ended = True
                break
            else:
                yield from self._record(opcode, body)
        if not ended:
            raise _Damaged("it is cut off before the end of its data")

    def _record(self, opcode: int, body: bytes) -> Iterator[JointState]:
        if opcode == SCHEMA:
            self.schemas[_unsigned(body, 0, 2)] = _text(body, 2)[0]
        elif opcode == CHANNEL:
            number, schema = _unsigned(body, 0, 2), _unsigned(body, 2, 2)
            topic, place = _text(body, 4)
            encoding, _ = _text(body, place)
            self.channels[number] = topic, encoding, self.schemas.get(schema, "")
        elif opcode == MESSAGE:
            self.messages += 1
            if self.messages > MOST_MESSAGES:
                raise _Damaged(f"more than {MOST_MESSAGES:,} messages, the most that are read")
            yield from self._message(body)

    def _message(self, body: bytes) -> Iterator[JointState]:
        number = _unsigned(body, 0, 2)
        if number not in self.channels:
            raise _Damaged(f"a message on channel {number}, which is not declared")
        topic, encoding, schema = self.channels[number]
        if schema not in JOINT_STATES or encoding not in DECODERS:
            return
        logged = _unsigned(body, 6, 8)
        stamp, names, rates, values = DECODERS[encoding](body[22:])
        if any(len(each) not in (0, len(names if k == 0 else rates)) for k, each in enumerate(values)):
            raise _Damaged(f"a message of {topic} has other than one number for each of its names")
        yield JointState(topic, stamp or logged, names, rates, values)

    def _chunk(self, body: bytes) -> bytes:
        """The records of a chunk, compared with the checksum that stands beside them."""
        size, checksum = _unsigned(body, 16, 8), _unsigned(body, 24, 4)
        kind, place = _text(body, 28)
        packed = body[place + 8 : place + 8 + _unsigned(body, place, 8)]
        self.unpacked += size
        if size > LARGEST_CHUNK or self.unpacked > LARGEST_UNPACKED:
            raise _Damaged(f"a chunk of {size:,} bytes, more than are read")
        try:
            records = expanded(kind, packed, size)
        except ImportError:  # a package is missing, which is another sentence
            raise
        except Exception:  # whatever decompressors say
            raise _Damaged(f'a chunk packed as "{kind}" cannot be unpacked') from None
        if checksum and zlib.crc32(records) != checksum:
            raise _Damaged("a chunk has another checksum than it says")
        return records

    def lack(self) -> str:
        """Why a file holds no joint states, and what it holds instead."""
        states = [topic for topic, _, schema in self.channels.values() if schema in JOINT_STATES]
        if states and self.messages:
            return f'the joint states on "{states[0]}" are in none of the encodings {", ".join(DECODERS)}.'
        kinds = sorted({schema or "?" for _, _, schema in self.channels.values()})
        shown = ", ".join(f'"{kind}"' for kind in kinds[:8])
        return f"no messages of type sensor_msgs/msg/JointState in it{f', only {shown}' if shown else ''}."


def _records(content: bytes, place: int) -> Iterator[tuple[int, bytes]]:
    while place < len(content):
        if place + 9 > len(content):
            raise _Damaged("it ends within a record")
        opcode, length = content[place], int.from_bytes(content[place + 1 : place + 9], "little")
        place += 9
        if length > len(content) - place:
            raise _Damaged("a record is longer than the file")
        yield opcode, content[place : place + length]
        place += length


def _unsigned(body: bytes, place: int, size: int) -> int:
    if place + size > len(body):
        raise _Damaged("a record is too short")
    return int.from_bytes(body[place : place + size], "little")


def _text(body: bytes, place: int) -> tuple[str, int]:
    size = _unsigned(body, place, 4)
    if place + 4 + size > len(body):
        raise _Damaged("a text is longer than its record")
    return body[place + 4 : place + 4 + size].decode("utf-8"), place + 4 + size


# -- messages ---------------------------------------------------------------------------------------------------

Decoded = tuple[int, tuple[str, ...], tuple[str, ...], tuple[tuple[float, ...], ...]]


class _Cdr:
    """A message in CDR, read from front to back."""

    def __init__(self, data: bytes) -> None:
        if data[:2] not in (b"\x00\x00", b"\x00\x01"):
            raise _Damaged("a message is in no plain CDR")
        self.order = "<" if data[1] else ">"
        self.data, self.place = data[4:], 0

    def number(self, letter: str, size: int) -> Any:
        self.place += -self.place % size
        (found,) = struct.unpack_from(self.order + letter, self.data, self.place)
        self.place += size
        return found

    def text(self) -> str:
        size = self.number("I", 4)
        self._require(size)
        raw = self.data[self.place : self.place + size]
        self.place += size
        return raw.removesuffix(b"\0").decode("utf-8")

    def doubles(self) -> tuple[float, ...]:
        count = self.number("I", 4)
        if not count:
            return ()
        self.place += -self.place % 8
        self._require(8 * count)
        found = struct.unpack_from(f"{self.order}{count}d", self.data, self.place)
        self.place += 8 * count
        return found

    def _require(self, size: int) -> None:
        if size > len(self.data) - self.place:
            raise _Damaged("a message is shorter than it says")


def _from_cdr(data: bytes) -> Decoded:
    cdr = _Cdr(data)
    stamp = cdr.number("i", 4) * 10**9 + cdr.number("I", 4)
    cdr.text()  # the frame
    count = cdr.number("I", 4)
    if count > MOST_JOINTS:
        raise _Damaged(f"a message of {count:,} joints")
    names = tuple(cdr.text() for _ in range(count))
    values = tuple(cdr.doubles() for _ in QUANTITIES)
    if len(cdr.data) - cdr.place > 3:  # what is left fills the last word
        raise _Damaged("a message is longer than a joint state")
    return stamp, names, names, values


def _from_json(data: bytes) -> Decoded:
    try:
        found = parsed_json(data)
        names = tuple(found["name"])
        rates = tuple(found.get("rate_name", names))
        values = tuple(tuple(map(_float, found.get(key) or ())) for key in QUANTITIES)
        stamp = _stamp(found)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _Damaged("a message is no joint state in JSON") from None
    if not all(isinstance(name, str) for name in (*names, *rates)) or len(names) > MOST_JOINTS:
        raise _Damaged("a message is no joint state in JSON")
    return stamp, names, rates, values


def _stamp(message: Mapping[str, Any]) -> int:
    """Nanoseconds of a message, in any of the spellings of ROS and Foxglove."""
    found = message.get("timestamp") or message.get("header", {}).get("stamp") or {}
    parts = [found.get(long, found.get(short, 0)) for long, short in (("sec", "secs"), ("nsec", "nanosec"))]
    if not all(isinstance(part, int) and abs(part) < 2**63 for part in parts):
        raise ValueError(parts)
    return parts[0] * 10**9 + parts[1]


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(value)
    return float(value)


DECODERS = {"cdr": _from_cdr, "json": _from_json}
