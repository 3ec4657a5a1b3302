"""PTX is made without a card, and NVIDIA's assembler takes all of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import strobe
from strobe.compiler.codegen.llvm_cuda import Form, module
from strobe.compiler.runtime.ptx import assembled, assembler, ptx
from strobe.quantities import QUANTITIES
from strobe.scalars import Stored, tanh

with_assembler = pytest.mark.skipif(
    assembler() is None, reason="ptxas is not here: pip install nvidia-cuda-nvcc"
)
FORMS = [
    Form(),
    Form(single=True),
    Form(states=2, single=True),
    Form("rows"),
    Form("rows", single=True),
    Form("strided"),
]
ROBOTS = {
    "panda": lambda: strobe.load("panda"),
    "ur5": lambda: strobe.load("ur5"),
    "floating": lambda: strobe.load("biped10").with_base("floating"),
}


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_ptx_is_for_all_cards_that_the_toolkit_knows_and_rounds_every_operation(form: Form) -> None:
    robot = strobe.load("panda")
    text = ptx(module(robot.kernel(robot.request("gravity")).program, "kernel", form))
    assert ".target sm_75" in text
    assert ".visible .entry kernel(" in text
    assert f".maxntid {form.block}" in text
    for line in text.splitlines():
        if line.lstrip().startswith(("mul.f", "add.f", "sub.f", "fma.f", "div.f", "sqrt.f")):
            raise AssertionError(f"rounding is left to the assembler: {line}")


@with_assembler
@pytest.mark.parametrize("quantity", [q for q in QUANTITIES if not q.startswith(("loop", "closed"))])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name == "floating" else []) for name in ROBOTS]
)
def test_every_quantity_assembles(name: str, quantity: str) -> None:
    robot = ROBOTS[name]()
    if QUANTITIES[quantity].of_a_frame:
        request = robot.request(quantity, frame=robot.tips[0])
    else:
        request = robot.request(quantity)
    kernel = robot.kernel(request)
    for form in FORMS[:2]:
        told = assembled(ptx(module(kernel.program, "kernel", replace(form, turns=kernel.turns))))
        assert 0 < told.registers <= 255


@with_assembler
@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_every_form_assembles_also_with_stored_numbers(form: Form) -> None:
    table = Stored([1.0, 2.0, 4.0], "table")
    f = strobe.trace(lambda x: [table.at(x[0]), tanh(x[1])], x=2)
    assert assembled(ptx(module(f.program, "kernel", form))).stack == 0


@with_assembler
def test_inverse_dynamics_of_an_arm_needs_no_memory_beside_registers_where_arrays_lie_well() -> None:
    robot = strobe.load("panda")
    program = robot.kernel(robot.request("inverse_dynamics")).program
    for form in (form for form in FORMS if form.layout != "strided"):
        told = assembled(ptx(module(program, "kernel", form)))
        assert told.spills == 0


@with_assembler
def test_what_the_assembler_refuses_is_told_in_its_words() -> None:
    with pytest.raises(RuntimeError, match="ptxas refuses the PTX"):
        assembled(".version 7.0\n.target sm_75\nnonsense")
