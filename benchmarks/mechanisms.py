"""How fast are the dynamics of robots whose base floats, beside Pinocchio's with its free-flyer?

A humanoid of 29 joints and a quadruped of 12, in batches on one thread: inverse and forward dynamics beside
the parallel functions of Pinocchio, the centroidal momentum matrix beside its Python calls, one per state. Rows as in
`against_peers`: both libraries in turn within one process, after their results were found equal.
"""

from __future__ import annotations

from collections.abc import Iterator

import strobe
from benchmarks.against_peers import EVERY, batches, loops
from benchmarks.robots import ROBOTS, Real
from benchmarks.timer import Row, answer
from strobe.analysis.peers import Pinocchio
from strobe.compiler.runtime.timing import BATCH

SECONDS = 0.5  # for each row
AFLOAT = ("g1", "solo12")
DRIFTING = Real("ur_description/urdf/ur5_robot.urdf", floating=True)  # an arm, soon compiled


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    files = {"ur5": DRIFTING} if small else {name: ROBOTS[name] for name in AFLOAT}
    rows: list[Row] = []
    for name, file in files.items():
        robot = file.load()
        found = _afloat(robot, file.pinocchio(robot), seconds, 64 if small else BATCH)
        rows += [{"robot": name, "base": "floating", "n": robot.n, **row} for row in found]
    return rows


def _afloat(robot: strobe.Robot, peer: Pinocchio, seconds: float, batch: int) -> Iterator[Row]:
    yield from batches(robot, peer, seconds, EVERY, [(1, batch)])
    yield from loops(robot, peer, seconds, ("centroidal_momentum_matrix",))


if __name__ == "__main__":
    answer("mechanisms", once, SECONDS)
