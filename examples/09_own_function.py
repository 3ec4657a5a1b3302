"""A function of one's own, written over numbers, compiled for batches: a controller with a smooth saturation."""

import numpy as np

import strobe
from strobe.scalars import cos, sin, tanh

GAIN, DAMPING, LIMIT = 40.0, 6.0, 15.0


def controller(q, qd, goal):
    """Torques of a planar arm: towards a goal, never beyond a limit, plus the weight of two point masses."""
    weight = [
        9.81 * (3.5 * 0.4 * cos(q[0]) + 1.5 * 0.15 * cos(q[0] + q[1])),
        9.81 * 1.5 * 0.15 * cos(q[0] + q[1]),
    ]
    push = [GAIN * sin(goal[k] - q[k]) - DAMPING * qd[k] for k in range(2)]
    return [w + LIMIT * tanh(p / LIMIT) for w, p in zip(weight, push, strict=True)]


fast = strobe.trace(controller, q=2, qd=2, goal=2)
robot = strobe.load("planar2")
q, qd, _ = robot.random_state(seed=0, batch=10_000)
goal = np.array([0.5, -0.3])

tau = fast(q, qd, goal)
print(tau.shape, "first:", tau[0].round(4))
print("operations:", fast.program.multiplications, "×", fast.program.additions, "+")
