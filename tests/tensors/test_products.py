"""Jacobians times a vector: against differences of fifty digits, against matrices of derivatives, and as laws."""

from functools import partial

import numpy as np
import pytest

import strobe
from strobe.quantities import Request
from strobe.scalars.precise import PreciseSystem
from strobe.tensors.products import Shares, rates, shares
from strobe.tensors.steps import METHODS, Step

RNG = np.random.default_rng(0)
QUANTITIES = [
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "energy",
    "forward_kinematics",
    "jacobian",
]


def given(robot, request, batch=()):
    """Random values of every input."""
    values = {name: RNG.normal(size=(*batch, size)) for name, size in request.inputs(robot.model).items()}
    known = (
        {"parameters": robot.parameters, "geometry": robot.geometry} if robot.coordinates.is_single else {}
    )
    values |= {name: np.tile(x, (*batch, 1)) for name, x in known.items() if name in values}
    if "step" in values:
        values["step"] = np.full((*batch, 1), 0.01)
    return values


def flat(values):
    return [x for value in values for x in flat(value)] if isinstance(values, list | tuple) else [values]


def rate_in_fifty_digits(robot, request, values, speeds):
    """How fast a result moves with its inputs, by a difference in fifty digits."""
    system = PreciseSystem()
    evaluate, mp = partial(request.evaluate, robot.model.lift(system)), system.context

    def at(h):
        moved = {
            name: [system.exact(mp.mpf(a) + h * mp.mpf(b)) for a, b in zip(x, speeds[name], strict=True)]
            for name, x in values.items()
        }
        return [system.lower(x) for x in flat(evaluate(**moved))]

    h = mp.mpf(10) ** -15
    return [float((a - b) / (2 * h)) for a, b in zip(at(h), at(-h), strict=True)]


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_rates_are_those_of_fifty_digits_and_shares_agree_with_them(quantity):
    robot = strobe.load("puma560")
    request = Request(quantity, friction=False).at_frames(robot.model)
    values = given(robot, request)
    speeds = {name: RNG.normal(size=x.shape) for name, x in values.items()}
    expected = np.array(rate_in_fifty_digits(robot, request, values, speeds))
    ahead, back = rates(request, tuple(values)), shares(request, tuple(values))
    found = robot.evaluate(ahead, values | {ahead.rate(name): x for name, x in speeds.items()}).ravel()
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11 * np.abs(expected).max())
    w = RNG.normal(size=expected.shape)
    pulled = robot.evaluate(back, values | {back.weights: w})
    assert pulled @ np.concatenate(list(speeds.values())) == pytest.approx(
        w @ expected, rel=1e-10, abs=1e-10
    )


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("name", ["planar2", "puma560"])
def test_shares_and_rates_are_those_of_differences(name, quantity):
    robot = strobe.load(name)
    request = Request(quantity, parameters="runtime" if "dynamics" in quantity else "fixed").at_frames(
        robot.model
    )
    check(robot, request, 1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_those_of_a_step_too(method):
    check(strobe.load("planar2"), Step("step", method=method), 1e-7)


def test_and_those_of_shares_which_are_second_derivatives():
    robot = strobe.load("planar2")
    for quantity in ("inverse_dynamics", "forward_dynamics"):
        first = shares(Request(quantity), ("q", "qd"))
        check(robot, first, 1e-7)


def check(robot, request, within):
    values = given(robot, request, (3,))
    names = tuple(values)
    size = int(np.prod(request.shape(robot.model)))
    speeds = {name: RNG.normal(size=x.shape) for name, x in values.items()}
    ahead = rates(request, names)
    moved = robot.evaluate(ahead, values | {ahead.rate(name): x for name, x in speeds.items()}).reshape(
        3, size
    )

    def at(h):
        return robot.evaluate(request, {k: x + h * speeds[k] for k, x in values.items()}).reshape(3, size)

    h = 1e-4  # central differences of fourth order
    expected = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    assert moved == pytest.approx(expected, rel=within, abs=within * np.abs(expected).max())

    back, weights = shares(request, names), RNG.normal(size=(3, size))
    pulled = robot.evaluate(back, values | {back.weights: weights})
    across = sum((pulled * np.concatenate([speeds[k] for k in names], -1)).T)
    assert across == pytest.approx(sum((weights * moved).T), rel=1e-9, abs=1e-9)  # wᵀ (J v) = (wᵀ J) v


@pytest.mark.parametrize("name", ["panda", "ur5", "spherical3", "biped10"])
def test_shares_of_torques_are_rows_of_the_matrices_of_derivatives(name):
    robot = strobe.load(name)
    q, qd, qdd = robot.random_state(0, 5)
    w = RNG.normal(size=qd.shape)
    for quantity, matrices, third in (
        ("inverse_dynamics", robot.inverse_dynamics_derivatives, "qdd"),
        ("forward_dynamics", robot.forward_dynamics_derivatives, "tau"),
    ):
        back = shares(Request(quantity), ("qd", third))
        values = {"q": q, "qd": qd, third: qdd, back.weights: w}
        by_qd, by_third = np.split(robot.evaluate(back, values), 2, axis=-1)
        _, dqd, dthird = matrices(q, qd, qdd)
        assert by_qd == pytest.approx(np.einsum("ki,kij->kj", w, dqd), rel=1e-9, abs=1e-9)
        assert by_third == pytest.approx(np.einsum("ki,kij->kj", w, dthird), rel=1e-9, abs=1e-9)


def test_shares_of_parameters_are_columns_of_the_regressor():
    robot = strobe.load("panda")
    q, qd, qdd = robot.random_state(0, 5)
    w = RNG.normal(size=q.shape)
    back = shares(Request("inverse_dynamics", parameters="runtime"), ("parameters",))
    values = {"q": q, "qd": qd, "qdd": qdd, back.weights: w, "parameters": robot.parameters}
    expected = np.einsum("ki,kij->kj", w, robot.regressor(q, qd, qdd))
    assert robot.evaluate(back, values) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_interpreted_they_are_the_same():
    robot = strobe.load("planar2")
    back = shares(Request("forward_dynamics"), ("q", "tau"))
    values = given(robot, back, (4,))
    plain = strobe.Robot(robot.model, compiled=False)
    assert plain.evaluate(back, values) == pytest.approx(robot.evaluate(back, values), rel=1e-12)
    alone = {name: x[0] for name, x in values.items()}
    assert plain.evaluate(back, alone) == pytest.approx(robot.evaluate(back, alone), rel=1e-12)


def test_the_way_back_takes_fewer_operations_than_the_matrices():
    robot = strobe.load("panda")
    back = (
        shares(Request("inverse_dynamics", friction=False), ("q", "qd", "qdd")),
        shares(Request("forward_dynamics", friction=False), ("q", "qd", "tau")),
    )
    of_torques, of_accelerations = (robot.kernel(each).program for each in back)
    assert (of_torques.multiplications, of_torques.additions) == (698, 664)
    assert (of_accelerations.multiplications, of_accelerations.additions) == (1267, 1175)


def test_each_time_has_vectors_of_its_own():
    first = shares(Request("energy"), ("q",))
    second = Shares("again", of=first, named=("q", first.weights))
    assert (first.weights, second.weights) == ("weights 1", "weights 2")
