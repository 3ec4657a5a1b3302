"""What the test of an exported function compares with: states, and results by other equations than its own.

Results are computed in double precision, interpreted, by equations that are not those of the code where there are
others. A result passes if no number is off by more than a part of the largest number in it; where the interpreted
equations themselves differ by more (a mass matrix close to singular), sixteen times that difference is allowed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from strobe.compiler.codegen.c_test import Expected
from strobe.compiler.runtime.interpret import evaluate
from strobe.errors import UnsupportedModelError
from strobe.quantities import Request

if TYPE_CHECKING:
    from strobe.robot import Robot

STATES = 16
# angles where sines, cosines or their reduction are special; the last three need the path for large angles
AWKWARD = (0.0, math.pi / 2, -math.pi, 1e-9, -1e-30, 1e5, -1048577.0, 1e9, 1e22)
LEAST_TOLERANCE = {False: 1e-12, True: 1e-5}  # of double and of single precision
MOST_TOLERANCE = {False: 1e-6, True: 1e-1}


def expected(robot: Robot, request: Request, single: bool) -> Expected:
    """States of a robot, the results they must give, and how closely."""
    other = _other_route(request)
    states = _states(robot, request, np.dtype(np.float32 if single else np.float64))
    shape = request.shape(robot.model)
    wide = {key: value.astype(np.float64) for key, value in states.items()}
    results = evaluate(partial(other.evaluate, robot.model), wide, shape).reshape(STATES, -1)
    own = evaluate(partial(request.evaluate, robot.model), states, shape).reshape(STATES, -1)
    good = np.isfinite(results).all(axis=1)  # a singular mass matrix has no accelerations to compare
    if not good.any():
        raise UnsupportedModelError(f"{robot.name} has no finite {request.quantity} to test the code with.")
    results, own = results[good], own[good]
    sizes = abs(results).max(axis=1)
    scales = np.maximum(sizes, 1e-3 * np.median(sizes))
    scales = np.where(scales > 0.0, scales, 1.0)
    measured = 16.0 * float((abs(own - results).max(axis=1) / scales).max())
    allowed = max(LEAST_TOLERANCE[single], min(measured, MOST_TOLERANCE[single]))
    equations = f"by {other.formulation}, " if other.formulation else ""
    return Expected(
        {key: value[good].tolist() for key, value in wide.items()},
        results.tolist(),
        scales.tolist(),
        10.0 ** math.ceil(math.log10(allowed) - 1e-9),
        f"computed {equations}interpreted in double precision",
    )


def doubtful(tolerance: float, single: bool) -> bool:
    """Whether other equations may differ by more than the test allows."""
    return tolerance >= MOST_TOLERANCE[single]


def _other_route(request: Request) -> Request:
    """The same request by equations that are not those of the code, where there are others."""
    if not request.record.formulations:
        return request
    first, second = "spatial-newton-euler", "newton-euler-armstrong"
    return replace(request, formulation=second if request.formulation == first else first)


def _states(robot: Robot, request: Request, dtype: np.dtype) -> dict[str, np.ndarray]:
    """Random states, and in the first rows of q the awkward angles."""
    rng = np.random.default_rng(20)
    states: dict[str, np.ndarray] = {}
    for k, (key, size) in enumerate(request.inputs(robot.model).items()):
        if key in ("q", "q0", "q1"):
            states[key] = robot.random_state(seed=k + 1, batch=STATES)[0]
        else:
            states[key] = rng.standard_normal((STATES, size)) * (9.81 if key == "gravity" else 1.0)
    if "q" in states and robot.coordinates.trivial:  # a sum of angles would lose the digits of large ones
        for joint in robot.coordinates.joints:
            if joint.angular:
                states["q"][: len(AWKWARD), joint.q] = AWKWARD
    return {key: value.astype(dtype) for key, value in states.items()}
