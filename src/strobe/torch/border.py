"""Tensors at the border: checked once, in sentences, and computed by whatever there is for their device.

`ANSWERS` says what computes on tensors of a device, by the name of its kind: this processor on the memory that
tensors have, or the card that they are on, in its current stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from strobe.errors import ArgumentError, DtypeError, ShapeError, counted, shown
from strobe.tensors.questions import Question

PRECISIONS = (torch.float64, torch.float32)


def on_this_processor(question: Question, tensors: Sequence[Tensor]) -> Tensor:
    """The answer on the memory of tensors, as NumPy sees it."""
    try:
        arrays = [x.numpy() for x in tensors]
    except RuntimeError:
        raise ArgumentError(
            f"{question.request.quantity} is asked on tensors without memory of their own, such as those of "
            "is_grads_batched=True and vectorize=True; use jacrev, jacfwd and vmap of torch.func."
        ) from None
    return torch.from_numpy(question.answer(*arrays))


def on_its_card(question: Question, tensors: Sequence[Tensor]) -> Tensor:
    """The answer where tensors are, which nothing here waits for."""
    return question.on_card(*(x.detach() for x in tensors))


ANSWERS: dict[str, Callable[[Question, Sequence[Tensor]], Tensor]] = {
    "cpu": on_this_processor,
    "cuda": on_its_card,
}


def computed(question: Question, tensors: Sequence[Tensor]) -> Tensor:
    """The answer to a question, without a gradient."""
    return ANSWERS[tensors[0].device.type](question, tensors)


def checked(question: Question, tensors: Sequence[Any]) -> Sequence[Tensor]:
    """Tensors that fit a question; what is no tensor becomes one of the kind of the others."""
    if len(tensors) != len(question.sizes):
        got = counted(len(tensors), "argument")
        raise ArgumentError(f"{question.request.quantity} takes {', '.join(question.names)}; got {got}.")
    first = tensors[0]
    dtype = first.dtype if isinstance(first, Tensor) else None
    if dtype in PRECISIONS:
        for x, size in zip(tensors, question.sizes, strict=True):
            if not (
                isinstance(x, Tensor) and x.dtype is dtype and x.is_cpu and x.layout is torch.strided
                and x.dim() and x.shape[-1] == size
            ):  # fmt: skip
                break
        else:
            return tensors
    return _examined(question, tensors)


def _examined(question: Question, given: Sequence[Any]) -> list[Tensor]:
    """The same with a sentence for each mistake."""
    kinds = [x for x in given if isinstance(x, Tensor)]
    if not kinds:
        names = ", ".join(question.names)
        raise ArgumentError(
            f"none of {names} is a tensor: expected tensors of PyTorch. Methods of the robot take other arrays."
        )
    like = kinds[0]
    named = list(
        zip(
            question.names,
            (_tensor(name, x, like) for name, x in zip(question.names, given, strict=True)),
            strict=True,
        )
    )
    for name, x in named:
        _require_real(name, x)
    for name, x in named[1:]:
        _require_alike(*named[0], name, x)
    for (name, x), size in zip(named, question.sizes, strict=True):
        if x.shape[-1:] != (size,):
            raise ShapeError(name, tuple(x.shape), f"(..., {size})", question.reason(name))
    return [x for _, x in named]


def _tensor(name: str, value: Any, like: Tensor) -> Tensor:
    """Numbers beside tensors as one of their kind."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, np.ndarray | np.generic | list | tuple | float | int):
        raise ArgumentError(f"{name} is {shown(value)}; expected a tensor, or numbers.")
    try:
        return torch.as_tensor(np.asarray(value, dtype=float), dtype=like.dtype, device=like.device)
    except (TypeError, ValueError):
        raise DtypeError(name, "what is no number") from None


def _require_real(name: str, x: Tensor) -> None:
    if x.layout is not torch.strided:
        raise ArgumentError(
            f"{name} is a sparse tensor ({x.layout}); expected a dense one: {name}.to_dense()."
        )
    if x.dtype not in PRECISIONS:
        raise ArgumentError(
            f"{name} holds {_name(x.dtype)}; expected float64 or float32: {name}.to(torch.float64)."
        )
    if x.device.type not in ANSWERS:
        raise ArgumentError(
            f"{name} is on {x.device}; robots compute on {' and '.join(ANSWERS)}: {name}.cpu()."
        )


def _require_alike(first: str, one: Tensor, name: str, other: Tensor) -> None:
    if other.dtype != one.dtype:
        raise ArgumentError(
            f"{first} holds {_name(one.dtype)} and {name} {_name(other.dtype)}; expected one precision: "
            f"{name}.to({first}.dtype)."
        )
    if other.device != one.device:
        raise ArgumentError(
            f"{first} is on {one.device} and {name} on {other.device}; expected one device: "
            f"{name}.to({first}.device)."
        )


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
