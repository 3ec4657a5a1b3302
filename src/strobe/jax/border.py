"""Arrays at the border: checked once, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np

from strobe.compiler.runtime.arrays import batch_shape
from strobe.errors import ArgumentError, DtypeError, ShapeError, counted, shown
from strobe.tensors.questions import Question

PRECISIONS = (np.dtype(np.float64), np.dtype(np.float32))


def checked(question: Question, given: Sequence[Any]) -> list[jax.Array]:
    """Arrays that fit a question; what is no array of JAX becomes one of the precision of the others."""
    if len(given) != len(question.sizes):
        got = counted(len(given), "argument")
        raise ArgumentError(f"{question.request.quantity} takes {', '.join(question.names)}; got {got}.")
    named = dict(zip(question.names, given, strict=True))
    own = {name: x for name, x in named.items() if isinstance(x, jax.Array)}
    for name, x in own.items():
        _require_real(name, x)
    for name, x in own.items():
        _require_alike(*next(iter(own.items())), name, x)
    dtype = next(iter(own.values())).dtype if own else None
    arrays = {name: own[name] if name in own else _array(name, x, dtype) for name, x in named.items()}
    for (name, x), size in zip(arrays.items(), question.sizes, strict=True):
        if x.shape[-1:] != (size,):
            raise ShapeError(name, x.shape, f"(..., {size})", question.reason(name))
    batch_shape(cast(Any, arrays))
    return list(arrays.values())


def _array(name: str, value: Any, dtype: Any) -> jax.Array:
    if not isinstance(value, np.ndarray | np.generic | list | tuple | float | int):
        raise ArgumentError(f"{name} is {shown(value)}; expected an array of JAX, or numbers.")
    try:
        return jnp.asarray(np.asarray(value, dtype=float), dtype)
    except (TypeError, ValueError):
        raise DtypeError(name, "what is no number") from None


def _require_real(name: str, x: jax.Array) -> None:
    if x.dtype not in PRECISIONS:
        raise ArgumentError(f"{name} holds {x.dtype}; expected float64 or float32: {name}.astype(float).")


def _require_alike(first: str, one: jax.Array, name: str, other: jax.Array) -> None:
    if other.dtype != one.dtype:
        raise ArgumentError(
            f"{first} holds {one.dtype} and {name} {other.dtype}; expected one precision: "
            f"{name}.astype({first}.dtype)."
        )
