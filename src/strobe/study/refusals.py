"""Why formulations or methods are left out, said once for all that share a reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def reasons(refused: Mapping[str, str]) -> Iterator[str]:
    """A sentence per reason, with the names of those that it keeps away."""
    alike: dict[str, list[str]] = {}
    for name, reason in refused.items():
        alike.setdefault(_of_any(name, reason), []).append(name)
    for general, names in alike.items():
        yield f"without {', '.join(names)}: {refused[names[0]] if len(names) == 1 else general}"


def _of_any(name: str, reason: str) -> str:
    """A reason without the name of who it is given for, which comes last in it."""
    before, found, after = reason.rpartition(name)
    return f"{before}{'each' if found else ''}{after}"
