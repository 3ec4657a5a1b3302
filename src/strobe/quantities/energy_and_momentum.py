"""Energy and momentum of the whole robot, and its centre of mass."""

from __future__ import annotations

from strobe.algebra import Vec3
from strobe.errors import UnsupportedModelError
from strobe.formulations import centroidal, energy_and_momentum
from strobe.models.model import Model
from strobe.models.regroup import regrouped
from strobe.quantities.drives import rotor_inertias
from strobe.quantities.evaluation import Asked
from strobe.scalars import Num, Numbers
from strobe.scalars.scalar import is_number


def energy(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """Kinetic energy, rotor inertia included, and potential energy, zero at the base origin."""
    x, model = asked.coordinates, asked.model
    q, qd = x.expand(q), x.expand_rates(qd)
    kinetic = energy_and_momentum.kinetic_energy(regrouped(model), q, qd)
    for rate, inertia in zip(qd, rotor_inertias(model), strict=True):
        kinetic = kinetic + rate * rate * (inertia * 0.5)
    return [kinetic, energy_and_momentum.potential_energy(model, q)]


def center_of_mass(asked: Asked, q: Numbers) -> list[Num]:
    """The centre of mass of all that moves, in base axes."""
    return list(_center(asked.model, asked.coordinates.expand(q)))


def momentum(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """Linear momentum, then angular momentum about the centre of mass, base axes."""
    x = asked.coordinates
    q = x.expand(q)
    total = energy_and_momentum.momentum(regrouped(asked.model), q, x.expand_rates(qd))
    about = total.moment - _center(asked.model, q).cross(total.force)
    return [*total.force, *about]


def centroidal_momentum_matrix(asked: Asked, q: Numbers) -> list[list[Num]]:
    """A, six rows with momentum = A qd: linear, then angular momentum about the centre of mass, base axes."""
    x = asked.coordinates
    q = x.expand(q)
    A = centroidal.momentum_matrix(regrouped(asked.model), q, _center(asked.model, q))
    return x.reduce_columns(A)


def centroidal_momentum_matrix_dot(asked: Asked, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """The rate of the centroidal momentum matrix while the robot moves with qd."""
    x, model = asked.coordinates, regrouped(asked.model)
    q, qd = x.expand(q), x.expand_rates(qd)
    c = _center(asked.model, q)
    c_d = energy_and_momentum.momentum(model, q, qd).force * (1.0 / energy_and_momentum.mass(asked.model))
    return x.reduce_columns(centroidal.momentum_matrix_dot(model, q, qd, c, c_d))


def centroidal_momentum_bias(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """The rate of the momentum about the centre of mass that qd alone brings about: Ȧ qd."""
    x = asked.coordinates
    q = x.expand(q)
    rate = centroidal.momentum_bias(regrouped(asked.model), q, x.expand_rates(qd), _center(asked.model, q))
    return [*rate.force, *rate.moment]


def _center(model: Model, q: Numbers) -> Vec3:
    mass = energy_and_momentum.mass(model)
    if is_number(mass) and mass == 0:
        raise UnsupportedModelError(f"{model.name} has no mass that moves, and so no centre of mass.")
    return energy_and_momentum.first_moments(model, q) * (1.0 / mass)
