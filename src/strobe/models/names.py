"""Names that a model needs and no file stated, and signs that no name may have."""

from __future__ import annotations

import re
from collections.abc import Iterable

COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What terminals and editors obey instead of showing it: controls, line separators, changes of direction."""


def unused_name(name: str, taken: Iterable[str]) -> str:
    """The name itself, or if it is taken, the first of name_2, name_3, … that is not."""
    known = set(taken)
    candidates = (name if k == 1 else f"{name}_{k}" for k in range(1, len(known) + 2))
    return next(candidate for candidate in candidates if candidate not in known)


def harmless(text: str) -> str:
    """Text with what a terminal would obey written out, as \\x1b; line breaks and tabs are kept."""
    return COMMANDS.sub(lambda sign: sign[0].encode("unicode_escape").decode("ascii"), text)
