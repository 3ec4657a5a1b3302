"""What units allow: counts over rates, and kernels in which nothing waits."""

import numpy as np
import pytest

from strobe.analysis.cycles import WIDTHS
from strobe.analysis.execution_ports import CORES, FREE, Rates, Stream, independent, limits, measured_rates
from strobe.analysis.machine_code import Instruction, MachineCode

LINES = """
	pushq	%rbp
	imulq	%r9, %rax
	vmovupd	(%rdi,%rax), %ymm0
	vbroadcastsd	40(%r13), %ymm1
	vfmadd213pd	%ymm9, %ymm8, %ymm10
	vfmadd231pd	96(%rsp), %ymm8, %ymm10
	vmulpd	%ymm1, %ymm2, %ymm3
	vaddpd	%ymm1, %ymm2, %ymm3
	vdivpd	%ymm1, %ymm2, %ymm3
	vunpcklpd	%ymm1, %ymm2, %ymm3
	vblendpd	$5, %ymm1, %ymm2, %ymm3
	vmovapd	%ymm3, 32(%rsp)
	retq
"""
CODE = MachineCode(tuple(Instruction.read(line) for line in LINES.strip("\n").splitlines()), 100, 64)
AVX2 = pytest.mark.skipif(not WIDTHS[0].runs_here, reason="this machine has no AVX2")


def test_a_limit_is_a_count_over_a_rate():
    rates = Rates(
        multiply=2, arithmetic=4, shuffle=1, vector=3, load=2, store=0.5, instruction=6, division=8
    )
    assert limits(CODE, rates) == {
        "multiplications": 3 / 2,
        "arithmetic": 4 / 4,
        "divisions": 8,
        "shuffles": 1,
        "vector operations": 7 / 3,
        "loads": 3 / 2,
        "stores": 2,
        "front end": 13 / 6,
    }


@pytest.mark.parametrize("core", CORES)
def test_wider_vectors_are_begun_no_more_often(core):
    narrow, wide = CORES[core][256], CORES[core][512]
    for name in ("multiply", "arithmetic", "shuffle", "vector", "load", "store"):
        assert getattr(wide, name) <= getattr(narrow, name)
    assert wide.division >= narrow.division


def test_independent_instructions_are_the_same_ones_on_other_registers():
    lines = independent(CODE.instructions)
    names = [line.split()[0] for line in lines]
    assert names == ["addq", *(i.name for i in CODE.instructions[2:-1])]
    assert lines[1] == "vmovupd 128($0), %ymm4"
    assert lines[4] == "vfmadd231pd 320($0), %ymm1, %ymm7"
    assert lines[9] == "vblendpd $$5, %ymm1, %ymm0, %ymm12"
    assert lines[10] == "vmovapd %ymm0, 704($0)"


def test_masks_and_numbers_read_into_all_lanes_stay():
    masked = Instruction.read("\tvmovapd\t%zmm11, %zmm8 {%k3}")
    spread = Instruction.read("\tvfmadd213pd\t64(%r13){1to8}, %zmm9, %zmm13")
    compared = Instruction.read("\tvpcmpleuq\t%zmm10, %zmm9, %k7")
    assert independent([masked, spread, compared]) == [
        f"vmovapd %zmm0, %zmm{FREE[0]} {{%k1}}",
        f"vfmadd213pd 64($0){{1to8}}, %zmm1, %zmm{FREE[1]}",
        "vpcmpleuq %zmm0, %zmm1, %k4",
    ]


@AVX2
def test_independent_instructions_run():
    stream = Stream(independent(CODE.instructions), 256)
    stream()
    assert np.isfinite(stream.memory).all()  # whatever it wrote, it wrote numbers, and came back


@AVX2
def test_every_rate_of_this_machine_is_found():
    rates = measured_rates(256, 0.0)
    assert all(rate > 0 for rate in vars(rates).values())
    assert rates.division > 1 / rates.multiply
