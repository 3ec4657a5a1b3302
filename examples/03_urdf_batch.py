"""A URDF of an installed package, with its fingers locked, over a whole batch; one state in detail."""

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
path = folder / "example-robot-data/robots/panda_description/urdf/panda.urdf"

with warnings.catch_warnings():
    warnings.simplefilter("ignore", strobe.ModelWarning)  # kept in robot.notes all the same
    robot = strobe.load(path, lock={"panda_finger_*": 0.0})
print(robot)
print(
    f"the reader remarks {len(robot.notes)} things; the first: {robot.notes[0]}"
    if robot.notes
    else "no remarks"
)

q, qd, qdd = robot.random_state(seed=0, batch=4096)
tau = robot.inverse_dynamics(q, qd, qdd)
print("largest torque of each joint over 4,096 states:", np.abs(tau).max(axis=0).round(1))

force = np.array([0, 0, -20.0, 0, 0, 0])  # 20 N downwards on the hand, base axes
extra = robot.inverse_dynamics(q, qd, qdd, wrench=force, frame="panda_hand") - tau
print("20 N on the hand change torques by up to", np.abs(extra).max(axis=0).round(2))
