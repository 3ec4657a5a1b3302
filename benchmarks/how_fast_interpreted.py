"""How fast is interpretation on NumPy, against Pinocchio called in a Python loop and in batch?

What is expected: one state about a hundred times slower than a C++ call, a large batch on a level with it.
The compiled kernels that will slot in behind the same methods are measured elsewhere.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import pinocchio as pin

import strobe
from benchmarks.timer import best_times, over_processes, record

BATCH = 4096


def pinocchio_model(robot: strobe.Robot) -> pin.Model:
    """The same robot built joint by joint in Pinocchio."""
    model = pin.Model()
    parent, carried = 0, pin.SE3.Identity()
    for body in robot.model.bodies:
        before = pin.SE3(np.array(body.before.matrix().rows, float))
        joint = model.addJoint(parent, pin.JointModelRZ(), carried * before, body.joint.name)
        after = pin.SE3(np.array(body.after.matrix().rows, float))
        inertial = body.inertial
        central = np.array([list(row) for row in inertial.central.matrix()], float)
        inertia = pin.Inertia(float(inertial.m), np.array(list(inertial.com), float), central)
        model.appendBodyToJoint(joint, inertia, after)
        parent, carried = joint, after
    return model


def once() -> dict[str, float]:
    robot = strobe.load("panda")
    model = pinocchio_model(robot)
    data = model.createData()
    q, qd, qdd = robot.random_state(seed=0, batch=BATCH)
    pool = pin.ModelPool(model, 1)
    columns = [np.asfortranarray(x.T) for x in (q, qd, qdd)]
    tau = np.empty_like(columns[0])
    single = q[0], qd[0], qdd[0]
    pin.rneaInParallel(1, pool, *columns, tau)
    ours = robot.inverse_dynamics(q, qd, qdd)
    assert np.abs(ours - tau.T).max() < 1e-9 * np.abs(tau).max()
    seconds = best_times(
        {
            "one_call": lambda: robot.inverse_dynamics(*single),
            "one_pinocchio_call": lambda: pin.rnea(model, data, *single),
            "batch": lambda: robot.inverse_dynamics(q, qd, qdd),
            "pinocchio_batch": lambda: pin.rneaInParallel(1, pool, *columns, tau),
        },
        2.0,
    )
    return {
        "one_call_us": 1e6 * seconds["one_call"],
        "one_pinocchio_call_us": 1e6 * seconds["one_pinocchio_call"],
        "batch_ns_per_state": 1e9 * seconds["batch"] / BATCH,
        "pinocchio_batch_ns_per_state": 1e9 * seconds["pinocchio_batch"] / BATCH,
        "batch_ratio": seconds["pinocchio_batch"] / seconds["batch"],
    }


if __name__ == "__main__":
    if "--once" in sys.argv:
        print(json.dumps(once()))
    else:
        figures = over_processes("benchmarks.how_fast_interpreted")
        record("how_fast_interpreted", {"robot": "panda", "batch": BATCH, **figures})
