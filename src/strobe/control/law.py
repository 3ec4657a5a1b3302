"""A controller as a law of a state: what rollouts and simulations take, over numbers."""

from __future__ import annotations

from strobe.compiler.runtime.traced import Traced, trace
from strobe.control.controller import Controller, Layout, Measured, Wanted
from strobe.errors import ArgumentError
from strobe.scalars import Num, Numbers


def law_of(controller: Controller) -> Traced:
    """Torques of q, qd, what is wanted ("reference": q, qd, qdd) and "gains"; of a controller without memory."""
    if controller.memory or controller.uses_acceleration:
        raise ArgumentError(
            f"{controller.name} remembers or measures more than a state; a law of a state does not. Take another one."
        )
    nq, nv = controller.robot.nq, controller.robot.nv
    layout = Layout({name: x.shape[-1] for name, x in controller.gains.items()} or {"none": 1})

    def law(q: Numbers, qd: Numbers, reference: Numbers, gains: Numbers) -> list[Num]:
        wanted = Wanted(reference[:nq], reference[nq : nq + nv], reference[nq + nv :])
        tau, _ = controller.step(Measured(q, qd, [0.0] * nv), wanted, {}, layout.split(gains))
        return list(tau)

    return trace(law, q=nq, qd=nv, reference=nq + 2 * nv, gains=layout.end)
