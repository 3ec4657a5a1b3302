"""Names that a model needs and no file stated."""

from __future__ import annotations

from collections.abc import Iterable


def unused_name(name: str, taken: Iterable[str]) -> str:
    """The name itself, or if it is taken, the first of name_2, name_3, … that is not."""
    known = set(taken)
    candidates = (name if k == 1 else f"{name}_{k}" for k in range(1, len(known) + 2))
    return next(candidate for candidate in candidates if candidate not in known)
