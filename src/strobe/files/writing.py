"""Writing files so that nothing is lost: whole or not at all, never over an input."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path as Folder
from typing import Any, BinaryIO, TextIO

from strobe.errors import ArgumentError, OutputError, shown
from strobe.files.reading import path_text

Path = str | PathLike[str]


@contextmanager
def writing(path: Path, *, inputs: Iterable[Path] = (), force: bool = False) -> Iterator[TextIO]:
    """A text stream that becomes the file ``path`` when the block ends, and leaves no trace if it fails.

    An existing file is replaced only with ``force``; one of ``inputs`` never is.
    """
    with _written(path, inputs, force, "", encoding="utf-8", newline="") as stream:
        yield stream


@contextmanager
def writing_bytes(path: Path, *, inputs: Iterable[Path] = (), force: bool = False) -> Iterator[BinaryIO]:
    """The same for bytes."""
    with _written(path, inputs, force, "b") as stream:
        yield stream


@contextmanager
def _written(path: Path, inputs: Iterable[Path], force: bool, kind: str, **how: Any) -> Iterator[Any]:
    refuse(path, inputs=inputs, force=force)
    target = os.path.realpath(path)  # a link stays a link: what it points to is written
    if _is_special(path):
        with _explained(path), open(path, f"w{kind}", opener=_without_waiting, **how) as stream:
            yield stream
        return
    draft = f"{target}.{secrets.token_hex(4)}.part"
    with _explained(path):
        stream = open(draft, f"x{kind}", **how)  # noqa: SIM115  closed below, before the move
    try:
        with _explained(path), stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        with _explained(path):
            os.replace(draft, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def write_folder(
    folder: Path, files: Mapping[str, str | bytes], *, inputs: Iterable[Path] = (), force: bool = False
) -> list[Folder]:
    """Files by their names in a folder, which is made; where they are. None is written if one may not be."""
    require_written_name(folder)
    place, inputs = Folder(folder), list(inputs)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {folder}: {error.strerror or error}.") from None
    for name in files:
        refuse(place / name, inputs=inputs, force=force)
    for name, content in files.items():
        with writing_bytes(place / name, inputs=inputs, force=force) as stream:
            stream.write(content if isinstance(content, bytes) else content.encode("utf-8"))
    return [place / name for name in files]


def refuse_folder(folder: Path, *, force: bool = False) -> None:
    """Raise if files could not be written into a folder, or would come among others."""
    _require_force(force)
    require_written_name(folder)
    place = Folder(folder)
    if place.exists() and not place.is_dir():
        raise OutputError(f"cannot write into {folder}: it is a file. Name a folder.")
    try:
        occupied = place.is_dir() and any(place.iterdir())
    except OSError as error:
        raise OutputError(f"cannot write into {folder}: {error.strerror or error}.") from None
    if occupied and not force:
        raise OutputError(
            f"will not write into {folder}: it holds files. Name a new folder, or add --force."
        )


def _is_special(path: Path) -> bool:
    """Whether it is there, as a pipe or a device, which is written to and cannot be replaced."""
    return os.path.exists(path) and not os.path.isfile(path)


def _without_waiting(path: str, flags: int) -> int:
    """A pipe or a device opened for writing, and never made; a pipe that nobody reads is not waited for."""
    try:
        descriptor = os.open(path, flags & ~os.O_CREAT | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OutputError(
                f"cannot write {path}: it is a pipe that nobody reads, or no device. Name a file."
            ) from None
        raise
    os.set_blocking(descriptor, True)
    return descriptor


def refuse(path: Path, *, inputs: Iterable[Path] = (), force: bool = False) -> None:
    """Raise if writing here would lose something or cannot succeed."""
    _require_force(force)
    name = path_text(path)
    require_written_name(name)
    if name == "-":
        raise OutputError("cannot write -: name a file (./- if it is to be called so), or /dev/stdout.")
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise OutputError(f"cannot write {name}: the folder {folder} does not exist. Make it first.")
    if os.path.isdir(target):
        raise OutputError(f"cannot write {name}: it is a folder. Name a file in it.")
    if not (_is_special(path) or os.access(folder, os.W_OK | os.X_OK)):
        raise OutputError(
            f"cannot write {name}: the folder {folder} may not be written to. Choose another."
        )
    for source in inputs:
        if os.path.exists(source) and os.path.exists(target) and os.path.samefile(source, target):
            raise OutputError(
                f"will not write {name}: it is the input {os.fspath(source)}. Choose another name."
            )
    if os.path.isfile(target) and not force:
        raise OutputError(f"will not replace {name}: it exists. Choose another name, or add --force.")
    if os.path.islink(path) and not (force or _is_special(path)):
        raise OutputError(
            f"will not write through the link {name} to {target}. Choose another name, or add --force."
        )


def _require_force(force: Any) -> None:
    if not isinstance(force, bool):
        raise ArgumentError(f"force is {shown(force)}; expected True or False.")


def require_written_name(path: Path) -> None:
    """Refuse a name of a file to write that is none, or that no text can repeat."""
    name = path_text(path)
    if "\0" in name:
        raise OutputError(f"cannot write {name}: a name with a NUL in it is no name of a file.")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise OutputError(f"cannot write {name}: the name is not UTF-8. Choose another.") from None


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn the system's refusal into a sentence that names the file."""
    try:
        yield
    except OSError as error:
        if isinstance(error, OutputError | BrokenPipeError) or _names_another(error, path):
            raise
        raise OutputError(f"cannot write {os.fspath(path)}: {error.strerror or error}.") from None


def _names_another(error: OSError, path: Path) -> bool:
    """Whether the system refused a file that is neither this one nor its draft."""
    name = error.filename
    return isinstance(name, str) and not os.path.realpath(name).startswith(os.path.realpath(path))
