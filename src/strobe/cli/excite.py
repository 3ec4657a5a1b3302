"""``strobe excite``: motions that tell a robot's parameters, and what they would tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from strobe.cli.frames import TIP
from strobe.cli.inputs import Base, Force, Gravity, Json, Lock, RobotName, Strict, numbers, open_robot
from strobe.cli.options import drawn_in, in_options, takes, written_to
from strobe.cli.outputs import Drawing
from strobe.cli.plan import bound
from strobe.cli.states import order
from strobe.errors import ArgumentError, StrobeError

if TYPE_CHECKING:
    from strobe.identify.excitation import Excitation
    from strobe.identify.known_information import Known

ARGUMENTS = (
    "duration", "kind", "waves", "motions", "friction", "noise", "rate", "objective", "start", "velocity",
    "acceleration", "jerk", "effort", "lower", "upper", "workspace", "frames", "seed",
)  # fmt: skip
SAID_FIRST = (
    *("friction:", "noise is", "noise has", "workspace is", "workspace leaves", "duration is", "waves is"),
    *("motions is", "rate is", "seed is", "kind is", "objective is"),
)
SHOWN = 5  # base parameters that a motion tells least


def excite(
    robot: RobotName,
    output: Annotated[
        Path | None,
        written_to("Where the motion goes: .json, .csv or .npz; of several, each with its number."),
    ] = None,
    kind: Annotated[str, takes("--kind", "NAME", "Of motion: fourier or spline.")] = "fourier",
    duration: Annotated[float, takes("--duration", "SECONDS", "Of one motion.")] = 10.0,
    waves: Annotated[int, takes("--waves", "NUMBER", "Periods of the shortest wave.")] = 6,
    motions: Annotated[
        int, takes("--motions", "NUMBER", "How many, each telling most beside the others.")
    ] = 1,
    friction: Annotated[
        str | None,
        takes("--friction", "NAMES", "Terms to be told too: rotor, viscous, coulomb, …; see below."),
    ] = None,
    noise: Annotated[
        str | None,
        takes("--noise", "NUMBERS", "Standard deviation of a torque reading: one, or one per joint."),
    ] = None,
    rate: Annotated[
        float | None, takes("--rate", "HZ", "Torques read in a second; 100 if nothing says it.")
    ] = None,
    known: Annotated[
        Path | None,
        takes("--known", "FILE.npz", "What logs told already: of strobe identify --information."),
    ] = None,
    objective: Annotated[
        str, takes("--objective", "NAME", "What is made best: information or condition.")
    ] = "information",
    start: Annotated[
        str | None, takes("--start", "NUMBERS", "Where the motion begins; else it is chosen.")
    ] = None,
    lower: Annotated[str | None, bound("lower")] = None,
    upper: Annotated[str | None, bound("upper")] = None,
    velocity: Annotated[str | None, bound("velocity")] = None,
    acceleration: Annotated[str | None, bound("acceleration")] = None,
    jerk: Annotated[str | None, bound("jerk")] = None,
    effort: Annotated[str | None, bound("effort")] = None,
    workspace: Annotated[
        str | None, takes("--workspace", "NUMBERS", "A box to stay in: its lower x, y, z, then its upper.")
    ] = None,
    frames: Annotated[str | None, takes("--frames", "NAMES", f"Whose origins stay in it; {TIP}")] = None,
    seed: Annotated[
        int, takes("--seed", "NUMBER", "Of the random motions that the search begins from.")
    ] = 0,
    plot: Annotated[Path | None, drawn_in("A drawing of the first motion and its limits.")] = None,
    step: Annotated[float, takes("--step", "SECONDS", "Between the rows of the file.")] = 0.01,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Motions that tell the parameters of a robot: what they and a random one would tell.

    They begin and end at rest in one place. Bounds are the robot's own unless an option gives others, and are proved
    on the motion's polynomials; torques are those of the robot as it is given. ± is the standard error to be
    expected from --noise (1 N m or N if not given) and --rate.

    \b
    Terms of friction:
      rotor        inertia of the drive's rotor
      viscous      grows with the speed            quadratic    with its square
      coulomb      the direction of motion         asymmetric   that differs forwards and backwards
      offset       of the sensor                   spring       grows with the position
    \b
    Examples:
      strobe excite panda -o motion.json
      strobe excite panda --friction viscous,coulomb --noise 0.3,0.3,0.3,0.3,0.1,0.1,0.1 -o motion.json
      strobe excite puma560 --velocity 2 --acceleration 8 --motions 3 -o motion.json
      strobe excite panda --known known.npz -o next.json
      strobe excite panda --workspace -0.6,-0.6,0.2,0.6,0.6,1.2 --kind spline -o motion.json
    """
    from strobe.cli.show import note, present
    from strobe.identify.excitation import excite as excited
    from strobe.identify.known_information import read_known
    from strobe.models.arguments import require_whole
    from strobe.trajectory.figure import trajectory_figure

    require_whole("--motions", motions, 1)
    files = _files(output, motions)
    drawing = Drawing(plot, [robot], force)
    _check_files(files, [robot], force)
    drawing.check()
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    before = None if known is None else read_known(known)
    lists = {
        "lower": lower, "upper": upper, "velocity": velocity, "acceleration": acceleration, "jerk": jerk,
        "effort": effort, "noise": noise,
    }  # fmt: skip
    try:
        found = excited(
            arm, kind=kind, duration=duration, waves=waves, motions=motions, **_before(before, friction, noise, rate),
            objective=objective, seed=seed, frames=_names(frames),
            start=None if start is None else numbers("--start", start, arm.nq, order(arm, "q")),
            workspace=None if workspace is None else numbers("--workspace", workspace, 6, "Two corners."),
            **{name: _one_or_each(name, text, arm.nv) for name, text in lists.items() if text is not None},
        )  # fmt: skip
    except StrobeError as error:
        raise ArgumentError(in_options(error, ARGUMENTS, SAID_FIRST)) from None
    data = _data(found)
    for each, motion, path in zip(data["motions"], found.motions, files or [None] * motions, strict=True):
        if path is not None:
            from strobe.trajectory.files import write

            each |= {
                "output": str(path),
                "rows": write(motion, path, arm, step=step, inputs=[robot], force=force),
            }
            note(f"{each['rows']:,} rows written to {path}.")
    data |= drawing.write(lambda: trajectory_figure(arm, found.motions[0], found.bounds))
    for sentence in found.notes:
        note(str(in_options(sentence, ARGUMENTS)))
    present(data, _shown(found, data, noise is not None), as_json)


def _before(
    known: Known | None, friction: str | None, noise: str | None, rate: float | None
) -> dict[str, Any]:
    """Friction, noise and rate as they are said, or as logs told that are known."""
    if known is None:
        return {"friction": _names(friction) or (), "rate": 100.0 if rate is None else rate}
    if friction is not None:
        raise ArgumentError("--friction: the terms are those of --known; leave it out.")
    said = {
        "friction": known.friction,
        "known": known.information,
        "rate": known.rate if rate is None else rate,
    }
    return said if noise is not None else said | {"noise": known.noise}


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name for name in re.split(r"[,\s]+", text.strip()) if name]


def _one_or_each(name: str, text: str | None, n: int) -> Any:
    if text is None:
        return None
    values = numbers(f"--{name}", text)
    return values[0] if len(values) == 1 else numbers(f"--{name}", text, n, "One per joint, or one.")


def _files(output: Path | None, motions: int) -> list[Path]:
    """A file for each motion."""
    if output is None or motions == 1:
        return [] if output is None else [output]
    return [output.with_stem(f"{output.stem}-{k}") for k in range(1, motions + 1)]


def _check_files(files: list[Path], inputs: list[Any], force: bool) -> None:
    from strobe.files.writing import refuse
    from strobe.trajectory.files import kind_of

    for path in files:
        kind_of(path)
        refuse(path, inputs=inputs, force=force)


def _data(found: Excitation) -> dict[str, Any]:
    return {
        "robot": found.robot.name,
        "rate": found.rate,
        "parameters": list(found.names),
        "untold": list(found.untold),
        "motions": [
            {
                "kind": motion.method,
                "duration": motion.duration,
                "start": motion(0.0).q,
                "bound": {"kind": used.kind, "of": used.name, "share": used.share, "at": used.at},
            }
            for motion, used in zip(found.motions, found.used, strict=True)
        ],
        **{
            name: {"condition": told.condition, "log_det": told.size, "deviations": told.deviations}
            for name, told in (("random", found.random), ("found", found.found))
        },
        "notes": list(found.notes),
    }


def _shown(found: Excitation, data: dict[str, Any], noise: bool) -> Iterator[Any]:

    from strobe.show.tables import remark, short, table
    from strobe.study.limit_usage import percent, shares, shares_table

    for k, (motion, used) in enumerate(zip(found.motions, found.used, strict=True), 1):
        yield remark(
            f"{motion.method} {k}: {short(motion.duration)} s; proved: no bound is used by more than "
            f"{percent(used.share)} ({used.kind} of {used.name} at {short(used.at)} s)"
        )
        yield shares_table(shares(found.robot, motion, found.bounds))
    rows = [
        ["condition of the regressor", found.random.condition, found.found.condition],
        ["log det of the information", found.random.size, found.found.size],
    ]
    yield table(["", "random motion", "this one" if len(found.motions) == 1 else "these"], rows)
    unit = "" if noise else " at 1 N m (N) of noise"
    yield f"standard errors to be expected{unit}, kg, kg m, kg m²:"
    order = sorted(range(found.felt.size), key=lambda k: -found.found.deviations[k])
    yield table(
        ["what is felt", "random ±", "found ±"],
        [
            [found.names[k], float(found.random.deviations[k]), float(found.found.deviations[k])]
            for k in order
        ],
    )
