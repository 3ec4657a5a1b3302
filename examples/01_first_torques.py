"""The torques behind a motion, of one state and of a thousand; and what they are made of."""

import numpy as np

import strobe

robot = strobe.load("panda")
print(robot)

q, qd, qdd = robot.random_state(seed=0)
tau = robot.inverse_dynamics(q, qd, qdd)
print("torques:", tau.round(3))

M, C, g = robot.mass_matrix(q), robot.coriolis_matrix(q, qd), robot.gravity(q)
print("M qdd + C qd + g is the same, to", f"{np.abs(M @ qdd + C @ qd + g - tau).max():.0e} N m")

q, qd, qdd = robot.random_state(seed=1, batch=1000)
many = robot.inverse_dynamics(q, qd, qdd)
print("a thousand states at once:", many.shape, "largest", np.abs(many).max().round(2), "N m")
