"""What robots say about the claims of [Hollerbach1980]."""

from __future__ import annotations

from strobe.analysis.accuracy import relative
from strobe.formulations import PRINTED, formulation
from strobe.models.load import load_model
from strobe.models.random_robots import random_model
from strobe.papers.findings import ARMS, ID, ROUNDING, Finding, array, state_of


def speed_squared() -> Finding:
    model = load_model("stanford").weightless()
    q, qd, _ = state_of(model, 0)
    still = [0.0] * model.nv
    whole = array(ID(model, q, qd, still))
    worst = max(
        relative(array(ID(model, q, [s * v for v in qd], still)) / s**2, whole) for s in (0.5, 0.25, 0.1)
    )
    return Finding(
        f"what is dropped grows with the square of speed (to {worst:.0e})",
        worst < ROUNDING,
        "that feedback cannot correct it, which needs a controlled motion",
    )


def printed_three_by_three() -> Finding:
    good = formulation("hollerbach-3x3").inverse_dynamics
    wrong, right = [], []
    for seed in ARMS:
        model = random_model(6, seed, kinds="R")
        state = state_of(model, seed)
        reference = array(ID(model, *state))
        wrong.append(relative(array(PRINTED.inverse_dynamics(model, *state)), reference))
        right.append(relative(array(good(model, *state)), reference))
    figure = (
        f"torques {100 * min(wrong):.0f} to {100 * max(wrong):.0f} % wrong on {len(wrong)} random 6R arms as "
        f"printed; corrected, {max(right):.0e}"
    )
    return Finding(figure, min(wrong) > 1e-3 and max(right) < ROUNDING)
