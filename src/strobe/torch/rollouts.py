"""Motions that follow from torques, differentiable in all that they are made of.

At once a rollout is one operation: all steps forth, then all back, each a compiled call. Where it is transformed or
differentiated again, and on a card, it is the same steps as an operation each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strobe.errors import ArgumentError, MissingExtraError, ShapeError
from strobe.models.arguments import require_choice
from strobe.robot import Robot
from strobe.tensors.questions import Question, given, question
from strobe.tensors.rollouts import Rollout
from strobe.tensors.steps import METHODS

try:
    import torch
    from torch import Tensor
    from torch.autograd import forward_ad
except ImportError:
    raise MissingExtraError("strobe.torch", "torch", "torch") from None

from strobe.torch.border import checked
from strobe.torch.operator import ask, is_watched


def rollout(
    robot: Robot, q: Tensor, qd: Tensor, tau: Tensor, step: Any, *, method: str = "semi-implicit-euler",
    wrench: Any = None, frame: str | None = None, gravity: Any = None, friction: bool = True, parameters: Any = None,
    geometry: Any = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Positions (..., steps + 1, nq) and velocities (..., steps + 1, n), the first ones those that are given.

    tau (..., steps, n) are the torques of each step, ``step`` its seconds, a number or a tensor. ``method`` is
    "semi-implicit-euler" or "rk4". What acts besides acts on all steps.
    """
    require_choice("method", method, METHODS)
    loads, more = given(wrench, frame, gravity, parameters, geometry)
    asked = question(robot, "step", loads, ("friction", friction), ("method", method))
    tensors = _checked(asked, q, qd, tau, step, more)
    unrolled = torch.compiler.is_compiling() or is_watched() or forward_ad._current_level >= 0
    unrolled = unrolled or not tensors[0].is_cpu
    whole = _unrolled(asked, *tensors) if unrolled else Marched.apply(asked, *tensors)
    return whole[..., : robot.nq], whole[..., robot.nq :]


def _checked(asked: Question, q: Any, qd: Any, tau: Any, step: Any, more: Sequence[Any]) -> list[Tensor]:
    """The tensors in the order of the inputs, the torques with their axis of steps."""
    if not isinstance(tau, Tensor) or tau.dim() < 2:
        shape = tuple(tau.shape) if isinstance(tau, Tensor) else ()
        raise ShapeError(
            "tau", shape, f"(..., steps, {asked.sizes[2]})", "it holds the torques of every step"
        )
    if not isinstance(step, Tensor | float | int) or isinstance(step, bool):
        raise ArgumentError("step is the length of a step in seconds; expected a number or a tensor.")
    length = step[..., None] if isinstance(step, Tensor) else [float(step)]
    place = asked.names.index("step") - 3
    others = [*more[:place], length, *more[place:]]
    return list(checked(asked, [q, qd, tau, *others]))


def _unrolled(asked: Question, q: Tensor, qd: Tensor, tau: Tensor, *others: Tensor) -> Tensor:
    """The same, a step an operation."""
    nq, states = asked.sizes[0], []
    batch = torch.broadcast_shapes(
        q.shape[:-1], qd.shape[:-1], tau.shape[:-2], *(x.shape[:-1] for x in others)
    )
    state = torch.cat([q.expand(*batch, -1), qd.expand(*batch, -1)], -1)
    states.append(state)
    for each in tau.unbind(-2):
        state = ask(asked, (state[..., :nq], state[..., nq:], each, *others))
        states.append(state)
    return torch.stack(states, -2)


class Marched(torch.autograd.Function):
    """All steps forth, and all back."""

    @staticmethod
    def forward(ctx: Any, asked: Question, *tensors: Tensor) -> Tensor:
        ctx.asked, ctx.run = asked, Rollout(asked, [x.numpy() for x in tensors])
        ctx.save_for_backward(*tensors)
        return torch.from_numpy(ctx.run.run())

    @staticmethod
    def backward(ctx: Any, *weights: Tensor) -> tuple[Any, ...]:
        tensors, needed = ctx.saved_tensors, ctx.needs_input_grad[1:]
        if torch.is_grad_enabled():
            return None, *_again(ctx.asked, tensors, weights[0], needed)
        found = ctx.run.back(weights[0].numpy(), needed)
        return None, *(
            None if share is None else torch.from_numpy(share).sum_to_size(x.shape)
            for share, x in zip(found, tensors, strict=True)
        )


def _again(
    asked: Question, tensors: Sequence[Tensor], weights: Tensor, needed: Sequence[bool]
) -> list[Tensor | None]:
    """The gradients as functions that can be differentiated."""
    wanted = [x for x, each in zip(tensors, needed, strict=True) if each]
    found = iter(torch.autograd.grad(_unrolled(asked, *tensors), wanted, weights, create_graph=True))
    return [next(found) if each else None for each in needed]
