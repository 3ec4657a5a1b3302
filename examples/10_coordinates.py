"""The same dynamics in other coordinates: angles against the base, where a planar arm has no Coriolis torque."""

import numpy as np

import strobe
from strobe.equations.document import document
from strobe.equations.text import text_lines

robot = strobe.load("planar2")
absolute = robot.in_coordinates("absolute")
for which, arm in (("joint angles", robot), ("angles against the base", absolute)):
    print(f"In {which}:", *text_lines(document(arm.equations(), only=["C"])), sep="\n")

q, qd, qdd = robot.random_state(seed=0, batch=100)
phi, phid, phidd = absolute.from_motion(q, qd, qdd)
power = np.einsum("bi,bi->b", absolute.inverse_dynamics(phi, phid, phidd), phid)
expected = np.einsum("bi,bi->b", robot.inverse_dynamics(q, qd, qdd), qd)
print(f"power is the same in both, to {np.abs(power - expected).max():.0e} W")

belt = robot.in_coordinates([[1, 0], [-1, 1]], names=["motor1", "motor2"])
print("M seen by motors at the base:\n", belt.mass_matrix([0.3, 0.9]).round(4))
