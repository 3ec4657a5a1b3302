"""``strobe bench --explain``: where the cycles of a compiled quantity go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strobe.analysis.cycles import Explained

WORDS = {
    "fma": "multiply-adds",
    "mul": "multiplications",
    "add": "additions",
    "div": "divisions and roots",
    "shuffle": "shuffles",
    "logic": "comparisons, blends, bits",
    "move": "moves between registers",
    "load": "loads alone",
    "store": "stores",
    "integer": "integer and control",
}


def plain(explained: Sequence[Explained]) -> list[dict[str, Any]]:
    """Figures by name; cycles are those of one group of states."""
    return [_plain(e) for e in explained]


def _plain(e: Explained) -> dict[str, Any]:
    code, measured = e.code, e.measured
    return {
        "vectors": e.vectors.name,
        "lanes": e.vectors.lanes,
        "states": e.states,
        "processor": e.vectors.processor or "this machine",
        "registers": e.vectors.registers,
        "instructions": {kind: code.counts[kind] for kind in WORDS},
        "all_instructions": len(code.instructions),
        "arithmetic_of_the_graph": e.on_the_graph,
        "arithmetic_of_functions": e.in_the_circle,
        "loads": code.loads,
        "stores": code.stores,
        "spills": code.spills,
        "reloads": code.reloads,
        "alive": e.alive,
        "code_bytes": code.bytes,
        "stack_bytes": code.stack,
        "limits": e.limits,
        "measured": None if measured is None else asdict(measured),
        "other_cores": e.elsewhere,
    }


def rendered(data: Mapping[str, Any]) -> Iterator[Any]:
    """What a person reads."""
    from strobe.show.tables import remark, table

    widths = data["widths"]
    names = [w["vectors"] for w in widths]
    yield f"{data['robot']}: {data['quantity']}, instructions of one group of states"
    yield remark("machine code of all that a group runs through, sines and cosines included")
    yield ""
    yield table(["", *names], list(_counted(widths)))
    for width in widths:
        yield ""
        yield from _cycles(width)
    yield ""
    yield "least cycles of a group on other cores, and what bounds them"
    yield remark("ports and widths from the scheduling models of LLVM; nothing waits for anything")
    yield ""
    cores = list(widths[0]["other_cores"])
    rows = [[core, *(_bound(w["other_cores"][core]) for w in widths)] for core in cores]
    yield table(["core", *names], rows)


def _counted(widths: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    def row(label: str, key: str) -> list[Any]:
        return [label, *(w[key] for w in widths)]

    yield row("states of a group", "states")
    for kind, words in WORDS.items():
        yield [words, *(w["instructions"][kind] for w in widths)]
    yield row("all", "all_instructions")
    yield row("arithmetic of the graph", "arithmetic_of_the_graph")
    yield row("arithmetic of sines and other functions", "arithmetic_of_functions")
    yield row("loads, with operands in memory", "loads")
    yield row("spills: vectors stored for want of a register", "spills")
    yield row("reloads of those", "reloads")
    yield row("values of a state alive at once", "alive")
    yield row("registers for vectors", "registers")
    yield row("bytes of code", "code_bytes")
    yield row("bytes of stack", "stack_bytes")


def _cycles(width: Mapping[str, Any]) -> Iterator[Any]:
    from strobe.show.tables import remark, table

    name, measured = width["vectors"], width["measured"]
    if measured is None:
        yield f"{name}: not timed; this machine does not run it"
        return
    bare = measured["bare"]
    what = max(width["limits"], key=width["limits"].__getitem__)
    yield (
        f"{name}: {bare:.0f} cycles for {width['states']} states at {measured['gigahertz']:.2f} GHz, "
        f"{_share(width['limits'][what], bare)} % of them bound by {what}"
    )
    yield remark("least cycles by what bounds them, at the rates that small kernels reach here")
    yield ""
    rows = [
        [f"bound by {what}", round(cycles), _share(cycles, bare)]
        for what, cycles in width["limits"].items()
    ]
    rows += [
        [words, round(measured[key]), _share(measured[key], bare)]
        for key, words in (
            ("independent", "the same instructions, none waiting"),
            ("bare", "measured, states in the nearest cache"),
            ("from_python", "measured, a batch from Python"),
        )
    ]
    yield table(["", "cycles", "% of measured"], rows)


def _share(cycles: float, of: float) -> int:
    return round(100 * cycles / of)


def _bound(limits: Mapping[str, float]) -> str:
    what = max(limits, key=lambda name: limits[name])
    return f"{limits[what]:,.0f} by {what}"
