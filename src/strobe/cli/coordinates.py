"""``strobe coordinates``: the dynamics of a robot in other coordinates than its joints'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.inputs import Base, Gravity, Json, Lock, RobotName, Strict, numbers, open_robot
from strobe.cli.options import takes
from strobe.cli.states import Accelerations, Pose, Positions, Velocities, given_state, named_pose
from strobe.errors import ArgumentError, StrobeError

if TYPE_CHECKING:
    import numpy as np

    from strobe.equations.coordinate_laws import CoordinateLaw
    from strobe.equations.coordinates import InCoordinates
    from strobe.robot import Robot

LARGEST = 1_000_000  # bytes of a file with a matrix
SHORT = 3  # joints whose equations are shown unasked
SECTIONS = ("M", "C", "G", "tau")
HOLDS = {True: "holds", False: "FAILS", None: "not tried"}


def coordinates(
    robot: RobotName,
    matrix: Annotated[
        str | None,
        takes(
            "--map", "ROWS|FILE", 'q = A φ: rows of A, "1 0; -1 1", or a .json file; else absolute angles.'
        ),
    ] = None,
    offset: Annotated[str | None, takes("--offset", "NUMBERS", "q = A φ + offset; with --map.")] = None,
    names: Annotated[
        str | None, takes("--names", "NAMES", "What the coordinates are called; phi1, …")
    ] = None,
    q: Positions = None,
    qd: Velocities = None,
    qdd: Accelerations = None,
    pose: Pose = None,
    equations: Annotated[
        bool, typer.Option("--equations", help="Show M, C and G of more than three joints, too.")
    ] = False,
    only: Annotated[
        str | None, takes("--only", "M,C,…", f"Equations: some of {', '.join(SECTIONS)}.")
    ] = None,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """The dynamics in other coordinates φ, q = A φ + offset: the map, a state, checks, equations.

    Without --map φ are absolute angles: against the base, where the axes of joints are parallel. Which torque is
    called Coriolis depends on the coordinates; forces become Q = Aᵀ τ, and power, energy and Ṁ − 2C stay what they
    are, which is checked. Exits with 1 if a check fails.

    \b
    Examples:
      strobe coordinates planar2
      strobe coordinates planar2 --map "1 0; -1 1" --names a,b --q 0.3,0.4 --qd 1,0
      strobe coordinates ur5 --q 0,-1,1,0,0,0 --json
    """
    from strobe.cli.show import present
    from strobe.equations.coordinate_laws import coordinate_laws
    from strobe.robot import Robot

    if offset is not None and matrix is None:
        raise ArgumentError("--offset goes with --map, a matrix.")
    sections = _sections(only)
    arm = Robot(
        open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict).model, compiled=False
    )
    try:
        other = arm.in_coordinates(
            "absolute" if matrix is None else _matrix(arm, matrix),
            offset=None if offset is None else numbers("--offset", offset, arm.nv),
            names=None if names is None else [name for name in names.replace(",", " ").split() if name],
        )
    except ArgumentError as error:
        raise ArgumentError(str(error).replace("names is", "--names is")) from None
    state, assumed = given_state(arm, {"q": q, "qd": qd, "qdd": qdd}, named_pose(arm, pose, q))
    here = _here(arm, other, state)
    laws = coordinate_laws(other)
    shown = _equations(other, sections) if equations or only or arm.nv <= SHORT else []
    present(_data(arm, other, assumed, here, laws, shown), _shown(arm, other, here, laws, shown), as_json)
    if any(law.holds is False for law in laws):
        raise typer.Exit(CHECK_FAILED)


def _sections(only: str | None) -> list[str]:
    wanted: list[str] = (
        [*SECTIONS[:3]] if only is None else [word for word in only.replace(",", " ").split() if word]
    )
    for word in wanted:
        if word not in SECTIONS:
            raise ArgumentError(f'--only "{word}" is none of {", ".join(SECTIONS)}.')
    return wanted


def _matrix(robot: Robot, text: str) -> list[list[float]]:
    """Rows of numbers, from the command line or from a file."""
    if text.lower().endswith(".json"):
        from strobe.files.reading import read_json_data

        data = read_json_data(Path(text), LARGEST)
        given = data.get("map") if isinstance(data, dict) else data
        if not _is_matrix(given):
            raise ArgumentError(
                f'{text} holds no matrix; expected rows of numbers, alone or under the key "map".'
            )
        return cast(list[list[float]], given)
    rows = [
        numbers("--map", row, robot.nv, "It is a row of A, and rows end with ;.") for row in text.split(";")
    ]
    if len(rows) != robot.nv:
        raise ArgumentError(
            f'--map has {len(rows)} rows, expected {robot.nv}, separated by ;, such as "1 0; -1 1".'
        )
    return rows


def _is_matrix(given: object) -> bool:
    """Whether rows of numbers, as many in each, stand in a file."""
    if not isinstance(given, list) or not given or not all(isinstance(row, list) for row in given):
        return False
    plain = all(isinstance(x, int | float) and not isinstance(x, bool) for row in given for x in row)
    return plain and len({len(row) for row in given}) == 1


def _here(robot: Robot, other: InCoordinates, state: dict[str, np.ndarray]) -> dict[str, Any]:
    """One state, in both kinds of coordinates."""
    phi, phid, phidd = other.from_motion(*state.values())
    return {
        **state, "tau": robot.inverse_dynamics(*state.values()), "phi": phi, "phid": phid, "phidd": phidd,
        "Q": other.inverse_dynamics(phi, phid, phidd), "T": other.T(phi), "mass_matrix": other.mass_matrix(phi),
        "coriolis_matrix": other.coriolis_matrix(phi, phid), "gravity": other.gravity(phi),
    }  # fmt: skip


def _equations(other: InCoordinates, sections: Sequence[str]) -> list[str]:
    """The equations in these coordinates, or why there are none."""
    from strobe.equations.document import document
    from strobe.equations.text import text_lines

    try:
        return list(text_lines(document(other.equations(), only=sections)))
    except StrobeError as error:
        return [f"no closed forms: {error}"]


def _data(
    robot: Robot, other: InCoordinates, assumed: dict[str, str], here: dict[str, Any],
    laws: Sequence[CoordinateLaw], equations: Sequence[str],
) -> dict[str, Any]:  # fmt: skip
    linear = other.change.linear
    return {
        "robot": robot.name, "joints": robot.coordinates.rate_names, "coordinates": other.names,
        "map": None if linear is None else linear.rows, "offset": None if linear is None else linear.offset,
        "assumed": assumed, "state": here, "laws": [{**asdict(law), "holds": law.holds} for law in laws],
        "equations": equations,
    }  # fmt: skip


def _shown(
    robot: Robot,
    other: InCoordinates,
    here: dict[str, Any],
    laws: Sequence[CoordinateLaw],
    equations: Sequence[str],
) -> Iterator[Any]:
    from strobe.show.tables import remark, table, tidy

    joints = robot.coordinates.rate_names
    slides = [joint.slides for joint in robot.coordinates.joints]
    yield f"{robot.name} in the coordinates {', '.join(other.names)}"
    yield from (f"  {name} = {_sum(other, k)}" for k, name in enumerate(joints))
    yield ""
    own = zip(joints, *(tidy(here[x]) for x in ("q", "qd", "qdd", "tau")), map(_units, slides), strict=True)
    yield table(["joint", "q", "qd", "qdd", "tau", "units"], [list(row) for row in own])
    units = _units_of_coordinates(other, slides)
    new = zip(other.names, *(tidy(here[x]) for x in ("phi", "phid", "phidd", "Q")), units, strict=True)
    yield table(["coordinate", "phi", "phid", "phidd", "Q = Tᵀ tau", "units"], [list(row) for row in new])
    yield ""
    held = {_units(False): " in kg m²", _units(True): " in kg"}
    yield remark(
        f"M in these coordinates, at this state{held.get(units[0], '') if len(set(units)) == 1 else ''}"
    )
    yield table(
        ["", *other.names],
        [[n, *row] for n, row in zip(other.names, tidy(here["mass_matrix"]), strict=True)],
    )
    yield ""
    yield remark("at 100 random states")
    yield table(
        ["law", "", "off by, relative"],
        [[law.statement, HOLDS[law.holds], law.why or f"{law.error:.1e}"] for law in laws],
    )
    if equations:
        yield ""
        yield from equations


def _units(slide: bool) -> str:
    return "m, m/s, m/s², N" if slide else "rad, rad/s, rad/s², N m"


def _units_of_coordinates(other: InCoordinates, slides: Sequence[bool]) -> list[str]:
    """Those of the joints that a coordinate moves; none where it moves joints of both kinds."""
    linear = other.change.linear
    if linear is None:
        return [""] * len(other.names)
    moved = (
        {slide for slide, row in zip(slides, linear.rows, strict=True) if row[k]}
        for k in range(len(other.names))
    )
    return [_units(kinds.pop()) if len(kinds) == 1 else "" for kinds in moved]


def _sum(other: InCoordinates, k: int) -> str:
    """A row of the map as one writes it: −phi1 + phi2 + 0.5."""
    from strobe.show.tables import short

    linear = other.change.linear
    assert linear is not None  # a matrix
    parts = [
        (f, name if abs(f) == 1 else f"{short(abs(f))} {name}")
        for f, name in zip(linear.rows[k], other.names, strict=True)
        if f
    ]
    if linear.offset[k] or not parts:
        parts.append((linear.offset[k], short(abs(linear.offset[k]))))
    (first, start), *rest = parts
    return (
        ("−" if first < 0 else "") + start + "".join(f" {'−' if f < 0 else '+'} {part}" for f, part in rest)
    )
