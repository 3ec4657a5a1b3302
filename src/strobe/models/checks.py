"""Whether what a file states can be true: masses, inertias, magnitudes, axes, limits."""

from __future__ import annotations

from strobe.models.assembly import Assembly


def check(data: Assembly) -> None:
    """Report every implausible link and joint of a file into its faults."""
