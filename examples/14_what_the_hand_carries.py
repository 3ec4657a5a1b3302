"""A payload identified from noisy torques, and what the wrist alone cannot tell."""

import numpy as np

import strobe
from strobe import identify

arm = strobe.load("stanford")
loaded = arm.with_payload(0.8, com=(0.02, -0.01, 0.06), inertia=(0.003, 0.004, 0.002, 0, 0, 0))

motion = arm.plan([(0, 0.6, 0.4, 0, 0.5, 0), (1.2, 1.3, 0.8, 1, -0.6, 1.5)], velocity=2, acceleration=4)
state = motion(np.arange(0, motion.duration, 0.005))[:3]
noise = np.array([0.2, 0.2, 0.5, 0.05, 0.05, 0.02])  # N m, N
tau = loaded.inverse_dynamics(*state)
tau = tau + np.random.default_rng(0).normal(size=tau.shape) * noise

print(identify.identify_payload(arm, *state, tau, noise=noise))
wrist = identify.identify_payload(arm, *state, tau, noise=noise, joints=["joint4", "joint5", "joint6"])
print(*wrist.unseen)

monitor = identify.PayloadMonitor(arm, noise)
print(monitor.update(*state, tau))
