"""Robots in JAX: quantities as functions that `jax.jit`, `vmap`, `grad` and `jvp` see through (extra "jax").

    import strobe.jax

    loss = lambda q: strobe.jax.inverse_dynamics(robot, q, qd, qdd).sum()
    jax.jit(jax.grad(loss))(q)

In the order of the data:

    border     arrays checked
    primitive  a question as a primitive of JAX
    functions  the quantities
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.jax.functions import (
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

exported(
    __name__,
    {
        "strobe.jax.functions": (
            "bias energy forward_dynamics forward_kinematics function gravity inverse_dynamics jacobian mass_matrix"
        ),
    },
)
