"""Object code on disk, so that a second process need not trace and compile again.

Folder: STROBE_CACHE (or `off`), else the user's cache folder; private to the user, because what lies there is
executed. An entry is its own digest followed by the code: a damaged one is dropped and made again. A
folder that cannot be used is reported once and done without.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm

import strobe.errors

DIGEST = 32  # bytes of SHA-256 in front of every entry
SOURCES = ("scalars", "algebra", "models", "formulations", "quantities.py", "graph", "codegen", "runtime")


def key(*parts: str) -> str:
    """The name of an entry: what is asked, the sources that answer it, LLVM and the processor."""
    return hashlib.sha256("\0".join((*parts, _surroundings())).encode()).hexdigest()


def fetch(name: str, make: Callable[[], bytes]) -> bytes:
    """The entry of this name, made and kept if it is not there or damaged."""
    folder = _folder()
    if folder is None:
        return make()
    path = folder / f"{name}.o"
    known = _read(path)
    if known is not None:
        return known
    code = make()
    _write(path, code)
    return code


def _read(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    code = content[DIGEST:]
    return code if code and hashlib.sha256(code).digest() == content[:DIGEST] else None


def _write(path: Path, code: bytes) -> None:
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(temporary, path)
    except OSError as error:
        _complain(f"{path.parent} cannot be written ({error.strerror})")


@cache
def _folder() -> Path | None:
    """The cache folder, if there is one that is ours alone."""
    asked = os.environ.get("STROBE_CACHE", "")
    if asked.lower() == "off":
        return None
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = Path(asked) if asked else home / "strobe"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except (OSError, RuntimeError) as error:
        _complain(f"the cache folder cannot be made ({error})")
        return None
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o022):
        _complain(f"{folder} belongs to someone else or others may write to it")
        return None
    return folder


@cache
def _complain(what: str) -> None:
    """Said once for each cause."""
    warnings.warn(
        f"{what}; compiled kernels are not kept. Set STROBE_CACHE to a folder of your own, or to off.",
        strobe.errors.CacheWarning,
        stacklevel=2,
    )


@cache
def _surroundings() -> str:
    digest = hashlib.sha256()
    root = Path(strobe.errors.__file__).parent
    for place in SOURCES:
        files = sorted((root / place).rglob("*.py")) if (root / place).is_dir() else [root / place]
        for file in files:
            digest.update(file.read_bytes())
    features = llvm.get_host_cpu_features().flatten()
    return f"{digest.hexdigest()} {llvm.llvm_version_info} {llvm.get_host_cpu_name()} {features}"
