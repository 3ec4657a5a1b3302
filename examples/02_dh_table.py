"""From a DH table to a robot: write the file, read it, move it, write it as URDF."""

import tempfile
from pathlib import Path

import numpy as np

import strobe
from strobe.models.urdf_writer import write_urdf

TABLE = """
format = 1
name = "elbow"

[dh]
convention = "standard"

[[dh.link]]
joint = "revolute"
d = 0.3
alpha = "pi/2"
mass = 4.0
com = [0, -0.1, 0]
inertia = [0.03, 0.01, 0.03, 0, 0, 0]

[[dh.link]]
joint = "revolute"
a = 0.4
mass = 3.0
com = [-0.2, 0, 0]
inertia = [0.005, 0.04, 0.04, 0, 0, 0]

[[dh.link]]
joint = "revolute"
a = 0.3
mass = 1.5
com = [-0.15, 0, 0]
inertia = [0.002, 0.012, 0.012, 0, 0, 0]
"""

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "elbow.toml"
    path.write_text(TABLE)
    robot = strobe.load(path)

print(robot)
print("stretched out, the hand is at", robot.forward_kinematics([0, 0, 0])[:3, 3].round(6))
print("and holding that takes", robot.gravity([0, 0, 0]).round(3), "N m")
assert np.allclose(robot.forward_kinematics([0, 0, 0])[:3, 3], [0.7, 0, 0.3])

text, remarks = write_urdf(robot.model)
print(f"as URDF: {len(text.splitlines())} lines, {len(remarks)} remarks")
