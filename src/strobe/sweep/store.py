"""The folder of a sweep: what was asked, data files, and one receipt for every chunk that is done.

    manifest.json           what was asked, and how it is kept
    data.zarr/ or data/     the files of chunks, each by one chunk alone
    receipts/000012.json    the files of chunk 12 with their sizes and hashes, and its reductions, sealed
    summary.json            the reductions of all chunks, when all are done
    drafts/                 files that are being written

A file is written as a draft, flushed to the disk and moved to its place, so that it is there whole or not at all.
The receipt comes last: a chunk is done if its receipt stands and its files have the sizes that it tells.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from strobe.errors import ArgumentError, ModelFileError, OutputError
from strobe.files.reading import exists, parsed_json, read_bytes, read_text
from strobe.files.writing import require_written_name
from strobe.sweep.checksums import is_sealed, sealed

VERSION = 1  # of the folder's form
MANIFEST, SUMMARY = "manifest.json", "summary.json"
DRAFTS, RECEIPTS = "drafts", "receipts"
LOCK = ".lock"
FLUSHED_AT_ONCE = 8
LARGEST_OWN = 2**30  # bytes of a manifest, a summary or a receipt; models and motions stand in a manifest

Files = Mapping[str, bytes]  # by their names under the folder
Receipt = dict[str, Any]


class Store:
    """A folder into which one sweep is written, by any number of workers."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        require_written_name(folder)
        self.folder = Path(os.path.abspath(folder))
        self.name = os.fspath(folder)  # as sentences call it

    # -- files -----------------------------------------------------------------------------------------

    def put(self, name: str, content: bytes) -> None:
        """A file with this content, in place of one that is there."""
        target = self.folder / name
        draft = self.folder / DRAFTS / secrets.token_hex(8)
        with _explained(self._named(name)):
            target.parent.mkdir(parents=True, exist_ok=True)
            draft.parent.mkdir(exist_ok=True)
            try:
                _flushed(draft, content)
                os.replace(draft, target)
            except BaseException:
                with suppress(OSError):
                    draft.unlink()
                raise

    def _named(self, name: str) -> str:
        return os.path.join(self.name, name)

    def holds(self, name: str, content: bytes) -> bool:
        """Whether a file is there with this content."""
        try:
            return read_bytes(self.folder / name, len(content)) == content
        except ModelFileError:
            return False

    def remove_drafts(self) -> None:
        """Forget what a worker was writing when it was killed."""
        for draft in (self.folder / DRAFTS).glob("*"):
            with suppress(OSError):
                draft.unlink()

    # -- the manifest ----------------------------------------------------------------------------------

    def manifest(self) -> dict[str, Any] | None:
        """What was asked, if something was."""
        path = self.folder / MANIFEST
        if not exists(path):
            return None
        try:
            data = parsed_json(read_bytes(path, LARGEST_OWN).decode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            if isinstance(error, ModelFileError):
                raise
            data = {}
        return _manifest_of(data, self._named(MANIFEST))

    def refuse_other_things(self) -> None:
        """Raise if a sweep that begins here would come among files that are not its own."""
        if not self.folder.exists():
            return
        if not self.folder.is_dir():
            raise OutputError(f"cannot write into {self.name}: it is a file. Name a folder.")
        with _explained(self.name):
            others = sorted(each.name for each in self.folder.iterdir() if each.name not in (LOCK, DRAFTS))
        if others:
            raise OutputError(
                f'will not write into {self.name}: it holds other things ("{others[0]}") and no {MANIFEST} of a '
                "sweep. Name a new folder, or the one of a sweep to go on with."
            )

    # -- receipts --------------------------------------------------------------------------------------

    def keep(self, index: int, files: Files, receipt: Receipt) -> None:
        """The files of a chunk, and then its receipt: from here on it is done."""
        with ThreadPoolExecutor(FLUSHED_AT_ONCE) as pool:  # a disk flushes many files about as fast as one
            list(pool.map(self.put, files.keys(), files.values()))
        self.put(_receipt_name(index), json.dumps(sealed(receipt), allow_nan=False).encode())

    def receipt(self, index: int, *, hashes: bool = False) -> Receipt | None:
        """The receipt of a chunk that is done; none if it is not, or its files are not those it tells of."""
        try:
            receipt = parsed_json(read_text(self.folder / _receipt_name(index), LARGEST_OWN))
            if not is_sealed(receipt) or receipt["chunk"] != index:
                return None
            whole = all(
                self._is_whole(name, size, sha256 if hashes else None)
                for name, (size, sha256) in receipt["files"].items()
            )
        except (
            OSError,
            ValueError,
            RecursionError,
            KeyError,
            TypeError,
            AttributeError,
        ):  # no receipt of ours
            return None
        return receipt if whole else None

    def _is_whole(self, name: str, size: int, sha256: str | None) -> bool:
        path = self.folder / name
        if os.path.isabs(name) or ".." in Path(name).parts:  # another's file
            return False
        if not path.is_file() or path.stat().st_size != size:
            return False
        return sha256 is None or hashlib.sha256(read_bytes(path, size)).hexdigest() == sha256

    def unfinished(self, chunks: int, *, hashes: bool = False) -> list[int]:
        """The chunks that are still to be done."""
        return [index for index in range(chunks) if self.receipt(index, hashes=hashes) is None]

    def forget_damaged(self, chunks: Iterable[int]) -> None:
        """Take away the receipts, of these chunks, that tell of other files than there are."""
        for index in chunks:
            path = self.folder / _receipt_name(index)
            if path.exists() and self.receipt(index, hashes=True) is None:
                with _explained(self.name):
                    path.unlink(missing_ok=True)

    # -- one sweep at a time ---------------------------------------------------------------------------

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the folder: another sweep into it is refused until this block, or this process, has ended."""
        require_written_name(self.name)
        with _explained(self.name):
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = open(self.folder / LOCK, "wb")  # noqa: SIM115  closed below
        with lock:
            if not _locked(lock.fileno()):
                raise OutputError(
                    f"another sweep is writing into {self.name}. Wait until it has ended, or name another folder."
                )
            yield


def receipt_of(index: int, files: Files, reductions: list[dict[str, Any]]) -> Receipt:
    """What a chunk leaves: the sizes and hashes of its files, and the reductions of its cells."""
    told = {name: [len(content), hashlib.sha256(content).hexdigest()] for name, content in files.items()}
    return {"chunk": index, "files": told, "reductions": reductions}


def _receipt_name(index: int) -> str:
    return f"{RECEIPTS}/{index:06d}.json"


def _manifest_of(data: Any, path: str) -> dict[str, Any]:
    try:
        version = data["version"]
    except (TypeError, KeyError):
        data, version = {}, VERSION
    if version != VERSION:
        raise ArgumentError(
            f"{path} is of form {version!r}, and this strobe writes form {VERSION}. Go on with the strobe that began "
            "the sweep, or name a new folder."
        )
    if not is_sealed(data):
        raise ArgumentError(
            f"{path} is not the manifest of a sweep, or is damaged. Name a new folder, or put the file back."
        )
    return data


def _flushed(path: Path, content: bytes) -> None:
    with path.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _locked(descriptor: int) -> bool:
    """Whether the lock is ours now; where the system has no locks, it is."""
    try:
        import fcntl
    except ImportError:
        return _locked_on_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True


def _locked_on_windows(descriptor: int) -> bool:
    """The same by Windows' own locks, which hold a byte, be it there or not, until the file is closed."""
    try:
        import msvcrt
    except ImportError:
        return True
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # pyright: ignore[reportAttributeAccessIssue]
    except OSError:
        return False
    return True


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Turn the system's refusal into a sentence that says what to do."""
    try:
        yield
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        cure = " Make room and give the same command again: what is done stays." if full else ""
        raise OutputError(f"cannot write {name}: {error.strerror or error}.{cure}") from None
