"""The robot let go: how it falls from rest under gravity, friction and its stops alone, and what its energy does."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import SimulationWarning, SingularMassMatrixError, UnsupportedModelError
from strobe.robot import Robot
from strobe.show.axes import NARROW, WIDTH
from strobe.show.json_text import plain
from strobe.show.tables import remark
from strobe.simulate.figure import run_figure
from strobe.study import page_parts as page
from strobe.study.case import Case, numbers
from strobe.study.simulation_tables import shown, told
from strobe.study.view import positions

if TYPE_CHECKING:
    from strobe.simulate.run import Run

TITLE = "Let go"

MOST, FEWER = 12, 8  # degrees of freedom that are waited for; fewer in a quick study
DURATION = 2.0  # seconds
RATE = 50  # rows in a second


def measure(case: Case) -> dict[str, Any]:
    """Two seconds from rest, by rows that a page can play."""
    run = let_go(case)
    kept = np.isfinite(run.qd).all(axis=-1)
    curves = {"times": run.times, "q": run.q, "qd": run.qd, "tau": run.tau}
    curves |= {"kinetic": run.audit.kinetic, "potential": run.audit.potential, "drift": run.audit.drift}
    return {**told(run), **{name: values[kept] for name, values in curves.items()}}


def let_go(case: Case) -> Run:
    """The run, made once for all sections that look at it."""
    case.require_dynamics()
    case.require_at_most(FEWER if case.quick else MOST, "simulations", "Make one with strobe simulate.")
    return case.robot.kept("let go", lambda: _run(Robot(case.robot.model), case.swing.q))


def _run(robot: Robot, q: np.ndarray) -> Run:
    from strobe.simulate.simulation import simulate

    times = np.linspace(0.0, DURATION, round(DURATION * RATE) + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)
            run = simulate(robot, q, np.zeros(robot.nv), None, times, stops=True)
    except SingularMassMatrixError as error:
        raise UnsupportedModelError(str(error)) from None
    run.require_uninterrupted()
    return run


def command(case: Case) -> str:
    return f"simulate {case.called} --q {numbers(case.swing.q)} --duration {DURATION:g} --stops"


def in_brief(data: Mapping[str, Any]) -> tuple[str, str]:
    """How exactly the energy is kept."""
    return (
        f"{data['energy']['largest_drift']:.1g}",
        "of the kinetic energy is off at most, let go for two seconds",
    )


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark("let go from rest: gravity, friction and the joints' stops act, no motor does")
    yield from shown(data)
    for note in data["notes"]:
        yield remark(note)


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    title = f"{case.robot.name}, let go"
    wide, narrow = (run_figure(case.robot, data, title, width) for width in (WIDTH, NARROW))
    see = page.tag(
        "p",
        page.tag("a", "Let go", href="#view"),
        " plays it at the top of this page.",
        class_="remark script-only",
    )
    return page.markup(
        see,
        page.figure_by_width(
            wide,
            narrow,
            "Dashed lines are limits; stops are springs and dampers behind them.",
            motion="fall",
        ),
        page.printed(render(data)),
        page.data_script("fall", plain(played(data, case))),
    )


def played(data: Mapping[str, Any], case: Case) -> dict[str, Any]:
    """The motion as the view plays it: a number per degree of freedom, quaternions as roll, pitch and yaw."""
    q, qd = data["q"], data["qd"]
    stood = positions(case.robot, q)
    qdd = case.robot.forward_dynamics(q, qd, data["tau"])
    return {"times": data["times"], "q": stood, "qd": qd, "qdd": qdd}
