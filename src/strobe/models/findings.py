"""What a doctor finds: of which part, how bad, what to do; and several that say the same as one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from strobe.errors import some_of

SERIOUS, DOUBTFUL, NOTE = SEVERITIES = ("serious", "doubtful", "note")
SHOWN = 4  # parts that a group names
MENDED = "(Mended with -o.)"
NAME = re.compile(r'"[^"]*"')


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be."""

    severity: str
    topic: str  # inertia, limits, frames, angles, couplings, names, meshes, file
    part: str  # such as: link "forearm"; empty where the text names it
    where: str  # a line, or a place in the file
    text: str  # a sentence without its subject where there is a part: "moves no inertia"
    detail: str = ""  # the numbers of this part
    cure: str = ""
    repair: bool = False  # whether it can be mended without guessing


@dataclass(frozen=True, slots=True)
class Group:
    """Findings that say the same of several parts."""

    findings: tuple[Finding, ...]

    @property
    def severity(self) -> str:
        return self.findings[0].severity

    @property
    def topic(self) -> str:
        return self.findings[0].topic

    def __str__(self) -> str:
        first, count = self.findings[0], len(self.findings)
        if not first.part:
            more = f" (and {count - 1} more like it)" if count > 1 else ""
            return f"{first.where}: {first.text}{more}" if first.where else f"{first.text}{more}"
        alike = first.detail if all(finding.detail == first.detail for finding in self.findings) else ""
        listed = some_of([_named(finding, alike) for finding in self.findings], SHOWN)
        said = f"{first.text} ({alike})" if alike else first.text
        what = f"{listed} {said}." if count == 1 else f"{count} × {said}: {listed}."
        return " ".join(part for part in (what, first.cure, MENDED if first.repair else "") if part)


def _named(finding: Finding, alike: str) -> str:
    """A part with its line, and its numbers where others have other ones."""
    words = (finding.where and f"line {finding.where}", "" if alike else finding.detail)
    said = ", ".join(word for word in words if word)
    return f"{finding.part} ({said})" if said else finding.part


def grouped(findings: Iterable[Finding]) -> tuple[Group, ...]:
    """In their order, those of one severity and text together."""
    groups: dict[tuple[str | bool, ...], list[Finding]] = {}
    for finding in findings:
        said = finding.text if finding.part else NAME.sub("", finding.text)
        note = finding.part or finding.severity == NOTE
        key = (finding.severity, finding.topic, said, finding.repair, "" if note else finding.where)
        groups.setdefault(key, []).append(finding)
    return tuple(Group(tuple(found)) for found in groups.values())
