"""What robots say about the claims of [Decomposition2012]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from strobe.algebra.rows import dot
from strobe.analysis.accuracy import relative
from strobe.formulations import decomposition, formulation, lagrange_jacobian, strobing
from strobe.formulations.world import world
from strobe.models.load import load_model
from strobe.models.model import Model
from strobe.models.random_robots import random_model
from strobe.papers.findings import (
    ARMS,
    ID,
    ROUNDING,
    Finding,
    array,
    lowered,
    only,
    same_or_not,
    skew_residual,
    state_of,
)
from strobe.robot import load
from strobe.scalars import DualSystem, FieldSystem, FoldedCount, Graph, Num, Numbers, System
from strobe.scalars.symbol import SymbolSystem


def same_matrices() -> Finding:
    equal: dict[str, bool] = {}
    for n in range(1, 6):
        system = FieldSystem(seed=n)
        model = random_model(n, n).lift(system)
        q, qd, _ = model.variables()
        C = decomposition.coriolis_matrix(model, q, qd, "decomposition")
        pairs = {
            "D": (_flat(decomposition.mass_matrix(model, q)), _flat(strobing.mass_matrix(ID, model, q))),
            "G": (decomposition.gravity(model, q), strobing.gravity(ID, model, q)),
            "C q̇": ([dot(row, qd) for row in C], ID(model.weightless(), q, qd, [0.0] * n)),
        }
        equal |= {
            f"{name}, {n} joints": lowered(system, one) == lowered(system, other)
            for name, (one, other) in pairs.items()
        }
    found = same_or_not("D, G and C q̇ equal modulo a random prime, arms of 1 to 5 joints", equal)
    return Finding(f"{found.figure}; C itself is not unique, see D-2", found.holds)


def _flat(rows: Sequence[Numbers]) -> list[Num]:
    return [x for row in rows for x in row]


def skew_forms() -> Finding:
    """Ḋ − 2C for form A, Christoffel's form, and the form with −[I ω ×], which has the same C q̇."""
    worst = {"form A": 0.0, "Christoffel": 0.0, "−[Iω×]": 0.0}
    power = 0.0
    for seed in ARMS:
        model = random_model(7, seed, kinds="R")
        q, qd, _ = state_of(model, seed)
        forms = {
            "form A": array(decomposition.coriolis_matrix(model, q, qd, "decomposition")),
            "Christoffel": array(decomposition.coriolis_matrix(model, q, qd, "christoffel")),
        }
        forms["−[Iω×]"] = forms["form A"] + _other_kernel(model, q, qd)
        rate = _mass_matrix_rate(model, q, qd)
        for name, C in forms.items():
            N = rate - 2 * C
            worst[name] = max(worst[name], skew_residual(N) / float(np.abs(C).max()))
            power = max(power, abs(float(array(qd) @ N @ array(qd))) / float(np.abs(C).max()))
    figure = (
        ", ".join(f"{name} {x:.0e}" for name, x in worst.items())
        + f" off skew relative to C; q̇ᵀ(Ḋ−2C)q̇ = 0 for all ({power:.0e})"
    )
    holds = max(worst["form A"], worst["Christoffel"], power) < 1e-10 and worst["−[Iω×]"] > 1e-3
    return Finding(figure, holds)


def _mass_matrix_rate(model: Model, q: Sequence[float], qd: Sequence[float]) -> np.ndarray:
    bodies = world(model, q)
    n = model.nv
    return sum(array(lagrange_jacobian.inertia_derivative(bodies, n, k)) * qd[k] for k in range(n))  # pyright: ignore[reportReturnType]


def _other_kernel(model: Model, q: Numbers, qd: Numbers) -> np.ndarray:
    """What J_ωᵀ(−[Iω×] − [ω×]I)J_ω adds to form A: nothing to C q̇."""
    bodies, n = world(model, q), model.nv
    w, _, _ = decomposition.velocities(bodies, qd)
    total = np.zeros((n, n))
    for body in bodies:
        spin = w[body.index]
        for j in body.supports:
            a = bodies[j].angular()
            column = -((body.I @ spin).cross(a)) - spin.cross(body.I @ a)
            for i in body.supports:
                total[i, j] += float(bodies[i].angular().dot(column))  # pyright: ignore[reportArgumentType]
    return total


def one_procedure() -> Finding:
    """The same code on planar2: torques in floats, by symbols with values put in afterwards, and exactly."""
    model = load_model("planar2")
    state = state_of(model, 0)
    symbols = relative(_by_symbols(model, state), array(decomposition.inverse_dynamics(model, *state)))
    field = FieldSystem(seed=1)
    exact = model.lift(field)
    inputs = exact.variables()
    one, other = (method(exact, *inputs) for method in (decomposition.inverse_dynamics, ID))
    same = lowered(field, one) == lowered(field, other)
    others = {"duals": DualSystem(FieldSystem(seed=1)), "a counter": FoldedCount(), "graph nodes": Graph()}
    ran = [name for name, system in others.items() if _runs(model, system)]
    figure = (
        f"the same code ran on floats, on symbols ({symbols:.0e} from the floats), modulo a random prime "
        f"({'' if same else 'NOT '}equal to Newton-Euler), and on {', '.join(ran)}"
    )
    return Finding(figure, symbols < ROUNDING and same and len(ran) == len(others))


def _by_symbols(model: Model, state: Sequence[Sequence[float]]) -> np.ndarray:
    """Closed-form torques, and only then this robot's parameters and a state."""
    lifted = model.lift(SymbolSystem())
    inputs = lifted.variables()
    torques = decomposition.inverse_dynamics(lifted, *inputs)
    known = dict(model.parameters)
    for names, row in zip(inputs, state, strict=True):
        known |= {str(lifted.system.lower(x)): value for x, value in zip(names, row, strict=True)}
    return array([_value(lifted.system.lower(tau), known) for tau in torques])


def _value(expression: Any, known: Mapping[str, float]) -> float:
    return float(expression.evalf(subs={symbol: known[str(symbol)] for symbol in expression.free_symbols}))


def _runs(model: Model, system: System) -> bool:
    lifted = model.lift(system)
    return len(decomposition.inverse_dynamics(lifted, *lifted.variables())) == model.nv


def virtual_links() -> Finding:
    robot = load("biped10")
    q, _, _ = robot.random_state(seed=0, batch=50)
    least = float(np.linalg.eigvalsh(robot.mass_matrix(q)).min())
    last = only(robot.model, set(range(robot.nv - 1)))
    M = array(strobing.mass_matrix(formulation(None).inverse_dynamics, last, [0.1] * robot.nv))
    tip = float(M[-1, -1])
    figure = f"biped10, 50 poses: smallest eigenvalue {least:.1e}; a massless outermost link has the pivot {tip:g}"
    return Finding(figure, least > 0 and tip == 0)
