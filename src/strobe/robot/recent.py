"""The last few things of a kind that were made, by what they were made from: a cache that cannot grow.

Threads may share one: what is looked through is copied first, since another may put something in at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

MOST = 64


class Recent:
    """At most so many things; the one that was made first goes where there is no room for another."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._made: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self._made)

    def get(self, key: Hashable) -> Any:
        """What was made under a key, if it is still there."""
        return self._made.get(key)

    def __call__(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made under a key, made now if it is not there (any more)."""
        found = self._made.get(key)
        if found is None:
            found = self._made.setdefault(key, make())
            while len(self._made) > self.most:
                self._made.pop(next(iter(list(self._made)), None), None)
        return found
