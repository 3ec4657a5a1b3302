"""The quantities on arrays of JAX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strobe.errors import MissingExtraError
from strobe.tensors.functions import Functions
from strobe.tensors.questions import Question

try:
    import jax  # noqa: F401
except ImportError:
    raise MissingExtraError("strobe.jax", "jax", "jax") from None

from strobe.jax.border import checked
from strobe.jax.primitive import ask


def answer(asked: Question, arrays: Sequence[Any]) -> Any:
    """The answer to a question on whatever it was given."""
    return ask(asked, checked(asked, arrays))


_functions = Functions(answer)
bias, energy, gravity = _functions.bias, _functions.energy, _functions.gravity
inverse_dynamics, forward_dynamics = _functions.inverse_dynamics, _functions.forward_dynamics
forward_kinematics, jacobian = _functions.forward_kinematics, _functions.jacobian
mass_matrix, function = _functions.mass_matrix, _functions.function
