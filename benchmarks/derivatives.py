"""How fast are derivatives of the dynamics, beside Pinocchio's, and how many operations do the ways to them take?

Pinocchio has no call for a batch of derivatives: its function is called once per state, which leaves the matrices in
its own memory (`ratio`), or has them copied to where a batch of them belongs, as ours are (`kept`). Friction is left
out. Results that do not fit the caches are bound by memory: the smaller batch shows what the arithmetic takes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import strobe
from benchmarks.how_fast_to_compile import stages
from benchmarks.robots import ROBOTS
from benchmarks.timer import Row, answer
from strobe.analysis.peers import AGREEMENT, Pinocchio
from strobe.analysis.speed import state
from strobe.compiler.graph.derivatives import WAYS, derivative
from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import Program, trace
from strobe.compiler.graph.simplify import simplify
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.timing import BATCH, SINGLES, Way, best_times
from strobe.quantities import QUANTITIES, Request
from strobe.scalars import Graph

SECONDS = 0.5  # for each row
WITHIN_CACHES = 128  # states
THEIRS = {
    "inverse_dynamics_derivatives": "computeRNEADerivatives",
    "forward_dynamics_derivatives": "computeABADerivatives",
}


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    rows: list[Row] = []
    for name in ["ur5"] if small else list(ROBOTS):
        robot = ROBOTS[name].load()
        peer = ROBOTS[name].pinocchio(robot)
        for quantity in THEIRS:
            found = [*_speed(robot, peer, quantity, seconds, small), _compiled(robot, quantity)]
            rows += [{"robot": name, "n": robot.n, "quantity": quantity, **row} for row in found]
        rows += [{"robot": name, "n": robot.n, **row} for row in _operations(robot)]
    return rows


def _speed(
    robot: strobe.Robot, peer: Pinocchio, quantity: str, seconds: float, small: bool
) -> Iterator[Row]:
    """Batches on one thread beside their calls."""
    ways = _their_ways(robot, peer, quantity)
    for batch in (WITHIN_CACHES,) if small else (WITHIN_CACHES, BATCH):
        best = best_times({"ours": _our_way(robot, quantity, batch), **ways}, seconds)
        ours = best["ours"] / batch
        yield {
            "N": batch, "threads": 1, "against": THEIRS[quantity], "ours_ns": 1e9 * ours,
            "theirs_ns": 1e9 * best["theirs"], "ratio": best["theirs"] / ours, "kept": best["kept"] / ours,
        }  # fmt: skip


def _compiled(robot: strobe.Robot, quantity: str) -> Row:
    """What making the code takes, stage by stage, and how many operations it has."""
    request = Request(quantity, friction=False)
    program = Kernel(robot.model, request).program
    counts = {"multiplications": program.multiplications, "additions": program.additions}
    return {"against": "nothing", **counts, **stages(robot, request)}


def _our_way(robot: strobe.Robot, quantity: str, batch: int) -> Way:
    call = getattr(robot, quantity)
    out = np.empty((batch, 3, robot.n, robot.n))
    states = [state(robot, QUANTITIES[quantity].states, seed, batch) for seed in range(2)]
    return Way(lambda *values: call(*values, friction=False, out=out, threads=1), states)


def _their_ways(robot: strobe.Robot, peer: Pinocchio, quantity: str) -> dict[str, Way]:
    """Their call on one state, bare and with its matrices copied to a batch, after they were found to be ours."""
    function, data = getattr(peer.pin, THEIRS[quantity]), peer.data
    drawn = [state(robot, QUANTITIES[quantity].states, seed) for seed in range(SINGLES)]
    arguments = [(peer.model, data, *_in_their_order(peer, *values)) for values in drawn]
    here = np.ix_(peer.order, peer.order)
    ours = getattr(robot, quantity)(*drawn[0], friction=False)
    for mine, found in zip(ours[:2], function(*arguments[0]), strict=False):
        assert np.abs(mine - np.array(found)[here]).max() <= AGREEMENT * 10 * np.abs(found).max()
    kept = np.empty((SINGLES, 3, peer.model.nv, peer.model.nv))
    turns = iter(range(10**12))

    def keeping(*values: Any) -> None:
        place = kept[next(turns) % SINGLES]
        for matrix, found in zip(place, function(*values), strict=True):
            matrix[...] = found

    return {"theirs": Way(function, arguments), "kept": Way(keeping, arguments)}


def _in_their_order(peer: Pinocchio, q: np.ndarray, *rates: np.ndarray) -> list[np.ndarray]:
    vectors = [np.zeros(peer.model.nv) for _ in rates]
    for vector, rate in zip(vectors, rates, strict=True):
        vector[peer.order] = rate
    return [peer.position(q), *vectors]


def _operations(robot: strobe.Robot) -> Iterator[Row]:
    """∂τ/∂q, ∂τ/∂q̇ and M through the graph of inverse dynamics, after all passes, either way."""
    request = Request("inverse_dynamics", friction=False, by=("q", "qd", "qdd"))
    for way in WAYS:
        start = time.perf_counter()
        plain = _graph(robot, request.plain)
        program = optimised(derivative(plain, request.directions(robot.model, plain.numbers), way))
        yield {
            "quantity": "inverse_dynamics_derivatives", "against": f"the graph, {way.__name__}",
            "graph_s": time.perf_counter() - start,
            "multiplications": program.multiplications, "additions": program.additions,
        }  # fmt: skip


def _graph(robot: strobe.Robot, request: Request) -> Program:
    kernel, graph = Kernel(robot.model, request), Graph()
    return simplify(trace(kernel.function(graph), kernel.inputs, kernel.shape, graph))


if __name__ == "__main__":
    answer("derivatives", once, SECONDS)
