"""What every page of a formulation ends with: what it costs and its code, both taken from the module itself."""

from __future__ import annotations

import strobe
from strobe.analysis.counts import Operations, cost
from strobe.formulations import CHAIN, FORMULATIONS, ONE_DEGREE, TREE, Formulation
from strobe.papers.counted_code import measured

ROBOTS = ("stanford", "puma560")  # on which its price is shown: with sliding joints, and without
SCOPES = {
    CHAIN: "chains of revolute and prismatic joints",
    ONE_DEGREE: "trees of revolute and prismatic joints",
    TREE: "trees of any joints",
}


def ending(name: str) -> str:
    """The sections that close the page of a formulation, in Markdown; a page that counts itself keeps its count."""
    method = FORMULATIONS.get(name)
    costs = ["## What it costs", _growth(name), _table(method)] if method else []
    return "\n\n".join(["", *costs, "## The code", _code(name), ""])


def _growth(name: str) -> str:
    found = measured(name)
    assert found.m is not None
    assert found.a is not None
    m, a = found.counts[6]
    return (
        f"It runs on {SCOPES[FORMULATIONS[name].scope]}. As written, a general arm of n revolute joints takes "
        f"{found.m.polynomial} multiplications and {found.a.polynomial} additions: {m:,} and {a:,} for n = 6. "
        "Counted by running the module on numbers that count."
    )


def _table(method: Formulation) -> str:
    rows = [
        "| robot | as written | without its zeros and ones | after every pass of the compiler |",
        "| --- | --- | --- | --- |",
    ]
    for name in ROBOTS:
        price = cost(method, strobe.load(name).model)
        cells = [_pair(x) for x in (price.dense, price.folded, price.optimised)]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return (
        "\n".join(rows) + f"\n\n`strobe count ROBOT --formulation {method.name}` counts on any other robot."
    )


def _pair(operations: Operations) -> str:
    return f"{operations.multiplications:,} × {operations.additions:,} +"


def _code(name: str) -> str:
    path = f"../../src/strobe/formulations/{name.replace('-', '_')}.py"
    return f"```{{literalinclude}} {path}\n:language: python\n```"
