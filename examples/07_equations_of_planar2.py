"""The equations of motion of a planar arm, as closed forms, compared with the formulations."""

import numpy as np

import strobe
from strobe.equations.document import document
from strobe.equations.text import text_lines

robot = strobe.load("planar2")
equations = robot.equations()
print(*text_lines(document(equations, only=["V", "M", "C", "G"])), sep="\n")

q, qd, qdd = robot.random_state(seed=0, batch=100)
error = equations.evaluate(equations.torques, q, qd, qdd) - robot.inverse_dynamics(
    q, qd, qdd, friction=False
)
print(f"against the formulations on 100 states: {np.abs(error).max():.0e} N m")

assert np.abs(error).max() < 1e-12
