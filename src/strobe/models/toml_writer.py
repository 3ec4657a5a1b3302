"""A model as a TOML robot file, in the [joints] or the [dh] form: reading it back gives the same robot.

Placements are written step by step, so that nothing is multiplied out: the same equations and the same
operation counts come back. Numbers have all their digits; named parameters keep their names.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence

from strobe.algebra import Pose, Shift, Turn, Vec3
from strobe.errors import UnsupportedModelError
from strobe.models.default_frame import tip_or_none, unsaid
from strobe.models.expressions import Expression
from strobe.models.inertial import Inertial
from strobe.models.joints import FIXED, Friction, Joint, Limits, Motor
from strobe.models.loops import CLOSURES
from strobe.models.model import ROOT, Body, Coupling, Curve, Frame, Loop, Model
from strobe.models.names import unused_name

UNIT_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def write_toml(model: Model) -> str:
    """The text of a robot file that holds the whole model except the remarks of its reader."""
    inner, trailing = _split_frames(model)
    return _file(model, ["[joints]\n", *(_link(model, frame) for frame in inner)], trailing)


def write_dh_toml(
    model: Model,
    convention: str,
    rows: Sequence[Mapping[str, object]],
    base: Mapping[str, object] | None = None,
) -> str:
    """The same for a chain whose bodies stand as the rows of a DH table say, in the [dh] form.

    ``base`` is a row that does not move, from the base to the first joint.
    """
    links = {body.name for body in model.bodies}
    others = [frame for frame in model.frames if frame.name not in {*links, model.base_name}]
    name = unused_name("dh_base", {*links, *_taken(model)})
    fixed = {"joint": FIXED.name, "name": name, "joint_name": name}
    structure = [
        _section("[dh]", {"convention": convention}),
        *([_section("[[dh.link]]", {**fixed, **base})] if base else ()),
        *(_row(body, row) for body, row in zip(model.bodies, rows, strict=True)),
    ]
    return _file(model, structure, others)


def _row(body: Body, row: Mapping[str, object]) -> str:
    joint = body.joint
    entries = {"joint": joint.kind, "name": body.name, "joint_name": joint.name, **row}
    return _section("[[dh.link]]", entries | _inertial(body.inertial, body.name) | _drive(joint))


def _file(model: Model, structure: Sequence[str], frames: Sequence[Frame]) -> str:
    """A file around the table of its links."""
    sections = [
        _head(model),
        _section("[parameters]", model.parameters) if model.parameters else "",
        _base(model),
        *structure,
        *(_frame(model, frame) for frame in frames),
        *(_coupling(coupling) for coupling in model.couplings),
        *(_loop(loop) for loop in model.loops),
        *(_curve(curve) for curve in model.curves),
        *(_section("[[feet]]", {"frame": foot.frame, "sole": foot.sole}) for foot in model.feet),
        _section("[poses]", model.poses) if model.poses else "",
        *(_section("[[golden]]", entry) for entry in model.golden),
        _known(model),
    ]
    return "\n".join(section for section in sections if section)


# -- sections ---------------------------------------------------------------------------------------


def _section(header: str, entries: Mapping[str, object]) -> str:
    lines = (f"{_key(key)} = {_value(value)}\n" for key, value in entries.items())
    return f"{header}\n{''.join(lines)}"


def _head(model: Model) -> str:
    texts = {"title": model.title, "source": model.source, "kinematic_only": model.kinematic_only}
    given: dict[str, object] = {key: text for key, text in texts.items() if text}
    if model.actuated:
        given["actuated"] = model.actuated
    meant = tip_or_none(model)
    if meant not in (None, tip_or_none(unsaid(model))):
        given["tip"] = meant
    return "".join(
        f"{key} = {_value(value)}\n" for key, value in {"format": 1, "name": model.name, **given}.items()
    )


def _known(model: Model) -> str:
    """How well parameters are known, a row of the factor in a line."""
    known = model.uncertainty
    if known is None:
        return ""
    entries: dict[str, object] = {"names": known.names, "values": known.values}
    entries |= {"open": known.open} if known.open else {}
    rows = "".join(f"    {_value(row)},\n" for row in known.factor)
    return f"{_section('[identified]', entries)}factor = [\n{rows}]\n"


def _base(model: Model) -> str:
    entries = {"name": model.base_name, "gravity": tuple(model.gravity.linear)}
    return _section("[base]", entries | _inertial(model.base_inertial, model.base_name))


def _split_frames(model: Model) -> tuple[list[Frame], list[Frame]]:
    """What is written as links (bodies and the fixed frames between them), and the frames after them."""
    frames = [frame for frame in model.frames if frame.name != model.base_name]
    own = [k for k, frame in enumerate(frames) if _body_of(model, frame)]
    if [frames[k].body for k in own] != list(range(len(model.bodies))):  # not every body has its frame
        others = [frame for frame in frames if not _body_of(model, frame)]
        return [Frame(body.name, body.index, Pose()) for body in model.bodies], others
    cut = own[-1] + 1 if own else 0
    return frames[:cut], frames[cut:]


def _body_of(model: Model, frame: Frame) -> Body | None:
    """The body whose own frame this is."""
    if frame.body == ROOT or frame.placement.steps or model.bodies[frame.body].name != frame.name:
        return None
    return model.bodies[frame.body]


def _link(model: Model, frame: Frame) -> str:
    body = _body_of(model, frame)
    return _fixed(model, frame) if body is None else _moving(model, body)


def _fixed(model: Model, frame: Frame) -> str:
    """A frame that stands between bodies, as a link of its own."""
    entries: dict[str, object] = {"name": frame.name}
    if frame.name in model.joint_names:
        entries["joint_name"] = unused_name(f"{frame.name}_fixed", _taken(model))
    entries |= {"parent": _carrier(model, frame.body), "joint": FIXED.name}
    return _section("[[joints.link]]", entries | _placement("before", frame.placement))


def _taken(model: Model) -> set[str]:
    """The names of joints, and those that frames written as links give to theirs."""
    return {*model.joint_names, *(frame.name for frame in model.frames)}


def _moving(model: Model, body: Body) -> str:
    joint = body.joint
    entries: dict[str, object] = {"name": body.name}
    if joint.name != body.name:
        entries["joint_name"] = joint.name
    entries |= {"parent": _carrier(model, body.parent), "joint": joint.kind}
    if joint.has_axis:
        entries["axis"] = tuple(joint.sign * x if x else 0.0 for x in UNIT_AXES[joint.axis])
    entries |= _placement("before", body.before) | _placement("after", body.after)
    entries |= _inertial(body.inertial, body.name) | _drive(joint)
    return _section("[[joints.link]]", entries)


def _carrier(model: Model, index: int) -> str:
    return model.base_name if index == ROOT else model.bodies[index].name


def _frame(model: Model, frame: Frame) -> str:
    entries: dict[str, object] = {"name": frame.name, "link": _carrier(model, frame.body)}
    steps = _steps(frame.placement)
    if len(steps) > 1:  # one {xyz, rpy} is all that a frame has
        xyz, rpy = tuple(frame.placement.translation), frame.placement.rpy()
        steps = [{"xyz": xyz, "rpy": rpy}]
    return _section("[[frames]]", entries | (steps[0] if steps else {}))


def _coupling(coupling: Coupling) -> str:
    entries = {"joint": coupling.joint, "terms": dict(coupling.terms), "offset": coupling.offset}
    return _section("[[couplings]]", entries)


def _loop(loop: Loop) -> str:
    entries: dict[str, object] = {
        "name": loop.name,
        "frame_a": loop.frame_a,
        "frame_b": loop.frame_b,
        "kind": loop.kind,
    }
    if loop.length:
        entries["length"] = loop.length
    if loop.rows:
        entries["conditions"] = [CLOSURES[loop.kind].words[k] for k in loop.rows]
    return _section("[[loops]]", entries)


def _curve(curve: Curve) -> str:
    entries = {
        "name": curve.name,
        "joint": curve.joint,
        "other": curve.other,
        "coefficients": curve.coefficients,
    }
    return _section("[[curves]]", entries)


# -- what a link carries ----------------------------------------------------------------------------


def _inertial(inertial: Inertial, link: str) -> dict[str, object]:
    if inertial.is_zero():
        return {}
    if inertial.com is None or inertial.central is None:
        raise UnsupportedModelError(
            f'link "{link}" has no centre of mass (m = 0 with a first moment, as regrouped models have); '
            "a robot file cannot hold it. Write the model before it was regrouped."
        )
    about_origin = inertial.given == "origin"
    inertia = inertial.about_origin.I if about_origin else inertial.central
    place: dict[str, object] = {"inertia_at": "origin"} if about_origin else {}
    return {"mass": inertial.m, "com": tuple(inertial.com), "inertia": tuple(inertia)} | place


def _drive(joint: Joint) -> dict[str, object]:
    parts = {
        "pitch": joint.pitch,
        "limits": _limits(joint.limits),
        "motor": _changed(joint.motor, Motor()),
        "friction": _changed(joint.friction, Friction()),
    }
    return {key: part for key, part in parts.items() if part}


def _limits(limits: Limits) -> dict[str, object]:
    position = (limits.lower, limits.upper)
    bounds: dict[str, object] = {} if position == (-math.inf, math.inf) else {"position": position}
    rates = {key: getattr(limits, key) for key in ("velocity", "acceleration", "effort")}
    return bounds | {key: rate for key, rate in rates.items() if rate != math.inf}


def _changed(record: Motor | Friction, default: Motor | Friction) -> dict[str, object]:
    """The entries that differ from the ones that are assumed."""
    pairs = {key: getattr(record, key) for key in record.__slots__}
    return {key: value for key, value in pairs.items() if value != getattr(default, key)}


def _placement(key: str, pose: Pose) -> dict[str, object]:
    steps = _steps(pose)
    return {} if not steps else {key: steps[0] if len(steps) == 1 else steps}


def _steps(pose: Pose) -> list[dict[str, object]]:
    """The placement as {xyz, rpy} tables, each a shift and then turns about z, y, x."""
    tables: list[dict[str, object]] = []
    free = 0  # a turn about an axis below this one still fits into the last table
    for step in pose.trimmed().steps:
        if isinstance(step, Shift):
            tables.append({"xyz": tuple(step.p)})
            free = 3
        elif isinstance(step, Turn) and step.angle is not None:
            if step.axis >= free:
                tables.append({})
            angles = tables[-1].get("rpy", (0.0, 0.0, 0.0))
            tables[-1]["rpy"] = _with_entry(angles, step.axis, step.angle)  # pyright: ignore[reportArgumentType]
            free = step.axis
        else:
            raise UnsupportedModelError("a lifted model cannot be written; write the model it came from.")
    return tables


def _with_entry(values: Sequence[float], index: int, value: float) -> tuple[float, ...]:
    return tuple(value if k == index else x for k, x in enumerate(values))


# -- values -----------------------------------------------------------------------------------------


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _string(name)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object) -> str:
    """A value in TOML; an expression as its text."""
    match value:
        case bool():
            return "true" if value else "false"
        case Expression():
            return _string(value.text)
        case int() | float():
            return repr(float(value)) if isinstance(value, float) else repr(value)
        case str():
            return _string(value)
        case Mapping():
            return f"{{ {', '.join(f'{_key(k)} = {_value(v)}' for k, v in value.items())} }}"
        case Vec3() | Iterable():
            return f"[{', '.join(_value(entry) for entry in value)}]"
        case _:
            raise UnsupportedModelError(f"{value!r} cannot be written to a robot file.")
