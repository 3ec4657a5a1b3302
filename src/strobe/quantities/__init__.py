"""What can be asked of a robot, each a function over numbers.

A formulation gives the rigid-body part; rotor inertia, friction and couplings are added around it here, never inside:

    M qdd + C qd + g + friction(qd) = tau + Σ Jᵀ F

The default methods take external wrenches along as forces on bodies; around the others Σ Jᵀ F is added.

    request              what is asked, as data
    several_requests     several requests as one
    catalogue            every quantity by its name
    evaluation           a request at work on a model
    drives               rotor inertia and friction
    terms                M, C and g
    pivots               mass matrices that may be singular
    dynamics             torques, accelerations, what joints transmit
    hybrid               some accelerations given, the other torques
    closed_chains        forces that keep loops closed
    derivatives          ∂/∂q, ∂/∂qd
    energy_and_momentum  of the whole robot
    regressors           linear in the parameters
    kinematics           frames, Jacobians, steps along the degrees of freedom
"""

from __future__ import annotations

from strobe.quantities.catalogue import QUANTITIES, Quantity
from strobe.quantities.request import Request

__all__ = ["QUANTITIES", "Quantity", "Request"]
