"""Inputs made worse: bytes turned over, texts cut and spliced, elements, tables and arrays in the wrong place.

Every function takes a random generator and an input and gives another input; none of them knows who will read it.
`mutated` draws a few for a grammar, one after the other, so that an input is its grammar, its seeds and a number.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np

Mutation = Callable[[Random, bytes, Sequence[bytes]], bytes]

LONGEST = 64 * 1024  # bytes of an input: the limits on size have tests of their own

NUMBERS = (
    "nan", "inf", "-inf", "1e308", "-1e308", "1e309", "1e-320", "-0", "0", "", "1e", "0x10", "1_000", "1,5", "+-1",
    "--1", "9" * 400, "1e999999999", "-1e-999", "٣", "1²", "true", "null", "pi", "pi/0", "2*pi", "1e16",
    "1.7976931348623157e308", "4.9e-324", "18446744073709551616", "-9223372036854775809", "1 2 3", "1 2 3 4 5 6 7",
    "0.1 0.2", "(" * 60 + "1" + ")" * 60, "-" * 200 + "1", "1e150", "1e-150", "3.141592", "1.5708",
)  # fmt: skip
WORDS = (
    "", " ", "base", "world", "link1", "joint1", "q1", "fixed", "revolute", "continuous", "floating", "planar",
    "spherical", "a" * 5000, "é", "名前", "\u202e", "\x7f", "../../etc/passwd", "<b>", "&amp;", "&lt;", "&x;", "%s%n",
    "{0}", "${1/0}", "$(find x)", "\\", "'", '"', "]]>", "-->", "__class__", "None", "free", "hold", "limits", "*",
    "?", "a/b", "a.b", "a=b",
)  # fmt: skip
BYTES = (
    b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\n", b"\r", b"\t", b"\xc3", b"\xed\xa0\x80", b"<", b">", b"[",
    b"=",
)  # fmt: skip
NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
WORD = re.compile(rb"[A-Za-z_][\w-]*")


def mutated(rng: Random, grammar: str, seeds: Sequence[bytes]) -> bytes:
    """One seed with one to a dozen mutations of its grammar, most often with few."""
    data = rng.choice(seeds)
    mutations = GRAMMARS[grammar]
    for _ in range(min(12, 1 + int(rng.expovariate(0.7)))):
        data = rng.choice(mutations)(rng, data, seeds)[:LONGEST]
    return data


def text_of(data: bytes) -> str:
    """Bytes as the text that a Python user could have in hand, lone surrogates included."""
    return data.decode("utf-8", "surrogateescape")


# -- bytes --------------------------------------------------------------------------------------------------


def _span(rng: Random, data: bytes, most: int = 40) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + 1 + int(rng.expovariate(1 / most)))


def flip(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """One bit turned over."""
    if not data:
        return data
    k = rng.randrange(len(data))
    return data[:k] + bytes((data[k] ^ (1 << rng.randrange(8)),)) + data[k + 1 :]


def insert(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    k = rng.randrange(len(data) + 1)
    return (
        data[:k]
        + (rng.choice(BYTES) if rng.random() < 0.6 else rng.randbytes(rng.randint(1, 8)))
        + data[k:]
    )


def delete(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    a, b = _span(rng, data)
    return data[:a] + data[b:]


def duplicate(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    a, b = _span(rng, data, 200)
    return data[:b] + data[a:b] * rng.choice((1, 1, 1, 2, 30)) + data[b:]


def cut(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    k = rng.randrange(len(data) + 1)
    return data[:k] if rng.random() < 0.7 else data[k:]


def splice(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """The beginning of one input and the end of another."""
    other = rng.choice(seeds)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


# -- texts --------------------------------------------------------------------------------------------------


def _replaced(rng: Random, data: bytes, pattern: re.Pattern[bytes], new: bytes) -> bytes:
    """One match of a pattern replaced."""
    found = [match.span() for match in pattern.finditer(data)]
    if not found:
        return data
    a, b = rng.choice(found)
    return data[:a] + new + data[b:]


def _exchanged(rng: Random, data: bytes, pattern: re.Pattern[bytes]) -> bytes:
    """Two matches of a pattern in each other's place."""
    found = [match.span() for match in pattern.finditer(data)]
    if len(found) < 2:
        return data
    (a, b), (c, d) = sorted(rng.sample(found, 2))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:] if b <= c else data


def _repeated(rng: Random, data: bytes, pattern: re.Pattern[bytes]) -> bytes:
    """One match of a pattern twice, many times, or not at all."""
    found = [match.span() for match in pattern.finditer(data)]
    if not found:
        return data
    a, b = rng.choice(found)
    return data[:a] + data[a:b] * rng.choice((0, 0, 2, 2, 50)) + data[b:]


def exchanging(pattern: re.Pattern[bytes]) -> Mutation:
    return lambda rng, data, _: _exchanged(rng, data, pattern)


def repeating(pattern: re.Pattern[bytes]) -> Mutation:
    return lambda rng, data, _: _repeated(rng, data, pattern)


def number(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """A number that is none, or one at the edge of what there is."""
    return _replaced(rng, data, NUMBER, rng.choice(NUMBERS).encode())


def perturbed(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """A number that is still one, of any size."""
    value = rng.choice((-1, 1)) * rng.random() * 10.0 ** rng.randint(-12, 12)
    return _replaced(rng, data, NUMBER, repr(value if rng.random() < 0.8 else round(value)).encode())


def word(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _replaced(rng, data, WORD, rng.choice(WORDS).encode())


def words_exchanged(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Two names in each other's place: of links, joints, columns, keys."""
    return _exchanged(rng, data, WORD)


LINE = re.compile(rb"[^\n]*\n|[^\n]+")
lines_exchanged = exchanging(LINE)
line_repeated = repeating(LINE)

# -- XML ----------------------------------------------------------------------------------------------------

ELEMENT = re.compile(rb"<([\w:]+)\b[^<>]*(?:/>|>.*?</\1>)", re.DOTALL)
TAG = re.compile(rb"<[^<>]*>")
ATTRIBUTE = re.compile(rb'\s[\w:]+="[^"]*"')
VALUE = re.compile(rb'(?<==")[^"]*(?=")')
PROLOGUES = (
    b'<!DOCTYPE r [<!ENTITY x "lol"><!ENTITY y "&x;&x;&x;&x;&x;&x;&x;&x;">]>',
    b'<!DOCTYPE r SYSTEM "file:///etc/passwd">',
    b'<?xml version="1.0" encoding="utf-16"?>',
    b'<?xml version="1.1" encoding="latin-1"?>',
    b'<?xml version="1.0" encoding="no-such"?>',
    b"<!-- ",
    b"<![CDATA[",
)


element_repeated = repeating(ELEMENT)
elements_exchanged = exchanging(ELEMENT)
tag_repeated = repeating(TAG)
attribute_repeated = repeating(ATTRIBUTE)
attributes_exchanged = exchanging(ATTRIBUTE)


def values_exchanged(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Two values of attributes in each other's place, which makes cycles of parents and children."""
    return _exchanged(rng, data, VALUE)


def value_replaced(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _replaced(rng, data, VALUE, rng.choice(rng.choice((NUMBERS, WORDS))).encode())


def nested(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """A tag inside itself, many times over."""
    found = [match.span() for match in TAG.finditer(data)]
    if not found:
        return data
    a, b = rng.choice(found)
    return data[:a] + data[a:b] * rng.choice((10, 150, 1000)) + data[b:]


def prologue(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    k = 0 if rng.random() < 0.5 else data.find(b"\n") + 1
    return data[:k] + rng.choice(PROLOGUES) + data[k:]


# -- TOML ---------------------------------------------------------------------------------------------------

RIGHT = re.compile(rb"(?<== )[^\n]+")
ENTRY = re.compile(rb"(?m)^[\w-]+ = [^\n]*\n")
HEADER = re.compile(rb"(?m)^\[\[?[^\]\n]*\]\]?\n(?:[^\[\n][^\n]*\n)*")
TOML_VALUES = (
    b"true", b"{}", b"[]", b"[[]]", b'""', b'"pi/2"', b'"l1"', b"1", b"-1", b"0.5", b"1e400", b"nan", b"-inf",
    b"1979-05-27", b"07:32:00", b"0xffffffffffffffffffff", b"9" * 5000, b"[" * 300 + b"]" * 300,
    b"{a = {b = {c = 1}}}", b"[1, 'a', {}]", b'"' + b"(" * 400 + b'1"', b"'''\n'''", b"[0, 0, 0]", b"[0, 0, 0, 1]",
    b"[[0, 0, 0], [0, 0, 0], [0, 0, 0]]", b'["joint1"]', b"{joint1 = 1}", b"'" + b"1+" * 200 + b"1'",
)  # fmt: skip


def entry_replaced(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """The value of a key of another kind, nested, or huge."""
    return _replaced(rng, data, RIGHT, rng.choice(TOML_VALUES))


entries_exchanged = exchanging(RIGHT)
entry_repeated = repeating(ENTRY)
table_repeated = repeating(HEADER)
tables_exchanged = exchanging(HEADER)

# -- JSON ---------------------------------------------------------------------------------------------------

JSON_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1e300, float("nan"), float("inf"), 10**400, "", "free", "a" * 3000, "\ud800", [], {}, [[]],
    [None], {"sec": 10**30, "nanosec": -1}, [1, 2, 3], [[1.0]], {"": {}}, [0.0] * 500, -0.0, 5e-324,
)  # fmt: skip


def json_changed(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """One place of a document replaced, emptied, repeated or wrapped."""
    try:
        document = json.loads(data)
        return json.dumps(_changed(rng, document)).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return entry_replaced(rng, data, seeds)


def _changed(rng: Random, node: Any) -> Any:
    """A copy with a change somewhere below, found by a walk that may stop anywhere."""
    if isinstance(node, dict) and node and rng.random() < 0.9:
        key = rng.choice(list(node))
        kind = rng.random()
        if kind < 0.1:
            return {name: value for name, value in node.items() if name != key}
        if kind < 0.2:
            return {(rng.choice(WORDS) if name == key else name): value for name, value in node.items()}
        return {**node, key: _changed(rng, node[key])}
    if isinstance(node, list) and node and rng.random() < 0.8:
        k = rng.randrange(len(node))
        kind = rng.random()
        if kind < 0.15:
            return node[:k] + node[k + 1 :]
        if kind < 0.25:
            return node[:k] + [node[k]] * rng.choice((2, 40)) + node[k + 1 :]
        return [*node[:k], _changed(rng, node[k]), *node[k + 1 :]]
    return [node] if rng.random() < 0.1 else rng.choice(JSON_VALUES)


def bracketed(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Brackets inside brackets, deeper than a parser goes."""
    k, depth = rng.randrange(len(data) + 1), rng.choice((50, 2000, 20000))
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")")))
    return data[:k] + opening * depth + closing * rng.choice((0, depth)) + data[k:]


# -- CSV ----------------------------------------------------------------------------------------------------

CELL = re.compile(rb"[^,\n]+")
CELLS = (
    b"", b'"', b'"a\nb"', b"nan", b"1e999", b"=1+1", b"1;2", b"\0", b"a" * 200_000, b"1_0", b"\xa01", b"t",
    b"q_joint1",
)  # fmt: skip


def cell_replaced(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _replaced(rng, data, CELL, rng.choice(CELLS))


cells_exchanged = exchanging(CELL)
cell_repeated = repeating(CELL)

# -- NPZ ----------------------------------------------------------------------------------------------------

SHAPES = ((), (0,), (1,), (1, 1), (0, 3), (2, 0, 2), (3,), (2, 2), (1, 1, 1, 1))
DTYPES = ("f8", "f4", "f2", "i8", "i4", "u1", "?", "c16", "U3", "S3", "M8[s]", ">f8")
CLAIMS = ((10**12,), (10**6, 10**6), (2**62,), (10**9, 10**9, 10**9), (10**8,))


def arrays_changed(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """One array of a file left out, renamed, of another shape or kind, with other numbers, or claiming to be huge."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
    except Exception:
        return flip(rng, data, seeds)
    if not arrays:
        return data
    name = rng.choice(list(arrays))
    array, kind = arrays[name], rng.random()
    if kind < 0.12:
        del arrays[name]
    elif kind < 0.2 and len(arrays) > 1:
        arrays[rng.choice(list(arrays))] = arrays.pop(name)
    elif kind < 0.28:
        return _claiming(rng, data, name)
    else:
        arrays[name] = _array_changed(rng, array)
    return _saved(arrays)


def _array_changed(rng: Random, array: np.ndarray) -> np.ndarray:
    kind = rng.random()
    with np.errstate(all="ignore"):
        if kind < 0.25:
            return (
                np.resize(array, rng.choice(SHAPES))
                if array.size
                else np.zeros(rng.choice(SHAPES), array.dtype)
            )
        if kind < 0.45:
            try:
                return array.astype(rng.choice(DTYPES))
            except (TypeError, ValueError):
                return np.zeros(array.shape, rng.choice(DTYPES))
        if kind < 0.6 and array.ndim:
            return (
                array[:: rng.choice((-1, 2))]
                if rng.random() < 0.5
                else array[: rng.randrange(len(array) + 1)]
            )
        if array.dtype.kind == "U":
            return np.array(rng.choice((*WORDS, '{"table": "raibert"}', "{", "[]", "null")))
        if array.dtype.kind not in "fiu" or not array.size:
            return array
        changed = array.copy()
        wanted = rng.choice((np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0, 1e9, 2**40, 0.5))
        if array.dtype.kind in "iu":
            wanted = int(np.nan_to_num(wanted, posinf=2**31, neginf=-5)) % 2**31 if wanted == wanted else -1
            changed = changed.astype(np.int64)
        changed.flat[rng.randrange(array.size)] = wanted
        return changed


def _saved(arrays: dict[str, np.ndarray]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # pyright: ignore[reportArgumentType]
    return undated(stream.getvalue())


def undated(data: bytes) -> bytes:
    """The same archive without the time at which it was written: an input is its seed and a number."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return _zipped({entry: archive.read(entry) for entry in archive.namelist()})


def _zipped(entries: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


def _claiming(rng: Random, data: bytes, name: str) -> bytes:
    """The same file with the header of one array claiming what is not there."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    if f"{name}.npy" in entries:
        head = io.BytesIO()
        claim = {"descr": "<f8", "fortran_order": False, "shape": rng.choice(CLAIMS)}
        np.lib.format.write_array_header_1_0(head, claim)  # pyright: ignore[reportArgumentType]
        entries[f"{name}.npy"] = head.getvalue() + entries[f"{name}.npy"][-64:]
    return _zipped(entries)


# -- which mutations an input of a grammar may meet ---------------------------------------------------------

RAW: tuple[Mutation, ...] = (flip, insert, delete, duplicate, cut, splice)
TEXT: tuple[Mutation, ...] = (number, number, perturbed, perturbed, word, words_exchanged, *RAW)
LINES: tuple[Mutation, ...] = (lines_exchanged, line_repeated)
GRAMMARS: dict[str, tuple[Mutation, ...]] = {
    "text": TEXT,
    "bytes": RAW,
    "xml": (
        *TEXT, *LINES, element_repeated, element_repeated, elements_exchanged, tag_repeated, attribute_repeated,
        attributes_exchanged, values_exchanged, values_exchanged, value_replaced, value_replaced, nested, prologue,
    ),
    "toml": (
        *TEXT, *LINES, entry_replaced, entry_replaced, entry_replaced, entries_exchanged, entries_exchanged,
        entry_repeated, table_repeated, tables_exchanged, bracketed,
    ),
    "json": (*TEXT, json_changed, json_changed, json_changed, json_changed, bracketed),
    "csv": (*TEXT, *LINES, cell_replaced, cells_exchanged, cell_repeated),
    "npz": (arrays_changed, arrays_changed, arrays_changed, *RAW),
}  # fmt: skip
