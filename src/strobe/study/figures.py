"""The figures of a robot by kind, as ``strobe draw`` and `Robot.draw` ask for them: the figure, and its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked
from strobe.errors import ArgumentError, UnsupportedModelError, nearest, shown
from strobe.models.arguments import require_text, require_truth
from strobe.robot import Robot
from strobe.show.picture import Picture
from strobe.show.projection import View
from strobe.study.case import Case

State = Mapping[str, np.ndarray]
Drawn = tuple[str, dict[str, Any]]

OPTIONS = {  # what belongs to some kinds only
    "link": ("free-body",),
    "inertial": ("free-body",),
    "centres": ("robot",),
    "view": ("robot", "free-body"),
}


def figure(
    robot: Robot, q: Any = None, qd: Any = None, qdd: Any = None, *, kind: str = "robot", **options: Any
) -> Picture:
    """A robot's figure at a state; its reference state where nothing is given, at rest where only q is."""
    if not isinstance(kind, str) or kind not in KINDS:
        told = nearest(kind, KINDS) if isinstance(kind, str) else ""
        raise ArgumentError(f"kind is {shown(kind)}; expected one of {', '.join(KINDS)}.{told}")
    for name in ("centres", "inertial"):
        require_truth(name, options.get(name, False))
    for name in ("link", "view"):
        if options.get(name) is not None:
            require_text(name, options[name])
    require_fitting(kind, options)
    require_joints(robot)
    arm = Robot(robot.model, compiled=False)  # a few questions, once each: not worth compiling
    view = options.pop("view")
    return Picture(
        drawn(arm, _state(arm, q, qd, qdd), kind, None if view is None else View.read(view), **options)[0]
    )


def drawn(arm: Robot, state: State, kind: str, view: View | None, **options: Any) -> Drawn:
    """A figure of a kind that is known, and its numbers."""
    return KINDS[kind](arm, state, view, **options)


def require_fitting(kind: str, options: Mapping[str, Any], called: str = "{}=") -> None:
    """Refuse options that belong to figures of another kind."""
    for option, value in options.items():
        if value and kind not in OPTIONS[option]:
            name, belongs = called.format(option), " or ".join(OPTIONS[option])
            raise ArgumentError(
                f"{name} belongs to {called.format('kind').rstrip('=')} {belongs}, not to {kind}."
            )


def require_joints(robot: Robot) -> None:
    if not robot.nv:
        raise UnsupportedModelError(f"{robot.name} has no joints that move: there is nothing to draw.")


def _state(arm: Robot, q: Any, qd: Any, qdd: Any) -> dict[str, np.ndarray]:
    if q is None and qd is None and qdd is None:
        case = Case.of(arm)
        return {"q": case.q, "qd": case.qd, "qdd": case.qdd}
    given = {"q": arm.neutral if q is None else q, "qd": qd, "qdd": qdd}
    sizes = {"q": arm.nq, "qd": arm.nv, "qdd": arm.nv}
    return {
        name: np.zeros(arm.nv) if x is None else one_state(name, x, sizes[name], arm.shape_reason)
        for name, x in given.items()
    }


def one_state(name: str, x: Any, size: int, why: str) -> np.ndarray:
    """Numbers of one state."""
    array = checked(name, x, (size,), why).astype(float)
    if array.ndim > 1:
        raise ArgumentError(f"{name} has shape {array.shape}; a figure shows one state, ({size},).")
    return array


# -- kinds ---------------------------------------------------------------------------------------------


def _robot(arm: Robot, state: State, view: View | None, *, centres: bool, **_: Any) -> Drawn:
    from strobe.study.figure_robot import robot_figure

    return robot_figure(arm, state["q"], view=view, centres=centres), {}


def _free_body(
    arm: Robot, state: State, view: View | None, *, link: str | None, inertial: bool, **_: Any
) -> Drawn:
    from strobe.study.figure_body import drawn, free_body

    body = free_body(arm, state["q"], state["qd"], state["qdd"], link, inertial=inertial)
    loads = [
        {"name": x.name, "source": x.source, "unit": x.unit, "at": x.at, "vector": x.vector}
        for x in body.loads
    ]
    return drawn(body, view), {"link": body.name, "loads": loads}


def _effects(arm: Robot, state: State, view: View | None, **_: Any) -> Drawn:
    from strobe.study.figure_effects import drawn, effects

    skeleton, found = effects(arm, state["q"], state["qd"])
    listed = [
        {
            "kind": x.kind,
            "joints": [arm.joint_names[k] for k in x.by],
            "forces": x.forces,
            "moments": x.moments,
        }
        for x in found
    ]
    return drawn(skeleton, found), {"effects": listed}


def _motion(name: str) -> Callable[..., Drawn]:
    def figure(arm: Robot, state: State, view: View | None, **_: Any) -> Drawn:
        from strobe.equations.figure_motion import FIGURES

        return FIGURES[name](arm, *state.values()), {}

    return figure


KINDS: dict[str, Callable[..., Drawn]] = {
    "robot": _robot,
    "free-body": _free_body,
    "effects": _effects,
    "torques": _motion("torques"),
    "time": _motion("time"),
    "phase": _motion("phase"),
}
