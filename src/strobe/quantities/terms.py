"""The terms of the equation of motion: M, C and g, of the bodies and their rotors, without friction."""

from __future__ import annotations

from strobe.errors import ArgumentError
from strobe.formulations import composite_coriolis, decomposition, formulation, strobing
from strobe.models.regroup import regrouped
from strobe.quantities.drives import rotor_inertias
from strobe.quantities.evaluation import Asked
from strobe.scalars import Num, Numbers


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
        C = composite_coriolis.coriolis_matrix(model, q, qd, form)
    return x.reduce_matrix(C)


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
