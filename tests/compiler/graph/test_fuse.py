"""Fused multiply-adds: the same sums with fewer instructions."""

from fractions import Fraction

import numpy as np
import pytest

from strobe.compiler.graph.fuse import fuse
from strobe.compiler.graph.program import trace
from strobe.compiler.graph.simplify import simplify
from strobe.compiler.runtime.kernels import Kernel
from strobe.models.load import load_model
from strobe.models.random_robots import random_model
from strobe.models.regroup import regrouped
from strobe.quantities import Request
from strobe.scalars import Graph, Node, cos, sin

EVALUATE = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
    "neg": lambda x: -x, "sin": sin, "cos": cos, "fma": lambda a, b, c: a * b + c, "fnma": lambda a, b, c: c - a * b,
}  # fmt: skip


def run(program, x):
    """Interpreted on the numbers given; exact for fractions."""
    values: dict[Node, object] = {}
    for node in program.nodes:
        if node.op == "constant":
            values[node] = Fraction(node.value)
        elif node.op == "input":
            values[node] = x[str(node.value)]
        else:
            values[node] = EVALUATE[node.op](*(values[a] for a in node.args))
    return [values[node] for node in program.outputs]


def programs(function, size):
    plain = simplify(trace(function, {"x": size}, (len(function([1.5] * size)),), Graph()))
    return plain, fuse(plain)


@pytest.mark.parametrize(
    ("function", "size", "left"),
    [
        (lambda x: [x[0] * x[1] + x[2] * x[3]], 4, {"mul": 1, "fma": 1}),
        (lambda x: [x[4] + (x[0] * x[1] + x[2] * x[3])], 5, {"fma": 2}),
        (lambda x: [x[4] - (x[0] * x[1] - x[2] * x[3])], 5, {"fma": 1, "fnma": 1}),
        (lambda x: [x[0] * x[1] + x[2], x[3] - x[0] * x[1]], 4, {"fma": 1, "fnma": 1}),
        (lambda x: [x[0] * x[1], x[0] * x[1] + x[2]], 3, {"mul": 1, "add": 1}),
        (lambda x: [x[0] + x[1] + x[2]], 3, {"add": 2}),
    ],
)
def test_products_disappear_into_sums(function, size, left):
    plain, fused = programs(function, size)
    assert {op: n for op, n in fused.counts.items() if op not in ("input", "constant")} == left
    rng = np.random.default_rng(size)
    x = {f"x[{k}]": Fraction(int(rng.integers(-99, 99)), 7) for k in range(size)}
    assert run(fused, x) == run(plain, x)


@pytest.mark.parametrize("seed", range(5))
def test_random_sums_of_products_keep_their_exact_value(seed):
    rng = np.random.default_rng(seed)

    def function(x):
        pool = list(x)
        for _ in range(40):
            a, b = (pool[int(k)] for k in rng.integers(0, len(pool), 2))
            pool.append([a + b, a - b, a * b, -a][int(rng.integers(0, 4))])
        return pool[-6:]

    graph = Graph()
    plain = simplify(trace(function, {"x": 4}, (6,), graph))
    x = {f"x[{k}]": Fraction(int(rng.integers(-9, 9)), 5) for k in range(4)}
    assert run(fuse(plain), x) == run(plain, x)


def test_inverse_dynamics_needs_a_third_fewer_instructions():
    model = random_model(6, 1, kinds="R")
    request = Request("inverse_dynamics", friction=False)
    graph = Graph()
    lifted = model.lift(graph)
    plain = simplify(trace(lambda **v: request.evaluate(lifted, **v), request.inputs(model), (6,), graph))
    before = plain.multiplications + plain.additions
    after = sum(n for op, n in fuse(plain).counts.items() if op in ("mul", "add", "sub", "fma", "fnma"))
    assert after < 0.67 * before


def test_the_panda_needs_the_instructions_that_the_documentation_names():
    model = load_model("panda")
    plain = Kernel(model, Request("inverse_dynamics")).program
    fused = fuse(plain).counts
    assert (plain.multiplications, plain.additions) == (287, 270)
    assert sum(fused[op] for op in ("mul", "add", "sub", "fma", "fnma")) == 340
    numbers = [
        sum(x != 0 for body in m.bodies for x in body.inertia.parameters) for m in (model, regrouped(model))
    ]
    assert numbers == [70, 49]
