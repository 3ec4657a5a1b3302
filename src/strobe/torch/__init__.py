"""Robots in PyTorch: quantities as differentiable functions of tensors (extra "torch").

    import strobe.torch

    tau = strobe.torch.inverse_dynamics(robot, q, qd, qdd)
    tau.square().sum().backward()

Derivatives of any order are compiled as the quantities are; `torch.func` and `torch.compile` see through them.

In the order of the data:

    border     tensors checked, and what computes on their device
    operator   a question as an operation of PyTorch
    functions  the quantities
    rollouts   motions that follow from torques
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.torch.functions import (
        bias as bias,
        energy as energy,
        forward_dynamics as forward_dynamics,
        forward_kinematics as forward_kinematics,
        function as function,
        gravity as gravity,
        inverse_dynamics as inverse_dynamics,
        jacobian as jacobian,
        mass_matrix as mass_matrix,
    )
    from strobe.torch.rollouts import rollout as rollout

exported(
    __name__,
    {
        "strobe.torch.functions": (
            "bias energy forward_dynamics forward_kinematics function gravity inverse_dynamics jacobian mass_matrix"
        ),
        "strobe.torch.rollouts": "rollout",
    },
)
