"""Robots on a card, against a driver that has none: everything but the card itself is the real thing.

The stand-in runs the twin of a kernel, the same text for this processor, and does late what is asynchronous.
"""

from __future__ import annotations

import ctypes
import json
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen.llvm_cuda import twin
from strobe.compiler.codegen.llvm_cuda_march import march_twin
from strobe.compiler.runtime import (
    cache,
    cuda,
    cuda_arrays,
    cuda_dlpack,
    cuda_driver,
    cuda_host,
    cuda_marching,
    cuda_search,
    jit,
    ptx,
)
from strobe.compiler.runtime.cuda import Cuda
from strobe.compiler.runtime.cuda_arrays import OnCard
from strobe.errors import ArgumentError, CardError, DtypeError, ShapeError
from strobe.simulate.rollout import Rollout

pytestmark = [
    pytest.mark.numeric,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="the stand-in for a driver is built with gcc"),
    pytest.mark.skipif(
        sys.platform != "linux", reason="the stand-in for a driver is a shared object of Linux"
    ),
]

RUNNER = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, *[ctypes.c_uint] * 3, ctypes.c_void_p)


def pull(q: Any, qd: Any, target: Any) -> list[Any]:
    return [2.0 * (t - x) - 0.02 * v for x, v, t in zip(q, qd, target, strict=True)]


def spent(q: Any, tau: Any) -> list[Any]:
    return [q[0] * q[0] + sum((t * t for t in tau), 0.0)]


class StandIn:
    """The driver, what it was told, and what runs its kernels."""

    def __init__(self, library: Path) -> None:
        self.path = str(library)
        self.library = ctypes.CDLL(self.path)
        self.library.standin_trouble.restype = ctypes.c_char_p
        self.runner = RUNNER(self._run)
        self.known: dict[bytes, tuple[Any, Any, Any]] = {}
        self.code: dict[bytes, Any] = {}
        self.slow: Callable[[Any], float] = lambda form: 1.0  # milliseconds of a launch
        self.library.standin_pass.argtypes = [ctypes.c_double]
        self.launches: list[tuple[Any, int, int, int]] = []
        self.reset()

    def reset(self, cards: int = 1, memory: int = 2**32) -> None:
        self.library.standin_reset(cards, ctypes.c_size_t(memory), self.runner)
        self.launches.clear()
        self.slow = lambda form: 1.0

    def count(self, name: str) -> int:
        return self.library.standin_count(name.encode())

    @property
    def trouble(self) -> str:
        return self.library.standin_trouble().decode()

    def _run(self, text: bytes, name: bytes, blocks: int, threads: int, shared: int, params: int) -> None:
        form, twin_of, taken = self.known[text]
        if text not in self.code:
            self.code[text] = jit.compile_ir(twin_of(), "kernel")
        self.launches.append((form, blocks, threads, shared))
        self.library.standin_pass(self.slow(form))
        places = (ctypes.c_void_p * 61).from_address(params)
        words = [kind.from_address(place) for kind, place in zip(taken, places, strict=False)]
        ctypes.CFUNCTYPE(None, *taken)(self.code[text].address)(*(word.value for word in words))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).with_name("driver_of_a_card.c")
    built = tmp_path_factory.mktemp("a driver") / "libcuda.so"
    told = [
        "gcc",
        "-std=gnu11",
        "-O1",
        "-Wall",
        "-Werror",
        "-shared",
        "-fPIC",
        str(source),
        "-o",
        str(built),
    ]
    subprocess.run(told, check=True)
    return built


@pytest.fixture(scope="module")
def shared_stand_in(library: Path) -> StandIn:
    return StandIn(library)


KNOWN = (cuda_driver.driver, cuda_driver.card, cuda_host.lanes)


@pytest.fixture
def driver(shared_stand_in: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    stand_in = shared_stand_in
    stand_in.reset()
    monkeypatch.setattr(cuda_driver, "LIBRARY", stand_in.path)
    last: list[Any] = []
    module, march_module, made = cuda.module, cuda_marching.march_module, ptx.ptx
    number, place, short = ctypes.c_int64, ctypes.c_void_p, ctypes.c_int32

    def text(program: Any, name: str, form: Any) -> str:
        words = [number, *[place, number, short] * (len(program.inputs) + 1)]
        last[:] = [(form, lambda: twin(program, name, form), words)]
        return module(program, name, form)

    def march_text(program: Any, name: str, march: Any, form: Any) -> str:
        words = [number] * 3 + [place, number, number, short] * (march.argument(len(program.inputs)) + 1)
        last[:] = [(form, lambda: march_twin(program, name, march, form), words)]
        return march_module(program, name, march, form)

    def told(ir: str) -> str:
        code = made(ir)
        stand_in.known[code.encode()] = last[0]
        return code

    monkeypatch.setattr(cuda, "module", text)
    monkeypatch.setattr(cuda_marching, "march_module", march_text)
    monkeypatch.setattr(ptx, "ptx", told)
    for cached in KNOWN:
        cached.cache_clear()
    yield stand_in
    assert not stand_in.trouble
    for cached in KNOWN:
        cached.cache_clear()


@pytest.fixture(scope="module")
def robot() -> strobe.Robot:
    return strobe.load("panda")


def there(array: np.ndarray, *, columns: bool = False, on: int = 0) -> OnCard:
    return cuda_arrays.sent(array, on, columns=columns)


# -- what is computed -------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arrays_on_a_card_are_answered_there(
    driver: StandIn, robot: strobe.Robot, dtype: Any, columns: bool
) -> None:
    states = [x.astype(dtype) for x in robot.random_state(seed=1, batch=200)]
    tau: Any = robot.to("cuda").inverse_dynamics(*(there(x, columns=columns) for x in states))
    assert isinstance(tau, OnCard)
    assert tau.steps == ((1, 200) if columns else (7, 1))
    expected = robot.inverse_dynamics(*states)
    tolerance = 1e-12 if dtype is np.float64 else 1e-5 * np.abs(expected).max()
    np.testing.assert_allclose(tau.numpy(), expected, rtol=0, atol=tolerance)
    ((form, blocks, threads, _),) = driver.launches
    assert form.layout == ("columns" if columns else "rows")
    assert form.states == (2 if columns and dtype is np.float32 else 1)
    assert blocks * threads * form.states >= 200


def test_nothing_waits_and_nothing_is_copied(driver: StandIn, robot: strobe.Robot) -> None:
    states = [there(x) for x in robot.random_state(seed=1, batch=50)]
    fast = robot.to("cuda")
    fast.inverse_dynamics(*states)
    driver.reset()
    out = OnCard(0, (50, 7), False)
    assert fast.inverse_dynamics(*states, out=out) is out
    assert driver.count("cuLaunchKernel") == 1
    for name in (
        "cuStreamSynchronize",
        "cuCtxSynchronize",
        "cuMemcpyDtoH_v2",
        "cuMemcpyHtoD_v2",
        "cuModuleLoadDataEx",
    ):
        assert driver.count(name) == 0
    assert driver.launches == []  # it is late
    np.testing.assert_allclose(
        out.numpy(), robot.inverse_dynamics(*(x.numpy() for x in states)), atol=1e-12
    )


@pytest.mark.parametrize(
    "quantity", ["forward_dynamics", "mass_matrix", "forward_kinematics", "energy", "jacobian"]
)
def test_every_quantity_goes_the_same_way(driver: StandIn, robot: strobe.Robot, quantity: str) -> None:
    q, qd, qdd = robot.random_state(seed=2, batch=33)
    of = {"mass_matrix": 1, "forward_kinematics": 1, "jacobian": 1, "energy": 2}.get(quantity, 3)
    expected = getattr(robot, quantity)(*(q, qd, qdd)[:of])
    found = getattr(robot.to("cuda"), quantity)(*(there(x) for x in (q, qd, qdd)[:of]))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-12)


def test_axes_in_front_loads_and_single_states_are_taken(driver: StandIn, robot: strobe.Robot) -> None:
    q, qd, qdd = robot.random_state(seed=3, batch=24)
    fast = robot.to("cuda")
    cubes = [there(x.reshape(2, 3, 4, 7)) for x in (q, qd, qdd)]
    gravity, wrench = [0.0, 1.0, -9.0], np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    found = fast.inverse_dynamics(*cubes, gravity=gravity, wrench=wrench)
    expected = robot.inverse_dynamics(q, qd, qdd, gravity=gravity, wrench=wrench)
    np.testing.assert_allclose(found.numpy(), expected.reshape(2, 3, 4, 7), rtol=1e-12, atol=1e-12)
    one = fast.inverse_dynamics(*(there(x[0]) for x in (q, qd, qdd)))
    np.testing.assert_allclose(
        one.numpy(), robot.inverse_dynamics(q[0], qd[0], qdd[0]), rtol=1e-12, atol=1e-12
    )
    mixed = fast.inverse_dynamics(there(q), there(qd[0]), there(qdd))
    np.testing.assert_allclose(mixed.numpy(), robot.inverse_dynamics(q, qd[0], qdd), rtol=1e-12, atol=1e-12)


def test_no_states_are_no_launch(driver: StandIn, robot: strobe.Robot) -> None:
    none = robot.to("cuda").inverse_dynamics(*[there(np.empty((0, 7)))] * 3)
    assert none.shape == (0, 7)
    assert robot.to("cuda").inverse_dynamics(*[np.empty((0, 7))] * 3).shape == (0, 7)
    assert driver.count("cuLaunchKernel") == 0


def test_slices_are_taken_as_they_lie(driver: StandIn, robot: strobe.Robot) -> None:
    q, qd, qdd = robot.random_state(seed=4, batch=40)
    wide = there(np.concatenate([q, qd], axis=1))

    class Part:
        def __init__(self, first: int) -> None:
            told = wide.__cuda_array_interface__
            place = told["data"][0] + 8 * first
            self.__cuda_array_interface__ = told | {"shape": (40, 7), "data": (place, False)}

    found = robot.to("cuda").inverse_dynamics(Part(0), Part(7), there(qdd))
    np.testing.assert_allclose(found.numpy(), robot.inverse_dynamics(q, qd, qdd), rtol=1e-12, atol=1e-12)
    assert driver.launches[-1][0].layout == "strided"


def test_single_precision_eliminates_in_double_unless_told(driver: StandIn, robot: strobe.Robot) -> None:
    states = [x.astype(np.float32) for x in robot.random_state(seed=5, batch=40)]
    arrays = [there(x) for x in states]
    exact = robot.forward_dynamics(*(x.astype(float) for x in states))
    for elimination in ("double", "single"):
        found: Any = robot.to(Cuda(elimination=elimination)).forward_dynamics(*arrays)
        np.testing.assert_allclose(found.numpy(), exact, rtol=0, atol=2e-5 * np.abs(exact).max())
        assert driver.launches[-1][0].wide is (elimination == "double")


def test_a_floating_robot_is_not_waited_for(driver: StandIn) -> None:
    free = strobe.load("planar2").with_base("floating")
    q, qd, _ = free.random_state(seed=1, batch=20)
    bias: Any = free.to("cuda").bias(there(q), there(qd))
    assert driver.count("cuMemcpyDtoH_v2") == 0
    np.testing.assert_allclose(bias.numpy(), free.bias(q, qd), rtol=1e-12, atol=1e-12)


# -- host arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 5, 1000, 4001])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_host_arrays_go_in_parts(
    driver: StandIn, robot: strobe.Robot, monkeypatch: pytest.MonkeyPatch, dtype: Any, batch: int
) -> None:
    monkeypatch.setattr(cuda_host, "PART", 2**15)
    states = [x.astype(dtype) for x in robot.random_state(seed=6, batch=batch)]
    tau = robot.to("cuda").inverse_dynamics(*states)
    assert isinstance(tau, np.ndarray)
    assert tau.dtype == dtype
    expected = robot.inverse_dynamics(*states)
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-12 if dtype is np.float64 else 1e-4)
    part = 2**15 // (28 * np.dtype(dtype).itemsize)
    assert len(driver.launches) == -(-batch // part)
    assert driver.count("cuMemHostAlloc") <= cuda_host.LANES * 2


def test_host_arrays_may_be_anything_that_numpy_takes(driver: StandIn, robot: strobe.Robot) -> None:
    q, qd, qdd = robot.random_state(seed=7, batch=12)
    fast = robot.to("cuda")
    out = np.empty((12, 7))
    assert fast.inverse_dynamics(q, qd, qdd, gravity=[0, 0, -5], out=out) is out
    np.testing.assert_allclose(
        out, robot.inverse_dynamics(q, qd, qdd, gravity=[0, 0, -5]), rtol=1e-12, atol=1e-12
    )
    over = fast.inverse_dynamics(q, qd, qdd, out=qdd)
    assert over is qdd
    states = [x.reshape(3, 4, 7)[:, ::2] for x in robot.random_state(seed=7, batch=12)]
    np.testing.assert_allclose(
        fast.inverse_dynamics(*states), robot.inverse_dynamics(*states), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(fast.gravity(q[0].tolist()), robot.gravity(q[0]), rtol=1e-12, atol=1e-12)


# -- sentences ------------------------------------------------------------------------------------------


def test_what_does_not_fit_is_a_sentence(driver: StandIn, robot: strobe.Robot) -> None:
    fast: Any = robot.to("cuda")
    q, qd, qdd = robot.random_state(seed=1, batch=4)
    a, b, c = there(q), there(qd), there(qdd)
    with pytest.raises(ArgumentError, match="qd is in this machine's memory and q on card 0: bring all"):
        fast.inverse_dynamics(a, qd, c)
    with pytest.raises(
        DtypeError, match="qd holds float32 and q float64: on a card all arrays of a call have one"
    ):
        fast.inverse_dynamics(a, there(qd.astype(np.float32)), c)
    with pytest.raises(
        DtypeError, match=r"q holds <i8, where a card computes float32 and float64: convert it"
    ):
        fast.gravity(Int(a))
    with pytest.raises(ShapeError, match=r"qd has shape \(4, 6\); panda has 7 joints, expected \(..., 7\)"):
        fast.inverse_dynamics(a, there(qd[:, :6].copy()), c)
    with pytest.raises(ArgumentError, match="the leading axes do not broadcast"):
        fast.inverse_dynamics(a, there(qd[:3]), c)
    with pytest.raises(ArgumentError, match="threads= is for this processor"):
        fast.inverse_dynamics(a, b, c, threads=2)
    with pytest.raises(ShapeError, match="out has shape"):
        fast.inverse_dynamics(a, b, c, out=there(q[:3]))
    with pytest.raises(ArgumentError, match="out is a ndarray; expected an array of shape"):
        fast.inverse_dynamics(a, b, c, out=np.empty((4, 7)))
    with pytest.raises(
        ArgumentError, match="out lies over qd: on a card states are written while others are read"
    ):
        fast.inverse_dynamics(a, b, c, out=b)


class Int:
    """An array of integers on a card."""

    def __init__(self, like: OnCard) -> None:
        self.__cuda_array_interface__ = like.__cuda_array_interface__ | {"typestr": "<i8"}


def test_arrays_of_another_card_are_refused(driver: StandIn, robot: strobe.Robot) -> None:
    driver.reset(cards=2)
    q, qd, qdd = robot.random_state(seed=1, batch=4)
    on_second = [there(x, on=1) for x in (q, qd, qdd)]
    with pytest.raises(
        ArgumentError, match=r'q is on card 1, and the robot on card 0: take robot.to\("cuda:1"\)'
    ):
        robot.to("cuda:0").inverse_dynamics(*on_second)
    with pytest.raises(ArgumentError, match="q is on card 1 and qd on card 0: bring all arrays"):
        robot.to("cuda").inverse_dynamics(on_second[0], there(qd), on_second[2])
    found: Any = robot.to("cuda").inverse_dynamics(*on_second)
    assert found.card == 1
    np.testing.assert_allclose(found.numpy(), robot.inverse_dynamics(q, qd, qdd), rtol=1e-12, atol=1e-12)
    with pytest.raises(ArgumentError, match="there is no card 7: this machine has 2 cards, from 0"):
        robot.to("cuda:7").inverse_dynamics(q, qd, qdd)


def test_too_little_memory_is_a_sentence(driver: StandIn, robot: strobe.Robot) -> None:
    arrays = [there(x) for x in robot.random_state(seed=1, batch=4)]
    driver.reset(memory=2**7)  # less than the result takes
    with pytest.raises(
        CardError, match=r"a result of shape \(4, 7\) needs .* GB on Stand-in 0, of whose .* are free"
    ):
        robot.to("cuda").inverse_dynamics(*arrays)


def test_no_card_and_no_driver_are_sentences(
    driver: StandIn, robot: strobe.Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    q = np.zeros(7)
    driver.reset(cards=0)
    with pytest.raises(CardError, match="the driver finds no NVIDIA card"):
        robot.to("cuda").gravity(q)
    cuda_driver.driver.cache_clear()
    monkeypatch.setattr(cuda_driver, "LIBRARY", "libno-driver.so.1")
    with pytest.raises(CardError, match="there is no driver of an NVIDIA card here"):
        robot.to("cuda").gravity(q)


# -- code made elsewhere ----------------------------------------------------------------------------------


def test_code_made_elsewhere_runs_without_llvm(
    driver: StandIn, robot: strobe.Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot.to("cuda").compile("inverse_dynamics", "gravity")
    assert driver.count("cuInit") == 0
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    carried: Any = pickle.loads(pickle.dumps(robot.to("cuda")))
    states = robot.random_state(seed=1, batch=10)
    for columns in (False, True):
        tau = carried.inverse_dynamics(*(there(x, columns=columns) for x in states))
        np.testing.assert_allclose(tau.numpy(), robot.inverse_dynamics(*states), rtol=1e-12, atol=1e-12)
    with pytest.raises(
        CardError, match="mass_matrix of panda has no code for cards in the folder of STROBE_CACHE"
    ):
        carried.mass_matrix(there(states[0]))


def test_the_name_of_code_for_cards_tells_nothing_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache.portable_key("cuda", "a")
    monkeypatch.setattr(np, "__version__", "0")
    monkeypatch.setattr(sys, "version", "0")
    assert cache.portable_key("cuda", "a") == before != cache.portable_key("cuda", "b")


def test_angles_that_went_the_long_way_are_told(driver: StandIn, robot: strobe.Robot) -> None:
    q = np.zeros((3, 7))
    fast: Any = robot.to("cuda")
    fast.gravity(there(q))
    kernel = fast.kernel(fast.request("gravity"))
    (((form, number), function),) = kernel.code.functions.items()
    assert cuda_driver.card(number).far(function, reset=True) == 0


def test_memory_is_given_back(driver: StandIn, robot: strobe.Robot) -> None:
    before = driver.library.standin_pieces()
    held = there(np.zeros((5, 7)))
    assert driver.library.standin_pieces() == before + 1
    assert "float64 (5, 7) on card 0" in repr(held)
    del held
    assert driver.library.standin_pieces() == before


def test_a_capsule_hands_an_array_over_and_keeps_it_alive() -> None:
    numbers = np.arange(6.0).reshape(2, 3)

    class Ours:
        def __dlpack_device__(self) -> tuple[int, int]:
            return cuda_dlpack.CPU, 0

        def __dlpack__(self, **_: Any) -> Any:
            place, steps = numbers.ctypes.data, cuda_arrays.steps_of((2, 3))
            return cuda_dlpack.capsule(self, place, *self.__dlpack_device__(), (2, 3), steps, 64)

    before = len(cuda_dlpack._held)
    taken = np.from_dlpack(Ours())
    assert len(cuda_dlpack._held) == before + 1
    assert np.array_equal(taken, numbers)
    assert np.shares_memory(taken, numbers)
    Ours().__dlpack__()  # that nobody takes
    del taken
    assert len(cuda_dlpack._held) == before


def test_parts_of_an_array_lie_where_it_does(driver: StandIn) -> None:
    numbers = np.arange(24.0).reshape(4, 3, 2)
    before = driver.library.standin_pieces()
    held = there(numbers, columns=True)
    for index in (
        1,
        (slice(None), 2),
        (..., 0, slice(None)),
        (slice(1, None, 2),),
        (slice(None, None, -1), 0),
    ):
        assert np.array_equal(held[index].numpy(), numbers[index])
    with pytest.raises(ArgumentError, match="arrays on a card are cut by whole numbers, slices"):
        held[[0, 1]]
    part = held[0][1:]
    del held
    assert np.array_equal(part.numpy(), numbers[0][1:])
    del part
    assert driver.library.standin_pieces() == before


def test_tensors_on_a_card_are_its_own_unless_gradients_are_asked_for() -> None:
    def tensor(where: str, gradient: bool) -> Any:
        kind = type("Tensor", (), {"__module__": "torch", "requires_grad": gradient})
        made: Any = kind()
        made.device = type("device", (), {"type": where})()
        return made

    card = Cuda()
    assert card.takes([tensor("cuda", False), 1.0])
    assert not card.takes([tensor("cuda", False), tensor("cuda", True)])
    assert not card.takes([tensor("cpu", False)])
    assert not strobe.load("planar2").device.takes([tensor("cuda", False)])


@pytest.fixture
def tensors_there(driver: StandIn, monkeypatch: pytest.MonkeyPatch) -> Any:
    """PyTorch whose tensors are on the card: memory of this machine is what the stand-in has too."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra torch)")
    from strobe.torch import border

    def whose(value: Any) -> str:
        return "torch" if isinstance(value, torch.Tensor) else ""

    def read(name: str, x: Any) -> cuda_arrays.Lying:
        single = x.dtype == torch.float32
        return cuda_arrays.Lying(x, "torch", x.data_ptr(), tuple(x.shape), tuple(x.stride()), single, 0, 0)

    def answer(question: Any, tensors: Any) -> Any:
        found = border.on_its_card(question, tensors)
        cuda_driver.card(0).wait(0)  # PyTorch here knows no stream, and reads at once
        return found

    monkeypatch.setattr(cuda_arrays, "library", whose)
    monkeypatch.setattr(cuda, "library", whose)
    monkeypatch.setitem(cuda_arrays.READERS, "torch", read)
    monkeypatch.setitem(border.ANSWERS, "cpu", answer)
    return torch


@pytest.mark.slow
@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_dynamics", "mass_matrix"])
def test_gradients_of_tensors_on_a_card_are_computed_there(
    driver: StandIn, tensors_there: Any, name: str
) -> None:
    import strobe.torch as st

    torch, robot = tensors_there, strobe.load("planar2")
    states = [torch.from_numpy(x).requires_grad_() for x in robot.random_state(0, 5)]
    given = states[: 1 if name == "mass_matrix" else 3]
    function = getattr(st, name)
    expected = getattr(robot, name)(*(x.detach().numpy() for x in given))
    np.testing.assert_allclose(function(robot, *given).detach().numpy(), expected, rtol=1e-12)
    launched = len(driver.launches)
    assert torch.autograd.gradcheck(lambda *x: function(robot, *x), given)
    assert torch.autograd.gradgradcheck(lambda *x: function(robot, *x), given)
    assert len(driver.launches) > launched


@pytest.mark.slow
def test_rollouts_of_tensors_on_a_card_go_step_by_step(driver: StandIn, tensors_there: Any) -> None:
    import strobe.torch as st
    from strobe.torch import rollouts

    torch, robot = tensors_there, strobe.load("planar2")
    q, qd, _ = (torch.from_numpy(x) for x in robot.random_state(0, 3))
    tau = torch.zeros(3, 4, 2, dtype=q.dtype, requires_grad=True)
    settled = rollouts.question(
        robot, "step", rollouts.given(*[None] * 5)[0], ("friction", True), ("method", "rk4")
    )
    there = rollouts._unrolled(settled, q, qd, tau, torch.tensor([1e-3], dtype=q.dtype))
    here, _ = st.rollout(robot, q, qd, tau, 1e-3, method="rk4")
    assert len(driver.launches) >= 4
    torch.testing.assert_close(there[..., :2], here, rtol=1e-12, atol=1e-12)
    assert torch.autograd.grad(there.square().sum(), tau)[0].abs().sum() > 0


def test_results_are_laid_out_as_asked() -> None:
    assert cuda_arrays.steps_of((5, 3, 2)) == (6, 2, 1)
    assert cuda_arrays.steps_of((5, 3, 2), 5) == (1, 10, 5)
    assert cuda_arrays.steps_of(()) == ()
    assert prod(()) == 1


def test_the_best_way_to_make_a_kernel_is_found_once_and_kept(driver: StandIn, robot: strobe.Robot) -> None:
    states = [there(x.astype(np.float32), columns=True) for x in robot.random_state(seed=1, batch=64)]
    fast: Any = robot.to("cuda")
    kernel = fast.kernel(fast.request("inverse_dynamics"))
    out = OnCard(0, (64, 7), True, 64)
    arrays = {
        name: cuda_arrays.lying(name, x)
        for name, x in zip([*kernel.inputs, "out"], [*states, out], strict=True)
    }
    call, on = kernel.code._call(arrays, (64,)), cuda_driver.card(0)
    usual = kernel.code.form(call, True, False)
    driver.slow = lambda form: (
        4.0
        - form.states
        + (form.registers != 128)
        + (form.order != 1) * (2 - form.staged)
        + (form.early == 0)
    )
    choices = {
        "registers": (0, 128),
        "staged": (0, 1),
        "early": (256, 0),
        "states": (1, 2),
        "waves": (0, 1),
    }
    found = cuda_search.search(kernel.code, call, usual, on, choices=choices, orders=(-1, 1))
    best = found[0].form
    assert (best.states, best.registers, best.early, best.order) == (2, 128, 256, 1)
    assert found[0].milliseconds == pytest.approx(2.0)
    assert all(tried.registers == 96 for tried in found)
    driver.launches.clear()
    again: Any = strobe.load("panda").to("cuda")
    again.inverse_dynamics(*states, out=out)
    out.numpy()
    assert driver.launches[-1][0] == found[0].form


def ways(usual: Any) -> Iterator[Any]:
    """Forms that differ from the usual one in one choice."""
    for name, values in cuda_search.CHOICES.items():
        yield from cuda_search.changed(usual, name, values)


def test_every_way_to_make_a_kernel_gives_the_same_bits(driver: StandIn, robot: strobe.Robot) -> None:
    states = robot.random_state(seed=1, batch=20)
    expected = robot.inverse_dynamics(*states)
    kernel: Any = robot.to("cuda").kernel(robot.request("inverse_dynamics"))
    for layout in ("columns", "rows"):
        held = [there(x, columns=layout == "columns") for x in (*states, expected * 0.0)]
        arrays = {n: cuda_arrays.lying(n, x) for n, x in zip([*kernel.inputs, "out"], held, strict=True)}
        call = kernel.code._call(arrays, (20,))
        usual = kernel.code.form(call, False, False)
        for form in (usual, *ways(usual)):
            kernel.code.ready(call, form, cuda_driver.card(0))(call.addresses, 0)
            np.testing.assert_allclose(held[-1].numpy(), expected, rtol=1e-13, atol=1e-13)


def test_a_function_of_ones_own_runs_on_a_card(driver: StandIn) -> None:
    f = strobe.trace(lambda x, y: [x[0] * y[0], [x[1], y[0]][1]], x=2, y=1)
    x, y = np.random.default_rng(1).normal(size=(2, 30, 2))
    found: Any = f.to("cuda")(there(x), y=there(y[:, :1].copy()))
    np.testing.assert_allclose(found.numpy(), f(x, y[:, :1]))
    assert isinstance(f.to("cuda").to("processor")(x, y[:, :1]), np.ndarray)


@pytest.mark.parametrize("method", ["rk4", "semi-implicit-euler"])
def test_a_rollout_gives_the_bits_of_this_processor(
    driver: StandIn, robot: strobe.Robot, method: str
) -> None:
    law = strobe.trace(pull, q=7, qd=7, target=7)
    q, qd, target = robot.random_state(seed=1, batch=30)
    here = Rollout(robot, law, step=1e-3, method=method)
    there_too = Rollout(robot.to("cuda"), law, step=1e-3, method=method)
    expected = here(q, qd, 20, every=5, target=target[0])
    found = there_too(there(q), there(qd, columns=True), 20, every=5, target=there(target[0]))
    assert found.shape == (30, 4, 14)
    assert found.steps == (1, 30 * 14, 30)
    assert driver.count("cuLaunchKernel") == 1
    assert np.array_equal(found.numpy(), expected)
    assert np.array_equal(there_too(q, qd, 20, every=5, target=target[0]), expected)
    single = there_too(
        *(there(x.astype(np.float32)) for x in (q, qd)), 20, target=there(target[0].astype(np.float32))
    )
    np.testing.assert_allclose(single.numpy(), expected[:, -1], rtol=0, atol=1e-3)


def test_a_rollout_takes_a_table_and_integrates_a_cost(driver: StandIn, robot: strobe.Robot) -> None:
    q, qd, _ = robot.random_state(seed=1, batch=9)
    torques = np.random.default_rng(1).normal(size=(9, 12, 7))
    cost = strobe.trace(spent, q=7, tau=7)
    for method in ("rk4", "semi-implicit-euler"):
        asked = {"step": 1e-3, "cost": cost, "method": method}
        expected = Rollout(robot, **asked)(q, qd, 12, torques=torques)
        found = Rollout(robot.to("cuda"), **asked)(there(q), there(qd), 12, torques=there(torques))
        assert np.array_equal(found.numpy(), expected)
        assert expected.shape == (9, 1)
    paths = Rollout(robot, step=1e-3, method="semi-implicit-euler")(q, qd, 12, every=1, torques=torques)
    before = np.concatenate([q[:, None], paths[:, :-1, :7]], axis=1)[..., 0]
    charged = 1e-3 * (before**2 + (torques**2).sum(axis=-1)).sum(axis=-1)
    np.testing.assert_allclose(expected[:, 0], charged, rtol=1e-12)


def test_the_benchmark_measures_what_it_is_asked_for(
    driver: StandIn, robot: strobe.Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks import gpu, robots

    class BuiltIn:
        load = staticmethod(lambda: robot)

    monkeypatch.setattr(robots, "ROBOTS", {"panda": BuiltIn()})
    monkeypatch.setattr(gpu, "CHECKED", 64)
    gpu.prepare(tmp_path / "carried", small=True, wheels=False)
    rows = tmp_path / "rows.jsonl"
    gpu.Run(tmp_path / "carried", rows, small=True).all()
    found = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    by_case = {row["case"]: row for row in found}
    assert by_case["copy"]["by"] == "driver"
    panda = by_case["inverse_dynamics of panda, float32, columns"]
    assert panda["million_per_s"] == pytest.approx(4.096)
    assert panda["error"] <= panda["allowed"]
    assert by_case["rollout rk4 of panda, float32"]["million_per_s"] > 0
    assert by_case["sines"]["sine_ulp"] < 1.0
    assert by_case["host_arrays"]["bus_gb_s"] > 0
    failed = {row["case"] for row in found if "failed" in row}
    assert failed <= {"tensors", "frax", "mjx", "plain_torch"}
    assert all(row["card"] == "Stand-in 0" for row in found)
