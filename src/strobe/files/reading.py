"""Model files as bytes and as text: none too large, each in an encoding that it declares."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from strobe.errors import Fault, ModelFileError

LARGEST = 32 * 2**20  # bytes; the largest robot files known have one
MOST_PARTS = 200  # of a key in TOML, between dots
BESIDE_KEYS = re.compile(r"[^\w.\"' \t-]+")
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks


def read_bytes(path: Path | str) -> bytes:
    """The content of a file that is not too large."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise file_fault(path, f"cannot be read: {error.strerror or error}.") from None
    require_size(path, content)
    return content


def require_size(path: Path | str, content: bytes) -> None:
    """Refuse what is too large to be a robot."""
    if len(content) > LARGEST:
        raise file_fault(path, f"more than {LARGEST} bytes, the most that are read of a robot file.")


def require_utf8(path: Path | str, content: bytes, otherwise: str = "") -> None:
    """Refuse bytes that are not UTF-8, naming the line of the first and what else could be done."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = f"byte 0x{content[error.start]:02x} is not UTF-8; save the file as UTF-8{otherwise}."
        raise file_fault(path, wrong, line) from None


def parsed_toml(text: str) -> dict[str, Any]:
    """The data of a TOML text, or a ValueError; keys of very many parts, over which the parser sits, are one too."""
    if any(run.count(".") > MOST_PARTS for run in BESIDE_KEYS.split(text)):
        raise tomllib.TOMLDecodeError(f"a key with more than {MOST_PARTS} parts")
    return tomllib.loads(text)


def decoded_head(content: bytes) -> str:
    """The beginning of a text, cut anywhere; bytes that are no text become a sign for that."""
    return content.decode("utf-16" if content.startswith(UTF16) else "utf-8-sig", "replace")


def file_fault(path: Path | str, text: str, line: int | None = None) -> ModelFileError:
    """The error for a file that has one fault."""
    return ModelFileError([Fault(f"{path}:{line}" if line else str(path), text)])
