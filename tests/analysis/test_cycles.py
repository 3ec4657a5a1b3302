"""Where cycles go: both widths are analysed everywhere, and timed where they run."""

import pytest

from strobe.analysis import cycles, speed
from strobe.analysis.cycles import WIDTHS, explain, request_of
from strobe.compiler.codegen.llvm import Emitter
from strobe.errors import ArgumentError, UnknownNameError
from strobe.robot import load


@pytest.fixture(scope="module")
def arm():
    return load("ur5")


@pytest.fixture(scope="module")
def explained(arm):
    return explain(arm, request_of(arm, "inverse_dynamics"), run=False)


def test_both_widths_are_analysed_without_being_run(explained):
    assert [(e.vectors.name, e.states, e.vectors.registers) for e in explained] == [
        ("AVX2", 4, 16),
        ("AVX-512", 8, 32),
    ]
    for e in explained:
        assert e.measured is None
        assert e.limits == {}
        assert e.code.bytes > 4 * len(e.code.instructions)


def test_the_arithmetic_is_that_of_the_graph_and_of_the_angles(arm, explained):
    program = Emitter(arm.kernel(request_of(arm, "inverse_dynamics")).program, WIDTHS[0].target).program
    angles = {node.args[0] for node in program.nodes if node.op in ("sin", "cos")}
    for e in explained:
        assert e.on_the_graph == sum(program.counts[op] for op in ("fma", "fnma", "mul", "add", "sub"))
        assert e.in_the_circle == 28 * len(angles)


def test_twice_the_registers_leave_fewer_spills(explained):
    narrow, wide = explained
    assert narrow.alive == wide.alive > 32
    assert 0 < wide.code.spills < narrow.code.spills


def test_other_cores_are_bounded_by_the_most_used_of_their_units(explained):
    for e in explained:
        code, zen = e.code, e.elsewhere["Zen 4"]
        products = code.counts["fma"] + code.counts["mul"]
        assert zen["multiplications"] == products / (2 if e.vectors.name == "AVX2" else 1)
        assert zen["loads"] == code.loads / (2 if e.vectors.name == "AVX2" else 1)


@pytest.mark.slow
def test_what_divides_is_computed_for_twice_as_many_states(arm):
    found = explain(arm, request_of(arm, "forward_dynamics"), run=False)
    assert [e.states for e in found] == [8, 16]
    for e in found:
        assert e.code.counts["div"] == 2 * 6


def test_what_runs_here_is_timed():
    planar = load("planar2")
    for e in explain(planar, request_of(planar, "gravity"), 0.0):
        assert (e.measured is not None) == e.vectors.runs_here
        if e.measured is not None:
            assert max(e.limits.values()) > 0
            assert min(e.measured.bare, e.measured.from_python, e.measured.independent) > 0
            assert e.measured.gigahertz > 0


def test_the_host_is_taken_for_its_widest_vectors_only(monkeypatch):
    monkeypatch.setattr(cycles.jit, "host_features", lambda: {"avx2": True, "fma": True, "avx512f": False})
    narrow, wide = WIDTHS
    assert (narrow.runs_here, narrow.processor) == (True, None)
    assert (wide.runs_here, wide.processor) == (False, "x86-64-v4")


def test_a_quantity_that_does_not_exist_is_named(arm):
    with pytest.raises(
        UnknownNameError, match='no quantity "inverse_dynamic" in what strobe bench times of ur5'
    ):
        request_of(arm, "inverse_dynamic")


def test_a_graph_that_takes_long_to_compile_is_refused(arm, monkeypatch):
    monkeypatch.setattr(speed, "LARGEST", 10)
    with pytest.raises(
        ArgumentError, match=r"gravity of ur5: its graph of \d+ nodes takes long to compile"
    ):
        request_of(arm, "gravity")
