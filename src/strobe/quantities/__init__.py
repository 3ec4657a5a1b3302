"""What can be asked of a robot, each a function over numbers.

A formulation gives the rigid-body part; rotor inertia, friction and couplings are added around it here, never inside:

    M qdd + C qd + g + friction(qd) = tau + Σ Jᵀ F

The default methods take external wrenches along as forces on bodies; around the others Σ Jᵀ F is added.
"""

from __future__ import annotations

from strobe.quantities.catalogue import ELIMINATING, OF_A_FRAME, QUANTITIES
from strobe.quantities.request import Request

__all__ = ["ELIMINATING", "OF_A_FRAME", "QUANTITIES", "Request"]
