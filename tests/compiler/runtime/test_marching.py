"""Loops of simulation and control: compiled as their robot is, with the same bits."""

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime import jit

WAYS = ("best", "fast")
START = [0.3, -0.4], [0.1, 0.2]


def simulated(robot):
    run = strobe.simulate(robot, *START, [0.5, -0.2], 5e-3, step=1e-4)
    return [run.q, run.qd]


def simulated_by_a_simulator(robot):
    run = robot.simulator(step=1e-4)(*START, [0.5, -0.2], 5e-3)
    return [run.q, run.qd]


def controlled(robot):
    motion = robot.plan([START[0], [0.5, 0.1]], "quintic", velocity=1.0, acceleration=2.0)
    run = strobe.control(robot, motion, t=0.03, check=False)
    return [run.q, run.tau]


def stepped(robot):
    held = robot.controller("computed-torque", rate=1000)
    return [held.step(START, ([0.5, 0.1], [0.0, 0.0], [0.0, 0.0]))]


@pytest.mark.parametrize("done", [simulated, simulated_by_a_simulator, controlled, stepped])
def test_a_loop_is_made_as_fast_as_its_robot_asks_with_the_same_bits(done, forgetful, monkeypatch):
    monkeypatch.setenv("STROBE_CACHE", "off")
    asked, emit = [], jit.emit_object

    def emitted(text, optimise=True, cpu=None):
        if "fadd" in text or "asm sideeffect" in text:  # what computes, not what looks at arrays
            asked.append(optimise)
        return emit(text, optimise, cpu)

    monkeypatch.setattr(jit, "emit_object", emitted)
    found, levels = {}, {}
    for way in WAYS:
        found[way] = done(strobe.load("planar2", compile=way))
        levels[way], asked[:] = set(asked), []
    assert levels == {"best": {True}, "fast": {False}}
    for best, fast in zip(found["best"], found["fast"], strict=True):
        assert np.array_equal(best.view(np.uint64), fast.view(np.uint64))
