"""A humanoid that floats: 29 joints and a base, momentum, and the laws that hold without any support."""

import importlib.util
import sys
import warnings
from pathlib import Path

import numpy as np

import strobe

found = importlib.util.find_spec("cmeel")
if found is None:
    sys.exit("This example reads a robot of the package example-robot-data: pip install example-robot-data")
folder = Path(next(iter(found.submodule_search_locations or []))).parent / "cmeel.prefix/share"
path = folder / "example-robot-data/robots/g1_description/urdf/g1_29dof_rev_1_0.urdf"

with warnings.catch_warnings():
    warnings.simplefilter("ignore", strobe.ModelWarning)
    robot = strobe.load(path, base="floating")
print(f"{robot.name}: q has {robot.nq} numbers (x y z, w x y z, joints), qd has {robot.nv}")

q, qd, _ = robot.random_state(seed=0)
tau = np.zeros(robot.nv)
tau[6:] = np.linspace(-5, 5, robot.nv - 6)  # the joints push; nothing holds the base
qdd = robot.forward_dynamics(q, qd, tau)

dt = 1e-5
before, after = (
    robot.momentum(robot.integrate(q, qd + s * dt / 2 * qdd, s * dt), qd + s * dt * qdd) for s in (-1, 1)
)
rate = (after - before) / (2 * dt)
weight = float(np.linalg.norm(robot.gravity(q)[:3]))  # what the base would have to be held with
print("rate of linear momentum :", rate[:3].round(3), "N; weight", round(weight, 3), "N")
print("rate of angular momentum:", rate[3:].round(3), "N m")
assert np.allclose(rate, [0, 0, -weight, 0, 0, 0], atol=1e-3)
