"""How long does a formulation take to become a graph, and how large is it?"""

from __future__ import annotations

import json
import sys

import strobe
from benchmarks.timer import best_times, over_processes, record
from strobe.formulations import spatial_newton_euler
from strobe.scalars import Graph


def trace() -> Graph:
    graph = Graph()
    model = ROBOT.model.lift(graph)
    for tau in spatial_newton_euler.inverse_dynamics(model, *model.variables()):
        graph.lower(tau)
    return graph


ROBOT = strobe.load("panda")


def once() -> dict[str, float]:
    seconds = best_times({"trace": trace}, 0.5)
    return {"trace_ms": 1e3 * seconds["trace"], "nodes": len(trace().nodes)}


if __name__ == "__main__":
    if "--once" in sys.argv:
        print(json.dumps(once()))
    else:
        figures = over_processes("benchmarks.how_long_to_trace")
        record("how_long_to_trace", {"robot": "panda", "formulation": "spatial-newton-euler", **figures})
