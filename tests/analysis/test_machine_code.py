"""Machine code as text: what an instruction is, and what a group of states runs through."""

import pytest

from strobe.analysis.machine_code import Instruction, read
from strobe.compiler.codegen.llvm import Target, module
from strobe.compiler.graph.program import trace
from strobe.compiler.runtime import jit
from strobe.scalars import Graph, cos, sin

WIDE, NARROW = "x86-64-v4", "x86-64-v3"  # with 32 and with 16 registers for vectors


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("vfnmadd231pd\t%zmm1, %zmm2, %zmm3", "fma"),
        ("vfmsub213sd\t%xmm1, %xmm2, %xmm3", "fma"),
        ("vmulpd\t8(%r13){1to8}, %zmm8, %zmm8", "mul"),
        ("vsubpd\t%ymm1, %ymm2, %ymm3", "add"),
        ("vdivpd\t%ymm1, %ymm2, %ymm3", "div"),
        ("vsqrtpd\t%ymm1, %ymm2", "div"),
        ("vunpcklpd\t%zmm6, %zmm4, %zmm30", "shuffle"),
        ("vpermt2pd\t%zmm9, %zmm17, %zmm6", "shuffle"),
        ("vbroadcastsd\t%xmm0, %zmm1", "shuffle"),
        ("vinsertf128\t$1, %xmm0, %ymm1, %ymm2", "shuffle"),
        ("vinsertf64x4\t$1, 24(%rdi,%rax), %zmm1, %zmm4", "logic"),
        ("vpternlogq\t$108, %zmm10, %zmm12, %zmm19", "logic"),
        ("vmovapd\t%zmm11, %zmm8 {%k1}", "logic"),
        ("kandb\t%k6, %k7, %k0", "logic"),
        ("vmovapd\t%zmm4, %zmm2", "move"),
        ("vbroadcastsd\t40(%r13), %zmm11", "load"),
        ("vmovupd\t(%rdi,%rax), %ymm0", "load"),
        ("vmovapd\t%zmm13, 4416(%rsp)", "store"),
        ("vextractf64x4\t$1, %zmm3, (%r14,%r9)", "store"),
        ("imulq\t%r9, %rax", "integer"),
        ("movq\t16(%rsp), %rsi", "integer"),
        ("vzeroupper", "integer"),
    ],
)
def test_an_instruction_has_its_kind(line, kind):
    assert Instruction.read(f"\t{line}").kind == kind


def test_operands_in_memory_are_loads_and_those_on_the_stack_were_spilled():
    product = Instruction.read("\tvmulpd\t8(%r13){1to8}, %zmm8, %zmm8")
    spill = Instruction.read("\tvmovapd\t%zmm13, 4416(%rsp)")
    reload = Instruction.read("\tvaddpd\t1280(%rsp), %zmm7, %zmm7")
    integer = Instruction.read("\tmovq\t16(%rsp), %rsi")
    assert (product.loads, product.stores, product.on_stack) == (True, False, False)
    assert (spill.loads, spill.stores, spill.on_stack) == (False, True, True)
    assert (reload.loads, reload.kind, reload.on_stack) == (True, "add", True)
    assert (integer.loads, integer.on_stack) == (False, False)


FEW = """
declare <8 x double> @llvm.fma.v8f64(<8 x double>, <8 x double>, <8 x double>)
define void @piece0(ptr %a, ptr %b, ptr %c) "min-legal-vector-width"="512" "prefer-vector-width"="512" {
  %x = load <8 x double>, ptr %a, align 64
  %y = load <8 x double>, ptr %b, align 64
  %p = call <8 x double> @llvm.fma.v8f64(<8 x double> %x, <8 x double> %y, <8 x double> %y)
  %q = call <8 x double> @llvm.fma.v8f64(<8 x double> %p, <8 x double> %x, <8 x double> %y)
  %r = call <8 x double> @llvm.fma.v8f64(<8 x double> %q, <8 x double> %p, <8 x double> %x)
  store <8 x double> %r, ptr %c, align 64
  ret void
}
"""


def test_a_kernel_of_three_multiply_adds_has_three():
    code = read(jit.emit_assembly(FEW, WIDE))
    assert {kind: code.counts[kind] for kind in ("fma", "mul", "add", "div", "shuffle", "logic")} == {
        "fma": 3, "mul": 0, "add": 0, "div": 0, "shuffle": 0, "logic": 0,
    }  # fmt: skip
    assert (code.loads, code.stores, code.spills, code.reloads) == (2, 1, 0, 0)


def crowd(n):
    """n squares that all wait for their sum."""
    lines = [line for k in range(n) for line in (
        f"  %a{k} = getelementptr <4 x double>, ptr %a, i64 {k}",
        f"  %x{k} = load <4 x double>, ptr %a{k}, align 32",
        f"  %y{k} = fmul <4 x double> %x{k}, %x{k}",
    )]  # fmt: skip
    lines.append("  %s0 = fadd <4 x double> %y0, %y0")
    lines += [f"  %s{k} = fadd <4 x double> %s{k - 1}, %y{k}" for k in range(1, n)]
    lines += [line for k in range(n) for line in (
        f"  %z{k} = fmul <4 x double> %s{n - 1}, %y{k}",
        f"  store <4 x double> %z{k}, ptr %a{k}, align 32",
    )]  # fmt: skip
    return "define void @piece0(ptr %a) {\n" + "\n".join([*lines, "  ret void", "}"])


@pytest.mark.parametrize(("cpu", "registers"), [(NARROW, 16), (WIDE, 32)])
def test_values_beyond_the_registers_are_spilled_and_fewer_are_not(cpu, registers):
    many, few = (read(jit.emit_assembly(crowd(n), cpu)) for n in (registers + 8, registers - 4))
    assert many.spills >= 8
    assert many.reloads >= many.spills
    assert many.stack >= 32 * 8
    assert (few.spills, few.reloads) == (0, 0)


def test_the_path_of_very_large_angles_is_left_out():
    program = trace(lambda x: [sin(x[0]) * cos(x[0])], {"x": 1}, (1,), Graph())
    text = jit.emit_assembly(module(program, Target(4)), NARROW)
    assert "callq" in text.partition("piece0:")[2].partition(".Lfunc_end")[0]
    code = read(text)
    assert not [i for i in code.instructions if "strobe_sincos" in "".join(i.operands)]
    assert code.number(("fma", "mul", "add")) == 28 + 1  # of the angle, and their product


def test_the_loop_that_calls_the_pieces_belongs_to_a_group():
    program = trace(lambda x: [x[0] * x[1]], {"x": 2}, (1,), Graph())
    code = read(jit.emit_assembly(module(program, Target(4)), NARROW))
    assert any(i.name.startswith("call") for i in code.instructions)
    assert code.counts["mul"] == 1
