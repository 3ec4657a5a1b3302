"""Registers assigned here: the same bits as by LLVM, whatever the vectors."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen import llvm
from strobe.compiler.codegen.assembly import ASSEMBLED, Assembly, Registers
from strobe.compiler.codegen.llvm import module
from strobe.compiler.graph.program import trace
from strobe.compiler.runtime import gufunc, jit
from strobe.compiler.runtime.kernels import Kernel
from strobe.quantities import Request
from strobe.scalars import Graph, less, maximum, minimum, sqrt, where

pytestmark = pytest.mark.skipif(not jit.host_target().assembly, reason="another processor")

TREE = strobe.random(4, seed=2, kinds="RPSF", tree=True)
STATES = 11
VECTORS = [
    (width, single)
    for single in (False, True)
    for width in (1, 2, 4, 8, 16)
    if width * (8 - 4 * single) <= 64
]
SPECIAL = [0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, 1e-310, -3.0]


def every_operation(x):
    a, b, c = x
    rows = [
        a + b,
        a - b,
        a * b,
        a / b,
        -a,
        sqrt(a),
        a * b + c,
        c - a * b,
        -(a * b) - c,
        a * a + a,
        b + a * b,
    ]
    rows += [
        maximum(a, b),
        minimum(a, b),
        less(a, b),
        where(a, b, c),
        where(less(b, c), -a, a),
        (-a) * b + (-c),
    ]
    return rows


def found(kernel_or_program, target, inputs, most, monkeypatch):
    """Results where programs of more than so many operations are assembled."""
    monkeypatch.setattr(llvm, "LONGEST_BY_LLVM", most)
    monkeypatch.setattr(llvm, "LONGEST_ALONE", most)
    monkeypatch.setattr(llvm, "MOST_PAIRED", 0)
    program = kernel_or_program
    sizes = [given.size for given in program.inputs]
    code = jit.compile_ir(module(program, target))
    core = ",".join(map(str, program.shape))
    signature = ",".join(f"({size})" for size in sizes) + f"->({core})"
    call = gufunc.gufunc("found", "", signature, [(code.address, target.single)], len(sizes), code)
    with np.errstate(all="ignore"):
        return call(*[x.astype(np.float32 if target.single else np.float64) for x in inputs])


def sets(width, single):
    """The instructions that this processor has for such vectors."""
    own = jit.host_target().assembly
    short = width * (8 - 4 * single) <= 32
    return [name for name in ("avx2", "avx512") if name == own or (name == "avx2" and short)]


@pytest.mark.parametrize(("width", "single"), VECTORS)
def test_every_operation_gives_what_llvm_makes_of_it(width, single, monkeypatch):
    program = trace(every_operation, {"x": 3}, (17,), Graph())
    x = np.array([[a, b, c] for a in SPECIAL for b in SPECIAL for c in SPECIAL])
    target = jit.host_target(single, width)
    expected = found(program, replace(target, assembly=""), [x], 0, monkeypatch)
    for name in sets(width, single):
        np.testing.assert_array_equal(
            found(program, replace(target, assembly=name), [x], 0, monkeypatch), expected
        )


@pytest.mark.slow
@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "bias"])
@pytest.mark.parametrize(("width", "single"), VECTORS)
def test_a_robot_has_the_same_bits_either_way(quantity, width, single, monkeypatch):
    program = Kernel(TREE.model, Request(quantity)).program
    rng = np.random.default_rng(0)
    inputs = [rng.uniform(-1, 1, (STATES, given.size)) for given in program.inputs]
    target = jit.host_target(single, width)
    expected = found(program, replace(target, assembly=""), inputs, 0, monkeypatch)
    bits = np.uint32 if single else np.uint64
    for name in sets(width, single):
        answer = found(program, replace(target, assembly=name), inputs, 0, monkeypatch)
        assert np.array_equal(answer.view(bits), expected.view(bits))


def test_more_values_than_registers_go_to_cells_that_are_used_again():
    def sums(x):
        products = [x[i] * x[j] for i in range(9) for j in range(i)]
        return [
            sum(p * q for p, q in zip(products, products[k:] + products[:k], strict=True)) for k in (1, 2)
        ]

    program = trace(sums, {"x": 9}, (2,), Graph())
    nodes = [node for node in program.nodes if node.op in ASSEMBLED]
    places = {node: f"{64 * k}(%rdi)" for k, node in enumerate(program.nodes) if node.op == "input"}
    cells = []

    def cell():
        cells.append(f"{64 * len(cells)}(%rsi)")
        return cells[-1]

    assembly = Assembly(Registers(8, False, True), places, {}, lambda bits: "0(%rdx)", cell)
    lines = assembly.write(nodes)
    assert len(lines) >= len(nodes)
    assert 0 < len(cells) < len(nodes) / 4


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics"])
def test_code_made_fast_has_the_bits_of_the_best_and_makes_way_for_it(quantity, monkeypatch):
    best, fast = (strobe.load("planar3", compile=way) for way in ("best", "fast"))
    state = np.random.default_rng(1).uniform(-1, 1, (3, 20, 3))
    expected, quickly = (getattr(robot, quantity)(*state) for robot in (best, fast))
    code = fast.kernel(Request(quantity)).code
    fast.compile(quantity, best=True)
    assert code.hurry
    assert not fast.kernel(Request(quantity)).code.hurry
    for found_then in (quickly, getattr(fast, quantity)(*state)):
        assert np.array_equal(found_then.view(np.uint64), expected.view(np.uint64))


@pytest.mark.parametrize(("results", "many"), [(900, False), (1_100, True), (9_000, True)])
def test_text_does_not_grow_with_results_once_there_are_many(results, many):
    program = trace(lambda x: [x[0] + x[1]] * results, {"x": 2}, (results,), Graph())
    text = module(program, jit.host_target())
    assert ("call void @in_turn" in text) == many
    assert text.count("  store ") < (100 if many else 4 * results)


def test_many_results_of_a_short_program_are_those_of_a_few():
    for number in (5, 1_003):
        function = strobe.trace(lambda x, n=number: [x[0] * x[1], *[0.0] * n, x[0] + x[1]], x=2)
        x = np.random.default_rng(3).uniform(-1, 1, (STATES, 2))
        found = function(x)
        assert np.array_equal(found[:, [0, -1]], np.stack([x[:, 0] * x[:, 1], x[:, 0] + x[:, 1]], axis=1))
        assert not found[:, 1:-1].any()
