"""What a formulation costs on this robot: its operations, and how far they can be spread over processors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from strobe.analysis.counts import Cost, Growth, compiled, cost
from strobe.show.tables import remark, table
from strobe.study.case import Case

TITLE = "What inverse dynamics costs"

KINDS = ("dense", "folded", "graph", "optimised")
CUT = "formulations are counted on the tree, its loops cut; the last row closes them and gives the actuated torques"
COMPILED = "compiled (regrouped)"  # the row of a call that asks for no formulation


def measure(case: Case) -> dict[str, Any]:
    """Multiplications and additions, dense, folded, in the graph and after every pass, and the schedule."""
    case.require_dynamics()
    model = case.robot.model
    return {
        "formulations": {name: plain(cost(m, model)) for name, m in case.formulations.items()},
        "compiled": asdict(compiled(model)),
        "closed": model.is_closed,
    }


def command(case: Case) -> str:
    return f"count {case.called}"


def in_brief(data: Mapping[str, Any]) -> tuple[str, str] | None:
    """What a call computes, beside the dearest formulation as written; a closed chain is more than its tree."""
    if data["closed"]:
        return None
    own = data["compiled"]["multiplications"], data["compiled"]["additions"]
    sizes = {
        name: c["dense"]["multiplications"] + c["dense"]["additions"]
        for name, c in data["formulations"].items()
    }
    name = max(sizes, key=sizes.__getitem__)
    return (
        f"{sum(own):,}",
        f"operations for the torques: {own[0]:,} × and {own[1]:,} +; {name} as written takes {sizes[name]:,}",
    )


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        "dense: as the equations are written; folded: without this robot's zeros and ones; "
        "graph: with every value computed once; optimised: after every pass of the compiler; "
        "path: the graph's longest chain of dependent operations"
    )
    if data["closed"]:
        yield remark(CUT)
    yield operations_table(data["formulations"], data["compiled"])


def plain(c: Cost) -> dict[str, Any]:
    """A cost as numbers by name."""
    flow = c.flow
    return {
        "dense": asdict(c.dense),
        "folded": asdict(c.folded),
        "graph": {**asdict(c.graph), "nodes": c.nodes},
        "optimised": asdict(c.optimised),
        "schedule": {
            "work": flow.work,
            "path": flow.path,
            "multiplication_path": flow.multiplication_path,
            "addition_path": flow.addition_path,
            "width": flow.width,
            "parallelism": flow.parallelism,
            "length": flow.lengths(),
        },
    }


def plain_growth(grown: Mapping[str, Growth | None]) -> dict[str, Any]:
    """Polynomials as they are printed, and from how many joints on they hold."""
    return {
        name: None if g is None else {"polynomial": str(g.polynomial), "from": g.start}
        for name, g in grown.items()
    }


def operations_table(costs: Mapping[str, Mapping[str, Any]], default: Mapping[str, int]) -> Any:
    """One row per formulation and one for the default; divisions are shown where there are any."""
    divides = any(c["graph"]["divisions"] for c in costs.values())
    columns = [f"{kind} {sign}" for kind in KINDS for sign in "×+"]
    columns += [*(["÷"] if divides else []), "sin", "cos", "nodes", "path"]
    rows = [[name, *_operations(c, divides)] for name, c in costs.items()]
    unknown: list[Any] = [None] * (2 * KINDS.index("optimised"))
    pair = [default[op] for op in ("multiplications", "additions")]
    rest = [*([default["divisions"]] if divides else []), default["sines"], default["cosines"], None, None]
    return table(["formulation", *columns], [*rows, [COMPILED, *unknown, *pair, *rest]])


def _operations(c: Mapping[str, Any], divides: bool) -> list[int]:
    pairs = [c[kind][op] for kind in KINDS for op in ("multiplications", "additions")]
    graph = c["graph"]
    rest = [graph["sines"], graph["cosines"], graph["nodes"], c["schedule"]["path"]]
    return [*pairs, *([graph["divisions"]] if divides else []), *rest]


def schedule_table(costs: Mapping[str, Mapping[str, Any]]) -> Any:
    """Steps on 1, 2, 4, … processors; nothing where fewer processors reach the path already."""
    schedules = {name: c["schedule"] for name, c in costs.items()}
    most = sorted({p for s in schedules.values() for p in s["length"]})
    rows = [[name, *(s["length"].get(p) for p in most), *_flow(s)] for name, s in schedules.items()]
    return table(
        ["formulation", *(f"P={p}" for p in most), "path", "× path", "+ path", "width", "parallelism"], rows
    )


def _flow(s: Mapping[str, Any]) -> list[Any]:
    paths = [s[name] for name in ("path", "multiplication_path", "addition_path", "width")]
    return [*paths, round(s["parallelism"], 1)]


def growth_table(grown: Mapping[str, Mapping[str, Any]]) -> Any:
    """One row per formulation, one polynomial per count."""
    names = next(iter(grown.values()))
    rows = [[method, *(_polynomial(g[name]) for name in names)] for method, g in grown.items()]
    return table(["formulation", *names], rows)


def _polynomial(g: Mapping[str, Any] | None) -> str:
    return "no polynomial" if g is None else f"{g['polynomial']}{'' if g['from'] <= 2 else ' *'}"
