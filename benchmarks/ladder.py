"""What did fifty years of formulations bring, all compiled alike: from Uicker and Kahn to the regrouped kernel?

Each formulation becomes machine code by the same compiler and runs on the same states. Beside them stand the
times that the papers give for one point of a six-joint arm on a PDP-11/45.
"""

from __future__ import annotations

import strobe
from benchmarks.timer import Row, answer
from strobe.analysis.speed import batch_way, formulations
from strobe.compiler.runtime.timing import BATCH, best_times
from strobe.quantities import Request
from strobe.robot import Robot

SECONDS = 2.0  # for each robot, all formulations in turn
REGROUPED = "compiled (regrouped)"
PAPERS = {  # on a PDP-11/45
    "uicker-kahn": "8 s [Waters1979]; 7.9 s, as quoted by [Hollerbach1980]",
    "waters": "0.25 s; 20 ms with 3×3 matrices and fixed point [Waters1979]",
}


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    return [
        row for name in (("planar2",) if small else ("panda", "stanford")) for row in ladder(name, seconds)
    ]


def ladder(name: str, seconds: float) -> list[Row]:
    """A row per formulation, slowest first, and the default last."""
    robot: Robot = strobe.load(name)
    default = Request("inverse_dynamics", friction=False)
    requests = {r.formulation or REGROUPED: r for r in [*formulations(robot), default]}
    ways = {key: batch_way(robot, request, 1) for key, request in requests.items()}
    times = best_times(ways, seconds)
    rows: list[Row] = []
    for key, request in requests.items():
        program = robot.kernel(request).program
        rows.append(
            {
                "robot": name,
                "formulation": key,
                "multiplications": program.multiplications,
                "additions": program.additions,
                "ns": 1e9 * times[key] / BATCH,
                "times_the_default": times[key] / times[REGROUPED],
                "paper": PAPERS.get(key, ""),
            }
        )
    return rows


if __name__ == "__main__":
    answer("ladder", once, SECONDS)
