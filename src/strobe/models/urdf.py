"""The Unified Robot Description Format: links with mass properties, joints that place and move them.

Read for dynamics: meshes are never opened, visuals, collisions, transmissions and the elements of
simulators are passed over. The child link's frame is the joint's frame (after = 1). A joint's origin is
a translation and Rz(yaw) Ry(pitch) Rx(roll); an inertia is given about the centre of mass, in the axes of
its own origin. Files with the suffix .xacro, and texts with elements of xacro, are expanded first (`xacro`).
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from strobe.algebra import Inertia, Pose, Sym3, Vec3
from strobe.errors import nearest
from strobe.files.faults import Faults
from strobe.files.reading import file_fault, read_bytes
from strobe.files.tables import finite_decimal
from strobe.files.xml import Element, parse_xml
from strobe.models.assembly import (
    LARGEST_ANGLE,
    SNAP,
    Assembly,
    JointData,
    LinkData,
    assemble,
    nearly_right,
    require_number,
    snapped,
)
from strobe.models.inertial import ENTRIES, Inertial
from strobe.models.joints import FIXED, KINDS, Friction, Limits, kind_of
from strobe.models.model import Coupling, Model
from strobe.models.names import NAMELESS, is_file
from strobe.models.urdf_writer import UNBOUNDED
from strobe.models.xacro import PREFIX, expanded

Triple = tuple[float, float, float]

TYPES = {kind.urdf: kind.name for kind in (*KINDS.values(), FIXED) if kind.urdf}
SLIP = 0.75  # how alike two words are for one to be a slip for the other

ONCE = {  # what each element contains at most once
    "link": ("inertial",),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
}
PASSED_OVER = {  # what is known and says nothing about dynamics; anything in <robot> may be an extension
    "link": (
        "visual", "collision", "sensor", "contact", "gazebo", "collision_checking", "self_filter", "surface",
        "kinematic", "gravity", "verbose",
    ),
    "joint": ("calibration", "safety_controller", "gazebo"),
    "robot": ("link", "joint", "transmission", "gazebo", "material", "sensor", "mujoco"),
}  # fmt: skip
ATTRIBUTES = {
    "robot": ("name", "version", "xmlns"),
    "link": ("name", "type"),
    "joint": ("name", "type"),
    "origin": ("xyz", "rpy"),
    "mass": ("value",),
    "inertia": ENTRIES,
    "parent": ("link",),
    "child": ("link",),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "velocity", "effort"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
}
EXTENDED = ("robot", "link", "joint", "limit", "dynamics")  # real files add attributes of their own here


def read_urdf(
    path: Path | str, *, text: str | bytes | None = None, snap: float | None = None, strict: bool = False
) -> Model:
    """The model in a URDF file (or in ``text``, under the name of a file), or every fault of it."""
    return assemble(read_urdf_data(path, text=text, snap=snap, strict=strict)[1])


def read_urdf_data(
    path: Path | str, *, text: str | bytes | None = None, snap: float | None = None, strict: bool = False
) -> tuple[Element, Assembly]:
    """What a URDF file says, as elements and as links and joints that are not assembled yet."""
    content = read_bytes(Path(path)) if text is None else text
    root = parse_xml(path, content)
    _require_robot(path, root)
    if _is_xacro(path, root):
        root = expanded(Path(path), root)
        if not root.all("link"):
            text = "expands to no links; it may only define macros for other files to call."
            raise file_fault(path, text)
    _refuse_xacro(path, root)
    reader = _Reader(Faults(str(path), strict), SNAP if snap is None else snap)
    return root, reader.robot(root, Path(path))


def _is_xacro(path: Path | str, root: Element) -> bool:
    """xacro is a program: it runs where the file's name says that it is one, or a text, which names no files."""
    return Path(path).suffix.lower() == ".xacro" if is_file(path) else _first_of_xacro(root) is not None


def _refuse_xacro(path: Path | str, root: Element) -> None:
    if element := _first_of_xacro(root):
        text = f"<{element.tag}> is xacro; rename the file to {Path(path).name}.xacro to have it expanded."
        raise file_fault(path, text, element.line)


def _first_of_xacro(root: Element) -> Element | None:
    return next((element for element in root.walk() if element.tag.startswith(PREFIX)), None)


def _require_robot(path: Path | str, root: Element) -> None:
    if root.tag == "robot":
        return
    what = {
        "mujoco": "this is MJCF; give the file the suffix .xml to read it as such.",
        "sdf": "this is SDF, which Strobe does not read; convert it to URDF.",
    }.get(root.tag, "a URDF file has <robot>.")
    raise file_fault(path, f"the root element is <{root.tag}>; {what}", root.line)


class _Reader:
    """Turns elements into what `assemble` takes, and collects the faults on the way."""

    def __init__(self, faults: Faults, snap: float) -> None:
        self.faults = faults
        self.snap = snap

    def robot(self, root: Element, path: Path) -> Assembly:
        self._slips(root, "the robot")
        name = root.attributes.get("name", "").strip()
        if not name:
            name = (path.name.split(".")[0] if is_file(path) else "") or NAMELESS
            whose = "the file's own, " if is_file(path) else ""
            self.faults.note(root.where, f'<robot> has no name; {whose}"{name}", is used.')
        require_number(max(len(root.all("link")), len(root.all("joint"))), self.faults)
        links = [link for element in root.all("link") if (link := self.link(element))]
        elements = root.all("joint")
        joints = [joint for element in elements if (joint := self.joint(element))]
        couplings = self.couplings(elements, {joint.name: joint.kind for joint in joints})
        return Assembly(
            name, links, joints, self.faults, couplings=couplings, source=path.name if is_file(path) else ""
        )

    # -- links --------------------------------------------------------------------------------------

    def link(self, element: Element) -> LinkData | None:
        name = self._name(element)
        if name is None:
            return None
        who = f'link "{name}"'
        self._slips(element, who)
        stated = element.first("inertial")
        if stated is None:
            return LinkData(name, where=element.where)
        inertial, axes = self.inertial(stated, who)
        return LinkData(name, inertial, element.where, axes)

    def inertial(self, element: Element, who: str) -> tuple[Inertial, Pose]:
        """Mass properties in the axes of the link, and the axes that they were stated in."""
        self._slips(element, who)
        mass, inertia, known = element.first("mass"), element.first("inertia"), len(self.faults.errors)
        if mass is None:
            self.faults.error(element.where, f'{who}: <inertial> has no <mass value="…"/>.')
        if inertia is None:
            self.faults.error(
                element.where, f"{who}: <inertial> has no <inertia ixx=… />; write zeros for a point mass."
            )
        m = self._number(mass, "value", who) if mass else 0.0
        entries = [self._number(inertia, name, who) for name in ENTRIES] if inertia else [0.0] * 6
        pose = self._origin(element, who)
        if len(self.faults.errors) > known:  # nothing to be said about an inertia that was not understood
            entries = [0.0] * 6
        turned = pose.inertia(Inertia(0.0, Vec3.zero(), Sym3(*entries))).I
        return Inertial.at_com(m, pose.translation, turned), pose

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
        axis = element.first("axis") if kind_of(kind).has_axis else None
        limits = self._limits(element, kind, who) if kind_of(kind).nv == 1 else Limits()
        friction = self._friction(element, who)
        if parent is None or child is None:
            return None
        return JointData(
            name,
            kind,
            parent,
            child,
            before,
            self._axis(axis, who),
            limits=limits,
            friction=friction,
            where=element.where,
            axis_where=axis.where if axis else "",
        )

    def _kind(self, element: Element, who: str) -> str:
        """The type of a joint; fixed where it is not known, so that the rest can be read."""
        kind = element.attributes.get("type", "").strip()
        if kind in TYPES:
            return TYPES[kind]
        if not kind:
            text = f"{who} has no type; give it one of {', '.join(TYPES)}."
        else:
            text = f'{who} has the unknown type "{kind}".{nearest(kind, TYPES)} Known: {", ".join(TYPES)}.'
        self.faults.error(element.where, text)
        return FIXED.name

    def _end(self, element: Element, role: str, who: str) -> str | None:
        end = element.first(role)
        if end is None or not end.attributes.get("link"):
            where = element.where if end is None else end.where
            self.faults.error(where, f'{who} has no {role}; add <{role} link="…"/>.')
            return None
        return end.attributes["link"]

    def _axis(self, stated: Element | None, who: str) -> Triple:
        """The axis; x where it is not stated, or not understood."""
        values = self._values(stated, "xyz", who, 3) if stated else ()
        return (values[0], values[1], values[2]) if values else (1.0, 0.0, 0.0)

    def _limits(self, element: Element, kind: str, who: str) -> Limits:
        stated = element.first("limit")
        if stated is None:
            if not kind_of(kind).unlimited:
                text = f"{who} is {kind} and has no <limit>; treated as unlimited."
                self.faults.warning(element.where, text, "limits")
            return Limits()
        lower, upper, velocity, effort = (
            self._optional(stated, name, who) for name in ("lower", "upper", "velocity", "effort")
        )
        if kind_of(kind).unlimited:
            lower = upper = None
        elif lower is None and upper is None:
            text = f"{who} has no lower and no upper limit; treated as unlimited."
            self.faults.note(stated.where, text, "limits")
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
        found: list[Coupling] = []
        for element in elements:
            name, mimic = element.attributes.get("name", ""), element.first("mimic")
            if mimic is None or name not in kinds:
                continue
            who, target = f'joint "{name}"', mimic.attributes.get("joint", "")
            factor = self._number(mimic, "multiplier", who, 1.0)
            offset = self._number(mimic, "offset", who, 0.0)
            fault = _mimic_fault(name, target, kinds, self.faults)
            if fault:
                self.faults.error(mimic.where, f"{who} {fault}")
            elif kinds[name] == FIXED.name:
                self.faults.note(mimic.where, f"{who} is fixed; its <mimic> has no effect.")
            else:
                found.append(Coupling(name, {target: factor}, offset))
        return found

    # -- attributes ---------------------------------------------------------------------------------

    def _name(self, element: Element) -> str | None:
        name = element.attributes.get("name", "")
        if name.strip():
            return name
        self.faults.error(element.where, f'a <{element.tag}> has no name; give it name="…".')
        return None

    def _slips(self, element: Element, who: str) -> None:
        """What would be passed over without a word: misspelled or repeated elements and attributes."""
        for child in element.children:
            self._unknown_element(element, child, who)
            if child.tag in ONCE.get(element.tag, ()) and child.tag not in ONCE:
                self._unknown_attributes(child, who)
        for tag in ONCE.get(element.tag, ()):
            if len(found := element.all(tag)) > 1:
                self.faults.warning(found[1].where, f"{who} has {len(found)} <{tag}>; the first is used.")
        self._unknown_attributes(element, who)

    def _unknown_element(self, element: Element, child: Element, who: str) -> None:
        known = (*ONCE.get(element.tag, ()), *PASSED_OVER.get(element.tag, ()))
        if child.tag in known or ":" in child.tag:
            return
        close = _slip(child.tag, known)
        if close or element.tag != "robot":
            hint = f" Did you mean <{close}>?" if close else ""
            text = f"{who}: unknown element <{child.tag}> is passed over.{hint}"
            self.faults.warning(child.where, text)

    def _unknown_attributes(self, element: Element, who: str) -> None:
        """Where the right attribute is there too, an unknown one is no slip for it."""
        known = ATTRIBUTES.get(element.tag, ())
        missing = [name for name in known if name not in element.attributes]
        unknown = [name for name in element.attributes if name not in known and ":" not in name]
        foreign: list[str] = []
        for name in unknown:
            hint = nearest(name, missing)
            if element.tag in EXTENDED and not hint:
                foreign.append(name)
            else:
                text = f"{who}: unknown attribute {name} of <{element.tag}> is passed over."
                self.faults.warning(element.where, text + hint)
        if foreign and element.tag in ("limit", "dynamics"):
            text = f"{who}: of <{element.tag}> nothing is made of {', '.join(foreign)}."
            self.faults.note(element.where, text)

    def _origin(self, element: Element, who: str, remark: bool = False) -> Pose:
        stated = element.first("origin")
        xyz, rpy = (self._triple(stated, name, who) for name in ("xyz", "rpy"))
        if stated and any(abs(angle) > LARGEST_ANGLE for angle in rpy):
            shown = " ".join(f"{angle:g}" for angle in rpy)
            self.faults.error(stated.where, f'{who} has rpy "{shown}", which is too large for angles.')
            return Pose.at(xyz)
        if remark and stated and any(nearly_right(angle, self.snap) for angle in rpy):
            shown = " ".join(f"{angle:g}" for angle in rpy)
            self.faults.note(
                stated.where,
                f'{who} has rpy "{shown}", close to right angles but not equal to them; kept. Load with '
                "snap=1e-4 if right angles are meant.",
                "angles",
            )
        roll, pitch, yaw = (snapped(angle, self.snap) for angle in rpy)
        return Pose.at(xyz, (roll, pitch, yaw))

    def _triple(self, element: Element | None, attribute: str, who: str) -> Triple:
        """Three numbers; zeros where they are not stated, or not understood."""
        if element is None or attribute not in element.attributes:
            return (0.0, 0.0, 0.0)
        values = self._values(element, attribute, who, 3)
        return (values[0], values[1], values[2]) if values else (0.0, 0.0, 0.0)

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
            values = [finite_decimal(word) for word in words]
        except ValueError as error:
            self.faults.error(element.where, f'{found}; "{_short(str(error))}" is not a finite number.')
            return ()
        return values


def _bound(value: float | None, missing: float = math.inf) -> float:
    """A limit; infinite where none is stated, or one so large that none is meant."""
    if value is None:
        return missing
    return math.copysign(math.inf, value) if abs(value) >= UNBOUNDED else value


def _slip(tag: str, known: Iterable[str]) -> str:
    """The known tag that another is a slip for, whatever its case; or none."""
    spelled = {name.lower(): name for name in known}
    close = difflib.get_close_matches(tag.lower(), spelled, n=1, cutoff=SLIP)
    return spelled[close[0]] if close else ""


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _mimic_fault(name: str, target: str, kinds: Mapping[str, str], faults: Faults) -> str:
    """What is wrong with one joint following another, or nothing."""
    if not target:
        return 'has a <mimic> without a joint; write <mimic joint="…"/>.'
    if target not in kinds:
        return f'mimics "{target}", which does not exist.{faults.nearest(target, kinds)}'
    if kind_of(kinds[target]).nv != 1:
        return f'mimics "{target}", which is {kinds[target]}; a joint with one degree of freedom is needed.'
    if kind_of(kinds[name]).nv > 1:
        return f"is {kinds[name]} and cannot mimic another; only joints with one degree of freedom can."
    return ""
