"""What stands in ``manifest.json``: all that was asked, so that the same can be gone on with and nothing else."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from strobe import __version__
from strobe.errors import ArgumentError
from strobe.sweep.plan import Plan
from strobe.sweep.seals import sealed
from strobe.sweep.store import VERSION

TOLD = 3  # differences that a sentence names
SHORT = 40  # letters of a value that a sentence shows

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
        found = list(differences(known["plan"], plan.document))
        more = f" (and {len(found) - TOLD} more)" if len(found) > TOLD else ""
        raise ArgumentError(
            f"{folder} holds another sweep: {'; '.join(found[:TOLD])}{more}. "
            "Give the file as it was to go on, or name a new folder."
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


def differences(there: Any, here: Any, name: str = "") -> Iterator[str]:
    """Where two documents differ, each place in a few words."""
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        for key in dict.fromkeys((*there, *here)):
            yield from differences(there.get(key), here.get(key), f"{name}.{key}".strip("."))
    elif (known := _by_label(there)) and (now := _by_label(here)):
        yield from differences(known, now, name)
    elif there != here:
        yield f"{name} {_told(there, here)}"


def _by_label(entries: Any) -> dict[str, Any]:
    """Entries by their labels, where they have some."""
    if not isinstance(entries, list):
        return {}
    return {each["label"]: each for each in entries if isinstance(each, Mapping) and "label" in each}


def _told(there: Any, here: Any) -> str:
    if there is None or here is None:
        return "is new" if there is None else "is no longer there"
    texts = json.dumps(there), json.dumps(here)
    if max(map(len, texts)) > SHORT:
        return "is not what it was"
    return f"was {texts[0]} and is {texts[1]}"
