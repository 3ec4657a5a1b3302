"""The steps before and behind Waters' recursion: exactly the same torques, at the products that his report counts."""

import pytest

from strobe.algebra import Mat4
from strobe.analysis.counts import general_arm
from strobe.formulations import uicker_kahn, waters_steps
from strobe.models.random_robots import random_model
from strobe.papers import ledgers
from strobe.scalars import FieldSystem

STEPS = {
    "straightforward": (waters_steps.straightforward, ledgers.waters_naive),
    "recorded": (waters_steps.recorded, ledgers.waters_recorded),
    "d_recursive": (waters_steps.d_recursive, ledgers.waters_d_recursion),
}
every_step = pytest.mark.parametrize("step", STEPS)


@every_step
@pytest.mark.parametrize(("kinds", "n", "seed"), [("R", 3, 1), ("RP", 4, 2), ("P", 2, 3)])
def test_every_step_gives_the_torques_of_uicker_and_kahn(step, kinds, n, seed):
    system = FieldSystem(seed)
    model = random_model(n, seed, kinds=kinds).lift(system)
    state = model.variables()
    ours, theirs = STEPS[step][0](model, *state), uicker_kahn.inverse_dynamics(model, *state)
    assert [system.lower(x) for x in ours] == [system.lower(x) for x in theirs]


@every_step
@pytest.mark.parametrize("n", [2, 6])
def test_every_step_multiplies_as_many_matrices_as_its_ledger_says(step, n, monkeypatch):
    run, ledger = STEPS[step]
    products = []
    multiply = Mat4.__matmul__
    monkeypatch.setattr(Mat4, "__matmul__", lambda a, b: products.append(1) or multiply(a, b))
    state = [[0.1 * k + c for k in range(n)] for c in (0.2, -0.3, 0.7)]
    run(general_arm(n), *state)
    traces = n if step == "d_recursive" else n * (n + 1) // 2  # of order 16 where only the trace is wanted
    unused = 1 if step == "d_recursive" else 0  # the last W, of the recursion that it shares
    assert len(products) - traces - unused == ledger().total.at(n)[0]
