"""Packed bytes, unpacked up to a bound: what a small file claims or hides never decides how much memory is taken.

A bound is a number of bytes, whatever the header of the file says. gzip is Python's own; LZ4 and Zstandard, in which
MCAP files pack their chunks, come with the extra "mcap".
"""

from __future__ import annotations

import gzip
import io
import zlib
from typing import Any

from strobe.errors import MissingExtraError
from strobe.files.reading import Place, file_fault

HARMLESS = 64 * 2**20  # bytes: a file may unpack to so many whatever its size
PACKED = 100  # how many times its size a larger file may unpack to
GZIP = b"\x1f\x8b"


def most_unpacked(size: int, most: int) -> int:
    """How many bytes a file of so many may become, at most ``most``."""
    return min(max(HARMLESS, PACKED * size), most)


def gunzipped(path: Place, content: bytes, most: int) -> bytes:
    """The bytes of a gzip file; those of any other as they are."""
    if not content.startswith(GZIP):
        return content
    bound = most_unpacked(len(content), most)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            found = packed.read(bound + 1)
    except EOFError:
        raise file_fault(path, "cut off: its gzip data have no end.") from None
    except (OSError, zlib.error):
        raise file_fault(path, "damaged: its gzip data cannot be unpacked.") from None
    if len(found) > bound:
        raise file_fault(path, f"unpacks to more than {bound:,} bytes. Unpack it first, with gunzip.")
    return found


def expanded(kind: str, content: bytes, size: int) -> bytes:
    """A chunk packed as LZ4 or Zstandard, which unpacks to exactly so many bytes; else a ValueError."""
    if kind == "":
        found = content
    elif kind == "lz4":
        found = _lz4().LZ4FrameDecompressor().decompress(content, max_length=size + 1)
    elif kind == "zstd":
        with _zstandard().ZstdDecompressor().stream_reader(content) as stream:
            found = stream.read(size + 1)
    else:
        raise ValueError(f'packed as "{kind}"')
    if len(found) != size:
        raise ValueError(f"{len(found)} bytes of {size}")
    return found


def _lz4() -> Any:
    try:
        import lz4.frame
    except ImportError:
        raise MissingExtraError("a file with LZ4 chunks", "lz4", "mcap") from None
    return lz4.frame


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("a file with Zstandard chunks", "zstandard", "mcap") from None
    return zstandard
