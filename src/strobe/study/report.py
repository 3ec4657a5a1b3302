"""The study: every section in order, its data and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from types import ModuleType
from typing import Any

from strobe.errors import StrobeError, UnknownNameError, UnsupportedModelError
from strobe.robot import Robot, require_robot
from strobe.show.tables import remark
from strobe.study import (
    agreement,
    approximation,
    closed_chains,
    control,
    counts,
    equations,
    exactness,
    kinematics,
    laws,
    legs,
    machine,
    matrices,
    motion,
    moving_base,
    overview,
    proof,
    published,
    simulation,
    speed,
    terms,
    trajectory,
    view,
    wrenches,
)
from strobe.study.case import Array, Case

SECTIONS: dict[str, ModuleType] = {
    "view": view,
    "robot": overview,
    "kinematics": kinematics,
    "trajectory": trajectory,
    "simulation": simulation,
    "torques": agreement,
    "terms": terms,
    "motion": motion,
    "wrenches": wrenches,
    "matrices": matrices,
    "closed": closed_chains,
    "base": moving_base,
    "legs": legs,
    "equations": equations,
    "exactness": exactness,
    "proof": proof,
    "laws": laws,
    "counts": counts,
    "published": published,
    "speed": speed,
    "approximation": approximation,
    "control": control,
    "machine": machine,
}
HEADLINES = (
    "exactness", "torques", "closed", "legs", "counts", "speed", "laws", "equations", "motion", "kinematics", "robot",
)  # fmt: skip
MOST_HEADLINES = 5


@dataclass(frozen=True)
class Headline:
    """A result in brief: a figure, and the sentence that it stands in."""

    section: str
    figure: str
    sentence: str


@dataclass(frozen=True)
class Report:
    """What a study found, by section; a section that does not apply holds the reason under ``skipped``."""

    case: Case
    sections: Mapping[str, Mapping[str, Any]]

    @property
    def failed(self) -> list[str]:
        """The sections in which a check failed."""
        return [key for key, data in self.sections.items() if data.get("passed") is False]

    @property
    def passed(self) -> list[str]:
        """The sections in which every check held."""
        return [key for key, data in self.sections.items() if data.get("passed") is True]

    @property
    def headlines(self) -> list[Headline]:
        """The results to remember, of those sections that have one."""
        return list(islice(self._headlines(), MOST_HEADLINES))

    def _headlines(self) -> Iterator[Headline]:
        for key in HEADLINES:
            tell, data = getattr(SECTIONS[key], "in_brief", None), self.sections.get(key, {"skipped": ""})
            told = tell(data) if tell and "skipped" not in data else None
            if told:
                yield Headline(key, *told)

    @property
    def numbers(self) -> dict[str, Any]:
        """Everything that was found, as data."""
        headlines = [{"figure": h.figure, "sentence": h.sentence} for h in self.headlines]
        return {
            "robot": self.case.robot.name,
            "passed": not self.failed,
            "headlines": headlines,
            "sections": self.sections,
        }

    def rendered(self) -> Iterator[Any]:
        """What a terminal shows, section by section."""
        from strobe.show.terminal import Text

        for reason, keys in self.runs():
            yield ""
            yield Text(" · ".join(SECTIONS[key].TITLE for key in keys), style="bold cyan")
            if reason:
                yield Text(f"not shown: {reason}", style="yellow")
            else:
                yield from map(remark, caveat(SECTIONS[keys[0]], self.case))
                yield from SECTIONS[keys[0]].render(self.sections[keys[0]])

    def runs(self) -> Iterator[tuple[str, list[str]]]:
        """Each section alone; neighbours that are skipped for one reason together with it."""
        for (reason, _), run in groupby(self.sections, key=self._reason):
            yield reason, list(run)

    def _reason(self, key: str) -> tuple[str, str]:
        reason = self.sections[key].get("skipped", "")
        return reason, "" if reason else key


def study(
    robot: Robot, seed: int | None = None, progress: Callable[[str], None] = lambda title: None, *,
    sections: Sequence[str] = (), quick: bool = False, called: str = "", file: str = "",
    pose: Array | None = None,
) -> Report:  # fmt: skip
    """Every section (or those named) on a robot, at its reference state or a random one drawn from ``seed``.

    ``progress`` hears the title of every section before it is measured; ``quick`` leaves out what takes long;
    ``called`` is how a command line names the robot, ``file`` where its links have their shapes, ``pose`` where the
    robot stands that can be moved.
    """
    require_robot(robot)
    wanted = fitting(robot, sections)
    if not robot.nv:
        raise UnsupportedModelError(f"{robot.name} has no joints that move: there is nothing to study.")
    case = Case.of(robot, seed, quick=quick, called=called, file=file, pose=pose)
    found: dict[str, Mapping[str, Any]] = {}
    for key in wanted:
        progress(SECTIONS[key].TITLE)
        found[key] = _measured(SECTIONS[key], case)
    return Report(case, found)


def caveat(section: ModuleType, case: Case) -> list[str]:
    """A word where a section looks at the tree of a closed chain only."""
    if not (case.robot.model.is_closed and getattr(section, "CUT_OPEN", False)):
        return []
    return ["of the tree of its links, the loops cut: the closed chain has a section of its own"]


def chosen(sections: Sequence[str]) -> list[str]:
    """The sections asked for, in the order of a report; all if none are named."""
    for name in sections:
        if name not in SECTIONS:
            raise UnknownNameError("section", name, "the study", list(SECTIONS))
    return [key for key in SECTIONS if not sections or key in sections]


def fitting(robot: Robot, sections: Sequence[str]) -> list[str]:
    """The sections that a report will have: asked for by name, one that is for other robots says why not."""
    wanted = chosen(sections)
    if len(wanted) < len(SECTIONS):
        return wanted
    return [key for key in wanted if getattr(SECTIONS[key], "applies", _always)(robot)]


def _always(robot: Robot) -> bool:
    return True


def _measured(section: ModuleType, case: Case) -> Mapping[str, Any]:
    if case.quick and getattr(section, "SLOW", False) and not case.robot.model.without_dynamics:
        return {"skipped": "it takes long, and --quick leaves it out."}
    try:
        return section.measure(case)
    except UnsupportedModelError as error:
        return {"skipped": str(error)}
    except StrobeError as error:
        if not case.robot.model.is_closed:
            raise
        return {"skipped": str(error)}  # loops that nothing drives, or that stick at the state
