"""The torques behind a motion, the motion that follows from torques, and what joints transmit on the way."""

from __future__ import annotations

from functools import partial, reduce

from strobe.algebra.rows import minus, plus
from strobe.errors import UnsupportedModelError
from strobe.formulations import articulated_body, transmission
from strobe.models.loops import require_open
from strobe.models.model import Model
from strobe.models.regroup import regrouped
from strobe.quantities.closed_chains import constrained_dynamics, driven
from strobe.quantities.drives import friction_torques, rotor_inertias
from strobe.quantities.evaluation import Asked
from strobe.quantities.pivots import solve, sound
from strobe.quantities.terms import mass_matrix, mean_support, unaccelerated
from strobe.scalars import Num, Numbers, maximum

ARTICULATED = "articulated-body"  # gives accelerations only
SOLVED_BY = "robot.joint_wrenches(q, qd, qdd) solves for the forces in its loops first."
LONG_SUPPORT = 6.0  # degrees of freedom before one, on average, beyond which articulated bodies cost less


def inverse_dynamics(asked: Asked, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """tau behind a motion."""
    x, given = asked.coordinates, q
    q, qd, qdd = x.expand(q), x.expand_rates(qd), x.expand_rates(qdd)
    tau = asked.loaded_dynamics(q, qd, qdd)
    tau = [t + a * r for t, a, r in zip(tau, qdd, rotor_inertias(asked.model), strict=True)]
    tau = x.reduce(plus(tau, friction_torques(asked, qd)))
    return driven(asked, given, tau) if asked.model.is_closed else tau


def forward_dynamics(asked: Asked, q: Numbers, qd: Numbers, tau: Numbers) -> list[Num]:
    """qdd that follows from torques; NaN where the mass matrix is singular."""
    x, model = asked.coordinates, asked.model
    tau = minus(tau, x.reduce(friction_torques(asked, x.expand_rates(qd))))
    chosen = asked.request.formulation
    if chosen == ARTICULATED and not x.trivial:
        raise UnsupportedModelError(
            f"{model.name} has joints that follow others, which {ARTICULATED} cannot take."
        )
    if chosen == ARTICULATED and model.is_closed:
        raise UnsupportedModelError(f"{model.name} has closed chains, which {ARTICULATED} cannot take.")
    if model.is_closed:
        return constrained_dynamics(asked, q, qd, tau)[0]
    if chosen == ARTICULATED or (chosen is None and x.trivial and long_supports(model)):
        bounds = articulated_scales(model, q)
        largest = reduce(maximum, bounds)
        guards = [partial(sound, largest, diagonal=bound) for bound in bounds]
        rotor, outside = rotor_inertias(model), asked.outside(q)
        return articulated_body.forward_dynamics(regrouped(model), q, qd, tau, rotor, guards, outside)
    right = minus(tau, unaccelerated(asked, q, qd))
    return solve(mass_matrix(asked, q), right, asked.parents)


def articulated_scales(model: Model, q: Numbers) -> list[Num]:
    """What the pivots of articulated bodies are measured by."""
    return plus(articulated_body.inertia_bounds(model, q), rotor_inertias(model))


def long_supports(model: Model) -> bool:
    """Whether articulated bodies need fewer operations than the mass matrix and its elimination.

    The latter grow with the number of pairs of joints that support each other. Measured after all passes: general
    chains break even at 12 joints, chains of right angles at 13; quadrupeds are below, humanoids (8 to 9) above.
    """
    return mean_support(model) > LONG_SUPPORT


def joint_wrenches(asked: Asked, q: Numbers, qd: Numbers, qdd: Numbers) -> list[list[Num]]:
    """Force and moment through every joint onto the body it carries, at the joint's origin, base axes.

    Joints that follow others do so by couples between the two bodies of each, which leaves these as they are in the
    tree. Forces of loops do not, whether couplings keep these closed or not.
    """
    x, model = asked.coordinates, asked.model
    require_open(model, "what joints transmit, as one function,", SOLVED_BY, held=True)
    loads = [(model.frame(name), wrench) for name, wrench in asked.wrenches.items()]
    return transmission.joint_wrenches(model, x.expand(q), x.expand_rates(qd), x.expand_rates(qdd), loads)
