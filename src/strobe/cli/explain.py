"""``strobe explain``: where every torque comes from, term by term, and what the joints hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import (
    Actuated,
    Base,
    Force,
    Gravity,
    Json,
    Lock,
    RobotName,
    Strict,
    decimal,
    open_robot,
)
from strobe.cli.logs import Columns, Degrees, Differentiate, LogOptions, Topic
from strobe.cli.options import drawn_in, takes
from strobe.cli.outputs import Drawing
from strobe.cli.states import (
    Accelerations,
    NoFriction,
    Pose,
    Positions,
    Velocities,
    Wrench,
    WrenchFrame,
    given_loads,
    given_state,
    named_pose,
    refuse_both,
)
from strobe.errors import ArgumentError, UnsupportedModelError

if TYPE_CHECKING:
    import numpy as np

    from strobe.equations.meaning import Explanation, Row
    from strobe.identify.logs import Log
    from strobe.robot import Robot

SMALL = 0.005  # of the sum of magnitudes: such terms are shown together
BAR = 10  # letters
MOST_TERMS = 1_000_000  # of all torques together: 125 joints
EIGHTHS = " ▏▎▍▌▋▊▉█"
INSTANTS = 601  # of a log, at most: more than a figure can show
TRANSMITTED = (
    "Force (N) and moment (N m) of each joint on the body it carries, at the joint, base axes. "
    "Across: what is not along the joint, and is held by its bearings."
)


def explain(
    robot: RobotName,
    q: Positions = None,
    qd: Velocities = None,
    qdd: Accelerations = None,
    pose: Pose = None,
    every: Annotated[
        bool, typer.Option("--all", help="Show every term, not only those above half a percent.")
    ] = False,
    plot: Annotated[Path | None, drawn_in("Draw the terms over a motion.")] = None,
    trajectory: Annotated[
        Path | None, takes("--trajectory", "LOG", "The motion to draw, as for strobe torque.")
    ] = None,
    columns: Columns = None,
    degrees: Degrees = False,
    topic: Topic = None,
    differentiate: Differentiate = False,
    symbolic: Annotated[
        bool, typer.Option("--symbolic", help="Write every term in closed form, for all states.")
    ] = False,
    gravity: Gravity = None,
    no_friction: NoFriction = False,
    wrench: Wrench = None,
    frame: WrenchFrame = None,
    actuated: Actuated = None,
    lock: Lock = None,
    base: Base = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Where each torque comes from, term by term, and what the joints hold.

    Effective inertia, interaction with every other joint, centrifugal by joint, Coriolis by pair, gravity,
    friction and external wrenches, each with its share of the sum of magnitudes. --plot draws them as stacked
    bars over a log, or over a swing of two seconds that passes through the state at time 0. --symbolic writes
    the terms of small arms in closed form.

    Of a closed chain the terms are those of its actuated joints, with all that goes along; numbers of a state may be
    those of the actuated joints alone. What joints hold has the forces in loops in it, those that couplings keep
    closed too (strobe torque --loops shows them).

    \b
    Examples:
      strobe explain planar2 --q 0.7,-1.1 --qd 1.3,-0.6 --qdd -0.8,2.1
      strobe explain panda --qd 1,1,1,1,1,1,1 --plot panda.svg
      strobe explain panda --trajectory motion.csv --plot motion.svg --json
      strobe explain planar2 --symbolic
    """
    from strobe.cli.show import present
    from strobe.robot import Robot

    if plot is not None and plot.suffix.lower() != ".svg":
        raise ArgumentError(f'--plot writes SVG; "{plot}" does not end in .svg.')
    if symbolic:
        if any(x is not None for x in (q, qd, qdd, pose, plot, trajectory, wrench)):
            raise ArgumentError(
                "--symbolic writes the terms for all states; leave out --q, --qd, --qdd, --plot, --trajectory and "
                "--wrench."
            )
        small = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
        present(*_closed_forms(small, not no_friction), as_json)
        return
    opened = open_robot(robot, lock=lock, base=base, actuated=actuated, strict=strict)
    arm = Robot(opened.model, compiled=False)  # a few questions, once each: not worth compiling
    how = given_loads(arm, gravity, wrench, frame, no_friction)
    given = {"q": q, "qd": qd, "qdd": qdd}
    reading = LogOptions(columns, degrees, differentiate, topic)
    reading.refuse_without(trajectory, "the motion of --trajectory LOG")
    if trajectory is None:
        state, assumed = given_state(arm, given, named_pose(arm, pose, q))
        data, shown = _one_state(arm, state, how, every, Drawing(plot, [robot], force))
        acting = {} if how["frame"] is None else {"frame": how["frame"]}
        data = {"robot": arm.name, "assumed": assumed, **acting, **data}
    else:
        refuse_both(trajectory, given | {"pose": pose})
        if plot is None:
            raise ArgumentError("--trajectory is the motion that --plot draws; give --plot FILE.svg too.")
        data, shown = _whole_log(arm, trajectory, how, Drawing(plot, [trajectory, robot], force), reading)
    present(data, shown, as_json)


# -- one state ----------------------------------------------------------------------------------------


def _one_state(
    arm: Robot, state: dict[str, np.ndarray], how: dict[str, Any], every: bool, drawing: Drawing,
) -> tuple[dict[str, Any], Iterator[Any]]:  # fmt: skip
    """The data, and what is shown of it."""
    if (terms := arm.nv**2 * (arm.nv + 3) // 2) > MOST_TERMS:
        raise UnsupportedModelError(
            f"{arm.name} has {arm.nv} torques of {terms:,} terms in all; a table has {MOST_TERMS:,} at most. Lock "
            "joints, or take what you need from robot.explain in Python."
        )
    found = arm.explain(*state.values(), **how)
    data = {**state, **_data(found)}
    if drawing.path is not None:
        times, *motion = _swing(arm, *state.values())
        data |= _draw(arm.explain(*motion, **how), times, "time (s)", drawing)
    return data, _tables(found, every)


def _swing(arm: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list[np.ndarray]:
    """The swing through a state, or what to give in its place."""
    import numpy as np

    from strobe.equations.figure_motion import harmonic

    if not arm.coordinates.is_single or arm.model.is_closed:
        what = "closed chains" if arm.model.is_closed else f"joints with {arm.coordinates.several}"
        raise ArgumentError(f"{arm.name} has {what}; give the motion: --trajectory LOG.")
    if not (np.any(qd) or np.any(qdd)):
        raise ArgumentError("nothing moves: give --qd or --qdd, or a motion to draw: --trajectory LOG.")
    return list(harmonic(arm, q, qd, qdd))


def _data(found: Explanation) -> dict[str, Any]:
    from strobe.equations.meaning import COORDINATES

    return {
        "joints": [
            {"name": name, "unit": unit, "tau": tau, "terms": [row.data() for row in found.rows(i)]}
            for i, (name, unit, tau) in enumerate(
                zip(found.joints, found.units, found.tau.tolist(), strict=True)
            )
        ],
        "coordinates": COORDINATES,
        "transmitted": [
            {
                "joint": name,
                "force": wrench[:3],
                "moment": wrench[3:],
                "force_across": across[:3],
                "moment_across": across[3:],
            }
            for name, wrench, across in zip(found.hinges, found.wrenches, found.constraints, strict=True)
        ],
        "remarks": found.remarks,
    }


def _tables(found: Explanation, every: bool) -> Iterator[Any]:
    import numpy as np

    from strobe.equations.meaning import COORDINATES
    from strobe.show.tables import remark, short, table
    from strobe.show.terminal import Text
    from strobe.study.wrenches import loads_table

    for i, (name, unit) in enumerate(zip(found.joints, found.units, strict=True)):
        yield Text(f"{name}: {short(float(found.torques[i]))} {unit}", style="bold cyan")
        yield table(["term", "", unit, "share", "", "what it does"], _rows(found.rows(i), every))
        yield ""
    yield remark(COORDINATES)
    yield ""
    yield Text("What the joints transmit", style="bold cyan")
    if not np.isnan(found.wrenches).any():
        yield loads_table(found.hinges, found.wrenches, found.constraints)
        yield remark(TRANSMITTED)
    yield from map(remark, found.remarks)


def _rows(rows: Sequence[Row], every: bool) -> list[list[Any]]:
    """The terms that count, and the small ones together."""
    felt = [row for row in rows if row.share > 0]
    small = [] if every else [row for row in felt if row.share < SMALL]
    small = small if len(small) > 1 else []
    shown = [
        [row.kind, row.formula, *_sized(float(row.value), float(row.share)), row.meaning]
        for row in felt
        if row not in small
    ]
    if small:
        value, share = (sum(float(getattr(row, name)) for row in small) for name in ("value", "share"))
        shown.append([f"{len(small)} small terms", "", *_sized(value, share), "together; --all shows each"])
    return shown or [["no torque", "", 0.0, "", "", ""]]


def _sized(value: float, share: float) -> list[Any]:
    return [value, f"{share:4.0%}" if share >= SMALL else " <1%", _bar(share)]


def _bar(share: float) -> str:
    """A share as a bar of eighths of letters."""
    whole, rest = divmod(round(share * BAR * 8), 8)
    return ("█" * whole + (EIGHTHS[rest] if rest else "")).ljust(BAR)


# -- all states ---------------------------------------------------------------------------------------


def _closed_forms(arm: Robot, friction: bool) -> tuple[dict[str, Any], Iterator[Any]]:
    """The data, and what is shown of it."""
    from strobe.equations.latex import latex
    from strobe.equations.meaning import COORDINATES
    from strobe.equations.symbolic_meaning import symbolic
    from strobe.equations.text import text

    rows = symbolic(arm, friction=friction)
    terms = [
        {
            "joint": row.joint,
            "kind": row.kind,
            "by": row.by,
            "formula": row.formula,
            "closed_form": text(row.value),
            "latex": latex(row.value),
            "meaning": row.meaning,
        }
        for row in rows
    ]
    return {"robot": arm.name, "terms": terms, "coordinates": COORDINATES}, _written_out(terms)


def _written_out(terms: Sequence[dict[str, Any]]) -> Iterator[Any]:
    from strobe.equations.meaning import COORDINATES
    from strobe.show.tables import remark
    from strobe.show.terminal import Text

    for joint, group in groupby(terms, key=lambda term: term["joint"]):
        yield Text(f"\n{joint}", style="bold cyan")
        for term in group:
            yield f"  {term['kind']}: {term['formula']} = {term['closed_form']}"
            yield Text(f"      {term['meaning']}", style="dim")
    yield remark(COORDINATES)


# -- a log --------------------------------------------------------------------------------------------


def _whole_log(
    arm: Robot, log: Path, how: dict[str, Any], drawing: Drawing, reading: LogOptions
) -> tuple[dict[str, Any], Iterator[Any]]:
    """The data, and what is shown of it."""
    import numpy as np

    from strobe.cli.logs import read_motion
    from strobe.cli.show import note
    from strobe.equations import meaning

    motion = read_motion(log, arm, reading)
    times, across = instants(motion, log)
    remarks = list(motion.remarks)
    assert motion.qd is not None  # a log without rates is refused
    assert motion.qdd is not None
    rows = np.unique(np.linspace(0, len(motion) - 1, min(len(motion), INSTANTS)).round().astype(int))
    if len(rows) < len(motion):
        remarks.append(f"{len(rows)} of the {len(motion):,} rows were taken, evenly.")
        note(remarks[-1])
    found = arm.explain(motion.q[rows], motion.qd[rows], motion.qdd[rows], **how)
    drawn = _draw(found, times[rows], across, drawing)
    sizes = {kind: np.abs(x).mean(axis=0) for kind, x in found.parts.items()}
    data = {
        "robot": arm.name,
        "rows": len(rows),
        "remarks": remarks,
        "joints": found.joints,
        "units": found.units,
        "mean_magnitude": sizes | {"tau": np.abs(found.tau).mean(axis=0)},
        "coordinates": meaning.COORDINATES,
    } | drawn
    return data, _summary(data)


def instants(motion: Log, log: Path) -> tuple[np.ndarray, str]:
    """The times of a log, and what they are called; rows are counted where it has none."""
    import numpy as np

    times, stamps = motion.times, motion.stamps
    if times is None:
        return np.arange(len(motion), dtype=float), "row"
    column = f'{log}: column "{motion.time_name}"'
    for k in np.flatnonzero(~np.isfinite(times)).tolist():
        raise ArgumentError(f'{column}: "{stamps[k]}" is not a time in seconds.')
    for k in np.flatnonzero(np.diff(times) <= 0).tolist():
        raise ArgumentError(
            f"{column}: {stamps[k + 1]} comes after {stamps[k]}; to be drawn, times must increase."
        )
    try:
        start = decimal(stamps[0])
        in_seconds = math.isclose(decimal(stamps[-1]) - start, times[-1], abs_tol=1e-6)
    except ValueError:  # a date
        start, in_seconds = math.inf, False
    if in_seconds and abs(start) < 1e5:
        return start + times, "time (s)"
    return times, f"time (s) since {stamps[0]}"


def _summary(data: dict[str, Any]) -> Iterator[Any]:
    from strobe.equations.meaning import COORDINATES
    from strobe.show.tables import remark, table, tidy

    sizes = data["mean_magnitude"]
    values = dict(zip(sizes, tidy(list(sizes.values())), strict=True))
    felt = [kind for kind, x in values.items() if any(x)]
    columns = zip(*(values[kind] for kind in felt), strict=True)
    rows = zip(data["joints"], data["units"], columns, strict=True)
    yield remark("mean magnitudes over the motion")
    yield table(["joint", "", *felt], [[name, unit, *numbers] for name, unit, numbers in rows])
    yield remark(COORDINATES)


def _draw(found: Explanation, times: np.ndarray, across: str, drawing: Drawing) -> dict[str, str]:
    from strobe.show.plots import torque_bars

    what = f"the terms over {across.split(' (')[0]} are"
    return drawing.write(lambda: torque_bars(found, times, across=across), what)
