"""A question as an operation of PyTorch: differentiable to any order, batched by `vmap`, seen by the compiler.

    at once    an autograd function, called without what only transformations need
    vmap, jvp  the same function as `torch.func` knows it: a mapped axis becomes one of the batch
    traced     a custom operator, which knows its question by a number: `torch.compile`, export, fake tensors

The way back asks for the shares of those inputs that need a gradient, and of no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from strobe.tensors.questions import Question, known
from strobe.torch.border import computed

_transformed = torch._C._are_functorch_transforms_active
_watched = torch._C._len_torch_dispatch_stack


def is_watched() -> bool:
    """Whether a transformation or a mode of PyTorch follows what is done."""
    return _transformed() or bool(_watched())


def ask(question: Question, tensors: Sequence[Tensor]) -> Tensor:
    """The answer to a question on tensors that are checked."""
    if torch.compiler.is_compiling() or _watched():
        return traced(question.number, list(tensors))
    return Asked.apply(question, *tensors) if _transformed() else _at_once(question, *tensors)


class Asked(torch.autograd.Function):
    """A question, its shares on the way back and its rates on the way forward."""

    @staticmethod
    def forward(question: Question, *tensors: Tensor) -> Tensor:
        return computed(question, tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.question = inputs[0]
        ctx.save_for_backward(*inputs[1:])
        if _transformed() or forward_ad._current_level >= 0:
            ctx.save_for_forward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, *weights: Tensor) -> tuple[Any, ...]:
        return None, *pulled_back(ctx.question, ctx.saved_tensors, weights[0], ctx.needs_input_grad[1:])

    @staticmethod
    def jvp(ctx: Any, *rates: Any) -> Tensor:
        rates = rates[1:]  # the question does not move
        moving = tuple(rate is not None for rate in rates)
        tensors = ctx.saved_tensors
        given = [_like(rate, x) for rate, x in zip(rates, tensors, strict=True) if rate is not None]
        asked = ctx.question.rates(moving)
        return ask(asked, asked.arranged((*tensors, *given)))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> tuple[Tensor, int]:
        return ask(args[0], aligned(args[1:], in_dims[1:])), 0


# without the look for defaults of arguments that the class itself takes
_at_once: Any = super(torch.autograd.Function, Asked).apply  # pyright: ignore[reportAttributeAccessIssue]


def pulled_back(
    question: Question, tensors: Sequence[Tensor], weights: Tensor, needed: tuple[bool, ...]
) -> list[Tensor | None]:
    """The gradients of those tensors that need one."""
    asked, core = question.shares(needed), len(question.shape)
    if core != 1:
        weights = weights.reshape(*weights.shape[: weights.dim() - core], -1)
    given = asked.arranged((*tensors, weights.contiguous()))
    again = torch.is_grad_enabled() or torch.compiler.is_compiling() or _watched() or _transformed()
    whole = ask(asked, given) if again else computed(asked, given)
    parts = iter(torch.split_with_sizes(whole, asked.parts, -1) if len(asked.parts) > 1 else (whole,))
    found: list[Tensor | None] = []
    for x, wanted in zip(tensors, needed, strict=True):
        share = next(parts) if wanted else None
        if share is not None and share.shape != x.shape:  # it was the same for several states
            share = share.sum_to_size(x.shape)
        found.append(share)
    return found


def _like(rate: Tensor, x: Tensor) -> Tensor:
    return rate if rate.dtype == x.dtype else rate.to(x.dtype)


def aligned(tensors: Sequence[Tensor], dims: Sequence[int | None]) -> list[Tensor]:
    """Tensors with their mapped axis in front, behind it as many as the longest one has: a batch that broadcasts."""
    most = max(x.dim() - (d is not None) for x, d in zip(tensors, dims, strict=True))
    found: list[Tensor] = []
    for x, d in zip(tensors, dims, strict=True):
        if d is not None:
            x = x.movedim(d, 0)
            x = x.reshape(x.shape[0], *[1] * (most + 1 - x.dim()), *x.shape[1:])
        found.append(x)
    return found


# -- seen by the compiler -------------------------------------------------------------------------------

_compiled: dict[int, Question] = {}  # what compiled programs ask: they may outlive the robot


def _question(number: int) -> Question:
    if number not in _compiled:
        _compiled[number] = known(number)
    return _compiled[number]


@torch.library.custom_op("strobe::ask", mutates_args=())
def traced(number: int, tensors: list[Tensor]) -> Tensor:
    """The answer to a question by its number."""
    return computed(_question(number), tensors)


@traced.register_fake
def _(number: int, tensors: list[Tensor]) -> Tensor:
    batch = torch.broadcast_shapes(*(x.shape[:-1] for x in tensors))
    return tensors[0].new_empty((*batch, *_question(number).shape))


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.number = inputs[0]
    ctx.save_for_backward(*inputs[1])


def _back(ctx: Any, weights: Tensor) -> tuple[None, list[Tensor | None]]:
    return None, pulled_back(
        _question(ctx.number), ctx.saved_tensors, weights, tuple(ctx.needs_input_grad[1])
    )


def _mapped(info: Any, in_dims: Any, number: int, tensors: list[Tensor]) -> tuple[Tensor, int]:
    return traced(number, aligned(tensors, in_dims[1])), 0


traced.register_autograd(_back, setup_context=_keep)
traced.register_vmap(_mapped)
