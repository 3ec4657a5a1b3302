"""Gibbs' function: its derivatives by the accelerations are the torques."""

import pytest

from strobe.formulations import FORMULATIONS, gibbs_appell
from strobe.models.random_robots import random_model
from strobe.scalars import FieldSystem


@pytest.mark.parametrize("seed", range(3))
def test_torques_are_the_derivatives_of_gibbs_function(seed):
    """S is quadratic in qdd, so a central difference is its derivative, exactly."""
    system = FieldSystem(seed)
    model = random_model(4, seed, kinds="RP", tree=True).lift(system)
    q, qd, qdd = model.variables()
    tau = FORMULATIONS["spatial-newton-euler"].inverse_dynamics(model, q, qd, qdd)
    for j in range(model.nv):
        ahead, behind = ([a + s * (k == j) for k, a in enumerate(qdd)] for s in (1.0, -1.0))
        change = gibbs_appell.gibbs_function(model, q, qd, ahead) - gibbs_appell.gibbs_function(
            model, q, qd, behind
        )
        assert system.lower(change * 0.5) == system.lower(tau[j])
