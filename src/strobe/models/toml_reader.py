"""Robots from TOML files: one of the tables [dh], [axes] or [joints], with named parameters.

    [dh]      standard: joint, then Rz(θ) Tz(d) Tx(a) Rx(α);  modified: Rx(α) Tx(a) Tz(d), then joint
    [axes]    a vector d to the joint, then ±Rx … ±Tz; link frames at the joints, parallel at q = 0
    [joints]  parent · before · motion(axis, q) · after, trees included

Wherever a number stands an expression over [parameters] may stand. Vectors of [poses] and [[golden]]
belong to the robot as it is loaded: base joints included, locked and following joints left out.
"""

from __future__ import annotations

import keyword
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from strobe.algebra import Pose, Shift, Sym3, Turn, Vec3
from strobe.errors import nearest
from strobe.models.assembly import (
    SNAP,
    STANDARD_GRAVITY,
    Assembly,
    Faults,
    JointData,
    LinkData,
    assemble,
)
from strobe.models.couplings import coordinates
from strobe.models.inertial import Inertial
from strobe.models.joints import KINDS, Friction, Joint, Limits, Motor
from strobe.models.model import Coupling, Loop, Model
from strobe.models.toml_table import Context, Table, Triple

LARGEST = 8 * 2**20  # bytes
FORMAT = 1
ONE_DEGREE = ("revolute", "prismatic", "continuous")  # kinds of joints with an axis
PHYSICAL = ("warn", "error", "known-violation")
BASES = {"fixed": 0, "translating": 3, "floating": 6}  # degrees of freedom added
GOLDEN_VALUES = ("tau", "M", "C", "G", "h")


def read_toml(
    path: Path | str, *, text: str | None = None, snap: float | None = None, strict: bool = False
) -> Model:
    """The model in a TOML file (or in ``text``), or a `ModelFileError` with every fault of it."""
    faults = Faults(str(path), strict)
    if text is None:
        text = _text(Path(path), faults)
    context = Context(faults, SNAP if snap is None else snap)
    root = Table(_parsed(text, faults), "", context)
    content = _content(root, Path(path).stem)
    model = assemble(content.assembly)
    return _finished(model, content)


# -- the text ---------------------------------------------------------------------------------------


def _text(path: Path, faults: Faults) -> str:
    try:
        size = path.stat().st_size
        if size > LARGEST:
            faults.error("", f"the file has {size} bytes; robot files of at most {LARGEST} bytes are read.")
        else:
            return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        faults.error("", f"byte {error.start + 1} is not UTF-8 text; save the file as UTF-8.")
    except OSError as error:
        faults.error("", f"cannot be read: {error.strerror or error}.")
    faults.raise_if_any()
    return ""


def _parsed(text: str, faults: Faults) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        faults.error("", f"not valid TOML: {error}.")
    except RecursionError:
        faults.error("", "not valid TOML: nested too deeply.")
    faults.raise_if_any()
    return {}


# -- the whole file ---------------------------------------------------------------------------------


@dataclass(slots=True)
class _Content:
    """What a file says: the part that is assembled, and what is done to the model afterwards."""

    assembly: Assembly
    base: str
    locked: dict[str, float | tuple[float, ...]]
    poses: dict[str, tuple[float, ...]]
    golden: list[dict[str, object]]
    degrees: bool


def _content(root: Table, default_name: str) -> _Content:
    context = root.context
    _check_format(root)
    context.degrees = root.flag("degrees", False)
    _read_parameters(root.table("parameters"))
    name = root.text("name", default_name)
    base_table = root.table("base")
    links, joints = _base(base_table, name)
    kind = base_table.choice("type", tuple(BASES), "fixed")
    gravity = base_table.triple("gravity", STANDARD_GRAVITY)
    base_table.finish()
    _read_structure(root, links, joints)
    frames = _frames(root, links)
    couplings = _couplings(root, joints)
    locked = _locked(root, joints)
    free = _free_joints(joints, couplings, locked)
    sizes = _sizes(free, kind)
    content = _Content(
        Assembly(
            name=name,
            links=links,
            joints=joints,
            faults=context.faults,
            gravity=gravity,
            frames=frames,
            couplings=couplings,
            loops=_loops(root, [link.name for link in links] + [frame[0] for frame in frames]),
            title=root.text("title", ""),
            source=root.text("source", ""),
            parameters=context.parameters,
            kinematic_only=root.text("kinematic_only", ""),
        ),
        kind,
        locked,
        _poses(root.table("poses"), sizes[0]),
        [_golden(table, *sizes) for table in root.tables("golden")],
        context.degrees,
    )
    _set_physical(content.assembly, root.choice("physical", PHYSICAL, "warn"))
    root.finish()
    return content


def _set_physical(assembly: Assembly, mode: str) -> None:
    if "physical" in {field.name for field in fields(Assembly)}:
        setattr(assembly, "physical", mode)  # noqa: B010


def _check_format(root: Table) -> None:
    if "format" not in root:
        root.error("", f'the key "format" is missing; expected format = {FORMAT} in the first line.')
    elif root.data["format"] != FORMAT or isinstance(root.data["format"], bool):
        root.error("format", f"found {root.data['format']}, expected {FORMAT}, the only format there is.")


def _read_parameters(table: Table) -> None:
    """Fill the context's parameters; each may use the ones above it."""
    context = table.context
    for name, value in table.data.items():
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name == "pi" or keyword.iskeyword(name):
            table.error(
                name, "not a parameter name; use letters, digits and underscores, no digit first, not pi "
                "and not a Python keyword.",
            )  # fmt: skip
            continue
        context.parameters[name] = context.number(value, table.where(name))


def _base(table: Table, robot: str) -> tuple[list[LinkData], list[JointData]]:
    """The base link, behind a fixed joint where it is placed elsewhere in the world."""
    link = LinkData(table.text("name", "base"), _inertial(table, "com"), "base")
    if "placement" not in table:
        return [link], []
    place = _placement(table, "placement")
    fixed = JointData("world_to_base", "fixed", "world", link.name, before=place, where="base.placement")
    return [LinkData("world"), link], [fixed]


def _read_structure(root: Table, links: list[LinkData], joints: list[JointData]) -> None:
    """Append the links and joints of the one table that holds them."""
    given = [kind for kind in STRUCTURES if kind in root]
    if len(given) != 1:
        found = " and ".join(f"[{kind}]" for kind in given) or "none of them"
        root.error("", f"found {found}, expected exactly one of [dh], [axes] and [joints].")
    for kind in given:
        table = root.table(kind)
        table.context.degrees |= table.flag("degrees", False)
        before = len(links)
        STRUCTURES[kind](table, links, joints)
        if len(links) == before:
            table.error("", f"no links; expected at least one [[{kind}.link]].")
        table.finish()


def _finished(model: Model, content: _Content) -> Model:
    """The assembled model on its base, with its joints locked, and with what belongs to the result."""
    from strobe.models import edits

    if content.base != "fixed":
        model = edits.change_base(model, content.base)
    if content.locked:
        model = edits.lock(model, content.locked)  # pyright: ignore[reportArgumentType]
    free = coordinates(model).joints
    poses = {name: _in_radians(q, free, content.degrees, "q") for name, q in content.poses.items()}
    golden = tuple(_golden_in_radians(entry, free, content.degrees) for entry in content.golden)
    return replace(model, poses=poses, golden=golden)


def _in_radians(
    values: Sequence[float], joints: Sequence[Joint], degrees: bool, kind: str
) -> tuple[float, ...]:
    """A vector of positions or rates in which the angles may be in degrees."""
    angular = [joint.turns for joint in joints for _ in range(joint.nq if kind == "q" else joint.nv)]
    return tuple(
        math.radians(x) if degrees and turns else float(x) for x, turns in zip(values, angular, strict=True)
    )


def _golden_in_radians(
    entry: Mapping[str, object], joints: Sequence[Joint], degrees: bool
) -> dict[str, object]:
    motion = {key: _in_radians(entry[key], joints, degrees, key) for key in ("q", "qd", "qdd")}  # pyright: ignore
    return {**entry, **motion}


# -- the three kinds of tables ----------------------------------------------------------------------


def _dh(table: Table, links: list[LinkData], joints: list[JointData]) -> None:
    convention = table.choice("convention", ("standard", "modified"))
    inertia_at = _inertia_at(table)
    for index, link in enumerate(table.tables("link"), 1):
        kind = link.choice("joint", (*ONE_DEGREE, "fixed"))
        turn = _turn(2, link.angle("theta"))
        shift = Pose((Shift(Vec3(link.number("a"), 0.0, link.number("d"))),))
        twist = _turn(0, link.angle("alpha"))
        if convention == "standard":
            before, after = Pose(), turn @ shift @ twist
        else:
            before, after = twist @ shift, turn
        _add_to_chain(link, index, kind, before, (0.0, 0.0, 1.0), after, inertia_at, links, joints)


def _turn(axis: int, angle: float) -> Pose:
    return Pose((Turn.by(axis, angle),))


AXES = {
    f"{sign}{letter}{name}": (kind, tuple(float(f"{sign}1") if k == axis else 0.0 for k in range(3)))
    for letter, kind in (("R", "revolute"), ("T", "prismatic"))
    for axis, name in enumerate("xyz")
    for sign in "+-"
}


def _axes(table: Table, links: list[LinkData], joints: list[JointData]) -> None:
    inertia_at = _inertia_at(table)
    for index, link in enumerate(table.tables("link"), 1):
        kind, axis = AXES[link.choice("joint", tuple(AXES))]
        before = _pose(link, "d")
        _add_to_chain(link, index, kind, before, axis, Pose(), inertia_at, links, joints)


def _joints(table: Table, links: list[LinkData], joints: list[JointData]) -> None:
    inertia_at = _inertia_at(table)
    for link in table.tables("link"):
        kind = link.choice("joint", (*KINDS, "fixed"))
        parent = link.text("parent")
        _check_parent(link, parent, [other.name for other in links])
        axis = _axis(link, kind)
        before, after = _placement(link, "before"), _placement(link, "after")
        name = link.text("name") or f"<{link.path}>"
        joint_name = link.text("joint_name", name)
        _add(link, name, joint_name, parent, kind, before, axis, after, inertia_at, links, joints)


STRUCTURES: dict[str, Callable[[Table, list[LinkData], list[JointData]], None]] = {
    "dh": _dh,
    "axes": _axes,
    "joints": _joints,
}


def _check_parent(link: Table, parent: str, above: Sequence[str]) -> None:
    if parent and parent not in above:
        link.error(
            "parent", f'no link "{parent}" above this one; a parent is defined before its children.'
            f"{nearest(parent, above)}",
        )  # fmt: skip


def _axis(link: Table, kind: str) -> Triple:
    """The axis of a joint that has one."""
    if kind not in ONE_DEGREE:
        link.refuse(["axis"], f"a {kind} joint has no axis")
        return 0.0, 0.0, 1.0
    if "axis" not in link:
        link.error("", f'the key "axis" is missing; a {kind} joint needs one, such as [0, 0, 1].')
        return 0.0, 0.0, 1.0
    before = len(link.context.faults.found)
    axis = link.triple("axis")
    if not any(axis):
        if len(link.context.faults.found) == before:
            link.error("axis", f"found (0, 0, 0); a {kind} joint needs an axis that is not zero.")
        return 0.0, 0.0, 1.0
    return axis[0], axis[1], axis[2]


def _add_to_chain(
    link: Table, index: int, kind: str, before: Pose, axis: Triple, after: Pose, inertia_at: str,
    links: list[LinkData], joints: list[JointData],
) -> None:  # fmt: skip
    """Hang a link on the one before it."""
    parent = links[-1].name
    name, joint_name = link.text("name", f"link{index}"), link.text("joint_name", f"joint{index}")
    _add(link, name, joint_name, parent, kind, before, axis, after, inertia_at, links, joints)


def _add(
    link: Table, name: str, joint_name: str, parent: str, kind: str, before: Pose, axis: Triple, after: Pose,
    inertia_at: str, links: list[LinkData], joints: list[JointData],
) -> None:  # fmt: skip
    """Take a link with its mass properties and the joint that carries it."""
    links.append(LinkData(name, _inertial(link, inertia_at), link.path))
    joint = JointData(
        joint_name, kind, parent, name, before.trimmed(), axis, after.trimmed(), where=link.path
    )
    if kind == "fixed":
        link.refuse(("limits", "motor", "friction"), "a fixed joint does not move")
    else:
        joint.limits = _limits(link.table("limits"), kind)
        joint.motor = _motor(link.table("motor"))
        joint.friction = _friction(link.table("friction"))
    joints.append(joint)
    link.finish()


# -- what a link carries ----------------------------------------------------------------------------


def _inertia_at(table: Table, default: str = "com") -> str:
    return table.choice("inertia_at", ("com", "origin"), default)


def _inertial(table: Table, inertia_at: str) -> Inertial:
    mass, com, inertia = table.number("mass"), Vec3(*table.triple("com")), _inertia(table)
    about = Inertial.at_com if _inertia_at(table, inertia_at) == "com" else Inertial.at_origin
    return about(mass, com, inertia)


def _inertia(table: Table) -> Sym3:
    """Six numbers xx, yy, zz, xy, xz, yz, or a symmetric matrix."""
    value = table.data.get("inertia") if "inertia" in table else None
    if not (isinstance(value, list) and len(value) == 3):
        if isinstance(value, list) and len(value) != 6:
            table.error(
                "inertia", f"found an array of {len(value)}, expected six numbers (xx, yy, zz, xy, xz, yz) or "
                "three rows of three.",
            )  # fmt: skip
            return Sym3.zero()
        return Sym3(*table.numbers("inertia", 6))
    rows = table.matrix("inertia", 3, 3)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if rows[i][j] != rows[j][i]:
            table.error(
                "inertia", f"entry [{i + 1}][{j + 1}] is {float(rows[i][j])!r} and entry [{j + 1}][{i + 1}] is "
                f"{float(rows[j][i])!r}; an inertia matrix is symmetric.",
            )  # fmt: skip
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = rows
    return Sym3(xx, yy, zz, xy, xz, yz)


def _limits(table: Table, kind: str) -> Limits:
    known = Limits()
    turns = kind != "prismatic"

    def bound(value: float) -> float:
        return float(table.context.radians(value) if turns else value)

    lower, upper = known.lower, known.upper
    if "position" in table:
        if kind not in ONE_DEGREE:
            table.error("position", f"a {kind} joint has no position limits; remove this key.")
        lower, upper = map(bound, table.numbers("position", 2, infinite=True))
        if lower > upper:
            table.error(
                "position", f"found {float(lower)!r} to {float(upper)!r}; the lower limit comes first. Leave the "
                "key out where there is no limit.",
            )  # fmt: skip
    rates = {key: bound(table.number(key, math.inf)) for key in ("velocity", "acceleration")}
    effort = float(table.number("effort", math.inf))
    table.finish()
    return Limits(lower, upper, effort=effort, **rates)


def _motor(table: Table) -> Motor:
    known = Motor()
    motor = Motor(
        float(table.number("inertia", known.inertia)),
        float(table.number("gear", known.gear)),
        float(table.number("viscous", known.viscous)),
        _coulomb(table),
        float(table.number("efficiency", known.efficiency)),
    )
    if motor.gear == 0:
        table.error("gear", "found 0, expected a gear ratio that is not zero.")
    if not 0 < motor.efficiency <= 1:
        table.error("efficiency", f"found {motor.efficiency!r}, expected a number above 0 and up to 1.")
    _not_negative(table, ("inertia", "viscous"))
    table.finish()
    return motor


def _friction(table: Table) -> Friction:
    friction = Friction(float(table.number("viscous")), _coulomb(table))
    table.refuse(["stribeck"], "Stribeck friction is not modelled")
    _not_negative(table, ["viscous"])
    table.finish()
    return friction


def _not_negative(table: Table, keys: Iterable[str]) -> None:
    for key in keys:
        value = table.data.get(key)
        if isinstance(value, int | float) and value < 0:
            table.error(key, f"found {value}, expected a number that is not negative.")


def _coulomb(table: Table) -> tuple[float, float]:
    """Torques moving forwards and backwards; one number stands for both directions."""
    if "coulomb" not in table:
        return 0.0, 0.0
    if not isinstance(table.data["coulomb"], list):
        size = float(table.number("coulomb"))
        forwards, backwards = size, -size
    else:
        forwards, backwards = map(float, table.numbers("coulomb", 2))
    if forwards < 0 or backwards > 0:
        table.error(
            "coulomb", f"found {forwards!r} forwards and {backwards!r} backwards, expected [+, −]: the torque "
            "moving forwards (not negative), then backwards (not positive).",
        )  # fmt: skip
    return forwards, backwards


# -- placements -------------------------------------------------------------------------------------


def _placement(table: Table, key: str) -> Pose:
    """One {xyz, rpy}, or an array of them applied one after the other."""
    if key not in table:
        return Pose()
    steps = table.tables(key) if isinstance(table.data[key], list) else [table.table(key)]
    pose = Pose()
    for step in steps:
        pose = pose @ _pose(step, "xyz")
        step.finish()
    return pose


def _pose(table: Table, shift: str) -> Pose:
    """A displacement and then Rz(yaw) Ry(pitch) Rx(roll)."""
    xyz, rpy = table.triple(shift), table.triple("rpy")
    roll, pitch, yaw = (
        table.context.angle(angle, f"{table.where('rpy')}[{k}]") for k, angle in enumerate(rpy, 1)
    )
    return Pose.at(xyz, (roll, pitch, yaw))


# -- frames, constraints, states --------------------------------------------------------------------


def _frames(root: Table, links: Sequence[LinkData]) -> list[tuple[str, str, Pose, str]]:
    frames: list[tuple[str, str, Pose, str]] = []
    base = next(k for k, link in enumerate(links) if link.where == "base")
    taken = {link.name for link in links}
    for table in root.tables("frames"):
        name, link = table.text("name"), _frame_link(table, [link.name for link in links[base:]])
        if name in taken:
            table.error("name", f'a second frame named "{name}" (every link is a frame); names must be unique.')
        taken.add(name)
        frames.append((name, link, _pose(table, "xyz"), table.path))
        table.finish()
    return frames


def _frame_link(table: Table, names: Sequence[str]) -> str:
    """A link by its name, or by its place in the file (0 is the base)."""
    value = table.data.get("link") if "link" in table else None
    if value in names:
        return value  # pyright: ignore[reportReturnType]
    if isinstance(value, int) and not isinstance(value, bool):
        if 0 <= value < len(names):
            return names[value]
        table.error("link", f"found {value}, expected 0 (the base) to {len(names) - 1}.")
    elif isinstance(value, str):
        table.error("link", f'no link "{value}".{nearest(value, names)}')
    else:
        table.error("", 'the key "link" is missing; expected the name or the number of a link.')
    return names[0]


def _known_joint(table: Table, key: str, name: str, joints: Mapping[str, JointData]) -> bool:
    """Whether a name is that of a joint with one degree of freedom."""
    if not name:
        return False
    if name not in joints:
        table.error(key, f'no joint "{name}".{nearest(name, joints)}')
    elif joints[name].kind not in ONE_DEGREE:
        table.error(key, f'joint "{name}" is {joints[name].kind}; only joints with one position are coupled.')
    return name in joints


def _moving(joints: Iterable[JointData]) -> dict[str, JointData]:
    return {joint.name: joint for joint in joints if joint.kind != "fixed"}


def _couplings(root: Table, joints: Sequence[JointData]) -> list[Coupling]:
    moving = _moving(joints)
    couplings: dict[str, Coupling] = {}
    for table in root.tables("couplings"):
        name = table.text("joint")
        known = _known_joint(table, "joint", name, moving)
        terms = table.table("terms")
        if "terms" not in table or not terms.data:
            table.error("", 'the key "terms" is missing; expected a table of joints and factors.')
        factors = {other: float(terms.number(other)) for other in terms.data}
        for other in factors:
            _known_joint(terms, other, other, moving)
        turns = known and moving[name].kind != "prismatic"
        offset = table.number("offset")
        offset = float(table.context.radians(offset) if turns else offset)
        if name in couplings:
            table.error("joint", f'joint "{name}" is coupled twice; a joint follows one rule.')
        couplings[name] = Coupling(name, factors, offset)
        table.finish()
    _report_circles(root, couplings)
    return list(couplings.values())


def _report_circles(root: Table, couplings: Mapping[str, Coupling]) -> None:
    for name in couplings:
        reached: set[str] = set()
        ahead = list(couplings[name].terms)
        while ahead:
            other = ahead.pop()
            if other in couplings and other not in reached:
                reached.add(other)
                ahead += couplings[other].terms
        if name in reached:
            root.error("couplings", f'joint "{name}" follows itself; break the circle at one joint.')
            return


def _loops(root: Table, frames: Sequence[str]) -> list[Loop]:
    loops: list[Loop] = []
    for table in root.tables("loops"):
        ends = [table.text("frame_a"), table.text("frame_b")]
        for key, frame in zip(("frame_a", "frame_b"), ends, strict=True):
            if frame and frame not in frames:
                table.error(key, f'no frame "{frame}".{nearest(frame, frames)}')
        loops.append(Loop(table.text("name", f"loop{len(loops) + 1}"), *ends, table.text("kind", "pin")))
        table.finish()
    return loops


def _locked(root: Table, joints: Sequence[JointData]) -> dict[str, float | tuple[float, ...]]:
    moving = _moving(joints)
    locked: dict[str, float | tuple[float, ...]] = {}
    for table in root.tables("locked"):
        name = table.text("joint")
        several = isinstance(table.data.get("position"), list)
        position = table.numbers("position") if several else table.number("position")
        if name and name not in moving:
            table.error("joint", f'no joint "{name}".{nearest(name, moving)}')
        elif name in locked:
            table.error("joint", f'joint "{name}" is locked twice.')
        elif name:
            angle = moving[name].kind in ("revolute", "continuous") and isinstance(position, float)
            locked[name] = float(table.context.radians(position)) if angle else position  # pyright: ignore
        table.finish()
    return locked


def _free_joints(
    joints: Sequence[JointData], couplings: Sequence[Coupling], locked: Iterable[str]
) -> list[JointData]:
    """The joints that a configuration has numbers for."""
    bound = {coupling.joint for coupling in couplings} | set(locked)
    return [joint for joint in joints if joint.kind != "fixed" and joint.name not in bound]


def _sizes(free: Sequence[JointData], base: str) -> tuple[int, int]:
    """nq and nv of the robot as it is loaded."""
    nq = sum(KINDS[joint.kind].nq for joint in free) + BASES[base] + (base == "floating")
    nv = sum(KINDS[joint.kind].nv for joint in free) + BASES[base]
    return nq, nv


def _poses(table: Table, nq: int) -> dict[str, tuple[float, ...]]:
    return {name: table.numbers(name, nq) for name in table.data}


def _golden(table: Table, nq: int, nv: int) -> dict[str, object]:
    """A state and what was published or computed for it."""
    if "q" not in table:
        table.error("", 'the key "q" is missing; expected a position.')
    if not any([key in table for key in GOLDEN_VALUES]):
        table.error("", f"nothing to compare with; expected one of {', '.join(GOLDEN_VALUES)}.")
    entry: dict[str, object] = {"q": table.numbers("q", nq)}
    entry |= {key: table.numbers(key, nv) for key in ("qd", "qdd")}
    entry |= {key: table.numbers(key, nv) for key in ("tau", "G", "h") if key in table}
    entry |= {key: table.matrix(key, nv, nv) for key in ("M", "C") if key in table}
    entry |= {key: table.flag(key, True) for key in ("motors", "friction")}
    table.finish()
    return entry
