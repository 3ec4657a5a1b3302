"""Robots from TOML files: one of the tables [dh], [axes] or [joints], with named parameters.

Wherever a number stands an expression over [parameters] may stand. Vectors of [poses] and [[golden]]
belong to the robot as it is loaded: base joints included, locked and following joints left out.
"""

from __future__ import annotations

import keyword
import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from strobe.algebra import Pose
from strobe.errors import ArgumentError, counted
from strobe.files.faults import Faults
from strobe.files.reading import LARGEST_TOML, parsed_toml, read_text, text_in
from strobe.models import bases
from strobe.models.assembly import SNAP, STANDARD_GRAVITY, Assembly, JointData, LinkData, assemble
from strobe.models.couplings import coordinates
from strobe.models.feet import Foot
from strobe.models.joints import FLOATING, RAD, Joint
from strobe.models.locking import followed, leaders
from strobe.models.loops import CLOSURES, open_by, settled
from strobe.models.model import Coupling, Curve, Loop, Model
from strobe.models.names import file_stem
from strobe.models.toml_links import STRUCTURES, Tree, inertial, placement, pose, read_structure
from strobe.models.toml_table import Context, Table, as_written
from strobe.models.uncertainty import Uncertainty

FORMAT = 1
PHYSICAL = ("warn", "error", "known-violation")
BASES = dict(zip(bases.BASES, ((0, 0), (3, 3), (FLOATING.nq, FLOATING.nv)), strict=True))  # numbers added
GOLDEN_VALUES = ("tau", "M", "C", "G", "h")


def read_toml(
    path: Path | str, *, text: str | bytes | None = None, snap: float | None = None, strict: bool = False
) -> Model:
    """The model in a TOML file (or in ``text``), or a `ModelFileError` with every fault of it."""
    faults = Faults(str(path), strict)
    content = read_text(path, LARGEST_TOML) if text is None else text_in(path, text, LARGEST_TOML)
    return read_data(_parsed(content, faults), faults, snap)


def read_data(data: Mapping[str, object], faults: Faults, snap: float | None = None) -> Model:
    """The model that the data of a TOML file are."""
    context = Context(faults, SNAP if snap is None else snap)
    content = _content(Table(data, "", context), file_stem(faults.path))
    model = assemble(content.assembly)
    return _finished(model, content)


# -- the text ---------------------------------------------------------------------------------------


def _parsed(text: str, faults: Faults) -> dict[str, object]:
    try:
        return parsed_toml(text)
    except tomllib.TOMLDecodeError as error:
        faults.error("", f"not valid TOML: {error}.")
    except ValueError:  # Python reads no decimal integer beyond some thousand digits
        faults.error("", "not valid TOML: an integer has too many digits.")
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
    locked: dict[str, tuple[float, ...]]
    poses: dict[str, tuple[float, ...]]
    golden: list[dict[str, object]]
    degrees: bool
    uncertainty: Uncertainty | None


def _content(root: Table, default_name: str) -> _Content:
    context = root.context
    _check_format(root)
    context.degrees = _in_degrees(root)
    _read_parameters(root.table("parameters"))
    base = root.table("base")
    tree = _base(base)
    kind = base.choice("type", tuple(BASES), "fixed")
    gravity = base.triple("gravity", STANDARD_GRAVITY)
    base.finish()
    read_structure(root, tree)
    frames = _frames(root, tree)
    couplings = _couplings(root, tree.joints)
    curves = _curves(root, tree.joints)
    locked = _locked(root, tree.joints, couplings)
    nq, nv = _sizes(_free_joints(tree.joints, couplings, curves, locked), kind)
    assembly = Assembly(
        name=root.text("name", default_name),
        links=tree.links,
        joints=tree.joints,
        faults=context.faults,
        gravity=gravity,
        frames=frames,
        couplings=couplings,
        loops=_loops(root, [*tree.names, *(frame[0] for frame in frames)]),
        curves=curves,
        actuated=_actuated(root, tree.joints),
        feet=_feet(root, [*tree.names, *(frame[0] for frame in frames)]),
        tip=_tip(root, [*tree.names, *(frame[0] for frame in frames)]),
        title=root.text("title", ""),
        source=root.text("source", ""),
        parameters=context.parameters,
        kinematic_only=root.text("kinematic_only", ""),
        physical=root.choice("physical", PHYSICAL, "warn"),
    )
    poses = _poses(root.table("poses"), nq)
    golden = [_golden(table, nq, nv) for table in root.tables("golden")]
    known = _known(root.table("identified")) if "identified" in root else None
    root.finish()
    return _Content(assembly, kind, locked, poses, golden, context.degrees, known)


def _in_degrees(root: Table) -> bool:
    """Whether the file, or the table of its links, says ``degrees = true``."""
    tables = (root.data.get(kind) for kind in STRUCTURES)
    return root.flag("degrees", False) or any(
        isinstance(t, dict) and t.get("degrees") is True for t in tables
    )


def _check_format(root: Table) -> None:
    if "format" not in root:
        root.error("", f'the key "format" is missing; expected format = {FORMAT} in the first line.')
    elif root.data["format"] != FORMAT or isinstance(root.data["format"], bool):
        root.error(
            "format", f"found {root.as_written('format')}, expected {FORMAT}, the only format there is."
        )


def _read_parameters(table: Table) -> None:
    """Fill the context's parameters; each may use the ones above it."""
    context = table.context
    for name, value in table.data.items():
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name == "pi" or keyword.iskeyword(name):
            allowed = "letters, digits and underscores, no digit first, not pi and not a Python keyword"
            table.error(name, f"not a parameter name; use {allowed}.")
            continue
        context.parameters[name] = context.number(value, table.where(name))


def _base(table: Table) -> Tree:
    """The base link, behind a fixed joint where it is placed elsewhere in the world."""
    link = LinkData(table.text("name", "base"), inertial(table), "base")
    if "placement" not in table:
        return Tree([link], [], names=[link.name])
    place = placement(table, "placement")
    fixed = JointData("world_to_base", "fixed", "world", link.name, before=place, where="base.placement")
    return Tree([LinkData("world"), link], [fixed], names=[link.name])


def _finished(model: Model, content: _Content) -> Model:
    """The assembled model on its base, with its joints locked, and with what belongs to the result."""
    from strobe.models import edits

    _require_joints_between(model, content.assembly.faults)
    if content.base != "fixed":
        model = edits.change_base(model, content.base)
    if content.locked:
        model = _locked_there(model, content)
    free = coordinates(model).joints
    poses = {name: _in_radians(q, free, content.degrees, "q") for name, q in content.poses.items()}
    golden = tuple(_golden_in_radians(entry, free, content.degrees) for entry in content.golden)
    model = settled(model)
    _report_open_poses(model, poses, content.assembly.faults)
    return replace(
        model,
        poses=poses,
        golden=golden,
        notes=content.assembly.faults.remarks,
        uncertainty=content.uncertainty,
    )


def _report_open_poses(model: Model, poses: Mapping[str, Sequence[float]], faults: Faults) -> None:
    """Warn of poses that closed chains cannot be in."""
    for name, q in poses.items():
        for loop in model.loops:
            if off := open_by(model, loop, q):
                faults.warning(
                    f"poses.{name}", f'loop "{loop.name}" is open by {off:.3g}; robot.assemble closes it.'
                )
    faults.raise_if_any()


def _require_joints_between(model: Model, faults: Faults) -> None:
    """Refuse loops that no joint could close."""
    for loop in model.loops:
        if model.frame(loop.frame_a).body == model.frame(loop.frame_b).body:
            faults.error(
                f'loop "{loop.name}"',
                f'frames "{loop.frame_a}" and "{loop.frame_b}" are on one link: no joint could close a loop.',
            )
    faults.raise_if_any()


def _locked_there(model: Model, content: _Content) -> Model:
    """The model with its joints locked; what cannot be so is a fault of the file."""
    from strobe.models import edits

    try:
        return edits.lock(model, content.locked)
    except ArgumentError as error:
        content.assembly.faults.error("locked", str(error))
        content.assembly.faults.raise_if_any()
        raise


def _in_radians(
    values: Sequence[float], joints: Sequence[Joint], degrees: bool, kind: str
) -> tuple[float, ...]:
    """A vector of positions or rates in which the angles may be in degrees."""
    angular = [
        unit == RAD and (kind == "q" or not joint.has_quaternion)  # rates beside a quaternion are in rad/s
        for joint in joints
        for unit in (joint.position_units if kind == "q" else joint.rate_units)
    ]
    return tuple(
        math.radians(x) if degrees and turns else float(x) for x, turns in zip(values, angular, strict=True)
    )


def _golden_in_radians(
    entry: Mapping[str, object], joints: Sequence[Joint], degrees: bool
) -> dict[str, object]:
    motion = {key: _in_radians(entry[key], joints, degrees, key) for key in ("q", "qd", "qdd")}  # pyright: ignore
    return {**entry, **motion}


# -- frames, constraints, states --------------------------------------------------------------------


def _frames(root: Table, tree: Tree) -> list[tuple[str, str, Pose, str]]:
    frames: list[tuple[str, str, Pose, str]] = []
    taken = {link.name for link in tree.links}
    for table in root.tables("frames"):
        name, link = table.text("name"), _frame_link(table, tree)
        if name in taken:
            table.error(
                "name", f'a second frame named "{name}"; every link is a frame, names must be unique.'
            )
        taken.add(name)
        frames.append((name, link, pose(table, "xyz"), table.path))
        table.finish()
    return frames


def _frame_link(table: Table, tree: Tree) -> str:
    """A link by its name, or by its place in the file (0 is the base)."""
    value = table.data.get("link") if "link" in table else None
    names = tree.names
    if isinstance(value, str) and value in tree.known:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        if 0 <= value < len(names):
            return names[value]
        table.error("link", f"found {table.as_written('link')}, expected 0 (the base) to {len(names) - 1}.")
    elif isinstance(value, str):
        table.error("link", f'no link "{value}".{table.context.faults.nearest(value, names)}')
    else:
        table.error("", 'the key "link" is missing; expected the name or the number of a link.')
    return names[0]


def _known_joint(table: Table, key: str, name: str, joints: Mapping[str, JointData]) -> bool:
    """Whether a name is that of a joint with one degree of freedom."""
    if not name:
        return False
    if name not in joints:
        table.error(key, f'no joint "{name}".{table.context.faults.nearest(name, joints)}')
    elif joints[name].nv != 1:
        table.error(
            key, f'joint "{name}" is {joints[name].kind}; only joints with one position are coupled.'
        )
    return name in joints


def _moving(joints: Iterable[JointData]) -> dict[str, JointData]:
    return {joint.name: joint for joint in joints if not joint.is_fixed}


def _couplings(root: Table, joints: Sequence[JointData]) -> list[Coupling]:
    moving = _moving(joints)
    couplings: dict[str, Coupling] = {}
    for table in root.tables("couplings"):
        name = table.text("joint")
        known = _known_joint(table, "joint", name, moving)
        terms = table.table("terms")
        if "terms" not in table or not terms.data:
            table.error("", 'the key "terms" is missing; expected a table of joints and factors.')
        unit = table.context.unit(known and moving[name].angular)
        factors: dict[str, float] = {}
        for other in terms.data:
            leads = _known_joint(terms, other, other, moving)
            per = table.context.unit(leads and moving[other].angular)
            factors[other] = float(terms.number(other)) * (unit / per)
        offset = float(table.number("offset")) * unit
        if name in couplings:
            table.error("joint", f'joint "{name}" is coupled twice; a joint follows one rule.')
        couplings[name] = Coupling(name, factors, offset)
        table.finish()
    return list(couplings.values())


def _loops(root: Table, frames: Sequence[str]) -> list[Loop]:
    loops: list[Loop] = []
    known, taken = set(frames), set[str]()
    for table in root.tables("loops"):
        ends = {key: table.text(key) for key in ("frame_a", "frame_b")}
        for key, frame in ends.items():
            if frame and frame not in known:
                table.error(key, f'no frame "{frame}".{table.context.faults.nearest(frame, frames)}')
        name = table.text("name", f"loop{len(loops) + 1}")
        if name in taken:
            table.error("name", f'a second loop named "{name}"; names must be unique.')
        taken.add(name)
        kind = table.choice("kind", tuple(CLOSURES), "point")
        length, rows = _length(table, kind), _rows(table, kind)
        loops.append(Loop(name, ends["frame_a"], ends["frame_b"], kind, length, rows))
        table.finish()
    return loops


def _length(table: Table, kind: str) -> float:
    """The distance that a loop keeps, of the one kind that keeps one."""
    length = float(table.number("length")) if "length" in table else 0.0
    if not CLOSURES[kind].distance:
        if "length" in table:
            table.error("length", f'a loop of kind "{kind}" has no length; only "distance" has.')
    elif "length" not in table:
        table.error("", 'the key "length" is missing; expected the distance to keep, in metres.')
    elif length <= 0:
        table.error(
            "length", f"found {table.as_written('length')}, expected a distance above zero, in metres."
        )
    return length


def _rows(table: Table, kind: str) -> tuple[int, ...]:
    """The conditions of a loop that count, by their words; all where a file names none."""
    if "conditions" not in table:
        return ()
    words, named = CLOSURES[kind].words, table.data["conditions"]
    if not isinstance(named, list) or not named or not set(map(str, named)) <= set(words):
        shown = ", ".join(f'"{word}"' for word in words)
        table.error("conditions", f"found {table.as_written('conditions')}, expected some of {shown}.")
        return ()
    return tuple(k for k, word in enumerate(words) if word in named)


def _curves(root: Table, joints: Sequence[JointData]) -> list[Curve]:
    """Joints held on polynomials over others; coefficients are in the units of the file."""
    moving = _moving(joints)
    curves: list[Curve] = []
    for table in root.tables("curves"):
        joint, other = table.text("joint"), table.text("other")
        known = [_known_joint(table, *pair, moving) for pair in (("joint", joint), ("other", other))]
        if all(known) and joint == other:
            table.error("other", f'joint "{joint}" cannot follow itself; name another.')
        own, per = (
            table.context.unit(there and moving[name].angular)
            for there, name in zip(known, (joint, other), strict=True)
        )
        numbers = table.numbers("coefficients")
        if not numbers:
            table.error(
                "", 'the key "coefficients" is missing; expected a list of numbers, the constant first.'
            )
        coefficients = tuple(float(c) * own / per**k for k, c in enumerate(numbers))
        curves.append(Curve(table.text("name", f"curve{len(curves) + 1}"), joint, other, coefficients))
        table.finish()
    return curves


def _actuated(root: Table, joints: Sequence[JointData]) -> list[str]:
    """The joints with motors, where a file names them."""
    named = root.data["actuated"] if "actuated" in root else []
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        root.error("actuated", f"found {root.as_written('actuated')}, expected a list of names of joints.")
        return []
    moving = _moving(joints)
    for name in named:
        if name not in moving:
            root.error("actuated", f'no joint "{name}".{root.context.faults.nearest(name, moving)}')
    return named


def _tip(root: Table, frames: Sequence[str]) -> str:
    """The frame meant where none is named, where the file says which."""
    name = root.text("tip", "")
    if name and name not in frames:
        root.error("tip", f'no frame "{name}".{root.context.faults.nearest(name, frames)}')
    return name


def _feet(root: Table, frames: Sequence[str]) -> list[Foot]:
    """The soles that a file gives; corners may use parameters."""
    feet: list[Foot] = []
    known, taken = set(frames), set[str]()
    for table in root.tables("feet"):
        frame = table.text("frame")
        if frame and frame not in known:
            table.error("frame", f'no frame "{frame}".{table.context.faults.nearest(frame, frames)}')
        if frame in taken:
            table.error("frame", f'foot "{frame}" is given twice.')
        taken.add(frame)
        found = table.data["sole"] if "sole" in table else []
        rows = found if isinstance(found, list) and all(isinstance(row, list) for row in found) else []
        corners = [
            [float(table.context.number(x, f"{table.where('sole')}[{k}]")) for x in row]
            for k, row in enumerate(rows, 1)
        ]
        try:
            feet.append(Foot(frame, corners))
        except ArgumentError as error:
            table.error("sole", str(error))
        table.finish()
    return feet


def _locked(
    root: Table, joints: Sequence[JointData], couplings: Sequence[Coupling]
) -> dict[str, tuple[float, ...]]:
    moving, following = _moving(joints), {coupling.joint: coupling for coupling in couplings}
    locked: dict[str, tuple[float, ...]] = {}
    for table in root.tables("locked"):
        name, stated = table.text("joint"), "position" in table
        if name and name not in moving:
            table.error("joint", f'no joint "{name}".{table.context.faults.nearest(name, moving)}')
        elif name in locked:
            table.error("joint", f'joint "{name}" is locked twice.')
        elif name in following:
            table.error("joint", f'joint "{name}" follows {leaders(following[name])}; lock those instead.')
        elif name:
            locked[name] = _locked_position(table, moving[name]) if stated else _neutral(moving[name])
        table.finish()
    return locked


def _locked_position(table: Table, joint: JointData) -> tuple[float, ...]:
    """A position in radians and metres: one number, or an array for a joint with several."""
    size, known = joint.nq, len(table.context.faults.errors)
    alone = size == 1 and not isinstance(table.data["position"], list)
    position = (table.number("position"),) if alone else table.numbers("position", size)
    if len(table.context.faults.errors) > known:
        return _neutral(joint)
    if joint.has_quaternion and not any(position[-4:]):
        text = "the quaternion is (0, 0, 0, 0), which is no rotation; write 1, 0, 0, 0 for none."
        table.error("position", text)
        return _neutral(joint)
    units = (table.context.unit(unit == RAD) for unit in joint.position_units)
    return tuple(float(x) * unit for x, unit in zip(position, units, strict=True))


def _neutral(joint: JointData) -> tuple[float, ...]:
    return joint.record.neutral


def _free_joints(
    joints: Sequence[JointData],
    couplings: Sequence[Coupling],
    curves: Sequence[Curve],
    locked: Iterable[str],
) -> list[JointData]:
    """The joints that a configuration has numbers for."""
    held, followers = set(locked), dict[str, list[Coupling | Curve]]()
    for rule in (*couplings, *curves):
        for other in followed(rule):
            followers.setdefault(other, []).append(rule)
    pending = list(held)
    while pending:
        for rule in followers.get(pending.pop(), ()):
            if rule.joint not in held and held.issuperset(followed(rule)):
                held.add(rule.joint)
                pending.append(rule.joint)
    bound = {coupling.joint for coupling in couplings} | held
    return [joint for joint in joints if not joint.is_fixed and joint.name not in bound]


def _sizes(free: Sequence[JointData], base: str) -> tuple[int, int]:
    """nq and nv of the robot as it is loaded."""
    nq, nv = BASES[base]
    return nq + sum(joint.nq for joint in free), nv + sum(joint.nv for joint in free)


def _poses(table: Table, nq: int) -> dict[str, tuple[float, ...]]:
    return {name: table.numbers(name, nq) for name in table.data}


def _known(table: Table) -> Uncertainty:
    """How well parameters are known: names, values, and a lower triangle row by row."""
    names = table.texts("names")
    values = table.numbers("values", len(names))
    factor = _triangle(table, "factor", len(names))
    open_ = table.texts("open") if "open" in table else ()
    table.finish()
    return Uncertainty(names, values, factor, open_)


def _triangle(table: Table, key: str, size: int) -> tuple[tuple[float, ...], ...]:
    rows = table.data.get(key) if key in table else None
    if not isinstance(rows, list) or len(rows) != size:
        table.error(key, f"expected {size} rows, one for each of names.")
        return ()
    for k, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != k:
            table.error(f"{key}[{k}]", f"found {as_written(row)}, expected {counted(k, 'number')}.")
            return ()
    numbers = table.context.number
    return tuple(
        tuple(numbers(x, f"{table.where(key)}[{i}][{j}]") for j, x in enumerate(row, 1))
        for i, row in enumerate(rows, 1)
    )


def _golden(table: Table, nq: int, nv: int) -> dict[str, object]:
    """A state and what was published (``source`` says where) or computed for it."""
    if "q" not in table:
        table.error("", 'the key "q" is missing; expected a position.')
    if not [key for key in GOLDEN_VALUES if key in table]:
        table.error("", f"nothing to compare with; expected one of {', '.join(GOLDEN_VALUES)}.")
    entry: dict[str, object] = {"q": table.numbers("q", nq)}
    entry |= {key: table.numbers(key, nv) for key in ("qd", "qdd")}
    entry |= {key: table.numbers(key, nv) for key in ("tau", "G", "h") if key in table}
    entry |= {key: table.matrix(key, nv, nv) for key in ("M", "C") if key in table}
    entry |= {key: table.flag(key, True) for key in ("motors", "friction")}
    entry |= {"source": table.text("source")} if "source" in table else {}
    table.finish()
    return entry
