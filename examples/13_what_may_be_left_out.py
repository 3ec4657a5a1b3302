"""What may be left out of the torques of a motion: errors, operations and memory of some methods."""

import strobe
from strobe.approximate import trade_off

robot = strobe.load("stanford")
motion = robot.plan(
    [(0, 0.6, 0.4, 0, 0.5, 0), (1.2, 1.3, 0.8, 1, -0.6, 1.5)],
    velocity=(1, 1, 0.6, 2, 2, 2),
    acceleration=(1.5, 1.5, 0.8, 4, 4, 4),
)
some = [
    "without-velocity-terms",
    "path-extrapolation-1",
    "along-trajectory",
    "complete-table",
    "fixed-point-16",
]
found = trade_off(robot, motion, some, seconds=0.2)

for row in found.rows.values():
    at_most = f"{100 * row.error:.2g} %"
    print(f"{row.name:23s} {row.work:5,} operations {row.memory:7,} bytes, wrong by at most {at_most}")
for name, reason in found.refused.items():
    print(f"no {name}: {reason}")
print(found.recommendation)
