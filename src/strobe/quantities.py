"""What can be asked of a robot, each a function over numbers.

A formulation gives the rigid-body part; rotor inertia, friction and couplings are added around it here, never inside:

    M qdd + C qd + g + friction(qd) = tau + Σ Jᵀ F

The default methods take external wrenches along as forces on bodies; around the others Σ Jᵀ F is added. Closed chains
add forces that do no work: K are the rows of `formulations.closures`, γ what they demand of accelerations,

    M qdd + … = tau + Σ Jᵀ F + Kᵀ λ        K qdd = γ
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

from strobe.algebra import Force, Vec3, ldl_solve
from strobe.algebra.constraints import Constrained, orthogonalised
from strobe.algebra.elimination import ancestors, downwards, ldl_factors, ldl_inverse, upwards
from strobe.algebra.rows import dot, minus, plus
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.formulations import (
    FORMULATIONS,
    articulated_body,
    centroidal,
    closures,
    composite_body,
    composite_coriolis,
    composite_derivatives,
    decomposition,
    formulation,
    kinematics,
    regressors,
    strobing,
    totals,
    transmission,
)
from strobe.models.couplings import Coordinates, coordinates
from strobe.models.joints import Joint
from strobe.models.loops import conditions
from strobe.models.model import Frame, Model
from strobe.models.parameters import PER_BODY, geometry_names, with_geometry, with_inertial
from strobe.models.regroup import regrouped
from strobe.scalars import Num, Numbers, absolute, less, maximum, minimum, where
from strobe.scalars.dual import Direction, slopes
from strobe.scalars.scalar import is_number

LEAST_PIVOT = 1e-12  # a pivot of the mass matrix below this part of its diagonal entry is no inertia
LEAST_INERTIA = 1e-26  # nor is one below this part of the largest: the square of a rounded length
CHEAPEST = FORMULATIONS["newton-euler-armstrong"]  # fewest operations, once regrouped and shared
ARTICULATED = "articulated-body"  # gives accelerations only
LEAST_ROW = (
    1e-12  # a condition of a closed chain of which less is left than this part of its square is no new one
)
CONTRADICTED = 1e-8  # of the largest acceleration: by which those that are given may open a loop
LONG_SUPPORT = 6.0  # degrees of freedom before one, on average, beyond which articulated bodies cost less
COULOMB_SPEED = 1e-3  # below this speed (rad/s, m/s) Coulomb friction grows linearly from zero


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a robot: with the model, all that a kernel needs to know."""

    quantity: str
    formulation: str | None = None  # None: the cheapest
    friction: bool = True
    loaded: tuple[str, ...] = ()  # the frames that wrenches act on
    gravity: bool = False  # whether gravity is an input instead of the robot's own
    frame: str | None = None  # the frame asked about
    form: str = "christoffel"  # which of the Coriolis matrices
    accelerated: tuple[str, ...] = ()  # the joints whose acceleration is given instead of their torque
    actuated: tuple[str, ...] = ()  # the joints that drive a closed chain
    rank: int | None = (
        None  # how many conditions of closed chains are independent, where some follow from others
    )
    by: tuple[str, ...] = ()  # the inputs it is differentiated by, side by side in a last axis
    parameters: str = "fixed"  # or "runtime": the inertial parameters are an input
    geometry: str = "fixed"  # or "runtime", or "full": the numbers that place the joints are one
    drives: bool = False  # whether a regressor has columns for drives too

    @property
    def looks_up(self) -> bool:
        """Whether it reads stored numbers."""
        return False

    def inputs(self, model: Model) -> dict[str, int]:
        """The vectors that the quantity takes, by name, with their sizes."""
        x = coordinates(model)
        sizes = {"q": x.nq, "q0": x.nq, "q1": x.nq, "dt": 1, "point": 3}
        names = {name: sizes.get(name, x.nv) for name in QUANTITIES[self.quantity].states}
        names |= {f"wrench {frame}": 6 for frame in self.loaded}
        names |= {"gravity": 3} if self.gravity else {}
        return names | self.constants(model)

    def constants(self, model: Model) -> dict[str, int]:
        """Those inputs that are constants of the robot, given at run time."""
        names = {"parameters": PER_BODY * len(model.bodies)} if self.parameters != "fixed" else {}
        if self.geometry != "fixed":
            names["geometry"] = len(geometry_names(model, self.geometry == "full"))
        return names

    def shape(self, model: Model) -> tuple[int, ...]:
        """The shape of the result for one state."""
        x = coordinates(model)
        sizes = {"n": x.nv, "q": x.nq, "bodies": len(model.bodies), "frames": len(model.frames)}
        sizes |= {"rows": len(conditions(model)), "loops": sum(not loop.held for loop in model.loops)}
        sizes["parameters"] = PER_BODY * len(model.bodies) + (len(DRIVE) * model.nv if self.drives else 0)
        shape = tuple(sizes[d] if d in sizes else int(d) for d in QUANTITIES[self.quantity].result)
        return (*shape, x.nv * len(self.by)) if self.by else shape

    def evaluate(self, model: Model, **numbers: Numbers) -> Any:
        """The quantity over numbers of the model's system, as nested lists."""
        if self.by:
            function = partial(self.plain.evaluate, model)
            return slopes(function, numbers, self.directions(model, numbers), model.system)
        quantity = QUANTITIES[self.quantity]
        model = self.lifted(model, numbers)
        loads = {frame: numbers[f"wrench {frame}"] for frame in self.loaded}
        return quantity.function(Asked(model, self, loads), *(numbers[name] for name in quantity.states))

    def lifted(self, model: Model, numbers: Mapping[str, Numbers]) -> Model:
        """The model with those of its constants that are given as inputs."""
        if self.gravity:
            model = model.with_gravity(Vec3(*numbers["gravity"]))
        if self.parameters != "fixed":
            model = with_inertial(model, numbers["parameters"])
        if self.geometry != "fixed":
            model = with_geometry(model, numbers["geometry"], self.geometry == "full")
        return model

    @property
    def plain(self) -> Request:
        """The same, not differentiated."""
        return replace(self, by=())

    def directions(self, model: Model, numbers: Mapping[str, Numbers]) -> list[Direction]:
        """How its inputs move along every degree of freedom that it is differentiated by."""
        x = coordinates(model)
        units = [[1.0 if i == k else 0.0 for i in range(x.nv)] for k in range(x.nv)]
        return [
            {name: x.position_rates(numbers[name], unit) if name in POSITIONS else unit}
            for name in self.by
            for unit in units
        ]


@dataclass(frozen=True)
class Asked:
    """A request at work on a model: the methods to use and the wrenches that act."""

    model: Model
    request: Request
    wrenches: Mapping[str, Numbers]

    @property
    def coordinates(self) -> Coordinates:
        return coordinates(self.model)

    def inverse_dynamics(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        """The rigid-body torques, by the method asked for or by the cheapest."""
        if self.request.formulation is not None:
            return formulation(self.request.formulation).inverse_dynamics(self.model, q, qd, qdd)
        return CHEAPEST.inverse_dynamics(regrouped(self.model), q, qd, qdd)

    def loaded_dynamics(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        """The rigid-body torques less Σ Jᵀ F, which the cheapest method takes along on its way inwards."""
        if self.request.formulation is not None:
            return minus(self.inverse_dynamics(q, qd, qdd), self.external(q))
        return CHEAPEST.module.inverse_dynamics(regrouped(self.model), q, qd, qdd, self.outside(q))

    def external(self, q: Numbers) -> list[Num]:
        """Σ Jᵀ F."""
        tree = self.model.proximal()
        total: list[Num] = [0.0] * tree.nv
        for frame, wrench in self.wrenches.items():
            total = plus(total, kinematics.joint_torques(tree, q, tree.frame(frame), wrench))
        return total

    def outside(self, q: Numbers) -> dict[int, Force]:
        """The wrenches as forces on the bodies that move, in the axes of their joint frames."""
        tree = self.model.proximal()
        loads = [(tree.frame(name), wrench) for name, wrench in self.wrenches.items()]
        return kinematics.forces_on_bodies(tree, q, loads)

    def mass_matrix(self, q: Numbers) -> list[list[Num]]:
        """The rigid-body mass matrix: by composite bodies, or strobed through the method asked for."""
        if self.request.formulation is None:
            return composite_body.mass_matrix(regrouped(self.model), q)
        method = formulation(self.request.formulation)
        own = getattr(method.module, "mass_matrix", None)
        return own(self.model, q) if own else strobing.mass_matrix(method.inverse_dynamics, self.model, q)


def inverse_dynamics(asked: Asked, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """tau behind a motion."""
    x, given = asked.coordinates, q
    q, qd, qdd = x.expand(q), x.expand_rates(qd), x.expand_rates(qdd)
    tau = asked.loaded_dynamics(q, qd, qdd)
    tau = [t + a * r for t, a, r in zip(tau, qdd, _rotor_inertias(asked.model), strict=True)]
    tau = x.reduce(plus(tau, friction_torques(asked, qd)))
    return _driven(asked, given, tau) if asked.model.is_closed else tau


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
        return _constrained_dynamics(asked, q, qd, tau)[0]
    if chosen == ARTICULATED or (chosen is None and x.trivial and long_supports(model)):
        bounds = articulated_scales(model, q)
        largest = reduce(maximum, bounds)
        guards = [partial(_sound, largest, diagonal=bound) for bound in bounds]
        rotor, outside = _rotor_inertias(model), asked.outside(q)
        return articulated_body.forward_dynamics(regrouped(model), q, qd, tau, rotor, guards, outside)
    right = minus(tau, _unaccelerated(asked, q, qd))
    return solve(mass_matrix(asked, q), right, _parents(asked))


def _unaccelerated(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """The rigid-body torques of a motion without acceleration, under the wrenches that act."""
    x = asked.coordinates
    return x.reduce(asked.loaded_dynamics(x.expand(q), x.expand_rates(qd), [0.0] * asked.model.nv))


def _parents(asked: Asked) -> Sequence[int]:
    """For each independent degree of freedom the one before it, for elimination of the mass matrix."""
    return asked.model.dof_parents if asked.coordinates.trivial else range(-1, asked.coordinates.nv - 1)


def articulated_scales(model: Model, q: Numbers) -> list[Num]:
    """What the pivots of articulated bodies are measured by."""
    return plus(articulated_body.inertia_bounds(model, q), _rotor_inertias(model))


def long_supports(model: Model) -> bool:
    """Whether articulated bodies need fewer operations than the mass matrix and its elimination.

    The latter grow with the number of pairs of joints that support each other. Measured after all passes: general
    chains break even at 12 joints, chains of right angles at 13; quadrupeds are below, humanoids (8 to 9) above.
    """
    parents = model.dof_parents
    return sum(1 for i in range(model.nv) for _ in ancestors(i, parents)) > LONG_SUPPORT * model.nv


# -- derivatives --------------------------------------------------------------------------------------


def inverse_dynamics_derivatives(
    asked: Asked, q: Numbers, qd: Numbers, qdd: Numbers
) -> list[list[list[Num]]]:
    """∂tau/∂q, ∂tau/∂qd and M = ∂tau/∂qdd, one above the other; q along the degrees of freedom."""
    x, tree = asked.coordinates, regrouped(asked.model)
    if asked.model.is_closed:
        raise UnsupportedModelError(
            f"{asked.model.name} has closed chains, and its joints cannot move one by one; derivatives of dynamics "
            "are those of open chains. Take the loops out of the model, and add their forces as wrenches."
        )
    q, qd, qdd = x.expand(q), x.expand_rates(qd), x.expand_rates(qdd)
    loads = [(tree.frame(name), wrench) for name, wrench in asked.wrenches.items()]
    by_q, by_qd, M = composite_derivatives.inverse_dynamics_derivatives(tree, q, qd, qdd, loads)
    added = zip(friction_slopes(asked, qd), _rotor_inertias(asked.model), strict=True)
    for i, (slope, inertia) in enumerate(added):
        by_qd[i][i] = by_qd[i][i] + slope
        M[i][i] = M[i][i] + inertia
    return [x.reduce_matrix(matrix) for matrix in (by_q, by_qd, M)]


def forward_dynamics_derivatives(
    asked: Asked, q: Numbers, qd: Numbers, tau: Numbers
) -> list[list[list[Num]]]:
    """∂qdd/∂q, ∂qdd/∂qd and M⁻¹ = ∂qdd/∂tau, one above the other; NaN where the mass matrix is singular.

    M qdd + h(q, qd) = tau holds along every change of q and qd: ∂qdd = −M⁻¹ ∂tau, taken at this qdd.
    """
    x, parents, M = asked.coordinates, _parents(asked), mass_matrix(asked, q)
    L, inverse = ldl_factors(M, parents, _pivot_guard(M))

    def solved(right: Numbers) -> list[Num]:
        return downwards(L, inverse, upwards(L, right, parents), parents)

    friction = x.reduce(friction_torques(asked, x.expand_rates(qd)))
    qdd = solved(minus(minus(tau, friction), _unaccelerated(asked, q, qd)))
    by_q, by_qd, _ = inverse_dynamics_derivatives(asked, q, qd, qdd)
    moved = [[solved([-t for t in column]) for column in zip(*by, strict=True)] for by in (by_q, by_qd)]
    return [*([list(row) for row in zip(*columns, strict=True)] for columns in moved),
            ldl_inverse(L, inverse, parents)]  # fmt: skip


def friction_slopes(asked: Asked, qd: Numbers) -> list[Num]:
    """The derivatives of friction: damping, and coulomb / v0 up to and at the speed v0 where the ramp ends."""
    if not asked.request.friction:
        return [0.0] * asked.model.nv
    found: list[Num] = []
    for joint in asked.model.joints:
        for rate in joint.rates(qd):
            slope: Num = joint.damping
            if any(joint.coulomb):
                speed, v0 = absolute(rate), COULOMB_SPEED
                size = _coulomb(joint, rate)
                ramp = where(less(speed, 2.0 * v0), size * (1.0 / v0), math.nan)  # no speed, no slope
                slope = slope + where(less(v0, speed), 0.0, ramp)
            found.append(slope)
    return found


def hybrid_dynamics(asked: Asked, q: Numbers, qd: Numbers, x: Numbers) -> list[list[Num]]:
    """Two rows, tau and qdd, where x holds the acceleration of some joints and the torque of the others.

    h' = tau of qd and the given accelerations alone,   M_tt qdd_t = tau_t − h'_t,   tau_a = h'_a + M_at qdd_t
    """
    given, n = _dofs(asked, asked.request.accelerated), asked.coordinates.nv
    if asked.model.is_closed:
        return _constrained_hybrid(asked, q, qd, x, given)
    free = [k for k in range(n) if k not in given]
    start = inverse_dynamics(asked, q, qd, [x[k] if k in given else 0.0 for k in range(n)])
    M = mass_matrix(asked, q)
    block = [[M[i][j] for j in free] for i in free]
    solved = solve(block, [x[k] - start[k] for k in free], _nearest(free, _parents(asked)))
    moved = dict(zip(free, solved, strict=True))
    tau, qdd = list(x), list(x)
    for k, accel in moved.items():
        qdd[k] = accel
    for k in given:
        tau[k] = start[k]
        for j, accel in moved.items():
            tau[k] = tau[k] + M[k][j] * accel
    return [tau, qdd]


def _dofs(asked: Asked, names: Sequence[str]) -> list[int]:
    """The degrees of freedom of named joints."""
    joints = [joint for joint in asked.coordinates.joints if joint.name in names]
    return [joint.v + k for joint in joints for k in range(joint.nv)]


def _nearest(kept: Sequence[int], parents: Sequence[int]) -> list[int]:
    """For each degree of freedom that is kept the nearest one before it that is, by their places among them."""
    place = {k: i for i, k in enumerate(kept)}
    return [next((place[j] for j in ancestors(k, parents) if j in place), -1) for k in kept]


# -- closed chains ------------------------------------------------------------------------------------


def conditions_of(asked: Asked, q: Numbers, qd: Numbers) -> closures.Closures:
    """The conditions of closed chains on the independent coordinates."""
    x = asked.coordinates
    found = closures.closures(asked.model.proximal(), x.expand(q), x.expand_rates(qd))
    return closures.Closures(found.residuals, x.reduce_columns(found.J), found.bias)


def _constrained_dynamics(
    asked: Asked, q: Numbers, qd: Numbers, tau: Numbers
) -> tuple[list[Num], list[Num]]:
    """qdd under torques, friction taken off, and the multipliers λ."""
    held = conditions_of(asked, q, qd)
    return _bound(asked, q, held.J).solve(
        minus(tau, _unaccelerated(asked, q, qd)), [-demand for demand in held.bias]
    )


def _constrained_hybrid(
    asked: Asked, q: Numbers, qd: Numbers, x: Numbers, given: Sequence[int]
) -> list[list[Num]]:
    """Given accelerations are conditions too, whose multipliers are the torques; NaN where they contradict others."""
    n, held = asked.coordinates.nv, conditions_of(asked, q, qd)
    start = inverse_dynamics(replace(asked, model=_opened(asked.model)), q, qd, [0.0] * n)
    driven = [-start[k] if k in given else x[k] - start[k] for k in range(n)]
    demands = [x[k] for k in given] + [-demand for demand in held.bias]
    qdd, multipliers = _bound(asked, q, held.J, given).solve(driven, demands)
    off = [absolute(dot(row, qdd) + bias) for row, bias in zip(held.J, held.bias, strict=True)]
    largest = reduce(maximum, (absolute(accel) for accel in qdd)) + 1.0
    kept = less(reduce(maximum, off), largest * CONTRADICTED)
    tau = list(x)
    for k, multiplier in zip(given, multipliers, strict=False):
        tau[k] = multiplier
    return [[where(kept, number, math.nan) for number in row] for row in (tau, qdd)]


def _opened(model: Model) -> Model:
    """The tree without its closed chains."""
    return replace(model, loops=(), curves=())


def _bound(asked: Asked, q: Numbers, J: Sequence[Numbers], given: Sequence[int] = ()) -> Constrained:
    """The mass matrix and conditions on accelerations: those given, then J; what follows from others is idle."""
    M, rank = mass_matrix(asked, q), asked.request.rank
    pivot = partial(_sound, reduce(maximum, (M[i][i] for i in range(len(M)))))
    units = [[1.0 if j == k else 0.0 for j in range(len(M))] for k in given]
    total = None if rank is None else len(given) + rank
    return Constrained(M, [*units, *J], _parents(asked), pivot, _own, total, len(given))


def _own(left: Num, whole: Num) -> Num:
    """1 / the square that is left of a condition besides those before it, or 0 where that is nothing."""
    if is_number(left) and left == 0:
        return 0.0
    return where(less(whole * LEAST_ROW, left), 1.0 / left, 0.0)


def _driven(asked: Asked, q: Numbers, tau: Numbers) -> list[Num]:
    """The torques of the actuated joints that do what tau does on all of them: Kᵀ λ takes the rest.

    K_pᵀ λ = tau_p at passive joints,   tau_a − K_aᵀ λ at actuated ones
    """
    n, own = asked.coordinates.nv, _dofs(asked, asked.request.actuated or asked.model.actuated)
    passive = [k for k in range(n) if k not in own]
    K = conditions_of(asked, q, [0.0] * n).J
    rows = orthogonalised([[row[k] for k in passive] for row in K], [1.0] * len(passive), _own)
    wanted = [tau[k] for k in passive]
    mu = [dot(Q, wanted) * scale for Q, scale in zip(rows.Q, rows.inverse, strict=True)]
    result: list[Num] = [0.0] * n
    multipliers = rows.multipliers(mu)
    for k in own:
        result[k] = tau[k] - dot([row[k] for row in K], multipliers)
    return result


def closed_state(asked: Asked, q: Numbers, qd: Numbers) -> tuple[list[Num], list[Num]]:
    """A position nearer to closed by a step of Newton's, and velocities that keep it closed there; nearest in M."""
    q = closed_positions(asked, q)
    return q, closed_velocities(asked, q, qd)


def closed_positions(asked: Asked, q: Numbers) -> list[Num]:
    """q after one of Newton's steps towards closed chains; joints whose acceleration is given stay where they are."""
    n, locked = asked.coordinates.nv, _dofs(asked, asked.request.accelerated)
    held = conditions_of(asked, q, [0.0] * n)
    demands = [0.0] * len(locked) + [-c for c in held.residuals]
    step, _ = _bound(asked, q, held.J, locked).solve([0.0] * n, demands)
    return integrate(asked, q, step, [1.0])


def closed_velocities(asked: Asked, q: Numbers, v: Numbers) -> list[Num]:
    """The velocities nearest to v that closed chains allow; joints whose acceleration is given have none."""
    J, locked = loop_jacobian(asked, q), _dofs(asked, asked.request.accelerated)
    demands = [-v[k] for k in locked] + [-dot(row, v) for row in J]
    return plus(v, _bound(asked, q, J, locked).solve([0.0] * len(v), demands)[0])


def closed_accelerations(asked: Asked, q: Numbers, qd: Numbers, v: Numbers) -> list[Num]:
    """The accelerations nearest to v that closed chains allow while they move with qd."""
    held = conditions_of(asked, q, qd)
    short = [-bias - dot(row, v) for row, bias in zip(held.J, held.bias, strict=True)]
    return plus(v, _bound(asked, q, held.J).solve([0.0] * len(v), short)[0])


def loop_residuals(asked: Asked, q: Numbers) -> list[Num]:
    """How far every condition of closed chains is from holding."""
    return closures.residuals(asked.model.proximal(), asked.coordinates.expand(q))


def loop_facing(asked: Asked, q: Numbers) -> list[Num]:
    """For each loop that is solved a cosine, negative where its frames face each other the wrong way round."""
    return closures.facing(asked.model.proximal(), asked.coordinates.expand(q))


def loop_jacobian(asked: Asked, q: Numbers) -> list[list[Num]]:
    """K: velocities are allowed where K qd = 0."""
    return conditions_of(asked, q, [0.0] * asked.coordinates.nv).J


def loop_bias(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """−γ: accelerations are allowed where K qdd + loop_bias = 0."""
    return conditions_of(asked, q, qd).bias


def solve(M: Sequence[Numbers], right: Numbers, parents: Sequence[int]) -> list[Num]:
    """M⁻¹ right, NaN where M is singular."""
    return ldl_solve(M, right, parents, _pivot_guard(M)) if right else []


def _pivot_guard(M: Sequence[Numbers]) -> Callable[[Num, Num], Num]:
    """What makes pivots of a mass matrix NaN where they are nothing but rounding."""
    return partial(_sound, reduce(maximum, (M[i][i] for i in range(len(M)))))


def mass_matrix(asked: Asked, q: Numbers) -> list[list[Num]]:
    """M(q), rotor inertia included."""
    x = asked.coordinates
    M = asked.mass_matrix(x.expand(q))
    for i, inertia in enumerate(_rotor_inertias(asked.model)):
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


def energy(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """Kinetic energy, rotor inertia included, and potential energy, zero at the base origin."""
    x, model = asked.coordinates, asked.model
    q, qd = x.expand(q), x.expand_rates(qd)
    kinetic = totals.kinetic_energy(regrouped(model), q, qd)
    for rate, inertia in zip(qd, _rotor_inertias(model), strict=True):
        kinetic = kinetic + rate * rate * (inertia * 0.5)
    return [kinetic, totals.potential_energy(model, q)]


def center_of_mass(asked: Asked, q: Numbers) -> list[Num]:
    """The centre of mass of all that moves, in base axes."""
    return list(_center(asked.model, asked.coordinates.expand(q)))


def momentum(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """Linear momentum, then angular momentum about the centre of mass, base axes."""
    x = asked.coordinates
    q = x.expand(q)
    total = totals.momentum(regrouped(asked.model), q, x.expand_rates(qd))
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
    c_d = totals.momentum(model, q, qd).force * (1.0 / totals.mass(asked.model))
    return x.reduce_columns(centroidal.momentum_matrix_dot(model, q, qd, c, c_d))


def centroidal_momentum_bias(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """The rate of the momentum about the centre of mass that qd alone brings about: Ȧ qd."""
    x = asked.coordinates
    q = x.expand(q)
    rate = centroidal.momentum_bias(regrouped(asked.model), q, x.expand_rates(qd), _center(asked.model, q))
    return [*rate.force, *rate.moment]


def regressor(asked: Asked, q: Numbers, qd: Numbers, qdd: Numbers) -> list[list[Num]]:
    """Y with tau = Y π: the torques of a motion as a linear function of the inertial parameters, and of drives."""
    x = asked.coordinates
    q, qd, qdd = x.expand(q), x.expand_rates(qd), x.expand_rates(qdd)
    rows = regressors.torque_regressor(asked.model, q, qd, qdd)
    if asked.request.drives:
        columns = [drive_column(rate, change) for rate, change in zip(qd, qdd, strict=True)]
        none = [0.0] * len(DRIVE)
        for i, row in enumerate(rows):
            row += [entry for j, own in enumerate(columns) for entry in (own if i == j else none)]
    return x.reduce_rows(rows)


DRIVE = ("rotor inertia", "viscous", "coulomb forwards", "coulomb backwards")  # of each degree of freedom


def drive_column(rate: Num, change: Num) -> list[Num]:
    """What a joint feels of one unit of each parameter of its drive."""
    ramp = _ramp(rate)
    return [change, rate, maximum(ramp, 0.0), minimum(ramp, 0.0)]


def momentum_regressor(asked: Asked, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """Y with M qd = Y π, rotor inertia left out."""
    x = asked.coordinates
    return x.reduce_rows(regressors.momentum_regressor(asked.model, x.expand(q), x.expand_rates(qd)))


def energy_regressor(asked: Asked, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """Two rows of factors of the inertial parameters in the kinetic (of bodies) and the potential energy."""
    x = asked.coordinates
    return regressors.energy_regressor(asked.model, x.expand(q), x.expand_rates(qd))


def _center(model: Model, q: Numbers) -> Vec3:
    mass = totals.mass(model)
    if is_number(mass) and mass == 0:
        raise UnsupportedModelError(f"{model.name} has no mass that moves, and so no centre of mass.")
    return totals.first_moments(model, q) * (1.0 / mass)


def joint_wrenches(asked: Asked, q: Numbers, qd: Numbers, qdd: Numbers) -> list[list[Num]]:
    """Force and moment through every joint onto the body it carries, at the joint's origin, base axes."""
    x, model = asked.coordinates, asked.model
    loads = [(model.frame(name), wrench) for name, wrench in asked.wrenches.items()]
    return transmission.joint_wrenches(model, x.expand(q), x.expand_rates(qd), x.expand_rates(qdd), loads)


def forward_kinematics(asked: Asked, q: Numbers) -> list[list[Num]]:
    """The 4×4 placement of a frame in base axes."""
    placed = kinematics.frame_placement(
        asked.model, asked.coordinates.expand(q), _frame(asked.model, asked)
    )
    return [list(row) for row in placed.matrix().rows]


def frame_placements(asked: Asked, q: Numbers) -> list[list[list[Num]]]:
    """The 4×4 placements of all frames in base axes."""
    every = kinematics.frame_placements(asked.model, asked.coordinates.expand(q))
    return [[list(row) for row in placed.matrix().rows] for placed in every]


def jacobian(asked: Asked, q: Numbers) -> list[list[Num]]:
    """Six rows: linear velocity of the frame's origin, angular velocity, base axes."""
    x, tree = asked.coordinates, asked.model.proximal()
    return x.reduce_columns(kinematics.jacobian(tree, x.expand(q), _frame(tree, asked)))


def point_jacobian(asked: Asked, q: Numbers, point: Numbers) -> list[list[Num]]:
    """Three rows: the velocity of a point that moves with a frame and is given in its axes, base axes."""
    x, tree = asked.coordinates, asked.model.proximal()
    return x.reduce_columns(kinematics.point_jacobian(tree, x.expand(q), _frame(tree, asked), point))


def jacobian_dot(asked: Asked, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """The rate of the Jacobian while the robot moves with qd."""
    x, tree = asked.coordinates, asked.model.proximal()
    rates = kinematics.jacobian_dot(tree, x.expand(q), x.expand_rates(qd), _frame(tree, asked))
    return x.reduce_columns(rates)


def jacobian_derivative(asked: Asked, q: Numbers) -> list[list[list[Num]]]:
    """∂J/∂q: how every column j of the Jacobian changes along every degree of freedom k."""
    x, tree = asked.coordinates, asked.model.proximal()
    rows = kinematics.jacobian_derivative(tree, x.expand(q), _frame(tree, asked))
    return [x.reduce_matrix(row) for row in rows]


def integrate(asked: Asked, q: Numbers, v: Numbers, dt: Numbers) -> list[Num]:
    """The position after velocity v has acted for a time dt."""
    step = [rate * dt[0] for rate in v]
    return [number for joint in asked.coordinates.joints for number in joint.integrate(q, step)]


def difference(asked: Asked, q0: Numbers, q1: Numbers) -> list[Num]:
    """The velocity that leads from q0 to q1 in unit time."""
    return [number for joint in asked.coordinates.joints for number in joint.difference(q0, q1)]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One thing to ask: its function, the states it takes, and the shape of its result (n: nv, q: nq)."""

    function: Callable[..., Any]
    states: tuple[str, ...]
    result: tuple[str, ...]


QUANTITIES: dict[str, Quantity] = {
    "inverse_dynamics": Quantity(inverse_dynamics, ("q", "qd", "qdd"), ("n",)),
    "forward_dynamics": Quantity(forward_dynamics, ("q", "qd", "tau"), ("n",)),
    "inverse_dynamics_derivatives": Quantity(
        inverse_dynamics_derivatives, ("q", "qd", "qdd"), ("3", "n", "n")
    ),
    "forward_dynamics_derivatives": Quantity(
        forward_dynamics_derivatives, ("q", "qd", "tau"), ("3", "n", "n")
    ),
    "mass_matrix": Quantity(mass_matrix, ("q",), ("n", "n")),
    "coriolis_matrix": Quantity(coriolis_matrix, ("q", "qd"), ("n", "n")),
    "gravity": Quantity(gravity, ("q",), ("n",)),
    "bias": Quantity(bias, ("q", "qd"), ("n",)),
    "energy": Quantity(energy, ("q", "qd"), ("2",)),
    "momentum": Quantity(momentum, ("q", "qd"), ("6",)),
    "center_of_mass": Quantity(center_of_mass, ("q",), ("3",)),
    "centroidal_momentum_matrix": Quantity(centroidal_momentum_matrix, ("q",), ("6", "n")),
    "centroidal_momentum_matrix_dot": Quantity(centroidal_momentum_matrix_dot, ("q", "qd"), ("6", "n")),
    "centroidal_momentum_bias": Quantity(centroidal_momentum_bias, ("q", "qd"), ("6",)),
    "joint_wrenches": Quantity(joint_wrenches, ("q", "qd", "qdd"), ("bodies", "6")),
    "regressor": Quantity(regressor, ("q", "qd", "qdd"), ("n", "parameters")),
    "momentum_regressor": Quantity(momentum_regressor, ("q", "qd"), ("n", "parameters")),
    "energy_regressor": Quantity(energy_regressor, ("q", "qd"), ("2", "parameters")),
    "hybrid_dynamics": Quantity(hybrid_dynamics, ("q", "qd", "x"), ("2", "n")),
    "forward_kinematics": Quantity(forward_kinematics, ("q",), ("4", "4")),
    "frame_placements": Quantity(frame_placements, ("q",), ("frames", "4", "4")),
    "jacobian": Quantity(jacobian, ("q",), ("6", "n")),
    "point_jacobian": Quantity(point_jacobian, ("q", "point"), ("3", "n")),
    "jacobian_dot": Quantity(jacobian_dot, ("q", "qd"), ("6", "n")),
    "jacobian_derivative": Quantity(jacobian_derivative, ("q",), ("6", "n", "n")),
    "loop_residuals": Quantity(loop_residuals, ("q",), ("rows",)),
    "loop_facing": Quantity(loop_facing, ("q",), ("loops",)),
    "loop_jacobian": Quantity(loop_jacobian, ("q",), ("rows", "n")),
    "loop_bias": Quantity(loop_bias, ("q", "qd"), ("rows",)),
    "closed_velocities": Quantity(closed_velocities, ("q", "v"), ("n",)),
    "closed_accelerations": Quantity(closed_accelerations, ("q", "qd", "v"), ("n",)),
    "integrate": Quantity(integrate, ("q", "v", "dt"), ("q",)),
    "difference": Quantity(difference, ("q0", "q1"), ("n",)),
}
CLOSING = ("closed_velocities", "closed_accelerations")
ELIMINATING = (
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "hybrid_dynamics",
    *CLOSING,
)  # what divides by pivots: in double precision, always
# what is asked about one frame
OF_A_FRAME = ("forward_kinematics", "jacobian", "point_jacobian", "jacobian_dot", "jacobian_derivative")
POSITIONS = ("q", "q0", "q1")  # the inputs whose derivatives are along degrees of freedom


def _frame(model: Model, asked: Asked) -> Frame:
    return model.frame(asked.request.frame or model.frames[-1].name)


def _sound(largest: Num, pivot: Num, diagonal: Num) -> Num:
    """The pivot, or NaN where it is nothing but rounding: of the diagonal entry it came from, or of that itself."""
    least = maximum(diagonal * LEAST_PIVOT, largest * LEAST_INERTIA)
    return where(less(least, pivot), pivot, math.nan)


def _rotor_inertias(model: Model) -> list[float]:
    return [joint.rotor_inertia for joint in model.joints for _ in range(joint.nv)]


def friction_torques(asked: Asked, qd: Numbers) -> list[Num]:
    """damping · qd + coulomb · clip(qd / v0, −1, 1), per degree of freedom."""
    if not asked.request.friction:
        return [0.0] * asked.model.nv
    torques: list[Num] = []
    for joint in asked.model.joints:
        for rate in joint.rates(qd):
            torque = rate * joint.damping
            if any(joint.coulomb):
                torque = torque + _ramp(rate) * _coulomb(joint, rate)
            torques.append(torque)
    return torques


def _coulomb(joint: Joint, rate: Num) -> Num:
    """The size of Coulomb friction in the direction of a motion."""
    forwards, backwards = joint.coulomb
    return forwards if forwards == backwards else where(less(rate, 0.0), backwards, forwards)


def _ramp(rate: Num) -> Num:
    """The direction of a motion, −1 to 1, in which Coulomb friction is linear while it is slow."""
    return maximum(minimum(rate * (1.0 / COULOMB_SPEED), 1.0), -1.0)
