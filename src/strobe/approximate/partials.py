"""Partial derivatives of torques, compiled: the same functions run on duals of nodes.

    ∂tau/∂(q, qd, qdd)                                          of inverse dynamics, (n, 3n)
    ∂D/∂q, ∂E/∂q, ∂E/∂qd                                        of tau = D(q) qdd + E(q, qd)

Friction is not in them: where it jumps it has no derivative. It is added as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from strobe.approximate.method import exact, in_system
from strobe.approximate.states import RIGID
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.runtime.traced import Traced, trace
from strobe.scalars import DualSystem, Num, Numbers, Scalar

D = Request("mass_matrix")
E = Request("bias")


def torque_partials(robot: Robot) -> Traced:
    """∂tau/∂(q, qd, qdd) (..., n, 3n) of states, rigid bodies only."""
    return robot.kept("partials of torques", lambda: _torque_partials(robot))


def _torque_partials(robot: Robot) -> Traced:
    n = robot.nv

    def partials(q: Numbers, qd: Numbers, qdd: Numbers) -> list[list[Num]]:
        by_q, by_qd = (
            columns(lambda *x: exact(robot, *x, request=RIGID), (q, qd, qdd), which) for which in (0, 1)
        )
        by_qdd = D.evaluate(in_system(robot.model, q), q=q)
        return [[*(c[i] for c in by_q), *(c[i] for c in by_qd), *by_qdd[i]] for i in range(n)]

    return trace(partials, q=n, qd=n, qdd=n)


def slopes(robot: Robot) -> Traced:
    """∂D/∂q, ∂E/∂q and ∂E/∂qd of states in one array (..., n, n + 2, n): of row i, those of D, E and E."""
    return robot.kept("partials of D and E", lambda: _slopes(robot))


def _slopes(robot: Robot) -> Traced:
    n = robot.nv

    def partials(q: Numbers, qd: Numbers) -> list[list[list[Num]]]:
        D_q = columns(lambda q: _flat(D.evaluate(in_system(robot.model, q), q=q)), (q,), 0)
        E_q, E_qd = (
            columns(lambda *x: E.evaluate(in_system(robot.model, x[0]), q=x[0], qd=x[1]), (q, qd), which)
            for which in (0, 1)
        )
        return [
            [*([d[n * i + j] for d in D_q] for j in range(n)), [e[i] for e in E_q], [e[i] for e in E_qd]]
            for i in range(n)
        ]

    return trace(partials, q=n, qd=n)


def columns(
    function: Callable[..., Sequence[Num]], vectors: Sequence[Numbers], which: int
) -> list[list[Num]]:
    """The derivatives of a function's numbers by each entry of one of its vectors."""
    return [_rates(function, vectors, which, k) for k in range(len(vectors[which]))]


def _rates(function: Callable[..., Any], vectors: Sequence[Numbers], which: int, k: int) -> list[Num]:
    system = DualSystem(next(x.system for vector in vectors for x in vector if isinstance(x, Scalar)))
    seeded = [
        [system.seed(x, 1.0 if (v, i) == (which, k) else 0.0) for i, x in enumerate(vector)]
        for v, vector in enumerate(vectors)
    ]
    return [system.lower(number).tangent for number in function(*seeded)]


def _flat(rows: Sequence[Numbers]) -> list[Num]:
    return [number for row in rows for number in row]
