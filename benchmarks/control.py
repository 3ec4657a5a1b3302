"""Some hundred closed loops of a six-joint arm at 1 kHz for a second: how long on a thread, and beside one in Python?

The UR5 follows a motion under computed torque from as many starts beside it. The first row is `control` as it is
called, every period of every loop kept; the second is the bare recurrence. Then one loop alone, which is mostly the
tracing of its program, beside the same loop as it is written in Python around other libraries (torques by Pinocchio's
rnea, the arm by a step of MuJoCo's RK4), after all positions were found equal. Then one step of every controller:
compiled, in a batch, and as the C that is exported, one by one.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import strobe
from benchmarks.timer import Row, answer
from strobe.analysis.peers import MuJoCo, Pinocchio
from strobe.compiler.runtime.timing import Way, best_times
from strobe.control import CONTROLLERS, ComputedTorque, Controller, control, make
from strobe.control.export import export
from strobe.control.loop import REFERENCE, Loop
from strobe.control.sensors import Sensors
from strobe.control.step_cost import cost
from strobe.control.tracking import constants_of
from strobe.errors import ControlWarning
from strobe.simulate.integrators import fixed_method
from strobe.simulate.problem import problem
from strobe.trajectory.motion import Trajectory

SECONDS = 0.5
STEP = 0.2  # of that, for one step of each of ten controllers
LOOPS, PERIOD = 256, 1e-3
KP, KD = 400.0, 40.0
START, GOAL = (0.0, -1.2, 1.4, -0.6, 0.5, 0.2), (0.9, -0.6, 0.8, 0.4, -0.4, 1.0)
OFF = 0.05  # by which loops start beside the motion
LARGEST_DIFFERENCE = 1e-9
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-std=gnu11", "-shared", "-fPIC")
STATES = 64  # that the C code takes in turn


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    robot = strobe.load("ur5")
    motion = robot.plan([START, GOAL], "quintic", velocity=3.0, acceleration=12.0)
    loops, names, t = (16, ("joint-pd",), 0.02) if small else (LOOPS, tuple(CONTROLLERS), 1.0)
    alone = _beside_python(robot, motion, t, seconds)
    rows = [*_loops(robot, motion, loops, t, seconds), alone]
    for row in rows[:-1]:
        # to loops in Python, one after another
        row["ratio"] = row["loops"] * alone["python_s"] / row["ours_s"]
    return rows + [_step(robot, name, STEP * seconds) for name in names]


def _loops(robot: strobe.Robot, motion: Trajectory, loops: int, t: float, seconds: float) -> list[Row]:
    controller = ComputedTorque(robot, PERIOD, KP, KD)
    q0 = motion(0.0).q + OFF * np.random.default_rng(0).uniform(-1, 1, (loops, robot.nq))

    def whole() -> Any:
        return control(robot, motion, controller, q0=q0, t=t, threads=1, check=False)

    wanted = whole().wanted
    rounds, bare = len(wanted), _bare(controller, wanted, q0)
    times = best_times({"control": Way(whole), "march": Way(bare)}, seconds)
    return [
        {
            "robot": robot.name, "controller": controller.name, "loops": loops, "periods": rounds, "threads": 1,
            "way": way, "ours_s": time, "ns": 1e9 * time / (loops * rounds),
        }
        for way, time in times.items()
    ]  # fmt: skip


def _bare(controller: Controller, wanted: np.ndarray, q0: np.ndarray) -> Any:
    """The recurrence alone, which keeps the last state."""
    robot = controller.robot
    asked = problem(robot, q0, np.zeros(robot.nv), None, 1.0)
    loop = Loop(robot, asked.rate, fixed_method("rk4"), controller, Sensors(), 1)
    constants, _ = constants_of(asked, loop, PERIOD)
    signals = {REFERENCE: np.ascontiguousarray(wanted[None])}
    first = np.zeros((len(q0), loop.layout.end))
    first[:, : loop.parts.size] = asked.state
    nowhere, out = np.full(len(wanted), -1), np.empty((len(q0), 0, 0))
    return lambda: loop.marching(first.copy(), constants, signals, nowhere, out, 1)


def _beside_python(robot: strobe.Robot, motion: Trajectory, t: float, seconds: float) -> Row:
    """One loop alone; theirs with what is wanted computed beforehand."""
    controller = ComputedTorque(robot, PERIOD, KP, KD)
    pinocchio, mujoco = Pinocchio(robot), MuJoCo(robot)
    mujoco.model.opt.integrator = mujoco.mujoco.mjtIntegrator.mjINT_RK4
    mujoco.model.opt.disableflags |= mujoco.mujoco.mjtDisableBit.mjDSBL_CONTACT
    mujoco.model.opt.timestep = PERIOD
    q0 = motion(0.0).q + OFF

    def ours() -> Any:
        return control(robot, motion, controller, q0=q0, t=t, threads=1, check=False)

    run = ours()
    wanted = [np.ascontiguousarray(x) for x in np.split(run.wanted, 3, axis=-1)]

    def theirs() -> np.ndarray:
        """The positions before every period."""
        rnea, step = pinocchio.pin.rnea, mujoco.mujoco.mj_step
        model, data, arm, state = pinocchio.model, pinocchio.data, mujoco.model, mujoco.data
        mujoco.mujoco.mj_resetData(arm, state)
        state.qpos[:], state.qvel[:] = q0, 0.0
        rows = np.empty((len(wanted[0]), robot.nq))
        for k, (q, qd, qdd) in enumerate(zip(*wanted, strict=True)):
            rows[k] = state.qpos
            asked = qdd + KD * (qd - state.qvel) + KP * (q - state.qpos)
            state.qfrc_applied[:] = rnea(model, data, state.qpos, state.qvel, asked)
            step(arm, state)
        return rows

    difference = float(np.abs(theirs() - run.q).max())
    if difference > LARGEST_DIFFERENCE:
        raise SystemExit(
            f"{robot.name}: a position of the loop differs from that of other libraries by {difference:.1e}."
        )
    times = best_times({"ours": Way(ours), "theirs": Way(theirs)}, seconds)
    return {
        "robot": robot.name, "controller": controller.name, "loops": 1, "periods": len(run.times), "threads": 1,
        "way": "one loop", "largest_difference": difference, "ours_s": times["ours"], "python_s": times["theirs"],
        "ratio": times["theirs"] / times["ours"],
    }  # fmt: skip


def _step(robot: strobe.Robot, name: str, seconds: float) -> Row:
    """One step of a controller, compiled and as C."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ControlWarning)
        controller = make(name, robot, PERIOD)
    taken = cost(controller, seconds)
    operations = taken.operations
    row: Row = {
        "robot": robot.name, "controller": name, "way": "one step",
        "operations": operations.multiplications + operations.additions, "batch_ns": taken.ns,
    }  # fmt: skip
    return row | ({"c_ns": _c_time(controller, seconds)} if shutil.which("gcc") else {})


def _c_time(controller: Controller, seconds: float) -> float:
    """Nanoseconds of `controller_step`, over states in turn."""
    robot = controller.robot
    loop = f"""#include <string.h>
#include "controller.c"
void loop(long n, const double *rows, double *tau)
{{
    static controller_state states[{STATES}];
    static controller_reference references[{STATES}];
    for (long i = 0; i < {STATES}; ++i) {{
        controller_start(&states[i], rows + i * {robot.nq + robot.nv}, rows + i * {robot.nq + robot.nv} + {robot.nq});
        memcpy(references[i].q, states[i].q, sizeof states[i].q);
    }}
    for (long i = 0; i < n; ++i)
        controller_step(&states[i % {STATES}], &references[i % {STATES}], tau);
}}
"""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in (export(controller) | {"loop.c": loop}).items():
            (folder / file).write_text(text, "ascii")
        library = folder / "loop.so"
        subprocess.run(["gcc", *FLAGS, "-o", library, folder / "loop.c", "-lm"], check=True)
        run = ctypes.CDLL(str(library)).loop
    run.argtypes, run.restype = [ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p], None
    q, qd, _ = robot.random_state(0, STATES)
    rows, tau, count = np.concatenate([q, 0.1 * qd], axis=1), np.empty(robot.nv), 100 * STATES
    time = best_times({"c": Way(lambda: run(count, rows.ctypes.data, tau.ctypes.data))}, seconds)["c"]
    return 1e9 * time / count


if __name__ == "__main__":
    answer("control", once, SECONDS, processes=3)
