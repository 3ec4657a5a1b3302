"""What stands in ``manifest.json``: all that was asked, so that the same can be gone on with and nothing else."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from strobe import __version__
from strobe.errors import ArgumentError, StrobeError
from strobe.models.differences import first_differences
from strobe.models.fingerprint import described
from strobe.sweep.checksums import sealed
from strobe.sweep.documents import robot_from
from strobe.sweep.plan import Plan
from strobe.sweep.store import VERSION

Manifest = dict[str, Any]


def manifest_for(plan: Plan, format: str) -> Manifest:
    from llvmlite.binding import get_host_cpu_name

    asked = {
        "version": VERSION,
        "strobe": __version__,
        "cpu": get_host_cpu_name(),
        "task": plan.task,
        "runs": plan.runs,
        "chunks": plan.chunks,
        "format": format,
        "token": secrets.token_hex(16),  # by which a worker knows the folder
        "fingerprint": plan.fingerprint,
        "plan": plan.document,
    }
    return sealed(asked)


def refuse_another(known: Manifest, plan: Plan, format: str | None, folder: str) -> None:
    """Raise if a folder holds a sweep that is not this one, and say what differs."""
    if plan.fingerprint != known["fingerprint"]:
        was, now = known["plan"], plan.document
        how = first_differences(_read(was), _read(now)) or first_differences(was, now)
        raise ArgumentError(
            f"{folder} holds another sweep: {how}. Give the file as it was to go on, or name a new folder."
        )
    if format is not None and format != known["format"]:
        raise ArgumentError(
            f"{folder} is kept as {known['format']}, not as {format}. "
            "Leave the format out to go on, or name a new folder."
        )
    if known["strobe"] != __version__:
        raise ArgumentError(
            f"{folder} was begun with strobe {known['strobe']}; the last bits of {__version__} may differ. "
            "Go on with the one that began, or name a new folder."
        )


def _read(document: Manifest) -> Manifest:
    """A plan in which robots are what is read from their text, so that a difference between two has a name."""
    return document | {"robots": [each | {"model": _described(each)} for each in document["robots"]]}


def _described(entry: Mapping[str, Any]) -> Any:
    try:
        return described(robot_from(entry).model)
    except StrobeError:  # written by another version
        return entry["model"]
