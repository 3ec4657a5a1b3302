"""What a formulation costs: its operations, counted by running it on numbers that count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from strobe.models.model import Model
from strobe.scalars import DenseCount, FoldedCount, Graph, System
from strobe.study.case import Case
from strobe.study.tables import remark, table

TITLE = "What inverse dynamics costs"


def measure(case: Case) -> dict[str, Any]:
    """Multiplications and additions, dense and folded, and the nodes of the traced graph."""
    case.require_dynamics()
    model = case.robot.model
    return {"formulations": {name: cost(module, model) for name, module in case.formulations.items()}}


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        "dense: as the equations are written; folded: without this robot's zeros and ones; "
        "graph: with every value computed once"
    )
    kinds = ("dense", "folded", "graph")
    columns = [f"{kind} {sign}" for kind in kinds for sign in "×+"]
    yield table(
        ["formulation", *columns, "nodes"],
        [[name, *_row(costs, kinds)] for name, costs in data["formulations"].items()],
    )


def _row(costs: Mapping[str, Mapping[str, int]], kinds: Sequence[str]) -> list[int]:
    pairs = [costs[kind][op] for kind in kinds for op in ("multiplications", "additions")]
    return [*pairs, costs["graph"]["nodes"]]


def cost(module: ModuleType, model: Model) -> dict[str, dict[str, int]]:
    """The operations of one formulation on one robot."""
    graph = Graph()
    run(module, model, graph)
    ops = graph.counts()
    return {
        "dense": _counted(module, model, DenseCount()),
        "folded": _counted(module, model, FoldedCount()),
        "graph": {
            "multiplications": ops["mul"] + ops["div"],
            "additions": ops["add"] + ops["sub"],
            "nodes": len(graph.nodes),
        },
    }


def run(module: ModuleType, model: Model, system: System) -> list[Any]:
    """Inverse dynamics on fresh inputs of a number system."""
    lifted = model.lift(system)
    return module.inverse_dynamics(lifted, *lifted.variables())


def _counted(module: ModuleType, model: Model, counter: FoldedCount) -> dict[str, int]:
    run(module, model, counter)
    return {"multiplications": counter.multiplications, "additions": counter.additions}
