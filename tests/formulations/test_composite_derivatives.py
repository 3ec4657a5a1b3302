"""Derivatives by composite bodies: exactly those of the torques, in a prime field, and those of 50 digits."""

import pytest

import strobe
from strobe.algebra.rows import minus
from strobe.compiler.runtime.kernels import Kernel
from strobe.formulations import kinematics, spatial_newton_euler
from strobe.formulations.composite_derivatives import inverse_dynamics_derivatives, limb_by_limb
from strobe.models.random_robots import random_model
from strobe.models.regroup import regrouped
from strobe.quantities import Request
from strobe.scalars import DualSystem, FieldSystem
from strobe.scalars.dual import slopes
from strobe.scalars.precise import PreciseSystem

KINDS = ("R", "RP", "RPS", "RPSF")


def torques(model, loads):
    """τ of spatial Newton-Euler, less Jᵀ F."""

    def function(q, qd, qdd):
        tau = spatial_newton_euler.inverse_dynamics(model, q, qd, qdd)
        for frame, wrench in loads:
            tau = minus(tau, kinematics.joint_torques(model, q, frame, wrench))
        return tau

    return function


def units(n):
    return [[float(i == k) for i in range(n)] for k in range(n)]


def along_joints(model, q):
    """How q moves along every degree of freedom."""
    return [
        [x for joint in model.joints for x in joint.position_rates(q, unit)] for unit in units(model.nv)
    ]


def exact(system, seed, kinds, loaded):
    """Ours and those of duals, of one random tree in a field, as field elements."""
    dual = DualSystem(system)
    model = random_model(2 + seed % 4, seed, kinds=kinds, tree=True).lift(dual)
    q, qd, qdd = model.variables()
    places = {frame.body: frame for frame in model.frames}
    loads = [(frame, [dual.variable("F") for _ in range(6)]) for frame in places.values()] if loaded else []
    ours = inverse_dynamics_derivatives(regrouped(model), q, qd, qdd,
                                        [(regrouped(model).frame(f.name), w) for f, w in loads])  # fmt: skip
    function, wanted = torques(model, loads), []
    values = [[x.value for x in part] for part in (q, qd, qdd)]
    for which, directions in enumerate((along_joints(model, values[0]), units(model.nv), units(model.nv))):
        columns = []
        for direction in directions:
            moving = [[dual.seed(x, 0.0) for x in part] for part in values]
            moving[which] = [dual.seed(x, rate) for x, rate in zip(values[which], direction, strict=True)]
            columns.append([system.lower(dual.lower(tau).tangent) for tau in function(*moving)])
        wanted.append([list(row) for row in zip(*columns, strict=True)])
    found = [[[system.lower(dual.lower(x).value) for x in row] for row in matrix] for matrix in ours]
    return found, wanted


@pytest.mark.slow
@pytest.mark.parametrize("loaded", [False, True], ids=["free", "loaded"])
@pytest.mark.parametrize("kinds", KINDS)
def test_they_are_exactly_those_of_the_torques_on_random_trees(kinds, loaded):
    for seed in range(4):
        found, wanted = exact(FieldSystem(seed), seed, kinds, loaded)
        assert found == wanted


@pytest.mark.slow
@pytest.mark.parametrize("kinds", KINDS)
def test_they_are_the_differences_of_torques_in_fifty_digits(kinds):
    system = PreciseSystem()
    for seed in range(2):
        robot = strobe.Robot(random_model(3, seed, kinds=kinds, tree=seed > 0))
        q, qd, qdd = (x.tolist() for x in robot.random_state(seed=seed))
        model, n, h = robot.model.lift(system), robot.n, system.number(1e-15)
        exact_q, exact_qd, exact_qdd = ([system.number(x) for x in part] for part in (q, qd, qdd))
        columns = [[], []]
        for unit in units(n):
            ends = []
            for sign in (1.0, -1.0):
                step = [h * (sign * x) for x in unit]
                moved = [x for joint in model.joints for x in joint.integrate(exact_q, step)]
                faster = [x + s for x, s in zip(exact_qd, step, strict=True)]
                ends.append([spatial_newton_euler.inverse_dynamics(model, moved, exact_qd, exact_qdd),
                             spatial_newton_euler.inverse_dynamics(model, exact_q, faster, exact_qdd)])  # fmt: skip
            for which in (0, 1):
                pairs = zip(ends[0][which], ends[1][which], strict=True)
                columns[which].append([float(system.lower((a - b) / (2.0 * h))) for a, b in pairs])
        ours = inverse_dynamics_derivatives(regrouped(robot.model), q, qd, qdd)
        for which in (0, 1):
            largest = max(abs(x) for row in ours[which] for x in row)
            for i in range(n):
                for j in range(n):
                    assert abs(ours[which][i][j] - columns[which][j][i]) <= 1e-13 * largest


def test_limbs_are_finished_one_after_another():
    model = random_model(9, 3, tree=True)
    begun, done = set(), []
    for body, complete in limb_by_limb(model):
        begun.add(body.index)
        for each in complete:
            beyond = [
                b.index for b in model.bodies if each.index in {s.index for s in model.support(b.index)}
            ]
            assert set(beyond) - {each.index} <= set(done)
            assert each.index in begun
            done.append(each.index)
    assert sorted(done) == [body.index for body in model.bodies]


@pytest.mark.slow
def test_the_three_matrices_of_the_panda_cost_less_than_any_way_through_the_graph():
    model = strobe.load("panda").model
    analytic = Kernel(model, Request("inverse_dynamics_derivatives", friction=False)).program
    general = Kernel(model, Request("inverse_dynamics", friction=False, by=("q", "qd", "qdd"))).program
    assert analytic.multiplications <= 1802
    assert analytic.additions <= 1420
    assert analytic.multiplications + analytic.additions < 0.76 * (
        general.multiplications + general.additions
    )


def test_slopes_of_duals_agree_with_them():
    robot = strobe.load("puma560")
    q, qd, qdd = (x.tolist() for x in robot.random_state(seed=2))
    by_q, by_qd, M = inverse_dynamics_derivatives(regrouped(robot.model), q, qd, qdd)
    directions = [{name: unit} for name in ("q", "qd", "qdd") for unit in units(6)]
    every = slopes(torques(robot.model, []), {"q": q, "qd": qd, "qdd": qdd}, directions)
    for i, row in enumerate(every):
        assert row == pytest.approx([*by_q[i], *by_qd[i], *M[i]], rel=1e-11, abs=1e-11)
