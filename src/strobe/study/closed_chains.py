"""Closed chains: what loops leave free, the dynamics in the actuated joints, the forces in loops, and a run.

M_r qdd_a + C_r qd_a + g_r = tau_a        M_r = Tᵀ M T
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from strobe.errors import UnsupportedModelError, counted
from strobe.models.loops import why_open
from strobe.robot import Robot
from strobe.show.axes import NARROW, WIDTH
from strobe.show.plots import Panel, small_multiples
from strobe.show.tables import remark, short, table, tidy
from strobe.study import loop_forces, page_parts as page, simulation
from strobe.study.case import Case
from strobe.study.overview import describe

TITLE = "Closed chains"

TOLERANCE = 1e-9  # relative: to which torques give back the motion that they were made for
STATES = 16  # random ones, at which that is looked at


def applies(robot: Robot) -> bool:
    return robot.model.is_closed


def measure(case: Case) -> dict[str, Any]:
    """What loops leave, the reduced dynamics and the forces at the state, and a run."""
    if not applies(case.robot):
        raise UnsupportedModelError(f"{case.robot.name} has no closed chain{why_open(case.robot.model)}")
    case.require_dynamics()
    told = describe(case.robot)
    given_back = _given_back(case.robot)
    return {
        "state": case.origin,
        "degrees_of_freedom": told["degrees_of_freedom"],
        "loops": told["loops"],
        **told["closed"],
        "here": _here(case),
        "reduced": _reduced(case),
        "loop_forces": loop_forces.measured(case.robot, case.q, case.qd, case.qdd),
        "given_back": given_back,
        "run": _let_go(case),
        "passed": bool(given_back <= TOLERANCE),
    }


def _here(case: Case) -> dict[str, Any]:
    """How the chain stands at the state."""
    from strobe.mechanisms.mobility import diagnose

    here = diagnose(case.robot, case.q).here
    assert here is not None
    return {
        "open_by": float(np.abs(case.robot.loop_residuals(case.q)).max()),
        "margin": here.margin,
        "singular": here.singular,
        "dead": here.dead,
        "sentences": [" ".join(line.split()).removeprefix("at q ") for line in here.lines],
    }


def _reduced(case: Case) -> dict[str, Any]:
    from strobe.mechanisms.reduced_dynamics import reduced

    found = reduced(case.robot, case.q, case.qd)
    names = [case.robot.coordinates.rate_names[k] for k in _own(case.robot, found.actuated)]
    return {
        "actuated": names,
        "T": found.T,
        "mass_matrix": found.mass_matrix,
        "coriolis_matrix": found.coriolis_matrix,
        "gravity": found.gravity,
    }


def _own(robot: Robot, names: tuple[str, ...]) -> list[int]:
    from strobe.mechanisms.mobility import dofs_of

    return dofs_of(robot, names)


def _given_back(robot: Robot) -> float:
    """How far forward dynamics of the actuated torques is from the motion they were made for, at random states."""
    q, qd, qdd = robot.random_state(seed=1, batch=STATES)
    back = robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd))
    return float((np.abs(back - qdd).max(axis=-1) / (1.0 + np.abs(qdd).max(axis=-1))).max())


def _let_go(case: Case) -> dict[str, Any] | None:
    """How far loops came open and energy was lost while the robot fell; nothing where that takes too long."""
    try:
        run = simulation.let_go(case)
    except UnsupportedModelError:
        return None
    kept = np.isfinite(run.qd).all(axis=-1)
    return {
        "times": run.times[kept],
        "open_by": np.abs(case.robot.loop_residuals(run.q[kept])).max(axis=-1),
        "drift": run.audit.drift[kept],
        "largest_drift": float(run.audit.largest_drift),
    }


def command(case: Case) -> str:
    return f"{case.at_state('torque')} --loops"


def in_brief(data: Mapping[str, Any]) -> tuple[str, str] | None:
    """How closed the chain stays."""
    if data["run"] is None:
        return None
    return (
        f"{data['run']['open_by'].max():.0e} m",
        "is the most by which its loops come open in a simulated run",
    )


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    rank = len(data["conditions"]) - len(data["redundant"])
    yield (
        f"{counted(data['freedoms'], 'freedom')} = {data['degrees_of_freedom']} of the joints − "
        f"{counted(rank, 'independent condition')} of {counted(len(data['loops']), 'loop')}"
    )
    if data["redundant"]:
        yield remark(f"redundant, which the others imply: {', '.join(data['redundant'])}")
    yield remark(f"{data['state']}: {'; '.join(data['here']['sentences'])}")
    yield from _matrices(data["reduced"])
    yield from loop_forces.shown(data["loop_forces"])
    yield (
        f"forward dynamics of the actuated torques gives the motion back to {data['given_back']:.0e} (relative, "
        f"worst of {STATES} random states; {'' if data['passed'] else 'NOT '}within {TOLERANCE:.0e})"
    )
    if data["run"] is not None:
        yield (
            f"let go for {short(float(data['run']['times'][-1]))} s: loops open by at most "
            f"{data['run']['open_by'].max():.1e} m, energy off by {data['run']['largest_drift']:.1e} of the kinetic"
        )


def _matrices(reduced: Mapping[str, Any]) -> Iterator[Any]:
    yield remark("M_r (kg m², kg) and g_r (N m, N) in the actuated joints: what each feels of all links")
    names, M, g = (
        reduced["actuated"],
        tidy(reduced["mass_matrix"]),
        tidy(reduced["gravity"], reduced["mass_matrix"]),
    )
    yield table(["M_r", *names, "g_r"], [[name, *row, x] for name, row, x in zip(names, M, g, strict=True)])


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    return page.markup(_figure(data, case), page.printed(render(data)))


def _figure(data: Mapping[str, Any], case: Case) -> page.Html | None:
    """How far loops are open, and what energy does, over the run."""
    run = data["run"]
    if run is None:
        return None
    panels = [
        Panel("loops open by", "m", "time (s)", run["times"], run["open_by"]),
        Panel("energy unaccounted for", "J", "time (s)", run["times"], run["drift"]),
    ]
    described = "How far loops come open and how much energy nothing accounts for, over time."
    title = f"{case.robot.name}, let go: loops and energy"
    wide, narrow = (small_multiples(title, described, [panels], width=width) for width in (WIDTH, NARROW))
    return page.figure_by_width(wide, narrow, "Drift is removed after every step.", motion="fall")
