"""Every operation has a row in the table of every language, or is refused by its name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from strobe.compiler.codegen import c, c_statements, js, llvm, llvm_cuda, llvm_scalar, wasm
from strobe.compiler.graph.program import Input, Program
from strobe.errors import UnsupportedOperationError
from strobe.scalars import Graph, Stored
from strobe.scalars.scalar import FIRST_GROUP, SECOND_GROUP

FUSED = ("fma", "fnma")
OPERATIONS = sorted({*FIRST_GROUP, *SECOND_GROUP, *FUSED, "pick"})
ARGUMENTS = {
    "where": 3,
    "fma": 3,
    "fnma": 3,
    **dict.fromkeys(("neg", "sin", "cos", "sqrt", "abs", "tanh", "floor"), 1),
}

RENDERERS: dict[str, Callable[[Program], object]] = {
    "C": lambda program: c.source(c.Function("f", program)),
    "C of single precision": lambda program: c.source(c.Function("f", program, single=True)),
    "fused C": lambda program: c.source(c.Function("f", program, fused=True)),
    "JavaScript": lambda program: js.function(program, "f"),
    "WebAssembly": wasm.module,
    "LLVM IR": lambda program: llvm_scalar.module(program, "f", single=False, fused=False),
    "IR of a card": lambda program: llvm_cuda.module(program, "f", llvm_cuda.Form()),
    "vectors of LLVM IR": lambda program: llvm.module(program, llvm.Target(4)),
}
WITHOUT = {("JavaScript", op) for op in FUSED} | {("WebAssembly", op) for op in FUSED}


def program_of(op: str) -> Program:
    """A program whose only operation it is."""
    graph = Graph()
    x = [graph.variable(f"x[{k}]") for k in range(3)]
    if op == "pick":
        stored = Stored([1.0, 2.0, 3.0])
        (picked,) = x[0].pick(stored, 1)
        return Program((Input("x", 3),), (graph.lower(picked),), (1,), (stored,))
    return Program((Input("x", 3),), (graph.make(op, tuple(x[: ARGUMENTS.get(op, 2)])),), (1,))


@pytest.mark.parametrize("language", RENDERERS)
@pytest.mark.parametrize("op", OPERATIONS)
def test_every_operation_is_rendered_or_refused_by_name(op: str, language: str) -> None:
    if (language, op) in WITHOUT:
        with pytest.raises(UnsupportedOperationError, match=f"{language} cannot do {op}: its table"):
            RENDERERS[language](program_of(op))
    else:
        assert RENDERERS[language](program_of(op))


@pytest.mark.parametrize(
    "table", [c_statements.OPERATIONS, js.OPERATIONS, wasm.OPERATIONS, llvm_scalar.OPERATIONS]
)
def test_a_table_holds_nothing_but_operations_and_what_the_walk_asks_for(table: dict[str, object]) -> None:
    assert set(table) <= {*OPERATIONS, "circle", "row", "flag", "truth"}
