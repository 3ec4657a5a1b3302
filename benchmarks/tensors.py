"""What do tensors of PyTorch cost: one call forth and back, beside kernels, PyTorch's machinery, and plain tensors?

`call_ns` is a gradient of torques by q, qd and qdd; `kernels_ns` the same two kernels on NumPy arrays;
`smallest_ns` the gradient of PyTorch's `addcmul` of the three, for what its machinery takes by itself. `wrapper_ns`
is what is left. `plain` is the recursion over tensors as numbers, followed by PyTorch operation by operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import strobe
from benchmarks.timer import Row, answer
from strobe.compiler.runtime.timing import Way, best_times
from strobe.quantities import Request
from strobe.scalars.scalar import Num, Scalar, System

SECONDS = 0.5
BATCHES = (1, 64, 4096)


class TensorSystem(System):
    """Tensors as numbers."""

    name = "Tensors"

    def lower(self, x: Num) -> Any:
        return x.value if isinstance(x, TensorNumber) else x


SYSTEM = TensorSystem()


class TensorNumber(Scalar):
    """One number of every state, as a tensor."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.system, self.value = SYSTEM, value

    def apply(self, op: str, *args: Num) -> TensorNumber:
        import torch

        return TensorNumber(getattr(torch, op)(*(self.admit(a).value for a in args)))

    def literal(self, x: float) -> TensorNumber:
        import torch

        return TensorNumber(torch.tensor(float(x), dtype=torch.float64))


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    import torch

    torch.set_num_threads(1)
    name = "planar2" if small else "panda"
    return [
        {"robot": name, "states": states} | _row(strobe.load(name), states, seconds) for states in BATCHES
    ]


def _row(robot: strobe.Robot, states: int, seconds: float) -> Row:
    import torch

    import strobe.torch as st

    drawn = robot.random_state(0, () if states == 1 else states)
    tensors = [torch.from_numpy(x).requires_grad_() for x in drawn]
    weights = torch.from_numpy(np.random.default_rng(0).standard_normal(drawn[0].shape))
    ours = st.function(robot, "inverse_dynamics", friction=False)
    forth, back = ours.asked.answer, ours.asked.shares((True, True, True)).answer
    plain = _plain(robot)

    def gradient(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given: torch.autograd.grad(function(*given), given, weights)

    for a, b in zip(gradient(ours)(*tensors), gradient(plain)(*tensors), strict=True):
        assert torch.allclose(a, b, rtol=1e-9, atol=1e-9)
    arrays = (*drawn, weights.numpy())
    ways = {
        "call": Way(gradient(ours), [tensors]),
        "kernels": Way(lambda *given: (forth(*given[:3]), back(*given)), [arrays]),
        "smallest": Way(gradient(torch.addcmul), [tensors]),
    }
    times = best_times(ways, seconds)
    times |= best_times({"plain": Way(gradient(plain), [tensors])}, 0.0)
    row: Row = {f"{way}_ns": 1e9 * time for way, time in times.items()}
    row["wrapper_ns"] = max(row["call_ns"] - row["kernels_ns"] - row["smallest_ns"], 0.0)
    return row | {"plain_to_ours": times["plain"] / times["call"]}


def _plain(robot: strobe.Robot) -> Callable[..., Any]:
    """Torques over tensors as numbers."""
    import torch

    request, model = Request("inverse_dynamics", friction=False), robot.model.lift(SYSTEM)

    def torques(*tensors: Any) -> Any:
        names = zip(("q", "qd", "qdd"), tensors, strict=True)
        numbers: dict[str, Any] = {name: list(map(TensorNumber, x.unbind(-1))) for name, x in names}
        return torch.stack([SYSTEM.lower(x) for x in request.evaluate(model, **numbers)], -1)

    return torques


if __name__ == "__main__":
    answer("tensors", once, SECONDS)
