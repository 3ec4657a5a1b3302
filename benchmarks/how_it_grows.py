"""How do operations, time and compilation grow with the number of joints?

Random chains of turning joints, 2 to 64 of them: inverse dynamics should grow linearly in everything. At 200
joints a graph that is written out joint by joint is too long to compile well; that is here to be seen.
"""

from __future__ import annotations

import strobe
from benchmarks.how_fast_to_compile import stages
from benchmarks.timer import Row, answer
from strobe.analysis.speed import batch_way
from strobe.compiler.runtime.timing import BATCH, best_times
from strobe.quantities import Request

SECONDS = 0.2  # for each length
LENGTHS = (2, 4, 8, 16, 32, 64, 200)
REQUEST = Request("inverse_dynamics", friction=False)


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    return [grown(n, seconds) for n in (LENGTHS[:2] if small else LENGTHS)]


def grown(n: int, seconds: float) -> Row:
    """Operations, the time to trace and compile without a cache's help, and per state in a batch."""
    robot = strobe.random(n, seed=n, kinds="R")
    made = stages(robot, REQUEST)
    ns = _ns(robot, BATCH, seconds)
    return {
        "n": n,
        "multiplications": made["multiplications"],
        "additions": made["additions"],
        "compile_ms": made["total_ms"],
        "ns": ns,
        "ns_per_joint": ns / n,
        "operations_per_joint": (made["multiplications"] + made["additions"]) / n,
    }


def _ns(robot: strobe.Robot, batch: int, seconds: float) -> float:
    return 1e9 * best_times({"ours": batch_way(robot, REQUEST, 1, batch)}, seconds)["ours"] / batch


if __name__ == "__main__":
    answer("how_it_grows", once, SECONDS)
