"""Object code on disk, so that a second process need not trace and compile again.

Folder: STROBE_CACHE (or `off`), else the user's cache folder; private to the user, because what lies there is
executed. An entry is a digest of its name and content, then the content: one that is damaged, or that others may
write to, is made again. A folder that cannot be used is reported once and done without. Beyond a size the oldest
entries go.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import strobe.errors
from strobe.runtime import jit

DIGEST = 32  # bytes of SHA-256 in front of every entry
COUNT = 8  # bytes of the number
MOST = 512 * 2**20  # bytes in the folder before the oldest entries are removed
OURS = re.compile(r"[0-9a-f]{64}\.o|\.new-.*")
SOURCES = (
    "scalars", "algebra", "models", "formulations", "quantities", "graph", "codegen", "runtime",
    "kinematics/step.py", "simulate/effects.py", "simulate/steps.py",
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """What is kept: a number and object code. Of a kernel: its operations, and no code if they are too many."""

    number: int
    code: bytes


def key(*parts: str) -> str:
    """The name of an entry: what is asked, the sources that answer it, LLVM and the processor."""
    return hashlib.sha256("\0".join((*parts, sources(), jit.host())).encode()).hexdigest()


def fetch(name: str, make: Callable[[], Entry]) -> Entry:
    """The entry of this name, made and kept if it is not there or damaged."""
    entry = known(name)
    if entry is not None:
        return entry
    entry = make()
    folder = _folder()
    if folder is not None:
        _write(folder / f"{name}.o", entry)
    return entry


def known(name: str) -> Entry | None:
    """The entry of this name, if it is there and whole."""
    folder = _folder()
    return None if folder is None else _read(folder / f"{name}.o")


def kept() -> bool:
    """Whether there is a folder for entries."""
    return _folder() is not None


def _read(path: Path) -> Entry | None:
    try:
        with path.open("rb") as file:
            data = file.read() if _is_ours(os.fstat(file.fileno())) else b""
    except OSError:
        return None
    digest, content = data[:DIGEST], data[DIGEST:]
    if len(content) < COUNT or _digest(path, content) != digest:
        return None
    return Entry(int.from_bytes(content[:COUNT], "little"), content[COUNT:])


def _write(path: Path, entry: Entry) -> None:
    content = entry.number.to_bytes(COUNT, "little") + entry.code
    try:
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_digest(path, content) + content)
            os.replace(draft, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft)
            raise
        _keep_small(path.parent, DIGEST + len(content))
    except OSError as error:
        _complain(f"{path.parent} cannot be written ({error.strerror})")


def _digest(path: Path, content: bytes) -> bytes:
    return hashlib.sha256(path.stem.encode() + content).digest()


_room: dict[Path, int] = {}  # bytes to write to a folder before it is looked through again


def _keep_small(folder: Path, written: int) -> None:
    """Look through a folder once a part of what it may still take is written: up to sixteen processes share it."""
    _room[folder] = _room.get(folder, 0) - written
    if _room[folder] < 0:
        _room[folder] = max(0, MOST - _tidied(folder)) // 16


def _tidied(folder: Path) -> int:
    """Bytes of the entries in a folder, of which the oldest go, down to half, where there is too much."""
    status: list[tuple[os.stat_result, str]] = []
    with os.scandir(folder) as found:
        for entry in found:
            if OURS.fullmatch(entry.name):
                with suppress(FileNotFoundError):  # a draft that another process has finished meanwhile
                    status.append((entry.stat(), entry.path))
    total = sum(s.st_size for s, _ in status)
    if total <= MOST:
        return total
    for s, path in sorted(status, key=lambda pair: pair[0].st_mtime):
        with suppress(OSError):
            os.unlink(path)
        total -= s.st_size
        if total <= MOST // 2:
            break
    return total


@cache
def _folder() -> Path | None:
    """The cache folder, if there is one that is ours alone."""
    asked = os.environ.get("STROBE_CACHE", "")
    if asked.lower() == "off":
        return None
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = Path(asked).expanduser() if asked else home / "strobe"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except (OSError, RuntimeError) as error:
        _complain(f"the cache folder cannot be made ({error})")
        return None
    if not _is_ours(status):
        _complain(f"{folder} belongs to someone else or others may write to it")
        return None
    return folder


def _is_ours(status: os.stat_result) -> bool:
    """Whether nobody else could have written it; where there are no such owners, as on Windows, that is assumed."""
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


@cache
def _complain(what: str) -> None:
    """Said once for each cause."""
    warnings.warn(
        f"{what}; compiled kernels are not kept. Set STROBE_CACHE to a folder of your own, or to off.",
        strobe.errors.CacheWarning,
        stacklevel=2,
    )


@cache
def sources() -> str:
    """A digest of the code that decides what a kernel computes."""
    digest = hashlib.sha256()
    root = Path(strobe.errors.__file__).parent
    for place in SOURCES:
        files = sorted((root / place).rglob("*.py")) if (root / place).is_dir() else [root / place]
        for file in files:
            digest.update(file.read_bytes())
    return digest.hexdigest()
