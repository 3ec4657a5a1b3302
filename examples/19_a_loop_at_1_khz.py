"""A control loop at 1 kHz in Python, on an arm that is simulated here: how even its periods are."""

import sys
import time

import numpy as np

import strobe
from strobe.simulate.batch_stepper import SideBySide

PERIOD, SECONDS = 1e-3, sys.argv[1] if len(sys.argv) > 1 else "0.5"
if not SECONDS.replace(".", "", 1).isdecimal() or not 0.01 <= float(SECONDS) <= 3600.0:
    sys.exit(f'"{SECONDS}" is no time for this loop; expected seconds, from 0.01 to 3600.')
robot = strobe.load("panda")
start = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
motion = robot.plan([start, start + 0.1], velocity=1.0, acceleration=3.0)
controller = robot.controller("computed-torque", rate=1 / PERIOD)


class Arm:
    """What a real arm's driver would be: `read` and `write` are the two functions to put your own in place of."""

    def __init__(self):
        self.arms = SideBySide(robot, 1, PERIOD, step=PERIOD)
        self.arms.place(0, start + 0.01, 0.0)  # a little beside the motion

    def read(self):
        return self.arms.q[0], self.arms.qd[0]  # rad, rad/s: fresh from the encoders

    def write(self, tau):
        self.arms.advance(tau)  # N m: to the motors, which hold them for a period


def wait_until(moment):
    """Sleep, and spin at the end: without real-time rights a sleep comes back when it likes."""
    while (left := moment - time.perf_counter()) > 0:
        if left > 3e-4:
            time.sleep(left - 2e-4)


times = np.arange(round(float(SECONDS) / PERIOD)) * PERIOD
wanted = list(zip(*motion(np.minimum(times, motion.duration)), strict=True))  # looked up beforehand
arm, began, stepping, due = Arm(), [], [], time.perf_counter()
for each in wanted:
    wait_until(due)
    began.append(time.perf_counter())
    measured = arm.read()
    before, tau = time.perf_counter(), controller.step(measured, each)
    stepping.append(time.perf_counter() - before)
    arm.write(tau)
    due = max(due, began[-1] - PERIOD / 10) + PERIOD  # who is late counts anew, and does not hurry after

periods, edges = 1e3 * np.diff(began), [0, 0.9, 0.99, 1.01, 1.1, 1.5, 2, 5, np.inf]
print(f"{len(began)} steps of the controller, {1e6 * np.median(stepping):.1f} µs each; periods in ms:")
for low, high, count in zip(edges[:-1], edges[1:], np.histogram(periods, edges)[0], strict=True):
    print(f"{low:5g} to {high:<5g}{count:7d} {'#' * round(50 * count / len(periods))}")
off = np.abs(arm.read()[0] - wanted[-1][0]).max()
print(f"the arm is where it should be, to {1e3 * off:.2g} mrad")
assert off < 0.01
