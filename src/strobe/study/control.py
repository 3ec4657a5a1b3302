"""The same motion under every controller and some approximations, with a load that none knows of and without."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import (
    ArgumentError,
    ControlWarning,
    SingularMassMatrixError,
    UnsupportedModelError,
)
from strobe.robot import Robot
from strobe.show.axes import NARROW, WIDTH
from strobe.show.plots import Panel, small_multiples
from strobe.show.tables import remark, short, table, three
from strobe.study import page_parts as page
from strobe.study.case import Case
from strobe.study.control_loops import alone, told
from strobe.study.refusals import reasons

if TYPE_CHECKING:
    from strobe.control.tracking_result import Tracked
    from strobe.trajectory.motion import Trajectory

TITLE = "Under control"

MOST, FEWER = 12, 7  # degrees of freedom that are waited for; fewer in a quick study
RATE = 1000.0  # Hz
LOAD = 0.3 / 20.8  # of what moves: 0.3 kg in the hand of the Stanford arm
MODELLED = "computed-torque"  # the controller that is also given approximations
APPROXIMATIONS = ("without-velocity-terms", "reduced-interaction", "without-distal-links")
QUICK = (("joint-pd", None), (MODELLED, None), (MODELLED, APPROXIMATIONS[0]))
DRAWN = (
    ("joint-pd", None), ("pd-gravity", None), ("feed-forward-pd", None), (MODELLED, None),
    (MODELLED, APPROXIMATIONS[0]), ("slotine-li", None), ("acceleration-servo", None),
)  # fmt: skip
ROWS = 200  # instants that are drawn
TALL, DECADES = 210, 5  # of a panel: pixels, powers of ten
SECONDS = {False: 0.05, True: 0.01}  # of timing each step
HANDS = {"empty": "the hand empty", "loaded": "with the load"}


def measure(case: Case) -> dict[str, Any]:
    """The motion of the section on trajectories, in closed loops at 1 kHz."""
    from strobe.control.methods import CONTROLLERS  # every verb imports the study: control waits
    from strobe.study.trajectory import motion_of

    case.require_dynamics()
    case.require_at_most(FEWER if case.quick else MOST, "closed loops", "See strobe control.")
    robot, motion, mass = Robot(case.robot.model), motion_of(case), load(case.robot)
    whole = [
        (name, model)
        for name in CONTROLLERS
        for model in (None, *(APPROXIMATIONS if name == MODELLED else ()))
    ]
    loops: list[dict[str, Any]] = []
    refused: dict[str, str] = {}
    for name, model in QUICK if case.quick else whole:
        try:
            loops.append(_loop(robot, motion, name, model, mass, case))
        except (ArgumentError, UnsupportedModelError, SingularMassMatrixError) as error:
            refused[_called(name, model)] = str(error)
    if not loops:
        raise UnsupportedModelError(next(iter(refused.values())))
    return {
        "motion": motion.method,
        "duration": motion.duration,
        "rate": RATE,
        "load": {"mass": mass, "frame": case.hand},
        "loops": loops,
        "refused": refused,
    }


def load(robot: Robot) -> float:
    """A load that is to this arm what 0.3 kg are to the Stanford arm, in kg, to two digits."""
    moved = sum(body.inertial.m for body in robot.model.bodies)
    return float(f"{LOAD * moved:.2g}")


def _loop(
    robot: Robot, motion: Trajectory, name: str, model: str | None, mass: float, case: Case
) -> dict[str, Any]:
    """One controller, with both hands side by side, as data."""
    from strobe.approximate.methods import METHODS
    from strobe.control.step_cost import cost
    from strobe.control.tracking import control

    gains = {} if model is None else {"model": METHODS[model].make(robot, motion, None)}
    payload = [[0.0] * 4, [mass, 0.0, 0.0, 0.0]]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ControlWarning)
        run = control(
            robot,
            motion,
            name,
            rate=RATE,
            gains=gains,
            payload=payload,
            frame=case.hand,
            check=not case.quick,
        )
    rows = np.unique(np.linspace(0, len(run.times) - 1, ROWS).astype(int))
    empty, loaded = told(alone(run, 0), cost(run.controller, SECONDS[case.quick])), told(alone(run, 1))
    return {
        **{key: empty[key] for key in ("controller", "title", "gains", "operations", "ns")},
        "model": model,
        "effort": _share(run),
        "times": run.times[rows],
        "empty": _own(empty, run.hand_error()[0, rows]),
        "loaded": _own(loaded, run.hand_error()[1, rows]),
        "notes": [str(each.message) for each in caught if issubclass(each.category, ControlWarning)],
    }


def _own(data: Mapping[str, Any], off: np.ndarray) -> dict[str, Any]:
    """What differs with what the hand carries."""
    kept = ("status", "reached", "hand", "error", "torque", "work")
    return {key: data[key] for key in kept} | {"off": off}


def _share(run: Tracked) -> float | None:
    """The largest torque as a share of its joint's limit, where limits are known."""
    limits = run.plant.limits.effort
    known = np.isfinite(limits) & (limits > 0)
    largest = np.nan_to_num(np.abs(run.tau)).max(axis=(0, 1))
    return float((largest / limits)[known].max()) if known.any() else None


def _called(controller: str, model: str | None) -> str:
    return controller if model is None else f"{controller}, {model}"


# -- shown --------------------------------------------------------------------------------------------


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield from _lesson(data)
    yield remark(_asked(data))
    yield loops_table(data)
    yield from map(remark, _notes(data))


def _lesson(data: Mapping[str, Any]) -> Iterator[str]:
    """What the load and the terms left out cost, in millimetres at the hand."""
    found = {(loop["controller"], loop["model"]): loop for loop in data["loops"]}
    exact, shorter = (found.get((MODELLED, model)) for model in (None, APPROXIMATIONS[0]))
    if exact is None or shorter is None:
        return
    off = [_mm(loop[hand]["hand"]["largest"]) for loop in (exact, shorter) for hand in HANDS]
    yield (
        f"Under computed torque the hand is off by {off[0]} mm at most, by {off[2]} mm without velocity terms; with "
        f"a load that the controller does not know of, by {off[1]} and {off[3]} mm."
    )


def _asked(data: Mapping[str, Any]) -> str:
    load = data["load"]
    return (
        f"a motion of {data['duration']:.3g} s ({data['motion']}), controlled at {short(data['rate'])} Hz; the load "
        f'is {short(load["mass"])} kg at "{load["frame"]}"; a row with … has an approximation in place of the model; '
        "×, + and ns are those of a step"
    )


def loops_table(data: Mapping[str, Any]) -> Any:
    """A row per controller, below it those with other models: errors of the hand, effort and cost."""
    limited = any(loop["effort"] is not None for loop in data["loops"])
    head = [
        "controller", "rms (mm)", "at most (mm)", "rms, load", "at most, load", "work (J)",
        *(["% of effort"] if limited else []), "×", "+", "ns",
    ]  # fmt: skip
    return table(head, [_row(loop, limited) for loop in data["loops"]])


def _row(loop: Mapping[str, Any], limited: bool) -> list[Any]:
    errors = [loop[hand]["hand"][kind] for hand in HANDS for kind in ("rms", "largest")]
    share = loop["effort"]
    effort = [None if share is None else three(100 * share)] if limited else []
    counts = [loop["operations"][name] for name in ("multiplications", "additions")]
    figures = [*(three(1e3 * x) for x in errors), three(loop["empty"]["work"]), *effort, *counts]
    name = loop["controller"] if loop["model"] is None else f"… {loop['model']}"
    return [name, *figures, three(loop["ns"])]


def _notes(data: Mapping[str, Any]) -> Iterator[str]:
    for loop in data["loops"]:
        name = _called(loop["controller"], loop["model"])
        yield from (f"{name}: {note}" for note in loop["notes"])
        for hand, words in HANDS.items():
            if loop[hand]["status"] == "diverged":
                yield f"{name}, {words}: lost after {short(loop[hand]['reached'])} s; errors are those until then."
    yield from reasons(data["refused"])


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    wide, narrow = (hands_figure(data, case.robot.name, width) for width in (WIDTH, NARROW))
    caption = "How far the hand is from where it should be; one mark upwards is ten times as far."
    return page.markup(
        page.printed(_lesson(data)),
        page.figure_by_width(wide, narrow, caption, motion="planned"),
        page.printed([remark(_asked(data)), loops_table(data), *map(remark, _notes(data))]),
    )


def hands_figure(data: Mapping[str, Any], robot: str, width: int) -> str:
    """Errors of the hand over time, without and with the load."""
    found = {(loop["controller"], loop["model"]): loop for loop in data["loops"]}
    drawn = {_called(*key): found[key] for key in DRAWN if key in found}
    t = next(iter(drawn.values()))["times"]
    off = {hand: 1e3 * np.stack([loop[hand]["off"] for loop in drawn.values()]) for hand in HANDS}
    panels = [
        Panel(words, "off by, mm", "time (s)", t, off[hand], decades=DECADES)
        for hand, words in HANDS.items()
    ]
    title = f"{robot} under control for {data['duration']:.3g} s"
    described = f"Errors of the hand over time under {', '.join(drawn)}, {' and '.join(HANDS.values())}."
    return small_multiples(title, described, [panels], width=width, curves=list(drawn), tall=TALL)


def _mm(metres: float) -> str:
    return f"{1e3 * metres:.3g}"
