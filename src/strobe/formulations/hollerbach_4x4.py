# pyright: reportConstantRedefinition=false
"""Hollerbach's recursive Lagrangian with 4×4 matrices, O(n). [Hollerbach1980], (8) to (14)

Outward as in `hollerbach_backward`: W_i, U_ii and a single Ẅ_i. Inward, with D_{n+1} = 0 and c_{n+1} = 0:

    D_i = Ĵ_i Ẅ_iᵀ + T_{i+1} D_{i+1},   c_i = m_i r̂_i + T_{i+1} c_{i+1}          (12), (13)
    tau_i = tr(U_ii D_i) − ĝᵀ U_ii c_i                                            (14)
"""

from __future__ import annotations

from strobe.formulations.hollerbach_backward import outward
from strobe.formulations.links import Arm
from strobe.formulations.waters_recursive import inward
from strobe.models.model import Model
from strobe.scalars import Num, Numbers


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces of a serial arm."""
    arm = Arm(model, q)
    return inward(arm, *outward(arm, qd, qdd))
