"""Whoever waits for code is told what for: all that makes it happens within what is told."""

from contextlib import contextmanager

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime import debug, jit, kernels

Q = [0.3, -0.4]


def torques(robot):
    robot.inverse_dynamics(Q, Q, Q)


def torques_of_many(robot):
    robot.inverse_dynamics(*np.ones((3, 40, 2)))


def derivatives(robot):
    robot.forward_dynamics_derivatives(Q, Q, Q)


def derivatives_by(robot):
    strobe.trace(lambda x: [x[0] * x[1]], x=2).jacobian()(np.array(Q))


def ahead(robot):
    robot.compile("mass_matrix")


def held(robot):
    robot.prepared("mass_matrix", "bias")(Q, Q)


def simulated(robot):
    strobe.simulate(robot, Q, Q, [0.5, -0.2], 5e-3, step=1e-4)


def stepped(robot):
    robot.controller("computed-torque", rate=1000).step((Q, Q), (Q, Q, Q))


WAITED = {
    torques: "inverse_dynamics of planar2", torques_of_many: "inverse_dynamics of planar2",
    derivatives: "forward_dynamics_derivatives of planar2", derivatives_by: "jacobian of lambda of a traced function",
    ahead: "mass_matrix of planar2", held: " of planar2", simulated: "march of planar2",
    stepped: "step of a controller of a traced function",
}  # fmt: skip


@pytest.mark.parametrize("asked", WAITED, ids=lambda each: each.__name__)
def test_code_is_made_within_what_is_told(asked, folder, monkeypatch):
    told, now, apart = [], [], []

    @contextmanager
    def tell(what):
        told.append(what)
        now.append(what)
        yield
        now.pop()

    def noticed(function):
        def outer(*args, **options):
            is_text = function.__name__ == "emit_object"  # without arithmetic it is short, as of builtins
            if not now and (not is_text or "fadd" in args[0]):
                apart.append(function.__name__)
            assert len(now) < 2  # what is made on the way is not told apart
            return function(*args, **options)

        return outer

    for module, name in ((kernels, "optimised"), (jit, "emit_object")):
        monkeypatch.setattr(module, name, noticed(getattr(module, name)))
    monkeypatch.setattr(debug, "_watch", [tell])
    asked(strobe.load("planar2"))
    assert any(what.endswith(WAITED[asked]) for what in told)
    assert apart == []
    assert now == []


def test_after_a_failure_the_next_one_is_told_again(monkeypatch):
    told = []

    @contextmanager
    def tell(what):
        told.append(what)
        yield

    monkeypatch.setattr(debug, "_watch", [tell])
    for what in ("one", "two"):
        with pytest.raises(KeyboardInterrupt), debug.waiting(what), debug.waiting("within"):
            raise KeyboardInterrupt
    assert told == ["one", "two"]
