"""A second device, written here alone: another language, another kind of array, no line of the first one touched."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen.js import number
from strobe.compiler.codegen.walk import NUMBER, Walk
from strobe.compiler.runtime import cache
from strobe.compiler.runtime.device import INTERPRETER, Device
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.processor import PROCESSOR
from strobe.errors import ArgumentError, DtypeError, ShapeError, UnsupportedOperationError
from strobe.quantities import Request
from strobe.scalars import Node, floor

# -- the language: Python's own arithmetic ----------------------------------------------------------

OPERATIONS = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}", "neg": "-{}",
    "sin": "sin({})", "cos": "cos({})", "sqrt": "sqrt({})", "atan2": "atan2({}, {})", "tanh": "tanh({})",
    "abs": "abs({})", "min": "min({}, {})", "max": "max({}, {})",
    "less": "float({} < {})", "where": "{1} if {0} else {2}",
}  # fmt: skip


class Lines(Walk[str]):
    language, table = "Python", OPERATIONS

    def __init__(self, program: Any) -> None:
        super().__init__(program)
        self.lines: list[str] = []

    def number(self, value: float) -> str:
        return number(value)

    def read(self, entry: str) -> str:
        return entry

    def written(self, op: str, *args: Any) -> str:
        return OPERATIONS[op].format(*args)

    def keep(self, node: Node, value: str, kind: str = NUMBER) -> str:
        self.lines.append(f"t{node.index} = {value}")
        return f"t{node.index}"


def source(program: Any) -> str:
    body = Lines(program)
    results = ", ".join(body.results())
    return "\n".join([*body.lines, f"out = [{results}]"])


# -- the arrays and the device ----------------------------------------------------------------------


@dataclass(frozen=True)
class Tape:
    """Numbers one after another, and how many make a state: nothing that NumPy knows."""

    numbers: tuple[float, ...]
    size: int

    def states(self) -> list[tuple[float, ...]]:
        return [self.numbers[k : k + self.size] for k in range(0, len(self.numbers), self.size)]


class Abacus(Device):
    """Computes state by state on Python's floats."""

    name = "abacus"

    def arrays(self, values: Mapping[str, Any], sizes: Mapping[str, int], why: str) -> dict[str, Tape]:
        for name, size in sizes.items():
            if not isinstance(values[name], Tape):
                raise DtypeError(name, f"a {type(values[name]).__name__}, where an abacus takes tapes")
            if values[name].size != size:
                raise ShapeError(name, (values[name].size,), f"({size},)", why)
        return {name: values[name] for name in sizes}

    def numpy(self, array: Tape) -> np.ndarray:
        return np.array(array.states())

    def code(self, kernel: Kernel) -> Callable[..., Tape]:
        key = cache.key(self.key, kernel.fingerprint())
        entry = cache.fetch(key, lambda: cache.Entry(0, source(kernel.program).encode()))
        lines = compile(entry.code, kernel.name, "exec")

        def call(arrays: Mapping[str, Tape], out: Any = None, threads: Any = None) -> Tape:
            found: list[float] = []
            for state in zip(*(tape.states() for tape in arrays.values()), strict=True):
                scope = {**vars(math), **dict(zip(arrays, state, strict=True))}
                exec(lines, scope)
                found += scope["out"]
            return Tape(tuple(found), math.prod(kernel.shape))

        return call


ABACUS = Abacus()


def tape(array: np.ndarray) -> Tape:
    return Tape(tuple(array.ravel().tolist()), array.shape[-1])


@pytest.fixture
def robot() -> strobe.Robot:
    return strobe.load("panda")


def test_quantities_run_on_another_device_with_arrays_of_its_own(robot: strobe.Robot) -> None:
    q, qd, qdd = robot.random_state(seed=1, batch=3)
    counted: Any = robot.to(ABACUS)
    tau = counted.inverse_dynamics(tape(q), tape(qd), tape(qdd))
    assert isinstance(tau, Tape)
    np.testing.assert_allclose(tau.states(), robot.inverse_dynamics(q, qd, qdd), rtol=1e-12, atol=1e-12)
    M = counted.mass_matrix(tape(q))
    np.testing.assert_allclose(
        np.reshape(M.states(), (3, 7, 7)), robot.mass_matrix(q), rtol=1e-12, atol=1e-14
    )
    found = counted.forward_dynamics(tape(q), tape(qd), tau)
    np.testing.assert_allclose(found.states(), qdd, rtol=1e-6, atol=1e-8)


def test_the_first_device_is_left_as_it_was(robot: strobe.Robot) -> None:
    q, qd, qdd = robot.random_state(seed=1)
    before = robot.inverse_dynamics(q, qd, qdd)
    robot.to(ABACUS).inverse_dynamics(*map(tape, (q, qd, qdd)))
    assert robot.device is PROCESSOR
    for _ in range(3):
        assert np.array_equal(robot.inverse_dynamics(q, qd, qdd), before)
    assert np.array_equal(robot.to(ABACUS).to(PROCESSOR).inverse_dynamics(q, qd, qdd), before)


def test_a_device_checks_what_it_is_given(robot: strobe.Robot) -> None:
    q, qd, qdd = robot.random_state(seed=1)
    with pytest.raises(DtypeError, match="q holds a ndarray, where an abacus takes tapes"):
        robot.to(ABACUS).inverse_dynamics(q, tape(qd), tape(qdd))
    with pytest.raises(ShapeError, match=r"qd has shape \(6,\); .*expected \(7,\)"):
        robot.to(ABACUS).inverse_dynamics(tape(q), tape(qd[:6]), tape(qdd))


def test_orientations_are_looked_at_on_every_device() -> None:
    free = strobe.load("planar2").with_base("floating").to(ABACUS)
    q, qd, _ = free.random_state(seed=1)
    assert free.mass_matrix(tape(q)).size == 64
    with pytest.raises(ArgumentError, match="has a quaternion of length 2"):
        free.mass_matrix(tape(np.where(np.arange(9) < 7, 2.0, 1.0) * q))
    assert qd.shape == (8,)


def test_robots_kernels_and_edits_keep_their_device(robot: strobe.Robot) -> None:
    q = np.linspace(0.1, 0.7, 7)
    counted = pickle.loads(pickle.dumps(robot.to(ABACUS)))
    assert counted.device == ABACUS
    assert counted.lock({"joint7": 0.0}).device == ABACUS
    kernel = pickle.loads(pickle.dumps(counted.kernel(Request("gravity"))))
    np.testing.assert_allclose(kernel({"q": tape(q)}).states()[0], robot.gravity(q), rtol=1e-12, atol=1e-12)
    assert strobe.Robot(robot.model, device=ABACUS).compile("gravity").device == ABACUS


def test_code_on_disk_has_its_device_in_its_name(robot: strobe.Robot) -> None:
    print_ = robot.kernel(Request("gravity")).fingerprint()
    assert print_ == robot.to(ABACUS).kernel(Request("gravity")).fingerprint()
    assert cache.key(ABACUS.key, print_) != cache.key(PROCESSOR.key, print_)


def test_a_language_without_an_operation_says_which(robot: strobe.Robot) -> None:
    limited = strobe.trace(lambda x: [floor(x[0])], x=1)
    with pytest.raises(UnsupportedOperationError, match="Python cannot do floor: its table"):
        source(limited.program)


def test_an_interpreted_robot_is_one_on_the_interpreter(robot: strobe.Robot) -> None:
    plain = strobe.Robot(robot.model, compiled=False)
    assert plain.device is INTERPRETER
    assert not plain.compiled
    assert strobe.Robot(robot.model, device=INTERPRETER).compiled is False
    assert pickle.loads(pickle.dumps(plain)).compiled is False


def test_what_is_no_device_is_refused_by_name(robot: strobe.Robot) -> None:
    for wrong in ("abacus", "cuda:", "cuda:x", 3):
        with pytest.raises(
            ArgumentError, match=f"device is {wrong!r}; expected processor, interpreter, cuda, cuda:0"
        ):
            robot.to(wrong)  # pyright: ignore[reportArgumentType]
    other: Any = object()
    with pytest.raises(ArgumentError, match="or a Device of strobe.compiler.runtime.device"):
        strobe.Robot(robot.model, device=other)


def test_devices_have_names(robot: strobe.Robot) -> None:
    assert robot.to("processor").device is PROCESSOR
    assert robot.to("interpreter").device is INTERPRETER
    assert repr(robot.to("cuda:1").device) == "<cuda:1>"
    assert pickle.loads(pickle.dumps(robot.to("cuda"))).device == robot.to("cuda").device
