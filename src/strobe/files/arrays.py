"""NPZ files read without trusting them: plain arrays only, each as large as the bytes that stand there.

NumPy allots what a header claims before it looks for the numbers, and unpacks whatever a file holds. Here the claim
is compared with the bytes first, and a file that unpacks to far more than its own size is refused.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping, Sequence
from os import fspath

import numpy as np

from strobe.errors import ArgumentError
from strobe.files.reading import LARGEST_ARRAYS, Place, opened

HARMLESS = 64 * 2**20  # bytes: a file may unpack to so many whatever its size
PACKED = 100  # how many times its size a larger file may unpack to
MOST_ARRAYS = 10_000
HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}

Array = np.ndarray


def read_arrays(path: Place) -> dict[str, Array]:
    """The arrays of an NPZ file by name, or an `ArgumentError` that says why there are none."""
    with opened(path, LARGEST_ARRAYS) as stream:
        try:
            with zipfile.ZipFile(stream) as packed:
                entries = packed.infolist()
                _require_bounded(path, entries, stream.seek(0, io.SEEK_END))
                return {each.filename.removesuffix(".npy"): _array(packed.read(each)) for each in entries}
        except ArgumentError:
            raise
        # whatever zipfile, the decompressors and NumPy say to bytes that are no such file
        except Exception:
            raise ArgumentError(f"{fspath(path)}: not an NPZ file of plain arrays.") from None


def _require_bounded(path: Place, entries: Sequence[zipfile.ZipInfo], size: int) -> None:
    """Refuse very many arrays, two of one name, and those that unpack to far more than the file has bytes."""
    if len(entries) > MOST_ARRAYS:
        raise ArgumentError(
            f"{fspath(path)}: {len(entries):,} arrays; expected at most {MOST_ARRAYS:,} in a file."
        )
    if len({each.filename.removesuffix(".npy") for each in entries}) < len(entries):
        raise ArgumentError(f"{fspath(path)}: two of its arrays have one name. Write the file again.")
    unpacked = sum(each.file_size for each in entries)
    if unpacked > min(max(HARMLESS, PACKED * size), LARGEST_ARRAYS):
        raise ArgumentError(
            f"{fspath(path)}: {size:,} bytes that unpack to {unpacked:,}; more than {PACKED} times its size, or "
            f"{LARGEST_ARRAYS:,} bytes, is not read. Save the arrays without compression."
        )


def _array(content: bytes) -> Array:
    """One array from the bytes of its file; raises ValueError where they do not fit its header."""
    stream = io.BytesIO(content)
    shape, by_columns, dtype = HEADERS[np.lib.format.read_magic(stream)](stream)
    numbers = content[stream.tell() :]
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(numbers):
        raise ValueError(shape)
    if not numbers:  # none, or texts without letters
        return np.zeros(shape, dtype)
    return np.frombuffer(numbers, dtype).reshape(shape, order="F" if by_columns else "C").copy()


def misfit(arrays: Mapping[str, Array], shapes: Mapping[str, str], **sizes: int) -> str:
    """What is wrong with arrays that a file ought to hold, as a sentence without its point; nothing if all fit.

    A shape is a list of axes, ``... T nq 3``: a number is a length, a name has the same length everywhere (that of
    ``sizes``, or of the first array), and the dots stand for the same axes everywhere. Arrays hold real numbers;
    where a shape begins with ``text``, letters.
    """
    known = {name: (size,) for name, size in sizes.items()}
    for name, shape in shapes.items():
        if name not in arrays:
            return f'there is no array "{name}"'
        found, axes = arrays[name], shape.split()
        expected = "U" if axes[:1] == ["text"] else "fiub"
        if found.dtype.kind not in expected:
            return f'"{name}" holds {found.dtype}, expected {"text" if expected == "U" else "real numbers"}'
        axes = [axis for axis in axes if axis != "text"]
        if not _agrees(found.shape, axes, known):
            sized = ", ".join("…" if axis == "..." else str(*known.get(axis, (axis,))) for axis in axes)
            return f'"{name}" has shape {found.shape}, expected ({sized})'
    return ""


def _agrees(shape: tuple[int, ...], axes: list[str], known: dict[str, tuple[int, ...]]) -> bool:
    """Whether a shape is one of these axes; what it says of those is known from then on."""
    own = [axis for axis in axes if axis != "..."]
    free = len(shape) - len(own)
    if free < 0 or (free and len(own) == len(axes)):
        return False
    parts = zip(own, ((size,) for size in shape[free:]), strict=True)
    found = [*([("...", shape[:free])] if len(own) < len(axes) else []), *parts]
    known |= {axis: (int(axis),) for axis in own if axis.isdigit()}
    return all(known.setdefault(axis, size) == size for axis, size in found)
