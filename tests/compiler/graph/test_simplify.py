"""The normal form: fewer operations, the same function."""

import math

import numpy as np
import pytest

import strobe
from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import Program, trace
from strobe.compiler.graph.simplify import simplify
from strobe.formulations import FORMULATIONS
from strobe.models.random_robots import random_model
from strobe.models.regroup import regrouped
from strobe.scalars import FieldSystem, Graph, Node, cos, sin
from strobe.scalars.functions import absolute, atan2, less, maximum, minimum, sqrt, tanh, where

EVALUATE = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
    "neg": lambda x: -x, "sin": sin, "cos": cos, "sqrt": sqrt, "abs": absolute, "atan2": atan2, "tanh": tanh,
    "min": minimum, "max": maximum, "less": less, "where": where,
}  # fmt: skip


def run(program: Program, **inputs):
    """A program interpreted node by node."""
    values: dict[Node, float] = {}
    for node in program.nodes:
        if node.op == "constant":
            values[node] = node.value
        elif node.op == "input":
            name, _, index = str(node.value).partition("[")
            values[node] = inputs[name][int(index[:-1])]
        else:
            values[node] = EVALUATE[node.op](*(values[a] for a in node.args))
    return [values[node] for node in program.outputs]


def program_of(function, **sizes):
    graph = Graph()
    shape = (len(function(**{k: [0.3 + i for i in range(n)] for k, n in sizes.items()})),)
    return trace(function, sizes, shape, graph)


def simplified(function, **sizes):
    return simplify(program_of(function, **sizes))


def test_signs_are_pulled_out_so_that_mirrored_operations_are_shared():
    p = simplified(lambda x: [x[0] * x[1], (-x[0]) * x[1], x[0] - x[1], x[1] - x[0], -(x[0] - x[1])], x=2)
    assert (p.multiplications, p.additions) == (1, 1)


def test_constants_fold_through_products_and_sums():
    p = simplified(lambda x: [(x[0] * 2.0) * 3.0 + (x[0] - x[0]), x[0] + x[0], x[0] / 4.0], x=1)
    assert p.multiplications == 3
    assert p.additions == 0
    assert run(p, x=[1.5]) == [9.0, 3.0, 0.375]


@pytest.mark.parametrize(("scale", "x", "expected"), [(1e-200, 1e300, 1e-100), (1e200, 1e-300, 1e100)])
def test_constants_are_not_merged_out_of_range(scale, x, expected):
    p = simplified(lambda x: [scale * (scale * x[0])], x=1)
    assert run(p, x=[x]) == pytest.approx([expected])


def test_constants_are_not_merged_out_of_single_precision():
    p = simplified(lambda x: [1e-25 * (1e-25 * x[0]), 1e25 * (1e25 * x[0])], x=1)
    assert p.multiplications == 4


def test_what_no_output_needs_is_left_behind():
    def wasteful(x):
        sin(x[0] * x[1])
        return [x[0]]

    assert simplified(wasteful, x=2).nodes[-1].op == "input"


def test_division_by_a_constant_that_is_no_power_of_two_stays_a_division():
    p = simplified(lambda x: [x[0] / 3.0], x=1)
    assert p.counts["div"] == 1


def test_sine_is_odd_and_cosine_is_even():
    p = simplified(lambda x: [sin(-x[0]) + sin(x[0]), cos(-x[0]) - cos(x[0])], x=1)
    assert [node.value for node in p.outputs] == [0.0, 0.0]


def everything(x):
    a, b = x
    yes = less(a, b)
    return [
        where(yes, minimum(a, b), maximum(a, -b)) + absolute(-a) * tanh(b),
        sqrt(a * a + b * b) - atan2(-a, b) / (1.0 + a * a),
        (a - b) * (b - a) + cos(a - b) * sin(b - a) * 2.0 - 0.5 * (-a),
    ]


@pytest.mark.parametrize("x", [(0.3, 0.9), (-1.2, 0.4), (2.0, -0.7), (0.0, 0.0)])
def test_simplified_programs_compute_the_same(x):
    p = program_of(everything, x=2)
    assert run(simplify(p), x=x) == pytest.approx(run(p, x=x), rel=1e-14, abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["newton-euler", "newton-euler-armstrong", "spatial-newton-euler"])
def test_simplification_keeps_torques_and_never_adds_operations(name):
    for seed in range(4):
        model = random_model(5, seed)
        graph = Graph()
        lifted = model.lift(graph)
        sizes = {"q": 5, "qd": 5, "qdd": 5}
        p = trace(
            lambda q, qd, qdd, l=lifted: FORMULATIONS[name].inverse_dynamics(l, q, qd, qdd),
            sizes,
            (5,),
            graph,
        )
        s = simplify(p)
        rng = np.random.default_rng(seed)
        state = {k: rng.standard_normal(5).tolist() for k in sizes}
        assert run(s, **state) == pytest.approx(run(p, **state), rel=1e-12, abs=1e-12)
        assert s.multiplications <= p.multiplications
        assert s.additions <= p.additions


# -- regrouping ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kinds", "seed"), [("R", 1), ("RP", 2), ("RPS", 3), ("RPSF", 6), ("P", 7)])
def test_regrouping_leaves_every_joint_torque_exactly_unchanged(kinds, seed):
    model = random_model(6, seed, kinds=kinds, tree=True)
    system = FieldSystem(seed)
    lifted = model.lift(system)
    state = lifted.variables()
    ID = FORMULATIONS["spatial-newton-euler"].inverse_dynamics
    before, after = ([system.lower(x) for x in ID(m, *state)] for m in (lifted, regrouped(lifted)))
    assert before == after


def operations_left(name):
    """Multiplications and additions of inverse dynamics after all passes."""
    model = strobe.load(name).model
    graph = Graph()
    lifted = regrouped(model.lift(graph))
    sizes = dict.fromkeys(("q", "qd", "qdd"), model.nv)
    ID = FORMULATIONS["newton-euler-armstrong"].inverse_dynamics
    p = optimised(trace(lambda q, qd, qdd: ID(lifted, q, qd, qdd), sizes, (model.nv,), graph))
    return p.multiplications, p.additions


@pytest.mark.parametrize(
    ("name", "golden"),
    [("panda", (314, 291)), ("puma560", (181, 149)), ("stanford", (134, 101)), ("ur5", (171, 131))],
)
def test_the_operations_left_are_golden(name, golden):
    assert operations_left(name) == golden


def general_arm(n):
    """A revolute arm whose every parameter is there, gravity along the first axis (modified DH)."""
    from strobe.models.toml_reader import read_toml

    def link(k):
        lengths = (
            "" if k == 0 else f"a = {0.31 + 0.017 * k}\nalpha = {0.4 + 0.1 * k}\nd = {0.1 + 0.023 * k}\n"
        )
        return (
            f'[[dh.link]]\njoint = "revolute"\n{lengths}mass = {1.7 + k}\ncom = [0.13, 0.22, 0.34]\n'
            f"inertia = [1, {1.1 + 0.01 * k}, 1.2, 0.1, 0.11, 0.12]\n"
        )

    head = 'format = 1\nname = "general"\n[dh]\nconvention = "modified"\n'
    return read_toml("general.toml", text=head + "".join(link(k) for k in range(n)))


@pytest.mark.parametrize("n", [3, 4, 6, 8])
def test_a_general_revolute_arm_costs_what_the_best_customised_recursion_does(n):
    """87n − 110 multiplications and 75n − 103 additions: 412 and 347 for six joints."""
    model = general_arm(n)
    graph = Graph()
    lifted = regrouped(model.lift(graph))
    ID = FORMULATIONS["newton-euler-armstrong"].inverse_dynamics
    sizes = dict.fromkeys(("q", "qd", "qdd"), n)
    p = optimised(trace(lambda q, qd, qdd: ID(lifted, q, qd, qdd), sizes, (n,), graph))
    assert (p.multiplications, p.additions) == (87 * n - 110, 75 * n - 103)
    assert math.isfinite(sum(run(p, **{k: [0.3] * n for k in sizes})))
