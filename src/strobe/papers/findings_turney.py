"""What robots say about the claims of [Turney1980], exactly where that decides."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from strobe.algebra import Sym3, Vec3
from strobe.algebra.elimination import ldl_factors, ldl_solve
from strobe.formulations import decomposition, strobing, uicker_kahn
from strobe.models.inertial import Inertial
from strobe.models.load import load_model
from strobe.models.model import Model
from strobe.models.random_robots import random_model
from strobe.papers.findings import (
    ARMS,
    ID,
    ROUNDING,
    Finding,
    array,
    golden,
    lowered,
    only,
    same_or_not,
    state_of,
)
from strobe.robot import load
from strobe.scalars import LANES, FieldSystem, Lanes, Numbers


def lagrange_is_newton_euler() -> Finding:
    return _same_function("equal modulo a random prime", lambda model: model.variables())


def gravity_by_acceleration() -> Finding:
    """Gravity as a base acceleration (Newton-Euler) and as a term of its own (Uicker/Kahn), at rest."""
    return _same_function(
        "as a vector, −g; static torques equal modulo a random prime",
        lambda m: (m.variables()[0], [0.0] * m.nv, [0.0] * m.nv),
    )


def _same_function(what: str, state: Callable[[Model], tuple[Numbers, Numbers, Numbers]]) -> Finding:
    """Newton-Euler against Uicker/Kahn on arms of 1 to 6 joints, all revolute and mixed."""
    equal: dict[str, bool] = {}
    for kinds in ("R", "RP"):
        for n in range(1, 7):
            system = FieldSystem(seed=n)
            model = random_model(n, n, kinds=kinds).lift(system)
            inputs = state(model)
            one, other = (method(model, *inputs) for method in (ID, uicker_kahn.inverse_dynamics))
            equal[f"{n} {PATTERN[kinds]}"] = lowered(system, one) == lowered(system, other)
    return same_or_not(f"{what}, arms of 1 to 6 joints, revolute and mixed with prismatic", equal)


PATTERN = {"R": "revolute joints", "RP": "revolute and prismatic joints"}


PIVOT_ROBOTS = ("stanford", "puma560", "panda", "ur5")
POSES = 400


def no_pivoting() -> Finding:
    smallest, worst, pivoted = math.inf, 0.0, 0.0
    for name in PIVOT_ROBOTS:
        robot = load(name)
        q, b, _ = robot.random_state(seed=0, batch=POSES)
        M = robot.mass_matrix(q)
        pivots, x = eliminated(M, b)
        smallest = min(smallest, float(pivots.min()))
        worst = max(worst, _backward_error(M, x, b))
        pivoted = max(pivoted, _backward_error(M, np.linalg.solve(M, b[..., None])[..., 0], b))
    singular = _pivot_of_a_point_mass()
    figure = (
        f"{POSES} poses each of {', '.join(PIVOT_ROBOTS)}: smallest pivot {smallest:.1e}, backward error {worst:.1e} "
        f"(with pivoting {pivoted:.1e}); a UR5 whose last link is a point on its axis has the pivot {singular:g}"
    )
    return Finding(figure, smallest > 0 and worst < 1e-15 and singular == 0)


def eliminated(M: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pivots and solution of M x = b by elimination without pivoting, matrix by matrix side by side."""
    n = M.shape[-1]
    chain = range(-1, n - 1)
    lanes: list[Numbers] = [[Lanes(M[..., i, j]) for j in range(n)] for i in range(n)]
    _, inverse = ldl_factors(lanes, chain)
    x = ldl_solve(lanes, [Lanes(b[..., i]) for i in range(n)], chain)
    pivots, solution = ([LANES.lower(each) for each in numbers] for numbers in (inverse, x))
    return 1 / np.stack(pivots, axis=-1), np.stack(solution, axis=-1)


def _backward_error(M: np.ndarray, x: np.ndarray, b: np.ndarray) -> float:
    residual = np.abs(np.einsum("...ij,...j->...i", M, x) - b).max(axis=-1)
    scale = np.abs(M).sum(axis=-1).max(axis=-1) * np.abs(x).max(axis=-1) + np.abs(b).max(axis=-1)
    return float(np.max(residual / scale))


def _pivot_of_a_point_mass() -> float:
    model = load_model("ur5")
    tip = replace(model.bodies[-1], inertial=Inertial.at_com(0.2, Vec3(0.0, 0.0, -0.02), Sym3.zero()))
    alone = replace(model, bodies=(*model.bodies[:-1], tip))
    M = strobing.mass_matrix(ID, alone, [0.1] * 6)
    return float(array(M)[5, 5])


def strobed_mass_matrix() -> Finding:
    equal: dict[str, bool] = {}
    for n in range(1, 6):
        system = FieldSystem(seed=n)
        model = random_model(n, n).lift(system)
        q, _, _ = model.variables()
        strobed, direct = strobing.mass_matrix(ID, model, q), decomposition.mass_matrix(model, q)
        equal[f"{n} joints"] = all(
            lowered(system, x) == lowered(system, y) for x, y in zip(strobed, direct, strict=True)
        )
    return same_or_not(
        "equal to the matrix by link Jacobians modulo a random prime, arms of 1 to 5 joints", equal
    )


def strobed_coriolis() -> Finding:
    """Two unit rates at once return C_jj + C_kk + 2 C_jk."""
    worst, identity = 0.0, 0.0
    for seed in ARMS:
        model = random_model(5, seed).weightless()
        q, _, _ = state_of(model, seed)
        C = array(strobing.christoffel(ID, model, q))
        scale = np.abs(C).max()
        for j in range(5):
            for k in range(j):
                rates = [float(i in (j, k)) for i in range(5)]
                got = array(ID(model, q, rates, [0.0] * 5))
                worst = max(worst, float(np.abs(got - C[j, k]).max() / scale))
                whole = C[j, j] + C[k, k] + 2 * C[j, k]
                identity = max(identity, float(np.abs(got - whole).max() / scale))
    figure = f"it returns C_jj + C_kk + 2 C_jk, off by up to {worst:.1f} times the largest symbol; polarised exact"
    return Finding(figure, worst > 0.1 and identity < ROUNDING)


def insignificant_terms() -> Finding:
    """Contributions below 1 % of a joint's torque, link by link and term by term, at the reference state."""
    model = load_model("stanford")
    q, qd, qdd = (golden(model, key) for key in ("q", "qd", "qdd"))
    tau = np.abs(array(ID(model, q, qd, qdd)))
    links = [array(ID(only(model, {j}), q, qd, qdd)) for j in range(6)]
    parts = [abs(links[j][i]) / tau[i] for i in range(6) for j in range(i, 6)]
    M = array(strobing.mass_matrix(ID, model, q)) * array(qdd)
    C = array(strobing.christoffel(ID, model, q))
    pairs = [(j, k) for j in range(6) for k in range(j + 1)]
    velocity = [C[j, k] * qd[j] * qd[k] * (1 if j == k else 2) for j, k in pairs]
    terms = np.concatenate([np.abs(M.T), np.abs(velocity)]) / tau
    small, few = int((terms < 0.01).sum()), sum(part < 0.01 for part in parts)
    figure = (
        f"stanford at its reference state: {few} of {len(parts)} link contributions are below 1 % of the torque, "
        f"{small} of {terms.size} terms of the explicit form ({int((terms > 1e-14).sum())} are not zero)"
    )
    return Finding(figure, small / terms.size > few / len(parts))
