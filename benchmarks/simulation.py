"""Panda falling freely, RK4 at a millisecond: how fast are our steps beside MuJoCo's, and how much energy drifts?

A batch of runs on one thread: ours all in one call, theirs by `mujoco.rollout` with the RK4 integrator and contacts
off, from equal states, after the states at the end were found equal. The first row is `simulate` as it is called, its
arguments checked, its step held against the modes, every step kept, as `rollout` keeps them; the second is the bare
loop, which keeps the last state. Then runs of 100 s without friction: the largest drift over the largest kinetic
energy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import strobe
from benchmarks.timer import Row, answer
from strobe.analysis.peers import MuJoCo
from strobe.compiler.runtime.timing import Way, best_times
from strobe.simulate.fixed_steps import march
from strobe.simulate.integrators import fixed_method
from strobe.simulate.problem import problem
from strobe.simulate.time_grid import Course, grid

SECONDS = 3.0
BATCH, STEPS, STEP = 1024, 50, 1e-3
# of their steps in a call that is timed: theirs take equal times, and short calls are disturbed less
FEWER = 5
LARGEST_DIFFERENCE = 1e-9


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    robot = strobe.load("ur5" if small else "panda")
    rows = _beside_mujoco(robot, 16 if small else BATCH, seconds)
    settings = [("rk4", False), ("rk4", True), ("rk8", False)]
    names = ["pendulum3"] if small else ["pendulum3", "panda"]
    return rows + [
        _drift(name, *setting, 1.0 if small else 100.0) for name in names for setting in settings
    ]


def _beside_mujoco(robot: strobe.Robot, batch: int, seconds: float) -> list[Row]:
    q, qd, _ = robot.random_state(0, batch)
    qd *= 0.1
    peer = MuJoCo(robot)
    theirs = _rollout(peer, q, qd)
    asked = problem(robot, q, qd, 0.0, STEPS * STEP, friction=False)
    course = Course(grid(0.0, STEPS * STEP, STEP, np.empty(0)), np.array([STEPS]))

    def bare() -> Any:
        return march(asked, fixed_method("rk4"), course, threads=1)

    def whole() -> Any:
        return strobe.simulate(robot, q, qd, 0.0, STEPS * STEP, step=STEP, friction=False, threads=1)

    found = whole().q[:, -1]
    difference = float(np.abs(found - theirs()[:, -1, 1 + peer.order]).max())
    if difference > LARGEST_DIFFERENCE:
        raise SystemExit(
            f"{robot.name}: a position after {STEPS} steps differs from MuJoCo's by {difference:.1e}."
        )
    times = best_times(
        {"simulate": Way(whole), "march": Way(bare), "rollout": Way(theirs, [(FEWER,)])}, seconds
    )
    common = {
        "robot": robot.name,
        "N": batch,
        "steps": STEPS,
        "threads": 1,
        "largest_difference": difference,
    }
    done = {"simulate": STEPS, "march": STEPS, "rollout": FEWER}
    each = {name: 1e9 * time / (batch * done[name]) for name, time in times.items()}
    return [
        {
            **common,
            "way": way,
            "ours_ns": each[way],
            "mujoco_ns": each["rollout"],
            "ratio": each["rollout"] / each[way],
        }
        for way in ("simulate", "march")
    ]


def _rollout(peer: MuJoCo, q: np.ndarray, qd: np.ndarray) -> Any:
    """What runs all states for all steps in MuJoCo, on one thread."""
    from mujoco import rollout

    mujoco, model = peer.mujoco, peer.model
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.opt.timestep = STEP
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((len(q), size))  # time, positions, velocities
    start[:, 1 + peer.order], start[:, 1 + model.nq + peer.order] = q, qd
    return lambda steps=STEPS: rollout.rollout(model, peer.data, start, None, nstep=steps)[0]


def _drift(name: str, method: str, conserved: bool, seconds: float) -> Row:
    robot = strobe.load(name)
    q, _, _ = robot.random_state(0, 64)
    run = strobe.simulate(
        robot, q, np.zeros(robot.n), 0.0, seconds, method, step=STEP, every=100, friction=False,
        conserve_energy=conserved,
    )  # fmt: skip
    way = f"{method}, energy conserved" if conserved else method
    return {
        "robot": name,
        "way": way,
        "seconds": int(seconds),
        "drift": float(run.audit.largest_drift.max()),
    }


if __name__ == "__main__":
    answer("simulation", once, SECONDS, processes=5)
