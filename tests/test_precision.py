"""Single precision in, single precision out: every method that takes states, and what stands beside them."""

import dataclasses
import inspect
from collections.abc import Mapping

import numpy as np
import pytest

import strobe
from strobe.mechanisms import Chain, combined, complete, led, loop_forces, reduced
from strobe.robot import Robot

STATES = {"q": 0, "q0": 0, "q1": 0, "qd": 1, "v": 1, "qdd": 2, "tau": 2, "x": 2}
BESIDE = {"point": np.zeros(3), "twist": np.ones(6), "acceleration": np.ones(6)}


def arrays(answer):
    """The arrays in an answer, wherever they are."""
    if isinstance(answer, np.ndarray | np.floating):
        yield answer
    elif isinstance(answer, Mapping):
        yield from arrays(tuple(answer.values()))
    elif isinstance(answer, tuple):
        for each in answer:
            yield from arrays(each)
    elif dataclasses.is_dataclass(answer):
        yield from arrays(tuple(getattr(answer, field.name) for field in dataclasses.fields(answer)))


def wide(answer):
    return [each.dtype for each in arrays(answer) if each.dtype == np.float64]


@pytest.fixture(scope="module", params=("planar2", "fourbar", "spherical3"))
def robot(request):
    return Robot(strobe.load(request.param).model, compiled=False)


def test_every_method_that_takes_states_keeps_their_precision(robot):
    states = robot.random_state(seed=1, batch=2)
    known = {name: states[k] for name, k in STATES.items()} | BESIDE
    asked = 0
    for name, method in inspect.getmembers(Robot, inspect.isfunction):
        needed = [p.name for p in inspect.signature(method).parameters.values() if p.default is p.empty]
        needed = [each for each in needed if each not in ("self", "keywords")]
        if name.startswith("_") or not needed or not set(needed) <= set(known):
            continue
        try:
            answer = getattr(robot, name)(**{each: known[each].astype(np.float32) for each in needed})
        except strobe.StrobeError:  # loops, or none
            continue
        asked += 1
        assert wide(answer) == [], name
    assert asked > 20


def test_closed_chains_in_their_actuated_joints_do_so_too():
    robot = strobe.load("fourbar")
    q, qd, qdd = (x.astype(np.float32) for x in robot.random_state(seed=1, batch=3))
    crank = robot.model.actuated[0]
    assert wide(reduced(robot, q, qd)) == []
    assert wide(loop_forces(robot, q, qd, qdd)) == []
    assert wide(complete(robot, q, {crank: qd[:, 0]})) == []
    assert wide(robot.assemble(q)) == []
    path = np.linspace(q[0, 0], q[0, 0] + 0.1, 4, dtype=np.float32)[:, None]
    assert wide(led(robot, path, 0 * path, 0 * path, q[0])) == []
    assert len(list(arrays(reduced(robot, q, qd)))) == 5
    exact = reduced(robot, *(x.astype(float) for x in (q, qd)))
    np.testing.assert_allclose(reduced(robot, q, qd).mass_matrix, exact.mass_matrix, rtol=1e-6)


def test_linkages_of_open_chains_do_so_too():
    arm = Robot(strobe.load("planar2").model, compiled=False)
    theta = np.array([0.3, 0.4], np.float32)
    assert wide(combined([Chain(arm, lambda x: [x[0], x[1] - x[0]])], theta, theta)) == []
    assert wide(combined([Chain(arm, lambda x: [x[0], x[1] - x[0]])], theta, theta.astype(float))) != []


def test_closed_forms_do_so_too():
    equations = strobe.load("planar2").equations()
    q = np.array([0.3, 0.4], np.float32)
    assert wide(equations.evaluate(equations.gravity, q)) == []
    assert equations.evaluate(equations.gravity, q.tolist()).dtype == np.float64


def test_a_singular_position_is_found_in_single_precision():
    robot = strobe.load("planar2")
    found = robot.inverse_velocity(np.zeros(2, np.float32), np.ones(2, np.float32), of=("x", "y"))
    assert found.joints.dtype == np.float32
    assert found.singular
    turned = robot.inverse_velocity(np.array([0, 0.5], np.float32), np.ones(2), of=("x", "y"))
    assert not turned.singular
