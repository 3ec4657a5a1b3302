"""A question as a primitive of JAX: differentiable to any order, batched, compiled, the batch kept together.

    asked   the answer; its rates are
    moved   the answer to the question of rates, linear in the speeds: transposed, it is the question of shares

Compiled programs reach the answer by a call back to the host, at once for all states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from strobe.tensors.questions import Derived, Question

asked_p, moved_p = Primitive("strobe_asked"), Primitive("strobe_moved")


def ask(question: Question, arrays: Sequence[Any]) -> Any:
    """The answer to a question on arrays that are checked."""
    return asked_p.bind(*arrays, question=question)


def _question(params: dict[str, Any], arrays: Sequence[Any]) -> tuple[Question, Sequence[Any]]:
    """What a primitive asks, and on what."""
    question = params["question"]
    if "moving" not in params:
        return question, arrays
    rates = question.rates(params["moving"])
    return rates, rates.arranged(tuple(arrays))


def _shape(*arrays: Any, **params: Any) -> Any:
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
    return ShapedArray((*batch, *params["question"].shape), arrays[0].dtype)


def _computed(question: Question, *arrays: Any) -> np.ndarray:
    return question.answer(*map(np.asarray, arrays))


def _at_once(*arrays: Any, **params: Any) -> Any:
    question, given = _question(params, arrays)
    return jnp.asarray(_computed(question, *given))


def _called_back(*arrays: Any, **params: Any) -> Any:
    question, given = _question(params, arrays)
    shape = jax.ShapeDtypeStruct(_shape(*arrays, **params).shape, arrays[0].dtype)
    return jax.pure_callback(
        lambda *given: _computed(question, *given), shape, *given, vmap_method="expand_dims"
    )


def _batched(primitive: Primitive) -> Any:
    def rule(arrays: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple[Any, int]:
        return primitive.bind(*_aligned(arrays, dims), **params), 0

    return rule


def _aligned(arrays: Sequence[Any], dims: Sequence[Any]) -> list[Any]:
    """Arrays with their mapped axis in front, behind it as many as the longest one has: a batch that broadcasts."""
    most = max(x.ndim - (d is not None) for x, d in zip(arrays, dims, strict=True))
    found: list[Any] = []
    for x, d in zip(arrays, dims, strict=True):
        if d is not None:
            x = jnp.moveaxis(x, d, 0)
            x = x.reshape(x.shape[0], *[1] * (most + 1 - x.ndim), *x.shape[1:])
        found.append(x)
    return found


def _rates(primals: Sequence[Any], tangents: Sequence[Any], *, question: Question) -> tuple[Any, Any]:
    moving = tuple(not isinstance(t, ad.Zero) for t in tangents)
    speeds = [t for t, moves in zip(tangents, moving, strict=True) if moves]
    out = asked_p.bind(*primals, question=question)
    return out, moved_p.bind(*primals, *speeds, question=question, moving=moving)


def _rates_of_rates(
    primals: Sequence[Any], tangents: Sequence[Any], *, question: Question, moving: tuple[bool, ...]
) -> tuple[Any, Any]:
    out = moved_p.bind(*primals, question=question, moving=moving)
    rates = question.rates(moving)
    return out, _rates(rates.arranged(tuple(primals)), rates.arranged(tuple(tangents)), question=rates)[1]


def _shares(weights: Any, *arrays: Any, question: Question, moving: tuple[bool, ...]) -> list[Any]:
    """The transpose: of each speed, its share in the weighted result."""
    primals, speeds = arrays[: len(moving)], arrays[len(moving) :]
    if isinstance(weights, ad.Zero):
        return [None] * len(arrays)
    core = len(question.shape)
    flat = weights.reshape(*weights.shape[: weights.ndim - core], -1)
    wanted: Derived = question.shares(moving)
    whole = ask(wanted, wanted.arranged((*primals, flat)))
    parts = jnp.split(whole, np.cumsum(wanted.parts)[:-1].tolist(), axis=-1)
    return [None] * len(primals) + [
        _summed(part, speed.aval.shape) if ad.is_undefined_primal(speed) else None
        for part, speed in zip(parts, speeds, strict=True)
    ]


def _summed(share: Any, shape: tuple[int, ...]) -> Any:
    """The share of an array that was the same for several states."""
    if share.shape == shape:
        return share
    more = share.ndim - len(shape)
    alone = tuple(k + more for k, size in enumerate(shape) if size == 1 and share.shape[k + more] != 1)
    return share.sum(axis=(*range(more), *alone)).reshape(shape)


for primitive in (asked_p, moved_p):
    primitive.def_impl(_at_once)
    primitive.def_abstract_eval(_shape)
    mlir.register_lowering(primitive, mlir.lower_fun(_called_back, multiple_results=False))
    batching.primitive_batchers[primitive] = _batched(primitive)
ad.primitive_jvps[asked_p] = _rates
ad.primitive_jvps[moved_p] = _rates_of_rates
ad.primitive_transposes[moved_p] = _shares
