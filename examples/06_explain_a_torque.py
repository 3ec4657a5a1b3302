"""Where a torque comes from: inertia, interaction, centrifugal, Coriolis, gravity, friction, term by term."""

import numpy as np

import strobe

robot = strobe.load("planar2")
q, qd, qdd = [0.7, -1.1], [1.3, -0.6], [-0.8, 2.1]
found = robot.explain(q, qd, qdd)

for joint in robot.joint_names:
    print(joint)
    for row in found.rows(joint):
        print(f"  {row.kind:18s} {row.formula:16s} {row.value:9.4f} N m  {row.share:4.0%}  {row.meaning}")

parts = sum(found.parts.values())
print(
    "the terms add up to the torque, to",
    f"{np.abs(parts - robot.inverse_dynamics(q, qd, qdd)).max():.0e} N m",
)
