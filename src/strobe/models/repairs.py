"""What a doctor mends without guessing, each told, and nothing else of the file touched.

    inertia     that no body has: the nearest that one has, by its second moments. Those that bodies have are a convex
                set, so that the nearest is nearer than the stated one to every inertia that may have been meant
    angles      right angles written with few digits: all digits; noise of single precision: zero
    axis        of any length: a unit vector
    limits      a revolute joint that has none: continuous, which is what it is

A URDF file is changed in its text, value by value. Other files are written anew from the model, which says what the
format, or the writer, cannot keep.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from strobe.algebra import Sym3
from strobe.errors import ArgumentError, counted
from strobe.files.reading import read_bytes
from strobe.files.xml import Element, with_attributes
from strobe.models.assembly import SNAP, nearly_right
from strobe.models.checks import UNIT, broken_rule, nearest_valid
from strobe.models.doctor_inertias import NOTHING
from strobe.models.doctor_joints import bounded, rounded_right
from strobe.models.findings import Finding
from strobe.models.inertial import ENTRIES, Inertial, principal_moments
from strobe.models.joints import CONTINUOUS, FIXED, REVOLUTE, kind_of
from strobe.models.model import Model
from strobe.models.urdf import TYPES, read_urdf, read_urdf_data
from strobe.models.writers import WRITERS, written

if TYPE_CHECKING:
    from strobe.models.doctor import Examination

# of the trace: how far inside of what bodies have an inertia is put, for rounding of the digits
INWARDS = 1e-12


@dataclass(frozen=True, slots=True)
class Repair:
    """One change: of which part, from what to what."""

    part: str
    where: str
    what: str

    def __str__(self) -> str:
        return (
            f"{self.part} (line {self.where}): {self.what}" if self.where else f"{self.part}: {self.what}"
        )


@dataclass(frozen=True, eq=False)
class Repaired:
    """A file with what could be mended, what that was, and what the writer remarks."""

    source: str
    format: str  # of the text
    text: str
    repairs: tuple[Repair, ...]
    remarks: tuple[str, ...]
    left: tuple[Finding, ...]  # what is wrong with it still

    def to(self, format: str) -> Repaired:
        """The same in another format, urdf or toml."""
        if format == self.format:
            return self
        text, remarks = written(_read(self), format)
        return replace(self, format=format, text=text, remarks=(*self.remarks, *remarks))

    def __str__(self) -> str:
        done = f"{self.source} as {self.format}: {counted(len(self.repairs), 'repair')}, {len(self.left)} left to you"
        return "\n".join([done, *map(str, self.repairs), *self.remarks])

    def __repr__(self) -> str:
        return f"<{str(self).splitlines()[0]}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def repaired(found: Examination) -> Repaired:
    """The file of an examination with what can be mended; one that cannot be read is refused."""
    if found.model is None:
        raise ArgumentError(
            f"{found.path} cannot be read, and so not be repaired: mend what is called serious first."
        )
    if found.document is not None and (content := _utf8(found.path)) is not None:
        document, _ = read_urdf_data(found.path, text=content.decode("utf-8"))  # as it is by now
        changes, repairs = _changes(document)
        text = with_attributes(content, changes).decode("utf-8")
        return _checked(Repaired(found.path, "urdf", text, tuple(repairs), (), ()))
    model, repairs = _mended(found.model)
    format = Path(found.path).suffix.lower().lstrip(".")
    format = format if format in WRITERS else "urdf" if format == "xacro" else "toml"
    text, remarks = written(model, format)
    return _checked(Repaired(found.path, format, text, tuple(repairs), tuple(remarks), ()))


def _utf8(path: str) -> bytes | None:
    """The bytes of a file, where they are text in UTF-8: positions are those of it."""
    content = read_bytes(Path(path))
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    declared = content.split(b"?>", 1)[0].lower() if content.lstrip().startswith(b"<?") else b""
    return content if b"encoding" not in declared or b"utf-8" in declared or b"ascii" in declared else None


def _read(made: Repaired) -> Model:
    if made.format == "urdf":
        return read_urdf("repaired.urdf", text=made.text)
    from strobe.models.toml_reader import read_toml

    return read_toml("repaired.toml", text=made.text)


def _checked(made: Repaired) -> Repaired:
    """With what is wrong still, by looking at it once more."""
    from strobe.models.doctor import examine_text

    return replace(made, left=examine_text(made.source, made.text, made.format).findings)


# -- the text of a URDF -------------------------------------------------------------------------------


def _changes(document: Element) -> tuple[dict[int, dict[str, str]], list[Repair]]:
    """New attributes of elements by their number, and what they are."""
    numbers = {id(element): k for k, element in enumerate(document.walk())}
    changes: dict[int, dict[str, str]] = {}
    repairs: list[Repair] = []
    parts = [(link, _of_link(link)) for link in document.all("link")]
    parts += [(joint, _of_joint(joint)) for joint in document.all("joint")]
    for part, found in parts:
        for element, attributes, what in found:
            changes.setdefault(numbers[id(element)], {}).update(attributes)
            name = part.attributes.get("name", "")
            repairs.append(Repair(f'{part.tag} "{name}"', element.where, what))
    return changes, repairs


Change = tuple[Element, Mapping[str, str], str]


def _of_link(link: Element) -> Iterator[Change]:
    inertial = link.first("inertial")
    stated = inertial.first("inertia") if inertial else None
    mass = inertial.first("mass") if inertial else None
    if stated is None or mass is None or not float(mass.attributes["value"]):
        return
    I = Sym3(*(float(stated.attributes[name]) for name in ENTRIES))
    if _impossible(I):
        new = _nearest(I)
        yield stated, dict(zip(ENTRIES, (_number(x) for x in new), strict=True)), _told(I, new)


def _of_joint(joint: Element) -> Iterator[Change]:
    kind = joint.attributes.get("type", "").strip()
    origin, axis, limit = (joint.first(tag) for tag in ("origin", "axis", "limit"))
    if origin is not None and (old := origin.attributes.get("rpy")):
        new = " ".join(_righted(word) for word in old.split())
        if new != " ".join(old.split()):
            yield origin, {"rpy": new}, f'rpy "{old}" is now "{new}"'
    if axis is not None and kind_of(TYPES.get(kind, FIXED.name)).has_axis:
        x = [float(word) for word in axis.attributes.get("xyz", "1 0 0").split()]
        size = math.hypot(*x)
        if abs(size - 1) > UNIT:
            new = " ".join(_number(a / size) for a in x)
            yield axis, {"xyz": new}, f'axis "{axis.attributes["xyz"]}" is now "{new}"'
    if kind == REVOLUTE.urdf and not bounded(limit):
        yield joint, {"type": CONTINUOUS.urdf}, f"{kind} without limits is now {CONTINUOUS.urdf}"


def _righted(word: str) -> str:
    """An angle with all its digits where it is a right one, else as it was written."""
    angle = float(word)
    if not (nearly_right(angle, SNAP) and rounded_right(angle)):
        return word
    return _number(round(angle / (math.pi / 2)) * (math.pi / 2))


# -- models -------------------------------------------------------------------------------------------


def _mended(model: Model) -> tuple[Model, list[Repair]]:
    """A model with inertias that bodies have."""
    repairs: list[Repair] = []
    bodies = list(model.bodies)
    for k, body in enumerate(bodies):
        stated = body.inertial
        if (
            stated.m
            and stated.central is not None
            and stated.com is not None
            and _impossible(stated.central)
        ):
            new = _nearest(stated.central)
            bodies[k] = replace(body, inertial=Inertial.at_com(stated.m, stated.com, new))
            repairs.append(Repair(f'link "{body.name}"', "", _told(stated.central, new)))
    return replace(model, bodies=tuple(bodies), golden=()) if repairs else model, repairs


def _impossible(I: Sym3) -> bool:
    large = max(abs(cast(float, x)) for x in I) > NOTHING
    return large and bool(broken_rule(principal_moments(I)))


def _nearest(I: Sym3) -> Sym3:
    """The nearest inertia of a body, a hair inside."""
    near = nearest_valid(I)
    more = INWARDS * sum(abs(cast(float, x)) for x in (near.xx, near.yy, near.zz))
    return near + Sym3(more, more, more, 0.0, 0.0, 0.0)


def _told(old: Sym3, new: Sym3) -> str:
    before, after = (", ".join(f"{x:.4g}" for x in principal_moments(I)) for I in (old, new))
    return f"principal moments {before} are now {after} kg m²"


def _number(x: object) -> str:
    return repr(float(cast(float, x)) + 0.0)
