"""Damage done to a cache folder while it is in use: what disks, crashes, clean-ups and other programs do to files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from time import sleep

Damage = Callable[[Path, Random], None]

AWAY = 0.05  # seconds for which the folder is something else


def strike(folder: Path, draw: Random) -> str:
    """One fault, drawn at random; its name. A file that has gone meanwhile is no fault of ours."""
    name = draw.choice(list(FAULTS))
    with suppress(FileNotFoundError, NotADirectoryError):
        FAULTS[name](folder, draw)
    return name


def _entry(folder: Path, draw: Random) -> Path:
    found = sorted(folder.glob("*.o"))
    if not found:
        raise FileNotFoundError
    return draw.choice(found)


def truncated(folder: Path, draw: Random) -> None:
    path = _entry(folder, draw)
    os.truncate(path, draw.randrange(max(path.stat().st_size, 1)))


def flipped(folder: Path, draw: Random) -> None:
    """One bit of one byte, in place."""
    with _entry(folder, draw).open("r+b") as file:
        place = draw.randrange(max(os.fstat(file.fileno()).st_size, 1))
        file.seek(place)
        byte = file.read(1) or b"\0"
        file.seek(place)
        file.write(bytes([byte[0] ^ (1 << draw.randrange(8))]))


def deleted(folder: Path, draw: Random) -> None:
    _entry(folder, draw).unlink()


def swapped(folder: Path, draw: Random) -> None:
    """A whole and valid entry under the name of another."""
    content = _entry(folder, draw).read_bytes()
    _entry(folder, draw).write_bytes(content)


def random_bytes(folder: Path, draw: Random) -> None:
    _entry(folder, draw).write_bytes(draw.randbytes(draw.randrange(20_000)))


def emptied(folder: Path, draw: Random) -> None:
    _entry(folder, draw).write_bytes(b"")


def a_folder_instead(folder: Path, draw: Random) -> None:
    """A folder in the place of an entry, for a moment."""
    path = _entry(folder, draw)
    path.unlink()
    path.mkdir()
    sleep(AWAY)
    path.rmdir()


def abandoned_draft(folder: Path, draw: Random) -> None:
    """What a process leaves that dies while it writes."""
    (folder / f".new-{draw.randrange(10**6)}").write_bytes(draw.randbytes(1000))


def a_file_instead(folder: Path, draw: Random) -> None:
    """A file in the place of the cache folder for a moment, as if it could not be written to."""
    aside = folder.with_name(folder.name + ".aside")
    folder.rename(aside)
    folder.write_text("not a folder")
    sleep(AWAY)
    folder.unlink()
    aside.rename(folder)


def cleared(folder: Path, draw: Random) -> None:
    """Everything removed, as people do to free space."""
    shutil.rmtree(folder, ignore_errors=True)
    sleep(AWAY)
    folder.mkdir(mode=0o700, exist_ok=True)


FAULTS: dict[str, Damage] = {
    "truncated": truncated,
    "bit flipped": flipped,
    "deleted": deleted,
    "swapped": swapped,
    "random bytes": random_bytes,
    "emptied": emptied,
    "folder instead of entry": a_folder_instead,
    "abandoned draft": abandoned_draft,
    "file instead of folder": a_file_instead,
    "cleared": cleared,
}
