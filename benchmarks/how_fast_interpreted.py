"""How fast is interpretation on NumPy, which is what runs where nothing can be compiled?

What is expected: one state some hundred times slower than a C++ call, a large batch on a level with it.
"""

from __future__ import annotations

import strobe
from benchmarks.robots import agreeing
from benchmarks.timer import Row, answer
from strobe.analysis.peers import Pinocchio
from strobe.analysis.speed import batch_way, single_way
from strobe.compiler.runtime.timing import BATCH, best_times
from strobe.quantities import Request

SECONDS = 1.0


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    name, batch = ("planar2", 64) if small else ("panda", BATCH)
    robot = strobe.Robot(strobe.load(name).model, compiled=False)
    peer = Pinocchio(robot)
    agreeing(peer, "inverse_dynamics")
    request = Request("inverse_dynamics", friction=False)
    theirs, call = peer.in_parallel("inverse_dynamics", 1, batch), peer.single("inverse_dynamics")
    assert theirs is not None
    assert call is not None
    ways = {"batch": batch_way(robot, request, 1, batch), "pinocchio_batch": theirs}
    ways |= {"one": single_way(robot, request), "pinocchio_one": call}
    best = best_times(ways, seconds)
    return [
        {
            "robot": name,
            "N": batch,
            "one_call_us": 1e6 * best["one"],
            "one_pinocchio_call_us": 1e6 * best["pinocchio_one"],
            "batch_ns": 1e9 * best["batch"] / batch,
            "pinocchio_batch_ns": 1e9 * best["pinocchio_batch"] / batch,
            "ratio": best["pinocchio_batch"] / best["batch"],
        }
    ]


if __name__ == "__main__":
    answer("how_fast_interpreted", once, SECONDS)
