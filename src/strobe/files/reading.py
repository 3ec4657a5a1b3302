"""The one way to open a file from outside: a regular file, no larger than its kind may be, as text where it is one.

A path may lead to a pipe that nobody writes to, to a device without end, to a folder, to a terabyte of zeros or to
bytes in no encoding. It is looked at, opened without waiting, looked at again through its descriptor, and read up to
a bound.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from strobe.errors import ArgumentError, Fault, ModelFileError, excerpt, shown

Place = str | PathLike[str]

# bytes, by the kind of a file
LARGEST = 32 * 2**20  # XML; the largest robot files known have one MiB
LARGEST_TOML = 8 * 2**20  # models, requests, sweeps; the parser takes seconds for so many
LARGEST_JSON = 32 * 2**20  # requests and poses
LARGEST_TABLE = 2**30  # logs and motions; a million instants of seven joints are half of it
LARGEST_ARRAYS = 16 * 2**30  # NPZ, of which no more is read than is asked for
PIECE = 2**20  # read at a time

MOST_PARTS = 200  # of a key in TOML, between dots
BESIDE_KEYS = re.compile(r"[^\w.\"' \t-]+")
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks
KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe is opened without waiting for somebody to write to it
BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)


# -- bytes ------------------------------------------------------------------------------------------------------


@contextmanager
def opened(path: Place, most: int | None = None) -> Iterator[BinaryIO]:
    """A regular file of at most so many bytes, open for reading; or a `ModelFileError` that says why not."""
    most = LARGEST if most is None else most
    require_name(path)
    try:
        _require_regular(path, os.stat(path), most)  # opening alone is a command to some devices
        descriptor = os.open(path, os.O_RDONLY | AT_ONCE | BINARY)
    except OSError as error:
        raise file_fault(path, _refusal(error)) from None
    try:
        _require_regular(path, os.fstat(descriptor), most)  # it may have been exchanged in between
    except BaseException:
        os.close(descriptor)
        raise
    with open(descriptor, "rb") as stream:
        yield stream


def read_bytes(path: Place, most: int | None = None) -> bytes:
    """The content of a regular file that is not too large."""
    with opened(path, most) as stream:
        try:
            content = _up_to(stream, (LARGEST if most is None else most) + 1)
        except OSError as error:
            raise file_fault(path, _refusal(error)) from None
    require_size(path, content, most)
    return content


def _up_to(stream: BinaryIO, most: int) -> bytes:
    """So many bytes at most, piece by piece: asked for all at once, room is made for all of them."""
    pieces: list[bytes] = []
    while most > 0 and (piece := stream.read(min(PIECE, most))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def path_text(path: Any) -> str:
    """A path as text, or a sentence where something else was given."""
    try:
        name: Any = os.fspath(path)
    except Exception:  # a foreign __fspath__ may raise anything
        name = None
    if not isinstance(name, str):
        raise ArgumentError(f"{shown(path)} is no path; expected the name of a file or of a folder.")
    return name


def suffix_of(path: Any) -> str:
    """What the name of a file ends with, such as .csv."""
    return Path(path_text(path)).suffix.lower()


def require_name(path: Place) -> None:
    """Refuse what is no name of a file, or one that no text can repeat."""
    name = path_text(path)
    if "\0" in name:
        raise file_fault(path, "a name with a NUL in it is no name of a file.")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise file_fault(path, "the name of this file is not UTF-8; rename it.") from None


def require_size(path: Place, content: bytes, most: int | None = None) -> None:
    """Refuse what is too large for a file of its kind."""
    most = LARGEST if most is None else most
    if len(content) > most:
        raise _too_large(path, most)


def _too_large(path: Place, most: int) -> ModelFileError:
    return file_fault(path, f"more than {most} bytes, the most that are read of a file of this kind.")


def _require_regular(path: Place, status: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        what = next((words for test, words in KINDS if test(status.st_mode)), "something else")
        cure = "" if stat.S_ISDIR(status.st_mode) else "; save its content to one"
        raise file_fault(path, f"{what}, expected a regular file{cure}.")
    if status.st_size > most:
        raise _too_large(path, most)


def _refusal(error: OSError) -> str:
    """What the system says to an attempt to open or read, as a sentence."""
    return f"cannot be read: {error.strerror or error}."


# -- text -------------------------------------------------------------------------------------------------------


def read_text(path: Place, most: int | None = None) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    content = read_bytes(path, most)
    require_utf8(path, content)
    return content.decode("utf-8-sig")


def text_in(path: Place, content: str | bytes, most: int | None = None) -> str:
    """A content that somebody has read already, as text that is not too large."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    require_size(path, data, most)
    if isinstance(content, str):
        return content
    require_utf8(path, content)
    return content.decode("utf-8-sig")


def require_utf8(path: Place, content: bytes, otherwise: str = "") -> None:
    """Refuse bytes that are not UTF-8, naming the line of the first and what else could be done."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = f"byte 0x{content[error.start]:02x} is not UTF-8; save the file as UTF-8{otherwise}."
        raise file_fault(path, wrong, line) from None


def decoded_head(content: bytes) -> str:
    """The beginning of a text, cut anywhere; bytes that are no text become a sign for that."""
    return content.decode("utf-16" if content.startswith(UTF16) else "utf-8-sig", "replace")


# -- data -------------------------------------------------------------------------------------------------------


def read_toml_data(path: Place) -> dict[str, Any]:
    """The data of a TOML file."""
    text = read_text(path, LARGEST_TOML)
    try:
        return parsed_toml(text)
    except (ValueError, RecursionError) as error:
        raise file_fault(path, f"not valid TOML: {_said(error)}.") from None


def read_json_data(path: Place, most: int = LARGEST_JSON) -> Any:
    """The data of a JSON file."""
    text = read_text(path, most)
    try:
        return parsed_json(text)
    except (ValueError, RecursionError) as error:
        raise file_fault(path, f"not valid JSON: {_said(error)}.") from None


def parsed_toml(text: str) -> dict[str, Any]:
    """The data of a TOML text, or a ValueError; keys of very many parts, over which the parser sits, are one too."""
    if any(run.count(".") > MOST_PARTS for run in BESIDE_KEYS.split(text)):
        raise tomllib.TOMLDecodeError(f"a key with more than {MOST_PARTS} parts")
    return tomllib.loads(text)


def parsed_json(text: str | bytes) -> Any:
    """The data of a JSON text, or a ValueError; a key that is said twice is one too."""
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = set[str]()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise ValueError(f'the key "{excerpt(twice)}" is there twice')
    return found


def _said(error: Exception) -> str:
    """What a parser says, without its own full stop and without advice for Python."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return (
        "an integer has too many digits" if "int_max_str_digits" in str(error) else str(error).rstrip(".")
    )


def file_fault(path: Place, text: str, line: int | None = None) -> ModelFileError:
    """The error for a file that has one fault."""
    return ModelFileError([Fault(f"{os.fspath(path)}:{line}" if line else os.fspath(path), text)])


def exists(path: Place) -> bool:
    """Whether something is there; of what is no name of a file, nothing is."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False
