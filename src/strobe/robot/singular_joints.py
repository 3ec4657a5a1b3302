"""Which joints move no inertia, so that torques do not decide accelerations."""

from __future__ import annotations

import numpy as np

from strobe.compiler.runtime.interpret import evaluate
from strobe.compiler.runtime.kernels import Kernel
from strobe.models.couplings import coordinates
from strobe.models.model import Model
from strobe.quantities import Request
from strobe.quantities.dynamics import articulated_scales, long_supports
from strobe.quantities.pivots import LEAST_INERTIA, LEAST_PIVOT
from strobe.robot.answers import Array, Names


def singular_joints(model: Model, q: Array, given: Names) -> Names:
    """Those at a position q (nq), while accelerations of some joints are given."""
    x = coordinates(model)
    owners = [joint.name for joint in x.joints for _ in range(joint.nv)]
    free = [k for k, name in enumerate(owners) if name not in given]
    kernel = Kernel(model, Request("mass_matrix"))
    M = evaluate(kernel.function(), {"q": q}, kernel.shape)  # rarely asked: not worth compiling
    scales = M.diagonal()
    if x.trivial and not given and long_supports(model):
        scales = np.array(articulated_scales(model, q.tolist()), dtype=float)
    found = [owners[free[k]] for k in _vanishing_pivots(M[np.ix_(free, free)], scales[free])]
    return tuple(dict.fromkeys(found))


def _vanishing_pivots(M: Array, scales: Array) -> list[int]:
    """Where elimination from the tips, as in the dynamics, leaves nothing but rounding."""
    A, found = M.copy(), list[int]()
    for k in reversed(range(len(A))):
        least = max(LEAST_PIVOT * scales[k], LEAST_INERTIA * scales.max())
        if A[k, k] <= least:
            found.append(k)
        else:
            A[:k, :k] -= np.outer(A[k, :k], A[k, :k]) / A[k, k]
    return found[::-1]
