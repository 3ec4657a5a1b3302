"""Every pass over a graph that does not depend on the processor, in order."""

from __future__ import annotations

from collections.abc import Callable

from strobe.compiler.graph.factor import factor
from strobe.compiler.graph.program import Program
from strobe.compiler.graph.simplify import simplify

Watch = Callable[[str, Program], None]  # is told what a pass did and what it left


def optimised(program: Program, watch: Watch = lambda done, left: None) -> Program:
    """The same function after every pass; factoring is repeated while it finds something."""
    program = simplify(program)
    watch("simplified", program)
    while (factored := factor(program)) is not program:
        program.let_go()
        program = factored
        watch("factored", program)
    return program
