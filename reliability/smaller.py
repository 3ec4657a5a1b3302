"""Inputs made smaller while they still fail in the same way: chunks left out, large ones first."""

from __future__ import annotations

from collections.abc import Callable

MOST_TRIES = 400


def smaller(data: bytes, fails: Callable[[bytes], bool], most: int = MOST_TRIES) -> bytes:
    """The input without what is not needed for it to fail; lines go first, then bytes."""
    data, tries = _without_parts(data.splitlines(keepends=True), fails, most)
    return _without_parts([data[k : k + 1] for k in range(len(data))], fails, tries)[0]


def _without_parts(parts: list[bytes], fails: Callable[[bytes], bool], tries: int) -> tuple[bytes, int]:
    """What is left of parts of which none can be spared, and the tries that are left."""
    size = max(1, len(parts) // 2)
    while tries > 0:
        k, shrunk = 0, False
        while k < len(parts) and tries > 0:
            rest = parts[:k] + parts[k + size :]
            tries -= 1
            if fails(b"".join(rest)):
                parts, shrunk = rest, True
            else:
                k += size
        if not shrunk and size == 1:
            break
        size = size if shrunk and size == 1 else max(1, size // 2)
    return b"".join(parts), tries
