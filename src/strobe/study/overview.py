"""The robot in brief: joints, links, frames, constraints and what its reader remarked."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from strobe.errors import StrobeError, counted
from strobe.models.default_frame import hands
from strobe.models.inertial import Inertial, principal_moments
from strobe.models.joints import Joint, kind_of
from strobe.models.model import ROOT, Body, Loop, Model
from strobe.robot import Robot
from strobe.show.skeleton import Row, denavit_hartenberg
from strobe.show.tables import remark, short, table, tidy
from strobe.study import page_parts as page
from strobe.study.case import Case
from strobe.study.figure_robot import robot_figure

TITLE = "The robot"

REMARKS = 4  # that are shown at once
BRIEF = 16  # letters of a pattern that still tells something


def measure(case: Case) -> dict[str, Any]:
    """The robot in brief."""
    return describe(case.robot)


def command(case: Case) -> str:
    return f"info {case.called}"


def in_brief(data: Mapping[str, Any]) -> tuple[str, str]:
    """How many ways it can move."""
    closed = data["closed"] or {}
    count, noun = counted(closed.get("freedoms", data["degrees_of_freedom"]), "degree").split()
    if "freedoms" in closed:
        return count, f"{noun} of freedom left by loops, of {data['degrees_of_freedom']}{_kinds(data)}"
    return count, f"{noun} of freedom{_kinds(data)}, {_shape(data)}"


def _kinds(data: Mapping[str, Any]) -> str:
    """The kinds of the joints in brackets, where that is short."""
    return f" ({data['pattern']})" if len(data["pattern"]) <= BRIEF else ""


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    """Headline, joints and remarks; ``strobe info`` shows links and frames too."""
    yield from headline(data)
    yield joints_table(data)
    yield from constraints(data)


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    """Facts, remarks of the reader, and tables of joints, geometry and inertias."""
    convention, rows = denavit_hartenberg(case.robot.model)
    told = f"Table of Denavit and Hartenberg, {convention}"
    table_of_rows = (
        page.tag("details", page.tag("summary", told), _rows_table(data, rows)) if convention else None
    )
    return page.markup(
        _facts(data),
        _remarks(data),
        page.beside(
            page.figure(robot_figure(case.robot, case.swing.q)),
            page.tag("div", page.tag("h3", "Joints"), page.table(joints_table(data)), table_of_rows),
        ),
        page.tag("h3", "Links"),
        page.tag(
            "p",
            "About the origin of each link, in its axes; Ixy is −∫xy dm. Units: kg, m, kg m².",
            class_="remark",
        ),
        page.table(inertias_table(data)),
    )


def _facts(data: Mapping[str, Any]) -> page.Html:
    facts = {
        "degrees of freedom": f"{data['degrees_of_freedom']}{_kinds(data)}",
        "structure": _shape(data),
        "moving mass": f"{short(data['moving_mass'])} kg",
        "gravity": f"({', '.join(map(short, data['gravity']))}) m/s²".replace("-", "−"),
        "frames": str(len(data["frames"])),
    }
    pairs = (page.tag("div", page.tag("dt", k), page.tag("dd", v)) for k, v in facts.items() if v)
    source = page.tag("p", f"Source: {data['source']}", class_="remark") if data["source"] else None
    return page.markup(page.tag("dl", pairs, class_="facts"), source)


def _remarks(data: Mapping[str, Any]) -> page.Html:
    """What binds the joints and what the reader remarked; of many remarks the later ones are unfolded on request."""
    lines = [page.tag("li", _remarked(line)) for line in constraints(_brief(data))]
    first, more = lines[:REMARKS], lines[REMARKS:]
    shown = page.tag("ul", first, class_="notes") if first else None
    folded = page.tag(
        "details", page.tag("summary", f"{len(more)} more remarks"), page.tag("ul", more, class_="notes")
    )
    return page.markup(shown, folded if more else None)


def _brief(data: Mapping[str, Any]) -> dict[str, Any]:
    """The same without the folder of the robot's file before every remark."""
    file = data["source"]
    notes = [
        {**note, "where": _within(note["where"], file) if file else note["where"]} for note in data["notes"]
    ]
    return {**data, "notes": notes}


def _within(where: str, file: str) -> str:
    """A place in a file, by the file's name alone."""
    _, found, line = where.rpartition(f"/{file}")
    return f"{file}{line}" if found else where


def _remarked(line: str) -> page.Html:
    """A line of `constraints`, its first word as a chip."""
    kind, _, told = line.partition(": ")
    chip = page.tag("span", kind, class_=f"chip {'warn' if kind == 'warning' else ''}".strip())
    return page.markup(chip, told)


def _rows_table(data: Mapping[str, Any], rows: Sequence[Row]) -> page.Html:
    """A turning joint adds to θ, a sliding one to d."""
    named = zip((joint["name"] for joint in data["joints"]), rows, strict=True)
    body = [[name, row.theta, row.d, row.a, row.alpha] for name, row in named]
    return page.table(table(["joint", "θ rad", "d m", "a m", "α rad"], body))


def inertias_table(data: Mapping[str, Any]) -> Any:
    """The ten parameters of every link, and its centre of mass."""
    centre = ["com x", "com y", "com z"]
    rows = [
        [x["name"], x["mass"], *(tidy(x["com"]) if x["com"] else [None] * 3), *tidy(x["parameters"][4:])]
        for x in data["links"]
    ]
    return table(["link", "mass", *centre, "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"], rows)


def describe(robot: Robot) -> dict[str, Any]:
    """Everything that ``strobe info`` tells about a robot, as plain data."""
    model = robot.model
    links = [
        _link(model.base_name, model.base_inertial),
        *(_link(b.name, b.inertial) for b in model.bodies),
    ]
    return {
        "name": robot.name,
        "title": model.title,
        "source": model.source,
        "degrees_of_freedom": robot.nv,
        "position_numbers": robot.nq,
        "pattern": robot.coordinates.pattern,
        "serial": model.is_serial,
        "kinematic_only": model.without_dynamics or None,
        "gravity": [float(x) for x in model.gravity.linear],  # pyright: ignore[reportArgumentType]
        "moving_mass": sum(link["mass"] for link in links[1:]),
        "total_mass": sum(link["mass"] for link in links),
        "joints": [_joint(model, body) for body in model.bodies],
        "links": links,
        "frames": [_frame(model, k) for k in range(len(model.frames))],
        "tips": list(hands(model)),
        "couplings": [
            {"joint": c.joint, "follows": dict(c.terms), "offset": c.offset} for c in model.couplings
        ],
        "loops": [_loop(loop) for loop in model.loops],
        "curves": [
            {"name": c.name, "joint": c.joint, "over": c.other, "coefficients": list(c.coefficients)}
            for c in model.curves
        ],
        "actuated": list(model.actuated),
        "closed": _closed(robot),
        "feet": [
            {"frame": foot.frame, "sole": [list(corner) for corner in foot.sole]} for foot in model.feet
        ],
        "poses": {name: list(pose) for name, pose in model.poses.items()},
        "notes": [{"severity": n.severity, "where": n.where, "text": n.text} for n in robot.notes],
    }


def _loop(loop: Loop) -> dict[str, Any]:
    told = {"name": loop.name, "frames": [loop.frame_a, loop.frame_b], "kind": loop.kind, "held": loop.held}
    return told | ({"length": loop.length} if loop.length else {})


def _closed(robot: Robot) -> dict[str, Any] | None:
    """What closed chains leave free; nothing where there are none, the reason where they cannot be closed."""
    if not robot.model.is_closed:
        return None
    from strobe.mechanisms.mobility import diagnose  # most robots have no use for it

    try:
        found = diagnose(robot)
    except StrobeError as error:
        return {"cannot": str(error)}
    return {
        "freedoms": found.freedoms,
        "conditions": [f"{which} of {loop}" for loop, which in found.conditions],
        "redundant": [f"{which} of {loop}" for loop, which in found.redundant],
        "could_drive": [list(names) for names in found.could_drive],
    }


def _joint(model: Model, body: Body) -> dict[str, Any]:
    joint = body.joint
    return {
        "name": joint.name,
        "kind": joint.kind,
        "parent": model.base_name if body.parent == ROOT else model.bodies[body.parent].name,
        "child": body.name,
        "limits": _limits(joint),
        "damping": joint.damping,
        "coulomb": list(joint.coulomb),
        "rotor_inertia": joint.rotor_inertia,
    }


def _limits(joint: Joint) -> dict[str, float | None]:
    bounds = {
        name: getattr(joint.limits, name)
        for name in ("lower", "upper", "velocity", "acceleration", "effort")
    }
    return {name: value if math.isfinite(value) else None for name, value in bounds.items()}


def _link(name: str, inertial: Inertial) -> dict[str, Any]:
    com = None if inertial.com is None else [float(x) for x in inertial.com]  # pyright: ignore[reportArgumentType]
    parameters = [float(x) for x in inertial.about_origin.parameters]  # pyright: ignore[reportArgumentType]
    central = None if inertial.central is None else [float(x) for x in inertial.central]  # pyright: ignore[reportArgumentType]
    moments = None if inertial.central is None else principal_moments(inertial.central)
    return {
        "name": name, "mass": parameters[0], "com": com, "inertia": central, "principal_moments": moments,
        "parameters": parameters,
    }  # fmt: skip


def _frame(model: Model, k: int) -> dict[str, str]:
    frame = model.frames[k]
    return {
        "name": frame.name,
        "on": model.base_name if frame.body == ROOT else model.bodies[frame.body].name,
    }


def headline(data: Mapping[str, Any]) -> Iterator[Any]:
    """Two or three lines that say what the robot is."""
    shape = _shape(data)
    yield f"{data['name']}: {data['title']}" if data["title"] else data["name"]
    if data["source"]:
        yield remark(f"source: {data['source']}")
    yield (
        f"{counted(data['degrees_of_freedom'], 'degree')} of freedom ({data['pattern'] or 'none'}), {shape}, "
        f"{short(data['moving_mass'])} kg moving, gravity ({', '.join(map(short, data['gravity']))}) m/s²"
    )
    if data["kinematic_only"]:
        yield remark(f"kinematics only: {data['kinematic_only']}")


def _shape(data: Mapping[str, Any]) -> str:
    """How the links hang together, and what that leaves free."""
    tree = "one chain" if data["serial"] else "a tree"
    if data["closed"] is None:
        return tree
    free = data["closed"].get("freedoms")
    left = "" if free is None else f", of which loops leave {free}"
    return f"{tree} with closed loops{left}"


def joints_table(data: Mapping[str, Any]) -> Any:
    """One row per joint; columns that no joint fills are left out."""
    rows = [_joint_row(joint) for joint in data["joints"]]
    optional = ("velocity", "effort", "damping", "Coulomb", "rotor inertia")
    columns = [c for c in _JOINT_COLUMNS if c not in optional or any(row[c] is not None for row in rows)]
    slides = {kind_of(joint["kind"]).slides for joint in data["joints"]}
    titles = [f"{c} {_unit(c, slides)}".strip() for c in columns]
    return table(titles, [[row[c] for c in columns] for row in rows])


def _unit(column: str, slides: Collection[bool]) -> str:
    """That of a column: of joints that turn, that slide, or of both."""
    known = _JOINT_UNITS.get(column)
    return "" if known is None else " or ".join(known[k] for k in (False, True) if k in slides)


_JOINT_UNITS = {
    "lower": ("rad", "m"),
    "upper": ("rad", "m"),
    "velocity": ("rad/s", "m/s"),
    "effort": ("N m", "N"),
    "damping": ("N m s", "N s/m"),
    "Coulomb": ("N m", "N"),
    "rotor inertia": ("kg m²", "kg"),
}


_JOINT_COLUMNS = (
    "joint", "kind", "moves", "on", "lower", "upper", "velocity", "effort", "damping", "Coulomb",
    "rotor inertia",
)  # fmt: skip


def _joint_row(joint: Mapping[str, Any]) -> dict[str, Any]:
    limits = joint["limits"]
    forwards, backwards = joint["coulomb"]
    coulomb = None
    if forwards or backwards:
        coulomb = short(forwards) if forwards == backwards else f"+{short(forwards)} −{short(backwards)}"
    return {
        "joint": joint["name"],
        "kind": joint["kind"],
        "moves": joint["child"],
        "on": joint["parent"],
        "lower": limits["lower"],
        "upper": limits["upper"],
        "velocity": limits["velocity"],
        "effort": limits["effort"],
        "damping": joint["damping"] or None,
        "Coulomb": coulomb,
        "rotor inertia": joint["rotor_inertia"] or None,
    }


def links_table(data: Mapping[str, Any]) -> Any:
    """Mass, centre of mass and principal moments about it of every link; the base first."""
    none = [None] * 3
    rows = [
        [
            x["name"],
            x["mass"],
            *(x["com"] or none),
            *(tidy(x["principal_moments"]) if x["inertia"] else none),
        ]
        for x in data["links"]
    ]
    centre, moments = ([f"{what} {k} {unit}" for k in ks] for what, ks, unit in LINK_COLUMNS)
    return table(["link", "mass kg", *centre, *moments], rows)


LINK_COLUMNS = (("com", "xyz", "m"), ("I", "123", "kg m²"))


def inertia_tables(data: Mapping[str, Any]) -> Iterator[Any]:
    """The inertia of every link about its centre of mass, and its ten parameters about its origin."""
    entries = [f"{name} kg m²" for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")]
    yield remark("inertia about the centre of mass, in the axes of the link; Ixy is −∫xy dm")
    known = [[x["name"], x["mass"], *x["inertia"]] for x in data["links"] if x["inertia"]]
    yield table(["link", "mass kg", *entries], known)
    yield ""
    yield remark("the ten parameters of each link: mass, first moments and inertia about its origin")
    first = [f"m c{k} kg m" for k in "xyz"]
    yield table(
        ["link", "m kg", *first, *entries], [[x["name"], *tidy(x["parameters"])] for x in data["links"]]
    )


def constraints(data: Mapping[str, Any]) -> Iterator[str]:
    """Couplings, loops and remarks, one line each."""
    for coupling in data["couplings"]:
        yield f"coupling: {coupling['joint']} = {_sum(coupling['follows'], coupling['offset'])}"
    for loop in data["loops"]:
        yield f"loop: {_bound(loop)}"
    for curve in data["curves"]:
        yield f"curve: {curve['joint']} is held on a curve over {curve['over']}"
    yield from _left_free(data)
    for foot in data["feet"]:
        yield f"foot: {foot['frame']}, a sole of {counted(len(foot['sole']), 'corner')}"
    for note in data["notes"]:
        yield f"{note['severity']}: {note['where']}: {note['text']}"


def _bound(loop: Mapping[str, Any]) -> str:
    """What a loop does to its frames, and by what it is closed."""
    frames, kind = " and ".join(loop["frames"]), loop["kind"]
    what = (
        f"keeps {frames} {short(loop['length'])} m apart"
        if "length" in loop
        else f"keeps {frames} together"
    )
    return f"{loop['name']} ({kind}) {what}" + (", as the couplings do already" if loop["held"] else "")


def _left_free(data: Mapping[str, Any]) -> Iterator[str]:
    """What closed chains leave, and what drives it."""
    closed = data["closed"]
    if closed is None:
        return
    if "cannot" in closed:
        yield f"warning: {closed['cannot']}"
        return
    count, redundant = len(closed["conditions"]), closed["redundant"]
    yield (
        f"closed: {counted(closed['freedoms'], 'freedom')} left of {data['degrees_of_freedom']}, by "
        f"{counted(count - len(redundant), 'independent condition')} of {count}"
    )
    if redundant:
        yield f"redundant: {', '.join(redundant)}, which the others imply"
    could = " or ".join(", ".join(names) for names in closed["could_drive"])
    yield f"actuated: {', '.join(data['actuated']) or f'none named; {could} could drive it'}"


def _sum(terms: Mapping[str, float], offset: float) -> str:
    """A linear combination as one writes it: b1 − 2 a1 + 0.5."""
    parts = [(f, name if abs(f) == 1 else f"{short(abs(f))} {name}") for name, f in terms.items()]
    if offset or not parts:
        parts.append((offset, short(abs(offset))))
    (first, start), *others = parts
    rest = "".join(f" {'−' if factor < 0 else '+'} {part}" for factor, part in others)
    return f"{'−' if first < 0 else ''}{start}{rest}"


def frames_line(data: Mapping[str, Any], all_of_them: bool, shown: int = 8) -> str:
    """How many frames there are, and their names."""
    names = [frame["name"] for frame in data["frames"]]
    listed = names if all_of_them or len(names) <= shown else [*names[:shown], "… (--frames lists all)"]
    ends = ", ".join(data["tips"])
    tips = {0: "", 1: f"; the tip is {ends}"}.get(len(data["tips"]), f"; {len(data['tips'])} tips: {ends}")
    return f"{counted(len(names), 'frame')}: {', '.join(listed)}{tips}"
