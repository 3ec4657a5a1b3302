"""A double pendulum on a turntable, simulated by plain Runge-Kutta steps; its energy stays."""

import numpy as np

import strobe

robot = strobe.load("pendulum3")


def rate(state):
    """q and qd become qd and qdd, no torque anywhere."""
    q, qd = state
    return np.array([qd, robot.forward_dynamics(q, qd, np.zeros(robot.n), friction=False)])


def step(state, dt):
    """The classic step of order four."""
    k1 = rate(state)
    k2 = rate(state + dt / 2 * k1)
    k3 = rate(state + dt / 2 * k2)
    k4 = rate(state + dt * k3)
    return state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


start = np.array([[0.0, 0.9, -0.4], [1.5, 0.0, 0.0]])


def simulated(steps, duration=2.0):
    state = start
    for _ in range(steps):
        state = step(state, duration / steps)
    return state


before = robot.energy(*start).sum()
for steps in (250, 500, 1000):
    end = simulated(steps)
    drift = abs(robot.energy(*end).sum() - before)
    print(f"{steps:5d} steps: q = {end[0].round(6)}, energy changed by {drift:.1e} J")
assert drift < 1e-8
