"""How much an MJCF file may ask for, counted before MuJoCo starts.

A short text asks for gigabytes by copies (`replicate`, `attach`), by bodies of cells (`flexcomp`, `composite`) and by
sizes of arrays. All that one model would make is added up, with what it includes and attaches. What is not foreseen
here meets the limits of the process that MuJoCo runs in (`mjcf_process`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from math import prod
from pathlib import Path

from strobe.models.text_files import file_fault

MOST_MODELS = 200
MOST_COPIES = 1_000  # of what is replicated, one inside the other
MOST_CELLS = 10_000  # of one flexible body
MOST_EACH = 10_000  # of anything else
MOST_MADE = 50_000  # elements beyond those that are written out
PER_CELL = 5  # elements: a body, its joints and its shape
CELLS = ("count", "cellcount")
EACH = {"dim", "actdim", "nsample", "nkey", "nuserdata", "num"}
ARRAYS = {"composite", "flexcomp"}  # elements in which a count has several numbers
PLACES = ("body", "frame")  # what can be attached by its name


@dataclass(slots=True)
class Part:
    """An element of a model, in the file that it was read from."""

    tag: str
    attributes: dict[str, str]
    path: Path
    line: int
    beside: Path | None  # the folder of the included file that it stands in
    children: list[Part] = field(default_factory=list)

    def walk(self) -> Iterator[Part]:
        """This element and everything inside it."""
        stack: list[Part] = [self]
        while stack:
            part = stack.pop()
            yield part
            stack += reversed(part.children)


@dataclass(frozen=True)
class Made:
    """A model that was counted: its name, and how many elements it makes."""

    name: str
    elements: float


def count(root: Part, attached: Mapping[str, Made]) -> Made:
    """The elements that a model makes, or a `ModelFileError` where they are too many."""
    return Made(root.attributes.get("model", ""), _Count(root, attached).total)


class _Count:
    """One count of a model; those that it attaches were counted before."""

    def __init__(self, root: Part, attached: Mapping[str, Made]) -> None:
        self.attached = attached
        self.inside: dict[str, float] = {}  # bodies and frames that the model attaches to itself
        self._count_inside(root)
        self.total = 0.0
        self.written = 0
        self.add(root, 1.0)

    def add(self, part: Part, copies: float) -> None:
        """Count a part as often as it is made, at the part where it becomes too much."""
        copies = self._copies(part, copies)
        self._require_each(part)
        self.total += copies * self._own(part)
        self.written += 1
        if not self.total - self.written <= MOST_MADE:
            self._refuse(part)
        for child in part.children:
            self.add(child, copies)

    def _copies(self, part: Part, copies: float) -> float:
        if part.tag != "replicate":
            return copies
        copies *= max(_largest(part.attributes.get("count", "1")), 1)
        _require_most(part, "copies", copies, MOST_COPIES)
        return copies

    def _own(self, part: Part) -> float:
        """The elements that one part makes, those inside it aside."""
        if part.tag == "attach":
            own = _own_name(part)
            return self.inside.get(own, 1.0) if own else self._of_model(part.attributes.get("model", ""))
        if part.tag not in ARRAYS:
            return 1.0
        counts = [_numbers(part.attributes.get(name, "1")) for name in CELLS]
        cells = prod(max(number, 1.0) for numbers in counts for number in numbers)
        _require_most(part, "cells", cells, MOST_CELLS)
        return cells * PER_CELL

    def _of_model(self, name: str) -> float:
        return self.attached[name].elements if name in self.attached else 1.0

    def _count_inside(self, root: Part) -> None:
        """Count what the model attaches to itself, the innermost first."""
        wanted = _attached_inside(root)
        found = {
            part.attributes.get("name", ""): part
            for part in root.walk()
            if part.tag in PLACES and part.attributes.get("name") in wanted
        }
        order = TopologicalSorter({name: _attached_inside(part) for name, part in found.items()})
        try:
            for name in order.static_order():
                self.inside[name] = self._size(found[name], 1.0) if name in found else 1.0
        except CycleError as error:
            one = found[error.args[1][0]]
            wrong = (
                f'"{one.attributes["name"]}" is attached inside of itself; MuJoCo would not come to an end.'
            )
            raise file_fault(one.path, wrong, one.line) from None

    def _size(self, part: Part, copies: float) -> float:
        copies = self._copies(part, copies)
        size = copies * self._own(part)
        for child in part.children:
            size += self._size(child, copies)
        return size

    def _require_each(self, part: Part) -> None:
        for name, value in part.attributes.items():
            if name in EACH or name.startswith("nuser_"):
                _require_most(part, name, _largest(value), MOST_EACH)

    def _refuse(self, part: Part) -> None:
        more = self.total - self.written
        text = (
            f"with <{part.tag}> it asks for {more:g} elements beside those it writes out: copies, cells and what it "
            f"attaches; at most {MOST_MADE:,} are made for a robot."
        )
        raise file_fault(part.path, text, part.line)


def _own_name(attach: Part) -> str:
    """The body or frame of the model itself that is attached; none where it is another model's."""
    stated = attach.attributes
    return "" if "model" in stated else stated.get("body") or stated.get("frame") or ""


def _attached_inside(root: Part) -> set[str]:
    """The bodies and frames of the model itself that a part attaches."""
    return {_own_name(part) for part in root.walk() if part.tag == "attach"} - {""}


def _numbers(text: str) -> list[float]:
    """The numbers in an attribute; none where it holds something else, of which MuJoCo complains."""
    try:
        return [float(word) for word in text.split()]
    except ValueError:
        return []


def _largest(text: str) -> float:
    return max(_numbers(text), default=0.0)


def _require_most(part: Part, what: str, found: float, most: int) -> None:
    if not found <= most:
        text = f"<{part.tag}> asks for {found:g} {what}; at most {most:,} are made for a robot."
        raise file_fault(part.path, text, part.line)
