"""What a formulation costs: the same code, run on numbers that count their operations."""

import strobe
from strobe.analysis.counts import compiled, dense
from strobe.formulations import FORMULATIONS
from strobe.scalars import FoldedCount

robot = strobe.load("stanford")
print("as written / without this robot's zeros and ones")

for name in ("uicker-kahn", "waters", "hollerbach-4x4", "newton-euler", "modified-newton-euler"):
    method = FORMULATIONS[name]
    written = dense(method, robot.model)
    count = FoldedCount()
    model = robot.model.lift(count)
    method.inverse_dynamics(model, *model.variables())
    print(f"{name:24s}{written.multiplications:7,} × {written.additions:7,} +", end="   ")
    print(f"{count.multiplications:7,} × {count.additions:6,} +")

best = compiled(robot.model)
print(f"compiled, regrouped     {best.multiplications:7,} × {best.additions:7,} +")
