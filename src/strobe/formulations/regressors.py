"""Torques, momenta and energies as linear functions of the ten parameters of every body.

    tau = Y π        M qd = Y_p π        (T, U) = Y_e π        π: m, m c, I of each body about its origin, in its axes

ω, ω̇ and α, the acceleration of its origin less gravity, are in the axes of body i. A unit of its parameter k needs

    f_ik  = U_k (ω̇, α) + (ω, 0) ×* U_k (ω, 0)                      force and moment
    Y_jik = (X_ij S_j)ᵀ f_ik,   Y_p,jik = (X_ij S_j)ᵀ U_k v_i       for the joints j that carry it
    T_ik  = ½ v_iᵀ U_k v_i                                          kinetic energy
    U_ik  = −g · p_i for its mass, −Rᵀ g for its first moments       potential energy

X_ij S_j, a column of joint j in the axes of body i, is taken outwards body by body; every other entry is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from strobe.algebra import Force, Inertia, Motion, Sym3, Transform, Vec3
from strobe.formulations.energy_and_momentum import velocities
from strobe.formulations.kinematics import body_placements
from strobe.models.model import ROOT, Model
from strobe.scalars import Num, Numbers

COUNT = 10


def _unit(k: int) -> Inertia:
    ten = [1.0 if j == k else 0.0 for j in range(COUNT)]
    return Inertia(ten[0], Vec3(*ten[1:4]), Sym3(*ten[4:]))


UNITS = tuple(map(_unit, range(COUNT)))


def torque_regressor(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[list[Num]]:
    """Y, one row per degree of freedom and ten columns per body."""
    v, X = velocities(model, q, qd)
    a = {ROOT: -model.gravity}
    for body in model.bodies:
        i, S = body.index, body.S
        own = S @ body.rates(qd)
        a[i] = X[i] @ a[body.parent] + S @ body.rates(qdd) + v[i].cross(own)

    def forces(i: int) -> list[Force]:
        w = v[i].angular
        spin, moved = Motion(w, Vec3.zero()), Motion(a[i].angular, a[i].linear + w.cross(v[i].linear))
        return [unit @ moved + spin.cross(unit @ spin) for unit in UNITS]

    return _rows(model, X, forces)


def momentum_regressor(model: Model, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """Y_p, shaped like Y."""
    v, X = velocities(model, q, qd)
    return _rows(model, X, lambda i: [unit @ v[i] for unit in UNITS])


def energy_regressor(model: Model, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """Two rows, kinetic and potential energy."""
    v, _ = velocities(model, q, qd)
    placed, g = body_placements(model.bodies, q), model.gravity.linear
    kinetic = [v[b.index].dot(unit @ v[b.index]) * 0.5 for b in model.bodies for unit in UNITS]
    potential: list[Num] = []
    for body in model.bodies:
        here = placed[body.index]
        potential += [-(g.dot(here.p)), *-(here.R.T @ g), *[0.0] * 6]
    return [kinetic, potential]


def _rows(
    model: Model, X: Mapping[int, Transform], forces: Callable[[int], list[Force]]
) -> list[list[Num]]:
    """What the joints feel of the forces on bodies that they carry."""
    rows: list[list[Num]] = [[0.0] * (COUNT * len(model.bodies)) for _ in range(model.nv)]
    columns: dict[int, dict[int, Motion]] = {ROOT: {}}
    for body in model.bodies:
        i = body.index
        columns[i] = {j: X[i] @ column for j, column in columns[body.parent].items()}
        columns[i] |= {body.joint.v + k: column for k, column in enumerate(body.S)}
        for k, force in enumerate(forces(i)):
            for j, column in columns[i].items():
                rows[j][COUNT * i + k] = column.dot(force)
    return rows
