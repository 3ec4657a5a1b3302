"""A model file judged part by part: every inertia, limit, frame, angle, coupling, name and mesh, with a cure.

A reader says what it could not take as it stood. A doctor also says what is doubtful though it can be taken: what no
body is made of, what no drive could do, what other tools would refuse. Severities:

    serious     what is computed with it is wrong, or not defined
    doubtful    it can hardly be meant
    note        worth knowing, harmless

    found = examine("arm.urdf")
    print(found)
    text = found.repaired().text        # the same file with what can be mended safely, and nothing else changed
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from strobe.errors import Fault, ModelFileError, counted
from strobe.files.faults import Faults
from strobe.files.xml import Element
from strobe.models import doctor_inertias, doctor_joints, doctor_names
from strobe.models.assembly import Assembly, JointData, LinkData, assemble
from strobe.models.findings import DOUBTFUL, NOTE, SERIOUS, SEVERITIES, Finding, Group, grouped
from strobe.models.load import is_urdf, load_model
from strobe.models.model import ROOT, Body, Model
from strobe.models.urdf import read_urdf_data

if TYPE_CHECKING:
    from strobe.models.repairs import Repaired

OF_FAULT = {"error": SERIOUS, "warning": DOUBTFUL, "note": NOTE}
JUDGED_HERE = ("inertia", "angles", "axis", "limits")  # topics of the readers that are judged anew


@dataclass(frozen=True, eq=False)
class Examination:
    """What was found, most serious first, and what was looked at."""

    name: str
    path: str  # or the name of a built-in robot
    findings: tuple[Finding, ...]
    links: int
    joints: int  # fixed ones included
    moving: int
    model: Model | None  # none where the file cannot be read
    document: Element | None  # of a URDF whose text can be changed

    @property
    def serious(self) -> bool:
        """Whether something makes what is computed wrong, or keeps the file from being read."""
        return any(finding.severity == SERIOUS for finding in self.findings)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The findings, those that say the same of several parts in one."""
        return grouped(self.findings)

    @property
    def count(self) -> dict[str, int]:
        """How many of each severity, those that say the same counted once."""
        return {s: sum(group.severity == s for group in self.groups) for s in SEVERITIES}

    def repaired(self) -> Repaired:
        """The file with what can be mended without guessing, and what that was."""
        from strobe.models.repairs import repaired

        return repaired(self)

    @property
    def headline(self) -> str:
        size = f"{counted(self.links, 'link')}, {counted(self.joints, 'joint')} ({self.moving} moving)"
        found = ", ".join(
            f"{n} {severity if severity != NOTE or n == 1 else 'notes'}"
            for severity, n in self.count.items()
            if n
        )
        return f"{self.name}: {size}: {found or 'nothing to complain of'}"

    def __str__(self) -> str:
        lines = [f"{group.severity}: {group}" for group in self.groups]
        return "\n".join([self.headline, *lines])

    def __repr__(self) -> str:
        return f"<{self.headline}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def examine(source: str | PathLike[str]) -> Examination:
    """Judge a model file, or a built-in robot, part by part; one that cannot be read is judged as far as it can."""
    path = fspath(source)
    if is_urdf(path):
        return _examined_urdf(path)
    try:
        model = load_model(path)
    except ModelFileError as error:
        return _unreadable(path, error.faults)
    return _examination(path, _data(model, path), model, None)


def examine_text(path: str, text: str, format: str) -> Examination:
    """The same of a text that would stand in a file, in the format urdf or toml."""
    if format == "urdf":
        return _examined_urdf(path, text)
    from strobe.models.toml_reader import read_toml

    model = read_toml(path, text=text)
    return _examination(path, _data(model, path), model, None)


def _examined_urdf(path: str, text: str | None = None) -> Examination:
    plain = str(Path(path).with_suffix(".urdf")) if text is not None else path  # text is expanded already
    try:
        document, data = read_urdf_data(plain, text=text)
    except ModelFileError as error:
        return _unreadable(path, error.faults)
    try:
        model = assemble(data)
    except ModelFileError:
        model = None
    found = _examination(path, data, model, document)
    return replace(found, document=None) if Path(plain).suffix.lower() == ".xacro" else found


def _unreadable(path: str, faults: Sequence[Fault]) -> Examination:
    """What could not even be looked into."""
    return Examination(Path(path).name, path, tuple(_from_faults(faults)), 0, 0, 0, None, None)


def _examination(path: str, data: Assembly, model: Model | None, document: Element | None) -> Examination:
    found = [*_from_faults(data.faults.found), *_judged(data, model, document)]
    order = sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))
    moving = sum(not joint.is_fixed for joint in data.joints)
    return Examination(
        data.name, path, tuple(order), len(data.links), len(data.joints), moving, model, document
    )


def _judged(data: Assembly, model: Model | None, document: Element | None) -> Iterator[Finding]:
    yield from doctor_inertias.judged(data)
    yield from doctor_joints.judged(data, model, document)
    yield from doctor_names.judged(data, document)


def _from_faults(faults: Iterable[Fault]) -> Iterator[Finding]:
    """What the reader said, but for what is judged anew."""
    for fault in faults:
        if fault.severity != "error" and fault.topic in JUDGED_HERE:
            continue
        yield Finding(OF_FAULT[fault.severity], "file", "", fault.where, fault.text)


def _data(model: Model, path: str) -> Assembly:
    """A model of another format as links and joints: those that are fixed are merged into others already."""
    links = [LinkData(model.base_name, model.base_inertial)]
    links += [LinkData(body.name, body.inertial) for body in model.bodies]
    faults = Faults(path)
    faults.found += model.notes
    joints = [_joint(model, body) for body in model.bodies]
    return Assembly(model.name, links, joints, faults, couplings=list(model.couplings), source=model.source)


def _joint(model: Model, body: Body) -> JointData:
    parent = model.base_name if body.parent == ROOT else model.bodies[body.parent].name
    joint = body.joint
    return JointData(
        joint.name, joint.kind, parent, body.name, body.before, after=body.after, limits=joint.limits,
        motor=joint.motor, friction=joint.friction, pitch=joint.pitch,  # pyright: ignore[reportArgumentType]
    )  # fmt: skip
