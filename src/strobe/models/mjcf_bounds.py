"""How much an MJCF file may ask for, counted before MuJoCo starts.

A short text asks for gigabytes by copies (`replicate`, `attach`), by bodies of cells (`flexcomp`, `composite`) and by
sizes of arrays. All that one model would make is added up, with what it includes and attaches. Of every kind of
element MuJoCo's compiler looks at all others, or works out a matrix: its time grows with the square of their number,
and alike ones are counted too. What is not foreseen here meets the limits of the process that MuJoCo runs in
(`mjcf_process`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

from strobe.files.reading import file_fault

MOST_MODELS = 200
MOST_COPIES = 1_000  # of what is replicated, one inside the other
MOST_CELLS = 10_000  # of one flexible body
MOST_EACH = 10_000  # of anything else
MOST_MADE = 50_000  # elements beyond those that are written out
MOST_ALIKE = 20_000  # elements of one kind: a second or less of most, where 200,000 take minutes
MOST_JOINTS = 10_000  # which take three
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
    alike: Mapping[str, float]  # by their kinds


def count(root: Part, attached: Mapping[str, Made]) -> Made:
    """The elements that a model makes, or a `ModelFileError` where they are too many."""
    counted = _Count(root, attached)
    return Made(root.attributes.get("model", ""), counted.total, counted.alike)


class _Count:
    """One count of a model, in the order in which MuJoCo makes it; those that it attaches were counted before."""

    def __init__(self, root: Part, attached: Mapping[str, Made]) -> None:
        self.attached = attached
        self.total = 0.0
        self.written = 0
        self.alike: Counter[str] = Counter()
        # of open bodies: the total before them, and their copies
        self.begun: dict[str, tuple[float, float]] = {}
        self.sizes: dict[str, float] = {}  # of those that are closed
        self.largest = max((made.elements for made in attached.values()), default=1.0)
        self.add(root, 1.0)

    def add(self, part: Part, copies: float) -> None:
        """Count a part as often as it is made, at the part where it becomes too much."""
        name = part.attributes.get("name", "") if part.tag in PLACES else ""
        if name:
            self.begun[name] = self.total, copies
        inside = self._copies(part, copies)
        self._require_each(part)
        self.total += inside * self._own(part)
        self.written += 1
        if not self.total - self.written <= MOST_MADE:
            self._refuse(part)
        self._require_few_alike(part, inside)
        for child in part.children:
            self.add(child, inside)
        if name:
            self.sizes[name] = self._size(name)
            self.largest = max(self.largest, self.sizes[name])
            self.begun.pop(name, None)

    def _copies(self, part: Part, copies: float) -> float:
        if part.tag != "replicate":
            return copies
        copies *= max(_largest(part.attributes.get("count", "1")), 1)
        _require_most(part, "copies", copies, MOST_COPIES)
        return copies

    def _own(self, part: Part) -> float:
        """The elements that one part makes, those inside it aside."""
        if part.tag == "attach":
            return self._attached(part.attributes)
        if part.tag not in ARRAYS:
            return 1.0
        counts = [_numbers(part.attributes.get(name, "1")) for name in CELLS]
        cells = prod(max(number, 1.0) for numbers in counts for number in numbers)
        _require_most(part, "cells", cells, MOST_CELLS)
        return cells * PER_CELL

    def _attached(self, stated: Mapping[str, str]) -> float:
        """A model, or a body or frame of this one as far as it is made; one that copies have named may be any."""
        if "model" in stated:
            known = self.attached.get(stated["model"])
            return known.elements if known else 1.0
        return self._size(stated.get("body") or stated.get("frame") or "")

    def _size(self, name: str) -> float:
        if name in self.begun:
            before, copies = self.begun[name]
            return (self.total - before) / copies
        return self.sizes.get(name, self.largest)

    def _require_few_alike(self, part: Part, copies: float) -> None:
        """Count the elements of this kind, and of all kinds in a model that is attached."""
        known = self.attached.get(part.attributes.get("model", "")) if part.tag == "attach" else None
        for kind, number in (known.alike if known else {_kind(part): 1.0}).items():
            self.alike[kind] += copies * number  # pyright: ignore[reportArgumentType]
            most = MOST_JOINTS if kind == "joint" else MOST_ALIKE
            if self.alike[kind] > most:
                text = f"with it there are more than {most:,} elements <{kind}>, the most that are made for a robot."
                raise file_fault(part.path, text, part.line)

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


def _kind(part: Part) -> str:
    return "joint" if part.tag == "freejoint" else part.tag


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
