"""From a log to a model file: a motion that tells much, what sensors record of it, and torques of another motion."""

import tempfile
from pathlib import Path

import numpy as np

import strobe
from strobe.simulate import Sensors

arm = strobe.load("ur5")
masses = np.random.default_rng(0).uniform(0.8, 1.25, arm.nv).repeat(10)  # what nobody has measured
true = arm.with_parameters(arm.parameters * masses)
asked = arm.excite(duration=8.0, waves=3, motions=2, velocity=2.0, acceleration=6.0)


def recorded(motion, seed, path):
    """A log as the robot would write it: encoder steps, noise, efforts 3 ms late, friction of its own."""
    t = np.arange(0, motion.duration, 0.004)
    q, qd, qdd = motion(t)[:3]
    tau = true.inverse_dynamics(q, qd, qdd) + 2.0 * qd + 3.0 * np.clip(qd / 1e-3, -1, 1)
    seen = Sensors(noise=0.3, step=2e-5, delay=0.003, seed=seed).seen(t, q, qd, tau)
    np.savez(path, t=t, q=seen["q"], tau=seen["tau"])
    return strobe.read_log(path, arm)


with tempfile.TemporaryDirectory() as folder:
    first, other = (
        recorded(motion, k, Path(folder) / f"log{k}.npz") for k, motion in enumerate(asked.motions)
    )
    found = strobe.identify(arm, first, test=other, friction=["viscous", "coulomb"])
    found.write(Path(folder) / "identified.urdf")
    model = strobe.load(Path(folder) / "identified.urdf")

print(found)
t = np.arange(0, 8, 0.01)
state = asked.motions[1](t)[:3]
wanted = true.inverse_dynamics(*state) + 2.0 * state[1] + 3.0 * np.clip(state[1] / 1e-3, -1, 1)
for name, robot in {"as given": arm, "identified": model}.items():
    left = np.linalg.norm(wanted - robot.inverse_dynamics(*state)) / np.linalg.norm(wanted)
    print(f"torques of a motion it never saw, {name}: off by {100 * left:.1f} %")
