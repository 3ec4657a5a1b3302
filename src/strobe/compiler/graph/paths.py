"""Longest chains of dependencies among steps, each given by its duration and the earlier steps that it needs."""

from __future__ import annotations

from collections.abc import Sequence

Needs = Sequence[Sequence[int]]


def ends(needs: Needs, durations: Sequence[int]) -> list[int]:
    """When each step ends if it starts as soon as everything it needs has ended."""
    found: list[int] = []
    for needed, duration in zip(needs, durations, strict=True):
        found.append(max([found[k] for k in needed], default=0) + duration)
    return found


def remaining(needs: Needs, durations: Sequence[int]) -> list[int]:
    """From the start of each step to the end of the longest chain that it begins."""
    found = list(durations)
    for step in reversed(range(len(found))):
        for k in needs[step]:
            found[k] = max(found[k], durations[k] + found[step])
    return found
