"""Object code on disk, so that a second process need not trace and compile again.

Folder: STROBE_CACHE (or `off`), else the user's cache folder, which every system has elsewhere (`platformdirs`);
private to the user, because what lies there is executed. An entry is a digest of its name and content, then the
content: one that is damaged, too large, no plain file, or that others may write to, is made again. A folder that
cannot be used is reported once and done without. Beyond a size the oldest entries go.

The name of an entry is made from all that its code follows from: what is asked, with every number of it (as a
program, or as the data that our functions are given), those functions, as all of our sources, and what they run on.
Who changes our modules while they run sets STROBE_CACHE=off.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import strobe.errors

DIGEST = 32  # bytes of SHA-256 in front of every entry
COUNT = 8  # bytes of the number
MOST = 512 * 2**20  # bytes in the folder before the oldest entries are removed
OURS = re.compile(r"[0-9a-f]{64}\.o|\.new-.*")
LARGEST = 64 * 2**20  # bytes of an entry; the longest program takes 11 MB, a march holds a few such
FRONT = ("cli", "study")  # folders of the package that nothing is traced through


@dataclass(frozen=True)
class Entry:
    """What is kept: a number and object code. Of a kernel: its operations, and no code if they are too many."""

    number: int
    code: bytes


def key(*parts: str) -> str:
    """The name of an entry: the device it is for, what is asked, the sources that answer it, what runs them."""
    run_by = f"Python {sys.version}", f"NumPy {np.__version__}"
    return hashlib.sha256(json.dumps([*parts, sources(), *run_by]).encode()).hexdigest()


def portable_key(*parts: str) -> str:
    """The same for code that whatever runs it does not matter to: made on one machine, it is found on another."""
    return hashlib.sha256(json.dumps([*parts, sources()]).encode()).hexdigest()


def fetch(name: str, make: Callable[[], Entry]) -> Entry:
    """The entry of this name, made and kept if it is not there or damaged."""
    entry = known(name)
    if entry is not None:
        return entry
    entry = make()
    store(name, entry)
    return entry


def store(name: str, entry: Entry) -> None:
    """Keep an entry, in place of what is kept under its name."""
    folder = _folder()
    if folder is not None:
        _write(folder / f"{name}.o", entry)


def known(name: str) -> Entry | None:
    """The entry of this name, if it is there and whole."""
    folder = _folder()
    return None if folder is None else _read(folder / f"{name}.o")


def kept() -> bool:
    """Whether there is a folder for entries."""
    return _folder() is not None


def _read(path: Path) -> Entry | None:
    try:
        data = _bytes(path)
    except OSError:
        return None
    digest, content = data[:DIGEST], data[DIGEST:]
    if len(content) < COUNT or _digest(path, content) != digest:
        return None
    return Entry(int.from_bytes(content[:COUNT], "little"), content[COUNT:])


READING = os.O_RDONLY
for _flag in ("O_BINARY", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK"):  # those that the system knows
    READING |= getattr(os, _flag, 0)


def _bytes(path: Path) -> bytes:
    """The content of an entry; nothing of what is none, such as a pipe, which is neither opened nor waited for."""
    if not _is_entry(os.lstat(path)):
        return b""
    handle = os.open(path, READING)
    try:
        status = os.fstat(handle)
        if not _is_entry(status):  # it has become something else
            return b""
        with open(handle, "rb", closefd=False) as file:
            return file.read(status.st_size + 1)  # room is made for as much as is asked for
    finally:
        os.close(handle)


def _is_entry(status: os.stat_result) -> bool:
    """Whether it may be an entry: a plain file of ours, not too large."""
    return stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST and _is_ours(status)


def _write(path: Path, entry: Entry) -> None:
    content = entry.number.to_bytes(COUNT, "little") + entry.code
    if DIGEST + len(content) > LARGEST:
        return
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
                    status.append((entry.stat(follow_symlinks=False), entry.path))
    total = sum(s.st_size for s, _ in status)
    if total <= MOST:
        return total
    for s, path in sorted(status, key=lambda pair: (_is_entry(pair[0]), pair[0].st_mtime)):
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
        folder = Path(asked).expanduser() if asked else _of_the_user()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        link = folder.lstat()
        folder = folder.resolve()  # where a link leads now, it leads for good
        status = folder.stat()
    except (OSError, RuntimeError) as error:
        _complain(f"the cache folder cannot be made ({error})")
        return None
    if not _is_ours(status):
        _complain(f"{folder} belongs to someone else or others may write to it")
        return None
    if _is_others_link(link):
        _complain(f"the cache folder is a link to {folder} that someone else made")
        return None
    if not sources():
        _complain("the sources of strobe, by which kernels are told apart, cannot be read")
        return None
    return folder


def _of_the_user() -> Path:
    """The user's own cache folder; a RuntimeError where he has none that is the same wherever he works."""
    from platformdirs import user_cache_path

    folder = user_cache_path("strobe", appauthor=False)
    if not folder.is_absolute():
        raise RuntimeError(f"{folder} is no absolute path")
    return folder


def _is_others_link(status: os.stat_result) -> bool:
    """Whether it is a link of another user; what the administrator links is as the system is."""
    return stat.S_ISLNK(status.st_mode) and hasattr(os, "getuid") and status.st_uid not in (0, os.getuid())


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
    """A digest of the code that decides what a kernel computes, all but the front; nothing where it is not there."""
    root, digest, found = os.path.dirname(strobe.errors.__file__), hashlib.sha256(), 0
    try:
        for folder, folders, files in os.walk(root, onerror=_raised):
            folders[:] = sorted(set(folders) - set(FRONT if folder == root else ()))
            for name in sorted(each for each in files if each.endswith(".py")):
                path = os.path.join(folder, name)
                with open(path, "rb", buffering=0) as file:
                    text = file.read()
                digest.update(f"{path[len(root) :]} {len(text)} ".encode() + text)
                found += 1
    except OSError:
        return ""
    return digest.hexdigest() if found else ""


def _raised(error: OSError) -> None:
    raise error


def is_source(module: str) -> bool:
    """Whether a module is one of those that `sources` reads."""
    package, _, rest = module.partition(".")
    return package == strobe.__name__ and rest.partition(".")[0] not in FRONT
