"""The study: every section in order, its data and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from types import ModuleType
from typing import Any

from strobe.errors import UnsupportedModelError
from strobe.robot import Robot
from strobe.study import agreement, counts, exactness, laws, matrices, overview, published, terms
from strobe.study.case import Case

SECTIONS: dict[str, ModuleType] = {
    "robot": overview,
    "torques": agreement,
    "terms": terms,
    "matrices": matrices,
    "counts": counts,
    "published": published,
    "exactness": exactness,
    "laws": laws,
}


@dataclass(frozen=True)
class Report:
    """What a study found, by section; a section that does not apply holds the reason under ``skipped``."""

    sections: Mapping[str, Mapping[str, Any]]

    @property
    def failed(self) -> list[str]:
        """The sections in which a check failed."""
        return [key for key, data in self.sections.items() if data.get("passed") is False]

    def rendered(self) -> Iterator[Any]:
        """What rich prints, section by section."""
        from rich.text import Text

        for reason, keys in self._runs():
            yield ""
            yield Text(" · ".join(SECTIONS[key].TITLE for key in keys), style="bold cyan")
            if reason:
                yield Text(f"not shown: {reason}", style="yellow")
            else:
                yield from SECTIONS[keys[0]].render(self.sections[keys[0]])

    def _runs(self) -> Iterator[tuple[str, list[str]]]:
        """Each section alone; neighbours that are skipped for one reason together with it."""
        for (reason, _), run in groupby(self.sections, key=self._reason):
            yield reason, list(run)

    def _reason(self, key: str) -> tuple[str, str]:
        reason = self.sections[key].get("skipped", "")
        return reason, "" if reason else key


def study(robot: Robot, seed: int | None = None, progress: Callable[[], None] = lambda: None) -> Report:
    """Every section on a robot, at its golden state (or a random one drawn from ``seed``)."""
    if not robot.nv:
        raise UnsupportedModelError(f"{robot.name} has no joints that move: there is nothing to study.")
    case = Case.of(robot, seed)
    sections: dict[str, Mapping[str, Any]] = {}
    for key, section in SECTIONS.items():
        sections[key] = _measured(section, case)
        progress()
    return Report(sections)


def _measured(section: ModuleType, case: Case) -> Mapping[str, Any]:
    try:
        return section.measure(case)
    except UnsupportedModelError as error:
        return {"skipped": str(error)}
