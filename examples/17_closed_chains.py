"""A delta robot: put together from a guess, driven through its arms, and let go; its rods keep their lengths."""

import numpy as np

import strobe
from strobe.mechanisms import diagnose, led, loop_forces

robot = strobe.load("delta")
print(diagnose(robot))

# the three arms lead, each with its own phase; the platform follows
t = np.linspace(0.0, 1.0, 51)
phase = 2 * np.pi * (t[:, None] + np.arange(3) / 3)
rate = 2 * np.pi
arms = 0.2 * np.sin(phase), 0.2 * rate * np.cos(phase), -0.2 * rate**2 * np.sin(phase)
q, qd, qdd = led(robot, *arms, start=robot.model.poses["home"])
tool = robot.forward_kinematics(q, "tool")[:, :3, 3]
print(f"the tool goes {np.linalg.norm(np.diff(tool, axis=0), axis=-1).sum():.3f} m and stays level")
assert np.allclose(robot.forward_kinematics(q, "tool")[:, :3, :3], np.eye(3), atol=1e-9)

# torques of the arms alone, and what that asks of the rods
tau = robot.inverse_dynamics(q, qd, qdd)
rods = np.stack(
    [np.linalg.norm(F[:, :3], axis=-1) for F in loop_forces(robot, q, qd, qdd).wrenches.values()]
)
print(f"arms need up to {np.abs(tau[:, :3]).max():.2f} N m, a rod carries up to {rods.max():.2f} N")
assert not tau[:, 3:].any()
assert np.allclose(robot.forward_dynamics(q, qd, tau), qdd)

# let go from the middle of the motion
run = strobe.simulate(robot, q[0], 0 * qd[0], None, 0.5)
print(f"let go, rods are longer by at most {np.abs(robot.loop_residuals(run.q)).max():.0e} m")
