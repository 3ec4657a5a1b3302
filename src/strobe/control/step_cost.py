"""What one step of a controller takes: operations, and nanoseconds on this machine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from strobe.approximate.method import Operations
from strobe.compiler.runtime.timing import BATCH, ROUND, Way, best_times
from strobe.compiler.runtime.traced import Traced, trace
from strobe.control.controller import Controller, Layout, Measured, Wanted
from strobe.scalars import Num, Numbers


class Cost(NamedTuple):
    """Of one step, from what is measured and wanted to torques and memory."""

    operations: Operations
    ns: float  # in a batch, on one thread


def step_program(controller: Controller) -> Traced:
    """One step as a program of what is measured, wanted, kept and the gains."""
    robot, memory = controller.robot, Layout(controller.memory)
    gains = Layout({name: values.shape[-1] for name, values in controller.gains.items()})
    cut = (slice(0, robot.nq), slice(robot.nq, robot.nq + robot.nv), slice(robot.nq + robot.nv, None))

    def step(measured: Numbers, wanted: Numbers, kept: Numbers = (), gained: Numbers = ()) -> list[Num]:
        said, asked = Measured(*(measured[c] for c in cut)), Wanted(*(wanted[c] for c in cut))
        tau, left = controller.step(said, asked, memory.split(kept), gains.split(gained))
        return [*tau, *memory.joined(left)]

    sizes = dict.fromkeys(("measured", "wanted"), robot.nq + 2 * robot.nv)
    sizes |= {name: size for name, size in (("kept", memory.end), ("gained", gains.end)) if size}
    return trace(step, **sizes)


def cost(controller: Controller, seconds: float = 0.1) -> Cost:
    """Timed for about so many seconds, on random states."""
    program, robot = step_program(controller), controller.robot
    states = [np.concatenate(robot.random_state(seed, BATCH), axis=-1) for seed in (0, 1)]
    given = {"measured": states[0], "wanted": states[1]}
    if "kept" in program.inputs:
        given["kept"] = np.zeros((BATCH, program.inputs["kept"]))
    if "gained" in program.inputs:
        rows = [np.reshape(x, (-1, x.shape[-1]))[0] for x in controller.gains.values()]
        given["gained"] = np.tile(np.concatenate(rows), (BATCH, 1))
    out = np.empty((BATCH, *program.shape))
    way = Way(lambda: program(**given, out=out, threads=1))
    time = best_times({controller.name: way}, seconds, min(ROUND, seconds / 10))[controller.name]
    return Cost(Operations.of(program.program), 1e9 * time / BATCH)
