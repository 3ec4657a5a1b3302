"""Object files for small machines: small, without a library, and run where the emulators are."""

from __future__ import annotations

import platform
import shutil
import subprocess
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest

import strobe
from strobe.compiler.graph.program import Program, trace
from strobe.compiler.runtime import objects
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.objects import MACHINES, Built, Machine, build, machine, undefined
from strobe.errors import UnknownNameError, UnsupportedModelError
from strobe.quantities import Request
from strobe.scalars import Graph, cos, sin
from strobe.scalars.functions import absolute, atan2, floor, less, maximum, minimum, sqrt, tanh, where
from strobe.scalars.stored import Stored

ARMS = ("ur5", "puma560", "stanford")
NUMBERS = {True: np.dtype(np.float32), False: np.dtype(np.float64)}


@cache
def dynamics(robot: str) -> Program:
    return Kernel(strobe.load(robot).model, Request("inverse_dynamics")).program


# -- what is made -------------------------------------------------------------------------------------


@pytest.mark.parametrize("robot", ARMS)
@pytest.mark.parametrize("name", ["thumbv7em", "thumbv7em-hf"])
def test_six_joints_fit_a_cortex_m4_with_room_to_spare(robot: str, name: str) -> None:
    built = build(dynamics(robot), "f", machine(name), single=True)
    assert built.text + built.constants < 5_000  # of 32 kB
    assert built.stack < 350  # of 1 kB
    assert built.fused


@pytest.mark.parametrize("name", [name for name in MACHINES if name != "thumbv6m"])
def test_code_for_every_machine_calls_nothing(name: str) -> None:
    built = build(everything(), "f", machine(name), single=True)
    assert undefined(built.code) == []
    assert 0 < built.text + built.constants < len(built.code)


def test_fused_operations_are_used_where_the_processor_has_them() -> None:
    assert not build(dynamics("ur5"), "f", machine("x86_64"), single=False).fused
    assert build(dynamics("ur5"), "f", machine("x86_64", "haswell"), single=False).fused


def test_a_symbol_that_is_not_defined_is_found() -> None:
    text = "declare double @elsewhere(double)\ndefine double @f(double %x) nounwind {\n"
    text += "  %y = call double @elsewhere(double %x)\n  ret double %y\n}\n"
    for name in ("aarch64", "thumbv7em"):
        assert undefined(objects.emit(text, machine(name))) == ["elsewhere"]


def test_stack_is_the_sum_over_the_longest_chain_of_calls() -> None:
    text = """
define internal fastcc void @deep() noredzone { %x = alloca [1000 x i8] store volatile i8 1, ptr %x ret void }
define void @f() noredzone {
  %x = alloca [500 x i8]
  store volatile i8 1, ptr %x
  call fastcc void @deep()
  ret void
}
"""
    for name in ("aarch64", "riscv64", "thumbv7em", "x86_64"):
        assert 1_500 < objects.stack(text, "f", machine(name)) < 1_600


# -- what is refused ----------------------------------------------------------------------------------


def test_an_unknown_machine_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="no machine \"arch64\" in strobe. Did you mean 'aarch64'"):
        machine("arch64")
    with pytest.raises(UnknownNameError, match='no machine "xtensa-esp32-elf" in strobe'):
        machine("xtensa-esp32-elf")
    with pytest.raises(UnknownNameError, match="no machine "):
        machine("aarch64-*/\n")


def test_an_unknown_processor_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        UnknownNameError, match='no processor "cortex-m77" in thumbv7em-none-eabi. Did you mean'
    ):
        machine("thumbv7em", "cortex-m77")


def test_a_processor_that_llvm_makes_no_code_for_is_refused_and_ends_nothing() -> None:
    with pytest.raises(
        UnsupportedModelError, match="LLVM makes no code for i386 with the triple x86_64-none-elf: 64"
    ):
        machine("x86_64", "i386")


def test_a_machine_without_floating_point_is_refused() -> None:
    with pytest.raises(
        UnsupportedModelError,
        match="thumbv6m-none-eabi, cortex-m0plus does not compute in single precision by itself: it would call __a",
    ):
        build(dynamics("stanford"), "f", machine("thumbv6m"), single=True)
    with pytest.raises(
        UnsupportedModelError, match="double precision .* Name another processor, or take single precision."
    ):
        build(dynamics("stanford"), "f", machine("thumbv7em"), single=False)


def test_programs_that_llvm_would_take_minutes_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "LARGEST", 100)
    with pytest.raises(
        UnsupportedModelError, match="f takes [0-9]+ operations; an object file is made of at most 100."
    ):
        build(dynamics("stanford"), "f", machine("aarch64"), single=False)


def test_other_formats_of_object_files_are_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="object files for aarch64-apple-darwin are not ELF"):
        build(dynamics("stanford"), "f", machine("aarch64-apple-darwin"), single=False)


def test_a_triple_may_be_written_in_full() -> None:
    assert machine("thumbv7em-none-eabihf") == MACHINES["thumbv7em-hf"]
    assert machine("riscv64-linux-gnu").features == MACHINES["riscv64"].features


# -- what it computes ---------------------------------------------------------------------------------


def everything() -> Program:
    """Every operation once."""
    table = Stored(np.linspace(0.0, 1.0, 7) ** 2)

    def f(x, y):
        a, b = x[0], y[0]
        return [
            sin(a), cos(b), atan2(a, b), tanh(a), sqrt(absolute(a)), floor(b), minimum(a, b), maximum(a, b),
            where(less(a, b), a / b, a - b), less(b, a), table.at(absolute(a)), a * b + a, -a,
        ]  # fmt: skip

    return trace(f, {"x": 1, "y": 1}, (13,), Graph())


def words(size: int, text: str) -> bytes:
    """Machine words, the lowest byte first."""
    return b"".join(int(word, 16).to_bytes(size, "little") for word in text.split())


@dataclass(frozen=True)
class Place:
    """Where code is run: its machine, what emulates it, and how a program there asks for input and output."""

    machine: Machine
    command: tuple[str, ...]
    ask: bytes  # machine code of a function that takes the number of a request and three arguments
    requests: tuple[int, int, int]  # the numbers of read, write and exit
    streams: tuple[int, int, int] = (0, 1, 0)  # their first arguments
    declared: str = ""
    first: str = ""  # IR
    script: str = ""  # of the linker

    @property
    def thumb(self) -> bool:
        return self.machine.triple.startswith("thumb")

    @property
    def word(self) -> str:
        return "i64" if "64" in self.machine.triple else "i32"


def board(on: Machine, name: str, code: int = 0, data: int = 0x20000000) -> Place:
    """A Cortex-M board with nothing on it: semihosting opens its streams, and the processor's own table begins it."""
    emulator = "qemu-system-arm -display none -serial none -monitor none -semihosting-config enable=on,target=native"
    return Place(
        on,
        (*emulator.split(), "-machine", name, "-kernel"),
        words(2, "B50E 4669 BEAB BC0E 1A18 BD00"),
        (6, 5, 0x20),
        (1, 2, 0x20026),
        declared="""\
@vectors = constant [2 x ptr] [ptr inttoptr (i32 STACK to ptr), ptr @_start], section ".vectors"
@terminal = internal constant [4 x i8] c":tt\\00"
""".replace("STACK", str(data + 2**16)),
        first="""\
  store volatile i32 15728640, ptr inttoptr (i32 3758157192 to ptr) ; floating point on
  %terminal = ptrtoint ptr @terminal to i32
  %in = call i32 {ask}(i32 1, i32 %terminal, ptr null, i32 3)
  %out = call i32 {ask}(i32 1, i32 %terminal, ptr inttoptr (i32 4 to ptr), i32 3)
""",
        script="""\
SECTIONS {
  .vectors CODE : { KEEP(*(.vectors)) }
  .text : { *(.text*) }
  .rodata : { *(.rodata*) }
  .ARM.exidx : { *(.ARM.exidx*) }
  .bss DATA : { *(.bss*) }
}
""".replace("CODE", str(code)).replace("DATA", str(data)),
    )


UNIX = (63, 64, 93)
PLACES = {
    "aarch64": Place(
        MACHINES["aarch64"],
        ("qemu-aarch64",),
        words(4, "AA0003E8 AA0103E0 AA0203E1 AA0303E2 D4000001 D65F03C0"),
        UNIX,
    ),
    "riscv64": Place(
        MACHINES["riscv64"],
        ("qemu-riscv64",),
        words(4, "00050893 00058513 00060593 00068613 00000073 00008067"),
        UNIX,
    ),
    "riscv32": Place(
        MACHINES["riscv32"],
        ("qemu-riscv32",),
        words(4, "00050893 00058513 00060593 00068613 00000073 00008067"),
        UNIX,
    ),
    "armv7a": Place(
        MACHINES["armv7a"],
        ("qemu-arm",),
        words(4, "E92D4080 E1A07000 E1A00001 E1A01002 E1A02003 EF000000 E8BD8080"),
        (3, 4, 1),
    ),
    "x86_64": Place(
        MACHINES["x86_64"],
        () if platform.machine() == "x86_64" else ("qemu-x86_64",),
        bytes.fromhex("4889F8 4889F7 4889D6 4889CA 0F05 C3"),
        (0, 1, 60),
    ),
    "cortex-m4": board(MACHINES["thumbv7em-hf"], "mps2-an386"),
    "cortex-m4 softly called": board(MACHINES["thumbv7em"], "mps2-an386"),
    "cortex-m7": board(replace(MACHINES["thumbv7em-hf"], cpu="cortex-m7"), "mps2-an500"),
    "cortex-m33": board(MACHINES["thumbv8m"], "mps2-an505", 0x10000000, 0x38000000),
}
PAINTED = 4096

START = """
declare void @f({pointers})
declare ptr @llvm.stacksave.p0()
{declared}
@given = internal global [{given} x i8] zeroinitializer, align 16
@taken = internal global [{taken} x i8] zeroinitializer, align 16

@ask = internal constant [{length} x i8] [{code}], align 16

; marks the stack below the caller, or finds the lowest place that is not as it was marked
define internal ptr @painted(i1 %look) noinline nounwind {{
entry:
  %room = alloca [{painted} x i8], align 16
  br label %again
again:
  %k = phi i32 [ 0, %entry ], [ %next, %step ]
  %at = getelementptr i8, ptr %room, i32 %k
  br i1 %look, label %compare, label %mark
compare:
  %found = load volatile i8, ptr %at
  %same = icmp eq i8 %found, 90
  br i1 %same, label %step, label %done
mark:
  store volatile i8 90, ptr %at
  br label %step
step:
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, {painted}
  br i1 %more, label %again, label %done
done:
  ret ptr %at
}}

define void @_start() noreturn nounwind "stackrealign" {{
entry:
{first}
  br label %more
more:
  %filled = phi {word} [ 0, %entry ], [ 0, %answered ], [ %sum, %some ]
  %room = sub {word} {given}, %filled
  %place = getelementptr i8, ptr @given, {word} %filled
  %got = call {word} {ask}({word} {read}, {word} {stdin}, ptr %place, {word} %room)
  %end = icmp slt {word} %got, 1
  br i1 %end, label %exit, label %some
some:
  %sum = add {word} %filled, %got
  %whole = icmp eq {word} %sum, {given}
  br i1 %whole, label %answer, label %more
answer:
  %ignored = call ptr @painted(i1 false)
  %top = call ptr @llvm.stacksave.p0()
  call void @f({arguments})
  %lowest = call ptr @painted(i1 true)
  %a = ptrtoint ptr %top to i64
  %b = ptrtoint ptr %lowest to i64
  %depth = sub i64 %a, %b
  store i64 %depth, ptr getelementptr (i8, ptr @taken, i32 {results}), align 8
  %wrote = call {word} {ask}({word} {write}, {word} {stdout}, ptr @taken, {word} {taken})
  br label %answered
answered:
  br label %more
exit:
  %never = call {word} {ask}({word} {exit}, {word} {reason}, ptr null, {word} 0)
  unreachable
}}
"""


def start_text(place: Place, program: Program, single: bool) -> str:
    """A program that reads states, calls the function and writes the results and the depth of its stack."""
    size = NUMBERS[single].itemsize
    pointers, offset = [], 0
    for given in program.inputs:
        pointers.append(f"ptr getelementptr (i8, ptr @given, i32 {offset})")
        offset += given.size * size
    results = -(-len(program.outputs) * size // 8) * 8
    ask = f"getelementptr (i8, ptr @ask, i32 {int(place.thumb)})"
    read, write, leave = place.requests
    stdin, stdout, reason = place.streams
    return START.format(
        pointers=", ".join(["ptr"] * (len(pointers) + 1)), arguments=", ".join([*pointers, "ptr @taken"]),
        word=place.word, given=offset, results=results, taken=results + 8, painted=PAINTED,
        length=len(place.ask), code=", ".join(f"i8 {byte}" for byte in place.ask), ask=ask, read=read, write=write,
        exit=leave, stdin=stdin, stdout=stdout, reason=reason, declared=place.declared,
        first=place.first.format(ask=ask),
    )  # fmt: skip


def run(
    folder: Path, name: str, program: Program, single: bool, *inputs: np.ndarray
) -> tuple[np.ndarray, int, Built]:
    """Results for rows of inputs, on an emulated machine; the deepest stack; and what was run."""
    place = PLACES[name]
    for tool in ("ld.lld", *place.command[:1]):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    built = build(program, "f", place.machine, single)
    (folder / "f.o").write_bytes(built.code)
    (folder / "start.o").write_bytes(objects.emit(start_text(place, program, single), place.machine))
    (folder / "script").write_text(place.script)
    laid = ["-T", folder / "script"] if place.script else ["-N"]
    linked = ["ld.lld", *laid, "-o", folder / "program", folder / "start.o", folder / "f.o"]
    subprocess.run(linked, check=True, capture_output=True)
    dtype = NUMBERS[single]
    given = np.concatenate([np.asarray(x, dtype) for x in inputs], axis=1).tobytes()
    done = subprocess.run(
        [*place.command, folder / "program"], input=given, capture_output=True, check=True, timeout=60
    )
    size = dtype.itemsize * len(program.outputs)
    rows = np.frombuffer(done.stdout, np.uint8).reshape(len(inputs[0]), -1)
    results = np.ascontiguousarray(rows[:, :size]).view(dtype)
    depths = np.ascontiguousarray(rows[:, -8:]).view(np.int64)
    return results, int(depths.max()), built


DOUBLE = ("aarch64", "riscv64", "riscv32", "armv7a", "x86_64", "cortex-m7")
RUNS = [*((name, True) for name in PLACES), *((name, False) for name in DOUBLE)]
on_every_machine = pytest.mark.parametrize(("name", "single"), RUNS)


@pytest.mark.slow
@on_every_machine
def test_torques_on_the_machine_are_those_of_python(tmp_path: Path, name: str, single: bool) -> None:
    robot = strobe.load("puma560")
    states = robot.random_state(seed=1, batch=40)
    states[0][0] = 3e6  # beyond the short reduction
    states = tuple(x.astype(NUMBERS[single]).astype(float) for x in states)
    found, depth, built = run(tmp_path, name, dynamics("puma560"), single, *states)
    expected = robot.inverse_dynamics(*states)
    scale = abs(expected).max(axis=1, keepdims=True)
    assert (abs(found - expected) / scale).max() < (1e-6 if single else 1e-14)
    assert built.stack - 64 <= depth <= built.stack  # the last bytes of a frame may be left alone


@pytest.mark.slow
@on_every_machine
def test_every_operation_on_the_machine_is_that_of_numpy(tmp_path: Path, name: str, single: bool) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.uniform(-9.0, 9.0, (200, 1)).astype(NUMBERS[single]) for _ in range(2))
    found, _, _ = run(tmp_path, name, everything(), single, x, y)
    a, b = x[:, 0], y[:, 0]
    table = np.linspace(0.0, 1.0, 7) ** 2
    expected = [
        np.sin(a), np.cos(b), np.arctan2(a, b), np.tanh(a), np.sqrt(abs(a)), np.floor(b), np.minimum(a, b),
        np.maximum(a, b), np.where(a < b, a / b, a - b), b < a, table[np.minimum(abs(a), 6).astype(int)],
        a * b + a, -a,
    ]  # fmt: skip
    for k, column in enumerate(expected):
        np.testing.assert_allclose(
            found[:, k], column, rtol=16 * np.finfo(NUMBERS[single]).eps, err_msg=str(k)
        )


@pytest.mark.slow
@pytest.mark.parametrize(("name", "single"), [run for run in RUNS if run[0] not in ("aarch64", "x86_64")])
def test_machines_agree_to_the_bit_where_they_fuse_alike(tmp_path: Path, name: str, single: bool) -> None:
    states = strobe.load("stanford").random_state(seed=2, batch=20)
    first, _, _ = run(tmp_path, "aarch64", dynamics("stanford"), single, *states)
    second, _, _ = run(tmp_path, name, dynamics("stanford"), single, *states)
    assert (first == second).all()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "single", "most"), [("cortex-m4", True, 1.0), ("aarch64", False, 1.0)])
def test_sines_are_right_for_every_angle(tmp_path: Path, name: str, single: bool, most: float) -> None:
    """The largest error in units of the last place, against exact values."""
    rng = np.random.default_rng(5)
    top, dtype = (127, np.float32) if single else (1023, np.float64)
    sizes = np.concatenate([rng.uniform(-30, 12, 500), rng.uniform(12, top, 500)])
    x = (2.0**sizes * rng.choice([-1.0, 1.0], len(sizes))).astype(dtype)
    multiples = (np.arange(1, 300) * (np.pi / 2)).astype(dtype)
    worst = np.array(
        [16367173.0 * 2.0**72, 3.0e38] if single else [6381956970095103.0 * 2.0**797, 1.7e308], dtype
    )
    x = np.concatenate([x, multiples, worst])
    program = trace(lambda x: [sin(x[0]), cos(x[0])], {"x": 1}, (2,), Graph())
    found, _, _ = run(tmp_path, name, program, single, x[:, None])
    with mpmath.workdps(400):
        exact = [(mpmath.sin(mpmath.mpf(float(a))), mpmath.cos(mpmath.mpf(float(a)))) for a in x]
        errors = [
            float(
                abs(mpmath.mpf(float(value)) - true)
                / mpmath.mpf(float(np.spacing(abs(dtype(float(true))))))
            )
            for row, pair in zip(found, exact, strict=True)
            for value, true in zip(row, pair, strict=True)
        ]
    assert max(errors) < most


def test_what_is_no_angle_gives_nan_and_zeros_keep_their_signs(tmp_path: Path) -> None:
    x = np.array([np.inf, -np.inf, np.nan, -0.0, 0.0])
    program = trace(lambda x: [sin(x[0]), cos(x[0]), tanh(x[0])], {"x": 1}, (3,), Graph())
    for name, single in (("cortex-m4", True), ("riscv64", False)):
        found, _, _ = run(tmp_path, name, program, single, x[:, None])
        assert np.isnan(found[:3, :2]).all()
        assert found[:2, 2].tolist() == [1.0, -1.0]
        assert np.signbit(found[3:, 0]).tolist() == [True, False]
        assert np.signbit(found[3:, 2]).tolist() == [True, False]
        assert (found[3:, 1] == 1.0).all()
