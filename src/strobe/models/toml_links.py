"""Links and joints from the three kinds of tables of a TOML robot file.

    [dh]      standard: joint, then Rz(θ) Tz(d) Tx(a) Rx(α);  modified: Rx(α) Tx(a) Tz(d), then joint
    [axes]    a vector d to the joint, then ±Rx … ±Tz; link frames at the joints, parallel at q = 0
    [joints]  parent · before · motion(axis, q) · after, trees included

A joint's axis is what it turns about, slides along, or moves across. Helical joints have a pitch in m/rad, whatever
unit angles have. In a row of [dh], θ is added to the position of a turning joint and d to that of a sliding one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from strobe.algebra import Pose, Shift, Sym3, Turn, Vec3
from strobe.models.assembly import JointData, LinkData, require_number
from strobe.models.inertial import Inertial
from strobe.models.joints import FIXED, KINDS, PRISMATIC, REVOLUTE, SINGLE, Friction, Limits, Motor, kind_of
from strobe.models.toml_table import Table, Triple

Z: Triple = (0.0, 0.0, 1.0)


@dataclass(slots=True)
class Tree:
    """The links and joints read so far."""

    links: list[LinkData]
    joints: list[JointData]
    inertia_at: str = "com"
    names: list[str] = field(default_factory=list)  # links in the order of their numbers, the base first
    known: set[str] = field(init=False)  # the same

    def __post_init__(self) -> None:
        self.known = set(self.names)

    def hang(self, table: Table, joint: JointData) -> None:
        """Take a link with its mass properties, and the joint that carries it."""
        self.links.append(LinkData(joint.child, inertial(table, self.inertia_at), table.path))
        self.names.append(joint.child)
        self.known.add(joint.child)
        joint.pitch = _pitch(table, joint.kind)
        if joint.is_fixed:
            table.refuse(("limits", "motor", "friction"), "a fixed joint does not move")
        else:
            joint.limits = _limits(table.table("limits"), joint.kind)
            joint.motor = _motor(table.table("motor"))
            joint.friction = _friction(table.table("friction"))
        self.joints.append(joint)
        table.finish()


def read_structure(root: Table, tree: Tree) -> None:
    """Add the links and joints of the one table that holds them."""
    given = [kind for kind in STRUCTURES if kind in root]
    if len(given) != 1:
        found = " and ".join(f"[{kind}]" for kind in given) or "none of them"
        root.error("", f"found {found}, expected exactly one of [dh], [axes] and [joints].")
    for kind in given:
        table = root.table(kind)
        table.context.degrees |= table.flag("degrees", False)
        tree.inertia_at = _inertia_at(table, "com")
        links = table.tables("link")
        require_number(len(links), table.context.faults)
        if not links and kind != "joints":  # a base alone is a tree
            table.error("", f"no links; expected at least one [[{kind}.link]].")
        STRUCTURES[kind](table, links, tree)
        table.finish()


# -- the three kinds --------------------------------------------------------------------------------


def _dh(table: Table, links: Sequence[Table], tree: Tree) -> None:
    convention = table.choice("convention", ("standard", "modified"))
    for index, link in enumerate(links, 1):
        joint = _next_in_chain(link, index, link.choice("joint", (*SINGLE, FIXED.name)), tree)
        turn, twist = (
            Pose((Turn.by(axis, link.angle(key)),)) for axis, key in ((2, "theta"), (0, "alpha"))
        )
        shift = Pose((Shift(Vec3(link.number("a"), 0.0, link.number("d"))),))
        if convention == "standard":
            joint.after = (turn @ shift @ twist).trimmed()
        else:
            joint.before, joint.after = (twist @ shift).trimmed(), turn.trimmed()
        tree.hang(link, joint)


def _unit(axis: int, sign: str) -> Triple:
    x, y, z = (float(f"{sign}1") if k == axis else 0.0 for k in range(3))
    return x, y, z


AXES = {
    f"{sign}{letter}{name}": (kind, _unit(axis, sign))
    for letter, kind in (("R", REVOLUTE.name), ("T", PRISMATIC.name))
    for axis, name in enumerate("xyz")
    for sign in "+-"
}


def _axes(table: Table, links: Sequence[Table], tree: Tree) -> None:
    for index, link in enumerate(links, 1):
        kind, axis = AXES[link.choice("joint", tuple(AXES))]
        joint = _next_in_chain(link, index, kind, tree)
        joint.before, joint.axis = pose(link, "d"), axis
        tree.hang(link, joint)


def _next_in_chain(link: Table, index: int, kind: str, tree: Tree) -> JointData:
    """A joint on the link before."""
    name, joint_name = link.text("name", f"link{index}"), link.text("joint_name", f"joint{index}")
    return JointData(joint_name, kind, tree.names[-1], name, where=link.path)


def _joints(table: Table, links: Sequence[Table], tree: Tree) -> None:
    for link in links:
        kind = link.choice("joint", (*KINDS, FIXED.name))
        name = link.text("name") or link.path
        joint = JointData(link.text("joint_name", name), kind, _parent(link, tree), name, where=link.path)
        joint.axis, joint.axis_where = _axis(link, kind), link.where("axis")
        joint.before, joint.after = placement(link, "before"), placement(link, "after")
        tree.hang(link, joint)


STRUCTURES: dict[str, Callable[[Table, Sequence[Table], Tree], None]] = {
    "dh": _dh,
    "axes": _axes,
    "joints": _joints,
}


def _parent(link: Table, tree: Tree) -> str:
    """The link a joint hangs on, one of those above it in the file."""
    parent = link.text("parent")
    if parent in tree.known:
        return parent
    if parent:
        hint = link.context.faults.nearest(parent, tree.names)
        link.error(
            "parent", f'no link "{parent}" above this one; a parent is defined before its children.{hint}'
        )
    return tree.names[0]


def _axis(link: Table, kind: str) -> Triple:
    """The axis of a joint that has one."""
    if not kind_of(kind).has_axis:
        link.refuse(["axis"], f"a {kind} joint has no axis")
        return Z
    if "axis" not in link:
        link.error("", f'the key "axis" is missing; a {kind} joint needs one, such as [0, 0, 1].')
        return Z
    known = len(link.context.faults.errors)
    x, y, z = map(float, link.triple("axis"))
    return (x, y, z) if len(link.context.faults.errors) == known else Z


def _pitch(link: Table, kind: str) -> float:
    """How far a joint slides as it turns, in m/rad, where it does."""
    if not kind_of(kind).has_pitch:
        link.refuse(["pitch"], f"a {kind} joint has no pitch")
        return 0.0
    if "pitch" not in link:
        link.error("", f'the key "pitch" is missing; a {kind} joint slides by it as it turns, in m/rad.')
        return 1.0
    return link.number("pitch")


# -- placements -------------------------------------------------------------------------------------


def placement(table: Table, key: str) -> Pose:
    """One {xyz, rpy}, or an array of them applied one after the other; the identity where it is missing."""
    if key not in table:
        return Pose()
    steps = table.tables(key) if isinstance(table.data[key], list) else [table.table(key)]
    whole = Pose()
    for step in steps:
        whole = whole @ pose(step, "xyz")
        step.finish()
    return whole


def pose(table: Table, shift: str) -> Pose:
    """A displacement and then Rz(yaw) Ry(pitch) Rx(roll)."""
    xyz, angles = table.triple(shift), table.triple("rpy")
    places = (f"{table.where('rpy')}[{k}]" for k in (1, 2, 3))
    roll, pitch, yaw = map(table.context.angle, angles, places)
    return Pose.at(xyz, (roll, pitch, yaw))


# -- what a link carries ----------------------------------------------------------------------------


def inertial(table: Table, inertia_at: str = "com") -> Inertial:
    """Mass, centre of mass and inertia; zero where nothing is said."""
    mass, com, inertia = table.number("mass"), Vec3(*table.triple("com")), _inertia(table)
    about = Inertial.at_com if _inertia_at(table, inertia_at) == "com" else Inertial.at_origin
    return about(mass, com, inertia)


def _inertia_at(table: Table, default: str) -> str:
    return table.choice("inertia_at", ("com", "origin"), default)


def _inertia(table: Table) -> Sym3:
    """Six numbers xx, yy, zz, xy, xz, yz, the first three of them alone, or a symmetric matrix by rows."""
    value = table.data["inertia"] if "inertia" in table else [0.0] * 6
    if isinstance(value, list) and len(value) == 3:
        if not any(isinstance(row, list) for row in value):
            xx, yy, zz = table.triple("inertia")
            return Sym3(xx, yy, zz, 0.0, 0.0, 0.0)
        return _symmetric(table)
    if isinstance(value, list) and len(value) == 6:
        return Sym3(*(table.numbers("inertia", 6) if "inertia" in table else value))
    expected = "six numbers (xx, yy, zz, xy, xz, yz), three (xx, yy, zz) or three rows of three"
    table.error("inertia", f"found {table.as_written('inertia')}, expected {expected}.")
    return Sym3.zero()


def _symmetric(table: Table) -> Sym3:
    rows = table.matrix("inertia", 3, 3)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if rows[i][j] != rows[j][i]:
            one, other = (f"[{a + 1}][{b + 1}] = {float(rows[a][b])!r}" for a, b in ((i, j), (j, i)))
            table.error("inertia", f"{one} but {other}; an inertia matrix is symmetric.")
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = rows
    return Sym3(xx, yy, zz, xy, xz, yz)


def _limits(table: Table, kind: str) -> Limits:
    def bound(value: float) -> float:
        return float(value if kind_of(kind).slides else table.context.radians(value))

    lower, upper = -math.inf, math.inf
    if kind_of(kind).nv > 1:
        table.refuse(["position"], f"a {kind} joint has no position limits")
    elif "position" in table:
        lower, upper = map(bound, table.numbers("position", 2, infinite=True))
    if lower > upper:
        table.error(
            "position",
            f"found {lower!r} to {upper!r}; the lower limit comes first. Without limits leave it out.",
        )
    rates = {key: bound(table.number(key, math.inf)) for key in ("velocity", "acceleration")}
    effort = float(table.number("effort", math.inf))
    table.finish()
    return Limits(lower, upper, effort=effort, **rates)


def _motor(table: Table) -> Motor:
    motor = Motor(
        float(table.number("inertia")),
        float(table.number("gear", 1.0)),
        float(table.number("viscous")),
        _coulomb(table),
        float(table.number("efficiency", 1.0)),
    )
    if motor.gear == 0:
        table.error("gear", "found 0, expected a gear ratio that is not zero.")
    if not 0 < motor.efficiency <= 1:
        table.error("efficiency", f"found {motor.efficiency!r}, expected a number above 0 and up to 1.")
    _refuse_negative(table, ("inertia", "viscous"))
    table.finish()
    return motor


def _friction(table: Table) -> Friction:
    friction = Friction(float(table.number("viscous")), _coulomb(table))
    table.refuse(["stribeck"], "Stribeck friction is not modelled")
    _refuse_negative(table, ["viscous"])
    table.finish()
    return friction


def _refuse_negative(table: Table, keys: Iterable[str]) -> None:
    for key in keys:
        value = table.data.get(key)
        if isinstance(value, int | float) and value < 0:
            table.error(key, f"found {value}, expected a number that is not negative.")


def _coulomb(table: Table) -> tuple[float, float]:
    """Torques moving forwards and backwards; one number stands for both directions."""
    if "coulomb" not in table:
        return 0.0, 0.0
    if isinstance(table.data["coulomb"], list):
        forwards, backwards = map(float, table.numbers("coulomb", 2))
    else:
        forwards = float(table.number("coulomb"))
        backwards = -forwards
    if forwards < 0 or backwards > 0:
        expected = "[+, −]: the torque moving forwards (not negative), then backwards (not positive)"
        table.error("coulomb", f"found {table.as_written('coulomb')}, expected {expected}.")
    return forwards, backwards
