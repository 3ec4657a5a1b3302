"""The Unified Robot Description Format: links with mass properties, joints that place and move them.

Read for dynamics: meshes are never opened, visuals, collisions, transmissions and the elements of
simulators are passed over. The child link's frame is the joint's frame (after = 1). A joint's origin is
a translation and Rz(yaw) Ry(pitch) Rx(roll); an inertia is given about the centre of mass, in the axes of
its own origin. xacro files are expanded first by the package xacrodoc.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from strobe.algebra import Inertia, Pose, Sym3, Vec3
from strobe.errors import Fault, MissingExtraError, ModelFileError, nearest
from strobe.models.assembly import (
    SNAP,
    Assembly,
    Faults,
    JointData,
    LinkData,
    assemble,
    nearly_right,
    snapped,
)
from strobe.models.inertial import Inertial
from strobe.models.joints import KINDS, Friction, Limits
from strobe.models.model import Coupling, Model
from strobe.models.safe_xml import Element, parse_xml, read_bytes
from strobe.models.urdf_writer import UNBOUNDED, write_urdf

__all__ = ["read_urdf", "read_xacro", "write_urdf"]

Triple = tuple[float, float, float]

TYPES = (*KINDS, "fixed")
WITH_AXIS = ("revolute", "continuous", "prismatic")
INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
UNIT = 1e-6  # how far the length of an axis may be from 1 before it is worth a note
SLIP = 0.8  # how alike two tags are for one to be a slip for the other

KNOWN = {  # what each element may contain; what is close to one of these, but not it, is a slip
    "robot": ("link", "joint", "transmission", "gazebo", "material", "sensor", "mujoco"),
    "link": ("inertial", "visual", "collision", "sensor", "contact"),
    "inertial": ("origin", "mass", "inertia"),
    "joint": (
        "origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration",
        "safety_controller",
    ),
}  # fmt: skip


def read_urdf(
    path: Path | str, *, text: str | None = None, snap: float | None = None, strict: bool = False
) -> Model:
    """The model in a URDF file (or in ``text``, under the name of a file), or every fault of it."""
    content = read_bytes(Path(path)) if text is None else text
    root = parse_xml(path, content)
    _require_robot(path, root)
    label = str(path)
    if Path(path).suffix.lower() == ".xacro" or any(
        element.tag.startswith("xacro:") for element in root.walk()
    ):
        root = parse_xml(path, _expanded(Path(path), content))
        label = f"{path} (expanded)"
        if not root.all("link"):
            text = "expands to no links; it may only define macros for other files to call."
            raise ModelFileError([Fault(str(path), text)])
    return assemble(_Reader(Faults(label, strict), SNAP if snap is None else snap).robot(root, Path(path)))


def read_xacro(path: Path | str, *, snap: float | None = None, strict: bool = False) -> Model:
    """The model in a xacro file; lines in its faults count in the expanded text."""
    return read_urdf(path, snap=snap, strict=strict)


def _require_robot(path: Path | str, root: Element) -> None:
    if root.tag == "robot":
        return
    what = {
        "mujoco": "this is MJCF; give the file the suffix .xml to read it as such.",
        "sdf": "this is SDF, which Strobe does not read; convert it to URDF.",
    }.get(root.tag, "a URDF file has <robot>.")
    raise ModelFileError([Fault(f"{path}:{root.line}", f"the root element is <{root.tag}>; {what}")])


class _Reader:
    """Turns elements into what `assemble` takes, and collects the faults on the way."""

    def __init__(self, faults: Faults, snap: float) -> None:
        self.faults = faults
        self.snap = snap

    def robot(self, root: Element, path: Path) -> Assembly:
        self._slips(root, "the robot")
        name = root.attributes.get("name", "").strip()
        if not name:
            name = path.name.split(".")[0] or "robot"
            self.faults.note(root.where, f'<robot> has no name; the file\'s own, "{name}", is used.')
        links = [link for element in root.all("link") if (link := self.link(element))]
        elements = root.all("joint")
        joints = [joint for element in elements if (joint := self.joint(element))]
        couplings = self.couplings(elements, {joint.name: joint.kind for joint in joints})
        return Assembly(name, links, joints, self.faults, couplings=couplings, source=path.name)

    # -- links --------------------------------------------------------------------------------------

    def link(self, element: Element) -> LinkData | None:
        name = self._name(element)
        if name is None:
            return None
        who = f'link "{name}"'
        self._slips(element, who)
        found = element.all("inertial")
        if len(found) > 1:
            self.faults.warning(found[1].where, f"{who} has {len(found)} <inertial>; the first is used.")
        return LinkData(name, self.inertial(found[0], who) if found else Inertial.zero(), element.where)

    def inertial(self, element: Element, who: str) -> Inertial:
        self._slips(element, who)
        mass, inertia, known = element.first("mass"), element.first("inertia"), len(self.faults.errors)
        if mass is None:
            self.faults.error(element.where, f'{who}: <inertial> has no <mass value="…"/>.')
        if inertia is None:
            self.faults.error(
                element.where, f"{who}: <inertial> has no <inertia ixx=… />; write zeros for a point mass."
            )
        m = self._number(mass, "value", who) if mass else 0.0
        entries = [self._number(inertia, name, who) for name in INERTIA] if inertia else [0.0] * 6
        pose = self._origin(element, who)
        if len(self.faults.errors) > known:  # nothing to be said about an inertia that was not understood
            entries = [0.0] * 6
        turned = pose.inertia(Inertia(0.0, Vec3.zero(), Sym3(*entries))).I
        return Inertial.at_com(m, pose.translation, turned)

    # -- joints -------------------------------------------------------------------------------------

    def joint(self, element: Element) -> JointData | None:
        name = self._name(element)
        if name is None:
            return None
        who = f'joint "{name}"'
        self._slips(element, who)
        kind = self._kind(element, who)
        parent, child = (self._end(element, role, who) for role in ("parent", "child"))
        before = self._origin(element, who, remark=True)
        axis = self._axis(element, kind, who) if kind in WITH_AXIS else (0.0, 0.0, 1.0)
        limits = self._limits(element, kind, who) if kind in WITH_AXIS else Limits()
        friction = self._friction(element, who)
        if parent is None or child is None:
            return None
        return JointData(
            name, kind, parent, child, before, axis, limits=limits, friction=friction, where=element.where
        )

    def _kind(self, element: Element, who: str) -> str:
        """The type of a joint; fixed where it is not known, so that the rest can be read."""
        kind = element.attributes.get("type", "").strip()
        if kind in TYPES:
            return kind
        if not kind:
            text = f"{who} has no type; give it one of {', '.join(TYPES)}."
        elif kind == "planar":
            text = (
                f"{who} is planar, which Strobe does not support; write two prismatic joints and a "
                "revolute one with massless links between them."
            )
        else:
            text = f'{who} has the unknown type "{kind}".{nearest(kind, TYPES)} Known: {", ".join(TYPES)}.'
        self.faults.error(element.where, text)
        return "fixed"

    def _end(self, element: Element, role: str, who: str) -> str | None:
        end = element.first(role)
        if end is None or not end.attributes.get("link"):
            where = element.where if end is None else end.where
            self.faults.error(where, f'{who} has no {role}; add <{role} link="…"/>.')
            return None
        return end.attributes["link"]

    def _axis(self, element: Element, kind: str, who: str) -> Triple:
        stated = element.first("axis")
        axis = self._triple(stated, "xyz", who, (1.0, 0.0, 0.0), required=True)
        size = math.hypot(*axis)
        where = stated.where if stated else element.where
        shown = f"({', '.join(f'{x:g}' for x in axis)})"
        if size == 0:
            self.faults.error(where, f"{who} has axis {shown}; a {kind} joint needs a unit axis.")
            return (1.0, 0.0, 0.0)
        if abs(size - 1) > UNIT:
            self.faults.note(where, f"{who} has axis {shown} of length {size:.6g}; normalised.")
        return axis

    def _limits(self, element: Element, kind: str, who: str) -> Limits:
        stated = element.first("limit")
        if stated is None:
            if kind != "continuous":
                text = f"{who} is {kind} and has no <limit>; treated as unlimited."
                self.faults.warning(element.where, text)
            return Limits()
        lower, upper, velocity, effort = (
            self._optional(stated, name, who) for name in ("lower", "upper", "velocity", "effort")
        )
        if kind == "continuous":
            lower = upper = None
        elif lower is None and upper is None:
            self.faults.note(stated.where, f"{who} has no lower and no upper limit; treated as unlimited.")
        else:  # one that is not stated is 0 by the rules of the format
            lower, upper = lower or 0.0, upper or 0.0
            if lower > upper:
                text = f"{who} has lower limit {lower:g} above upper limit {upper:g}; treated as unlimited."
                self.faults.warning(stated.where, text)
                lower = upper = None
        return Limits(_bound(lower, -math.inf), _bound(upper), _bound(velocity), effort=_bound(effort))

    def _friction(self, element: Element, who: str) -> Friction:
        stated = element.first("dynamics")
        if stated is None:
            return Friction()
        damping, coulomb = (self._number(stated, name, who, 0.0) for name in ("damping", "friction"))
        if coulomb < 0:
            text = f"{who} has friction {coulomb!r}; it must be zero or positive."
            self.faults.error(stated.where, text)
        return Friction(damping, (coulomb, -coulomb))

    def couplings(self, elements: Iterable[Element], kinds: Mapping[str, str]) -> list[Coupling]:
        """The mimic joints, each naming the moving joint that it follows."""
        found: dict[str, Coupling] = {}
        places: dict[str, str] = {}
        for element in elements:
            name, mimic = element.attributes.get("name", ""), element.first("mimic")
            if mimic is None or name not in kinds:
                continue
            who, target = f'joint "{name}"', mimic.attributes.get("joint", "")
            factor = self._number(mimic, "multiplier", who, 1.0)
            offset = self._number(mimic, "offset", who, 0.0)
            fault = _mimic_fault(name, target, kinds)
            if fault:
                self.faults.error(mimic.where, f"{who} {fault}")
            elif kinds[name] == "fixed":
                self.faults.note(mimic.where, f"{who} is fixed; its <mimic> has no effect.")
            else:
                found[name], places[name] = Coupling(name, {target: factor}, offset), mimic.where
        self._circles(found, places)
        return list(found.values())

    def _circles(self, couplings: Mapping[str, Coupling], places: Mapping[str, str]) -> None:
        reported: set[str] = set()
        for start in couplings:
            trail = [start]
            while trail[-1] in couplings and trail.count(trail[-1]) == 1:
                trail += couplings[trail[-1]].terms
            if trail[-1] in couplings and trail[-1] == start and start not in reported:
                reported |= set(trail)
                chain = " -> ".join(f'"{name}"' for name in trail)
                self.faults.error(places[start], f"the joints {chain} mimic each other in a circle.")

    # -- attributes ---------------------------------------------------------------------------------

    def _name(self, element: Element) -> str | None:
        name = element.attributes.get("name", "")
        if name.strip():
            return name
        self.faults.error(element.where, f'a <{element.tag}> has no name; give it name="…".')
        return None

    def _slips(self, element: Element, who: str) -> None:
        """Misspelled elements, which would otherwise be passed over."""
        known = KNOWN[element.tag]
        for child in element.children:
            close = difflib.get_close_matches(child.tag, known, n=1, cutoff=SLIP)
            if child.tag not in known and close:
                text = f"{who}: unknown element <{child.tag}> is passed over. Did you mean <{close[0]}>?"
                self.faults.warning(child.where, text)

    def _origin(self, element: Element, who: str, remark: bool = False) -> Pose:
        stated = element.first("origin")
        xyz, rpy = (self._triple(stated, name, who, (0.0, 0.0, 0.0)) for name in ("xyz", "rpy"))
        if remark and stated and any(nearly_right(angle, self.snap) for angle in rpy):
            shown = " ".join(f"{angle:g}" for angle in rpy)
            self.faults.note(
                stated.where,
                f'{who} has rpy "{shown}", close to right angles but not equal to them; kept. Load with '
                "snap=1e-4 if right angles are meant.",
            )
        roll, pitch, yaw = (snapped(angle, self.snap) for angle in rpy)
        return Pose.at(xyz, (roll, pitch, yaw))

    def _triple(
        self, element: Element | None, attribute: str, who: str, default: Triple, required: bool = False
    ) -> Triple:
        if element is None:
            return default
        if attribute not in element.attributes and not required:
            return default
        values = self._values(element, attribute, who, 3)
        return (values[0], values[1], values[2]) if values else default

    def _number(self, element: Element, attribute: str, who: str, default: float | None = None) -> float:
        """One number; zero after saying what is wrong with it."""
        if default is not None and attribute not in element.attributes:
            return default
        return (*self._values(element, attribute, who, 1), 0.0)[0]

    def _optional(self, element: Element, attribute: str, who: str) -> float | None:
        """One number, or None where it is not stated."""
        return self._number(element, attribute, who) if attribute in element.attributes else None

    def _values(self, element: Element, attribute: str, who: str, count: int) -> Sequence[float]:
        """The numbers of an attribute, or none after saying what is wrong with them."""
        text = element.attributes.get(attribute)
        place = f"{who}: <{element.tag}>"
        if text is None:
            self.faults.error(element.where, f"{place} has no attribute {attribute}.")
            return ()
        found = f'{place} has {attribute}="{_short(text)}"'
        if "," in text:
            self.faults.error(element.where, f"{found}; separate numbers by spaces, decimals by a point.")
            return ()
        words = text.split()
        if len(words) != count:
            expected = "one number" if count == 1 else f"{count} numbers"
            self.faults.error(element.where, f"{found}; expected {expected}, found {len(words)}.")
            return ()
        try:
            values = [_decimal(word) for word in words]
        except ValueError as error:
            self.faults.error(element.where, f'{found}; "{_short(str(error))}" is not a finite number.')
            return ()
        return values


def _bound(value: float | None, missing: float = math.inf) -> float:
    """A limit; infinite where none is stated, or one so large that none is meant."""
    if value is None:
        return missing
    return math.copysign(math.inf, value) if abs(value) >= UNBOUNDED else value


def _decimal(word: str) -> float:
    """A finite number as files write it; raises ValueError with the word."""
    try:
        value = float(word)
    except ValueError:
        raise ValueError(word) from None
    if not math.isfinite(value) or "_" in word:
        raise ValueError(word)
    return value


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _mimic_fault(name: str, target: str, kinds: Mapping[str, str]) -> str:
    """What is wrong with one joint following another, or nothing."""
    if not target:
        return 'has a <mimic> without a joint; write <mimic joint="…"/>.'
    if target not in kinds:
        return f'mimics "{target}", which does not exist.{nearest(target, kinds)}'
    if target == name:
        return "mimics itself."
    if kinds[target] not in WITH_AXIS:
        return f'mimics "{target}", which is {kinds[target]}; a joint with one degree of freedom is needed.'
    if kinds[name] not in (*WITH_AXIS, "fixed"):
        return f"is {kinds[name]} and cannot mimic another; only joints with one degree of freedom can."
    return ""


# -- xacro ----------------------------------------------------------------------------------------------

LEVELS = 4  # folders above a xacro file that are searched for the packages it names
SUFFIXES = ("", "_description", "_support")  # what a package's name and its folder's may differ by


def _expanded(path: Path, content: bytes | str) -> str:
    """The text of a xacro file with its macros, properties and includes worked out.

    Expanding evaluates the file's own expressions and reads the files it includes: it is for files
    that one trusts as one trusts a script.
    """
    try:
        import xacro
        from xacrodoc import XacroDoc, packages
    except ImportError:
        raise MissingExtraError(f"{path} (xacro)", "xacrodoc", "xacro") from None
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    packages.reset()
    packages.walk_up_from(path)
    packages.update_package_cache(_packages_around(path.resolve()))
    xacro.init_stacks(str(path))  # includes are relative to this file
    try:
        return XacroDoc.from_string(text, resolve_packages=False).dom.toxml()
    except Exception as error:  # whatever the file's own expressions raise
        cause = getattr(error, "exc", None) or error
        if isinstance(cause, packages.PackageNotFoundError):
            text = f'needs the package "{cause.args[0]}"; put its folder beside the one of this file.'
        else:
            text = f"xacro cannot expand it: {_short(' '.join(str(error).split()), 300)}"
        raise ModelFileError([Fault(str(path), text)]) from None


def _packages_around(path: Path) -> dict[str, Path]:
    """Folders near a file under every package name that they may stand for; the nearest wins."""
    found: dict[str, Path] = {}
    for folder in list(path.parents)[:LEVELS]:
        for near in (folder, *sorted(child for child in _children(folder) if child.is_dir())):
            stem = near.name.removesuffix("_description").removesuffix("_support")
            for suffix in SUFFIXES:
                found.setdefault(stem + suffix, near)
    return found


def _children(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
