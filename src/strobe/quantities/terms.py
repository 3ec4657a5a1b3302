"""The terms of the equation of motion: M, C and g, of the bodies and their rotors, without friction."""

from __future__ import annotations

from strobe.algebra import Turn
from strobe.algebra.elimination import ancestors
from strobe.errors import ArgumentError
from strobe.formulations import composite_coriolis, decomposition, formulation, strobing
from strobe.models.model import Model
from strobe.models.regroup import regrouped
from strobe.quantities.drives import rotor_inertias
from strobe.quantities.evaluation import Asked
from strobe.scalars import Num, Numbers, quarter_turns

LONG_SUPPORT = 12.0  # degrees of freedom before one, on average, beyond which base axes may cost less


def mass_matrix(asked: Asked, q: Numbers) -> list[list[Num]]:
    """M(q), rotor inertia included."""
    x = asked.coordinates
    M = asked.mass_matrix(x.expand(q))
    for i, inertia in enumerate(rotor_inertias(asked.model)):
        M[i][i] = M[i][i] + inertia
    return x.reduce_matrix(M)


def coriolis_matrix(asked: Asked, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """C(q, qd), the Christoffel matrix or the one of the decomposition."""
    x, form, name = asked.coordinates, asked.request.form, asked.request.formulation
    q, qd = x.expand(q), x.expand_rates(qd)
    if form not in decomposition.FORMS:
        raise ArgumentError(f'form is "{form}"; expected one of {", ".join(decomposition.FORMS)}.')
    if name == "decomposition":
        C = decomposition.coriolis_matrix(asked.model, q, qd, form)
    elif name is not None and form != "christoffel":
        raise ArgumentError(f'{name} gives torques, from which only form="christoffel" can be read.')
    elif name is not None:
        C = strobing.coriolis_matrix(formulation(name).inverse_dynamics, asked.model, q, qd)
    else:  # regrouping keeps torques, and with them the Christoffel matrix, but not the other one
        model = regrouped(asked.model) if form == "christoffel" else asked.model
        C = composite_coriolis.coriolis_matrix(model, q, qd, form, level=_is_long_and_oblique(model))
    return x.reduce_matrix(C)


def _is_long_and_oblique(model: Model) -> bool:
    """Whether C takes fewer operations carried in base axes, for certain.

    Measured after all passes: general chains break even at 6 joints, those with one angle between joints that is not
    right at 11, those of right angles beyond 32; so robots keep their bits, and long chains compile in a third.
    """
    fixed = [step for body in model.bodies for step in (*body.before.steps, *body.after.steps)]
    oblique = sum(isinstance(step, Turn) and _is_oblique(step) for step in fixed)
    return mean_support(model) > LONG_SUPPORT and 2 * oblique > len(model.bodies)


def _is_oblique(turn: Turn) -> bool:
    return turn.angle is not None and quarter_turns(turn.angle) is None


def gravity(asked: Asked, q: Numbers) -> list[Num]:
    """The torques that hold the robot still."""
    x = asked.coordinates
    still = [0.0] * asked.model.nv
    return x.reduce(asked.inverse_dynamics(x.expand(q), still, still))


def bias(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """C(q, qd) qd + g(q): the rigid-body torques without acceleration."""
    x = asked.coordinates
    return x.reduce(asked.inverse_dynamics(x.expand(q), x.expand_rates(qd), [0.0] * asked.model.nv))


def unaccelerated(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """The rigid-body torques of a motion without acceleration, under the wrenches that act."""
    x = asked.coordinates
    return x.reduce(asked.loaded_dynamics(x.expand(q), x.expand_rates(qd), [0.0] * asked.model.nv))


def mean_support(model: Model) -> float:
    """How many degrees of freedom each one stands on, on average."""
    parents = model.dof_parents
    return sum(1 for i in range(model.nv) for _ in ancestors(i, parents)) / max(model.nv, 1)
