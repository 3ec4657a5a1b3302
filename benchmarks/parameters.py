"""What do constants given at run time cost, beside code that is made for them? And regressors beside Pinocchio's?

Inverse dynamics of a batch: parameters as constants of the code; as an input, one row for all states, a row for each
run of 64 states, a row for each state; geometry as well. ``ratio`` is the time over that of the constants. Then the
regressor in a batch beside Pinocchio's call, state by state, after both were found equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import strobe
from benchmarks.robots import ROBOTS
from benchmarks.timer import Row, answer
from strobe.analysis.peers import AGREEMENT, Pinocchio
from strobe.analysis.speed import state
from strobe.compiler.runtime.timing import BATCH, Way, best_times
from strobe.quantities import Request

SECONDS = 1.0
RUN = 64  # states of one robot in turn
NAMES = ("panda", "ur5")
STATES = ("q", "qd", "qdd")
IN_THEIRS = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]  # where our ten parameters of a body stand in theirs


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    rows: list[Row] = []
    for name in NAMES[1:] if small else NAMES:
        robot = ROBOTS[name].load()
        batch = RUN * 4 if small else BATCH
        found = [
            *given(robot, batch, seconds),
            regressor(robot, ROBOTS[name].pinocchio(robot), batch, seconds),
        ]
        rows += [{"robot": name, "n": robot.n, "N": batch, **row} for row in found]
    return rows


def given(robot: strobe.Robot, batch: int, seconds: float) -> list[Row]:
    """Inverse dynamics with constants of the code, and given in several ways; the bare kernels."""
    states = [state(robot, STATES, seed, batch) for seed in range(2)]
    runs = [tuple(x.reshape(-1, RUN, robot.n) for x in values) for values in states]
    own, each = robot.parameters, np.tile(robot.parameters, (batch, 1))
    ways = {
        "constants": _way(robot, states),
        "one row": _way(robot, states, parameters=own),
        "one row and geometry": _way(robot, states, parameters=own, geometry=robot.geometry),
        f"a row per {RUN}": _way(robot, runs, parameters=each[::RUN, None]),
        "a row per state": _way(robot, states, parameters=each),
    }
    _require_equal(robot, ways)
    best = best_times(ways, seconds)
    labels = {"quantity": "inverse_dynamics"}
    return [
        {**labels, "parameters": name, "ours_ns": 1e9 * time / batch, "ratio": time / best["constants"]}
        for name, time in best.items()
    ]


def _way(robot: strobe.Robot, states: Sequence[tuple[np.ndarray, ...]], **constants: np.ndarray) -> Way:
    """Calls of the kernel that takes these constants."""
    lifted: dict[str, Any] = dict.fromkeys(constants, "runtime")
    request = Request("inverse_dynamics", friction=False, **lifted)
    kernel, out = robot.kernel(request), np.empty_like(states[0][0])
    named = [(dict(zip(STATES, values, strict=True)) | constants,) for values in states]
    return Way(lambda arrays: kernel(arrays, out, 1), named)


def _require_equal(robot: strobe.Robot, ways: Mapping[str, Way]) -> None:
    """Stop where a way gives other torques than the first."""
    results = {name: np.ravel(way.function(*way.arguments[0])).copy() for name, way in ways.items()}  # pyright: ignore
    expected = next(iter(results.values()))
    for name, found in results.items():
        if not np.abs(found - expected).max() <= AGREEMENT * np.abs(expected).max():
            raise SystemExit(f"{name}: the torques of {robot.name} are others.")


def regressor(robot: strobe.Robot, peer: Pinocchio, batch: int, seconds: float) -> Row:
    """Our batch beside their calls."""
    pin, states = peer.pin, [state(robot, STATES, seed, batch) for seed in range(2)]
    out = np.empty((batch, robot.n, len(robot.parameters)))
    singles = [(peer.position(q[0]), peer.rates(qd[0]), peer.rates(qdd[0])) for q, qd, qdd in states]
    theirs = pin.computeJointTorqueRegressor(peer.model, peer.data, *singles[0])
    ids = [peer.model.getJointId(peer._called(joint)) for joint in robot.model.joints]
    expected = theirs[peer.order][:, [10 * (k - 1) + j for k in ids for j in IN_THEIRS]]
    if not np.abs(robot.regressor(*states[0])[0] - expected).max() <= AGREEMENT * np.abs(expected).max():
        raise SystemExit(f"the regressor of {robot.name} is another than Pinocchio's.")
    ways = {
        "ours": Way(lambda *values: robot.regressor(*values, out=out, threads=1), states),
        "theirs": Way(
            lambda *values: pin.computeJointTorqueRegressor(peer.model, peer.data, *values), singles
        ),
    }
    best = best_times(ways, seconds)
    ours, their = 1e9 * best["ours"] / batch, 1e9 * best["theirs"]
    return {"quantity": "regressor", "ours_ns": ours, "theirs_ns": their, "ratio": their / ours}


if __name__ == "__main__":
    answer("parameters", once, SECONDS)
