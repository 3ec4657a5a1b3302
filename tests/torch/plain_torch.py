"""Tensors of PyTorch as numbers: formulations run on them as they stand, and PyTorch differentiates what it saw."""

import torch

from strobe.scalars.scalar import Scalar, System


class TensorSystem(System):
    name = "Tensors"

    def lower(self, x):
        return x.value if isinstance(x, TensorNumber) else torch.tensor(float(x), dtype=torch.float64)


SYSTEM = TensorSystem()
FUNCTIONS = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "neg": torch.neg, "sin": torch.sin,
    "cos": torch.cos, "sqrt": torch.sqrt, "abs": torch.abs, "min": torch.minimum, "max": torch.maximum,
    "less": lambda x, y: (x < y).to(torch.float64), "where": lambda c, x, y: torch.where(c != 0, x, y),
}  # fmt: skip


class TensorNumber(Scalar):
    __slots__ = ("value",)

    def __init__(self, value):
        self.system, self.value = SYSTEM, value

    def apply(self, op, *args):
        return TensorNumber(FUNCTIONS[op](*(self.admit(a).value for a in args)))

    def literal(self, x):
        return TensorNumber(torch.tensor(float(x), dtype=torch.float64))


def on_tensors(request, model):
    """A request as a function of tensors that PyTorch follows operation by operation."""
    lifted, shape = model.lift(SYSTEM), request.shape(model)

    def call(*tensors):
        numbers = {
            name: [TensorNumber(x) for x in tensor.unbind(-1)]
            for name, tensor in zip(request.inputs(model), tensors, strict=True)
        }
        entries = [SYSTEM.lower(x) for x in flat(request.evaluate(lifted, **numbers))]
        whole = torch.stack(torch.broadcast_tensors(*entries), -1)
        return whole.reshape(*whole.shape[:-1], *shape)

    return call


def flat(values):
    return [x for value in values for x in flat(value)] if isinstance(values, list | tuple) else [values]
