"""The width of vectors: measured once per processor, asked for by name, and of no consequence for any result."""

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen.llvm import module
from strobe.compiler.runtime import cache, jit, width
from strobe.compiler.runtime.gufunc import gufunc
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.processor import PROCESSOR
from strobe.errors import ArgumentError
from strobe.quantities import Request


@pytest.fixture
def wide(monkeypatch):
    """A processor with vectors of 512 bits on which those of 256 are faster; the measurements made of it."""
    made = []
    monkeypatch.delenv("STROBE_WIDTH", raising=False)
    monkeypatch.setattr(jit, "widest", lambda: 512)
    monkeypatch.setattr(width, "faster", lambda single: made.append(single) or 256)
    return made


def test_the_first_large_batch_measures_and_all_later_kernels_know(folder, wide):
    assert width.bits() == 512
    assert width.bits(states=width.MANY - 1) == 512
    assert wide == []
    assert width.bits(states=width.MANY) == 256
    assert width.bits() == width.bits(states=10**6) == 256
    assert wide == [False]
    assert width.target().width == 4


def test_single_precision_is_measured_by_itself(folder, wide):
    assert width.bits(False, width.MANY) == 256
    assert width.bits(True) == 512
    assert width.bits(True, width.MANY) == 256
    assert wide == [False, True]
    assert width.target(True).width == 8


def test_a_damaged_record_is_measured_again(folder, wide):
    width.bits(states=width.MANY)
    (record,) = folder.iterdir()
    record.write_bytes(record.read_bytes()[:-1])
    assert width.bits() == 512
    assert width.bits(states=width.MANY) == 256
    assert wide == [False, False]


def test_without_a_folder_to_remember_it_nothing_is_measured(wide, monkeypatch, forgetful):
    monkeypatch.setenv("STROBE_CACHE", "off")
    assert width.bits(states=10**6) == 512
    assert wide == []


def test_a_processor_with_one_width_is_not_measured(folder, wide, monkeypatch):
    monkeypatch.setattr(jit, "widest", lambda: 256)
    assert width.bits(states=10**6) == 256
    assert wide == []
    assert not folder.exists() or not list(folder.iterdir())


@pytest.mark.parametrize("text", ["128", "2"])
def test_the_environment_decides_before_any_measurement(folder, wide, monkeypatch, text):
    monkeypatch.setenv("STROBE_WIDTH", text)
    assert width.bits(states=10**6) == 128
    assert [width.target(single).width for single in (False, True)] == [2, 4]
    assert wide == []


@pytest.mark.parametrize("text", ["64", "wide", "-256", "1024"])
def test_a_width_that_there_is_not_is_refused(wide, monkeypatch, text):
    monkeypatch.setenv("STROBE_WIDTH", text)
    with pytest.raises(ArgumentError) as error:
        width.bits()
    assert str(error.value) == (
        f'STROBE_WIDTH is "{text}"; expected bits of a vector of this processor: 128, 256, 512.'
    )


@pytest.mark.parametrize(
    ("narrow", "broad", "chosen"),
    [
        ([9.0, 9.4], [10.0, 10.2], 256),
        ([9.7, 9.8], [10.0, 10.2], 512),  # a difference that may be noise
        ([9.0, 30.0], [10.0, 10.1], 256),  # a round that something disturbed
        ([12.0, 12.0], [10.0, 99.0], 512),
    ],
)
def test_narrower_vectors_must_be_clearly_faster(monkeypatch, narrow, broad, chosen):
    times = {256: iter(narrow), 512: iter(broad)}
    monkeypatch.setattr(width, "ROUNDS", 2)
    monkeypatch.setattr(width, "_timed", lambda program, target: lambda: next(times[64 * target.width]))
    assert width.faster(single=False) == chosen


@pytest.mark.parametrize("single", [False, True])
def test_this_processor_can_be_measured(single):
    assert width.faster(single) in (256, 512)


def test_a_large_batch_takes_the_width_that_was_measured(folder, wide):
    arm = strobe.load("planar2")
    q, qd, qdd = arm.random_state(seed=1, batch=width.MANY)
    one = arm.inverse_dynamics(q[0], qd[0], qdd[0])  # compiled before anything was measured
    assert wide == []
    fresh = strobe.load("planar2")
    assert np.array_equal(fresh.inverse_dynamics(q, qd, qdd)[0], one)
    assert wide == [False]
    name = cache.key(
        PROCESSOR.key,
        Kernel(arm.model, Request("inverse_dynamics")).fingerprint(),
        repr(jit.host_target(False, 4)),
        "strobe.compiler.codegen.llvm.module",
    )
    assert cache.known(name)


@pytest.mark.parametrize(
    ("robot", "quantity"),
    [("puma560", "inverse_dynamics"), ("spherical3", "forward_dynamics"), ("planar3", "jacobian")],
)
@pytest.mark.parametrize("single", [False, True])
def test_every_width_computes_the_same_bits(robot, quantity, single):
    arm = strobe.load(robot)
    kernel = Kernel(arm.model, Request(quantity))
    states = arm.random_state(seed=2, batch=37)[: len(kernel.inputs)]
    states = [x.astype(np.float32 if single else np.float64) for x in states]
    states[0][3] = np.nan, 1e9, -np.inf, *[0.1] * (arm.n - 3)
    text = ",".join(f"({size})" for size in kernel.inputs.values())
    signature = f"{text}->({','.join(map(str, kernel.shape))})"
    results = []
    for bits in (128, 256, 512):
        code = jit.compile_ir(module(kernel.program, width._target(single, bits)))
        f = gufunc("f", "", signature, [(code.address, single)], len(states), code)
        with np.errstate(all="ignore"):
            results.append(f(*states))
    assert np.array_equal(results[0], results[1], equal_nan=True)
    assert np.array_equal(results[0], results[2], equal_nan=True)
