"""How much faster than Pinocchio and MuJoCo, on robots with 6, 7, 18 and 35 degrees of freedom?

Each row is a ratio within one process: both libraries in turn, on inputs that change between calls, after their
results were found equal. Pinocchio's batches are its own parallel functions where it has them; other
quantities are its Python calls, one per state. Friction is left out, as Pinocchio leaves it out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

import strobe
from benchmarks.robots import ROBOTS, agreeing
from benchmarks.timer import Row, answer
from strobe.analysis.cycles import WIDTHS, Vectors
from strobe.analysis.peers import AGREEMENT, MuJoCo, Pinocchio
from strobe.analysis.speed import batch_way, single_way, state
from strobe.compiler.codegen.llvm import module
from strobe.compiler.runtime import jit
from strobe.compiler.runtime.gufunc import gufunc
from strobe.compiler.runtime.timing import BATCH, ROUND, Way, best_times
from strobe.quantities import QUANTITIES, Request

SECONDS = 0.2  # for each row
LARGE = 4 * BATCH  # states in a batch that is worth several threads
SHARED = tuple(BATCH * 4**k for k in range(4))  # states in batches that all threads share
EVERY = ("inverse_dynamics", "forward_dynamics")  # on every robot
MORE = ("mass_matrix", "gravity", "bias", "forward_kinematics", "jacobian")  # on Panda


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    names = ["ur5"] if small else list(ROBOTS)
    rows: list[Row] = []
    for name in names:
        robot = ROBOTS[name].load()
        peer = ROBOTS[name].pinocchio(robot)
        found = [*batches(robot, peer, seconds, EVERY, _settings(small))]
        if name == "panda" or small:
            found += [*loops(robot, peer, seconds, MORE), *_widths(robot, peer, seconds)]
            found += [*_calls(robot, peer, seconds), *_mujoco(robot, seconds)]
            found += [*_shared(robot, peer, seconds, SHARED[:1] if small else SHARED)]
        rows += [{"robot": name, "n": robot.n, **row} for row in found]
    return rows


def _settings(small: bool) -> list[tuple[int, int]]:
    """Threads and states of the batches: one thread, and all."""
    cores = os.cpu_count() or 1
    return [(1, 64)] if small else [(1, BATCH), *([(cores, LARGE)] if cores > 1 else [])]


def batches(
    robot: strobe.Robot, peer: Pinocchio, seconds: float, names: tuple[str, ...],
    settings: Sequence[tuple[int, int]],
) -> Iterator[Row]:  # fmt: skip
    """Batch beside batch, on so many threads and of so many states."""
    for quantity in names:
        if not agreeing(peer, quantity):
            continue
        for threads, batch in settings:
            theirs = peer.in_parallel(quantity, threads, batch)
            assert theirs is not None
            ours = batch_way(robot, _request(quantity, peer), threads, batch)
            yield _row(ours, batch, theirs, batch, seconds) | {
                "quantity": quantity, "way": "batch", "N": batch, "threads": threads,
                "against": {"inverse_dynamics": "rneaInParallel", "forward_dynamics": "abaInParallel"}[quantity],
            }  # fmt: skip


def _shared(robot: strobe.Robot, peer: Pinocchio, seconds: float, sizes: Sequence[int]) -> Iterator[Row]:
    """Our batch on all threads beside our batch on one."""
    cores, request = os.cpu_count() or 1, _request("inverse_dynamics", peer)
    for batch in sizes:
        one, all_of_them = (batch_way(robot, request, threads, batch) for threads in (1, cores))
        yield _row(all_of_them, batch, one, batch, 5 * seconds) | {
            "quantity": "inverse_dynamics", "way": "batch", "N": batch, "threads": cores, "against": "one thread",
        }  # fmt: skip


def loops(robot: strobe.Robot, peer: Pinocchio, seconds: float, names: tuple[str, ...]) -> Iterator[Row]:
    """Our batch beside their calls, one per state."""
    for quantity in names:
        if not agreeing(peer, quantity):
            continue
        theirs = peer.single(quantity)
        assert theirs is not None
        ours = batch_way(robot, _request(quantity, peer), 1)
        yield _row(ours, BATCH, theirs, 1, seconds) | _labels(
            quantity, "batch", BATCH, "Pinocchio, call a state"
        )


def _widths(robot: strobe.Robot, peer: Pinocchio, seconds: float) -> Iterator[Row]:
    """Inverse dynamics as a processor without AVX-512 computes it, and in float32."""
    request = _request("inverse_dynamics", peer)
    theirs = peer.in_parallel("inverse_dynamics", 1)
    assert theirs is not None
    states = [state(robot, QUANTITIES["inverse_dynamics"].states, seed, BATCH) for seed in range(2)]
    expected = robot.inverse_dynamics(*states[0], friction=False)
    if WIDTHS[0].runs_here:
        narrow, out = kernel(robot, request, WIDTHS[0]), np.empty((BATCH, robot.nv))
        assert np.abs(narrow(*states[0]) - expected).max() <= AGREEMENT * np.abs(expected).max()
        ours = Way(lambda *values: narrow(*values, out=out), states)
        yield _row(ours, BATCH, theirs, BATCH, seconds) | _labels(
            "inverse_dynamics", "batch, 4-wide", BATCH, "rneaInParallel"
        )
    wide = batch_way(robot, request, 1)
    single_out = np.empty((BATCH, robot.nv), np.float32)
    short = [tuple(x.astype(np.float32) for x in values) for values in states]
    assert np.abs(
        wide.function(*states[0]) - robot.inverse_dynamics(*short[0], friction=False)
    ).max() <= 1e-4 * (np.abs(expected).max())
    ours = Way(lambda *values: robot.inverse_dynamics(*values, friction=False, out=single_out), short)
    yield _row(ours, BATCH, theirs, BATCH, seconds) | _labels(
        "inverse_dynamics", "batch, float32", BATCH, "rneaInParallel, float64"
    )


def _calls(robot: strobe.Robot, peer: Pinocchio, seconds: float) -> Iterator[Row]:
    """One Python call beside one Python call, as a user writes it."""
    for quantity in EVERY:
        theirs = peer.single(quantity)
        assert theirs is not None
        ours = single_way(robot, Request(quantity))
        against = {"inverse_dynamics": "pin.rnea", "forward_dynamics": "pin.aba"}[quantity]
        yield _row(ours, 1, theirs, 1, 2 * seconds) | _labels(quantity, "one call", 1, against)


def _mujoco(robot: strobe.Robot, seconds: float) -> Iterator[Row]:
    """One call beside MuJoCo's; `mj_rne` bare, without the kinematics that it needs first."""
    peer = MuJoCo(robot)
    if not peer.disagreement() <= AGREEMENT:
        raise SystemExit(f"MuJoCo's torques of {robot.name} are others.")
    ours = single_way(robot, Request("inverse_dynamics"))
    for name, (theirs, _) in peer.ways().items():
        against = name.removesuffix(", one call")
        yield _row(ours, 1, theirs, 1, seconds) | _labels("inverse_dynamics", "one call", 1, against)


def kernel(robot: strobe.Robot, request: Request, vectors: Vectors):
    """The ufunc of a request as a processor with no wider vectors, and no more registers, has it."""
    text = module(robot.kernel(request).program, vectors.target)
    code = jit.load_object(jit.emit_object(text, cpu=vectors.processor))
    sizes = list(request.inputs(robot.model).values())
    signature = ",".join(f"({size})" for size in sizes)
    signature += "->(" + ",".join(map(str, request.shape(robot.model))) + ")"
    return gufunc(request.quantity, "", signature, [(code.address, False)], len(sizes), code)


def _request(quantity: str, peer: Pinocchio) -> Request:
    """Without friction, and of a frame that both libraries know."""
    if quantity in ("forward_kinematics", "jacobian"):
        return Request(quantity, frame=peer.frame())
    request = Request(quantity)
    return replace(request, friction=False) if quantity in EVERY else request


def _labels(quantity: str, way: str, batch: int, against: str) -> Row:
    return {"quantity": quantity, "way": way, "N": batch, "threads": 1, "against": against}


def _row(ours: Way, our_states: int, theirs: Way, their_states: int, seconds: float) -> Row:
    """Times in rounds of many calls, and the ratio; ``cold`` is the ratio of single calls in turn."""
    best, cold = (best_times({"ours": ours, "theirs": theirs}, seconds, each) for each in (ROUND, 0.0))
    ns = {"ours_ns": 1e9 * best["ours"] / our_states, "theirs_ns": 1e9 * best["theirs"] / their_states}
    states = our_states / their_states
    return {**ns, "ratio": ns["theirs_ns"] / ns["ours_ns"], "cold": states * cold["theirs"] / cold["ours"]}


if __name__ == "__main__":
    answer("against_peers", once, SECONDS)
