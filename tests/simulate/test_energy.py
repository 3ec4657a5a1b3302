"""Long runs without friction keep their energy; fifty digits and Pinocchio move the same way."""

import numpy as np
import pytest

import strobe
from strobe.compiler.graph.recurrence import STATE, round_of, sample
from strobe.scalars.precise import PreciseSystem
from strobe.simulate import simulate
from strobe.simulate.equations_of_motion import RateRequest
from strobe.simulate.integrators import fixed_method, one_step, parts


@pytest.mark.slow
@pytest.mark.parametrize("setting", [{"method": "rk8"}, {"method": "rk4", "conserve_energy": True}])
@pytest.mark.parametrize("name", ["pendulum3", "panda"])
def test_over_a_hundred_seconds_at_a_millisecond_energy_drifts_less_than_a_ten_millionth(name, setting):
    robot = strobe.load(name)
    q, _, _ = robot.random_state(0, 8)
    run = simulate(robot, q, np.zeros(robot.n), None, 100.0, step=1e-3, every=50, friction=False, **setting)
    assert (run.audit.kinetic.max(axis=-1) > 1.0).all()
    assert (run.audit.largest_drift < 1e-10).all()


def test_conserving_energy_keeps_the_order_and_the_work_of_what_acts():
    robot = strobe.load("pendulum3")
    q, qd, _ = robot.random_state(0)
    exact = simulate(robot, q, qd, 0.2, 0.5, "rk8", step=5e-4)
    setting = {"conserve_energy": True}
    errors = [
        np.abs(simulate(robot, q, qd, 0.2, 0.5, step=h, **setting).q[-1] - exact.q[-1]).max()
        for h in (4e-3, 2e-3)
    ]
    assert 3.0 < np.log2(errors[0] / errors[1]) < 5.5
    run = simulate(robot, q, qd, 0.2, 0.5, step=2e-3, **setting)
    assert run.audit.largest_drift < 1e-14
    np.testing.assert_allclose(run.audit.energy[-1], exact.audit.energy[-1], rtol=1e-7)


def precise_run(robot, q, qd, h, steps, system):
    """RK4 step by step on fifty digits, by the same recurrence."""
    model = robot.model.lift(system)
    rate = RateRequest("rate", friction=False)
    requests, recurrence = one_step(robot.model, fixed_method("rk4"), rate, {})
    p = parts(robot.model, False)
    state = [*map(system.exact, [*q, *qd]), *[system.exact(0.0)] * (p.integrated - p.moving), 1, 0]
    cells = {STATE: state, "tau": [0] * robot.n, sample("h", 0): [system.exact(h)]}

    def run(call, inputs):
        sizes = requests[call.program].inputs(robot.model)
        numbers = {name: x[:n] for (name, n), x in zip(sizes.items(), inputs, strict=True)}
        return requests[call.program].evaluate(model, **numbers)

    rows = []
    for _ in range(steps):
        cells = round_of(recurrence, run, cells)
        rows.append([float(system.lower(x)) for x in cells[STATE][: p.moving]])
    return np.array(rows)


@pytest.mark.slow
def test_a_double_pendulum_leaves_fifty_digits_no_faster_than_a_change_in_the_sixteenth_digit():
    robot = strobe.load("planar2")
    q, qd, h, steps = np.array([2.5, 0.3]), np.array([0.0, 0.0]), 1e-2, 250
    system = PreciseSystem(50)
    exact = precise_run(robot, q, qd, h, steps, system)
    near = precise_run(robot, q * (1 + 2**-52), qd, h, steps, system)
    run = simulate(robot, q, qd, None, steps * h, step=h, friction=False)
    ours = np.abs(np.concatenate([run.q, run.qd], axis=-1)[1:] - exact).max(axis=-1)
    theirs = np.maximum.accumulate(np.abs(near - exact).max(axis=-1))
    assert theirs[-1] > 100 * theirs[10]  # it is chaotic
    assert (ours < 20 * theirs + 1e-14).all()
