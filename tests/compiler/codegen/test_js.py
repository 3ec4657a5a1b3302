"""Programs as JavaScript: the text; what it computes is checked in a browser, with the page of a study."""

from __future__ import annotations

import math
import re

import strobe
from strobe.compiler.codegen.js import OPERATIONS, function, number
from strobe.compiler.graph.program import trace
from strobe.compiler.runtime.kernels import Kernel
from strobe.quantities import Request
from strobe.scalars import Graph, sin


def test_a_function_is_a_list_of_constants_and_a_return() -> None:
    program = trace(lambda q, v: [sin(q[0]) * -2.0 + v[1], q[0]], {"q": 1, "v": 2}, (2,), Graph())
    assert function(program, "f") == (
        "function f(q, v) {\nconst t0 = Math.sin(q[0]);\nconst t1 = t0 * (-2);\nconst t2 = v[1] + t1;\n"
        "return [t2, q[0]];\n}\n"
    )


def test_numbers_keep_every_digit_and_what_is_not_finite_has_a_name() -> None:
    assert [number(x) for x in (0.1 + 0.2, -3.0, 1e300, math.inf, -math.inf)] == [
        "0.30000000000000004", "(-3)", "1e+300", "Infinity", "(-Infinity)",
    ]  # fmt: skip
    assert number(math.nan) == "NaN"


def test_every_operation_of_every_quantity_has_a_text() -> None:
    model = strobe.load("planar3").with_base("floating").model
    for quantity in ("inverse_dynamics", "forward_dynamics", "integrate", "difference", "coriolis_matrix"):
        program = Kernel(model, Request(quantity)).program
        assert set(program.counts) - {"input", "constant"} <= set(OPERATIONS)


def test_names_of_frames_never_reach_the_text_as_they_are() -> None:
    model = strobe.load("planar2").model
    frame = model.frames[-1].name
    program = Kernel(model, Request("inverse_dynamics", loaded=(frame,))).program
    head = function(program, "f").splitlines()[0]
    assert re.fullmatch(r"function f\(q, qd, qdd, wrench_\w+\) \{", head)
