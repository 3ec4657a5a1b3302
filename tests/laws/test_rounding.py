"""Compiled quantities round no worse than the equations they come from, both measured against fifty digits.

Passes reorder sums and fuse products into them, so results differ in their last digits; over a batch of states the
error stays what it was. The error of one state is a draw, and where a mass matrix is close to singular two draws lie
far apart: the mean of the batch is held to twice the interpreted one, its largest to four times.
"""

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime.interpret import evaluate
from strobe.compiler.runtime.kernels import Kernel
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars.precise import PreciseSystem

STATES = 10
ULP = 2.0**-52
QUANTITIES = [
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "gravity", "energy",
    "joint_wrenches", "hybrid_dynamics", "forward_kinematics", "jacobian", "jacobian_dot", "frame_acceleration",
]  # fmt: skip
ROBOTS = ["parallelogram", "planar3", "spherical3", "tree"]
LARGER = ["biped10", "panda", "puma560", "stanford", "ur5"]


def robot_called(name: str) -> Robot:
    return strobe.random(3, 8, kinds="RPS", tree=True) if name == "tree" else strobe.load(name)


def states(robot, request):
    """Random inputs by name."""
    q, qd, other = robot.random_state(seed=3, batch=STATES)
    return {name: {"q": q, "qd": qd}.get(name, other) for name in request.inputs(robot.model)}


def exact(robot, request, inputs):
    """The quantity with fifty digits, one row of numbers per state."""
    system = PreciseSystem()
    model = robot.model.lift(system)
    rows = []
    for k in range(STATES):
        state = {name: [system.exact(float(x)) for x in rows[k]] for name, rows in inputs.items()}
        rows.append([system.lower(x) for x in flat(request.evaluate(model, **state))])
    return np.array(rows, dtype=object)


def flat(values):
    return [x for part in values for x in flat(part)] if isinstance(values, list) else [values]


def errors(values, reference):
    """Per state the largest difference over the largest number, or over a hundredth of what the batch has."""
    difference = abs((values.reshape(STATES, -1) - reference).astype(float)).max(axis=1)
    sizes = abs(reference.astype(float)).max(axis=1)
    return difference / np.maximum(sizes, 0.01 * sizes.max())


@pytest.mark.parametrize(
    "name", [*ROBOTS, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGER)]
)
def test_over_a_batch_compiled_quantities_err_at_most_twice_as_much_as_interpreted_ones(name):
    robot = robot_called(name)
    for quantity in QUANTITIES:
        if quantity == "joint_wrenches" and robot.model.loops:
            continue  # solved for, not compiled
        driven = robot.joint_names[:1] if quantity == "hybrid_dynamics" else ()
        kernel = Kernel(robot.model, Request(quantity, accelerated=driven))
        inputs = states(robot, kernel.request)
        reference = exact(robot, kernel.request, inputs)
        interpreted = errors(evaluate(kernel.function(), inputs, kernel.shape), reference)
        compiled = errors(kernel(inputs), reference)
        assert compiled.mean() <= 2.0 * max(interpreted.mean(), ULP), quantity
        assert compiled.max() <= 4.0 * max(interpreted.max(), ULP), quantity
