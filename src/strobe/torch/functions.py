"""The quantities on tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strobe.errors import MissingExtraError
from strobe.tensors.functions import Functions
from strobe.tensors.questions import Question, question

try:
    import torch
    from torch import Tensor
except ImportError:
    raise MissingExtraError("strobe.torch", "torch", "torch") from None

from strobe.torch.border import checked
from strobe.torch.operator import ask


def answer(asked: Question, tensors: Sequence[Any]) -> Tensor:
    """The answer to a question on whatever it was given."""
    return ask(asked, checked(asked, tensors))


# what finds a question is not looked into by `torch.compile`: the question is a constant to it
_functions = Functions(answer, torch.compiler.assume_constant_result(question))
bias, energy, gravity = _functions.bias, _functions.energy, _functions.gravity
inverse_dynamics, forward_dynamics = _functions.inverse_dynamics, _functions.forward_dynamics
forward_kinematics, jacobian = _functions.forward_kinematics, _functions.jacobian
mass_matrix, function = _functions.mass_matrix, _functions.function
